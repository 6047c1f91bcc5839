// SPDX-License-Identifier: Apache-2.0
// matmul_integer and conv_integer: products of 8-bit elements less their zero points, summed in
// i32. Elements are widened to 16 bits once, so that inner loops are multiplications of 16 bits
// along rows of memory, which compilers make vectors of.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/window.h"
#include "core/ops/image_rules.h"
#include "core/ops/math_rules.h"

namespace tern::kernels::bind {
namespace {

// The argument as it is, if its elements have 8 bits.
const Tensor* Input8(Call& call, int index) {
  const Tensor* tensor = call.Input(index);
  if (tensor == nullptr || tensor->dtype() == kU8 || tensor->dtype() == kI8) return tensor;
  call.Fail(WrongTensor(call, index, *tensor, "element type u8 or i8"));
  return nullptr;
}

int16_t Element8(const Tensor& tensor, int64_t index) {
  const auto i = static_cast<size_t>(index);
  return tensor.dtype() == kU8 ? int16_t{tensor.values<uint8_t>()[i]}
                               : int16_t{tensor.values<int8_t>()[i]};
}

// elements[i] - zero[index(i)].
template <class F>
Result<TensorPtr> Widened(Call& call, const Tensor& x, const Tensor* zero, const F& index) {
  TERN_TRY_ASSIGN(TensorPtr wide, call.New(kI16, ExtentsOf(x)));
  auto* to = wide->data_as<int16_t>();
  for (int64_t i = 0; i < x.element_count(); ++i) {
    const int16_t center = zero == nullptr ? int16_t{0} : Element8(*zero, index(i));
    to[i] = static_cast<int16_t>(Element8(x, i) - center);
  }
  return wide;
}

// Sums wrap around as the standard's 32-bit accumulators do.
void AddProducts(int32_t factor, const int16_t* from, int64_t step, int64_t count, uint32_t* to) {
  // Zero points are subtracted by now, so zeros are frequent: what a relu cut off.
  if (factor == 0) return;
  if (step == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] += static_cast<uint32_t>(factor * int32_t{from[i]});
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    to[i] += static_cast<uint32_t>(factor * int32_t{from[i * step]});
}

// --- products

struct IntegerProduct {
  int64_t rows, inner, columns;
  Extents a_batch, b_batch, batch;
};

// A vector on the left is one row, one on the right one column.
IntegerProduct ProductOf(const Tensor& a, const Tensor& b, const Extents& out) {
  IntegerProduct p;
  p.rows = a.rank() == 1 ? 1 : a.dim(a.rank() - 2);
  p.inner = a.dim(a.rank() - 1);
  p.columns = b.rank() == 1 ? 1 : b.dim(b.rank() - 1);
  for (int i = 0; i + 2 < a.rank(); ++i) p.a_batch.push_back(a.dim(i));
  for (int i = 0; i + 2 < b.rank(); ++i) p.b_batch.push_back(b.dim(i));
  // A vector has no axis of rows or columns in the result.
  const int cores = (a.rank() == 1 ? 0 : 1) + (b.rank() == 1 ? 0 : 1);
  for (int i = 0; i + cores < out.rank(); ++i) p.batch.push_back(out[i]);
  return p;
}

// Which matrix of an operand belongs to matrix `index` of the result.
int64_t MatrixOf(const Extents& batch, const Extents& own, int64_t index) {
  int64_t matrix = 0, step = 1;
  for (int i = 1; i <= batch.rank(); ++i) {
    const int64_t extent = batch[batch.rank() - i], at = index % extent;
    index /= extent;
    if (i > own.rank()) continue;
    const int64_t own_extent = own[own.rank() - i];
    if (own_extent != 1) matrix += at * step;
    step *= own_extent;
  }
  return matrix;
}

// One zero point, one for each row or column (`each`), or that for each matrix.
Status CheckZero(const Call& call, int index, const Tensor* zero, int64_t each, int64_t matrices) {
  if (zero == nullptr) return OkStatus();
  const int64_t count = zero->element_count();
  if (count == 1 || count == each || count == ops::MulDim(each, matrices)) return OkStatus();
  return WrongTensor(call, index, *zero, StrCat("one element or ", each));
}

int64_t ZeroIndex(const Tensor* zero, int64_t each, int64_t at) {
  const int64_t count = zero->element_count();
  return count == 1 ? 0 : count == each ? at % each : at;
}

void Multiply(Call& call, const IntegerProduct& p, const int16_t* a, const int16_t* b,
              uint32_t* to) {
  for (int64_t row = 0; row < p.rows && !call.IsStopped(); ++row) {
    uint32_t* sums = to + row * p.columns;
    std::memset(sums, 0, static_cast<size_t>(p.columns) * sizeof(uint32_t));
    for (int64_t k = 0; k < p.inner; ++k)
      AddProducts(a[row * p.inner + k], b + k * p.columns, 1, p.columns, sums);
  }
}

}  // namespace

Result<Any> MatMulInteger(const ops::MatMulAttrs& attrs, Call& call) {
  const Tensor *a = Input8(call, 0), *b = Input8(call, 1);
  const Tensor* a_zero = call.Has(2) ? Input8(call, 2) : nullptr;
  const Tensor* b_zero = call.Has(3) ? Input8(call, 3) : nullptr;
  TERN_TRY(call.TakeStatus());
  if (attrs.trans_a || attrs.trans_b || attrs.packed)
    return Unsupported("matmul_integer takes its operands as they are");
  Extents out;
  TERN_TRY(ops::MatMulShape(attrs, ExtentsOf(*a), ExtentsOf(*b), &out));
  const IntegerProduct p = ProductOf(*a, *b, out);
  const int64_t matrices = CountOf(p.batch);
  TERN_TRY(CheckZero(call, 2, a_zero, p.rows, CountOf(p.a_batch)));
  TERN_TRY(CheckZero(call, 3, b_zero, p.columns, CountOf(p.b_batch)));
  TERN_TRY(
      call.Charge(ops::MulDim(ops::MulDim(matrices, p.rows), ops::MulDim(p.inner, p.columns))));
  TERN_TRY_ASSIGN(const TensorPtr left, Widened(call, *a, a_zero, [&](int64_t i) {
                    return ZeroIndex(a_zero, p.rows, i / p.inner);
                  }));
  TERN_TRY_ASSIGN(const TensorPtr right, Widened(call, *b, b_zero, [&](int64_t i) {
                    const int64_t matrix = i / (p.inner * p.columns);
                    return ZeroIndex(b_zero, p.columns, matrix * p.columns + i % p.columns);
                  }));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kI32, out));
  if (y->element_count() == 0) return Any(std::move(y));
  for (int64_t m = 0; m < matrices; ++m) {
    Multiply(call, p, left->data_as<int16_t>() + MatrixOf(p.batch, p.a_batch, m) * p.rows * p.inner,
             right->data_as<int16_t>() + MatrixOf(p.batch, p.b_batch, m) * p.inner * p.columns,
             static_cast<uint32_t*>(y->data()) + m * p.rows * p.columns);
  }
  return Any(std::move(y));
}

// --- convolutions

namespace {

// The outputs whose input along the axis lies in the image for one tap.
struct TapRange {
  int64_t first, end;  // of the output
  int64_t offset;      // input = output * stride + offset
};

TapRange RangeOf(const WindowAxis& axis, int64_t tap) {
  TapRange range;
  range.offset = tap * axis.dilation - axis.pad_begin;
  range.first = range.offset < 0 ? ops::CeilDiv(-range.offset, axis.stride) : 0;
  range.end = std::min(axis.out, ops::CeilDiv(axis.in - range.offset, axis.stride));
  return range;
}

// What one tap of one filter adds to one plane of the output: row by row of the last axis.
void AddTap(const Windows& w, const TapRange* ranges, int32_t factor, const int16_t* image,
            uint32_t* sums) {
  for (int i = 0; i < w.rank; ++i) {
    if (ranges[i].first >= ranges[i].end) return;
  }
  const int last = w.rank - 1;
  const WindowAxis& row = w.axes[last];
  int64_t at[kMaxSpatial];
  for (int i = 0; i < last; ++i) at[i] = ranges[i].first;
  while (true) {
    int64_t from = 0, to = 0;
    for (int i = 0; i < last; ++i) {
      from = from * w.axes[i].in + at[i] * w.axes[i].stride + ranges[i].offset;
      to = to * w.axes[i].out + at[i];
    }
    const int64_t first = ranges[last].first;
    AddProducts(factor, image + from * row.in + first * row.stride + ranges[last].offset,
                row.stride, ranges[last].end - first, sums + to * row.out + first);
    // Counts up like an odometer over all axes but the last, whose row was done at once.
    int i = last - 1;
    for (; i >= 0 && ++at[i] == ranges[i].end; --i) at[i] = ranges[i].first;
    if (i < 0) return;
  }
}

// One plane of the output: all taps of all channels of the filter.
void ConvolvePlane(const Windows& w, int64_t channels, const int16_t* image, const int16_t* filter,
                   uint32_t* sums) {
  int64_t taps = 1;
  for (int i = 0; i < w.rank; ++i) taps *= w.axes[i].kernel;
  std::memset(sums, 0, static_cast<size_t>(w.pixels_out) * sizeof(uint32_t));
  for (int64_t tap = 0; tap < taps; ++tap) {
    TapRange ranges[kMaxSpatial];
    int64_t rest = tap;
    for (int i = w.rank - 1; i >= 0; --i) {
      ranges[i] = RangeOf(w.axes[i], rest % w.axes[i].kernel);
      rest /= w.axes[i].kernel;
    }
    for (int64_t c = 0; c < channels; ++c)
      AddTap(w, ranges, filter[c * taps + tap], image + c * w.pixels_in, sums);
  }
}

}  // namespace

Result<Any> ConvInteger(const ops::ConvAttrs& attrs, Call& call) {
  const Tensor *x = Input8(call, 0), *w = Input8(call, 1);
  const Tensor* x_zero = call.Has(2) ? Input8(call, 2) : nullptr;
  const Tensor* w_zero = call.Has(3) ? Input8(call, 3) : nullptr;
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::ConvShape(attrs, ExtentsOf(*x), ExtentsOf(*w), &out));
  if (attrs.packed || attrs.window.layout != ops::Layout::kNchw)
    return Unsupported("conv_integer runs with layout=nchw and weights as they are");
  TERN_TRY(CheckZero(call, 2, x_zero, 1, 1));
  TERN_TRY(CheckZero(call, 3, w_zero, out[1], 1));
  int64_t kernel[kMaxSpatial], taps = 1;
  for (int i = 0; i < x->rank() - 2; ++i) taps = ops::MulDim(taps, kernel[i] = w->dim(2 + i));
  const Windows windows = MakeWindows(attrs.window, false, ExtentsOf(*x), out, kernel);
  const int64_t depth = w->dim(1), per_group = out[1] / attrs.groups;
  TERN_TRY(call.Charge(ops::MulDim(CountOf(out), ops::MulDim(windows.Taps(), depth))));
  const int64_t filter_size = ops::MulDim(taps, depth);
  TERN_TRY_ASSIGN(const TensorPtr image,
                  Widened(call, *x, x_zero, [](int64_t) { return int64_t{0}; }));
  TERN_TRY_ASSIGN(const TensorPtr filters, Widened(call, *w, w_zero, [&](int64_t i) {
                    return ZeroIndex(w_zero, out[1], i / filter_size);
                  }));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kI32, out));
  if (y->element_count() == 0) return Any(std::move(y));
  for (int64_t plane = 0; plane < out[0] * out[1] && !call.IsStopped(); ++plane) {
    const int64_t n = plane / out[1], channel = plane % out[1];
    const int64_t first = n * x->dim(1) + channel / per_group * depth;
    ConvolvePlane(windows, depth, image->data_as<int16_t>() + first * windows.pixels_in,
                  filters->data_as<int16_t>() + channel * filter_size,
                  static_cast<uint32_t*>(y->data()) + plane * windows.pixels_out);
  }
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
