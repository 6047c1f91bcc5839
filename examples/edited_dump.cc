// SPDX-License-Identifier: Apache-2.0
// A program's statistics, listing and builder code; then that code with two calls of a clock put
// in, whose readings are found in r(100) and r(101).
#include <ctime>

#include "core/vm/text/builder_code.h"
#include "core/vm/text/disassembler.h"
#include "examples/example.h"

namespace tern::examples {

Result<vm::ExecutablePtr> Func0() {
  vm::ExecBuilder ib;
  TERN_TRY(ib.DefineFunction("func0", 2u, [&] {
    ib.EmitCall("vm.op.add", {ib.r(0), ib.r(1)}, ib.r(2));
    ib.EmitCall("vm.builtin.move", {ib.r(2)}, ib.r(3));
    ib.EmitCall("vm.builtin.print", {ib.r(3)});
    ib.EmitRet(ib.r(3));
  }));
  return ib.Finish();
}

// What AsBuilderCode prints of it, edited: the clock's readings are returned beside the result.
Result<vm::ExecutablePtr> Edited() {
  vm::ExecBuilder ib;
  ib.BeginFunction("func0", 2u);
  ib.EmitCall("vm.op.add", {ib.r(0), ib.r(1)}, ib.r(2));
  ib.EmitCall("time", {}, ib.r(100));
  ib.EmitCall("vm.builtin.move", {ib.r(2)}, ib.r(3));
  ib.EmitCall("time", {}, ib.r(101));
  ib.EmitCall("vm.builtin.print", {ib.r(3)});
  ib.Emit(vm::Opcode::kLe, {ib.r(102), ib.r(100), ib.r(101)});
  ib.EmitTuple(ib.r(103), std::vector<vm::Arg>{ib.r(3), ib.r(102)});
  ib.EmitRet(ib.r(103));
  ib.EndFunction().IgnoreError();  // Finish tells all errors
  return ib.Finish();
}

Result<Any> Print(AnyArgs args) {
  for (const AnyView& arg : args) std::printf("%s\n", PrintValue(arg).c_str());
  return Any();
}
Result<Any> Clock(AnyArgs) { return Any(static_cast<double>(std::clock()) / CLOCKS_PER_SEC); }

constexpr char kListing[] =
    "@func0:\n"
    "  call  vm.op.add        in: %0, %1       dst: %2\n"
    "  call  vm.builtin.move  in: %2           dst: %3\n"
    "  call  vm.builtin.print in: %3           dst: void\n"
    "  ret   ret %3\n";

int Main() {
  Result<vm::ExecutablePtr> exec0 = Func0(), edited = Edited();
  if (!exec0.ok()) return Expect("build", exec0.status().ToString(), "");
  if (!edited.ok()) return Expect("build", edited.status().ToString(), "");
  std::printf("%s\n%s\n", vm::Stats(**exec0).c_str(),
              vm::AsBuilderCode(**exec0, vm::CodeLanguage::kCpp).c_str());
  auto machine = Start(*edited, {Elementwise("vm.op.add", [](double a, double b) { return a + b; }),
                                 Function::FromPacked("vm.builtin.print", &Print),
                                 Function::FromPacked("time", &Clock)});
  if (!machine.ok()) return Expect("link", machine.status().ToString(), "");
  const TensorPtr a = Tensor::FromValues<double>({1, 2}, {2}).value();
  return Expect("listing", vm::AsText(**exec0), kListing) +
         Expect("sum, and whether time went on", (*machine)->Call("func0", {a, a}),
                "(f64[2] [2, 4], true)");
}

}  // namespace tern::examples

int main() { return tern::examples::Main(); }
