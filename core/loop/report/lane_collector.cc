// SPDX-License-Identifier: Apache-2.0
#include "core/loop/report/lane_collector.h"

#include <algorithm>
#include <numeric>

namespace tern::loop {
namespace {

// The elements that the active lanes touch.
TouchedElements ActiveOf(const LaneAccess& access, const Buffer& buffer) {
  TouchedElements touched;
  touched.element_bytes = buffer.dtype.size();
  for (size_t lane = 0; lane < access.indices.size(); ++lane) {
    if (access.active[lane] != 0) touched.indices.push_back(access.indices[lane]);
  }
  return touched;
}

// active has 0 or 1 for each lane.
int64_t CountActive(const LaneAccess& access) {
  return std::accumulate(access.active.begin(), access.active.end(), int64_t{0});
}

// Lanes are alike if they do the same at other places: indices are not compared.
bool SameLanes(const LaneRow& a, const LaneRow& b) {
  const auto same_access = [](const LaneAccess& x, const LaneAccess& y) {
    return x.buffer == y.buffer && x.is_store == y.is_store && x.active == y.active;
  };
  return a.is_vector == b.is_vector && a.role == b.role && a.lanes == b.lanes &&
         a.active == b.active &&
         std::equal(a.accesses.begin(), a.accesses.end(), b.accesses.begin(), b.accesses.end(),
                    same_access);
}

// Every index a step after the one before; scalars have step 0.
bool HasStep(const LaneAccess& access, int64_t* step) {
  const std::vector<int64_t>& indices = access.indices;
  *step = indices.size() < 2 ? 0 : indices[1] - indices[0];
  for (size_t lane = 1; lane < indices.size(); ++lane) {
    if (indices[lane] - indices[lane - 1] != *step) return false;
  }
  return true;
}

// Counts of long runs saturate; they are for people.
int64_t AddClamped(int64_t a, int64_t b, int64_t times) {
  int64_t product = 0, sum = 0;
  const bool overflow =
      __builtin_mul_overflow(b, times, &product) || __builtin_add_overflow(a, product, &sum);
  return overflow ? INT64_MAX : sum;
}

}  // namespace

LaneCollector::LaneCollector(const LoopFunction& function, const ControlOptions& shown)
    : shown_(shown) {
  for (const BufferPtr& buffer : function.buffers) streams_.push_back({buffer.get(), 0, {}});
}

// Accesses of an iteration come before its end, so they are gathered until OnIteration.
void LaneCollector::OnAccess(const AccessEvent& event) {
  LaneAccess access;
  access.buffer = IndexOf(event.buffer);
  access.is_store = event.instruction_class == InstructionClass::kStore;
  access.is_masked = event.is_masked;
  access.indices.assign(event.indices.begin(), event.indices.end());
  access.active.assign(event.active.begin(), event.active.end());
  Touch(access);
  now_.accesses.push_back(std::move(access));
}

void LaneCollector::OnIteration(const IterationEvent& event) {
  now_.number = event.iteration;
  now_.is_vector = event.is_vector;
  now_.role = event.role;
  now_.lanes = event.lanes;
  now_.active = event.active;
  const bool is_asked = IsAsked(now_.number);
  // A run of alike iterations ends here.
  if (is_asked || head_.empty() || !SameLanes(head_[0], now_)) FinishRun();
  if (is_asked) {
    Keep(now_);
  } else {
    ++run_length_;
    if (static_cast<int64_t>(head_.size()) < std::max<int64_t>(shown_.head, 1))
      head_.push_back(now_);
    else
      tail_.push_back(now_);
    // One more than asked for is kept, because a row that stands for a single iteration would only
    // hide it.
    if (static_cast<int64_t>(tail_.size()) > shown_.tail + 1) tail_.pop_front();
  }
  previous_ = std::move(now_);
  now_ = {};
}

// Skipped iterations do as the one before does, each at places a step further.
void LaneCollector::OnAlike(const AlikeIterations& alike) {
  for (size_t i = 0; i < previous_.accesses.size(); ++i)
    TouchAlike(previous_.accesses[i], alike.steps[i], alike.count);
  // The iteration before was shown by its number, so the skipped ones belong to no run.
  if (run_length_ == 0) {
    left_out_ = AddClamped(left_out_, alike.count, 1);
    return;
  }
  run_length_ += alike.count;
  tail_.clear();  // those are in the middle now
}

// Called once, after the run.
void LaneCollector::Write(std::span<const int64_t> elements, JsonWriter* json) {
  FinishRun();
  WriteBuffers(elements, json);
  json->Key("iterations").BeginArray();
  for (const LaneRow& row : rows_) WriteRow(row, json);
  json->EndArray().Field("left_out", left_out_);
}

// Whether the caller asked for this iteration by its number.
bool LaneCollector::IsAsked(int64_t number) const {
  return number >= shown_.first && number - shown_.first < shown_.count;
}

// Local buffers get a stream when they are touched first.
size_t LaneCollector::IndexOf(const Buffer* buffer) {
  for (size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i].buffer == buffer) return i;
  }
  streams_.push_back({buffer, 0, {}});
  return streams_.size() - 1;
}

void LaneCollector::Touch(const LaneAccess& access) {
  Stream& stream = streams_[access.buffer];
  stream.bytes = AddClamped(stream.bytes, CountActive(access), stream.buffer->dtype.size());
  stream.footprint.Add(ActiveOf(access, *stream.buffer));
}

// As Touch, for `times` iterations that were skipped.
void LaneCollector::TouchAlike(const LaneAccess& access, int64_t step, int64_t times) {
  Stream& stream = streams_[access.buffer];
  const TouchedElements touched = ActiveOf(access, *stream.buffer);
  const int64_t bytes = static_cast<int64_t>(touched.indices.size()) * touched.element_bytes;
  stream.bytes = AddClamped(stream.bytes, bytes, times);
  stream.footprint.AddSteps(touched, step, times);
}

// Writes the run of alike iterations as its first rows, one row for the middle, its last rows.
void LaneCollector::FinishRun() {
  const auto shown = [&] { return static_cast<int64_t>(head_.size() + tail_.size()); };
  // The extra one is kept only where it is the whole middle.
  if (run_length_ > shown() && static_cast<int64_t>(tail_.size()) > shown_.tail) tail_.pop_front();
  const int64_t folded = run_length_ - shown();
  LaneRow between;
  if (folded > 0) {
    between = head_.back();
    // Its lanes are those of the rows around, its accesses would be those of one iteration only.
    between.accesses.clear();
    between.folded = folded;
    ++between.number;
  }
  for (LaneRow& row : head_) Keep(std::move(row));
  if (folded > 0) Keep(std::move(between));
  for (LaneRow& row : tail_) Keep(std::move(row));
  head_.clear();
  tail_.clear();
  run_length_ = 0;
}

// Counts lanes even of rows that are dropped: once the limit is reached, no later row is kept.
void LaneCollector::Keep(LaneRow row) {
  for (const LaneAccess& access : row.accesses) shown_lanes_ += access.indices.size();
  if (rows_.size() < kMaxRows && shown_lanes_ <= kMaxShownLanes)
    rows_.push_back(std::move(row));
  else
    left_out_ = AddClamped(left_out_, row.folded, 1);
}

void LaneCollector::WriteBuffers(std::span<const int64_t> elements, JsonWriter* json) {
  json->Key("buffers").BeginArray();
  for (size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = streams_[i];
    const Buffer& buffer = *stream.buffer;
    json->BeginObject()
        .Field("name", buffer.name)
        .Field("dtype", ElementName(buffer.dtype))
        .Field("access", AccessName(buffer.access))
        .Field("element_bytes", int64_t{buffer.dtype.size()});
    json->Key("elements");
    if (i < elements.size())
      json->Int(elements[i]);
    else
      json->Null();
    json->Field("bytes_touched", stream.bytes).Key("lines");
    const int64_t lines = stream.footprint.CountLines();
    if (lines < 0)
      json->Null();
    else
      json->Int(lines);
    json->EndObject();
  }
  json->EndArray();
}

void LaneCollector::WriteRow(const LaneRow& row, JsonWriter* json) const {
  json->BeginObject()
      .Field("k", row.number)
      .Field("folded", row.folded)
      .Field("part", LoopRoleName(row.role))
      .Field("vector", row.is_vector)
      .Field("lanes", row.lanes)
      .Field("active", row.active);
  json->Key("accesses").BeginArray();
  for (const LaneAccess& access : row.accesses) WriteAccess(access, json);
  json->EndArray().EndObject();
}

void LaneCollector::WriteAccess(const LaneAccess& access, JsonWriter* json) const {
  const TouchedElements touched = ActiveOf(access, *streams_[access.buffer].buffer);
  const auto on = static_cast<int64_t>(touched.indices.size());
  const auto lanes = static_cast<int64_t>(access.indices.size());
  json->BeginObject()
      .Field("buffer", static_cast<int64_t>(access.buffer))
      .Field("op", access.is_store ? "store" : "load");
  // Most accesses are contiguous, so that two numbers replace a list.
  int64_t step = 0;
  if (HasStep(access, &step))
    json->Field("index", access.indices[0]).Field("step", step);
  else
    json->Key("indices").Ints(access.indices);
  json->Key("mask");
  std::string bits;
  for (uint8_t lane : access.active) bits += lane != 0 ? '1' : '0';
  if (access.is_masked)
    json->String(bits);
  else
    json->Null();
  json->Field("bytes", on * touched.element_bytes)
      .Field("masked_bytes", (lanes - on) * touched.element_bytes);
  json->Key("lines").Ints(LinesOf(touched)).EndObject();
}

}  // namespace tern::loop
