// SPDX-License-Identifier: Apache-2.0
// The first program of the Relax VM's design: (x + 10) * c, where c is a constant of the pool.
#include "examples/example.h"

namespace tern::examples {

Result<vm::ExecutablePtr> Build() {
  vm::ExecBuilder ib;
  ib.AddConstant(Tensor::FromValues<double>({1, 2, 3, 4}, {4}).value());
  TERN_TRY(ib.DefineFunction("main", 1u, [&] {
    ib.EmitCall("vm.move", {ib.c(0)}, ib.r(1));
    ib.EmitCall("vm.add", {ib.r(0), ib.imm(10)}, ib.r(2));
    ib.EmitCall("vm.mul", {ib.r(2), ib.r(1)}, ib.r(3));
    ib.EmitRet(ib.r(3));
  }));
  return ib.Finish();
}

int Main() {
  Result<vm::ExecutablePtr> executable = Build();
  if (!executable.ok()) return Expect("build", executable.status().ToString(), "");
  auto machine = Start(*executable,
                       {Function::FromTyped("vm.move", [](AnyView source) { return Any(source); }),
                        Elementwise("vm.add", [](double a, double b) { return a + b; }),
                        Elementwise("vm.mul", [](double a, double b) { return a * b; })});
  if (!machine.ok()) return Expect("link", machine.status().ToString(), "");
  const TensorPtr x = Tensor::FromValues<double>({0, 1, 2, 3}, {4}).value();
  return Expect("(x + 10) * c", (*machine)->Call("main", {x}), "f64[4] [10, 22, 36, 52]");
}

}  // namespace tern::examples

int main() { return tern::examples::Main(); }
