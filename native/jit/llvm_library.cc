// SPDX-License-Identifier: Apache-2.0
// Opening the shared library and finding its functions.
#include "native/jit/llvm_library.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <memory>
#include <mutex>

#include "core/base/strings.h"

namespace tern::native {
namespace {

// Newest first, because it knows more processors. Distributions differ in how they name the file.
constexpr const char* kNames[] = {
    "libLLVM.so.21.1", "libLLVM-21.so",   "libLLVM.so.20.1", "libLLVM-20.so",   "libLLVM.so.19.1",
    "libLLVM-19.so",   "libLLVM-19.so.1", "libLLVM-18.so",   "libLLVM.so.18.1", "libLLVM-17.so",
    "libLLVM-16.so",   "libLLVM-17.so.1", "libLLVM-16.so.1",
};
constexpr std::string_view kAdvice =
    "install LLVM 16 or newer (Debian: apt-get install libllvm19), or name its library in the "
    "environment variable TERN_LLVM_LIBRARY; without LLVM, loop programs run by the reference "
    "interpreter";

struct Opened {
  Status status;
  LlvmLibrary library;
};

Status FindFunctions(LlvmLibrary* library) {
// Every function of the table must be there: a library that lacks one is too old.
#define TERN_LLVM_FUNCTION(name)                                                            \
  library->name = reinterpret_cast<decltype(library->name)>(dlsym(library->handle, #name)); \
  if (library->name == nullptr)                                                             \
    return Unsupported("'", library->path, "' has no function ", #name, "; ", kAdvice);
#include "native/jit/llvm_functions.def"
#undef TERN_LLVM_FUNCTION
  return OkStatus();
}

Status TryOpen(const char* name, LlvmLibrary* library) {
  // RTLD_LOCAL keeps its symbols from those of another LLVM in the process, such as a driver's.
  library->handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library->handle == nullptr) return NotFound("cannot open '", name, "': ", dlerror());
  library->path = name;
  return FindFunctions(library);
}

std::unique_ptr<Opened> Open() {
  auto opened = std::make_unique<Opened>();
  // A library that the user named is taken or refused, never replaced by another.
  if (const char* own = getenv("TERN_LLVM_LIBRARY"); own != nullptr && *own != '\0') {
    opened->status = TryOpen(own, &opened->library);
    opened->status.AddNote(
        "help: TERN_LLVM_LIBRARY must name a shared library of LLVM 16 or newer");
    return opened;
  }
  std::string tried;
  for (const char* name : kNames) {
    opened->status = TryOpen(name, &opened->library);
    // The first that opens decides, even if it lacks functions: its message says what to install.
    if (opened->library.handle != nullptr) return opened;
    tried += StrCat(tried.empty() ? "" : ", ", name);
  }
  opened->status = NotFound("there is no LLVM on this machine (looked for ", tried, ")")
                       .AddNote(StrCat("help: ", kAdvice));
  return opened;
}

}  // namespace

Result<const LlvmLibrary*> OpenLlvm() {
  // Never closed: code of LLVM's may still run when static objects are destroyed.
  static const Opened* const opened = Open().release();
  if (!opened->status.ok()) return opened->status.Clone().SetErrorCode("E0801");
  return &opened->library;
}

Status LlvmLibrary::InitializeTarget(std::string_view architecture) const {
  // LLVM's initialization is not thread-safe.
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  for (const char* part : {"TargetInfo", "Target", "TargetMC", "AsmPrinter"}) {
    const std::string name = StrCat("LLVMInitialize", architecture, part);
    const auto initialize = reinterpret_cast<void (*)()>(dlsym(handle, name.c_str()));
    if (initialize == nullptr)
      return Unsupported("'", path, "' was built without the target ", architecture)
          .SetErrorCode("E0802");
    initialize();
  }
  return OkStatus();
}

std::string LlvmLibrary::TakeMessage(char* message) const {
  std::string text = message == nullptr ? "no reason given" : message;
  if (message != nullptr) LLVMDisposeMessage(message);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Status LlvmLibrary::TakeError(LLVMErrorRef error, std::string_view doing) const {
  if (error == nullptr) return OkStatus();
  char* message = LLVMGetErrorMessage(error);
  Status status = Failed("LLVM could not ", doing, ": ", message);
  LLVMDisposeErrorMessage(message);
  return status.SetErrorCode("E0803").Clone();
}

}  // namespace tern::native
