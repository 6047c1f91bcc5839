// SPDX-License-Identifier: Apache-2.0
// The reference interpreter: what a lowered loop function means, for any vscale from 1 to 16.
//
// It checks every access against the buffer's bounds, counts what runs, and shows an observer each
// access with its lanes. Floats are computed in double and rounded to their type after every
// operation, which gives the correctly rounded result for types up to float32.
#ifndef TERN_CORE_LOOP_RUN_INTERPRETER_H_
#define TERN_CORE_LOOP_RUN_INTERPRETER_H_

#include <cstdint>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/loop/run/control.h"
#include "core/loop/run/tape.h"

namespace tern::loop {

inline constexpr std::string_view kCannotRun = "E0515";

// One load or store as it runs. An address is the buffer's plus index * element size.
struct AccessEvent {
  int64_t iteration;  // of innermost loops, counted over the whole run
  InstructionClass instruction_class;
  const Buffer* buffer;
  bool is_masked;                    // it has a predicate
  std::span<const int64_t> indices;  // by lane
  std::span<const uint8_t> active;   // by lane, 0 or 1
};
struct IterationEvent {
  int64_t iteration;
  bool is_vector;
  LoopRole role;          // of the loop
  int64_t lanes, active;  // the most that an access of it had; 1 of 1 for scalars
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void OnAccess(const AccessEvent&) {}
  virtual void OnIteration(const IterationEvent&) {}  // at its end
  // So many iterations follow that are like the last one; they are counted and not shown. Only in
  // control runs.
  virtual void OnAlike(const AlikeIterations&) {}
};

struct Counters {
  int64_t vector_iterations = 0, scalar_iterations = 0;
  int64_t last_active = 0;                     // of the last vector iteration
  int64_t active_lanes = 0, issued_lanes = 0;  // over all vector iterations
  int64_t instructions[kInstructionClasses] = {};
  int64_t bytes_loaded = 0, bytes_stored = 0;
  int64_t steps = 0;  // operations of the tape

  int64_t Of(InstructionClass c) const { return instructions[static_cast<size_t>(c)]; }
  // Active lanes over issued ones; 0 where no vectors ran.
  double utilisation() const {
    return issued_lanes == 0
               ? 0
               : static_cast<double>(active_lanes) / static_cast<double>(issued_lanes);
  }
};

struct BufferArgument {
  void* data = nullptr;
  int64_t bytes = 0;
};

struct RunArguments {
  std::span<const BufferArgument> buffers;  // as many as the function has
  std::span<const int64_t> sizes;
  std::span<const uint64_t> scalars;  // a value's bits are the low ones
};

struct RunOptions {
  int64_t vscale = 1;
  Observer* observer = nullptr;
  int64_t max_steps = INT64_MAX;  // operations of the tape
  // Asked every so many steps; true: the run ends with S0303. Null: nobody to ask.
  bool (*is_stopped)(void* context) = nullptr;
  void* stop_context = nullptr;
};

// Which iterations a control run does one by one.
struct ControlOptions {
  int64_t head = 3;              // of each loop, the first so many; at least 2
  int64_t tail = 2;              // and the last so many of those that are alike
  int64_t first = 0, count = 0;  // and these, by number
};

// How many elements each buffer parameter has, for these sizes.
Result<std::vector<int64_t>> ElementCounts(const LoopFunction& function,
                                           std::span<const int64_t> sizes);

class Interpreter {
 public:
  // Verifies that the function is lowered.
  static Result<Interpreter> Make(const LoopFunction& function);
  Result<Counters> Run(const RunArguments& arguments, const RunOptions& options = {}) const;

  // Whether what runs depends on numbers in memory: then there is no RunControl.
  bool control_reads_memory() const { return plan_.reads_memory; }
  // The counters of Run without memory and without its time: only what control depends on is
  // computed, and alike iterations are counted. Accesses are checked all the same.
  Result<Counters> RunControl(std::span<const int64_t> sizes, std::span<const uint64_t> scalars,
                              const RunOptions& options = {},
                              const ControlOptions& control = {}) const;

  const LoopFunction& function() const { return function_; }

 private:
  Interpreter(LoopFunction function, Tape tape)
      : function_(std::move(function)), tape_(std::move(tape)), plan_(PlanControl(tape_)) {}
  LoopFunction function_;
  Tape tape_;
  ControlPlan plan_;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_RUN_INTERPRETER_H_
