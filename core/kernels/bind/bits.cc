// SPDX-License-Identifier: Apache-2.0
// matmul_bits: a product with weights of 4 bits, which stay packed in memory.

#include <cstdint>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/ops/special_rules.h"

namespace tern::kernels::bind {
namespace {

// Reads the zero points of either kind.
Status ReadZeros(Call& call, int64_t blocks, TernMatMulBitsArgs* args) {
  if (!call.Has(3)) return OkStatus();
  const Tensor* zeros = call.Input(3);
  TERN_TRY(call.TakeStatus());
  const bool packed = zeros->dtype() == kU8;
  const int64_t bytes = args->n * ((blocks + 1) / 2), floats = args->n * blocks;
  if (zeros->element_count() != (packed ? bytes : floats) || (!packed && zeros->dtype() != kF32)) {
    return WrongTensor(call, 3, *zeros,
                       StrCat("u8 of ", bytes, " elements, or floats of ", floats));
  }
  if (packed) args->zeros = zeros->data_as<uint8_t>();
  if (!packed) args->float_zeros = zeros->data_as<float>();
  return OkStatus();
}

}  // namespace

Result<Any> MatMulBits(const ops::MatMulBitsAttrs& attrs, Call& call) {
  const Tensor *a = call.F32(0), *b = call.Input(1, kU8), *scales = call.F32(2);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::MatMulBitsShape(attrs, ExtentsOf(*a), ExtentsOf(*b), &out));
  const int64_t blocks = b->dim(1);
  if (scales->element_count() != attrs.columns * blocks)
    return WrongTensor(call, 2, *scales, StrCat(attrs.columns * blocks, " elements"));
  TernMatMulBitsArgs args{};
  args.n = attrs.columns;
  args.k = attrs.depth;
  args.block = attrs.block;
  TERN_TRY(ReadZeros(call, blocks, &args));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  if (y->element_count() == 0) return Any(std::move(y));
  TERN_TRY(call.Charge(ops::MulDim(y->element_count(), attrs.depth)));
  args.m = a->element_count() / attrs.depth;
  args.a = a->data_as<float>();
  args.b = b->data_as<uint8_t>();
  args.scales = scales->data_as<float>();
  args.c = y->data_as<float>();
  TERN_TRY(Call::Check(call.kernels().matmul_bits(&args, call.kernel_context())));
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
