// SPDX-License-Identifier: Apache-2.0
// Attention, MultiHeadAttention and its form for decoders, GroupQueryAttention, QAttention and
// RotaryEmbedding of com.microsoft.
#include <cmath>

#include "core/onnx/convert/attention.h"
#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/fused.h"
#include "core/ops/math_attrs.h"

namespace tern::onnx {
namespace {

// Which keys a mask of one of the contributed forms lets be seen: [batch] counts, [2 * batch] ends
// and then begins, [3 * batch + 2] counts and then what follows from them where nothing is packed,
// [batch, keys] or [batch, queries, keys] of 0 and 1, or one for all places [batch, 1, most, most],
// whose last queries before `keys` are those of the node. query: of [batch, heads, queries, size].
// Null: all.
Value SeenByMask(NodeContext& node, Compose& in, const Value& mask, const Value& query,
                 const Value& keys) {
  const int rank = node.RankOf(mask);
  const Value whole = node.ToI64(mask);
  if (rank == 1) {
    const int64_t batch = node.DimOf(query, 0), count = node.DimOf(mask, 0);
    if (batch < 0 || count < 0 || count == batch)
      return in.Call("less", {in.Range(keys), in.Reshape(whole, {-1, 1, 1, 1})});
    if (count == 3 * batch + 2) {
      const Value ends = in.Slice(whole, 0, 0, batch);
      return in.Call("less", {in.Range(keys), in.Reshape(ends, {-1, 1, 1, 1})});
    }
    if (count != 2 * batch) {
      node.Unsupported("a mask of ", count, " numbers for a batch of ", batch);
      return nullptr;
    }
    const Value bounds = in.Reshape(whole, {2, -1, 1, 1, 1}), places = in.Range(keys);
    const Value is_before = in.Call("less", {places, in.Gather(bounds, in.Int(0))});
    return Both(in, is_before, in.Call("greater_equal", {places, in.Gather(bounds, in.Int(1))}));
  }
  // One column is the same for all keys, and changes nothing.
  if (rank == 2 && node.DimOf(mask, 1) == 1) return nullptr;
  if (rank == 2) return in.Unsqueeze(in.Cast(whole, kBool), {1, 2});
  if (rank == 3) return in.Unsqueeze(in.Cast(whole, kBool), {1});
  if (rank == 4) {
    const Value rows = in.SliceTo(whole, 2, in.Sub(keys, in.DimOf(query, 2)), keys);
    return in.Cast(in.SliceTo(rows, 3, in.Int(0), keys), kBool);
  }
  node.Unsupported("a mask of rank ", rank, "; ranks 1 to 4 are possible");
  return nullptr;
}

// Keys and values of earlier steps, [2, batch, heads, sequence, size] in one tensor, before the new
// ones; *present: with them.
void AppendJoinedPast(Compose& in, const Value& past, AttentionParts* parts, Value* present) {
  if (past != nullptr) {
    parts->key = in.Concat({in.Gather(past, in.Int(0)), parts->key}, 2);
    parts->value = in.Concat({in.Gather(past, in.Int(1)), parts->value}, 2);
  }
  *present = in.Concat({in.Unsqueeze(parts->key, {0}), in.Unsqueeze(parts->value, {0})}, 0);
}

// The same of keys or values of [batch, heads, …] where past and present are one buffer, of which
// the first `count` places are the past. Gives the present.
Value WriteBehind(Compose& in, const Value& past, const Value& count, Value* part) {
  *part = in.Concat({in.SliceTo(past, 2, in.Int(0), count), *part}, 2);
  return in.Concat({*part, in.SliceTo(past, 2, in.DimOf(*part, 2), in.DimOf(past, 2))}, 2);
}

// Query and key turned by the angles of their places, from `first` on, as in GPT-NeoX: the tables
// that other operators take as inputs follow from the base 10000.
void RotateByPlace(NodeContext& node, Compose& in, const Value& first, AttentionParts* parts) {
  const int64_t size = node.DimOf(parts->query, 3);
  const int64_t dim = node.IntAtLeast("rotary_embedding_dim", 0, 0);
  const int64_t turned = dim == 0 ? size : dim;
  if (node.ok() && (turned < 2 || turned % 2 != 0 || turned > size))
    node.Fail("its heads have ", size, " columns, of which ", turned, " cannot be turned in pairs");
  if (!node.ok()) return;
  Floats steps;
  for (int64_t i = 0; i < turned; i += 2) {
    const double part = static_cast<double>(i) / static_cast<double>(turned);
    steps.push_back(static_cast<float>(std::pow(10000.0, -part)));
  }
  const Value places = in.Add(in.Range(in.DimOf(parts->query, 2)), first);
  const Value angles = in.Mul(in.Reshape(in.Cast(places, kF32), {1, -1, 1}), in.Floats(steps));
  const DType type = node.DTypeOf(parts->query);
  const Value cos = in.Cast(in.Unary("cos", angles), type);
  const Value sin = in.Cast(in.Unary("sin", angles), type);
  parts->query = Rotate(node, parts->query, cos, sin, turned, false);
  parts->key = Rotate(node, parts->key, cos, sin, turned, false);
}

// projected [batch, sequence, query + key + value].
AttentionParts CutProjection(NodeContext& node, Compose& in, const Value& projected) {
  AttentionParts parts{};
  const int64_t heads = node.RequiredInt("num_heads");
  Ints sizes = node.IntList("qkv_hidden_sizes");
  const int64_t all = node.DimOf(projected, 2);
  if (node.ok() && heads < 1) node.Fail("attribute 'num_heads' is ", heads);
  if (node.ok() && all < 0)
    node.Unsupported("weights whose number of columns is known only when the model runs");
  if (sizes.empty()) sizes = {all / 3, all / 3, all / 3};
  if (node.ok() && (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != all)) {
    node.Fail("its weights have ", all, " columns, expected ", FormatDims(sizes),
              " for query, key and value");
  }
  if (!node.ok()) return parts;
  const std::vector<Value> cut = in.Split(projected, 2, sizes);
  parts.query = SplitHeads(in, cut[0], heads);
  parts.key = SplitHeads(in, cut[1], heads);
  parts.value = SplitHeads(in, cut[2], heads);
  parts.scale = static_cast<double>(node.Float("scale", 0));
  return parts;
}

// What Attention and QAttention do behind the projection. mask and past: null where left out.
void FinishAttention(NodeContext& node, Compose& in, const Value& projected, const Value& mask,
                     const Value& past, const Value& bias) {
  AttentionParts parts = CutProjection(node, in, projected);
  const bool is_shared = node.Bool("past_present_share_buffer", false) && past != nullptr;
  // Input 6 of QAttention is a zero point.
  if (is_shared && node.detail() == "quantized")
    node.Unsupported("past and present in one buffer");
  else if (is_shared && !node.HasInput(6))
    node.Fail(
        "its past and present are one buffer, but past_sequence_length (input 6) is left out");
  node.Float("mask_filter_value", -10000);
  if (!node.ok()) return;
  const Value queries = in.DimOf(parts.query, 2);
  const Value count = is_shared         ? in.Reshape(node.ToI64(node.Input(6)), {})
                      : past != nullptr ? in.DimOf(past, 3)
                                        : in.Int(0);
  if (node.Bool("do_rotary", false)) RotateByPlace(node, in, count, &parts);
  Value present;
  if (is_shared) {
    const Value key = WriteBehind(in, in.Gather(past, in.Int(0)), count, &parts.key);
    const Value value = WriteBehind(in, in.Gather(past, in.Int(1)), count, &parts.value);
    present = in.Concat({in.Unsqueeze(key, {0}), in.Unsqueeze(value, {0})}, 0);
  } else {
    AppendJoinedPast(in, past, &parts, &present);
  }
  const Value keys = in.DimOf(parts.key, 2);
  if (mask != nullptr) parts.may_see = SeenByMask(node, in, mask, parts.query, keys);
  if (node.Bool("unidirectional", false)) {
    const Value sees = SeesWindow(in, queries, keys, in.Sub(keys, queries), {-1, 0});
    parts.may_see = Both(in, parts.may_see, sees);
  }
  parts.bias = bias;
  node.SetOutput(0, JoinHeads(in, Attend(node, parts).result));
  node.SetOutput(1, present);
}

}  // namespace

// Inputs: x, weights, bias, mask, past, what is added to the scores, how long the past is;
// DecoderMaskedSelfAttention, which has one query, also those of a search with beams.
void ConvertContribAttention(NodeContext& node) {
  Compose in(node);
  if (node.HasInput(8)) return node.Unsupported("cache_indirection");
  Value projected = in.MatMul(node.Input(0), node.Input(1));
  if (node.HasInput(2)) projected = in.Add(projected, node.Input(2));
  FinishAttention(node, in, projected, node.Input(3), node.Input(4), node.Input(5));
}

// Inputs: x, weights, bias, their scales, mask, their zero points, past.
void ConvertQAttention(NodeContext& node) {
  Compose in(node);
  const Value scale = in.Mul(node.Input(3), node.Input(4));
  Value projected =
      ScaledIntegerProduct(node, node.Input(0), node.Input(1), node.Input(6), node.Input(7), scale);
  projected = in.Add(projected, node.Input(2));
  FinishAttention(node, in, projected, node.Input(5), node.Input(8), nullptr);
}

namespace {

// One of the tensors that are packed as [batch, sequence, heads, how many, size].
Value Unpacked(Compose& in, const Value& packed, int64_t which) {
  return in.Transpose(in.Gather(packed, in.Int(which), 3), {0, 2, 1, 3});
}

// Where MultiHeadAttention and its form for decoders have what follows query, key and value.
struct HeadInputs {
  int bias, mask, added, past_key, past_value, past_length, beams;
};

// Query, key and value in one tensor, or key and value beside the query.
void ReadPackedHeads(NodeContext& node, Compose& in, int64_t heads, const HeadInputs& inputs,
                     AttentionParts* parts) {
  const bool is_whole = !node.HasInput(1);
  const Value packed = node.Input(is_whole ? 0 : 1);
  const int64_t count = is_whole ? 3 : 2;
  if (node.RankOf(packed) != 5 || node.HasInput(2))
    return node.Fail("its inputs are neither query, key and value nor packed in one of rank 5");
  if (node.DimOf(packed, 3) >= 0 && node.DimOf(packed, 3) != count)
    return node.Fail("axis 3 of what is packed is ", node.DimOf(packed, 3), ", expected ", count);
  if (node.HasInput(inputs.bias)) return node.Unsupported("a bias for packed query, key and value");
  parts->query = is_whole ? Unpacked(in, packed, 0) : SplitHeads(in, node.Input(0), heads);
  parts->key = Unpacked(in, packed, count - 2);
  parts->value = Unpacked(in, packed, count - 1);
}

// Keys and values of MultiHeadAttention: flat, with heads apart, or packed.
void ReadHeads(NodeContext& node, Compose& in, int64_t heads, const HeadInputs& inputs,
               AttentionParts* parts) {
  Value query = node.Input(0), key = node.Input(1), value = node.Input(2);
  const Value bias = node.Input(inputs.bias);
  // Decoders may have all three side by side.
  if (key == nullptr && value == nullptr && node.detail() == "decoder" &&
      node.DimOf(query, 2) % 3 == 0) {
    const int64_t third = node.DimOf(query, 2) / 3;
    const std::vector<Value> cut = in.Split(query, 2, {third, third, third});
    query = cut[0], key = cut[1], value = cut[2];
  }
  if (key == nullptr || node.RankOf(key) == 5)
    return ReadPackedHeads(node, in, heads, inputs, parts);
  if (value == nullptr) return node.Fail("value (input 2) is left out, but it is not optional");
  const int64_t width = node.DimOf(query, 2), value_width = node.DimOf(value, 2);
  Value flat[] = {query, key, value};
  // Keys whose heads lie apart, of an encoder, have had their part of the bias.
  if (bias != nullptr && node.RankOf(key) == 4) {
    flat[0] = in.Add(query, in.SliceTo(bias, 0, in.Int(0), in.DimOf(query, 2)));
  } else if (bias != nullptr) {
    if (width < 1) return node.Unsupported("a bias for a query whose width only a run tells");
    const std::vector<Value> cut = in.Split(bias, 0, {width, node.DimOf(key, 2), value_width});
    for (size_t i = 0; i < 3; ++i) flat[i] = in.Add(flat[i], cut[i]);
  }
  parts->query = SplitHeads(in, flat[0], heads);
  parts->key = node.RankOf(key) == 4 ? key : SplitHeads(in, flat[1], heads);
  parts->value = node.RankOf(value) == 4 ? value : SplitHeads(in, flat[2], heads);
}

}  // namespace

// Inputs: query, key, value, bias, mask of keys, what is added to the scores, past key and value;
// DecoderMaskedMultiHeadAttention, which has one query, lists them otherwise.
void ConvertMultiHeadAttention(NodeContext& node) {
  Compose in(node);
  AttentionParts parts{};
  const bool is_decoder = node.detail() == "decoder";
  const HeadInputs at =
      is_decoder ? HeadInputs{10, 3, 4, 5, 6, 7, 9} : HeadInputs{3, 4, 5, 6, 7, 8, 9};
  const int64_t heads = node.RequiredInt("num_heads");
  if (node.ok() && heads < 1) return node.Fail("attribute 'num_heads' is ", heads);
  const Value past = node.Input(at.past_key), old_value = node.Input(at.past_value);
  const Value length = node.Input(at.past_length);
  const bool is_shared =
      is_decoder && node.Bool("past_present_share_buffer", false) && past != nullptr;
  if (node.HasInput(at.beams) || (!is_decoder && length != nullptr))
    return node.Unsupported("past_sequence_length and cache_indirection");
  if (is_shared && (old_value == nullptr || length == nullptr))
    return node.Fail(
        "its past and present are one buffer, but past_value or past_sequence_length "
        "(inputs 6 and 7) is left out");
  if (is_decoder) node.Int("output_qk", 0);
  ReadHeads(node, in, heads, at, &parts);
  if (!node.ok()) return;
  node.Float("mask_filter_value", -10000);
  parts.scale = static_cast<double>(node.Float("scale", 0));
  const Value queries = in.DimOf(parts.query, 2);
  const Value mask = node.Input(at.mask);
  const Value count = is_shared         ? in.Reshape(node.ToI64(length), {})
                      : past != nullptr ? in.DimOf(past, 2)
                                        : in.Int(0);
  Value presents[2];
  if (is_shared) {
    presents[0] = WriteBehind(in, past, count, &parts.key);
    presents[1] = WriteBehind(in, old_value, count, &parts.value);
  } else {
    if (past != nullptr) parts.key = in.Concat({past, parts.key}, 2);
    if (old_value != nullptr) parts.value = in.Concat({old_value, parts.value}, 2);
    presents[0] = parts.key;
    presents[1] = parts.value;
  }
  const Value keys = in.DimOf(parts.key, 2);
  if (mask != nullptr) parts.may_see = SeenByMask(node, in, mask, parts.query, keys);
  if (node.Bool("unidirectional", false)) {
    // Queries follow the past. The last one sees every key, as in ONNX Runtime: so a single query
    // does, whose past has been joined to the keys outside of the node.
    const Value sees = SeesWindow(in, queries, keys, count, {-1, 0});
    const Value is_last = in.Call("equal", {in.Range(queries), in.Sub(queries, in.Int(1))});
    parts.may_see = Both(in, parts.may_see, in.Call("or", {sees, in.Unsqueeze(is_last, {1})}));
  }
  parts.bias = node.Input(at.added);
  const AttentionSteps steps = Attend(node, parts);
  node.SetOutput(0, JoinHeads(in, steps.result));
  node.SetOutput(1, presents[0]);
  node.SetOutput(2, presents[1]);
  node.SetOutput(3, steps.capped);
}

namespace {

// Query, key and value of GroupQueryAttention, beside each other or packed in the query.
void ReadGroupedHeads(NodeContext& node, Compose& in, int64_t heads, int64_t kv_heads,
                      AttentionParts* parts) {
  Value query = node.Input(0), key = node.Input(1), value = node.Input(2);
  const int64_t all = heads + 2 * kv_heads;
  if (key == nullptr && node.DimOf(query, 2) < 0) {
    // How wide it is only a run tells; the number of heads is known.
    const Value packed = SplitHeads(in, query, all);
    parts->query = in.Slice(packed, 1, 0, heads);
    parts->key = in.Slice(packed, 1, heads, heads + kv_heads);
    parts->value = in.Slice(packed, 1, heads + kv_heads, all);
    return;
  }
  if (key == nullptr) {
    const int64_t size = node.DimOf(query, 2) / all;
    const std::vector<Value> cut =
        in.Split(query, 2, {heads * size, kv_heads * size, kv_heads * size});
    query = cut[0], key = cut[1], value = cut[2];
  }
  parts->query = SplitHeads(in, query, heads);
  parts->key = SplitHeads(in, key, kv_heads);
  parts->value = SplitHeads(in, value, kv_heads);
}

// Each head of queries and keys divided by its root mean square, before it is turned.
void NormalizeHeads(NodeContext& node, AttentionParts* parts) {
  if (node.HasInput(14) != node.HasInput(15))
    return node.Fail("q_norm_weight (input 14) and k_norm_weight (input 15) come together");
  ops::NormAttrs attrs;
  attrs.axis = -1;
  attrs.epsilon = node.Float("qk_norm_epsilon", 1e-6f);
  if (!node.HasInput(14)) return;
  parts->query = node.Call("rms_norm", {parts->query, node.Input(14)}, attrs.ToAttrs());
  parts->key = node.Call("rms_norm", {parts->key, node.Input(15)}, attrs.ToAttrs());
}

// By rows of the tables from `first` on, or by the positions of input 9.
void RotateBoth(NodeContext& node, Compose& in, const Value& first, AttentionParts* parts) {
  if (!node.HasInput(7) || !node.HasInput(8))
    return node.Fail("do_rotary=1 needs cos_cache and sin_cache (inputs 7 and 8)");
  const bool interleaved = node.Bool("rotary_interleaved", false);
  const Value places =
      node.HasInput(9) ? node.Input(9) : in.Add(in.Range(in.DimOf(parts->query, 2)), first);
  Value tables[2];
  for (int i = 0; i < 2; ++i) {
    tables[i] = in.Gather(node.Input(7 + i), places);
    if (node.RankOf(tables[i]) == 2) tables[i] = in.Unsqueeze(tables[i], {0});
  }
  // Tables of a width that only a run tells turn whole heads.
  const int64_t width = node.DimOf(node.Input(7), 1);
  if (width == 0) return node.Fail("its cos_cache (input 7) has no columns");
  const int64_t dim = width < 0 ? 0 : 2 * width;
  parts->query = Rotate(node, parts->query, tables[0], tables[1], dim, interleaved);
  parts->key = Rotate(node, parts->key, tables[0], tables[1], dim, interleaved);
}

// What is not done is said; what changes nothing here is known.
void ReadGroupedOptions(NodeContext& node) {
  const int64_t window = node.Int("local_window_size", -1);
  if (node.ok() && window == 0) node.Fail("attribute 'local_window_size' is 0");
  if (node.Text("k_quant_type", "NONE") != "NONE" || node.Text("v_quant_type", "NONE") != "NONE")
    node.Unsupported("a quantized cache");
  if (node.HasInput(12) || node.HasInput(13)) node.Unsupported("scales of a quantized cache");
  node.Int("kv_cache_bit_width", 0);
  if (node.Int("sliding_window_cache", 0) != 0) node.Unsupported("a cache as wide as the window");
}

}  // namespace

// Inputs: query, key, value, past key and value, last valid key of each row, all keys, cos and sin
// tables, positions, what is added to the scores, sinks of the heads, scales of the cache, what
// normalizes queries and keys. The past holds as many keys as it has rows.
void ConvertGroupQueryAttention(NodeContext& node) {
  Compose in(node);
  AttentionParts parts{};
  const int64_t heads = node.RequiredInt("num_heads"), kv_heads = node.RequiredInt("kv_num_heads");
  if (node.ok() && (heads < 1 || kv_heads < 1))
    return node.Fail("it has ", heads, " heads of queries and ", kv_heads, " of keys");
  ReadGroupedOptions(node);
  if (!node.ok()) return;
  ReadGroupedHeads(node, in, heads, kv_heads, &parts);
  if (!node.ok()) return;
  parts.scale = static_cast<double>(node.Float("scale", 0));
  parts.softcap = static_cast<double>(node.Float("softcap", 0));
  const Value queries = in.DimOf(parts.query, 2);
  const Value past = node.HasInput(3) ? in.DimOf(node.Input(3), 2) : in.Int(0);
  NormalizeHeads(node, &parts);
  if (node.Bool("do_rotary", false)) RotateBoth(node, in, past, &parts);
  if (!node.ok()) return;
  if (node.HasInput(3)) parts.key = in.Concat({node.Input(3), parts.key}, 2);
  if (node.HasInput(4)) parts.value = in.Concat({node.Input(4), parts.value}, 2);
  const Value keys = in.DimOf(parts.key, 2);
  const int64_t window = node.Int("local_window_size", -1);
  const bool is_causal = node.Bool("causal", true);
  if (!is_causal && window > 0)
    return node.Fail("attribute 'local_window_size' is ", window, " without 'causal'");
  if (is_causal)
    parts.may_see = SeesWindow(in, queries, keys, past, {window > 0 ? window - 1 : -1, 0});
  if (const Value last = node.Input(5)) {
    const Value each = in.Reshape(node.ToI64(last), {-1, 1, 1, 1});
    parts.may_see = Both(in, parts.may_see, in.Call("less_equal", {in.Range(keys), each}));
  }
  parts.bias = node.Input(10);
  const bool is_smooth = node.Bool("smooth_softmax", false);
  parts.sink = node.HasInput(11) ? node.Input(11) : is_smooth ? in.Like(parts.query, 0) : nullptr;
  const AttentionSteps steps = Attend(node, parts);
  node.SetOutput(0, JoinHeads(in, steps.result));
  node.SetOutput(1, parts.key);
  node.SetOutput(2, parts.value);
  const int64_t shown = node.Int("qk_output", 0);
  if (node.ok() && (shown < 0 || shown > 2 || (shown == 0 && node.WantsOutput(3))))
    return node.Fail("attribute 'qk_output' is ", shown, ", expected 1 or 2 for output 3");
  if (!node.WantsOutput(3)) return;
  // Scores of keys that are not seen are 0.
  const Value seen = parts.may_see == nullptr
                         ? steps.biased
                         : in.Where(parts.may_see, steps.biased, in.Like(steps.biased, 0));
  node.SetOutput(3, shown == 1 ? seen : steps.probabilities);
}

// Inputs: x, positions ([batch, sequence], or where the first one stands), cos, sin.
void ConvertContribRotaryEmbedding(NodeContext& node) {
  Compose in(node);
  Value x = node.Input(0), places = node.ToI64(node.Input(1));
  const int rank = node.RankOf(x);
  int64_t heads = node.IntAtLeast("num_heads", 0, 0);
  const int64_t dim = node.IntAtLeast("rotary_embedding_dim", 0, 0);
  if (node.Float("scale", 1) != 1 || node.Bool("is_packed_batching", false))
    return node.Unsupported("scale other than 1, and packed batches");
  const int64_t table = node.DimOf(node.Input(2), 1), width = node.DimOf(x, rank - 1);
  // Without a number of heads, the tables' width says how large one is.
  const bool counts = rank == 3 && heads == 0 && table > 0;
  if (counts && width > 0) heads = width / (2 * table);
  if (counts && width < 0) {
    x = in.Transpose(in.Reshape(x, {0, 0, -1, 2 * table}), {0, 2, 1, 3});
  } else if (node.ok() && (rank < 3 || rank > 4 || (rank == 3 && heads < 1))) {
    return node.Fail("its input has rank ", rank, " and num_heads is ", heads);
  } else if (rank == 3) {
    x = SplitHeads(in, x, heads);
  }
  if (node.RankOf(places) < 2) places = in.Add(in.Range(in.DimOf(x, 2)), in.Reshape(places, {}));
  Value cos = in.Gather(node.Input(2), places), sin = in.Gather(node.Input(3), places);
  if (node.RankOf(cos) == 2) cos = in.Unsqueeze(cos, {0}), sin = in.Unsqueeze(sin, {0});
  x = Rotate(node, x, cos, sin, dim, node.Bool("interleaved", false));
  node.SetOutput(0, rank == 3 ? JoinHeads(in, x) : x);
}

}  // namespace tern::onnx
