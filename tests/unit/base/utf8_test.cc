// SPDX-License-Identifier: Apache-2.0
// UTF-8: all code points round-trip; every malformed form is refused.
#include "core/base/utf8.h"

#include <gtest/gtest.h>

namespace tern::utf8_test {
namespace {

TEST(Utf8, EveryCodePointRoundTrips) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(&text, c);
    size_t offset = 0;
    ASSERT_EQ(DecodeUtf8(text, &offset), c);
    ASSERT_EQ(offset, text.size());
  }
}

TEST(Utf8, LengthCountsCodePoints) {
  EXPECT_EQ(Utf8Length("añ你😀"), 4u);
  EXPECT_EQ(Utf8Length(""), 0u);
  EXPECT_TRUE(IsValidUtf8("añ你😀"));
}

TEST(Utf8Bad, MalformedSequences) {
  const std::string_view bad[] = {
      "\x80",              // continuation first
      "\xC0\x80",          // overlong 2
      "\xC1\xBF",          // overlong 2
      "\xE0\x80\x80",      // overlong 3
      "\xF0\x80\x80\x80",  // overlong 4
      "\xED\xA0\x80",      // surrogate
      "\xF4\x90\x80\x80",  // past 10FFFF
      "\xF5\x80\x80\x80",  // impossible lead
      "\xFF",              // impossible byte
      "\xE2\x82",          // cut short
      "\xE2\x28\xA1",      // second byte wrong
      "\xF0\x9F\x98",      // cut short
  };
  for (const std::string_view text : bad) {
    size_t offset = 0;
    EXPECT_EQ(DecodeUtf8(text, &offset), kInvalidCodePoint);
    EXPECT_EQ(offset, 1u);
    const std::string longer = "ok" + std::string(text) + "ok";
    EXPECT_EQ(FindInvalidUtf8(longer), 2u);
  }
}

}  // namespace
}  // namespace tern::utf8_test
