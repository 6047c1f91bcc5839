// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/loops/kernel_rows.h"

#include <string>

#include "core/base/strings.h"
#include "core/kernels/bind/bind.h"
#include "core/object/registry.h"
#include "core/vm/text/assembler.h"
#include "core/vm/vm.h"
#include "native/backends/kernel_backends.h"

namespace tern::bench {
namespace {

using native::KernelPolicy;
using native::PrepareKernels;

constexpr int kCalls = 100;

// Calls of relu, as an operator and as a kernel, of so few elements that the call is what costs.
std::string ProgramText() {
  std::string text =
      StrCat(".kernel \"k\" \"loop\" text \"te k<n>(X: float32[n]) -> (Y: float32[n]) {",
             " compute Y[i] = max(X[i], float32(0)) }\"\n",
             ".func @k(x: f32[n]) -> f32[n]\n  call relu in: %0 dst: %1\n  ret ret %1\n");
  struct Row {
    std::string_view name, call;
  };
  for (const Row& row : {Row{"kernels", "invoke @k"}, Row{"operators", "call relu"}}) {
    StrAppend(&text, ".func @", row.name, "(x: f32[n]) -> f32[n]\n");
    for (int i = 0; i < kCalls; ++i) StrAppend(&text, "  ", row.call, " in: %0 dst: %1\n");
    StrAppend(&text, "  ret ret %1\n");
  }
  return text;
}

Result<vm::ProgramPtr> Load(KernelPolicy policy) {
  TERN_TRY_ASSIGN(const vm::ExecutablePtr executable, vm::Assemble(ProgramText(), "bench.tasm"));
  TERN_TRY_ASSIGN(vm::ProgramPtr program, vm::Program::Link(executable));
  TERN_TRY(PrepareKernels(*program, {.policy = policy}));
  return program;
}

Status CallRow(std::string_view name, KernelPolicy policy, Bench* bench) {
  TERN_TRY_ASSIGN(const vm::ProgramPtr program, Load(policy));
  TERN_TRY_ASSIGN(const auto machine, vm::VirtualMachine::Create(program));
  TERN_TRY_ASSIGN(const TensorPtr x, Tensor::New(kF32, {4}));
  for (float& value : std::span(x->data_as<float>(), 4)) value = 0.5f;
  const auto calls_of = [&](std::string_view function) -> Loop {
    return [&machine, &x, function](int64_t n) {
      for (; n > 0; --n) Keep(machine->Call(function, {x.get()}).ok());
    };
  };
  bench->Compare(
      {.name = std::string(name), .rival_name = "the operator", .items_per_iteration = kCalls},
      calls_of("kernels"), calls_of("operators"));
  return OkStatus();
}

Status PrepareRow(Bench* bench) {
  TERN_TRY_ASSIGN(const vm::ProgramPtr program, Load(KernelPolicy::kOperators));
  const auto prepares = [&](KernelPolicy policy) -> Loop {
    return [&program, policy](int64_t n) {
      for (; n > 0; --n) Keep(PrepareKernels(*program, {.policy = policy}).ok());
    };
  };
  bench->Compare({.name = "a kernel at the load of its program", .rival_name = "looked at there"},
                 prepares(KernelPolicy::kAuto), prepares(KernelPolicy::kInterpreter));
  return OkStatus();
}

}  // namespace

Status KernelRows(Bench* bench) {
  TERN_TRY(kernels::RegisterOperators(&Registry::Global()));
  TERN_TRY(PrepareRow(bench));
  TERN_TRY(CallRow("a call of a kernel, compiled", KernelPolicy::kCompiled, bench));
  return CallRow("a call of a kernel, interpreted", KernelPolicy::kInterpreter, bench);
}

}  // namespace tern::bench
