// SPDX-License-Identifier: Apache-2.0
// Operands and instructions to words and back; words that are no instruction.
#include "core/vm/encoding.h"

#include <gtest/gtest.h>

#include <string>

namespace tern::vm::encoding_test {
namespace {

std::vector<uint64_t> Encode(Opcode opcode, std::vector<Operand> operands) {
  std::vector<uint64_t> words;
  EncodeInstruction(opcode, operands, &words);
  return words;
}

std::string ErrorOf(std::span<const uint64_t> words) {
  Instruction instruction;
  const char* error = DecodeInstruction(words, &instruction);
  return error == nullptr ? "" : error;
}

// C03: every kind, with the values at the ends of what fits.
TEST(Encoding, C03_OperandsSurvive) {
  const Operand operands[] = {Operand::Void(),
                              Operand::Vm(),
                              Operand::Register(0),
                              Operand::Register(16381),
                              Operand::Register(16382),
                              Operand::Register(kVmRegister - 1),
                              Operand::Immediate(0),
                              Operand::Immediate(-1),
                              Operand::Immediate(8191),
                              Operand::Immediate(8192),
                              Operand::Immediate(-8192),
                              Operand::Immediate(-8193),
                              Operand::Immediate(kMaxImmediate),
                              Operand::Immediate(kMinImmediate),
                              Operand::Constant(0),
                              Operand::Constant(16383),
                              Operand::Constant(16384),
                              Operand::Function(8190),
                              Operand::Function(8191),
                              Operand::Primitive(8190),
                              Operand::Primitive(8191)};
  for (const Operand& operand : operands) {
    EXPECT_EQ(DecodeOperand(EncodeOperand(operand)), operand) << operand.value;
    for (const size_t before : {0u, 2u, 3u, 6u}) {
      std::vector<Operand> all(before, Operand::Register(1));
      all.push_back(operand);
      const std::vector<uint64_t> words = Encode(Opcode::kKill, all);
      Instruction instruction;
      ASSERT_EQ(DecodeInstruction(words, &instruction), nullptr) << operand.value;
      EXPECT_EQ(instruction.operands, all);
    }
  }
}

TEST(Encoding, KindIsInTheTopByte) {
  EXPECT_EQ(EncodeOperand(Operand::Register(5)), 0x0000000000000005u);
  EXPECT_EQ(EncodeOperand(Operand::Immediate(-1)), 0x01ffffffffffffffu);
  EXPECT_EQ(EncodeOperand(Operand::Constant(7)), 0x0200000000000007u);
  EXPECT_EQ(EncodeOperand(Operand::Primitive(1)), 0x0300000000000003u);
}

// C22, B01: sizes.
TEST(Encoding, C22_CommonInstructionsAreOneOrTwoWords) {
  const Operand r = Operand::Register(3);
  EXPECT_EQ(Encode(Opcode::kAdd, {r, r, Operand::Immediate(1)}).size(), 1u);
  EXPECT_EQ(Encode(Opcode::kKill, {r}).size(), 1u);
  EXPECT_EQ(Encode(Opcode::kCall, {r, Operand::Primitive(2), r}).size(), 1u);
  EXPECT_EQ(
      Encode(Opcode::kCall, {r, Operand::Primitive(2), r, r, Operand::Constant(4), r, r}).size(),
      2u);
  EXPECT_EQ(Encode(Opcode::kLoadConsti, {r, Operand::Immediate(1 << 20)}).size(), 2u);
}

TEST(Encoding, LongListsHaveACountWord) {
  for (const size_t count : {254u, 255u, 256u, 1000u}) {
    const std::vector<Operand> operands(count, Operand::Register(static_cast<int64_t>(count)));
    const std::vector<uint64_t> words = Encode(Opcode::kKill, operands);
    Instruction instruction;
    ASSERT_EQ(DecodeInstruction(words, &instruction), nullptr);
    EXPECT_EQ(instruction.operands, operands);
  }
}

TEST(Encoding, DataTypesAreShort) {
  for (const DType dtype : {kF32, kBool, kI64, kBf16, kU4, DType(TERN_DTYPE_FLOAT, 32, 4)}) {
    EXPECT_EQ(DTypeFromImmediate(DTypeToImmediate(dtype)), dtype);
  }
  EXPECT_NE(ShortForm(Operand::Immediate(DTypeToImmediate(kF32))), kLongForm);
  EXPECT_EQ(DTypeFromImmediate(-1), std::nullopt);
  EXPECT_EQ(DTypeFromImmediate(0x7777), std::nullopt);
  EXPECT_EQ(DTypeFromImmediate(int64_t{1} << 40), std::nullopt);
}

TEST(Encoding, BadWordsAreRefused) {
  EXPECT_EQ(ErrorOf({}), "an instruction has no words");
  const uint64_t unknown[] = {0xff00000000000000u};
  EXPECT_EQ(ErrorOf(unknown), "unknown opcode");
  std::vector<uint64_t> words = Encode(Opcode::kRet, {Operand::Register(1)});
  words[0] |= uint64_t{1} << 40;
  EXPECT_EQ(ErrorOf(words), "an unused operand is not zero");
  words = Encode(Opcode::kRet, {Operand::Register(1)});
  words.push_back(0);
  EXPECT_EQ(ErrorOf(words), "words are left over behind its operands");
  words = Encode(Opcode::kRet, {Operand::Register(1 << 20)});
  words[1] = EncodeOperand(Operand::Register(2));
  EXPECT_EQ(ErrorOf(words), "an operand is longer than it need be");
  words[1] = 0x0900000000000000u;
  EXPECT_EQ(ErrorOf(words), "an operand has an unknown kind");
  words.pop_back();
  EXPECT_EQ(ErrorOf(words), "a long operand is missing");
  words = Encode(Opcode::kKill, std::vector<Operand>(9, Operand::Register(1)));
  words.pop_back();
  EXPECT_EQ(ErrorOf(words), "its operands run past its last word");
  words = Encode(Opcode::kKill, std::vector<Operand>(300, Operand::Register(1)));
  words[1] = EncodeOperand(Operand::Immediate(int64_t{1} << 50));
  EXPECT_EQ(ErrorOf(words), "its operand count is malformed");
  words[1] = EncodeOperand(Operand::Immediate(3));
  EXPECT_EQ(ErrorOf(words), "its operand count is malformed");
}

}  // namespace
}  // namespace tern::vm::encoding_test
