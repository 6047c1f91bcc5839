// SPDX-License-Identifier: Apache-2.0
// Operators as Functions: what the virtual machine finds in the registry by an operator's name. An
// operator instance ("conv2d{strides=2,2}") is its parsed attributes and the function of
// bindings.def; a call checks the arguments, works out the shape by the rule that the compiler used
// too, allocates and runs the kernels of the context (RunContext::kernels).

#ifndef TERN_CORE_KERNELS_BIND_BIND_H_
#define TERN_CORE_KERNELS_BIND_BIND_H_

#include <string_view>

#include "core/base/result.h"
#include "core/object/function.h"
#include "core/object/registry.h"

namespace tern::kernels {

// A factory for every operator of bindings.def, and those of lists.h and maps.h. Errors: a name
// that is taken.
Status RegisterOperators(Registry* registry);
// The two parts of it: WebAssembly has the code of the second in a module of its own, which is
// fetched where a program names one of its functions.
Status RegisterCommonOperators(Registry* registry);   // common_bindings.def
Status RegisterFurtherOperators(Registry* registry);  // the others

// Whether MakeOperator knows the operator: its name without attributes.
bool HasOperator(std::string_view op);

// One instance, without a registry. name: "softmax{axis=1}".
Result<FunctionPtr> MakeOperator(std::string_view name);

}  // namespace tern::kernels

#endif  // TERN_CORE_KERNELS_BIND_BIND_H_
