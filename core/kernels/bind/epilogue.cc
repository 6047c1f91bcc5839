// SPDX-License-Identifier: Apache-2.0
// Epilogue structs from attributes.

#include "core/kernels/bind/epilogue.h"

#include "core/kernels/bind/broadcast.h"

namespace tern::kernels::bind {

// What a matmul or a convolution does to its result while it is still in registers.
TernEpilogue EpilogueOf(const ops::Epilogue& attrs, const float* bias, const float* residual,
                        int64_t columns) {
  TernEpilogue epilogue{};
  epilogue.bias = bias;
  epilogue.residual = residual;
  // The residual has the shape of the result, so rows are as far apart.
  epilogue.residual_stride = columns;
  epilogue.activation = static_cast<int32_t>(attrs.activation);
  epilogue.residual_after = attrs.residual_after ? 1 : 0;
  epilogue.alpha = attrs.act_alpha;
  epilogue.beta = attrs.act_beta;
  return epilogue;
}

// A residual is read row by row like the result: it is never broadcast.
Status CheckResidual(const Tensor& residual, const Extents& out) {
  const Extents extents = ExtentsOf(residual);
  if (extents == out) return OkStatus();
  return InvalidArgument("residual is ", ops::ShapeText(extents), ", but the result is ",
                         ops::ShapeText(out));
}

Status CheckBias(const Tensor* bias, int64_t channels) {
  if (bias == nullptr || (bias->rank() == 1 && bias->dim(0) == channels)) return OkStatus();
  return InvalidArgument("bias is ", ops::ShapeText(ExtentsOf(*bias)), ", expected [", channels,
                         "]");
}

Status RunBinary(Call& call, TernBinaryOp op, const Tensor& a, const Tensor& b, const Extents& out,
                 float* c) {
  TernBinaryArgs args{};
  args.op = op;
  SetRows(Broadcast(out, {&a, &b}), &args);
  args.a = a.data_as<float>();
  args.b = b.data_as<float>();
  args.c = c;
  return Call::Check(call.kernels().binary(&args, call.kernel_context()));
}

namespace {

// The unary kernel of the same function, for results of loops that have no epilogue.
TernUnaryOp UnaryOf(ops::Activation activation) {
  switch (activation) {
    case ops::Activation::kNone: break;
    case ops::Activation::kRelu: return TERN_UNARY_relu;
    case ops::Activation::kClamp: return TERN_UNARY_clamp;
    case ops::Activation::kLeakyRelu: return TERN_UNARY_leaky_relu;
    case ops::Activation::kSigmoid: return TERN_UNARY_sigmoid;
    case ops::Activation::kSilu: return TERN_UNARY_silu;
    case ops::Activation::kTanh: return TERN_UNARY_tanh;
    case ops::Activation::kGelu: return TERN_UNARY_gelu;
    case ops::Activation::kGeluTanh: return TERN_UNARY_gelu_tanh;
    case ops::Activation::kHardSigmoid: return TERN_UNARY_hard_sigmoid;
    case ops::Activation::kHardSwish: return TERN_UNARY_hard_swish;
    case ops::Activation::kElu: return TERN_UNARY_elu;
  }
  return TERN_UNARY_COUNT;
}

}  // namespace

Status ApplyInPlace(Call& call, const ops::Epilogue& attrs, const Tensor& y) {
  if (attrs.activation == ops::Activation::kNone) return OkStatus();
  // The kernel may write where it reads.
  float* values = y.data_as<float>();
  const TernUnaryArgs args{UnaryOf(attrs.activation), attrs.act_alpha, attrs.act_beta,
                           y.element_count(),         values,          values};
  return Call::Check(call.kernels().unary(&args, call.kernel_context()));
}

}  // namespace tern::kernels::bind
