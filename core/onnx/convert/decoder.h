// SPDX-License-Identifier: Apache-2.0
// Decoder: the graphs that GreedySearch and BeamSearch hold, as something that gives scores of the
// next token, turn by turn. What a call of its graph needs of the last one are states of the loop.
//
// A row is one sequence that is tried: each sequence of the batch has `beams` rows, one after the
// other. All rows have one length.
#ifndef TERN_CORE_ONNX_CONVERT_DECODER_H_
#define TERN_CORE_ONNX_CONVERT_DECODER_H_

#include <memory>
#include <span>
#include <vector>

#include "core/onnx/convert/compose.h"
#include "core/onnx/node_context.h"

namespace tern::onnx {

class Decoder {
 public:
  virtual ~Decoder() = default;
  // The sequences before the first turn, i32 of (row, position), and the first states. beams: an
  // i64. Nothing of it may be used after a failure of the node.
  virtual Value Start(const Value& beams, std::vector<Value>* states) = 0;
  // Logits of (row, position, token), of which the last position counts, and what the graph keeps.
  virtual bool Run(const Value& first, std::span<const Value> states, Value* logits,
                   std::vector<Value>* kept) = 0;
  // The states of the next turn. sequences end with its tokens; rows: which row each one continues,
  // null where each continues itself.
  virtual std::vector<Value> Next(std::span<const Value> states, const std::vector<Value>& kept,
                                  const Value& sequences, const Value& rows) = 0;
  // Logits of the first turn where they are known before it, as Run gives them; null otherwise.
  virtual Value FirstLogits(std::span<const Value>) { return nullptr; }
};

// By the attributes of the node; null after a failure. mask: the input that says which tokens of
// the prompt count. prompt: the input that has the first tokens of a decoder behind an encoder of
// sounds (Whisper's form), or -1 where the operator has no such form.
std::unique_ptr<Decoder> ReadDecoder(NodeContext& node, int mask, int prompt);

// Values of attribute 'model_type': GPT-2, T5, Whisper.
constexpr int64_t kCausalModel = 0, kTextModel = 1, kSoundModel = 2;
// Of WhisperBeamSearch, that is the last one unless it is said.
int64_t ModelTypeOf(NodeContext& node);

// Each row so many times, one after the other.
Value RepeatRows(NodeContext& node, const Value& x, const Value& times);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_DECODER_H_
