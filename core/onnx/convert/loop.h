// SPDX-License-Identifier: Apache-2.0
// EmitLoop: the loops of ONNX as a local function that calls itself with the next values, the way
// loops of the language are made:
//
//   let rec loop = |i, condition, states…, lists…|
//     if i < limit and condition { …body…; loop(i + 1, condition', states'…, lists' …) }
//     else { (states…, lists…) }
//
// The calls are tail calls, so a loop takes one frame, and states are handed on, not copied. What a
// turn gives for an output that is gathered is appended to a list, in place because nobody else
// holds it, and stacked once behind the loop.
//
// Types of states are found by converting the body until they repeat: an axis whose extent a turn
// changes becomes one that only a run can tell.
#ifndef TERN_CORE_ONNX_CONVERT_LOOP_H_
#define TERN_CORE_ONNX_CONVERT_LOOP_H_

#include <optional>
#include <string>
#include <vector>

#include "core/onnx/node_context.h"

namespace tern::onnx {

struct LoopTurn {
  Value index;      // an int, not a tensor
  Value condition;  // a tensor
  std::vector<Value> states;
};

struct LoopStep {
  Value condition;  // may be null where the loop has none
  std::vector<Value> states;
  std::vector<Value> gathered;  // one element each
};

class LoopBody {
 public:
  // Adds one turn to the block that is open; false after an error. May be called several times.
  virtual bool Convert(const LoopTurn& turn, LoopStep* step) = 0;

 protected:
  ~LoopBody() = default;
};

struct LoopStart {
  Value limit;      // an int, not a tensor; null: none
  Value condition;  // a tensor; null: none
  std::vector<Value> states;
  size_t gathered = 0;
};

struct LoopEnd {
  std::vector<Value> states;
  std::vector<Value> lists;           // what was gathered
  std::vector<types::Type> elements;  // the type of an item of each list
};

// False after a failure of the context.
bool EmitLoop(NodeContext& node, const LoopStart& start, LoopBody* body, LoopEnd* end);

// The elements of a list as one tensor with a new axis of extent `count` in front.
Value StackList(NodeContext& node, const Value& list, const types::Type& element,
                const types::Dim& count);

// The one element of an integer tensor as an int.
Value ToInt(NodeContext& node, const Value& tensor);
// An int as an i64 tensor of rank 0.
Value ToTensor(NodeContext& node, const Value& number);

// Ends the run with the message unless the comparison holds of two integer tensors of one element.
void Require(NodeContext& node, ir::ScalarOp comparison, const Value& a, const Value& b,
             std::string message);

// A condition whose value follows from constants and shapes.
std::optional<bool> KnownCondition(NodeContext& node, const Value& condition);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_LOOP_H_
