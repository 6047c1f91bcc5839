// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/fold_batch_norm.h"

#include "core/base/check.h"
#include "core/base/unaligned.h"
#include "core/ir/rewriter.h"
#include "core/ir/splat.h"
#include "core/ir/visitor.h"
#include "core/ops/math_attrs.h"

namespace tern::ir {

namespace {

using ops::Op;
using Vector = std::vector<float>;

// y = scale * x + shift per channel; an empty scale is 1, an empty shift 0.
struct Affine {
  Vector scale, shift;
};

// Reads a f32 constant as `channels` numbers: one for each, or one for all.
bool ReadVector(const Tensor& tensor, int64_t channels, Vector* out) {
  if (tensor.dtype() != kF32) return false;
  double uniform = 0;
  if (UniformValue(tensor, &uniform)) {
    out->assign(static_cast<size_t>(channels), static_cast<float>(uniform));
    return true;
  }
  if (tensor.element_count() != channels || !tensor.is_contiguous()) return false;
  out->assign(tensor.data_as<float>(), tensor.data_as<float>() + channels);
  return true;
}

// Reads a constant that varies along `axis` of a tensor of `rank` axes only: [c], [c, 1, 1], [1, c,
// 1, 1], …, or one number. By the rules of broadcasting, axes are counted from the end.
bool ReadChannels(const Expr& expr, int rank, int axis, int64_t channels, Vector* out) {
  const Tensor* tensor = ConstantTensor(expr);
  if (tensor == nullptr || tensor->rank() > rank) return false;
  const int offset = rank - tensor->rank();
  for (int i = 0; i < tensor->rank(); ++i) {
    if (i + offset != axis && tensor->dim(i) != 1) return false;
  }
  return ReadVector(*tensor, channels, out);
}

Expr MakeVector(const Vector& values, std::span<const int64_t> dims) {
  return MakeConstant(Any(Tensor::FromValues<float>(values, dims).value()));
}

Expr MakeVector(const Vector& values) {
  const int64_t count = static_cast<int64_t>(values.size());
  return MakeVector(values, {&count, 1});
}

// A normalization with constant statistics is scale * x + shift per channel. Behind a convolution
// or product with constant weights it disappears into those; else it becomes one cheap operator.
class BatchNormFolder : public Rewriter {
 public:
  BatchNormFolder(text::Diagnostics* diagnostics, Allocator* allocator)
      : Rewriter(diagnostics), allocator_(allocator) {}

 protected:
  void Begin(const Function& function) override {
    // In models with images a depthwise convolution is fused better than two elementwise operators.
    ForEachBinding(function.bindings(), [this](const Binding& binding) {
      const Call* call = binding.value->As<Call>();
      has_images_ = has_images_ || (call != nullptr && call->Is(Op::k_conv2d));
    });
  }

  Expr RewriteCall(const Call& call, const std::vector<Expr>& args) override {
    switch (call.op().op) {
      case Op::k_batch_norm: return RewriteBatchNorm(call, args);
      case Op::k_mul:
      case Op::k_add:
        if (Expr folded = FoldBinary(call, args, 0)) return folded;
        return FoldBinary(call, args, 1);
      // c - x and c / x are not affine in the same way.
      case Op::k_sub:
      case Op::k_div: return FoldBinary(call, args, 0);
      default: return nullptr;
    }
  }

 private:
  // The convolution or product that makes `x`, if its weights are constants, nothing follows in its
  // epilogue, and old_x has no other use: otherwise the work would be done twice.
  const Call* FindProducer(const Expr& old_x, const Expr& x) {
    const Call* call = NewCall(x);
    if (call == nullptr || Uses(old_x) != 1 || call->arg(3) != nullptr) return nullptr;
    if (!call->Is(Op::k_conv2d) && !call->Is(Op::k_matmul)) return nullptr;
    const Tensor* weights = ConstantWindow(call->args()[1]);
    const bool bias_known = call->arg(2) == nullptr || ConstantTensor(call->args()[2]) != nullptr;
    if (weights == nullptr || weights->dtype() != kF32 || !bias_known) return nullptr;
    return call->attrs().Has("activation") || call->attrs().Has("packed") ? nullptr : call;
  }

  Expr FoldBinary(const Call& call, const std::vector<Expr>& args, size_t index) {
    const Call* producer = FindProducer(call.args()[index], args[index]);
    const types::TensorType* type = TensorTypeOf(args[index]);
    // The other operand must not enlarge the result by broadcasting.
    if (producer == nullptr || type == nullptr || !(TypeOf(args[index]) == current().var->type()))
      return nullptr;
    const int axis = producer->Is(Op::k_conv2d) ? 1 : type->rank() - 1;
    if (axis < 0 || !type->dims[static_cast<size_t>(axis)].is_constant()) return nullptr;
    Vector values;
    const int64_t channels = type->dims[static_cast<size_t>(axis)].constant();
    if (!ReadChannels(args[1 - index], type->rank(), axis, channels, &values)) return nullptr;
    return ApplyTo(*producer, MakeAffine(call.op().op, std::move(values)), channels);
  }

  static Affine MakeAffine(Op op, Vector values) {
    Affine affine;
    if (op == Op::k_sub) {
      for (float& value : values) value = -value;
    } else if (op == Op::k_div) {
      // One rounding of the reciprocal; results may differ in the last place from a division.
      for (float& value : values) value = 1.0f / value;
    }
    (op == Op::k_mul || op == Op::k_div ? affine.scale : affine.shift) = std::move(values);
    return affine;
  }

  static bool ReadBatchNorm(const Call& call, const std::vector<Expr>& args, int64_t channels,
                            Affine* affine) {
    Vector parameters[4];
    for (size_t i = 0; i < 4; ++i) {
      const Tensor* tensor = ConstantTensor(args[i + 1]);
      if (tensor == nullptr || !ReadVector(*tensor, channels, &parameters[i])) return false;
    }
    const auto& [scale, bias, mean, variance] = parameters;
    const double epsilon = static_cast<double>(ops::NormAttrs::From(call.attrs()).value().epsilon);
    // In double: variances near 0 and large means would lose digits in float.
    for (size_t i = 0; i < scale.size(); ++i) {
      const double factor = static_cast<double>(scale[i]) /
                            __builtin_sqrt(static_cast<double>(variance[i]) + epsilon);
      affine->scale.push_back(static_cast<float>(factor));
      affine->shift.push_back(
          static_cast<float>(static_cast<double>(bias[i]) - static_cast<double>(mean[i]) * factor));
    }
    return true;
  }

  Expr RewriteBatchNorm(const Call& call, const std::vector<Expr>& args) {
    const types::TensorType* type = TensorTypeOf(args[0]);
    const int64_t axis = ops::NormAttrs::From(call.attrs()).value().axis;
    if (type == nullptr || type->rank() < 2 || type->dtype != kF32 || axis != 1 ||
        !type->dims[1].is_constant()) {
      return nullptr;
    }
    const int64_t channels = type->dims[1].constant();
    Affine affine;
    if (!ReadBatchNorm(call, args, channels, &affine)) return nullptr;
    const Call* producer = FindProducer(call.args()[0], args[0]);
    if (producer != nullptr && (producer->Is(Op::k_conv2d) || type->rank() == 2)) {
      return ApplyTo(*producer, affine, channels);
    }
    if (has_images_ && type->rank() == 4 && channels > 1)
      return EmitDepthwise(args[0], affine, channels);
    return EmitMulAdd(args[0], affine, type->rank(), channels);
  }

  Expr EmitDepthwise(const Expr& x, const Affine& affine, int64_t channels) {
    ops::ConvAttrs attrs;
    attrs.groups = channels;
    const int64_t dims[] = {channels, 1, 1, 1};
    return builder().Emit(Op::k_conv2d,
                          {x, MakeVector(affine.scale, dims), MakeVector(affine.shift)},
                          attrs.ToAttrs());
  }

  Expr EmitMulAdd(const Expr& x, const Affine& affine, int rank, int64_t channels) {
    std::vector<int64_t> dims(static_cast<size_t>(rank - 1), 1);
    dims[0] = channels;
    Expr scaled = builder().Emit(Op::k_mul, {x, MakeVector(affine.scale, dims)});
    return builder().Emit(Op::k_add, {scaled, MakeVector(affine.shift, dims)});
  }

  // scale * (w x + b) + shift = (scale w) x + (scale b + shift).
  Expr ApplyTo(const Call& producer, const Affine& affine, int64_t channels) {
    std::vector<Expr> args(producer.args().begin(), producer.args().end());
    if (!affine.scale.empty() && !ScaleWeights(producer, affine.scale, &args[1])) return nullptr;
    Vector bias(static_cast<size_t>(channels), 0.0f);
    const bool has_bias = producer.arg(2) != nullptr;
    const float beta =
        producer.Is(Op::k_matmul) ? ops::MatMulAttrs::From(producer.attrs()).value().beta : 1.0f;
    const Tensor* old_bias = has_bias ? ConstantTensor(args[2]) : nullptr;
    if (has_bias && (beta != 1 || old_bias->rank() != 1 || !ReadVector(*old_bias, channels, &bias)))
      return nullptr;
    for (size_t i = 0; i < bias.size(); ++i) {
      if (!affine.scale.empty()) bias[i] *= affine.scale[i];
      if (!affine.shift.empty()) bias[i] += affine.shift[i];
    }
    if (has_bias || !affine.shift.empty()) {
      args.resize(3);
      args[2] = MakeVector(bias);
    }
    return builder().Emit(producer.op(), std::move(args), producer.attrs());
  }

  // Multiplies the weights by one factor per output channel: axis 0 of a convolution's weights, the
  // columns of a matrix.
  bool ScaleWeights(const Call& producer, const Vector& scale, Expr* weights) const {
    const Tensor* tensor = ConstantWindow(*weights);
    int axis = 0;
    if (producer.Is(Op::k_matmul)) {
      if (tensor->rank() < 2) return false;
      axis = ops::MatMulAttrs::From(producer.attrs()).value().trans_b ? tensor->rank() - 2
                                                                      : tensor->rank() - 1;
    }
    if (tensor->dim(axis) != static_cast<int64_t>(scale.size())) return false;
    if (VariesAlong(*tensor, axis) && CanMaterialize(*tensor)) {
      *weights = ScaleNumbers(*tensor, axis, scale);
      return true;
    }
    Result<TensorPtr> source = Materialize(*tensor, allocator_);
    if (!source.ok()) return false;
    // What was written out for this is changed where it lies; the weights of others are not.
    Result<TensorPtr> scaled =
        source->get() == tensor ? Tensor::New(allocator_, kF32, tensor->dims()) : *source;
    if (!scaled.ok()) return false;
    int64_t inner = 1;
    for (int i = axis + 1; i < tensor->rank(); ++i) inner *= tensor->dim(i);
    ScaleChannels(scale, inner, tensor->element_count(), (*source)->data_as<float>(),
                  (*scaled)->data_as<float>());
    *weights = MakeConstant(Any(*std::move(scaled)));
    return true;
  }

  // Filters of filled models: a number for each channel, which stays one until it is packed.
  static Expr ScaleNumbers(const Tensor& tensor, int axis, Vector scale) {
    const int64_t step = tensor.strides()[static_cast<size_t>(axis)];
    for (size_t i = 0; i < scale.size(); ++i)
      scale[i] = Unaligned<float>(tensor.data())[static_cast<int64_t>(i) * step] * scale[i];
    const Expr numbers = MakeVector(scale);
    std::vector<int64_t> strides(tensor.dims().size(), 0);
    strides[static_cast<size_t>(axis)] = 1;
    return MakeConstant(Any(ConstantTensor(numbers)->View(tensor.dims(), strides, 0).value()));
  }

  // `count` elements in rows of `inner`, whose factors repeat. from and to may be the same.
  static void ScaleChannels(const Vector& scale, int64_t inner, int64_t count, const float* from,
                            float* to) {
    size_t channel = 0;
    for (int64_t row = 0; row < count; row += inner) {
      const float factor = scale[channel];
      for (int64_t i = row; i < row + inner; ++i) to[i] = from[i] * factor;
      channel = channel + 1 == scale.size() ? 0 : channel + 1;
    }
  }

  Allocator* const allocator_;
  bool has_images_ = false;
};

}  // namespace

Module FoldBatchNorm(const Module& module, const PassContext& context) {
  return RewriteModule<BatchNormFolder>(module, context.diagnostics, context.allocator);
}

}  // namespace tern::ir
