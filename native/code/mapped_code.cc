// SPDX-License-Identifier: Apache-2.0
// mmap, copy, mprotect: memory is never writable and executable at the same time.
#include "native/code/mapped_code.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/strings.h"

namespace tern::native {
namespace {

Status Refused(const char* what) {
  return Failed("the system refuses ", what, " for native code: ", strerror(errno))
      .AddNote("help: without native code the program runs all the same, by its operators")
      .SetErrorCode("E0806")
      .Clone();
}

}  // namespace

MappedCode::~MappedCode() { munmap(memory_, bytes_); }

Status MappedCode::Fill(const ObjectImage& image) {
  auto* begin = static_cast<char*>(memory_);
  const auto code_bytes = static_cast<size_t>(image.code_bytes);
  const auto constants = static_cast<size_t>(image.constants_begin);
  memcpy(begin, image.bytes.data(), code_bytes);
  memcpy(begin + constants, image.bytes.data() + constants, image.bytes.size() - constants);
  // AArch64 keeps instructions and data in caches of their own.
  __builtin___clear_cache(begin, begin + image.code_bytes);
  const auto segments = static_cast<size_t>(image.code_segments());
  if (mprotect(memory_, segments, PROT_READ | PROT_EXEC) != 0) return Refused("executable memory");
  if (bytes_ > segments && mprotect(begin + segments, bytes_ - segments, PROT_READ) != 0)
    return Refused("read-only memory");
  return OkStatus();
}

Result<std::unique_ptr<MappedCode>> MappedCode::Load(const KernelObject& object) {
  TERN_TRY_ASSIGN(const ObjectImage image, LinkObject(object.bytes, HostElfMachine()));
  const std::string symbol = KernelSymbol(object.name);
  const ImageFunction* function = image.Find(symbol);
  if (function == nullptr)
    return NotFound("the native code has no function '", symbol, "'").SetErrorCode("E0805");
  // Otherwise a file could hold code for another kernel than the one its proof is about.
  if (image.comment.find(KernelStamp(object.loop_text)) == std::string::npos)
    return Corrupt("the native code of '", object.name,
                   "' was not made of the loop program that is in the file")
        .SetErrorCode("E0805");
  // Constants need not fill their last page, because mmap gives whole ones.
  const size_t bytes = image.bytes.size();
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Refused("memory");
  std::unique_ptr<MappedCode> code(new MappedCode(memory, bytes));
  TERN_TRY(code->Fill(image));
  code->entry_ = reinterpret_cast<LoopEntry>(static_cast<char*>(memory) + function->offset);
  const ImageFunction* parallel = image.Find(ParallelKernelSymbol(object.name));
  if (parallel != nullptr)
    code->parallel_entry_ =
        reinterpret_cast<ParallelLoopEntry>(static_cast<char*>(memory) + parallel->offset);
  return code;
}

}  // namespace tern::native
