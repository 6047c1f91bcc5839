// SPDX-License-Identifier: Apache-2.0
// The .tern file: numbers, sizes and the version rule. docs/format.md shows a real file in hex.
//
//   header         64 bytes: magic, version, what is required to read it, size of file and
//                  section table
//   section table  one SectionEntry per section, then a CRC-32C of header and table
//   sections       each at a multiple of 64, in the order of SectionId; zeros between them
//
// Everything is little-endian; offsets are 64 bits and count from the start of the file. Numbers
// inside sections are varints (base/bytes.h) unless they are used in place. Each section has a
// CRC-32C. The constants section is an index, which its CRC covers, followed by tensor data at
// multiples of 64, used in place; the index holds a ContentSum of each tensor's data, so that a
// large mapped file need not be read through before it starts (ConstantChecks in reader.h).
//
// Version rule: another major version is refused. A newer minor version loads, unless a section
// this reader does not know is marked required, or a feature bit is set that it does not know;
// unknown optional sections are skipped. Writers give the lowest version that tells what the file
// holds, both as its own and as the one that is required, so that older readers take what they can
// and a file stays the same when a newer writer saves it.
#ifndef TERN_CORE_VM_FILE_FORMAT_H_
#define TERN_CORE_VM_FILE_FORMAT_H_

#include <cstdint>
#include <string_view>

#include "core/base/bytes.h"

namespace tern::vm {

inline constexpr uint8_t kMagic[8] = {0x89, 'T', 'E', 'R', 'N', '\r', '\n', 0x1a};
inline constexpr uint16_t kFormatMajor = 1;
inline constexpr uint16_t kFormatMinor = 1;

// Bits of `features` in the header: what a reader must understand. Never reuse one.
inline constexpr uint64_t kFeatureDevices = 1;  // 1.1: code names devices other than the processor
inline constexpr uint64_t kKnownFeatures = kFeatureDevices;

inline constexpr size_t kHeaderBytes = 64;
inline constexpr size_t kSectionEntryBytes = 40;
inline constexpr size_t kFileAlignment = 64;
inline constexpr uint32_t kMaxSections = 64;

// Never reuse a number.
enum class SectionId : uint32_t {
  kGlobals = 1,  // functions: names, signatures, where their code lies, registers
  kConstants = 2,
  kPrimitives = 3,  // names of imported functions
  kCode = 4,        // instr_offset and instr_data, as they are in memory
  kKernels = 5,
  kMetadata = 6,
  kDebug = 7,
};
inline constexpr uint32_t kLastKnownSection = 7;
std::string_view SectionName(uint32_t id);  // "section 9" is not made here: "unknown"

// flags of a SectionEntry.
inline constexpr uint32_t kSectionRequired =
    1;  // a reader that does not know it must refuse the file

struct FileHeader {
  uint16_t major = kFormatMajor;
  uint16_t minor = kFormatMinor;
  uint16_t required_major = kFormatMajor;  // of the runtime
  uint16_t required_minor = 0;
  uint32_t section_count = 0;
  uint64_t features = 0;
  uint64_t file_bytes = 0;
};

struct SectionEntry {
  uint32_t id = 0;
  uint32_t flags = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t checked_bytes =
      0;  // the CRC covers so many from the start; all but of the constants section
  uint32_t crc = 0;
};

// A sum of tensor data at memory speed: four lanes of multiply and rotate. Any single flipped bit
// changes it. The same on every target.
uint64_t ContentSum(ByteSpan bytes);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_FILE_FORMAT_H_
