// SPDX-License-Identifier: Apache-2.0
// Blocks, branches, local functions and loops. `next` is given where an expression is the last of a
// loop's body: instead of giving its value, it then goes on with the next turn. Branches pass it on
// into their ends, so that the call of the loop is a tail call there, which runs without growing
// the stack. tensors_ is cut back after every branch, because its names are not in scope elsewhere.
#include "core/base/strings.h"
#include "core/lang/infer/unify.h"
#include "core/lang/lower/lower_state.h"

namespace tern::lang {

using ir::ScalarOp;
using types::Type;

ir::Expr FunctionLowering::LowerIf(const Expr& expr, const Next* next) {
  const ir::Expr condition = Lower(*expr.children[0]);
  const size_t scope = tensors_.size();
  builder_.BeginBlock();
  const ir::LetPtr then_block = builder_.EndBlock(Lower(*expr.children[1], next));
  builder_.BeginBlock();
  ir::Expr other;
  if (expr.children[2] != nullptr) {
    other = Lower(*expr.children[2], next);
  } else {
    // The value of an if without else is (), also for a loop without variables.
    other = Unit();
    if (next != nullptr) other = GoOn(expr, other, *next);
  }
  const ir::LetPtr else_block = builder_.EndBlock(other);
  tensors_.resize(scope);
  At(expr.span);
  return Bind(ir::MakeIf(condition, then_block, else_block),
              next != nullptr ? next->result : expr.type);
}

// --- blocks

void FunctionLowering::LowerLet(const Statement& statement) {
  // The name of the program stays visible in the IR and in the debugger.
  if (statement.pattern->local != nullptr) builder_.SetName(statement.pattern->name.text);
  const ir::Expr value = Lower(*statement.value);
  BindPattern(*statement.pattern, value);
}

void FunctionLowering::LowerLocalFunction(const Function& function) {
  At(function.name.span);
  const ir::VarPtr itself = NewVar(function.name.text, function.type);
  // Bound before its body, so that it can call itself.
  values_[function.local] = itself;
  std::vector<ir::VarPtr> parameters;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const Pattern& pattern = *function.params[i].pattern;
    parameters.push_back(NewVar(pattern.local != nullptr ? pattern.name.text : StrCat("p", i),
                                function.type.parameters()[i]));
  }
  const std::vector<ir::Expr> values(parameters.begin(), parameters.end());
  const size_t scope = tensors_.size();
  builder_.BeginLambda(std::move(parameters));
  for (size_t i = 0; i < values.size(); ++i) BindPattern(*function.params[i].pattern, values[i]);
  ir::FunctionPtr made = builder_.EndLambda(Lower(*function.body));
  tensors_.resize(scope);
  builder_.Adopt({.var = itself, .value = std::move(made), .recursive = true});
}

ir::Expr FunctionLowering::LowerBlock(const Expr& expr, const Next* next) {
  const size_t scope = tensors_.size();
  for (const Statement& statement : expr.statements) {
    switch (statement.kind) {
      case StatementKind::kLet: LowerLet(statement); break;
      case StatementKind::kFunction: LowerLocalFunction(*statement.function); break;
      case StatementKind::kExpression: Lower(*statement.value); break;
    }
  }
  ir::Expr result;
  if (expr.children[0] != nullptr) {
    result = Lower(*expr.children[0], next);
  } else {
    At(expr.span);
    result = Unit();
    if (next != nullptr) result = GoOn(expr, result, *next);
  }
  tensors_.resize(scope);
  return result;
}

// --- loops

// A loop becomes a local function of its variables that calls itself with the next ones:
//
//   let rec loop = |i, s| if i < n { loop(i + 1, s + i) } else { (i, s) }; loop(0, 0)
std::vector<ir::Expr> FunctionLowering::FirstValues(const Expr& loop) {
  std::vector<ir::Expr> values;
  for (const Param& param : loop.params) values.push_back(Lower(*param.first));
  return values;
}

// Opens the function of a loop. `first` are parameters ahead of the loop's variables, such as a
// counter.
ir::VarPtr FunctionLowering::BeginLoop(const Expr& expr, std::vector<ir::VarPtr> first,
                                       std::vector<ir::Expr>* state) {
  At(expr.span);
  std::vector<Type> types;
  for (const ir::VarPtr& var : first) types.push_back(var->type());
  std::vector<ir::VarPtr> parameters = std::move(first);
  for (const Param& param : expr.params) {
    const ir::VarPtr var = NewVar(
        param.pattern->local != nullptr ? param.pattern->name.text : "unused", param.pattern->type);
    types.push_back(param.pattern->type);
    parameters.push_back(var);
    state->push_back(var);
  }
  const ir::VarPtr loop = NewVar("loop", Type::Function(std::move(types), expr.type));
  builder_.BeginLambda(std::move(parameters));
  for (size_t i = 0; i < expr.params.size(); ++i) BindPattern(*expr.params[i].pattern, (*state)[i]);
  return loop;
}

// Closes it, binds it and makes the first call.
ir::Expr FunctionLowering::EndLoop(const Expr& expr, const ir::VarPtr& loop, ir::Expr result,
                                   std::vector<ir::Expr> arguments) {
  ir::FunctionPtr function = builder_.EndLambda(std::move(result));
  builder_.Adopt({.var = loop, .value = std::move(function), .recursive = true});
  At(expr.span);
  return Bind(ir::MakeInvoke(loop, std::move(arguments)), expr.type);
}

// What the loop gives: its variable, or a tuple of them.
ir::Expr FunctionLowering::StateValue(const Expr& loop, const std::vector<ir::Expr>& state) {
  if (state.size() == 1) return state[0];
  return Bind(ir::MakeTuple(state), loop.type);
}

// Goes on with the next turn: with the value if there is one variable, else with its fields. Where
// the body ends with a tuple, Builder::Field takes the fields from it, and the tuple is dead code.
ir::Expr FunctionLowering::GoOn(const Expr& expr, ir::Expr value, const Next& next) {
  std::vector<ir::Expr> args = next.first;
  if (next.count == 1) args.push_back(value);
  for (size_t i = 0; next.count > 1 && i < next.count; ++i)
    args.push_back(builder_.Field(value, static_cast<int>(i)));
  At(expr.span);
  return Bind(ir::MakeInvoke(next.loop, std::move(args)), next.result);
}

ir::Expr FunctionLowering::LowerLoop(const Expr& expr) {
  // First values are computed outside the function: they do not see the variables.
  std::vector<ir::Expr> arguments = FirstValues(expr);
  const size_t scope = tensors_.size();
  std::vector<ir::Expr> state;
  const ir::VarPtr loop = BeginLoop(expr, {}, &state);
  const ir::Expr condition = Lower(*expr.children[0]);
  builder_.BeginBlock();
  const Next next{loop, {}, state.size(), expr.type};
  const ir::LetPtr again = builder_.EndBlock(Lower(*expr.children[1], &next));
  builder_.BeginBlock();
  const ir::LetPtr done = builder_.EndBlock(StateValue(expr, state));
  At(expr.span);
  const ir::Expr result = Bind(ir::MakeIf(condition, again, done), expr.type);
  tensors_.resize(scope);
  return EndLoop(expr, loop, result, std::move(arguments));
}

// A `for` is a loop with a counter ahead of its variables: a position in the list, or the number
// itself. A range never becomes a list.
ir::Expr FunctionLowering::LowerFor(const Expr& expr) {
  const Expr& over = *expr.children[0];
  const bool range = over.kind == ExprKind::kBinary && over.text == "..";
  ir::Expr list, begin, end;
  // Both ends are computed once, before the first turn.
  if (range) {
    begin = Lower(*over.children[0]);
    end = Lower(*over.children[1]);
  } else {
    list = Lower(over);
    begin = ir::MakeConstant(Any(int64_t{0}));
    end = Invoke("tern.list.length", {list}, Type::Int());
  }
  std::vector<ir::Expr> arguments = FirstValues(expr);
  arguments.insert(arguments.begin(), begin);
  const size_t scope = tensors_.size();
  std::vector<ir::Expr> state;
  At(expr.span);
  const ir::VarPtr counter = NewVar("i", Type::Int());
  const ir::VarPtr loop = BeginLoop(expr, {counter}, &state);
  const ir::Expr more = Bind(ir::MakeScalar(ScalarOp::kLt, {counter, end}), Type::Bool());
  builder_.BeginBlock();
  ir::Expr item = counter;
  if (!range) item = Invoke("tern.list.get", {list, counter}, over.type.arguments()[0]);
  BindPattern(*expr.pattern, item);
  const ir::Expr one = ir::MakeConstant(Any(int64_t{1}));
  const ir::Expr following = Bind(ir::MakeScalar(ScalarOp::kAdd, {counter, one}), Type::Int());
  const Next next{loop, {following}, state.size(), expr.type};
  const ir::LetPtr again = builder_.EndBlock(Lower(*expr.children[1], &next));
  builder_.BeginBlock();
  const ir::LetPtr done = builder_.EndBlock(StateValue(expr, state));
  At(expr.span);
  const ir::Expr result = Bind(ir::MakeIf(more, again, done), expr.type);
  tensors_.resize(scope);
  return EndLoop(expr, loop, result, std::move(arguments));
}

}  // namespace tern::lang
