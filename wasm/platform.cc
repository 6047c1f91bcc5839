// SPDX-License-Identifier: Apache-2.0
// What modules that run programs ask of their JavaScript host and offer besides the C API: memory
// as the platform lends it, functions and kernels of JavaScript, and bytes that it keeps.
#include <stdlib.h>

#include "core/api/c_api.h"
#include "core/base/platform.h"

extern "C" {

// Imported: calls the host's function `id` by the packed convention; and says that the last
// reference to it is gone.
__attribute__((import_module("tern"), import_name("host_call"))) int32_t tern_host_call(
    uint32_t id, const TernAny* args, int32_t num_args, TernAny* result);
__attribute__((import_module("tern"), import_name("host_release"))) void tern_host_release(
    uint32_t id);

// Imported: runs the host's kernel `id`; 0, or a number for what went wrong.
__attribute__((import_module("tern"), import_name("host_kernel"))) int32_t tern_host_kernel(
    uint32_t id, void* const* buffers, const int64_t* slots);

// Imported: copies bytes of what the host keeps as `id` into memory; 0, or 1 where it has not so
// many. tern_host_release ends it. Numbers are exact up to 2^53.
__attribute__((import_module("tern"), import_name("host_read"))) int32_t tern_host_read(
    uint32_t id, double offset, double length, void* destination);

// Imported: milliseconds of a clock that only goes forward.
__attribute__((import_module("tern"), import_name("host_now"))) double tern_host_now(void);

// For tern_runtime_create: the clock is what the host has to lend. A quarter of what the memory may
// grow to (MAXIMUM_MEMORY in wasm/CMakeLists.txt; no function tells it here) is kept for what runs
// do not count.
const TernPlatform* tern_wasm_platform(void) {
  static constexpr TernPlatform kPlatform = {
      .struct_size = sizeof(TernPlatform),
      .context = nullptr,
      .allocate = nullptr,
      .free = nullptr,
      .parallel = nullptr,
      .clock_ns = [](void*) { return static_cast<int64_t>(tern_host_now() * 1e6); },
      .log = nullptr,
      .memory_limit = uint64_t{3} << 30};
  return &kPlatform;
}

// A function of the host as a function object.
tern_status* tern_wasm_host_function(const char* name, uint32_t id, TernAny* function) {
  const auto call = [](void* self, const TernAny* args, int32_t num_args, TernAny* result) {
    const auto number = reinterpret_cast<uintptr_t>(tern_function_data(self));
    return tern_host_call(static_cast<uint32_t>(number), args, num_args, result);
  };
  const auto release = [](void* data) {
    tern_host_release(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data)));
  };
  return tern_function_new(name, nullptr, call, reinterpret_cast<void*>(uintptr_t{id}), release,
                           function);
}

// A program of an executable of `bytes` bytes that the host keeps as `id`.
tern_status* tern_wasm_load_on_demand(tern_runtime* runtime, uint32_t id, double bytes,
                                      tern_program** program) {
  const auto read = [](void* context, uint64_t offset, uint64_t length, void* destination) {
    const auto number = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(context));
    return tern_host_read(number, static_cast<double>(offset), static_cast<double>(length),
                          destination);
  };
  const auto release = [](void* context) {
    tern_host_release(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(context)));
  };
  const tern_file_source source = {.struct_size = sizeof(source),
                                   .context = reinterpret_cast<void*>(uintptr_t{id}),
                                   .bytes = static_cast<uint64_t>(bytes),
                                   .read = read,
                                   .release = release};
  return tern_program_load_on_demand(runtime, &source, program);
}

// Table indices for the kernels that the host keeps by number: what tern_kernel_spec calls with
// them, and what ends them.
int32_t (*tern_wasm_kernel_hook(void))(void*, void* const*, const int64_t*) {
  return [](void* self, void* const* buffers, const int64_t* slots) {
    return tern_host_kernel(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(self)), buffers,
                            slots);
  };
}
void (*tern_wasm_release_hook(void))(void*) {
  return [](void* self) {
    tern_host_release(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(self)));
  };
}

// Table index of free(void*), for tern_program_load's release argument.
void (*tern_wasm_free_hook(void))(void*) { return &free; }

}  // extern "C"
