// SPDX-License-Identifier: Apache-2.0
// Expressions except calls and control. Every function gives an atom (a variable or a constant), so
// that the IR stays in A-normal form; operands are lowered from left to right, as they are
// evaluated.
#include <algorithm>

#include "core/base/check.h"
#include "core/base/strings.h"
#include "core/lang/infer/unify.h"
#include "core/lang/lower/lower_state.h"
#include "core/lang/type_text.h"

namespace tern::lang {

using ir::ScalarOp;
using types::Dim;
using types::Type;
using types::TypeKind;

namespace {

// The most arguments that one instruction is given here; longer lists are made in parts.
constexpr size_t kMaxArguments = 64;  // of one instruction

struct ScalarOperator {
  std::string_view text;
  ScalarOp op;
};
constexpr ScalarOperator kScalarOperators[] = {
    {"+", ScalarOp::kAdd}, {"-", ScalarOp::kSub}, {"*", ScalarOp::kMul}, {"/", ScalarOp::kDiv},
    {"%", ScalarOp::kMod}, {"<", ScalarOp::kLt},  {"<=", ScalarOp::kLe}, {">", ScalarOp::kGt},
    {">=", ScalarOp::kGe}, {"==", ScalarOp::kEq}, {"!=", ScalarOp::kNe}};

// Only for scalars; signs between tensors are calls (LowerOperator).
ScalarOp ScalarOf(std::string_view text) {
  for (const ScalarOperator& entry : kScalarOperators) {
    if (entry.text == text) return entry.op;
  }
  TERN_CHECK(false, "an operator that inference lets through");
  return ScalarOp::kAdd;
}

// Types whose equality is one instruction.
bool IsFlat(const Type& type) { return type.is_number() || type.kind() == TypeKind::kBool; }

}  // namespace

ir::Expr FunctionLowering::Lower(const Expr& expr, const Next* next) {
  // Kinds that hand `next` on to their ends.
  const bool passes_on =
      expr.kind == ExprKind::kIf || expr.kind == ExprKind::kMatch || expr.kind == ExprKind::kBlock;
  if (next == nullptr) return LowerChecked(expr, LowerValue(expr));
  // A value whose shape has to be compared is needed as a value first; so are those without a block
  // inside.
  if (!passes_on || expr.checked_as.known())
    return GoOn(expr, LowerChecked(expr, LowerValue(expr)), *next);
  if (expr.kind == ExprKind::kIf) return LowerIf(expr, next);
  return expr.kind == ExprKind::kMatch ? LowerMatch(expr, next) : LowerBlock(expr, next);
}

ir::Expr FunctionLowering::LowerValue(const Expr& expr) {
  At(expr.span);
  switch (expr.kind) {
    case ExprKind::kInt:
    case ExprKind::kFloat:
    case ExprKind::kString:
    case ExprKind::kBool: return LowerLiteral(expr);
    case ExprKind::kName: return LowerName(expr);
    case ExprKind::kTuple: {
      std::vector<ir::Expr> fields;
      for (const ExprPtr& child : expr.children) fields.push_back(Lower(*child));
      At(expr.span);
      return Bind(ir::MakeTuple(std::move(fields)), expr.type);
    }
    case ExprKind::kList: return LowerList(expr);
    case ExprKind::kMap: return LowerMap(expr);
    case ExprKind::kUnary: return LowerUnary(expr);
    case ExprKind::kBinary: return LowerBinary(expr);
    case ExprKind::kCall: return LowerCall(expr);
    case ExprKind::kField:
      return builder_.Field(Lower(*expr.children[0]), static_cast<int>(*ParseInt64(expr.text)));
    case ExprKind::kIndex: return LowerIndex(expr);
    case ExprKind::kIf: return LowerIf(expr, nullptr);
    case ExprKind::kMatch: return LowerMatch(expr, nullptr);
    case ExprKind::kBlock: return LowerBlock(expr, nullptr);
    case ExprKind::kLambda: return LowerLambda(expr);
    case ExprKind::kLoop: return LowerLoop(expr);
    case ExprKind::kFor: return LowerFor(expr);
    case ExprKind::kError:
    case ExprKind::kPart:
    case ExprKind::kAnyDim: break;
  }
  TERN_CHECK(false, "a program with errors is not lowered");
  return nullptr;
}

ir::Expr FunctionLowering::LowerLiteral(const Expr& expr) {
  if (expr.kind == ExprKind::kInt) return ir::MakeConstant(Any(*IntLiteral(expr)));
  if (expr.kind == ExprKind::kBool) return ir::MakeConstant(Any(expr.text == "true"));
  if (expr.kind == ExprKind::kString) return ir::MakeConstant(Any(Unescape(expr.text)));
  std::string digits = expr.text;
  std::erase(digits, '_');
  return ir::MakeConstant(Any(ParseDouble(digits).value_or(0)));
}

// --- names

ir::Expr FunctionLowering::LowerName(const Expr& expr) {
  const Target& target = expr.target;
  switch (target.kind) {
    case TargetKind::kLocal: return values_.at(target.local);
    case TargetKind::kDimension: return LowerDimension(expr.text, expr.span);
    // A function as a value needs a closure, be it without captured values.
    case TargetKind::kFunction: {
      if (target.function->is_constant) return LowerConstant(*target.function, expr.type);
      const ir::Expr global = ir::MakeGlobal(module_->NameOf(*target.function));
      return Bind(ir::MakeMakeClosure(global, {}), expr.type);
    }
    case TargetKind::kNone:
    case TargetKind::kConstructor:
    case TargetKind::kPrimitive:
    case TargetKind::kOperator:
    case TargetKind::kConvert: break;
  }
  return LowerConstructor(expr);
}

// A number or tensor that is written out stands where it is mentioned; anything else is computed
// there.
ir::Expr FunctionLowering::LowerConstant(const Function& constant, const Type& type) {
  const Expr& value = *constant.body;
  const bool literal = value.kind == ExprKind::kFloat || value.kind == ExprKind::kString ||
                       value.kind == ExprKind::kBool || IntLiteral(value).has_value();
  if (literal || value.target.kind == TargetKind::kConvert) return Lower(value);
  return Bind(ir::MakeInvoke(ir::MakeGlobal(module_->NameOf(constant)), {}), type);
}

// A constructor without arguments behind it: the value, or a lambda that makes it.
ir::Expr FunctionLowering::LowerConstructor(const Expr& name) {
  const ir::DataTypePtr data = module_->DataOf(*name.target.data);
  if (!name.type.is_function())
    return Bind(ir::MakeConstruct(data, name.target.tag, {}), name.type);
  std::vector<ir::VarPtr> parameters;
  for (const Type& type : name.type.parameters()) parameters.push_back(NewVar("field", type));
  const std::vector<ir::Expr> fields(parameters.begin(), parameters.end());
  builder_.BeginLambda(std::move(parameters));
  const ir::Expr made = Bind(ir::MakeConstruct(data, name.target.tag, fields), name.type.result());
  return Bind(builder_.EndLambda(made), name.type);
}

// Solves extent = value for the name. Null where the extent is not linear in it or has other names.
// As in Unifier::Solve, three points show whether it is linear.
ir::Expr FunctionLowering::SolveExtent(const Dim& extent, const std::string& name,
                                       const ir::Expr& value) {
  const auto at = [&](int64_t n) {
    const Dim::Binding binding[] = {{name, Dim(n)}};
    return extent.Substitute(binding);
  };
  const Dim rest = at(0), slope = at(1) - rest;
  if (!rest.is_constant() || !slope.is_constant() || slope.constant() <= 0) return nullptr;
  if (!(at(2) - at(1) == slope)) return nullptr;
  ir::Expr result = value;
  const auto apply = [&](ScalarOp op, const Dim& by) {
    const ir::Expr constant = ir::MakeConstant(Any(by.constant()));
    result = Bind(ir::MakeScalar(op, {result, constant}), Type::Int());
  };
  if (rest.constant() != 0) apply(ScalarOp::kSub, rest);
  if (slope.constant() != 1) apply(ScalarOp::kDiv, slope);
  return result;
}

// A dimension is no parameter at run time: it is read off a tensor in scope that has it in an
// extent. An extent that is the name itself is best, because others need a division.
ir::Expr FunctionLowering::LowerDimension(const std::string& name, const Span& span) {
  for (const bool exact : {true, false}) {
    for (const Local* local : tensors_) {
      const std::vector<Dim>& dims = local->type.tensor().dims;
      for (size_t axis = 0; axis < dims.size(); ++axis) {
        std::vector<std::string> symbols;
        dims[axis].CollectSymbols(&symbols);
        if (symbols.size() != 1 || symbols[0] != name || dims[axis].is_symbol() != exact) continue;
        const ir::Expr index = ir::MakeConstant(Any(static_cast<int64_t>(axis)));
        const ir::Expr value = Invoke("tern.tensor.dim", {values_.at(local), index}, Type::Int());
        if (ir::Expr solved = SolveExtent(dims[axis], name, value)) return solved;
      }
    }
  }
  // Possible for a dimension of tensors that are inside lists only.
  module_->diagnostics->Error("E1006", StrCat("dimension '", name, "' cannot be computed here"))
      .At(span, "no tensor in scope has this extent, or a multiple of it")
      .Help("pass it as an int");
  return ir::MakeConstant(Any(int64_t{0}));
}

// --- run-time checks

// The extent as an int, or -1 (not compared) where no tensor in scope tells it.
ir::Expr FunctionLowering::LowerDim(const Dim& dim, const Span& span) {
  if (dim.is_constant()) return ir::MakeConstant(Any(dim.constant()));
  const ir::Expr unknown = ir::MakeConstant(Any(int64_t{-1}));
  if (!dim.is_symbol()) return unknown;
  for (const Local* local : tensors_) {
    const std::vector<Dim>& dims = local->type.tensor().dims;
    if (std::find(dims.begin(), dims.end(), dim) != dims.end())
      return LowerDimension(dim.ToText(), span);
  }
  return unknown;
}

// Compares the shape where inference could not, and gives the value with the type that it then has.
ir::Expr FunctionLowering::LowerChecked(const Expr& expr, ir::Expr value) {
  if (!expr.checked_as.is_tensor()) return value;
  At(expr.span);
  std::vector<ir::Expr> args = {value, ir::MakeConstant(Any(TypeText(expr.checked_as)))};
  for (const Dim& dim : expr.checked_as.tensor().dims) args.push_back(LowerDim(dim, expr.span));
  return Invoke("tern.tensor.check_shape", std::move(args), expr.checked_as);
}

// --- lists and maps

// A list is made in parts of kMaxArguments items, joined from the left.
ir::Expr FunctionLowering::LowerList(const Expr& expr) {
  std::vector<ir::Expr> items;
  ir::Expr list;
  for (const ExprPtr& child : expr.children) {
    items.push_back(Lower(*child));
    if (items.size() < kMaxArguments) continue;
    ir::Expr part = Invoke("vm.builtin.make_list", std::exchange(items, {}), expr.type);
    list = list == nullptr ? part : Invoke("tern.list.concat", {list, part}, expr.type);
  }
  if (list != nullptr && items.empty()) return list;
  At(expr.span);
  ir::Expr part = Invoke("vm.builtin.make_list", std::move(items), expr.type);
  return list == nullptr ? part : Invoke("tern.list.concat", {list, part}, expr.type);
}

// The map is made of the first pairs and then set one by one. Key and value come in turn in
// `parts`, and kMaxArguments is even, so no pair is cut.
ir::Expr FunctionLowering::LowerMap(const Expr& expr) {
  std::vector<ir::Expr> parts;
  for (const ExprPtr& child : expr.children) parts.push_back(Lower(*child));
  At(expr.span);
  const size_t together = std::min(parts.size(), kMaxArguments);
  const auto cut = parts.begin() + static_cast<ptrdiff_t>(together);
  ir::Expr map = Invoke("tern.map.make", {parts.begin(), cut}, expr.type);
  for (size_t i = together; i + 1 < parts.size(); i += 2)
    map = Invoke("tern.map.set", {map, parts[i], parts[i + 1]}, expr.type);
  return map;
}

ir::Expr FunctionLowering::LowerIndex(const Expr& expr) {
  const Type& type = expr.children[0]->type;
  // x[i] of a tensor is an operator with a relation of its own.
  if (type.is_tensor()) return LowerOperator(expr);
  const ir::Expr container = Lower(*expr.children[0]);
  const ir::Expr index = Lower(*expr.children[1]);
  At(expr.span);
  const std::string_view get = type.kind() == TypeKind::kMap    ? "tern.map.get"
                               : type.kind() == TypeKind::kList ? "tern.list.get"
                                                                : "tern.string.get";
  return Invoke(get, {container, index}, expr.type);
}

// --- operators

ir::Expr FunctionLowering::LowerUnary(const Expr& expr) {
  if (expr.target.kind == TargetKind::kOperator) return LowerOperator(expr);
  // -5 is one constant, so that the smallest int, whose positive does not exist, can be written.
  if (const std::optional<int64_t> literal = IntLiteral(expr))
    return ir::MakeConstant(Any(*literal));
  const ir::Expr operand = Lower(*expr.children[0]);
  At(expr.span);
  const ScalarOp op = expr.text == "-" ? ScalarOp::kNeg : ScalarOp::kNot;
  return Bind(ir::MakeScalar(op, {operand}), expr.type);
}

// The right side runs only where it decides, so it is a block of an if.
ir::Expr FunctionLowering::LowerShortCircuit(const Expr& expr) {
  const bool both = expr.text == "&&";
  const ir::Expr condition = Lower(*expr.children[0]);
  builder_.BeginBlock();
  const ir::LetPtr rest = builder_.EndBlock(Lower(*expr.children[1]));
  builder_.BeginBlock();
  const ir::LetPtr known = builder_.EndBlock(ir::MakeConstant(Any(!both)));
  At(expr.span);
  return Bind(ir::MakeIf(condition, both ? rest : known, both ? known : rest), Type::Bool());
}

// Equality of anything else walks the values.
ir::Expr FunctionLowering::LowerEquality(const Expr& expr, ir::Expr a, ir::Expr b) {
  if (IsFlat(expr.children[0]->type))
    return Bind(ir::MakeScalar(ScalarOf(expr.text), {std::move(a), std::move(b)}), Type::Bool());
  const ir::Expr equal = Invoke("tern.value.equal", {std::move(a), std::move(b)}, Type::Bool());
  return expr.text == "==" ? equal : Bind(ir::MakeScalar(ScalarOp::kNot, {equal}), Type::Bool());
}

ir::Expr FunctionLowering::LowerBinary(const Expr& expr) {
  if (expr.target.kind == TargetKind::kOperator) {
    const ir::Expr value = LowerOperator(expr);
    return expr.text == "!=" ? builder_.Emit("not", {value}) : value;
  }
  if (expr.text == "&&" || expr.text == "||") return LowerShortCircuit(expr);
  const Type& type = expr.children[0]->type;
  ir::Expr a = Lower(*expr.children[0]);
  ir::Expr b = Lower(*expr.children[1]);
  At(expr.span);
  if (expr.text == "==" || expr.text == "!=")
    return LowerEquality(expr, std::move(a), std::move(b));
  if (expr.text == "..") return Invoke("tern.list.range", {a, b}, expr.type);
  if (type.is_number()) return Bind(ir::MakeScalar(ScalarOf(expr.text), {a, b}), expr.type);
  if (type.kind() == TypeKind::kList) return Invoke("tern.list.concat", {a, b}, expr.type);
  if (expr.text == "+") return Invoke("tern.string.concat", {a, b}, expr.type);
  // Strings have `less` only. a > b is b < a; a <= b is not (b < a); a >= b is not (a < b).
  const bool swapped = expr.text == ">" || expr.text == "<=";
  if (swapped) std::swap(a, b);
  const ir::Expr less = Invoke("tern.string.less", {a, b}, Type::Bool());
  if (expr.text.size() == 1) return less;
  return Bind(ir::MakeScalar(ScalarOp::kNot, {less}), Type::Bool());
}

ir::Expr FunctionLowering::LowerLambda(const Expr& expr) {
  // As in FunctionLowering::Run, a pattern gets a parameter and is taken apart inside.
  std::vector<ir::VarPtr> parameters;
  for (size_t i = 0; i < expr.params.size(); ++i) {
    const Pattern& pattern = *expr.params[i].pattern;
    const std::string name = pattern.local != nullptr ? pattern.name.text : StrCat("p", i);
    parameters.push_back(NewVar(name, expr.type.parameters()[i]));
  }
  const std::vector<ir::Expr> values(parameters.begin(), parameters.end());
  const size_t scope = tensors_.size();
  builder_.BeginLambda(std::move(parameters));
  for (size_t i = 0; i < values.size(); ++i) BindPattern(*expr.params[i].pattern, values[i]);
  const ir::FunctionPtr function = builder_.EndLambda(Lower(*expr.children[0]));
  tensors_.resize(scope);
  At(expr.span);
  return Bind(function, expr.type);
}

}  // namespace tern::lang
