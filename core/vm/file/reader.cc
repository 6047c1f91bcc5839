// SPDX-License-Identifier: Apache-2.0
// Reading: layout first, then section by section with sticky readers, then the verifier.
//
// Counts are bounded by the bytes that are left before anything is reserved for them, so no file
// makes the reader take much more memory than the file itself. Bytes have one meaning and one
// spelling: gaps must be zero and nothing may be left over, so a file that loads writes back to the
// same bytes.
#include "core/vm/file/reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/strings.h"
#include "core/vm/file/constant_reader.h"
#include "core/vm/file/file_bytes.h"

namespace tern::vm {
namespace {

Status Damaged(std::string_view message) { return Corrupt(message).SetErrorCode("E0105"); }

// --- layout

// The order of questions: another major version says nothing about the rest; then what the file
// itself requires; then features by name.
Status CheckVersion(const FileHeader& header) {
  const std::string file = StrCat(header.major, ".", header.minor);
  if (header.major != kFormatMajor) {
    return Unsupported("the executable has format version ", file, "; this tern reads version ",
                       kFormatMajor, ": compile the model again, or use a ",
                       header.major > kFormatMajor ? "newer" : "older", " tern")
        .SetErrorCode("E0104");
  }
  if (header.required_major != kFormatMajor || header.required_minor > kFormatMinor) {
    return Unsupported("the executable needs a runtime of format version ", header.required_major,
                       ".", header.required_minor, "; this is ", kFormatMajor, ".", kFormatMinor)
        .SetErrorCode("E0104");
  }
  if ((header.features & ~kKnownFeatures) != 0) {
    return Unsupported("the executable needs features ",
                       FormatHex(header.features & ~kKnownFeatures),
                       " that this tern does not have")
        .SetErrorCode("E0104");
  }
  return OkStatus();
}

Status ReadHeader(FileBytes* file, FileHeader* header) {
  TERN_TRY_ASSIGN(const ByteSpan bytes,
                  // A file shorter than the header may still have the wrong mark, which is the
                  // better message.
                  file->At(0, std::min<uint64_t>(file->size(), kHeaderBytes)));
  if (!LooksLikeExecutable(bytes)) {
    return Corrupt("not a Tern executable: the file does not begin with its mark")
        .SetErrorCode("E0103");
  }
  if (bytes.size() < kHeaderBytes)
    return Damaged("the file ends within its header: it was truncated");
  ByteReader reader(bytes, "header");
  reader.Skip(sizeof(kMagic));
  header->major = reader.U16();
  header->minor = reader.U16();
  header->required_major = reader.U16();
  header->required_minor = reader.U16();
  header->section_count = reader.U32();
  const uint32_t header_bytes = reader.U32();
  header->features = reader.U64();
  header->file_bytes = reader.U64();
  // Before anything else of the header is believed: a newer version may have another header.
  TERN_TRY(CheckVersion(*header));
  if (header_bytes != kHeaderBytes ||
      !IsZero(bytes.subspan(reader.offset(), kHeaderBytes - reader.offset()))) {
    return Damaged("the header is malformed");
  }
  // Truncation is the commonest damage, so it is named.
  if (header->file_bytes != file->size()) {
    return Damaged(StrCat("the header says ", header->file_bytes, " bytes, the file has ",
                          file->size(),
                          header->file_bytes > file->size() ? ": it was truncated" : ""));
  }
  if (header->section_count > kMaxSections)
    return Damaged(StrCat("the header says ", header->section_count, " sections"));
  return OkStatus();
}

// Sections tile the file with gaps that alignment explains. The sums are written as differences,
// which cannot overflow.
Status CheckEntry(FileBytes* file, const SectionEntry& entry, uint64_t* end) {
  const std::string name = StrCat("section ", entry.id, " ('", SectionName(entry.id), "')");
  if (entry.offset % kFileAlignment != 0 || entry.offset < *end ||
      entry.offset - *end >= kFileAlignment) {
    return Damaged(StrCat(name, " begins at ", entry.offset, ", the one before ends at ", *end));
  }
  if (entry.offset > file->size() || entry.bytes > file->size() - entry.offset ||
      entry.checked_bytes > entry.bytes) {
    return Damaged(StrCat(name, " is longer than the file"));
  }
  TERN_TRY_ASSIGN(const bool is_gap, file->IsGap(*end, entry.offset - *end));
  if (!is_gap) {
    return Damaged(StrCat("the bytes in front of ", name, " are not zero"));
  }
  // Everything but tensor data is covered, and checked before it is used.
  TERN_TRY_ASSIGN(const ByteSpan checked, file->At(entry.offset, entry.checked_bytes));
  if (Crc32c(checked) != entry.crc) return Damaged(StrCat(name, " does not match its checksum"));
  // An unknown section may be skipped unless the file says otherwise (format.h).
  if (entry.id > kLastKnownSection && (entry.flags & kSectionRequired) != 0) {
    return Unsupported(name, " is required, and this tern does not know it").SetErrorCode("E0104");
  }
  const bool all_checked = entry.checked_bytes == entry.bytes;
  if (!all_checked && entry.id != static_cast<uint32_t>(SectionId::kConstants)) {
    return Damaged(StrCat(name, " is not covered by its checksum"));
  }
  *end = entry.offset + entry.bytes;
  return OkStatus();
}

// --- the other sections

uint32_t ReadIndex(ByteReader* in, std::string_view what) {
  return static_cast<uint32_t>(in->BoundedVarint(UINT32_MAX, what));
}

void ReadGlobals(ByteReader* in, ExecutableParts* parts) {
  const uint64_t count = in->BoundedVarint(in->remaining(), "number of functions");
  for (uint64_t i = 0; i < count && in->ok(); ++i) {
    FunctionInfo function;
    function.name = std::string(in->PrefixedText());
    const std::string_view text = in->PrefixedText();
    // Parsed also after an error, so that there is a signature; the error stays.
    Result<Signature> signature = Signature::Parse(in->ok() ? text : "()");
    if (!signature.ok()) return in->Fail(signature.status().message());
    // The canonical text is what a writer writes; another spelling would change on the way.
    if (in->ok() && signature->ToText() != text)
      return in->Fail("a signature is not in its canonical form");
    function.signature = std::move(signature).value();
    function.first_instruction = ReadIndex(in, "first instruction");
    function.instruction_count = ReadIndex(in, "number of instructions");
    function.register_count = ReadIndex(in, "number of registers");
    const uint64_t names = in->BoundedVarint(in->remaining(), "number of register names");
    for (uint64_t k = 0; k < names && in->ok(); ++k) {
      const uint32_t index = ReadIndex(in, "register");
      function.register_names.emplace_back(index, std::string(in->PrefixedText()));
    }
    parts->functions.push_back(std::move(function));
  }
}

void ReadPrimitives(ByteReader* in, ExecutableParts* parts) {
  const uint64_t count = in->BoundedVarint(in->remaining(), "number of names");
  for (uint64_t i = 0; i < count && in->ok(); ++i)
    parts->primitives.emplace_back(in->PrefixedText());
}

// Copies words as they are: in memory they have the form that they have in the file.
template <typename Word>
void ReadWords(ByteReader* in, size_t count, std::vector<Word>* words) {
  const ByteSpan bytes = in->Bytes(count * sizeof(Word));
  words->resize(count);
  if (!bytes.empty()) std::memcpy(words->data(), bytes.data(), bytes.size());
}
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

void ReadCode(ByteReader* in, ExecutableParts* parts) {
  const uint64_t instructions = in->U64();
  const uint64_t words = in->U64();
  // Instructions are counted with int32 in the linker.
  if (instructions > in->remaining() / 4 || words > in->remaining() / 8 ||
      instructions > INT32_MAX) {
    return in->Fail("more instructions than bytes");
  }
  ReadWords(in, static_cast<size_t>(instructions), &parts->instr_offset);
  // The words are aligned in the file, so that tools can map them.
  in->Align(8);
  if (words > in->remaining() / 8) return in->Fail("more words than bytes");
  ReadWords(in, static_cast<size_t>(words), &parts->instr_data);
}

void ReadKernels(ByteReader* in, ExecutableParts* parts) {
  const uint64_t count = in->BoundedVarint(in->remaining(), "number of kernels");
  for (uint64_t i = 0; i < count && in->ok(); ++i) {
    KernelInfo kernel;
    kernel.name = std::string(in->PrefixedText());
    kernel.format = std::string(in->PrefixedText());
    kernel.bytes = std::string(tern::AsText(in->PrefixedBytes()));
    parts->kernels.push_back(std::move(kernel));
  }
}

void ReadMetadata(ByteReader* in, ExecutableParts* parts) {
  const uint64_t count = in->BoundedVarint(in->remaining(), "number of entries");
  for (uint64_t i = 0; i < count && in->ok(); ++i) {
    std::string key(in->PrefixedText());
    parts->metadata.emplace_back(std::move(key), std::string(in->PrefixedText()));
  }
}

// Texts once each, then entries with distances between instructions; each entry shares its text, so
// a file cannot multiply it.
void ReadDebug(ByteReader* in, ExecutableParts* parts) {
  const uint64_t text_count = in->BoundedVarint(in->remaining(), "number of texts");
  std::vector<std::shared_ptr<const std::string>> texts;
  for (uint64_t i = 0; i < text_count && in->ok(); ++i) {
    texts.push_back(std::make_shared<const std::string>(in->PrefixedText()));
  }
  const uint64_t count = in->BoundedVarint(in->remaining(), "number of entries");
  uint64_t instruction = 0;
  for (uint64_t i = 0; i < count && in->ok(); ++i) {
    instruction += in->BoundedVarint(UINT32_MAX - instruction, "instruction");
    const uint64_t text = in->BoundedVarint(UINT32_MAX, "text");
    if (text >= texts.size()) return in->Fail("an entry's text is out of range");
    DebugEntry entry;
    entry.instruction = static_cast<uint32_t>(instruction);
    entry.line = ReadIndex(in, "line");
    entry.column = ReadIndex(in, "column");
    entry.shared_text = texts[static_cast<size_t>(text)];
    parts->debug.push_back(std::move(entry));
  }
}

// One row per section besides constants, which need the file itself.
struct SectionReader {
  SectionId id;
  void (*read)(ByteReader*, ExecutableParts*);
};
constexpr SectionReader kSectionReaders[] = {
    {SectionId::kGlobals, ReadGlobals},   {SectionId::kPrimitives, ReadPrimitives},
    {SectionId::kCode, ReadCode},         {SectionId::kKernels, ReadKernels},
    {SectionId::kMetadata, ReadMetadata}, {SectionId::kDebug, ReadDebug},
};

const SectionEntry* FindSection(const FileLayout& layout, SectionId id) {
  for (const SectionEntry& entry : layout.sections) {
    if (entry.id == static_cast<uint32_t>(id)) return &entry;
  }
  return nullptr;
}

Status ReadSection(FileBytes* file, const FileLayout& layout, const SectionReader& section,
                   ExecutableParts* parts) {
  const SectionEntry* entry = FindSection(layout, section.id);
  // Optional sections may be missing; Read asks for the required ones.
  if (entry == nullptr) return OkStatus();
  const std::string name = StrCat("section '", SectionName(entry->id), "'");
  TERN_TRY_ASSIGN(const ByteSpan bytes, file->At(entry->offset, entry->bytes));
  ByteReader reader(bytes, name);
  section.read(&reader, parts);
  if (reader.ok() && !reader.AtEnd()) reader.Fail("bytes are left over");
  Status status = reader.TakeStatus();
  if (status.ok()) return OkStatus();
  status.SetErrorCode("E0105");
  return status;
}

}  // namespace

bool LooksLikeExecutable(ByteSpan bytes) {
  return bytes.size() >= sizeof(kMagic) &&
         std::equal(kMagic, kMagic + sizeof(kMagic), bytes.begin());
}

namespace {

Result<FileLayout> LayoutOf(FileBytes* file) {
  FileLayout layout;
  TERN_TRY(ReadHeader(file, &layout.header));
  const size_t table = kHeaderBytes + layout.header.section_count * kSectionEntryBytes;
  if (table + 4 > file->size())
    return Damaged("the file ends within its section table: it was truncated");
  // Read again together with the table, as the sum covers both.
  TERN_TRY_ASSIGN(const ByteSpan bytes, file->At(0, table + 4));
  ByteReader reader(bytes, "section table");
  reader.Skip(kHeaderBytes);
  for (uint32_t i = 0; i < layout.header.section_count; ++i) {
    SectionEntry entry;
    entry.id = reader.U32();
    entry.flags = reader.U32();
    entry.offset = reader.U64();
    entry.bytes = reader.U64();
    entry.checked_bytes = reader.U64();
    entry.crc = reader.U32();
    // Reserved; zero until a version uses it.
    if (reader.U32() != 0) return Damaged("the section table is malformed");
    layout.sections.push_back(entry);
  }
  if (reader.U32() != Crc32c(bytes.first(table)))
    return Damaged("header and section table do not match their checksum");
  uint64_t end = table + 4;
  for (size_t i = 0; i < layout.sections.size(); ++i) {
    // At most kMaxSections, so comparing all pairs is cheap.
    for (size_t k = 0; k < i; ++k) {
      if (layout.sections[k].id == layout.sections[i].id) {
        return Damaged(StrCat("section '", SectionName(layout.sections[i].id), "' is there twice"));
      }
    }
    TERN_TRY(CheckEntry(file, layout.sections[i], &end));
  }
  if (end != file->size()) return Damaged("bytes are left over behind the last section");
  return layout;
}

Result<ExecutablePtr> Read(FileBytes* file, ObjectPtr<Object> keeper, const ReadOptions& options,
                           std::shared_ptr<OnDemandConstants> on_demand) {
  TERN_TRY_ASSIGN(const FileLayout layout, LayoutOf(file));
  for (SectionId id :
       {SectionId::kGlobals, SectionId::kConstants, SectionId::kPrimitives, SectionId::kCode}) {
    if (FindSection(layout, id) == nullptr) {
      return Damaged(StrCat("section '", SectionName(static_cast<uint32_t>(id)), "' is missing"));
    }
  }
  ExecutableParts parts;
  for (const SectionReader& section : kSectionReaders)
    TERN_TRY(ReadSection(file, layout, section, &parts));
  for (const SectionEntry& section : layout.sections)
    parts.sections.push_back({section.id, section.offset, section.bytes});
  // Last, because its index needs most checks of others: none refer to it.
  const SectionEntry& entry = *FindSection(layout, SectionId::kConstants);
  TERN_TRY_ASSIGN(const ByteSpan index, file->At(entry.offset, entry.checked_bytes));
  ConstantSection section = {file, entry, index, on_demand.get(), std::move(keeper)};
  TERN_TRY_ASSIGN(const uint64_t blob_bytes, ReadConstants(std::move(section), &parts.constants));
  // The verifier runs in Make: an executable that exists is sound.
  TERN_TRY_ASSIGN(ExecutablePtr executable, Executable::Make(std::move(parts), on_demand));
  // On demand, each tensor is checked when it is loaded.
  const bool check = on_demand == nullptr &&
                     (options.checks == ConstantChecks::kAlways ||
                      (options.checks == ConstantChecks::kAuto && blob_bytes <= kAutoCheckBytes));
  if (check) TERN_TRY(executable->CheckConstants());
  return executable;
}

}  // namespace

Result<FileLayout> ReadLayout(ByteSpan bytes) {
  FileBytes file(bytes);
  return LayoutOf(&file);
}

Result<ExecutablePtr> ReadExecutable(ByteSpan bytes, ObjectPtr<Object> keeper,
                                     const ReadOptions& options) {
  FileBytes file(bytes);
  return Read(&file, std::move(keeper), options, nullptr);
}

Result<ExecutablePtr> ReadOnDemand(const FileSource& source, const ReadOptions& options) {
  auto on_demand =
      // Owns the source from here on, so it is released on every path.
      std::make_shared<OnDemandConstants>(source, options.checks != ConstantChecks::kNever);
  if (source.read == nullptr) return InvalidArgument("a source needs a function that reads");
  FileBytes file(source);
  return Read(&file, nullptr, options, std::move(on_demand));
}

}  // namespace tern::vm
