// SPDX-License-Identifier: Apache-2.0
#include "core/vm/debug/debugger_views.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/strings.h"
#include "core/object/tensor.h"
#include "core/vm/debug/debugger_heap.h"
#include "core/vm/debug/lifetimes.h"
#include "core/vm/debug/recorded_objects.h"
#include "core/vm/debug/shape_view.h"
#include "core/vm/debug/trace_summary.h"

namespace tern::vm {
namespace {

// One array of a list in columns.
template <typename List, typename F>
void Column(const List& list, std::string_view name, JsonWriter* json, F write) {
  json->Key(name).BeginArray();
  for (const auto& item : list) write(item);
  json->EndArray();
}

template <typename List, typename F>
void Numbers(const List& list, std::string_view name, JsonWriter* json, F number) {
  Column(list, name, json,
         [&](const auto& item) { json->Int(static_cast<int64_t>(number(item))); });
}

template <typename T>
void FieldOrNull(std::string_view name, const std::optional<T>& value, JsonWriter* json) {
  if (value.has_value())
    json->Field(name, *value);
  else
    json->Key(name).Null();
}

std::string TypeOf(const Any& value) {
  const Tensor* tensor = value.TryCast<Tensor>();
  return tensor != nullptr ? tensor->TypeText() : std::string(value.type_name());
}

// --- code

void AppendHex(uint64_t value, int digits, std::string* text) {
  for (int at = digits - 1; at >= 0; --at) *text += "0123456789abcdef"[value >> (4 * at) & 15];
}

// The parts of encoding.h with blanks between them.
std::string EncodingText(std::span<const uint64_t> words) {
  std::string text;
  AppendHex(words[0] >> 56, 2, &text);
  text += ' ';
  AppendHex(words[0] >> 48 & 255, 2, &text);
  for (const int shift : {0, 16, 32}) {
    text += ' ';
    AppendHex(words[0] >> shift & 0xffff, 4, &text);
  }
  for (const uint64_t word : words.subspan(1)) {
    text += ' ';
    AppendHex(word, 16, &text);
  }
  return text;
}

void WriteEncoding(const Executable& executable, JsonWriter* json) {
  json->BeginArray();
  for (uint32_t pc = 0; pc < executable.instruction_count(); ++pc)
    json->String(EncodingText(executable.InstructionWords(pc)));
  json->EndArray();
}

// --- time line

void WriteTimeline(const Debugger& debugger, uint32_t most, JsonWriter* json) {
  const TimelineSummary summary = SummarizeTimeline(debugger, most);
  const auto& buckets = summary.buckets;
  json->BeginObject().Field("first", summary.first).Field("end", summary.end);
  json->Field("stepsPerBucket", summary.steps_per_bucket);
  Numbers(buckets, "depth", json, [](const auto& bucket) { return bucket.depth; });
  Numbers(buckets, "allocated", json, [](const auto& bucket) { return bucket.allocated; });
  Numbers(buckets, "breakpoints", json, [](const auto& bucket) { return bucket.breakpoints; });
  Column(buckets, "bands", json, [&](const auto& bucket) {
    json->BeginArray();
    for (const uint32_t steps : bucket.bands) json->Uint(steps);
    json->EndArray();
  });
  json->Key("calls").BeginObject();
  Numbers(summary.calls, "function", json, [](const auto& call) { return call.function; });
  Numbers(summary.calls, "depth", json, [](const auto& call) { return call.depth; });
  Numbers(summary.calls, "enter", json, [](const auto& call) { return call.enter; });
  Numbers(summary.calls, "leave", json, [](const auto& call) { return call.leave; });
  json->EndObject();
  Numbers(summary.not_finite, "notFinite", json, [](uint64_t step) { return step; });
  json->Field("readAll", summary.read_all).EndObject();
}

void WriteHits(const Debugger& debugger, JsonWriter* json) {
  json->BeginArray();
  for (const uint64_t hits : CountHits(debugger)) json->Uint(hits);
  json->EndArray();
}

// --- lifetimes

constexpr std::string_view kEnds[] = {"held", "overwritten", "killed", "returned"};

void WriteVersions(const Debugger& debugger, const Lifetimes& found, JsonWriter* json) {
  const Trace& trace = debugger.trace();
  const auto& list = found.versions;
  const auto pc_of = [&trace](uint64_t step) {
    return step < trace.end_step() ? int64_t{trace.pc(step)} : -1;
  };
  json->BeginObject();
  Numbers(list, "register", json, [](const auto& version) { return version.reg; });
  Numbers(list, "number", json, [](const auto& version) { return version.number; });
  Numbers(list, "defined", json, [](const auto& version) { return version.defined; });
  Numbers(list, "ended", json, [](const auto& version) { return version.ended; });
  Numbers(list, "lastUse", json, [](const auto& version) { return version.last_use; });
  Numbers(list, "uses", json, [](const auto& version) { return version.uses; });
  Numbers(list, "definedPc", json,
          [&](const auto& version) { return version.was_there ? -1 : pc_of(version.defined); });
  Numbers(list, "endedPc", json, [&](const auto& version) {
    return version.end == VersionEnd::kHeld ? -1 : pc_of(version.ended);
  });
  Numbers(list, "bytes", json,
          [&](const auto& version) { return ObjectBytes(trace.value(version.value)); });
  Column(list, "end", json,
         [&](const auto& version) { json->String(kEnds[static_cast<size_t>(version.end)]); });
  Column(list, "wasThere", json, [&](const auto& version) { json->Bool(version.was_there); });
  Column(list, "kind", json,
         [&](const auto& version) { json->String(trace.value(version.value).type_name()); });
  Column(list, "type", json,
         [&](const auto& version) { json->String(TypeOf(trace.value(version.value))); });
  json->EndObject();
}

void WriteLifetimes(const Debugger& debugger, size_t frame, JsonWriter* json) {
  const Lifetimes found = FindLifetimes(debugger, frame);
  const FunctionInfo& function = debugger.executable().functions()[found.function];
  json->BeginObject().Field("function", std::string_view(function.name));
  json->Field("depth", found.depth).Field("enter", found.enter).Field("leave", found.leave);
  json->Key("registers").BeginArray();
  for (uint32_t reg = 0; reg < found.register_count; ++reg)
    json->BeginObject().Field("index", reg).Field("name", function.RegisterName(reg)).EndObject();
  json->EndArray().Field("count", found.version_count).Key("versions");
  WriteVersions(debugger, found, json);
  json->Key("cells").BeginObject();
  Numbers(found.cells, "register", json, [](const auto& cell) { return cell.reg; });
  Numbers(found.cells, "column", json, [](const auto& cell) { return cell.column; });
  Numbers(found.cells, "count", json, [](const auto& cell) { return cell.count; });
  Numbers(found.cells, "bytes", json, [](const auto& cell) { return cell.bytes; });
  json->EndObject().Field("stepsPerColumn", found.steps_per_column);
  json->Field("byteSteps", found.byte_steps).Field("deadByteSteps", found.dead_byte_steps);
  json->EndObject();
}

// --- objects

// What is known of the objects of the state that is looked at.
class ObjectWriter {
 public:
  ObjectWriter(const Debugger& debugger, JsonWriter* json)
      : trace_(debugger.trace()), json_(*json), heap_(ListHeap(debugger)) {
    for (const HeapObject& object : heap_.objects) live_[object.value.object()] = &object;
    for (const ValueId id : FindLeaks(debugger)) leaks_.insert(id);
    for (const RecordedObject& object : ListRecordedObjects(trace_)) recorded_[object.id] = object;
  }

  // Fills `ids` with those that are asked for, the largest first; false for an unknown kind.
  bool Select(std::string_view kind, std::vector<ValueId>* ids) const {
    if (kind != "live" && kind != "all" && kind != "leaked") return false;
    for (const auto& [id, object] : recorded_) {
      if (kind == "live" && live_.count(trace_.value(id).object()) == 0) continue;
      if (kind == "leaked" && leaks_.count(id) == 0) continue;
      ids->push_back(id);
    }
    std::sort(ids->begin(), ids->end(), [this](ValueId a, ValueId b) {
      const RecordedObject &left = recorded_.at(a), &right = recorded_.at(b);
      if (left.bytes != right.bytes) return left.bytes > right.bytes;
      return left.created != right.created ? left.created < right.created : a < b;
    });
    return true;
  }

  uint64_t BytesOf(ValueId id) const { return recorded_.at(id).bytes; }
  bool IsRecorded(ValueId id) const { return recorded_.count(id) != 0; }

  // `held`: as CountHolders tells it, empty for no such member.
  void Write(ValueId id, std::span<const uint32_t> held = {}) {
    const RecordedObject& object = recorded_.at(id);
    const Any& value = trace_.value(id);
    const auto live = live_.find(value.object());
    json_.BeginObject().Field("id", id).Field("kind", value.type_name()).Key("type");
    json_.String(TypeOf(value)).Field("bytes", object.bytes).Field("created", object.created);
    FieldOrNull("createdPc", PcOf(object), &json_);
    FieldOrNull("released",
                object.released == kHeldYet ? std::nullopt : std::optional(object.released),
                &json_);
    json_.Field("live", live != live_.end()).Field("leaked", leaks_.count(id) != 0);
    json_.Field("references", live == live_.end() ? 0 : live->second->references);
    json_.Key("holders").BeginArray();
    if (live != live_.end()) {
      for (const HeapHolder& holder : live->second->holders) WriteHolder(holder);
    }
    json_.EndArray();
    if (!held.empty()) Numbers(held, "held", &json_, [](uint32_t count) { return count; });
    json_.EndObject();
  }

 private:
  std::optional<uint32_t> PcOf(const RecordedObject& object) const {
    if (object.was_there) return std::nullopt;
    return trace_.pc(object.created);
  }

  // Holding objects by their number in the trace, 0 where they have none.
  void WriteHolder(const HeapHolder& holder) {
    json_.BeginObject().Field("text", std::string_view(holder.text));
    const Object* object =
        holder.object == 0 ? nullptr : heap_.objects[holder.object - 1].value.object();
    json_.Field("id", object == nullptr ? kNoneValue : trace_.FindObject(object)).EndObject();
  }

  const Trace& trace_;
  JsonWriter& json_;
  HeapListing heap_;
  std::unordered_map<const Object*, const HeapObject*> live_;
  std::unordered_map<ValueId, RecordedObject> recorded_;
  std::unordered_set<ValueId> leaks_;
};

// parts: of the record, 0 where nobody asks what held the objects over time.
Status WriteObjects(const Debugger& debugger, std::string_view kind, uint32_t parts,
                    JsonWriter* json) {
  ObjectWriter writer(debugger, json);
  std::vector<ValueId> ids;
  if (!writer.Select(kind, &ids)) {
    return InvalidArgument("there are no '", kind, "' objects: there are live, all and leaked")
        .SetErrorCode("E0304");
  }
  uint64_t bytes = 0;
  for (const ValueId id : ids) bytes += writer.BytesOf(id);
  json->BeginObject().Field("count", uint64_t{ids.size()}).Field("bytes", bytes);
  json->Key("objects").BeginArray();
  ids.resize(std::min(ids.size(), kMostObjects));
  std::vector<uint32_t> held;
  if (parts > 0) held = CountHolders(debugger.trace(), ids, parts);
  for (size_t i = 0; i < ids.size(); ++i)
    writer.Write(ids[i], std::span(held).subspan(i * parts, parts));
  json->EndArray().EndObject();
  return OkStatus();
}

void WriteList(std::string_view name, const std::vector<ValueId>& ids, ObjectWriter* writer,
               JsonWriter* json) {
  json->Key(name).BeginArray();
  for (size_t i = 0; i < std::min(ids.size(), kMostObjects); ++i) {
    if (writer->IsRecorded(ids[i])) writer->Write(ids[i]);
  }
  json->EndArray();
}

Status WriteHeapDifference(const Debugger& debugger, uint64_t from, uint64_t to, JsonWriter* json) {
  const Trace& trace = debugger.trace();
  for (const uint64_t step : {from, to}) {
    if (step < trace.first_step() || step > trace.end_step()) {
      return OutOfRange("step ", step, " is not recorded: those from ", trace.first_step(), " to ",
                        trace.end_step(), " are")
          .SetErrorCode("E0304");
    }
  }
  const HeapDifference difference = CompareHeaps(trace, from, to);
  ObjectWriter writer(debugger, json);
  json->BeginObject().Field("bytes", difference.bytes);
  WriteList("added", difference.added, &writer, json);
  WriteList("removed", difference.removed, &writer, json);
  json->EndObject();
  return OkStatus();
}

// --- shape heap

constexpr std::string_view kRuleStates[] = {"pending", "holds", "fails"};

void WriteSlot(const ShapeSlot& slot, JsonWriter* json) {
  json->BeginObject().Field("symbol", std::string_view(slot.symbol)).Field("value", slot.value);
  FieldOrNull("step", slot.step, json);
  FieldOrNull("pc", slot.pc, json);
  Numbers(slot.readers, "readers", json, [](uint32_t pc) { return pc; });
  json->EndObject();
}

void WriteShapes(const Debugger& debugger, size_t frame, JsonWriter* json) {
  ShapeView view;
  if (debugger.depth() > 0) view = ViewShapeHeap(debugger, frame);
  json->BeginObject();
  FieldOrNull("register", view.reg, json);
  json->Key("slots").BeginArray();
  for (const ShapeSlot& slot : view.slots) WriteSlot(slot, json);
  json->EndArray().Key("rules").BeginArray();
  for (const ShapeRule& rule : view.rules) {
    json->BeginObject().Field("pc", rule.pc).Field("code", rule.code);
    FieldOrNull("slot", rule.slot, json);
    json->Field("state", kRuleStates[static_cast<size_t>(rule.state)]);
    json->Field("sentence", std::string_view(rule.sentence)).EndObject();
  }
  json->EndArray().EndObject();
}

// --- which

struct Request {
  std::string_view view;
  std::string_view argument;  // "live"
  std::optional<uint64_t> numbers[2];
};

Request ParseRequest(std::string_view what) {
  Request request;
  size_t count = 0;
  for (std::string_view word : StrSplit(what, ' ')) {
    if (count == 0) request.view = word;
    if (count == 1) request.argument = word;
    if (count == 1 || count == 2) request.numbers[count - 1] = ParseUint64(word);
    ++count;
  }
  return request;
}

Status NeedsNumber(std::string_view view) {
  return InvalidArgument("'", view, "' needs a number behind it").SetErrorCode("E0304");
}

// A frame of the state that is looked at; 0 also where it has none.
Status CheckFrame(const Debugger& debugger, uint64_t frame) {
  if (frame < std::max<size_t>(1, debugger.depth())) return OkStatus();
  return OutOfRange("there is no frame ", frame, ": there are ", debugger.depth(),
                    ", and 0 is the innermost")
      .SetErrorCode("E0304");
}

}  // namespace

Status WriteViewJson(const Debugger& debugger, std::string_view what, JsonWriter* json) {
  const Request request = ParseRequest(what);
  const std::string_view view = request.view;
  if (view == "encoding") {
    WriteEncoding(debugger.executable(), json);
    return OkStatus();
  }
  if (!debugger.begun()) return InvalidArgument("no run was begun").SetErrorCode("E0304");
  if (view == "hits") {
    WriteHits(debugger, json);
    return OkStatus();
  }
  if (view == "objects") {
    const uint64_t parts = std::min(request.numbers[1].value_or(0), kMostParts);
    return WriteObjects(debugger, request.argument, static_cast<uint32_t>(parts), json);
  }
  const bool is_frame = view == "lifetimes" || view == "shapes";
  if (!is_frame && view != "timeline" && view != "heapdiff") {
    return InvalidArgument("a debugger has no '", view,
                           "': there are stop, state, breakpoints, heap, trace, timeline, hits, "
                           "lifetimes, objects, heapdiff, shapes and encoding")
        .SetErrorCode("E0304");
  }
  if (!request.numbers[0].has_value()) return NeedsNumber(view);
  const uint64_t number = *request.numbers[0];
  if (view == "heapdiff") {
    if (!request.numbers[1].has_value()) return NeedsNumber(view);
    return WriteHeapDifference(debugger, number, *request.numbers[1], json);
  }
  if (is_frame) TERN_TRY(CheckFrame(debugger, number));
  if (view == "timeline")
    WriteTimeline(debugger, static_cast<uint32_t>(std::min<uint64_t>(number, kMaxTimelineBuckets)),
                  json);
  else if (view == "lifetimes")
    WriteLifetimes(debugger, static_cast<size_t>(number), json);
  else
    WriteShapes(debugger, static_cast<size_t>(number), json);
  return OkStatus();
}

}  // namespace tern::vm
