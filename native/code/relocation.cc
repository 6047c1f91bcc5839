// SPDX-License-Identifier: Apache-2.0
// One row per relocation says how its value is computed and which bits of the word take it (ELF
// psABI of x86-64, "ELF for the Arm 64-bit Architecture"). Only what loop kernels have is listed;
// others are refused.
#include "native/code/relocation.h"

#include "core/base/strings.h"

namespace tern::native {
namespace {

constexpr size_t kWordBytes = 4;
constexpr int kPageBits = 12;
// In bytes. x86-64 counts distances from the end of the instruction, which addends take off.
constexpr int64_t kMaxBytesBefore = 16;

// How the value of a relocation is computed.
enum class Value : uint8_t {
  kDistance,      // target - place
  kPageDistance,  // from page to page, in pages
  kPageOffset,    // of the target in its page
};
// Which bits of the word the value is written to.
enum class Field : uint8_t {
  kWord,       // all 32 bits
  kBranch,     // AArch64 B and BL: bits 0 to 25, in instructions
  kPageBase,   // AArch64 ADRP: bits 29 and 30, then 5 to 23
  kImmediate,  // AArch64 ADD, LDR, STR: bits 10 to 21, in units of 1 << scale
};

struct RelocationKind {
  ElfMachine machine;
  uint32_t type;
  std::string_view name;
  Value value;
  Field field;
  int scale = 0;
};

// An object with other relocations than these is refused.
constexpr ElfMachine kElfX86 = ElfMachine::kX86_64;
constexpr ElfMachine kElfArm = ElfMachine::kAArch64;
constexpr RelocationKind kKinds[] = {
    {kElfX86, 2, "R_X86_64_PC32", Value::kDistance, Field::kWord},
    {kElfX86, 4, "R_X86_64_PLT32", Value::kDistance, Field::kWord},
    {kElfArm, 261, "R_AARCH64_PREL32", Value::kDistance, Field::kWord},
    {kElfArm, 275, "R_AARCH64_ADR_PREL_PG_HI21", Value::kPageDistance, Field::kPageBase},
    {kElfArm, 277, "R_AARCH64_ADD_ABS_LO12_NC", Value::kPageOffset, Field::kImmediate, 0},
    {kElfArm, 278, "R_AARCH64_LDST8_ABS_LO12_NC", Value::kPageOffset, Field::kImmediate, 0},
    {kElfArm, 282, "R_AARCH64_JUMP26", Value::kDistance, Field::kBranch},
    {kElfArm, 283, "R_AARCH64_CALL26", Value::kDistance, Field::kBranch},
    {kElfArm, 284, "R_AARCH64_LDST16_ABS_LO12_NC", Value::kPageOffset, Field::kImmediate, 1},
    {kElfArm, 285, "R_AARCH64_LDST32_ABS_LO12_NC", Value::kPageOffset, Field::kImmediate, 2},
    {kElfArm, 286, "R_AARCH64_LDST64_ABS_LO12_NC", Value::kPageOffset, Field::kImmediate, 3},
    {kElfArm, 299, "R_AARCH64_LDST128_ABS_LO12_NC", Value::kPageOffset, Field::kImmediate, 4},
};

const RelocationKind* FindKind(const RelocationSite& site) {
  for (const RelocationKind& kind : kKinds) {
    if (kind.machine == site.machine && kind.type == site.type) return &kind;
  }
  return nullptr;
}

int64_t ValueOf(const RelocationKind& kind, const RelocationSite& site) {
  const auto place = static_cast<int64_t>(site.place);
  switch (kind.value) {
    case Value::kDistance: return site.target - place;
    case Value::kPageDistance: return (site.target >> kPageBits) - (place >> kPageBits);
    case Value::kPageOffset: return site.target & ((1 << kPageBits) - 1);
  }
  return 0;
}

// The low `count` bits of `value`, at bit `at`, in place of what was there.
uint32_t SetBits(uint32_t word, int at, int count, int64_t value) {
  const uint32_t mask = ((uint32_t{1} << count) - 1) << at;
  return (word & ~mask) | ((static_cast<uint32_t>(value) << at) & mask);
}

bool FitsSigned(int64_t value, int bits) {
  const int64_t limit = int64_t{1} << (bits - 1);
  return value >= -limit && value < limit;
}

struct Encoded {
  bool fits = false;
  uint32_t word = 0;
};

// A value that does not fit is refused by the caller; bits are only set then.
Encoded Encode(const RelocationKind& kind, int64_t value, uint32_t word) {
  switch (kind.field) {
    case Field::kWord: return {FitsSigned(value, 32), static_cast<uint32_t>(value)};
    case Field::kBranch:
      return {value % 4 == 0 && FitsSigned(value / 4, 26), SetBits(word, 0, 26, value / 4)};
    case Field::kPageBase:
      return {FitsSigned(value, 21), SetBits(SetBits(word, 29, 2, value), 5, 19, value >> 2)};
    case Field::kImmediate:
      return {value % (int64_t{1} << kind.scale) == 0, SetBits(word, 10, 12, value >> kind.scale)};
  }
  return {};
}

// ELF of all three machines is little-endian, whatever reads it.
uint32_t ReadWord(const uint8_t* at) {
  return at[0] | uint32_t{at[1]} << 8 | uint32_t{at[2]} << 16 | uint32_t{at[3]} << 24;
}

void WriteWord(uint32_t word, uint8_t* at) {
  for (size_t i = 0; i < kWordBytes; ++i) at[i] = static_cast<uint8_t>(word >> (8 * i));
}

}  // namespace

Status ApplyRelocation(const RelocationSite& site, std::span<uint8_t> image) {
  const RelocationKind* kind = FindKind(site);
  if (kind == nullptr)
    return BadObject("relocation ", site.type, " of ", ElfMachineName(site.machine),
                     " is none that loop kernels have");
  if (image.size() < kWordBytes || site.place > image.size() - kWordBytes)
    return BadObject(kind->name, " at ", site.place, " lies outside of ", image.size(), " bytes");
  if (kind->field != Field::kWord && site.place % kWordBytes != 0)
    return BadObject(kind->name, " at ", site.place, " is not at an instruction");
  // A target outside of the image would let code jump or read anywhere.
  if (site.target < -kMaxBytesBefore || site.target > static_cast<int64_t>(image.size()))
    return BadObject(kind->name, " at ", site.place, " points to ", site.target, ", outside of ",
                     image.size(), " bytes");
  uint8_t* at = image.data() + site.place;
  const Encoded encoded = Encode(*kind, ValueOf(*kind, site), ReadWord(at));
  if (!encoded.fits)
    return BadObject(kind->name, " at ", site.place, " cannot reach ", site.target);
  WriteWord(encoded.word, at);
  return OkStatus();
}

}  // namespace tern::native
