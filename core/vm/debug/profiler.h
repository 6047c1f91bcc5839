// SPDX-License-Identifier: Apache-2.0
// Profiler: the hooks that measure a run: per instruction how often and how long, per operator a
// table with its shapes, and a time line of functions and primitives that Chrome's tracing,
// Perfetto and speedscope open.
//
//   Profiler profiler(platform);
//   vm->SetHooks(&profiler);
//   vm->Begin("main", args);
//   profiler.Start(*vm);
//   vm->Resume();
//   profiler.Finish();
//
// Start to Finish may be repeated: runs add up. Times are wall clock in ns and include the looking
// on, some tens of ns per instruction; without a clock they are 0.
//
// Operations are what a call charges its run for (core/object/run_context.h): an element read or
// written, or one multiply-add. Bytes are those of the tensors that go in and come out, each
// argument and result once. Of what charges nothing, as compiled loops of a run without limits, no
// operations are known: 0. A call whose result looks at the memory of an argument computes and
// moves nothing: both are 0.
//
// Allocated bytes are those that the machine's allocator handed out, as asked for, from its pool or
// from the platform: for results with their heads, and for the scratch memory of kernels.
#ifndef TERN_CORE_VM_DEBUG_PROFILER_H_
#define TERN_CORE_VM_DEBUG_PROFILER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/platform.h"
#include "core/vm/hooks.h"
#include "core/vm/vm.h"

namespace tern::vm {

struct ProfilerOptions {
  size_t max_spans = 200'000;  // of the time line; what comes later is only counted
};

struct Work {
  uint64_t operations = 0;  // of calls of primitives, as `bytes`
  uint64_t bytes = 0;
  uint64_t allocated = 0;  // bytes, of any instruction

  void Add(const Work& other) {
    operations += other.operations;
    bytes += other.bytes;
    allocated += other.allocated;
  }
};

// All executions of one instruction.
struct InstructionProfile {
  uint64_t count = 0;
  int64_t total_ns = 0;  // of a call of a function: without what runs in it
  std::string shapes;    // of a primitive's arguments, as first called
  std::string callee;    // the primitive or kernel called; empty for other instructions
  Work work;
  bool shapes_vary = false;
};

// All executions of what has one name and one set of shapes, longest first.
struct OperatorProfile {
  std::string name;  // of the primitive, or the mnemonic
  std::string shapes;
  bool shapes_vary = false;
  uint64_t count = 0;
  int64_t total_ns = 0;
  Work work;
};

class Profiler : public Hooks {
 public:
  // The platform lends the clock; it must outlive the profiler and may be null.
  explicit Profiler(const TernPlatform* platform, const ProfilerOptions& options = {});

  void Start(const VirtualMachine& vm);
  // Ends a run, also one that failed.
  void Finish();

  std::vector<OperatorProfile> Operators() const;
  const std::vector<InstructionProfile>& instructions() const { return instructions_; }
  int64_t total_ns() const { return total_ns_; }
  uint64_t dropped_spans() const { return dropped_spans_; }

  // "table", "json", "chrome", "speedscope"; an error for anything else.
  Result<std::string> Export(std::string_view format) const;

  uint32_t wants() const override {
    return kHookInstructions | kHookFrames | kHookCalls | kHookAllocations;
  }
  HookAction BeforeInstruction(const VirtualMachine& vm, uint32_t pc) override;
  HookAction AfterInstruction(const VirtualMachine& vm, uint32_t pc) override;
  void OnFramePush(const VirtualMachine& vm, const FrameEvent& event) override;
  void OnFramePop(const VirtualMachine& vm, const FrameEvent& event) override;
  CallAction BeforeCall(const VirtualMachine& vm, const CallEvent& call, Any* result) override;
  void AfterCall(const VirtualMachine& vm, const CallEvent& call, const Status& status,
                 const AnyView& result) override;
  void OnAllocation(const VirtualMachine& vm, const AllocationEvent& event) override;

 private:
  // The begin or end of a span of the time line.
  struct Mark {
    uint32_t name = 0;  // index in names_
    bool opens = false;
    int64_t at_ns = 0;  // since the first Start
  };
  struct Name {
    std::string text;
    bool is_function = false;
  };

  int64_t Now() const;
  uint32_t NameOf(std::string text, bool is_function);
  void Open(uint32_t name, int64_t now);
  void Close(int64_t now);
  std::string Table() const;
  std::string Json() const;
  std::string Chrome() const;
  std::string Speedscope() const;

  const TernPlatform* platform_;
  ProfilerOptions options_;
  ExecutablePtr executable_;
  std::vector<InstructionProfile> instructions_;
  std::vector<Name> names_;
  std::unordered_map<std::string, uint32_t> name_ids_;
  std::vector<Mark> marks_;
  std::vector<uint8_t> open_;  // of the spans that are open: whether they have marks
  std::vector<uint32_t> open_names_;
  uint64_t dropped_spans_ = 0;
  int64_t origin_ns_ = 0;
  int64_t started_ns_ = 0;
  int64_t before_ns_ = 0;
  int64_t work_left_ = 0;  // before the call
  uint64_t allocated_ = 0;  // since the instruction began; counted by any thread
  int64_t total_ns_ = 0;
  bool has_origin_ = false;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_PROFILER_H_
