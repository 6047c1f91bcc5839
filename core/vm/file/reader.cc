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

namespace tern::vm {
namespace {

Status Damaged(std::string_view message) { return Corrupt(message).SetErrorCode("E0105"); }

bool IsZero(ByteSpan bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
}

// --- bytes

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

// --- constants

// Reads the index of the constants section; tensor data follows the index and is used in place,
// copied, or left for later.
class ConstantReader {
 public:
  // `index`: the bytes that the section begins with. Tensor data stays where it is if `on_demand`
  // is not null.
  ConstantReader(FileBytes* file, const SectionEntry& entry, ByteSpan index,
                 OnDemandConstants* on_demand)
      : file_(*file),
        entry_(entry),
        index_(index, "section 'constants'"),
        begin_(index.data()),
        on_demand_(on_demand),
        // Tensor data begins behind the index.
        blob_end_(index.size()) {}

  // Says that data may be used where it lies, as long as `keeper` holds it. Data in the file is
  // aligned to 64 relative to its start, so the start decides.
  void UseInPlace(ObjectPtr<Object> keeper) {
    keeper_ = std::move(keeper);
    in_place_ = keeper_ && reinterpret_cast<uintptr_t>(begin_) % kTensorAlignment == 0;
  }

  Status Run(std::vector<Constant>* constants) {
    const uint64_t count = index_.BoundedVarint(index_.remaining(), "number of constants");
    for (uint64_t i = 0; i < count && ok(); ++i, ++number_) constants->push_back(ReadConstant());
    if (ok() && !index_.AtEnd()) index_.Fail("bytes are left over");
    // Both parts must be used up exactly.
    if (ok() && blob_end_ != entry_.bytes)
      index_.Fail("bytes are left over behind the tensor data");
    // A source that cannot be read is no damage of the file.
    if (!failure_.ok()) return std::move(failure_);
    Status status = index_.TakeStatus();
    return status.ok() ? std::move(status) : std::move(status.SetErrorCode("E0105"));
  }

  uint64_t blob_bytes() const { return blob_bytes_; }

 private:
  bool ok() const { return index_.ok(); }

  // In any case a sound constant: after an error the loop ends, but its result is destroyed.
  Constant ReadConstant() {
    Constant constant;
    const uint8_t kind = index_.U8();
    constant.kind = static_cast<ConstantKind>(kind);
    switch (constant.kind) {
      case ConstantKind::kNone: return constant;
      case ConstantKind::kInt: constant.value = Any(index_.SignedVarint()); return constant;
      case ConstantKind::kFloat: constant.value = Any(index_.F64()); return constant;
      case ConstantKind::kBool: {
        const uint8_t value = index_.U8();
        if (value > 1) index_.Fail("a bool that is neither 0 nor 1");
        constant.value = Any(value != 0);
        return constant;
      }
      case ConstantKind::kString: constant.value = Any(index_.PrefixedText()); return constant;
      case ConstantKind::kDType: constant.value = Any(ReadDType()); return constant;
      case ConstantKind::kShape: constant.value = Any(Shape::Make(ReadDims())); return constant;
      case ConstantKind::kTensor: ReadTensor(&constant); return constant;
      case ConstantKind::kSplat: ReadSplat(&constant); return constant;
      case ConstantKind::kTuple: ReadTuple(&constant); return constant;
    }
    index_.Fail(StrCat("constant of unknown kind ", kind));
    constant.kind = ConstantKind::kNone;
    return constant;
  }

  DType ReadDType() {
    const std::optional<DType> dtype = DType::FromWord(index_.U32());
    if (!dtype.has_value()) index_.Fail("an unknown data type");
    return dtype.value_or(kF32);
  }

  std::vector<int64_t> ReadDims() {
    // The rank bounds what is allocated.
    const uint64_t rank = index_.BoundedVarint(kMaxRank, "rank");
    std::vector<int64_t> dims;
    for (uint64_t i = 0; i < rank && ok(); ++i) dims.push_back(index_.SignedVarint());
    return dims;
  }

  // Sizes are checked before memory is: count, bytes, place of the data, in this order.
  void ReadTensor(Constant* constant) {
    const DType dtype = ReadDType();
    const std::vector<int64_t> dims = ReadDims();
    const std::optional<int64_t> count = ElementCount(dims);
    const std::optional<int64_t> bytes = count.has_value() ? dtype.bytes_for(*count) : std::nullopt;
    if (!bytes.has_value()) return index_.Fail(StrCat("a tensor of shape ", FormatDims(dims)));
    if (!ok()) return;
    if (dtype.is_string()) return ReadStrings(*count, dims, constant);
    // A tensor without bytes has no data in the file and no sum.
    if (*bytes == 0) return Keep(Tensor::FromBytes(dtype, dims, {}), constant);
    constant->content_sum = index_.U64();
    constant->has_content_sum = true;
    const uint64_t offset = index_.U64();
    const auto size = static_cast<uint64_t>(*bytes);
    if (!ok() || !TakeBlob(offset, size)) return;
    if (on_demand_ != nullptr) return ReadOnDemand(offset, size, dtype, dims, constant);
    const ByteSpan data = *file_.At(entry_.offset + offset, size);  // in memory: cannot fail
    Keep(in_place_ ? Tensor::FromMemory(data.data(), data.size(), keeper_, dtype, dims)
                   : Tensor::FromBytes(dtype, dims, data),
         constant);
  }

  // Makes a tensor that gets its memory later (on_demand.h).
  void ReadOnDemand(uint64_t offset, uint64_t bytes, DType dtype, Dims dims, Constant* constant) {
    if (bytes > SIZE_MAX)
      return index_.Fail(StrCat("a tensor of ", bytes, " bytes: too large for this machine"));
    on_demand_->Add(number_, entry_.offset + offset);
    Keep(Tensor::FromMemory(nullptr, static_cast<size_t>(bytes), nullptr, dtype, dims), constant);
  }

  // Constants are shared by all machines of the program, so nobody may write to them.
  void Keep(Result<TensorPtr> tensor, Constant* constant) {
    if (!tensor.ok()) return index_.Fail(tensor.status().message());
    (*tensor)->set_read_only();
    constant->value = Any(std::move(tensor).value());
  }

  void ReadStrings(int64_t count, Dims dims, Constant* constant) {
    // Each string takes at least one byte, its length.
    if (static_cast<uint64_t>(count) > index_.remaining())
      return index_.Fail("more strings than bytes");
    std::vector<std::string_view> texts;
    for (int64_t i = 0; i < count && ok(); ++i) texts.push_back(index_.PrefixedText());
    if (ok()) Keep(Tensor::FromStrings(texts, dims), constant);
  }

  // Takes the next piece of tensor data. Data lies in the order of the index, each at the next
  // multiple of 64, with zeros between, so its place is known and the stored one only confirms it.
  bool TakeBlob(uint64_t offset, uint64_t bytes) {
    const uint64_t expected = (blob_end_ + kFileAlignment - 1) / kFileAlignment * kFileAlignment;
    if (offset != expected || offset > entry_.bytes || bytes > entry_.bytes - offset) {
      index_.Fail(StrCat("tensor data at ", offset, ", expected at ", expected, " within ",
                         entry_.bytes, " bytes"));
      return false;
    }
    const Result<bool> is_gap = file_.IsGap(entry_.offset + blob_end_, offset - blob_end_);
    if (!is_gap.ok()) return CannotRead(is_gap.status().Clone());
    if (!*is_gap) index_.Fail("the bytes between tensor data are not zero");
    blob_end_ = offset + bytes;
    blob_bytes_ += bytes;
    return ok();
  }

  bool CannotRead(Status failure) {
    failure_ = std::move(failure);
    index_.Fail("tensor data cannot be read");
    return false;
  }

  void ReadSplat(Constant* constant) {
    const DType dtype = ReadDType();
    const std::vector<int64_t> dims = ReadDims();
    if (!ok()) return;
    // A splat is copied as bytes when it is made (executable.cc).
    if (dtype.is_string() || dtype.bits % 8 != 0) return index_.Fail("a splat of this data type");
    const ByteSpan element = index_.Bytes(static_cast<size_t>(dtype.size()));
    if (!ok()) return;
    Result<TensorPtr> scalar = Tensor::FromBytes(dtype, Dims(), element);
    if (!scalar.ok()) return index_.Fail(scalar.status().message());
    Result<Constant> splat = Constant::Splat(std::move(scalar).value(), dims);
    if (!splat.ok()) return index_.Fail(splat.status().message());
    *constant = std::move(splat).value();
  }

  void ReadTuple(Constant* constant) {
    const uint64_t count = index_.BoundedVarint(index_.remaining(), "number of tuple elements");
    for (uint64_t i = 0; i < count && ok(); ++i) {
      // That elements lie before their tuple is checked by the verifier.
      constant->elements.push_back(
          static_cast<uint32_t>(index_.BoundedVarint(UINT32_MAX, "constant")));
    }
  }

  FileBytes& file_;
  const SectionEntry& entry_;
  ByteReader index_;
  const uint8_t* begin_;
  OnDemandConstants* on_demand_;
  size_t number_ = 0;  // of the constant being read
  Status failure_;     // of the file, not of what it says
  ObjectPtr<Object> keeper_;
  bool in_place_ = false;
  uint64_t blob_end_;
  uint64_t blob_bytes_ = 0;
};

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
  ConstantReader constants(file, entry, index, on_demand.get());
  constants.UseInPlace(std::move(keeper));
  TERN_TRY(constants.Run(&parts.constants));
  // The verifier runs in Make: an executable that exists is sound.
  TERN_TRY_ASSIGN(ExecutablePtr executable, Executable::Make(std::move(parts), on_demand));
  // On demand, each tensor is checked when it is loaded.
  const bool check =
      on_demand == nullptr &&
      (options.checks == ConstantChecks::kAlways ||
       (options.checks == ConstantChecks::kAuto && constants.blob_bytes() <= kAutoCheckBytes));
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
