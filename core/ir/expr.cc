// SPDX-License-Identifier: Apache-2.0
#include "core/ir/expr.h"

#include "core/base/check.h"

namespace tern::ir {

namespace {

constexpr std::string_view kKindNames[] = {
#define TERN_IR_NODE(Kind, phrase) #Kind,
#include "core/ir/nodes.def"
#undef TERN_IR_NODE
};

// Larger integer tensors are data, not shapes. Shapes have far fewer elements.
constexpr int64_t kMostKnownElements = 64;

// The elements of small integer vectors, which shape arithmetic is computed with; null for other
// tensors.
std::unique_ptr<const ops::Values> ReadValues(const Tensor& tensor) {
  const bool wide = tensor.dtype() == kI64;
  if ((!wide && tensor.dtype() != kI32) || tensor.rank() > 1 ||
      tensor.element_count() > kMostKnownElements || !tensor.is_contiguous() ||
      !tensor.is_aligned()) {
    return nullptr;
  }
  auto values = std::make_unique<ops::Values>();
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    values->push_back(wide ? tensor.data_as<int64_t>()[i] : int64_t{tensor.data_as<int32_t>()[i]});
  }
  return values;
}

// None, numbers, bools, strings and tensors have types; other values are unknown to the compiler.
types::Type TypeOfValue(const Any& value) {
  switch (value.type_code()) {
    case TERN_TYPE_NONE: return types::Type::None();
    case TERN_TYPE_INT: return types::Type::Int();
    case TERN_TYPE_FLOAT: return types::Type::Float();
    case TERN_TYPE_BOOL: return types::Type::Bool();
    default: break;
  }
  if (value.Is<std::string_view>()) return types::Type::String();
  const Tensor* tensor = value.TryCast<Tensor>();
  if (tensor == nullptr) return types::Type();
  std::vector<types::Dim> dims;
  for (int64_t dim : tensor->dims()) dims.push_back(dim);
  return types::Type::Tensor(tensor->dtype(), std::move(dims));
}

// Nodes do not change after they were made, so every Make function returns a pointer to const.
template <class T>
ObjectPtr<const T> Share(T* node) {
  return ObjectPtr<const T>(node);
}

}  // namespace

Node::~Node() = default;

std::string_view NodeKindName(NodeKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

// Null for an argument that is missing or None, so that callers ask once.
const Node* Call::arg(size_t index) const {
  return index < args_.size() && !IsNone(args_[index]) ? args_[index].get() : nullptr;
}

bool Constant::NeedsAligning() const {
  const Tensor* tensor = window();
  return tensor != nullptr && aligned_.is_none() && !tensor->is_aligned();
}

void Constant::Align() const {
  if (!NeedsAligning()) return;
  if (Result<TensorPtr> copy = window()->Contiguous(); copy.ok()) aligned_ = Any(*std::move(copy));
}

void Constant::AlignIn(const AlignedCopies& copies, ObjectPtr<Object> keeper) const {
  if (!NeedsAligning() || !window()->is_contiguous()) return;
  const ByteSpan bytes = window()->bytes();
  const void* copy = copies.Copy(bytes.data(), bytes.size());
  if (copy == nullptr) return;
  Result<TensorPtr> aligned = Tensor::FromMemory(copy, bytes.size(), std::move(keeper),
                                                 window()->dtype(), window()->dims());
  if (aligned.ok()) aligned_ = Any(*std::move(aligned));
}

const Any& Constant::value() const {
  Align();
  return aligned_.is_none() ? value_ : aligned_;
}

const Tensor* Constant::tensor() const {
  const Tensor* tensor = value().TryCast<Tensor>();
  return tensor != nullptr && tensor->is_aligned() ? tensor : nullptr;
}

// A body without bindings may be an atom alone.
std::span<const Binding> Function::bindings() const {
  const Let* let = body_->As<Let>();
  return let == nullptr ? std::span<const Binding>() : let->bindings();
}

const Expr& Function::result() const {
  const Let* let = body_->As<Let>();
  return let == nullptr ? body_ : let->result();
}

VarPtr MakeVar(std::string name, types::Type type, std::string origin,
               std::shared_ptr<const ops::Values> value) {
  auto* var = new Var();
  var->name_ = std::move(name);
  var->type_ = std::move(type);
  var->origin_ = std::move(origin);
  var->value_ = std::move(value);
  return Share(var);
}

Expr MakeConstant(Any value, std::string name) {
  // Elements of small vectors are read once here, because many relations ask for them.
  auto* constant = new Constant();
  constant->type_ = TypeOfValue(value);
  if (const Tensor* tensor = value.TryCast<Tensor>()) constant->known_ = ReadValues(*tensor);
  constant->value_ = std::move(value);
  constant->name_ = std::move(name);
  return Share(constant);
}

Expr MakeNone() { return MakeConstant(Any()); }

Expr MakeGlobal(std::string name) {
  auto* global = new Global();
  global->name_ = std::move(name);
  return Share(global);
}

Expr MakeTuple(std::vector<Expr> fields) {
  auto* tuple = new Tuple();
  tuple->fields_ = std::move(fields);
  return Share(tuple);
}

Expr MakeGetItem(Expr tuple, int index) {
  TERN_CHECK(tuple && index >= 0);
  auto* item = new GetItem();
  item->tuple_ = std::move(tuple);
  item->index_ = index;
  return Share(item);
}

Expr MakeCall(const ops::OpInfo& op, std::vector<Expr> args, Attrs attrs) {
  // As Builder::Emit: calls that mean the same have the same arguments.
  while (!args.empty() && IsNone(args.back())) args.pop_back();
  auto* call = new Call();
  call->op_ = &op;
  call->args_ = std::move(args);
  call->attrs_ = std::move(attrs);
  return Share(call);
}

Expr MakeInvoke(Expr callee, std::vector<Expr> args, bool tail) {
  TERN_CHECK(callee);
  auto* invoke = new Invoke();
  invoke->callee_ = std::move(callee);
  invoke->args_ = std::move(args);
  invoke->tail_ = tail;
  return Share(invoke);
}

Expr MakeLet(std::vector<Binding> bindings, Expr result) {
  TERN_CHECK(result);
  auto* let = new Let();
  let->bindings_ = std::move(bindings);
  let->result_ = std::move(result);
  return Share(let);
}

// A block of what is no block yet: no bindings, and the expression as its result.
LetPtr ToBlock(Expr expr) {
  if (expr->As<Let>() == nullptr) expr = MakeLet({}, std::move(expr));
  return LetPtr(expr->As<Let>());
}

FunctionPtr MakeFunction(std::vector<VarPtr> parameters, Expr body,
                         std::vector<std::string> output_names) {
  TERN_CHECK(body);
  auto* function = new Function();
  function->parameters_ = std::move(parameters);
  function->body_ = std::move(body);
  function->output_names_ = std::move(output_names);
  return Share(function);
}

Expr MakeInts(std::span<const int64_t> values) {
  const int64_t count = static_cast<int64_t>(values.size());
  return MakeConstant(Any(Tensor::FromValues(values, tern::Dims(&count, 1)).value()));
}

Expr MakeInt(int64_t value) { return MakeConstant(Any(Tensor::Scalar(value))); }
Expr MakeFloat(float value) { return MakeConstant(Any(Tensor::Scalar(value))); }

// Types of what has one by itself. Other nodes have the type of the variable they are bound to.
types::Type TypeOf(const Expr& expr) {
  if (const Var* var = expr->As<Var>()) return var->type();
  if (const Constant* constant = expr->As<Constant>()) return constant->type();
  if (const Let* let = expr->As<Let>()) return TypeOf(let->result());
  if (const Function* function = expr->As<Function>()) {
    std::vector<types::Type> parameters;
    for (const VarPtr& parameter : function->parameters()) parameters.push_back(parameter->type());
    return types::Type::Function(std::move(parameters), TypeOf(function->body()));
  }
  const Tuple* tuple = expr->As<Tuple>();
  if (tuple == nullptr) return types::Type();
  std::vector<types::Type> elements;
  for (const Expr& field : tuple->fields()) elements.push_back(TypeOf(field));
  return types::Type::Tuple(std::move(elements));
}

const types::TensorType* TensorTypeOf(const Expr& expr) {
  const types::Type* type = nullptr;
  if (const Var* var = expr->As<Var>()) type = &var->type();
  if (const Constant* constant = expr->As<Constant>()) type = &constant->type();
  return type != nullptr && type->is_tensor() ? &type->tensor() : nullptr;
}

// Null where nothing is known of the elements.
const ops::Values* ValuesOf(const Expr& expr) {
  if (const Var* var = expr->As<Var>()) return var->value();
  const Constant* constant = expr->As<Constant>();
  return constant == nullptr ? nullptr : constant->known_value();
}

// False unless all elements are known to be constants.
bool ConstantInts(const Expr& expr, std::vector<int64_t>* values) {
  const ops::Values* known = ValuesOf(expr);
  if (known == nullptr) return false;
  values->clear();
  for (const types::Dim& dim : *known) {
    if (!dim.is_constant()) return false;
    values->push_back(dim.constant());
  }
  return true;
}

const Tensor* ConstantTensor(const Expr& expr) {
  const Constant* constant = expr->As<Constant>();
  return constant == nullptr ? nullptr : constant->tensor();
}

const Tensor* ConstantWindow(const Expr& expr) {
  const Constant* constant = expr->As<Constant>();
  return constant == nullptr ? nullptr : constant->window();
}

bool IsNone(const Expr& expr) {
  const Constant* constant = expr->As<Constant>();
  return constant != nullptr && constant->is_none();
}

bool IsAtom(const Expr& expr) {
  const NodeKind kind = expr->kind();
  return kind == NodeKind::kVar || kind == NodeKind::kConstant || kind == NodeKind::kGlobal;
}

}  // namespace tern::ir
