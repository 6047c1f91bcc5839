// SPDX-License-Identifier: Apache-2.0
// Elements moved, none computed. Integer tensors that say how become attributes where they are
// known.
#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/computed.h"
#include "core/onnx/convert/converters.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

// An argument that is an attribute once known: fills *list and gives null, or gives the argument as
// i64.
Value TakeInts(NodeContext& node, int index, Ints* list) {
  if (!node.HasInput(index)) return nullptr;
  if (const std::optional<Ints> known = node.KnownInts(node.Input(index))) {
    *list = *known;
    return nullptr;
  }
  return node.ToI64(node.Input(index));
}

void Squeeze(NodeContext& node, Ints axes) {
  ops::AxesAttrs attrs;
  attrs.axes = std::move(axes);
  // Our operator squeezes all axes of extent 1 where the list is empty. ONNX means that by a
  // missing list; by an empty one it means none.
  if (attrs.axes.empty() && (node.detail() == "unsqueeze" || node.HasInput(1))) {
    return node.SetOutput(0, node.Input(0));
  }
  node.SetOutput(0, node.Call(node.detail(), {node.Input(0)}, attrs.ToAttrs()));
}

void Split(NodeContext& node, Ints sizes) {
  ops::SplitAttrs attrs;
  const auto count = static_cast<int>(node.node().outputs.size());
  attrs.axis = node.Int("axis", 0);
  attrs.sizes = std::move(sizes);
  const int64_t parts = node.Int("num_outputs", count);
  // The number of outputs decides before opset 18; from then on num_outputs may say it, and must
  // say the same.
  if (attrs.sizes.empty() ? parts != count : attrs.sizes.size() != static_cast<size_t>(count)) {
    return node.Fail("it has ", count, " outputs, but is to be cut into ",
                     attrs.sizes.empty() ? parts : static_cast<int64_t>(attrs.sizes.size()),
                     " parts");
  }
  for (const int64_t size : attrs.sizes) {
    if (size < 0)
      return node.Fail("its sizes are ", FormatDims(attrs.sizes), "; sizes are not negative");
  }
  if (attrs.sizes.empty()) attrs.parts = parts;
  const std::vector<Value> outputs =
      node.CallMany("split", {node.Input(0)}, attrs.ToAttrs(), count);
  for (int i = 0; i < count; ++i) node.SetOutput(i, outputs[static_cast<size_t>(i)]);
}

// Pads of axes that only a run tells, as those of all axes.
Value PadsOfComputedAxes(NodeContext& node, const Value& pads, const Value& axes) {
  Compose in(node);
  const int64_t count = node.DimOf(axes, 0), rank = node.RankOf(node.Input(0));
  if (node.ok() && count < 0) node.Unsupported("axes (input 3) of a number that only a run tells");
  if (!node.ok()) return nullptr;
  const Value list = node.ToI64(axes), whole = node.ToI64(pads);
  const Value negative = in.Call("less", {list, in.Int(0)});
  const Value places = in.Where(negative, in.Add(list, in.Int(rank)), list);
  const Value zeros = node.ConstantInts(Ints(static_cast<size_t>(rank), 0));
  // Pads are all begins and then all ends. Axes that are not named keep a pad of zero.
  const auto spread = [&](int64_t begin) {
    return in.Call("scatter_elements", {zeros, places, in.Slice(whole, 0, begin, begin + count)});
  };
  return in.Concat({spread(0), spread(count)}, 0);
}

ops::PadMode ReadPadMode(NodeContext& node) {
  return static_cast<ops::PadMode>(node.Choice("mode", {"constant", "reflect", "edge", "wrap"}, 0));
}

}  // namespace

void ConvertTranspose(NodeContext& node) {
  Compose in(node);
  ops::TransposeAttrs attrs;
  attrs.perm = node.IntList("perm");
  const Value x = node.Input(0);
  const Value y = node.Call("transpose", {in.InBytes(x)}, attrs.ToAttrs());
  node.SetOutput(0, in.Cast(y, node.DTypeOf(x)));
}

void ConvertReshape(NodeContext& node) {
  ops::ReshapeAttrs attrs;
  attrs.allow_zero = node.Bool("allowzero", false);
  const Value shape = TakeInts(node, 1, &attrs.shape);
  // An empty shape makes a scalar. The operator would take an empty attribute for one that is left
  // out.
  attrs.scalar = shape == nullptr && attrs.shape.empty();
  node.SetOutput(0, node.Call("reshape", {node.Input(0), shape}, attrs.ToAttrs()));
}

void ConvertFlatten(NodeContext& node) {
  ops::FlattenAttrs attrs;
  attrs.axis = node.Int("axis", 1);
  node.SetOutput(0, node.Call("flatten", {node.Input(0)}, attrs.ToAttrs()));
}

// Squeeze and Unsqueeze.
void ConvertSqueezeByAttribute(NodeContext& node) {
  if (node.detail() == "unsqueeze" && !node.Has("axes"))
    return node.Fail("attribute 'axes' is missing");
  Squeeze(node, node.IntList("axes"));
}

void ConvertSqueeze(NodeContext& node) {
  const Value axes = node.Input(1);
  const std::optional<Ints> known = axes == nullptr ? Ints() : node.KnownInts(axes);
  if (known) return Squeeze(node, *known);
  const bool in = node.detail() == "unsqueeze";
  node.SetOutput(0, in ? UnsqueezeComputed(node, node.Input(0), axes)
                       : SqueezeComputed(node, node.Input(0), axes));
}

void ConvertExpand(NodeContext& node) {
  ops::ShapeAttrs attrs;
  const Value shape = TakeInts(node, 1, &attrs.shape);
  // A shape of no axes leaves a tensor as it is, because Expand broadcasts both ways.
  if (shape == nullptr && attrs.shape.empty()) return node.SetOutput(0, node.Input(0));
  node.SetOutput(0, node.Call("expand", {node.Input(0), shape}, attrs.ToAttrs()));
}

void ConvertTile(NodeContext& node) {
  ops::TileAttrs attrs;
  const Value repeats = TakeInts(node, 1, &attrs.repeats);
  if (repeats == nullptr && attrs.repeats.empty()) return node.SetOutput(0, node.Input(0));
  node.SetOutput(0, node.Call("tile", {node.Input(0), repeats}, attrs.ToAttrs()));
}

void ConvertConcat(NodeContext& node) {
  ops::AxisAttrs attrs;
  // Opset 4 took the default away.
  attrs.axis = node.opset() < 4 ? node.Int("axis", 1) : node.RequiredInt("axis");
  node.SetOutput(0, node.Call("concat", node.inputs(), attrs.ToAttrs()));
}

void ConvertSplitByAttribute(NodeContext& node) { Split(node, node.IntList("split")); }

void ConvertSplit(NodeContext& node) {
  const Value sizes = node.Input(1);
  const std::optional<Ints> known = sizes == nullptr ? Ints() : node.KnownInts(sizes);
  if (known) return Split(node, *known);
  const auto count = static_cast<int>(node.node().outputs.size());
  const std::vector<Value> parts =
      SplitComputed(node, node.Input(0), sizes, node.Int("axis", 0), count);
  for (int i = 0; i < count; ++i) node.SetOutput(i, parts[static_cast<size_t>(i)]);
}

void ConvertSliceByAttributes(NodeContext& node) {
  ops::SliceAttrs attrs;
  attrs.starts = node.IntList("starts");
  attrs.ends = node.IntList("ends");
  attrs.axes = node.IntList("axes");
  if (attrs.starts.empty() && attrs.ends.empty()) return node.SetOutput(0, node.Input(0));
  node.SetOutput(0, node.Call("slice", {node.Input(0)}, attrs.ToAttrs()));
}

void ConvertSlice(NodeContext& node) {
  ops::SliceAttrs attrs;
  Value starts = TakeInts(node, 1, &attrs.starts), ends = TakeInts(node, 2, &attrs.ends);
  // Attributes have as many starts as ends: both are known, or both are arguments.
  if (node.HasInput(1) && node.HasInput(2) && (starts == nullptr) != (ends == nullptr)) {
    starts = node.ToI64(node.Input(1));
    ends = node.ToI64(node.Input(2));
    attrs.starts.clear();
    attrs.ends.clear();
  }
  const Value axes = TakeInts(node, 3, &attrs.axes), steps = TakeInts(node, 4, &attrs.steps);
  if (starts == nullptr && ends == nullptr && attrs.starts.empty() && attrs.ends.empty()) {
    return node.SetOutput(0, node.Input(0));
  }
  node.SetOutput(0,
                 node.Call("slice", {node.Input(0), starts, ends, axes, steps}, attrs.ToAttrs()));
}

void ConvertPadByAttributes(NodeContext& node) {
  ops::PadAttrs attrs;
  attrs.mode = ReadPadMode(node);
  attrs.pads = node.IntList("pads");
  attrs.value = node.Float("value", 0);
  if (node.ok() && attrs.pads.empty() && node.RankOf(node.Input(0)) > 0)
    node.Fail("attribute 'pads' is missing");
  node.SetOutput(0, node.Call("pad", {node.Input(0)}, attrs.ToAttrs()));
}

void ConvertPad(NodeContext& node) {
  ops::PadAttrs attrs;
  attrs.mode = ReadPadMode(node);
  Value pads;
  if (node.HasInput(3) && !node.KnownInts(node.Input(3))) {
    pads = PadsOfComputedAxes(node, node.Input(1), node.Input(3));
    if (!node.ok()) return;
  } else {
    attrs.axes = node.RequireInts(3, "axes");
    pads = TakeInts(node, 1, &attrs.pads);
  }
  if (pads == nullptr && attrs.pads.empty()) return node.SetOutput(0, node.Input(0));
  Value value = node.Input(2);
  const std::optional<double> known = value == nullptr ? 0.0 : node.KnownNumber(value);
  // The attribute is an f32. A value of another type stays an argument, since it may not fit: an
  // i64 loses digits, a text is no number.
  if (known && (value == nullptr || node.DTypeOf(value) == kF32)) {
    attrs.value = static_cast<float>(*known);
    value = nullptr;
  }
  Compose in(node);
  const Value x = node.Input(0);
  if (value != nullptr) value = in.InBytes(value);
  const Value y = node.Call("pad", {in.InBytes(x), pads, value}, attrs.ToAttrs());
  node.SetOutput(0, in.Cast(y, node.DTypeOf(x)));
}

// Each axis: of what is too much the middle is kept, of what is too little it becomes the middle.
void ConvertCenterCropPad(NodeContext& node) {
  Compose in(node);
  Value x = node.Input(0);
  const int rank = node.RankOf(x);
  Ints axes = node.IntList("axes");
  for (int i = 0; i < rank && !node.Has("axes"); ++i) axes.push_back(i);
  const int64_t targets = node.DimOf(node.Input(1), 0);
  if (node.ok() && targets >= 0 && targets != static_cast<int64_t>(axes.size()))
    return node.Fail("it has ", targets, " extents (input 1) for ", axes.size(), " axes");
  const Value shape = node.ToI64(node.Input(1));
  const auto rest = [&](const Value& a, const Value& b) {
    return in.Call("max", {in.Sub(a, b), in.Int(0)});
  };
  for (size_t i = 0; i < axes.size() && node.ok(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank)
      return node.Fail("attribute 'axes' has ", axes[i], ", but its input has rank ", rank);
    const Value target = in.Gather(shape, in.Int(static_cast<int64_t>(i)));
    const Value extent = in.DimOf(x, axis);
    // Of an odd number the smaller half comes first, for what is cut off as for what is added.
    const Value begin = in.Div(rest(extent, target), in.Int(2));
    const Value kept = in.Call("min", {extent, target});
    x = in.SliceTo(x, axis, begin, in.Add(begin, kept));
    const Value missing = rest(target, extent), before = in.Div(missing, in.Int(2));
    ops::PadAttrs attrs;
    attrs.axes = {axis};
    const Value pads =
        in.Concat({in.Reshape(before, {1}), in.Reshape(in.Sub(missing, before), {1})}, 0);
    x = node.Call("pad", {x, pads}, attrs.ToAttrs());
  }
  node.SetOutput(0, x);
}

void ConvertReverseSequence(NodeContext& node) {
  ops::ReverseSequenceAttrs attrs;
  attrs.batch_axis = node.Int("batch_axis", 1);
  attrs.time_axis = node.Int("time_axis", 0);
  node.SetOutput(0, node.Call("reverse_sequence", {node.Input(0), node.ToI64(node.Input(1))},
                              attrs.ToAttrs()));
}

void ConvertTrilu(NodeContext& node) {
  ops::TriluAttrs attrs;
  attrs.upper = node.Bool("upper", true);
  if (node.HasInput(1) && !node.KnownInts(node.Input(1))) {
    return node.SetOutput(0, TriluComputed(node, node.Input(0), node.Input(1), attrs.upper));
  }
  // The diagonal is an attribute of our operator. One that only a run tells was taken care of
  // above.
  if (node.HasInput(1)) attrs.k = node.RequireInt(1, "k");
  const Value x = node.Input(0);
  if (!node.DTypeOf(x).is_string())
    return node.SetOutput(0, node.Call("trilu", {x}, attrs.ToAttrs()));
  // Of texts, those outside become empty.
  Compose in(node);
  const Value ones = in.Expand(node.Scalar(kI64, 1), in.ShapeOf(x));
  const Value kept = in.Cast(node.Call("trilu", {ones}, attrs.ToAttrs()), kBool);
  node.SetOutput(0, in.Where(kept, x, in.Texts({""})));
}

// A text is zero where it is empty.
void ConvertNonZero(NodeContext& node) {
  Compose in(node);
  Value x = node.Input(0);
  if (node.DTypeOf(x).is_string()) x = in.Unary("not", in.Call("equal", {x, in.Texts({""})}));
  node.SetOutput(0, in.Call("non_zero", {x}));
}

}  // namespace tern::onnx
