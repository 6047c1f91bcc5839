// SPDX-License-Identifier: Apache-2.0
#include "core/ir/rewriter.h"

#include "core/ir/mutator.h"
#include "core/ir/visitor.h"

namespace tern::ir {

namespace {

// By pointers: arguments that were rewritten to equal ones count as changed, which only costs time.
bool SameArgs(std::span<const Expr> a, const std::vector<Expr>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < b.size(); ++i) {
    if (!(a[i] == b[i])) return false;
  }
  return true;
}

}  // namespace

Rewriter::~Rewriter() = default;

// Null keeps the binding. Passes override what they care about.
Expr Rewriter::RewriteCall(const Call&, const std::vector<Expr>&) { return nullptr; }
Expr Rewriter::RewriteItem(const GetItem&, const Expr&) { return nullptr; }
Expr Rewriter::RewriteScalar(const Scalar&, const std::vector<Expr>&) { return nullptr; }
Expr Rewriter::RewriteInvoke(const Invoke&, const Expr&, const std::vector<Expr>&) {
  return nullptr;
}
Expr Rewriter::RewriteIf(const If&, const Expr&) { return nullptr; }
Expr Rewriter::RewriteSwitch(const Switch&, const Expr&) { return nullptr; }
void Rewriter::Begin(const Function&) {}

int Rewriter::Uses(const Expr& old) const {
  const int* found = uses_.Find(old.get());
  return found == nullptr ? 0 : *found;
}

const Node* Rewriter::OldDefinition(const Expr& old) const {
  const Old* found = old_.Find(old.get());
  return found == nullptr ? nullptr : found->definition;
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

// What a variable of the old function is in the new one; atoms from elsewhere stand for themselves.
Expr Rewriter::Map(const Expr& old) const {
  const Old* found = old_.Find(old.get());
  return found == nullptr || !found->now ? old : found->now;
}

// --- values

Expr Rewriter::KeepOrEmit(const Call& call, const std::vector<Expr>& args) {
  // The same node where nothing changed, unless types are to be inferred again.
  if (!infer_again_ && SameArgs(call.args(), args)) return builder_.Adopt(*current_);
  changed_ = true;
  builder_.SetName(current_->var->name());
  Expr emitted = builder_.Emit(call.op(), args, call.attrs());
  NoteSymbols(current_->var->type(), TypeOf(emitted));
  return emitted;
}

// When types become more exact, old symbols may turn out to be other extents. They are collected,
// so that declared types that cannot be inferred (Replace) are renamed along.
void Rewriter::NoteSymbols(const types::Type& old, const types::Type& now) {
  if (!infer_again_ || old == now) return;
  if (old.is_tuple() && now.is_tuple() && old.elements().size() == now.elements().size()) {
    for (size_t i = 0; i < old.elements().size(); ++i)
      NoteSymbols(old.elements()[i], now.elements()[i]);
  }
  if (!old.is_tensor() || !now.is_tensor() || old.tensor().rank() != now.tensor().rank()) return;
  for (size_t i = 0; i < old.tensor().dims.size(); ++i) {
    const types::Dim& dim = old.tensor().dims[i];
    if (dim.is_symbol() && !(dim == now.tensor().dims[i]))
      symbols_.emplace_back(dim.ToText(), now.tensor().dims[i]);
  }
}

Expr Rewriter::Replace(Expr value) {
  changed_ = true;
  const Var& var = *current_->var;
  const types::Type type = Renamed(var.type());
  // A recursive lambda's variable is known to others of its group and must stay.
  if (current_->recursive || type == var.type())
    return builder_.Adopt({current_->var, std::move(value), current_->recursive});
  builder_.SetName(var.name());
  return builder_.BindAs(std::move(value), type);
}

Expr Rewriter::VisitCall(const Call& call) {
  std::vector<Expr> args;
  for (const Expr& arg : call.args()) args.push_back(Map(arg));
  Expr replacement = RewriteCall(call, args);
  changed_ = changed_ || replacement;
  return replacement ? replacement : KeepOrEmit(call, args);
}

Expr Rewriter::VisitItem(const GetItem& item) {
  const Expr tuple = Map(item.tuple());
  Expr replacement = RewriteItem(item, tuple);
  if (!replacement && tuple == item.tuple() && !infer_again_) return builder_.Adopt(*current_);
  changed_ = true;
  if (replacement) return replacement;
  // A tuple whose type does not tell its fields: the item's own type is what is known.
  if (!TypeOf(tuple).is_tuple()) return Replace(MakeGetItem(tuple, item.index()));
  return builder_.Field(tuple, item.index());
}

// Atoms that leave the pass's sight: they are passed to calls, stored or returned. Passes that keep
// another form of a value (a layout, a device) override RewriteEscape to convert it back.
bool Rewriter::Escape(std::span<const Expr> atoms, std::vector<Expr>* mapped) {
  for (const Expr& atom : atoms) mapped->push_back(RewriteEscape(atom));
  return !SameArgs(atoms, *mapped);
}

Expr Rewriter::VisitInvoke(const Invoke& invoke) {
  std::vector<Expr> args;
  // Only a variable is a value that could have another form; functions and primitives are names.
  const bool is_var = invoke.callee()->kind() == NodeKind::kVar;
  const Expr callee = is_var ? RewriteEscape(invoke.callee()) : invoke.callee();
  const bool changed = Escape(invoke.args(), &args) || !(callee == invoke.callee());
  Expr replacement = RewriteInvoke(invoke, callee, args);
  changed_ = changed_ || replacement;
  if (replacement) return replacement;
  if (!changed) return builder_.Adopt(*current_);
  return Replace(MakeInvoke(callee, std::move(args), invoke.is_tail()));
}

Expr Rewriter::VisitScalar(const Scalar& scalar) {
  std::vector<Expr> args;
  for (const Expr& arg : scalar.args()) args.push_back(RewriteEscape(arg));
  Expr replacement = RewriteScalar(scalar, args);
  changed_ = changed_ || replacement;
  if (replacement) return replacement;
  if (SameArgs(scalar.args(), args)) return builder_.Adopt(*current_);
  return Replace(MakeScalar(scalar.op(), std::move(args)));
}

Expr Rewriter::VisitIf(const If& node) {
  // Asked ahead of the blocks, so that a pass can take one of them instead.
  const Expr condition = RewriteEscape(node.condition());
  if (Expr replacement = RewriteIf(node, condition)) {
    changed_ = true;
    return replacement;
  }
  const LetPtr then_block = VisitBlock(node.then_block());
  const LetPtr else_block = VisitBlock(node.else_block());
  if (condition == node.condition() && then_block == node.then_block() &&
      else_block == node.else_block()) {
    return builder_.Adopt(*current_);
  }
  return Replace(MakeIf(condition, then_block, else_block));
}

Expr Rewriter::VisitSwitch(const Switch& node) {
  const Expr subject = RewriteEscape(node.subject());
  if (Expr replacement = RewriteSwitch(node, subject)) {
    changed_ = true;
    return replacement;
  }
  bool same = subject == node.subject();
  std::vector<SwitchCase> cases(node.cases().begin(), node.cases().end());
  for (SwitchCase& option : cases) {
    LetPtr block = VisitBlock(option.block);
    same = same && block == option.block;
    option.block = std::move(block);
  }
  LetPtr otherwise;
  if (node.default_block()) otherwise = VisitBlock(node.default_block());
  if (same && otherwise == node.default_block()) return builder_.Adopt(*current_);
  return Replace(MakeSwitch(node.data_type(), subject, std::move(cases), otherwise));
}

Expr Rewriter::VisitLambda(const Function& lambda) {
  const Binding* const outer = current_;
  // Whether the inside changed decides about this lambda alone; the state outside is put back.
  const bool changed_before = std::exchange(changed_, false);
  EnterBlock();
  builder_.BeginLambda({lambda.parameters().begin(), lambda.parameters().end()});
  VisitAll(lambda.bindings());
  FunctionPtr made = builder_.EndLambda(VisitResult(lambda.result()));
  LeaveBlock();
  current_ = outer;
  builder_.SetOrigin(outer->var->origin());
  const bool changed = std::exchange(changed_, changed_before);
  return changed ? Replace(std::move(made)) : builder_.Adopt(*current_);
}

// Operands that leave the pass's sight, in nodes of which no pass replaces more.
class Rewriter::Escaper : public ValueMutator {
 public:
  explicit Escaper(Rewriter* rewriter) : rewriter_(*rewriter) {}
  Expr MutateAtom(const Expr& atom) override { return rewriter_.RewriteEscape(atom); }

 private:
  Rewriter& rewriter_;
};

Expr Rewriter::VisitValue(const Expr& value) {
  std::vector<Expr> atoms;
  switch (value->kind()) {
    case NodeKind::kCall: return VisitCall(*value->As<Call>());
    case NodeKind::kGetItem: return VisitItem(*value->As<GetItem>());
    case NodeKind::kInvoke: return VisitInvoke(*value->As<Invoke>());
    case NodeKind::kScalar: return VisitScalar(*value->As<Scalar>());
    case NodeKind::kIf: return VisitIf(*value->As<If>());
    case NodeKind::kSwitch: return VisitSwitch(*value->As<Switch>());
    case NodeKind::kFunction: return VisitLambda(*value->As<Function>());
    case NodeKind::kTuple:
      if (!Escape(value->As<Tuple>()->fields(), &atoms)) return builder_.Adopt(*current_);
      changed_ = true;
      return builder_.Bind(MakeTuple(std::move(atoms)));
    case NodeKind::kConstruct:
    case NodeKind::kMakeClosure:
    case NodeKind::kDeviceCopy: {
      Expr escaped = Escaper(this).Descend(value);
      return escaped == value ? builder_.Adopt(*current_) : Replace(std::move(escaped));
    }
    // The variable is replaced by what it copies.
    case NodeKind::kVar:
    case NodeKind::kConstant:
    case NodeKind::kGlobal:  // a copy
      changed_ = true;
      return Map(value);
    case NodeKind::kFatal:
    case NodeKind::kPrimitive:
    case NodeKind::kLet: break;
  }
  return builder_.Adopt(*current_);
}

// --- blocks

void Rewriter::Visit(const Binding& binding) {
  current_ = &binding;
  builder_.SetOrigin(binding.var->origin());
  Expr now = VisitValue(binding.value);
  old_[binding.var.get()].now = std::move(now);
}

void Rewriter::VisitAll(std::span<const Binding> bindings) {
  for (const Binding& binding : bindings) Visit(binding);
}

LetPtr Rewriter::VisitBlock(const LetPtr& block) {
  const Binding* const outer = current_;
  const bool changed_before = std::exchange(changed_, false);
  EnterBlock();
  builder_.BeginBlock();
  VisitAll(block->bindings());
  LetPtr made = builder_.EndBlock(VisitResult(block->result()));
  LeaveBlock();
  current_ = outer;
  builder_.SetOrigin(outer->var->origin());
  const bool changed = std::exchange(changed_, changed_before);
  changed_ = changed_ || changed;
  return changed ? made : block;
}

// The block's bindings become bindings of the block around, which is right where exactly this block
// runs.
Expr Rewriter::Splice(const Let& block) {
  const Binding* const outer = current_;
  VisitAll(block.bindings());
  Expr result = VisitResult(block.result());
  current_ = outer;
  builder_.SetOrigin(outer->var->origin());
  return result->As<Tuple>() != nullptr ? builder_.Bind(std::move(result)) : result;
}

Expr Rewriter::VisitResult(const Expr& result) {
  if (const Tuple* tuple = result->As<Tuple>()) {
    std::vector<Expr> fields;
    if (!Escape(tuple->fields(), &fields)) return result;
    changed_ = true;
    return MakeTuple(std::move(fields));
  }
  Expr mapped = RewriteEscape(result);
  changed_ = changed_ || !(mapped == result);
  return mapped;
}

FunctionPtr Rewriter::Run(const FunctionPtr& function) {
  // Definitions and uses are of the old function, inner blocks included, and hold during the whole
  // pass.
  ForEachBinding(function->bindings(), [this](const Binding& binding) {
    old_[binding.var.get()].definition = binding.value.get();
  });
  ForEachUse(function->bindings(), function->result(),
             [this](const Expr& atom) { ++uses_[atom.get()]; });
  for (const VarPtr& parameter : function->parameters()) builder_.AddParameter(parameter);
  Begin(*function);
  VisitAll(function->bindings());
  current_ = nullptr;
  builder_.SetOrigin("");
  Expr result = VisitResult(function->result());
  if (!changed_) return function;
  return builder_.Finish(std::move(result),
                         {function->output_names().begin(), function->output_names().end()});
}

}  // namespace tern::ir
