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

Trace::~Trace() = default;

Trace::Trace(const TraceOptions& options) : options_(options) {
  unpacked_.fill(kNoSegment);
  // Number 0 is none. Its use is never given back, so the slot stays.
  NewSlot(Any());  // kNoneValue
  UsesOf(kNoneValue) = 1;
}

// --- values

ValueId Trace::NewSlot(const Any& value) {
  ValueId id = free_;
  if (id != 0) {
    free_ = UsesOf(id);
  } else {
    id = value_limit_++;
    // Chunks never move, so references to slots stay valid while the table grows.
    if (id / kChunk == chunks_.size()) chunks_.push_back(std::make_unique<Chunk>());
  }
  ValueOf(id) = value;
  UsesOf(id) = 0;
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
  // A number that is not used any more may have another value by now; a free one has none.
  if (memcmp(&ValueOf(recent).c_any(), &value.c_any(), sizeof(TernAny)) == 0) return recent;
  return recent = NewSlot(value);
}

void Trace::Unuse(ValueId id) {
  if (--UsesOf(id) > 0) return;
  Any& value = ValueOf(id);
  if (value.is_object()) {
    // The index must forget the object before its reference is released: the address may be used
    // again.
    objects_.erase(value.object());
    value_bytes_ -= ObjectBytes(value);
  }
  value.Reset();
  UsesOf(id) = free_;
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

void Trace::UnuseSegment(const Segment& segment) {
  const bool is_away = segment.is_packed() && segment.log.pcs.empty();
  UnuseEvents(is_away ? UnpackSteps(segment.key, segment.packed).events : segment.log.events);
  UnuseAll(segment.key);
}

ValueId Trace::FindObject(const Object* object) const {
  const auto at = objects_.find(object);
  return at == objects_.end() ? kNoneValue : at->second;
}

int32_t Trace::ReferencesTo(const Object* object) const {
  return (objects_.count(object) != 0 ? 1 : 0) + contents_.ReferencesTo(object);
}

// --- segments

uint64_t Trace::Segment::steps() const {
  if (unseen != 0) return unseen;
  return is_packed() ? packed_steps : log.pcs.size();
}

uint64_t Trace::Segment::Bytes() const {
  return sizeof(Segment) + key.frames.size() * sizeof(TraceFrame) +
         key.ids.size() * sizeof(ValueId) + (is_packed() ? packed.size() : log.Bytes()) +
         allocations.size() * sizeof(TraceAllocation);
}

uint64_t Trace::Bytes() const {
  return closed_bytes_ + segments_.back().Bytes() + value_count_ * kSlotBytes + value_bytes_ +
         contents_.bytes();
}

// A key frame is a copy of the newest state. Bytes of closed segments are summed once, since they
// change no more.
void Trace::BeginSegment() {
  if (!segments_.empty()) {
    Segment& last = segments_.back();
    if (last.unseen == 0) {
      Pack(&last);
      last.log = {};
    }
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
  UnuseSegment(oldest);
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
  if (segments_.size() == 1 && !segments_.back().log.pcs.empty()) BeginSegment();
  return DropOldest();
}

// Begins a new segment where one is due, then drops old ones. A key frame costs as much as the
// state is big, so where frames are many it waits until about as many events have come.
void Trace::KeepToBudget() {
  const Segment& last = segments_.back();
  const bool is_over =
      Bytes() > options_.max_bytes || end_step_ - first_step() > options_.max_steps;
  const size_t wanted = is_over && segments_.size() == 1 ? kFewestSteps : kSegmentSteps;
  if (last.log.pcs.size() >= wanted && last.log.events.size() * 2 >= shadow_.ids.size())
    BeginSegment();
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

Trace::Segment* Trace::FindSegment(uint64_t first_step) {
  if (segments_.empty() || first_step < segments_.front().first_step) return nullptr;
  Segment& segment = segments_[SegmentIndexOf(first_step)];
  return segment.first_step == first_step ? &segment : nullptr;
}

// The steps stay at hand until they are dropped.
void Trace::Pack(Segment* segment) {
  segment->packed_steps = static_cast<uint32_t>(segment->log.pcs.size());
  segment->packed_events = static_cast<uint32_t>(segment->log.events.size());
  segment->packed = PackSteps(segment->key, segment->log);
}

void Trace::Unpack(Segment* segment) {
  segment->log = UnpackSteps(segment->key, segment->packed);
  KeepUnpacked(segment->first_step);
}

// It becomes the newest, which is written to.
void Trace::Reopen(Segment* segment) {
  if (segment->is_packed() && segment->log.pcs.empty())
    segment->log = UnpackSteps(segment->key, segment->packed);
  segment->packed_steps = segment->packed_events = 0;
  segment->packed = {};
  open_event_ = static_cast<uint32_t>(segment->log.events.size());
}

// In the place of the segment that was unpacked longest ago, which may be gone by now, or be the
// newest again.
void Trace::KeepUnpacked(uint64_t first_step) {
  if (std::find(unpacked_.begin(), unpacked_.end(), first_step) != unpacked_.end()) return;
  uint64_t& oldest = unpacked_[oldest_unpacked_];
  oldest_unpacked_ = (oldest_unpacked_ + 1) % kUnpackedSegments;
  Segment* const gone = oldest != kNoSegment ? FindSegment(oldest) : nullptr;
  if (gone != nullptr && gone->is_packed()) gone->log = {};
  oldest = first_step;
}

// --- writing

// A trace can be used again for another run.
void Trace::Start(const TraceState& state, std::span<const Any> registers, uint64_t step) {
  for (const Segment& segment : segments_) UnuseSegment(segment);
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
  Open().log.events.push_back(
      {frame << 2 | static_cast<uint32_t>(TraceEventKind::kWrite), reg, now, id});
  // The event uses both; the register's use moves from one to the other.
  UsesOf(id) += 2;
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
  Open().log.events.push_back(
      {frame << 2 | static_cast<uint32_t>(TraceEventKind::kPush), function, 0, count});
  shadow_.frames.push_back({function, 0, static_cast<uint32_t>(shadow_.ids.size())});
  shadow_.ids.resize(shadow_.ids.size() + count, kNoneValue);
  UsesOf(kNoneValue) += count;
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
  Open().log.events.push_back(
      {frame << 2 | static_cast<uint32_t>(TraceEventKind::kPop), top.function, caller, count});
  shadow_.frames.pop_back();
  shadow_.ids.resize(top.first);
  UsesOf(kNoneValue) -= count;
}

void Trace::Allocated(uint32_t count, uint64_t bytes, uint64_t largest) {
  open_allocation_ = {0, count, bytes, largest};
}

void Trace::EndStep() {
  Segment& segment = Open();
  TraceSteps& log = segment.log;
  if (open_allocation_.count > 0) {
    open_allocation_.step_in_segment = static_cast<uint32_t>(log.pcs.size());
    segment.allocations.push_back(open_allocation_);
    open_allocation_ = {};
  }
  if (log.pcs.empty()) {
    log.pcs.reserve(kSegmentSteps);
    log.first_event.reserve(kSegmentSteps);
  }
  log.pcs.push_back(open_pc_);
  log.first_event.push_back(open_event_);
  open_event_ = static_cast<uint32_t>(log.events.size());
  if (replayed_ != nullptr) return;
  ++end_step_;
  // Between steps only, as events of the open step are in the newest segment.
  KeepToBudget();
}

// A change from outside belongs to the step before it; there is none at the segment's begin.
void Trace::Poke(uint32_t frame, uint32_t reg, const Any& value) {
  Segment& last = segments_.back();
  Write(frame, reg, value);
  if (!last.log.pcs.empty()) {
    open_event_ = static_cast<uint32_t>(last.log.events.size());
    return;
  }
  // There is no step in this segment yet, so the key frame itself changes, and the event is not
  // needed.
  UnuseEvents(last.log.events);
  last.log.events.clear();
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
  bool was_closed = false;
  while (segments_.back().first_step > step) {
    UnuseSegment(segments_.back());
    segments_.pop_back();
    // The segment before is the newest again, so its bytes are not counted as closed.
    closed_bytes_ -= segments_.back().Bytes();
    was_closed = true;
  }
  Segment& last = segments_.back();
  if (was_closed) Reopen(&last);
  // The cursor has made the steps, unless none of them is left.
  last.unseen = 0;
  const auto steps = static_cast<size_t>(step - last.first_step);
  TraceSteps& log = last.log;
  // Where the events of the step behind the last one kept begin.
  open_event_ = steps < log.pcs.size() ? log.first_event[steps] : open_event_;
  UnuseEvents(std::span(log.events).subspan(open_event_));
  log.events.resize(open_event_);
  log.pcs.resize(steps);
  log.first_event.resize(steps);
  while (!last.allocations.empty() && last.allocations.back().step_in_segment >= steps)
    last.allocations.pop_back();
  end_step_ = step;
  end_pc_ = shadow_.frames.empty() ? 0 : shadow_.frames.back().pc;
  open_allocation_ = {};
}

// --- reading

uint32_t Trace::pc(uint64_t step) const {
  const Segment& segment = Whole(SegmentOf(step));
  return segment.log.pcs[static_cast<size_t>(step - segment.first_step)];
}

std::span<const TraceEvent> Trace::events(uint64_t step) const {
  const Segment& segment = Whole(SegmentOf(step));
  return EventsOf(segment, static_cast<size_t>(step - segment.first_step));
}

// Behind the last step of the newest segment there may be events of the open one.
std::span<const TraceEvent> Trace::EventsOf(const Segment& segment, size_t index) const {
  const bool is_newest = &segment == &segments_.back() && index + 1 == segment.log.pcs.size();
  const std::span<const TraceEvent> events = segment.log.EventsOf(index);
  return is_newest ? events.first(open_event_ - segment.log.first_event[index]) : events;
}

TraceAllocation Trace::allocation(uint64_t step) const {
  // Packed segments have these as they are, and what is skipped allocates nothing.
  const Segment& segment = SegmentOf(step);
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
    stats.events += segment.events();
    stats.unseen += segment.unseen;
  }
  stats.values = value_count_;
  stats.value_bytes = value_bytes_ + contents_.bytes();
  stats.log_bytes = Bytes() - stats.value_bytes;
  stats.dropped_steps = dropped_;
  return stats;
}

}  // namespace tern::vm
