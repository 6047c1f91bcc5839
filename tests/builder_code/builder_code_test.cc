// SPDX-License-Identifier: Apache-2.0
// C25: builder code, compiled and run, rebuilds the file byte for byte. C26: the founding
// document's edited dump.
#include "core/vm/text/builder_code.h"

#include <gtest/gtest.h>

#include "core/base/strings.h"
#include "core/vm/builder.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/disassembler.h"
#include "core/vm/vm.h"
#include "tests/builder_code/cases.h"

namespace tern::vm {
namespace {

TEST(BuilderCode, C25_CompiledCodeRebuildsTheFile) {
  ASSERT_GE(GeneratedCases().size(), kInstructionCount + 25) << "each instruction has a program";
  for (const GeneratedCase& c : GeneratedCases()) {
    const Result<ExecutablePtr> built = c.build();
    ASSERT_TRUE(built.ok()) << c.name << ": " << text::RenderText(built.status());
    const std::vector<uint8_t> bytes = SaveExecutable(**built);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), c.bytes.begin(), c.bytes.end()))
        << c.name << "\n"
        << Disassemble(**built);
  }
}

ExecutablePtr Func0() {
  ExecBuilder ib;
  ib.BeginFunction("func0", 2);
  ib.EmitCall("vm.op.add", {ib.r(0), ib.r(1)}, ib.r(2));
  ib.EmitCall("vm.builtin.move", {ib.r(2)}, ib.r(3));
  ib.EmitCall("vm.builtin.print", {ib.r(3)});
  ib.EmitRet(ib.r(3));
  EXPECT_TRUE(ib.EndFunction().ok());
  return ib.Finish().value();
}

TEST(BuilderCode, C25_ReadsLikeTheDocument) {
  EXPECT_EQ(AsBuilderCode(*Func0(), CodeLanguage::kCpp),
            "#include \"core/vm/builder.h\"\n"
            "\n"
            "tern::Result<tern::vm::ExecutablePtr> build() {\n"
            "  using tern::vm::Opcode;\n"
            "  tern::vm::ExecBuilder ib;\n"
            "  ib.BeginFunction(\"func0\", 2u);\n"
            "  ib.EmitCall(\"vm.op.add\", {ib.r(0), ib.r(1)}, ib.r(2));\n"
            "  ib.EmitCall(\"vm.builtin.move\", {ib.r(2)}, ib.r(3));\n"
            "  ib.EmitCall(\"vm.builtin.print\", {ib.r(3)});\n"
            "  ib.EmitRet(ib.r(3));\n"
            "  ib.EndFunction().IgnoreError();  // Finish tells all errors\n"
            "  return ib.Finish();\n"
            "}\n");
  EXPECT_EQ(AsBuilderCode(*Func0(), CodeLanguage::kJavaScript, "func"),
            "export function func(runtime) {\n"
            "  const ib = runtime.builder();\n"
            "  ib.function(\"func0\", 2, () => {\n"
            "    ib.emitCall(\"vm.op.add\", [ib.r(0), ib.r(1)], ib.r(2));\n"
            "    ib.emitCall(\"vm.builtin.move\", [ib.r(2)], ib.r(3));\n"
            "    ib.emitCall(\"vm.builtin.print\", [ib.r(3)]);\n"
            "    ib.emitRet(ib.r(3));\n"
            "  });\n"
            "  return ib.finish();\n"
            "}\n");
}

int64_t ticks = 0;

std::vector<FunctionPtr> DocumentFunctions() {
  const auto add = [](int64_t a, int64_t b) { return a + b; };
  const auto time = [](AnyArgs) -> Result<Any> { return Any(++ticks); };
  return {Function::FromTyped("vm.op.add", add), Function::FromPacked("time", time)};
}

// The document's dump with two timing calls put in: a new program that runs, and whose registers
// r(100) and r(101) cost one slot each. Their values are seen by stopping before the return.
TEST(BuilderCode, C26_EditedDumpTimesACall) {
  ExecBuilder ib;
  ib.BeginFunction("func0", 2u);
  ib.EmitCall("vm.op.add", {ib.r(0), ib.r(1)}, ib.r(2));
  ib.EmitCall("time", {}, ib.r(100));
  ib.EmitCall("vm.builtin.move", {ib.r(2)}, ib.r(3));
  ib.EmitCall("time", {}, ib.r(101));
  ib.EmitCall("vm.builtin.print", {ib.r(3)});
  ib.EmitRet(ib.r(3));
  ASSERT_TRUE(ib.EndFunction().ok());
  const ExecutablePtr executable = ib.Finish().value();
  EXPECT_EQ(executable->functions()[0].register_count, 6u);
  EXPECT_EQ(AsText(*executable),
            "@func0:\n"
            "  call  vm.op.add        in: %0, %1       dst: %2\n"
            "  call  time             in:              dst: %3\n"
            "  call  vm.builtin.move  in: %2           dst: %4\n"
            "  call  time             in:              dst: %5\n"
            "  call  vm.builtin.print in: %4           dst: void\n"
            "  ret   ret %4\n");
  const std::vector<FunctionPtr> functions = DocumentFunctions();
  LinkOptions link;
  link.functions = functions;
  auto vm = VirtualMachine::Create(Program::Link(executable, link).value()).value();
  std::string output;
  vm->context().set_writer(
      [](void* to, std::string_view line) { static_cast<std::string*>(to)->append(line); },
      &output);
  ticks = 41;
  const AnyView args[] = {2, 3};
  ASSERT_TRUE(vm->Begin("func0", args).ok());
  ASSERT_EQ(vm->Resume(5).value(), StopReason::kPaused);
  const FrameView frame = vm->frame(0);
  EXPECT_EQ(frame.registers[3].TryCast<int64_t>(), 42);
  EXPECT_EQ(frame.registers[5].TryCast<int64_t>(), 43);
  ASSERT_EQ(vm->Resume(0).value(), StopReason::kReturned);
  EXPECT_EQ(vm->TakeResult().TryCast<int64_t>(), 5);
  EXPECT_EQ(output, "5");
}

// What an editor of a dump may get wrong.
TEST(BuilderCode, C26_BadEditsAreErrors) {
  {
    ExecBuilder ib;
    ib.BeginFunction("func0", 2u);
    ib.EmitCall("vm.builtin.move", {ib.r(102)}, ib.r(3));
    ib.EmitRet(ib.r(3));
    EXPECT_NE(ib.EndFunction().message().find("is read"), std::string_view::npos);
  }
  {
    ExecBuilder ib;
    ib.AppendConstantText("f32[2] [1]");
    const Status status = ib.Finish().status();
    EXPECT_NE(
        status.message().find("constant 'f32[2] [1]', character 10: the shape needs 2 elements"),
        std::string_view::npos)
        << status.ToString();
  }
  {
    ExecBuilder ib;
    ib.AppendConstantText("tuple (c[0])");
    EXPECT_FALSE(ib.Finish().ok()) << "refers to itself";
  }
  {
    ExecBuilder ib;
    ib.BeginFunction("func0", 0u);
    ib.EmitRet(ib.c(7));
    EXPECT_TRUE(ib.EndFunction().ok());
    EXPECT_FALSE(ib.Finish().ok()) << "there is no constant 7";
  }
}

}  // namespace
}  // namespace tern::vm
