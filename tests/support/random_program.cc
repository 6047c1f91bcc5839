// SPDX-License-Identifier: Apache-2.0
// Functions are lists of statements, which jumps may reach in any order: most are one instruction
// that reads inputs only; those with kill and phi are a few instructions that no jump enters.
#include "tests/support/random_program.h"

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/object/strings/string.h"
#include "core/vm/builder.h"
#include "core/vm/verify_types.h"

namespace tern::support {
namespace {

using vm::ExecBuilder;
using vm::InstructionInfo;
using vm::Opcode;
using vm::Operand;
using vm::Role;

constexpr int kScratch = 10;  // registers that statements write to, behind the inputs

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  vm::ExecutablePtr Make() {
    builder_.set_keep_dense_registers(Pick(0, 1) != 0);
    // Parameters are declared as tensors and get anything, so that nobody may look.
    builder_.SetMetadata(vm::kTypesProved.first, vm::kTypesProved.second);
    if (Pick(0, 2) == 0) builder_.SetMetadata("producer", "tests \"quoted\"\n");
    if (Pick(0, 3) == 0) builder_.AddKernel({"k", "loop", std::string("\0\x80\xff", 3)});
    if (Pick(0, 3) == 0) builder_.DeclarePrimitive("declared{mode=\"never used\"}");
    const int functions = Pick(1, 3);
    for (int f = 0; f < functions; ++f) arities_.push_back(Pick(1, 3));
    for (int f = 0; f < functions; ++f) Function(f);
    Result<vm::ExecutablePtr> executable = builder_.Finish();
    if (!executable.ok()) std::fputs(text::RenderText(executable.status()).c_str(), stderr);
    return std::move(executable).value();
  }

 private:
  // std::uniform_int_distribution differs between libraries.
  int Pick(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<uint32_t>(high - low + 1));
  }

  static std::string NameOf(int function) {
    return StrCat(function == 1 ? "odd name " : "f", function);
  }

  void Function(int index) {
    arity_ = arities_[static_cast<size_t>(index)];
    phi_ = arity_ + kScratch;
    if (Pick(0, 1) != 0) {
      builder_.BeginFunction(NameOf(index), static_cast<uint32_t>(arity_));
    } else {
      constexpr std::string_view kParameters[] = {"x: f32[n, ?]", "\"odd one\"", "%2"};
      const std::span<const std::string_view> parameters(kParameters, static_cast<size_t>(arity_));
      builder_.BeginFunction(NameOf(index), StrCat("(", StrJoin(parameters, ", "), ") -> any"));
    }
    if (Pick(0, 2) == 0) builder_.NameRegister(Operand::Register(arity_ + 1), "named");
    count_ = Pick(5, 30);
    for (int i = 0; i < count_; ++i) {
      at_ = i;
      builder_.Bind(Statement(i));
      if (Pick(0, 3) == 0) builder_.SetSource(StrCat("node ", Pick(0, 5)), 0, 0);
      if (Pick(0, 5) == 0) builder_.SetSource("there", 3, static_cast<uint32_t>(i));
      if (Pick(0, 3) == 0) builder_.SetSource("");
      Emit();
    }
    builder_.Bind(Statement(count_));
    builder_.EmitRet(Input());
    builder_.EndFunction().IgnoreError();  // Finish tells
  }

  vm::CodeLabel Statement(int index) { return builder_.NamedLabel(StrCat("s", index)); }
  // Never to itself, which would not end.
  Operand Offset() {
    const int target = Pick(0, count_ - 1);
    return builder_.Jump(Statement(target < at_ ? target : target + 1));
  }

  // Only inputs are read, so that every path is sound whatever jumps there are.
  Operand Input() { return Operand::Register(Pick(0, arity_ - 1)); }
  Operand Scratch() { return Operand::Register(arity_ + Pick(0, kScratch - 1)); }

  Operand Value() {
    if (Pick(0, 2) != 0) return Input();
    switch (Pick(0, 5)) {
      case 0: return Operand::Immediate(Pick(-10, 10));
      case 1: return Operand::Immediate(Pick(0, 1) != 0 ? vm::kMaxImmediate : vm::kMinImmediate);
      case 2: return builder_.f(NameOf(Pick(0, static_cast<int>(arities_.size()) - 1)));
      case 3: return builder_.primitive(StrCat("value", Pick(0, 2)));
      default: return RandomConstant();
    }
  }

  Operand RandomConstant() {
    constexpr std::string_view kTexts[] = {
        "none",
        "bool true",
        "bool false",
        "float bits 0x7ff8000000000001",
        "float -0",
        "float inf",
        "int 9223372036854775807",
        "int -9223372036854775808",
        "string \"\"",
        "string \"with ; and \\\" and \\u0000 and \\u00e9\"",
        "dtype bf16",
        "shape []",
        "shape [2, -1]",
        "f32[0, 3] []",
        "f64[] [-0]",
        "f32[2] hex 0100c07f000080ff",
        "u4[3] hex 2103",
        "string[2] [\"\", \"longer than seven\"]",
        "bool[2] [true, false]",
        "u8[3] [1, 2, 255]",
        "splat bf16[70, 2] hex 803f",
        "splat i64[5] -3",
        "tuple ()",
    };
    const int kind = Pick(0, static_cast<int>(std::size(kTexts)) + 2);
    if (kind < static_cast<int>(std::size(kTexts)))
      return builder_.AddConstantText(kTexts[static_cast<size_t>(kind)]);
    if (kind == static_cast<int>(std::size(kTexts)))
      return builder_.AddConstant(Any(Pick(0, 100) / 8.0));
    if (kind == static_cast<int>(std::size(kTexts)) + 1)
      return builder_.AddConstant(Tensor::Scalar(static_cast<float>(Pick(0, 5))));
    const Operand element = builder_.AddConstant(Any(Pick(0, 3) / 4.0));
    return builder_.AddConstantText(StrCat("tuple (c[", element.value, "])"));
  }

  Operand OperandFor(Role role) {
    switch (role) {
      case Role::kWrite: return Scratch();
      case Role::kRead: return Input();
      case Role::kValue: return Value();
      case Role::kInteger: return Operand::Immediate(Pick(0, 3000));
      case Role::kCount: return Operand::Immediate(Pick(0, 3000));
      case Role::kDType:
        return Operand::Immediate(vm::DTypeToImmediate(Pick(0, 1) != 0 ? kF32 : kBf16));
      case Role::kOffset: return Offset();
      case Role::kString: return builder_.AddConstant(Any(String(StrCat("message ", Pick(0, 9)))));
      case Role::kConstant: return RandomConstant();
      case Role::kPrimitive: return builder_.primitive(StrCat("p", Pick(0, 4), "{axis=0}"));
      case Role::kCallee: return builder_.primitive(Pick(0, 4) == 0 ? "odd \"p" : "q");
      case Role::kFunction:
      case Role::kKill:
      case Role::kPhi: break;
    }
    return Operand::Void();
  }

  void Emit() {
    const auto all = vm::AllInstructions();
    const InstructionInfo& info =
        all[static_cast<size_t>(Pick(0, static_cast<int>(all.size()) - 1))];
    if (info.opcode == Opcode::kPhi) return EmitPhi();
    std::vector<vm::Arg> operands;
    for (size_t i = 0; i < info.fixed_count(); ++i) {
      const vm::OperandInfo& operand = info.operands()[i];
      const bool left_out = operand.repeat == vm::Repeat::kOptional && Pick(0, 1) != 0;
      operands.push_back(left_out ? Operand::Void() : OperandFor(operand.role));
    }
    if (info.has_list())
      EmitWithList(info, std::move(operands));
    else
      EmitFixed(info, std::move(operands));
  }

  void EmitFixed(const InstructionInfo& info, std::vector<vm::Arg> operands) {
    if (info.opcode == Opcode::kAllocStorage) operands[2] = Operand::Immediate(64);
    builder_.Emit(info.opcode, operands);
  }

  void EmitWithList(const InstructionInfo& info, std::vector<vm::Arg> operands) {
    const vm::OperandInfo& list = info.operands()[info.operand_count - 1u];
    if (list.role == Role::kKill) {
      builder_.EmitMove(Operand::Register(arity_), Input());
      builder_.EmitMove(Operand::Register(arity_ + 1), Input());
      return builder_.Emit(info.opcode, {Operand::Register(arity_), Operand::Register(arity_ + 1)});
    }
    int count = Pick(0, 6);
    for (size_t i = 0; i < info.fixed_count(); ++i) {
      const Role role = info.operands()[i].role;
      const bool call = role == Role::kCallee && Pick(0, 2) == 0;
      if (role != Role::kFunction && !call) continue;
      const int callee = Pick(0, static_cast<int>(arities_.size()) - 1);
      const int arity = arities_[static_cast<size_t>(callee)];
      operands[i] = builder_.function(NameOf(callee));
      count = info.opcode == Opcode::kAllocClosure ? Pick(0, arity) : arity;
    }
    for (int i = 0; i < count; ++i) operands.push_back(OperandFor(list.role));
    if (info.opcode == Opcode::kInvokePacked) {
      operands[1] = Operand::Immediate(count / 2);
      operands[2] = Operand::Immediate(count - count / 2);
    }
    builder_.Emit(info.opcode, operands);
  }

  // Registers of their own: no other statement writes them, so not both always hold a value.
  void EmitPhi() {
    const Operand a = Operand::Register(phi_++), b = Operand::Register(phi_++);
    const vm::CodeLabel left = builder_.NewLabel(), right = builder_.NewLabel(),
                        join = builder_.NewLabel();
    builder_.EmitIf(Input(), left, right);
    builder_.Bind(left);
    builder_.EmitMove(a, Input());
    builder_.EmitGoto(join);
    builder_.Bind(right);
    builder_.EmitMove(b, Input());
    builder_.Bind(join);
    builder_.Emit(Opcode::kPhi, {Scratch(), a, b});
  }

  std::mt19937 random_;
  ExecBuilder builder_;
  std::vector<int> arities_;
  int arity_ = 0;
  int at_ = 0;     // the statement that is being made
  int count_ = 0;  // of statements before the last, which returns
  int phi_ = 0;
};

}  // namespace

vm::ExecutablePtr RandomProgram(uint32_t seed) { return Generator(seed).Make(); }

}  // namespace tern::support
