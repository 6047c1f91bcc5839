// SPDX-License-Identifier: Apache-2.0
// AnyPad: longer text without a heap object, as a value, as an argument and as the result of a
// call.
#include "core/object/any_pad.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "core/object/function.h"
#include "core/object/shape.h"
#include "core/object/strings/string.h"
#include "core/object/strings/ucs4_string.h"
#include "tests/unit/object/counting.h"

namespace tern::any_pad_test {
namespace {

using AnyPadTest = CountedTest;
using AnyPadTestBad = CountedTest;

constexpr std::string_view kFifteen = "fifteen letters";
static_assert(kFifteen.size() == 15);

TEST_F(AnyPadTest, D06AnAnyHasSixteenBytesAndPadsAddToThem) {
  static_assert(sizeof(Any) == 16 && sizeof(AnyView) == 16);
  static_assert(sizeof(AnyPad<1>) == 24 && sizeof(AnyPad<2>) == 32 && sizeof(AnyPad<4>) == 48);
  const AnyPad<2> pad;
  EXPECT_EQ(static_cast<const void*>(&pad.c_any()), &pad);
}

TEST_F(AnyPadTest, D05HoldsFifteenBytes) {
  for (size_t length = 0; length <= 20; ++length) {
    const std::string text(length, 'q');
    const AnyPad<1> pad{std::string_view(text)};
    EXPECT_EQ(*pad.TryCast<std::string_view>(), text);
    EXPECT_EQ(live(), length <= 15 ? 0 : 1) << length;
    EXPECT_EQ(pad.TryCast<const char*>().value()[length], '\0');
    EXPECT_EQ(pad.is_object(), length > 15);
  }
  const std::string_view with_zero("a\0b and some more", 15);
  EXPECT_EQ(*AnyPad<1>(with_zero).TryCast<std::string_view>(), with_zero);
}

TEST_F(AnyPadTest, D11CodePointsLieInPads) {
  const std::u32string_view four = U"añ你😀";
  const AnyPad<1> pad{UCS4String(four)};
  EXPECT_EQ(live(), 0);
  EXPECT_EQ(pad.view().type_code(), TERN_TYPE_PADDED);
  EXPECT_EQ(pad.TryCast<UCS4String>()->view(), four);
  EXPECT_EQ(AnyPad<1>(UCS4String(U"ab")).view().type_code(), TERN_TYPE_SMALL_UCS4);
  EXPECT_EQ(AnyPad<2>(pad).TryCast<UCS4String>()->view(), four);
  EXPECT_EQ(live(), 0);
  EXPECT_EQ(pad.Narrow().type_code(), TERN_TYPE_UCS4_STRING);
  UCS4String five(U"añ你😀!");
  const char32_t* data = five.data();
  const AnyPad<1> moved{std::move(five)};
  EXPECT_EQ(moved.TryCast<UCS4String>()->data(), data) << "longer text hands its buffer over";
}

TEST_F(AnyPadTest, D11ACalleeWritesCodePointsIntoTheResult) {
  const auto take = Function::FromTyped("take", [](const UCS4String& text, int64_t n) {
    return UCS4String(text.view().substr(0, static_cast<size_t>(n)));
  });
  const Any text(UCS4String(U"añ你😀!"));
  AnyPad<1> pad;
  const int64_t before = live();
  ASSERT_TRUE(take->InvokeInto(&pad, {text, 4}).ok());
  EXPECT_EQ(live(), before);
  EXPECT_EQ(pad.TryCast<UCS4String>()->view(), U"añ你😀");
  EXPECT_EQ(take->Invoke({text, 2})->type_code(), TERN_TYPE_SMALL_UCS4);
  EXPECT_EQ(take->Invoke({text, 3})->type_code(), TERN_TYPE_UCS4_STRING);
  EXPECT_EQ(*take->CallAs<UCS4String>(text, 5), *text.TryCast<UCS4String>());
}

TEST_F(AnyPadTest, D05EveryOtherKindOfValueToo) {
  EXPECT_EQ(*AnyPad<1>(7).TryCast<int64_t>(), 7);
  EXPECT_EQ(*AnyPad<3>(2.5).TryCast<double>(), 2.5);
  EXPECT_TRUE(AnyPad<1>().is_none());
  EXPECT_TRUE(AnyPad<1>().view().is_none());
  const ShapePtr shape = Shape::Make({1, 2});
  {
    AnyPad<1> pad(shape);
    EXPECT_EQ(shape->ref_count(), 2);
    const AnyPad<1> copy = pad;
    EXPECT_EQ(shape->ref_count(), 3);
    const AnyPad<2> wider = copy;
    EXPECT_EQ(wider.TryCast<Shape>(), shape.get());
    const AnyPad<1> moved = std::move(pad);
    EXPECT_EQ(shape->ref_count(), 4);
    pad = moved;
    pad = AnyPad<1>(kFifteen);
    EXPECT_EQ(*pad.TryCast<std::string_view>(), kFifteen);
  }
  EXPECT_EQ(shape->ref_count(), 1);
}

TEST_F(AnyPadTest, D07AnEmptyValueTellsItsCapacity) {
  EXPECT_EQ(AnyPad<1>().c_any().small_len, 16);
  EXPECT_EQ(AnyPad<3>().c_any().small_len, 32);
  EXPECT_EQ(internal::CapacityOf(AnyPad<3>().c_any()), 32u);
  EXPECT_EQ(internal::CapacityOf(Any().c_any()), 8u);
  AnyPad<1> pad(kFifteen);
  pad.Reset();
  EXPECT_EQ(pad.c_any().small_len, 16);
  EXPECT_EQ(Any(pad.view()).c_any().small_len, 0) << "a plain none is all zero";
  EXPECT_EQ(pad.Narrow().c_any().small_len, 0);
}

TEST_F(AnyPadTest, D07ACalleeWritesTextIntoTheResult) {
  const auto repeat = Function::FromTyped("repeat", [](std::string_view c, int64_t n) {
    return std::string(static_cast<size_t>(n), c[0]);
  });
  AnyPad<1> pad;
  ASSERT_TRUE(repeat->InvokeInto(&pad, {"x", 15}).ok());
  EXPECT_EQ(*pad.TryCast<std::string_view>(), std::string(15, 'x'));
  EXPECT_EQ(live(), 1) << "the function alone";
  ASSERT_TRUE(repeat->InvokeInto(&pad, {"x", 16}).ok());
  EXPECT_EQ(live(), 2) << "16 bytes and their zero do not fit";
  // A result of 16 bytes takes 7.
  const Any seven = *repeat->Invoke({"y", 7}), eight = *repeat->Invoke({"y", 8});
  EXPECT_FALSE(seven.is_object());
  EXPECT_TRUE(eight.is_object());
  // Functions that return nothing, or something else, do not mind the capacity.
  const auto nothing = Function::FromTyped("nothing", [] {});
  ASSERT_TRUE(nothing->InvokeInto(&pad, {}).ok());
  EXPECT_TRUE(pad.is_none());
  const auto number = Function::FromTyped("number", [] { return 5; });
  ASSERT_TRUE(number->InvokeInto(&pad, {}).ok());
  EXPECT_EQ(*pad.TryCast<int64_t>(), 5);
  EXPECT_EQ(pad.c_any().small_len, 0);
}

TEST_F(AnyPadTest, D18ViewsOfLongTextGoByAddress) {
  const AnyPad<1> small("seven77");
  EXPECT_EQ(small.view().type_code(), TERN_TYPE_SMALL_STRING);
  const AnyPad<1> pad(kFifteen);
  const AnyView view = pad;
  EXPECT_EQ(view.type_code(), TERN_TYPE_PADDED);
  EXPECT_EQ(view.c_any().v.p, &pad);
  EXPECT_EQ(*view.TryCast<std::string_view>(), kFifteen);
  EXPECT_EQ(view.TryCast<std::string_view>()->data(), pad.c_any().v.bytes);
  EXPECT_EQ(view.TryCast<String>()->view(), kFifteen);
  EXPECT_FALSE(view.Is<int64_t>());
  // As an argument.
  const auto size = Function::FromTyped("size", [](std::string_view text) { return text.size(); });
  EXPECT_EQ(*size->Invoke({pad})->As<int64_t>(), 15);
  const AnyPad<1> padded = view;
  EXPECT_EQ(*padded.TryCast<std::string_view>(), kFifteen);
  EXPECT_FALSE(padded.is_object());
}

TEST_F(AnyPadTest, D20NarrowingBoxesWhatDoesNotFit) {
  Any kept;
  {
    const AnyPad<1> pad(kFifteen);
    EXPECT_EQ(live(), 0);
    kept = pad.Narrow();
    EXPECT_EQ(live(), 1);
    EXPECT_EQ(kept.type_code(), TERN_TYPE_STRING);
    EXPECT_EQ(Any(AnyView(pad)).type_code(), TERN_TYPE_STRING);
    EXPECT_FALSE(AnyPad<1>("seven77").Narrow().is_object());
  }
  EXPECT_EQ(*kept.TryCast<std::string_view>(), kFifteen);
}

TEST_F(AnyPadTest, D03PaddingStaysZero) {
  const auto same = [](const AnyPad<1>& a, const AnyPad<1>& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
  };
  AnyPad<1> used(kFifteen);
  used = AnyPad<1>("abc");
  EXPECT_TRUE(same(used, AnyPad<1>("abc")));
  used.Set(AnyView(5));
  EXPECT_TRUE(same(used, AnyPad<1>(5)));
  used.Set(AnyView("twelve bytes"));
  EXPECT_TRUE(same(used, AnyPad<1>("twelve bytes")));
  used.Reset();
  EXPECT_TRUE(same(used, AnyPad<1>()));
}

TEST_F(AnyPadTest, SettingAViewOfItselfIsHarmless) {
  AnyPad<1> pad(kFifteen);
  pad.Set(pad.view());
  EXPECT_EQ(*pad.TryCast<std::string_view>(), kFifteen);
  AnyPad<1>& same = pad;
  pad = same;
  pad = std::move(same);
  EXPECT_EQ(*pad.TryCast<std::string_view>(), kFifteen);
}

TEST_F(AnyPadTest, PadsAreParametersAndResults) {
  const auto echo = Function::FromTyped("echo", [](AnyPad<2> value) { return value; });
  EXPECT_EQ(echo->signature(), "(anything) -> anything");
  AnyPad<2> result;
  const AnyPad<2> text(std::string_view("twenty-three characters"));
  ASSERT_TRUE(echo->InvokeInto(&result, {text}).ok());
  EXPECT_EQ(*result.TryCast<std::string_view>(), "twenty-three characters");
  EXPECT_EQ(live(), 1) << "the function alone";
  EXPECT_TRUE(echo->Invoke({text})->is_object()) << "boxed where there is no room";
}

TEST_F(AnyPadTestBad, WrongKindsAndFailedCalls) {
  const AnyPad<1> pad(kFifteen);
  EXPECT_EQ(pad.As<int64_t>().status().message(), "expected int, got string \"fifteen letters\"");
  EXPECT_EQ(AnyPad<1>(3).As<std::string_view>().status().message(), "expected string, got int 3");
  const auto add = Function::FromTyped("add", [](int64_t a, int64_t b) { return a + b; });
  AnyPad<1> result;
  EXPECT_EQ(add->InvokeInto(&result, {1, pad}).message(),
            "add: argument 1: expected int, got string \"fifteen letters\"");
  EXPECT_TRUE(result.is_none());
}

}  // namespace
}  // namespace tern::any_pad_test
