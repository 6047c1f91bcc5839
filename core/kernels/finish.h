// SPDX-License-Identifier: Apache-2.0
// How the sums of a tile end, whichever way they were computed: what of an epilogue a tile does in
// registers, and the rest, for activations that pass over finished sums in a buffer.

#ifndef TERN_CORE_KERNELS_FINISH_H_
#define TERN_CORE_KERNELS_FINISH_H_

#include "core/kernels/kernel.h"
#include "core/kernels/tile.h"

namespace tern::kernels::TERN_TARGET_NAME {

// A clamp is done in registers; ReLU is a clamp without an upper end.
void SetEpilogue(const TernEpilogue& epilogue, Tile& tile);

// Rows of `width` columns from the buffer to the output. A residual that is added before the
// activation is in the sums already, as the bias is.
void StoreFinished(const Tile& tile, const float* finished, int64_t rows, int64_t width);

}  // namespace tern::kernels::TERN_TARGET_NAME

#endif  // TERN_CORE_KERNELS_FINISH_H_
