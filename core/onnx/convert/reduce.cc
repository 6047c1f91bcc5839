// SPDX-License-Identifier: Apache-2.0
// Reductions over axes, running sums, the largest k.
#include "core/onnx/convert/computed.h"

#include <utility>

#include "core/onnx/convert/converters.h"
#include "core/ops/math_attrs.h"

namespace tern::onnx {
namespace {

// k is null where it is an attribute.
void FinishTopK(NodeContext& node, const ops::TopKAttrs& attrs, Value k) {
  const std::vector<Value> parts =
      node.CallMany("topk", {node.Input(0), std::move(k)}, attrs.ToAttrs(), 2);
  node.SetOutput(0, parts[0]);
  node.SetOutput(1, parts[1]);
}

// Whether reducing no axes gives the elements as they are: not of logarithms, squares and the like.
bool IsPlainReduction(std::string_view op) {
  for (const std::string_view plain :
       {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"}) {
    if (op == plain) return true;
  }
  return false;
}

}  // namespace

// Until opset 13 (18 for most) axes were an attribute.
void ConvertReduceByAttribute(NodeContext& node) {
  ops::ReduceAttrs attrs;
  attrs.axes = node.IntList("axes");
  attrs.keep_dims = node.Bool("keepdims", true);
  node.SetOutput(0, node.Call(node.detail(), {node.Input(0)}, attrs.ToAttrs()));
}

void ConvertReduce(NodeContext& node) {
  ops::ReduceAttrs attrs;
  attrs.keep_dims = node.Bool("keepdims", true);
  // Axes that are known become an attribute, because passes and kernels can then plan with them.
  attrs.noop_if_empty = node.Bool("noop_with_empty_axes", false);
  Value axes = node.Input(1);
  if (const std::optional<Ints> known = axes == nullptr ? Ints() : node.KnownInts(axes)) {
    attrs.axes = *known;
    axes = nullptr;
  }
  // An empty list that is passed at run time says no more than none.
  if (axes != nullptr && node.RankOf(axes) == 1 && node.DimOf(axes, 0) == 0) axes = nullptr;
  const bool reduces_none = attrs.noop_if_empty && axes == nullptr && attrs.axes.empty();
  if (reduces_none && IsPlainReduction(node.detail())) return node.SetOutput(0, node.Input(0));
  if (axes == nullptr || attrs.keep_dims) {
    return node.SetOutput(
        0, node.Call(node.detail(), {node.Input(0), node.ToI64(axes)}, attrs.ToAttrs()));
  }
  // Which axes go is not known: they are kept first, then squeezed.
  attrs.keep_dims = true;
  const Value kept = node.Call(node.detail(), {node.Input(0), node.ToI64(axes)}, attrs.ToAttrs());
  node.SetOutput(0, SqueezeComputed(node, kept, axes));
}

void ConvertArgReduce(NodeContext& node) {
  ops::ArgReduceAttrs attrs;
  attrs.axis = node.Int("axis", 0);
  attrs.keep_dims = node.Bool("keepdims", true);
  attrs.last = node.Bool("select_last_index", false);
  node.SetOutput(0, node.Call(node.detail(), {node.Input(0)}, attrs.ToAttrs()));
}

// The axis is an input in ONNX, nearly always a constant one.
void ConvertCumulate(NodeContext& node) {
  const DType axis = node.DTypeOf(node.Input(1));
  if (node.ok() && !axis.is_int())
    return node.Fail("its axis is ", axis.ToString(), ", expected an integer");
  ops::CumulateAttrs attrs;
  attrs.exclusive = node.Bool("exclusive", false);
  attrs.reverse = node.Bool("reverse", false);
  if (!node.KnownInts(node.Input(1))) {
    return node.SetOutput(
        0, CumulateComputed(node, node.detail(), node.Input(0), node.Input(1), std::move(attrs)));
  }
  attrs.axis = node.RequireInt(1, "axis");
  node.SetOutput(0, node.Call(node.detail(), {node.Input(0)}, attrs.ToAttrs()));
}

// Before opset 10.
void ConvertTopKByAttribute(NodeContext& node) {
  ops::TopKAttrs attrs;
  attrs.k = node.RequiredInt("k");
  attrs.axis = node.Int("axis", -1);
  FinishTopK(node, attrs, nullptr);
}

void ConvertTopK(NodeContext& node) {
  ops::TopKAttrs attrs;
  attrs.axis = node.Int("axis", -1);
  attrs.largest = node.Bool("largest", true);
  attrs.sorted = node.Bool("sorted", true);
  const std::optional<Ints> k = node.KnownInts(node.Input(1));
  if (!k) return FinishTopK(node, attrs, node.ToI64(node.Input(1)));
  if (k->size() != 1 || (*k)[0] < 0)
    return node.Fail("k (input 1) is ", FormatDims(*k), ", expected one number >= 0");
  attrs.k = (*k)[0];
  FinishTopK(node, attrs, nullptr);
}

}  // namespace tern::onnx
