// SPDX-License-Identifier: Apache-2.0
// Four loaded segments: what the loader reads (with `data`), code, constants, and the dynamic
// table, which loaders write addresses into. Each has rights of its own, so no two share a page of
// any system (ObjectImage::kSegmentBytes); in the file they follow each other closely, since an
// address need only equal its offset within a page (System V ABI, "Program Loading").
#include "native/code/elf_library.h"

#include <elf.h>

#include "core/base/bytes.h"

namespace tern::native {
namespace {

constexpr uint64_t kSegment = ObjectImage::kSegmentBytes;
constexpr uint64_t kPage = ObjectImage::kPageBytes;
// Of what the loader reads as words.
constexpr uint64_t kWord = 8;

// The first address that shares no segment with what ends at `end`, for what lies at `offset` of
// the file.
uint64_t NextAddress(uint64_t end, uint64_t offset) {
  return RoundUp(end, kSegment) + offset % kSegment;
}

// A piece of the file that has a row in the table of sections; most are loaded.
struct Part {
  const char* name;
  uint32_t type;
  uint64_t flags;
  uint32_t link;        // index of another part, from 1
  uint64_t entry_size;  // of tables
  uint64_t alignment;
  uint64_t offset = 0;
  uint64_t address = 0;
  uint64_t size = 0;
};

class Writer {
 public:
  explicit Writer(const ElfLibrary& library) : library_(library) {}

  std::string Write() {
    MakeTables();
    LayOut();
    WriteHeader();
    WriteSegments();
    WriteParts();
    WriteSections();
    return std::string(AsText(out_.span()));
  }

 private:
  // In the order of the file. Their numbers as sections are one higher, since the first is none.
  enum { kHash, kSymbols, kStrings, kData, kCode, kConstants, kDynamic, kNames, kParts };

  void MakeTables();
  void LayOut();
  void WriteHeader();
  void WriteSegment(uint32_t type, uint32_t flags, const Part& first, const Part& last);
  void WriteSegments();
  void WriteParts();
  void WriteSymbols();
  void WriteHash();
  void WriteDynamic();
  void WriteSections();
  void SeekTo(const Part& part) {
    // Alignment leaves gaps, which are zero.
    while (out_.size() < part.offset) out_.U8(0);
  }
  uint64_t AddressOf(const ElfLibrarySymbol& symbol) const {
    return parts_[symbol.is_function ? kCode : kData].address + symbol.offset;
  }

  static constexpr uint16_t kSegments = 6;
  static constexpr uint64_t kTablesBegin = sizeof(Elf64_Ehdr) + kSegments * sizeof(Elf64_Phdr);
  static constexpr uint64_t kDynamicEntries = 6;

  const ElfLibrary& library_;
  // Both tables begin with the empty name, to which 0 points.
  std::string strings_ = std::string(1, '\0');
  std::string names_ = std::string(1, '\0');
  Part parts_[kParts] = {
      {".hash", SHT_HASH, SHF_ALLOC, kSymbols + 1, 4, kWord},
      {".dynsym", SHT_DYNSYM, SHF_ALLOC, kStrings + 1, sizeof(Elf64_Sym), kWord},
      {".dynstr", SHT_STRTAB, SHF_ALLOC, 0, 0, 1},
      {".tern.data", SHT_PROGBITS, SHF_ALLOC, 0, 0, kWord},
      {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, 0, kPage},
      {".rodata", SHT_PROGBITS, SHF_ALLOC, 0, 0, kPage},
      {".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, kStrings + 1, sizeof(Elf64_Dyn), kWord},
      {".shstrtab", SHT_STRTAB, 0, 0, 0, 1},
  };
  ByteWriter out_;
};

void Writer::MakeTables() {
  for (const ElfLibrarySymbol& symbol : library_.symbols) {
    strings_ += symbol.name;
    strings_ += '\0';
  }
  for (const Part& part : parts_) {
    names_ += part.name;
    names_ += '\0';
  }
  const uint64_t symbols = library_.symbols.size() + 1;
  const ObjectImage& image = library_.image;
  // One bucket, a chain through all symbols: they are looked up once a kernel.
  parts_[kHash].size = (2 + 1 + symbols) * 4;
  parts_[kSymbols].size = symbols * sizeof(Elf64_Sym);
  parts_[kStrings].size = strings_.size();
  parts_[kData].size = library_.data.size();
  parts_[kCode].size = image.code_bytes;
  parts_[kConstants].size = image.bytes.size() - image.constants_begin;
  parts_[kDynamic].size = (kDynamicEntries + 1) * sizeof(Elf64_Dyn);
  parts_[kNames].size = names_.size();
}

void Writer::LayOut() {
  uint64_t offset = kTablesBegin;
  for (Part& part : parts_) {
    // What the loader only reads has its offsets as addresses; the others get theirs below.
    part.offset = part.address = RoundUp(offset, part.alignment);
    offset = part.offset + part.size;
  }
  Part& code = parts_[kCode];
  code.address = NextAddress(parts_[kData].address + parts_[kData].size, code.offset);
  Part& constants = parts_[kConstants];
  constants.address = code.address + library_.image.constants_begin;
  parts_[kDynamic].address =
      NextAddress(constants.address + constants.size, parts_[kDynamic].offset);
  parts_[kNames].address = 0;  // is not loaded
}

void Writer::WriteHeader() {
  const unsigned char mark[EI_NIDENT] = {ELFMAG0,    ELFMAG1,     ELFMAG2,   ELFMAG3,
                                         ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
  out_.Bytes(mark);
  out_.U16(ET_DYN);
  out_.U16(static_cast<uint16_t>(library_.machine));
  out_.U32(EV_CURRENT);
  out_.U64(0);  // no entry point
  out_.U64(sizeof(Elf64_Ehdr));
  out_.U64(RoundUp(parts_[kNames].offset + parts_[kNames].size, kWord));  // table of sections
  out_.U32(0);
  out_.U16(sizeof(Elf64_Ehdr));
  out_.U16(sizeof(Elf64_Phdr));
  out_.U16(kSegments);
  out_.U16(sizeof(Elf64_Shdr));
  out_.U16(kParts + 1);
  out_.U16(kNames + 1);
}

// From the first part to the last, which lie behind each other.
void Writer::WriteSegment(uint32_t type, uint32_t flags, const Part& first, const Part& last) {
  const uint64_t size = last.offset + last.size - first.offset;
  out_.U32(type);
  out_.U32(flags);
  // Offset, virtual and physical address, bytes in the file and in memory, alignment.
  out_.U64(first.offset);
  out_.U64(first.address);
  out_.U64(first.address);
  out_.U64(size);
  out_.U64(size);
  out_.U64(type == PT_LOAD ? kSegment : kWord);
}

void Writer::WriteSegments() {
  // The header and this table are loaded, too: loaders find them in memory.
  const Part header{"", 0, 0, 0, 0, 1};
  WriteSegment(PT_LOAD, PF_R, header, parts_[kData]);
  WriteSegment(PT_LOAD, PF_R | PF_X, parts_[kCode], parts_[kCode]);
  WriteSegment(PT_LOAD, PF_R, parts_[kConstants], parts_[kConstants]);
  WriteSegment(PT_LOAD, PF_R | PF_W, parts_[kDynamic], parts_[kDynamic]);
  WriteSegment(PT_DYNAMIC, PF_R | PF_W, parts_[kDynamic], parts_[kDynamic]);
  WriteSegment(PT_GNU_STACK, PF_R | PF_W, header, header);  // without it stacks are executable
}

void Writer::WriteSymbols() {
  for (size_t i = 0; i < sizeof(Elf64_Sym); ++i) out_.U8(0);
  uint32_t name = 1;
  for (const ElfLibrarySymbol& symbol : library_.symbols) {
    out_.U32(name);
    out_.U8(ELF64_ST_INFO(STB_GLOBAL, symbol.is_function ? STT_FUNC : STT_OBJECT));
    out_.U8(STV_DEFAULT);
    out_.U16((symbol.is_function ? kCode : kData) + 1);
    out_.U64(AddressOf(symbol));
    out_.U64(0);  // the size is not known
    name += static_cast<uint32_t>(symbol.name.size() + 1);
  }
}

void Writer::WriteHash() {
  const auto symbols = static_cast<uint32_t>(library_.symbols.size());
  out_.U32(1);
  out_.U32(symbols + 1);
  out_.U32(symbols == 0 ? 0 : 1);
  out_.U32(0);
  // The one bucket leads to symbol 1, each to the next, the last to none.
  for (uint32_t i = 1; i <= symbols; ++i) out_.U32(i == symbols ? 0 : i + 1);
}

void Writer::WriteDynamic() {
  const struct {
    uint64_t tag, value;
  } entries[kDynamicEntries + 1] = {{DT_HASH, parts_[kHash].address},
                                    {DT_SYMTAB, parts_[kSymbols].address},
                                    {DT_STRTAB, parts_[kStrings].address},
                                    {DT_STRSZ, parts_[kStrings].size},
                                    {DT_SYMENT, sizeof(Elf64_Sym)},
                                    {DT_FLAGS, DF_BIND_NOW},
                                    {DT_NULL, 0}};
  for (const auto& entry : entries) {
    out_.U64(entry.tag);
    out_.U64(entry.value);
  }
}

void Writer::WriteParts() {
  const ObjectImage& image = library_.image;
  // In the order of LayOut.
  const ByteSpan bytes(image.bytes);
  SeekTo(parts_[kHash]);
  WriteHash();
  SeekTo(parts_[kSymbols]);
  WriteSymbols();
  SeekTo(parts_[kStrings]);
  out_.Text(strings_);
  SeekTo(parts_[kData]);
  out_.Text(library_.data);
  SeekTo(parts_[kCode]);
  out_.Bytes(bytes.first(image.code_bytes));
  SeekTo(parts_[kConstants]);
  out_.Bytes(bytes.subspan(image.constants_begin));
  SeekTo(parts_[kDynamic]);
  WriteDynamic();
  SeekTo(parts_[kNames]);
  out_.Text(names_);
  out_.Align(kWord);
}

void Writer::WriteSections() {
  for (size_t i = 0; i < sizeof(Elf64_Shdr); ++i) out_.U8(0);
  uint32_t name = 1;
  for (const Part& part : parts_) {
    out_.U32(name);
    out_.U32(part.type);
    out_.U64(part.flags);
    out_.U64(part.address);
    out_.U64(part.offset);
    out_.U64(part.size);
    out_.U32(part.link);
    out_.U32(part.type == SHT_DYNSYM ? 1 : 0);  // the first symbol that is not local
    out_.U64(part.alignment);
    out_.U64(part.entry_size);
    name += static_cast<uint32_t>(std::string_view(part.name).size() + 1);
  }
}

}  // namespace

std::string WriteElfLibrary(const ElfLibrary& library) { return Writer(library).Write(); }

}  // namespace tern::native
