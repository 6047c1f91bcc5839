// SPDX-License-Identifier: Apache-2.0
// ExecBuilder: the founding document's examples, checks at the end of a function, renaming,
// constants.
#include "core/vm/builder.h"

#include <gtest/gtest.h>

#include "core/object/strings/string.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/disassembler.h"
#include "core/vm/vm.h"

namespace tern::vm::builder_test {
namespace {

// C24, C23: the document's listing, column for column.
TEST(Builder, C24_FoundingDocumentListing) {
  ExecBuilder b;
  b.BeginFunction("func0", 2);
  b.EmitCall("vm.op.add", {b.r(0), b.r(1)}, b.r(2));
  b.EmitCall("vm.builtin.move", {b.r(2)}, b.r(3));
  b.EmitCall("vm.builtin.print", {b.r(3)});
  b.EmitRet(b.r(3));
  ASSERT_TRUE(b.EndFunction().ok());
  Result<ExecutablePtr> executable = b.Finish();
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  EXPECT_EQ(AsText(**executable),
            "@func0:\n"
            "  call  vm.op.add        in: %0, %1       dst: %2\n"
            "  call  vm.builtin.move  in: %2           dst: %3\n"
            "  call  vm.builtin.print in: %3           dst: void\n"
            "  ret   ret %3\n");
  EXPECT_EQ(Stats(**executable),
            "Relax VM executable statistics:\n"
            "  Constant shapes (# 0): []\n"
            "  Globals (#1): [func0]\n"
            "  Packed functions (#3): [vm.op.add, vm.builtin.move, vm.builtin.print]\n");
}

// A few bytes of a file would ask for any amount when a machine is made.
TEST(Builder, RefusesSplatsOfMoreThanTheyMayTake) {
  ExecBuilder b;
  const int64_t half[] = {int64_t{1} << 27}, tera[] = {int64_t{1} << 40};
  b.BeginFunction("main", 0);
  // An equal one is the same constant.
  for (const float value : {1.0f, 2.0f, 1.0f}) b.AddSplat(Tensor::Scalar(value), half);
  b.EmitRet(b.r(0));
  b.AddSplat(Tensor::Scalar(3.0f), tera);
  const Result<ExecutablePtr> executable = b.Finish();
  ASSERT_FALSE(executable.ok());
  EXPECT_EQ(executable.status().error_code(), "E0302");
  EXPECT_EQ(executable.status().message(),
            "a constant of one repeated element, f32[1099511627776] of 3, takes 4 TiB and others "
            "take 1 GiB; an executable may have 1 GiB of them in all");
}

// C27: the document's add and mul programs, run.
TEST(Builder, C27_AddAndMulRun) {
  const auto elementwise = [](auto op) {
    return [op](RunContext& context, Tensor* a, Tensor* b) -> Result<TensorPtr> {
      TERN_TRY_ASSIGN(TensorPtr c, context.NewTensor(kF64, a->dims()));
      for (int64_t i = 0; i < c->element_count(); ++i) {
        c->data_as<double>()[i] = op(a->data_as<double>()[i], b->data_as<double>()[i]);
      }
      return c;
    };
  };
  const std::vector<FunctionPtr> functions = {
      Function::FromTyped("test.vm.add", elementwise([](double x, double y) { return x + y; })),
      Function::FromTyped("test.vm.mul", elementwise([](double x, double y) { return x * y; }))};
  ExecBuilder ib;
  ib.BeginFunction("func0", 2);
  ib.EmitCall("test.vm.add", {ib.r(0), ib.r(1)}, ib.r(2));
  ib.EmitRet(ib.r(2));
  ASSERT_TRUE(ib.EndFunction().ok());
  ib.BeginFunction("func1", 2);
  ib.EmitCall("test.vm.mul", {ib.r(0), ib.r(1)}, ib.r(2));
  ib.EmitRet(ib.r(2));
  ASSERT_TRUE(ib.EndFunction().ok());
  LinkOptions link;
  link.functions = functions;
  Result<ProgramPtr> program = Program::Link(ib.Finish().value(), link);
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  auto vm = VirtualMachine::Create(*program).value();
  const TensorPtr a = Tensor::FromValues<double>({1, 2, 3, 4}, {4}).value();
  const TensorPtr b = Tensor::FromValues<double>({10, 20, 30, 40}, {4}).value();
  const Any product = vm->Call("func1", {a, b}).value();
  const Any sum = vm->Call("func0", {a, b}).value();
  EXPECT_EQ(product.TryCast<Tensor>()->data_as<double>()[3], 160);
  EXPECT_EQ(sum.TryCast<Tensor>()->data_as<double>()[3], 44);
}

// C16, A02: register numbers say nothing; the file has as many as are used.
TEST(Builder, C16_RegistersAreRenamedInOrderOfUse) {
  const auto build = [](int64_t x, int64_t y) {
    ExecBuilder b;
    b.BeginFunction("main", 2);
    b.EmitCall("add", {b.r(0), b.r(1)}, b.r(x));
    b.EmitCall("mul", {b.r(x), b.r(0)}, b.r(y));
    b.EmitRet(b.r(y));
    EXPECT_TRUE(b.EndFunction().ok());
    return b.Finish().value();
  };
  const ExecutablePtr small = build(2, 3);
  const ExecutablePtr large = build(100, int64_t{1} << 40);
  EXPECT_EQ(AsText(*small), AsText(*large));
  EXPECT_EQ(SaveExecutable(*small), SaveExecutable(*large));
  EXPECT_EQ(large->functions()[0].register_count, 4u);
}

// C11, B22: values become constants, equal ones one.
TEST(Builder, C11_ConstantsAreKeptOnce) {
  const TensorPtr a = Tensor::FromValues<float>({1, 2}, {2}).value();
  const TensorPtr same = Tensor::FromValues<float>({1, 2}, {2}).value();
  const TensorPtr other_shape = Tensor::FromValues<float>({1, 2}, {2, 1}).value();
  ExecBuilder b;
  b.BeginFunction("main", 0u);
  b.EmitCall(
      "f",
      {a, same, other_shape, 0.0, -0.0, 0.0, kF32, kF32, String("text"), String("text"), true, 7},
      b.r(0));
  b.EmitCall("f",
             {kMaxImmediate, kMaxImmediate + 1, b.imm(kMaxImmediate + 1), Shape::Make({2}),
              Shape::Make({2})},
             b.r(0));
  b.EmitRet(b.r(0));
  ASSERT_TRUE(b.EndFunction().ok());
  const ExecutablePtr executable = b.Finish().value();
  ASSERT_EQ(executable->constants().size(), 9u);
  EXPECT_EQ(InstructionText(*executable, 0),
            "call  f                in: c[0], c[0], c[1], c[2], c[3], c[2], c[4], c[4], c[5], "
            "c[5], c[6], 7 dst: %0");
  EXPECT_EQ(InstructionText(*executable, 1),
            "call  f                in: 36028797018963967, c[7], c[7], c[8], c[8] dst: %0");
  EXPECT_EQ(executable->constants()[0].value.TryCast<Tensor>(), a.get());
}

// C14: an unused input is a warning.
TEST(Builder, C14_UnusedInputWarns) {
  ExecBuilder b;
  b.BeginFunction("f", 3);
  b.EmitCall("add", {b.r(0), b.r(2)}, b.r(3));
  b.EmitRet(b.r(3));
  EXPECT_TRUE(b.EndFunction().ok());
  ASSERT_EQ(b.diagnostics().warning_count(), 1u);
  EXPECT_EQ(b.diagnostics().items()[0].message, "input %1 (register 1) unused in f");
  EXPECT_TRUE(b.Finish().ok());
}

// C13, C15: errors come when the function ends, with function, instruction and register.
TEST(Builder, C13_UnexpectedInputIsAnError) {
  ExecBuilder b;
  b.BeginFunction("main", 2);
  b.EmitCall("add", {b.r(0), b.r(3)}, b.r(4));
  b.EmitRet(b.r(4));
  const Status status = b.EndFunction();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("function @main, instruction 0 (call): register %3 is read"),
            std::string_view::npos)
      << status.ToString();
  EXPECT_FALSE(b.Finish().ok());
}

TEST(Builder, FlowSensitive) {
  ExecBuilder b;
  b.BeginFunction("main", 1);
  const CodeLabel yes = b.NewLabel(), join = b.NewLabel();
  b.EmitIf(b.r(0), yes, join);
  b.Bind(yes);
  b.EmitLoadConst(b.r(1), 5);
  b.Bind(join);
  b.EmitRet(b.r(1));
  EXPECT_FALSE(b.EndFunction().ok());
}

TEST(Builder, BadUse) {
  {
    ExecBuilder b;
    b.BeginFunction("main", 1);
    b.EmitMove(b.r(1), b.r(0));
    EXPECT_NE(b.EndFunction().message().find("a ret is missing"), std::string_view::npos);
  }
  {
    ExecBuilder b;
    b.BeginFunction("main", 1);
    b.EmitGoto(b.NamedLabel("nowhere"));
    EXPECT_NE(b.EndFunction().message().find("label 'nowhere' is jumped to but nowhere bound"),
              std::string_view::npos);
  }
  {
    ExecBuilder b;
    b.EmitRet(b.r(0));
    EXPECT_FALSE(b.EndFunction().ok());
    EXPECT_FALSE(b.Finish().ok());
  }
  {
    ExecBuilder b;
    b.BeginFunction("main", 1);
    EXPECT_FALSE(b.Finish().ok()) << "a function that does not end";
  }
  {
    ExecBuilder b;
    b.BeginFunction("f", 1);
    b.EmitRet(b.r(0));
    EXPECT_TRUE(b.EndFunction().ok());
    b.BeginFunction("f", 1);
    b.EmitRet(b.r(0));
    EXPECT_NE(b.EndFunction().message().find("a second function @f"), std::string_view::npos);
  }
  {
    ExecBuilder b;
    b.BeginFunction("f", "(x: f33[2])");
    b.EmitRet(b.r(0));
    EXPECT_FALSE(b.EndFunction().ok());
  }
  {
    ExecBuilder b;
    b.BeginFunction("f", 1);
    b.EmitCall("g", {b.r(-5)}, b.r(1));
    b.EmitRet(b.r(1));
    EXPECT_FALSE(b.EndFunction().ok());
  }
}

// Names may be used before they are defined; the others are primitives, in order of use.
TEST(Builder, NamesResolveAtTheEnd) {
  ExecBuilder b;
  b.BeginFunction("main", 1);
  b.EmitCall("later", {b.r(0)}, b.r(1));
  b.EmitCall("p", {b.r(1), b.f("later"), b.f("q")}, b.r(1));
  b.EmitRet(b.r(1));
  ASSERT_TRUE(b.EndFunction().ok());
  b.BeginFunction("later", 1);
  b.EmitRet(b.r(0));
  ASSERT_TRUE(b.EndFunction().ok());
  const ExecutablePtr executable = b.Finish().value();
  EXPECT_EQ(
      std::vector<std::string>(executable->primitives().begin(), executable->primitives().end()),
      (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(InstructionText(*executable, 1), "call  p                in: %1, @later, &q dst: %1");
}

TEST(Builder, DebugAndMetadata) {
  ExecBuilder b;
  b.SetMetadata("b", "2");
  b.SetMetadata("a", "1");
  b.SetMetadata("b", "3");
  b.BeginFunction("main", "(x: f32[n])");
  b.SetSource("conv_1", 3, 4);
  b.EmitMove(b.r(7), b.r(0));
  b.EmitKill(b.r(0));
  b.SetSource("");
  b.NameRegister(b.r(7), "hidden");
  b.EmitRet(b.r(7));
  ASSERT_TRUE(b.EndFunction().ok());
  const ExecutablePtr executable = b.Finish().value();
  EXPECT_EQ(executable->FindMetadata("b"), "3");
  EXPECT_EQ(executable->FindDebug(1)->text(), "conv_1");
  EXPECT_EQ(executable->FindDebug(1)->line, 3u);
  EXPECT_EQ(executable->FindDebug(2), nullptr);
  EXPECT_EQ(executable->functions()[0].RegisterName(1), "hidden");
  EXPECT_EQ(executable->functions()[0].RegisterName(0), "x");
}

}  // namespace
}  // namespace tern::vm::builder_test
