// SPDX-License-Identifier: Apache-2.0
// The two programs that splitting words into characters is about, with and without types.
#include "core/object/strings/unicode_split.h"

#include "core/object/strings/string.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/object/counting.h"

namespace tern::unicode_split_test {
namespace {

using UnicodeSplitTest = CountedTest;

bool SameCharacters(const List<UCS4String>& typed, const Any& untyped) {
  const Sequence& items = *untyped.TryCast<Sequence>();
  bool same = items.size() == typed.size();
  for (size_t i = 0; same && i < typed.size(); ++i)
    same = items[i].TryCast<UCS4String>() == typed[i];
  return same;
}

TEST_F(UnicodeSplitTest, D40TypedAndUntypedGiveEqualLists) {
  const UCS4String word = UCS4String::FromUtf8("añ你😀").value();
  const List<UCS4String> typed = UnicodeSplit(word);
  ASSERT_EQ(typed.size(), 4u);
  EXPECT_EQ(typed[0].ToUtf8().value(), "a");
  EXPECT_EQ(typed[1].ToUtf8().value(), "ñ");
  EXPECT_EQ(typed[2].ToUtf8().value(), "你");
  EXPECT_EQ(typed[3].ToUtf8().value(), "😀");
  const Any untyped = UnicodeSplitAny(Any(word)).value();
  EXPECT_TRUE(SameCharacters(typed, untyped));
  EXPECT_TRUE(SameCharacters(typed, UnicodeSplitAny("añ你😀").value())) << "of UTF-8 as well";
  EXPECT_TRUE(untyped.Is<List<UCS4String>>());
  EXPECT_EQ(UnicodeSplit(UCS4String()).size(), 0u);
  // A list is a sequence too.
  EXPECT_TRUE(SameCharacters(typed, UnicodeSplitAny(typed).value()));
}

// How often split allocates for a word of so many characters.
template <typename Split>
int64_t AllocationsOf(size_t length, Split split) {
  std::u32string text;
  for (size_t i = 0; i < length; ++i) text += static_cast<char32_t>(0x4E00 + i % 20000);
  const UCS4String word{std::u32string_view(text)};
  const Any any(word);
  const int64_t before = AllocationCount();
  split(word, any, length);
  return AllocationCount() - before;
}

TEST_F(UnicodeSplitTest, D40AllocatesNothingPerCharacter) {
  const auto typed = [](const UCS4String& word, const Any&, size_t length) {
    EXPECT_EQ(UnicodeSplit(word).size(), length);
  };
  const auto untyped = [](const UCS4String&, const Any& any, size_t length) {
    EXPECT_EQ(UnicodeSplitAny(any).value().TryCast<Sequence>()->size(), length);
  };
  EXPECT_EQ(AllocationsOf(10, typed), AllocationsOf(100000, typed)) << "the list alone";
  EXPECT_EQ(AllocationsOf(10, untyped), AllocationsOf(100000, untyped));
  EXPECT_LE(AllocationsOf(100000, typed), 4);
  EXPECT_LE(AllocationsOf(100000, untyped), 4);
  if (AllocationsAreCounted()) {
    EXPECT_GT(AllocationsOf(100000, typed), 0) << "the counter counts";
  }
}

TEST_F(UnicodeSplitTest, D40RefusesWhatIsNoSequence) {
  EXPECT_EQ(UnicodeSplitAny(7).status().message(), "expected a sequence (text or list), got int 7");
  EXPECT_EQ(UnicodeSplitAny("a\xff").status().message(),
            "invalid UTF-8: byte 0xff at offset 1 of 2");
  EXPECT_EQ(SequenceItem("añ", 2).status().message(), "index 2 of a string of 2 items");
  EXPECT_EQ(SequenceItem(Any(UCS4String(U'x')), -1).status().message(),
            "index -1 of a ucs4 string of 1 item");
  EXPECT_FALSE(SequenceItem("a\xff", 1).ok());
  EXPECT_EQ(SequenceItem("añ", 1).value().TryCast<UCS4String>()->code_point(0), U'ñ');
}

}  // namespace
}  // namespace tern::unicode_split_test
