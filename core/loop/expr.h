// SPDX-License-Identifier: Apache-2.0
// Expressions of the loop IR: immutable, counted, made only by the Make… functions, which check.
//
// Values are scalars or vectors (data_type.h); operands of one node have the same lanes, a scalar
// meets a vector only through Broadcast. An expression has no side effects and no order: sharing
// one node in several places means the same value. Variables and buffers are told apart by address;
// their names are hints that the printer makes unique. A node's fields are readable only, because
// Expr points to const.
#ifndef TERN_CORE_LOOP_EXPR_H_
#define TERN_CORE_LOOP_EXPR_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/loop/data_type.h"
#include "core/object/counted_node.h"
#include "core/object/object.h"
#include "core/text/source.h"

namespace tern::loop {

enum class ExprKind : int8_t {
#define TERN_LOOP_EXPR(Kind, phrase) k##Kind,
#include "core/loop/nodes.def"
};
std::string_view KindName(ExprKind kind);

class Node : public CountedNode {
 public:
  // Where it was written; passes hand it on. Not part of its meaning.
  mutable text::Span span;

 protected:
  ~Node() override;
};

// What expressions and statements have in common. Each has an enumeration of its own, so that a
// switch over one lists all of it.
template <class Kind>
class NodeOf : public Node {
 public:
  const Kind kind;

  template <class T>
  const T* As() const {
    return kind == T::kKind ? static_cast<const T*>(this) : nullptr;
  }

 protected:
  explicit NodeOf(Kind k) : kind(k) {}
};

class ExprNode : public NodeOf<ExprKind> {
 public:
  const DataType type;

 protected:
  ExprNode(ExprKind k, DataType t) : NodeOf(k), type(t) {}
};
using Expr = ObjectPtr<const ExprNode>;

// What a buffer parameter is for. A workspace is the caller's memory with nothing in it.
enum class Access : int8_t { kIn, kOut, kInOut, kWorkspace, kLocal };
std::string_view AccessName(Access access);  // "in", "out", …

// Elements in row-major order. The shape is made of int64 expressions over size parameters; of a
// local buffer, of constants.
struct Buffer {
  std::string name;
  DType dtype;
  std::vector<Expr> shape;
  Access access = Access::kIn;
  text::Span span;

  void IncRef() const { ++ref_count; }
  void DecRef() const {
    if (--ref_count == 0) delete this;
  }
  mutable int32_t ref_count = 0;
};
using BufferPtr = ObjectPtr<const Buffer>;

enum class BinaryOp : int8_t {
#define TERN_LOOP_BINARY(Name, text, precedence, Class, fold, phrase) k##Name,
#include "core/loop/binary_ops.def"
};
enum class BinaryClass : int8_t { kArithmetic, kInteger, kCompare, kLogic };
struct BinaryInfo {
  BinaryOp op;
  std::string_view name;  // "Add"
  std::string_view text;  // "+", "min"
  int precedence;         // 0: written as a call
  BinaryClass op_class;
  std::string_view fold;  // "sum": what a reduction by it is called; empty: there is none
  std::string_view phrase;
};
std::span<const BinaryInfo> AllBinaryOps();
// Null if there is no such reduction.
const BinaryInfo* FindFold(std::string_view fold);
const BinaryInfo& InfoOf(BinaryOp op);

enum class Intrinsic : int8_t {
#define TERN_LOOP_INTRINSIC(Name, ...) k##Name,
#include "core/loop/intrinsics.def"
};
enum class IntrinsicTypes : int8_t { kFloats, kNumbers };
struct IntrinsicInfo {
  Intrinsic intrinsic;
  std::string_view text;
  int arity;
  IntrinsicTypes types;
  bool lowered;  // emitters know it; the others become polynomials
  std::string_view phrase;
};
std::span<const IntrinsicInfo> AllIntrinsics();
const IntrinsicInfo& InfoOf(Intrinsic intrinsic);

// Constructors of nodes are for the Make… functions only. What a Make function takes can be read
// from the node it made, in members or accessors that fields.h lists.
struct IntImm : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kIntImm;
  IntImm(DataType t, int64_t v) : ExprNode(kKind, t), value(v) {}
  const int64_t value;
};

struct FloatImm : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kFloatImm;
  FloatImm(DataType t, double v) : ExprNode(kKind, t), value(v) {}
  const double value;
};

struct Var : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kVar;
  Var(std::string n, DataType t) : ExprNode(kKind, t), name(std::move(n)) {}
  const std::string name;
};
using VarPtr = ObjectPtr<const Var>;

struct VScale : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kVScale;
  VScale() : ExprNode(kKind, kIndexType) {}
};

struct Binary : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kBinary;
  Binary(DataType t, BinaryOp o, Expr x, Expr y)
      : ExprNode(kKind, t), op(o), a(std::move(x)), b(std::move(y)) {}
  const BinaryOp op;
  const Expr a, b;
};

struct Not : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kNot;
  explicit Not(Expr v) : ExprNode(kKind, v->type), value(std::move(v)) {}
  const Expr value;
};

struct Select : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kSelect;
  Select(Expr c, Expr x, Expr y)
      : ExprNode(kKind, x->type), condition(std::move(c)), a(std::move(x)), b(std::move(y)) {}
  const Expr condition, a, b;
};

struct Cast : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kCast;
  Cast(DataType t, Expr v) : ExprNode(kKind, t), value(std::move(v)) {}
  DType element() const { return type.element(); }
  const Expr value;
};

struct Reinterpret : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kReinterpret;
  Reinterpret(DataType t, Expr v) : ExprNode(kKind, t), value(std::move(v)) {}
  DType element() const { return type.element(); }
  const Expr value;
};

// As many indices as the buffer has dimensions, or, after flatten_buffers, one: the element's
// number. The lanes are the index's (of the last one, before flattening).
struct Load : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kLoad;
  Load(DataType t, BufferPtr b, std::vector<Expr> i, Expr p)
      : ExprNode(kKind, t), buffer(std::move(b)), indices(std::move(i)), predicate(std::move(p)) {}
  const BufferPtr buffer;
  const std::vector<Expr> indices;
  const Expr predicate;  // null: every lane
  const Expr& index() const {
    TERN_DCHECK(indices.size() == 1);
    return indices[0];
  }
};

struct Ramp : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kRamp;
  Ramp(Expr b, Expr s, Lanes n)
      : ExprNode(kKind, b->type.With(n)), base(std::move(b)), stride(std::move(s)) {}
  Lanes lanes() const { return type.lane_count(); }
  const Expr base, stride;
};

struct Broadcast : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kBroadcast;
  Broadcast(Expr v, Lanes n) : ExprNode(kKind, v->type.With(n)), value(std::move(v)) {}
  Lanes lanes() const { return type.lane_count(); }
  const Expr value;
};

struct Call : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kCall;
  Call(Intrinsic i, std::vector<Expr> a)
      : ExprNode(kKind, a[0]->type), intrinsic(i), args(std::move(a)) {}
  const Intrinsic intrinsic;
  const std::vector<Expr> args;
};

struct LaneMask : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kLaneMask;
  LaneMask(Expr b, Expr e, Lanes n)
      : ExprNode(kKind, kBoolType.With(n)), base(std::move(b)), bound(std::move(e)) {}
  Lanes lanes() const { return type.lane_count(); }
  const Expr base, bound;
};

// op: Add, Mul, Min, Max, And, Or.
struct VectorReduce : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kVectorReduce;
  VectorReduce(BinaryOp o, Expr v)
      : ExprNode(kKind, v->type.Scalar()), op(o), value(std::move(v)) {}
  const BinaryOp op;
  const Expr value;
};

struct ReduceAxis {
  VarPtr var;
  Expr extent;  // from 0
};
struct Reduction : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kReduction;
  Reduction(BinaryOp o, std::vector<ReduceAxis> x, Expr v)
      : ExprNode(kKind, v->type), op(o), axes(std::move(x)), value(std::move(v)) {}
  const BinaryOp op;
  const std::vector<ReduceAxis> axes;
  const Expr value;
};

// "" where the Make function of that name would accept these operands, else what is wrong with
// them, for messages. The Make functions end the process on operands that are refused.
std::string WhyNotBinary(BinaryOp op, DataType a, DataType b);
std::string WhyNotSelect(DataType condition, DataType a, DataType b);
std::string WhyNotCast(DataType from, DataType to);
std::string WhyNotReinterpret(DataType from, DataType to);
std::string WhyNotIndex(const Buffer& buffer, std::span<const Expr> indices, const Expr& predicate);
std::string WhyNotCall(Intrinsic intrinsic, std::span<const Expr> args);
std::string WhyNotReduce(BinaryOp op, DataType vector);
std::string WhyNotReduction(BinaryOp op, DataType value);
bool FitsInt(DataType type, int64_t value);

Expr MakeInt(DataType type, int64_t value);  // wraps to the type; type may be bool
Expr MakeInt(int64_t value);                 // of kIndexType
Expr MakeBool(bool value);
Expr MakeFloat(DataType type, double value);   // rounds to the type
Expr MakeNumber(DataType type, double value);  // of either kind
VarPtr MakeVar(std::string name, DataType type = kIndexType);
Expr MakeVScale();
Expr MakeBinary(BinaryOp op, Expr a, Expr b);
Expr MakeNot(Expr value);
Expr MakeSelect(Expr condition, Expr a, Expr b);
Expr MakeCast(DType element, Expr value);  // the value itself where it has that type
Expr MakeReinterpret(DType element, Expr value);
BufferPtr MakeBuffer(std::string name, DType dtype, std::vector<Expr> shape, Access access);
Expr MakeLoad(BufferPtr buffer, std::vector<Expr> indices, Expr predicate = nullptr);
Expr MakeRamp(Expr base, Expr stride, Lanes lanes);
Expr MakeBroadcast(Expr value, Lanes lanes);
Expr MakeCall(Intrinsic intrinsic, std::vector<Expr> args);
Expr MakeLaneMask(Expr base, Expr bound, Lanes lanes);
Expr MakeVectorReduce(BinaryOp op, Expr value);
Expr MakeReduction(BinaryOp op, std::vector<ReduceAxis> axes, Expr value);

// The number of lanes as an expression: 4, or vscale * 4.
Expr MakeLanes(Lanes lanes);
// Folded where both are constants or one is neutral; for index arithmetic made by passes.
Expr Add(Expr a, Expr b);
Expr Sub(Expr a, Expr b);
Expr Mul(Expr a, Expr b);
Expr FloorDiv(Expr a, Expr b);

// The value where it is an integer constant.
const IntImm* AsInt(const Expr& expr);
bool IsInt(const Expr& expr, int64_t value);
// Where a reduction starts: 0 for Add, the least value for Max, …
Expr IdentityOf(BinaryOp op, DataType type);
// Variables and buffers of one program beside those of another that stand in their places.
class NodePairs {
 public:
  void Add(const void* a, const void* b) { pairs_.emplace_back(a, b); }
  bool Has(const void* a, const void* b) const;

 private:
  std::vector<std::pair<const void*, const void*>> pairs_;
};
// The same tree; variables and buffers by identity, or where `pairs` says so. With pairs,
// reductions are compared too, and what they bind is added.
bool SameExpr(const Expr& a, const Expr& b, NodePairs* pairs = nullptr);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EXPR_H_
