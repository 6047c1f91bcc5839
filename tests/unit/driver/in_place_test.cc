// SPDX-License-Identifier: Apache-2.0
// Lists and maps that nobody else looks at are written in place: counted by the items that are
// copied, and compared with runs in which every change makes a copy.
#include <gtest/gtest.h>

#include <random>

#include "core/base/strings.h"
#include "core/driver/compile_source.h"
#include "core/kernels/bind/bind.h"
#include "core/object/containers/sequence.h"
#include "core/object/containers/table.h"
#include "core/object/graph/print.h"
#include "core/vm/builtins/builtins.h"
#include "core/vm/vm.h"
#include "tests/support/rounds.h"

namespace tern::driver::in_place_test {
namespace {

struct Pair {
  std::string_view in_place, copying;
};
constexpr Pair kPairs[] = {{"tern.list.push", "tern.list.append"},
                           {"tern.list.put", "tern.list.set"},
                           {"tern.list.extend", "tern.list.concat"},
                           {"tern.map.put", "tern.map.set"},
                           {"tern.map.drop", "tern.map.remove"}};

int64_t SizeOf(const AnyView& container) {
  if (const Sequence* list = container.TryCast<Sequence>())
    return static_cast<int64_t>(list->size());
  return static_cast<int64_t>(container.TryCast<Table>()->size());
}

// Functions that count the items they copy; with always_copy they never write in place.
std::vector<FunctionPtr> CountingFunctions(int64_t* copied, bool always_copy) {
  std::vector<FunctionPtr> functions;
  for (const Pair& pair : kPairs) {
    const FunctionPtr builtin = vm::FindBuiltin(always_copy ? pair.copying : pair.in_place);
    const auto call = [copied, builtin](AnyArgs args) -> Result<Any> {
      const int64_t size = SizeOf(args[0]);
      TERN_TRY_ASSIGN(Any result, builtin->Invoke(args));
      if (result.object() != args[0].object()) *copied += size;
      return result;
    };
    functions.push_back(Function::FromPacked(pair.in_place, call));
  }
  return functions;
}

struct Outcome {
  std::string value;
  int64_t copied = 0;
};

struct How {
  bool always_copy = false;
  bool always_step = false;
};

Outcome RunMain(const std::string& text, int64_t n, How how = {}) {
  const Result<CompileResult> compiled = CompileSource(text, {});
  if (!compiled.ok()) return {std::string(compiled.status().message())};
  static_cast<void>(kernels::RegisterOperators(&Registry::Global()));
  Outcome outcome;
  const std::vector<FunctionPtr> functions = CountingFunctions(&outcome.copied, how.always_copy);
  const Result<vm::ProgramPtr> program =
      vm::Program::Link(compiled->executable, {.functions = functions});
  if (!program.ok()) return {std::string(program.status().message())};
  vm::VmOptions options;
  options.always_step = how.always_step;
  const Result<std::unique_ptr<vm::VirtualMachine>> vm =
      vm::VirtualMachine::Create(*program, options);
  const Result<Any> result = (*vm)->Call("main", {AnyView(n)});
  outcome.value = result.ok() ? PrintValue(*result, {.max_elements = 50, .max_depth = 8})
                              : std::string(result.status().message());
  return outcome;
}

constexpr const char* kBuilders[] = {
    "fn main(n: int) -> int { length(for i in 0..n with (xs: List[int] = []) { append(xs, i) }) }",
    "fn main(n: int) -> int {\n"
    "  let (xs, i) = loop (xs: List[int] = [], i = 0) while i < n { (append(xs, i), i + 1) };\n"
    "  length(xs) + i\n"
    "}",
    "fn main(n: int) -> int { length(fold(0..n, [], |acc, x| append(acc, x))) }",
    "fn build(acc: List[int], n: int) -> List[int] {\n"
    "  if n == 0 { acc } else { build(append(acc, n), n - 1) }\n"
    "}\n"
    "fn main(n: int) -> int { length(build([], n)) }",
    // Not by tail calls: the accumulator goes in and comes out.
    "fn walk(low: int, high: int, acc: List[int]) -> List[int] {\n"
    "  if high - low < 2 { return_one(acc, low) } else {\n"
    "    let middle = (low + high) / 2;\n"
    "    walk(middle, high, walk(low, middle, acc))\n"
    "  }\n"
    "}\n"
    "fn return_one(acc: List[int], x: int) -> List[int] { append(acc, x) }\n"
    "fn main(n: int) -> int { length(walk(0, n, [])) }",
    "fn main(n: int) -> int {\n"
    "  let m = for i in 0..n with (m: Map[int, int] = {:}) { set(m, i, i) };\n"
    "  length(for i in 0..n with (left = m) { if i % 2 == 0 { remove(left, i) } else { left } })\n"
    "}",
    "fn main(n: int) -> int {\n"
    "  let xs = for i in 0..n with (xs: List[int] = []) { xs + [i] };\n"
    "  let ys = for i in 0..n with (ys = xs) { set(ys, i, 2 * i) };\n"
    "  ys[n - 1]\n"
    "}",
};

TEST(InPlace, BuildingTakesLinearTime) {
  for (const char* text : kBuilders) {
    SCOPED_TRACE(text);
    const Outcome small = RunMain(text, 200), large = RunMain(text, 400);
    EXPECT_EQ(large.value, RunMain(text, 400, {.always_copy = true}).value);
    // A list that comes from elsewhere is copied once.
    EXPECT_LE(small.copied, 200);
    EXPECT_LE(large.copied, 400);
    // The counter counts: copies of everything are quadratic.
    EXPECT_GT(RunMain(text, 400, {.always_copy = true}).copied, 10'000);
  }
}

TEST(InPlace, WhatOthersHoldStaysAsItIs) {
  const char* const programs[] = {
      "fn main(n: int) -> (List[int], List[int]) { let xs = [n]; let ys = append(xs, 1); (xs, ys) "
      "}",
      "fn grow(xs: List[int]) -> List[int] { append(xs, 1) }\n"
      "fn main(n: int) -> List[List[int]] { let xs = [n]; let ys = grow(xs); [grow(xs), ys, xs] }",
      "fn main(n: int) -> (int, List[int]) {\n"
      "  let xs = [n, 2]; let f = |i| length(xs) + i; let ys = append(xs, 3); (f(0), ys)\n"
      "}",
      "fn main(n: int) -> List[List[int]] { let xs = [n]; let all = [xs, xs]; append(all, "
      "append(xs, 1)) }",
      "fn main(n: int) -> List[List[int]] {\n"
      "  let xs = [[n]]; let ys = append(xs, xs[0]); set(ys, 0, append(ys[0], 5))\n"
      "}",
      "fn both(a: List[int], b: List[int]) -> (List[int], List[int]) { (append(a, 1), append(b, "
      "2)) }\n"
      "fn main(n: int) -> (List[int], List[int]) { let xs = append([], n); both(xs, xs) }",
      "fn main(n: int) -> List[int] { let xs = append([], n); xs + xs }",
      "fn f(n: int) -> List[int] { append([1, 2], n) }\n"
      "fn main(n: int) -> (List[int], List[int]) { (f(n), f(n + 1)) }",
      "fn main(n: int) -> (Map[int, int], Map[int, int]) {\n"
      "  let m = {1: n}; let k = set(m, 2, n); (remove(k, 1), k)\n"
      "}",
  };
  for (const char* text : programs) {
    SCOPED_TRACE(text);
    const std::string expected = RunMain(text, 9, {.always_copy = true}).value;
    EXPECT_EQ(RunMain(text, 9).value, expected);
    EXPECT_EQ(RunMain(text, 9, {.always_step = true}).value, expected);
  }
}

// Straight code over a handful of lists: whatever is changed, kept, handed on, or both.
std::string RandomProgram(std::mt19937* random) {
  const auto pick = [&](int n) { return static_cast<int>((*random)() % static_cast<uint32_t>(n)); };
  std::string text =
      "fn grow(xs: List[int], k: int) -> List[int] { append(xs, k) }\n"
      "fn pass(xs: List[int]) -> List[int] { grow(xs, 1) + [2] }\n"
      "fn keep(xs: List[int]) -> (List[int], List[int]) { (xs, append(xs, 3)) }\n"
      "fn join(a: List[int], b: List[int]) -> List[int] { if length(a) > 3 { a + b } else { b + a "
      "} }\n"
      "fn main(n: int) -> List[List[int]] {\n  let x0 = [n, 1];\n";
  int count = 1;
  const int lines = 4 + pick(8);
  for (int i = 0; i < lines; ++i) {
    const int a = pick(count), b = pick(count);
    StrAppend(&text, "  let x", count, " = ");
    switch (pick(8)) {
      case 0: StrAppend(&text, "append(x", a, ", ", i, ")"); break;
      case 1: StrAppend(&text, "set(x", a, ", 0, ", i, ")"); break;
      case 2: StrAppend(&text, "x", a, " + x", b); break;
      case 3: StrAppend(&text, "grow(x", a, ", ", i, ")"); break;
      case 4: StrAppend(&text, "pass(x", a, ")"); break;
      case 5: StrAppend(&text, "keep(x", a, ").", pick(2)); break;
      case 6: StrAppend(&text, "join(x", a, ", x", b, ")"); break;
      default:
        StrAppend(&text, "fold([1, 2], x", a, ", |acc, k| append(acc, k + length(x", b, ")))");
    }
    text += ";\n";
    ++count;
  }
  text += "  [x0";
  for (int i = 1; i < count; ++i) {
    if (pick(3) == 0) StrAppend(&text, ", x", i);
  }
  return text + "]\n}\n";
}

TEST(InPlace, RandomProgramsDoTheSameAsWithCopies) {
  std::mt19937 random(11);
  int64_t copied = 0, copied_always = 0;
  for (int round = 0; round < support::Rounds(150); ++round) {
    const std::string text = RandomProgram(&random);
    SCOPED_TRACE(text);
    const Outcome expected = RunMain(text, 7, {.always_copy = true});
    const Outcome got = RunMain(text, 7);
    ASSERT_TRUE(expected.value.starts_with("list[")) << expected.value;
    ASSERT_EQ(got.value, expected.value);
    ASSERT_EQ(RunMain(text, 7, {.always_step = true}).value, expected.value);
    copied += got.copied;
    copied_always += expected.copied;
  }
  EXPECT_LT(copied, copied_always);
}

}  // namespace
}  // namespace tern::driver::in_place_test
