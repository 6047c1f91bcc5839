// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals. A sequence is a list of tensors, an optional none or the value itself
// (value_types.h has their types); functions of the registry do what operators cannot, because
// these take tensors only.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/control.h"
#include "core/object/attrs.h"
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/loop.h"
#include "core/onnx/convert/value_types.h"

namespace tern::onnx {
namespace {

using ValueType = types::Type;
using types::Dim;

// The type of the items; fails where the input is no sequence.
ValueType ItemTypeOf(NodeContext& node, int index) {
  const ValueType type = ir::TypeOf(node.Input(index));
  if (IsSequence(type)) return type.arguments()[0];
  node.Fail("input ", index, " is ", type.ToText(), ", expected a sequence");
  return {};
}

bool IsTensorInput(NodeContext& node, int index) {
  const ValueType type = ir::TypeOf(node.Input(index));
  if (type.is_tensor()) return true;
  node.Fail("input ", index, " is ", type.ToText(), ", expected a tensor");
  return false;
}

// A tensor may only join tensors of its own element type.
bool FitsItems(NodeContext& node, const ValueType& items, const ValueType& item) {
  if (!items.is_tensor() || items.tensor().dtype == item.tensor().dtype) return true;
  node.Fail("the tensor ", item.ToText(), " joins a sequence of ", items.ToText(),
            ", expected the same element type");
  return false;
}

Value PositionValue(NodeContext& node, int index) {
  const ValueType type = ir::TypeOf(node.Input(index));
  if (type.is_tensor() && type.tensor().dtype.is_int()) return ToInt(node, node.Input(index));
  node.Fail("its position is ", type.ToText(), ", expected one integer");
  return nullptr;
}

Value BoolTensor(NodeContext& node, const Value& truth) {
  return node.Invoke(
      "tern.tensor.of",
      {truth, ir::MakeConstant(Any(std::string("bool"))), ir::MakeConstant(Any(int64_t{0}))},
      ValueType::Tensor(kBool, {}));
}

}  // namespace

// --- sequences

void ConvertSequenceEmpty(NodeContext& node) {
  node.Int("dtype", 1);  // what the items will be says what is inserted
  node.SetOutput(0, node.Invoke("tern.list.new", {}, ValueType::List(ValueType::None())));
}

void ConvertSequenceConstruct(NodeContext& node) {
  Value list = node.Invoke("tern.list.new", {}, ValueType::List(ValueType::None()));
  // None is the type of no item yet: it merges with any, and the first tensor says what the list
  // holds.
  ValueType items = ValueType::None();
  for (int i = 0; i < node.input_count(); ++i) {
    if (!node.HasInput(i)) return node.Fail("input ", i, " is left out, but it is not optional");
    const ValueType item = ir::TypeOf(node.Input(i));
    if (!IsTensorInput(node, i) || !FitsItems(node, items, item)) return;
    items = MergeTypes(items, item);
    list = node.Invoke("tern.list.append", {list, node.Input(i)}, ValueType::List(items));
  }
  node.SetOutput(0, list);
}

void ConvertSequenceInsert(NodeContext& node) {
  const ValueType items = ItemTypeOf(node, 0), item = ir::TypeOf(node.Input(1));
  if (!node.ok() || !IsTensorInput(node, 1) || !FitsItems(node, items, item)) return;
  const ValueType type = ValueType::List(MergeTypes(items, item));
  if (!node.HasInput(2)) {
    return node.SetOutput(0, node.Invoke("tern.list.append", {node.Input(0), node.Input(1)}, type));
  }
  // Negative positions count from the end, and a position outside ends the run: list_insert and
  // list_erase check it, because only a run knows the length.
  const Value position = PositionValue(node, 2);
  node.SetOutput(0, node.Invoke("list_insert", {node.Input(0), node.Input(1), position}, type));
}

void ConvertSequenceErase(NodeContext& node) {
  const ValueType items = ItemTypeOf(node, 0);
  const Value position =
      node.HasInput(1) ? PositionValue(node, 1) : ir::MakeConstant(Any(int64_t{-1}));
  node.SetOutput(0, node.Invoke("list_erase", {node.Input(0), position}, ValueType::List(items)));
}

void ConvertSequenceAt(NodeContext& node) {
  const ValueType items = ItemTypeOf(node, 0);
  if (!node.ok()) return;
  if (!items.is_tensor()) {
    return node.Unsupported("what its sequence holds is not known to be of one rank: ",
                            items.ToText());
  }
  const Value position = PositionValue(node, 1);
  if (!node.ok()) return;
  node.SetOutput(
      0, node.Invoke("tern.list.get", {node.Input(0), position}, WithNames(node.builder(), items)));
}

void ConvertSequenceLength(NodeContext& node) {
  ItemTypeOf(node, 0);
  const Value length = node.Invoke("tern.list.length", {node.Input(0)}, ValueType::Int());
  node.SetOutput(0, ToTensor(node, length));
}

void ConvertSplitToSequence(NodeContext& node) {
  if (!IsTensorInput(node, 0)) return;
  const bool keeps = node.Bool("keepdims", true);
  const int64_t axis = node.Int("axis", 0);
  types::TensorType part = ir::TypeOf(node.Input(0)).tensor();
  if (axis < -part.rank() || axis >= part.rank())
    return node.Fail("attribute 'axis' is ", axis, ", but the input has rank ", part.rank());
  const auto at = static_cast<size_t>(axis < 0 ? axis + part.rank() : axis);
  Attrs attrs;
  attrs.SetInt("axis", static_cast<int64_t>(at));
  std::vector<Value> args = {node.Input(0)};
  if (node.HasInput(1)) {
    args.push_back(node.Input(1));
    const std::optional<Ints> sizes = node.KnownInts(node.Input(1));
    // One number cuts pieces of that size, of which the last may be shorter; a list says each. Only
    // pieces of one known size have an extent in the type.
    const bool even = sizes.has_value() && sizes->size() == 1 && part.dims[at].is_constant() &&
                      (*sizes)[0] > 0 && part.dims[at].constant() % (*sizes)[0] == 0;
    part.dims[at] = even ? Dim((*sizes)[0]) : Dim::Any();
  } else if (keeps) {
    // Without sizes each piece is one item of the axis. keepdims counts in this case only.
    part.dims[at] = Dim(1);
  } else {
    attrs.SetInt("keepdims", 0);
    part.dims.erase(part.dims.begin() + static_cast<std::ptrdiff_t>(at));
  }
  node.SetOutput(0, node.Invoke(MakePrimitiveName("list_split", attrs), std::move(args),
                                ValueType::List(ValueType::Tensor(std::move(part)))));
}

void ConvertConcatFromSequence(NodeContext& node) {
  const ValueType items = ItemTypeOf(node, 0);
  const int64_t axis = node.RequiredInt("axis");
  const bool is_new = node.Bool("new_axis", false);
  if (!node.ok()) return;
  if (!items.is_tensor()) {
    return node.Unsupported("what its sequence holds is not known to be of one rank: ",
                            items.ToText());
  }
  types::TensorType joined = WithNames(node.builder(), items).tensor();
  const int64_t rank = joined.rank() + (is_new ? 1 : 0);
  if (axis < -rank || axis >= rank)
    return node.Fail("attribute 'axis' is ", axis, ", but the result has rank ", rank);
  const auto at = static_cast<std::ptrdiff_t>(axis < 0 ? axis + rank : axis);
  if (is_new)
    joined.dims.insert(joined.dims.begin() + at, node.builder().FreshDim());
  else
    joined.dims[static_cast<size_t>(at)] = node.builder().FreshDim();
  Attrs attrs;
  attrs.SetInt("axis", at);
  if (is_new) attrs.SetInt("new_axis", 1);
  node.SetOutput(0, node.Invoke(MakePrimitiveName("list_join", attrs), {node.Input(0)},
                                ValueType::Tensor(std::move(joined))));
}

// --- optionals

// Without an input: none, of a type that other values tell.
void ConvertOptional(NodeContext& node) {
  // What it says comes with the value, or is found where an empty optional meets another one.
  node.Find("type");
  if (node.HasInput(0)) {
    const ValueType type = ir::TypeOf(node.Input(0));
    return node.SetOutput(
        0, node.builder().BindAs(node.Input(0), IsOptional(type) ? type : OptionalOf(type)));
  }
  node.SetOutput(0, node.builder().BindAs(ir::MakeNone(), OptionalOf(ValueType::None())));
}

void ConvertOptionalHasElement(NodeContext& node) {
  // From opset 18 on the input may be missing, or be a tensor or sequence itself, which then is
  // there.
  if (!node.HasInput(0) || !IsOptional(ir::TypeOf(node.Input(0)))) {
    return node.SetOutput(0, node.Constant(tern::Tensor::Scalar<bool>(node.HasInput(0))));
  }
  const Value absent =
      node.Invoke("tern.value.equal", {node.Input(0), ir::MakeNone()}, ValueType::Bool());
  if (!node.ok()) return;
  node.SetOutput(0, BoolTensor(node, node.builder().EmitScalar(ir::ScalarOp::kNot, {absent})));
}

// Taking what is not there ends the run.
void ConvertOptionalGetElement(NodeContext& node) {
  const ValueType type = ir::TypeOf(node.Input(0));
  if (!IsOptional(type)) return node.SetOutput(0, node.Input(0));
  const ValueType element = type.arguments()[0];
  if (!element.is_tensor() && !IsSequence(element)) {
    return node.Unsupported("what its optional holds is not known: ", type.ToText());
  }
  node.SetOutput(0,
                 node.Invoke("optional_get", {node.Input(0)}, WithNames(node.builder(), element)));
}

}  // namespace tern::onnx
