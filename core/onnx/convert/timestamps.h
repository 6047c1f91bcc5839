// SPDX-License-Identifier: Apache-2.0
// TimestampRules: what a text of Whisper's with times in it must look like, by which
// WhisperBeamSearch changes scores where its logits_processor is 1. Tokens of times are the last of
// the vocabulary; they come in pairs and do not go back.
#ifndef TERN_CORE_ONNX_CONVERT_TIMESTAMPS_H_
#define TERN_CORE_ONNX_CONVERT_TIMESTAMPS_H_

#include "core/onnx/convert/compose.h"
#include "core/onnx/node_context.h"

namespace tern::onnx {

class TimestampRules {
 public:
  explicit TimestampRules(NodeContext& node) : node_(node), in_(node) {}

  // Reads the attributes that name tokens; false after a failure. end: eos_token_id.
  bool Read(int64_t end);
  // scores: f32 of (row, token), logarithms of shares. sequences: i32 of (row, position).
  Value Apply(const Value& scores, const Value& sequences);

 private:
  // What the last tokens are: bools of (row, 1).
  struct Tail {
    Value begins;     // there is no time before the last token
    Value is_open;    // the first time of a pair: the second one comes next
    Value is_closed;  // the second time of a pair, or the first of all
  };
  Tail Look(const Value& is_time, const Value& length);
  Value Latest(const Value& is_time, const Value& sequences);
  Value PreferTimes(const Value& scores, const Value& is_text);
  Value Never(const Value& forbidden, const Value& scores);
  Value Either(const Value& a, const Value& b) { return in_.Binary("or", a, b); }
  Value Both(const Value& a, const Value& b) { return in_.Binary("and", a, b); }
  Value Not(const Value& x) { return in_.Unary("not", x); }
  Value IsLess(const Value& a, const Value& b) { return in_.Binary("less", a, b); }

  NodeContext& node_;
  Compose in_;
  int64_t end_ = 0, first_time_ = 0;
  Ints never_, once_;  // tokens: that are not said, that stand before the first time only
};

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_TIMESTAMPS_H_
