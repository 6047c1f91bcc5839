// SPDX-License-Identifier: Apache-2.0
#include "native/backends/kernel_backends.h"

#include <memory>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/loop_kernels/interpreted_kernel.h"
#include "native/backends/choose_backend.h"
#include "native/backends/compiled_kernel.h"
#include "native/backends/lazy_backend.h"

namespace tern::native {

using loop::BoundKernel;

namespace {

// The functions for which the executable has a loop program.
std::vector<uint32_t> FunctionsWithLoops(const vm::Program& program) {
  std::vector<uint32_t> functions;
  for (const vm::KernelInfo& kernel : program.executable().kernels()) {
    const Result<uint32_t> function = program.executable().FunctionIndex(kernel.name);
    if (kernel.format == "loop" && function.ok() && !kernel.bytes.empty())
      functions.push_back(*function);
  }
  return functions;
}

// A library of another version would run nothing, or half of the program, in silence.
Status CheckLibraries(const vm::Program& program, const CodeLibraries& libraries) {
  for (const vm::KernelInfo& kernel : program.executable().kernels()) {
    if (kernel.format != "loop") continue;
    for (const std::shared_ptr<const CodeLibrary>& library : libraries)
      TERN_TRY(library->Check(kernel.name, kernel.bytes));
  }
  return OkStatus();
}

}  // namespace

Status PrepareKernels(const vm::Program& program, const KernelOptions& options) {
  if (program.executable().kernels().empty()) return OkStatus();
  TERN_TRY(CheckLibraries(program, options.libraries));
  std::vector<vm::FunctionBackend> backends;
  for (const uint32_t function : FunctionsWithLoops(program)) {
    BackendSource source{program.shared_executable(), function, vm::HasOperators(program, function),
                         options};
    // Only `auto` puts the choice off: every other policy was asked for and must say at once if it
    // fails.
    if (options.policy == KernelPolicy::kAuto) {
      backends.push_back({function, LazyBackend::Make(std::move(source))});
    } else {
      TERN_TRY_ASSIGN(vm::KernelBackend backend, ChooseBackend(source));
      backends.push_back({function, std::move(backend)});
    }
  }
  // All at once, so that no machine sees half of them.
  program.SetKernels(std::move(backends));
  return OkStatus();
}

std::string KernelListings(const vm::Program& program) {
  std::string out;
  for (const vm::FunctionInfo& function : program.executable().functions()) {
    const std::string_view text = loop::LoopTextOf(program.executable(), function.name);
    if (text.empty()) continue;
    StrAppend(&out, "=== ", function.name, function.signature.ToText(), "\n", text,
              text.ends_with('\n') ? "" : "\n");
    const Result<BoundKernel> bound = loop::BindKernel({function.name, text, &function.signature});
    const Result<KernelListing> listing = bound.ok() ? ListKernel(*bound) : bound.status().Clone();
    if (!listing.ok()) {
      StrAppend(&out, "--- not compiled: ", listing.status().message(), "\n");
      continue;
    }
    StrAppend(&out, "--- loops\n", listing->loops, "--- lowered\n", listing->lowered, "--- llvm\n",
              listing->llvm);
  }
  return out;
}

}  // namespace tern::native
