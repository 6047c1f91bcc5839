// SPDX-License-Identifier: Apache-2.0
// Operators that draw numbers.
#include "core/onnx/convert/random.h"

#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/ops/math_attrs.h"
#include "core/ops/special_attrs.h"

namespace tern::onnx {
namespace {

// FNV-1a.
int64_t HashOf(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3u;
  return static_cast<int64_t>(hash >> 1);
}

int64_t SeedOf(NodeContext& node) {
  const Attribute* seed = node.Find("seed");
  const std::string_view name = node.node().outputs.empty() ? "" : node.node().outputs[0];
  if (seed == nullptr) return HashOf(name);
  // Dropout has a whole number, the others a float.
  if (seed->type == AttributeType::kInt) return seed->i;
  const bool whole = seed->f >= 0 && seed->f < 4294967040.0f;
  return whole ? static_cast<int64_t>(seed->f) : 0;
}

// Attribute `dtype`, which must be a number type.
DType ReadType(NodeContext& node, DType fallback) {
  if (!node.Has("dtype")) return fallback;
  const Result<DType> type = MakeDType(static_cast<int32_t>(node.Int("dtype", 0)));
  if (type.ok() && (type->is_float() || type->is_int() || type->is_bool())) return *type;
  node.Fail("attribute 'dtype' is ", node.Int("dtype", 0), ", expected a number type");
  return fallback;
}

// Scaled and moved as the node's attributes say, in the type wanted.
void Draw(NodeContext& node, const Value& shape, DType type) {
  Compose in(node);
  const bool uniform = node.detail() == "random_uniform";
  const float low = uniform ? node.Float("low", 0) : node.Float("mean", 0);
  const float size = uniform ? node.Float("high", 1) - low : node.Float("scale", 1);
  if (node.ok() && !type.is_float())
    return node.Fail("its type is ", type.ToString(), ", expected floats");
  Value numbers = RandomNumbers(node, node.detail(), shape);
  if (size != 1) numbers = in.Scaled(numbers, static_cast<double>(size));
  if (low != 0) numbers = in.Add(numbers, in.Like(numbers, static_cast<double>(low)));
  node.SetOutput(0, in.Cast(numbers, type));
}

}  // namespace

Value RandomNumbers(NodeContext& node, std::string_view op, const Value& shape) {
  ops::RandomAttrs attrs;
  attrs.seed = SeedOf(node);
  return node.Call(op, {shape}, attrs.ToAttrs());
}

// RandomUniform and RandomNormal.
void ConvertRandom(NodeContext& node) {
  if (!node.Has("shape")) return node.Fail("attribute 'shape' is missing");
  const Ints shape = node.IntList("shape");
  for (const int64_t extent : shape) {
    if (extent < 0) return node.Fail("attribute 'shape' is ", FormatDims(shape));
  }
  Draw(node, node.ConstantInts(shape), ReadType(node, kF32));
}

// RandomUniformLike and RandomNormalLike.
void ConvertRandomLike(NodeContext& node) {
  Compose in(node);
  Draw(node, in.ShapeOf(node.Input(0)), ReadType(node, node.DTypeOf(node.Input(0))));
}

void ConvertBernoulli(NodeContext& node) {
  Compose in(node);
  const Value x = node.Input(0);
  const DType type = ReadType(node, node.DTypeOf(x));
  const Value numbers = RandomNumbers(node, "random_uniform", in.ShapeOf(x));
  const Value drawn = in.Call("less", {numbers, in.Cast(x, kF32)});
  node.SetOutput(0, in.Cast(drawn, type));
}

// The class whose logarithm plus a number of Gumbel's distribution is the largest comes up as often
// as its probability says.
void ConvertMultinomial(NodeContext& node) {
  Compose in(node);
  const Value x = node.Input(0);
  if (node.ok() && node.RankOf(x) != 2)
    return node.Fail("its input has rank ", node.RankOf(x), ", expected [batch, classes]");
  const DType type = ReadType(node, kI32);
  if (node.ok() && type != kI32 && type != kI64)
    return node.Fail("its type is ", type.ToString(), ", expected int32 or int64");
  const int64_t samples = node.IntAtLeast("sample_size", 1, 1);
  const Value shape =
      in.Concat({in.ShapeOf(x, 0, 1), node.ConstantInts({samples}), in.ShapeOf(x, 1, 2)}, 0);
  const Value numbers = RandomNumbers(node, "random_uniform", shape);
  // Not quite 0, whose logarithm is none.
  const Value positive = in.Add(numbers, in.Like(numbers, 0x1p-26));
  const Value gumbel = in.Unary("neg", in.Unary("log", in.Unary("neg", in.Unary("log", positive))));
  const Value chances = in.Add(in.Unsqueeze(in.Cast(x, kF32), {1}), gumbel);
  ops::ArgReduceAttrs attrs;
  attrs.axis = 2;
  attrs.keep_dims = false;
  node.SetOutput(0, in.Cast(node.Call("argmax", {chances}, attrs.ToAttrs()), type));
}

}  // namespace tern::onnx
