// SPDX-License-Identifier: Apache-2.0
// matmul_bits: a product with weights of 4 bits, which stay packed in memory. Few rows, such as the
// one of a decoder's step, meet the halves of the bytes as they are read. For more rows some
// columns at a time are unpacked into a scratch that the ordinary product reads.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/ops/special_rules.h"

namespace tern::kernels::bind {
namespace {

constexpr int64_t kColumns = 64;  // unpacked at once
constexpr int64_t kFewRows = 4;
constexpr int64_t kLanes = 8;          // summed up apart; a block has at least as many bytes
constexpr float kMiddle = 8;           // the zero point where none is given
constexpr int64_t kGrain = 64 * 1024;  // products of the fewest columns that a worker gets

struct PackedWeights {
  const uint8_t* bytes;
  const float* scales;       // [columns, blocks]
  const uint8_t* zeros;      // [columns, ceil(blocks / 2)] nibbles, or null
  const float* float_zeros;  // [columns, blocks], or null
  int64_t depth, block, blocks;

  float ZeroOf(int64_t column, int64_t b) const {
    if (float_zeros != nullptr) return float_zeros[column * blocks + b];
    if (zeros == nullptr) return kMiddle;
    const uint8_t byte = zeros[column * ((blocks + 1) / 2) + b / 2];
    return static_cast<float>(b % 2 == 0 ? byte & 0xF : byte >> 4);
  }
  // One column of `depth` floats; the low half of a byte comes first.
  void Unpack(int64_t column, float* to) const {
    for (int64_t b = 0; b < blocks; ++b) {
      const float scale = scales[column * blocks + b], zero = ZeroOf(column, b);
      const uint8_t* from = bytes + (column * blocks + b) * (block / 2);
      const int64_t count = std::min(block, depth - b * block);
      float* const out = to + b * block;
      for (int64_t i = 0; i < count / 2; ++i) {
        out[2 * i] = (static_cast<float>(from[i] & 0xF) - zero) * scale;
        out[2 * i + 1] = (static_cast<float>(from[i] >> 4) - zero) * scale;
      }
      // The last block may end in the middle of a byte.
      if (count % 2 != 0)
        out[count - 1] = (static_cast<float>(from[count / 2] & 0xF) - zero) * scale;
    }
  }
};

// One row of a, split as the weights are: what the low halves meet, what the high ones meet, and
// sums of blocks, which the zero points meet. Behind the depth there is zero.
struct SplitRow {
  float *even, *odd, *sums;

  static int64_t FloatsFor(const PackedWeights& w) { return w.blocks * (w.block + 1); }
  SplitRow(const PackedWeights& w, float* scratch)
      : even(scratch), odd(even + w.blocks * w.block / 2), sums(odd + w.blocks * w.block / 2) {}

  void Read(const PackedWeights& w, const float* row) {
    const auto at = [&](int64_t i) { return i < w.depth ? row[i] : 0.0f; };
    for (int64_t i = 0; i < w.blocks * w.block / 2; ++i)
      even[i] = at(2 * i), odd[i] = at(2 * i + 1);
    for (int64_t b = 0; b < w.blocks; ++b) {
      sums[b] = 0;
      for (int64_t i = b * w.block / 2; i < (b + 1) * w.block / 2; ++i) sums[b] += even[i] + odd[i];
    }
  }
};

// The sum over blocks of scale (halves · a - zero sum(a)). Lanes of a fixed number make it the same
// on every target, and vectors of it where there are some.
float Dot(const PackedWeights& w, int64_t column, const SplitRow& row) {
  float total[kLanes] = {}, zeros = 0;
  const uint8_t* from = w.bytes + column * w.blocks * (w.block / 2);
  const float *even = row.even, *odd = row.odd;
  for (int64_t b = 0; b < w.blocks; ++b) {
    float lanes[kLanes] = {};
    for (int64_t i = 0; i < w.block / 2;
         i += kLanes, from += kLanes, even += kLanes, odd += kLanes) {
      for (int64_t j = 0; j < kLanes; ++j) {
        lanes[j] += static_cast<float>(from[j] & 0xF) * even[j];
        lanes[j] += static_cast<float>(from[j] >> 4) * odd[j];
      }
    }
    const float scale = w.scales[column * w.blocks + b];
    for (int64_t j = 0; j < kLanes; ++j) total[j] += scale * lanes[j];
    zeros += scale * w.ZeroOf(column, b) * row.sums[b];
  }
  float sum = -zeros;
  for (const float lane : total) sum += lane;
  return sum;
}

Status MultiplyFewRows(Call& call, const PackedWeights& weights, const float* a, int64_t rows,
                       int64_t columns, float* y) {
  TERN_TRY_ASSIGN(const TensorPtr scratch, call.NewF32({SplitRow::FloatsFor(weights)}));
  SplitRow row(weights, scratch->data_as<float>());
  for (int64_t i = 0; i < rows && !call.IsStopped(); ++i) {
    row.Read(weights, a + i * weights.depth);
    call.ForRanges(columns, kGrain / weights.depth + 1, [&](int64_t begin, int64_t end) {
      for (int64_t column = begin; column < end; ++column) y[column] = Dot(weights, column, row);
    });
    y += columns;
  }
  return OkStatus();
}

// Reads the zero points of either kind.
Status ReadZeros(Call& call, int64_t columns, PackedWeights* weights) {
  if (!call.Has(3)) return OkStatus();
  const Tensor* zeros = call.Input(3);
  TERN_TRY(call.TakeStatus());
  const bool packed = zeros->dtype() == kU8;
  const int64_t each = packed ? (weights->blocks + 1) / 2 : weights->blocks;
  if (zeros->element_count() != columns * each || (!packed && zeros->dtype() != kF32)) {
    return WrongTensor(call, 3, *zeros,
                       StrCat("u8 of ", columns * ((weights->blocks + 1) / 2),
                              " elements, or floats of ", columns * weights->blocks));
  }
  if (packed) weights->zeros = zeros->data_as<uint8_t>();
  if (!packed) weights->float_zeros = zeros->data_as<float>();
  return OkStatus();
}

}  // namespace

Result<Any> MatMulBits(const ops::MatMulBitsAttrs& attrs, Call& call) {
  const Tensor *a = call.F32(0), *b = call.Input(1, kU8), *scales = call.F32(2);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::MatMulBitsShape(attrs, ExtentsOf(*a), ExtentsOf(*b), &out));
  PackedWeights weights{b->data_as<uint8_t>(),
                        scales->data_as<float>(),
                        nullptr,
                        nullptr,
                        attrs.depth,
                        attrs.block,
                        b->dim(1)};
  if (scales->element_count() != attrs.columns * weights.blocks)
    return WrongTensor(call, 2, *scales, StrCat(attrs.columns * weights.blocks, " elements"));
  TERN_TRY(ReadZeros(call, attrs.columns, &weights));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  if (y->element_count() == 0) return Any(std::move(y));
  TERN_TRY(call.Charge(ops::MulDim(y->element_count(), attrs.depth)));
  const int64_t rows = a->element_count() / attrs.depth;
  // Few rows: unpacking would cost more than the products. Short blocks do not fill the lanes.
  if (rows <= kFewRows && attrs.block >= 2 * kLanes) {
    TERN_TRY(MultiplyFewRows(call, weights, a->data_as<float>(), rows, attrs.columns,
                             y->data_as<float>()));
    return Any(std::move(y));
  }
  TERN_TRY_ASSIGN(const TensorPtr unpacked,
                  call.NewF32({std::min(kColumns, attrs.columns), attrs.depth}));
  float* const panel = unpacked->data_as<float>();
  const int64_t offset = 0;
  // Some columns at a time, so that what is unpacked is still in the cache when the product reads
  // it.
  for (int64_t first = 0; first < attrs.columns && !call.IsStopped(); first += kColumns) {
    const int64_t count = std::min(kColumns, attrs.columns - first);
    for (int64_t i = 0; i < count; ++i) weights.Unpack(first + i, panel + i * attrs.depth);
    TernMatMulArgs args{};
    args.batches = 1;
    args.m = rows;
    args.n = count;
    args.k = attrs.depth;
    args.a = a->data_as<float>();
    args.a_row_stride = attrs.depth;
    args.a_col_stride = 1;
    args.b = panel;
    args.b_row_stride = 1;
    args.b_col_stride = attrs.depth;
    args.c = y->data_as<float>() + first;
    args.c_row_stride = attrs.columns;
    args.a_offsets = args.b_offsets = args.c_offsets = &offset;
    TERN_TRY(Call::Check(call.kernels().matmul(&args, call.kernel_context())));
  }
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
