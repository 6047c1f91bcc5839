// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/pack_weights.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/unaligned.h"
#include "core/ir/rewriter.h"
#include "core/ir/splat.h"
#include "core/ops/math_attrs.h"
#include "core/ops/panels.h"
#include "core/ops/quantized_weights.h"
#include "core/ops/recurrent_weights.h"

namespace tern::ir {

namespace {

using ops::kPanel;
using ops::Op;
using ops::PanelCount;

// Matrices of k rows and n columns become panels [ceil(n / 16)][k][16]. The kernel reads one row of
// a panel per step, contiguously; columns beyond n are zeros, so that it needs no tail. Both of the
// following go over the source in pieces that stay in the first-level cache, since these matrices
// are most of a model.

// Rows kept small, so that the pages of a piece do not outnumber what the processor translates.
constexpr int64_t kRowsAtOnce = 32;

void PackRows(Unaligned<float> src, int64_t k, int64_t n, float* dst) {
  for (int64_t begin = 0; begin < k; begin += kRowsAtOnce) {
    const int64_t end = std::min(begin + kRowsAtOnce, k);
    for (int64_t panel = 0; panel < n; panel += kPanel) {
      const int64_t width = std::min(n - panel, kPanel);
      float* to = dst + panel * k + begin * kPanel;
      for (int64_t row = begin; row < end; ++row, to += kPanel) {
        (src + row * n + panel).CopyTo(to, width);
        std::fill(to + width, to + kPanel, 0.0f);
        std::transform(to, to + kPanel, to, ops::NormalOrZero);
      }
    }
  }
}

// Channels begin … end of up to 16 filters.
void PackPiece(const ops::FilterExtents& filters, int64_t begin, int64_t end, Unaligned<float> src,
               const ops::FilterSteps& steps, float* dst) {
  for (int64_t column = 0; column < std::min(filters.out, kPanel); ++column) {
    for (int64_t tap = 0; tap < filters.taps; ++tap) {
      const Unaligned<float> from = src + column * steps.out + tap * steps.tap;
      float* to = dst + tap * filters.in * kPanel + column;
      for (int64_t c = begin; c < end; ++c) to[c * kPanel] = ops::NormalOrZero(from[c * steps.in]);
    }
  }
}

// The columns are the filters [out][in][taps] of a group; their rows get the order (tap, in).
void PackFilters(ops::FilterExtents filters, Unaligned<float> src, const ops::FilterSteps& steps,
                 float* dst) {
  const int64_t channels = 64 / std::clamp<int64_t>(filters.taps, 1, 64);
  const int64_t panel = filters.in * filters.taps * kPanel;
  for (; filters.out > 0; filters.out -= kPanel, src += kPanel * steps.out, dst += panel) {
    if (filters.out < kPanel) std::fill_n(dst, panel, 0.0f);
    for (int64_t c = 0; c < filters.in; c += channels)
      PackPiece(filters, c, std::min(c + channels, filters.in), src, steps, dst);
  }
}

// Replaces constant weights by the form that kernels read, once at compile time instead of in every
// run.
class Packer : public Rewriter {
 public:
  Packer(text::Diagnostics* diagnostics, const PassContext* context)
      : Rewriter(diagnostics), allocator_(context->allocator), pages_(context->pages) {}

 protected:
  Expr RewriteCall(const Call& call, const std::vector<Expr>& args) override {
    if (call.Is(Op::k_conv2d_quantized)) return PackQuantized(call, args);
    if (call.op().family == ops::Family::recurrent) return PackRecurrent(call, args);
    const bool known =
        call.Is(Op::k_conv2d) || call.Is(Op::k_matmul) || call.Is(Op::k_conv_transpose2d);
    if (!known || call.attrs().Has("packed")) return nullptr;
    const Tensor* weights = ConstantWindow(args[1]);
    if (weights == nullptr || weights->dtype() != kF32) return nullptr;
    if (call.Is(Op::k_conv2d)) return PackConv(call, args, *weights);
    if (call.Is(Op::k_matmul)) return PackMatMul(call, args, *weights);
    return PackConvTranspose(call, args, *weights);
  }

 private:
  static const std::string& NameOf(const Expr& constant) {
    return constant->As<Constant>()->name();
  }

  Result<TensorPtr> NewF32(std::span<const int64_t> dims) const {
    return Tensor::New(allocator_, kF32, dims);
  }

  // Weights that are used twice, as by shared heads, are packed once. `form` says what packing
  // depends on.
  Expr Cached(const Expr& weights, std::string_view form) {
    const auto found = packed_.find(StrCat(form, reinterpret_cast<uintptr_t>(weights.get())));
    return found == packed_.end() ? nullptr : found->second;
  }
  Expr Keep(const Expr& weights, std::string_view form, TensorPtr tensor) {
    Expr constant = MakeConstant(Any(std::move(tensor)), NameOf(weights));
    const Tensor& source = *ConstantWindow(weights);
    if (!SplatElement(source)) pages_.Done(source.data(), source.byte_size());
    packed_[StrCat(form, reinterpret_cast<uintptr_t>(weights.get()))] = constant;
    return constant;
  }

  Expr PackConv(const Call& call, const std::vector<Expr>& args, const Tensor& weights) {
    ops::ConvAttrs attrs = ops::ConvAttrs::From(call.attrs()).value();
    // Kernels of the other layout read plain weights.
    if (attrs.window.layout != ops::Layout::kNhwc || weights.rank() != 4) return nullptr;
    if (!IsPackable(weights)) return nullptr;
    const bool depthwise = attrs.IsDepthwise(weights.dim(1) * attrs.groups, weights.dim(0));
    const std::string form = StrCat("conv", attrs.groups, " ");
    Expr packed = Cached(args[1], form);
    if (!packed) {
      Result<TensorPtr> tensor =
          depthwise ? PackDepthwise(weights) : PackConvPanels(weights, attrs.groups);
      if (!tensor.ok()) return nullptr;
      packed = Keep(args[1], form, *std::move(tensor));
    }
    attrs.packed = true;
    attrs.channels = weights.dim(0);
    attrs.window.kernel = {weights.dim(2), weights.dim(3)};
    std::vector<Expr> packed_args = args;
    packed_args[1] = packed;
    return builder().Emit(Op::k_conv2d, std::move(packed_args), attrs.ToAttrs());
  }

  // Packed weights have another shape, so attributes must be able to say the old one.
  static bool IsPackable(const Tensor& weights) {
    return std::all_of(weights.dims().begin(), weights.dims().end(),
                       [](int64_t extent) { return extent <= ops::kMostExtent; });
  }

  // [c, 1, kh, kw] → [kh * kw, c]: all channels of one tap lie side by side.
  Result<TensorPtr> PackDepthwise(const Tensor& weights) const {
    const int64_t channels = weights.dim(0), taps = weights.dim(2) * weights.dim(3);
    const int64_t dims[] = {taps, channels};
    // The same numbers in any order, so that a splat stays one.
    if (TensorPtr element = SplatElement(weights)) return MakeSplat(*element, dims);
    TERN_TRY_ASSIGN(TensorPtr source, Materialize(weights, allocator_));
    TERN_TRY_ASSIGN(TensorPtr packed, NewF32(dims));
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t t = 0; t < taps; ++t) {
        packed->data_as<float>()[t * channels + c] =
            ops::NormalOrZero(source->data_as<float>()[c * taps + t]);
      }
    }
    return packed;
  }

  // [oc, ic, kh, kw] → per group [ceil(oc / 16), kh * kw * ic, 16], rows in the order (kh, kw, ic),
  // which is the order of an image patch in NHWC.
  Result<TensorPtr> PackConvPanels(const Tensor& weights, int64_t groups) const {
    const int64_t out = weights.dim(0) / groups, in = weights.dim(1),
                  taps = weights.dim(2) * weights.dim(3);
    const int64_t rows = taps * in;
    const int64_t dims[] = {groups, PanelCount(out), rows, kPanel};
    TensorPtr element = SplatElement(weights);
    // With a last panel that is not full, the padding's zeros make it no splat.
    if (element && out % kPanel == 0) return MakeSplat(*element, dims);
    const std::optional<ops::FilterSteps> steps = FilterStepsOf(weights);
    if (!steps) return Unsupported("filters whose taps do not lie in a row");
    TERN_TRY_ASSIGN(TensorPtr packed, NewF32(dims));
    for (int64_t group = 0; group < groups; ++group) {
      PackFilters({groups, out, in, taps},
                  Unaligned<float>(weights.data()) + group * out * steps->out, *steps,
                  packed->data_as<float>() + group * dims[1] * rows * kPanel);
    }
    return packed;
  }

  Expr PackQuantized(const Call& call, const std::vector<Expr>& args) {
    ops::QuantizedConvAttrs attrs = ops::QuantizedConvAttrs::From(call.attrs()).value();
    const Tensor *weights = ConstantWindow(args[1]), *bias = ConstantWindow(args[2]);
    if (attrs.packed || attrs.window.layout != ops::Layout::kNhwc || weights == nullptr ||
        bias == nullptr || !IsPackable(*weights) || weights->element_count() == 0)
      return nullptr;
    const ops::FilterExtents filters{attrs.groups, weights->dim(0) / attrs.groups, weights->dim(1),
                                     weights->dim(2) * weights->dim(3)};
    const Result<TensorPtr> source = Materialize(*weights, allocator_);
    const Result<TensorPtr> biases = Materialize(*bias, allocator_);
    if (!source.ok() || !biases.ok()) return nullptr;
    const bool depthwise =
        attrs.IsDepthwise(weights->dim(1) * attrs.groups, weights->dim(0), filters.taps);
    Result<TensorPtr> packed = PackQuantizedWeights(filters, **source, depthwise);
    Result<TensorPtr> sums = WithFilterSums(filters, **source, **biases);
    if (!packed.ok() || !sums.ok()) return nullptr;
    attrs.packed = true;
    attrs.channels = weights->dim(0);
    attrs.window.kernel = {weights->dim(2), weights->dim(3)};
    return builder().Emit(Op::k_conv2d_quantized,
                          {args[0], MakeConstant(Any(*std::move(packed)), NameOf(args[1])),
                           MakeConstant(Any(*std::move(sums)), NameOf(args[2])), args[3]},
                          attrs.ToAttrs());
  }

  Result<TensorPtr> PackQuantizedWeights(const ops::FilterExtents& filters, const Tensor& weights,
                                         bool depthwise) const {
    const ops::Dims<int64_t> quads = ops::QuadExtents(filters);
    const int64_t rows[] = {filters.taps, filters.groups};
    TERN_TRY_ASSIGN(
        TensorPtr packed,
        Tensor::New(allocator_, kI8, depthwise ? std::span<const int64_t>(rows) : quads.span()));
    const int8_t* from = weights.data_as<int8_t>();
    if (depthwise) {
      ops::PackDepthwiseQuads(filters, from, packed->data_as<int8_t>());
    } else {
      ops::PackQuads(filters, from, packed->data_as<int8_t>());
    }
    return packed;
  }

  Result<TensorPtr> WithFilterSums(const ops::FilterExtents& filters, const Tensor& weights,
                                   const Tensor& bias) const {
    const int64_t channels = filters.groups * filters.out, dims[] = {2, channels};
    TERN_TRY_ASSIGN(TensorPtr rows, Tensor::New(allocator_, kI32, dims));
    int32_t* to = rows->data_as<int32_t>();
    for (int64_t i = 0; i < channels; ++i) to[i] = bias.data_as<int32_t>()[i];
    ops::SumFilters(filters, weights.data_as<int8_t>(), to + channels);
    return rows;
  }

  Expr PackMatMul(const Call& call, const std::vector<Expr>& args, const Tensor& weights) {
    ops::MatMulAttrs attrs = ops::MatMulAttrs::From(call.attrs()).value();
    const types::TensorType* a = TensorTypeOf(args[0]);
    if (weights.rank() != 2 || a == nullptr || a->rank() < 1 || a->dtype != kF32 || attrs.trans_a)
      return nullptr;
    // A factor of the bias has no place in the packed form.
    if (attrs.beta != 1 && call.arg(2) != nullptr) return nullptr;
    if (!IsPackable(weights)) return nullptr;
    const std::string form = StrCat("matmul", attrs.trans_b ? 1 : 0, " ", attrs.alpha, " ");
    Expr packed = Cached(args[1], form);
    if (!packed) {
      Result<TensorPtr> tensor = PackMatrix(weights, attrs);
      if (!tensor.ok()) return nullptr;
      packed = Keep(args[1], form, *std::move(tensor));
    }
    attrs.columns = weights.dim(attrs.trans_b ? 0 : 1);
    attrs.packed = true;
    attrs.trans_b = false;
    attrs.alpha = attrs.beta = 1;
    std::vector<Expr> packed_args = args;
    packed_args[1] = packed;
    return builder().Emit(Op::k_matmul, std::move(packed_args), attrs.ToAttrs());
  }

  Result<TensorPtr> PackMatrix(const Tensor& weights, const ops::MatMulAttrs& attrs) const {
    const int64_t n = weights.dim(attrs.trans_b ? 0 : 1), k = weights.dim(attrs.trans_b ? 1 : 0);
    const int64_t dims[] = {PanelCount(n), k, kPanel};
    TensorPtr element = SplatElement(weights);
    if (element && n % kPanel == 0 && attrs.alpha == 1) return MakeSplat(*element, dims);
    TERN_TRY_ASSIGN(TensorPtr source, MaterializeUnaligned(weights, allocator_));
    TERN_TRY_ASSIGN(TensorPtr packed, NewF32(dims));
    const Unaligned<float> from(source->data());
    if (attrs.trans_b) {
      PackFilters({1, n, k, 1}, from, {k, 1, 0}, packed->data_as<float>());
    } else {
      PackRows(from, k, n, packed->data_as<float>());
    }
    // alpha is multiplied into the weights; that rounds as the kernel would.
    if (attrs.alpha != 1) {
      for (float& value : packed->values<float>()) value = ops::NormalOrZero(value * attrs.alpha);
    }
    return packed;
  }

  // Those of inputs and of states, if both are constants.
  Expr PackRecurrent(const Call& call, const std::vector<Expr>& args) {
    ops::RecurrentAttrs attrs = ops::RecurrentAttrs::From(call.attrs()).value();
    const Tensor *w = ConstantWindow(args[1]), *r = ConstantWindow(args[2]);
    const types::TensorType* x = TensorTypeOf(args[0]);
    const bool known = w != nullptr && r != nullptr && x != nullptr && x->dtype == kF32;
    if (!known || attrs.packed || !IsPackableMatrices(*w) || !IsPackableMatrices(*r))
      return nullptr;
    const int64_t gates = call.Is(Op::k_lstm) ? 4 : call.Is(Op::k_gru) ? 3 : 1;
    const int64_t hidden = r->dim(2);
    if (hidden == 0 || r->dim(1) != gates * hidden || w->dim(1) != r->dim(1) ||
        w->dim(0) != r->dim(0) || (attrs.hidden != 0 && attrs.hidden != hidden))
      return nullptr;
    const Expr inputs = PackMatrices(args[1], *w, {gates * hidden, 0});
    const Expr states = PackMatrices(args[2], *r, ops::StateRowsOf(attrs, gates, hidden));
    if (!inputs || !states) return nullptr;
    attrs.packed = true;
    attrs.hidden = hidden;
    std::vector<Expr> packed_args = args;
    packed_args[1] = inputs;
    packed_args[2] = states;
    return builder().Emit(call.op(), std::move(packed_args), attrs.ToAttrs());
  }

  // One number for all elements would become many of them.
  static bool IsPackableMatrices(const Tensor& weights) {
    return weights.dtype() == kF32 && weights.rank() == 3 && IsPackable(weights) &&
           !SplatElement(weights);
  }

  // [directions, rows, k] → [directions, panels, k, 16].
  Expr PackMatrices(const Expr& weights, const Tensor& tensor, const ops::StateRows& rows) {
    const std::string form = StrCat("recurrent", rows.candidate, " ");
    if (Expr packed = Cached(weights, form)) return packed;
    const int64_t k = tensor.dim(2), dims[] = {tensor.dim(0), rows.panels(), k, kPanel};
    const Result<TensorPtr> source = MaterializeUnaligned(tensor, allocator_);
    Result<TensorPtr> packed = NewF32(dims);
    if (!source.ok() || !packed.ok()) return nullptr;
    Unaligned<float> from((*source)->data());
    float* to = (*packed)->data_as<float>();
    for (int64_t direction = 0; direction < dims[0]; ++direction) {
      for (const int64_t count : {rows.first, rows.candidate}) {
        PackFilters({1, count, k, 1}, from, {k, 1, 0}, to);
        from += count * k;
        to += PanelCount(count) * k * kPanel;
      }
    }
    return Keep(weights, form, *std::move(packed));
  }

  // [in, out / groups, kh, kw] → [in, kh, kw, out / groups].
  Expr PackConvTranspose(const Call& call, const std::vector<Expr>& args, const Tensor& weights) {
    ops::ConvTransposeAttrs attrs = ops::ConvTransposeAttrs::From(call.attrs()).value();
    if (attrs.window.layout != ops::Layout::kNhwc || weights.rank() != 4) return nullptr;
    const int64_t in = weights.dim(0), out = weights.dim(1), taps = weights.dim(2) * weights.dim(3);
    const int64_t dims[] = {in, weights.dim(2), weights.dim(3), out};
    Result<TensorPtr> source = Materialize(weights, allocator_);
    Result<TensorPtr> packed = NewF32(dims);
    if (!source.ok() || !packed.ok()) return nullptr;
    for (int64_t i = 0; i < in; ++i) {
      for (int64_t o = 0; o < out; ++o) {
        for (int64_t t = 0; t < taps; ++t) {
          (*packed)->data_as<float>()[(i * taps + t) * out + o] =
              ops::NormalOrZero((*source)->data_as<float>()[(i * out + o) * taps + t]);
        }
      }
    }
    attrs.packed = true;
    std::vector<Expr> packed_args = args;
    packed_args[1] = MakeConstant(Any(*std::move(packed)), NameOf(args[1]));
    return builder().Emit(Op::k_conv_transpose2d, std::move(packed_args), attrs.ToAttrs());
  }

  Allocator* const allocator_;
  const PageHints pages_;
  std::unordered_map<std::string, Expr> packed_;
};

}  // namespace

Module PackWeights(const Module& module, const PassContext& context) {
  return RewriteModule<Packer>(module, context.diagnostics, &context);
}

}  // namespace tern::ir
