// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/convert/loop.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/base/strings.h"
#include "core/ir/control.h"
#include "core/onnx/convert/value_types.h"
#include "core/ops/ops.h"

namespace tern::onnx {
namespace {

using ir::ScalarOp;
using types::Dim;
using ValueType = types::Type;

// After so many conversions in which some axis still changed, every axis is taken to change: each
// round costs as much as the body, and loops in loops multiply.
constexpr int kMaxRounds = 4;
// Further inside, every axis is taken to change from the start.
constexpr int kMaxDepthOfRounds = 4;
constexpr int kMaxConditionDepth = 16;

// --- conditions

// IsCompare has let five operators through; what is none of these four is `equal`.
bool Compare(ops::Op op, int64_t a, int64_t b) {
  switch (op) {
    case ops::Op::k_less: return a < b;
    case ops::Op::k_greater: return a > b;
    case ops::Op::k_less_equal: return a <= b;
    case ops::Op::k_greater_equal: return a >= b;
    default: return a == b;
  }
}

bool IsCompare(ops::Op op) {
  return op == ops::Op::k_equal || op == ops::Op::k_less || op == ops::Op::k_greater ||
         op == ops::Op::k_less_equal || op == ops::Op::k_greater_equal;
}

// Extents that depend on symbols may still be known to be equal, or different.
std::optional<bool> KnownComparison(const ir::Call& call) {
  const ops::Values* a = ir::ValuesOf(call.args()[0]);
  const ops::Values* b = ir::ValuesOf(call.args()[1]);
  if (a == nullptr || b == nullptr || a->size() != 1 || b->size() != 1) return std::nullopt;
  const Dim &left = a->front(), &right = b->front();
  if (left.is_constant() && right.is_constant())
    return Compare(call.op().op, left.constant(), right.constant());
  if (!call.Is(ops::Op::k_equal)) return std::nullopt;
  switch (CompareDims(left, right)) {
    case types::DimRelation::kEqual: return true;
    case types::DimRelation::kDifferent: return false;
    case types::DimRelation::kUnknown: break;
  }
  return std::nullopt;
}

std::optional<bool> KnownTruth(NodeContext& node, const Value& value, int depth);

// One argument may decide alone, though the other is only known to a run.
std::optional<bool> KnownJunction(NodeContext& node, const ir::Call& call, int depth) {
  const bool decides = call.Is(ops::Op::k_or);  // one such argument is enough
  const std::optional<bool> a = KnownTruth(node, call.args()[0], depth);
  const std::optional<bool> b = KnownTruth(node, call.args()[1], depth);
  if (a == decides || b == decides) return decides;
  if (a.has_value() && b.has_value()) return !decides;
  return std::nullopt;
}

// Whether what is not 0 stays so: half of one is 0 as an integer, and so is 256 in 8 bits.
bool KeepsTruth(const DType& from, const DType& to) {
  if (to.is_bool() || from.is_bool()) return true;
  return from.is_int() && (to.is_float() || (to.is_int() && to.bits >= from.bits));
}

bool CastKeepsTruth(const Value& value, const ir::Call& cast) {
  const ValueType from = ir::TypeOf(cast.args()[0]), to = ir::TypeOf(value);
  return from.is_tensor() && to.is_tensor() && KeepsTruth(from.tensor().dtype, to.tensor().dtype);
}

// Follows the condition back through the operators that exporters make it of. What is always true
// costs no test in the loop, and its type need not be looked at.
std::optional<bool> KnownTruth(NodeContext& node, const Value& value, int depth) {
  if (depth > kMaxConditionDepth) return std::nullopt;
  const tern::Tensor* tensor = node.Known(value);
  if (tensor != nullptr) {
    const std::optional<double> number = node.KnownNumber(value);
    return number.has_value() ? std::optional<bool>(*number != 0) : std::nullopt;
  }
  std::vector<int64_t> numbers;
  if (ir::ConstantInts(value, &numbers) && numbers.size() == 1) return numbers[0] != 0;
  const ir::Node* definition = node.builder().Definition(value);
  const ir::Call* call = definition == nullptr ? nullptr : definition->As<ir::Call>();
  if (call == nullptr) return std::nullopt;
  if (IsCompare(call->op().op)) return KnownComparison(*call);
  switch (call->op().op) {
    case ops::Op::k_and:
    case ops::Op::k_or: return KnownJunction(node, *call, depth + 1);
    case ops::Op::k_not: {
      const std::optional<bool> inner = KnownTruth(node, call->args()[0], depth + 1);
      return inner.has_value() ? std::optional<bool>(!*inner) : std::nullopt;
    }
    // Exporters put these between a comparison and the place where its truth is asked for.
    case ops::Op::k_cast:
      return CastKeepsTruth(value, *call) ? KnownTruth(node, call->args()[0], depth + 1)
                                          : std::nullopt;
    case ops::Op::k_identity:
    case ops::Op::k_reshape:
    case ops::Op::k_squeeze:
    case ops::Op::k_unsqueeze: return KnownTruth(node, call->args()[0], depth + 1);
    default: return std::nullopt;
  }
}

class LoopEmitter {
 public:
  LoopEmitter(NodeContext& node, const LoopStart& start, LoopBody* body)
      : node_(node), builder_(node.builder()), start_(start), body_(*body) {
    // "?" from the start is always right and only less exact, so that the depth costs knowledge and
    // not time.
    const bool hide = node.depth() > kMaxDepthOfRounds;
    for (const Value& state : start.states) {
      const ValueType type = ir::TypeOf(state);
      types_.push_back(hide ? HideExtents(type) : type);
    }
  }

  bool Run(LoopEnd* end) {
    for (int round = 1;; ++round) {
      ir::FunctionPtr function = ConvertOnce();
      if (!node_.ok()) return false;
      bool changed = false;
      if (!UpdateTypes(&changed)) return false;
      if (!changed) {
        builder_.Adopt({.var = loop_, .value = std::move(function), .recursive = true});
        Finish(end);
        return node_.ok();
      }
      // With every extent hidden the next round cannot change anything but an element type or a
      // rank, which fails instead.
      if (round < kMaxRounds) continue;
      for (ValueType& type : types_) type = HideExtents(type);
    }
  }

 private:
  // The parameters: the number of the turn, the condition if there is one, states, lists.
  void DeclareLoop() {
    results_.clear();
    for (const ValueType& type : types_) results_.push_back(WithNames(builder_, type));
    // What a list holds is known behind the body only, and nothing in the loop asks for it.
    for (size_t i = 0; i < start_.gathered; ++i) results_.push_back(ValueType::List(ValueType()));
    result_ = results_.size() == 1 ? results_[0] : ValueType::Tuple(results_);
    first_inner_ = NextSymbol(builder_);
    parameters_.assign(1, ir::MakeVar("i", ValueType::Int(), builder_.origin()));
    if (start_.condition != nullptr)
      parameters_.push_back(ir::MakeVar("condition", ValueType::Bool(), builder_.origin()));
    first_state_ = parameters_.size();
    for (size_t i = 0; i < results_.size(); ++i) {
      const bool is_state = i < types_.size();
      parameters_.push_back(ir::MakeVar(StrCat(is_state ? "state" : "list", i),
                                        is_state ? WithNames(builder_, types_[i]) : results_[i],
                                        builder_.origin()));
    }
    std::vector<ValueType> types;
    for (const ir::VarPtr& parameter : parameters_) types.push_back(parameter->type());
    loop_ = ir::MakeVar("loop", ValueType::Function(std::move(types), result_), builder_.origin());
  }

  // Functions with one result give it as it is.
  Value ResultOf(std::vector<Value> values) const {
    return values.size() == 1 ? values[0] : ir::MakeTuple(std::move(values));
  }

  ir::FunctionPtr ConvertOnce() {
    DeclareLoop();
    builder_.BeginLambda(parameters_);
    builder_.BeginBlock();
    LoopTurn turn;
    turn.index = parameters_[0];
    // A turn is made only where the condition holds.
    turn.condition = node_.Constant(tern::Tensor::Scalar<bool>(true));
    const auto states = std::span(parameters_).subspan(first_state_);
    turn.states.assign(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(types_.size()));
    step_ = LoopStep();
    const bool good = body_.Convert(turn, &step_) && CheckCondition();
    const ir::LetPtr again = builder_.EndBlock(good ? EmitNext() : ir::MakeNone());
    builder_.BeginBlock();
    // The other branch gives states and lists as they came: the loop is a function that calls
    // itself in its last place.
    const ir::LetPtr done = builder_.EndBlock(ResultOf({states.begin(), states.end()}));
    Value result = ir::MakeNone();
    if (good) result = builder_.BindAs(ir::MakeIf(EmitTest(), again, done), result_);
    return builder_.EndLambda(std::move(result));
  }

  bool CheckCondition() {
    if (start_.condition == nullptr) return true;
    const ValueType type = ir::TypeOf(step_.condition);
    if (!type.is_tensor() || !type.tensor().dtype.is_bool()) {
      node_.Fail("the condition that its body gives is ", type.ToText(), ", expected one bool");
      return false;
    }
    // True before the first turn, and after any.
    const bool starts = KnownCondition(node_, start_.condition) == true;
    always_ = starts && KnownCondition(node_, step_.condition) == true;
    return true;
  }

  Value EmitTest() {
    Value test;
    if (start_.limit != nullptr)
      test = builder_.EmitScalar(ScalarOp::kLt, {parameters_[0], start_.limit});
    if (start_.condition != nullptr && !always_) {
      const Value condition = parameters_[1];
      test = test == nullptr ? condition : builder_.EmitScalar(ScalarOp::kAnd, {test, condition});
    }
    return test == nullptr ? ir::MakeConstant(Any(true)) : test;
  }

  // The call of the next turn.
  Value EmitNext() {
    std::vector<Value> args = {
        builder_.EmitScalar(ScalarOp::kAdd, {parameters_[0], ir::MakeConstant(Any(int64_t{1}))})};
    if (start_.condition != nullptr) args.push_back(Truth(step_.condition));
    args.insert(args.end(), step_.states.begin(), step_.states.end());
    for (size_t i = 0; i < start_.gathered; ++i) {
      const Value list = parameters_[first_state_ + types_.size() + i];
      args.push_back(node_.Invoke("tern.list.append", {list, step_.gathered[i]},
                                  ValueType::List(ValueType())));
    }
    return builder_.BindAs(ir::MakeInvoke(loop_, std::move(args)), result_);
  }

  Value Truth(const Value& tensor) {
    if (always_ || KnownCondition(node_, tensor) == true) return ir::MakeConstant(Any(true));
    return builder_.EmitScalar(ScalarOp::kToBool, {tensor});
  }

  // What a state may be is what it was before a turn or is behind it.
  bool UpdateTypes(bool* changed) {
    for (size_t i = 0; i < types_.size(); ++i) {
      const ValueType given = HideSymbols(ir::TypeOf(step_.states[i]), first_inner_);
      ValueType merged = MergeTypes(types_[i], given);
      if (!merged.known()) {
        node_.Unsupported("state ", i, " is ", types_[i].ToText(), " before a turn and ",
                          ir::TypeOf(step_.states[i]).ToText(),
                          " behind it; its element type and rank must stay");
        return false;
      }
      // Types are compared as texts in which one "?" is like another.
      *changed = *changed || merged.ToText() != types_[i].ToText();
      types_[i] = std::move(merged);
    }
    return true;
  }

  // The call of the first turn, behind the function that was adopted.
  void Finish(LoopEnd* end) {
    std::vector<Value> args = {ir::MakeConstant(Any(int64_t{0}))};
    if (start_.condition != nullptr) args.push_back(Truth(start_.condition));
    args.insert(args.end(), start_.states.begin(), start_.states.end());
    for (size_t i = 0; i < start_.gathered; ++i)
      args.push_back(node_.Invoke("tern.list.new", {}, ValueType::List(ValueType())));
    const Value result = builder_.BindAs(ir::MakeInvoke(loop_, std::move(args)), result_);
    for (size_t i = 0; i < results_.size(); ++i) {
      const Value field =
          results_.size() == 1 ? result : builder_.Field(result, static_cast<int>(i));
      (i < types_.size() ? end->states : end->lists).push_back(field);
    }
    for (const Value& element : step_.gathered)
      end->elements.push_back(HideSymbols(ir::TypeOf(element), first_inner_));
  }

  NodeContext& node_;
  ir::Builder& builder_;
  const LoopStart& start_;
  LoopBody& body_;
  std::vector<ValueType> types_;  // of the states; "?" where a turn changes the extent
  // Of the conversion that is under way.
  std::vector<ValueType> results_;
  ValueType result_;
  std::vector<ir::VarPtr> parameters_;
  size_t first_state_ = 0;
  int64_t first_inner_ = 0;
  ir::VarPtr loop_;
  LoopStep step_;
  bool always_ = false;  // the condition holds in every turn
};

}  // namespace

bool EmitLoop(NodeContext& node, const LoopStart& start, LoopBody* body, LoopEnd* end) {
  return LoopEmitter(node, start, body).Run(end);
}

Value StackList(NodeContext& node, const Value& list, const types::Type& element,
                const types::Dim& count) {
  if (!node.ok()) return nullptr;
  if (!element.is_tensor()) {
    node.Unsupported("what its body gives in each turn is ", element.ToText(),
                     ", expected a tensor");
    return nullptr;
  }
  types::TensorType stacked = WithNames(node.builder(), element).tensor();
  // An empty list has no item to tell: there an extent that only a run can tell is 0.
  Ints extents;
  for (const Dim& dim : stacked.dims) extents.push_back(dim.is_constant() ? dim.constant() : 0);
  Attrs attrs;
  attrs.SetString("to", stacked.dtype.ToString());
  attrs.SetInts("extents", extents);
  stacked.dims.insert(stacked.dims.begin(), count);
  return node.Invoke(MakePrimitiveName("list_stack", attrs), {list},
                     ValueType::Tensor(std::move(stacked)));
}

Value ToInt(NodeContext& node, const Value& tensor) {
  if (!node.ok()) return nullptr;
  const std::optional<Ints> known = node.KnownInts(tensor);
  if (known.has_value() && known->size() == 1) return ir::MakeConstant(Any((*known)[0]));
  return node.builder().EmitScalar(ScalarOp::kToInt, {tensor});
}

void Require(NodeContext& node, ir::ScalarOp comparison, const Value& a, const Value& b,
             std::string message) {
  if (!node.ok()) return;
  const Value holds = node.builder().EmitScalar(comparison, {ToInt(node, a), ToInt(node, b)});
  const Value said = ir::MakeConstant(Any(std::move(message)));
  node.Invoke("tern.assert", {holds, said}, types::Type::Tuple({}), true);
}

Value ToTensor(NodeContext& node, const Value& number) {
  return node.Invoke(
      "tern.tensor.of",
      {number, ir::MakeConstant(Any(std::string("i64"))), ir::MakeConstant(Any(int64_t{0}))},
      ValueType::Tensor(kI64, {}));
}

std::optional<bool> KnownCondition(NodeContext& node, const Value& condition) {
  return KnownTruth(node, condition, 0);
}

}  // namespace tern::onnx
