// SPDX-License-Identifier: Apache-2.0
// Normalizations and softmax. Rows that are contiguous go to one kernel; channels elsewhere are
// brought to the end (or the spatial axes are) by a transpose.

#include <cmath>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/epilogue.h"
#include "core/kernels/bind/move.h"
#include "core/object/containers/adt.h"
#include "core/ops/math_rules.h"

namespace tern::kernels::bind {
namespace {

Status CheckVector(const Call& call, int index, const Tensor& x, int64_t size) {
  if (x.element_count() == size && x.rank() == 1) return OkStatus();
  return WrongTensor(call, index, x, StrCat("shape [", size, "]"));
}

// y = y * factor + term, both one value per index of `axis`.
Status ScalePerAxis(Call& call, const Tensor& x, int axis, const Tensor& factor, const Tensor* term,
                    float* y) {
  Extents shape;
  shape.push_back(factor.element_count());
  // Broadcasting aligns the last axes, so a vector of an earlier axis gets ones behind it.
  for (int i = axis + 1; i < x.rank(); ++i) shape.push_back(1);
  TERN_TRY_ASSIGN(TensorPtr wide_factor, factor.Reshape(shape.span()));
  TERN_TRY(RunBinary(call, TERN_BINARY_mul, x, *wide_factor, ExtentsOf(x), y));
  if (term == nullptr) return OkStatus();
  TERN_TRY_ASSIGN(TensorPtr wide_term, term->Reshape(shape.span()));
  // The result so far as an operand: a view of memory that another tensor owns.
  TERN_TRY_ASSIGN(TensorPtr self,
                  Tensor::FromMemory(y, x.byte_size(), nullptr, kF32, x.dims(), true));
  return RunBinary(call, TERN_BINARY_add, *self, *wide_term, ExtentsOf(x), y);
}

}  // namespace

Result<Any> Softmax(const ops::SoftmaxAttrs& attrs, Call& call) {
  const Tensor* x = call.F32(0);
  TERN_TRY(call.TakeStatus());
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  const AxisView view = ViewAround(ExtentsOf(*x), axis);
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(ExtentsOf(*x)));
  const TernSoftmaxArgs args{call.op() == ops::Op::k_log_softmax,
                             view.outer,
                             view.axis,
                             view.inner,
                             x->data_as<float>(),
                             y->data_as<float>()};
  TERN_TRY(Call::Check(call.kernels().softmax(&args, call.kernel_context())));
  return Any(std::move(y));
}

Result<Any> Hardmax(const ops::SoftmaxAttrs& attrs, Call& call) {
  const Tensor* x = call.F32(0);
  TERN_TRY(call.TakeStatus());
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  const AxisView view = ViewAround(ExtentsOf(*x), axis);
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(ExtentsOf(*x)));
  for (int64_t row = 0; row < view.outer * view.inner; ++row) {
    const int64_t at = row / view.inner * view.axis * view.inner + row % view.inner;
    const float* from = x->data_as<float>() + at;
    // The first of equal ones, as NumPy has it.
    int64_t best = 0;
    for (int64_t i = 1; i < view.axis; ++i)
      best = from[i * view.inner] > from[best * view.inner] ? i : best;
    for (int64_t i = 0; i < view.axis; ++i)
      y->data_as<float>()[at + i * view.inner] = i == best ? 1.0f : 0.0f;
  }
  return Any(std::move(y));
}

Result<Any> BatchNorm(const ops::NormAttrs& attrs, Call& call) {
  const Tensor* x = call.F32(0);
  const Tensor* in[4] = {call.F32(1), call.F32(2), call.F32(3), call.F32(4)};
  TERN_TRY(call.TakeStatus());
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  const int64_t channels = x->dim(axis);
  for (int i = 0; i < 4; ++i) TERN_TRY(CheckVector(call, i + 1, *in[i], channels));
  // (x - mean) / sqrt(variance + epsilon) * scale + bias is x * factor + term, with both computed
  // once per channel.
  TERN_TRY_ASSIGN(TensorPtr factor, call.NewF32(Extents{channels}));
  TERN_TRY_ASSIGN(TensorPtr term, call.NewF32(Extents{channels}));
  for (int64_t c = 0; c < channels; ++c) {
    const float scale =
        in[0]->data_as<float>()[c] / std::sqrt(in[3]->data_as<float>()[c] + attrs.epsilon);
    factor->data_as<float>()[c] = scale;
    term->data_as<float>()[c] = in[1]->data_as<float>()[c] - in[2]->data_as<float>()[c] * scale;
  }
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(ExtentsOf(*x)));
  TERN_TRY(ScalePerAxis(call, *x, axis, *factor, term.get(), y->data_as<float>()));
  return Any(std::move(y));
}

// ---- over rows

namespace {

// mean and inverse are null where nobody asked for them, scale and bias where there are none.
struct RowNorm {
  bool rms = false;
  float epsilon = 0;
  int64_t rows = 0, size = 0;
  const float* scale = nullptr;
  const float* bias = nullptr;
  float* mean = nullptr;
  float* inverse = nullptr;
};

Status NormalizeRows(Call& call, const RowNorm& norm, const float* x, float* y) {
  // Rows without elements have no mean, and nothing is written for them.
  const TernNormalizeArgs args{norm.rms,   norm.epsilon, norm.rows, norm.size, x,
                               norm.scale, norm.bias,    y,         norm.mean, norm.inverse};
  if (norm.size == 0) return OkStatus();
  return Call::Check(call.kernels().normalize(&args, call.kernel_context()));
}

// scale or bias of a layer norm repeated to the normalized axes.
Result<const float*> RowOperand(Call& call, const Tensor* operand, const Extents& row,
                                TensorPtr* holder) {
  if (operand == nullptr) return static_cast<const float*>(nullptr);
  // One that has the shape of a row is read where it lies. Others are spread once, because the
  // kernel knows whole rows only.
  if (operand->element_count() == CountOf(row))
    return static_cast<const float*>(operand->data_as<float>());
  Extents out;
  TERN_TRY(ops::BroadcastShape(row, ExtentsOf(*operand), &out));
  if (CountOf(out) != CountOf(row)) {
    return InvalidArgument("scale or bias ", ops::ShapeText(ExtentsOf(*operand)),
                           " is larger than the axes ", ops::ShapeText(row),
                           " that are normalized");
  }
  StridedCopy copy;
  copy.shape = row;
  ContiguousStrides(row, copy.dst_strides);
  for (int i = 0; i < row.rank(); ++i) {
    const int j = i - (row.rank() - operand->rank());
    copy.src_strides[i] =
        j < 0 || operand->dim(j) == 1 ? 0 : operand->strides()[static_cast<size_t>(j)];
  }
  TERN_TRY_ASSIGN(*holder, call.NewF32(row));
  TERN_TRY(CopyStrided(call, copy, sizeof(float), operand->data(), (*holder)->data()));
  return static_cast<const float*>((*holder)->data_as<float>());
}

// y and, where stats, mean and inverse deviation.
Result<Any> RunLayerNorm(const ops::NormAttrs& attrs, Call& call, bool rms, bool stats) {
  const Tensor *x = call.F32(0), *scale = call.OptionalF32(1), *bias = call.OptionalF32(2);
  TERN_TRY(call.TakeStatus());
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  const Extents extents = ExtentsOf(*x);
  const Extents row(extents.span().subspan(static_cast<size_t>(axis)));
  TensorPtr holders[2], mean, inverse;
  RowNorm norm{.rms = rms, .epsilon = attrs.epsilon};
  norm.rows = ops::ProductOf(extents, 0, axis);
  norm.size = CountOf(row);
  TERN_TRY_ASSIGN(norm.scale, RowOperand(call, scale, row, &holders[0]));
  TERN_TRY_ASSIGN(norm.bias, RowOperand(call, bias, row, &holders[1]));
  if (stats) {
    Extents reduced;
    TERN_TRY(ops::LayerNormStatsShape(attrs, extents, &reduced));
    TERN_TRY_ASSIGN(mean, call.NewF32(reduced));
    TERN_TRY_ASSIGN(inverse, call.NewF32(reduced));
    norm.mean = mean->data_as<float>();
    norm.inverse = inverse->data_as<float>();
  }
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(extents));
  TERN_TRY(NormalizeRows(call, norm, x->data_as<float>(), y->data_as<float>()));
  if (!stats) return Any(std::move(y));
  return Any(Adt::Tuple({AnyView(y), AnyView(mean), AnyView(inverse)}));
}

}  // namespace

Result<Any> LayerNorm(const ops::NormAttrs& attrs, Call& call) {
  return RunLayerNorm(attrs, call, false, false);
}
Result<Any> LayerNormStats(const ops::NormAttrs& attrs, Call& call) {
  return RunLayerNorm(attrs, call, false, true);
}
Result<Any> RmsNorm(const ops::NormAttrs& attrs, Call& call) {
  return RunLayerNorm(attrs, call, true, false);
}

// ---- per channel

namespace {

// Normalizes groups of channels of x [n, c, …]; scale and bias are [c], or one per group.
Result<TensorPtr> GroupNormChannelsFirst(Call& call, const Tensor& x, int64_t groups, float epsilon,
                                         const Tensor& scale, const Tensor& bias) {
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(ExtentsOf(x)));
  if (x.element_count() == 0) return y;
  // With channels first a group is one run of memory, hence a row. Scale and bias come afterwards:
  // they are of channels, and those of the kernel of each place in a row.
  RowNorm norm{.epsilon = epsilon};
  norm.rows = x.dim(0) * groups;
  norm.size = x.element_count() / norm.rows;
  TERN_TRY(NormalizeRows(call, norm, x.data_as<float>(), y->data_as<float>()));
  TERN_TRY(ScalePerAxis(call, *y, 1, scale, &bias, y->data_as<float>()));
  return y;
}

Result<Any> RunGroupNorm(Call& call, int64_t channel_axis, int64_t groups, float epsilon) {
  const Tensor *x = call.F32(0), *scale = call.F32(1), *bias = call.F32(2);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(ops::CheckRank("x", x->rank(), 2, ops::kMaxDims));
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(channel_axis, x->rank(), &axis));
  const int64_t channels = x->dim(axis);
  // instance_norm: each channel is a group of its own.
  if (groups == 0) groups = channels;
  TERN_TRY(CheckVector(call, 1, *scale, channels));
  TERN_TRY(CheckVector(call, 2, *bias, channels));
  if (channels % (groups > 0 ? groups : 1) != 0) {
    return InvalidArgument("x has ", channels, " channels, not a multiple of groups=", groups);
  }
  if (axis == 1) {
    TERN_TRY_ASSIGN(TensorPtr y, GroupNormChannelsFirst(call, *x, groups, epsilon, *scale, *bias));
    return Any(std::move(y));
  }
  if (axis != x->rank() - 1)
    return Unsupported("the channel axis is ", axis, ", expected 1 or the last");
  TERN_TRY_ASSIGN(TensorPtr first, ToChannelsFirst(call, *x));
  TERN_TRY_ASSIGN(TensorPtr normal,
                  GroupNormChannelsFirst(call, *first, groups, epsilon, *scale, *bias));
  TERN_TRY_ASSIGN(TensorPtr y, ToChannelsLast(call, *normal));
  return Any(std::move(y));
}

}  // namespace

Result<Any> InstanceNorm(const ops::NormAttrs& attrs, Call& call) {
  return RunGroupNorm(call, attrs.axis, 0, attrs.epsilon);
}

Result<Any> GroupNorm(const ops::GroupNormAttrs& attrs, Call& call) {
  return RunGroupNorm(call, attrs.axis, attrs.groups, attrs.epsilon);
}

Result<Any> Lrn(const ops::LrnAttrs& attrs, Call& call) {
  const Tensor* x = call.F32(0);
  TERN_TRY(call.TakeStatus());
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  // The kernel slides over neighbours in memory, so channels have to come last.
  if (axis != 1 && axis != x->rank() - 1)
    return Unsupported("the channel axis is ", axis, ", expected 1 or the last");
  const bool first = axis != x->rank() - 1;
  TensorPtr holder;
  if (first) {
    TERN_TRY_ASSIGN(holder, ToChannelsLast(call, *x));
    x = holder.get();
  }
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(ExtentsOf(*x)));
  const int64_t channels = x->dim(x->rank() - 1);
  if (x->element_count() == 0) return call.Share(0);
  TERN_TRY(call.Charge(ops::MulDim(x->element_count(), attrs.size)));
  const TernLrnArgs args{x->element_count() / channels,
                         channels,
                         attrs.size,
                         attrs.alpha,
                         attrs.beta,
                         attrs.bias,
                         x->data_as<float>(),
                         y->data_as<float>()};
  TERN_TRY(Call::Check(call.kernels().lrn(&args, call.kernel_context())));
  if (!first) return Any(std::move(y));
  TERN_TRY_ASSIGN(TensorPtr back, ToChannelsFirst(call, *y));
  return Any(std::move(back));
}

// Division by the norm of each column of [outer, axis, inner]; a norm of zero gives zeros.
Result<Any> LpNorm(const ops::LpNormAttrs& attrs, Call& call) {
  const Tensor* x = call.F32(0);
  TERN_TRY(call.TakeStatus());
  if (attrs.p != 1 && attrs.p != 2) return InvalidArgument("p is ", attrs.p, ", expected 1 or 2");
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  Extents reduced = ExtentsOf(*x);
  const AxisView view = ViewAround(reduced, axis);
  reduced[axis] = 1;
  TERN_TRY_ASSIGN(TensorPtr norms, call.NewF32(reduced));
  float* values = norms->data_as<float>();
  const TernReduceArgs args{attrs.p == 1 ? TERN_REDUCE_l1 : TERN_REDUCE_l2,
                            view.outer,
                            view.axis,
                            view.inner,
                            x->data_as<float>(),
                            values};
  TERN_TRY(Call::Check(call.kernels().reduce(&args, call.kernel_context())));
  for (int64_t i = 0; i < norms->element_count(); ++i)
    // A row of zeros stays one, instead of becoming NaN.
    values[i] = values[i] == 0.0f ? 1.0f : values[i];
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(ExtentsOf(*x)));
  TERN_TRY(RunBinary(call, TERN_BINARY_div, *x, *norms, ExtentsOf(*x), y->data_as<float>()));
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
