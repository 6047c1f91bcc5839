// SPDX-License-Identifier: Apache-2.0
// CodeLibrary: native code of a program's loop kernels as a shared library beside the executable
// (docs/kernel-libraries.md), for one family of processors and several of its levels.
//
// It exports, of each kernel, "tern_kernel_NAME.TARGET", where loops are parallel
// "tern_kernel_NAME.TARGET.parallel", and once "tern_kernel_NAME.stamp", which says what loop
// program they were made of; and "tern_code_of_library", by which such a library is known.
#ifndef TERN_NATIVE_CODE_CODE_LIBRARY_H_
#define TERN_NATIVE_CODE_CODE_LIBRARY_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "native/code/mapped_code.h"
#include "native/code/object_target.h"

namespace tern::native {

struct LibraryObject {
  std::string_view kernel;
  std::string_view loop_text;  // what it was made of
  const ObjectTarget* target = nullptr;
  std::string_view bytes;  // PrecompileKernel's
};

// What a library can be for: targets of one family that code is linked for (E0804 otherwise).
Status CheckLibraryTargets(std::span<const ObjectTarget* const> targets);

// The file, of at least one object. The targets must have passed the check. Pure: the same objects
// give the same bytes.
Result<std::string> MakeCodeLibrary(std::span<const LibraryObject> objects);

class CodeLibrary {
 public:
  // handle: what dlopen gave, which is never closed. Null if it is no such library.
  static std::shared_ptr<const CodeLibrary> Of(void* handle, std::string path);

  // Without entry where it has no code of the kernel for the target.
  struct Code {
    LoopEntry entry = nullptr;
    ParallelLoopEntry parallel_entry = nullptr;  // null where no loop is parallel
  };
  Code Find(std::string_view kernel, const ObjectTarget& target) const;

  bool Has(std::string_view kernel) const { return Stamp(kernel) != nullptr; }
  // E0808 where its code of the kernel was made of another loop program. Ok where it has none.
  Status Check(std::string_view kernel, std::string_view loop_text) const;

  const std::string& path() const { return path_; }
  bool operator==(const CodeLibrary& other) const { return handle_ == other.handle_; }

 private:
  CodeLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  const char* Stamp(std::string_view kernel) const;

  void* handle_;
  std::string path_;
};

}  // namespace tern::native

#endif  // TERN_NATIVE_CODE_CODE_LIBRARY_H_
