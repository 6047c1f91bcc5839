// SPDX-License-Identifier: Apache-2.0
// MappedCode: an image as memory that runs. Pages are written first and made executable then,
// never both at once.
#ifndef TERN_NATIVE_CODE_MAPPED_CODE_H_
#define TERN_NATIVE_CODE_MAPPED_CODE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "native/code/link_object.h"

struct TernParallel;  // core/kernels/kernel.h

namespace tern::native {

// What a compiled loop function is (core/loop/stmt.h): 0 is success.
using LoopEntry = int32_t (*)(void* const* buffers, const int64_t* slots);

// The same of one with parallel loops; parallel: who lends it workers, or null.
using ParallelLoopEntry = int32_t (*)(void* const* buffers, const int64_t* slots,
                                      const TernParallel* parallel);

struct KernelObject {
  std::string_view bytes;      // of the object
  std::string_view name;       // of the kernel; KernelSymbol is the function's
  std::string_view loop_text;  // what it must have been made of
};

class MappedCode {
 public:
  // For this processor family. Errors: E0805, and E0806 where the system refuses the memory.
  static Result<std::unique_ptr<MappedCode>> Load(const KernelObject& object);
  MappedCode(const MappedCode&) = delete;
  MappedCode& operator=(const MappedCode&) = delete;
  ~MappedCode();  // unmaps the code, so no thread may run the entry any more

  LoopEntry entry() const { return entry_; }
  // Null where no loop is parallel.
  ParallelLoopEntry parallel_entry() const { return parallel_entry_; }

 private:
  MappedCode(void* memory, size_t bytes) : memory_(memory), bytes_(bytes) {}
  Status Fill(const ObjectImage& image);

  void* memory_;
  size_t bytes_;
  LoopEntry entry_ = nullptr;
  ParallelLoopEntry parallel_entry_ = nullptr;
};

}  // namespace tern::native

#endif  // TERN_NATIVE_CODE_MAPPED_CODE_H_
