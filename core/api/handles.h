// SPDX-License-Identifier: Apache-2.0
// What the opaque handles of c_api.h are, and the few conversions that its implementation files
// share.
#ifndef TERN_CORE_API_HANDLES_H_
#define TERN_CORE_API_HANDLES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/api/c_api.h"
#include "core/base/status.h"
#include "core/kernels/choose.h"
#include "core/object/allocator.h"
#include "core/object/any.h"
#include "core/object/device.h"
#include "core/object/graph/print.h"
#include "core/vm/linker.h"
#include "core/vm/stateful.h"
#include "core/vm/vm.h"

struct tern_status {
  tern::Status status;
  // Rendered on first use; the accessors hand out pointers into these.
  mutable std::string code;
  mutable std::string message;
  mutable std::string text;
  mutable std::string json;
};

struct tern_buffer {
  std::vector<uint8_t> bytes;
};

struct tern_runtime {
  TernPlatform platform;
  const TernPlatform* platform_or_null;  // NULL: malloc, one thread
  const tern::kernels::KernelTable* kernels;
  tern::kernels::CpuFeatures features;
  tern::FunctionPtr (*find_builtin)(std::string_view name);
  tern::ObjectPtr<tern::Allocator> allocator;  // for tensors made outside of a machine
  std::vector<tern::DevicePtr> devices;        // numbers 1, 2, …
  std::vector<tern::FunctionPtr> functions;    // which programs find ahead of registered ones
  // Of the host's own kind (native/backends): libraries with code of programs' kernels.
  std::vector<std::shared_ptr<const void>> code_libraries;

  tern::Result<tern::vm::ProgramPtr> Link(tern::vm::ExecutablePtr executable) const {
    return tern::vm::Program::Link(std::move(executable),
                                   {.functions = functions, .find_builtin = find_builtin});
  }
};

struct tern_program {
  tern_runtime* runtime;
  tern::vm::ProgramPtr program;
};

struct tern_vm {
  std::unique_ptr<tern::vm::VirtualMachine> machine;
  const TernPlatform* platform;                    // lent by the runtime
  std::unique_ptr<tern::vm::StatefulVm> stateful;  // made when it is first needed
  // What runs independent calls together (parallel_api.cc), and what it wants before each run.
  std::unique_ptr<tern::vm::Hooks> executor;
  void (*before_run)(tern::vm::Hooks* executor) = nullptr;
  std::unique_ptr<tern::vm::Hooks> instrument = nullptr;  // or this (instrument_api.cc)

  // Ends what was set before; not while a run has calls under way that belong to it.
  tern::Status RemoveHooks() {
    if (machine->active()) return tern::InvalidArgument("the machine runs: end its run first");
    machine->SetHooks(nullptr);
    executor = nullptr;
    before_run = nullptr;
    instrument = nullptr;
    return tern::OkStatus();
  }
};

namespace tern::api {

// NULL for ok.
tern_status* ToHandle(Status status);

// A buffer whose text is followed by a zero that is not counted.
tern_buffer* NewBuffer(std::string_view text);
tern_buffer* NewBuffer(std::vector<uint8_t> bytes);

// Stores what was made where C asked for it; otherwise the status that says why there is nothing.
inline tern_status* Give(Result<Any> made, TernAny* out) {
  if (!made.ok()) return ToHandle(std::move(made).status());
  *out = made->Release();
  return nullptr;
}
inline tern_status* Give(const Result<int64_t>& number, int64_t* out) {
  if (!number.ok()) return ToHandle(number.status().Clone());
  *out = *number;
  return nullptr;
}
inline tern_status* Give(Result<std::string> made, tern_buffer** out) {
  if (!made.ok()) return ToHandle(std::move(made).status());
  *out = NewBuffer(*made);
  return nullptr;
}

// Views of C arguments; the layouts are the same (core/abi/abi.h).
inline const AnyView& View(const TernAny* any) { return *reinterpret_cast<const AnyView*>(any); }
inline std::string_view TextOr(const char* text, std::string_view fallback) {
  return text == nullptr ? fallback : std::string_view(text);
}

inline AnyArgs Args(const TernAny* args, int32_t num_args) {
  return {reinterpret_cast<const AnyView*>(args), static_cast<size_t>(num_args < 0 ? 0 : num_args)};
}

// A comma list of names; empty for NULL.
std::vector<std::string> SplitNames(const char* names);

// NULL where the struct's first field tells a size that it can have: at least that field, and
// behind the `known` bytes nothing but zeros, because a field of a newer header cannot be left out
// silently.
tern_status* CheckStruct(const void* options, size_t known, std::string_view name);

// CheckStruct by the type of `options`, which may be NULL. In WebAssembly only the package calls,
// which writes every struct whole: there the check would be bytes that find nothing.
#ifdef __wasm__
#define TERN_CHECK_OPTIONS(type, options) static_cast<void>(options)
#else
#define TERN_CHECK_OPTIONS(type, options)                                             \
  if (tern_status* wrong_size = tern::api::CheckStruct(options, sizeof(type), #type); \
      wrong_size != nullptr)                                                          \
  return wrong_size
#endif

// The struct as the caller was built, with zeros for the fields it does not have. NULL gives all
// zeros. The caller has seen to CheckStruct.
template <typename T>
T ReadOptions(const T* options) {
  T copy{};
  if (options == nullptr) return copy;
  const size_t size = options->struct_size < sizeof(T) ? options->struct_size : sizeof(T);
  __builtin_memcpy(&copy, options, size);
  return copy;
}

// tern_any_print, with what `limits` say of types.
tern_status* Print(const TernAny* value, std::string_view format, const tern_print_options* options,
                   PrintOptions limits, uint64_t* omitted, tern_buffer** out);

}  // namespace tern::api

#endif  // TERN_CORE_API_HANDLES_H_
