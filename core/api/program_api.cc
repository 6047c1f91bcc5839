// SPDX-License-Identifier: Apache-2.0
// Runtimes and programs: choosing kernels, assembling, loading, listing.
#include "core/api/create_runtime.h"
#include "core/api/handles.h"
#include "core/base/json.h"
#include "core/base/spin_lock.h"
#include "core/base/strings.h"
#include "core/driver/compile.h"
#include "core/driver/inspect.h"
#include "core/kernels/bind/bind.h"
#include "core/kernels/cpu_features.h"
#include "core/object/registry.h"
#include "core/vm/builtins/builtins.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/assembler.h"
#include "core/vm/text/builder_code.h"
#include "core/vm/text/disassembler.h"
#include "core/vm/verifier.h"

namespace tern::api {
namespace {

ByteSpan Bytes(const void* bytes, size_t size) {
  return {static_cast<const uint8_t*>(bytes), size};
}

// Bytes that are borrowed for the time of a call.
StoragePtr Borrow(const void* bytes, size_t size) {
  return Storage::Wrap(const_cast<void*>(bytes), size, nullptr, nullptr);
}

struct CallerRelease {
  void (*release)(void* context);
  void* context;
};

// Bytes that the caller lends until `release` is called, which happens when the last tensor that
// points into them is deleted.
StoragePtr Lend(const void* bytes, size_t size, void (*release)(void*), void* context) {
  const auto forward = [](void* raw, void*, size_t) {
    const std::unique_ptr<CallerRelease> caller(static_cast<CallerRelease*>(raw));
    if (caller->release != nullptr) caller->release(caller->context);
  };
  return Storage::Wrap(const_cast<void*>(bytes), size, forward,
                       new CallerRelease{release, context});
}

// The bits of the C header and those of the kernels are two lists; this holds them together.
template <auto c_bit, auto bit>
constexpr bool kSame = static_cast<uint32_t>(c_bit) == static_cast<uint32_t>(bit);
static_assert(kSame<TERN_CPU_SSE4, kernels::kCpuSse4> && kSame<TERN_CPU_AVX2, kernels::kCpuAvx2> &&
              kSame<TERN_CPU_AVX512, kernels::kCpuAvx512> &&
              kSame<TERN_CPU_NEON, kernels::kCpuNeon> && kSame<TERN_CPU_SVE, kernels::kCpuSve>);

// The features that the caller allows, or all that this machine has.
kernels::CpuFeatures FeaturesOf(const tern_runtime_options& options) {
  const kernels::CpuFeatures machine = kernels::DetectCpuFeatures();
  if (options.cpu_features == 0) return machine;
  const bool sve = (options.cpu_features & TERN_CPU_SVE) != 0;
  const auto sve_bytes = static_cast<int32_t>(options.sve_bytes);
  // 0 asks for the machine's own length of SVE vectors.
  return {.bits = options.cpu_features,
          .sve_bytes = !sve             ? 0
                       : sve_bytes == 0 ? machine.sve_bytes
                                        : sve_bytes};
}

// Errors (E0012) list the targets that the features allow.
Result<const kernels::KernelTable*> ChooseKernels(const tern_runtime_options& options,
                                                  const kernels::CpuFeatures& features) {
  // No target given: the best one of the features.
  if (options.target == nullptr) return &kernels::ChooseTable(features);
  if (const kernels::KernelTable* table = kernels::FindTable(options.target, features))
    return table;
  Status status = InvalidArgument("this machine has no kernel target '", options.target, "'");
  for (int i = 0; const kernels::KernelTable* table = kernels::CompiledTable(i); ++i) {
    if (kernels::CanRun(*table, features)) status.AddNote(StrCat("target: ", table->name));
  }
  return std::move(status.SetErrorCode("E0012"));
}

// Operators and builtins are put into the process's registry with the first runtime. A failure is
// tried again by the next one.
Status RegisterOnce(const FoundFunctions& found) {
  static SpinLock lock;
  static bool done = false;
  // A second runtime waits here until names can be found.
  const SpinLockGuard guard(&lock);
  if (done) return OkStatus();
  TERN_TRY(found.register_operators(&Registry::Global()));
  TERN_TRY(vm::RegisterBuiltins(&Registry::Global()));
  done = true;
  return OkStatus();
}

Result<tern_runtime*> Create(const tern_runtime_options& options, const FoundFunctions& found) {
  const kernels::CpuFeatures features = FeaturesOf(options);
  TERN_TRY_ASSIGN(const kernels::KernelTable* table, ChooseKernels(options, features));
  TERN_TRY(RegisterOnce(found));
  auto* runtime = new tern_runtime{};
  runtime->platform = ReadOptions(options.platform);
  runtime->platform_or_null = options.platform == nullptr ? nullptr : &runtime->platform;
  runtime->kernels = table;
  runtime->features = features;
  runtime->find_builtin = found.find_builtin;
  runtime->allocator = MakePooledAllocator(runtime->platform_or_null);
  return runtime;
}

// What this build has on this machine, not what a program uses.
std::string RuntimeInfo(const tern_runtime& runtime) {
  JsonWriter json;
  json.BeginObject()
      .Field("version",
             StrCat(TERN_VERSION_MAJOR, ".", TERN_VERSION_MINOR, ".", TERN_VERSION_PATCH))
      .Field("target", runtime.kernels->name);
  json.Key("targets").BeginArray();
  for (int i = 0; const kernels::KernelTable* table = kernels::CompiledTable(i); ++i) {
    if (kernels::CanRun(*table, runtime.features)) json.String(table->name);
  }
  json.EndArray().Key("operators").BeginArray();
  for (const std::string& name : Registry::Global().Names()) json.String(name);
  json.EndArray().EndObject();
  return json.Take();
}

// Reads the file, checks it and links it with what is registered.
Result<vm::ProgramPtr> Load(const tern_runtime& runtime, const void* bytes, size_t size,
                            StoragePtr keeper) {
  TERN_TRY_ASSIGN(vm::ExecutablePtr executable,
                  vm::ReadExecutable(Bytes(bytes, size), std::move(keeper)));
  return runtime.Link(std::move(executable));
}

// Puts the caller's source behind the reader's interface. A copy of the struct is kept, because the
// caller's own may be on its stack.
Result<vm::ProgramPtr> LoadOnDemand(const tern_runtime& runtime, const tern_file_source& source) {
  const auto release = [](void* context) {
    const std::unique_ptr<tern_file_source> from(static_cast<tern_file_source*>(context));
    if (from->release != nullptr) from->release(from->context);
  };
  const auto read = [](void* context, uint64_t offset, uint64_t length, void* destination) {
    const auto& from = *static_cast<const tern_file_source*>(context);
    return from.read != nullptr && from.read(from.context, offset, length, destination) == 0;
  };
  TERN_TRY_ASSIGN(vm::ExecutablePtr executable,
                  vm::ReadOnDemand({.context = new tern_file_source(source),
                                    .bytes = source.bytes,
                                    .read = read,
                                    .release = release}));
  return runtime.Link(std::move(executable));
}

std::string InspectJson(const vm::Executable& executable, const vm::Program* program) {
  JsonWriter json;
  driver::WriteExecutableJson(executable, program, &json);
  return json.Take();
}

// program is null where only the file is looked at.
Result<tern_buffer*> Inspect(const vm::Executable& executable, const vm::Program* program,
                             std::string_view format) {
  if (format == "json") return NewBuffer(InspectJson(executable, program));
  if (format == "text") return NewBuffer(driver::ExecutableText(executable, program));
  if (format == "listing") return NewBuffer(vm::AsText(executable));
  if (format == "stats") return NewBuffer(vm::Stats(executable));
  if (format == "ssa") {
    // A listing of nothing: the verification is the answer.
    TERN_TRY(vm::Verify(executable, vm::VerifyOptions{.ssa = true}));
    return NewBuffer(std::string_view("every register is written once\n"));
  }
  // Those before show no values of constants, so that a file read on demand stays unread.
  TERN_TRY(executable.LoadAllConstants());  // which the others show
  if (format == "columns") return NewBuffer(vm::Disassemble(executable));
  if (format == "instructions")
    return NewBuffer(vm::Disassemble(executable, vm::TextForm::kInstructions));
  if (format == "assignments")
    return NewBuffer(vm::Disassemble(executable, vm::TextForm::kAssignments));
  if (format == "cpp") return NewBuffer(vm::AsBuilderCode(executable, vm::CodeLanguage::kCpp));
  if (format == "javascript")
    return NewBuffer(vm::AsBuilderCode(executable, vm::CodeLanguage::kJavaScript));
  return InvalidArgument("format '", format,
                         "': expected json, text, listing, stats, columns, instructions, "
                         "assignments, cpp, javascript or ssa");
}

}  // namespace

tern_status* CreateRuntime(const tern_runtime_options* options, const FoundFunctions& found,
                           tern_runtime** runtime) {
  TERN_CHECK_OPTIONS(tern_runtime_options, options);
  const tern_runtime_options chosen = ReadOptions(options);
  // The platform within the options has a size of its own.
  TERN_CHECK_OPTIONS(TernPlatform, chosen.platform);
  Result<tern_runtime*> made = Create(chosen, found);
  if (!made.ok()) return ToHandle(std::move(made).status());
  *runtime = *made;
  return nullptr;
}

std::vector<std::string> SplitNames(const char* names) {
  std::vector<std::string> list;
  if (names == nullptr || *names == '\0') return list;
  for (const std::string_view name : StrSplit(names, ',')) list.emplace_back(StrTrim(name));
  return list;
}

}  // namespace tern::api

using tern::api::NewBuffer;
using tern::api::ToHandle;

tern_status* tern_runtime_create(const tern_runtime_options* options, tern_runtime** runtime) {
  constexpr tern::api::FoundFunctions kAll = {&tern::kernels::RegisterOperators,
                                              &tern::vm::FindBuiltin};
  return tern::api::CreateRuntime(options, kAll, runtime);
}

void tern_runtime_free(tern_runtime* runtime) { delete runtime; }

tern_status* tern_runtime_info(tern_runtime* runtime, tern_buffer** json) {
  *json = NewBuffer(tern::api::RuntimeInfo(*runtime));
  return nullptr;
}

tern_status* tern_assemble(tern_runtime*, const char* text, size_t size, const char* source_name,
                           tern_buffer** executable) {
  tern::Result<tern::vm::ExecutablePtr> made = tern::vm::Assemble(
      std::string_view(text, size), tern::api::TextOr(source_name, "program.tasm"));
  if (!made.ok()) return ToHandle(std::move(made).status());
  *executable = NewBuffer(tern::vm::SaveExecutable(**made));
  return nullptr;
}

tern_status* tern_check_assembly(tern_runtime*, const char* text, size_t size,
                                 const char* source_name, const char* format, tern_buffer** out) {
  tern::text::Diagnostics findings;
  const std::string_view name = tern::api::TextOr(source_name, "program.tasm");
  tern::Result<tern::vm::ExecutablePtr> made =
      tern::vm::Assemble(std::string_view(text, size), name, &findings);
  // Findings of a program that assembles are warnings.
  if (!made.ok()) findings = tern::text::ToDiagnostics(made.status());
  const std::string_view form = tern::api::TextOr(format, "text");
  if (form != "text" && form != "json")
    return ToHandle(tern::InvalidArgument("format '", form, "': expected text or json"));
  tern::JsonWriter json;
  if (form == "json") tern::text::WriteJson(findings, &json);
  *out = NewBuffer(form == "json" ? json.Take() : tern::text::RenderText(findings));
  return nullptr;
}

tern_status* tern_program_load(tern_runtime* runtime, const void* bytes, size_t size,
                               void (*release)(void*), void* context, tern_program** program) {
  tern::Result<tern::vm::ProgramPtr> loaded =
      tern::api::Load(*runtime, bytes, size, tern::api::Lend(bytes, size, release, context));
  if (!loaded.ok()) return ToHandle(std::move(loaded).status());
  *program = new tern_program{runtime, *std::move(loaded)};
  return nullptr;
}

tern_status* tern_program_load_on_demand(tern_runtime* runtime, const tern_file_source* source,
                                         tern_program** program) {
  TERN_CHECK_OPTIONS(tern_file_source, source);
  tern::Result<tern::vm::ProgramPtr> loaded =
      tern::api::LoadOnDemand(*runtime, tern::api::ReadOptions(source));
  if (!loaded.ok()) return ToHandle(std::move(loaded).status());
  *program = new tern_program{runtime, *std::move(loaded)};
  return nullptr;
}

void tern_program_free(tern_program* program) { delete program; }

tern_status* tern_program_inspect(tern_program* program, const char* format, tern_buffer** out) {
  tern::Result<tern_buffer*> listing = tern::api::Inspect(
      program->program->executable(), program->program.get(), tern::api::TextOr(format, "json"));
  if (!listing.ok()) return ToHandle(std::move(listing).status());
  *out = *listing;
  return nullptr;
}

tern_status* tern_program_info(tern_program* program, tern_buffer** json) {
  tern::JsonWriter info;
  tern::driver::WriteExecutableInfo(program->program->executable(), program->program.get(), &info);
  *json = NewBuffer(info.Take());
  return nullptr;
}

tern_status* tern_inspect_executable(tern_runtime*, const void* bytes, size_t size,
                                     const char* format, tern_buffer** out) {
  tern::Result<tern::vm::ExecutablePtr> executable =
      tern::vm::ReadExecutable(tern::api::Bytes(bytes, size), tern::api::Borrow(bytes, size));
  if (!executable.ok()) return ToHandle(std::move(executable).status());
  tern::Result<tern_buffer*> listing =
      tern::api::Inspect(**executable, nullptr, tern::api::TextOr(format, "json"));
  if (!listing.ok()) return ToHandle(std::move(listing).status());
  *out = *listing;
  return nullptr;
}

tern_status* tern_program_disassemble(tern_program* program, tern_buffer** text) {
  return tern_program_inspect(program, "columns", text);
}
