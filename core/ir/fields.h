// SPDX-License-Identifier: Apache-2.0
// One list of fields for each node of nodes.def, from which walks over the functional IR are made:
// ForEachAtom and ForEachBlock (visitor.h) and ValueMutator (mutator.h).
//
// A node without a list does not compile where VisitNode expands nodes.def, nor does a list that
// lacks a field where ValueMutator makes the node again (core/base/field_list.h). A walk has an
// overload for each type of field: Expr and spans of it are operands, LetPtr and SwitchCase are
// blocks, and expressions that are neither have a type of their own that says what they are.
#ifndef TERN_CORE_IR_FIELDS_H_
#define TERN_CORE_IR_FIELDS_H_

#include <type_traits>

#include "core/base/field_list.h"
#include "core/ir/control.h"
#include "core/ir/expr.h"

namespace tern::ir {

// What an Invoke calls: an operand where it is a variable, else the name of something.
struct Callee {
  const Expr& expr;
};
// What a lambda computes: a block, or an atom alone.
struct Body {
  const Expr& expr;
};
// The end of a block, which belongs to who walks the block.
struct BlockResult {
  const Expr& expr;
};
// The function of a closure, a Global.
struct FunctionName {
  const Expr& expr;
};

// What has no expression in it.
template <class T>
concept FieldValue = std::is_arithmetic_v<T> || std::is_enum_v<T> ||
    std::is_same_v<T, std::string> || std::is_same_v<T, std::span<const std::string>> ||
    std::is_same_v<T, types::Type> || std::is_same_v<T, std::shared_ptr<const ops::Values>> ||
    std::is_same_v<T, Any> || std::is_same_v<T, Attrs> || std::is_same_v<T, ops::OpInfo> ||
    std::is_same_v<T, DataTypePtr> || std::is_same_v<T, std::span<const VarPtr>>;

inline Callee CalleeOf(const Invoke& node) { return {node.callee()}; }
inline Body BodyOf(const Function& node) { return {node.body()}; }
inline BlockResult ResultOf(const Let& node) { return {node.result()}; }
inline FunctionName FunctionOf(const MakeClosure& node) { return {node.function()}; }

template <class T>
struct FieldsOf;

// --- values (expr.h)

template <>
struct FieldsOf<Var>
    : FieldList<MakeVar, &Var::name, &Var::type, &Var::origin, &Var::shared_value> {};
template <>
struct FieldsOf<Constant> : FieldList<MakeConstant, &Constant::value, &Constant::name> {};
template <>
struct FieldsOf<Global> : FieldList<MakeGlobal, &Global::name> {};
template <>
struct FieldsOf<Tuple> : FieldList<MakeTuple, &Tuple::fields> {};
template <>
struct FieldsOf<GetItem> : FieldList<MakeGetItem, &GetItem::tuple, &GetItem::index> {};
template <>
struct FieldsOf<Call> : FieldList<MakeCall, &Call::op, &Call::args, &Call::attrs> {};
template <>
struct FieldsOf<Invoke> : FieldList<MakeInvoke, &CalleeOf, &Invoke::args, &Invoke::is_tail> {};
template <>
struct FieldsOf<Let> : FieldList<MakeLet, &Let::bindings, &ResultOf> {};
template <>
struct FieldsOf<Function>
    : FieldList<MakeFunction, &Function::parameters, &BodyOf, &Function::output_names> {};

// --- what decides, calls and captures (control.h)

template <>
struct FieldsOf<If> : FieldList<MakeIf, &If::condition, &If::then_block, &If::else_block> {};
template <>
struct FieldsOf<Switch> : FieldList<MakeSwitch, &Switch::data_type, &Switch::subject,
                                    &Switch::cases, &Switch::default_block> {};
template <>
struct FieldsOf<Construct>
    : FieldList<MakeConstruct, &Construct::data_type, &Construct::constructor, &Construct::fields> {
};
template <>
struct FieldsOf<MakeClosure> : FieldList<MakeMakeClosure, &FunctionOf, &MakeClosure::captured> {};
template <>
struct FieldsOf<Primitive> : FieldList<MakePrimitive, &Primitive::name, &Primitive::has_effect> {};
template <>
struct FieldsOf<Scalar> : FieldList<MakeScalar, &Scalar::op, &Scalar::args> {};
template <>
struct FieldsOf<Fatal> : FieldList<MakeFatal, &Fatal::message> {};
template <>
struct FieldsOf<DeviceCopy> : FieldList<MakeDeviceCopy, &DeviceCopy::source, &DeviceCopy::device> {
};

// f(node), with the node as what its kind says it is.
template <class F>
auto VisitNode(const Node& node, F&& f) {
#define TERN_IR_NODE(Kind, phrase) \
  case NodeKind::k##Kind: return f(static_cast<const Kind&>(node));
  switch (node.kind()) {
#include "core/ir/nodes.def"
  }
#undef TERN_IR_NODE
  __builtin_unreachable();
}

}  // namespace tern::ir

#endif  // TERN_CORE_IR_FIELDS_H_
