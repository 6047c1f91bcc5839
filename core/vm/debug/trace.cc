// SPDX-License-Identifier: Apache-2.0
// The delta log: writing, dropping, truncating. Every value in the log, in key frames and in
// `shadow_` is a number whose uses are counted, so that a value lives exactly as long as something
// in the trace names it.
#include "core/vm/debug/trace.h"

#include <string.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/sequence.h"
#include "core/object/tensor.h"
#include "core/vm/debug/trace_replay.h"

namespace tern::vm {
namespace {

// A segment that is over the budget all by itself is cut, but not so often that only key frames are
// left.
constexpr size_t kFewestSteps = 64;

// Eight bits, for the table of recent values.
size_t HashBits(const TernAny& any) {
  const uint64_t mixed =
      (static_cast<uint64_t>(any.v.i) ^ static_cast<uint64_t>(any.type_code)) * 0x9e3779b97f4a7c15u;
  return static_cast<size_t>(mixed >> 56);
}

}  // namespace

// Without what the value refers to, which is counted on its own.
uint64_t ObjectBytes(const Any& value) {
  if (const Tensor* tensor = value.TryCast<Tensor>(); tensor != nullptr)
    return sizeof(Tensor) + tensor->byte_size();
  if (const Storage* storage = value.TryCast<Storage>(); storage != nullptr)
    return sizeof(Storage) + storage->bytes();
  if (const Adt* adt = value.TryCast<Adt>(); adt != nullptr)
    return sizeof(Adt) + sizeof(Any) * adt->size();
  if (const Sequence* list = value.TryCast<Sequence>(); list != nullptr)
    return sizeof(Sequence) + list->memory_bytes();
  if (const Closure* closure = value.TryCast<Closure>(); closure != nullptr)
    return sizeof(Closure) + sizeof(Any) * closure->free_variables().size();
  return value.is_object() ? sizeof(TernObject) + 16 : 0;
}

// Registers of all frames lie in one list; a frame ends where the next begins.
size_t TraceState::register_count(size_t frame) const {
  const size_t end = frame + 1 < frames.size() ? frames[frame + 1].first : ids.size();
  return end - frames[frame].first;
}

std::span<const ValueId> TraceState::registers(size_t frame) const {
  return {ids.data() + frames[frame].first, register_count(frame)};
}

Trace::~Trace() = default;

Trace::Trace(const TraceOptions& options) : options_(options) {
  // Number 0 is none. Its use is never given back, so the slot stays.
  NewSlot(Any());  // kNoneValue
  SlotOf(kNoneValue).uses = 1;
}

// --- values

ValueId Trace::NewSlot(const Any& value) {
  ValueId id = free_;
  if (id != 0) {
    free_ = SlotOf(id).next_free;
  } else {
    id = value_limit_++;
    // Chunks never move, so references to slots stay valid while the table grows.
    if (id / kChunk == chunks_.size()) chunks_.push_back(std::make_unique<Slot[]>(kChunk));
  }
  Slot& slot = SlotOf(id);
  slot.value = value;
  slot.uses = 0;
  ++value_count_;
  return id;
}

// Objects have one number each, by identity. Values held in place are too many to index; the last
// one with the same hash is reused, which finds loop counters and flags.
ValueId Trace::Intern(const Any& value) {
  if (value.is_none()) return kNoneValue;
  if (const Object* object = value.object(); object != nullptr) {
    const auto [at, is_new] = objects_.try_emplace(object, kNoneValue);
    if (is_new) {
      at->second = NewSlot(value);
      value_bytes_ += ObjectBytes(value);
    }
    return at->second;
  }
  ValueId& recent = recent_[HashBits(value.c_any())];
  // A slot that is not used any more may hold another value by now.
  if (recent != kNoneValue && SlotOf(recent).uses > 0 &&
      memcmp(&SlotOf(recent).value.c_any(), &value.c_any(), sizeof(TernAny)) == 0)
    return recent;
  return recent = NewSlot(value);
}

void Trace::Unuse(ValueId id) {
  Slot& slot = SlotOf(id);
  if (--slot.uses > 0) return;
  if (slot.value.is_object()) {
    // The index must forget the object before its reference is released: the address may be used
    // again.
    objects_.erase(slot.value.object());
    value_bytes_ -= ObjectBytes(slot.value);
  }
  slot.value.Reset();
  slot.next_free = free_;
  free_ = id;
  --value_count_;
}

// Key frames use each of their registers.
void Trace::UseAll(const TraceState& state) {
  for (ValueId id : state.ids) Use(id);
}

void Trace::UnuseAll(const TraceState& state) {
  for (ValueId id : state.ids) Unuse(id);
}

void Trace::UnuseEvents(std::span<const TraceEvent> events) {
  for (const TraceEvent& event : events) {
    if (event.kind() != TraceEventKind::kWrite) continue;
    Unuse(event.before);
    Unuse(event.after);
  }
}

ValueId Trace::FindObject(const Object* object) const {
  const auto at = objects_.find(object);
  return at == objects_.end() ? kNoneValue : at->second;
}

int32_t Trace::ReferencesTo(const Object* object) const {
  return (objects_.count(object) != 0 ? 1 : 0) + contents_.ReferencesTo(object);
}

// --- segments

// `pcs` and `first_event` have one entry each per step.
uint64_t Trace::Segment::Bytes() const {
  return sizeof(Segment) + key.frames.size() * sizeof(TraceFrame) +
         key.ids.size() * sizeof(ValueId) + pcs.size() * 2 * sizeof(uint32_t) +
         events.size() * sizeof(TraceEvent) + allocations.size() * sizeof(TraceAllocation);
}

uint64_t Trace::Bytes() const {
  return closed_bytes_ + segments_.back().Bytes() + value_count_ * sizeof(Slot) + value_bytes_ +
         contents_.bytes();
}

// A key frame is a copy of the newest state. Bytes of closed segments are summed once, since they
// change no more.
void Trace::BeginSegment() {
  if (!segments_.empty()) {
    Segment& last = segments_.back();
    last.events.shrink_to_fit();
    closed_bytes_ += last.Bytes();
  }
  Segment& segment = segments_.emplace_back();
  segment.first_step = end_step_;
  segment.key = shadow_;
  UseAll(segment.key);
  open_event_ = 0;
}

// The newest segment is always kept: it holds the present.
bool Trace::DropOldest() {
  if (segments_.size() < 2) return false;
  const Segment& oldest = segments_.front();
  UnuseAll(oldest.key);
  UnuseEvents(oldest.events);
  closed_bytes_ -= oldest.Bytes();
  dropped_ += oldest.steps();
  segments_.pop_front();
  // Contents from before the oldest state can never be asked for.
  contents_.DropBefore(segments_.front().first_step);
  return true;
}

// Ends the only segment, so that it can be dropped: the present state stays, the steps
// that led to it are dropped.
bool Trace::GiveWay() {
  if (segments_.size() == 1 && !segments_.back().pcs.empty()) BeginSegment();
  return DropOldest();
}

// Begins a new segment where one is due, then drops old ones. A key frame costs as much as the
// state is big, so where frames are many it waits until about as many events have come.
void Trace::KeepToBudget() {
  const Segment& last = segments_.back();
  const bool is_over =
      Bytes() > options_.max_bytes || end_step_ - first_step() > options_.max_steps;
  const size_t wanted = is_over && segments_.size() == 1 ? kFewestSteps : kSegmentSteps;
  if (last.pcs.size() >= wanted && last.events.size() * 2 >= shadow_.ids.size()) BeginSegment();
  if (!is_over) return;
  while (Bytes() > options_.max_bytes || end_step_ - first_step() > options_.max_steps) {
    if (!DropOldest()) break;
  }
}

void Trace::set_options(const TraceOptions& options) {
  options_ = options;
  if (!empty()) KeepToBudget();
}

size_t Trace::SegmentIndexOf(uint64_t step) const {
  const auto after = std::upper_bound(
      segments_.begin(), segments_.end(), step,
      [](uint64_t wanted, const Segment& segment) { return wanted < segment.first_step; });
  return static_cast<size_t>(after - segments_.begin()) - 1;
}

// --- writing

// A trace can be used again for another run.
void Trace::Start(const TraceState& state, std::span<const Any> registers, uint64_t step) {
  for (const Segment& segment : segments_) {
    UnuseAll(segment.key);
    UnuseEvents(segment.events);
  }
  UnuseAll(shadow_);
  segments_.clear();
  contents_.Clear();
  closed_bytes_ = dropped_ = 0;
  end_step_ = step;
  shadow_.ids.clear();
  Become(state, registers);
  open_allocation_ = {};
  BeginSegment();
}

// The newest state is another. Values that did not change keep their numbers.
void Trace::Become(const TraceState& state, std::span<const Any> registers) {
  const std::vector<ValueId> before = std::move(shadow_.ids);
  shadow_ = state;
  shadow_.ids.clear();
  shadow_.ids.reserve(registers.size());
  for (size_t i = 0; i < registers.size(); ++i) {
    const bool is_same = i < before.size() && memcmp(&value(before[i]).c_any(),
                                                     &registers[i].c_any(), sizeof(TernAny)) == 0;
    shadow_.ids.push_back(is_same ? before[i] : Intern(registers[i]));
    Use(shadow_.ids.back());
  }
  for (const ValueId id : before) Unuse(id);
  end_pc_ = shadow_.frames.empty() ? 0 : shadow_.frames.back().pc;
}

void Trace::BeginStep(uint32_t pc) {
  open_pc_ = end_pc_ = pc;
  if (!shadow_.frames.empty()) shadow_.frames.back().pc = pc;
}

// Every change of a register goes through here: the event, and the state that follows the run.
void Trace::WriteId(uint32_t frame, uint32_t reg, ValueId id) {
  ValueId& now = shadow_.ids[shadow_.frames[frame].first + reg];
  Open().events.push_back(
      {frame << 2 | static_cast<uint32_t>(TraceEventKind::kWrite), reg, now, id});
  // The event uses both; the register's use moves from one to the other.
  SlotOf(id).uses += 2;
  now = id;
}

// A frame that is not known: hooks were set in the middle of a run.
void Trace::Write(uint32_t frame, uint32_t reg, const Any& value) {
  if (frame < shadow_.frames.size()) WriteId(frame, reg, Intern(value));
}

// Registers begin as none and get their arguments by writes, so that undoing the writes and the
// push gives the state before.
void Trace::Push(uint32_t function, std::span<const Any> registers) {
  const auto frame = static_cast<uint32_t>(shadow_.frames.size());
  const auto count = static_cast<uint32_t>(registers.size());
  Open().events.push_back(
      {frame << 2 | static_cast<uint32_t>(TraceEventKind::kPush), function, 0, count});
  shadow_.frames.push_back({function, 0, static_cast<uint32_t>(shadow_.ids.size())});
  shadow_.ids.resize(shadow_.ids.size() + count, kNoneValue);
  SlotOf(kNoneValue).uses += count;
  for (uint32_t reg = 0; reg < count; ++reg) {
    if (!registers[reg].is_none()) WriteId(frame, reg, Intern(registers[reg]));
  }
}

// In the opposite order: registers are written to none first, so that going back finds their
// values.
void Trace::Pop() {
  const auto frame = static_cast<uint32_t>(shadow_.frames.size() - 1);
  const TraceFrame top = shadow_.frames.back();
  const auto count = static_cast<uint32_t>(shadow_.ids.size()) - top.first;
  for (uint32_t reg = 0; reg < count; ++reg) {
    if (shadow_.ids[top.first + reg] != kNoneValue) WriteId(frame, reg, kNoneValue);
  }
  // Going back needs to know where the caller stood.
  const uint32_t caller = frame > 0 ? shadow_.frames[frame - 1].pc : 0;
  Open().events.push_back(
      {frame << 2 | static_cast<uint32_t>(TraceEventKind::kPop), top.function, caller, count});
  shadow_.frames.pop_back();
  shadow_.ids.resize(top.first);
  SlotOf(kNoneValue).uses -= count;
}

void Trace::Allocated(uint32_t count, uint64_t bytes, uint64_t largest) {
  open_allocation_ = {0, count, bytes, largest};
}

void Trace::EndStep() {
  Segment& segment = Open();
  if (open_allocation_.count > 0) {
    open_allocation_.step_in_segment = static_cast<uint32_t>(segment.pcs.size());
    segment.allocations.push_back(open_allocation_);
    open_allocation_ = {};
  }
  if (segment.pcs.empty()) {
    segment.pcs.reserve(kSegmentSteps);
    segment.first_event.reserve(kSegmentSteps);
  }
  segment.pcs.push_back(open_pc_);
  segment.first_event.push_back(open_event_);
  open_event_ = static_cast<uint32_t>(segment.events.size());
  if (replayed_ != nullptr) return;
  ++end_step_;
  // Between steps only, as events of the open step are in the newest segment.
  KeepToBudget();
}

// A change from outside belongs to the step before it; there is none at the segment's begin.
void Trace::Poke(uint32_t frame, uint32_t reg, const Any& value) {
  Segment& last = segments_.back();
  Write(frame, reg, value);
  if (!last.pcs.empty()) {
    open_event_ = static_cast<uint32_t>(last.events.size());
    return;
  }
  // There is no step in this segment yet, so the key frame itself changes, and the event is not
  // needed.
  UnuseEvents(last.events);
  last.events.clear();
  const uint32_t at = shadow_.frames[frame].first + reg;
  Use(shadow_.ids[at]);
  Unuse(last.key.ids[at]);
  last.key.ids[at] = shadow_.ids[at];
}

void Trace::TruncateAfter(uint64_t step) {
  DropAfter(step);
  contents_.TruncateFrom(step);
}

// The state there becomes the newest. A cursor makes it from the log, then everything behind is
// given back.
void Trace::DropAfter(uint64_t step) {
  TERN_CHECK(!empty() && step >= first_step() && step <= end_step_);
  TraceCursor cursor(this);
  cursor.Seek(step);
  // New uses are added before old ones are given back, or a value in both could be freed.
  UseAll(cursor.state());
  UnuseAll(shadow_);
  shadow_ = cursor.state();
  while (segments_.back().first_step > step) {
    UnuseAll(segments_.back().key);
    UnuseEvents(segments_.back().events);
    segments_.pop_back();
    // The segment before is the newest again, so its bytes are not counted as closed.
    closed_bytes_ -= segments_.back().Bytes();
    open_event_ = static_cast<uint32_t>(segments_.back().events.size());
  }
  Segment& last = segments_.back();
  // The cursor has made the steps, unless none of them is left.
  last.unseen = 0;
  const auto steps = static_cast<size_t>(step - last.first_step);
  // Where the events of the step behind the last one kept begin.
  open_event_ = steps < last.pcs.size() ? last.first_event[steps] : open_event_;
  UnuseEvents(std::span(last.events).subspan(open_event_));
  last.events.resize(open_event_);
  last.pcs.resize(steps);
  last.first_event.resize(steps);
  while (!last.allocations.empty() && last.allocations.back().step_in_segment >= steps)
    last.allocations.pop_back();
  end_step_ = step;
  end_pc_ = shadow_.frames.empty() ? 0 : shadow_.frames.back().pc;
  open_allocation_ = {};
}

// --- reading

uint32_t Trace::pc(uint64_t step) const {
  const Segment& segment = Whole(SegmentOf(step));
  return segment.pcs[static_cast<size_t>(step - segment.first_step)];
}

std::span<const TraceEvent> Trace::events(uint64_t step) const {
  const Segment& segment = Whole(SegmentOf(step));
  return EventsOf(segment, static_cast<size_t>(step - segment.first_step));
}

std::span<const TraceEvent> Trace::EventsOf(const Segment& segment, size_t index) const {
  const uint32_t begin = segment.first_event[index];
  uint32_t end = static_cast<uint32_t>(segment.events.size());
  // Events of a step end where the next one's begin; those of the newest step where the open one's
  // begin.
  if (index + 1 < segment.pcs.size())
    end = segment.first_event[index + 1];
  else if (&segment == &segments_.back())
    end = open_event_;
  return {segment.events.data() + begin, end - begin};
}

TraceAllocation Trace::allocation(uint64_t step) const {
  const Segment& segment = Whole(SegmentOf(step));
  const auto index = static_cast<uint32_t>(step - segment.first_step);
  // Steps that allocated, by binary search: there are few of them.
  const auto at = std::lower_bound(
      segment.allocations.begin(), segment.allocations.end(), index,
      [](const TraceAllocation& a, uint32_t wanted) { return a.step_in_segment < wanted; });
  return at != segment.allocations.end() && at->step_in_segment == index ? *at : TraceAllocation();
}

TraceStats Trace::stats() const {
  TraceStats stats;
  if (empty()) return stats;
  stats.first_step = first_step();
  stats.end_step = end_step_;
  stats.segments = segments_.size();
  for (const Segment& segment : segments_) {
    stats.events += segment.events.size();
    stats.unseen += segment.unseen;
  }
  stats.values = value_count_;
  stats.value_bytes = value_bytes_ + contents_.bytes();
  stats.log_bytes = Bytes() - stats.value_bytes;
  stats.dropped_steps = dropped_;
  return stats;
}

}  // namespace tern::vm
