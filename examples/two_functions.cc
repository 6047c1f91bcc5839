// SPDX-License-Identifier: Apache-2.0
// Two functions in one executable, called by their names.
#include "examples/example.h"

namespace tern::examples {

Result<vm::ExecutablePtr> Build() {
  vm::ExecBuilder ib;
  TERN_TRY(ib.DefineFunction("func0", 2u, [&] {
    ib.EmitCall("test.vm.add", {ib.r(0), ib.r(1)}, ib.r(2));
    ib.EmitRet(ib.r(2));
  }));
  TERN_TRY(ib.DefineFunction("func1", 2u, [&] {
    ib.EmitCall("test.vm.mul", {ib.r(0), ib.r(1)}, ib.r(2));
    ib.EmitRet(ib.r(2));
  }));
  return ib.Finish();
}

int Main() {
  Result<vm::ExecutablePtr> ex = Build();
  if (!ex.ok()) return Expect("build", ex.status().ToString(), "");
  auto vm = Start(*ex, {Elementwise("test.vm.add", [](double a, double b) { return a + b; }),
                        Elementwise("test.vm.mul", [](double a, double b) { return a * b; })});
  if (!vm.ok()) return Expect("link", vm.status().ToString(), "");
  const TensorPtr a = Tensor::FromValues<double>({0.5, 0.25, 1, 2}, {4}).value();
  const TensorPtr b = Tensor::FromValues<double>({4, 4, 3, 0.5}, {4}).value();
  return Expect("func1(a, b)", (*vm)->Call("func1", {a, b}), "f64[4] [2, 1, 3, 1]") +
         Expect("func0(a, b)", (*vm)->Call("func0", {a, b}), "f64[4] [4.5, 4.25, 4, 2.5]");
}

}  // namespace tern::examples

int main() { return tern::examples::Main(); }
