// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/group_composite.h"

#include <optional>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/ir/visitor.h"

namespace tern::ir {

namespace {

struct CompositeRow {
  ops::Op op;
  int64_t default_axis;
  std::string_view steps;
};
constexpr CompositeRow kCompositeRows[] = {
#define TERN_GROUP_COMPOSITE(op, default_axis, steps) {ops::Op::k_##op, default_axis, steps},
#include "core/ir/passes/group_formulas.def"
};

const CompositeRow* FindRow(const Call& call) {
  for (const CompositeRow& row : kCompositeRows) {
    if (row.op == call.op().op) return &row;
  }
  return nullptr;
}

std::optional<int64_t> AxisOf(const CompositeRow& row, const Call& call, size_t rank) {
  const int64_t axes = static_cast<int64_t>(rank);
  int64_t axis = call.attrs().GetInt("axis", row.default_axis);
  if (axis < 0) axis += axes;
  if (axis < 0 || axis >= axes) return std::nullopt;
  return axis;
}

// The steps of one call, appended to a block.
class Steps {
 public:
  Steps(const CompositeRow& row, const Binding& binding, std::vector<Expr> operands)
      : row_(row), binding_(binding), operands_(std::move(operands)) {}

  void AppendTo(std::vector<Binding>* body) {
    const Call& call = *binding_.value->As<Call>();
    const types::TensorType& whole = binding_.var->type().tensor();
    const int64_t rank = static_cast<int64_t>(whole.dims.size());
    const int64_t first = AxisOf(row_, call, whole.dims.size()).value();
    for (int64_t axis = first; axis < rank; ++axis) axes_.push_back(axis);
    for (std::string_view step : StrSplit(row_.steps, ';')) AppendStep(step, body);
  }
  const Expr& result() const { return made_.back(); }

 private:
  void AppendStep(std::string_view step, std::vector<Binding>* body) {
    std::vector<std::string_view> words;
    for (std::string_view word : StrSplit(step, ' ')) {
      if (!word.empty()) words.push_back(word);
    }
    std::vector<Expr> args;
    for (std::string_view word : std::span(words).subspan(1)) args.push_back(ArgumentOf(word));
    // What is added where there is none.
    if (args.back() == nullptr || IsNone(args.back())) return made_.push_back(args.front());
    const ops::OpInfo& op = *ops::FindOp(words[0]);
    const bool reduces = op.family == ops::Family::reduce;
    types::TensorType type = binding_.var->type().tensor();
    if (reduces || IsFolded(args)) {
      for (int64_t axis : axes_) type.dims[static_cast<size_t>(axis)] = types::Dim(1);
    }
    Attrs attrs;
    if (reduces) attrs.SetInts("axes", axes_);
    const VarPtr var = MakeVar(StrCat(binding_.var->name(), "_", made_.size()),
                               types::Type::Tensor(std::move(type)), binding_.var->origin());
    body->push_back({var, MakeCall(op, std::move(args), attrs), false});
    made_.push_back(var);
  }

  // Whether all that is read was reduced, or is a number.
  bool IsFolded(const std::vector<Expr>& args) const {
    const types::TensorType& whole = binding_.var->type().tensor();
    for (const Expr& arg : args) {
      const types::TensorType* type = TensorTypeOf(arg);
      bool folded = arg->As<Constant>() != nullptr && type != nullptr && type->dims.empty();
      if (arg->As<Var>() != nullptr && type != nullptr && type->dims.size() == whole.dims.size()) {
        folded = true;
        for (int64_t axis : axes_)
          folded = folded && type->dims[static_cast<size_t>(axis)] == types::Dim(1);
      }
      if (!folded) return false;
    }
    return true;
  }

  // "$b": an operand, null where the call has none; "$e": epsilon; "3": what that step made.
  Expr ArgumentOf(std::string_view word) const {
    if (word == "$e") return Epsilon();
    if (word[0] != '$') return made_[static_cast<size_t>(word[0] - '0')];
    const size_t index = static_cast<size_t>(word[1] - 'a');
    return index < operands_.size() ? operands_[index] : nullptr;
  }

  Expr Epsilon() const {
    const float epsilon = static_cast<float>(
        binding_.value->As<Call>()->attrs().GetFloat("epsilon", static_cast<double>(1e-5f)));
    TensorPtr tensor = Tensor::New(kF32, tern::Dims()).value();
    *tensor->data_as<float>() = epsilon;
    return MakeConstant(Any(std::move(tensor)));
  }

  const CompositeRow& row_;
  const Binding& binding_;
  std::vector<Expr> operands_;
  std::vector<int64_t> axes_;
  std::vector<Expr> made_;  // by step
};

}  // namespace

std::string_view CompositeSteps(const Call& call) {
  const CompositeRow* row = FindRow(call);
  const types::TensorType* type = row == nullptr ? nullptr : TensorTypeOf(call.args()[0]);
  // What the operators take; 16-bit floats would be rounded after each step.
  if (type == nullptr || type->dtype != kF32) return "";
  const std::optional<int64_t> axis = AxisOf(*row, call, type->dims.size());
  // An axis of one element would not be told from one that was reduced.
  if (!axis.has_value()) return "";
  for (size_t i = static_cast<size_t>(*axis); i < type->dims.size(); ++i) {
    if (type->dims[i] == types::Dim(1)) return "";
  }
  return row->steps;
}

FunctionPtr ExpandComposites(const FunctionPtr& function) {
  std::unordered_map<const Node*, Expr> renamed;
  std::vector<Binding> body;
  const auto current = [&](const Expr& atom) {
    const auto found = renamed.find(atom.get());
    return found == renamed.end() ? atom : found->second;
  };
  for (const Binding& binding : function->bindings()) {
    const Call* call = binding.value->As<Call>();
    if (call == nullptr) return function;
    std::vector<Expr> args;
    for (const Expr& arg : call->args()) args.push_back(current(arg));
    if (CompositeSteps(*call).empty()) {
      body.push_back({binding.var, MakeCall(call->op(), std::move(args), call->attrs()), false});
      continue;
    }
    Steps steps(*FindRow(*call), binding, std::move(args));
    steps.AppendTo(&body);
    renamed[binding.var.get()] = steps.result();
  }
  if (renamed.empty()) return function;
  Expr result = current(function->result());
  return MakeFunction({function->parameters().begin(), function->parameters().end()},
                      MakeLet(std::move(body), std::move(result)), {});
}

}  // namespace tern::ir
