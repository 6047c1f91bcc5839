// SPDX-License-Identifier: Apache-2.0
// The standard's Attention and RotaryEmbedding, and the parts that contributed operators share.
#include "core/onnx/convert/attention.h"

#include <cmath>
#include <limits>

#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/loop.h"

namespace tern::onnx {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// Heads of the query side by side for each head of the key: [b, h, s, d] → [b, kv, h / kv, s, d].
// The products then repeat keys and values without a copy.
Value Grouped(Compose& in, const Value& x, int64_t kv_heads, int64_t group) {
  const Value shape = in.Concat({in.ShapeOf(x, 0, 1), in.Reshape(in.Int(kv_heads), {1}),
                                 in.Reshape(in.Int(group), {1}), in.ShapeOf(x, 2)},
                                0);
  return in.ReshapeBy(x, shape);
}

// How many heads of the query share one of the key; 0 after a failure.
int64_t GroupOf(NodeContext& node, const AttentionParts& parts) {
  const int64_t heads = node.DimOf(parts.query, 1), kv_heads = node.DimOf(parts.key, 1);
  if (!node.ok()) return 0;
  // Where only a run tells the heads, they are taken to be as many; the product checks its batch
  // axes then.
  if (heads == kv_heads || heads < 0 || kv_heads < 0) return 1;
  if (kv_heads > 0 && heads % kv_heads == 0) return heads / kv_heads;
  node.Fail("its ", heads, " heads of queries are no multiple of the ", kv_heads, " heads of keys");
  return 0;
}

}  // namespace

Value SplitHeads(Compose& in, const Value& x, int64_t heads) {
  return in.Transpose(in.Reshape(x, {0, 0, heads, -1}), {0, 2, 1, 3});
}

Value JoinHeads(Compose& in, const Value& x) {
  return in.Reshape(in.Transpose(x, {0, 2, 1, 3}), {0, 0, -1});
}

Value Both(Compose& in, const Value& a, const Value& b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return in.Call("and", {a, b});
}

Value SeesWindow(Compose& in, const Value& queries, const Value& keys, const Value& first,
                 const Window& window) {
  const Value rows = in.Reshape(in.Range(queries), {-1, 1}), columns = in.Range(keys);
  const Value places = in.Add(rows, first);
  Value sees;
  if (window.right >= 0)
    sees = in.Call("less_equal", {columns, in.Add(places, in.Int(window.right))});
  if (window.left >= 0) {
    const Value begin = in.Sub(places, in.Int(window.left));
    sees = Both(in, sees, in.Call("greater_equal", {columns, begin}));
  }
  return sees;
}

namespace {

// Both factors are scaled, as the standard asks, so that products of 16 bits do not overflow.
void ScaleBoth(NodeContext& node, const AttentionParts& parts, Value* query, Value* key) {
  Compose in(node);
  const int64_t size = node.DimOf(parts.query, 3);
  if (parts.scale == 0 && size < 0) {
    // Only a run tells how large a head is: the root of 1 / sqrt(size) is computed there.
    const DType type = node.DTypeOf(parts.query), wide = type == kF64 ? kF64 : kF32;
    const Value extent = in.Cast(in.DimOf(parts.query, 3), wide);
    const Value root = in.Cast(in.Binary("pow", extent, node.Scalar(wide, -0.25)), type);
    *query = in.Mul(parts.query, root);
    *key = in.Mul(parts.key, root);
    return;
  }
  // 0 stands for the default: a scale of zero would leave nothing of the scores.
  const double scale = parts.scale == 0 ? 1 / std::sqrt(static_cast<double>(size)) : parts.scale;
  const double root = std::sqrt(std::fabs(scale));
  // A negative scale has no root: its sign goes to one of the factors.
  *query = in.Scaled(parts.query, scale < 0 ? -root : root);
  *key = in.Scaled(parts.key, root);
}

}  // namespace

namespace {

// What a graph makes of scores; they themselves where there is none.
Value Modified(NodeContext& node, const Graph* graph, const Value& scores) {
  if (graph == nullptr || !node.ok()) return scores;
  std::vector<Value> made;
  if (!node.Inline(*graph, {scores}, &made)) return nullptr;
  if (node.DTypeOf(made[0]) == node.DTypeOf(scores) && node.RankOf(made[0]) == 4) return made[0];
  node.Fail("a graph that changes scores gives another type or rank than it takes");
  return nullptr;
}

}  // namespace

AttentionSteps Attend(NodeContext& node, const AttentionParts& parts) {
  Compose in(node);
  AttentionSteps steps;
  const int64_t group = GroupOf(node, parts);
  if (!node.ok()) return steps;
  const int64_t kv_heads = node.DimOf(parts.key, 1);
  const bool grouped = group > 1;
  Value query, key;
  ScaleBoth(node, parts, &query, &key);
  Value scores = grouped
                     ? in.MatMul(Grouped(in, query, kv_heads, group), in.Unsqueeze(key, {2}), true)
                     : in.MatMul(query, key, true);
  if (grouped) scores = in.ReshapeTo(scores, {in.ShapeOf(query, 0, 3), in.ShapeOf(key, 2, 3)});
  steps.scores = steps.capped = scores;
  if (parts.softcap != 0) {
    const Value turned = in.Unary("tanh", in.Scaled(scores, 1 / parts.softcap));
    steps.capped = in.Scaled(turned, parts.softcap);
  }
  steps.biased = steps.capped;
  if (parts.bias != nullptr) steps.biased = in.Add(steps.biased, parts.bias);
  if (parts.may_see != nullptr) {
    const Value hidden = in.Like(scores, kMinusInfinity);
    steps.biased = in.Where(parts.may_see, steps.biased, hidden);
  }
  const DType type = node.DTypeOf(scores);
  const DType precise = parts.softmax_type.IsKnown() ? parts.softmax_type : type;
  Value weighed = Modified(node, parts.score_mod, in.Cast(steps.biased, precise));
  // A sink is one more score of each head, which takes a share of the softmax and has no value.
  if (parts.sink != nullptr) {
    const Value one = in.Reshape(in.Cast(parts.sink, precise), {-1, 1, 1});
    const Value rows = in.Concat({in.ShapeOf(scores, 0, 3), node.ConstantInts({1})}, 0);
    weighed = in.Concat({weighed, in.Expand(one, rows)}, 3);
  }
  Value chances = in.Softmax(weighed);
  if (parts.sink != nullptr) chances = in.Slice(chances, 3, 0, -1);
  chances = Modified(node, parts.prob_mod, chances);
  if (!parts.wide_value) chances = in.Cast(chances, type);
  // A row of nothing but minus infinity sees no key; its softmax would be no number.
  if (parts.may_see != nullptr || parts.bias != nullptr) {
    chances = in.Where(in.Unary("is_nan", chances), in.Like(chances, 0), chances);
  }
  steps.probabilities = chances;
  if (!grouped) {
    steps.result = in.MatMul(chances, parts.value);
    return steps;
  }
  const Value result =
      in.MatMul(Grouped(in, chances, kv_heads, group), in.Unsqueeze(parts.value, {2}));
  steps.result = in.ReshapeTo(result, {in.ShapeOf(query, 0, 3), in.ShapeOf(parts.value, 3)});
  return steps;
}

namespace {

// Inputs 4 and 5: what was there before; outputs 1 and 2: with what is new.
void AppendPast(NodeContext& node, Compose& in, AttentionParts* parts) {
  if (node.HasInput(4) != node.HasInput(5))
    return node.Fail("past_key (input 4) and past_value (input 5) come together");
  if (node.HasInput(4)) parts->key = in.Concat({node.Input(4), parts->key}, 2);
  if (node.HasInput(5)) parts->value = in.Concat({node.Input(5), parts->value}, 2);
  node.SetOutput(1, parts->key);
  node.SetOutput(2, parts->value);
}

// A mask with fewer columns than keys: the others are not seen.
Value WidenedMask(NodeContext& node, Compose& in, const Value& mask, const Value& keys) {
  const bool is_bool = node.DTypeOf(mask) == kBool;
  const int64_t columns = node.DimOf(mask, node.RankOf(mask) - 1), count = node.DimOf(keys, 2);
  // One column broadcasts over all keys.
  if (columns == count || columns == 1) return mask;
  const Value missing = in.Reshape(in.Sub(in.DimOf(keys, 2), in.DimOf(mask, -1)), {1});
  const Value zeros = node.ConstantInts(Ints(static_cast<size_t>(2 * node.RankOf(mask) - 1), 0));
  const Value hidden = is_bool ? node.Scalar(kBool, 0) : in.Like(mask, kMinusInfinity);
  return in.Call("pad", {mask, in.Concat({zeros, missing}, 0), hidden});
}

// Inputs 3 (bools, or numbers that are added) and 6 (how many keys of each row of the batch count).
void ReadMasks(NodeContext& node, Compose& in, AttentionParts* parts) {
  if (const Value mask = node.Input(3)) {
    if (node.ok() && node.RankOf(mask) < 1) return node.Fail("its mask (input 3) is a scalar");
    const Value wide = WidenedMask(node, in, mask, parts->key);
    if (node.DTypeOf(mask) == kBool)
      parts->may_see = wide;
    else
      parts->bias = in.Cast(wide, node.DTypeOf(parts->query));
  }
  const Value keys = in.DimOf(parts->key, 2), queries = in.DimOf(parts->query, 2);
  // The place of the first query among the keys: behind the past, or, where rows have padding, so
  // that the last query stands at the last key that counts.
  Value first = node.HasInput(4) ? in.DimOf(node.Input(4), 2) : in.Int(0);
  if (const Value counts = node.Input(6)) {
    if (node.HasInput(4)) return node.Fail("nonpad_kv_seqlen (input 6) is given with a past");
    const Value each = in.Reshape(node.ToI64(counts), {-1, 1, 1, 1});
    parts->may_see = Both(in, parts->may_see, in.Call("less", {in.Range(keys), each}));
    first = in.Sub(each, queries);
  }
  Window window{node.IntAtLeast("left_window_size", -1, -1),
                node.IntAtLeast("right_window_size", -1, -1)};
  // A causal mask is a window that ends at the query itself.
  if (node.Bool("is_causal", false)) window.right = 0;
  if (window.left < 0 && window.right < 0) return;
  parts->may_see = Both(in, parts->may_see, SeesWindow(in, queries, keys, first, window));
}

void ReadSoftmaxType(NodeContext& node, AttentionParts* parts) {
  if (!node.Has("softmax_precision")) return;
  const int64_t number = node.Int("softmax_precision", 1);
  const Result<DType> type = MakeDType(static_cast<int32_t>(number));
  if (!type.ok() || !type->is_float())
    return node.Fail("attribute 'softmax_precision' is ", number, ", expected a float type");
  parts->softmax_type = *type;
}

}  // namespace

void ConvertAttention(NodeContext& node) {
  Compose in(node);
  AttentionParts parts{node.Input(0), node.Input(1), node.Input(2), nullptr, nullptr};
  // Rank 3 is [batch, sequence, heads * size], rank 4 [batch, heads, sequence, size].
  const bool flat = node.RankOf(parts.query) == 3;
  const int64_t heads = node.Int("q_num_heads", 0), kv_heads = node.Int("kv_num_heads", 0);
  if (flat && (heads < 1 || kv_heads < 1))
    return node.Fail("its inputs have rank 3; q_num_heads and kv_num_heads must then be given");
  if (flat) {
    parts.query = SplitHeads(in, parts.query, heads);
    parts.key = SplitHeads(in, parts.key, kv_heads);
    parts.value = SplitHeads(in, parts.value, kv_heads);
  } else if (node.RankOf(parts.query) != 4) {
    return node.Fail("its query has rank ", node.RankOf(parts.query), ", expected 3 or 4");
  }
  parts.scale = static_cast<double>(node.Float("scale", 0));
  parts.softcap = static_cast<double>(node.Float("softcap", 0));
  ReadSoftmaxType(node, &parts);
  AppendPast(node, in, &parts);
  ReadMasks(node, in, &parts);
  const AttentionSteps steps = Attend(node, parts);
  node.SetOutput(0, flat ? JoinHeads(in, steps.result) : steps.result);
  const int64_t mode = node.Int("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return node.Fail("attribute 'qk_matmul_output_mode' is ", mode, ", expected 0 to 3");
  // An erratum of the standard exchanged what modes 1 and 2 mean, in opsets 23 and 24 alike.
  const Value shown[] = {steps.scores, steps.capped, steps.biased, steps.probabilities};
  node.SetOutput(3, shown[mode]);
}

namespace {

// A modifier's graph, or null.
const Graph* ModifierOf(NodeContext& node, std::string_view name) {
  if (!node.Has(name)) return nullptr;
  const Graph* const graph = node.Subgraph(name);
  if (graph != nullptr && (graph->inputs.size() != 1 || graph->outputs.size() != 1))
    node.Fail("attribute '", name, "' is a graph of ", graph->inputs.size(), " inputs and ",
              graph->outputs.size(), " outputs, expected one of each");
  return graph;
}

}  // namespace

// Of rank 4, with graphs that change scores and probabilities, in the precision of the softmax.
void ConvertFlexAttention(NodeContext& node) {
  Compose in(node);
  AttentionParts parts{node.Input(0), node.Input(1), node.Input(2), nullptr, nullptr};
  for (int i = 0; i < 3 && node.ok(); ++i) {
    if (node.RankOf(node.Input(i)) != 4)
      return node.Fail("its input ", i, " has rank ", node.RankOf(node.Input(i)), ", expected 4");
  }
  const DType type = node.DTypeOf(parts.query);
  parts.scale = static_cast<double>(node.Float("scale", 0));
  parts.softmax_type = type == kF64 ? kF64 : kF32;
  ReadSoftmaxType(node, &parts);
  parts.score_mod = ModifierOf(node, "score_mod");
  parts.prob_mod = ModifierOf(node, "prob_mod");
  if (!node.ok()) return;
  parts.value = in.Cast(parts.value, parts.softmax_type);
  parts.wide_value = true;
  node.SetOutput(0, in.Cast(Attend(node, parts).result, type));
}

namespace {

// What turns together: one element of each pair in each of two tensors. extent: how many elements
// of a head turn, where that is known; all of them, otherwise.
void CutPairs(NodeContext& node, const Value& x, int64_t extent, bool interleaved, Value* a,
              Value* b) {
  Compose in(node);
  const int64_t end = extent < 0 ? INT64_MAX : extent;
  if (interleaved) {
    *a = in.Slice(x, 3, 0, end, 2);
    *b = in.Slice(x, 3, 1, end, 2);
  } else if (extent >= 0) {
    *a = in.Slice(x, 3, 0, extent / 2);
    *b = in.Slice(x, 3, extent / 2, extent);
  } else {
    const Value whole = in.DimOf(x, 3), half = in.Div(whole, in.Int(2));
    *a = in.SliceTo(x, 3, in.Int(0), half);
    *b = in.SliceTo(x, 3, half, whole);
  }
}

// Ends the run unless the tables say an angle for each pair of a head whose size only a run tells.
void RequireAngles(NodeContext& node, const Value& x, const Value& cos) {
  Compose in(node);
  Require(
      node, ir::ScalarOp::kEq, in.DimOf(x, 3), in.Mul(in.DimOf(cos, 2), in.Int(2)),
      "a rotary embedding turns heads whose size is not twice the width of its tables of cosines "
      "and sines");
}

}  // namespace

Value Rotate(NodeContext& node, const Value& x, const Value& cos, const Value& sin, int64_t dim,
             bool interleaved) {
  Compose in(node);
  const int64_t size = node.DimOf(x, 3);
  if (!node.ok()) return nullptr;
  if (size >= 0 && (dim > size || dim % 2 != 0 || (dim == 0 && size % 2 != 0))) {
    node.Fail("it turns ", dim == 0 ? size : dim, " of ", size,
              " elements of a head; an even "
              "number is needed, and not more than there are");
    return nullptr;
  }
  if (dim == 0 && (size < 0 || node.DimOf(cos, 2) < 0)) RequireAngles(node, x, cos);
  if (dim == 0) dim = size;
  const Value turned = dim == size ? x : in.Slice(x, 3, 0, dim);
  // One angle for all heads: tables are [batch, sequence, pairs], heads [batch, heads, sequence,
  // size].
  const Value wide_cos = in.Unsqueeze(cos, {1}), wide_sin = in.Unsqueeze(sin, {1});
  Value a, b;
  CutPairs(node, turned, dim, interleaved, &a, &b);
  // A pair is a complex number that is multiplied by cos + i sin.
  const Value real = in.Sub(in.Mul(wide_cos, a), in.Mul(wide_sin, b));
  const Value imaginary = in.Add(in.Mul(wide_sin, a), in.Mul(wide_cos, b));
  Value result;
  if (interleaved) {
    const Value pairs = in.Concat({in.Unsqueeze(real, {4}), in.Unsqueeze(imaginary, {4})}, 4);
    result = in.Reshape(pairs, {0, 0, 0, dim < 0 ? -1 : dim});
  } else {
    result = in.Concat({real, imaginary}, 3);
  }
  return dim == size ? result : in.Concat({result, in.Slice(x, 3, dim, INT64_MAX)}, 3);
}

// Inputs: x, cos, sin, and positions, by which rows of cos and sin are chosen.
void ConvertRotaryEmbedding(NodeContext& node) {
  Compose in(node);
  Value x = node.Input(0), cos = node.Input(1), sin = node.Input(2);
  const int rank = node.RankOf(x);
  if (node.ok() && rank != 3 && rank != 4)
    return node.Fail("its input has rank ", rank, ", expected 3 or 4");
  const int64_t heads = node.IntAtLeast("num_heads", 0, 0);
  if (rank == 3 && heads == 0)
    return node.Fail("its input has rank 3; attribute 'num_heads' must then be given");
  if (rank == 3) x = SplitHeads(in, x, heads);
  if (const Value positions = node.Input(3)) {
    cos = in.Gather(cos, positions);
    sin = in.Gather(sin, positions);
  }
  if (node.ok() && node.RankOf(cos) != 3)
    return node.Fail("its cos_cache (input 1) has rank ", node.RankOf(cos), ", expected ",
                     node.HasInput(3) ? 2 : 3);
  const int64_t dim = node.IntAtLeast("rotary_embedding_dim", 0, 0);
  x = Rotate(node, x, cos, sin, dim, node.Bool("interleaved", false));
  node.SetOutput(0, rank == 3 ? JoinHeads(in, x) : x);
}

}  // namespace tern::onnx
