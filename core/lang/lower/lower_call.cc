// SPDX-License-Identifier: Apache-2.0
// Calls of functions, primitives and operators, and conversions to tensors. The arguments are
// lowered before the call in their order, because they may have effects.
#include <algorithm>

#include "core/base/check.h"
#include "core/base/strings.h"
#include "core/lang/infer/unify.h"
#include "core/lang/lower/lower_state.h"
#include "core/lang/primitives.h"

namespace tern::lang {

using types::Dim;
using types::Type;
using types::TypeKind;

ir::Expr FunctionLowering::LowerCall(const Expr& expr) {
  // Inference has put what the name means on the call itself where types chose it.
  switch (expr.target.kind) {
    case TargetKind::kPrimitive: return LowerPrimitive(expr);
    case TargetKind::kOperator: return LowerOperator(expr);
    case TargetKind::kConvert: return LowerConvert(expr);
    case TargetKind::kNone:
    case TargetKind::kLocal:
    case TargetKind::kFunction:
    case TargetKind::kConstructor:
    case TargetKind::kDimension: break;
  }
  const Expr& callee = *expr.children[0];
  const TargetKind kind = callee.kind == ExprKind::kName ? callee.target.kind : TargetKind::kNone;
  ir::Expr function;
  // A function of the file is called by its global name, without making a closure.
  if (kind == TargetKind::kFunction && !callee.target.function->is_constant)
    function = ir::MakeGlobal(module_->NameOf(*callee.target.function));
  else if (kind != TargetKind::kConstructor)
    function = Lower(callee);
  std::vector<ir::Expr> args;
  for (size_t i = 1; i < expr.children.size(); ++i) args.push_back(Lower(*expr.children[i]));
  At(expr.span);
  if (kind == TargetKind::kConstructor) {
    const ir::DataTypePtr data = module_->DataOf(*callee.target.data);
    return Bind(ir::MakeConstruct(data, callee.target.tag, std::move(args)), expr.type);
  }
  return Bind(ir::MakeInvoke(std::move(function), std::move(args)), expr.type);
}

ir::Expr FunctionLowering::LowerPrimitive(const Expr& expr) {
  const Primitive& primitive = *expr.target.primitive;
  std::vector<ir::Expr> args;
  for (size_t i = 1; i < expr.children.size(); ++i) args.push_back(Lower(*expr.children[i]));
  At(expr.span);
  if (primitive.is_scalar()) {
    const ir::ScalarInfo* scalar = ir::FindScalar(primitive.runtime.substr(1));
    return Bind(ir::MakeScalar(scalar->op, std::move(args)), expr.type);
  }
  return Invoke(primitive.runtime, std::move(args), expr.type);
}

// --- operators

namespace {

// x[i] of a tensor is its slice i along axis 0, which `gather` with a scalar index gives.
const ops::OpInfo& OperatorOf(const Expr& expr) {
  return expr.kind == ExprKind::kIndex ? *ops::FindOp("gather") : *expr.target.op;
}

// Values with such names would mean nothing outside of inference.
bool HasUnknown(const ops::Values& values) {
  return std::any_of(values.begin(), values.end(), IsUnknownDim);
}

}  // namespace

ir::Expr FunctionLowering::LowerOperator(const Expr& expr) {
  const ops::OpInfo& op = OperatorOf(expr);
  OpCall call;
  OpProblem problem;
  TERN_CHECK(Reader().Read(expr, op, &call, &problem), "inference has read this call");
  std::vector<ir::Expr> args;
  for (const OpArgument& argument : call.arguments) args.push_back(LowerArgument(argument));
  At(expr.span);
  return builder_.Emit(op, std::move(args), call.attrs);
}

// A scalar or list becomes a tensor. If inference knows its values in terms of dimensions (a shape
// such as [n, 4]), they go along, because shapes of results depend on them.
ir::Expr FunctionLowering::LowerArgument(const OpArgument& argument) {
  if (argument.form == ArgumentForm::kMissing) return ir::MakeNone();
  if (argument.form == ArgumentForm::kTensor) return Lower(*argument.expr);
  const ir::Expr tensor = ToTensor(*argument.expr, argument.type);
  const bool constant = ir::ConstantTensor(tensor) != nullptr;
  if (constant || !argument.values.has_value() || HasUnknown(*argument.values)) return tensor;
  // The values belong to a variable, so the tensor is bound once more, to a variable that has them.
  auto values = std::make_shared<const ops::Values>(*argument.values);
  const ir::VarPtr known =
      ir::MakeVar("dims", Unifier::Widen(Type::Tensor(argument.type)), origin_, std::move(values));
  const ir::Expr copy = ir::MakeCall(*ops::FindOp("identity"), {tensor}, {});
  return builder_.Adopt({known, copy});
}

// --- tensors of numbers

namespace {

// The numbers of a literal in order, both as floats and as ints, because a list may mix them for a
// float tensor. False where something else is in it.
bool Numbers(const Expr& expr, std::vector<double>* floats, std::vector<int64_t>* ints) {
  if (expr.kind == ExprKind::kList) {
    return std::all_of(expr.children.begin(), expr.children.end(),
                       [&](const ExprPtr& child) { return Numbers(*child, floats, ints); });
  }
  if (const std::optional<int64_t> value = IntLiteral(expr)) {
    ints->push_back(*value);
    floats->push_back(static_cast<double>(*value));
    return true;
  }
  const bool minus = expr.kind == ExprKind::kUnary && expr.text == "-";
  const Expr& number = minus ? *expr.children[0] : expr;
  if (number.kind == ExprKind::kBool && !minus) {
    ints->push_back(number.text == "true" ? 1 : 0);
    floats->push_back(number.text == "true" ? 1 : 0);
    return true;
  }
  if (number.kind != ExprKind::kFloat) return false;
  std::string digits = number.text;
  std::erase(digits, '_');
  const double value = ParseDouble(digits).value_or(0);
  floats->push_back(minus ? -value : value);
  return true;
}

// FromBytes copies, so the vector may go.
template <class T, class From>
TensorPtr MakeTensor(const std::vector<From>& values, std::span<const int64_t> dims, DType dtype) {
  std::vector<T> converted;
  for (const From value : values) converted.push_back(static_cast<T>(value));
  const ByteSpan bytes(reinterpret_cast<const uint8_t*>(converted.data()),
                       converted.size() * sizeof(T));
  Result<TensorPtr> tensor = Tensor::FromBytes(dtype, dims, bytes);
  return tensor.ok() ? *std::move(tensor) : nullptr;
}

}  // namespace

// A constant tensor, so that the run has nothing to compute. Null where the numbers are not
// literal, and for element types that only the cast operator makes.
ir::Expr FunctionLowering::ConstantTensor(const Expr& expr, const types::TensorType& type) {
  std::vector<double> floats;
  std::vector<int64_t> ints, dims;
  for (const Dim& dim : type.dims) {
    if (!dim.is_constant()) return nullptr;
    dims.push_back(dim.constant());
  }
  if (!Numbers(expr, &floats, &ints)) return nullptr;
  // Ints outnumbered by floats mean that a number with a fraction is among them.
  const bool whole = ints.size() == floats.size();
  TensorPtr tensor;
  if (type.dtype == kF32) tensor = MakeTensor<float>(floats, dims, kF32);
  if (type.dtype == kF64) tensor = MakeTensor<double>(floats, dims, kF64);
  if (type.dtype == kI64 && whole) tensor = MakeTensor<int64_t>(ints, dims, kI64);
  if (type.dtype == kBool && whole) {
    for (int64_t& value : ints) value = value != 0;
    tensor = MakeTensor<uint8_t>(ints, dims, kBool);
  }
  return tensor == nullptr ? nullptr : ir::MakeConstant(Any(tensor));
}

ir::Expr FunctionLowering::ToTensor(const Expr& expr, const types::TensorType& type) {
  if (ir::Expr constant = ConstantTensor(expr, type)) return constant;
  // Numbers that are not literal: the run makes a tensor of the scalar's natural type, a cast makes
  // the rest. So the primitive needs four element types instead of all.
  Type leaf = expr.type;
  while (leaf.kind() == TypeKind::kList) leaf = leaf.arguments()[0];
  const DType native = leaf.kind() == TypeKind::kFloat    ? kF64
                       : leaf.kind() == TypeKind::kBool   ? kBool
                       : leaf.kind() == TypeKind::kString ? kString
                                                          : kI64;
  const types::TensorType made{native, type.dims};
  // A literal of another element type is made in the natural one and cast.
  ir::Expr tensor = ConstantTensor(expr, made);
  if (tensor == nullptr) {
    const ir::Expr value = Lower(expr);
    At(expr.span);
    const ir::Expr code = ir::MakeConstant(Any(native.ToString()));
    const ir::Expr rank = ir::MakeConstant(Any(static_cast<int64_t>(type.dims.size())));
    tensor = Invoke("tern.tensor.of", {value, code, rank}, Type::Tensor(made));
  }
  if (native == type.dtype) return tensor;
  Attrs attrs;
  attrs.SetString("to", type.dtype.ToString());
  return builder_.Emit("cast", {tensor}, attrs);
}

ir::Expr FunctionLowering::LowerConvert(const Expr& expr) {
  const Expr& operand = *expr.children[1];
  if (!operand.type.is_tensor()) return ToTensor(operand, expr.type.tensor());
  const ir::Expr tensor = Lower(operand);
  At(expr.span);
  if (operand.type.tensor().dtype == expr.target.dtype) return tensor;
  Attrs attrs;
  attrs.SetString("to", expr.target.dtype.ToString());
  return builder_.Emit("cast", {tensor}, attrs);
}

}  // namespace tern::lang
