// SPDX-License-Identifier: Apache-2.0
// Attention as the products and the softmax that it is made of, for the standard's operator and the
// contributed ones.
#ifndef TERN_CORE_ONNX_CONVERT_ATTENTION_H_
#define TERN_CORE_ONNX_CONVERT_ATTENTION_H_

#include "core/onnx/convert/compose.h"
#include "core/onnx/node_context.h"

namespace tern::onnx {

// [batch, sequence, heads * size] → [batch, heads, sequence, size], and back.
Value SplitHeads(Compose& in, const Value& x, int64_t heads);
Value JoinHeads(Compose& in, const Value& x);

struct AttentionParts {
  Value query, key, value;  // [batch, heads, sequence, size]; key and value may have fewer heads
  Value bias;               // added to the scores; null: none
  Value may_see;            // bools, or null: all
  double scale = 0;         // 0: 1 / sqrt(size)
  double softcap = 0;       // 0: none
  Value sink = nullptr;     // one more score of each head [heads], for no key; null: none
  DType softmax_type = DType(0, 0, 0);  // none: that of the query
  // Graphs of one input and one output, called with the scores before the softmax and with the
  // probabilities behind it, both of the type of the softmax. Null: none.
  const Graph* score_mod = nullptr;
  const Graph* prob_mod = nullptr;
  bool wide_value = false;  // the value has the type of the softmax, and so has the result
};

// What an attention computes, step by step.
struct AttentionSteps {
  Value scores;         // products, scaled
  Value capped;         // after the cap
  Value biased;         // after bias and mask
  Value probabilities;  // rows that see nothing are zero
  Value result;         // [batch, heads, sequence, size]
};
AttentionSteps Attend(NodeContext& node, const AttentionParts& parts);

// Bools [queries, keys], or [batch, 1, queries, keys] where first is a list [batch]: query i stands
// at first + i and sees the keys from first + i - left to first + i + right; negative: no bound.
struct Window {
  int64_t left = -1, right = -1;
};
Value SeesWindow(Compose& in, const Value& queries, const Value& keys, const Value& first,
                 const Window& window);
// Both, or the one that is not null.
Value Both(Compose& in, const Value& a, const Value& b);

// x [batch, heads, sequence, size], of which the first `dim` of size are turned (0: all); cos and
// sin [batch or 1, sequence, dim / 2].
Value Rotate(NodeContext& node, const Value& x, const Value& cos, const Value& sin, int64_t dim,
             bool interleaved);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_ATTENTION_H_
