// SPDX-License-Identifier: Apache-2.0
// Kernels of executables, outside of the module that runs them: checked, emitted as WebAssembly,
// interpreted.
#include <memory>
#include <string>
#include <vector>

#include "core/api/handles.h"
#include "core/api/loop_api.h"
#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/loop/emit/wasm_module.h"
#include "core/loop/run/interpreter.h"
#include "core/loop_kernels/bind.h"
#include "core/vm/signature.h"

// Memory for one run of the interpreter. `arguments` points into `blocks`.
struct KernelMemory {
  std::vector<int64_t> sizes;
  std::vector<uint64_t> scalars;
  std::vector<std::vector<uint64_t>> blocks;  // aligned for every element
  std::vector<tern::loop::BufferArgument> arguments;
};

struct tern_loop_kernel {
  std::string json;
  std::string unproven;
  tern::loop::Program program;  // its one function, lowered for WebAssembly
  std::unique_ptr<KernelMemory> memory;

  const tern::loop::LoopFunction& function() const { return program.functions[0]; }
};

namespace tern::api {
namespace {

// The code as core/loop_kernels/check_accesses.h has it, which this file need not include for one
// name.
constexpr std::string_view kNotProven = "E0517";
// In bytes: what the memory of the side module may hold besides itself.
constexpr int64_t kMaxBytes = int64_t{1} << 30;
// In operations, for kernels whose loops are not known to end: some seconds, which a page has to
// wait for.
constexpr int64_t kMaxUnprovenSteps = int64_t{1} << 28;

// Why it cannot be emitted; empty where it can.
std::string Unproven(const loop::BoundKernel& bound) {
  return bound.proof.ok() ? std::string() : std::string(bound.proof.message());
}

std::string Describe(const loop::BoundKernel& bound) {
  JsonWriter json;
  json.BeginObject()
      .Field("signature", bound.signature)
      .Field("results", int64_t{bound.results})
      .Field("zeroed", bound.zeroed)
      .Field("unproven", Unproven(bound));
  json.Key("slots").BeginArray();
  for (const std::string& slot : bound.slots) json.String(slot);
  json.EndArray().EndObject();
  return json.Take();
}

// The handle keeps texts and the lowered program, not the bound kernel, which points into the
// source.
Result<tern_loop_kernel*> Create(std::string_view name, const void* text, size_t size,
                                 std::string_view signature) {
  if (text == nullptr && size > 0)
    return InvalidArgument("the kernel's text is NULL, of ", size, " bytes");
  TERN_TRY_ASSIGN(const vm::Signature function, vm::Signature::Parse(signature));
  TERN_TRY_ASSIGN(
      const loop::BoundKernel bound,
      loop::BindKernel(
          {.name = name, .text = {static_cast<const char*>(text), size}, .function = &function}));
  auto kernel = std::make_unique<tern_loop_kernel>();
  kernel->json = Describe(bound);
  kernel->unproven = Unproven(bound);
  TERN_TRY_ASSIGN(loop::LoopFunction lowered,
                  loop::LowerKernel(bound, *loop::FindTarget("wasm32")));
  kernel->program.functions.push_back(std::move(lowered));
  return kernel.release();
}

Status CheckHandle(const tern_loop_kernel* kernel) {
  return kernel == nullptr ? InvalidArgument("the kernel is NULL") : OkStatus();
}

Result<tern_buffer*> DescriptionOf(const tern_loop_kernel* kernel) {
  TERN_TRY(CheckHandle(kernel));
  return NewBuffer(kernel->json);
}

Result<loop::WasmModule> EmitKernel(const tern_loop_kernel* kernel, bool relaxed) {
  TERN_TRY(CheckHandle(kernel));
  // Emitted code checks nothing, so that a kernel without proof is not emitted.
  if (!kernel->unproven.empty()) return InvalidArgument(kernel->unproven).SetErrorCode(kNotProven);
  return loop::EmitWasm(kernel->program, {.relaxed_simd = relaxed});
}

// Shapes follow from the sizes, as in a compiled call. Divides, because the product may overflow.
Status Allocate(const loop::LoopFunction& function, KernelMemory* memory) {
  TERN_TRY_ASSIGN(const std::vector<int64_t> elements,
                  loop::ElementCounts(function, memory->sizes));
  int64_t left = kMaxBytes;
  for (size_t i = 0; i < elements.size(); ++i) {
    const loop::Buffer& buffer = *function.buffers[i];
    const int64_t size = buffer.dtype.size();
    if (elements[i] > left / size)
      return OutOfRange("'", buffer.name, "' of ", elements[i],
                        " elements is too much for the interpreter's memory")
          .SetErrorCode(loop::kCannotRun);
    const int64_t bytes = elements[i] * size;
    left -= bytes;
    memory->blocks.emplace_back(static_cast<size_t>((bytes + 7) / 8));
    memory->arguments.push_back({memory->blocks.back().data(), bytes});
  }
  return OkStatus();
}

Result<uint32_t> Begin(tern_loop_kernel* kernel, const int64_t* slots, size_t count) {
  TERN_TRY(CheckHandle(kernel));
  const loop::LoopFunction& function = kernel->function();
  // Slots hold sizes first, then scalars by their bits.
  const size_t sizes = function.sizes.size();
  if (count != sizes + function.scalars.size() || (slots == nullptr && count > 0))
    return InvalidArgument("the kernel '", function.name, "' takes ",
                           sizes + function.scalars.size(), " slots, got ", count);
  auto memory = std::make_unique<KernelMemory>();
  memory->sizes.assign(slots, slots + sizes);
  for (size_t i = sizes; i < count; ++i) memory->scalars.push_back(static_cast<uint64_t>(slots[i]));
  TERN_TRY(Allocate(function, memory.get()));
  // Replaced only when all went well: the memory of the run before stays valid until then.
  kernel->memory = std::move(memory);
  return static_cast<uint32_t>(kernel->memory->arguments.size());
}

Status Run(tern_loop_kernel* kernel) {
  TERN_TRY(CheckHandle(kernel));
  if (kernel->memory == nullptr) return InvalidArgument("tern_loop_kernel_begin comes before run");
  TERN_TRY_ASSIGN(const loop::Interpreter interpreter, loop::Interpreter::Make(kernel->function()));
  const KernelMemory& memory = *kernel->memory;
  loop::RunOptions options;
  if (!kernel->unproven.empty()) options.max_steps = kMaxUnprovenSteps;
  return tern::internal::TakeStatus(interpreter.Run(
      {.buffers = memory.arguments, .sizes = memory.sizes, .scalars = memory.scalars}, options));
}

}  // namespace
}  // namespace tern::api

using tern::api::ToHandle;

tern_status* tern_loop_kernel_create(const char* name, const void* text, size_t size,
                                     const char* signature, tern_loop_kernel** kernel) {
  tern::Result<tern_loop_kernel*> made =
      tern::api::Create(tern::api::TextOr(name, ""), text, size, tern::api::TextOr(signature, ""));
  if (!made.ok()) return ToHandle(std::move(made).status());
  *kernel = *made;
  return nullptr;
}

void tern_loop_kernel_free(tern_loop_kernel* kernel) { delete kernel; }

tern_status* tern_loop_kernel_describe(tern_loop_kernel* kernel, tern_buffer** json) {
  tern::Result<tern_buffer*> made = tern::api::DescriptionOf(kernel);
  if (!made.ok()) return ToHandle(std::move(made).status());
  *json = *made;
  return nullptr;
}

tern_status* tern_loop_kernel_emit_wasm(tern_loop_kernel* kernel, int32_t relaxed_simd,
                                        tern_buffer** module, uint32_t* scratch_bytes) {
  auto made = tern::api::EmitKernel(kernel, relaxed_simd != 0);
  if (!made.ok()) return ToHandle(std::move(made).status());
  *module = tern::api::NewBuffer(std::move(made->bytes));
  *scratch_bytes = made->scratch_bytes;
  return nullptr;
}

tern_status* tern_loop_kernel_begin(tern_loop_kernel* kernel, const int64_t* slots, size_t count,
                                    uint32_t* buffers) {
  tern::Result<uint32_t> made = tern::api::Begin(kernel, slots, count);
  if (!made.ok()) return ToHandle(std::move(made).status());
  *buffers = *made;
  return nullptr;
}

void* tern_loop_kernel_buffer(tern_loop_kernel* kernel, uint32_t index, size_t* bytes) {
  if (kernel == nullptr || kernel->memory == nullptr) return nullptr;
  const KernelMemory& memory = *kernel->memory;
  if (index >= memory.arguments.size()) return nullptr;
  *bytes = static_cast<size_t>(memory.arguments[index].bytes);
  return memory.arguments[index].data;
}

tern_status* tern_loop_kernel_run(tern_loop_kernel* kernel) {
  return ToHandle(tern::api::Run(kernel));
}

void tern_loop_kernel_end(tern_loop_kernel* kernel) {
  if (kernel != nullptr) kernel->memory.reset();
}
