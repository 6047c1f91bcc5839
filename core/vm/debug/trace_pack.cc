// SPDX-License-Identifier: Apache-2.0
// A step is a signed varint, 4 * distance of the pc + events, where 3 events stand for a varint of
// how many more there are. An event begins with its kind in two bits. A write goes on with a bit
// for another frame than the innermost, the register, how far out the frame is, and the value; a
// push with its function and registers.
#include "core/vm/debug/trace_pack.h"

#include "core/base/bytes.h"
#include "core/base/check.h"

namespace tern::vm {
namespace {

constexpr uint32_t kManyEvents = 3;

// What packing and unpacking follow: the state, and what numbers are told by.
class Follower {
 public:
  explicit Follower(const TraceState& key) : state_(key) {}

  const TraceState& state() const { return state_; }
  uint32_t innermost() const { return static_cast<uint32_t>(state_.frames.size() - 1); }

  void Begin(uint32_t pc) {
    if (!state_.frames.empty()) state_.frames.back().pc = pc;
    next_pc_ = pc + 1;
  }

  void Apply(const TraceEvent& event) {
    ApplyEvent(event, &state_);
    if (event.kind() == TraceEventKind::kWrite && event.after != kNoneValue) latest_ = event.after;
  }

  ValueId Now(uint32_t frame, uint32_t reg) const {
    return state_.ids[state_.frames[frame].first + reg];
  }
  // What the number that comes into the place of `before` is told by.
  ValueId Near(ValueId before) const { return before != kNoneValue ? before : latest_; }

  TraceEvent Return() const {
    const uint32_t frame = innermost();
    return {frame << 2 | static_cast<uint32_t>(TraceEventKind::kPop), state_.frames.back().function,
            frame > 0 ? state_.frames[frame - 1].pc : 0,
            static_cast<uint32_t>(state_.register_count(frame))};
  }

  uint32_t next_pc() const { return next_pc_; }

 private:
  TraceState state_;
  uint32_t next_pc_ = 0;
  ValueId latest_ = kNoneValue;
};

int64_t Distance(uint32_t to, uint32_t from) { return int64_t{to} - int64_t{from}; }

uint32_t Moved(uint32_t from, int64_t distance) {
  return static_cast<uint32_t>(int64_t{from} + distance);
}

// ByteReader's own forms; nearly all of them have one byte, which is read here.
uint64_t ReadVarint(ByteReader* in) {
  const uint64_t first = in->U8();
  return first < 0x80 ? first : (first & 0x7F) | in->Varint() << 7;
}

int64_t ReadSigned(ByteReader* in) {
  const uint64_t zigzag = ReadVarint(in);
  return static_cast<int64_t>((zigzag >> 1) ^ (~(zigzag & 1) + 1));
}

void PackEvent(const Follower& at, const TraceEvent& event, ByteWriter* out) {
  const auto kind = static_cast<uint64_t>(event.kind());
  switch (event.kind()) {
    case TraceEventKind::kWrite: {
      const uint32_t outward = at.innermost() - event.frame();
      const ValueId before = at.Now(event.frame(), event.target);
      TERN_DCHECK(event.before == before, "events follow from each other");
      out->Varint(uint64_t{event.target} << 3 | (outward != 0 ? 4 : 0) | kind);
      if (outward != 0) out->Varint(outward);
      out->SignedVarint(Distance(event.after, at.Near(before)));
      return;
    }
    case TraceEventKind::kPush:
      out->Varint(uint64_t{event.target} << 2 | kind);
      out->Varint(event.after);
      return;
    case TraceEventKind::kPop: out->Varint(kind); return;
  }
}

TraceEvent UnpackEvent(const Follower& at, ByteReader* in) {
  const uint64_t head = ReadVarint(in);
  const auto kind = static_cast<uint32_t>(head & 3);
  switch (static_cast<TraceEventKind>(kind)) {
    case TraceEventKind::kWrite: {
      const uint32_t outward = (head & 4) != 0 ? static_cast<uint32_t>(ReadVarint(in)) : 0;
      const uint32_t frame = at.innermost() - outward;
      const auto reg = static_cast<uint32_t>(head >> 3);
      const ValueId before = at.Now(frame, reg);
      return {frame << 2 | kind, reg, before, Moved(at.Near(before), ReadSigned(in))};
    }
    case TraceEventKind::kPush: {
      const uint32_t frame = at.innermost() + 1;
      const auto registers = static_cast<uint32_t>(ReadVarint(in));
      return {frame << 2 | kind, static_cast<uint32_t>(head >> 2), 0, registers};
    }
    case TraceEventKind::kPop: break;
  }
  return at.Return();
}

}  // namespace

std::span<const TraceEvent> TraceSteps::EventsOf(size_t index) const {
  const size_t end = index + 1 < pcs.size() ? first_event[index + 1] : events.size();
  return std::span(events).subspan(first_event[index], end - first_event[index]);
}

uint64_t TraceSteps::Bytes() const {
  return (pcs.size() + first_event.size()) * sizeof(uint32_t) + events.size() * sizeof(TraceEvent);
}

std::vector<uint8_t> PackSteps(const TraceState& key, const TraceSteps& steps) {
  Follower at(key);
  ByteWriter out;
  out.Varint(steps.pcs.size());
  out.Varint(steps.events.size());
  for (size_t i = 0; i < steps.pcs.size(); ++i) {
    const std::span<const TraceEvent> events = steps.EventsOf(i);
    const size_t few = events.size() < kManyEvents ? events.size() : kManyEvents;
    out.SignedVarint(Distance(steps.pcs[i], at.next_pc()) * 4 + static_cast<int64_t>(few));
    if (few == kManyEvents) out.Varint(events.size() - kManyEvents);
    at.Begin(steps.pcs[i]);
    for (const TraceEvent& event : events) {
      PackEvent(at, event, &out);
      at.Apply(event);
    }
  }
  return {out.span().begin(), out.span().end()};
}

TraceSteps UnpackSteps(const TraceState& key, std::span<const uint8_t> bytes) {
  Follower at(key);
  ByteReader in(bytes, "packed steps");
  TraceSteps steps;
  const auto count = static_cast<size_t>(ReadVarint(&in));
  steps.pcs.reserve(count);
  steps.first_event.reserve(count);
  steps.events.reserve(static_cast<size_t>(ReadVarint(&in)));
  for (size_t i = 0; i < count; ++i) {
    const int64_t head = ReadSigned(&in);
    auto events = static_cast<uint64_t>(head & 3);
    if (events == kManyEvents) events += ReadVarint(&in);
    const uint32_t pc = Moved(at.next_pc(), head >> 2);
    steps.pcs.push_back(pc);
    steps.first_event.push_back(static_cast<uint32_t>(steps.events.size()));
    at.Begin(pc);
    for (uint64_t e = 0; e < events; ++e) {
      steps.events.push_back(UnpackEvent(at, &in));
      at.Apply(steps.events.back());
    }
  }
  TERN_CHECK(in.AtEnd(), "what was packed is unpacked");
  return steps;
}

}  // namespace tern::vm
