// SPDX-License-Identifier: Apache-2.0
// ZIP directory walking for .npz (APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16).
#include "native/cli/npz.h"

#include <string_view>

#include "core/base/strings.h"
#include "native/platform/mapped_file.h"

namespace tern::cli {
namespace {

constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr size_t kEndSize = 22;
constexpr size_t kEntrySize = 46;
constexpr size_t kLocalSize = 30;

// Little-endian reads that give 0 outside of the file; every use is followed by a range check.
class ZipView {
 public:
  explicit ZipView(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  size_t size() const { return bytes_.size(); }
  bool Has(size_t at, size_t count) const { return at <= size() && count <= size() - at; }
  uint32_t U16(size_t at) const {
    return Has(at, 2) ? bytes_[at] | uint32_t{bytes_[at + 1]} << 8 : 0;
  }
  uint32_t U32(size_t at) const { return U16(at) | U16(at + 2) << 16; }
  std::span<const uint8_t> Range(size_t at, size_t count) const {
    return bytes_.subspan(at, count);
  }
  std::string_view Text(size_t at, size_t count) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + at, count};
  }

 private:
  std::span<const uint8_t> bytes_;
};

Status NpzError(const std::string& path, std::string_view what) {
  return Corrupt("'", path, "' is not a readable .npz bundle: ", what).SetErrorCode("E0502");
}

// Offset of the end record, which a comment of up to 64 KiB may follow; size() when there is none.
size_t FindEnd(const ZipView& zip) {
  for (size_t back = kEndSize; back <= zip.size() && back < kEndSize + 65536; ++back) {
    if (zip.U32(zip.size() - back) == kEndSignature) return zip.size() - back;
  }
  return zip.size();
}

Status ReadEntry(const ZipView& zip, size_t entry, const std::string& path,
                 std::vector<NamedArray>* out) {
  const size_t name_length = zip.U16(entry + 28);
  const size_t local = zip.U32(entry + 42);
  const size_t length = zip.U32(entry + 20);
  if (!zip.Has(entry + kEntrySize, name_length) || !zip.Has(local, kLocalSize)) {
    return NpzError(path, "an entry reaches past the end");
  }
  const std::string name(zip.Text(entry + kEntrySize, name_length));
  if (zip.U16(entry + 10) != 0) {
    return NpzError(
        path,
        StrCat("'", name, "' is compressed; write it with numpy.savez, not savez_compressed"));
  }
  const size_t data = local + kLocalSize + zip.U16(local + 26) + zip.U16(local + 28);
  if (!zip.Has(data, length)) return NpzError(path, StrCat("'", name, "' is cut off"));
  NamedArray input;
  TERN_TRY_ASSIGN(input.array, ParseNpy(zip.Range(data, length), StrCat(path, ":", name)));
  input.name = name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name;
  input.origin = StrCat("@", path);
  out->push_back(std::move(input));
  return Status();
}

}  // namespace

Status ReadNpz(const std::string& path, std::vector<NamedArray>* out) {
  TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(path));
  const ZipView zip(file.bytes());
  const size_t end = FindEnd(zip);
  if (end == zip.size()) return NpzError(path, "it has no ZIP directory");
  size_t entry = zip.U32(end + 16);
  for (uint32_t i = 0; i < zip.U16(end + 10); ++i) {
    if (!zip.Has(entry, kEntrySize) || zip.U32(entry) != kEntrySignature) {
      return NpzError(path, "its directory is damaged");
    }
    TERN_TRY(ReadEntry(zip, entry, path, out));
    entry += kEntrySize + zip.U16(entry + 28) + zip.U16(entry + 30) + zip.U16(entry + 32);
  }
  return Status();
}

}  // namespace tern::cli
