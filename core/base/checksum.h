// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), the same on every target: by an instruction where x86-64 has one, by tables
// elsewhere. Sections of a .tern file carry it, and tuning records and linked kernels name the text
// they were made from by it. It finds damage; it does not withstand forgery. Thread-safe.
#ifndef TERN_CORE_BASE_CHECKSUM_H_
#define TERN_CORE_BASE_CHECKSUM_H_

#include <cstdint>

#include "core/base/bytes.h"

namespace tern {

// Crc32c(b, Crc32c(a)) is the checksum of a followed by b. The check value of "123456789" is
// 0xe3069283.
uint32_t Crc32c(ByteSpan bytes, uint32_t previous = 0);

}  // namespace tern

#endif  // TERN_CORE_BASE_CHECKSUM_H_
