// SPDX-License-Identifier: Apache-2.0
// F05, the Protobuf form of executables in memory: nothing is lost on any way, whatever is damaged
// is refused or is another sound program. tests/native/cli_protobuf_test.py compares with protoc.
#include <gtest/gtest.h>

#include "core/base/strings.h"
#include "core/text/diagnostics.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/assembler.h"
#include "native/proto/tree.h"
#include "tests/onnx/mutate.h"
#include "tests/support/rounds.h"
#include "tests/support/vm_file.h"

namespace tern::proto::program_proto_test {
namespace {

std::vector<vm::ExecutablePtr> Samples() {
  std::vector<vm::ExecutablePtr> samples;
  for (const std::string_view text : support::SamplePrograms()) {
    Result<vm::ExecutablePtr> sample = vm::Assemble(text, "sample.tasm");
    EXPECT_TRUE(sample.ok()) << text::RenderText(sample.status());
    if (sample.ok()) samples.push_back(*sample);
  }
  return samples;
}

// The executable that a tree becomes, as a file; empty where it is refused, which must be told.
std::vector<uint8_t> FileOf(const Result<Tree>& tree) {
  const Result<vm::ExecutablePtr> made =
      tree.ok() ? ExecutableOf(*tree) : Result<vm::ExecutablePtr>(tree.status().Clone());
  if (made.ok()) return vm::SaveExecutable(**made);
  EXPECT_FALSE(text::RenderText(made.status()).empty());
  return {};
}

TEST(ProgramProtoTest, NothingIsLost) {
  EXPECT_FALSE(Samples().empty());
  for (const vm::ExecutablePtr& sample : Samples()) {
    const std::vector<uint8_t> file = vm::SaveExecutable(*sample);
    const Tree tree = TreeOf(*sample);
    const std::vector<uint8_t> binary = WriteBinary(tree);
    const std::string text = WriteText(tree);
    const Result<Tree> from_binary = ReadBinary(binary);
    const Result<Tree> from_text = ReadText(text);
    EXPECT_EQ(FileOf(from_binary), file);
    EXPECT_EQ(FileOf(from_text), file);
    ASSERT_TRUE(from_binary.ok() && from_text.ok());
    EXPECT_EQ(WriteText(*from_binary), text);
    EXPECT_EQ(WriteBinary(*from_text), binary);
  }
}

// What is read of damaged bytes is a program like any other: it can be saved and read.
void CheckSound(const std::vector<uint8_t>& file) {
  if (file.empty()) return;
  const Result<vm::ExecutablePtr> again = vm::ReadExecutable(file, nullptr);
  ASSERT_TRUE(again.ok()) << text::RenderText(again.status());
  EXPECT_EQ(vm::SaveExecutable(**again), file);
  EXPECT_EQ(FileOf(ReadBinary(WriteBinary(TreeOf(**again)))), file);
}

TEST(ProgramProtoTest, DamagedBytesAreRefusedOrSound) {
  test::Draws draw(7);
  int refused = 0;
  for (const vm::ExecutablePtr& sample : Samples()) {
    const std::vector<uint8_t> binary = WriteBinary(TreeOf(*sample));
    for (int round = 0; round < support::Rounds(1500); ++round) {
      std::string damaged(AsText(binary));
      for (size_t change = 0; change <= draw(3); ++change)
        damaged[draw(damaged.size())] = test::InterestingByte(draw);
      if (draw(8) == 0) damaged.resize(draw(damaged.size()));
      const std::vector<uint8_t> file = FileOf(ReadBinary(AsBytes(damaged)));
      refused += file.empty();
      CheckSound(file);
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(ProgramProtoTest, DamagedTextIsRefusedOrSound) {
  static constexpr std::string_view kPieces[] = {"{", "}",  "[",     "]",    ":",  "\"",   "-1",
                                                 ",", "\\", "0x1ff", "true", "\n", "name", "dim"};
  test::Draws draw(11);
  for (const vm::ExecutablePtr& sample : Samples()) {
    const std::string text = WriteText(TreeOf(*sample));
    for (int round = 0; round < support::Rounds(300); ++round) {
      std::string damaged = text;
      damaged.replace(draw(damaged.size()), draw(4), kPieces[draw(std::size(kPieces))]);
      CheckSound(FileOf(ReadText(damaged)));
    }
  }
}

void ExpectRefused(std::string_view text, std::string_view expected) {
  const Result<Tree> tree = ReadText(text);
  const Result<vm::ExecutablePtr> made =
      tree.ok() ? ExecutableOf(*tree) : Result<vm::ExecutablePtr>(tree.status().Clone());
  ASSERT_FALSE(made.ok()) << text;
  EXPECT_NE(text::RenderText(made.status()).find(expected), std::string::npos)
      << text << "\n"
      << text::RenderText(made.status());
}

TEST(ProgramProtoTest, EveryMistakeOfATextIsNamed) {
  static constexpr std::string_view kRows[][2] = {
      {"function {\n  nme: \"x\"\n}", "Function at 2:3: there is no field 'nme'"},
      {"function { registers: -1 }", "Function.registers at 1:23: '-1' is no value"},
      {"function { registers: 4294967296 }", "'4294967296' is no value of this field"},
      {"function { name \"x\" }", "expected ':', got"},
      {"function { name: 'x' }", "Function.name at 1:18: expected a text in double quotes"},
      {"function { name: \"\\q\" }", "Function.name at 1:18: an escape that stands for no byte"},
      {"function { name: \"\\777\" }", "an escape that stands for no byte"},
      {"function { name: \"a\" name: \"b\" }",
       "Function.name at 1:22: the field is given a second"},
      {"kernel { name: \"a\\377\" }", "Kernel.name at 1:10: text that is not valid UTF-8"},
      {"function {", "the message lacks its '}'"},
      {"function: 3", "expected '{', got '3'"},
      {"}", "expected the name of a field"},
      {"constant { bool: 2 }", "'2' is no value of this field"},
      {"constant { int: 9223372036854775808 }", "is no value of this field"},
      {"constant { tuple { constant: [1; 2] } }", "expected ',' or ']'"},
      {"constant { }", "Constant at 1:1: expected one value, got 0"},
      {"constant { int: 1 bool: true }", "expected one value, got 2"},
      {"constant { data_type: \"f31\" }", "Constant.data_type at 1:12: unknown dtype 'f31'"},
      {"constant { tensor { data_type: \"f32\" dim: 2 data: \"abc\" } }",
       "Tensor.data at 1:45: a tensor f32[2] takes 8 bytes, got 3"},
      {"constant { tensor { data_type: \"string\" dim: 1099511627776 string: \"a\" } }",
       "Tensor.string at 1:60: a tensor of string[1099511627776] has 1 texts"},
      {"constant { tensor { data_type: \"f32\" string: \"a\" } }", "f32 has no such field"},
      {"constant { tensor { data_type: \"f32\" dim: -1 } }", "Tensor"},
      {"constant { splat { data_type: \"string\" } }", "there is no splat of string"},
      {"constant { splat { data_type: \"f32\" element: \"ab\" } }",
       "Splat.element at 1:37: a tensor f32[] takes 4 bytes, got 2"},
      {"function { name: \"main\" signature: \"(x\" }", "Function.signature at 1:25: signature"},
      {"function { name: \"main\" signature: \"()\" instruction { } }",
       "Instruction.word at 1:41: an instruction has words"},
      {"metadata { key: \"b\" } metadata { key: \"a\" }", "keys are not in order at 'a'"},
  };
  for (const auto& [text, expected] : kRows) ExpectRefused(text, expected);
}

TEST(ProgramProtoTest, ForeignSpellingsAreRead) {
  const Result<Tree> tree = ReadText(
      "# a comment\nconstant < int: -0x10 >; constant: { string: \"a\\x41\" \"\\102\\n\" },\n"
      "constant { tuple { constant: 0 constant: [1] } } constant { float_bits: 017 }");
  ASSERT_TRUE(tree.ok()) << text::RenderText(tree.status());
  const Result<vm::ExecutablePtr> made = ExecutableOf(*tree);
  ASSERT_TRUE(made.ok()) << text::RenderText(made.status());
  const auto constants = (*made)->constants();
  EXPECT_EQ(constants[0].value.TryCast<int64_t>(), -16);
  EXPECT_EQ(constants[1].value.TryCast<std::string_view>(), "aAB\n");
  EXPECT_EQ(constants[2].elements, (std::vector<uint32_t>{0, 1}));
}

}  // namespace
}  // namespace tern::proto::program_proto_test
