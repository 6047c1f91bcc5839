// SPDX-License-Identifier: Apache-2.0
// Attributes of the families that compute: matmul, unary, norm, reduce, quantize, recurrent.
#ifndef TERN_CORE_OPS_MATH_ATTRS_H_
#define TERN_CORE_OPS_MATH_ATTRS_H_

#include "core/ops/attr_fields.h"
#include "core/ops/image_attrs.h"

namespace tern::ops {

// y = activation(alpha * a·b + beta * bias + residual). trans_a and trans_b swap the last two axes
// of a and b. bias broadcasts to y (its common form is [columns]). packed=1: b is one matrix as
// panels [ceil(columns / 16), k, 16], `columns` is required, trans_b is 0 and alpha and beta are 1.
struct MatMulAttrs {
  bool trans_a = false, trans_b = false;
  float alpha = 1, beta = 1;
  bool packed = false;
  int64_t columns = 0;
  Epilogue epilogue;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Bool("trans_a", s.trans_a, false);
    v.Bool("trans_b", s.trans_b, false);
    v.Float("alpha", s.alpha, 1);
    v.Float("beta", s.beta, 1);
    v.Bool("packed", s.packed, false);
    v.Int("columns", s.columns, 0);
    Epilogue::Fields(v, s.epilogue);
  }
  TERN_OPS_ATTRS(MatMulAttrs)
};

// Equation without spaces, with an arrow: "ij,jk->ik"; "..." for broadcast axes.
struct EinsumAttrs {
  std::string equation;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Text("equation", s.equation);
  }
  TERN_OPS_ATTRS(EinsumAttrs)
};

// Every unary function but is_inf and cast.
struct UnaryAttrs {
  float alpha = 0, beta = 0;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Float("alpha", s.alpha, 0);
    v.Float("beta", s.beta, 0);
  }
  TERN_OPS_ATTRS(UnaryAttrs)
};

struct IsInfAttrs {
  bool negative = true, positive = true;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Bool("negative", s.negative, true);
    v.Bool("positive", s.positive, true);
  }
  TERN_OPS_ATTRS(IsInfAttrs)
};

enum class PowerRound { kUp, kDown, kNearest };
std::span<const std::string_view> EnumNames(PowerRound);
struct CastAttrs {
  DType to = kF32;
  bool saturate = true;                     // into 8-bit floats
  PowerRound round_mode = PowerRound::kUp;  // into f8e8m0

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Type("to", s.to, DType(0, 0, 0));
    v.Bool("saturate", s.saturate, true);
    v.Enum("round_mode", s.round_mode, PowerRound::kUp);
  }
  TERN_OPS_ATTRS(CastAttrs)
};

struct BitCastAttrs {
  DType to = kF32;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Type("to", s.to, DType(0, 0, 0));
  }
  TERN_OPS_ATTRS(BitCastAttrs)
};
// Both have the same number of bits, and neither is a string, whose bits are no value.
Status CheckBitCast(DType from, DType to);

// Binary operators, where, not, identity, clip, …: none at all.
struct NoAttrs {
  template <class V, class S>
  static void Fields(V&, S&) {}
  TERN_OPS_ATTRS(NoAttrs)
};

// axes empty: all of them. keep_dims leaves extents of 1.
struct ReduceAttrs {
  Ints axes;
  bool keep_dims = true;
  bool noop_if_empty = false;  // an empty `axes` reduces nothing

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.IntList("axes", s.axes);
    v.Bool("keep_dims", s.keep_dims, true);
    v.Bool("noop_if_empty", s.noop_if_empty, false);
  }
  TERN_OPS_ATTRS(ReduceAttrs)
};

struct ArgReduceAttrs {
  int64_t axis = 0;
  bool keep_dims = true;
  bool last = false;  // of equal elements, the last one

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, 0);
    v.Bool("keep_dims", s.keep_dims, true);
    v.Bool("last", s.last, false);
  }
  TERN_OPS_ATTRS(ArgReduceAttrs)
};

struct CumulateAttrs {
  int64_t axis = 0;
  bool exclusive = false, reverse = false;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, 0);
    v.Bool("exclusive", s.exclusive, false);
    v.Bool("reverse", s.reverse, false);
  }
  TERN_OPS_ATTRS(CumulateAttrs)
};

// k < 0: given by the second argument.
struct TopKAttrs {
  int64_t k = -1, axis = -1;
  bool largest = true, sorted = true;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("k", s.k, -1);
    v.Int("axis", s.axis, -1);
    v.Bool("largest", s.largest, true);
    v.Bool("sorted", s.sorted, true);
  }
  TERN_OPS_ATTRS(TopKAttrs)
};

// softmax, log_softmax, hardmax.
struct SoftmaxAttrs {
  int64_t axis = -1;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, -1);
  }
  TERN_OPS_ATTRS(SoftmaxAttrs)
};

// batch_norm, instance_norm (axis: channels), layer_norm, layer_norm_stats, rms_norm (axis: first
// one normalized).
struct NormAttrs {
  int64_t axis = 1;
  float epsilon = 1e-5f;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, 1);
    v.Float("epsilon", s.epsilon, 1e-5f);
  }
  TERN_OPS_ATTRS(NormAttrs)
};

struct GroupNormAttrs {
  int64_t axis = 1, groups = 1;
  float epsilon = 1e-5f;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, 1);
    v.Int("groups", s.groups, 1);
    v.Float("epsilon", s.epsilon, 1e-5f);
  }
  TERN_OPS_ATTRS(GroupNormAttrs)
};

struct LrnAttrs {
  int64_t axis = 1, size = 1;
  float alpha = 1e-4f, beta = 0.75f, bias = 1;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, 1);
    v.Int("size", s.size, 1);
    v.Float("alpha", s.alpha, 1e-4f);
    v.Float("beta", s.beta, 0.75f);
    v.Float("bias", s.bias, 1);
  }
  TERN_OPS_ATTRS(LrnAttrs)
};

struct LpNormAttrs {
  int64_t axis = -1, p = 2;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, -1);
    v.Int("p", s.p, 2);
  }
  TERN_OPS_ATTRS(LpNormAttrs)
};

struct MeanVarianceAttrs {
  Ints axes;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.IntList("axes", s.axes);
  }
  TERN_OPS_ATTRS(MeanVarianceAttrs)
};

// dft. onesided: the first half of the result, of which the rest is the mirror image.
struct DftAttrs {
  int64_t axis = 1;
  bool inverse = false, onesided = false;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, 1);
    v.Bool("inverse", s.inverse, false);
    v.Bool("onesided", s.onesided, false);
  }
  TERN_OPS_ATTRS(DftAttrs)
};

struct StftAttrs {
  bool onesided = true;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Bool("onesided", s.onesided, true);
  }
  TERN_OPS_ATTRS(StftAttrs)
};

// quantize_linear, dequantize_linear. axis: of per-axis scales; block > 0: blocked scales; to:
// result of quantizing without zero_point, or of dequantizing where it is a float (else that of the
// scale); precision: of the quotient, none: that of the scale.
struct QuantizeAttrs {
  int64_t axis = 1, block = 0;
  DType to = kU8;
  bool saturate = true;
  DType precision = DType(0, 0, 0);

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, 1);
    v.Int("block", s.block, 0);
    v.Type("to", s.to, kU8);
    v.Bool("saturate", s.saturate, true);
    v.Type("precision", s.precision, DType(0, 0, 0));
  }
  TERN_OPS_ATTRS(QuantizeAttrs)
};

// add_quantized, mul_quantized: y = saturate(round(f(a, b) / scale) + zero) of type `to`, halves to
// even, no less than zero where relu. Operands of 8 bits stand for (x - x_zero) * x_scale, those of
// f32 for themselves. All is computed in f32, operation by operation.
struct QuantizedBinaryAttrs {
  float a_scale = 1;
  int64_t a_zero = 0;
  float b_scale = 1;
  int64_t b_zero = 0;
  float scale = 1;
  int64_t zero = 0;
  DType to = kU8;
  bool relu = false;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Float("a_scale", s.a_scale, 1);
    v.Int("a_zero", s.a_zero, 0);
    v.Float("b_scale", s.b_scale, 1);
    v.Int("b_zero", s.b_zero, 0);
    v.Float("scale", s.scale, 1);
    v.Int("zero", s.zero, 0);
    v.Type("to", s.to, kU8);
    v.Bool("relu", s.relu, false);
  }
  // Whether operands can have these element types, and their zero points with them.
  Status CheckOperands(DType a, DType b) const;
  TERN_OPS_ATTRS(QuantizedBinaryAttrs)
};

enum class Direction { kForward, kReverse, kBidirectional };
std::span<const std::string_view> EnumNames(Direction);
// activations: names as ONNX gives them, joined by commas; empty = the operator's defaults.
// packed=1: w is [directions, ceil(gates * hidden / 16), input, 16] and r alike with `hidden` in
// place of `input` (recurrent_weights.h); `hidden` is then required.
struct RecurrentAttrs {
  Direction direction = Direction::kForward;
  int64_t hidden = 0;
  bool batch_first = false;  // ONNX layout=1
  bool linear_before_reset = false;
  bool input_forget = false;
  float clip = 0;  // 0: none
  std::string activations;
  Floats activation_alpha, activation_beta;
  bool packed = false;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Enum("direction", s.direction, Direction::kForward);
    v.Int("hidden", s.hidden, 0);
    v.Bool("batch_first", s.batch_first, false);
    v.Bool("linear_before_reset", s.linear_before_reset, false);
    v.Bool("input_forget", s.input_forget, false);
    v.Float("clip", s.clip, 0);
    v.Text("activations", s.activations);
    v.FloatList("activation_alpha", s.activation_alpha);
    v.FloatList("activation_beta", s.activation_beta);
    v.Bool("packed", s.packed, false);
  }
  TERN_OPS_ATTRS(RecurrentAttrs)
};

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_MATH_ATTRS_H_
