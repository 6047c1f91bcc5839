// SPDX-License-Identifier: Apache-2.0
// Names of symbols are the table: the system's loader looks them up, and tools that list the
// symbols of a library list its kernels.
#include "native/code/code_library.h"

#include <dlfcn.h>

#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "native/code/elf_library.h"

namespace tern::native {
namespace {

constexpr const char kMarkSymbol[] = "tern_code_of_library";
// What follows the mark; another layout of names gets another number.
constexpr std::string_view kMark("tern loop kernels 1\0", 20);

std::string CodeSymbol(std::string_view kernel, const ObjectTarget& target) {
  return StrCat(KernelSymbol(kernel), ".", target.name);
}
std::string ParallelCodeSymbol(std::string_view kernel, const ObjectTarget& target) {
  return StrCat(CodeSymbol(kernel, target), ".parallel");
}
std::string StampSymbol(std::string_view kernel) { return StrCat(KernelSymbol(kernel), ".stamp"); }

class LibraryMaker {
 public:
  explicit LibraryMaker(std::span<const LibraryObject> objects) : objects_(objects) {}

  Result<std::string> Make() {
    TERN_TRY(Link());
    AddData(kMarkSymbol, kMark);
    for (size_t i = 0; i < objects_.size(); ++i) AddObject(i);
    return WriteElfLibrary(library_);
  }

 private:
  Status Link() {
    std::vector<std::string_view> bytes;
    for (const LibraryObject& object : objects_) bytes.push_back(object.bytes);
    library_.machine = objects_.front().target->machine;
    TERN_TRY_ASSIGN(library_.image, LinkObjects(bytes, library_.machine));
    return OkStatus();
  }

  // text: ends with its zero.
  void AddData(std::string name, std::string_view text) {
    library_.symbols.push_back({std::move(name), false, library_.data.size()});
    library_.data += text;
  }

  void AddObject(size_t index) {
    const LibraryObject& object = objects_[index];
    const std::string plain = KernelSymbol(object.kernel);
    const std::string parallel = ParallelKernelSymbol(object.kernel);
    // What else an object has, such as helpers, is reached from these and needs no name.
    for (const ImageFunction& function : library_.image.functions) {
      if (function.object != index) continue;
      if (function.name == plain)
        AddCode(CodeSymbol(object.kernel, *object.target), function.offset);
      else if (function.name == parallel)
        AddCode(ParallelCodeSymbol(object.kernel, *object.target), function.offset);
    }
    // Objects of a kernel for several targets were made of one text.
    const std::string stamp = StampSymbol(object.kernel);
    for (const ElfLibrarySymbol& symbol : library_.symbols) {
      if (symbol.name == stamp) return;
    }
    std::string text = KernelStamp(object.loop_text);
    text += '\0';
    AddData(stamp, text);
  }
  void AddCode(std::string name, uint64_t offset) {
    library_.symbols.push_back({std::move(name), true, offset});
  }

  const std::span<const LibraryObject> objects_;
  ElfLibrary library_;
};

}  // namespace

Status CheckLibraryTargets(std::span<const ObjectTarget* const> targets) {
  for (const ObjectTarget* target : targets) {
    if (target->machine != targets.front()->machine)
      return std::move(Unsupported("a library is for one family of processors: expected targets "
                                   "like ",
                                   targets.front()->name, ", got ", target->name)
                           .SetErrorCode("E0804")
                           .AddNote("help: make a library for each"));
    if (target->machine == ElfMachine::kRiscV)
      return std::move(
          Unsupported("there are no libraries for ", target->name).SetErrorCode("E0804"));
  }
  return OkStatus();
}

Result<std::string> MakeCodeLibrary(std::span<const LibraryObject> objects) {
  return LibraryMaker(objects).Make();
}

std::shared_ptr<const CodeLibrary> CodeLibrary::Of(void* handle, std::string path) {
  const auto* mark = static_cast<const char*>(dlsym(handle, kMarkSymbol));
  // Without its last zero, where the text that is compared ends.
  if (mark == nullptr || mark != kMark.substr(0, kMark.size() - 1)) return nullptr;
  return std::shared_ptr<const CodeLibrary>(new CodeLibrary(handle, std::move(path)));
}

CodeLibrary::Code CodeLibrary::Find(std::string_view kernel, const ObjectTarget& target) const {
  return {reinterpret_cast<LoopEntry>(dlsym(handle_, CodeSymbol(kernel, target).c_str())),
          reinterpret_cast<ParallelLoopEntry>(
              dlsym(handle_, ParallelCodeSymbol(kernel, target).c_str()))};
}

const char* CodeLibrary::Stamp(std::string_view kernel) const {
  return static_cast<const char*>(dlsym(handle_, StampSymbol(kernel).c_str()));
}

Status CodeLibrary::Check(std::string_view kernel, std::string_view loop_text) const {
  const char* const stamp = Stamp(kernel);
  if (stamp == nullptr || stamp == KernelStamp(loop_text)) return OkStatus();
  return std::move(InvalidArgument("kernel library '", path_, "': its code of '", kernel,
                                   "' was made of another loop program (expected ",
                                   KernelStamp(loop_text), ", got ", stamp, ")")
                       .SetErrorCode("E0808")
                       .AddNote("help: tern compile --native-library makes it anew beside the "
                                "executable"));
}

}  // namespace tern::native
