// SPDX-License-Identifier: Apache-2.0
// Dimension expressions of a signature (signature.h), computed from the extents of its symbols.
#ifndef TERN_CORE_VM_DIMENSION_H_
#define TERN_CORE_VM_DIMENSION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tern::text {
class Scanner;
}

namespace tern::vm {

inline constexpr int64_t kUnknownExtent = -1;

// Nothing where the text is no expression, a symbol's extent is not known, or 64 bits are not
// enough. extents: by symbol.
std::optional<int64_t> EvaluateDimension(std::string_view text,
                                         std::span<const std::string> symbols,
                                         std::span<const int64_t> extents);

// Moves behind a dimension, or keeps the mistake.
void SkipDimension(text::Scanner* in);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DIMENSION_H_
