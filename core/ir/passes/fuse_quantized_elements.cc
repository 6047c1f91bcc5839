// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/fuse_quantized_elements.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/ir/passes/quantization.h"
#include "core/ir/rewriter.h"
#include "core/ir/splat.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::ir {

namespace {

using ops::Op;

// A formula of more operators is left as it is.
constexpr int kMostOperators = 32;
// And so is what moves more often than this on its way.
constexpr size_t kMostMoves = 8;

// `root` depends, element by element, on `leaf` alone.
struct Stage {
  Expr root, leaf;
};

// Where bytes of a result come from: `value` of 8 bits, to whose elements the stages are applied,
// the last one first; or, where there is a move, its moved arguments, which are the first ones.
struct Source {
  std::vector<Stage> stages;
  Expr value;
  const Call* move = nullptr;
  std::vector<Source> inputs;
};

class ElementFuser : public Rewriter {
 public:
  ElementFuser(text::Diagnostics* diagnostics, Allocator* allocator)
      : Rewriter(diagnostics), allocator_(allocator) {}

 protected:
  Expr RewriteCall(const Call& call, const std::vector<Expr>&) override {
    const types::TensorType* type = TensorTypeOf(current().var);
    if (!call.Is(Op::k_quantize_linear) || !IsElementwise(call)) return nullptr;
    if (type == nullptr || !Is8Bits(type->dtype)) return nullptr;
    if (const std::optional<Source> source = FindBehind(current().var, {}, 0))
      return EmitSource(*source);
    const std::optional<Quantization> result = QuantizationOf(call, type->dtype);
    return result ? FuseBinary(call.args()[0], *result) : nullptr;
  }

 private:
  const Call* CallOf(const Expr& old) const {
    const Node* definition = OldDefinition(old);
    return definition == nullptr ? nullptr : definition->As<Call>();
  }

  // --- what a value depends on

  static bool IsSingle(const Expr* expr) {
    const Tensor* tensor = expr == nullptr ? nullptr : ConstantWindow(*expr);
    return expr == nullptr || IsNone(*expr) || (tensor != nullptr && tensor->element_count() == 1);
  }

  static bool IsElementwise(const Call& call) {
    if (call.Is(Op::k_quantize_linear) || call.Is(Op::k_dequantize_linear)) {
      const ops::QuantizeAttrs attrs = ops::QuantizeAttrs::From(call.attrs()).value();
      return attrs.block == 0 && IsSingle(ArgumentOf(call, 1)) && IsSingle(ArgumentOf(call, 2));
    }
    const ops::Family family = call.op().family;
    return call.op().layout == ops::LayoutRule::elementwise &&
           (family == ops::Family::unary || family == ops::Family::binary);
  }

  // Walks through elementwise calls to the one value that is none's result, or has 8 bits.
  bool FindLeaf(const Expr& expr, int* operators, Expr* leaf) const {
    if (IsNone(expr)) return true;
    if (const Tensor* constant = ConstantWindow(expr)) return ScalarOf(*constant) != nullptr;
    const types::TensorType* type = TensorTypeOf(expr);
    const Call* call = CallOf(expr);
    const bool done = type == nullptr || Is8Bits(type->dtype) || call == nullptr;
    if (!done && IsElementwise(*call)) return FindLeafOfCall(*call, operators, leaf);
    if (*leaf && *leaf != expr) return false;
    *leaf = expr;
    return true;
  }

  bool FindLeafOfCall(const Call& call, int* operators, Expr* leaf) const {
    if (--*operators < 0) return false;
    for (const Expr& arg : call.args()) {
      if (!FindLeaf(arg, operators, leaf)) return false;
    }
    return true;
  }

  // The source of an elementwise value, or of one that is moved.
  std::optional<Source> FindBehind(const Expr& root, std::vector<Stage> stages,
                                   size_t moves) const {
    const Call* call = CallOf(root);
    Expr leaf = root;
    if (call != nullptr && IsElementwise(*call)) {
      int operators = kMostOperators;
      leaf = nullptr;
      if (!FindLeafOfCall(*call, &operators, &leaf) || !leaf || !HasSameShape(root, leaf))
        return std::nullopt;
      stages.push_back({root, leaf});
    }
    const types::TensorType* type = TensorTypeOf(leaf);
    if (type == nullptr) return std::nullopt;
    if (Is8Bits(type->dtype)) return Source{std::move(stages), leaf, nullptr, {}};
    return FindMoved(leaf, std::move(stages), moves);
  }

  static bool HasSameShape(const Expr& a, const Expr& b) {
    const types::TensorType *left = TensorTypeOf(a), *right = TensorTypeOf(b);
    return left != nullptr && right != nullptr && left->dims == right->dims;
  }

  std::optional<Source> FindMoved(const Expr& moved, std::vector<Stage> stages,
                                  size_t moves) const {
    const Call* call = CallOf(moved);
    // A second reader would have the elements moved twice.
    if (call == nullptr || Uses(moved) != 1 || moves == kMostMoves) return std::nullopt;
    const bool joins = call->Is(Op::k_concat), picks = call->Is(Op::k_max_pool);
    if (!joins && !picks && call->op().movement == ops::Movement::computes) return std::nullopt;
    Source source{{}, moved, call, {}};
    for (const Expr& arg : call->args()) {
      if (!joins && !source.inputs.empty()) break;
      std::optional<Source> input = FindBehind(arg, stages, moves + 1);
      // Which element is the largest could depend on a table.
      if (!input || (picks && !IsAllIdentity(*input))) return std::nullopt;
      source.inputs.push_back(*std::move(input));
    }
    return source;
  }

  // --- bytes in place of floats

  Expr EmitSource(const Source& source) {
    if (source.move == nullptr) {
      const Expr bytes = Map(source.value);
      if (IsIdentity(source)) return bytes;
      return builder().Emit(Op::k_gather, {TableOf(source), bytes});
    }
    std::vector<Expr> args;
    for (const Expr& arg : source.move->args()) {
      const size_t i = args.size();
      args.push_back(i < source.inputs.size() ? EmitSource(source.inputs[i]) : Map(arg));
    }
    return builder().Emit(source.move->op(), std::move(args), source.move->attrs());
  }

  // Numbers that are quantized as they were before: each quotient is a product's, and rounds to
  // the step that it was.
  bool IsIdentity(const Source& source) const {
    const std::vector<Stage>& stages = source.stages;
    const Expr& root = stages.front().root;
    const Call* quantize = OldCall(root, Op::k_quantize_linear);
    const Expr& x = quantize->args()[0];
    const Expr& from = stages.size() == 2 && x == stages[0].leaf ? stages[1].root : x;
    const Call* dequantize = OldCall(from, Op::k_dequantize_linear);
    if (dequantize == nullptr || dequantize->args()[0] != source.value) return false;
    const auto before = QuantizationOf(*dequantize, TensorTypeOf(source.value)->dtype);
    return before && before == QuantizationOf(*quantize, TensorTypeOf(root)->dtype);
  }

  bool IsAllIdentity(const Source& source) const {
    if (source.move == nullptr) return IsIdentity(source);
    return std::all_of(source.inputs.begin(), source.inputs.end(),
                       [this](const Source& input) { return IsAllIdentity(input); });
  }

  // The results of all 256 values, by their bits. Folding computes them.
  Expr TableOf(const Source& source) {
    Expr values = CodesOf(TensorTypeOf(source.value)->dtype);
    for (size_t i = source.stages.size(); i-- > 0;) {
      NodeMap<Expr> made;
      made[source.stages[i].leaf.get()] = values;
      values = EmitOfCodes(source.stages[i].root, &made);
    }
    return values;
  }

  static Expr CodesOf(DType dtype) {
    const int64_t count = 256;
    TensorPtr codes = Tensor::New(dtype, {&count, 1}).value();
    for (int i = 0; i < 256; ++i) static_cast<uint8_t*>(codes->data())[i] = static_cast<uint8_t>(i);
    return MakeConstant(Any(std::move(codes)));
  }

  Expr EmitOfCodes(const Expr& expr, NodeMap<Expr>* made) {
    if (IsNone(expr)) return expr;
    if (const Tensor* constant = ConstantWindow(expr))
      return MakeConstant(Any(ScalarOf(*constant)));
    if (const Expr* known = made->Find(expr.get())) return *known;
    const Call& call = *CallOf(expr);
    std::vector<Expr> args;
    for (const Expr& arg : call.args()) args.push_back(EmitOfCodes(arg, made));
    const Expr result = builder().Emit(call.op(), std::move(args), AttrsOfCodes(call));
    (*made)[expr.get()] = result;
    return result;
  }

  // An axis of scales is none of the codes', and means nothing where there is one scale.
  static Attrs AttrsOfCodes(const Call& call) {
    if (!call.Is(Op::k_quantize_linear) && !call.Is(Op::k_dequantize_linear)) return call.attrs();
    ops::QuantizeAttrs attrs = ops::QuantizeAttrs::From(call.attrs()).value();
    attrs.axis = ops::QuantizeAttrs().axis;
    return attrs.ToAttrs();
  }

  // A constant that is one number, without axes; null for others.
  TensorPtr ScalarOf(const Tensor& constant) const {
    if (TensorPtr element = SplatElement(constant)) return element;
    if (constant.element_count() != 1) return nullptr;
    const Result<TensorPtr> whole = Materialize(constant, allocator_);
    return whole.ok() ? (*whole)->Reshape({}).value() : nullptr;
  }

  // --- sums and products

  struct Operand {
    Expr value;
    Quantization quantization{1, 0, kF32};  // of 8 bits; otherwise none
  };

  std::optional<Operand> OperandOf(const Expr& expr) const {
    const types::TensorType* type = TensorTypeOf(expr);
    if (type == nullptr || type->dtype != kF32) return std::nullopt;
    const Call* call = OldCall(expr, Op::k_dequantize_linear);
    const types::TensorType* from = call == nullptr ? nullptr : TensorTypeOf(call->args()[0]);
    if (from == nullptr) return Operand{expr};
    const std::optional<Quantization> quantization = QuantizationOf(*call, from->dtype);
    return quantization ? Operand{call->args()[0], *quantization} : Operand{expr};
  }

  Expr FuseBinary(const Expr& x, const Quantization& result) {
    const Call* relu = OnlyCall(x, Op::k_relu);
    const Expr& inner = relu == nullptr ? x : relu->args()[0];
    const Call* sum = OnlyCall(inner, Op::k_add);
    const Call* call = sum == nullptr ? OnlyCall(inner, Op::k_mul) : sum;
    if (call == nullptr) return nullptr;
    const std::optional<Operand> a = OperandOf(call->args()[0]), b = OperandOf(call->args()[1]);
    if (!a || !b || (a->quantization.to == kF32 && b->quantization.to == kF32)) return nullptr;
    ops::QuantizedBinaryAttrs attrs;
    attrs.a_scale = a->quantization.scale, attrs.a_zero = a->quantization.zero;
    attrs.b_scale = b->quantization.scale, attrs.b_zero = b->quantization.zero;
    attrs.scale = result.scale, attrs.zero = result.zero, attrs.to = result.to;
    attrs.relu = relu != nullptr;
    return builder().Emit(sum == nullptr ? Op::k_mul_quantized : Op::k_add_quantized,
                          {Map(a->value), Map(b->value)}, attrs.ToAttrs());
  }

  Allocator* const allocator_;
};

}  // namespace

Module FuseQuantizedElements(const Module& module, const PassContext& context) {
  return RewriteModule<ElementFuser>(module, context.diagnostics, context.allocator);
}

}  // namespace tern::ir
