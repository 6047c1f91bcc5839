// SPDX-License-Identifier: Apache-2.0
// Sections are made in memory, all but tensor data; then their places are known, and everything is
// written in order, so a sink need not seek.
#include "core/vm/file/writer.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/checksum.h"
#include "core/vm/file/format.h"

namespace tern::vm {
namespace {

uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// A section, whose tensor data is referred to and not copied.
struct Section {
  SectionEntry entry;
  std::vector<uint8_t> bytes;
  std::vector<const Tensor*> blobs;  // of the constants section: tensor data behind the bytes
};

void WriteDims(Dims dims, ByteWriter* out) {
  out->Varint(dims.size());
  for (int64_t dim : dims) out->SignedVarint(dim);
}

// What a file needs that version 1.0 did not have. A file gets the lowest version that tells what
// it holds (format.h).
struct Feature {
  uint64_t bit;
  uint16_t since;  // minor version
  bool (*is_used)(const Executable& executable);
};

// Whether some instruction's operand for a device is not 0, the processor.
bool NamesDevices(const Executable& executable) {
  Instruction instruction;
  for (uint32_t pc = 0; pc < executable.instruction_count(); ++pc) {
    const std::span<const uint64_t> words = executable.InstructionWords(pc);
    const auto opcode = static_cast<Opcode>(words[0] >> 56);
    // Only two opcodes name devices; the others are skipped by their first word.
    if (opcode != Opcode::kAllocStorage && opcode != Opcode::kDeviceCopy) continue;
    DecodeInstruction(words, &instruction);
    if (instruction.operands.back().value != 0) return true;  // the device stands last
  }
  return false;
}

constexpr Feature kFeatures[] = {{kFeatureDevices, 1, &NamesDevices}};

// Lays the file out in the constructor and writes it in Write.
class FileWriter {
 public:
  explicit FileWriter(const Executable& executable) : executable_(executable) {
    for (const Feature& feature : kFeatures) {
      if (!feature.is_used(executable)) continue;
      features_ |= feature.bit;
      minor_ = std::max(minor_, feature.since);
    }
    // In the order of SectionId, which is the order in the file.
    AddSection(SectionId::kGlobals, kSectionRequired, Globals());
    AddConstants();
    AddSection(SectionId::kPrimitives, kSectionRequired, Primitives());
    AddSection(SectionId::kCode, kSectionRequired, Code());
    AddSection(SectionId::kKernels, 0, Kernels());
    AddSection(SectionId::kMetadata, 0, Metadata());
    AddSection(SectionId::kDebug, 0, Debug());
    Place();
  }

  Status Write(ByteSink* sink) {
    sink_ = sink;
    TERN_TRY(sink->Begin(file_bytes_));
    TERN_TRY(Put(Header()));
    for (const Section& section : sections_) {
      TERN_TRY(PadTo(section.entry.offset));
      TERN_TRY(Put(section.bytes));
      for (const Tensor* blob : section.blobs) {
        TERN_TRY(PadTo(AlignUp(written_, kFileAlignment)));
        TERN_TRY(Put(blob->bytes()));
      }
    }
    return OkStatus();
  }

 private:
  // All bytes of such a section are covered by its checksum.
  void AddSection(SectionId id, uint32_t flags, ByteWriter writer) {
    Section section;
    section.entry.id = static_cast<uint32_t>(id);
    section.entry.flags = flags;
    section.bytes = writer.Take();
    section.entry.bytes = section.entry.checked_bytes = section.bytes.size();
    section.entry.crc = Crc32c(section.bytes);
    sections_.push_back(std::move(section));
  }

  // The order is that of ReadGlobals in reader.cc; so it is for all sections.
  ByteWriter Globals() const {
    ByteWriter out;
    out.Varint(executable_.functions().size());
    for (const FunctionInfo& function : executable_.functions()) {
      out.PrefixedText(function.name);
      out.PrefixedText(function.signature.ToText());
      out.Varint(function.first_instruction);
      out.Varint(function.instruction_count);
      out.Varint(function.register_count);
      out.Varint(function.register_names.size());
      for (const auto& [index, name] : function.register_names) {
        out.Varint(index);
        out.PrefixedText(name);
      }
    }
    return out;
  }

  ByteWriter Primitives() const {
    ByteWriter out;
    out.Varint(executable_.primitives().size());
    for (const std::string& name : executable_.primitives()) out.PrefixedText(name);
    return out;
  }

  ByteWriter Code() const {
    // Counts as plain words: this section is used as it is in memory.
    ByteWriter out;
    out.U64(executable_.instr_offset().size());
    out.U64(executable_.instr_data().size());
    for (uint32_t offset : executable_.instr_offset()) out.U32(offset);
    out.Align(8);
    for (uint64_t word : executable_.instr_data()) out.U64(word);
    return out;
  }

  ByteWriter Kernels() const {
    ByteWriter out;
    out.Varint(executable_.kernels().size());
    for (const KernelInfo& kernel : executable_.kernels()) {
      out.PrefixedText(kernel.name);
      out.PrefixedText(kernel.format);
      out.PrefixedText(kernel.bytes);
    }
    return out;
  }

  ByteWriter Metadata() const {
    ByteWriter out;
    out.Varint(executable_.metadata().size());
    for (const auto& [key, value] : executable_.metadata()) {
      out.PrefixedText(key);
      out.PrefixedText(value);
    }
    return out;
  }

  // Texts once each, in the order of their first use; instructions as distances, which are small.
  ByteWriter Debug() const {
    std::unordered_map<std::string_view, uint64_t> ids;
    // Views into the executable, which outlives the writer.
    std::vector<std::string_view> texts;
    for (const DebugEntry& entry : executable_.debug()) {
      if (ids.emplace(entry.text(), texts.size()).second) texts.push_back(entry.text());
    }
    ByteWriter out;
    out.Varint(texts.size());
    for (std::string_view text : texts) out.PrefixedText(text);
    out.Varint(executable_.debug().size());
    uint64_t last = 0;
    for (const DebugEntry& entry : executable_.debug()) {
      out.Varint(entry.instruction - last);
      out.Varint(ids.at(entry.text()));
      out.Varint(entry.line);
      out.Varint(entry.column);
      last = entry.instruction;
    }
    return out;
  }

  // The index holds the place of each tensor's data, which depends on the length of the index. So
  // places are written as zeros and patched when the index is complete; they have a fixed size for
  // that reason.
  void AddConstants() {
    ByteWriter out;
    Section section;
    std::vector<size_t> places;
    out.Varint(executable_.constants().size());
    for (const Constant& constant : executable_.constants()) {
      out.U8(static_cast<uint8_t>(constant.kind));
      WriteConstant(constant, &out, &section.blobs, &places);
    }
    uint64_t at = out.size();
    for (size_t i = 0; i < places.size(); ++i) {
      at = AlignUp(at, kFileAlignment);
      out.PatchU64(places[i], at);
      at += section.blobs[i]->byte_size();
    }
    section.entry.id = static_cast<uint32_t>(SectionId::kConstants);
    section.entry.flags = kSectionRequired;
    section.bytes = out.Take();
    section.entry.bytes = at;
    section.entry.checked_bytes = section.bytes.size();
    section.entry.crc = Crc32c(section.bytes);
    sections_.push_back(std::move(section));
  }

  // Each kind writes what ConstantReader reads.
  static void WriteConstant(const Constant& constant, ByteWriter* out,
                            std::vector<const Tensor*>* blobs, std::vector<size_t>* places) {
    switch (constant.kind) {
      case ConstantKind::kNone: return;
      case ConstantKind::kInt: return out->SignedVarint(*constant.value.TryCast<int64_t>());
      case ConstantKind::kFloat: return out->F64(*constant.value.TryCast<double>());
      case ConstantKind::kBool: return out->U8(*constant.value.TryCast<bool>() ? 1 : 0);
      case ConstantKind::kString:
        return out->PrefixedText(*constant.value.TryCast<std::string_view>());
      case ConstantKind::kDType: return out->U32(constant.value.TryCast<DType>()->ToWord());
      case ConstantKind::kShape: return WriteDims(constant.value.TryCast<Shape>()->dims(), out);
      case ConstantKind::kTensor: return WriteTensor(constant, out, blobs, places);
      case ConstantKind::kSplat: {
        const Tensor& element = *constant.value.TryCast<Tensor>();
        out->U32(element.dtype().ToWord());
        WriteDims(constant.dims, out);
        out->Bytes(element.bytes());
        return;
      }
      case ConstantKind::kTuple:
        out->Varint(constant.elements.size());
        for (uint32_t element : constant.elements) out->Varint(element);
        return;
    }
  }

  static void WriteTensor(const Constant& constant, ByteWriter* out,
                          std::vector<const Tensor*>* blobs, std::vector<size_t>* places) {
    const Tensor& tensor = *constant.value.TryCast<Tensor>();
    out->U32(tensor.dtype().ToWord());
    WriteDims(tensor.dims(), out);
    if (tensor.dtype().is_string()) {
      for (int64_t i = 0; i < tensor.element_count(); ++i) out->PrefixedText(tensor.string_at(i));
      return;
    }
    if (tensor.byte_size() == 0) return;
    // A sum that was read with the file is kept, so that data which is damaged in memory is still
    // found.
    out->U64(constant.has_content_sum ? constant.content_sum : ContentSum(tensor.bytes()));
    places->push_back(out->size());
    blobs->push_back(&tensor);
    out->U64(0);
  }

  // Places of all sections: header, table and its checksum come first.
  void Place() {
    uint64_t at = kHeaderBytes + sections_.size() * kSectionEntryBytes + 4;
    for (Section& section : sections_) {
      section.entry.offset = at = AlignUp(at, kFileAlignment);
      at += section.entry.bytes;
    }
    file_bytes_ = at;
  }

  std::vector<uint8_t> Header() const {
    ByteWriter out;
    out.Bytes(kMagic);
    // The file's own version and the one that is required are the same (format.h).
    for (uint16_t version : {kFormatMajor, minor_, kFormatMajor, minor_}) out.U16(version);
    out.U32(static_cast<uint32_t>(sections_.size()));
    out.U32(kHeaderBytes);
    out.U64(features_);
    out.U64(file_bytes_);
    // The rest of the header is zero, for later versions.
    out.Align(kHeaderBytes);
    for (const Section& section : sections_) {
      out.U32(section.entry.id);
      out.U32(section.entry.flags);
      out.U64(section.entry.offset);
      out.U64(section.entry.bytes);
      out.U64(section.entry.checked_bytes);
      out.U32(section.entry.crc);
      out.U32(0);
    }
    // The checksum covers header and table.
    out.U32(Crc32c(out.span()));
    return out.Take();
  }

  Status Put(ByteSpan bytes) {
    written_ += bytes.size();
    return bytes.empty() ? OkStatus() : sink_->Write(bytes);
  }
  Status PadTo(uint64_t offset) {
    static constexpr uint8_t kZeros[kFileAlignment] = {};
    return Put(ByteSpan(kZeros).first(static_cast<size_t>(offset - written_)));
  }

  const Executable& executable_;
  uint64_t features_ = 0;
  uint16_t minor_ = 0;
  std::vector<Section> sections_;
  uint64_t file_bytes_ = 0;
  uint64_t written_ = 0;
  ByteSink* sink_ = nullptr;
};

// Takes everything into one vector of known size.
class MemorySink : public ByteSink {
 public:
  Status Begin(uint64_t bytes) override {
    bytes_.reserve(static_cast<size_t>(bytes));
    return OkStatus();
  }
  Status Write(ByteSpan bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return OkStatus();
  }
  std::vector<uint8_t> Take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace

Status WriteExecutable(const Executable& executable, ByteSink* sink) {
  // Data that is still in another file must be there before it can be written.
  TERN_TRY(executable.LoadAllConstants());
  return FileWriter(executable).Write(sink);
}

std::vector<uint8_t> SaveExecutable(const Executable& executable) {
  MemorySink sink;
  const Status status = FileWriter(executable).Write(&sink);
  TERN_CHECK(status.ok(), "memory takes what is written");
  return sink.Take();
}

}  // namespace tern::vm
