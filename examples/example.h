// SPDX-License-Identifier: Apache-2.0
// What the examples share: element-wise functions on f64 tensors, and an end that tells whether all
// was as expected.
#ifndef TERN_EXAMPLES_EXAMPLE_H_
#define TERN_EXAMPLES_EXAMPLE_H_

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/object/graph/print.h"
#include "core/object/run_context.h"
#include "core/vm/builder.h"
#include "core/vm/vm.h"

namespace tern::examples {

// A primitive of two operands, tensors of one shape or ints, that has `op` done to each element.
template <typename Op>
FunctionPtr Elementwise(const char* name, Op op) {
  return Function::FromTyped(
      name, [op](RunContext& context, AnyView a, AnyView b) -> Result<TensorPtr> {
        const Tensor& x = a.Is<Tensor>() ? *a.TryCast<Tensor>() : *b.TryCast<Tensor>();
        const auto at = [](AnyView value, int64_t i) {
          const Tensor* tensor = value.TryCast<Tensor>();
          return tensor == nullptr ? static_cast<double>(*value.TryCast<int64_t>())
                                   : tensor->data_as<double>()[i];
        };
        TERN_TRY_ASSIGN(TensorPtr out, context.NewTensor(kF64, x.dims()));
        for (int64_t i = 0; i < out->element_count(); ++i)
          out->data_as<double>()[i] = op(at(a, i), at(b, i));
        return out;
      });
}

// The executable on a machine that has the functions.
inline Result<std::unique_ptr<vm::VirtualMachine>> Start(
    vm::ExecutablePtr executable, const std::vector<FunctionPtr>& functions = {}) {
  vm::LinkOptions link;
  link.functions = functions;
  TERN_TRY_ASSIGN(vm::ProgramPtr program, vm::Program::Link(std::move(executable), link));
  return vm::VirtualMachine::Create(std::move(program));
}

// Prints what came out; 0 where it is what was expected.
inline int Expect(const char* what, const std::string& got, const std::string& expected) {
  std::printf("%s: %s\n", what, got.c_str());
  if (got == expected) return 0;
  std::printf("  expected %s\n", expected.c_str());
  return 1;
}
inline int Expect(const char* what, const Result<Any>& got, const std::string& expected) {
  return Expect(what, got.ok() ? PrintValue(*got) : got.status().ToString(), expected);
}

}  // namespace tern::examples

#endif  // TERN_EXAMPLES_EXAMPLE_H_
