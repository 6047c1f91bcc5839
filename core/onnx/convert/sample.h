// SPDX-License-Identifier: Apache-2.0
// Sampler: how the operator Sampling draws the next token of each sequence. What is changed by
// ScoreRules first is divided by the temperature, cut off at top_p, and drawn by a generator of
// whole numbers: the same seed gives the same tokens in every run and on every target.
#ifndef TERN_CORE_ONNX_CONVERT_SAMPLE_H_
#define TERN_CORE_ONNX_CONVERT_SAMPLE_H_

#include "core/onnx/convert/compose.h"
#include "core/onnx/node_context.h"

namespace tern::onnx {

class Sampler {
 public:
  explicit Sampler(NodeContext& node) : node_(node), in_(node) {}

  // Reads inputs and attributes; false after a failure.
  bool Read();
  // scores: f32 of (row, token). turn: an i64. The tokens, i64 of row.
  Value Draw(const Value& scores, const Value& turn);
  // What the last call drew from: scores by the number of the token, filtered.
  Value filtered() const { return filtered_; }

 private:
  Value Cooled(const Value& scores);
  Value Kept(const Value& shares);
  Value Number(const Value& turn, const Value& rows);
  Value Shuffled(Value bits);

  NodeContext& node_;
  Compose in_;
  float temperature_ = 1, top_p_ = 0, filter_value_ = 0, presence_penalty_ = 0;
  int64_t least_ = 0;
  bool custom_ = false;
  Value seed_, filtered_;
};

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_SAMPLE_H_
