// SPDX-License-Identifier: Apache-2.0
// Two walks over the log: one finds when the frame came and went, the other follows its registers.
#include "core/vm/debug/lifetimes.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/check.h"

namespace tern::vm {
namespace {

// When a frame is there, and how often its registers are written.
struct Span {
  uint64_t enter = 0;
  uint64_t leave = 0;
  uint64_t writes = 0;
};

// Of the frame that is at `depth` in state `at`: the last push before and the first pop after it.
Span SpanOf(const Trace& trace, uint32_t depth, uint64_t at) {
  Span span{trace.first_step(), trace.end_step(), 0};
  bool is_over = false;
  trace.ForEachStep([&](const TraceStep& step) {
    if (is_over) return;
    for (const TraceEvent& event : step.events) {
      if (event.frame() != depth) continue;
      if (event.kind() == TraceEventKind::kWrite) ++span.writes;
      // A state is what its step left, so a push by the step before `at` is the frame's own.
      if (event.kind() == TraceEventKind::kPush && step.step < at) {
        span.enter = step.step + 1;
        span.writes = 0;
      }
      if (event.kind() == TraceEventKind::kPop && step.step >= at) {
        span.leave = step.step + 1;
        is_over = true;
        return;
      }
    }
  });
  return span;
}

class LifetimeWalk {
 public:
  LifetimeWalk(const Debugger& debugger, uint32_t depth, uint64_t at)
      : trace_(debugger.trace()),
        executable_(debugger.executable()),
        reads_(executable_.instruction_count()),
        is_decoded_(executable_.instruction_count()) {
    const Span span = SpanOf(trace_, depth, at);
    found_.depth = depth;
    found_.enter = span.enter;
    found_.leave = span.leave;
    is_summed_ = span.writes > kMostVersions;
    found_.steps_per_column =
        std::max<uint64_t>(1, (span.leave - span.enter + kLifetimeColumns) / kLifetimeColumns);
    TraceCursor cursor(&trace_);
    cursor.Seek(span.enter);
    Begin(cursor.state());
  }

  Lifetimes Run() {
    trace_.ForEachStep([this](const TraceStep& step) {
      if (step.step >= found_.enter && !is_over_) Add(step);
    });
    for (uint32_t reg = 0; reg < open_.size(); ++reg) End(reg, found_.leave, VersionEnd::kHeld);
    for (const auto& [key, cell] : cells_) found_.cells.push_back(cell);
    std::sort(found_.cells.begin(), found_.cells.end(), [](const auto& a, const auto& b) {
      return a.reg != b.reg ? a.reg < b.reg : a.column < b.column;
    });
    return std::move(found_);
  }

 private:
  // The frame as the walk finds it. Its caller's call wrote the arguments.
  void Begin(const TraceState& state) {
    if (found_.depth >= state.frames.size()) {  // a record without steps has no frame to follow
      is_over_ = true;
      return;
    }
    const std::span<const ValueId> registers = state.registers(found_.depth);
    depth_ = state.frames.size();
    found_.function = state.frames[found_.depth].function;
    found_.register_count = static_cast<uint32_t>(registers.size());
    open_.resize(registers.size());
    numbers_.resize(registers.size());
    for (uint32_t reg = 0; reg < registers.size(); ++reg)
      Define(reg, registers[reg], found_.enter, true);
  }

  void Add(const TraceStep& step) {
    if (depth_ == found_.depth + 1) Read(step);
    const VersionEnd end = EndBy(step.pc);
    for (const TraceEvent& event : step.events) {
      if (event.kind() == TraceEventKind::kPush) ++depth_;
      if (event.kind() == TraceEventKind::kPop) --depth_;
      // A tail call puts another frame into the same place, in the same step.
      is_over_ |= event.kind() == TraceEventKind::kPop && event.frame() == found_.depth;
      if (is_over_) return;
      if (event.kind() != TraceEventKind::kWrite || event.frame() != found_.depth) continue;
      End(event.target, step.step, event.after == kNoneValue ? end : VersionEnd::kOverwritten);
      Define(event.target, event.after, step.step, false);
    }
  }

  // How an instruction that leaves a register empty does so.
  VersionEnd EndBy(uint32_t pc) {
    Decode(pc);
    return ends_frame_[pc] != 0 ? VersionEnd::kReturned : VersionEnd::kKilled;
  }

  void Read(const TraceStep& step) {
    Decode(step.pc);
    for (const uint32_t reg : reads_[step.pc]) {
      if (reg >= open_.size() || open_[reg].value == kNoneValue) continue;
      open_[reg].last_use = step.step;
      ++open_[reg].uses;
    }
  }

  // The registers that an instruction reads, once for each instruction.
  void Decode(uint32_t pc) {
    if (is_decoded_[pc] != 0) return;
    is_decoded_[pc] = 1;
    if (ends_frame_.empty()) ends_frame_.resize(is_decoded_.size());
    const Result<Instruction> instruction = executable_.GetInstruction(pc);
    TERN_CHECK(instruction.ok());
    const InstructionInfo& info = *instruction->info;
    ends_frame_[pc] = info.flow == Flow::kEnd;
    for (size_t i = 0; i < instruction->operands.size(); ++i) {
      const Role role = info.operands()[std::min<size_t>(i, info.operand_count - 1u)].role;
      const bool is_read = role != Role::kWrite && role != Role::kKill;
      if (is_read && instruction->operands[i].is_register())
        reads_[pc].push_back(static_cast<uint32_t>(instruction->operands[i].value));
    }
  }

  void Define(uint32_t reg, ValueId value, uint64_t step, bool was_there) {
    open_[reg] = {reg, numbers_[reg], value, step, step, step, 0, was_there, VersionEnd::kHeld};
    if (value != kNoneValue) open_[reg].number = ++numbers_[reg];
  }

  void End(uint32_t reg, uint64_t step, VersionEnd end) {
    RegisterVersion& version = open_[reg];
    if (version.value == kNoneValue) return;
    version.ended = step;
    version.end = end;
    const uint64_t bytes = ObjectBytes(trace_.value(version.value));
    const auto size = static_cast<double>(bytes);
    found_.byte_steps += size * static_cast<double>(step - version.defined);
    found_.dead_byte_steps += size * static_cast<double>(step - version.last_use);
    ++found_.version_count;
    if (is_summed_)
      Sum(version, bytes);
    else
      found_.versions.push_back(version);
    version.value = kNoneValue;
  }

  void Sum(const RegisterVersion& version, uint64_t bytes) {
    const auto column =
        static_cast<uint32_t>((version.defined - found_.enter) / found_.steps_per_column);
    LifetimeCell& cell = cells_[uint64_t{version.reg} * kLifetimeColumns + column];
    cell.reg = version.reg;
    cell.column = column;
    ++cell.count;
    cell.bytes = std::max(cell.bytes, bytes);
  }

  const Trace& trace_;
  const Executable& executable_;
  Lifetimes found_;
  bool is_summed_ = false;
  bool is_over_ = false;                      // the frame went
  size_t depth_ = 0;                          // frames of the state that the walk is at
  std::vector<RegisterVersion> open_;         // by register; value kNoneValue: holds none
  std::vector<uint32_t> numbers_;             // by register: versions so far
  std::vector<std::vector<uint32_t>> reads_;  // by instruction
  std::vector<uint8_t> is_decoded_, ends_frame_;
  std::unordered_map<uint64_t, LifetimeCell> cells_;
};

}  // namespace

Lifetimes FindLifetimes(const Debugger& debugger, size_t frame) {
  const Trace& trace = debugger.trace();
  // After the return the frames are those of the step before.
  if (debugger.depth() == 0)
    return LifetimeWalk(debugger, 0, std::max(trace.first_step() + 1, trace.end_step()) - 1).Run();
  TERN_CHECK(frame < debugger.depth());
  const auto depth = static_cast<uint32_t>(debugger.depth() - 1 - frame);
  return LifetimeWalk(debugger, depth, debugger.step()).Run();
}

}  // namespace tern::vm
