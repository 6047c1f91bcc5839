// SPDX-License-Identifier: Apache-2.0
// Executable to bytes. Tensor data goes to the sink straight from where it lies: no second copy is
// made.
//
// The same executable gives the same bytes on every target, and reading and writing them again
// gives them back.
#ifndef TERN_CORE_VM_FILE_WRITER_H_
#define TERN_CORE_VM_FILE_WRITER_H_

#include <cstdint>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/vm/executable.h"

namespace tern::vm {

// Takes bytes in order; an error ends the writing.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // Comes first: how many bytes there will be.
  virtual Status Begin(uint64_t) { return OkStatus(); }
  virtual Status Write(ByteSpan bytes) = 0;
};

// Loads constants that are read on demand, which may fail.
Status WriteExecutable(const Executable& executable, ByteSink* sink);
// All of it in memory. Of an executable whose data is there (Executable::LoadAllConstants).
std::vector<uint8_t> SaveExecutable(const Executable& executable);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_FILE_WRITER_H_
