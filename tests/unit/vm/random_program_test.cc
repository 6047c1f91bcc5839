// SPDX-License-Identifier: Apache-2.0
// A23: random programs of every instruction; parse(print(x)) is x, and so is load(save(x)).
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/object/string.h"
#include "core/vm/builder.h"
#include "core/vm/disassembler.h"
#include "core/vm/reader.h"
#include "core/vm/writer.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm {
namespace {

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  ExecutablePtr Make() {
    const int functions = Pick(1, 3);
    for (int f = 0; f < functions; ++f) Function(StrCat(f == 1 ? "odd name " : "f", f));
    return builder_.Finish().value();
  }

 private:
  int Pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  void Function(const std::string& name) {
    arity_ = Pick(1, 3);
    builder_.BeginFunction(name, static_cast<uint32_t>(arity_));
    count_ = Pick(5, 40);
    for (at_ = 0; at_ + 1 < count_; ++at_) Instruction();
    builder_.EmitRet(Register());
    const Status status = builder_.EndFunction();
    EXPECT_TRUE(status.ok()) << status.ToString();
  }

  // Only inputs are read, so that every path is sound whatever jumps there are.
  Operand Register() { return Operand::Register(Pick(0, arity_ - 1)); }

  Operand Value() {
    switch (Pick(0, 7)) {
      case 0: return Operand::Immediate(Pick(-10, 10));
      case 1: return Operand::Immediate(Pick(0, 1) != 0 ? kMaxImmediate : kMinImmediate);
      case 2: return builder_.AddConstant(Any(Pick(0, 100) / 8.0));
      case 3: return builder_.AddConstant(Tensor::Scalar(static_cast<float>(Pick(0, 5))));
      case 4: return builder_.AddConstant(Any(String(StrCat("text ; \"", Pick(0, 5)))));
      default: return Register();
    }
  }

  Operand Operand1(Role role) {
    switch (role) {
      case Role::kWrite: return Operand::Register(arity_ + Pick(0, 9));
      case Role::kRead: return Register();
      case Role::kValue: return Value();
      case Role::kInteger: return Operand::Immediate(Pick(0, 3000));
      case Role::kCount: return Operand::Immediate(Pick(0, 3000));
      case Role::kDType:
        return Operand::Immediate(DTypeToImmediate(Pick(0, 1) != 0 ? kF32 : kBf16));
      case Role::kOffset: return Offset();
      case Role::kString: return builder_.AddConstant(Any(String(StrCat("message ", Pick(0, 9)))));
      case Role::kConstant: return builder_.AddConstant(Any(Pick(0, 9)));
      case Role::kPrimitive:
        return builder_.primitive(StrCat("p", Pick(0, 4), "{axis=", Pick(0, 2), "}"));
      case Role::kCallee: return builder_.primitive(StrCat("q", Pick(0, 4)));
      default: return Operand::Void();
    }
  }

  Operand Offset() {
    int target = at_;
    while (target == at_) target = Pick(0, count_ - 1);
    return Operand::Immediate(target - at_);
  }

  void Instruction() {
    const InstructionInfo* info = nullptr;
    do info = &AllInstructions()[static_cast<size_t>(Pick(0, kInstructionCount - 1))];
    while (Skipped(*info));
    std::vector<Arg> operands;
    for (size_t i = 0; i < info->fixed_count(); ++i)
      operands.push_back(Operand1(info->operands()[i].role));
    if (info->opcode == Opcode::kAllocStorage) operands[2] = Operand::Immediate(64);
    const int list = info->has_list() ? Pick(0, 6) : 0;
    for (int i = 0; i < list; ++i)
      operands.push_back(Operand1(info->operands()[info->operand_count - 1u].role));
    if (info->opcode == Opcode::kInvokePacked) {
      operands[1] = Operand::Immediate(list / 2);
      operands[2] = Operand::Immediate(list - list / 2);
    }
    builder_.Emit(info->opcode, operands);
  }

  // Those that need more than one instruction to be sound are in the sample programs.
  static bool Skipped(const InstructionInfo& info) {
    for (const OperandInfo& operand : info.operands()) {
      if (operand.role == Role::kKill || operand.role == Role::kPhi ||
          operand.role == Role::kFunction)
        return true;
    }
    return info.flow == Flow::kEnd;
  }

  std::mt19937 random_;
  ExecBuilder builder_;
  int arity_ = 0;
  int at_ = 0;
  int count_ = 0;
};

TEST(RandomProgram, A23_TextAndFileAreLossless) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const ExecutablePtr executable = Generator(seed).Make();
    const std::vector<uint8_t> bytes = SaveExecutable(*executable);
    const std::string text = Disassemble(*executable);
    const Result<ExecutablePtr> parsed = Assemble(text, "random.tasm");
    ASSERT_TRUE(parsed.ok()) << text::RenderText(parsed.status()) << text;
    ASSERT_EQ(SaveExecutable(**parsed), bytes) << "seed " << seed << "\n" << text;
    ASSERT_EQ(Disassemble(**parsed), text);
    ASSERT_EQ(SaveExecutable(*ReadExecutable(bytes, nullptr).value()), bytes);
  }
}

}  // namespace
}  // namespace tern::vm
