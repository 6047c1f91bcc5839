// SPDX-License-Identifier: Apache-2.0
// One list of fields for each node of nodes.def. Visitor and mutator (visitor.cc) and equality
// (expr.cc) are made from it.
//
// A list names the Make function of the node and, in the order of its parameters, the members or
// accessors that give the arguments back. A node whose list lacks a field does not compile, because
// a mutator calls Make with what the list gives; neither does one without a list, because VisitNode
// expands nodes.def. A walk has one overload for each type of field, so a field of a new type does
// not compile until every walk says what it does with it.
#ifndef TERN_CORE_LOOP_FIELDS_H_
#define TERN_CORE_LOOP_FIELDS_H_

#include <type_traits>

#include "core/base/field_list.h"
#include "core/loop/stmt.h"

namespace tern::loop {

// What has no expression or statement in it that a walk would go into. Variables and buffers are
// told apart by identity; a walk that cares about them has overloads of its own.
template <class T>
concept FieldValue =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string> ||
    std::is_same_v<T, DType> || std::is_same_v<T, Lanes> || std::is_same_v<T, DataType> ||
    std::is_same_v<T, VarPtr> || std::is_same_v<T, BufferPtr> || std::is_same_v<T, For::Traits>;

template <class T>
struct FieldsOf;

inline constexpr Expr (*kMakeIntOfType)(DataType, int64_t) = MakeInt;

// --- expressions

template <>
struct FieldsOf<IntImm> : FieldList<kMakeIntOfType, &IntImm::type, &IntImm::value> {};
template <>
struct FieldsOf<FloatImm> : FieldList<MakeFloat, &FloatImm::type, &FloatImm::value> {};
template <>
struct FieldsOf<Var> : FieldList<MakeVar, &Var::name, &Var::type> {};
template <>
struct FieldsOf<VScale> : FieldList<MakeVScale> {};
template <>
struct FieldsOf<Binary> : FieldList<MakeBinary, &Binary::op, &Binary::a, &Binary::b> {};
template <>
struct FieldsOf<Not> : FieldList<MakeNot, &Not::value> {};
template <>
struct FieldsOf<Select> : FieldList<MakeSelect, &Select::condition, &Select::a, &Select::b> {};
template <>
struct FieldsOf<Cast> : FieldList<MakeCast, &Cast::element, &Cast::value> {};
template <>
struct FieldsOf<Reinterpret>
    : FieldList<MakeReinterpret, &Reinterpret::element, &Reinterpret::value> {};
template <>
struct FieldsOf<Load> : FieldList<MakeLoad, &Load::buffer, &Load::indices, &Load::predicate> {};
template <>
struct FieldsOf<Ramp> : FieldList<MakeRamp, &Ramp::base, &Ramp::stride, &Ramp::lanes> {};
template <>
struct FieldsOf<Broadcast> : FieldList<MakeBroadcast, &Broadcast::value, &Broadcast::lanes> {};
template <>
struct FieldsOf<Call> : FieldList<MakeCall, &Call::intrinsic, &Call::args> {};
template <>
struct FieldsOf<LaneMask>
    : FieldList<MakeLaneMask, &LaneMask::base, &LaneMask::bound, &LaneMask::lanes> {};
template <>
struct FieldsOf<VectorReduce>
    : FieldList<MakeVectorReduce, &VectorReduce::op, &VectorReduce::value> {};
template <>
struct FieldsOf<Reduction>
    : FieldList<MakeReduction, &Reduction::op, &Reduction::axes, &Reduction::value> {};

// --- statements

template <>
struct FieldsOf<For> : FieldList<MakeFor, &For::traits, &For::var, &For::range, &For::body> {};
template <>
struct FieldsOf<While> : FieldList<MakeWhile, &While::role, &While::condition, &While::body> {};
template <>
struct FieldsOf<Store>
    : FieldList<MakeStore, &Store::buffer, &Store::indices, &Store::value, &Store::predicate> {};
template <>
struct FieldsOf<If> : FieldList<MakeIf, &If::condition, &If::then_body, &If::else_body> {};
template <>
struct FieldsOf<Block> : FieldList<MakeBlock, &Block::stmts> {};
template <>
struct FieldsOf<Allocate> : FieldList<MakeAllocate, &Allocate::buffer> {};
template <>
struct FieldsOf<Let> : FieldList<MakeLet, &Let::var, &Let::value, &Let::is_mutable> {};
template <>
struct FieldsOf<Assign> : FieldList<MakeAssign, &Assign::var, &Assign::value> {};

// --- by kind

// f(node), with the node as what its kind says it is.
template <class F>
auto VisitNode(const ExprNode& expr, F&& f) {
#define TERN_LOOP_EXPR(Kind, phrase) \
  case ExprKind::k##Kind: return f(static_cast<const Kind&>(expr));
  switch (expr.kind) {
#include "core/loop/nodes.def"
  }
  __builtin_unreachable();
}
template <class F>
auto VisitNode(const StmtNode& stmt, F&& f) {
#define TERN_LOOP_STMT(Kind, phrase) \
  case StmtKind::k##Kind: return f(static_cast<const Kind&>(stmt));
  switch (stmt.kind) {
#include "core/loop/nodes.def"
  }
  __builtin_unreachable();
}

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_FIELDS_H_
