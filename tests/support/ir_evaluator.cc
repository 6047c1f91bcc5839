// SPDX-License-Identifier: Apache-2.0
#include "tests/support/ir_evaluator.h"

#include <cmath>

#include "core/ir/control.h"
#include "core/kernels/bind/bind.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/vm/builtins/builtins.h"

namespace tern::support {

namespace {

std::vector<AnyView> Views(const std::vector<Any>& values) {
  return {values.begin(), values.end()};
}

bool IsTrue(const Any& value) {
  if (const auto truth = value.TryCast<bool>()) return *truth;
  if (const auto integer = value.TryCast<int64_t>()) return *integer != 0;
  if (const auto number = value.TryCast<double>()) return *number != 0;
  const Tensor* tensor = value.TryCast<Tensor>();
  return tensor != nullptr && tensor->dtype() == kBool && *tensor->data_as<bool>();
}

// Twos' complement, as the machine has it.
Result<Any> IntOperation(ir::ScalarOp op, int64_t x, int64_t y) {
  using ir::ScalarOp;
  const auto a = static_cast<uint64_t>(x), b = static_cast<uint64_t>(y);
  switch (op) {
    case ScalarOp::kAdd: return Any(static_cast<int64_t>(a + b));
    case ScalarOp::kSub: return Any(static_cast<int64_t>(a - b));
    case ScalarOp::kMul: return Any(static_cast<int64_t>(a * b));
    case ScalarOp::kDiv:
      if (y == 0) return InvalidArgument("division by zero");
      return Any(y == -1 ? static_cast<int64_t>(0 - a) : x / y);
    case ScalarOp::kMod:
      if (y == 0) return InvalidArgument("division by zero");
      return Any(y == -1 ? int64_t{0} : x % y);
    case ScalarOp::kNeg: return Any(static_cast<int64_t>(0 - a));
    case ScalarOp::kLt: return Any(x < y);
    case ScalarOp::kLe: return Any(x <= y);
    case ScalarOp::kGt: return Any(x > y);
    case ScalarOp::kGe: return Any(x >= y);
    case ScalarOp::kEq: return Any(x == y);
    case ScalarOp::kNe: return Any(x != y);
    case ScalarOp::kAnd: return Any(x & y);
    case ScalarOp::kOr: return Any(x | y);
    case ScalarOp::kNot: return Any(~x);
    case ScalarOp::kToInt: return Any(x);
    case ScalarOp::kToFloat: return Any(static_cast<double>(x));
    case ScalarOp::kToBool: return Any(x != 0);
  }
  return Unsupported("no such operation");
}

Result<Any> FloatOperation(ir::ScalarOp op, double x, double y) {
  using ir::ScalarOp;
  switch (op) {
    case ScalarOp::kAdd: return Any(x + y);
    case ScalarOp::kSub: return Any(x - y);
    case ScalarOp::kMul: return Any(x * y);
    case ScalarOp::kDiv: return Any(x / y);
    case ScalarOp::kMod: return Any(std::fmod(x, y));
    case ScalarOp::kNeg: return Any(-x);
    case ScalarOp::kLt: return Any(x < y);
    case ScalarOp::kLe: return Any(x <= y);
    case ScalarOp::kGt: return Any(x > y);
    case ScalarOp::kGe: return Any(x >= y);
    case ScalarOp::kEq: return Any(x == y);
    case ScalarOp::kNe: return Any(x != y);
    case ScalarOp::kToFloat: return Any(x);
    case ScalarOp::kToBool: return Any(x != 0);
    case ScalarOp::kToInt:
      if (!(x > -9.2e18 && x < 9.2e18)) return InvalidArgument("out of range");
      return Any(static_cast<int64_t>(x));
    case ScalarOp::kAnd:
    case ScalarOp::kOr:
    case ScalarOp::kNot: break;
  }
  return TypeError("not of floats");
}

Result<Any> BoolOperation(ir::ScalarOp op, bool x, bool y) {
  using ir::ScalarOp;
  switch (op) {
    case ScalarOp::kEq: return Any(x == y);
    case ScalarOp::kNe: return Any(x != y);
    case ScalarOp::kAnd: return Any(x && y);
    case ScalarOp::kOr: return Any(x || y);
    case ScalarOp::kNot: return Any(!x);
    case ScalarOp::kToBool: return Any(x);
    case ScalarOp::kToInt: return Any(int64_t{x});
    case ScalarOp::kToFloat: return Any(x ? 1.0 : 0.0);
    default: return TypeError("not of bools");
  }
}

}  // namespace

Result<Any> IrEvaluator::Call(std::string_view function, const std::vector<Any>& args) {
  const ir::FunctionPtr found = module_.Find(function);
  if (!found) return NotFound("no function ", function);
  return Enter(*found, args, {});
}

Result<Any> IrEvaluator::Enter(const ir::Function& function, const std::vector<Any>& args,
                               Environment env) {
  if (args.size() != function.parameters().size()) return InvalidArgument("argument count");
  for (size_t i = 0; i < args.size(); ++i) env[function.parameters()[i].get()] = args[i];
  return Block(*ir::ToBlock(function.body()), std::move(env));
}

void IrEvaluator::MakeLambdas(std::span<const ir::Binding> group, Environment* env) {
  // Filled once all of them are there; they live as long as the evaluator.
  auto shared = std::make_shared<Environment>();
  for (const ir::Binding& binding : group) {
    codes_.push_back({ir::FunctionPtr(binding.value->As<ir::Function>()), shared});
    (*env)[binding.var.get()] = Any(Closure::Make(static_cast<uint32_t>(codes_.size() - 1), {}));
  }
  *shared = *env;
}

Result<Any> IrEvaluator::Block(const ir::Let& block, Environment env) {
  const std::span<const ir::Binding> bindings = block.bindings();
  for (size_t i = 0; i < bindings.size(); ++i) {
    if (++steps_ > max_steps_) return OutOfRange("too many steps");
    if (bindings[i].value->As<ir::Function>() != nullptr) {
      size_t end = i + 1;
      while (bindings[i].recursive && end < bindings.size() && bindings[end].recursive) ++end;
      MakeLambdas(bindings.subspan(i, end - i), &env);
      i = end - 1;
      continue;
    }
    TERN_TRY_ASSIGN(env[bindings[i].var.get()], Value(bindings[i].value, env));
  }
  return Value(block.result(), env);
}

Result<Any> IrEvaluator::Atom(const ir::Expr& atom, const Environment& env) {
  if (const ir::Constant* constant = atom->As<ir::Constant>()) return Any(constant->value());
  const auto found = env.find(atom.get());
  if (found == env.end()) return NotFound("an unbound variable");
  return Any(found->second);
}

Result<std::vector<Any>> IrEvaluator::Atoms(std::span<const ir::Expr> atoms,
                                            const Environment& env) {
  std::vector<Any> values;
  for (const ir::Expr& atom : atoms) {
    TERN_TRY_ASSIGN(Any value, Atom(atom, env));
    values.push_back(std::move(value));
  }
  return values;
}

Result<Any> IrEvaluator::Value(const ir::Expr& value, const Environment& env) {
  using ir::NodeKind;
  switch (value->kind()) {
    case NodeKind::kCall: return Operator(*value->As<ir::Call>(), env);
    case NodeKind::kInvoke: return Invocation(value, env);
    case NodeKind::kIf: return Choice(value, env);
    case NodeKind::kSwitch: return Cases(value, env);
    case NodeKind::kScalar: return Arithmetic(value, env);
    case NodeKind::kTuple: {
      TERN_TRY_ASSIGN(const auto fields, Atoms(value->As<ir::Tuple>()->fields(), env));
      return Any(Adt::Tuple(Views(fields)));
    }
    case NodeKind::kConstruct: {
      const ir::Construct& node = *value->As<ir::Construct>();
      TERN_TRY_ASSIGN(const auto fields, Atoms(node.fields(), env));
      return Any(Adt::Make(node.constructor(), Views(fields)));
    }
    case NodeKind::kGetItem: {
      TERN_TRY_ASSIGN(const Any tuple, Atom(value->As<ir::GetItem>()->tuple(), env));
      TERN_TRY_ASSIGN(const Adt* adt, tuple.As<Adt>());
      return adt->Field(value->As<ir::GetItem>()->index());
    }
    case NodeKind::kMakeClosure: {
      const ir::MakeClosure& node = *value->As<ir::MakeClosure>();
      TERN_TRY_ASSIGN(const auto captured, Atoms(node.captured(), env));
      codes_.push_back({module_.Find(node.function()->As<ir::Global>()->name()), nullptr});
      return Any(Closure::Make(static_cast<uint32_t>(codes_.size() - 1), Views(captured)));
    }
    case NodeKind::kDeviceCopy: return Atom(value->As<ir::DeviceCopy>()->source(), env);
    case NodeKind::kFatal: return Unsupported(value->As<ir::Fatal>()->message());
    default: return Atom(value, env);
  }
}

Result<Any> IrEvaluator::Operator(const ir::Call& call, const Environment& env) {
  TERN_TRY_ASSIGN(const auto args, Atoms(call.args(), env));
  TERN_TRY_ASSIGN(FunctionPtr function, kernels::MakeOperator(MakePrimitiveName(
                                            call.op().name, call.attrs())));
  return function->Invoke(Views(args), &context_);
}

Result<Any> IrEvaluator::Invocation(const ir::Expr& value, const Environment& env) {
  const ir::Invoke& invoke = *value->As<ir::Invoke>();
  TERN_TRY_ASSIGN(auto args, Atoms(invoke.args(), env));
  if (const ir::Global* global = invoke.callee()->As<ir::Global>())
    return Call(global->name(), args);
  if (const ir::Primitive* primitive = invoke.callee()->As<ir::Primitive>()) {
    const FunctionPtr function = vm::FindBuiltin(primitive->name());
    if (!function) return NotFound("no builtin ", primitive->name());
    return function->Invoke(Views(args), &context_);
  }
  TERN_TRY_ASSIGN(const Any closure, Atom(invoke.callee(), env));
  return CallClosure(closure, std::move(args));
}

Result<Any> IrEvaluator::CallClosure(const Any& closure, std::vector<Any> args) {
  TERN_TRY_ASSIGN(const Closure* held, closure.As<Closure>());
  const Code code = codes_[held->function_index()];
  args.insert(args.end(), held->free_variables().begin(), held->free_variables().end());
  return Enter(*code.function, args, code.environment ? *code.environment : Environment());
}

Result<Any> IrEvaluator::Choice(const ir::Expr& value, const Environment& env) {
  const ir::If& node = *value->As<ir::If>();
  TERN_TRY_ASSIGN(const Any condition, Atom(node.condition(), env));
  return Block(IsTrue(condition) ? *node.then_block() : *node.else_block(), env);
}

Result<Any> IrEvaluator::Cases(const ir::Expr& value, const Environment& env) {
  const ir::Switch& node = *value->As<ir::Switch>();
  TERN_TRY_ASSIGN(const Any subject, Atom(node.subject(), env));
  TERN_TRY_ASSIGN(const Adt* adt, subject.As<Adt>());
  for (const ir::SwitchCase& option : node.cases()) {
    if (option.constructor != adt->tag()) continue;
    Environment inner = env;
    for (size_t i = 0; i < option.fields.size(); ++i) {
      if (option.fields[i]) inner[option.fields[i].get()] = adt->fields()[i];
    }
    return Block(*option.block, std::move(inner));
  }
  if (!node.default_block()) return Unsupported("no case");
  return Block(*node.default_block(), env);
}

Result<Any> IrEvaluator::Arithmetic(const ir::Expr& value, const Environment& env) {
  const ir::Scalar& node = *value->As<ir::Scalar>();
  TERN_TRY_ASSIGN(auto args, Atoms(node.args(), env));
  if (args.size() == 1) args.push_back(args[0]);
  switch (args[0].type_code()) {
    case TERN_TYPE_INT:
      return IntOperation(node.op(), *args[0].TryCast<int64_t>(), *args[1].TryCast<int64_t>());
    case TERN_TYPE_FLOAT:
      return FloatOperation(node.op(), *args[0].TryCast<double>(), *args[1].TryCast<double>());
    case TERN_TYPE_BOOL:
      return BoolOperation(node.op(), *args[0].TryCast<bool>(), *args[1].TryCast<bool>());
    default: return TypeError("not a scalar");
  }
}

}  // namespace tern::support
