// SPDX-License-Identifier: Apache-2.0
#include "core/loop/passes/vectorize_body.h"

#include "core/base/strings.h"

namespace tern::loop {
namespace {

std::string PartialName(const ReductionUpdate& update) {
  const Assign* assign = update.stmt->As<Assign>();
  return StrCat(assign != nullptr ? assign->var->name : update.stmt->As<Store>()->buffer->name,
                ".lanes");
}

}  // namespace

// A partial result per reduction, as wide as a vector, so that lanes do not wait for each other.
BodyVectorizer::BodyVectorizer(const LoopDependences& dependences, Lanes lanes)
    : dependences_(dependences), lanes_(lanes) {
  for (const ReductionUpdate& update : dependences.reductions) {
    const Assign* assign = update.stmt->As<Assign>();
    const DataType type =
        assign != nullptr ? assign->value->type : update.stmt->As<Store>()->value->type;
    partials_.push_back({&update, MakeVar(PartialName(update), type.With(lanes))});
  }
}

std::vector<Stmt> BodyVectorizer::DeclarePartials() {
  std::vector<Stmt> stmts;
  for (const Partial& partial : partials_) {
    Expr start = MakeBroadcast(IdentityOf(partial.update->op, partial.var->type), lanes_);
    // The identity, not the old value: that is folded in once at the end.
    stmts.push_back(MakeLet(partial.var, std::move(start), /*is_mutable=*/true));
  }
  return stmts;
}

// Into what the program declared. A store keeps its conditions, because the element need not exist
// where they do not hold.
std::vector<Stmt> BodyVectorizer::FoldPartials() const {
  std::vector<Stmt> stmts;
  for (const Partial& partial : partials_) {
    const BinaryOp op = partial.update->op;
    const Expr folded = MakeVectorReduce(op, partial.var);
    if (const Assign* assign = partial.update->stmt->As<Assign>()) {
      stmts.push_back(MakeAssign(assign->var, MakeBinary(op, assign->var, folded)));
    } else {
      const Store& store = *partial.update->stmt->As<Store>();
      const Expr old = MakeLoad(store.buffer, store.indices);
      Stmt fold = MakeStore(store.buffer, store.indices, MakeBinary(op, old, folded));
      for (const Expr& condition : partial.update->conditions) fold = MakeIf(condition, fold);
      stmts.push_back(std::move(fold));
    }
  }
  return stmts;
}

// Both were made of the same dependences, so partial results correspond by their number.
std::vector<Stmt> BodyVectorizer::TakePartials(const BodyVectorizer& other) const {
  std::vector<Stmt> stmts;
  for (size_t i = 0; i < partials_.size(); ++i) {
    const VarPtr &to = partials_[i].var, &from = other.partials_[i].var;
    stmts.push_back(MakeAssign(to, MakeBinary(partials_[i].update->op, to, from)));
  }
  return stmts;
}

// May be called again for the same body, so everything that one call finds out is reset.
Stmt BodyVectorizer::Vectorize(const For& loop, const Expr& base, Expr tail) {
  loop_var_ = loop.var.get();
  ramp_ = MakeRamp(base, MakeInt(1), lanes_);
  tail_ = std::move(tail);
  condition_ = nullptr;
  uses_masks_ = tail_ != nullptr;
  differs_.clear();
  renamed_.clear();
  FindVectorVars(loop.body);
  return VectorStmt(loop.body);
}

// Finds the variables of the body that differ between lanes. It repeats until it finds no more (a
// fixed point), because in a loop an assignment may come before what makes its value differ. Every
// round but the last adds a variable, so it ends.
void BodyVectorizer::FindVectorVars(const Stmt& body) {
  class Finder : public Visitor {
   public:
    explicit Finder(BodyVectorizer* owner) : owner_(owner) {}
    void VisitExpr(const Expr&) override {}
    void VisitStmt(const Stmt& stmt) override {
      const If* branch = stmt->As<If>();
      // What is assigned under a mask differs even if its value does not: lanes that are off keep
      // the old value.
      const bool masks = branch != nullptr && owner_->Differs(branch->condition);
      masked_ += masks;
      Descend(stmt);
      masked_ -= masks;
      const Let* let = stmt->As<Let>();
      const Assign* assign = stmt->As<Assign>();
      if (owner_->dependences_.ReductionOf(stmt.get()) != nullptr) return;
      if (let != nullptr && (masked_ > 0 || owner_->Differs(let->value))) Add(let->var.get());
      if (assign != nullptr && (masked_ > 0 || owner_->Differs(assign->value)))
        Add(assign->var.get());
    }
    bool changed = false;

   private:
    void Add(const Var* var) { changed |= owner_->differs_.insert(var).second; }
    BodyVectorizer* owner_;
    int masked_ = 0;
  };
  for (bool changed = true; changed;) {
    Finder finder(this);
    finder.VisitStmt(body);
    changed = finder.changed;
  }
}

bool BodyVectorizer::Differs(const Expr& expr) const {
  class Finder : public Visitor {
   public:
    explicit Finder(const BodyVectorizer& owner) : owner_(owner) {}
    void VisitExpr(const Expr& expr) override {
      const Var* var = expr->As<Var>();
      found |= var != nullptr && (var == owner_.loop_var_ || owner_.differs_.contains(var));
      if (!found) Descend(expr);
    }
    bool found = false;

   private:
    const BodyVectorizer& owner_;
  };
  Finder finder(*this);
  finder.VisitExpr(expr);
  return finder.found;
}

// A load under a mask stays a vector, because as a scalar it would run for lanes that are off.
bool BodyVectorizer::StaysScalar(const Expr& expr) const {
  if (Differs(expr)) return false;
  return !condition_ || !HasLoads(expr);
}

Expr BodyVectorizer::Rename(const Expr& expr) const {
  std::vector<Substitution> map;
  for (const auto& [var, made] : renamed_) map.push_back({var, made});
  return map.empty() ? expr : Substitute(expr, map);
}

Expr BodyVectorizer::Both(const Expr& a, const Expr& b) const {
  if (!a || !b) return a ? a : b;
  return MakeBinary(BinaryOp::kAnd, a, b);
}

// Lanes beyond the end and lanes whose condition does not hold are treated alike.
Expr BodyVectorizer::MemoryMask() const { return Both(tail_, condition_); }

Expr BodyVectorizer::Widen(const Expr& expr) {
  Expr vector = Vector(expr);
  return vector->type.is_vector() ? vector : MakeBroadcast(std::move(vector), lanes_);
}

// The sum of a ramp and a scalar is a ramp, and so is their product. This keeps indices
// recognizable as contiguous; as plain vectors each access would become a gather.
Expr BodyVectorizer::VectorIndex(const Binary& binary, Expr a, Expr b) {
  const Ramp *x = a->As<Ramp>(), *y = b->As<Ramp>();
  const bool ramp_first = x != nullptr && b->type.is_scalar();
  const bool ramp_second = y != nullptr && a->type.is_scalar();
  if (binary.op == BinaryOp::kAdd && ramp_first)
    return MakeRamp(Add(x->base, b), x->stride, lanes_);
  if (binary.op == BinaryOp::kAdd && ramp_second)
    return MakeRamp(Add(a, y->base), y->stride, lanes_);
  if (binary.op == BinaryOp::kSub && ramp_first)
    return MakeRamp(Sub(x->base, b), x->stride, lanes_);
  if (binary.op == BinaryOp::kSub && ramp_second)
    return MakeRamp(Sub(a, y->base), Sub(MakeInt(0), y->stride), lanes_);
  if (binary.op == BinaryOp::kMul && ramp_first)
    return MakeRamp(Mul(x->base, b), Mul(x->stride, b), lanes_);
  if (binary.op == BinaryOp::kMul && ramp_second)
    return MakeRamp(Mul(a, y->base), Mul(a, y->stride), lanes_);
  if (binary.op == BinaryOp::kAdd && x != nullptr && y != nullptr)
    return MakeRamp(Add(x->base, y->base), Add(x->stride, y->stride), lanes_);
  return nullptr;
}

Expr BodyVectorizer::VectorBinary(const Binary& binary) {
  Expr a = Vector(binary.a), b = Vector(binary.b);
  // Index type only: ramps of narrower types could wrap inside a vector.
  if (binary.a->type == kIndexType) {
    if (Expr ramp = VectorIndex(binary, a, b)) return ramp;
  }
  if (a->type.is_scalar()) a = MakeBroadcast(std::move(a), lanes_);
  if (b->type.is_scalar()) b = MakeBroadcast(std::move(b), lanes_);
  return MakeBinary(binary.op, std::move(a), std::move(b));
}

Expr BodyVectorizer::VectorLoad(const Load& load) {
  const Expr index = Vector(load.index());
  const Expr mask = MemoryMask();
  // The same element for all lanes: a scalar load, which must not run where no lane would.
  if (index->type.is_scalar() && !condition_) return MakeLoad(load.buffer, {index});
  if (mask) uses_masks_ = true;
  return MakeLoad(load.buffer, {index->type.is_scalar() ? MakeBroadcast(index, lanes_) : index},
                  mask);
}

Expr BodyVectorizer::Vector(const Expr& expr) {
  if (expr.get() == loop_var_) return ramp_;
  if (StaysScalar(expr)) return Rename(expr);
  if (const Var* var = expr->As<Var>()) return renamed_.at(var);
  if (const Load* load = expr->As<Load>()) {
    Expr made = VectorLoad(*load);
    made->span = expr->span;
    return made;
  }
  Expr made;
  switch (expr->kind) {
    // Only reached where a value differs between lanes, so one of the operands is a vector; the
    // other is broadcast.
    case ExprKind::kBinary: made = VectorBinary(*expr->As<Binary>()); break;
    case ExprKind::kNot: made = MakeNot(Widen(expr->As<Not>()->value)); break;
    case ExprKind::kSelect: {
      const auto* select = expr->As<Select>();
      made = MakeSelect(Widen(select->condition), Widen(select->a), Widen(select->b));
      break;
    }
    case ExprKind::kCast:
      made = MakeCast(expr->type.element(), Widen(expr->As<Cast>()->value));
      break;
    case ExprKind::kReinterpret:
      made = MakeReinterpret(expr->type.element(), Widen(expr->As<Reinterpret>()->value));
      break;
    case ExprKind::kCall: {
      std::vector<Expr> args;
      for (const Expr& arg : expr->As<Call>()->args) args.push_back(Widen(arg));
      made = MakeCall(expr->As<Call>()->intrinsic, std::move(args));
      break;
    }
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
    case ExprKind::kVar:
    case ExprKind::kVScale:
    case ExprKind::kLoad:
    case ExprKind::kRamp:
    case ExprKind::kBroadcast:
    case ExprKind::kLaneMask:
    case ExprKind::kVectorReduce:
    case ExprKind::kReduction: return expr;  // constants, vscale
  }
  made->span = expr->span;
  return made;
}

Stmt BodyVectorizer::VectorStmt(const Stmt& stmt) {
  // First of all: what a reduction reads is its partial result.
  if (const ReductionUpdate* update = dependences_.ReductionOf(stmt.get()))
    return VectorReduction(*update);
  Stmt made;
  switch (stmt->kind) {
    case StmtKind::kStore: made = VectorStore(*stmt->As<Store>()); break;
    case StmtKind::kIf: made = VectorIf(*stmt->As<If>()); break;
    case StmtKind::kLet: made = VectorLet(*stmt->As<Let>()); break;
    case StmtKind::kAssign: made = VectorAssign(*stmt->As<Assign>()); break;
    case StmtKind::kBlock: {
      std::vector<Stmt> stmts;
      for (const Stmt& inner : stmt->As<Block>()->stmts) stmts.push_back(VectorStmt(inner));
      made = MakeBlock(std::move(stmts));
      break;
    }
    case StmtKind::kFor: {
      const auto* loop = stmt->As<For>();
      // A variable of its own: the epilogue runs the loop again.
      const VarPtr var = MakeVar(loop->var->name);
      const Stmt body = VectorStmt(loop->body);
      const Substitution renamed{loop->var.get(), var};
      For::Range range{Rename(loop->range.min), Rename(loop->range.extent),
                       Rename(loop->range.step)};
      made = MakeFor(loop->traits, var, std::move(range), Substitute(body, {&renamed, 1}));
      break;
    }
    case StmtKind::kWhile:
    case StmtKind::kAllocate: TERN_CHECK(false, "the analysis refuses other statements");
  }
  made->span = stmt->span;
  return made;
}

Stmt BodyVectorizer::VectorStore(const Store& store) {
  // A store to one element that is no reduction was refused, so the index differs between lanes.
  const Expr index = Widen(store.index());
  return MakeStore(store.buffer, {index}, Widen(store.value), MemoryMask());
}

// A condition that is the same in all lanes stays a branch; else both branches run, under the mask
// and under its opposite.
Stmt BodyVectorizer::VectorIf(const If& branch) {
  if (StaysScalar(branch.condition)) {
    Stmt then_body = VectorStmt(branch.then_body);
    Stmt else_body = branch.else_body ? VectorStmt(branch.else_body) : nullptr;
    return MakeIf(Vector(branch.condition), std::move(then_body), std::move(else_body));
  }
  uses_masks_ = true;
  const Expr outer = condition_;
  const Expr mask = Widen(branch.condition);
  // Named ahead of the branch, because its statements may change what the condition reads.
  const VarPtr name = MakeVar("mask", mask->type);
  std::vector<Stmt> stmts = {MakeLet(name, mask)};
  condition_ = Both(outer, name);
  stmts.push_back(VectorStmt(branch.then_body));
  if (branch.else_body) {
    condition_ = Both(outer, MakeNot(name));
    stmts.push_back(VectorStmt(branch.else_body));
  }
  condition_ = outer;
  return MakeBlock(std::move(stmts));
}

Stmt BodyVectorizer::VectorLet(const Let& let) {
  // Declared anew, because the epilogue declares it too.
  const bool differs = differs_.contains(let.var.get());
  const VarPtr var = MakeVar(let.var->name, differs ? let.var->type.With(lanes_) : let.var->type);
  const Expr value = differs ? Widen(let.value) : Vector(let.value);
  renamed_[let.var.get()] = var;
  return MakeLet(var, value, let.is_mutable);
}

Stmt BodyVectorizer::VectorAssign(const Assign& assign) {
  const VarPtr& var = renamed_.at(assign.var.get());
  if (var->type.is_scalar()) return MakeAssign(var, Vector(assign.value));
  // The tail's lanes need no selection: nobody reads variables of the body in lanes beyond the end.
  Expr value = Widen(assign.value);
  if (condition_) value = MakeSelect(condition_, std::move(value), var);
  return MakeAssign(var, std::move(value));
}

Stmt BodyVectorizer::VectorReduction(const ReductionUpdate& update) {
  VarPtr partial;
  for (const Partial& candidate : partials_) {
    if (candidate.update == &update) partial = candidate.var;
  }
  Expr value;
  // acc - e gathers -e from an identity of 0, so that partial results are always added up.
  if (update.mul_a)
    value = MakeCall(Intrinsic::kMulAdd, {Widen(update.mul_a), Widen(update.mul_b), partial});
  else
    value = MakeBinary(update.negated ? BinaryOp::kSub : update.op, partial, Widen(update.value));
  const Expr mask = MemoryMask();
  if (mask) value = MakeSelect(mask, std::move(value), partial);
  Stmt made = MakeAssign(partial, std::move(value));
  made->span = update.stmt->span;
  return made;
}

}  // namespace tern::loop
