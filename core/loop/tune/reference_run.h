// SPDX-License-Identifier: Apache-2.0
// What a function gives whatever its schedule: the results of the reference interpreter on made-up
// inputs, with which those of every candidate are compared before its time counts.
//
// The run also shows that the program as written ends and stays inside its buffers at these sizes,
// so that its code may be run where nothing checks it.
#ifndef TERN_CORE_LOOP_TUNE_REFERENCE_RUN_H_
#define TERN_CORE_LOOP_TUNE_REFERENCE_RUN_H_

#include <cstdint>
#include <span>

#include "core/base/result.h"
#include "core/loop/run/workspace.h"

namespace tern::loop::tune {

inline constexpr std::string_view kOtherResults = "E0530";

class ReferenceRun {
 public:
  // as_written: lowered, for any target. Errors: what the interpreter finds, more memory or steps
  // than a search may take.
  static Result<ReferenceRun> Make(const LoopFunction& as_written, std::span<const int64_t> sizes,
                                   int64_t max_steps);

  size_t buffer_count() const { return function_->buffers.size(); }
  const Buffer& buffer(size_t index) const { return *function_->buffers[index]; }
  bool is_result(size_t index) const;
  // Everything as it is before a run. Not to be written.
  RunArguments arguments() { return before_.arguments(); }
  std::span<const uint8_t> before(size_t index) { return before_.bytes(index); }

  // What a run of a candidate left in a buffer. Integers must be equal; floats may differ by as
  // much as the order of a sum makes of them. E0530 names the first element that is wrong.
  Status Compare(size_t index, std::span<const uint8_t> bytes);

 private:
  ReferenceRun(const LoopFunction& function, Workspace before, Workspace after)
      : function_(&function), before_(std::move(before)), after_(std::move(after)) {}

  const LoopFunction* function_;  // the caller's
  Workspace before_, after_;
  double sum_steps_ = 0;  // square root of how many elements a sum may have
};

}  // namespace tern::loop::tune

#endif  // TERN_CORE_LOOP_TUNE_REFERENCE_RUN_H_
