// SPDX-License-Identifier: Apache-2.0
// Text in columns, for tables that people read in a terminal. By hand: printf would pull a
// formatter into the WebAssembly module, and std::format is not in every library that this is
// built with.
#ifndef TERN_CORE_BASE_COLUMNS_H_
#define TERN_CORE_BASE_COLUMNS_H_

#include <cstddef>
#include <string>

namespace tern {

// Spaces before or behind the text, up to `width` bytes; a longer text stays as it is.
std::string AlignRight(std::string text, size_t width);
std::string AlignLeft(std::string text, size_t width);

// With exactly `digits` (0..9) decimals, half rounded up: "3.142". A value below 0 and one that is
// no number are 0; as many units of the last decimal as fit into 63 bits are the most.
std::string FormatFixed(double value, int digits);

// What a row of a profile did: `bytes` moved, `allocated` bytes, in `ns`.
struct WorkAmounts {
  double operations = 0, bytes = 0, allocated = 0, ns = 0;
};

// Operations and bytes in a nanosecond, operations for a byte, and KiB allocated, below
// kWorkHeadings. Operations and bytes of 0 are not known, and what hangs on them stays empty, as
// does the last cell where nothing was allocated.
inline constexpr const char* kWorkHeadings = "    Gop/s     GB/s    op/B  alloc KiB";
std::string WorkColumns(const WorkAmounts& row);

}  // namespace tern

#endif  // TERN_CORE_BASE_COLUMNS_H_
