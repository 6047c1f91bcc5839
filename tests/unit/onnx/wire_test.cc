// SPDX-License-Identifier: Apache-2.0
// WireReader on hand-made bytes: every wire type, packed and unpacked lists, and what it must
// refuse.
#include "core/onnx/wire.h"

#include <gtest/gtest.h>

#include "tests/support/onnx_writer.h"

namespace tern::onnx::wire_test {
namespace {

using test::ProtoWriter;

struct Outcome {
  int fields = 0;
  const char* message = nullptr;
  size_t offset = 0;
};

// Walks all fields and, as deep as they nest, those of field 1.
int Walk(WireReader reader) {
  int fields = 0;
  while (reader.Next()) {
    ++fields;
    if (reader.field() == 1 && reader.is_message()) fields += Walk(reader.Message());
  }
  return fields;
}

Outcome WalkBytes(std::string_view bytes) {
  WireError error;
  const int fields = Walk(WireReader(AsBytes(bytes), &error));
  return {fields, error.message, error.offset};
}

TEST(WireTest, ReadsScalarsOfEveryWireType) {
  const std::string bytes =
      ProtoWriter().Int(1, -5).Float(2, 1.5f).Text(3, "text").Int(4, int64_t{1} << 40).bytes();
  WireError error;
  WireReader reader(AsBytes(bytes), &error);
  int32_t narrow = 0;
  float number = 0;
  std::string_view text;
  int64_t wide = 0;
  ASSERT_TRUE(reader.Next());
  reader.Get(&narrow);
  ASSERT_TRUE(reader.Next());
  reader.Get(&number);
  ASSERT_TRUE(reader.Next());
  reader.Get(&text);
  ASSERT_TRUE(reader.Next());
  reader.Get(&wide);
  EXPECT_FALSE(reader.Next());
  EXPECT_EQ(error.message, nullptr);
  EXPECT_EQ(narrow, -5);
  EXPECT_EQ(number, 1.5f);
  EXPECT_EQ(text, "text");
  EXPECT_EQ(wide, int64_t{1} << 40);
}

TEST(WireTest, TextPointsIntoTheInput) {
  const std::string bytes = ProtoWriter().Text(1, "here").bytes();
  WireError error;
  WireReader reader(AsBytes(bytes), &error);
  std::string_view text;
  ASSERT_TRUE(reader.Next());
  reader.Get(&text);
  EXPECT_EQ(text.data(), bytes.data() + 2);
}

TEST(WireTest, AppendsPackedAndUnpackedAlike) {
  const ProtoWriter packed = ProtoWriter().Raw(1).Raw(300).Raw(static_cast<uint64_t>(-1));
  const std::string bytes = ProtoWriter().Int(1, 7).Message(1, packed).Int(1, 8).bytes();
  WireError error;
  WireReader reader(AsBytes(bytes), &error);
  std::vector<int64_t> values;
  while (reader.Next()) reader.Append(&values);
  EXPECT_EQ(error.message, nullptr);
  EXPECT_EQ(values, (std::vector<int64_t>{7, 1, 300, -1, 8}));
}

TEST(WireTest, AppendsPackedFloatsAndDoubles) {
  const std::string floats = test::RawBytes(std::vector<float>{1, -2});
  const std::string doubles = test::RawBytes(std::vector<double>{0.5});
  const std::string bytes = ProtoWriter()
                                .Text(1, floats)
                                .Float(1, 3)
                                .Text(2, doubles)
                                .Text(3, "")
                                .Float(3, 4)
                                .Text(3, floats)
                                .bytes();
  WireError error;
  WireReader reader(AsBytes(bytes), &error);
  std::vector<float> mixed;
  WordList<double> block;
  WordList<float> pieces;
  while (reader.Next()) {
    if (reader.field() == 1) reader.Append(&mixed);
    if (reader.field() == 2) reader.Append(&block);
    if (reader.field() == 3) reader.Append(&pieces);
  }
  EXPECT_EQ(mixed, (std::vector<float>{1, -2, 3}));
  ASSERT_EQ(block.size(), 1u);
  double number = 0;
  block.CopyTo(&number);
  EXPECT_EQ(number, 0.5);
  // One block is not copied, several pieces are.
  EXPECT_TRUE(block.is_in_file());
  EXPECT_FALSE(pieces.is_in_file());
  std::vector<float> collected(pieces.size());
  pieces.CopyTo(collected.data());
  EXPECT_EQ(collected, (std::vector<float>{4, 1, -2}));
}

TEST(WireTest, LeavesFieldsOfAnotherWireTypeAlone) {
  const std::string bytes = ProtoWriter().Text(1, "no number").bytes();
  WireError error;
  WireReader reader(AsBytes(bytes), &error);
  ASSERT_TRUE(reader.Next());
  int64_t value = 42;
  float number = 42;
  reader.Get(&value);
  reader.Get(&number);
  EXPECT_EQ(value, 42);
  EXPECT_EQ(number, 42);
  EXPECT_EQ(error.message, nullptr);
}

TEST(WireTest, SkipsGroups) {
  ProtoWriter group;
  group.Tag(9, 3).Int(1, 5).Tag(2, 3).Text(3, "x").Tag(2, 4).Tag(9, 4).Int(4, 1);
  const Outcome outcome = WalkBytes(group.bytes());
  EXPECT_EQ(outcome.message, nullptr);
  EXPECT_EQ(outcome.fields, 1);
}

TEST(WireTest, RefusesEveryTruncation) {
  const ProtoWriter inner = ProtoWriter().Float(2, 2).Int(3, 1 << 20).Text(4, "abc");
  const std::string bytes = ProtoWriter().Message(1, inner).bytes();
  ASSERT_EQ(WalkBytes(bytes).message, nullptr);
  for (size_t length = 1; length < bytes.size(); ++length) {
    EXPECT_NE(WalkBytes(std::string_view(bytes).substr(0, length)).message, nullptr) << length;
  }
}

TEST(WireTest, RefusesHugeLengthsWithoutOverflow) {
  const uint64_t lengths[] = {1,          0x7FFFFFFF,     0xFFFFFFFF, uint64_t{1} << 63,
                              UINT64_MAX, UINT64_MAX - 10};
  for (const uint64_t length : lengths) {
    const Outcome outcome = WalkBytes(ProtoWriter().Tag(1, 2).Raw(length).bytes());
    ASSERT_NE(outcome.message, nullptr) << length;
    EXPECT_STREQ(outcome.message, "a field is longer than the message that holds it");
  }
}

TEST(WireTest, RefusesBadTags) {
  EXPECT_STREQ(WalkBytes(ProtoWriter().Raw(0).bytes()).message, "a field has the number 0");
  EXPECT_STREQ(WalkBytes(ProtoWriter().Tag(1, 6).bytes()).message,
               "a field has an unknown wire type");
  EXPECT_STREQ(WalkBytes(ProtoWriter().Tag(1, 4).bytes()).message,
               "a group ends that was not begun");
  EXPECT_STREQ(WalkBytes(ProtoWriter().Raw(uint64_t{1} << 33 | 8).bytes()).message,
               "a field number is too large");
}

TEST(WireTest, RefusesElevenByteNumbers) {
  const std::string bytes = "\x08" + std::string(10, '\xFF') + '\x01';
  EXPECT_STREQ(WalkBytes(bytes).message, "a number is longer than ten bytes");
}

TEST(WireTest, RefusesPackedListsThatEndInsideANumber) {
  const std::string bytes = ProtoWriter().Text(1, "12345").bytes();
  WireError error;
  WireReader reader(AsBytes(bytes), &error);
  std::vector<float> values;
  while (reader.Next()) reader.Append(&values);
  EXPECT_STREQ(error.message, "a packed list ends inside a number");
  EXPECT_TRUE(values.empty());
}

TEST(WireTest, LimitsNestingOfMessagesAndGroups) {
  ProtoWriter nested;
  for (int i = 0; i < WireReader::kMaxDepth; ++i) nested = ProtoWriter().Message(1, nested);
  EXPECT_EQ(WalkBytes(nested.bytes()).message, nullptr);
  nested = ProtoWriter().Message(1, nested);
  EXPECT_STREQ(WalkBytes(nested.bytes()).message, "messages are nested too deeply");
  const std::string groups(100000, '\x0B');
  EXPECT_STREQ(WalkBytes(groups).message, "messages are nested too deeply");
}

TEST(WireTest, AnErrorInsideEndsTheReadingOutsideAndKeepsItsOffset) {
  const ProtoWriter bad = ProtoWriter().Tag(2, 6);
  const std::string bytes = ProtoWriter().Int(5, 1).Message(1, bad).Int(5, 2).bytes();
  const Outcome outcome = WalkBytes(bytes);
  EXPECT_EQ(outcome.fields, 2);
  EXPECT_EQ(outcome.offset, 5u);
}

}  // namespace
}  // namespace tern::onnx::wire_test
