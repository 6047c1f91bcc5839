// SPDX-License-Identifier: Apache-2.0
// Trace: what a run did, as a delta log, and TraceCursor, which goes to any step of it.
//
// A step is one instruction; state k is what the machine held after k of them. For every step the
// trace has its pc and its events: registers that changed (old value, new value) and frames that
// came and went, in an order that can be undone from behind. Values are kept once each, by
// reference: a number in a counted table. Steps lie in segments; each begins with a key frame (all
// frames, all registers) and holds about kSegmentSteps steps, so that a seek applies no more events
// than one segment has. Above the budget the oldest segments are dropped.
//
// Of stretches in which a run only computed with registers the trace keeps the number of steps and
// the state before and after (Skip). Their steps are made when somebody looks at them, by running
// the instructions again from that state (trace_replay.h): the same registers give the same run.
//
// Values are immutable but for tensors and lists that a primitive writes in place; of those
// trace_contents.h keeps what they held.
//
// Not safe for threads. Events and cursors hold value numbers, never pointers into the machine.
#ifndef TERN_CORE_VM_DEBUG_TRACE_H_
#define TERN_CORE_VM_DEBUG_TRACE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/object/any.h"
#include "core/vm/debug/trace_contents.h"

namespace tern::vm {

using ValueId = uint32_t;
inline constexpr ValueId kNoneValue = 0;  // the number of none, always there

inline constexpr uint64_t kSegmentSteps = 1024;
// At most so many are skipped at once, but for states that are larger.
inline constexpr uint64_t kSkippedSteps = 4096;

class TraceReplay;

enum class TraceEventKind : uint8_t {
  kWrite = 0,  // a register changed
  kPush = 1,   // a frame came; its registers are none until their writes follow
  kPop = 2,    // the innermost frame went; its registers were written to none before
};

struct TraceEvent {
  uint32_t frame_and_kind = 0;  // frame << 2 | kind; frame 0 is the outermost
  uint32_t target = 0;          // the register; of push and pop: the function
  uint32_t before = 0;          // write: ValueId; pop: pc of the caller's call
  uint32_t after = 0;           // write: ValueId; push and pop: registers of the frame

  TraceEventKind kind() const { return static_cast<TraceEventKind>(frame_and_kind & 3); }
  uint32_t frame() const { return frame_and_kind >> 2; }
};

// A frame of a state. Its registers are ids[first .. the next frame's first).
struct TraceFrame {
  uint32_t function = 0;
  uint32_t pc = 0;  // of the innermost frame the next instruction, of the others their call
  uint32_t first = 0;
};

// All frames and registers of one state.
struct TraceState {
  std::vector<TraceFrame> frames;
  std::vector<ValueId> ids;

  size_t register_count(size_t frame) const;
  std::span<const ValueId> registers(size_t frame) const;
};

// The state after an event that fits it: its frame is there, and its register.
void ApplyEvent(const TraceEvent& event, TraceState* state);

// Blocks that a step allocated.
struct TraceAllocation {
  uint32_t step_in_segment = 0;
  uint32_t count = 0;
  uint64_t bytes = 0;    // of all
  uint64_t largest = 0;  // of one
};

// One step of the log as a walk over it tells it.
struct TraceStep {
  uint64_t step = 0;
  uint32_t pc = 0;
  std::span<const TraceEvent> events;
  TraceAllocation allocation;
};

struct TraceOptions {
  // Of the log and of what only the trace may hold: values as they were when first seen, in-place
  // writes. The newest segment is always kept.
  uint64_t max_bytes = uint64_t{256} << 20;
  uint64_t max_steps = 1'000'000;
};

struct TraceStats {
  uint64_t first_step = 0;  // the oldest state that can be gone to
  uint64_t end_step = 0;    // the newest
  uint64_t events = 0;      // of the steps that were told or looked at
  uint64_t unseen = 0;      // steps that were not
  uint64_t segments = 0;
  uint64_t values = 0;
  uint64_t log_bytes = 0;    // of steps, events, key frames and the table of values
  uint64_t value_bytes = 0;  // of objects in the table, and of patches
  uint64_t dropped_steps = 0;
};

class Trace {
 public:
  explicit Trace(const TraceOptions& options = {});
  ~Trace();

  // --- writing; by the recorder ---
  // Empties the trace; `state` is state `step`, registers its ids' values, in their order.
  void Start(const TraceState& state, std::span<const Any> registers, uint64_t step);
  // What runs skipped steps again; for Skip to be called, there must be one.
  void set_replay(std::unique_ptr<TraceReplay> replay);
  // `steps` instructions ran from the newest state, the first of them `pc`, which computed with
  // registers alone; `state` is what they led to. Between steps only.
  void Skip(uint64_t steps, uint32_t pc, const TraceState& state, std::span<const Any> registers);
  // What the instruction `pc` does, until EndStep.
  void BeginStep(uint32_t pc);
  void Write(uint32_t frame, uint32_t reg, const Any& value);
  void Push(uint32_t function, std::span<const Any> registers);
  void Pop();
  void Allocated(uint32_t count, uint64_t bytes, uint64_t largest);
  void EndStep();
  // Forgets what was told since BeginStep, but for contents: the instruction failed.
  void AbandonStep() { DropAfter(end_step_); }
  // The innermost frame's next instruction, for as long as the trace does not go on.
  void set_end_pc(uint32_t pc) { end_pc_ = pc; }
  TraceContents& contents() { return contents_; }
  // A register of the newest state gets another value from outside; part of the step before.
  void Poke(uint32_t frame, uint32_t reg, const Any& value);
  // Forgets everything after state `step`.
  void TruncateAfter(uint64_t step);
  // Drops the oldest segment; false where there is only one.
  bool DropOldest();
  // The same, and where there is only one ends it first; false where nothing is left to drop. Not
  // during a step.
  bool GiveWay();
  void set_options(const TraceOptions& options);

  // --- reading ---
  uint64_t first_step() const { return segments_.front().first_step; }
  uint64_t end_step() const { return end_step_; }
  bool empty() const { return segments_.empty(); }
  // first_step <= step < end_step for these three.
  uint32_t pc(uint64_t step) const;
  std::span<const TraceEvent> events(uint64_t step) const;
  TraceAllocation allocation(uint64_t step) const;
  uint32_t end_pc() const { return end_pc_; }
  const Any& value(ValueId id) const { return SlotOf(id).value; }
  // How many entries of the log and key frames name the value: the trace itself holds one
  // reference to an object, whatever the number.
  uint32_t uses(ValueId id) const { return SlotOf(id).uses; }
  // One past the highest number that any step names.
  ValueId value_limit() const;
  // How many registers the newest state has.
  size_t register_count() const { return shadow_.ids.size(); }
  // The value with its contents as they were in state `step`: itself, or a copy where something
  // was written in place since.
  Any Materialize(ValueId id, uint64_t step) const {
    return contents_.Materialize(value(id), step);
  }
  const TraceContents& contents() const { return contents_; }
  // visit(step, state) for each key frame, oldest first. The innermost pcs are not set.
  template <typename F>
  void ForEachKey(F visit) const {
    for (const Segment& segment : segments_) visit(segment.first_step, segment.key);
  }
  // visit(TraceStep) for each step from the oldest, in order: much faster than to ask for each.
  template <typename F>
  void ForEachStep(F visit) const {
    for (const Segment& kept : segments_) {
      const Segment& segment = Whole(kept);
      size_t allocation = 0;
      for (size_t i = 0; i < segment.pcs.size(); ++i) {
        TraceStep step{segment.first_step + i, segment.pcs[i], EventsOf(segment, i), {}};
        if (allocation < segment.allocations.size() &&
            segment.allocations[allocation].step_in_segment == i)
          step.allocation = segment.allocations[allocation++];
        visit(step);
      }
    }
  }
  // The object's number, kNoneValue where it has none.
  ValueId FindObject(const Object* object) const;
  // References to the object that the trace holds.
  int32_t ReferencesTo(const Object* object) const;
  TraceStats stats() const;
  const TraceOptions& options() const { return options_; }

 private:
  friend class TraceCursor;
  struct Slot {
    Any value;
    uint32_t uses = 0;
    uint32_t next_free = 0;
  };
  static constexpr uint32_t kChunk = 4096;

  struct Segment {
    uint64_t first_step = 0;
    uint64_t unseen = 0;  // so many steps, of which nothing is here yet but the key
    TraceState key;
    std::vector<uint32_t> pcs;
    std::vector<uint32_t> first_event;  // of each step
    std::vector<TraceEvent> events;
    std::vector<TraceAllocation> allocations;  // ascending by step

    uint64_t steps() const { return unseen != 0 ? unseen : pcs.size(); }
    uint64_t Bytes() const;
  };

  Slot& SlotOf(ValueId id) const { return chunks_[id / kChunk][id % kChunk]; }
  ValueId Intern(const Any& value);
  ValueId NewSlot(const Any& value);
  void Use(ValueId id) { ++SlotOf(id).uses; }
  void Unuse(ValueId id);
  void UseAll(const TraceState& state);
  void UnuseAll(const TraceState& state);
  void UnuseEvents(std::span<const TraceEvent> events);
  void WriteId(uint32_t frame, uint32_t reg, ValueId id);
  void BeginSegment();
  Segment& Open() { return replayed_ != nullptr ? *replayed_ : segments_.back(); }
  // The segment with its steps, which are made where they were skipped.
  const Segment& Whole(const Segment& segment) const;
  void Replay(Segment* segment);
  void Join(const TraceState& next, Segment* segment);
  void Become(const TraceState& state, std::span<const Any> registers);
  void DropAfter(uint64_t step);
  void KeepToBudget();
  uint64_t Bytes() const;
  std::span<const TraceEvent> EventsOf(const Segment& segment, size_t index) const;
  size_t SegmentIndexOf(uint64_t step) const;
  const Segment& SegmentOf(uint64_t step) const { return segments_[SegmentIndexOf(step)]; }

  TraceOptions options_;
  std::deque<Segment> segments_;
  uint64_t closed_bytes_ = 0;  // of all segments but the newest
  uint64_t end_step_ = 0;
  uint64_t dropped_ = 0;
  uint32_t end_pc_ = 0;
  uint32_t open_pc_ = 0;     // of the step that is being written
  uint32_t open_event_ = 0;  // its first event in the newest segment
  TraceAllocation open_allocation_;
  TraceState shadow_;  // the newest state; its registers count as uses
  std::unique_ptr<TraceReplay> replay_;
  Segment* replayed_ = nullptr;  // that steps are written into instead of the newest
  TraceContents contents_;
  uint64_t value_bytes_ = 0;
  uint64_t value_count_ = 0;

  std::vector<std::unique_ptr<Slot[]>> chunks_;
  ValueId value_limit_ = 0;
  ValueId free_ = 0;  // list of free slots, 0 ends it
  std::unordered_map<const Object*, ValueId> objects_;
  std::array<ValueId, 256> recent_{};  // of values held in place, by a hash of their bits
};

// A place in a trace. The trace may grow while a cursor stands in it, but must not drop the
// segment that it stands in.
class TraceCursor {
 public:
  explicit TraceCursor(const Trace* trace) : trace_(trace) {}

  // Of a trace that has been started; first_step <= step <= end_step.
  void Seek(uint64_t step);
  uint64_t step() const { return step_; }
  const TraceState& state() const { return state_; }
  size_t depth() const { return state_.frames.size(); }
  // Forgets where it stands: the trace was changed under it.
  void Invalidate() { valid_ = false; }
  // Events applied and registers copied since the cursor was made: what seeking costs, counted.
  uint64_t work() const { return work_; }

 private:
  void Load(const TraceState& key, uint64_t step);
  void Forward();
  void Backward();

  const Trace* trace_;
  bool valid_ = false;
  uint64_t step_ = 0;
  TraceState state_;
  uint64_t work_ = 0;
};

// Bytes that an object takes, without what it refers to: data of tensors, fields of containers.
// 0 for values held in place.
uint64_t ObjectBytes(const Any& value);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_TRACE_H_
