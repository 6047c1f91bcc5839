// SPDX-License-Identifier: Apache-2.0
// Writing traces: values get dense numbers in the order of their first use, because numbers of the
// table in memory have gaps.
#include "core/vm/debug/trace_file.h"

#include <bit>
#include <unordered_map>

#include "core/base/bytes.h"
#include "core/base/checksum.h"
#include "core/base/json.h"
#include "core/object/containers/adt.h"
#include "core/object/graph/print.h"
#include "core/object/graph/serialize_binary.h"
#include "core/object/graph/serialize_json.h"

namespace tern::vm {
namespace {

// What is kept of the bytes that a run was given: more than this would be a second model.
constexpr uint64_t kMaxCallBytes = uint64_t{64} << 20;

// The checksum of all that an object holds, in 8 digits; empty for values whose text says it all,
// and for those that cannot be written down (closures, functions).
std::string DigestOf(const Any& value) {
  if (value.object() == nullptr) return {};
  const Result<std::vector<uint8_t>> bytes = SerializeBinary(value);
  if (!bytes.ok()) return {};
  const uint32_t sum = Crc32c(*bytes);
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[sum >> shift & 15];
  return digits;
}

// Collects everything in the order of the file; both forms are written from that.
class TraceExport {
 public:
  TraceExport(const Trace& trace, const Executable& executable)
      : trace_(trace), executable_(executable) {
    // None is number 0 in the file too.
    numbers_[kNoneValue] = 0;
    values_.push_back({kNoneValue, trace.first_step()});
    // Keys first: their values come first in the table.
    AddKeys();
    for (uint64_t step = trace.first_step(); step < trace.end_step(); ++step) AddStep(step);
    // One past the last, so that every step has an end.
    first_events_.push_back(static_cast<uint32_t>(events_.size() / 4));
  }

  std::vector<uint8_t> Bytes() const {
    JsonWriter json;
    json.BeginObject();
    WriteTables(&json);
    WriteDigests(&json);
    WriteCall(&json);
    json.EndObject();
    ByteWriter out;
    out.Text("TERNTRC1");
    out.U64(trace_.first_step());
    for (size_t count : {pcs_.size(), events_.size() / 4, key_count_, keys_.size()})
      out.U32(static_cast<uint32_t>(count));
    out.U32(trace_.end_pc());
    out.U32(static_cast<uint32_t>(json.text().size()));
    // Plain words, so that a browser can look at them in place.
    for (const std::vector<uint32_t>* words : {&pcs_, &first_events_, &events_, &keys_}) {
      for (uint32_t word : *words) out.U32(word);
    }
    out.Text(json.text());
    return out.Take();
  }

  std::string Json() const {
    JsonWriter json;
    json.BeginObject().Field("first", trace_.first_step()).Field("end", trace_.end_step());
    json.Field("endPc", trace_.end_pc());
    WriteWords("pcs", pcs_, &json);
    WriteWords("firstEvents", first_events_, &json);
    WriteWords("events", events_, &json);
    WriteWords("keys", keys_, &json);
    WriteTables(&json);
    json.EndObject();
    return json.Take();
  }

 private:
  // A value that is held in place.
  struct Words {
    uint64_t head = 0;
    uint64_t payload = 0;
    bool operator==(const Words&) const = default;
  };
  struct HashWords {
    size_t operator()(const Words& words) const {
      return static_cast<size_t>((words.payload ^ words.head << 32) * 0x9e3779b97f4a7c15u >> 16);
    }
  };
  struct Value {
    ValueId id = kNoneValue;
    uint64_t step = 0;  // of the state that first has it
  };

  // The step is that of the state which first has the value: its text is made as of then.
  uint32_t NumberOf(ValueId id, uint64_t step) {
    const auto [at, is_new] = numbers_.try_emplace(id, static_cast<uint32_t>(values_.size()));
    if (!is_new) return at->second;
    const Any& value = trace_.value(id);
    // The same number may be several times in the trace, depending on how the run was watched.
    if (!value.is_object()) {
      const auto words = std::bit_cast<Words>(value.c_any());
      const auto [same, is_first] = plain_.try_emplace(words, at->second);
      if (!is_first) return at->second = same->second;
    }
    values_.push_back({id, step});
    return at->second;
  }

  // By the number of steps and events alone, and not where the trace has its own, so that what is
  // written does not depend on how the run was watched.
  void AddKeys() {
    TraceCursor cursor(&trace_);
    uint64_t steps = kSegmentSteps, events = UINT64_MAX / 2;  // the first state always
    size_t registers = 0;
    for (uint64_t step = trace_.first_step(); step <= trace_.end_step(); ++step) {
      if (steps >= kSegmentSteps && events * 2 >= registers) {
        cursor.Seek(step);
        AddKey(step, cursor.state());
        registers = cursor.state().ids.size();
        steps = events = 0;
      }
      if (step == trace_.end_step()) break;
      ++steps;
      events += trace_.events(step).size();
    }
  }

  void AddKey(uint64_t step, const TraceState& state) {
    ++key_count_;
    keys_.push_back(static_cast<uint32_t>(step - trace_.first_step()));
    keys_.push_back(static_cast<uint32_t>(state.frames.size()));
    keys_.push_back(static_cast<uint32_t>(state.ids.size()));
    for (const TraceFrame& frame : state.frames)
      keys_.insert(keys_.end(), {frame.function, frame.pc, frame.first});
    for (ValueId id : state.ids) keys_.push_back(NumberOf(id, step));
  }

  void AddStep(uint64_t step) {
    pcs_.push_back(trace_.pc(step));
    first_events_.push_back(static_cast<uint32_t>(events_.size() / 4));
    for (const TraceEvent& event : trace_.events(step)) {
      const bool is_write = event.kind() == TraceEventKind::kWrite;
      events_.insert(events_.end(), {event.frame_and_kind, event.target,
                                     // A value before a write belongs to the state before, one
                                     // after it to the state behind.
                                     is_write ? NumberOf(event.before, step) : event.before,
                                     is_write ? NumberOf(event.after, step + 1) : event.after});
    }
  }

  static void WriteWords(std::string_view name, const std::vector<uint32_t>& words,
                         JsonWriter* json) {
    json->Key(name).BeginArray();
    for (uint32_t word : words) json->Uint(word);
    json->EndArray();
  }

  // The tables that both forms share.
  void WriteTables(JsonWriter* json) const {
    json->Key("functions").BeginArray();
    for (const FunctionInfo& info : executable_.functions()) {
      json->BeginObject().Field("name", std::string_view(info.name));
      json->Field("first", info.first_instruction).Field("count", info.instruction_count);
      json->Key("registers").BeginArray();
      for (uint32_t reg = 0; reg < info.register_count; ++reg) json->String(info.RegisterName(reg));
      json->EndArray().EndObject();
    }
    json->EndArray().Key("values").BeginArray();
    for (const Value& value : values_)
      WriteValueJson(trace_.Materialize(value.id, value.step), json);
    json->EndArray().Key("contents").BeginArray();
    // Writes in place: from the next state on the value has another text. Objects that no register
    // held have no number and cannot be shown.
    trace_.contents().ForEachWrite([&](uint64_t step, const Any& object) {
      const auto at = numbers_.find(trace_.FindObject(object.object()));
      if (at == numbers_.end() || at->second == 0) return;
      json->BeginObject().Field("step", step + 1).Field("value", at->second).Key("now");
      WriteValueJson(trace_.contents().Materialize(object, step + 1), json);
      json->EndObject();
    });
    json->EndArray();
  }

  // Of the values, and of what was written in place: each in the order of its table.
  void WriteDigests(JsonWriter* json) const {
    json->Key("digests").BeginArray();
    for (const Value& value : values_)
      json->String(DigestOf(trace_.Materialize(value.id, value.step)));
    json->EndArray().Key("contentDigests").BeginArray();
    trace_.contents().ForEachWrite([&](uint64_t step, const Any& object) {
      const auto at = numbers_.find(trace_.FindObject(object.object()));
      if (at == numbers_.end() || at->second == 0) return;
      json->String(DigestOf(trace_.contents().Materialize(object, step + 1)));
    });
    json->EndArray();
  }

  // The function and the arguments that the run began with, where the trace still has them.
  void WriteCall(JsonWriter* json) const {
    if (trace_.first_step() != 0) return;
    trace_.ForEachKey([&](uint64_t step, const TraceState& state) {
      if (step != 0 || state.frames.size() != 1) return;
      const FunctionInfo& function = executable_.functions()[state.frames[0].function];
      std::vector<Any> arguments;
      uint64_t bytes = 0;
      for (const ValueId id : state.registers(0).first(function.arity())) {
        arguments.push_back(trace_.Materialize(id, 0));
        bytes += ObjectBytes(arguments.back());
      }
      if (bytes > kMaxCallBytes) return;
      const std::vector<AnyView> fields(arguments.begin(), arguments.end());
      const Result<std::string> text = SerializeJson(Any(Adt::Tuple(fields)));
      if (!text.ok()) return;
      json->Key("call").BeginObject().Field("function", std::string_view(function.name));
      json->Field("arguments", *text).EndObject();
    });
  }

  const Trace& trace_;
  const Executable& executable_;
  std::unordered_map<ValueId, uint32_t> numbers_;
  std::unordered_map<Words, uint32_t, HashWords> plain_;
  std::vector<Value> values_;
  std::vector<uint32_t> pcs_, first_events_, events_, keys_;
  size_t key_count_ = 0;
};

}  // namespace

std::vector<uint8_t> SaveTrace(const Trace& trace, const Executable& executable) {
  return TraceExport(trace, executable).Bytes();
}

std::string TraceJson(const Trace& trace, const Executable& executable) {
  return TraceExport(trace, executable).Json();
}

}  // namespace tern::vm
