// SPDX-License-Identifier: Apache-2.0
// Workspace: memory for a run of a loop function, every buffer between canary bytes, filled with
// made-up numbers; what counting, tests and tuning run on.
#ifndef TERN_CORE_LOOP_RUN_WORKSPACE_H_
#define TERN_CORE_LOOP_RUN_WORKSPACE_H_

#include <vector>

#include "core/loop/run/interpreter.h"

namespace tern::loop {

// Makes up scalar parameters in the form of RunArguments. *state is the state of the rule that
// makes numbers; it is changed, so that further calls make other numbers.
std::vector<uint64_t> MadeUpScalars(const LoopFunction& function, uint64_t* state);

class Workspace {
 public:
  // sizes: one per size parameter. Floats get small multiples of 1/8 by a fixed rule of `seed`,
  // integers numbers from 0 to 7, outputs the same byte everywhere.
  static Result<Workspace> Make(const LoopFunction& function, std::span<const int64_t> sizes,
                                uint64_t seed = 1);

  RunArguments arguments() { return {arguments_, sizes_, scalars_}; }
  size_t buffer_count() const { return arguments_.size(); }
  std::span<uint8_t> bytes(size_t buffer) {
    return {static_cast<uint8_t*>(arguments_[buffer].data),
            static_cast<size_t>(arguments_[buffer].bytes)};
  }
  std::vector<uint64_t>& scalars() { return scalars_; }
  // The index of the first buffer beside which a byte was written, or -1.
  int FirstBrokenCanary() const;

 private:
  std::vector<int64_t> sizes_;
  std::vector<uint64_t> scalars_;
  std::vector<std::vector<uint8_t>> memory_;
  std::vector<BufferArgument> arguments_;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_RUN_WORKSPACE_H_
