// SPDX-License-Identifier: Apache-2.0
// The storage of maps and dicts, and what the two make of it.
#include "core/object/containers/table.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/object/any_pad.h"
#include "core/object/boxed.h"
#include "core/object/containers/map.h"
#include "core/object/containers/sequence.h"
#include "core/object/graph/print.h"
#include "core/object/rfc97/dict.h"
#include "core/object/rfc97/rvalue.h"
#include "core/object/shape.h"
#include "core/object/strings/bytes.h"
#include "core/object/strings/string.h"
#include "core/object/strings/ucs4_string.h"
#include "core/object/tensor.h"
#include "tests/support/allocation_count.h"
#include "tests/support/rounds.h"
#include "tests/unit/object/counting.h"

namespace tern::table_test {
namespace {

using TableTest = CountedTest;
using TableTestBad = CountedTest;

TEST_F(TableTest, PutsFindsReplacesErases) {
  const TablePtr table = Table::Make();
  EXPECT_TRUE(table->Set("one", Any(1)));
  EXPECT_TRUE(table->Set(2, Any("two")));
  EXPECT_FALSE(table->Set("one", Any(1.5)));
  EXPECT_EQ(table->size(), 2u);
  EXPECT_EQ(table->Find("one")->TryCast<double>(), 1.5);
  EXPECT_EQ(table->At(2)->TryCast<std::string>(), "two");
  EXPECT_FALSE(table->Find("two").has_value());
  EXPECT_TRUE(table->Erase("one"));
  EXPECT_FALSE(table->Erase("one"));
  EXPECT_EQ(PrintValue(table), R"(map{2: "two"})");
  table->Clear();
  EXPECT_TRUE(table->empty());
  EXPECT_FALSE(table->Contains(2));
  table->Set(2, Any());
  EXPECT_EQ(table->size(), 1u);
}

TEST_F(TableTestBad, MissingKeysAreNamed) {
  const TablePtr table = Table::Make();
  EXPECT_EQ(table->At("x").status().message(), "no key \"x\" in a map of 0 entries");
  table->Set(1, Any(1));
  EXPECT_EQ(table->At("a rather long key").status().message(),
            "no key \"a rather long key\" in a map of 1 entry");
  EXPECT_EQ(table->At(true).status().code(), StatusCode::kNotFound);
}

TEST_F(TableTest, D17MovedKeysAreLookedAtByFindAndTakenBySet) {
  const TablePtr table = Table::Make();
  const ShapePtr shape = Shape::Make({2, 3});
  const Any keys[] = {Any(shape), Any(Sequence::Make()), Any("a text that lies on the heap"),
                      Any(UCS4String(U"code points")), Any(Bytes::Make("some bytes"))};
  for (const Any& key : keys) {
    Any first = key, second = key;
    EXPECT_FALSE(table->Contains(Moved(&first)));
    EXPECT_FALSE(first.is_none()) << "finding only looks";
    EXPECT_TRUE(table->Set(Moved(&first), Any(1)));
    EXPECT_TRUE(first.is_none()) << "taken, as an item of a list is";
    EXPECT_TRUE(table->Contains(key)) << PrintValue(key);
    EXPECT_TRUE(table->Contains(Moved(&second)));
    EXPECT_FALSE(table->Set(Moved(&second), Any(2))) << "the key was there";
    EXPECT_FALSE(second.is_none()) << "so the caller keeps its own";
  }
  EXPECT_EQ(table->size(), std::size(keys));
  EXPECT_EQ(shape->ref_count(), 3) << "this, keys[0] and the table";
  for (const Any& key : keys) {
    Any moved = key;
    EXPECT_TRUE(table->Erase(Moved(&moved)));
    EXPECT_FALSE(moved.is_none());
  }
}

TEST_F(TableTest, D17MovedKeysStayFoundWhenTheTableGrows) {
  const TablePtr table = Table::Make();
  std::vector<ShapePtr> shapes;
  std::vector<SequencePtr> lists;
  for (int64_t i = 0; i < 100; ++i) {
    shapes.push_back(Shape::Make({i}));
    lists.push_back(Sequence::Make());
    Any shape(shapes.back()), list(lists.back());
    table->Set(Moved(&shape), Any(i));
    table->Set(Moved(&list), Any(-i));
  }
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(table->Find(shapes[i])->TryCast<int64_t>(), static_cast<int64_t>(i));
    EXPECT_EQ(table->Find(lists[i])->TryCast<int64_t>(), -static_cast<int64_t>(i));
  }
}

TEST_F(TableTest, D18PaddedKeysAreTheTextTheyHold) {
  const TablePtr table = Table::Make();
  const AnyPad<1> text(std::string_view("fifteen letters"));
  const AnyPad<3> longer(std::string_view("thirty letters, or about that"));
  const AnyPad<1> points(UCS4String(U"añ你😀"));
  ASSERT_EQ(points.view().type_code(), TERN_TYPE_PADDED);
  for (const AnyView key : {text.view(), longer.view(), points.view()}) {
    EXPECT_TRUE(table->Set(key, Any(1)));
    EXPECT_FALSE(table->Set(key, Any(2)));
    EXPECT_TRUE(table->Contains(key));
    EXPECT_TRUE(table->Contains(Any(key))) << "boxed, it is the same key";
  }
  EXPECT_TRUE(table->Contains("fifteen letters"));
  EXPECT_TRUE(table->Contains(Any(UCS4String(U"añ你😀"))));
  for (const Table::Entry& entry : *table)
    EXPECT_NE(entry.key.type_code(), TERN_TYPE_PADDED) << "the pad may end before the table";
}

TEST_F(TableTest, HandlesBoxesAndLentTensorsAreTheKeysTheyStandFor) {
  const TablePtr table = Table::Make();
  const ShapePtr shape = Shape::Make({4});
  const UCS4String word(U"words of code points");
  const Any text("a text that lies on the heap"), wide(word);
  for (Object* object : {static_cast<Object*>(shape.get()), text.object(), wide.object()}) {
    const AnyView handle(internal::MakePointerAny(TERN_TYPE_OBJECT_HANDLE, object));
    EXPECT_TRUE(table->Set(AnyView(object), Any(1)));
    EXPECT_TRUE(table->Contains(handle));
    EXPECT_FALSE(table->Set(handle, Any(2)));
  }
  const ObjectPtr<BoxInt> box = BoxInt::Make(5);
  TernAny raw = internal::MakeAny(TERN_TYPE_BOX_INT);
  raw.v.object = box->header();
  EXPECT_TRUE(table->Set(AnyView(raw), Any("five")));
  EXPECT_TRUE(table->Contains(5));
  // One code point as an object of its own, as code that works on objects alone makes it.
  const ObjectPtr<Object> one = ToObject(AnyView(UCS4String(U"x")));
  EXPECT_TRUE(table->Set(Any(UCS4String(U"x")), Any(1)));
  EXPECT_TRUE(table->Contains(Any(one)));

  const TensorPtr tensor = Tensor::FromValues<float>({1, 2}, {2}).value();
  const TernDLTensor* lent = *AnyView(tensor).TryCast<const TernDLTensor*>();
  EXPECT_TRUE(table->Set(AnyView(lent), Any("a copy")));
  const Any kept([&] {
    AnyView last;
    for (const Table::Entry& entry : *table) last = entry.key;
    return last;
  }());
  EXPECT_EQ(kept.type_code(), TERN_TYPE_TENSOR);
  EXPECT_EQ(table->Find(kept)->TryCast<std::string>(), "a copy");
}

TEST_F(TableTestBad, AKeyThatWasTakenBeforeIsNone) {
  const TablePtr table = Table::Make();
  Any list(Sequence::Make());
  const AnyView moved = Moved(&list);
  EXPECT_TRUE(table->Set(moved, Any(1)));
  EXPECT_FALSE(table->Contains(moved)) << "none is no key yet";
  EXPECT_TRUE(table->Set(moved, Any(2)));
  EXPECT_EQ(table->Find(nullptr)->TryCast<int64_t>(), 2);
}

TEST_F(TableTest, TextIsOneKeyHoweverItIsHeld) {
  const std::string texts[] = {"", "seven77", "ten bytes.", "a text that lies on the heap"};
  for (const std::string& text : texts) {
    const TablePtr table = Table::Make();
    table->Set(text.c_str(), Any(1));
    EXPECT_FALSE(table->Set(Any(std::string_view(text)), Any(2)));
    EXPECT_FALSE(table->SetText(std::string_view(text), Any(3)));
    EXPECT_FALSE(table->Set(LongString::Make(text), Any(4)));
    EXPECT_EQ(table->size(), 1u);
    EXPECT_EQ(table->Find(String(text))->TryCast<int64_t>(), 4);
    EXPECT_TRUE(table->Erase(text.c_str()));
  }
}

TEST_F(TableTest, KeysOfDifferentKindsDiffer) {
  const TablePtr table = Table::Make();
  TernAny letter = internal::MakeAny(TERN_TYPE_SMALL_UCS4);
  letter.small_len = 1;
  letter.v.char32[0] = '1';
  const AnyView keys[] = {1,         1.0,       true, "1", AnyView(letter), nullptr, kF32,
                          INT64_MAX, INT64_MIN, 0.1,  0.2};
  for (int64_t i = 0; i < 11; ++i) EXPECT_TRUE(table->Set(keys[i], Any(i))) << i;
  for (int64_t i = 0; i < 11; ++i) EXPECT_EQ(table->Find(keys[i])->TryCast<int64_t>(), i);
}

TEST_F(TableTest, FloatsAreKeysByValue) {
  const TablePtr table = Table::Make();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(table->Set(nan, Any(1)));
  EXPECT_FALSE(table->Set(-nan, Any(2)));
  EXPECT_TRUE(table->Set(0.0, Any(3)));
  EXPECT_FALSE(table->Set(-0.0, Any(4)));
  EXPECT_EQ(table->size(), 2u);
}

TEST_F(TableTest, ObjectsAreKeysByIdentityShapesAndTextByContent) {
  const TablePtr table = Table::Make();
  const TablePtr a = Table::Make(), b = Table::Make();
  EXPECT_TRUE(table->Set(a, Any(1)));
  EXPECT_TRUE(table->Set(b, Any(2)));
  EXPECT_FALSE(table->Set(a, Any(3)));
  EXPECT_TRUE(table->Set(Shape::Make({1, 2}), Any(4)));
  EXPECT_FALSE(table->Set(Shape::Make({1, 2}), Any(5)));
  EXPECT_TRUE(table->Set(Shape::Make({1, 3}), Any(6)));
  EXPECT_TRUE(table->Set(Bytes::Make("some text"), Any(7)));
  EXPECT_FALSE(table->Set(Bytes::Make("some text"), Any(8)));
  EXPECT_TRUE(table->Set("some text", Any(9)));  // text is not bytes
  const UCS4String wide = *String("añ你😀!").ToUCS4(), narrow = *String("añ").ToUCS4();
  EXPECT_TRUE(table->Set(Any(wide), Any(10)));
  EXPECT_FALSE(table->Set(Any(wide), Any(11)));
  EXPECT_TRUE(table->Set(Any(narrow), Any(12)));
  EXPECT_EQ(table->size(), 8u);
}

TEST_F(TableTest, IteratesInOrderOfInsertion) {
  const TablePtr table = Table::Make();
  for (int64_t i = 0; i < 100; ++i) table->Set(i * 7919 % 101, Any(i));
  for (int64_t i = 0; i < 100; i += 3) table->Erase(i * 7919 % 101);
  table->Set(3 * 7919 % 101, Any(-1));  // erased and put anew: last
  std::vector<int64_t> values;
  for (const auto& [key, value] : *table) values.push_back(*value.TryCast<int64_t>());
  std::vector<int64_t> expected;
  for (int64_t i = 0; i < 100; ++i) {
    if (i % 3 != 0) expected.push_back(i);
  }
  expected.push_back(-1);
  EXPECT_EQ(values, expected);
}

TEST_F(TableTest, HolesAreClosedUp) {
  const TablePtr table = Table::Make();
  for (int64_t i = 0; i < 100'000; ++i) {  // a queue of 10
    table->Set(i, Any(i));
    if (i >= 10) {
      EXPECT_TRUE(table->Erase(i - 10));
    }
  }
  EXPECT_EQ(table->size(), 10u);
  EXPECT_LT(table->memory_bytes(), 4096u);
  EXPECT_EQ((*table->begin()).key.TryCast<int64_t>(), 99'990);
}

// A model-based test: the same random writes to a table and to a std::map.
TEST_F(TableTest, ModelOfRandomWrites) {
  std::mt19937 random(11);
  const TablePtr table = Table::Make();
  std::map<std::string, int64_t> model;
  for (int64_t step = 0; step < support::Rounds(100'000); ++step) {
    const std::string key = std::string(random() % 20, 'k') + std::to_string(random() % 50);
    if (random() % 3 != 0) {
      EXPECT_EQ(table->SetText(std::string_view(key), Any(step)), !model.contains(key));
      model[key] = step;
    } else {
      EXPECT_EQ(table->Erase(Any(key)), model.erase(key) == 1);
    }
  }
  ASSERT_EQ(table->size(), model.size());
  for (const auto& [key, value] : model)
    EXPECT_EQ(table->FindText(std::string_view(key))->TryCast<int64_t>(), value);
  size_t walked = 0;
  for (const auto& [key, value] : *table) {
    EXPECT_EQ(model.at(*key.TryCast<std::string>()), value.TryCast<int64_t>());
    ++walked;
  }
  EXPECT_EQ(walked, model.size());
}

TEST_F(TableTestBad, HostileKeysDoNotCollide) {
  // Keys that differ in few or high bits only, as one would send to a table with a simple hash.
  for (const int shift : {0, 8, 16, 24, 32, 40}) {
    const TablePtr table = Table::Make();
    for (int64_t i = 0; i < 20'000; ++i) table->Set(i << shift, Any());
    EXPECT_LE(table->LongestProbe(), table->MostProbes()) << shift;
    EXPECT_EQ(table->size(), 20'000u);
  }
  const TablePtr table = Table::Make();
  std::string key(64, 'a');
  for (int i = 0; i < 20'000; ++i) {
    for (size_t bit = 0; bit < 15; ++bit) key[bit * 4] = (i >> bit & 1) != 0 ? 'b' : 'a';
    table->SetText(std::string_view(key), Any(i));
  }
  EXPECT_EQ(table->size(), 20'000u);
  EXPECT_LE(table->LongestProbe(), table->MostProbes());
}

TEST_F(TableTest, ManyKeysNeedNoNewSeed) {
  const TablePtr table = Table::Make();
  for (int64_t i = 0; i < 780'000; ++i) table->Set(i, Any());
  EXPECT_EQ(table->reseeds(), 0u);
  EXPECT_LE(table->LongestProbe(), table->MostProbes());
}

TEST_F(TableTest, SmallEntriesAllocateNothing) {
  const TablePtr table = Table::Make();
  table->Reserve(1000);
  const int64_t before = AllocationCount(), objects = live();
  char key[] = "key0000";
  for (int i = 0; i < 1000; ++i) {
    key[4] = static_cast<char>('0' + i / 100);
    key[5] = static_cast<char>('0' + i / 10 % 10);
    key[6] = static_cast<char>('0' + i % 10);
    table->SetText(std::string_view(key), Any(i));
  }
  EXPECT_EQ(table->Find("key0999")->TryCast<int64_t>(), 999);
  EXPECT_EQ(AllocationCount(), before);
  EXPECT_EQ(live(), objects);
}

TEST_F(TableTest, D24MapsCopyOnWriteAndDictsShare) {
  Map<String, int64_t> map = {{"a", 1}};
  Map<String, int64_t> other = map;
  EXPECT_EQ(map.object(), other.object());
  other.Set("b", 2);
  EXPECT_FALSE(other.Erase("none"));
  EXPECT_EQ(map.size(), 1u);
  EXPECT_EQ(other.size(), 2u);
  const Table* object = other.object().get();
  other.Set("c", 3);
  EXPECT_EQ(other.object().get(), object);

  Dict<String, int64_t> dict = {{"a", 1}};
  Dict<String, int64_t> same = dict;
  same.Set("b", 2);
  EXPECT_EQ(dict.size(), 2u);
  const Map<String, int64_t> snapshot(dict.object());  // shared: a copy
  dict.Set("c", 3);
  EXPECT_EQ(snapshot.size(), 2u);
  const Table* taken = other.object().get();
  const Dict<String, int64_t> thawed(other.TakeObject());  // the only holder: none
  EXPECT_EQ(thawed.object().get(), taken);
}

TEST_F(TableTest, D28EntriesAreValuesNotItems) {
  Map<> map;
  static_assert(std::same_as<decltype(*map.Find(1)), AnyView&&> ||
                std::same_as<decltype(map.Find(1)), std::optional<AnyView>>);
  static_assert(std::same_as<decltype((*map.begin()).key), AnyView>);
  static_assert(std::same_as<decltype(map.At(1)), Result<Any>>);
  static_assert(std::same_as<decltype(Map<String, double>()["x"]), double>);
  map.Set("k", "v");
  Any kept(map["k"]);
  map.Clear();
  EXPECT_EQ(kept.TryCast<std::string>(), "v");
}

TEST_F(TableTest, CopiesKeepOrderAndShareObjects) {
  const ShapePtr shape = Shape::Make({1});
  const TablePtr table = Table::Make();
  for (int i = 0; i < 20; ++i) table->Set(i * 0.1, Any(shape));
  for (int i = 0; i < 20; i += 2) table->Erase(i * 0.1);
  const TablePtr copy = table->Copy();
  EXPECT_EQ(PrintValue(copy, {.max_elements = 100}), PrintValue(table, {.max_elements = 100}));
  EXPECT_EQ(shape->ref_count(), 21);
  table->Clear();
  EXPECT_EQ(copy->Find(1 * 0.1)->TryCast<Shape>(), shape.get());
}

TEST_F(TableTest, ATableMayHoldItself) {
  const TablePtr table = Table::Make();
  table->Set("self", Any(table));
  table->Set(table, Any("value of itself"));
  EXPECT_EQ(table->Find("self")->TryCast<Table>(), table.get());
  table->Clear();
}

}  // namespace
}  // namespace tern::table_test
