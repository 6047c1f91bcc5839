// SPDX-License-Identifier: Apache-2.0
// What depends on what: the order that registers and effects impose on the instructions of a
// function, which calls are independent, and an executor that runs such calls at the same time.
//
// Dependencies are found within straight-line stretches (basic blocks): an instruction needs those
// that wrote what it reads. Writing a register again imposes no order on calls, since results can
// wait. An instruction that writes into memory, or does more than compute its result, keeps its
// place: those before it run before it, those after it run after it. Jumps and returns keep theirs
// too.
#ifndef TERN_CORE_VM_DEBUG_DEPENDENCY_H_
#define TERN_CORE_VM_DEBUG_DEPENDENCY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/vm/hooks.h"
#include "core/vm/vm.h"

namespace tern::vm {

struct DependencyOptions {
  // Whether a primitive does more than compute its result from its arguments. Null: the builtins
  // that write, print or end the run do, nothing else.
  bool (*has_effects)(std::string_view primitive) = nullptr;
};

struct DependencyNode {
  uint32_t pc = 0;  // of the whole code
  uint32_t block = 0;
  uint32_t level = 0;    // longest way from the block's beginning: equal levels are independent
  bool is_call = false;  // of a primitive, without effects
  bool is_ordered = false;
  std::vector<uint32_t> needs;  // nodes by index, ascending
};

struct DependencyGraph {
  uint32_t function = 0;
  std::vector<DependencyNode> nodes;  // one per instruction, in order

  // No way leads from the one to the other; both in one block.
  bool Independent(uint32_t a, uint32_t b) const;
  // Calls (nodes) of one block and level, where there are at least two.
  std::vector<std::vector<uint32_t>> ParallelCalls() const;
};

Result<DependencyGraph> BuildDependencies(const Executable& executable, uint32_t function,
                                          const DependencyOptions& options = {});

// For people: one line per instruction, what it needs, and the calls that are independent.
std::string DependencyText(const DependencyGraph& graph, const Executable& executable);
// {"function", "nodes": [{"pc", "text", "block", "level", "call", "ordered", "needs": [pc]}],
// "parallel": [[pc]]}
std::string DependencyJson(const DependencyGraph& graph, const Executable& executable);
// Graphviz.
std::string DependencyDot(const DependencyGraph& graph, const Executable& executable);

// Runs calls that are ready ahead of their turn, together with the one whose turn it is. Results
// are handed over in turn, so registers, errors and the order of effects are as without it. Set as
// the machine's hooks; a machine that belongs to one run at a time.
class DependencyExecutor : public Hooks {
 public:
  // parallel must outlive the executor; null or one worker: everything in turn.
  DependencyExecutor(VirtualMachine* vm, const TernParallel* parallel,
                     const DependencyOptions& options = {});
  ~DependencyExecutor() override;

  // Forgets results that were never asked for; before each run.
  void Reset() { ready_.clear(); }
  // Calls that ran at the same time as another one.
  uint64_t overlapped() const { return overlapped_; }

  uint32_t wants() const override { return kHookCalls; }
  CallAction BeforeCall(const VirtualMachine& vm, const CallEvent& call, Any* result) override;

 private:
  struct Ready {
    uint32_t pc = 0;
    size_t depth = 0;
    bool ok = false;
    Any result;
  };
  struct Task;

  void PlanFunction(const DependencyGraph& graph);
  void RunTogether(const VirtualMachine& vm, uint32_t pc);

  const Program& program_;
  const TernParallel* parallel_;
  RunContext& whole_;  // of the machine
  std::vector<std::unique_ptr<RunContext>> contexts_;  // one per worker
  ObjectPtr<Allocator> allocator_;
  std::vector<std::vector<uint32_t>> ahead_;  // of each pc: calls that are ready with it
  std::vector<Ready> ready_;
  uint64_t overlapped_ = 0;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_DEPENDENCY_H_
