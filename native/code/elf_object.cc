// SPDX-License-Identifier: Apache-2.0
// The header, then the section table, then symbols and relocations from their sections (System V
// ABI, "ELF-64 Object File Format"). The file may come from an attacker: every offset is checked by
// a subtraction that cannot overflow before it is used.
#include "native/code/elf_object.h"

#include <bit>
#include <string>

#include "core/base/bytes.h"
#include "core/base/strings.h"

namespace tern::native {
namespace {

// Sizes in the file, in bytes, of 64-bit ELF.
constexpr size_t kHeaderBytes = 64;
constexpr size_t kSectionBytes = 64;
constexpr size_t kSymbolBytes = 24;
constexpr size_t kRelocationBytes = 24;
constexpr uint16_t kRelocatable = 1;
constexpr ElfSection::Type kRelocationsWithoutAddend{9};
constexpr uint16_t kFirstReservedSection = 0xff00;

// Reads what a loader of relocatable objects needs; the rest is skipped.
class ElfParser {
 public:
  explicit ElfParser(std::string_view bytes) : bytes_(bytes) {}

  // Errors: the first thing in the file that is not as the format demands.
  Result<ElfObject> Parse() {
    TERN_TRY(ParseHeader());
    TERN_TRY(ParseSections());
    TERN_TRY(NameSections());
    for (const ElfSection& section : object_.sections) {
      // Symbols first: relocations are checked against their number.
      if (section.type == ElfSection::Type::kSymbols) TERN_TRY(ParseSymbols(section));
    }
    for (const ElfSection& section : object_.sections) {
      if (section.type == kRelocationsWithoutAddend)
        return BadObject("the relocations '", section.name, "' are of the kind without addends");
      if (section.type == ElfSection::Type::kRelocations) TERN_TRY(ParseRelocations(section));
    }
    return std::move(object_);
  }

 private:
  Status ParseHeader();
  Status ParseSections();
  Result<ElfSection> ParseSection(ByteReader* in);
  Status NameSections();
  Status ParseSymbols(const ElfSection& section);
  Status ParseRelocations(const ElfSection& section);

  // The zero-terminated text at `offset` of a section of texts.
  Result<std::string_view> TextAt(uint32_t section, uint32_t offset) const;
  bool Exists(uint32_t section) const { return section > 0 && section < object_.sections.size(); }

  std::string_view bytes_;
  ElfObject object_;
  uint64_t table_offset_ = 0;
  uint16_t section_count_ = 0;
  uint16_t names_section_ = 0;
  std::vector<uint32_t> name_offsets_;  // of sections
};

Status ElfParser::ParseHeader() {
  constexpr std::string_view kMark(
      "\x7f"
      "ELF\2\1\1",
      7);  // 64 bits, little-endian, version 1
  if (bytes_.size() < kHeaderBytes)
    return BadObject(bytes_.size(), " bytes, an ELF header alone has ", kHeaderBytes);
  if (!bytes_.starts_with(kMark)) return BadObject("it does not begin as 64-bit ELF does");
  ByteReader in(AsBytes(bytes_), "ELF header");
  in.Seek(16);
  const uint16_t type = in.U16();
  object_.machine = ElfMachine{in.U16()};
  in.Skip(4 + 8 + 8);  // version, entry point, program headers
  table_offset_ = in.U64();
  in.Skip(4 + 2 + 2 + 2);  // flags, size of this header, program headers
  const uint16_t section_bytes = in.U16();
  section_count_ = in.U16();
  names_section_ = in.U16();
  if (type != kRelocatable) return BadObject("ELF type ", type, ", expected 1 (relocatable)");
  if (section_bytes != kSectionBytes)
    return BadObject("section headers of ", section_bytes, " bytes, expected ", kSectionBytes);
  if (section_count_ == 0 || section_count_ >= kFirstReservedSection)
    return BadObject(section_count_, " sections, expected 1 to ", kFirstReservedSection - 1);
  return OkStatus();
}

Result<ElfSection> ElfParser::ParseSection(ByteReader* in) {
  ElfSection section;
  name_offsets_.push_back(in->U32());
  section.type = ElfSection::Type{in->U32()};
  section.flags = in->U64();
  in->Skip(8);  // address
  const uint64_t offset = in->U64();
  section.size = in->U64();
  section.link = in->U32();
  section.info = in->U32();
  section.alignment = in->U64();
  in->Skip(8);  // size of entries
  const size_t index = object_.sections.size();
  // 0 and 1 both mean no alignment.
  if (section.alignment == 0) section.alignment = 1;
  if (!std::has_single_bit(section.alignment))
    return BadObject("section ", index, " has alignment ", section.alignment,
                     ", which is no power of two");
  // Neither has bytes in the file.
  if (section.type == ElfSection::Type::kNull || section.type == ElfSection::Type::kNoBits)
    return section;
  if (offset > bytes_.size() || section.size > bytes_.size() - offset)
    return BadObject("section ", index, " has ", section.size, " bytes at ", offset,
                     ", the object ends at ", bytes_.size());
  section.contents = bytes_.substr(static_cast<size_t>(offset), static_cast<size_t>(section.size));
  return section;
}

// Checks that the table lies inside of the file before a section is read from it.
Status ElfParser::ParseSections() {
  const uint64_t table_bytes = uint64_t{section_count_} * kSectionBytes;
  if (table_offset_ > bytes_.size() || table_bytes > bytes_.size() - table_offset_)
    return BadObject("the table of ", section_count_, " sections at ", table_offset_,
                     " does not fit into ", bytes_.size(), " bytes");
  ByteReader in(AsBytes(bytes_.substr(static_cast<size_t>(table_offset_))), "ELF sections");
  uint64_t total = 0;
  for (uint16_t i = 0; i < section_count_; ++i) {
    TERN_TRY_ASSIGN(ElfSection section, ParseSection(&in));
    total += section.contents.size();
    object_.sections.push_back(section);
  }
  // Otherwise sections that overlap could make a small file have as many symbols as sections times
  // bytes.
  if (total > bytes_.size())
    return BadObject("its sections overlap: together they have ", total, " bytes, the object ",
                     bytes_.size());
  return OkStatus();
}

Result<std::string_view> ElfParser::TextAt(uint32_t section, uint32_t offset) const {
  if (!Exists(section) || object_.sections[section].type != ElfSection::Type::kStrings)
    return BadObject("section ", section, " holds no names");
  const std::string_view texts = object_.sections[section].contents;
  if (offset >= texts.size())
    return BadObject("a name lies at ", offset, " of ", texts.size(), " bytes of names");
  const size_t end = texts.find('\0', offset);
  if (end == std::string_view::npos) return BadObject("the name at ", offset, " has no end");
  return texts.substr(offset, end - offset);
}

// Section 0 has no name by definition.
Status ElfParser::NameSections() {
  for (size_t i = 1; i < object_.sections.size(); ++i) {
    TERN_TRY_ASSIGN(object_.sections[i].name, TextAt(names_section_, name_offsets_[i]));
  }
  return OkStatus();
}

// A relocatable object has at most one table of symbols.
Status ElfParser::ParseSymbols(const ElfSection& section) {
  constexpr uint8_t kFunctionType = 2;
  constexpr uint8_t kGlobalBinding = 1;
  if (!object_.symbols.empty()) return BadObject("it has two tables of symbols");
  if (section.size % kSymbolBytes != 0)
    return BadObject("the table of symbols has ", section.size, " bytes, no multiple of ",
                     kSymbolBytes);
  ByteReader in(AsBytes(section.contents), "ELF symbols");
  while (!in.AtEnd()) {
    ElfSymbol symbol;
    const uint32_t name = in.U32();
    const uint8_t info = in.U8();
    in.Skip(1);  // visibility
    symbol.section = in.U16();
    symbol.value = in.U64();
    in.Skip(8);  // size
    symbol.is_global = (info >> 4) == kGlobalBinding;
    symbol.is_function = (info & 15) == kFunctionType;
    TERN_TRY_ASSIGN(symbol.name, TextAt(section.link, name));
    // Reserved numbers, such as of absolute symbols, are no sections.
    if (symbol.section < kFirstReservedSection && symbol.section >= object_.sections.size())
      return BadObject("the symbol '", symbol.name, "' is in section ", symbol.section, " of ",
                       object_.sections.size());
    object_.symbols.push_back(symbol);
  }
  return OkStatus();
}

Status ElfParser::ParseRelocations(const ElfSection& section) {
  if (section.size % kRelocationBytes != 0)
    return BadObject("the relocations '", section.name, "' have ", section.size,
                     " bytes, no multiple of ", kRelocationBytes);
  // info is the number of the section whose bytes these relocations change.
  if (!Exists(section.info))
    return BadObject("the relocations '", section.name, "' are for section ", section.info, " of ",
                     object_.sections.size());
  ByteReader in(AsBytes(section.contents), "ELF relocations");
  while (!in.AtEnd()) {
    ElfRelocation relocation{.section = section.info};
    relocation.offset = in.U64();
    relocation.type = in.U32();
    relocation.symbol = in.U32();
    relocation.addend = in.I64();
    if (relocation.symbol >= object_.symbols.size())
      return BadObject("a relocation of '", object_.sections[section.info].name, "' names symbol ",
                       relocation.symbol, " of ", object_.symbols.size());
    object_.relocations.push_back(relocation);
  }
  return OkStatus();
}

}  // namespace

std::string ElfMachineName(ElfMachine machine) {
  switch (machine) {
    case ElfMachine::kX86_64: return "x86-64";
    case ElfMachine::kAArch64: return "AArch64";
    case ElfMachine::kRiscV: return "RISC-V";
  }
  return StrCat("ELF machine ", static_cast<uint16_t>(machine));
}

// The machine of this process, 0 on other processors.
ElfMachine HostElfMachine() {
#if defined(__x86_64__)
  return ElfMachine::kX86_64;
#elif defined(__aarch64__)
  return ElfMachine::kAArch64;
#elif defined(__riscv)
  return ElfMachine::kRiscV;
#else
  return ElfMachine{};
#endif
}

Result<ElfObject> ParseElf(std::string_view bytes) { return ElfParser(bytes).Parse(); }

}  // namespace tern::native
