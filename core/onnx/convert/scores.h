// SPDX-License-Identifier: Apache-2.0
// ScoreRules: what changes the scores of the next token before a search picks by them. GreedySearch
// and BeamSearch share them.
#ifndef TERN_CORE_ONNX_CONVERT_SCORES_H_
#define TERN_CORE_ONNX_CONVERT_SCORES_H_

#include "core/onnx/convert/compose.h"
#include "core/onnx/node_context.h"

namespace tern::onnx {

// Where the inputs that both searches have are among those of one of them.
struct SearchInputs {
  int max_length, min_length, repetition_penalty, vocab_mask, prefix_vocab_mask, attention_mask;
  int decoder_input_ids;  // -1: none
};

class ScoreRules {
 public:
  ScoreRules(NodeContext& node, const SearchInputs& inputs)
      : node_(node), in_(node), inputs_(inputs) {}

  // Reads inputs and attributes; false after a failure.
  bool Read();
  // scores: f32 of (row, token). sequences: i32 of (row, position), what the scores follow.
  // first: a bool, whether it is the first turn. beams: rows of each sequence of the batch, an i64.
  Value Apply(Value scores, const Value& sequences, const Value& first, const Value& beams);

  int64_t end_token() const { return end_; }
  int64_t pad_token() const { return pad_; }

 private:
  Value Repeated(const Value& scores, const Value& sequences);
  Value Masked(const Value& scores, const Value& allowed);
  Value WithoutPrefix(const Value& scores, const Value& first, const Value& beams);
  Value WithoutEnd(const Value& scores, const Value& sequences);

  NodeContext& node_;
  Compose in_;
  SearchInputs inputs_;
  int64_t end_ = 0, pad_ = 0, gram_ = 0;
};

// An input of one element as a scalar of that type.
Value ScalarOf(NodeContext& node, int input, DType dtype);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_SCORES_H_
