// SPDX-License-Identifier: Apache-2.0
// Normalizations written as the operators that they consist of, so that loops can fuse them with
// their neighbours.
#include "core/fuse/composite.h"

#include <optional>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/ir/node_map.h"
#include "core/ir/visitor.h"

namespace tern::fuse {
namespace {

using ir::Binding;
using ir::Call;
using ir::Expr;
using ops::Op;

// Steps name what they read: an operand of the call, or what an earlier step made.
constexpr Source Made(int8_t step) { return {Source::Kind::kStep, step}; }
constexpr Source kX = {Source::Kind::kOperand, 0};
constexpr Source kScale = {Source::Kind::kOperand, 1};
constexpr Source kBias = {Source::Kind::kOperand, 2};
constexpr Source kEpsilon = {Source::Kind::kEpsilon, 0};

// The variance about the mean and not of squares, which would cancel.
constexpr Step kLayerNorm[] = {
    {Op::k_reduce_mean, kX, {}},       // 0: the mean
    {Op::k_sub, kX, Made(0)},          // 1: what differs from it
    {Op::k_mul, Made(1), Made(1)},     //
    {Op::k_reduce_mean, Made(2), {}},  // 3: the variance
    {Op::k_add, Made(3), kEpsilon},    //
    {Op::k_rsqrt, Made(4), {}},        //
    {Op::k_mul, Made(1), Made(5)},     // 6: normalized
    {Op::k_mul, Made(6), kScale},      //
    {Op::k_add, Made(7), kBias},
};

constexpr Step kRmsNorm[] = {
    {Op::k_mul, kX, kX},               //
    {Op::k_reduce_mean, Made(0), {}},  // 1: the mean square
    {Op::k_add, Made(1), kEpsilon},    //
    {Op::k_rsqrt, Made(2), {}},        //
    {Op::k_mul, kX, Made(3)},          // 4: normalized
    {Op::k_mul, Made(4), kScale},
};

constexpr Composite kComposites[] = {{Op::k_layer_norm, 1, kLayerNorm},
                                     {Op::k_rms_norm, 1, kRmsNorm}};

bool Reduces(Op op) { return ops::InfoOf(op).family == ops::Family::reduce; }

// The first axis that is normalized, not negative; nothing where the attribute is out of range.
std::optional<int64_t> AxisOf(const Composite& composite, const Call& call, size_t rank) {
  const int64_t axes = static_cast<int64_t>(rank);
  int64_t axis = call.attrs().GetInt("axis", composite.default_axis);
  // From the end, as models count them.
  if (axis < 0) axis += axes;
  if (axis < 0 || axis >= axes) return std::nullopt;
  return axis;
}

// The steps of one call, appended to a block.
class Expansion {
 public:
  Expansion(const Composite& composite, const Binding& binding, std::vector<Expr> operands)
      : composite_(composite), binding_(binding), operands_(std::move(operands)) {}

  void AppendTo(std::vector<Binding>* body) {
    const Call& call = *binding_.value->As<Call>();
    const types::TensorType& whole = binding_.var->type().tensor();
    const int64_t rank = static_cast<int64_t>(whole.dims.size());
    const int64_t first = AxisOf(composite_, call, whole.dims.size()).value();
    for (int64_t axis = first; axis < rank; ++axis) axes_.push_back(axis);
    for (const Step& step : composite_.steps) AppendStep(step, body);
  }
  const Expr& result() const { return made_.back(); }

 private:
  void AppendStep(const Step& step, std::vector<Binding>* body) {
    std::vector<Expr> args = {ArgumentOf(step.a)};
    if (step.b.kind != Source::Kind::kNone) args.push_back(ArgumentOf(step.b));
    // What is added where there is none.
    // Scale and bias may be left out: the step is what it would have been added to.
    if (args.back() == nullptr || ir::IsNone(args.back())) return made_.push_back(args.front());
    types::TensorType type = binding_.var->type().tensor();
    if (Reduces(step.op) || IsFolded(args)) {
      // Reduced axes stay with an extent of 1, so that later steps broadcast.
      for (int64_t axis : axes_) type.dims[static_cast<size_t>(axis)] = types::Dim(1);
    }
    Attrs attrs;
    if (Reduces(step.op)) attrs.SetInts("axes", axes_);
    const ir::VarPtr var =
        ir::MakeVar(StrCat(binding_.var->name(), "_", made_.size()),
                    types::Type::Tensor(std::move(type)), binding_.var->origin());
    body->push_back({var, ir::MakeCall(ops::InfoOf(step.op), std::move(args), attrs), false});
    made_.push_back(var);
  }

  // Whether all that is read was reduced, or is a number.
  bool IsFolded(const std::vector<Expr>& args) const {
    const types::TensorType& whole = binding_.var->type().tensor();
    for (const Expr& arg : args) {
      const types::TensorType* type = ir::TensorTypeOf(arg);
      bool folded = arg->As<ir::Constant>() != nullptr && type != nullptr && type->dims.empty();
      if (arg->As<ir::Var>() != nullptr && type != nullptr &&
          type->dims.size() == whole.dims.size()) {
        folded = true;
        for (int64_t axis : axes_)
          folded = folded && type->dims[static_cast<size_t>(axis)] == types::Dim(1);
      }
      if (!folded) return false;
    }
    return true;
  }

  // Null for an operand that the call does not have.
  Expr ArgumentOf(const Source& source) const {
    const size_t index = static_cast<size_t>(source.index);
    if (source.kind == Source::Kind::kEpsilon) return Epsilon();
    if (source.kind == Source::Kind::kStep) return made_[index];
    return index < operands_.size() ? operands_[index] : nullptr;
  }

  // As float32, the type of the operands.
  Expr Epsilon() const {
    const float epsilon = static_cast<float>(
        binding_.value->As<Call>()->attrs().GetFloat("epsilon", static_cast<double>(1e-5f)));
    TensorPtr tensor = Tensor::New(kF32, tern::Dims()).value();
    *tensor->data_as<float>() = epsilon;
    return ir::MakeConstant(Any(std::move(tensor)));
  }

  const Composite& composite_;
  const Binding& binding_;
  std::vector<Expr> operands_;
  std::vector<int64_t> axes_;
  std::vector<Expr> made_;  // by step
};

}  // namespace

int64_t Composite::Reads(size_t operand) const {
  const auto reads = [operand](const Source& source) {
    const bool is_it =
        source.kind == Source::Kind::kOperand && static_cast<size_t>(source.index) == operand;
    return is_it ? 1 : 0;
  };
  int64_t count = 0;
  for (const Step& step : steps) count += reads(step.a) + reads(step.b);
  return count;
}

int64_t Composite::ReductionCount() const {
  int64_t count = 0;
  for (const Step& step : steps) count += Reduces(step.op) ? 1 : 0;
  return count;
}

const Composite* CompositeOf(const ir::Call& call) {
  const Composite* found = nullptr;
  for (const Composite& composite : kComposites) {
    if (composite.op == call.op().op) found = &composite;
  }
  const types::TensorType* type = found == nullptr ? nullptr : ir::TensorTypeOf(call.args()[0]);
  // What the operators take; 16-bit floats would be rounded after each step.
  if (type == nullptr || type->dtype != kF32) return nullptr;
  const std::optional<int64_t> axis = AxisOf(*found, call, type->dims.size());
  // An axis of one element would not be told from one that was reduced.
  if (!axis.has_value()) return nullptr;
  for (size_t i = static_cast<size_t>(*axis); i < type->dims.size(); ++i) {
    if (type->dims[i] == types::Dim(1)) return nullptr;
  }
  return found;
}

// Other bindings keep their variables. A composite's variable is replaced by that of its last step,
// which has its type.
ir::FunctionPtr ExpandComposites(const ir::FunctionPtr& function) {
  ir::NodeMap<Expr> renamed;
  std::vector<Binding> body;
  const auto current = [&](const Expr& atom) {
    const Expr* found = renamed.Find(atom.get());
    return found == nullptr ? atom : *found;
  };
  for (const Binding& binding : function->bindings()) {
    const Call* call = binding.value->As<Call>();
    if (call == nullptr) return function;
    std::vector<Expr> args;
    for (const Expr& arg : call->args()) args.push_back(current(arg));
    const Composite* composite = CompositeOf(*call);
    if (composite == nullptr) {
      body.push_back(
          {binding.var, ir::MakeCall(call->op(), std::move(args), call->attrs()), false});
      continue;
    }
    Expansion expansion(*composite, binding, std::move(args));
    expansion.AppendTo(&body);
    renamed[binding.var.get()] = expansion.result();
  }
  if (renamed.size() == 0) return function;
  Expr result = current(function->result());
  return ir::MakeFunction({function->parameters().begin(), function->parameters().end()},
                          ir::MakeLet(std::move(body), std::move(result)), {});
}

}  // namespace tern::fuse
