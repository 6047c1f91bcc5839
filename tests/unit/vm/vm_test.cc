// SPDX-License-Identifier: Apache-2.0
// The virtual machine from the outside: build, save, load, run, stop, fail, go on.
#include "core/vm/vm.h"

#include <gtest/gtest.h>

#include "core/vm/assembler.h"
#include "core/vm/builder.h"
#include "core/vm/disassembler.h"
#include "core/vm/reader.h"
#include "core/vm/writer.h"

namespace tern::vm {
namespace {

std::unique_ptr<VirtualMachine> MakeVm(ExecutablePtr executable, std::vector<FunctionPtr> functions = {},
                                       VmOptions options = {}) {
  Registry registry;
  LinkOptions link;
  link.registry = &registry;
  link.functions = functions;
  Result<ProgramPtr> program = Program::Link(std::move(executable), link);
  EXPECT_TRUE(program.ok()) << program.status().ToString();
  Result<std::unique_ptr<VirtualMachine>> vm = VirtualMachine::Create(*program, options);
  EXPECT_TRUE(vm.ok());
  return std::move(vm).value();
}

ExecutablePtr MustAssemble(std::string_view text) {
  Result<ExecutablePtr> executable = Assemble(text, "test.tasm");
  EXPECT_TRUE(executable.ok()) << text::RenderText(executable.status());
  return executable.ok() ? *executable : nullptr;
}

constexpr std::string_view kFib = R"(
.func @fib(n: int) -> int
  lt    %0, 2 dst: %1
  if    %1 true: base false: more
base:
  ret   ret %0
more:
  sub   %0, 1 dst: %2
  invoke @fib in: %2 dst: %3
  sub   %0, 2 dst: %2
  invoke @fib in: %2 dst: %4
  add   %3, %4 dst: %3
  ret   ret %3
)";

TEST(Vm, RunsRecursion) {
  auto vm = MakeVm(MustAssemble(kFib));
  Result<Any> result = vm->Call("fib", {20});
  ASSERT_TRUE(result.ok()) << text::RenderText(result.status());
  EXPECT_EQ(result->TryCast<int64_t>(), 6765);
  EXPECT_EQ(vm->depth(), 0u);
}

TEST(Vm, FoundingDocumentListing) {
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

TEST(Vm, SaveLoadSave) {
  ExecutablePtr executable = MustAssemble(R"(
.meta "producer" = "test"
.const c[0] = f32[2, 2] [1, 2, 3.5, -0]
.const c[1] = string "long enough text"
.const c[2] = splat i64[3] 7
.func @main(x: f32[n]) -> f32[n]
  .name %1 hidden
  .loc "node" 3:4
  call  add in: %0, c[0] dst: %1
  kill  %0
  load_const c[2] dst: %2
  ret   ret %1
)");
  const std::vector<uint8_t> bytes = SaveExecutable(*executable);
  Result<ExecutablePtr> loaded = ReadExecutable(bytes, nullptr);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(SaveExecutable(**loaded), bytes);
  const std::string text = Disassemble(**loaded);
  EXPECT_EQ(SaveExecutable(*MustAssemble(text)), bytes) << text;
}

}  // namespace
}  // namespace tern::vm
