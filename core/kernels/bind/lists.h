// SPDX-License-Identifier: Apache-2.0
// Functions between tensors and lists of tensors. They are no operators: a list has no type that
// shape rules could take, so who calls them by name says what they give.
//
//   list_stack{to=f32 extents=2,3}   (list)            items along a new first axis; of an empty
//                                                      list a tensor of that type with 0 items
//   list_join{axis=0 new_axis=0}     (list)            items along an axis, new or their own
//   list_split{axis=0 keepdims=1}    (x, sizes?)       parts of x; sizes: one for all, or of each
//   list_insert, list_erase          (list, …)         with an item more or less at a position
//   optional_get                     (optional)        the value that is not none
#ifndef TERN_CORE_KERNELS_BIND_LISTS_H_
#define TERN_CORE_KERNELS_BIND_LISTS_H_

#include "core/base/result.h"
#include "core/object/registry.h"

namespace tern::kernels {

Status RegisterListFunctions(Registry* registry);

}  // namespace tern::kernels

#endif  // TERN_CORE_KERNELS_BIND_LISTS_H_
