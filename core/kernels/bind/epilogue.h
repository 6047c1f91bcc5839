// SPDX-License-Identifier: Apache-2.0
// What convolution, matmul and friends share: the epilogue of their kernels, and the kernels binary
// and unary run on a result in place.

#ifndef TERN_CORE_KERNELS_BIND_EPILOGUE_H_
#define TERN_CORE_KERNELS_BIND_EPILOGUE_H_

#include "core/kernels/bind/call.h"
#include "core/ops/image_attrs.h"

namespace tern::kernels::bind {

// bias and residual may be null; residual has rows of `columns` elements.
TernEpilogue EpilogueOf(const ops::Epilogue& attrs, const float* bias, const float* residual,
                        int64_t columns);

// The residual has the shape of the result.
Status CheckResidual(const Tensor& residual, const Extents& out);
// [channels].
Status CheckBias(const Tensor* bias, int64_t channels);

// c = op(a, b) with broadcasting to `out`; c may be a's memory where a has the shape of out.
Status RunBinary(Call& call, TernBinaryOp op, const Tensor& a, const Tensor& b, const Extents& out,
                 float* c);

// y = activation(y).
Status ApplyInPlace(Call& call, const ops::Epilogue& attrs, const Tensor& y);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_EPILOGUE_H_
