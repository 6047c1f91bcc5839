// SPDX-License-Identifier: Apache-2.0
#include "core/vm/debug/trace_diff.h"

#include <algorithm>

#include "core/base/strings.h"

namespace tern::vm {
namespace {

constexpr const char* kDivergenceKinds[] = {"range", "start", "place", "change", "value", "end"};

bool SameRecorded(const SavedTrace& a, uint32_t value_a, const SavedTrace& b, uint32_t value_b,
                  uint64_t step) {
  const std::string_view digest_a = a.ValueDigest(value_a, step);
  const std::string_view digest_b = b.ValueDigest(value_b, step);
  if (!digest_a.empty() && !digest_b.empty()) return digest_a == digest_b;
  return a.ValueText(value_a, step) == b.ValueText(value_b, step);
}

// What an event did, without values.
std::string EventText(const SavedTrace& trace, const TraceEvent& event) {
  if (event.kind() == TraceEventKind::kPush)
    return StrCat("into @", trace.functions()[event.target].name);
  if (event.kind() == TraceEventKind::kPop) return "out";
  return StrCat("%", event.target, " of frame ", event.frame());
}

// Writes of none are left out: registers that die are no business of the run's meaning, and
// compilers differ in them.
std::vector<TraceEvent> ChangesOf(const SavedTrace& trace, uint64_t step) {
  std::vector<TraceEvent> changes;
  for (const TraceEvent& event : trace.events(step)) {
    if (event.kind() != TraceEventKind::kWrite || event.after != kNoneValue)
      changes.push_back(event);
  }
  return changes;
}

std::string StepText(const SavedTrace& trace, const std::vector<TraceEvent>& changes) {
  std::vector<std::string> parts;
  for (const TraceEvent& event : changes) parts.push_back(EventText(trace, event));
  return parts.empty() ? "nothing" : StrJoin(parts, ", ");
}

class TraceComparison {
 public:
  TraceComparison(const SavedTrace& a, const SavedTrace& b, DivergenceFilter* filter)
      : a_(a), b_(b), filter_(filter), writes_a_(a.WritesInPlace()), writes_b_(b.WritesInPlace()) {}

  std::optional<Divergence> Run() {
    const uint64_t from = std::max(a_.first_step(), b_.first_step());
    const uint64_t to = std::min(a_.end_step(), b_.end_step());
    if (from > to) return Range();
    if (auto found = CompareState(from)) return found;
    for (uint64_t step = from; step < to; ++step) {
      if (auto found = CompareStep(step)) return found;
    }
    if (a_.end_step() == b_.end_step()) return std::nullopt;
    Divergence end = At(Divergence::Kind::kEnd, to);
    end.a = a_.end_step() > to ? StrCat("goes on at ", end.place_a) : "ends";
    end.b = b_.end_step() > to ? StrCat("goes on at ", end.place_b) : "ends";
    return end;
  }

 private:
  static std::string RangeText(const SavedTrace& trace) {
    return StrCat("steps ", trace.first_step(), " to ", trace.end_step());
  }

  std::optional<Divergence> Range() const {
    Divergence range;
    range.kind = Divergence::Kind::kRange;
    range.a = RangeText(a_);
    range.b = RangeText(b_);
    return range;
  }

  Divergence At(Divergence::Kind kind, uint64_t step) const {
    Divergence at;
    at.kind = kind;
    at.step = step;
    if (step < a_.end_step()) {
      at.pc_a = a_.pc(step);
      at.place_a = a_.PlaceText(a_.pc(step));
    }
    if (step < b_.end_step()) {
      at.pc_b = b_.pc(step);
      at.place_b = b_.PlaceText(b_.pc(step));
    }
    return at;
  }

  // The registers of both in the first state that both have: arguments above all.
  std::optional<Divergence> CompareState(uint64_t step) {
    const Result<TraceState> a = a_.StateAt(step), b = b_.StateAt(step);
    if (!a.ok() || !b.ok()) return std::nullopt;  // the step is in both
    Divergence found = At(Divergence::Kind::kStart, step);
    found.a = StrCat(a->frames.size(), " frames");
    found.b = StrCat(b->frames.size(), " frames");
    if (a->frames.size() != b->frames.size()) return found;
    for (size_t frame = 0; frame < a->frames.size(); ++frame) {
      const std::string &name_a = a_.functions()[a->frames[frame].function].name,
                        &name_b = b_.functions()[b->frames[frame].function].name;
      if (name_a != name_b) {
        found.a = StrCat("in @", name_a);
        found.b = StrCat("in @", name_b);
        return found;
      }
      const auto ids_a = a->registers(frame), ids_b = b->registers(frame);
      for (uint32_t reg = 0; reg < std::min(ids_a.size(), ids_b.size()); ++reg) {
        if (auto found_value = CompareValue({step, step, frame, reg}, ids_a[reg], ids_b[reg]))
          return found_value;
      }
    }
    return std::nullopt;
  }

  std::optional<Divergence> CompareStep(uint64_t step) {
    const Divergence place = At(Divergence::Kind::kPlace, step);
    if (place.place_a != place.place_b) return place;
    const std::vector<TraceEvent> a = ChangesOf(a_, step), b = ChangesOf(b_, step);
    const auto same = [&](const TraceEvent& x, const TraceEvent& y) {
      return x.kind() == y.kind() && x.frame() == y.frame() && EventText(a_, x) == EventText(b_, y);
    };
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end(), same)) {
      Divergence change = At(Divergence::Kind::kChange, step);
      change.a = StepText(a_, a);
      change.b = StepText(b_, b);
      return change;
    }
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i].kind() != TraceEventKind::kWrite) continue;
      const Spot spot = {step, step + 1, a[i].frame(), a[i].target};
      if (auto found = CompareValue(spot, a[i].after, b[i].after)) return found;
    }
    return CompareWritesInPlace(step);
  }

  // The values that writes in place changed at a step. Steps are asked for in their order.
  static std::vector<uint32_t> TakeWrites(const std::vector<SavedTrace::WriteInPlace>& writes,
                                          uint64_t as_of, size_t* next) {
    while (*next < writes.size() && writes[*next].step < as_of) ++*next;
    std::vector<uint32_t> values;
    for (; *next < writes.size() && writes[*next].step == as_of; ++*next)
      values.push_back(writes[*next].value);
    return values;
  }

  std::optional<Divergence> CompareWritesInPlace(uint64_t step) {
    const std::vector<uint32_t> a = TakeWrites(writes_a_, step + 1, &next_a_);
    const std::vector<uint32_t> b = TakeWrites(writes_b_, step + 1, &next_b_);
    if (a.size() != b.size()) {
      Divergence change = At(Divergence::Kind::kChange, step);
      change.a = StrCat(a.size(), " values in place");
      change.b = StrCat(b.size(), " values in place");
      return change;
    }
    for (size_t i = 0; i < a.size(); ++i) {
      const auto [frame, reg] = HolderOf(a[i], step + 1);
      if (auto found = CompareValue({step, step + 1, frame, reg}, a[i], b[i])) return found;
    }
    return std::nullopt;
  }

  // A register of the first record that holds the value, the innermost frame's first.
  std::pair<size_t, uint32_t> HolderOf(uint32_t value, uint64_t step) const {
    const Result<TraceState> state = a_.StateAt(step);
    if (!state.ok()) return {0, 0};
    for (size_t frame = state->frames.size(); frame-- > 0;) {
      const auto ids = state->registers(frame);
      const auto at = std::find(ids.begin(), ids.end(), value);
      if (at != ids.end()) return {frame, static_cast<uint32_t>(at - ids.begin())};
    }
    return {0, 0};
  }

  // Where a value is: the state of `as_of` has it, step `step` wrote it.
  struct Spot {
    uint64_t step, as_of;
    size_t frame;
    uint32_t reg;
  };

  // The register's name in the first record.
  std::string NameOf(const Spot& spot) const {
    const Result<TraceState> state = a_.StateAt(spot.as_of);
    if (!state.ok() || spot.frame >= state->frames.size()) return {};
    const auto& names = a_.functions()[state->frames[spot.frame].function].registers;
    return spot.reg < names.size() ? names[spot.reg] : std::string();
  }

  std::optional<Divergence> CompareValue(const Spot& spot, uint32_t a, uint32_t b) const {
    if (SameRecorded(a_, a, b_, b, spot.as_of)) return std::nullopt;
    const bool is_start = spot.as_of == spot.step;
    Divergence found =
        At(is_start ? Divergence::Kind::kStart : Divergence::Kind::kValue, spot.step);
    found.of_value = true;
    found.frame = spot.frame;
    found.reg = spot.reg;
    found.name = NameOf(spot);
    found.a = a_.ValueText(a, spot.as_of);
    found.b = b_.ValueText(b, spot.as_of);
    if (filter_ != nullptr && filter_->Accept(found)) return std::nullopt;
    return found;
  }

  const SavedTrace& a_;
  const SavedTrace& b_;
  DivergenceFilter* filter_;
  std::vector<SavedTrace::WriteInPlace> writes_a_, writes_b_;
  size_t next_a_ = 0, next_b_ = 0;
};

std::string RegisterText(const Divergence& divergence) {
  return StrCat("%", divergence.reg, divergence.name.empty() ? "" : " ", divergence.name);
}

std::string WhatText(const Divergence& divergence) {
  switch (divergence.kind) {
    case Divergence::Kind::kRange: return "the records have no step in common";
    case Divergence::Kind::kStart:
      return StrCat("the states differ in which they begin, step ", divergence.step);
    case Divergence::Kind::kPlace:
      return StrCat("step ", divergence.step, " is at another instruction");
    case Divergence::Kind::kChange:
      return StrCat("step ", divergence.step, ", ", divergence.place_a,
                    ", changes other registers");
    case Divergence::Kind::kValue:
      return StrCat("step ", divergence.step, ", ", divergence.place_a, ", gives ",
                    RegisterText(divergence), " another value");
    case Divergence::Kind::kEnd: return StrCat("only one goes on after step ", divergence.step);
  }
  return {};
}

// Values whose texts are the same differ behind the elements that those show.
std::string_view Unseen(const Divergence& divergence) {
  const bool has_values =
      divergence.kind == Divergence::Kind::kValue || divergence.kind == Divergence::Kind::kStart;
  return has_values && divergence.a == divergence.b
             ? "  the elements shown are the same, others differ\n"
             : "";
}

// Writes the first so many, and counts on by one.
class DivergenceList final : public DivergenceFilter {
 public:
  DivergenceList(size_t most, JsonWriter* json) : most_(most), json_(*json) {}

  bool Accept(const Divergence& divergence) override {
    if (told_++ == most_) return false;
    BeginDivergence(divergence, &json_);
    json_.Key("pcs").BeginArray().Int(divergence.pc_a).Int(divergence.pc_b).EndArray();
    if (divergence.of_value) json_.Field("frame", divergence.frame);
    json_.EndObject();
    return true;
  }
  bool has_more() const { return told_ > most_; }

 private:
  size_t most_;
  size_t told_ = 0;
  JsonWriter& json_;
};

}  // namespace

std::optional<Divergence> FindDivergence(const SavedTrace& a, const SavedTrace& b,
                                         DivergenceFilter* filter) {
  return TraceComparison(a, b, filter).Run();
}

uint64_t CommonSteps(const SavedTrace& a, const SavedTrace& b) {
  const uint64_t from = std::max(a.first_step(), b.first_step());
  const uint64_t to = std::min(a.end_step(), b.end_step());
  return from < to ? to - from : 0;
}

std::string DivergenceText(const Divergence& divergence, std::string_view name_a,
                           std::string_view name_b) {
  const bool is_place = divergence.kind == Divergence::Kind::kPlace;
  return StrCat(WhatText(divergence), "\n  ", name_a, ": ",
                is_place ? divergence.place_a : divergence.a, "\n  ", name_b, ": ",
                is_place ? divergence.place_b : divergence.b, "\n", Unseen(divergence));
}

void BeginDivergence(const Divergence& divergence, JsonWriter* json) {
  json->BeginObject().Field("kind", kDivergenceKinds[static_cast<size_t>(divergence.kind)]);
  json->Field("step", divergence.step).Key("places").BeginArray();
  json->String(divergence.place_a).String(divergence.place_b).EndArray();
  if (divergence.kind == Divergence::Kind::kValue || divergence.kind == Divergence::Kind::kStart)
    json->Field("register", divergence.reg).Field("name", divergence.name);
  json->Field("a", divergence.a).Field("b", divergence.b);
}

std::string DivergencesJson(const SavedTrace& a, const SavedTrace& b, size_t most) {
  JsonWriter json;
  json.BeginObject();
  for (const auto& [name, trace] : {std::pair("a", &a), std::pair("b", &b)}) {
    json.Key(name).BeginObject().Field("first", trace->first_step());
    json.Field("end", trace->end_step()).EndObject();
  }
  json.Field("common", CommonSteps(a, b)).Key("divergences").BeginArray();
  DivergenceList list(most, &json);
  const std::optional<Divergence> last = FindDivergence(a, b, &list);
  // One of values has been told of already, or is one too many.
  if (last && !last->of_value) list.Accept(*last);
  return json.EndArray().Field("more", list.has_more()).EndObject().Take();
}

}  // namespace tern::vm
