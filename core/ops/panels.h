// SPDX-License-Identifier: Apache-2.0
// Panels, in which files keep packed matrices: 16 columns side by side, row by row.
#ifndef TERN_CORE_OPS_PANELS_H_
#define TERN_CORE_OPS_PANELS_H_

#include <cstdint>

namespace tern::ops {

inline constexpr int64_t kPanel = 16;  // TERN_PANEL_WIDTH of kernels/kernel.h

constexpr int64_t PanelCount(int64_t columns) { return (columns + kPanel - 1) / kPanel; }

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_PANELS_H_
