// SPDX-License-Identifier: Apache-2.0
#include "core/ir/rewriter.h"

namespace tern::ir {

namespace {

template <class F>
void ForEachAtom(const Expr& value, const F& visit) {
  if (const Call* call = value->As<Call>()) {
    for (const Expr& arg : call->args()) visit(arg);
  } else if (const Invoke* invoke = value->As<Invoke>()) {
    for (const Expr& arg : invoke->args()) visit(arg);
  } else if (const Tuple* tuple = value->As<Tuple>()) {
    for (const Expr& field : tuple->fields()) visit(field);
  } else if (const GetItem* item = value->As<GetItem>()) {
    visit(item->tuple());
  } else {
    visit(value);
  }
}

bool SameArgs(std::span<const Expr> a, const std::vector<Expr>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < b.size(); ++i) {
    if (!(a[i] == b[i])) return false;
  }
  return true;
}

}  // namespace

Rewriter::~Rewriter() = default;

Expr Rewriter::RewriteCall(const Call&, const std::vector<Expr>&) { return nullptr; }
Expr Rewriter::RewriteItem(const GetItem&, const Expr&) { return nullptr; }
void Rewriter::Begin(const Function&) {}

void Rewriter::Count(const Expr& expr) { ++uses_[expr.get()]; }

int Rewriter::Uses(const Expr& old) const {
  const auto found = uses_.find(old.get());
  return found == uses_.end() ? 0 : found->second;
}

const Node* Rewriter::OldDefinition(const Expr& old) const {
  const auto found = definitions_.find(old.get());
  return found == definitions_.end() ? nullptr : found->second;
}

const Call* Rewriter::OldCall(const Expr& old, ops::Op op) const {
  const Node* definition = OldDefinition(old);
  const Call* call = definition == nullptr ? nullptr : definition->As<Call>();
  return call != nullptr && call->Is(op) ? call : nullptr;
}

const Call* Rewriter::NewCall(const Expr& expr) const {
  const Node* definition = builder_.Definition(expr);
  return definition == nullptr ? nullptr : definition->As<Call>();
}

Expr Rewriter::Map(const Expr& old) const {
  const auto found = map_.find(old.get());
  return found == map_.end() ? old : found->second;
}

Expr Rewriter::KeepOrEmit(const Call& call, const std::vector<Expr>& args) {
  if (!infer_again_ && SameArgs(call.args(), args)) return builder_.Adopt(*current_);
  changed_ = true;
  builder_.SetName(current_->var->name());
  return builder_.Emit(call.op(), args, call.attrs());
}

Expr Rewriter::VisitValue(const Expr& value) {
  if (const Call* call = value->As<Call>()) {
    std::vector<Expr> args;
    for (const Expr& arg : call->args()) args.push_back(Map(arg));
    Expr replacement = RewriteCall(*call, args);
    changed_ = changed_ || replacement;
    return replacement ? replacement : KeepOrEmit(*call, args);
  }
  if (const GetItem* item = value->As<GetItem>()) {
    const Expr tuple = Map(item->tuple());
    Expr replacement = RewriteItem(*item, tuple);
    if (!replacement && tuple == item->tuple() && !infer_again_) return builder_.Adopt(*current_);
    changed_ = true;
    return replacement ? replacement : builder_.Field(tuple, item->index());
  }
  if (const Tuple* tuple = value->As<Tuple>()) {
    std::vector<Expr> fields = Escape(tuple->fields());
    if (SameArgs(tuple->fields(), fields)) return builder_.Adopt(*current_);
    changed_ = true;
    return builder_.Bind(MakeTuple(std::move(fields)));
  }
  if (const Invoke* invoke = value->As<Invoke>()) {
    std::vector<Expr> args = Escape(invoke->args());
    if (SameArgs(invoke->args(), args)) return builder_.Adopt(*current_);
    changed_ = true;
    return builder_.BindAs(MakeInvoke(invoke->callee(), std::move(args)), current_->var->type());
  }
  if (IsAtom(value)) {  // a copy
    changed_ = true;
    return Map(value);
  }
  return builder_.Adopt(*current_);
}

std::vector<Expr> Rewriter::Escape(std::span<const Expr> atoms) {
  std::vector<Expr> mapped;
  for (const Expr& atom : atoms) mapped.push_back(RewriteEscape(atom));
  return mapped;
}

void Rewriter::Visit(const Binding& binding) {
  current_ = &binding;
  builder_.SetOrigin(binding.var->origin());
  map_[binding.var.get()] = VisitValue(binding.value);
}

FunctionPtr Rewriter::Run(const FunctionPtr& function) {
  for (const Binding& binding : function->bindings()) {
    definitions_[binding.var.get()] = binding.value.get();
    ForEachAtom(binding.value, [this](const Expr& atom) { Count(atom); });
  }
  ForEachAtom(function->result(), [this](const Expr& atom) { Count(atom); });
  for (const VarPtr& parameter : function->parameters()) builder_.AddParameter(parameter);
  Begin(*function);
  for (const Binding& binding : function->bindings()) Visit(binding);
  current_ = nullptr;
  builder_.SetOrigin("");
  Expr result;
  if (const Tuple* tuple = function->result()->As<Tuple>()) {
    std::vector<Expr> fields = Escape(tuple->fields());
    changed_ = changed_ || !SameArgs(tuple->fields(), fields);
    result = changed_ ? MakeTuple(std::move(fields)) : function->result();
  } else {
    result = RewriteEscape(function->result());
    changed_ = changed_ || !(result == function->result());
  }
  if (!changed_) return function;
  return builder_.Finish(std::move(result),
                         {function->output_names().begin(), function->output_names().end()});
}

}  // namespace tern::ir
