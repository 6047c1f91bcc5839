// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/fuse_quantized.h"

#include <cmath>
#include <optional>

#include "core/ir/passes/quantization.h"
#include "core/ir/rewriter.h"
#include "core/ir/splat.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::ir {

namespace {

using ops::Op;

// What conv2d_quantized needs of weights: one scale per filter or one for all.
struct Filters {
  Expr weights;  // i8, zero point 0
  std::vector<float> scales;
};

// A constant that is one number, or `count` of them, as `count` numbers.
template <class T>
bool ReadChannels(const Expr& expr, DType dtype, int64_t count, Allocator* allocator,
                  std::vector<T>* out) {
  const Tensor* tensor = ConstantWindow(expr);
  if (tensor == nullptr || tensor->dtype() != dtype) return false;
  const int64_t elements = tensor->element_count();
  if (elements != 1 && elements != count) return false;
  const Result<TensorPtr> whole = Materialize(*tensor, allocator);
  if (!whole.ok()) return false;
  for (int64_t i = 0; i < count; ++i)
    out->push_back((*whole)->template data_as<T>()[elements == 1 ? 0 : i]);
  return true;
}

// True where `type` varies along axis 1 of an image of `rank` only, such as [1, c, 1, 1], or has a
// single element.
bool IsPerChannel(const Expr& expr, int rank) {
  const types::TensorType* type = TensorTypeOf(expr);
  if (type == nullptr || type->rank() > rank) return false;
  for (int i = 0; i < type->rank(); ++i) {
    if (i + rank - type->rank() != 1 && !(type->dims[static_cast<size_t>(i)] == types::Dim(1)))
      return false;
  }
  return true;
}

template <class T>
Expr MakeRow(const std::vector<T>& values) {
  const int64_t count = static_cast<int64_t>(values.size());
  return MakeConstant(Any(Tensor::FromValues<T>(values, {&count, 1}).value()));
}

class QuantizedFuser : public Rewriter {
 public:
  QuantizedFuser(text::Diagnostics* diagnostics, Allocator* allocator)
      : Rewriter(diagnostics), allocator_(allocator) {}

 protected:
  Expr RewriteCall(const Call& call, const std::vector<Expr>&) override {
    if (!call.Is(Op::k_quantize_linear)) return nullptr;
    const types::TensorType* type = TensorTypeOf(current().var);
    if (type == nullptr || type->rank() < 2 || type->rank() > 4) return nullptr;
    const std::optional<Quantization> result = QuantizationOf(call, type->dtype);
    if (!result) return nullptr;
    if (type->rank() == 2) return FuseProduct(call.args()[0], *result);
    if (Expr fused = FuseIntegers(call.args()[0], type->rank(), *result)) return fused;
    return type->rank() == 3 ? nullptr : FuseFloats(call.args()[0], *result);
  }

 private:
  // What `find` has for one operand of a binary call, and the other operand.
  template <class Find>
  static const Call* FindOperand(const Call* call, const Find& find, Expr* other) {
    if (call == nullptr) return nullptr;
    for (size_t i = 0; i < 2; ++i) {
      const Call* found = find(call->args()[i]);
      *other = call->args()[1 - i];
      if (found != nullptr) return found;
    }
    return nullptr;
  }

  // The other operand of a binary call that has `op` behind one of them.
  const Call* OperandOf(const Call* call, Op op, Expr* other) const {
    return FindOperand(
        call, [&](const Expr& operand) { return OnlyCall(operand, op); }, other);
  }

  static int64_t FilterCount(const Expr& weights) {
    const Tensor* tensor = ConstantWindow(weights);
    return tensor != nullptr && tensor->rank() == 4 ? tensor->dim(0) : 0;
  }

  // --- conv_integer, bias, cast, ratio, rounding

  // The convolution of integers behind an atom; of sequences, which are images one pixel wide, it
  // is behind what takes their last axis away.
  const Call* IntegerConvolution(const Expr& old, int rank) const {
    if (rank == 4) return OnlyCall(old, Op::k_conv_integer);
    const Call* narrow = OnlyCall(old, Op::k_reshape);
    if (narrow == nullptr) narrow = OnlyCall(old, Op::k_squeeze);
    const Call* conv =
        narrow == nullptr ? nullptr : OnlyCall(narrow->args()[0], Op::k_conv_integer);
    if (conv == nullptr) return nullptr;
    std::vector<types::Dim> wide = TensorTypeOf(old)->dims;
    wide.push_back(types::Dim(1));
    return TensorTypeOf(narrow->args()[0])->dims == wide ? conv : nullptr;
  }

  Expr FuseIntegers(const Expr& x, int rank, const Quantization& result) {
    Expr ratio, bias;
    const Call* cast = OperandOf(OnlyCall(x, Op::k_mul), Op::k_cast, &ratio);
    if (cast == nullptr || result.scale != 1 || !IsPerChannel(ratio, rank)) return nullptr;
    const auto find = [&](const Expr& old) { return IntegerConvolution(old, rank); };
    const Call* conv = find(cast->args()[0]);
    if (conv == nullptr) {
      conv = FindOperand(OnlyCall(cast->args()[0], Op::k_add), find, &bias);
      if (conv == nullptr || !IsPerChannel(bias, rank)) return nullptr;
    }
    const int64_t channels = FilterCount(conv->args()[1]);
    const types::TensorType* image = TensorTypeOf(conv->args()[0]);
    const std::optional<double> x_zero = NumberOf(ArgumentOf(*conv, 2), 0);
    if (channels == 0 || !x_zero || image == nullptr || image->rank() != 4) return nullptr;
    const Expr weights = CenteredWeights(conv->args()[1], ArgumentOf(*conv, 3));
    std::vector<float> scales;
    std::vector<int32_t> sums;
    if (!bias) sums.assign(static_cast<size_t>(channels), 0);
    if (!weights || !ReadChannels(ratio, kF32, channels, allocator_, &scales) ||
        (bias && !ReadChannels(bias, kI32, channels, allocator_, &sums)))
      return nullptr;
    const Expr y = EmitQuantized(ops::ConvAttrs::From(conv->attrs()).value(), Map(conv->args()[0]),
                                 {weights, std::move(scales)}, sums, static_cast<int64_t>(*x_zero),
                                 result, false);
    if (!y || rank == 4) return y;
    return builder().Emit(Op::k_reshape, {y}, ops::ReshapeAttrs{{0, 0, 0}}.ToAttrs());
  }

  // --- matmul_integer, cast, ratio, rounding: a convolution of images of one pixel

  Expr FuseProduct(const Expr& x, const Quantization& result) {
    Expr ratio;
    const Call* cast = OperandOf(OnlyCall(x, Op::k_mul), Op::k_cast, &ratio);
    const Call* product =
        cast == nullptr ? nullptr : OnlyCall(cast->args()[0], Op::k_matmul_integer);
    if (product == nullptr || result.scale != 1 || !IsPerColumn(ratio)) return nullptr;
    const types::TensorType* rows = TensorTypeOf(product->args()[0]);
    const Tensor* matrix = ConstantTensor(product->args()[1]);
    const std::optional<double> x_zero = NumberOf(ArgumentOf(*product, 2), 0);
    if (!x_zero || rows == nullptr || rows->rank() != 2 || matrix == nullptr || matrix->rank() != 2)
      return nullptr;
    const Expr columns = TransposedFilters(product->args()[1], *matrix);
    const Expr weights = columns ? CenteredWeights(columns, ArgumentOf(*product, 3)) : nullptr;
    const int64_t depth = matrix->dim(0), count = matrix->dim(1);
    std::vector<float> scales;
    if (!weights || count == 0 || !ReadChannels(ratio, kF32, count, allocator_, &scales))
      return nullptr;
    ops::ConvAttrs geometry;
    geometry.window.layout = ops::Layout::kNhwc;
    const Expr pixels = builder().Emit(Op::k_reshape, {Map(product->args()[0])},
                                       ops::ReshapeAttrs{{0, 1, 1, depth}}.ToAttrs());
    const Expr y = EmitQuantized(geometry, pixels, {weights, std::move(scales)},
                                 std::vector<int32_t>(static_cast<size_t>(count), 0),
                                 static_cast<int64_t>(*x_zero), result, false);
    if (!y) return nullptr;
    return builder().Emit(Op::k_reshape, {y}, ops::ReshapeAttrs{{0, count}}.ToAttrs());
  }

  // One number, or one for each column of a matrix.
  static bool IsPerColumn(const Expr& expr) {
    const types::TensorType* type = TensorTypeOf(expr);
    return type != nullptr && type->rank() <= 2 &&
           (type->rank() < 2 || type->dims[0] == types::Dim(1));
  }

  // [k, n] of 8 bits as filters [n, k, 1, 1].
  Expr TransposedFilters(const Expr& constant, const Tensor& matrix) {
    if (!Is8Bits(matrix.dtype())) return nullptr;
    const int64_t depth = matrix.dim(0), count = matrix.dim(1);
    const int64_t dims[] = {count, depth, 1, 1};
    const Result<TensorPtr> whole = Materialize(matrix, allocator_);
    const Result<TensorPtr> filters = Tensor::New(allocator_, matrix.dtype(), dims);
    if (!whole.ok() || !filters.ok() || depth == 0) return nullptr;
    const auto* from = static_cast<const uint8_t*>((*whole)->data());
    auto* to = static_cast<uint8_t*>((*filters)->data());
    for (int64_t column = 0; column < count; ++column) {
      for (int64_t row = 0; row < depth; ++row) *to++ = from[row * count + column];
    }
    return MakeConstant(Any(*filters), constant->As<Constant>()->name());
  }

  // Weights less their zero points, if every difference fits into i8; null otherwise.
  Expr CenteredWeights(const Expr& weights, const Expr* zero) {
    const Tensor* tensor = ConstantTensor(weights);
    const int64_t channels = FilterCount(weights);
    if (tensor == nullptr || channels == 0 || !Is8Bits(tensor->dtype())) return nullptr;
    const std::vector<int> zeros = ZeroPoints(tensor->dtype(), zero, channels);
    if (zeros.empty()) return nullptr;
    const bool is_signed = tensor->dtype() == kI8;
    if (is_signed && std::all_of(zeros.begin(), zeros.end(), [](int zero) { return zero == 0; }))
      return weights;
    const Result<TensorPtr> whole = Materialize(*tensor, allocator_);
    Result<TensorPtr> centered = Tensor::New(allocator_, kI8, tensor->dims());
    if (!whole.ok() || !centered.ok()) return nullptr;
    auto* to = (*centered)->data_as<int8_t>();
    const auto size = static_cast<size_t>(tensor->element_count());
    const bool fits = is_signed ? Center((*whole)->data_as<int8_t>(), size, zeros, to)
                                : Center((*whole)->data_as<uint8_t>(), size, zeros, to);
    if (!fits) return nullptr;
    return MakeConstant(Any(*std::move(centered)), weights->As<Constant>()->name());
  }

  // Whether every difference fits. The weights of a zero point lie in a row.
  template <typename T>
  static bool Center(const T* from, size_t size, const std::vector<int>& zeros, int8_t* to) {
    const size_t count = size / zeros.size();
    bool fits = true;
    for (const int zero : zeros) {
      for (size_t i = 0; i < count; ++i) {
        const int difference = int{from[i]} - zero;
        fits = fits & (difference >= -128) & (difference <= 127);
        to[i] = static_cast<int8_t>(difference);
      }
      from += count;
      to += count;
    }
    return fits;
  }

  std::vector<int> ZeroPoints(DType dtype, const Expr* zero, int64_t channels) {
    if (zero == nullptr || IsNone(*zero)) return std::vector<int>(static_cast<size_t>(channels), 0);
    std::vector<uint8_t> bytes;
    std::vector<int8_t> signed_bytes;
    if (dtype == kU8 && ReadChannels(*zero, dtype, channels, allocator_, &bytes))
      return {bytes.begin(), bytes.end()};
    if (dtype == kI8 && ReadChannels(*zero, dtype, channels, allocator_, &signed_bytes))
      return {signed_bytes.begin(), signed_bytes.end()};
    return {};
  }

  // --- a convolution of floats between dequantize_linear and quantize_linear

  Expr FuseFloats(const Expr& x, const Quantization& result) {
    const Call* relu = OnlyCall(x, Op::k_relu);
    const Call* conv = OnlyCall(relu == nullptr ? x : relu->args()[0], Op::k_conv2d);
    if (conv == nullptr || !IsPlain(*conv)) return nullptr;
    const Call* image = OldCall(conv->args()[0], Op::k_dequantize_linear);
    const Call* filters = OldCall(conv->args()[1], Op::k_dequantize_linear);
    if (image == nullptr || filters == nullptr) return nullptr;
    const types::TensorType* type = TensorTypeOf(image->args()[0]);
    if (type == nullptr || type->rank() != 4) return nullptr;
    const std::optional<Quantization> source = QuantizationOf(*image, type->dtype);
    std::optional<Filters> weights = FiltersOf(*filters);
    if (!source || !weights) return nullptr;
    for (float& scale : weights->scales) scale = source->scale * scale;
    std::vector<int32_t> bias;
    if (!ReadBias(ArgumentOf(*conv, 2), weights->scales, &bias)) return nullptr;
    for (float& scale : weights->scales) {
      scale = scale / result.scale;
      if (!(scale > 0) || !std::isfinite(scale)) return nullptr;
    }
    return EmitQuantized(ops::ConvAttrs::From(conv->attrs()).value(), Map(image->args()[0]),
                         *weights, bias, source->zero, result, relu != nullptr);
  }

  // No residual, no activation, weights as they come.
  static bool IsPlain(const Call& conv) {
    const ops::ConvAttrs attrs = ops::ConvAttrs::From(conv.attrs()).value();
    return conv.arg(3) == nullptr && !attrs.packed &&
           attrs.epilogue.activation == ops::Activation::kNone;
  }

  // dequantize_linear of constant weights, with one scale or one per filter.
  std::optional<Filters> FiltersOf(const Call& call) {
    const ops::QuantizeAttrs attrs = ops::QuantizeAttrs::From(call.attrs()).value();
    const int64_t channels = FilterCount(call.args()[0]);
    const Tensor* scale = ConstantTensor(call.args()[1]);
    Filters filters;
    if (channels == 0 || scale == nullptr || attrs.block != 0 || !ComputesInF32(call))
      return std::nullopt;
    if (scale->element_count() != 1 && attrs.axis != 0 && attrs.axis != -4) return std::nullopt;
    filters.weights = CenteredWeights(call.args()[0], ArgumentOf(call, 2));
    if (!filters.weights ||
        !ReadChannels(call.args()[1], kF32, channels, allocator_, &filters.scales))
      return std::nullopt;
    return filters;
  }

  // The bias in steps of `scales`: dequantize_linear of constant i32 whose scales are those, as the
  // quantizing tools write it; products of scales may differ in their last bits.
  bool ReadBias(const Expr* bias, const std::vector<float>& scales, std::vector<int32_t>* out) {
    const int64_t channels = static_cast<int64_t>(scales.size());
    if (bias == nullptr || IsNone(*bias)) {
      out->assign(scales.size(), 0);
      return true;
    }
    const Call* call = OldCall(*bias, Op::k_dequantize_linear);
    if (call == nullptr || NumberOf(ArgumentOf(*call, 2), 0) != 0.0) return false;
    std::vector<float> own;
    if (!ReadChannels(call->args()[0], kI32, channels, allocator_, out) ||
        !ReadChannels(call->args()[1], kF32, channels, allocator_, &own))
      return false;
    for (size_t i = 0; i < scales.size(); ++i) {
      if (!(std::fabs(own[i] - scales[i]) <= 1e-6f * scales[i])) return false;
    }
    return true;
  }

  // --- the result

  Expr EmitQuantized(const ops::ConvAttrs& geometry, const Expr& x, const Filters& filters,
                     const std::vector<int32_t>& bias, int64_t x_zero, const Quantization& result,
                     bool relu) {
    for (float scale : filters.scales) {
      if (!std::isfinite(scale)) return nullptr;
    }
    ops::QuantizedConvAttrs attrs;
    attrs.window = geometry.window;
    attrs.groups = geometry.groups;
    attrs.x_zero = x_zero;
    attrs.zero = result.zero;
    attrs.to = result.to;
    attrs.relu = relu;
    return builder().Emit(Op::k_conv2d_quantized,
                          {x, filters.weights, MakeRow(bias), MakeRow(filters.scales)},
                          attrs.ToAttrs());
  }

  Allocator* const allocator_;
};

}  // namespace

Module FuseQuantized(const Module& module, const PassContext& context) {
  return RewriteModule<QuantizedFuser>(module, context.diagnostics, context.allocator);
}

}  // namespace tern::ir
