// SPDX-License-Identifier: Apache-2.0
#include "core/ir/builder.h"

#include "core/base/check.h"
#include "core/ir/infer.h"

namespace tern::ir {

namespace {

// Adds "argument 1 (w): f32[8, 3, 3, 3]" for every argument: a mistake is usually seen from the
// types.
void AddArguments(const ops::OpInfo& op, std::span<const Expr> args, text::Diagnostic* diagnostic) {
  constexpr size_t kMost = 8;
  for (size_t i = 0; i < args.size() && i < kMost; ++i) {
    if (IsNone(args[i])) continue;
    const std::string_view name = op.parameter(static_cast<int>(i));
    diagnostic->Context(
        name.empty() ? StrCat("argument ", i) : StrCat("argument ", i, " (", name, ")"),
        TypeOf(args[i]).ToText());
  }
  if (args.size() > kMost) diagnostic->Note(StrCat("and ", args.size() - kMost, " more arguments"));
}

}  // namespace

VarPtr Builder::AddParameter(std::string_view name, types::Type type) {
  parameters_.push_back(MakeVar(std::string(name), std::move(type)));
  return parameters_.back();
}

void Builder::AddParameter(VarPtr var) {
  SkipSymbols(var->type());
  parameters_.push_back(std::move(var));
}

// Skips fresh names up to those of a type that was made elsewhere: two extents of one name are
// taken for equal.
void Builder::SkipSymbols(const types::Type& type) {
  std::vector<std::string> symbols;
  type.CollectSymbols(&symbols);
  for (const std::string& symbol : symbols) {
    const std::optional<int64_t> number =
        symbol[0] == '_' ? ParseInt64(symbol.substr(1)) : std::nullopt;
    if (number.has_value() && *number > fresh_symbols_ && *number < INT32_MAX) {
      fresh_symbols_ = static_cast<int>(*number);
    }
  }
}

int* Builder::FreshSymbols() {
  for (const Var* var : unskipped_) SkipSymbols(var->type());
  unskipped_.clear();
  return &fresh_symbols_;
}

// Takes a binding over as it is, with its variable: what a rewriter leaves alone keeps its
// identity, so that "did it change" stays a comparison of pointers.
Expr Builder::Adopt(const Binding& binding) {
  unskipped_.push_back(binding.var.get());
  definitions_[binding.var.get()] = {binding.var, binding.value, lambda_depth_};
  bindings_.push_back(binding);
  return binding.var;
}

Expr Builder::Emit(std::string_view op, std::vector<Expr> args, const Attrs& attrs) {
  const ops::OpInfo* info = ops::FindOp(op);
  TERN_CHECK(info != nullptr, "an operator that is not in ops.def");
  return Emit(*info, std::move(args), attrs);
}

Expr Builder::Emit(ops::Op op, std::vector<Expr> args, const Attrs& attrs) {
  return Emit(ops::InfoOf(op), std::move(args), attrs);
}

Expr Builder::Emit(const ops::OpInfo& op, std::vector<Expr> args, const Attrs& attrs) {
  // Missing arguments at the end are left out, so that calls that mean the same have the same
  // arguments.
  while (!args.empty() && IsNone(args.back())) args.pop_back();
  Inferred inferred;
  // An error is told once, and the call is bound all the same with an unknown type, so that
  // building goes on and finds more mistakes.
  Status status = InferCall(op, attrs, args, FreshSymbols(), &inferred);
  if (!status.ok()) {
    // Attribute errors name the operator themselves.
    const bool named = status.message().starts_with(StrCat(op.name, ": "));
    text::Diagnostic& diagnostic = diagnostics_->Error(
        "E0310", named ? std::string(status.message()) : StrCat(op.name, ": ", status.message()));
    if (!origin_.empty()) diagnostic.InNode(origin_);
    AddArguments(op, args, &diagnostic);
    for (const std::string& note : status.notes()) diagnostic.Note(note);
  }
  return Add(MakeCall(op, std::move(args), attrs), std::move(inferred.type),
             std::move(inferred.value));
}

// A field of a tuple whose making can be seen needs no binding. Of others, the type tells it.
Expr Builder::Field(const Expr& tuple, int index) {
  const Node* definition = Definition(tuple);
  const Tuple* made = definition == nullptr ? tuple->As<Tuple>() : definition->As<Tuple>();
  if (made != nullptr) return made->fields()[static_cast<size_t>(index)];
  const types::Type type = TypeOf(tuple);
  types::Type element;
  if (type.is_tuple() && static_cast<size_t>(index) < type.elements().size()) {
    element = type.elements()[static_cast<size_t>(index)];
  }
  return Add(MakeGetItem(tuple, index), std::move(element), nullptr);
}

Expr Builder::Bind(Expr value) {
  if (IsAtom(value)) return value;
  if (const Call* call = value->As<Call>()) {
    return Emit(call->op(), {call->args().begin(), call->args().end()}, call->attrs());
  }
  if (const GetItem* item = value->As<GetItem>()) return Field(item->tuple(), item->index());
  if (const Scalar* scalar = value->As<Scalar>())
    return EmitScalar(scalar->op(), {scalar->args().begin(), scalar->args().end()});
  TERN_CHECK(value->kind() == NodeKind::kTuple || value->kind() == NodeKind::kFunction,
             "a value whose type only BindAs can give");
  types::Type type = TypeOf(value);
  return Add(std::move(value), std::move(type), nullptr);
}

Expr Builder::Add(Expr value, types::Type type, std::shared_ptr<const ops::Values> known) {
  VarPtr var = MakeVar(std::move(name_), std::move(type), origin_, std::move(known));
  name_.clear();
  definitions_[var.get()] = {var, value, lambda_depth_};
  bindings_.push_back({var, std::move(value)});
  return var;
}

const Node* Builder::Definition(const Expr& expr) const {
  const Known* found = definitions_.Find(expr.get());
  // Patterns must not reach across a lambda: what is outside is computed once, what is inside
  // perhaps often.
  if (found == nullptr || found->lambda != lambda_depth_) return nullptr;
  return found->value.get();
}

// The bindings of the block around wait on a stack until this one ends.
void Builder::BeginBlock() {
  outer_.push_back({std::move(bindings_), {}});
  bindings_.clear();
}

LetPtr Builder::EndBlock(Expr result) {
  TERN_CHECK(!outer_.empty(), "EndBlock without BeginBlock");
  Expr block = MakeLet(std::move(bindings_), std::move(result));
  bindings_ = std::move(outer_.back().bindings);
  outer_.pop_back();
  return LetPtr(block->As<Let>());
}

void Builder::BeginLambda(std::vector<VarPtr> parameters) {
  // A lambda is a block with parameters that patterns do not look out of.
  for (const VarPtr& parameter : parameters) SkipSymbols(parameter->type());
  BeginBlock();
  outer_.back().parameters = std::move(parameters);
  ++lambda_depth_;
}

FunctionPtr Builder::EndLambda(Expr result) {
  TERN_CHECK(!outer_.empty() && lambda_depth_ > 0, "EndLambda without BeginLambda");
  std::vector<VarPtr> parameters = std::move(outer_.back().parameters);
  --lambda_depth_;
  return MakeFunction(std::move(parameters), EndBlock(std::move(result)), {});
}

// Extents that nothing tells get names of their own, so that equal ones can still be seen to be
// equal.
types::Dim Builder::FreshDim() { return types::Dim::Symbol(StrCat("_", ++*FreshSymbols())); }

// The type of a value that comes from either of two branches. Extents that differ become a new
// symbol; types without anything in common are unknown.
types::Type Builder::Join(const types::Type& a, const types::Type& b) {
  if (a == b) return a;
  if (a.is_tensor() && b.is_tensor()) {
    types::TensorType joined = a.tensor();
    const types::TensorType& other = b.tensor();
    if (joined.dtype != other.dtype || joined.rank() != other.rank()) return types::Type();
    for (size_t i = 0; i < joined.dims.size(); ++i) {
      if (!(joined.dims[i] == other.dims[i])) joined.dims[i] = FreshDim();
    }
    return types::Type::Tensor(std::move(joined));
  }
  if (a.is_tuple() && b.is_tuple() && a.elements().size() == b.elements().size()) {
    std::vector<types::Type> elements;
    for (size_t i = 0; i < a.elements().size(); ++i)
      elements.push_back(Join(a.elements()[i], b.elements()[i]));
    return types::Type::Tuple(std::move(elements));
  }
  return types::Type();
}

Expr Builder::EmitScalar(ScalarOp op, std::vector<Expr> args) {
  std::vector<types::Type> types;
  for (const Expr& arg : args) types.push_back(TypeOf(arg));
  Result<types::Type> type = InferScalar(op, types);
  if (!type.ok()) {
    text::Diagnostic& diagnostic =
        diagnostics_->Error("E0310", std::string(type.status().message()));
    if (!origin_.empty()) diagnostic.InNode(origin_);
    // Too few arguments to make a node of; any node will do after the error.
    if (args.size() != static_cast<size_t>(InfoOf(op).arity)) return Add(MakeNone(), {}, nullptr);
  }
  return Add(MakeScalar(op, std::move(args)), type.ok() ? *type : types::Type(), nullptr);
}

Expr Builder::EmitInvoke(Expr callee, const types::Type& function, std::vector<Expr> args) {
  // Extents of a closure's result cannot be named anew: nobody sees which function it is.
  int* const fresh = callee->As<Global>() != nullptr ? FreshSymbols() : nullptr;
  types::Type type = InferInvoke(function, args, fresh);
  return Add(MakeInvoke(std::move(callee), std::move(args)), std::move(type), nullptr);
}

Expr Builder::EmitIf(Expr condition, Expr then_block, Expr else_block) {
  types::Type type = Join(TypeOf(then_block), TypeOf(else_block));
  return Add(MakeIf(std::move(condition), std::move(then_block), std::move(else_block)),
             std::move(type), nullptr);
}

FunctionPtr Builder::Finish(Expr result, std::vector<std::string> output_names) {
  Expr body = MakeLet(std::move(bindings_), std::move(result));
  TERN_CHECK(outer_.empty(), "a block is open");
  bindings_.clear();
  FreshSymbols();
  definitions_.clear();
  return MakeFunction(std::move(parameters_), std::move(body), std::move(output_names));
}

}  // namespace tern::ir
