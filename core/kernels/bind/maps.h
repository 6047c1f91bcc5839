// SPDX-License-Identifier: Apache-2.0
// Functions between tensors and maps, for ONNX's ai.onnx.ml. Like those of lists (lists.h) they are
// no operators, since a map has no shape. Keys are ints or texts; values are floats, ints or texts.
//
//   map_rows (x, keys)                   a list with a map for each row of x, f32[n, m] or f32[m]:
//                                        keys[j] -> x[i, j]. keys: i64[m] or texts
//   map_values{of=f32 width=-1} (map)    [1, n]: what the keys map to, in the order of the keys;
//                                        with a width >= 0 [1, width], at the places of the keys
//   map_look_up{of=f32} (map, keys)      [1, m]: what each of the keys maps to
// of: f32, f64, i64 or string, what the values are. Absent ones are 0 or "".
#ifndef TERN_CORE_KERNELS_BIND_MAPS_H_
#define TERN_CORE_KERNELS_BIND_MAPS_H_

#include "core/base/result.h"
#include "core/object/registry.h"

namespace tern::kernels {

Status RegisterMapFunctions(Registry* registry);

}  // namespace tern::kernels

#endif  // TERN_CORE_KERNELS_BIND_MAPS_H_
