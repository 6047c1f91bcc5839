// SPDX-License-Identifier: Apache-2.0
// Running independent calls at the same time.
//
// When the turn of a call comes, those later calls of its block whose operands are there already
// run with it. A register that a later instruction would still write is not there yet, so what runs
// ahead of its turn reads what it would read in turn. A call that fails ahead of its turn is run
// again in turn, and fails there: errors come in the order of the program.
#include <algorithm>

#include "core/kernels/kernel.h"
#include "core/object/run_context.h"
#include "core/vm/debug/dependency.h"

namespace tern::vm {

// What the workers share: calls of one program, one register window. Registers are only read, since
// the machine stands still meanwhile.
struct DependencyExecutor::Task {
  DependencyExecutor* executor;
  std::span<const Any> registers;
  std::vector<Ready>* calls;

  static void Run(void* data, int64_t index, int32_t worker) {
    auto* task = static_cast<Task*>(data);
    task->RunOne(&(*task->calls)[static_cast<size_t>(index)],
                 task->executor->contexts_[static_cast<size_t>(worker)].get());
  }

  // Like the interpreter's call of a primitive, but with the worker's own context.
  void RunOne(Ready* call, RunContext* context) const {
    const Program& program = executor->program_;
    const DecodedOp& op = program.plain_code()[call->pc];
    Function& function = *program.primitives()[static_cast<size_t>(op.a)];
    std::vector<AnyView> args;
    for (int32_t i = 0; i < op.count; ++i) {
      const ValueRef ref = program.lists()[static_cast<size_t>(op.list + i)];
      args.emplace_back(ref >= 0 ? registers[static_cast<size_t>(ref)]
                                 : program.pool()[static_cast<size_t>(~ref)]);
    }
    Result<Any> result = function.Invoke(args, context);
    call->ok = result.ok();
    if (call->ok) call->result = *std::move(result);
  }
};

DependencyExecutor::DependencyExecutor(VirtualMachine* vm, const TernParallel* parallel,
                                       const DependencyOptions& options)
    : program_(vm->program()),
      parallel_(parallel),
      whole_(vm->context()),
      allocator_(ObjectPtr<Allocator>(vm->context().allocator())),
      ahead_(vm->executable().instruction_count()) {
  // One worker gains nothing; without contexts nothing is planned.
  if (parallel_ == nullptr || parallel_->num_workers < 2) return;
  for (int32_t i = 0; i < parallel_->num_workers; ++i) {
    contexts_.push_back(std::make_unique<RunContext>(allocator_));
    contexts_.back()->set_kernels(whole_.kernels());
  }
  for (uint32_t i = 0; i < vm->executable().functions().size(); ++i) {
    const Result<DependencyGraph> graph = BuildDependencies(vm->executable(), i, options);
    if (graph.ok()) PlanFunction(*graph);
  }
}

DependencyExecutor::~DependencyExecutor() = default;

// Plans which later calls run along with a call whose turn comes: those that need nothing which is
// not done by then. Each call runs along with the first possible one.
void DependencyExecutor::PlanFunction(const DependencyGraph& graph) {
  std::vector<uint8_t> planned(graph.nodes.size(), 0);
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (!graph.nodes[i].is_call || planned[i] != 0) continue;
    for (uint32_t j = i + 1; j < graph.nodes.size(); ++j) {
      const DependencyNode& later = graph.nodes[j];
      if (later.block != graph.nodes[i].block) break;
      // Needs ascend, so the last tells whether all lie before i.
      if (!later.is_call || planned[j] != 0 || (!later.needs.empty() && later.needs.back() >= i))
        continue;
      planned[j] = 1;
      ahead_[graph.nodes[i].pc].push_back(later.pc);
    }
  }
}

void DependencyExecutor::RunTogether(const VirtualMachine& vm, uint32_t pc) {
  std::vector<Ready> calls(1 + ahead_[pc].size());
  for (size_t i = 0; i < calls.size(); ++i) {
    calls[i].pc = i == 0 ? pc : ahead_[pc][i - 1];
    calls[i].depth = vm.depth();
  }
  Task task{this, vm.frame(vm.depth() - 1).registers, &calls};
  // Each worker gets the whole rest and reports what it has used, so parts together may overshoot
  // by what the others used meanwhile.
  const int64_t work_left = whole_.work_left();
  for (const auto& context : contexts_) context->ShareLimits(whole_);
  parallel_->run(parallel_->context, static_cast<int64_t>(calls.size()), &Task::Run, &task);
  for (const auto& context : contexts_) whole_.Spend(work_left - context->work_left());
  overlapped_ += calls.size() - 1;
  for (Ready& call : calls) ready_.push_back(std::move(call));
}

CallAction DependencyExecutor::BeforeCall(const VirtualMachine& vm, const CallEvent& call,
                                          Any* result) {
  const auto find = [&] {
    return std::find_if(ready_.begin(), ready_.end(), [&](const Ready& ready) {
      // The depth tells calls of a recursion apart, which have equal places.
      return ready.pc == call.pc && ready.depth == vm.depth();
    });
  };
  auto at = find();
  if (at == ready_.end()) {
    if (ahead_[call.pc].empty()) return CallAction::kRun;
    RunTogether(vm, call.pc);
    at = find();
  }
  // A failure is forgotten here and happens again in turn.
  const bool ok = at->ok;
  if (ok) *result = std::move(at->result);
  ready_.erase(at);
  return ok ? CallAction::kSkip : CallAction::kRun;
}

}  // namespace tern::vm
