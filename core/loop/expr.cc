// SPDX-License-Identifier: Apache-2.0
#include "core/loop/expr.h"

#include <limits>

#include "core/base/half.h"
#include "core/base/strings.h"
#include "core/loop/fields.h"

namespace tern::loop {
namespace {

// In the order of nodes.def.
constexpr std::string_view kExprKindNames[] = {
#define TERN_LOOP_EXPR(Kind, phrase) #Kind,
#include "core/loop/nodes.def"
};

// In the order of Access.
constexpr std::string_view kAccessNames[] = {"in", "out", "inout", "workspace", "local"};

constexpr BinaryInfo kBinaryOps[] = {
#define TERN_LOOP_BINARY(Name, text, precedence, Class, fold, phrase) \
  {BinaryOp::k##Name, #Name, text, precedence, BinaryClass::Class, fold, phrase},
#include "core/loop/binary_ops.def"
};

constexpr IntrinsicInfo kIntrinsics[] = {
#define TERN_LOOP_LOWERED(Name, text, arity, Types, phrase) \
  {Intrinsic::k##Name, text, arity, IntrinsicTypes::Types, true, phrase},
#define TERN_LOOP_EXPANDED(Name, text, arity, Types, phrase) \
  {Intrinsic::k##Name, text, arity, IntrinsicTypes::Types, false, phrase},
#include "core/loop/intrinsics.def"
};

template <class T>
Expr ShareExpr(T* node) {
  return Expr(static_cast<const ExprNode*>(node));
}

// Neither bool nor a vector of bools.
bool IsNumber(DataType type) { return type.is_int() || type.is_float(); }

// The value as an integer of the type: what wrapping arithmetic leaves.
int64_t Wrap(DataType type, int64_t value) {
  if (type.is_bool()) return value != 0;
  if (type.bits() == 64) return value;
  // Up and down again: sign or zeros fill the upper bits.
  const int shift = 64 - type.bits();
  const uint64_t high = static_cast<uint64_t>(value) << shift;
  return type.is_signed() ? static_cast<int64_t>(high) >> shift
                          : static_cast<int64_t>(high >> shift);
}

// The value as the element type can hold it.
double RoundTo(DType element, double value) {
  if (element == kF32) return static_cast<float>(value);
  // Rounding twice is harmless for constants that are written in text.
  if (element == kF16) return F16ToF32(F32ToF16(static_cast<float>(value)));
  if (element == kBf16) return Bf16ToF32(F32ToBf16(static_cast<float>(value)));
  return value;
}

std::string Refused(std::string_view what, DataType a, DataType b) {
  return StrCat(what, ": got ", a.ToString(), " and ", b.ToString());
}

}  // namespace

Node::~Node() = default;

std::string_view KindName(ExprKind kind) { return kExprKindNames[static_cast<size_t>(kind)]; }
std::string_view AccessName(Access access) { return kAccessNames[static_cast<size_t>(access)]; }

std::span<const BinaryInfo> AllBinaryOps() { return kBinaryOps; }

const BinaryInfo* FindFold(std::string_view fold) {
  for (const BinaryInfo& info : kBinaryOps) {
    // Operators that are no reductions have the empty name.
    if (!fold.empty() && info.fold == fold) return &info;
  }
  return nullptr;
}
const BinaryInfo& InfoOf(BinaryOp op) { return kBinaryOps[static_cast<size_t>(op)]; }
std::span<const IntrinsicInfo> AllIntrinsics() { return kIntrinsics; }
const IntrinsicInfo& InfoOf(Intrinsic intrinsic) {
  return kIntrinsics[static_cast<size_t>(intrinsic)];
}

// The WhyNot functions say what is wrong with operands, or nothing. The parser shows it to users.
std::string WhyNotBinary(BinaryOp op, DataType a, DataType b) {
  const BinaryInfo& info = InfoOf(op);
  if (a != b) return Refused(StrCat("operands of '", info.text, "' must have one type"), a, b);
  bool fits = false;
  switch (info.op_class) {
    case BinaryClass::kArithmetic: fits = IsNumber(a); break;
    case BinaryClass::kInteger: fits = a.is_int(); break;
    case BinaryClass::kCompare:
      // Booleans have equality and no order.
      fits = IsNumber(a) || op == BinaryOp::kEq || op == BinaryOp::kNe;
      break;
    case BinaryClass::kLogic: fits = a.is_int() || a.is_bool(); break;
  }
  return fits ? "" : StrCat("'", info.text, "' does not take operands of type ", a.ToString());
}

std::string WhyNotSelect(DataType condition, DataType a, DataType b) {
  if (a != b) return Refused("the arms of select must have one type", a, b);
  if (!condition.is_bool() || condition.lane_count() != a.lane_count()) {
    return StrCat("select needs a condition of type ", kBoolType.With(a.lane_count()).ToString(),
                  ", got ", condition.ToString());
  }
  return "";
}

// A cast to any element type is possible; the lanes stay.
std::string WhyNotCast(DataType from, DataType to) {
  if (from.lane_count() != to.lane_count())
    return Refused("a cast cannot change the lanes", from, to);
  return "";
}

std::string WhyNotReinterpret(DataType from, DataType to) {
  const std::string lanes = WhyNotCast(from, to);
  if (!lanes.empty()) return lanes;
  // A bool is one byte in memory and one bit in a mask, so its bits are nothing to rely on.
  if (from.bits() != to.bits() || from.is_bool() || to.is_bool())
    return Refused("reinterpret needs element types of one width, not bool", from, to);
  return "";
}

std::string WhyNotIndex(const Buffer& buffer, std::span<const Expr> indices,
                        const Expr& predicate) {
  // A buffer may also be indexed by the number of the element, as after flatten_buffers.
  const size_t rank = buffer.shape.size();
  if (indices.size() != rank && indices.size() != 1) {
    return StrCat("'", buffer.name, "' has ", rank, rank == 1 ? " dimension" : " dimensions",
                  ", got ", indices.size(), indices.size() == 1 ? " index" : " indices");
  }
  for (const Expr& index : indices) {
    if (!index->type.is_int())
      return StrCat("an index must be an integer, got ", index->type.ToString());
    // Vectors run along the last dimension.
    if (&index != &indices.back() && index->type.is_vector())
      return "only the last index may be a vector";
  }
  if (!predicate) return "";
  const DataType wanted = kBoolType.With(indices.back()->type.lane_count());
  if (predicate->type == wanted) return "";
  return StrCat("the predicate must be ", wanted.ToString(), ", got ", predicate->type.ToString());
}

std::string WhyNotCall(Intrinsic intrinsic, std::span<const Expr> args) {
  const IntrinsicInfo& info = InfoOf(intrinsic);
  if (args.size() != static_cast<size_t>(info.arity)) {
    return StrCat("'", info.text, "' takes ", info.arity,
                  info.arity == 1 ? " operand" : " operands", ", got ", args.size());
  }
  for (const Expr& arg : args) {
    if (arg->type != args[0]->type)
      return Refused(StrCat("operands of '", info.text, "' must have one type"), args[0]->type,
                     arg->type);
  }
  const DataType type = args[0]->type;
  const bool fits = info.types == IntrinsicTypes::kFloats ? type.is_float() : IsNumber(type);
  return fits ? "" : StrCat("'", info.text, "' does not take operands of type ", type.ToString());
}

std::string WhyNotReduction(BinaryOp op, DataType value) {
  if (!InfoOf(op).fold.empty()) return WhyNotBinary(op, value, value);
  return StrCat("there is no reduction by '", InfoOf(op).text, "'");
}

std::string WhyNotReduce(BinaryOp op, DataType vector) {
  if (vector.is_scalar()) return StrCat("a reduction needs a vector, got ", vector.ToString());
  return WhyNotReduction(op, vector);
}

// Unsigned 64-bit numbers above INT64_MAX cannot be written, since values are int64_t.
bool FitsInt(DataType type, int64_t value) {
  if (type.bits() == 64 && !type.is_signed()) return value >= 0;
  return Wrap(type, value) == value;
}

Expr MakeInt(DataType type, int64_t value) {
  // Vectors of constants are broadcasts, so that passes see one form.
  TERN_CHECK(type.is_scalar() && (type.is_int() || type.is_bool()));
  return ShareExpr(new IntImm(type, Wrap(type, value)));
}
Expr MakeInt(int64_t value) { return MakeInt(kIndexType, value); }
Expr MakeBool(bool value) { return MakeInt(kBoolType, value); }

Expr MakeFloat(DataType type, double value) {
  TERN_CHECK(type.is_scalar() && type.is_float());
  return ShareExpr(new FloatImm(type, RoundTo(type.element(), value)));
}

Expr MakeNumber(DataType type, double value) {
  return type.is_float() ? MakeFloat(type, value) : MakeInt(type, static_cast<int64_t>(value));
}

VarPtr MakeVar(std::string name, DataType type) { return VarPtr(new Var(std::move(name), type)); }

Expr MakeVScale() { return ShareExpr(new VScale()); }

Expr MakeBinary(BinaryOp op, Expr a, Expr b) {
  // Checked, not reported: passes must not build what is ill-typed; the parser asks WhyNot… first.
  TERN_CHECK(a && b && WhyNotBinary(op, a->type, b->type).empty());
  const bool compares = InfoOf(op).op_class == BinaryClass::kCompare;
  const DataType type = compares ? kBoolType.With(a->type.lane_count()) : a->type;
  return ShareExpr(new Binary(type, op, std::move(a), std::move(b)));
}

Expr MakeNot(Expr value) {
  TERN_CHECK(value && value->type.is_bool());
  return ShareExpr(new Not(std::move(value)));
}

Expr MakeSelect(Expr condition, Expr a, Expr b) {
  TERN_CHECK(condition && a && b && WhyNotSelect(condition->type, a->type, b->type).empty());
  return ShareExpr(new Select(std::move(condition), std::move(a), std::move(b)));
}

// A cast to the same type is the value itself.
Expr MakeCast(DType element, Expr value) {
  TERN_CHECK(value && DataType::IsSupported(element));
  if (value->type.element() == element) return value;
  const DataType type = value->type.WithElement(element);
  return ShareExpr(new Cast(type, std::move(value)));
}

Expr MakeReinterpret(DType element, Expr value) {
  const DataType type = value->type.WithElement(element);
  TERN_CHECK(WhyNotReinterpret(value->type, type).empty());
  return ShareExpr(new Reinterpret(type, std::move(value)));
}

BufferPtr MakeBuffer(std::string name, DType dtype, std::vector<Expr> shape, Access access) {
  TERN_CHECK(DataType::IsSupported(dtype));
  for (const Expr& extent : shape) TERN_CHECK(extent && extent->type == kIndexType);
  // Buffers are compared by address: two of one name are two.
  auto* buffer = new Buffer();
  buffer->name = std::move(name);
  buffer->dtype = dtype;
  buffer->shape = std::move(shape);
  buffer->access = access;
  return BufferPtr(buffer);
}

// The lanes of a load are those of its last index.
Expr MakeLoad(BufferPtr buffer, std::vector<Expr> indices, Expr predicate) {
  TERN_CHECK(buffer && WhyNotIndex(*buffer, indices, predicate).empty());
  const Lanes lanes = indices.empty() ? Lanes() : indices.back()->type.lane_count();
  const DataType type(buffer->dtype, lanes);
  return ShareExpr(new Load(type, std::move(buffer), std::move(indices), std::move(predicate)));
}

Expr MakeRamp(Expr base, Expr stride, Lanes lanes) {
  TERN_CHECK(base && stride && base->type == stride->type && base->type.is_scalar() &&
             base->type.is_int() && !lanes.is_scalar());
  return ShareExpr(new Ramp(std::move(base), std::move(stride), lanes));
}

// So that callers need not tell scalars from vectors.
Expr MakeBroadcast(Expr value, Lanes lanes) {
  TERN_CHECK(value && value->type.is_scalar());
  if (lanes.is_scalar()) return value;
  return ShareExpr(new Broadcast(std::move(value), lanes));
}

Expr MakeCall(Intrinsic intrinsic, std::vector<Expr> args) {
  TERN_CHECK(WhyNotCall(intrinsic, args).empty());
  return ShareExpr(new Call(intrinsic, std::move(args)));
}

Expr MakeLaneMask(Expr base, Expr bound, Lanes lanes) {
  TERN_CHECK(base && bound && base->type == kIndexType && bound->type == kIndexType &&
             !lanes.is_scalar());
  return ShareExpr(new LaneMask(std::move(base), std::move(bound), lanes));
}

Expr MakeVectorReduce(BinaryOp op, Expr value) {
  TERN_CHECK(value && WhyNotReduce(op, value->type).empty());
  return ShareExpr(new VectorReduce(op, std::move(value)));
}

Expr MakeReduction(BinaryOp op, std::vector<ReduceAxis> axes, Expr value) {
  TERN_CHECK(value && value->type.is_scalar() && WhyNotReduction(op, value->type).empty());
  return ShareExpr(new Reduction(op, std::move(axes), std::move(value)));
}

// The number of lanes as a value, for loops that step by vectors.
Expr MakeLanes(Lanes lanes) {
  if (!lanes.scalable) return MakeInt(lanes.count);
  return Mul(MakeVScale(), MakeInt(lanes.count));
}

const IntImm* AsInt(const Expr& expr) { return expr ? expr->As<IntImm>() : nullptr; }

bool IsInt(const Expr& expr, int64_t value) {
  const IntImm* imm = AsInt(expr);
  return imm != nullptr && imm->value == value;
}

// Constants are folded where nodes are made, so that passes need not simplify what they write.
Expr Add(Expr a, Expr b) {
  const IntImm *x = AsInt(a), *y = AsInt(b);
  int64_t sum = 0;
  if (IsInt(a, 0)) return b;
  if (IsInt(b, 0)) return a;
  if (x != nullptr && y != nullptr && !__builtin_add_overflow(x->value, y->value, &sum))
    return MakeInt(a->type, sum);
  return MakeBinary(BinaryOp::kAdd, std::move(a), std::move(b));
}

Expr Sub(Expr a, Expr b) {
  const IntImm *x = AsInt(a), *y = AsInt(b);
  int64_t difference = 0;
  if (IsInt(b, 0)) return a;
  if (x != nullptr && y != nullptr && !__builtin_sub_overflow(x->value, y->value, &difference))
    return MakeInt(a->type, difference);
  // Also of trees that were made twice.
  if (SameExpr(a, b)) return MakeInt(a->type, 0);
  return MakeBinary(BinaryOp::kSub, std::move(a), std::move(b));
}

Expr Mul(Expr a, Expr b) {
  const IntImm *x = AsInt(a), *y = AsInt(b);
  int64_t product = 0;
  if (IsInt(a, 1) || IsInt(b, 0)) return b;
  if (IsInt(b, 1) || IsInt(a, 0)) return a;
  if (x != nullptr && y != nullptr && !__builtin_mul_overflow(x->value, y->value, &product))
    return MakeInt(a->type, product);
  return MakeBinary(BinaryOp::kMul, std::move(a), std::move(b));
}

Expr FloorDiv(Expr a, Expr b) {
  const IntImm *x = AsInt(a), *y = AsInt(b);
  if (IsInt(b, 1)) return a;
  // Negative quotients are left to the simplifier, which rounds down.
  if (x != nullptr && y != nullptr && x->value >= 0 && y->value > 0)
    return MakeInt(a->type, x->value / y->value);
  return MakeBinary(BinaryOp::kDiv, std::move(a), std::move(b));
}

Expr IdentityOf(BinaryOp op, DataType type) {
  const DataType scalar = type.Scalar();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool takes_least = op == BinaryOp::kMax, takes_most = op == BinaryOp::kMin;
  if (op == BinaryOp::kMul) return MakeNumber(scalar, 1);
  // All ones.
  if (op == BinaryOp::kAnd) return MakeInt(scalar, -1);
  if (!takes_least && !takes_most) return MakeNumber(scalar, 0);
  if (scalar.is_float()) return MakeFloat(scalar, takes_least ? -kInfinity : kInfinity);
  // An unsigned type: -1 wraps to its greatest number.
  if (!scalar.is_signed()) return MakeInt(scalar, takes_least ? 0 : -1);
  const int64_t least = static_cast<int64_t>(~uint64_t{0} << (scalar.bits() - 1));
  return MakeInt(scalar, takes_least ? least : ~least);
}

bool NodePairs::Has(const void* a, const void* b) const {
  for (const auto& pair : pairs_) {
    if (pair.first == a && pair.second == b) return true;
  }
  return false;
}

namespace {

// How the fields of two expressions of one kind are compared.
class SameField {
 public:
  explicit SameField(NodePairs* pairs) : pairs_(pairs) {}

  bool operator()(const Expr& a, const Expr& b) const { return SameExpr(a, b, pairs_); }
  bool operator()(const std::vector<Expr>& a, const std::vector<Expr>& b) const {
    return SameList(a, b);
  }
  // What a reduction binds stands for the other's from here on, in its value.
  bool operator()(const std::vector<ReduceAxis>& a, const std::vector<ReduceAxis>& b) const {
    return pairs_ != nullptr && SameList(a, b);
  }
  bool operator()(const ReduceAxis& a, const ReduceAxis& b) const {
    if (a.var->name != b.var->name || !SameExpr(a.extent, b.extent, pairs_)) return false;
    pairs_->Add(a.var.get(), b.var.get());
    return true;
  }
  bool operator()(const BufferPtr& a, const BufferPtr& b) const {
    return a == b || (pairs_ != nullptr && pairs_->Has(a.get(), b.get()));
  }
  // By bits: NaN equals itself, and -0 is not 0.
  bool operator()(double a, double b) const {
    return __builtin_bit_cast(uint64_t, a) == __builtin_bit_cast(uint64_t, b);
  }
  template <FieldValue T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }

 private:
  template <class T>
  bool SameList(const std::vector<T>& a, const std::vector<T>& b) const {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!(*this)(a[i], b[i])) return false;
    }
    return true;
  }

  NodePairs* pairs_;
};

}  // namespace

bool SameExpr(const Expr& a, const Expr& b, NodePairs* pairs) {
  if (a == b) return true;
  if (!a || !b || a->kind != b->kind || a->type != b->type) return false;
  // Two variables of one name are two variables.
  if (a->kind == ExprKind::kVar) return pairs != nullptr && pairs->Has(a.get(), b.get());
  return VisitNode(*a, [&]<class T>(const T& node) {
    return FieldsOf<T>::All(node, static_cast<const T&>(*b), SameField(pairs));
  });
}

}  // namespace tern::loop
