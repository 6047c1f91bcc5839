// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/turn_transposed.h"

#include <algorithm>
#include <utility>

#include "core/ir/rewriter.h"
#include "core/ir/splat.h"
#include "core/ops/image_attrs.h"

namespace tern::ir {

namespace {

using ops::Op;

class Turner : public Rewriter {
 public:
  Turner(text::Diagnostics* diagnostics, Allocator* allocator)
      : Rewriter(diagnostics), allocator_(allocator) {}

 protected:
  Expr RewriteCall(const Call& call, const std::vector<Expr>& args) override {
    if (!call.Is(Op::k_conv_transpose2d)) return nullptr;
    const Tensor* weights = ConstantWindow(args[1]);
    const auto attrs = ops::ConvTransposeAttrs::From(call.attrs()).value();
    if (weights == nullptr || weights->dtype() != kF32 || weights->rank() != 4) return nullptr;
    ops::ConvAttrs conv;
    if (!IsMeant(attrs) || !Turned(attrs, *weights, &conv)) return nullptr;
    Result<TensorPtr> turned = TurnWeights(*weights, attrs.groups);
    if (!turned.ok()) return nullptr;
    std::vector<Expr> conv_args = args;
    conv_args[1] = MakeConstant(Any(*std::move(turned)), args[1]->As<Constant>()->name());
    const Expr result = builder().Emit(Op::k_conv2d, std::move(conv_args), conv.ToAttrs());
    // Extents that only a run knows are the same numbers, but not always written the same.
    return TypeOf(result) == current().var->type() ? result : nullptr;
  }

 private:
  // Images as they are declared, and nothing that only a transposed convolution has.
  static bool IsMeant(const ops::ConvTransposeAttrs& attrs) {
    const ops::WindowAttrs& window = attrs.window;
    const auto only = [](const ops::Ints& values, int64_t value) {
      return std::all_of(values.begin(), values.end(), [=](int64_t v) { return v == value; });
    };
    return only(window.strides, 1) && only(attrs.output_padding, 0) && attrs.output_shape.empty() &&
           window.auto_pad == ops::AutoPad::kNone && window.layout == ops::Layout::kNchw &&
           !attrs.packed && attrs.epilogue.activation == ops::Activation::kNone;
  }

  // The same reach from the other side: what was cut off is not read. False where it would be more
  // than all.
  static bool Turned(const ops::ConvTransposeAttrs& attrs, const Tensor& weights,
                     ops::ConvAttrs* conv) {
    conv->groups = attrs.groups;
    conv->window = attrs.window;
    conv->window.kernel.clear();
    conv->window.pads.clear();
    for (int i = 0; i < 4; ++i) {
      const int64_t reach = (weights.dim(2 + i % 2) - 1) * attrs.window.dilation(i % 2);
      conv->window.pads.push_back(reach - ops::IntAt(attrs.window.pads, i, 0));
      if (conv->window.pads.back() < 0) return false;
    }
    if (conv->window.pads == ops::Ints(4, 0)) conv->window.pads.clear();
    return true;
  }

  // [in, out / groups, kh, kw] → [out, in / groups, kh, kw], taps from the last to the first.
  Result<TensorPtr> TurnWeights(const Tensor& weights, int64_t groups) const {
    const int64_t in = weights.dim(0) / groups, out = weights.dim(1);
    const int64_t taps = weights.dim(2) * weights.dim(3);
    const int64_t dims[] = {groups * out, in, weights.dim(2), weights.dim(3)};
    if (TensorPtr element = SplatElement(weights)) return MakeSplat(*element, dims);
    TERN_TRY_ASSIGN(TensorPtr source, Materialize(weights, allocator_));
    TERN_TRY_ASSIGN(TensorPtr turned, Tensor::New(allocator_, kF32, dims));
    float* to = turned->data_as<float>();
    for (int64_t o = 0; o < groups * out; ++o) {
      for (int64_t i = 0; i < in; ++i, to += taps) {
        const float* from = source->data_as<float>() + ((o / out * in + i) * out + o % out) * taps;
        std::reverse_copy(from, from + taps, to);
      }
    }
    return turned;
  }

  Allocator* const allocator_;
};

}  // namespace

Module TurnTransposed(const Module& module, const PassContext& context) {
  return RewriteModule<Turner>(module, context.diagnostics, context.allocator);
}

}  // namespace tern::ir
