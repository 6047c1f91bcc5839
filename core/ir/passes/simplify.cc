// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/simplify.h"

#include "core/ir/passes/simplify_shapes.h"
#include "core/ir/rewriter.h"
#include "core/ir/splat.h"
#include "core/ops/image_attrs.h"
#include "core/ops/math_attrs.h"

namespace tern::ir {

namespace {

using ops::Op;

// Whether every element of a constant is one number, which *value gets.
bool IsUniform(const Expr& expr, double* value) {
  const Tensor* tensor = ConstantWindow(expr);
  return tensor != nullptr && UniformValue(*tensor, value);
}

bool IsUniformly(const Expr& expr, double expected) {
  double value = 0;
  return IsUniform(expr, &value) && value == expected;
}

bool IsF32(const Expr& expr) {
  const types::TensorType* type = TensorTypeOf(expr);
  return type != nullptr && type->dtype == kF32;
}

// Rules on single calls. Each must give the same bits, except where the operator that replaces
// others is defined as the fused form (silu, hard_swish), which rounds less often.
class Simplifier : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  Expr RewriteCall(const Call& call, const std::vector<Expr>& args) override {
    switch (call.op().op) {
      case Op::k_identity: return args[0];
      case Op::k_cast: return SameType(args[0]) ? args[0] : nullptr;
      case Op::k_clip: return SimplifyClip(args);
      case Op::k_add: return SimplifyAdd(args);
      case Op::k_sub: return KeepsType(args[0]) && IsUniformly(args[1], 0) ? args[0] : nullptr;
      case Op::k_mul: return SimplifyMul(args);
      case Op::k_div: return SimplifyDiv(args);
      case Op::k_max: return SimplifyMax(args);
      case Op::k_min: return SimplifyMin(args);
      // relu(relu(x)) is relu(x).
      case Op::k_relu: return NewCallOf(args[0], Op::k_relu) != nullptr ? args[0] : nullptr;
      case Op::k_concat: return args.size() == 1 ? args[0] : nullptr;
      case Op::k_reduce_mean:
        if (Expr pool = SimplifyMean(call, args)) return pool;
        [[fallthrough]];
      default: return SimplifyShape(call, args, *current().var, &builder());
    }
  }

 private:
  bool SameType(const Expr& arg) const { return TypeOf(arg) == current().var->type(); }
  bool KeepsType(const Expr& arg) const { return SameType(arg); }
  const Call* NewCallOf(const Expr& expr, Op op) const {
    const Call* call = NewCall(expr);
    return call != nullptr && call->Is(op) ? call : nullptr;
  }

  // A clamp from 0 to infinity is a relu, for which kernels have epilogues.
  Expr EmitClamp(const Expr& x, float low, float high) {
    if (low == 0 && high == __builtin_inff()) return builder().Emit(Op::k_relu, {x});
    ops::UnaryAttrs attrs;
    attrs.alpha = low;
    attrs.beta = high;
    return builder().Emit(Op::k_clamp, {x}, attrs.ToAttrs());
  }

  Expr SimplifyClip(const std::vector<Expr>& args) {
    if (!IsF32(args[0])) return nullptr;
    double low = -__builtin_inf(), high = __builtin_inf();
    if (args.size() > 1 && !IsNone(args[1]) && !IsUniform(args[1], &low)) return nullptr;
    if (args.size() > 2 && !IsNone(args[2]) && !IsUniform(args[2], &high)) return nullptr;
    if (low == -__builtin_inf() && high == __builtin_inf()) return args[0];
    return EmitClamp(args[0], static_cast<float>(low), static_cast<float>(high));
  }

  Expr SimplifyAdd(const std::vector<Expr>& args) {
    // x + 0 equals x. Only if x is -0 the bits differ: the sum would be +0.
    if (KeepsType(args[0]) && IsUniformly(args[1], 0)) return args[0];
    return KeepsType(args[1]) && IsUniformly(args[0], 0) ? args[1] : nullptr;
  }

  Expr SimplifyMul(const std::vector<Expr>& args) {
    // The type decides: a constant of a larger shape would broadcast x.
    if (KeepsType(args[0]) && IsUniformly(args[1], 1)) return args[0];
    if (KeepsType(args[1]) && IsUniformly(args[0], 1)) return args[1];
    if (!IsF32(args[0])) return nullptr;
    if (Expr gated = SimplifyGate(args[0], args[1])) return gated;
    return SimplifyGate(args[1], args[0]);
  }

  // x * gate(x), by which exporters write silu, mish and hard_swish.
  Expr SimplifyGate(const Expr& x, const Expr& gate) {
    const Call* call = NewCall(gate);
    if (call == nullptr || call->args().empty()) return nullptr;
    const bool of_x = call->args()[0] == x;
    if (of_x && call->Is(Op::k_sigmoid)) return builder().Emit(Op::k_silu, {x});
    if (call->Is(Op::k_tanh)) {
      const Call* inner = NewCallOf(call->args()[0], Op::k_softplus);
      if (inner != nullptr && inner->args()[0] == x) return builder().Emit(Op::k_mish, {x});
    }
    if (of_x && call->Is(Op::k_hard_sigmoid) && IsHardSwishGate(*call))
      return builder().Emit(Op::k_hard_swish, {x});
    if (call->Is(Op::k_div) && IsUniformly(call->args()[1], 6) &&
        IsShiftedRelu6(call->args()[0], x)) {
      return builder().Emit(Op::k_hard_swish, {x});
    }
    return nullptr;
  }

  // 1 / 6 is written with different numbers of digits.
  static bool IsHardSwishGate(const Call& call) {
    const ops::UnaryAttrs attrs = ops::UnaryAttrs::From(call.attrs()).value();
    const float difference = attrs.alpha - 1.0f / 6;
    return difference < 1e-6f && difference > -1e-6f && attrs.beta == 0.5f;
  }

  // clamp(x + 3, 0, 6).
  bool IsShiftedRelu6(const Expr& expr, const Expr& x) const {
    const Call* clamp = NewCallOf(expr, Op::k_clamp);
    if (clamp == nullptr) return false;
    const ops::UnaryAttrs attrs = ops::UnaryAttrs::From(clamp->attrs()).value();
    const Call* add = NewCallOf(clamp->args()[0], Op::k_add);
    return attrs.alpha == 0 && attrs.beta == 6 && add != nullptr && add->args()[0] == x &&
           IsUniformly(add->args()[1], 3);
  }

  Expr SimplifyDiv(const std::vector<Expr>& args) {
    if (KeepsType(args[0]) && IsUniformly(args[1], 1)) return args[0];
    const Call* product = NewCallOf(args[0], Op::k_mul);
    // x * clamp(x + 3, 0, 6) / 6.
    if (product == nullptr || !IsUniformly(args[1], 6)) return nullptr;
    for (size_t i = 0; i < 2; ++i) {
      const Expr& x = product->args()[i];
      if (IsShiftedRelu6(product->args()[1 - i], x)) return builder().Emit(Op::k_hard_swish, {x});
    }
    return nullptr;
  }

  Expr SimplifyMax(const std::vector<Expr>& args) {
    for (size_t i = 0; i < 2; ++i) {
      if (IsF32(args[i]) && KeepsType(args[i]) && IsUniformly(args[1 - i], 0))
        return EmitRelu(args[i]);
    }
    return nullptr;
  }

  // relu(min(x, c)) is a clamp.
  Expr EmitRelu(const Expr& x) {
    const Call* smaller = NewCallOf(x, Op::k_min);
    for (size_t i = 0; smaller != nullptr && i < 2; ++i) {
      double high = 0;
      const Expr& bounded = smaller->args()[i];
      // A bound below 0 would win over the relu.
      if (TypeOf(bounded) == TypeOf(x) && IsUniform(smaller->args()[1 - i], &high) && high >= 0) {
        return EmitClamp(bounded, 0, static_cast<float>(high));
      }
    }
    return builder().Emit(Op::k_relu, {x});
  }

  // min(relu(x), c) is a clamp.
  Expr SimplifyMin(const std::vector<Expr>& args) {
    for (size_t i = 0; i < 2; ++i) {
      double high = 0;
      const Call* relu = NewCallOf(args[i], Op::k_relu);
      if (relu != nullptr && IsF32(args[i]) && KeepsType(args[i]) &&
          IsUniform(args[1 - i], &high) && high >= 0) {
        return EmitClamp(relu->args()[0], 0, static_cast<float>(high));
      }
    }
    return nullptr;
  }

  // A mean over both spatial axes is what pooling kernels do, in either layout.
  Expr SimplifyMean(const Call& call, const std::vector<Expr>& args) {
    const types::TensorType* x = TensorTypeOf(args[0]);
    const ops::ReduceAttrs reduce = ops::ReduceAttrs::From(call.attrs()).value();
    const bool spatial = reduce.axes == ops::Ints{2, 3} || reduce.axes == ops::Ints{-2, -1};
    if (x == nullptr || x->rank() != 4 || x->dtype != kF32 || args.size() > 1 ||
        !reduce.keep_dims || !spatial) {
      return nullptr;
    }
    return builder().Emit(Op::k_global_average_pool, {args[0]});
  }
};

}  // namespace

Module Simplify(const Module& module, const PassContext& context) {
  return RewriteModule<Simplifier>(module, context.diagnostics);
}

}  // namespace tern::ir
