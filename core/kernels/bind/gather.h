// SPDX-License-Identifier: Apache-2.0
// Index tensors: checked against an extent, negative ones resolved.

#ifndef TERN_CORE_KERNELS_BIND_GATHER_H_
#define TERN_CORE_KERNELS_BIND_GATHER_H_

#include "core/kernels/bind/call.h"

namespace tern::kernels::bind {

// All elements of an i64 or i32 tensor as indices in [0, extent): its own memory where it will do,
// else a copy kept in *holder.
Result<const int64_t*> Indices(Call& call, const Tensor& indices, int64_t extent,
                               TensorPtr* holder);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_GATHER_H_
