// SPDX-License-Identifier: Apache-2.0
// Adds and removes native code of loop kernels in an executable. The program lists its kernels with
// all their formats; objects of targets are taken out or put behind the others, and the library
// writes the file anew. Constants and code are not touched.
#include "native/cli/native_kernels.h"

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/report.h"
#include "native/code/precompile.h"
#include "native/jit/llvm_compiler.h"

namespace tern::cli {
namespace {

using native::ObjectTarget;

constexpr std::string_view kLoopFormat = "loop";

// One format of one kernel. The bytes belong to the program, or to ObjectBytes.
struct CarriedKernel {
  std::string name, format, signature;
  std::string_view bytes;  // of the program
};

Result<std::vector<CarriedKernel>> ListKernels(const Program& program) {
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_program_kernels(program.get(), &raw)));
  const Buffer text(raw);
  std::vector<CarriedKernel> kernels;
  const JsonValue rows = ParseAnswer(Text(text));
  for (const JsonValue& row : rows.items) {
    for (const JsonValue& format : Member(row, "formats").items) {
      CarriedKernel kernel{TextOf(row, "name"), format.text, TextOf(row, "signature"), {}};
      const void* data = nullptr;
      size_t size = 0;
      TERN_TRY(FromApi(tern_program_kernel_bytes(program.get(), kernel.name.c_str(),
                                                 kernel.format.c_str(), &data, &size)));
      kernel.bytes = {static_cast<const char*>(data), size};
      kernels.push_back(std::move(kernel));
    }
  }
  return kernels;
}

Result<Buffer> SaveWith(const Program& program, const std::vector<CarriedKernel>& kernels) {
  std::vector<tern_kernel> list;
  for (const CarriedKernel& kernel : kernels) {
    list.push_back(
        {kernel.name.c_str(), kernel.format.c_str(), kernel.bytes.data(), kernel.bytes.size()});
  }
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_program_save_with_kernels(program.get(), list.data(),
                                                  static_cast<uint32_t>(list.size()), &raw)));
  return Buffer(raw);
}

// What becomes of the loop kernels for one target.
struct TargetObjects {
  const ObjectTarget* target = nullptr;
  std::vector<CarriedKernel> kernels;
  std::string refusals;  // a line each
};

// Owns the bytes that kernels point to. Each string has an address of its own, which stays when the
// vector grows.
using ObjectBytes = std::vector<std::unique_ptr<std::string>>;

TargetObjects Precompile(const std::vector<CarriedKernel>& loops, const ObjectTarget& target,
                         ObjectBytes* bytes) {
  TargetObjects made{.target = &target, .kernels = {}, .refusals = {}};
  for (const CarriedKernel& loop : loops) {
    Result<std::string> object =
        native::PrecompileKernel({loop.name, loop.bytes, loop.signature}, target);
    // A kernel that a target cannot have is reported and left out; the file then falls back on
    // another backend.
    if (!object.ok()) {
      StrAppend(&made.refusals, "  no code of '", loop.name, "' for ", target.name, ": ",
                object.status().message(), "\n");
      continue;
    }
    bytes->push_back(std::make_unique<std::string>(*std::move(object)));
    made.kernels.push_back({loop.name, ObjectFormat(target), loop.signature, *bytes->back()});
  }
  return made;
}

std::string ReportOf(const TargetObjects& made, size_t loops) {
  return StrCat("native code for ", made.target->name, ": ", made.kernels.size(), " of ", loops,
                loops == 1 ? " kernel\n" : " kernels\n", made.refusals);
}

// Adds objects of all targets behind the kernels that are there; an error if none can be made at
// all.
Status AddObjects(const std::vector<const ObjectTarget*>& targets,
                  std::vector<CarriedKernel>* kernels, ObjectBytes* bytes, std::string* report) {
  std::vector<CarriedKernel> loops;
  for (const CarriedKernel& kernel : *kernels) {
    if (kernel.format == kLoopFormat) loops.push_back(kernel);
  }
  if (loops.empty()) {
    *report = "the program has no loop kernels, so there is no native code in it\n";
    return OkStatus();
  }
  // Asked once in front, so that a missing LLVM is one error and not one per kernel.
  TERN_TRY(native::LlvmDescription());
  size_t made_count = 0;
  for (const ObjectTarget* target : targets) {
    TargetObjects made = Precompile(loops, *target, bytes);
    *report += ReportOf(made, loops.size());
    made_count += made.kernels.size();
    for (CarriedKernel& kernel : made.kernels) kernels->push_back(std::move(kernel));
  }
  if (made_count > 0) return OkStatus();
  Status status = Failed("no kernel can be compiled for the targets asked for");
  return status.SetErrorCode("E0802").AddNote(StrTrim(*report)).Clone();
}

}  // namespace

Result<std::vector<const ObjectTarget*>> ParseKernelTargets(std::string_view names) {
  if (names == "none") return std::vector<const ObjectTarget*>();
  return native::ParseObjectTargets(names);
}

Result<NativeKernels> SetNativeKernels(const Program& program,
                                       const std::vector<const ObjectTarget*>& targets) {
  TERN_TRY_ASSIGN(std::vector<CarriedKernel> kernels, ListKernels(program));
  // Objects that the file has are replaced as a whole, so that a file never holds code of two
  // compilers.
  std::erase_if(kernels, [](const CarriedKernel& kernel) {
    return native::TargetOfFormat(kernel.format) != nullptr;
  });
  NativeKernels result;
  ObjectBytes bytes;
  if (!targets.empty()) TERN_TRY(AddObjects(targets, &kernels, &bytes, &result.report));
  TERN_TRY_ASSIGN(result.executable, SaveWith(program, kernels));
  return result;
}

}  // namespace tern::cli
