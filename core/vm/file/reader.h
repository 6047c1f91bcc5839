// SPDX-License-Identifier: Apache-2.0
// Bytes to executable. Nothing in them is believed: sizes, checksums, then every table and the code
// are checked.
#ifndef TERN_CORE_VM_FILE_READER_H_
#define TERN_CORE_VM_FILE_READER_H_

#include <cstdint>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/object/object.h"
#include "core/vm/executable.h"
#include "core/vm/file/format.h"
#include "core/vm/file/on_demand.h"

namespace tern::vm {

// When tensor data is compared with its checksums. Everything else in the file always is.
enum class ConstantChecks : uint8_t {
  kAuto,    // at load where there is at most kAutoCheckBytes of it: some milliseconds
  kAlways,  // at load
  kNever,   // only by Executable::CheckConstants, which `tern check` calls
};
inline constexpr uint64_t kAutoCheckBytes = uint64_t{64} << 20;

struct ReadOptions {
  ConstantChecks checks = ConstantChecks::kAuto;
};

// Tensor data is used in place where `bytes` lie at a multiple of 64; `keeper` (a Storage around a
// mapped file, say) is then held by every such tensor, so that the bytes stay. It is copied where
// bytes lie elsewhere, or where keeper is null.
Result<ExecutablePtr> ReadExecutable(ByteSpan bytes, ObjectPtr<Object> keeper,
                                     const ReadOptions& options = {});

// The same of a file that need not be in memory. All but tensor data is read and checked now, each
// constant's data when a function that can reach it is entered for the first time, or when
// Executable::LoadConstants or LoadAllConstants asks. It is compared with its checksum then
// (kNever: not). The source is released with the executable, or, on error, before this returns.
Result<ExecutablePtr> ReadOnDemand(const FileSource& source, const ReadOptions& options = {});

// Whether bytes begin as a .tern file does.
bool LooksLikeExecutable(ByteSpan bytes);

// Header and section table alone, for listings; checks as much as ReadExecutable does of them.
struct FileLayout {
  FileHeader header;
  std::vector<SectionEntry> sections;
};
Result<FileLayout> ReadLayout(ByteSpan bytes);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_FILE_READER_H_
