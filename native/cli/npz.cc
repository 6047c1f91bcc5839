// SPDX-License-Identifier: Apache-2.0
// ZIP files for .npz (APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16), with the method
// "stored" only. Checksums are written but not compared when reading.
#include "native/cli/npz.h"

#include <string_view>

#include "core/base/strings.h"
#include "native/platform/mapped_file.h"

namespace tern::cli {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr size_t kEndSize = 22;
constexpr size_t kEntrySize = 46;
constexpr size_t kLocalSize = 30;

// Little-endian reads that give 0 outside of the file; a check of the range follows every use.
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

// The offset of the end record; size() if there is none. It is searched from the back, because a
// comment of up to 64 KiB may follow it.
size_t FindEnd(const ZipView& zip) {
  for (size_t back = kEndSize; back <= zip.size() && back < kEndSize + 65536; ++back) {
    if (zip.U32(zip.size() - back) == kEndSignature) return zip.size() - back;
  }
  return zip.size();
}

Status ReadEntry(const ZipView& zip, size_t entry, const std::string& path, MemoryBudget* budget,
                 std::vector<NamedArray>* out) {
  // Offsets in an entry of the directory: 10 is the method, 20 the size, 28 the length of the name,
  // 42 the local header.
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
  // The local header has a name and an extra field of its own lengths, which may differ from those
  // of the directory; the data follows them.
  const size_t data = local + kLocalSize + zip.U16(local + 26) + zip.U16(local + 28);
  if (!zip.Has(data, length)) return NpzError(path, StrCat("'", name, "' is cut off"));
  NamedArray input;
  TERN_TRY_ASSIGN(input.array, ParseNpy(zip.Range(data, length), StrCat(path, ":", name), budget));
  input.name = name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name;
  input.origin = StrCat("@", path);
  out->push_back(std::move(input));
  return Status();
}

// --- writing

// The checksum of ZIP files (ISO 3309), with a table of 16 entries: half a byte at a time is enough
// beside the writing, and the table is made on the stack.
uint32_t Crc32(std::span<const uint8_t> bytes) {
  constexpr uint32_t kPolynomial = 0xedb88320;
  uint32_t table[16] = {};
  for (uint32_t i = 0; i < 16; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 4; ++bit)
      table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? kPolynomial : 0);
  }
  uint32_t crc = UINT32_MAX;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

// Writes entries one after the other and the directory at the end.
class ZipWriter {
 public:
  void Add(const std::string& name, std::span<const uint8_t> data) {
    const Entry entry{name, Crc32(data), static_cast<uint32_t>(data.size()),
                      static_cast<uint32_t>(out_.size())};
    U32(kLocalSignature);
    Describe(entry);
    Text(name);
    out_.insert(out_.end(), data.begin(), data.end());
    entries_.push_back(entry);
  }

  std::vector<uint8_t> Finish() {
    const auto start = static_cast<uint32_t>(out_.size());
    for (const Entry& entry : entries_) {
      U32(kEntrySignature);
      U16(kVersion);
      Describe(entry);
      for (int i = 0; i < 3; ++i) U16(0);  // comment, disk, attributes
      U32(0);
      U32(entry.offset);
      Text(entry.name);
    }
    const auto size = static_cast<uint32_t>(out_.size()) - start;
    const auto count = static_cast<uint32_t>(entries_.size());
    U32(kEndSignature);
    U32(0);  // disks
    U16(count);
    U16(count);
    U32(size);
    U32(start);
    U16(0);  // comment
    return std::move(out_);
  }

 private:
  static constexpr uint32_t kVersion = 20, kFirstDay = 1 << 5 | 1;  // 1980-01-01

  struct Entry {
    std::string name;
    uint32_t crc, size, offset;
  };

  // What the local header and the directory entry have in common. The date is fixed, so that equal
  // arrays give equal files.
  void Describe(const Entry& entry) {
    U16(kVersion);
    U16(1 << 11);  // names are UTF-8
    U16(0);        // stored
    U16(0);        // the time of day
    U16(kFirstDay);
    U32(entry.crc);
    U32(entry.size);
    U32(entry.size);
    U16(static_cast<uint32_t>(entry.name.size()));
    U16(0);
  }
  void U16(uint32_t value) {
    for (int shift = 0; shift < 16; shift += 8)
      out_.push_back(static_cast<uint8_t>(value >> shift));
  }
  void U32(uint32_t value) {
    U16(value & 0xffff);
    U16(value >> 16);
  }
  void Text(const std::string& text) { out_.insert(out_.end(), text.begin(), text.end()); }

  std::vector<uint8_t> out_;
  std::vector<Entry> entries_;
};

}  // namespace

Result<std::vector<uint8_t>> FormatNpz(const std::vector<NamedArray>& arrays) {
  constexpr size_t kMostBytes = UINT32_MAX, kMostEntries = 65535, kAround = 1024;
  ZipWriter zip;
  size_t total = 0;
  for (const NamedArray& array : arrays) {
    // Counted before an entry is added, because offsets and sizes have 32 bits and would wrap
    // silently. kAround covers headers and the .npy header.
    total += array.array.bytes.size() + 2 * array.name.size() + kAround;
    if (total > kMostBytes || arrays.size() > kMostEntries || array.name.size() > 32768)
      return Unsupported(
                 "the arrays are too many or too large for an .npz file, which ends at "
                 "4 GiB and 65535 arrays; write a .npy file of each")
          .SetErrorCode("E0102");
    zip.Add(StrCat(array.name, ".npy"), FormatNpy(array.array));
  }
  return zip.Finish();
}

Status ReadNpz(const std::string& path, MemoryBudget* budget, std::vector<NamedArray>* out) {
  TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(path));
  const ZipView zip(file.bytes());
  const size_t end = FindEnd(zip);
  if (end == zip.size()) return NpzError(path, "it has no ZIP directory");
  // The directory begins where the end record says; entries are walked, never counted on, since
  // each is checked.
  size_t entry = zip.U32(end + 16);
  for (uint32_t i = 0; i < zip.U16(end + 10); ++i) {
    if (!zip.Has(entry, kEntrySize) || zip.U32(entry) != kEntrySignature) {
      return NpzError(path, "its directory is damaged");
    }
    TERN_TRY(ReadEntry(zip, entry, path, budget, out));
    entry += kEntrySize + zip.U16(entry + 28) + zip.U16(entry + 30) + zip.U16(entry + 32);
  }
  return Status();
}

}  // namespace tern::cli
