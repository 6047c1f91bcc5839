// SPDX-License-Identifier: Apache-2.0
// Trace: what a run did, as a delta log, and TraceCursor, which goes to any step of it.
//
// A step is one instruction; state k is what the machine held after k of them. For every step the
// trace has its pc and its events: registers that changed (old value, new value) and frames that
// came and went, in an order that can be undone from behind. Values are kept once each, by
// reference: a number in a counted table. Steps lie in segments; each begins with a key frame (all
// frames, all registers) and holds about kSegmentSteps steps, so that a seek applies no more events
// than one segment has. All but the newest lie packed (trace_pack.h), and those that are looked at
// are unpacked for a while. Above the budget the oldest segments are dropped.
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
#include "core/vm/debug/trace_pack.h"

namespace tern::vm {

inline constexpr uint64_t kSegmentSteps = 1024;
// At most so many are skipped at once, but for states that are larger.
inline constexpr uint64_t kSkippedSteps = 4096;

// So many segments beside the newest have their steps at hand: more than a look at a state needs,
// which goes back for who wrote the registers.
inline constexpr size_t kUnpackedSegments = 8;

class TraceReplay;

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
  // first_step <= step < end_step for these three. Events are there until kUnpackedSegments others
  // have been looked at.
  uint32_t pc(uint64_t step) const;
  std::span<const TraceEvent> events(uint64_t step) const;
  TraceAllocation allocation(uint64_t step) const;
  uint32_t end_pc() const { return end_pc_; }
  const Any& value(ValueId id) const { return ValueOf(id); }
  // How many entries of the log and key frames name the value: the trace itself holds one
  // reference to an object, whatever the number.
  uint32_t uses(ValueId id) const { return UsesOf(id); }
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
      for (size_t i = 0; i < segment.log.pcs.size(); ++i) {
        TraceStep step{segment.first_step + i, segment.log.pcs[i], EventsOf(segment, i), {}};
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
  static constexpr uint32_t kChunk = 4096;
  // Values beside their uses: a slot of both would have a gap.
  struct Chunk {
    Any values[kChunk];
    uint32_t uses[kChunk];  // of a free number: the next free one
  };
  static constexpr uint64_t kSlotBytes = sizeof(Any) + sizeof(uint32_t);

  struct Segment {
    uint64_t first_step = 0;
    uint64_t unseen = 0;  // so many steps, of which nothing is here yet but the key
    TraceState key;
    TraceSteps log;               // empty while only its packed form is kept
    std::vector<uint8_t> packed;  // of all but the newest
    uint32_t packed_steps = 0;
    uint32_t packed_events = 0;
    std::vector<TraceAllocation> allocations;  // ascending by step

    bool is_packed() const { return packed_steps != 0; }
    uint64_t steps() const;
    uint64_t events() const { return is_packed() ? packed_events : log.events.size(); }
    // Without what is unpacked for a while.
    uint64_t Bytes() const;
  };

  Any& ValueOf(ValueId id) const { return chunks_[id / kChunk]->values[id % kChunk]; }
  uint32_t& UsesOf(ValueId id) const { return chunks_[id / kChunk]->uses[id % kChunk]; }
  ValueId Intern(const Any& value);
  ValueId NewSlot(const Any& value);
  void Use(ValueId id) { ++UsesOf(id); }
  void Unuse(ValueId id);
  void UseAll(const TraceState& state);
  void UnuseAll(const TraceState& state);
  void UnuseEvents(std::span<const TraceEvent> events);
  void UnuseSegment(const Segment& segment);
  void WriteId(uint32_t frame, uint32_t reg, ValueId id);
  void BeginSegment();
  Segment& Open() { return replayed_ != nullptr ? *replayed_ : segments_.back(); }
  // The segment with its steps, which are made where they were skipped, else unpacked.
  const Segment& Whole(const Segment& segment) const;
  void Pack(Segment* segment);
  void Unpack(Segment* segment);
  void Reopen(Segment* segment);
  void KeepUnpacked(uint64_t first_step);
  Segment* FindSegment(uint64_t first_step);
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

  static constexpr uint64_t kNoSegment = UINT64_MAX;
  // First steps of the segments that were unpacked last; the oldest of them is the next to go.
  std::array<uint64_t, kUnpackedSegments> unpacked_;
  size_t oldest_unpacked_ = 0;

  std::vector<std::unique_ptr<Chunk>> chunks_;
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
