// SPDX-License-Identifier: Apache-2.0
// What the verifier refuses that text cannot say: tables and operands that are out of range or of
// the wrong kind.
#include "core/vm/verifier.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace tern::vm::verifier_test {
namespace {

FunctionInfo MakeFunction(std::string_view name, uint32_t first, uint32_t count, uint32_t registers,
                          uint32_t arity = 1) {
  FunctionInfo function;
  function.name = std::string(name);
  function.signature = Signature::OfArity(arity);
  function.first_instruction = first;
  function.instruction_count = count;
  function.register_count = registers;
  return function;
}

void Append(ExecutableParts* parts, Opcode opcode, std::vector<Operand> operands) {
  parts->instr_offset.push_back(static_cast<uint32_t>(parts->instr_data.size()));
  EncodeInstruction(opcode, operands, &parts->instr_data);
}

// One function of one parameter with the instructions given, then `ret %0`.
ExecutableParts Parts(std::vector<std::pair<Opcode, std::vector<Operand>>> code,
                      uint32_t registers = 1) {
  ExecutableParts parts;
  for (auto& [opcode, operands] : code) Append(&parts, opcode, operands);
  Append(&parts, Opcode::kRet, {Operand::Register(0)});
  parts.functions.push_back(
      MakeFunction("main", 0, static_cast<uint32_t>(code.size() + 1), registers));
  parts.primitives = {"p"};
  parts.constants.push_back(Constant::From(AnyView(5)).value());
  return parts;
}

std::string ErrorOf(const ExecutableParts& parts) { return std::string(Verify(parts).message()); }

#define EXPECT_ERROR(parts, text) \
  EXPECT_NE(ErrorOf(parts).find(text), std::string::npos) << ErrorOf(parts)

const Operand r0 = Operand::Register(0);
const Operand r1 = Operand::Register(1);

TEST(Verifier, AcceptsWhatIsRight) {
  EXPECT_EQ(ErrorOf(Parts({{Opcode::kMove, {r1, r0}}}, 2)), "");
  EXPECT_EQ(ErrorOf(ExecutableParts{}), "");
}

// A08, A14, A15 and alike: every index and kind.
TEST(Verifier, OperandsOutOfRange) {
  EXPECT_ERROR(Parts({{Opcode::kMove, {Operand::Register(5), r0}}}),
               "register %5 is out of range: the function has 1");
  EXPECT_ERROR(Parts({{Opcode::kMove, {r0, Operand::Register(9)}}}), "register %9 is out of range");
  EXPECT_ERROR(Parts({{Opcode::kLoadConst, {r0, Operand::Constant(1)}}}),
               "operand 'constant' must be a constant below 1");
  EXPECT_ERROR(Parts({{Opcode::kLoadConst, {r0, r0}}}),
               "operand 'constant' must be a constant below 1");
  EXPECT_ERROR(Parts({{Opcode::kCall, {r0, Operand::Primitive(1)}}}),
               "primitive 1 is out of range: there are 1");
  EXPECT_ERROR(Parts({{Opcode::kCall, {r0, Operand::Function(1)}}}),
               "function 1 is out of range: there are 1");
  EXPECT_ERROR(Parts({{Opcode::kCall, {r0, r0}}}), "operand 'callee' must be a function");
  EXPECT_ERROR(Parts({{Opcode::kCall, {r0, Operand::Primitive(0), Operand::Constant(7)}}}),
               "constant 7 is out of range");
  EXPECT_ERROR(Parts({{Opcode::kCall, {r0, Operand::Primitive(0), Operand::Void()}}}),
               "operand 'in' must be a register");
  EXPECT_ERROR(Parts({{Opcode::kMove, {r0, Operand::Vm()}}}),
               "operand 'source' must be a register");
  EXPECT_ERROR(Parts({{Opcode::kAdd, {r0, Operand::Vm(), r0}}}), "%vm can only be passed by call");
  EXPECT_ERROR(Parts({{Opcode::kMove, {Operand::Vm(), r0}}}), "%vm cannot be a destination");
  EXPECT_ERROR(Parts({{Opcode::kMove, {Operand::Void(), r0}}}), "operand 'dst' must be a register");
  EXPECT_ERROR(Parts({{Opcode::kMove, {Operand::Immediate(3), r0}}}),
               "operand 'dst' must be a register");
  EXPECT_ERROR(Parts({{Opcode::kGetField, {r0, r0, Operand::Immediate(-1)}}}),
               "must be an immediate of at least 0");
  EXPECT_ERROR(Parts({{Opcode::kGetField, {r0, r0, Operand::Constant(0)}}}),
               "must be an immediate of at least 0");
  EXPECT_ERROR(Parts({{Opcode::kAllocTensor,
                       {r0, Operand::Void(), Operand::Immediate(0), Operand::Immediate(999)}}}),
               "operand 'dtype' must be a data type");
  EXPECT_ERROR(Parts({{Opcode::kFatal, {Operand::Constant(0)}}}),
               "operand 'message' must be a string constant");
  EXPECT_ERROR(Parts({{Opcode::kGoto, {r0}}}), "a jump offset must be an immediate");
  EXPECT_ERROR(Parts({{Opcode::kGoto, {Operand::Immediate(kMaxImmediate)}}}),
               "leaves the function");
  EXPECT_ERROR(Parts({{Opcode::kGoto, {Operand::Immediate(kMinImmediate)}}}),
               "leaves the function");
}

TEST(Verifier, OperandCounts) {
  EXPECT_ERROR(Parts({{Opcode::kMove, {r0}}}), "it has 1 operands, expected 2");
  EXPECT_ERROR(Parts({{Opcode::kMove, {r0, r0, r0}}}), "it has 3 operands, expected 2");
  EXPECT_ERROR(Parts({{Opcode::kCall, {r0}}}), "expected at least 2");
  EXPECT_ERROR(Parts({{Opcode::kKill, {}}}), "needs at least one value");
}

TEST(Verifier, Words) {
  ExecutableParts parts = Parts({});
  parts.instr_data[0] = 0x7f00000000000000u;
  EXPECT_ERROR(parts, "unknown opcode");
  parts = Parts({});
  parts.instr_data.push_back(0);
  EXPECT_ERROR(parts, "words are left over");
  parts = Parts({});
  parts.instr_offset[0] = 1;
  EXPECT_ERROR(parts, "the offset of instruction 0");
  parts = Parts({{Opcode::kMove, {r0, r0}}});
  parts.instr_offset[1] = 0;
  EXPECT_ERROR(parts, "the offset of instruction 1");
  parts = Parts({{Opcode::kMove, {r0, r0}}});
  parts.instr_offset[1] = 100;
  EXPECT_ERROR(parts, "the offset of instruction 1");
}

// A19: as many registers as the code uses, no more and no fewer.
TEST(Verifier, A19_RegisterCount) {
  EXPECT_ERROR(Parts({{Opcode::kMove, {r1, r0}}}, 1), "register %1 is out of range");
  EXPECT_ERROR(Parts({{Opcode::kMove, {r1, r0}}}, 3),
               "claims 3 registers, but register %2 is never used");
  EXPECT_ERROR(Parts({{Opcode::kMove, {r1, r0}}}, 1u << 23), "more than its code can use");
  EXPECT_ERROR(Parts({}, UINT32_MAX), "more than");
}

TEST(Verifier, FunctionsTileTheCode) {
  ExecutableParts parts = Parts({});
  parts.functions[0].first_instruction = 1;
  EXPECT_ERROR(parts, "begins at instruction 1, expected 0");
  parts = Parts({});
  parts.functions[0].instruction_count = 0;
  EXPECT_ERROR(parts, "has no instructions");
  parts = Parts({});
  parts.functions[0].instruction_count = 2;
  EXPECT_ERROR(parts, "functions hold 2 instructions, the code has 1");
  parts = Parts({});
  parts.functions[0].register_count = 0;
  EXPECT_ERROR(parts, "has 0 registers and 1 parameters");
  parts = Parts({});
  parts.functions[0].name = "";
  EXPECT_ERROR(parts, "a function has no name");
  parts = Parts({});
  Append(&parts, Opcode::kRet, {r0});
  parts.functions.push_back(MakeFunction("main", 1, 1, 1));
  EXPECT_ERROR(parts, "two functions are named @main");
  parts = Parts({});
  parts.functions[0].register_names = {{0, "x"}};
  EXPECT_ERROR(parts, "a bad register name for %0");
}

TEST(Verifier, Tables) {
  ExecutableParts parts = Parts({});
  parts.primitives = {"p", "p"};
  EXPECT_ERROR(parts, "'p' is listed twice");
  parts = Parts({});
  parts.primitives = {""};
  EXPECT_ERROR(parts, "a name is empty");
  parts = Parts({});
  parts.metadata = {{"b", ""}, {"a", ""}};
  EXPECT_ERROR(parts, "keys are not in order");
  parts = Parts({});
  parts.metadata = {{"\xff", ""}};
  EXPECT_ERROR(parts, "not valid UTF-8");
  parts = Parts({});
  parts.kernels = {{.name = "k\xa0", .format = "loop", .bytes = ""}};
  EXPECT_ERROR(parts, "section 'kernels': text that is not valid UTF-8");
  parts.kernels = {{.name = "k", .format = "lo\xa0p", .bytes = ""}};
  EXPECT_ERROR(parts, "section 'kernels': text that is not valid UTF-8");
  parts = Parts({});
  parts.debug.push_back({5, 0, 0, std::make_shared<const std::string>("x")});
  EXPECT_ERROR(parts, "section 'debug info': entry 0");
  parts = Parts({});
  parts.debug.push_back({0, 1, 1, std::make_shared<const std::string>("loo\xccp")});
  EXPECT_ERROR(parts, "section 'debug info': text that is not valid UTF-8");
  parts = Parts({});
  Constant tuple;
  tuple.kind = ConstantKind::kTuple;
  tuple.elements = {1};
  parts.constants.push_back(tuple);
  EXPECT_ERROR(parts, "constant 1 refers to constant 1, which is not before it");
  parts = Parts({});
  for (uint32_t i = 0; i < 100; ++i) {
    tuple.elements = {i};
    parts.constants.push_back(tuple);
  }
  EXPECT_ERROR(parts, "is nested too deep");
  parts = Parts({});
  const int64_t huge[] = {int64_t{1} << 40};
  parts.constants.push_back(Constant::Splat(Tensor::Scalar(1.0f), huge).value());
  EXPECT_ERROR(parts,
               "f32[1099511627776] of 1, with which splats take 4 TiB in all, more than 1 GiB");
}

// A loop carries what one round wrote into the next; a kill in the loop ends that.
TEST(Verifier, Loops) {
  const auto loop = [&](bool kill) {
    ExecutableParts parts;
    Append(&parts, Opcode::kLoadConsti, {r1, Operand::Immediate(1)});
    Append(&parts, Opcode::kMove, {r0, r1});  // 1: the loop's head
    if (kill)
      Append(&parts, Opcode::kKill, {r1});
    else
      Append(&parts, Opcode::kMove, {r1, r0});
    Append(&parts, Opcode::kIf, {r0, Operand::Immediate(-2), Operand::Immediate(1)});
    Append(&parts, Opcode::kRet, {r0});
    parts.functions.push_back(MakeFunction("main", 0, 5, 2));
    return parts;
  };
  EXPECT_EQ(ErrorOf(loop(false)), "");
  EXPECT_ERROR(loop(true),
               "instruction 1 (move): register %1 is read, but not written before on every path");
}

// A20. A block that is its own successor: the second round reads what the first one killed.
TEST(Verifier, BlockThatLoopsOntoItself) {
  ExecutableParts parts;
  Append(&parts, Opcode::kMove, {r1, r0});
  Append(&parts, Opcode::kKill, {r0});
  Append(&parts, Opcode::kGoto, {Operand::Immediate(-2)});
  parts.functions.push_back(MakeFunction("main", 0, 3, 2));
  EXPECT_ERROR(parts, "register %0 is read after it was killed on some path");
}

// Code that is never reached is checked for its form, not for its registers.
TEST(Verifier, UnreachableCode) {
  ExecutableParts parts;
  Append(&parts, Opcode::kRet, {r0});
  Append(&parts, Opcode::kRet, {r1});
  parts.functions.push_back(MakeFunction("main", 0, 2, 2));
  EXPECT_EQ(ErrorOf(parts), "");
  Append(&parts, Opcode::kMove, {r1, r0});
  parts.functions[0].instruction_count = 3;
  EXPECT_ERROR(parts, "the path runs off the end");
}

// Many blocks and registers: quick, and within memory.
TEST(Verifier, LargeFunctions) {
  ExecutableParts parts;
  constexpr uint32_t kBlocks = 20'000;
  for (uint32_t i = 0; i < kBlocks; ++i) {
    Append(&parts, Opcode::kLoadConsti, {Operand::Register(i + 1), Operand::Immediate(i)});
    Append(&parts, Opcode::kIf,
           {Operand::Register(i + 1), Operand::Immediate(1),
            Operand::Immediate(i % 2 == 0 || i < 10 ? 1 : -7)});
  }
  Append(&parts, Opcode::kRet, {r0});
  parts.functions.push_back(MakeFunction("main", 0, 2 * kBlocks + 1, kBlocks + 1));
  EXPECT_EQ(ErrorOf(parts), "");
}

TEST(Verifier, A01_Ssa) {
  const ExecutableParts parts = Parts({{Opcode::kMove, {r1, r0}}, {Opcode::kMove, {r1, r0}}}, 2);
  EXPECT_TRUE(Verify(parts).ok());
  const Status status = Verify(parts, {.ssa = true});
  EXPECT_EQ(status.message(),
            "section 'code': function @main, instruction 1 (move): register %1 is written a second "
            "time, which --ssa forbids");
}

}  // namespace
}  // namespace tern::vm::verifier_test
