// SPDX-License-Identifier: Apache-2.0
// ElfObject: a relocatable object file of 64 bits, little-endian, taken apart.
//
// Nothing in the bytes is believed: every offset, index and name is checked here, so that who links
// (link_object.h) works with sections, symbols and relocations that exist. The parts point into the
// bytes. Memory and time are in proportion to the file, since its parts may not overlap.
#ifndef TERN_NATIVE_CODE_ELF_OBJECT_H_
#define TERN_NATIVE_CODE_ELF_OBJECT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tern::native {

// e_machine.
enum class ElfMachine : uint16_t { kX86_64 = 62, kAArch64 = 183, kRiscV = 243 };
// "x86-64", or "machine 40".
std::string ElfMachineName(ElfMachine machine);
// Of the processor this is compiled for.
ElfMachine HostElfMachine();

// Where what wants to lie at multiples of `alignment`, a power of two, begins from `value` on.
constexpr uint64_t RoundUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

struct ElfSection {
  enum class Type : uint32_t {
    kNull = 0,
    kSymbols = 2,
    kStrings = 3,
    kRelocations = 4,
    kNoBits = 8
  };

  std::string_view name;
  Type type = Type::kNull;
  uint64_t flags = 0;
  std::string_view contents;  // empty of kNoBits
  uint64_t size = 0;
  uint64_t alignment = 1;  // a power of two
  uint32_t link = 0;
  uint32_t info = 0;

  bool is_writable() const { return (flags & 1) != 0; }
  bool is_loaded() const { return (flags & 2) != 0; }
  bool is_code() const { return (flags & 4) != 0; }
  bool is_special() const { return (flags & (0x400 | 0x800)) != 0; }  // thread-local, compressed
};

struct ElfSymbol {
  std::string_view name;
  uint64_t value = 0;    // offset in its section
  uint16_t section = 0;  // 0: defined elsewhere; from 0xff00 on: no section at all
  bool is_global = false;
  bool is_function = false;
};

struct ElfRelocation {
  uint32_t section = 0;  // whose contents change
  uint64_t offset = 0;   // there
  uint32_t type = 0;     // the machine's
  uint32_t symbol = 0;   // index
  int64_t addend = 0;
};

struct ElfObject {
  ElfMachine machine{};
  std::vector<ElfSection> sections;  // the first is no section
  std::vector<ElfSymbol> symbols;    // the first is none
  std::vector<ElfRelocation> relocations;
};

// An error about an object (E0805).
template <typename... T>
Status BadObject(const T&... parts) {
  return Corrupt("native code is no object that can be loaded: ", parts...).SetErrorCode("E0805");
}

// Errors say what is wrong where.
Result<ElfObject> ParseElf(std::string_view bytes);

}  // namespace tern::native

#endif  // TERN_NATIVE_CODE_ELF_OBJECT_H_
