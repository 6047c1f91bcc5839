// SPDX-License-Identifier: Apache-2.0
// Compiles an ONNX model that a test wrote and calls it.
#ifndef TERN_TESTS_UNIT_DRIVER_RUN_MODEL_H_
#define TERN_TESTS_UNIT_DRIVER_RUN_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/driver/compile.h"
#include "core/kernels/bind/bind.h"
#include "core/object/graph/print.h"
#include "core/vm/vm.h"

namespace tern::test {

inline Result<driver::CompileResult> CompileModel(const std::string& model,
                                                  driver::CompileOptions options = {}) {
  options.source_name = "net.onnx";
  return driver::CompileOnnx({reinterpret_cast<const uint8_t*>(model.data()), model.size()},
                             options);
}

inline Result<std::unique_ptr<vm::VirtualMachine>> MachineOf(vm::ExecutablePtr executable,
                                                             const vm::VmOptions& options = {}) {
  static_cast<void>(kernels::RegisterOperators(&Registry::Global()));
  TERN_TRY_ASSIGN(vm::ProgramPtr program, vm::Program::Link(std::move(executable), {}));
  return vm::VirtualMachine::Create(std::move(program), options);
}

// The printed result, or the message of whatever refused.
inline std::string RunModel(const std::string& model, const std::vector<Any>& args,
                            const vm::VmOptions& options = {}) {
  const Result<driver::CompileResult> compiled = CompileModel(model);
  if (!compiled.ok()) return std::string(compiled.status().message());
  const auto vm = MachineOf(compiled->executable, options);
  if (!vm.ok()) return std::string(vm.status().message());
  const std::vector<AnyView> views(args.begin(), args.end());
  const Result<Any> result = (*vm)->Call("main", views);
  if (!result.ok()) return std::string(result.status().message());
  return PrintValue(*result, {.max_elements = 50, .max_depth = 8});
}

inline Any Floats(const std::vector<float>& values, const std::vector<int64_t>& dims) {
  return Any(Tensor::FromValues<float>(values, dims).value());
}
inline Any Number(int64_t value) { return Any(Tensor::Scalar<int64_t>(value)); }

}  // namespace tern::test

#endif  // TERN_TESTS_UNIT_DRIVER_RUN_MODEL_H_
