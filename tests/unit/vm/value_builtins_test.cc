// SPDX-License-Identifier: Apache-2.0
#include "core/vm/builtins/value_builtins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/object/containers/sequence.h"
#include "core/object/containers/table.h"
#include "core/object/graph/print.h"
#include "core/vm/builtins/builtins.h"

namespace tern::vm::value_builtins_test {
namespace {

// The result as text, or the error's message.
std::string Call(std::string_view name, std::initializer_list<AnyView> args) {
  RunContext context;
  const FunctionPtr function = FindBuiltin(name);
  if (function == nullptr) return "no such function";
  const Result<Any> result = function->Invoke(args, &context);
  return result.ok() ? PrintValue(*result) : std::string(result.status().message());
}

SequencePtr Ints(std::initializer_list<int64_t> values) {
  SequencePtr list = Sequence::Make();
  for (const int64_t value : values) list->PushInt(value);
  return list;
}

SequencePtr Texts(std::initializer_list<std::string_view> values) {
  SequencePtr list = Sequence::Make();
  for (const std::string_view value : values) list->PushText(value);
  return list;
}

const std::span<const ValueBuiltin> kTables[] = {ListBuiltins(), MapBuiltins(), StringBuiltins(),
                                                 ScalarBuiltins(), CheckBuiltins()};

TEST(ValueBuiltins, NamesDiffer) {
  std::set<std::string_view> names;
  for (const auto& table : kTables) {
    for (const ValueBuiltin& builtin : table) {
      EXPECT_TRUE(names.insert(builtin.name).second) << builtin.name;
      EXPECT_NE(FindBuiltin(builtin.name), nullptr);
      EXPECT_NE(builtin.plain == nullptr, builtin.with_context == nullptr);
    }
  }
  EXPECT_EQ(FindBuiltin("tern.list.shuffle"), nullptr);
}

TEST(ValueBuiltins, WrongArgumentsAreErrors) {
  RunContext context;
  for (const auto& table : kTables) {
    for (const ValueBuiltin& builtin : table) {
      SCOPED_TRACE(builtin.name);
      const FunctionPtr function = FindBuiltin(builtin.name);
      // Four nones, and as many as it takes: never a crash, mostly errors.
      if (builtin.arity >= 0 && builtin.arity != 4)
        EXPECT_FALSE(function->Invoke({AnyView(), AnyView(), AnyView(), AnyView()}, &context).ok());
      const std::vector<AnyView> nones(static_cast<size_t>(std::max(builtin.arity, 1)));
      static_cast<void>(function->Invoke(nones, &context));
      const std::vector<AnyView> numbers(nones.size(), AnyView(-1));
      static_cast<void>(function->Invoke(numbers, &context));
    }
  }
}

TEST(ValueBuiltins, ListsAreValues) {
  const SequencePtr list = Ints({3, 1, 2});
  EXPECT_EQ(Call("tern.list.append", {list, 9}), "list[3, 1, 2, 9]");
  EXPECT_EQ(Call("tern.list.set", {list, 0, 7}), "list[7, 1, 2]");
  EXPECT_EQ(Call("tern.list.sort", {list}), "list[1, 2, 3]");
  EXPECT_EQ(Call("tern.list.sort", {Texts({"b", "a longer text", "a"})}),
            "list[\"a\", \"a longer text\", \"b\"]");
  EXPECT_EQ(PrintValue(list), "list[3, 1, 2]");
  EXPECT_EQ(Call("tern.list.slice", {list, 1, 3}), "list[1, 2]");
  EXPECT_EQ(Call("tern.list.slice", {list, -2, -1}), "list[1]");
  EXPECT_EQ(Call("tern.list.get", {list, -1}), "2");
  EXPECT_EQ(Call("tern.list.set", {list, -3, 7}), "list[7, 1, 2]");
  EXPECT_EQ(Call("tern.list.find", {list, 2}), "2");
  EXPECT_EQ(Call("tern.list.find", {list, 5}), "-1");
}

TEST(ValueBuiltins, ListErrorsSayWhat) {
  const SequencePtr list = Ints({1, 2});
  EXPECT_EQ(Call("tern.list.get", {list, 2}), "index 2 is out of range for a list of 2 items");
  EXPECT_EQ(Call("tern.list.get", {list, -3}), "index -3 is out of range for a list of 2 items");
  EXPECT_EQ(Call("tern.list.get", {list, INT64_MIN}),
            "index -9223372036854775808 is out of range for a list of 2 items");
  EXPECT_EQ(Call("tern.list.slice", {list, 1, 3}), "items 1 up to 3 of a list of 2 items");
  EXPECT_EQ(Call("tern.list.slice", {list, -3, 1}), "items -3 up to 1 of a list of 2 items");
  EXPECT_EQ(Call("tern.list.range", {0, int64_t{1} << 40}),
            "a list of 1099511627776 items; at most 268435456 are possible");
  EXPECT_EQ(Call("tern.list.range", {INT64_MIN, INT64_MAX}),
            "a list of 18446744073709551615 items; at most 268435456 are possible");
  EXPECT_FALSE(Call("tern.list.sort", {Sequence::Make({AnyView(1), AnyView("a")})}).empty());
}

// A list that somebody else holds stays as it is.
TEST(ValueBuiltins, PushWritesInPlaceForTheOnlyHolder) {
  SequencePtr list = Ints({1});
  EXPECT_EQ(Call("tern.list.push", {list, 2}), "list[1, 2]");
  EXPECT_EQ(list->size(), 2u);
  const SequencePtr other = list;
  EXPECT_EQ(Call("tern.list.push", {list, 3}), "list[1, 2, 3]");
  EXPECT_EQ(list->size(), 2u);
}

TEST(ValueBuiltins, TheOthersInPlaceDoToo) {
  SequencePtr list = Ints({1, 2});
  EXPECT_EQ(Call("tern.list.put", {list, 1, 5}), "list[1, 5]");
  EXPECT_EQ(Call("tern.list.put", {list, 2, 5}), "index 2 is out of range for a list of 2 items");
  EXPECT_EQ(Call("tern.list.extend", {list, Ints({6})}), "list[1, 5, 6]");
  EXPECT_EQ(PrintValue(list), "list[1, 5, 6]");
  const TablePtr map = Table::Make();
  EXPECT_EQ(Call("tern.map.put", {map, "a", 1}), "map{\"a\": 1}");
  EXPECT_EQ(Call("tern.map.put", {map, "b", 2}), "map{\"a\": 1, \"b\": 2}");
  EXPECT_EQ(Call("tern.map.drop", {map, "a"}), "map{\"b\": 2}");
  EXPECT_EQ(map->size(), 1u);
  const TablePtr shared = map;
  EXPECT_EQ(Call("tern.map.put", {map, "c", 3}), "map{\"b\": 2, \"c\": 3}");
  EXPECT_EQ(Call("tern.map.drop", {map, "b"}), "map{}");
  EXPECT_EQ(map->size(), 1u);
}

// Nothing comes to hold itself.
TEST(ValueBuiltins, WhatIsPutIntoItselfIsCopied) {
  const SequencePtr list = Ints({1});
  EXPECT_EQ(Call("tern.list.push", {list, list}), "list[1, list[1]]");
  EXPECT_EQ(Call("tern.list.put", {list, 0, list}), "list[list[1]]");
  EXPECT_EQ(Call("tern.list.extend", {list, list}), "list[1, 1]");
  EXPECT_EQ(list->size(), 1u);
}

TEST(ValueBuiltins, MapsAreValues) {
  const TablePtr map = Table::Make();
  map->Set("a", Any(1));
  EXPECT_EQ(Call("tern.map.set", {map, "b", 2}), "map{\"a\": 1, \"b\": 2}");
  EXPECT_EQ(Call("tern.map.remove", {map, "a"}), "map{}");
  EXPECT_EQ(map->size(), 1u);
  EXPECT_EQ(Call("tern.map.get", {map, "z"}), "the map has no key \"z\"; it has 1 key");
  EXPECT_EQ(Call("tern.map.get_or", {map, "z", 5}), "5");
  EXPECT_EQ(Call("tern.map.make", {"a"}), "tern.map.make takes keys and values in turn");
}

TEST(ValueBuiltins, TextsCountCharacters) {
  EXPECT_EQ(Call("tern.string.length", {"añ€😀"}), "4");
  EXPECT_EQ(Call("tern.string.slice", {"añ€😀", 1, 3}), "\"ñ€\"");
  EXPECT_EQ(Call("tern.string.get", {"añ€😀", 3}), "\"😀\"");
  EXPECT_EQ(Call("tern.string.get", {"añ€😀", -2}), "\"€\"");
  EXPECT_EQ(Call("tern.string.slice", {"añ€😀", -3, -1}), "\"ñ€\"");
  EXPECT_EQ(Call("tern.string.get", {"abc", -4}), "index -4 is out of range for a string of 3");
  EXPECT_EQ(Call("tern.string.find", {"añ€😀", "€"}), "2");
  EXPECT_EQ(Call("tern.string.join", {Texts({"a", "b"}), "-"}), "\"a-b\"");
  EXPECT_EQ(Call("tern.string.slice", {"abc", 2, 1}), "characters 2 up to 1 of a string of 3");
  EXPECT_EQ(Call("tern.string.get", {"abc", 3}), "index 3 is out of range for a string of 3");
  EXPECT_EQ(Call("tern.string.split", {"abc", ""}),
            "split needs a separator; chars gives the characters of a string");
  EXPECT_EQ(Call("tern.string.from_code", {0xd800}), "55296 is not a code point");
  EXPECT_EQ(Call("tern.string.parse_int", {"1x"}), "'1x' is not an int");
  EXPECT_EQ(Call("tern.string.repeat", {"ab", int64_t{1} << 60}),
            "a string of more than 2^28 bytes");
}

TEST(ValueBuiltins, TensorsFromListsAndBack) {
  const SequencePtr rows = Sequence::Make({AnyView(Ints({1, 2})), AnyView(Ints({3, 4}))});
  EXPECT_EQ(Call("tern.tensor.of", {rows, "i64", 2}), "i64[2, 2] [1, 2, 3, 4]");
  EXPECT_EQ(Call("tern.tensor.of", {1.5, "f64", 0}), "f64[] 1.5");
  const SequencePtr ragged = Sequence::Make({AnyView(Ints({1, 2})), AnyView(Ints({3}))});
  EXPECT_EQ(Call("tern.tensor.of", {ragged, "i64", 2}),
            "a list of 1 items beside one of 2: the rows of a tensor have one length");
  const TensorPtr vector = *Tensor::FromValues<float>({1, 2, 3}, {3});
  EXPECT_EQ(Call("tern.tensor.to_list", {vector}), "list[1, 2, 3]");
  EXPECT_EQ(Call("tern.tensor.dim", {vector, -1}), "3");
  EXPECT_EQ(Call("tern.tensor.dim", {vector, 1}), "axis 1 of a tensor f32[3]");
  EXPECT_EQ(Call("tern.tensor.item_int", {vector}), "a tensor f32[3] has 3 elements, expected 1");
  EXPECT_EQ(Call("tern.tensor.stack", {Sequence::Make({AnyView(vector), AnyView(vector)})}),
            "f32[2, 3] [1, 2, 3, 1, 2, 3]");
  EXPECT_EQ(Call("tern.tensor.stack", {Sequence::Make()}), "stack of an empty list");
  EXPECT_EQ(Call("tern.tensor.check_shape", {vector, "f32[4]", 4}),
            "shape mismatch: axis 0 of f32[3] is 3, expected 4 by f32[4]");
  EXPECT_EQ(Call("tern.tensor.check_shape", {vector, "f32[?]", -1}), "f32[3] [1, 2, 3]");
}

TEST(ValueBuiltins, EndsAndTells) {
  RunContext context;
  std::string lines;
  context.set_writer(
      [](void* to, std::string_view line) { *static_cast<std::string*>(to) += line; }, &lines);
  EXPECT_TRUE(FindBuiltin("tern.print")->Invoke({AnyView("text")}, &context).ok());
  EXPECT_TRUE(FindBuiltin("tern.print")->Invoke({AnyView(3)}, &context).ok());
  EXPECT_EQ(lines, "text3");
  EXPECT_EQ(Call("tern.fail", {"no way"}), "no way");
  EXPECT_EQ(Call("tern.assert", {false, "small"}), "assertion failed: small");
  EXPECT_EQ(Call("tern.scalar.abs", {INT64_MIN}), "-9223372036854775808");
  EXPECT_EQ(Call("tern.scalar.min", {2, 1}), "1");
}

}  // namespace
}  // namespace tern::vm::value_builtins_test
