// SPDX-License-Identifier: Apache-2.0
// Sums and products of 8-bit numbers, rounded to 8 bits: what dequantizing both operands, the
// operator and quantizing give, to the bit, without floats in memory.

#include <string.h>

#include "core/kernels/offsets.h"
#include "core/kernels/parallel.h"
#include "core/kernels/quantized_vector.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

using WideFloats = hn::Vec<WideFloatTag>;

constexpr int64_t kElementGrain = 50000;  // elements: some 20 us

// One side of a row. p: its first element; one that repeats is the only one.
struct QuantizedOperand {
  const void* p;
  int32_t type;
  bool repeats;
  float scale;
  int32_t zero;
};

// As many elements from i on as there are lanes.
HWY_INLINE WideFloats LoadQuantized(const QuantizedOperand& x, size_t i) {
  const WideFloatTag d;
  const NarrowTag d8;
  if (x.type == TERN_QUANTIZED_F32) {
    const float* p = static_cast<const float*>(x.p);
    return x.repeats ? hn::Set(d, *p) : hn::LoadU(d, p + i);
  }
  const uint8_t* p = static_cast<const uint8_t*>(x.p);
  const auto bytes = x.repeats ? hn::Set(d8, *p) : hn::LoadU(d8, p + i);
  return DequantizeVector(bytes, x.type == TERN_QUANTIZED_I8, x.zero, x.scale);
}

// Bytes of an element.
int64_t SizeOf(int32_t type) { return type == TERN_QUANTIZED_F32 ? 4 : 1; }

constexpr size_t kMostLanes = HWY_MAX_BYTES / sizeof(float);

// The last elements [i, size) of an operand, fewer than there are lanes, with room for the others.
struct QuantizedRest {
  HWY_ALIGN char bytes[HWY_MAX_BYTES] = {};

  QuantizedOperand Take(const QuantizedOperand& x, size_t i, size_t size) {
    const size_t width = static_cast<size_t>(SizeOf(x.type));
    const char* from = static_cast<const char*>(x.p);
    memcpy(bytes, x.repeats ? from : from + i * width, (x.repeats ? 1 : size - i) * width);
    return {bytes, x.type, x.repeats, x.scale, x.zero};
  }
};

// args are a copy, which no store can change, for all the compiler knows.
void RunQuantizedRow(const TernQuantizedBinaryArgs args, const QuantizedOperand a,
                     const QuantizedOperand b, uint8_t* y, size_t size) {
  const NarrowTag d8;
  const size_t lanes = hn::Lanes(d8);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const WideFloats left = LoadQuantized(a, i), right = LoadQuantized(b, i);
    const WideFloats c = args.op == TERN_BINARY_add ? hn::Add(left, right) : hn::Mul(left, right);
    hn::StoreU(QuantizeVector(args, c), d8, y + i);
  }
  if (i == size) return;
  QuantizedRest a_rest, b_rest;
  uint8_t y_rest[kMostLanes];
  RunQuantizedRow(args, a_rest.Take(a, i, size), b_rest.Take(b, i, size), y_rest, lanes);
  memcpy(y + i, y_rest, size - i);
}

// Where `offset` elements of an operand lie behind it.
const void* QuantizedPlace(const void* operand, int32_t type, int64_t offset) {
  return static_cast<const char*>(operand) + offset * SizeOf(type);
}

// `count` elements of one row. a, b and y: where they begin, in elements.
HWY_NOINLINE void RunQuantizedPart(const TernQuantizedBinaryArgs& args, int64_t a, int64_t b,
                                   int64_t y, int64_t count) {
  const int inner = args.rank - 1;
  const QuantizedOperand left{QuantizedPlace(args.a, args.a_type, a), args.a_type,
                              args.a_strides[inner] == 0, args.a_scale, args.a_zero};
  const QuantizedOperand right{QuantizedPlace(args.b, args.b_type, b), args.b_type,
                               args.b_strides[inner] == 0, args.b_scale, args.b_zero};
  RunQuantizedRow(args, left, right, args.y + y, static_cast<size_t>(count));
}

}  // namespace

int32_t quantized_binary(const TernQuantizedBinaryArgs* args, const TernKernelContext* context) {
  const int inner = args->rank - 1;
  const int64_t size = args->shape[inner], rows = RowCount(*args);
  if (size == 0 || rows == 0) return TERN_KERNEL_OK;
  // One row is cut along itself, at multiples of 64 elements, so that workers do not share cache
  // lines.
  if (rows == 1) {
    ParallelFor(context, size, kElementGrain, 64, [&](int64_t begin, int64_t end, int32_t) {
      RunQuantizedPart(*args, begin * args->a_strides[inner], begin * args->b_strides[inner], begin,
                       end - begin);
    });
    return TERN_KERNEL_OK;
  }
  ParallelFor(context, rows, kElementGrain / size + 1, 1, [&](int64_t begin, int64_t end, int32_t) {
    ForBroadcastRows(*args, begin, end, [&](int64_t row, int64_t a, int64_t b) {
      RunQuantizedPart(*args, a, b, row * size, size);
    });
  });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
