// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/pack_winograd.h"

#include <algorithm>
#include <unordered_map>

#include "core/ir/rewriter.h"
#include "core/ir/splat.h"
#include "core/ops/image_rules.h"
#include "core/ops/winograd_weights.h"

namespace tern::ir {

namespace {

using ops::Op;

// Costs in multiplications, as measured on x86-64 (docs/kernels.md): what a point of a square costs
// to transform, there and back, and what a weight costs to arrive, which is why small images of
// many channels stay with the sum over taps.
constexpr int64_t kTransformCost = 16, kWeightCost = 10;
// Weights take four times the memory, so a little faster is not enough.
constexpr double kWorthIt = 0.8;

// Of one image of the output.
bool Pays(int64_t height, int64_t width, int64_t in, int64_t out) {
  using ops::MulDim;
  const int64_t channels = MulDim(in, out), squares = MulDim((height + 3) / 4, (width + 3) / 4);
  const double weights = static_cast<double>(channels) * kWeightCost;
  const double by_taps =
      9 * (static_cast<double>(channels) * static_cast<double>(MulDim(height, width)) + weights);
  const double a_square = static_cast<double>(channels + (in + out) * kTransformCost);
  return 36 * (a_square * static_cast<double>(squares) + weights) < kWorthIt * by_taps;
}

class WinogradPacker : public Rewriter {
 public:
  explicit WinogradPacker(text::Diagnostics* diagnostics, const PassContext* context)
      : Rewriter(diagnostics), allocator_(context->allocator), pages_(context->pages) {}

 protected:
  Expr RewriteCall(const Call& call, const std::vector<Expr>& args) override {
    if (!call.Is(Op::k_conv2d) || call.attrs().Has("packed")) return nullptr;
    const Tensor* weights = ConstantWindow(args[1]);
    const types::TensorType* image = TensorTypeOf(args[0]);
    ops::ConvAttrs attrs = ops::ConvAttrs::From(call.attrs()).value();
    if (weights == nullptr || image == nullptr || !IsMeant(attrs, *weights, *image)) return nullptr;
    Expr packed = Packed(args[1], *weights);
    if (!packed) return nullptr;
    attrs.packed = attrs.winograd = true;
    attrs.channels = weights->dim(0);
    attrs.window.kernel = {3, 3};
    std::vector<Expr> packed_args = args;
    packed_args[1] = std::move(packed);
    return builder().Emit(Op::k_conv2d, std::move(packed_args), attrs.ToAttrs());
  }

 private:
  // A batch may have any size; it repeats what an image costs.
  static bool IsMeant(const ops::ConvAttrs& attrs, const Tensor& weights,
                      const types::TensorType& image) {
    if (attrs.window.layout != ops::Layout::kNhwc || attrs.groups != 1 || weights.rank() != 4 ||
        image.rank() != 4 || weights.dtype() != kF32 || weights.dim(2) != 3 || weights.dim(3) != 3)
      return false;
    for (int axis = 0; axis < 2; ++axis) {
      if (attrs.window.stride(axis) != 1 || attrs.window.dilation(axis) != 1) return false;
    }
    if (!image.dims[1].is_constant() || !image.dims[2].is_constant()) return false;
    if (std::max(weights.dim(0), weights.dim(1)) > ops::kMostExtent) return false;
    const ops::Dims<int64_t> x{1, image.dims[1].constant(), image.dims[2].constant(),
                               weights.dim(1)};
    ops::Dims<int64_t> out;
    if (!ops::ConvShape(attrs, x, ops::Dims<int64_t>(weights.dims()), &out).ok()) return false;
    return Pays(out[1], out[2], weights.dim(1), weights.dim(0));
  }

  // Weights that several calls use are transformed once. Null where there is no memory, as for a
  // number that a file of a few bytes repeats a billion times.
  Expr Packed(const Expr& weights, const Tensor& filters) {
    Expr& packed = packed_[weights.get()];
    if (packed) return packed;
    const int64_t out = filters.dim(0), in = filters.dim(1);
    const std::optional<ops::FilterSteps> steps = FilterStepsOf(filters);
    Result<TensorPtr> points = Tensor::New(allocator_, kF32, ops::WinogradExtents(out, in).span());
    if (!steps || !points.ok()) return nullptr;
    ops::PackWinograd(out, in, Unaligned<float>(filters.data()), *steps,
                      (*points)->data_as<float>());
    if (!SplatElement(filters)) pages_.Done(filters.data(), filters.byte_size());
    packed = MakeConstant(Any(*std::move(points)), weights->As<Constant>()->name());
    return packed;
  }

  Allocator* const allocator_;
  const PageHints pages_;
  std::unordered_map<const void*, Expr> packed_;
};

}  // namespace

Module PackWinograd(const Module& module, const PassContext& context) {
  return RewriteModule<WinogradPacker>(module, context.diagnostics, &context);
}

}  // namespace tern::ir
