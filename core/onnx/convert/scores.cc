// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/convert/scores.h"

#include <limits>
#include <utility>

#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

// What the score of a token becomes that must not be chosen. Not infinity: sums of it stay numbers.
constexpr double kNever = std::numeric_limits<float>::lowest();

}  // namespace

Value ScalarOf(NodeContext& node, int input, DType dtype) {
  Compose in(node);
  return in.Cast(in.Reshape(node.Input(input), {}), dtype);
}

bool ScoreRules::Read() {
  end_ = node_.RequiredInt("eos_token_id");
  pad_ = node_.RequiredInt("pad_token_id");
  gram_ = node_.IntAtLeast("no_repeat_ngram_size", 0, 0);
  return node_.ok();
}

Value ScoreRules::Masked(const Value& scores, const Value& allowed) {
  const Value forbidden = in_.Binary("equal", allowed, in_.Like(allowed, 0));
  return in_.Where(forbidden, node_.Scalar(kF32, kNever), scores);
}

// A token that the sequence has already: a positive score is divided by the penalty, a negative one
// multiplied.
Value ScoreRules::Repeated(const Value& scores, const Value& sequences) {
  const Value penalty = ScalarOf(node_, inputs_.repetition_penalty, kF32);
  const Value tokens = in_.Cast(sequences, kI64);
  const Value none = in_.Expand(node_.Scalar(kF32, 0), in_.ShapeOf(scores));
  const Value ones = in_.Expand(node_.Scalar(kF32, 1), in_.ShapeOf(tokens));
  ops::ScatterAttrs attrs;
  attrs.axis = 1;
  const Value seen = node_.Call("scatter_elements", {none, tokens, ones}, attrs.ToAttrs());
  const Value zero = node_.Scalar(kF32, 0);
  const Value lower = in_.Where(in_.Binary("less", scores, zero), in_.Mul(scores, penalty),
                                in_.Div(scores, penalty));
  return in_.Where(in_.Binary("greater", seen, zero), lower, scores);
}

// Of every place where the last gram_ - 1 tokens stand in the sequence, the token behind it must
// not come again.
Value ScoreRules::WithoutRepeatedGrams(const Value& scores, const Value& sequences) {
  const Value length = in_.DimOf(sequences, 1);
  const Value zero = in_.Int(0);
  // Places at which a whole gram fits; none where the sequence is too short.
  const Value places = in_.Binary("max", in_.Sub(length, in_.Int(gram_ - 1)), zero);
  const auto from = [&](int64_t offset) {
    const Value begin = in_.Int(offset);
    return in_.SliceTo(sequences, 1, begin, in_.Add(begin, places));
  };
  Value matches = in_.Expand(node_.Scalar(kF32, 1), in_.ShapeOf(from(gram_ - 1)));
  for (int64_t k = 0; k < gram_ - 1; ++k) {
    const Value index = in_.Binary("max", in_.Sub(length, in_.Int(gram_ - 1 - k)), zero);
    const Value token = in_.Unsqueeze(in_.Gather(sequences, index, 1), {1});
    matches = in_.Mul(matches, in_.Cast(in_.Binary("equal", from(k), token), kF32));
  }
  const Value none = in_.Expand(node_.Scalar(kF32, 0), in_.ShapeOf(scores));
  ops::ScatterAttrs attrs;
  attrs.axis = 1;
  attrs.reduction = ops::ScatterReduction::kMax;
  const Value blocked = node_.Call(
      "scatter_elements", {none, in_.Cast(from(gram_ - 1), kI64), matches}, attrs.ToAttrs());
  return in_.Where(in_.Binary("greater", blocked, node_.Scalar(kF32, 0)),
                   node_.Scalar(kF32, kNever), scores);
}

// The mask has a row for each sequence of the batch, and holds in the first turn only.
Value ScoreRules::WithoutPrefix(const Value& scores, const Value& first, const Value& beams) {
  const Value mask = node_.Input(inputs_.prefix_vocab_mask);
  const Value row = in_.Div(in_.Range(in_.DimOf(scores, 0)), beams);
  return in_.Where(first, Masked(scores, in_.Gather(mask, row, 0)), scores);
}

// The end is no choice while the sequence is short.
Value ScoreRules::WithoutEnd(const Value& scores, const Value& sequences) {
  const Value least = ScalarOf(node_, inputs_.min_length, kI64);
  const Value is_short = in_.Binary("less", in_.DimOf(sequences, 1), least);
  const Value is_end = in_.Binary("equal", in_.Range(in_.DimOf(scores, 1)), in_.Int(end_));
  return in_.Where(in_.Binary("and", is_end, is_short), node_.Scalar(kF32, kNever), scores);
}

// In the order in which ONNX Runtime applies them.
Value ScoreRules::Apply(Value scores, const Value& sequences, const Value& first,
                        const Value& beams) {
  if (node_.HasInput(inputs_.repetition_penalty)) scores = Repeated(scores, sequences);
  if (gram_ > 0) scores = WithoutRepeatedGrams(scores, sequences);
  if (node_.HasInput(inputs_.vocab_mask)) scores = Masked(scores, node_.Input(inputs_.vocab_mask));
  if (node_.HasInput(inputs_.prefix_vocab_mask)) scores = WithoutPrefix(scores, first, beams);
  if (node_.HasInput(inputs_.min_length)) scores = WithoutEnd(scores, sequences);
  return scores;
}

}  // namespace tern::onnx
