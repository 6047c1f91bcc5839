// SPDX-License-Identifier: Apache-2.0
// Reads the constants section, which is an index and, behind it, the data of tensors.
#ifndef TERN_CORE_VM_FILE_CONSTANT_READER_H_
#define TERN_CORE_VM_FILE_CONSTANT_READER_H_

#include <cstdint>
#include <vector>

#include "core/vm/executable.h"
#include "core/vm/file/file_bytes.h"

namespace tern::vm {

struct ConstantSection {
  FileBytes* file;
  const SectionEntry& entry;
  ByteSpan index;                // the bytes that the section begins with
  OnDemandConstants* on_demand;  // not null: tensor data stays where it is
  ObjectPtr<Object> keeper;      // not null: data may be used where it lies as long as this lives
};

// The bytes of tensor data that there are.
Result<uint64_t> ReadConstants(ConstantSection section, std::vector<Constant>* constants);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_FILE_CONSTANT_READER_H_
