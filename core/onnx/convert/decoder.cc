// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/convert/decoder.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/ir/control.h"
#include "core/object/dtype.h"
#include "core/onnx/convert/value_types.h"

namespace tern::onnx {
namespace {

using ValueType = types::Type;

// The extent that the graph declares, or -1.
int64_t DeclaredDim(const ValueInfo& info, size_t axis) {
  const Shape* shape = info.type.shape.get();
  if (shape == nullptr || axis >= shape->dims.size()) return -1;
  const Dimension& dim = shape->dims[axis];
  return dim.kind == Dimension::Kind::kValue ? dim.value : -1;
}

// Where nothing has been kept yet: a tensor as the graph declares it, with `rows` and no positions.
Value EmptyPast(NodeContext& node, const ValueInfo& info, size_t row_axis, size_t position_axis,
                const Value& rows) {
  Compose in(node);
  // Behind the positions comes one more axis, the elements of a head.
  const size_t rank = position_axis + 2;
  if (info.type.shape == nullptr || info.type.shape->dims.size() != rank) {
    node.Unsupported("input '", info.name, "' of its decoder declares no shape of rank ", rank);
    return nullptr;
  }
  std::vector<Value> extents;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t declared = DeclaredDim(info, axis);
    if (axis == row_axis) {
      extents.push_back(in.Reshape(rows, {1}));
      continue;
    }
    // Only the rows and the positions change from call to call. Heads and their size are facts of
    // the model, and nothing but the declaration tells them.
    if (axis != position_axis && declared < 0) {
      node.Unsupported("axis ", axis, " of the input '", info.name,
                       "' of its decoder has no declared extent");
      return nullptr;
    }
    extents.push_back(node.ConstantInts({axis == position_axis ? 0 : declared}));
  }
  const Result<DType> dtype = MakeDType(info.type.elem_type);
  if (!dtype.ok()) node.Fail("input '", info.name, "': ", dtype.status().message());
  if (!node.ok()) return nullptr;
  return in.Expand(node.Scalar(*dtype, 0), in.Concat(extents, 0));
}

// What one of two blocks gives.
struct Way {
  ir::LetPtr block;
  std::vector<Value> values;
};

Way EndWay(NodeContext& node, std::vector<Value> values) {
  Way way;
  way.block = node.builder().EndBlock(node.ok() ? ir::MakeTuple(values) : ir::MakeNone());
  way.values = std::move(values);
  return way;
}

bool JoinWays(NodeContext& node, const Value& condition, const Way& then, const Way& otherwise,
              std::vector<Value>* outputs) {
  if (!node.ok()) return false;
  std::vector<ValueType> types;
  for (size_t i = 0; i < then.values.size(); ++i) {
    const ValueType first = ir::TypeOf(then.values[i]), other = ir::TypeOf(otherwise.values[i]);
    const ValueType merged = MergeTypes(first, other);
    if (!merged.known()) {
      node.Unsupported("in the first turn output ", i, " of its decoder is ", first.ToText(),
                       ", later it is ", other.ToText());
      return false;
    }
    types.push_back(WithNames(node.builder(), merged));
  }
  const Value result = node.builder().BindAs(ir::MakeIf(condition, then.block, otherwise.block),
                                             ValueType::Tuple(std::move(types)));
  for (size_t i = 0; i < then.values.size(); ++i)
    outputs->push_back(node.builder().Field(result, static_cast<int>(i)));
  return true;
}

// 1 for tokens that count. mask: the input that says so; where it is left out, or -1, it is all
// that is no padding.
Value MaskOf(NodeContext& node, int mask, bool leading_only) {
  Compose in(node);
  if (mask >= 0 && node.HasInput(mask)) return in.Cast(node.Input(mask), kI32);
  const Value ids = node.Input(0);
  const Value pad =
      node.Scalar(node.DTypeOf(ids), static_cast<double>(node.Int("pad_token_id", 0)));
  const Value counts = in.Cast(in.Unary("not", in.Binary("equal", ids, pad)), kI32);
  if (!leading_only) return counts;
  // All behind the first one that counts do, too.
  return in.Binary("min", in.RunningSum(counts, 1), node.Scalar(kI32, 1));
}

// --- GPT-2 and its like: one graph of (input_ids, position_ids, attention_mask, past_0, …), which
// gives (logits, present_0, …)

class CausalDecoder final : public Decoder {
 public:
  CausalDecoder(NodeContext& node, const Graph& graph, const Graph* first, int mask)
      : node_(node), in_(node), graph_(graph), first_(first), mask_(mask) {}

  Value Start(const Value& beams, std::vector<Value>* states) override {
    const Value ids = RepeatRows(node_, in_.Cast(node_.Input(0), kI32), beams);
    const Value mask = RepeatRows(node_, MaskOf(node_, mask_, false), beams);
    const Value counts = RepeatRows(node_, MaskOf(node_, -1, false), beams);
    // Tokens that count are numbered, padding is at 0.
    const Value ends = in_.RunningSum(counts, 1);
    const Value positions = in_.Mul(in_.Sub(ends, node_.Scalar(kI32, 1)), counts);
    const Value next = in_.Reduce("reduce_sum", counts, {1}, true);
    *states = {ids, positions, mask, next};
    const Value rows = in_.DimOf(ids, 0);
    for (size_t i = 3; i < graph_.inputs.size() && node_.ok(); ++i)
      // A past is [2, rows, heads, positions, size] here: keys and values are in one tensor.
      states->push_back(EmptyPast(node_, graph_.inputs[i], 1, 3, rows));
    return ids;
  }

  bool Run(const Value& first, std::span<const Value> states, Value* logits,
           std::vector<Value>* kept) override {
    // State 3, the position of the next token, is no input of the graph: it becomes its
    // position_ids in the next turn.
    std::vector<Value> inputs(states.begin(), states.begin() + 3), outputs;
    inputs.insert(inputs.end(), states.begin() + 4, states.end());
    if (first_ == nullptr) {
      if (!node_.Inline(graph_, inputs, &outputs)) return false;
    } else {
      const Way then = Called(*first_, inputs), otherwise = Called(graph_, inputs);
      if (!JoinWays(node_, first, then, otherwise, &outputs)) return false;
    }
    *logits = outputs[0];
    kept->assign(outputs.begin() + 1, outputs.end());
    return true;
  }

  std::vector<Value> Next(std::span<const Value> states, const std::vector<Value>& kept,
                          const Value& sequences, const Value& rows) override {
    // What a turn takes is the last token alone; all before it is in the past. Each new token
    // counts, so the mask grows by a one.
    const Value one = node_.Scalar(kI32, 1), next = states[3];
    const Value more = in_.Expand(one, in_.ShapeOf(next));
    std::vector<Value> result = {in_.Slice(sequences, 1, -1, INT64_MAX), next,
                                 in_.Concat({states[2], more}, 1), in_.Add(next, one)};
    for (const Value& value : kept)
      result.push_back(rows == nullptr ? value : in_.Gather(value, rows, 1));
    return result;
  }

 private:
  Way Called(const Graph& graph, const std::vector<Value>& inputs) {
    std::vector<Value> outputs;
    node_.builder().BeginBlock();
    node_.Inline(graph, inputs, &outputs);
    return EndWay(node_, std::move(outputs));
  }

  NodeContext& node_;
  Compose in_;
  const Graph& graph_;
  const Graph* first_;
  int mask_;
};

// --- T5 and its like: an encoder that runs once, and a decoder of (input_ids,
// encoder_attention_mask, encoder_hidden_states?, past_key_self_0, past_value_self_0, …,
// past_key_cross_0, past_value_cross_0, …), which gives (logits, present_key_self_0, …). What is
// across is the same in every turn.

class EncodedDecoder final : public Decoder {
 public:
  // prompt: the input of first tokens where the encoder takes sounds, which no mask belongs to; -1
  // where it takes tokens.
  EncodedDecoder(NodeContext& node, const Graph& encoder, const Graph& decoder, int mask,
                 int prompt)
      : node_(node),
        in_(node),
        encoder_(encoder),
        decoder_(decoder),
        mask_(mask),
        prompt_(prompt),
        sounds_(prompt >= 0) {}

  bool Check();

  Value Start(const Value& beams, std::vector<Value>* states) override {
    const Value ids = FirstTokens();
    std::vector<Value> inputs = {node_.Input(0)}, outputs;
    if (!sounds_) {
      // Where no mask is given, the encoder's leaves out only the padding in front of the text. The
      // decoders without an encoder leave out all of it.
      const Value mask = MaskOf(node_, mask_, true);
      inputs.push_back(mask);
      fixed_ = {RepeatRows(node_, mask, beams)};
    }
    if (begins_) inputs.push_back(ids);
    if (!node_.ok() || !node_.Inline(encoder_, inputs, &outputs)) return nullptr;
    // The encoder runs once for each row of the batch. Its results are repeated afterwards, not its
    // work.
    for (Value& output : outputs) output = RepeatRows(node_, output, beams);
    const Value prompt = RepeatRows(node_, ids, beams);
    *states = {prompt};
    auto next = outputs.begin();
    if (begins_) states->push_back(*next++);
    if (begins_ && !takes_hidden_) ++next;
    if (takes_hidden_) fixed_.push_back(*next++);
    const Value count = in_.DimOf(prompt, 0);
    for (size_t i = 0; i < layers_; ++i) {
      states->push_back(begins_ ? *next++
                                : EmptyPast(node_, decoder_.inputs[first_past_ + i], 0, 2, count));
    }
    across_.assign(next, outputs.end());
    return prompt;
  }

  bool Run(const Value& first, std::span<const Value> states, Value* logits,
           std::vector<Value>* kept) override;

  std::vector<Value> Next(std::span<const Value> states, const std::vector<Value>& kept,
                          const Value& sequences, const Value& rows) override {
    std::vector<Value> result = {whole_ ? sequences : in_.Slice(sequences, 1, -1, INT64_MAX)};
    if (begins_) result.push_back(states[1]);
    for (const Value& value : kept)
      result.push_back(rows == nullptr ? value : in_.Gather(value, rows, 0));
    return result;
  }

  Value FirstLogits(std::span<const Value> states) override {
    return begins_ ? states[1] : nullptr;
  }

 private:
  Value FirstTokens() {
    if (sounds_ && node_.HasInput(prompt_)) return in_.Cast(node_.Input(prompt_), kI32);
    const Value rows = in_.Reshape(in_.DimOf(node_.Input(0), 0), {1});
    // The decoder begins with one token that is no part of the encoder's input.
    const Value start = node_.Scalar(kI32, static_cast<double>(start_));
    return in_.Expand(start, in_.Concat({rows, node_.ConstantInts({1})}, 0));
  }

  bool Call(std::span<const Value> states, std::vector<Value>* outputs) {
    std::vector<Value> inputs = {states[0]};
    inputs.insert(inputs.end(), fixed_.begin(), fixed_.end());
    inputs.insert(inputs.end(), states.end() - static_cast<std::ptrdiff_t>(layers_), states.end());
    inputs.insert(inputs.end(), across_.begin(), across_.end());
    return node_.Inline(decoder_, inputs, outputs);
  }

  NodeContext& node_;
  Compose in_;
  const Graph &encoder_, &decoder_;
  int mask_, prompt_;
  bool sounds_;
  int64_t start_ = 0;
  // The encoder runs the decoder for the first time, too, and gives logits first.
  bool begins_ = false;
  bool takes_hidden_ = false;  // the decoder takes what the encoder's last layer gives
  bool whole_ = false;         // the decoder takes all tokens, not the last one
  size_t first_past_ = 0, layers_ = 0;
  std::vector<Value> fixed_, across_;
};

bool EncodedDecoder::Check() {
  start_ = node_.Int("decoder_start_token_id", -1);
  const bool has_prompt = sounds_ && node_.HasInput(prompt_);
  if (start_ < 0 && !has_prompt) node_.Unsupported("a decoder without 'decoder_start_token_id'");
  if (has_prompt && node_.RankOf(node_.Input(prompt_)) != 2)
    node_.Fail("its decoder_input_ids have rank ", node_.RankOf(node_.Input(prompt_)),
               ", expected 2");
  begins_ = sounds_ || encoder_.inputs.size() == 3;
  if (sounds_ && encoder_.inputs.size() != 2)
    node_.Fail("its encoder has ", encoder_.inputs.size(),
               " inputs, expected 2: features of the sound and decoder_input_ids");
  else if (!begins_ && encoder_.inputs.size() != 2)
    node_.Fail("its encoder has ", encoder_.inputs.size(), " inputs, expected 2 or 3");
  const size_t least = sounds_ ? 5 : 4;
  if (decoder_.outputs.size() < 3 || decoder_.inputs.size() < least)
    node_.Fail("its decoder has ", decoder_.inputs.size(), " inputs and ", decoder_.outputs.size(),
               " outputs, expected at least ", least, " and 3");
  if (!node_.ok()) return false;
  // Keys and values count apart: a decoder of six layers has twelve here.
  layers_ = decoder_.outputs.size() - 1;
  const size_t hidden = sounds_ ? 1 : 2;
  takes_hidden_ = decoder_.inputs[hidden].name == "encoder_hidden_states";
  first_past_ = hidden + (takes_hidden_ ? 1 : 0);
  whole_ = begins_ && DeclaredDim(decoder_.inputs[0], 1) != 1;
  const size_t wanted = first_past_ + 2 * layers_;
  if (decoder_.inputs.size() != wanted)
    node_.Unsupported("a decoder of ", decoder_.inputs.size(), " inputs and ",
                      decoder_.outputs.size(), " outputs; expected ", wanted,
                      " inputs, without a past and present in one buffer");
  const size_t given = begins_ ? 2 + 2 * layers_ : layers_ + (takes_hidden_ ? 1 : 0);
  if (encoder_.outputs.size() != given)
    node_.Fail("its encoder has ", encoder_.outputs.size(), " outputs, expected ", given);
  return node_.ok();
}

bool EncodedDecoder::Run(const Value& first, std::span<const Value> states, Value* logits,
                         std::vector<Value>* kept) {
  std::vector<Value> outputs;
  if (!begins_) {
    if (!Call(states, &outputs)) return false;
  } else {
    // In the first turn the encoder's outputs are what this call would give.
    node_.builder().BeginBlock();
    const Way then = EndWay(node_, {states.begin() + 1, states.end()});
    node_.builder().BeginBlock();
    std::vector<Value> made;
    Call(states, &made);
    const Way otherwise = EndWay(node_, std::move(made));
    if (!JoinWays(node_, first, then, otherwise, &outputs)) return false;
  }
  *logits = outputs[0];
  kept->assign(outputs.begin() + 1, outputs.end());
  return true;
}

}  // namespace

Value RepeatRows(NodeContext& node, const Value& x, const Value& times) {
  Compose in(node);
  if (node.KnownNumber(times) == 1) return x;
  // Rows of one batch element stay side by side, [a, a, b, b], so that row / times is its number.
  const Value rows = in.Range(in.Mul(in.DimOf(x, 0), times));
  return in.Gather(x, in.Div(rows, times), 0);
}

int64_t ModelTypeOf(NodeContext& node) {
  return node.Int("model_type", node.detail() == "whisper" ? kSoundModel : kCausalModel);
}

std::unique_ptr<Decoder> ReadDecoder(NodeContext& node, int mask, int prompt) {
  const Graph* graph = node.Subgraph("decoder");
  const int64_t kind = ModelTypeOf(node);
  node.Int("decoder_start_token_id", -1);
  if (!node.ok()) return nullptr;
  const bool sounds = kind == kSoundModel && prompt >= 0;
  const int rank = sounds ? 3 : 2;
  if (node.RankOf(node.Input(0)) != rank)
    node.Fail("its input_ids have rank ", node.RankOf(node.Input(0)), ", expected ", rank);
  if (kind != kCausalModel && kind != kTextModel && !sounds)
    node.Unsupported("attribute 'model_type' is ", kind, ", expected 0 (GPT-2)",
                     prompt < 0 ? " or 1 (T5)" : ", 1 (T5) or 2 (Whisper)");
  if (!node.ok()) return nullptr;
  if (kind != kCausalModel) {
    const Graph* encoder = node.Subgraph("encoder");
    if (!node.ok()) return nullptr;
    auto made =
        std::make_unique<EncodedDecoder>(node, *encoder, *graph, mask, sounds ? prompt : -1);
    return made->Check() ? std::move(made) : nullptr;
  }
  const Graph* first = node.Has("init_decoder") ? node.Subgraph("init_decoder") : nullptr;
  for (const Graph* one : {graph, first}) {
    if (one == nullptr || one->inputs.size() == one->outputs.size() + 2) continue;
    node.Unsupported("a decoder of ", one->inputs.size(), " inputs and ", one->outputs.size(),
                     " outputs; expected input_ids, position_ids, attention_mask and pasts, and as "
                     "many presents, not in one buffer with them");
  }
  if (node.ok() && first != nullptr && first->inputs.size() != graph->inputs.size())
    node.Fail("its init_decoder has ", first->inputs.size(), " inputs, its decoder ",
              graph->inputs.size());
  if (!node.ok()) return nullptr;
  return std::make_unique<CausalDecoder>(node, *graph, first, mask);
}

}  // namespace tern::onnx
