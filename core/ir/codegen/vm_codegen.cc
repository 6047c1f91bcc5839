// SPDX-License-Identifier: Apache-2.0
#include "core/ir/codegen/vm_codegen.h"

#include "core/ir/codegen/function_codegen.h"
#include "core/ir/visitor.h"
#include "core/loop/text/printer.h"
#include "core/vm/places.h"
#include "core/vm/verify_types.h"

namespace tern::ir {

namespace {

// Closures are made of functions, so lambdas must be functions by now.
Status CheckLifted(const Module::Item& item) {
  bool lifted = true;
  ForEachBinding(item.function->bindings(), [&lifted](const Binding& binding) {
    lifted = lifted && binding.value->As<Function>() == nullptr;
  });
  if (lifted) return OkStatus();
  return Unsupported("function ", item.name,
                     " has lambdas: run lambda_lift before code generation");
}

}  // namespace

Result<vm::ExecutablePtr> GenerateCode(const Module& module,
                                       std::vector<RegisterAssignment>* assignments,
                                       const CodegenOptions& options) {
  vm::ExecBuilder builder;
  std::string places;
  uint32_t index = 0;
  for (const Module::Item& item : module.items()) {
    TERN_TRY(CheckLifted(item));
    FunctionCodegen codegen(&builder, *item.function, options);
    TERN_TRY(codegen.Run(item.name));
    if (options.places_tensors) AddTensorPlaces(module, index, codegen.calls(), &places);
    ++index;
    if (assignments != nullptr) assignments->push_back(codegen.TakeAssignment());
    // The loop program goes along as a kernel; the function's bytecode stays as the fallback by
    // operators.
    if (item.kernel != nullptr) builder.AddKernel({item.name, "loop", loop::ToText(*item.kernel)});
  }
  for (const auto& entry : module.metadata()) builder.SetMetadata(entry.first, entry.second);
  if (!places.empty()) builder.SetMetadata(vm::kPlacesKey, places);
  // Tells the linker that the compiler has proved types, so that the machine need not check them
  // again.
  builder.SetMetadata(vm::kTypesProved.first, vm::kTypesProved.second);
  return builder.Finish();
}

}  // namespace tern::ir
