// SPDX-License-Identifier: Apache-2.0
// The storage of lists and arrays, and what the two make of it.
#include "core/object/containers/sequence.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core/object/containers/array.h"
#include "core/object/containers/list.h"
#include "core/object/function.h"
#include "core/object/graph/print.h"
#include "core/object/shape.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/object/counting.h"

namespace tern::sequence_test {
namespace {

using SequenceTest = CountedTest;
using SequenceTestBad = CountedTest;

TEST_F(SequenceTest, HoldsAnything) {
  const SequencePtr list = Sequence::Make({1, "two"});
  list->PushBack(Shape::Make({3}));
  list->PushBack((*list)[1]);
  list->PushBack(Any("a text that lies on the heap"));
  EXPECT_EQ(PrintValue(list), R"(list[1, "two", [3], "two", "a text that lies on the heap"])");
  list->Set(0, Any(2.5));
  EXPECT_EQ((*list)[0].TryCast<double>(), 2.5);
  EXPECT_EQ(list->PopBack().TryCast<std::string>(), "a text that lies on the heap");
  EXPECT_EQ(list->At(2)->TryCast<Shape>()->size(), 1u);
  list->Clear();
  EXPECT_EQ(live(), 1);
}

TEST_F(SequenceTestBad, IndexOutside) {
  const SequencePtr list = Sequence::Make({1});
  EXPECT_EQ(list->At(1).status().message(), "index 1 of a list of 1 item");
  EXPECT_EQ(list->At(-1).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(Sequence::Make()->At(0).status().message(), "index 0 of a list of 0 items");
  EXPECT_FALSE(list->At(INT64_MAX).ok());
}

TEST_F(SequenceTest, BorrowedTextIsCopied) {
  const SequencePtr list = Sequence::Make();
  std::string text = "short", longer = "a text that goes away", middle = "ten bytes.";
  for (const std::string* borrowed : {&text, &longer, &middle}) list->PushBack(borrowed->c_str());
  text[0] = longer[0] = middle[0] = 'X';
  EXPECT_EQ(PrintValue(list), R"(list["short", "a text that goes away", "ten bytes."])");
}

TEST_F(SequenceTest, InsertsAndErases) {
  const SequencePtr list = Sequence::Make({0, 1, 2, 3, 4, 5});
  list->Insert(0, Any("first"));
  list->Insert(7, Any("last"));
  list->Insert(3, Any(0.1));
  EXPECT_EQ(list->size(), 9u);
  EXPECT_EQ((*list)[3].TryCast<double>(), 0.1);
  list->Erase(3);
  list->Erase(1, 5);
  EXPECT_EQ(PrintValue(list), R"(list["first", 4, 5, "last"])");
  list->Erase(2, 2);
  EXPECT_EQ(list->size(), 4u);
  list->Erase(0, 4);
  EXPECT_TRUE(list->empty());
}

// A model-based test: the same random writes to a list and to a vector of texts.
TEST_F(SequenceTest, ModelOfRandomWrites) {
  std::mt19937 random(7);
  const auto pick = [&random](size_t count) { return random() % count; };
  const SequencePtr list = Sequence::Make();
  std::vector<std::string> model;
  for (int step = 0; step < 20000; ++step) {
    const std::string text(pick(24), static_cast<char>('a' + step % 26));
    const size_t choice = model.empty() ? 0 : pick(model.size() > 200 ? 12 : 6);
    if (choice == 0 || choice == 3) {
      list->PushText(text);
      model.push_back(text);
    } else if (choice == 1) {
      const size_t at = pick(model.size() + 1);
      list->Insert(at, Any(text));
      model.insert(model.begin() + static_cast<std::ptrdiff_t>(at), text);
    } else if (choice == 2) {
      const size_t at = pick(model.size());
      list->Set(at, Any(text));
      model[at] = text;
    } else if (choice == 4) {
      EXPECT_EQ(list->PopBack().TryCast<std::string>(), model.back());
      model.pop_back();
    } else {
      const size_t first = pick(model.size()), last = first + pick(model.size() - first + 1);
      list->Erase(first, last);
      model.erase(model.begin() + static_cast<std::ptrdiff_t>(first),
                  model.begin() + static_cast<std::ptrdiff_t>(last));
    }
    ASSERT_EQ(list->size(), model.size());
  }
  for (size_t i = 0; i < model.size(); ++i) EXPECT_EQ((*list)[i].TryCast<std::string>(), model[i]);
}

// Memory per element, apart from the room that growth leaves.
double BytesPerElement(const SequencePtr& list) {
  list->ShrinkToFit();
  return static_cast<double>(list->memory_bytes()) / static_cast<double>(list->size());
}

TEST_F(SequenceTest, D25BytesPerElement) {
  constexpr int kCount = 100'000;
  const SequencePtr objects = Sequence::Make(), ints = Sequence::Make(), texts = Sequence::Make(),
                    floats = Sequence::Make();
  const ShapePtr shape = Shape::Make({1});
  for (int i = 0; i < kCount; ++i) {
    objects->PushBack(shape);
    ints->PushBack(i * int64_t{1'000'003});
    texts->PushText("0123456789");
    floats->PushBack(i * 0.1);
  }
  EXPECT_EQ(BytesPerElement(objects), 8);
  EXPECT_EQ(BytesPerElement(ints), 8);
  EXPECT_LE(BytesPerElement(texts), 32.2);
  EXPECT_LE(BytesPerElement(floats), 32.2);
  EXPECT_EQ(live(), 5);  // no object for any text
  RecordProperty("bytes_per_10_character_string", std::to_string(BytesPerElement(texts)));
}

TEST_F(SequenceTest, D25SmallValuesAllocateNothing) {
  const SequencePtr list = Sequence::Make();
  list->Reserve(5000);
  TernAny character = internal::MakeAny(TERN_TYPE_SMALL_UCS4);
  character.small_len = 1;
  const int64_t before = AllocationCount();
  const int64_t objects = live();
  for (int64_t i = 0; i < 1000; ++i) {
    character.v.char32[0] = static_cast<uint32_t>(i + 0x1F300);
    list->PushBack(i - 500);
    list->PushBack(i % 2 == 0);
    list->PushBack(AnyView(character));
    list->PushText(std::string_view("1234567").substr(0, static_cast<size_t>(i % 8)));
    list->PushBack(static_cast<double>(i) / 4);
  }
  int64_t sum = 0;
  for (const AnyView item : *list) sum += item.TryCast<int64_t>().value_or(0);
  EXPECT_EQ(AllocationCount(), before);
  EXPECT_EQ(live(), objects);
  EXPECT_EQ(sum, -500 + 500);
  EXPECT_EQ(list->size(), 5000u);
}

TEST_F(SequenceTest, D26AddressesOfTextInSlotsAreStable) {
  const SequencePtr list = Sequence::Make();
  list->PushText("ten bytes.");
  const char* first = (*list)[0].TryCast<std::string_view>()->data();
  for (int i = 0; i < 1'000'000; ++i) list->PushBack(0.1);
  EXPECT_EQ((*list)[0].TryCast<std::string_view>()->data(), first);
  EXPECT_EQ((*list)[0].TryCast<std::string_view>(), "ten bytes.");
}

TEST_F(SequenceTest, D26SlotsOfDroppedItemsAreReused) {
  const SequencePtr list = Sequence::Make();
  for (int i = 0; i < 1000; ++i) list->PushBack(0.1);
  const size_t bytes = list->memory_bytes();
  for (int round = 0; round < 10; ++round) {
    list->Erase(100, 900);
    for (int i = 0; i < 400; ++i) list->Insert(100, Any(0.3)), list->PushText("ten bytes.");
  }
  EXPECT_EQ(list->memory_bytes(), bytes);
}

TEST_F(SequenceTest, D24OneObjectAsListAndAsArrayWithoutCopy) {
  List<> list = {1, "two", 3.5};
  const Sequence* object = list.object().get();
  Array<> array(list.TakeObject());  // the only holder: no copy
  EXPECT_EQ(array.object().get(), object);
  list = List<>(array.TakeObject());
  EXPECT_EQ(list.object().get(), object);
}

TEST_F(SequenceTest, D24AnArrayOfASharedListIsACopy) {
  List<int64_t> list = {1, 2};
  const Array<int64_t> array(list.object());
  EXPECT_NE(array.object(), list.object());
  list.PushBack(3);
  EXPECT_EQ(array.size(), 2u);
  List<int64_t> thawed(array.object());
  thawed.Set(0, 9);
  EXPECT_EQ(array[0], 1);
}

TEST_F(SequenceTest, D24ListsShareAndArraysCopyOnWrite) {
  List<int64_t> list = {1, 2};
  List<int64_t> same = list;
  same.PushBack(3);
  EXPECT_EQ(list.size(), 3u);

  Array<int64_t> array = {1, 2};
  Array<int64_t> other = array;
  EXPECT_EQ(array.object(), other.object());
  other.PushBack(3);
  EXPECT_EQ(array.size(), 2u);
  EXPECT_EQ(other.size(), 3u);
  const Sequence* object = other.object().get();
  other.Set(0, 5);  // the only holder writes in place
  EXPECT_EQ(other.object().get(), object);
  EXPECT_EQ(array[0], 1);
}

TEST_F(SequenceTest, D28ReadsGiveValuesNotItems) {
  const List<> list = {1};
  const Array<> array = {1};
  static_assert(std::same_as<decltype(list[0]), AnyView>);
  static_assert(std::same_as<decltype(*list.begin()), AnyView>);
  static_assert(std::same_as<decltype(array.At(0)), Result<Any>>);
  static_assert(std::same_as<decltype(List<>().PopBack()), Any>);
  static_assert(std::same_as<decltype((*list.object())[0]), AnyView>);
  static_assert(std::same_as<decltype(List<int64_t>()[0]), int64_t>);
  static_assert(std::same_as<decltype(List<ShapePtr>()[0]), ShapePtr>);
  // A value read stays good when the list ends.
  Any kept;
  {
    const List<> texts = {"ten bytes."};
    kept = Any(texts[0]);
  }
  EXPECT_EQ(kept.TryCast<std::string>(), "ten bytes.");
}

// The first of the examples that the design was made for.
Any SplitAny(const AnyView& word) {
  List ret;
  const std::string_view text = word.TryCast<std::string_view>().value_or("");
  for (const char character : text) {
    Any res{std::string_view(&character, 1)};
    ret.push_back(res);
  }
  return ret;
}

TEST_F(SequenceTest, UntypedListInPlainWords) {
  EXPECT_EQ(PrintValue(SplitAny("abc")), R"(list["a", "b", "c"])");
}

TEST_F(SequenceTest, WorksWithStandardAlgorithms) {
  List<int64_t> squares;
  const std::vector<int64_t> numbers = {1, 2, 3};
  std::transform(numbers.begin(), numbers.end(), std::back_inserter(squares),
                 [](int64_t x) { return x * x; });
  EXPECT_EQ(std::vector<int64_t>(squares.begin(), squares.end()), (std::vector<int64_t>{1, 4, 9}));
}

TEST_F(SequenceTest, CrossesAPackedCallAsListAndAsArray) {
  const auto append =
      Function::FromTyped("append", [](List<int64_t> list, int64_t x) { list.PushBack(x); });
  List<int64_t> list = {1};
  EXPECT_TRUE(append->Invoke({list, 2}).ok());
  EXPECT_EQ(list.size(), 2u);
  const auto grown = Function::FromTyped("grown", [](Array<int64_t> array, int64_t x) {
    array.PushBack(x);
    return array;
  });
  const Array<int64_t> array = {1};
  const Any result = grown->Invoke({array, 2}).value();
  EXPECT_EQ(array.size(), 1u);
  EXPECT_EQ(PrintValue(result), "list[1, 2]");
}

}  // namespace
}  // namespace tern::sequence_test
