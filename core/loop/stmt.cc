// SPDX-License-Identifier: Apache-2.0
#include "core/loop/stmt.h"

#include "core/base/strings.h"

namespace tern::loop {
namespace {

// In the order of nodes.def.
constexpr std::string_view kStmtKindNames[] = {
#define TERN_LOOP_STMT(Kind, phrase) #Kind,
#include "core/loop/nodes.def"
};

// In the order of the enumerations; as programs spell them.
constexpr std::string_view kForKindNames[] = {"serial", "parallel", "vectorized",
                                              "vectorize_scalable", "unrolled"};
constexpr std::string_view kRoleNames[] = {"plain", "vector", "epilogue"};
constexpr std::string_view kTailNames[] = {"", "predicated", "cleanup"};

template <class T>
Stmt ShareStmt(T* node) {
  return Stmt(static_cast<const StmtNode*>(node));
}

bool IsIndexScalar(const Expr& expr) { return expr && expr->type == kIndexType; }

}  // namespace

std::string_view KindName(StmtKind kind) { return kStmtKindNames[static_cast<size_t>(kind)]; }
std::string_view ForKindName(ForKind kind) { return kForKindNames[static_cast<size_t>(kind)]; }
std::string_view LoopRoleName(LoopRole role) { return kRoleNames[static_cast<size_t>(role)]; }
std::string_view LoopTailName(LoopTail tail) { return kTailNames[static_cast<size_t>(tail)]; }

// Why a store cannot be made, or "".
std::string WhyNotStore(const Buffer& buffer, std::span<const Expr> indices, DataType value,
                        const Expr& predicate) {
  std::string why = WhyNotIndex(buffer, indices, predicate);
  if (!why.empty()) return why;
  if (buffer.access == Access::kIn) {
    return StrCat("'", buffer.name, "' is an input and cannot be written; declare it out or inout");
  }
  const Lanes lanes = indices.empty() ? Lanes() : indices.back()->type.lane_count();
  const DataType wanted(buffer.dtype, lanes);
  if (value == wanted) return "";
  return StrCat("a store to '", buffer.name, "' needs a value of type ", wanted.ToString(),
                ", got ", value.ToString());
}

// A missing step is 1.
Stmt MakeFor(For::Traits traits, VarPtr var, For::Range range, Stmt body) {
  TERN_CHECK(var && var->type == kIndexType && body);
  TERN_CHECK(IsIndexScalar(range.min) && IsIndexScalar(range.extent));
  if (!range.step) range.step = MakeInt(1);
  TERN_CHECK(IsIndexScalar(range.step));
  return ShareStmt(new For(traits, std::move(var), std::move(range), std::move(body)));
}

Stmt MakeWhile(LoopRole role, Expr condition, Stmt body) {
  TERN_CHECK(condition && condition->type == kBoolType && body);
  return ShareStmt(new While(role, std::move(condition), std::move(body)));
}

Stmt MakeStore(BufferPtr buffer, std::vector<Expr> indices, Expr value, Expr predicate) {
  // The parser has asked WhyNotStore before, with a place for its answer.
  TERN_CHECK(buffer && value && WhyNotStore(*buffer, indices, value->type, predicate).empty());
  return ShareStmt(
      new Store(std::move(buffer), std::move(indices), std::move(value), std::move(predicate)));
}

Stmt MakeIf(Expr condition, Stmt then_body, Stmt else_body) {
  TERN_CHECK(condition && condition->type == kBoolType && then_body);
  return ShareStmt(new If(std::move(condition), std::move(then_body), std::move(else_body)));
}

// Blocks in blocks are flattened and a block of one statement is that statement, so that passes may
// return blocks freely.
Stmt MakeBlock(std::vector<Stmt> stmts) {
  std::vector<Stmt> flat;
  for (Stmt& stmt : stmts) {
    TERN_CHECK(stmt);
    const Block* inner = stmt->As<Block>();
    if (inner != nullptr)
      flat.insert(flat.end(), inner->stmts.begin(), inner->stmts.end());
    else
      flat.push_back(std::move(stmt));
  }
  if (flat.size() == 1) return flat[0];
  return ShareStmt(new Block(std::move(flat)));
}

Stmt MakeAllocate(BufferPtr buffer) {
  TERN_CHECK(buffer && buffer->access == Access::kLocal);
  return ShareStmt(new Allocate(std::move(buffer)));
}

Stmt MakeLet(VarPtr var, Expr value, bool is_mutable) {
  TERN_CHECK(var && value && var->type == value->type);
  return ShareStmt(new Let(std::move(var), std::move(value), is_mutable));
}

Stmt MakeAssign(VarPtr var, Expr value) {
  TERN_CHECK(var && value && var->type == value->type);
  return ShareStmt(new Assign(std::move(var), std::move(value)));
}

// Null if there is no function of that name.
const LoopFunction* Program::Find(std::string_view name) const {
  for (const LoopFunction& function : functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace tern::loop
