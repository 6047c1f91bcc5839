// SPDX-License-Identifier: Apache-2.0
// The bytes of an executable, for its readers.
#ifndef TERN_CORE_VM_FILE_FILE_BYTES_H_
#define TERN_CORE_VM_FILE_FILE_BYTES_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/object/allocator.h"
#include "core/object/tensor.h"
#include "core/vm/file/format.h"
#include "core/vm/file/on_demand.h"

namespace tern::vm {

inline bool IsZero(ByteSpan bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
}

// A file's bytes by their place: all in memory, or read piece by piece from a source.
class FileBytes {
 public:
  explicit FileBytes(ByteSpan all) : all_(all), size_(all.size()) {}
  explicit FileBytes(const FileSource& source) : source_(&source), size_(source.bytes) {}

  uint64_t size() const { return size_; }

  // Within size(). What was read stays as long as this, and is not read again.
  Result<ByteSpan> At(uint64_t offset, uint64_t length) {
    if (source_ == nullptr)
      return all_.subspan(static_cast<size_t>(offset), static_cast<size_t>(length));
    if (length == 0) return ByteSpan();
    // A few pieces per file: header, table, sections.
    for (const Piece& piece : pieces_) {
      if (piece.offset == offset && piece.bytes->bytes() == length) return BytesOf(piece);
    }
    // On 32-bit targets a file may be larger than the address space.
    if (length > SIZE_MAX) return OutOfMemory(length, " bytes are not to be had");
    TERN_TRY_ASSIGN(StoragePtr bytes,
                    Storage::New(DefaultAllocator().get(), static_cast<size_t>(length)));
    TERN_TRY(ReadInto(offset, length, bytes->data()));
    pieces_.push_back({offset, std::move(bytes)});
    return BytesOf(pieces_.back());
  }

  // Whether the bytes between two parts of the file, fewer than kFileAlignment, are zero.
  Result<bool> IsGap(uint64_t offset, uint64_t length) {
    if (source_ == nullptr || length == 0) {
      TERN_TRY_ASSIGN(const ByteSpan bytes, At(offset, length));
      return IsZero(bytes);
    }
    // Gaps are shorter than the alignment (CheckEntry), so they fit.
    uint8_t bytes[kFileAlignment];
    TERN_TRY(ReadInto(offset, length, bytes));
    return IsZero(ByteSpan(bytes).first(static_cast<size_t>(length)));
  }

 private:
  struct Piece {
    uint64_t offset;
    StoragePtr bytes;
  };
  Status ReadInto(uint64_t offset, uint64_t length, uint8_t* to) const {
    if (source_->read(source_->context, offset, length, to)) return OkStatus();
    return IoError("the executable cannot be read: its source did not give ", length,
                   " bytes from ", offset, " on; it said it has ", size_)
        .SetErrorCode("E0101");
  }
  static ByteSpan BytesOf(const Piece& piece) {
    return {piece.bytes->data(), piece.bytes->bytes()};
  }

  ByteSpan all_;
  const FileSource* source_ = nullptr;
  uint64_t size_;
  std::vector<Piece> pieces_;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_FILE_FILE_BYTES_H_
