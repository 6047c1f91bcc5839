// SPDX-License-Identifier: Apache-2.0
// SavedTrace: a .terntrace file (trace_file.h) read back, for looking at a run that is over.
//
// Nothing in the file is believed: reading replays all of it once, so that a state can be gone to
// without further checks. It has no code and no values that could run, only their short text.
#ifndef TERN_CORE_VM_DEBUG_TRACE_READER_H_
#define TERN_CORE_VM_DEBUG_TRACE_READER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/json_reader.h"
#include "core/base/result.h"
#include "core/vm/debug/trace.h"

namespace tern::vm {

class SavedTrace {
 public:
  struct Function {
    std::string name;
    uint32_t first = 0;  // instruction
    uint32_t count = 0;
    std::vector<std::string> registers;  // names, empty where there is none
  };

  // What the run began with; the function is empty where the file does not say.
  struct Call {
    std::string function;
    std::string arguments;  // a tuple, as serialize_json.h writes it; not looked at here
  };

  // Whether a file begins as records of any version do.
  static bool HasMark(ByteSpan bytes);
  // E0305 says what is wrong with it.
  static Result<SavedTrace> Read(ByteSpan bytes);
  // Only what the run began with. Steps and states are not looked at: of a file that is also read,
  // this replays nothing a second time.
  static Result<Call> ReadCallOf(ByteSpan bytes);

  uint64_t first_step() const { return first_step_; }
  uint64_t end_step() const { return first_step_ + pcs_.size(); }
  const std::vector<Function>& functions() const { return functions_; }
  size_t value_count() const { return values_.size(); }
  size_t event_count() const { return events_.size(); }
  size_t key_count() const { return keys_.size(); }
  // The instruction of a step, first_step() <= step < end_step(), and what it changed.
  uint32_t pc(uint64_t step) const { return pcs_[static_cast<size_t>(step - first_step_)]; }
  std::span<const TraceEvent> events(uint64_t step) const;

  // The state after `step` instructions, with what values held then.
  Result<TraceState> StateAt(uint64_t step) const;
  // What the value is in that state, in a line.
  std::string ValueText(uint32_t value, uint64_t step) const;
  // The checksum of what the value holds in that state; empty where the file has none, as those
  // written before there were digests.
  std::string_view ValueDigest(uint32_t value, uint64_t step) const;
  // Values that were written in place, with the first state that has what was written; ascending.
  struct WriteInPlace {
    uint64_t step;
    uint32_t value;
  };
  std::vector<WriteInPlace> WritesInPlace() const;
  const Call& call() const { return call_; }
  // "@main:3".
  std::string PlaceText(uint32_t pc) const;

  // Frames and registers of a state, for people.
  Result<std::string> StateText(uint64_t step) const;
  // One line per step: place, and registers that changed. Steps outside are left out.
  std::string ListText(uint64_t from, uint64_t to) const;
  // What it holds, in a few lines.
  std::string SummaryText() const;

 private:
  struct Key {
    uint64_t step = 0;
    TraceState state;
  };
  struct Content {
    uint64_t step = 0;
    uint32_t value = 0;
    std::string text;
    std::string digest;
  };

  // How many there are of each, and the bytes of the JSON.
  struct Counts {
    uint64_t steps, events, words, json;
    uint32_t keys;

    uint64_t NumberBytes() const { return 4 * (2 * steps + 1) + 16 * events + 4 * words; }
  };

  Result<Counts> ReadCounts(ByteReader* in);
  Status ReadNumbers(ByteReader* in);
  Status ReadKeys(ByteReader* in, uint32_t keys, uint32_t words);
  Status ReadTables(std::string_view json);
  Status ReadFunctions(const JsonValue& list);
  Status ReadContents(const JsonValue& list);
  Status ReadDigests(const JsonValue& json);
  Status ReadCall(const JsonValue& json);
  const Content* LatestContent(uint32_t value, uint64_t step) const;
  Status CheckKey(const Key& key) const;
  Status CheckEvent(const TraceEvent& event, const TraceState& state) const;
  Status Replay() const;
  const Function* FunctionAt(uint32_t pc) const;

  uint64_t first_step_ = 0;
  uint32_t end_pc_ = 0;
  std::vector<uint32_t> pcs_;
  std::vector<uint32_t> first_events_;
  std::vector<TraceEvent> events_;
  std::vector<Key> keys_;
  std::vector<Function> functions_;
  std::vector<std::string> values_;
  std::vector<Content> contents_;     // ascending by value, then by step
  std::vector<std::string> digests_;  // of the values, or empty
  Call call_;
};

// The same three as JSON, for the C API, which has the members.
void WriteSummaryJson(const SavedTrace& trace, JsonWriter* json);
void WriteListJson(const SavedTrace& trace, uint64_t from, uint64_t to, JsonWriter* json);
Status WriteStateJson(const SavedTrace& trace, uint64_t step, JsonWriter* json);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_TRACE_READER_H_
