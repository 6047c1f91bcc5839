// SPDX-License-Identifier: Apache-2.0
// Tensors made from attributes, shapes and numbers.
#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/random.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

template <typename T>
TensorPtr List(const std::vector<T>& values) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  return tern::Tensor::FromValues(std::span<const T>(values), dims).value();
}

TensorPtr Strings(std::span<const std::string_view> values, Dims dims) {
  return tern::Tensor::FromStrings(values, dims).value();
}

// Tern has no sparse tensors, so all elements are written out.
TensorPtr SparseValue(NodeContext& node, const Attribute& attribute) {
  if (attribute.sparse_tensor == nullptr) return nullptr;
  Result<TensorPtr> dense = MakeDenseTensor(*attribute.sparse_tensor, node.tensors());
  if (dense.ok()) return *std::move(dense);
  node.Fail("attribute 'sparse_value': ", dense.status().message());
  return nullptr;
}

TensorPtr TextValue(NodeContext& node) {
  const std::string_view text = node.Text("value_string", "");
  return Strings({&text, 1}, {});
}

TensorPtr TextsValue(NodeContext& node) {
  const std::vector<std::string_view> texts = node.TextList("value_strings");
  const int64_t dims[] = {static_cast<int64_t>(texts.size())};
  return Strings(texts, dims);
}

// The first of the value attributes that is there.
TensorPtr ConstantValue(NodeContext& node) {
  if (node.Has("value")) return node.WeightsValue("value");
  if (node.Has("value_float")) return tern::Tensor::Scalar<float>(node.Float("value_float", 0));
  if (node.Has("value_int")) return tern::Tensor::Scalar<int64_t>(node.Int("value_int", 0));
  if (node.Has("value_floats")) return List(node.FloatList("value_floats"));
  if (node.Has("value_ints")) return List(node.IntList("value_ints"));
  if (node.Has("value_string")) return TextValue(node);
  if (node.Has("value_strings")) return TextsValue(node);
  if (const Attribute* sparse = node.Find("sparse_value")) return SparseValue(node, *sparse);
  return nullptr;
}

Value Cast(NodeContext& node, const Value& value, DType to) {
  Attrs attrs;
  attrs.SetString("to", to.ToString());
  return node.DTypeOf(value) == to ? value : node.Call("cast", {value}, attrs);
}

// Integers of 64 bits keep all digits, which a double would not. Floats are written so that reading
// gives the same bits.
std::string NumberText(NodeContext& node, const tern::Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype == kI64) return StrCat(tensor.values<const int64_t>()[0]);
  if (dtype == kU64) return StrCat(tensor.values<const uint64_t>()[0]);
  if (dtype == kF32) return FormatFloat(tensor.values<const float>()[0]);
  const std::optional<double> number =
      node.KnownNumber(ir::MakeConstant(Any(TensorPtr(const_cast<tern::Tensor*>(&tensor)))));
  return number ? FormatDouble(*number) : "";
}

}  // namespace

void ConvertConstant(NodeContext& node) {
  TensorPtr value = ConstantValue(node);
  if (node.ok() && value == nullptr) return node.Fail("it has no value");
  node.SetOutput(0, node.Constant(std::move(value)));
}

void ConvertConstantOfShape(NodeContext& node) {
  ops::ConstantOfShapeAttrs attrs;
  if (const TensorPtr value = node.TensorValue("value")) {
    if (value->element_count() != 1) {
      return node.Fail("attribute 'value' has ", value->element_count(), " elements, expected 1");
    }
    attrs.dtype = value->dtype();
    attrs.value = NumberText(node, *value);
    if (attrs.value.empty()) return node.Unsupported("a value of type ", value->dtype().ToString());
    // Zeros are the default of the operator, and one spelling makes equal tensors equal nodes.
    if (attrs.value == "0") attrs.value.clear();
  }
  node.SetOutput(0, node.Call("constant_of_shape", {node.ToI64(node.Input(0))}, attrs.ToAttrs()));
}

void ConvertShape(NodeContext& node) {
  ops::ShapeOfAttrs attrs;
  attrs.start = node.Int("start", 0);
  attrs.end = node.Int("end", INT64_MAX);
  node.SetOutput(0, node.Call("shape_of", {node.Input(0)}, attrs.ToAttrs()));
}

void ConvertEyeLike(NodeContext& node) {
  ops::EyeLikeAttrs attrs;
  attrs.k = node.Int("k", 0);
  if (node.Has("dtype")) {
    const Result<DType> dtype = MakeDType(static_cast<int32_t>(node.Int("dtype", 0)));
    if (!dtype.ok()) return node.Fail("attribute 'dtype': ", dtype.status().message());
    attrs.dtype = *dtype;
  }
  node.SetOutput(0, node.Call("eye_like", {node.Input(0)}, attrs.ToAttrs()));
}

namespace {

// Of f32 numbers from 0 to 1 those below the ratio are dropped; the others make up for them.
void DropSome(NodeContext& node) {
  Compose in(node);
  const Value x = node.Input(0);
  const Value ratio = node.HasInput(1) ? in.Cast(node.Input(1), kF32)
                                       : node.Scalar(kF32, node.Float("ratio", 0.5f));
  // Dropped with the probability of the ratio: uniform numbers lie in [0, 1).
  Value kept = in.Call("greater_equal", {RandomNumbers(node, "random_uniform", in.ShapeOf(x)),
                                         in.Reshape(ratio, {})});
  // Whether it trains is a value of the run: then nothing is dropped where it does not.
  if (!node.KnownNumber(node.Input(2))) {
    const Value idle = in.Unary("not", in.Reshape(in.Cast(node.Input(2), kBool), {}));
    kept = in.Call("or", {kept, idle});
  }
  const Value share = in.Sub(node.Scalar(kF32, 1), in.Reshape(ratio, {}));
  Value grown = in.Div(x, in.Cast(share, node.DTypeOf(x)));
  if (!node.KnownNumber(node.Input(2)))
    grown = in.Where(in.Reshape(in.Cast(node.Input(2), kBool), {}), grown, x);
  node.SetOutput(0, in.Where(kept, grown, in.Like(x, 0)));
  node.SetOutput(1, kept);
}

}  // namespace

// At inference nothing is dropped.
void ConvertDropout(NodeContext& node) {
  const float attribute_ratio = node.Float("ratio", 0.5f);
  // Attributes that are looked at are not reported as unknown.
  node.Find("seed");
  node.Int("is_test", 1);  // opset 6
  const bool may_train = node.HasInput(2) && node.KnownNumber(node.Input(2)) != 0;
  const std::optional<double> ratio =
      node.HasInput(1) ? node.KnownNumber(node.Input(1)) : attribute_ratio;
  if (may_train && ratio != 0) return DropSome(node);
  node.SetOutput(0, node.Input(0));
  if (!node.WantsOutput(1)) return;
  ops::ConstantOfShapeAttrs attrs;
  // The mask was of the type of the data before it became bool.
  attrs.dtype = node.opset() < 10 ? node.DTypeOf(node.Input(0)) : kBool;
  attrs.value = "1";
  node.SetOutput(
      1, node.Call("constant_of_shape", {node.Call("shape_of", {node.Input(0)})}, attrs.ToAttrs()));
}

// a0 - a1 cos(2πi/n) + a2 cos(4πi/n) for i = 0 … size - 1; n is size, or size - 1 where symmetric.
void ConvertCosineWindow(NodeContext& node) {
  const Result<DType> dtype = MakeDType(static_cast<int32_t>(node.Int("output_datatype", 1)));
  if (!dtype.ok()) return node.Fail("attribute 'output_datatype': ", dtype.status().message());
  const Value size = Cast(node, node.Input(0), kF32);
  const Value n =
      node.Bool("periodic", true) ? size : node.Call("sub", {size, node.Scalar(kF32, 1)});
  const bool blackman = node.detail() == "blackman";
  const double a0 = blackman ? 0.42 : node.detail() == "hann" ? 0.5 : 25.0 / 46;
  const Value steps = node.Call("range", {node.Scalar(kF32, 0), size, node.Scalar(kF32, 1)});
  const auto wave = [&](double turns, double factor) {
    const Value turned = node.Call("mul", {steps, node.Scalar(kF32, turns * 6.283185307179586)});
    const Value angle = node.Call("div", {turned, n});
    return node.Call("mul", {node.Call("cos", {angle}), node.Scalar(kF32, factor)});
  };
  Value window = node.Call("sub", {node.Scalar(kF32, a0), wave(1, blackman ? 0.5 : 1 - a0)});
  if (blackman) window = node.Call("add", {window, wave(2, 0.08)});
  node.SetOutput(0, Cast(node, window, *dtype));
}

}  // namespace tern::onnx
