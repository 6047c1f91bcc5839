// SPDX-License-Identifier: Apache-2.0
// Makes native code of loop kernels, and adds it to an executable or takes it out. The program
// lists its kernels with all their formats; objects of targets are taken out or put behind the
// others, and the file is written anew. Constants and code are not touched.
#include "native/cli/native_kernels.h"

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/report.h"
#include "native/code/code_library.h"
#include "native/code/precompile.h"
#include "native/jit/llvm_compiler.h"

namespace tern::cli {
namespace {

using native::ObjectTarget;

constexpr std::string_view kLoopFormat = "loop";

// One format of one kernel. The bytes belong to the program, or to a MadeObject.
struct CarriedKernel {
  std::string name, format, signature;
  std::string_view bytes;
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

// A loop kernel as code for a target.
struct MadeObject {
  const CarriedKernel* loop = nullptr;
  const ObjectTarget* target = nullptr;
  std::string bytes;
};

class Maker {
 public:
  // loops: which objects point to.
  explicit Maker(const std::vector<CarriedKernel>& loops) : loops_(loops) {}

  // A kernel that a target cannot have is reported and left out; it then runs by another backend.
  void Make(const ObjectTarget& target) {
    std::string refusals;
    size_t made = 0;
    for (const CarriedKernel& loop : loops_) {
      Result<std::string> object =
          native::PrecompileKernel({loop.name, loop.bytes, loop.signature}, target);
      if (object.ok()) {
        objects_.push_back({&loop, &target, *std::move(object)});
        ++made;
      } else {
        StrAppend(&refusals, "  no code of '", loop.name, "' for ", target.name, ": ",
                  object.status().message(), "\n");
      }
    }
    StrAppend(&report_, "native code for ", target.name, ": ", made, " of ", loops_.size(),
              loops_.size() == 1 ? " kernel\n" : " kernels\n", refusals);
  }

  const std::vector<MadeObject>& objects() const { return objects_; }
  const std::string& report() const { return report_; }

 private:
  const std::vector<CarriedKernel>& loops_;
  std::vector<MadeObject> objects_;
  std::string report_;
};

Status MakeObjects(const std::vector<const ObjectTarget*>& targets, Maker* maker) {
  // Asked once in front, so that a missing LLVM is one error and not one per kernel.
  TERN_TRY(native::LlvmDescription());
  for (const ObjectTarget* target : targets) maker->Make(*target);
  if (!maker->objects().empty()) return OkStatus();
  Status status = Failed("no kernel can be compiled for the targets asked for");
  return status.SetErrorCode("E0802").AddNote(StrTrim(maker->report())).Clone();
}

Result<std::string> MakeLibrary(const std::vector<MadeObject>& objects) {
  std::vector<native::LibraryObject> list;
  for (const MadeObject& object : objects)
    list.push_back({object.loop->name, object.loop->bytes, object.target, object.bytes});
  return native::MakeCodeLibrary(list);
}

}  // namespace

Result<std::vector<const ObjectTarget*>> ParseKernelTargets(std::string_view names) {
  if (names == "none") return std::vector<const ObjectTarget*>();
  return native::ParseObjectTargets(names);
}

Result<NativeKernels> SetNativeKernels(const Program& program,
                                       const std::vector<const ObjectTarget*>& targets,
                                       NativeCodePlace place) {
  TERN_TRY_ASSIGN(std::vector<CarriedKernel> kernels, ListKernels(program));
  // Objects that the file has are replaced as a whole, so that a file never holds code of two
  // compilers.
  std::erase_if(kernels, [](const CarriedKernel& kernel) {
    return native::TargetOfFormat(kernel.format) != nullptr;
  });
  std::vector<CarriedKernel> loops;
  for (const CarriedKernel& kernel : kernels) {
    if (kernel.format == kLoopFormat) loops.push_back(kernel);
  }
  NativeKernels result;
  Maker maker(loops);
  if (!targets.empty() && loops.empty()) {
    result.report = "the program has no loop kernels, so there is no native code of it\n";
  } else if (!targets.empty()) {
    TERN_TRY(MakeObjects(targets, &maker));
    result.report = maker.report();
  }
  if (place == NativeCodePlace::kLibrary && !maker.objects().empty()) {
    TERN_TRY_ASSIGN(result.library, MakeLibrary(maker.objects()));
  } else {
    for (const MadeObject& object : maker.objects())
      kernels.push_back({object.loop->name, ObjectFormat(*object.target), object.loop->signature,
                         object.bytes});
  }
  TERN_TRY_ASSIGN(result.executable, SaveWith(program, kernels));
  return result;
}

}  // namespace tern::cli
