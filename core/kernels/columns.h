// SPDX-License-Identifier: Apache-2.0
// Products of few columns (WithColumns in product.h).

#ifndef TERN_CORE_KERNELS_COLUMNS_H_
#define TERN_CORE_KERNELS_COLUMNS_H_

#include "core/kernels/product.h"

namespace tern::kernels::TERN_TARGET_NAME {

// Rows [first_row, first_row + rows), of which `pointers` is the table as
// MultiplyBlock has it, by product.columns. The activation is nothing or a clamp.
void MultiplyColumns(const Product& product, const float* const* pointers, int64_t first_row,
                     int64_t rows);

}  // namespace tern::kernels::TERN_TARGET_NAME

#endif  // TERN_CORE_KERNELS_COLUMNS_H_
