// SPDX-License-Identifier: Apache-2.0
// The checklist's rows on the builder, the executable and its file: B22, B25, C03 to C31.
#include <string>

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/graph/print.h"
#include "core/vm/builder.h"
#include "core/vm/builtins/builtins.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/disassembler.h"
#include "tests/support/random_program.h"
#include "tests/support/vm_file.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::builder_rows_test {
namespace {

#define EXPECT_HAS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << std::string(text)

// The error of one function @f of two inputs.
template <typename Body>
std::string ErrorOf(const Body& body) {
  ExecBuilder b;
  const Status status = b.DefineFunction("f", 2u, [&] { body(b); });
  if (!status.ok()) return std::string(status.message());
  const Result<ExecutablePtr> executable = b.Finish();
  return executable.ok() ? std::string() : std::string(executable.status().message());
}

// B22: equal constants share a slot, whatever made them, and data is 64-byte aligned in the file.
TEST(BuilderRows, B22_EqualConstantsShareASlot) {
  ExecBuilder b;
  EXPECT_TRUE(b.DefineFunction("f", 0u, [&] {
                 const TensorPtr x = Tensor::FromValues<float>({1, 2, 3}, {3}).value();
                 const TensorPtr y = Tensor::FromValues<int64_t>({1, 2, 3}, {3}).value();
                 b.EmitCall("p", {x, y, b.AddConstantText("f32[3] [1, 2, 3]"), x}, b.r(0));
                 b.EmitRet(b.r(0));
               }).ok());
  const ExecutablePtr executable = b.Finish().value();
  ASSERT_EQ(executable->constants().size(), 2u);
  EXPECT_HAS(InstructionText(*executable, 0), "in: c[0], c[1], c[0], c[0]");
  const std::vector<uint8_t> file = SaveExecutable(*executable);
  const SectionEntry section = ReadLayout(file)->sections[1];
  EXPECT_EQ(section.id, static_cast<uint32_t>(SectionId::kConstants));
  EXPECT_EQ(section.offset % 64, 0u);
  const float data[] = {1, 2, 3};
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  const std::string_view wanted(reinterpret_cast<const char*>(data), sizeof(data));
  EXPECT_EQ(bytes.find(wanted) % 64, 0u);
  EXPECT_EQ(SaveExecutable(*support::RandomProgram(7)), SaveExecutable(*support::RandomProgram(7)))
      << "the layout depends on nothing else";
}

// C03, C04: what does not fit an immediate becomes a constant; no destination prints as void.
TEST(BuilderRows, C03_C04_ImmediatesAndVoid) {
  ExecBuilder b;
  EXPECT_TRUE(b.DefineFunction("f", 1u, [&] {
                 b.EmitCall("p",
                            {b.imm(kMaxImmediate), b.imm(kMaxImmediate + 1), b.imm(kMinImmediate),
                             b.imm(kMinImmediate - 1), b.imm(-1), b.r(0), b.f("f"), b.f("q")});
                 b.EmitRet(b.r(0));
               }).ok());
  const ExecutablePtr executable = b.Finish().value();
  EXPECT_EQ(InstructionText(*executable, 0),
            "call  p                in: 36028797018963967, c[0], -36028797018963968, c[1], -1, %0, "
            "@f, &q dst: void");
  EXPECT_EQ(executable->constants()[1].value.TryCast<int64_t>(), kMinImmediate - 1);
  EXPECT_HAS(ErrorOf([](ExecBuilder& b2) { b2.EmitCall("p", {b2.r(-3)}); }), "numbered -3");
  EXPECT_HAS(ErrorOf([](ExecBuilder& b2) { b2.EmitRet(Operand::Primitive(0)); }), "numbered 1");
}

// C05: the builtins can be listed, each with a signature and a meaning.
TEST(BuilderRows, C05_BuiltinsAreListed) {
  EXPECT_GE(AllBuiltins().size(), 10u);
  for (const BuiltinInfo& info : AllBuiltins()) {
    EXPECT_TRUE(info.name.starts_with("vm.builtin."));
    EXPECT_TRUE(info.signature.starts_with("("));
    EXPECT_FALSE(info.meaning.empty());
    EXPECT_NE(FindBuiltin(info.name), nullptr);
  }
  EXPECT_EQ(FindBuiltin("vm.builtin.no_such"), nullptr);
}

TEST(BuilderRows, C09_SecondDefinitionOfAName) {
  ExecBuilder b;
  const auto body = [&] { b.EmitRet(b.r(0)); };
  EXPECT_TRUE(b.DefineFunction("f", 1u, body).ok());
  EXPECT_TRUE(b.DefineFunction("g", "(x: f32[n]) -> f32[n]", body).ok());
  EXPECT_HAS(b.DefineFunction("f", 1u, body).message(), "a second function @f");
  EXPECT_HAS(b.Finish().status().message(), "a second function @f");
}

// C10, C28: the operands, and the machine's state, which can be no destination.
TEST(BuilderRows, C10_C28_Operands) {
  EXPECT_EQ(ExecBuilder::r(3), Operand::Register(3));
  EXPECT_EQ(ExecBuilder::c(3), Operand::Constant(3));
  EXPECT_EQ(ExecBuilder::imm(-3), Operand::Immediate(-3));
  EXPECT_EQ(ExecBuilder::vm_state(), Operand::Vm());
  ExecBuilder b;
  EXPECT_TRUE(b.DefineFunction("f", 0u, [&] {
                 b.EmitCall("p", {b.vm_state(), b.f("f")}, b.r(0));
                 b.EmitRet(b.r(0));
               }).ok());
  EXPECT_HAS(InstructionText(*b.Finish().value(), 0), "in: %vm, @f");
  const auto call_into_vm = [](ExecBuilder& b2) {
    b2.EmitCall("p", {b2.r(0)}, b2.vm_state());
    b2.EmitRet(b2.r(1));
  };
  EXPECT_NE(ErrorOf(call_into_vm), "");
  EXPECT_NE(ErrorOf([](ExecBuilder& b2) { b2.EmitRet(b2.vm_state()); }), "");
}

// C11: a tuple is a constant too, its fields shared with other constants.
TEST(BuilderRows, C11_TuplesBecomeConstants) {
  const TensorPtr x = Tensor::FromValues<float>({1, 2}, {2}).value();
  const Any inner(Adt::Tuple(std::vector<AnyView>{x, 5}));
  const Any outer(Adt::Tuple(std::vector<AnyView>{inner, 0.5, inner}));
  ExecBuilder b;
  EXPECT_TRUE(b.DefineFunction("main", 0u, [&] {
                 b.EmitCall("vm.builtin.make_list", {outer, x, inner, outer, kF16}, b.r(0));
                 b.EmitRet(b.r(0));
               }).ok());
  const ExecutablePtr executable = b.Finish().value();
  ASSERT_EQ(executable->constants().size(), 6u);
  EXPECT_EQ(ConstantText(*executable, 2), "tuple (c[0], c[1])");
  EXPECT_EQ(ConstantText(*executable, 4), "tuple (c[2], c[3], c[2])");
  auto vm = VirtualMachine::Create(Program::Link(executable).value()).value();
  EXPECT_HAS(PrintValue(vm->Call("main", {}).value()), "0.5");
  EXPECT_HAS(
      ErrorOf([](ExecBuilder& b2) { b2.EmitRet(Any(Adt::Make(3, std::vector<AnyView>{1}))); }),
      "tag 3");
  Any deep(Adt::Tuple(std::vector<AnyView>{1}));
  for (int i = 0; i < 100; ++i) deep = Any(Adt::Tuple(std::vector<AnyView>{deep}));
  EXPECT_HAS(ErrorOf([&](ExecBuilder& b2) { b2.EmitRet(deep); }), "nested too deep");
}

TEST(BuilderRows, C12_InputsAreTheFirstRegisters) {
  ExecBuilder b;
  EXPECT_TRUE(b.DefineFunction("main", 3u, [&] {
                 b.Emit(Opcode::kSub, {b.r(9), b.r(2), b.r(0)});
                 b.EmitTuple(b.r(5), std::vector<Arg>{b.r(9), b.r(1)});
                 b.EmitRet(b.r(5));
               }).ok());
  const ExecutablePtr executable = b.Finish().value();
  EXPECT_EQ(InstructionText(*executable, 0), "sub   %2, %0                            dst: %3");
  auto vm = VirtualMachine::Create(MustLink(executable)).value();
  EXPECT_EQ(PrintValue(vm->Call("main", {1, 2, 30}).value()), "(29, 2)");
  EXPECT_FALSE(vm->Call("main", {1, 2}).ok());
}

// C13: a register that only one branch writes is not written; a linear check would let it pass.
TEST(BuilderRows, C13_FlowSensitive) {
  const auto branch = [](bool both) {
    return [both](ExecBuilder& b) {
      const CodeLabel yes = b.NewLabel(), no = b.NewLabel(), join = b.NewLabel();
      b.EmitIf(b.r(0), yes, no);
      b.Bind(yes);
      b.EmitMove(b.r(2), b.r(1));
      b.EmitGoto(join);
      b.Bind(no);
      b.EmitMove(both ? b.r(2) : b.r(3), b.r(0));
      b.Bind(join);
      b.EmitRet(b.r(2));
    };
  };
  EXPECT_EQ(ErrorOf(branch(true)), "");
  EXPECT_HAS(ErrorOf(branch(false)), "function @f, instruction 4 (ret): register %2 is read");
}

// C15: the error is there when the scope closes, not only at the end.
TEST(BuilderRows, C15_ChecksRunWhenTheScopeCloses) {
  ExecBuilder b;
  EXPECT_FALSE(b.DefineFunction("bad", 0u, [&] { b.EmitRet(b.r(5)); }).ok());
  EXPECT_EQ(b.diagnostics().error_count(), 1u);
  EXPECT_TRUE(b.DefineFunction("good", 1u, [&] { b.EmitRet(b.r(0)); }).ok());
  EXPECT_HAS(b.DefineFunction("jumps", 1u, [&] { b.EmitGoto(b.NamedLabel("x")); }).message(),
             "'x'");
  EXPECT_HAS(b.DefineFunction("empty", 1u, [] {}).message(), "a ret is missing");
  b.Bind(b.NamedLabel("outside"));
  EXPECT_FALSE(b.Finish().ok());
}

// A02, C16: r(1 << 40) costs one slot; what is dense and in order already stays as it is.
TEST(BuilderRows, A02_C16_FormalizingAgainChangesNothing) {
  ExecBuilder b;
  EXPECT_TRUE(b.DefineFunction("main", 1u, [&] {
                 b.EmitMove(b.r(int64_t{1} << 40), b.r(0));
                 b.Emit(Opcode::kAdd, {b.r(10'000), b.r(int64_t{1} << 40), b.imm(1)});
                 b.EmitRet(b.r(10'000));
               }).ok());
  const ExecutablePtr once = b.Finish().value();
  EXPECT_EQ(once->functions()[0].register_count, 3u);
  ExecBuilder again;
  again.BeginFunction("main", 1u);
  for (uint32_t i = 0; i < once->instruction_count(); ++i) {
    const Instruction instruction = once->GetInstruction(i).value();
    again.Emit(instruction.info->opcode,
               std::vector<Arg>(instruction.operands.begin(), instruction.operands.end()));
  }
  EXPECT_TRUE(again.EndFunction().ok());
  EXPECT_EQ(SaveExecutable(*again.Finish().value()), SaveExecutable(*once));
  EXPECT_HAS(ErrorOf([](ExecBuilder& b2) { b2.EmitRet(b2.r(kVoidRegister + 1)); }), "numbered");
}

// A01: what writes a register twice is refused by the flag, and runs.
TEST(BuilderRows, A01_SingleAssignmentIsAFlag) {
  const ExecutablePtr executable =
      MustAssemble(".func @main(x)\nadd %0, 1 dst: %1\nadd %1, 1 dst: %1\nret ret %1\n");
  const Status status = Verify(*executable, VerifyOptions{.ssa = true});
  EXPECT_HAS(status.message(), "@main");
  EXPECT_HAS(status.message(), "%1");
  EXPECT_HAS(status.message(), "1");
  auto vm = VirtualMachine::Create(MustLink(executable)).value();
  EXPECT_EQ(vm->Call("main", {5})->TryCast<int64_t>(), 7);
}

// C17, C18, C20, C21: the tables, as they can be read.
TEST(BuilderRows, C17_C18_C20_C21_Tables) {
  ExecBuilder b;
  EXPECT_TRUE(b.DefineFunction("g", 2u, [&] {
                 b.EmitCall("p", {b.r(0)}, b.r(7));
                 b.EmitCall("p", {b.r(1), b.r(7)}, b.r(7));
                 b.EmitCall("q", {0.5}, b.r(7));
                 b.EmitRet(b.r(7));
               }).ok());
  EXPECT_TRUE(b.DefineFunction("h", 1u, [&] { b.EmitRet(b.r(0)); }).ok());
  const ExecutablePtr executable = b.Finish().value();
  const FunctionInfo& g = executable->functions()[0];
  EXPECT_EQ(g.name, "g");
  EXPECT_EQ(g.first_instruction, 0u);
  EXPECT_EQ(g.arity(), 2u);
  EXPECT_EQ(g.register_count, 3u);
  EXPECT_EQ(executable->functions()[1].first_instruction, 4u);
  EXPECT_EQ(executable->constants().size(), 1u);
  ASSERT_EQ(executable->primitives().size(), 2u) << "each name once";
  EXPECT_EQ(executable->primitives()[0], "p");
  EXPECT_EQ(executable->instr_offset().size(), 5u);
  EXPECT_EQ(executable->instr_offset()[1], 1u);
  EXPECT_FALSE(executable->instr_data().empty());
  EXPECT_EQ(executable->GetInstruction(3)->info->opcode, Opcode::kRet);
  EXPECT_HAS(executable->GetInstruction(5).status().message(), "instruction 5");
  EXPECT_FALSE(executable->GetInstruction(UINT64_MAX).ok());
  EXPECT_EQ(executable->FindFunction("nothing"), nullptr);
  EXPECT_HAS(executable->FunctionIndex("gg").status().ToString(), "did you mean @g?");
}

// C19: each kind of constant, added as a value and read back from the file.
TEST(BuilderRows, C19_ValuesSurviveTheFile) {
  uint64_t nan_bits = 0x7ff8000000000123u;
  double nan;
  __builtin_memcpy(&nan, &nan_bits, sizeof(nan));
  ExecBuilder b;
  b.AddConstant(Any());
  b.AddConstant(Any(nan));
  b.AddConstant(Any(-0.0));
  b.AddConstant(Any(false));
  b.AddConstant(Any(""));
  b.AddConstant(Any(kU4));
  b.AddConstant(Any(Shape::Make(Dims())));
  b.AddConstant(Any(Tensor::FromBytes(kF32, std::vector<int64_t>{0, 3}, ByteSpan()).value()));
  b.AddConstant(Any(INT64_MIN));
  EXPECT_TRUE(b.DefineFunction("f", 0u, [&] { b.EmitRet(b.c(1)); }).ok());
  const std::vector<uint8_t> bytes = SaveExecutable(*b.Finish().value());
  const ExecutablePtr loaded = ReadExecutable(bytes, nullptr).value();
  const auto value = [&](uint32_t i) { return loaded->ConstantValue(i).value(); };
  EXPECT_TRUE(value(0).is_none());
  const double read = *value(1).TryCast<double>();
  EXPECT_EQ(__builtin_memcmp(&read, &nan_bits, sizeof(read)), 0);
  EXPECT_TRUE(__builtin_signbit(*value(2).TryCast<double>()));
  EXPECT_EQ(value(3).TryCast<bool>(), false);
  EXPECT_EQ(value(4).TryCast<std::string_view>(), "");
  EXPECT_EQ(value(5).TryCast<DType>(), kU4);
  EXPECT_EQ(value(6).TryCast<Shape>()->dims().size(), 0u);
  EXPECT_EQ(value(7).TryCast<Tensor>()->dims()[1], 3);
  EXPECT_EQ(value(8).TryCast<int64_t>(), INT64_MIN);
  EXPECT_HAS(
      ErrorOf([](ExecBuilder& b2) {
        b2.EmitRet(Any(Function::FromPacked("x", [](AnyArgs) -> Result<Any> { return Any(); })));
      }),
      "cannot be a constant");
}

// C22: bytes of code per instruction, words and offset, over programs of all kinds.
TEST(BuilderRows, C22_BytesPerInstruction) {
  size_t bytes = 0, instructions = 0;
  const auto count = [&](const Executable& executable) {
    bytes += executable.instr_data().size() * 8 + executable.instr_offset().size() * 4;
    instructions += executable.instruction_count();
  };
  for (const std::string_view sample : support::SamplePrograms()) count(*MustAssemble(sample));
  const double written = static_cast<double>(bytes) / static_cast<double>(instructions);
  EXPECT_LE(written, 16.0) << "of programs as people write them";
  for (uint32_t seed = 0; seed < 50; ++seed) count(*support::RandomProgram(seed));
  const double random = static_cast<double>(bytes) / static_cast<double>(instructions);
  EXPECT_LE(random, 24.0) << "with random operands, many of them long";
  testing::Test::RecordProperty("bytes_per_instruction", std::to_string(written));
}

TEST(BuilderRows, C23_StatsNameEverything) {
  ExecBuilder b;
  b.AddConstant(Tensor::FromValues<float>({1, 2}, {2}).value());
  b.AddConstantText("splat i64[5, 6] 3");
  b.AddConstant(Any(kF32));
  for (const char* name : {"f", "g"})
    EXPECT_TRUE(b.DefineFunction(name, 0u, [&] { b.EmitRet(b.c(0)); }).ok());
  EXPECT_EQ(Stats(*b.Finish().value()),
            "Relax VM executable statistics:\n"
            "  Constant shapes (# 3): [[2], [5, 6], dtype f32]\n"
            "  Globals (#2): [f, g]\n"
            "  Packed functions (#0): []\n");
}

// C29: what the state's register hands over has the machine's allocator.
TEST(BuilderRows, C29_StateHoldsTheAllocators) {
  const std::vector<FunctionPtr> functions = {Function::FromTyped(
      "live", [](RunContext& context) { return context.allocator()->stats().live_bytes; })};
  auto vm = MakeVm(
      ".func @main()\nalloc_tensor offset: 0 dtype: f32 shape: 1024 dst: %0\ncall live in: dst: "
      "%1\nkill %0\ncall live in: dst: %2\nalloc_adt tag: 0 in: %1, %2 dst: %1\nret ret %1\n",
      functions);
  const Any result = vm->Call("main", {}).value();
  const auto fields = result.TryCast<Adt>()->fields();
  EXPECT_GE(*fields[0].TryCast<int64_t>() - *fields[1].TryCast<int64_t>(), 4096);
}

// C30: shapes are values of a type of their own.
TEST(BuilderRows, C30_ShapesAreValues) {
  ExecBuilder b;
  EXPECT_EQ(b.AddConstant(Any(Shape::Make({2, 3}))), b.AddConstant(Any(Shape::Make({2, 3}))));
  EXPECT_NE(b.AddConstant(Any(Shape::Make({2, 3}))), b.AddConstant(Any(Shape::Make({3, 2}))));
  EXPECT_NE(b.AddConstant(Any(Shape::Make(Dims()))), b.AddConstant(Any(Shape::Make({1}))));
  EXPECT_EQ(PrintValue(Any(Shape::Make({2, 3}))), "[2, 3]");
  EXPECT_EQ(PrintValue(Any(Shape::Make(Dims()))), "[]");
  EXPECT_EQ(Any(Shape::Make({2})).type_name(), std::string_view("shape"));
}

}  // namespace
}  // namespace tern::vm::builder_rows_test
