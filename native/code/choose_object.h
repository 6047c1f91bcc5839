// SPDX-License-Identifier: Apache-2.0
// Chooses which of a kernel's objects runs on this processor, or says why none does.
// choose_backend.cc asks before it looks for LLVM.
#ifndef TERN_NATIVE_CODE_CHOOSE_OBJECT_H_
#define TERN_NATIVE_CODE_CHOOSE_OBJECT_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "native/code/mapped_code.h"
#include "native/code/object_target.h"

namespace tern::native {

// A kernel and the objects that the executable has of it.
struct KernelObjects {
  struct Object {
    std::string_view format;  // "elf-aarch64-sve"; other formats than objects' are ignored
    std::string_view bytes;
  };

  std::string_view name;
  std::string_view loop_text;
  std::vector<Object> objects;
};

struct ChosenObject {
  std::shared_ptr<const MappedCode> code;  // null: none
  // "native code for aarch64-sve"; without code why there is none, empty where the executable has
  // no objects of the kernel.
  std::string why;
};

// Code in a file can do whatever this process can, so it is ignored unless the caller, who knows
// where the file comes from, allows it. Of the objects that load, the one that uses most of the
// processor is chosen. Any thread; `kernel` is only read during the call.
ChosenObject ChooseObject(const KernelObjects& kernel, bool allowed, const Processor& processor);

}  // namespace tern::native

#endif  // TERN_NATIVE_CODE_CHOOSE_OBJECT_H_
