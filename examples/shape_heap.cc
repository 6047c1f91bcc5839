// SPDX-License-Identifier: Apache-2.0
// The shape heap: a shape is stored into a tensor of ints and loaded back, and new shapes are
// computed in it: (j, k) = (m + 1, n + 1).
#include "examples/example.h"

namespace tern::examples {

// A raw tensor as an argument becomes a constant.
Result<vm::ExecutablePtr> BuildStatic(const TensorPtr& x) {
  vm::ExecBuilder ib;
  TERN_TRY(ib.DefineFunction("main", 0u, [&] {
    // A shape heap of size 2, in r(0).
    ib.EmitCall("vm.builtin.alloc_shape_heap", {ib.imm(2)}, ib.r(0));
    // The shape of x, in r(1).
    ib.EmitCall("vm.builtin.shape_of", {x}, ib.r(1));
    // heap[0] = 32, heap[1] = 16.
    ib.EmitCall("vm.builtin.store_shape", {ib.r(1), ib.r(0), ib.imm(0), ib.imm(1)});
    // A shape of the values at 0 and 1.
    ib.EmitCall("vm.builtin.load_shape", {ib.r(0), ib.imm(0), ib.imm(1)}, ib.r(2));
    ib.EmitRet(ib.r(2));
  }));
  return ib.Finish();
}

// The same with arithmetic: entries 2 and 3 are made of entries 0 and 1.
Result<vm::ExecutablePtr> BuildDynamic() {
  vm::ExecBuilder ib;
  TERN_TRY(ib.DefineFunction("main", "(x: f64[m, n]) -> shape", [&] {
    ib.EmitCall("vm.builtin.alloc_shape_heap", {ib.imm(4)}, ib.r(1));
    ib.EmitCall("vm.builtin.shape_of", {ib.r(0)}, ib.r(2));
    ib.EmitCall("vm.builtin.store_shape", {ib.r(2), ib.r(1), ib.imm(0), ib.imm(1)});
    for (const int64_t axis : {0, 1}) {
      ib.EmitCall("vm.builtin.load_dim", {ib.r(1), ib.imm(axis)}, ib.r(3));
      ib.Emit(vm::Opcode::kAdd, {ib.r(3), ib.r(3), ib.imm(1)});
      ib.EmitCall("vm.builtin.store_dim", {ib.r(1), ib.imm(axis + 2), ib.r(3)});
    }
    ib.EmitCall("vm.builtin.load_shape", {ib.r(1), ib.imm(2), ib.imm(3)}, ib.r(4));
    ib.EmitRet(ib.r(4));
  }));
  return ib.Finish();
}

int Main() {
  const TensorPtr x = Tensor::New(kF64, {32, 16}).value();
  const TensorPtr y = Tensor::New(kF64, {2, 3}).value();
  Result<vm::ExecutablePtr> fixed = BuildStatic(x), dynamic = BuildDynamic();
  if (!fixed.ok()) return Expect("build", fixed.status().ToString(), "");
  if (!dynamic.ok()) return Expect("build", dynamic.status().ToString(), "");
  auto first = Start(*fixed), second = Start(*dynamic);
  if (!first.ok()) return Expect("link", first.status().ToString(), "");
  if (!second.ok()) return Expect("link", second.status().ToString(), "");
  return Expect("stored and loaded", (*first)->Call("main", {}), "[32, 16]") +
         Expect("(m + 1, n + 1) of f64[32, 16]", (*second)->Call("main", {x}), "[33, 17]") +
         Expect("(m + 1, n + 1) of f64[2, 3]", (*second)->Call("main", {y}), "[3, 4]");
}

}  // namespace tern::examples

int main() { return tern::examples::Main(); }
