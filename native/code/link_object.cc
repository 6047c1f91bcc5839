// SPDX-License-Identifier: Apache-2.0
// Lays out the sections that are loaded, fills them in, applies the relocations and lists the
// functions: a static linker of objects that need nothing of others.
#include "native/code/link_object.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/strings.h"
#include "native/code/relocation.h"

namespace tern::native {
namespace {

// In bytes. No loop kernel comes near; it keeps distances within what branches reach.
constexpr uint64_t kMaxImageBytes = uint64_t{64} << 20;
// In bytes. Nothing is there: sanitizers look in front of a function for what kind it is.
constexpr uint64_t kBytesBeforeCode = 64;
constexpr uint64_t kMaxAlignment = 4096;  // relocations know no larger page
// Tells unwinders about frames; nothing unwinds through a kernel.
constexpr std::string_view kFrames = ".eh_frame";

// Memory that code may write would be shared by all calls of all threads.
Status CheckSection(const ElfSection& section) {
  if (section.is_special())
    return BadObject("section '", section.name, "' is thread-local or compressed");
  if (section.is_writable() || section.type == ElfSection::Type::kNoBits)
    return BadObject("section '", section.name, "' is data that code writes to");
  if (section.alignment > kMaxAlignment)
    return BadObject("section '", section.name, "' wants to lie at multiples of ",
                     section.alignment, ", at most ", kMaxAlignment, " is done");
  return OkStatus();
}

// Puts one object into an image that may hold others.
class Linker {
 public:
  Linker(ElfObject object, size_t index, ObjectImage* image)
      : object_(std::move(object)), index_(index), image_(*image) {
    offsets_.resize(object_.sections.size());
  }

  // First of all objects the code, so that it can have segments of its own, then the constants.
  // Begins at *end and moves it.
  Status Place(bool code, uint64_t* end);
  // Once the image has its bytes.
  Status Fill() {
    Copy();
    for (const ElfRelocation& relocation : object_.relocations) TERN_TRY(Relocate(relocation));
    return ListFunctions();
  }

 private:
  static bool IsPlaced(const ElfSection& section, bool code) {
    return section.is_loaded() && section.is_code() == code && section.name != kFrames;
  }
  void Copy();
  Status Relocate(const ElfRelocation& relocation);
  Result<uint64_t> AddressOf(const ElfSymbol& symbol) const;
  Status ListFunctions();

  const ElfObject object_;
  const size_t index_;
  ObjectImage& image_;
  std::vector<std::optional<uint64_t>> offsets_;  // in the image, of sections that are placed
};

Status Linker::Place(bool code, uint64_t* end) {
  const uint64_t first = *end;
  for (size_t i = 0; i < object_.sections.size(); ++i) {
    const ElfSection& section = object_.sections[i];
    if (!IsPlaced(section, code)) continue;
    TERN_TRY(CheckSection(section));
    const uint64_t begin = RoundUp(*end, section.alignment);
    if (begin > kMaxImageBytes || section.size > kMaxImageBytes - begin)
      return BadObject("its sections have more than ", kMaxImageBytes, " bytes");
    offsets_[i] = begin;
    *end = begin + section.size;
  }
  if (code && *end == first) return BadObject("it has no code");
  return OkStatus();
}

void Linker::Copy() {
  for (size_t i = 0; i < object_.sections.size(); ++i) {
    const ElfSection& section = object_.sections[i];
    if (offsets_[i].has_value())
      std::copy(section.contents.begin(), section.contents.end(),
                image_.bytes.begin() + static_cast<ptrdiff_t>(*offsets_[i]));
    // The stamp that ties code to its loop text is in .comment, which is not loaded.
    if (section.name != ".comment" || section.is_loaded()) continue;
    std::string comment(section.contents);
    std::replace(comment.begin(), comment.end(), '\0', '\n');
    image_.comment += comment;
  }
}

Result<uint64_t> Linker::AddressOf(const ElfSymbol& symbol) const {
  if (symbol.section == 0) return BadObject("it needs '", symbol.name, "', which it does not have");
  if (symbol.section >= offsets_.size() || !offsets_[symbol.section].has_value())
    return BadObject("the symbol '", symbol.name, "' lies in nothing that is loaded");
  const ElfSection& section = object_.sections[symbol.section];
  if (symbol.value > section.size)
    return BadObject("the symbol '", symbol.name, "' lies at ", symbol.value, " of '", section.name,
                     "', which has ", section.size, " bytes");
  return *offsets_[symbol.section] + symbol.value;
}

Status Linker::Relocate(const ElfRelocation& relocation) {
  if (!offsets_[relocation.section].has_value()) return OkStatus();  // of what is not loaded
  const ElfSection& section = object_.sections[relocation.section];
  constexpr uint64_t kFieldBytes = 4;
  if (section.size < kFieldBytes || relocation.offset > section.size - kFieldBytes)
    return BadObject("a relocation at ", relocation.offset, " lies outside of '", section.name,
                     "', which has ", section.size, " bytes");
  const ElfSymbol& symbol = object_.symbols[relocation.symbol];
  TERN_TRY_ASSIGN(const uint64_t address, AddressOf(symbol));
  // So that target + addend below cannot overflow.
  constexpr auto kMaxAddend = static_cast<int64_t>(kMaxImageBytes);
  if (relocation.addend < -kMaxAddend || relocation.addend > kMaxAddend)
    return BadObject("a relocation of '", section.name, "' adds ", relocation.addend, " to '",
                     symbol.name, "'");
  return ApplyRelocation({.machine = object_.machine,
                          .type = relocation.type,
                          .place = *offsets_[relocation.section] + relocation.offset,
                          .target = static_cast<int64_t>(address) + relocation.addend},
                         image_.bytes);
}

Status Linker::ListFunctions() {
  for (const ElfSymbol& symbol : object_.symbols) {
    if (!symbol.is_global || !symbol.is_function || symbol.section == 0) continue;
    TERN_TRY_ASSIGN(const uint64_t offset, AddressOf(symbol));
    const bool in_code = object_.sections[symbol.section].is_code() && offset < image_.code_bytes;
    // A symbol in data or between instructions would be called.
    if (!in_code || (object_.machine == ElfMachine::kAArch64 && offset % 4 != 0))
      return BadObject("the function '", symbol.name, "' does not begin at an instruction");
    image_.functions.push_back({std::string(symbol.name), offset, index_});
  }
  return OkStatus();
}

// Where the sections of all objects lie.
Status LayOut(std::span<Linker> linkers, ObjectImage* image) {
  uint64_t end = kBytesBeforeCode;
  for (Linker& linker : linkers) TERN_TRY(linker.Place(true, &end));
  image->code_bytes = RoundUp(end, ObjectImage::kPageBytes);
  // Execute rights are given by segments, and data must not have them.
  image->constants_begin = image->code_bytes + ObjectImage::kSegmentBytes;
  end = image->constants_begin;
  for (Linker& linker : linkers) TERN_TRY(linker.Place(false, &end));
  image->bytes.resize(static_cast<size_t>(end));
  return OkStatus();
}

}  // namespace

const ImageFunction* ObjectImage::Find(std::string_view name) const {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const ImageFunction& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

std::string KernelSymbol(std::string_view kernel) { return StrCat("tern_kernel_", kernel); }

std::string ParallelKernelSymbol(std::string_view kernel) {
  return StrCat(KernelSymbol(kernel), ".parallel");
}

// A checksum and the length: it is there to notice mistakes, not forgery.
std::string KernelStamp(std::string_view loop_text) {
  return StrCat("tern loop kernel, text of ", loop_text.size(), " bytes, CRC-32C ",
                FormatHex(Crc32c(AsBytes(loop_text))));
}

Result<ObjectImage> LinkObjects(std::span<const std::string_view> objects, ElfMachine machine) {
  ObjectImage image;
  std::vector<Linker> linkers;
  linkers.reserve(objects.size());
  for (const std::string_view object : objects) {
    TERN_TRY_ASSIGN(ElfObject elf, ParseElf(object));
    if (elf.machine != machine)
      return Unsupported("the native code is for another processor: ", ElfMachineName(elf.machine),
                         ", expected ", ElfMachineName(machine))
          .SetErrorCode("E0805");
    linkers.emplace_back(std::move(elf), linkers.size(), &image);
  }
  TERN_TRY(LayOut(linkers, &image));
  for (Linker& linker : linkers) TERN_TRY(linker.Fill());
  return image;
}

Result<ObjectImage> LinkObject(std::string_view object, ElfMachine machine) {
  return LinkObjects({&object, 1}, machine);
}

}  // namespace tern::native
