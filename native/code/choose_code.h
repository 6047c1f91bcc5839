// SPDX-License-Identifier: Apache-2.0
// Chooses which of a kernel's native codes runs on this processor, of libraries beside the
// executable or of objects in it, or says why none does. choose_backend.cc asks before it looks for
// LLVM.
#ifndef TERN_NATIVE_CODE_CHOOSE_CODE_H_
#define TERN_NATIVE_CODE_CHOOSE_CODE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "native/code/code_library.h"
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

struct ChosenCode {
  LoopEntry entry = nullptr;                   // null: none
  ParallelLoopEntry parallel_entry = nullptr;  // null where no loop is parallel
  std::shared_ptr<const void> owner = {};      // keeps the code where it is
  // "native code for aarch64-sve"; without code why there is none, empty where nothing has code of
  // the kernel.
  std::string why = {};
};

using CodeLibraries = std::vector<std::shared_ptr<const CodeLibrary>>;

// Code in a file can do whatever this process can, so it is ignored unless the caller, who knows
// where the file comes from, allows it; who opened the libraries has allowed theirs, and they go
// first. Of several codes the one is taken that uses most of the processor. Any thread; `kernel` is
// only read during the call.
ChosenCode ChooseCode(const KernelObjects& kernel, bool allowed, const CodeLibraries& libraries,
                      const Processor& processor);

}  // namespace tern::native

#endif  // TERN_NATIVE_CODE_CHOOSE_CODE_H_
