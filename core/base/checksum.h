// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), in software, the same on every target. Sections of a .tern file carry it.
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
