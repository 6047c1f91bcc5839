// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/convert/scores.h"

#include <limits>
#include <string_view>
#include <utility>

#include "core/onnx/convert/converters.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

// What the score of a token becomes that must not be chosen. Not infinity: sums of it stay numbers.
constexpr double kNever = std::numeric_limits<float>::lowest();

// A gram has a call for each of its tokens, so that a file must not ask for any number.
constexpr int64_t kLongestGram = 32;

int64_t ReadGram(NodeContext& node, std::string_view name, int64_t least) {
  const int64_t gram = node.IntAtLeast(name, 0, least);
  if (node.ok() && gram > kLongestGram)
    node.Unsupported("attribute '", name, "' is ", gram, "; ", kLongestGram,
                     " tokens are possible");
  return node.ok() ? gram : least;
}

// Of every place where the last gram - 1 tokens stand in the sequence, the token behind it gets the
// score `never`, so that it does not come again.
Value WithoutRepeatedGrams(NodeContext& node, const Value& scores, const Value& sequences,
                           int64_t gram, double never) {
  Compose in(node);
  const Value length = in.DimOf(sequences, 1);
  const Value zero = in.Int(0);
  // Places at which a whole gram fits; none where the sequence is too short.
  const Value places = in.Binary("max", in.Sub(length, in.Int(gram - 1)), zero);
  const auto from = [&](int64_t offset) {
    const Value begin = in.Int(offset);
    return in.SliceTo(sequences, 1, begin, in.Add(begin, places));
  };
  const Value behind = in.Cast(from(gram - 1), kI64);
  Value matches = in.Expand(in.Int(1), in.ShapeOf(behind));
  for (int64_t k = 0; k < gram - 1; ++k) {
    const Value index = in.Binary("max", in.Sub(length, in.Int(gram - 1 - k)), zero);
    const Value token = in.Unsqueeze(in.Gather(sequences, index, 1), {1});
    matches = in.Mul(matches, in.Cast(in.Binary("equal", from(k), token), kI64));
  }
  const Value none = in.Expand(node.Scalar(kF32, 0), in.ShapeOf(scores));
  ops::ScatterAttrs attrs;
  attrs.axis = 1;
  attrs.reduction = ops::ScatterReduction::kMax;
  // Tokens that do not match count as token 0, and change nothing there.
  const Value blocked = node.Call(
      "scatter_elements", {none, in.Mul(behind, matches), in.Cast(matches, kF32)}, attrs.ToAttrs());
  return in.Where(in.Binary("greater", blocked, node.Scalar(kF32, 0)), in.Like(scores, never),
                  scores);
}

}  // namespace

// com.microsoft. Inputs: tokens so far and scores of the next one, both by sequence.
void ConvertNGramRepeatBlock(NodeContext& node) {
  const int64_t gram = ReadGram(node, "ngram_size", 1);
  for (int i = 0; i < 2 && node.ok(); ++i) {
    if (node.RankOf(node.Input(i)) != 2)
      return node.Fail("its input ", i, " has rank ", node.RankOf(node.Input(i)), ", expected 2");
  }
  if (!node.ok()) return;
  node.SetOutput(0, WithoutRepeatedGrams(node, node.Input(1), node.Input(0), gram,
                                         -std::numeric_limits<double>::infinity()));
}

Value ScalarOf(NodeContext& node, int input, DType dtype) {
  Compose in(node);
  return in.Cast(in.Reshape(node.Input(input), {}), dtype);
}

bool ScoreRules::Read() {
  end_ = node_.RequiredInt("eos_token_id");
  pad_ = node_.RequiredInt("pad_token_id");
  gram_ = ReadGram(node_, "no_repeat_ngram_size", 0);
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
  if (gram_ > 0) scores = WithoutRepeatedGrams(node_, scores, sequences, gram_, kNever);
  if (node_.HasInput(inputs_.vocab_mask)) scores = Masked(scores, node_.Input(inputs_.vocab_mask));
  if (node_.HasInput(inputs_.prefix_vocab_mask)) scores = WithoutPrefix(scores, first, beams);
  if (node_.HasInput(inputs_.min_length)) scores = WithoutEnd(scores, sequences);
  return scores;
}

}  // namespace tern::onnx
