// SPDX-License-Identifier: Apache-2.0
// Statements of the loop IR, loop functions and programs; immutable like expressions (expr.h).
//
// The C function of a compiled LoopFunction is
//   int32_t f(void* const* buffers, const int64_t* sizes)
// with one pointer per buffer parameter in order, aligned to its element, and one slot per size
// parameter followed by one per scalar parameter, whose bits are the slot's low bytes. It returns
// 0. Buffers do not overlap.
#ifndef TERN_CORE_LOOP_STMT_H_
#define TERN_CORE_LOOP_STMT_H_

#include "core/loop/expr.h"

namespace tern::loop {

enum class StmtKind : int8_t {
#define TERN_LOOP_STMT(Kind, phrase) k##Kind,
#include "core/loop/nodes.def"
};
std::string_view KindName(StmtKind kind);

class StmtNode : public NodeOf<StmtKind> {
 protected:
  explicit StmtNode(StmtKind k) : NodeOf(k) {}
};
using Stmt = ObjectPtr<const StmtNode>;

enum class ForKind : int8_t {
  kSerial,
  kParallel,           // iterations in any order, also at once
  kVectorized,         // in fixed vectors of `lanes`
  kVectorizeScalable,  // in vectors of vscale * `lanes`
  kUnrolled,           // constant extent
};
std::string_view ForKindName(ForKind kind);  // "serial", "parallel", "vectorized", …

// What vectorizing made of a loop; says what one iteration counts as.
enum class LoopRole : int8_t { kPlain, kVectorMain, kEpilogue };
std::string_view LoopRoleName(LoopRole role);  // "plain", "vector", "epilogue"

// What a vectorized loop does with iterations that fill no vector: the kind's way is a mask for
// vectors of unknown length, scalars for others.
enum class LoopTail : int8_t { kOfKind, kPredicated, kCleanup };
std::string_view LoopTailName(LoopTail tail);  // "", "predicated", "cleanup"

inline constexpr int32_t kMaxInterleave = 16;

struct For : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kFor;
  // What is not a subtree. lanes, interleave: 0 where the pass shall choose.
  struct Traits {
    ForKind kind = ForKind::kSerial;
    LoopRole role = LoopRole::kPlain;
    int32_t lanes = 0;
    int32_t interleave = 0;  // vectors in one iteration, each with its partial results
    LoopTail tail = LoopTail::kOfKind;
  };
  struct Range {
    Expr min, extent, step;  // int64; the step is positive
  };
  For(Traits t, VarPtr v, Range r, Stmt s)
      : StmtNode(kKind), traits(t), var(std::move(v)), range(std::move(r)), body(std::move(s)) {}
  const Traits traits;
  const VarPtr var;
  const Range range;
  const Stmt body;
};

struct While : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kWhile;
  While(LoopRole r, Expr c, Stmt s)
      : StmtNode(kKind), role(r), condition(std::move(c)), body(std::move(s)) {}
  const LoopRole role;
  const Expr condition;
  const Stmt body;
};

struct Store : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kStore;
  Store(BufferPtr b, std::vector<Expr> i, Expr v, Expr p)
      : StmtNode(kKind),
        buffer(std::move(b)),
        indices(std::move(i)),
        value(std::move(v)),
        predicate(std::move(p)) {}
  const BufferPtr buffer;
  const std::vector<Expr> indices;  // as in Load
  const Expr value;
  const Expr predicate;  // null: every lane
  const Expr& index() const {
    TERN_DCHECK(indices.size() == 1);
    return indices[0];
  }
};

struct If : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kIf;
  If(Expr c, Stmt t, Stmt e)
      : StmtNode(kKind),
        condition(std::move(c)),
        then_body(std::move(t)),
        else_body(std::move(e)) {}
  const Expr condition;
  const Stmt then_body;
  const Stmt else_body;  // null: none
};

struct Block : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kBlock;
  explicit Block(std::vector<Stmt> s) : StmtNode(kKind), stmts(std::move(s)) {}
  const std::vector<Stmt> stmts;
};

struct Allocate : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kAllocate;
  explicit Allocate(BufferPtr b) : StmtNode(kKind), buffer(std::move(b)) {}
  const BufferPtr buffer;
};

struct Let : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kLet;
  Let(VarPtr v, Expr x, bool m)
      : StmtNode(kKind), var(std::move(v)), value(std::move(x)), is_mutable(m) {}
  const VarPtr var;
  const Expr value;
  const bool is_mutable;  // written `var`; else `let`
};

struct Assign : StmtNode {
  static constexpr StmtKind kKind = StmtKind::kAssign;
  Assign(VarPtr v, Expr x) : StmtNode(kKind), var(std::move(v)), value(std::move(x)) {}
  const VarPtr var;
  const Expr value;
};

std::string WhyNotStore(const Buffer& buffer, std::span<const Expr> indices, DataType value,
                        const Expr& predicate);

Stmt MakeFor(For::Traits traits, VarPtr var, For::Range range, Stmt body);
Stmt MakeWhile(LoopRole role, Expr condition, Stmt body);
Stmt MakeStore(BufferPtr buffer, std::vector<Expr> indices, Expr value, Expr predicate = nullptr);
Stmt MakeIf(Expr condition, Stmt then_body, Stmt else_body = nullptr);
// Blocks inside it are taken apart: what they declare lives on a little longer, and names are told
// apart by identity. The statement itself where there is one.
Stmt MakeBlock(std::vector<Stmt> stmts);
Stmt MakeAllocate(BufferPtr buffer);
Stmt MakeLet(VarPtr var, Expr value, bool is_mutable = false);
Stmt MakeAssign(VarPtr var, Expr value);

struct LoopFunction {
  std::string name;
  std::vector<BufferPtr> buffers;
  std::vector<VarPtr> sizes;    // int64, each at least 0
  std::vector<VarPtr> scalars;  // of any supported type
  bool relaxed = false;         // a * b + c may be fused, reductions may be reordered
  Stmt body;
  text::Span span;
};

struct Program {
  std::vector<LoopFunction> functions;
  const LoopFunction* Find(std::string_view name) const;  // null if there is none
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_STMT_H_
