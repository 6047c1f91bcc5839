// SPDX-License-Identifier: Apache-2.0
// Skipped steps of a trace: how they are kept, and how they are made when somebody asks.
#include "core/vm/debug/trace_replay.h"

#include "core/base/check.h"

namespace tern::vm {

TraceReplay::TraceReplay(std::unique_ptr<VirtualMachine> vm) : vm_(std::move(vm)) {
  vm_->SetHooks(this);
}

TraceReplay::~TraceReplay() { vm_->SetHooks(nullptr); }

// As deep as any machine may go: the state comes from a run that was allowed to.
Result<std::unique_ptr<TraceReplay>> TraceReplay::Create(ProgramPtr program) {
  VmOptions options;
  options.max_depth = UINT32_MAX;
  options.max_registers = UINT32_MAX;
  TERN_TRY_ASSIGN(std::unique_ptr<VirtualMachine> vm,
                  VirtualMachine::Create(std::move(program), options));
  return std::unique_ptr<TraceReplay>(new TraceReplay(std::move(vm)));
}

Status TraceReplay::Run(const RunState& from, uint64_t steps, Trace* trace) {
  trace_ = trace;
  TERN_TRY(vm_->RestoreState(from));
  TERN_TRY_ASSIGN(const StopReason stop, vm_->Resume(steps));
  TERN_CHECK(stop == StopReason::kPaused && vm_->steps() == from.steps + steps,
             "a skipped stretch of a run ends where it ended");
  // What registers hold belongs to the trace alone again.
  vm_->Reset();
  return OkStatus();
}

HookAction TraceReplay::BeforeInstruction(const VirtualMachine&, uint32_t pc) {
  trace_->BeginStep(pc);
  return HookAction::Continue();
}

HookAction TraceReplay::AfterInstruction(const VirtualMachine&, uint32_t) {
  trace_->EndStep();
  return HookAction::Continue();
}

void TraceReplay::OnRegisterWrite(const VirtualMachine&, const RegisterWrite& write) {
  trace_->Write(static_cast<uint32_t>(write.frame), write.reg, write.new_value);
}

void TraceReplay::OnFramePush(const VirtualMachine&, const FrameEvent& event) {
  trace_->Push(event.function, event.registers);
}

void TraceReplay::OnFramePop(const VirtualMachine&, const FrameEvent&) { trace_->Pop(); }

// --- the trace's side

void Trace::set_replay(std::unique_ptr<TraceReplay> replay) { replay_ = std::move(replay); }

// A segment of its own, whose key is the state before; the next one's is the state after.
void Trace::Skip(uint64_t steps, uint32_t pc, const TraceState& state,
                 std::span<const Any> registers) {
  TERN_CHECK(replay_ != nullptr && steps > 0);
  if (segments_.back().steps() != 0) BeginSegment();
  Segment& segment = segments_.back();
  segment.unseen = steps;
  // Where it begins, and as the replay needs it: key frames leave the innermost pc open.
  if (!segment.key.frames.empty()) segment.key.frames.back().pc = pc;
  end_step_ += steps;
  Become(state, registers);
  BeginSegment();
  KeepToBudget();
}

// Made once and then kept, packed; at hand for a while: who looks at one step mostly looks at its
// neighbours too.
const Trace::Segment& Trace::Whole(const Segment& segment) const {
  // A cache: what a reader sees is the same before and after.
  Segment* const cached = const_cast<Segment*>(&segment);
  if (segment.unseen != 0)
    const_cast<Trace*>(this)->Replay(cached);
  else if (segment.is_packed() && segment.log.pcs.empty())
    const_cast<Trace*>(this)->Unpack(cached);
  return segment;
}

ValueId Trace::value_limit() const {
  for (const Segment& segment : segments_) {
    if (segment.unseen != 0) Whole(segment);
  }
  return value_limit_;
}

// The writing functions are used as they are, on this segment and its state instead of the newest.
void Trace::Replay(Segment* segment) {
  TERN_CHECK(segment != &segments_.back());
  RunState from;
  from.steps = segment->first_step;
  for (size_t i = 0; i < segment->key.frames.size(); ++i) {
    const TraceFrame& frame = segment->key.frames[i];
    FrameState& made = from.frames.emplace_back();
    made.function = frame.function;
    made.pc = frame.pc;
    for (const ValueId id : segment->key.registers(i)) made.registers.push_back(value(id));
  }
  const uint64_t bytes_before = segment->Bytes();
  const uint64_t steps = segment->unseen;
  const uint32_t open_pc = open_pc_, end_pc = end_pc_, open_event = open_event_;
  TraceState newest = std::move(shadow_);
  shadow_ = segment->key;
  UseAll(shadow_);
  segment->unseen = 0;
  open_event_ = 0;
  replayed_ = segment;
  const Status done = replay_->Run(from, steps, this);
  TERN_CHECK(done.ok() && segment->log.pcs.size() == steps, "a run's states can be run on from");
  replayed_ = nullptr;
  Join(segments_[SegmentIndexOf(segment->first_step) + 1].key, segment);
  UnuseAll(shadow_);
  shadow_ = std::move(newest);
  open_pc_ = open_pc;
  end_pc_ = end_pc;
  open_event_ = open_event;
  Pack(segment);
  KeepUnpacked(segment->first_step);
  closed_bytes_ += segment->Bytes() - bytes_before;
}

// Numbers that were given anew become those that the state behind has, so that going over the
// border leads to it exactly. Only the last write of a register can be named there.
void Trace::Join(const TraceState& next, Segment* segment) {
  TERN_CHECK(next.ids.size() == shadow_.ids.size());
  for (size_t i = segment->log.events.size(); i-- > 0;) {
    TraceEvent& event = segment->log.events[i];
    // Behind a call or a return that is still to come, registers of a frame are others.
    if (event.kind() != TraceEventKind::kWrite || event.frame() >= shadow_.frames.size()) continue;
    const size_t at = shadow_.frames[event.frame()].first + event.target;
    if (at >= shadow_.ids.size()) continue;
    ValueId& now = shadow_.ids[at];
    if (event.after != now || now == next.ids[at]) continue;
    Use(next.ids[at]);
    Use(next.ids[at]);
    Unuse(now);
    Unuse(event.after);
    event.after = now = next.ids[at];
  }
}

}  // namespace tern::vm
