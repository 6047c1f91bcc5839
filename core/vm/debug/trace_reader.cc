// SPDX-License-Identifier: Apache-2.0
// Reading traces, which come from anywhere: counts are compared with the bytes that exist, tables
// are checked, then one replay checks every event and key frame against each other.
#include "core/vm/debug/trace_reader.h"

#include <algorithm>
#include <optional>

#include "core/base/json.h"
#include "core/base/sort.h"
#include "core/base/strings.h"

namespace tern::vm {
namespace {

constexpr std::string_view kMark = "TERNTRC1";
// What a replay may hold and take: a small file could otherwise describe frames of any size.
constexpr uint64_t kMaxTraceRegisters = 1u << 22;  // of all frames: what a machine has
constexpr uint64_t kMaxReplayed = 1u << 28;  // registers of frames that come, in a whole trace
constexpr size_t kShownItems = 8;            // of a value, in its text
constexpr size_t kShownSteps = 10;           // in a summary

Status Malformed(std::string_view what) {
  return Corrupt("not a readable trace: ", what).SetErrorCode("E0305");
}

// --- JSON

// Whole numbers of 32 bits; the file has no others.
Result<uint32_t> NumberOf(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.Find(name);
  const std::optional<int64_t> number = value != nullptr && value->is(JsonValue::Kind::kNumber)
                                            ? ParseInt64(value->text)
                                            : std::nullopt;
  if (!number.has_value() || *number < 0 || *number > UINT32_MAX)
    return Malformed(StrCat("'", name, "' of its JSON is no number"));
  return static_cast<uint32_t>(*number);
}

Result<const JsonValue*> ArrayOf(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.Find(name);
  if (value == nullptr || !value->is(JsonValue::Kind::kArray))
    return Malformed(StrCat("'", name, "' of its JSON is no array"));
  return value;
}

std::string TextOf(const JsonValue& value, int depth);

// A value's text is one line, so long lists are cut.
std::string ItemsText(const JsonValue& list, int depth) {
  std::string text;
  const size_t shown = std::min(list.items.size(), kShownItems);
  for (size_t i = 0; i < shown; ++i)
    StrAppend(&text, i == 0 ? "" : ", ", TextOf(list.items[i], depth + 1));
  if (shown < list.items.size()) text += ", …";
  return text;
}

std::string TensorText(const JsonValue& value) {
  const JsonValue* dtype = value.Find("dtype");
  const JsonValue* shape = value.Find("shape");
  const JsonValue* elements = value.Find("elements");
  std::string text = StrCat(dtype != nullptr ? dtype->text : "?", "[",
                            shape != nullptr ? ItemsText(*shape, 0) : "", "]");
  if (elements != nullptr) StrAppend(&text, " [", ItemsText(*elements, 0), "]");
  if (const JsonValue* place = value.Find("place")) StrAppend(&text, " on ", place->text);
  return text;
}

// One line for what WriteValueJson made of a value. Members that are missing or of another kind
// read as nothing: this is text for people.
std::string TextOf(const JsonValue& value, int depth) {
  // Recursion is bounded also for a file that nests deeper than the writer does.
  if (depth > 4) return "…";
  switch (value.kind) {
    case JsonValue::Kind::kNull: return "null";
    case JsonValue::Kind::kBool: return value.boolean ? "true" : "false";
    case JsonValue::Kind::kNumber: return value.text;
    case JsonValue::Kind::kString: return JsonQuote(value.text);
    case JsonValue::Kind::kArray: return StrCat("[", ItemsText(value, depth), "]");
    case JsonValue::Kind::kObject: break;
  }
  const JsonValue* kind = value.Find("kind");
  if (kind != nullptr && kind->text == "tensor") return TensorText(value);
  if (const JsonValue* inner = value.Find("value")) return TextOf(*inner, depth + 1);
  if (const JsonValue* text = value.Find("text")) return text->text;
  const std::string name = kind != nullptr ? kind->text : "value";
  const JsonValue* items = value.Find("items");
  return items != nullptr ? StrCat(name, "(", ItemsText(*items, depth), ")") : name;
}

// --- replaying

// Places of frames are not compared: key frames leave the innermost open.
bool SameState(const TraceState& a, const TraceState& b) {
  const auto same_frame = [](const TraceFrame& x, const TraceFrame& y) {
    return x.function == y.function && x.first == y.first;
  };
  return a.ids == b.ids &&
         std::equal(a.frames.begin(), a.frames.end(), b.frames.begin(), b.frames.end(), same_frame);
}

}  // namespace

// --- reading

bool SavedTrace::HasMark(ByteSpan bytes) {
  constexpr std::string_view kAnyVersion = kMark.substr(0, kMark.size() - 1);
  return AsText(bytes.first(std::min(bytes.size(), kAnyVersion.size()))) == kAnyVersion;
}

Result<SavedTrace> SavedTrace::Read(ByteSpan bytes) {
  ByteReader in(bytes, "trace");
  SavedTrace trace;
  TERN_TRY(trace.ReadNumbers(&in));
  TERN_TRY(trace.Replay());
  return trace;
}

Result<SavedTrace::Call> SavedTrace::ReadCallOf(ByteSpan bytes) {
  ByteReader in(bytes, "trace");
  SavedTrace trace;
  TERN_TRY_ASSIGN(const Counts counts, trace.ReadCounts(&in));
  in.Skip(static_cast<size_t>(counts.NumberBytes()));
  const Result<JsonValue> json = ParseJson(in.Text(static_cast<size_t>(counts.json)));
  if (!json.ok()) return Malformed(json.status().message());
  TERN_TRY(trace.ReadCall(*json));
  return std::move(trace.call_);
}

Result<SavedTrace::Counts> SavedTrace::ReadCounts(ByteReader* in) {
  if (in->remaining() < kMark.size() || in->Text(kMark.size()) != kMark)
    return Malformed("it does not begin with its mark, TERNTRC1");
  Counts counts;
  first_step_ = in->U64();
  counts.steps = in->U32();
  counts.events = in->U32();
  counts.keys = in->U32();
  counts.words = in->U32();
  end_pc_ = in->U32();
  counts.json = in->U32();
  // All counts have 32 bits, so the sum cannot overflow. It must be exact: no section is found by
  // searching.
  const uint64_t expected = counts.NumberBytes() + counts.json;
  if (!in->ok() || expected != in->remaining())
    return Malformed(StrCat("its counts want ", expected, " bytes, ", in->remaining(),
                            " are there: it was cut or changed"));
  return counts;
}

Status SavedTrace::ReadNumbers(ByteReader* in) {
  TERN_TRY_ASSIGN(const Counts counts, ReadCounts(in));
  const auto& [steps, events, words, json, keys] = counts;
  if (first_step_ > UINT64_MAX - steps) return Malformed("its steps have impossible numbers");
  pcs_.resize(static_cast<size_t>(steps));
  for (uint32_t& pc : pcs_) pc = in->U32();
  first_events_.resize(static_cast<size_t>(steps) + 1);
  for (uint32_t& first : first_events_) first = in->U32();
  // Ascending and with both ends right, so every step's events are a range of events_.
  if (first_events_.front() != 0 || first_events_.back() != events ||
      !std::is_sorted(first_events_.begin(), first_events_.end()))
    return Malformed("the events of its steps are out of order");
  events_.resize(static_cast<size_t>(events));
  for (TraceEvent& event : events_) event = {in->U32(), in->U32(), in->U32(), in->U32()};
  // Words of key frames are read behind the tables, as checking them needs functions and values.
  ByteReader key_words(in->Bytes(static_cast<size_t>(4 * words)), "key frames");
  TERN_TRY(ReadTables(in->Text(static_cast<size_t>(json))));
  return ReadKeys(&key_words, keys, static_cast<uint32_t>(words));
}

Status SavedTrace::ReadKeys(ByteReader* in, uint32_t keys, uint32_t words) {
  if (keys == 0 || keys > words) return Malformed("it has no key frame");
  for (uint32_t k = 0; k < keys; ++k) {
    Key key;
    key.step = in->U32();
    const uint64_t frames = in->U32();
    const uint64_t registers = in->U32();
    // Bounds what is allocated by what is there.
    if (!in->ok() || 12 * frames + 4 * registers > in->remaining())
      return Malformed("a key frame is cut");
    for (uint64_t i = 0; i < frames; ++i)
      key.state.frames.push_back({in->U32(), in->U32(), in->U32()});
    for (uint64_t i = 0; i < registers; ++i) key.state.ids.push_back(in->U32());
    TERN_TRY(CheckKey(key));
    keys_.push_back(std::move(key));
  }
  if (!in->AtEnd()) return Malformed("words are left over behind its key frames");
  if (keys_.front().step != 0) return Malformed("it does not begin with a key frame");
  return OkStatus();
}

// Also the steps of key frames ascend, so that StateAt can search.
Status SavedTrace::CheckKey(const Key& key) const {
  if (key.step > pcs_.size() || (!keys_.empty() && key.step <= keys_.back().step))
    return Malformed("its key frames are out of order");
  uint64_t next = 0;
  for (const TraceFrame& frame : key.state.frames) {
    if (frame.function >= functions_.size() || frame.first != next)
      // Frames tile the registers, each with as many as its function has.
      return Malformed("a frame of a key frame is out of range");
    next += functions_[frame.function].registers.size();
  }
  if (next != key.state.ids.size()) return Malformed("a key frame has another number of registers");
  for (const uint32_t value : key.state.ids) {
    if (value >= values_.size()) return Malformed("a value of a key frame is out of range");
  }
  return OkStatus();
}

Status SavedTrace::ReadTables(std::string_view text) {
  const Result<JsonValue> json = ParseJson(text);
  if (!json.ok()) return Malformed(json.status().message());
  TERN_TRY_ASSIGN(const JsonValue* const functions, ArrayOf(*json, "functions"));
  TERN_TRY_ASSIGN(const JsonValue* const values, ArrayOf(*json, "values"));
  TERN_TRY_ASSIGN(const JsonValue* const contents, ArrayOf(*json, "contents"));
  TERN_TRY(ReadFunctions(*functions));
  for (const JsonValue& value : values->items) values_.push_back(TextOf(value, 0));
  if (values_.empty()) return Malformed("it has no values, not even none");
  // The first value is none by definition; its text in the file does not matter.
  values_[0] = "none";
  TERN_TRY(ReadContents(*contents));
  TERN_TRY(ReadDigests(*json));
  // So that the latest write of a value is found by halving.
  Sort(&contents_, [](const Content& a, const Content& b) {
    return std::pair(a.value, a.step) < std::pair(b.value, b.step);
  });
  return ReadCall(*json);
}

// Files that were written before there were digests have none.
Status SavedTrace::ReadDigests(const JsonValue& json) {
  if (json.Find("digests") == nullptr) return OkStatus();
  TERN_TRY_ASSIGN(const JsonValue* const values, ArrayOf(json, "digests"));
  TERN_TRY_ASSIGN(const JsonValue* const contents, ArrayOf(json, "contentDigests"));
  if (values->items.size() != values_.size() || contents->items.size() != contents_.size())
    return Malformed("it has not one digest for each value");
  for (const JsonValue& digest : values->items) digests_.push_back(digest.text);
  for (size_t i = 0; i < contents_.size(); ++i) contents_[i].digest = contents->items[i].text;
  return OkStatus();
}

Status SavedTrace::ReadCall(const JsonValue& json) {
  const JsonValue* const call = json.Find("call");
  if (call == nullptr) return OkStatus();
  const JsonValue* const function = call->Find("function");
  const JsonValue* const arguments = call->Find("arguments");
  if (function == nullptr || arguments == nullptr || !function->is(JsonValue::Kind::kString) ||
      !arguments->is(JsonValue::Kind::kString))
    return Malformed("what it says of its call is malformed");
  call_ = {.function = function->text, .arguments = arguments->text};
  return OkStatus();
}

// Functions tile the instructions, as in an executable.
Status SavedTrace::ReadFunctions(const JsonValue& list) {
  uint64_t next = 0;
  for (const JsonValue& each : list.items) {
    Function function;
    const JsonValue* name = each.Find("name");
    if (name == nullptr || !name->is(JsonValue::Kind::kString))
      return Malformed("a function has no name");
    function.name = name->text;
    TERN_TRY_ASSIGN(function.first, NumberOf(each, "first"));
    TERN_TRY_ASSIGN(function.count, NumberOf(each, "count"));
    TERN_TRY_ASSIGN(const JsonValue* const registers, ArrayOf(each, "registers"));
    for (const JsonValue& reg : registers->items) function.registers.push_back(reg.text);
    if (function.first != next || function.count == 0)
      return Malformed("the instructions of its functions are out of order");
    next += function.count;
    functions_.push_back(std::move(function));
  }
  return next > UINT32_MAX ? Malformed("it has too many instructions") : OkStatus();
}

Status SavedTrace::ReadContents(const JsonValue& list) {
  for (const JsonValue& each : list.items) {
    Content content;
    const JsonValue* step = each.Find("step");
    const std::optional<int64_t> at = step != nullptr && step->is(JsonValue::Kind::kNumber)
                                          ? ParseInt64(step->text)
                                          : std::nullopt;
    TERN_TRY_ASSIGN(content.value, NumberOf(each, "value"));
    const JsonValue* now = each.Find("now");
    if (!at.has_value() || *at < 0 || content.value >= values_.size() || now == nullptr)
      return Malformed("what was written in place is malformed");
    content.step = static_cast<uint64_t>(*at);
    content.text = TextOf(*now, 0);
    contents_.push_back(std::move(content));
  }
  return OkStatus();
}

// Everything that ApplyEvent relies on.
Status SavedTrace::CheckEvent(const TraceEvent& event, const TraceState& state) const {
  const size_t depth = state.frames.size();
  switch (event.kind()) {
    case TraceEventKind::kWrite:
      if (event.frame() >= depth || event.target >= state.register_count(event.frame()))
        return Malformed("a write to a register that is not there");
      if (event.before >= values_.size() || event.after >= values_.size())
        return Malformed("a write of a value that is not there");
      return OkStatus();
    case TraceEventKind::kPush:
      if (event.target >= functions_.size() ||
          event.after != functions_[event.target].registers.size())
        return Malformed("a frame of a function that is not there");
      if (state.ids.size() + event.after > kMaxTraceRegisters)
        return Malformed("more registers than a machine has");
      return OkStatus();
    case TraceEventKind::kPop:
      return depth == 0 ? Malformed("a return where there is no frame") : OkStatus();
  }
  return Malformed("an event of unknown kind");
}

// Goes through every state once. Afterwards StateAt need not check anything.
Status SavedTrace::Replay() const {
  TraceState state = keys_.front().state;
  size_t next_key = 1;
  uint64_t replayed = state.ids.size();
  // Steps of one function may be at its instructions only: FunctionAt finds the name by them.
  for (size_t step = 0; step < pcs_.size(); ++step) {
    const Function* function = FunctionAt(pcs_[step]);
    if (state.frames.empty() || function == nullptr ||
        function != &functions_[state.frames.back().function])
      return Malformed(StrCat("step ", first_step_ + step, " is at no instruction of its frame"));
    for (size_t i = first_events_[step]; i < first_events_[step + 1]; ++i) {
      TERN_TRY(CheckEvent(events_[i], state));
      // A file can call a function with many registers in four words, so the work is bounded.
      if (events_[i].kind() == TraceEventKind::kPush) replayed += events_[i].after;
      if (replayed > kMaxReplayed) return Malformed("its calls have too many registers");
      ApplyEvent(events_[i], &state);
    }
    if (next_key == keys_.size() || keys_[next_key].step != step + 1) continue;
    // A key frame must be what the events give; otherwise states would depend on where one comes
    // from.
    if (!SameState(keys_[next_key].state, state))
      return Malformed(
          StrCat("its key frame of step ", first_step_ + step + 1, " is not what its events give"));
    ++next_key;
  }
  return OkStatus();
}

// --- looking

const SavedTrace::Function* SavedTrace::FunctionAt(uint32_t pc) const {
  const auto behind =
      std::upper_bound(functions_.begin(), functions_.end(), pc,
                       [](uint32_t at, const Function& function) { return at < function.first; });
  if (behind == functions_.begin()) return nullptr;
  const Function& function = *(behind - 1);
  return pc - function.first < function.count ? &function : nullptr;
}

std::string SavedTrace::PlaceText(uint32_t pc) const {
  const Function* function = FunctionAt(pc);
  if (function == nullptr) return StrCat("instruction ", pc);
  return StrCat("@", function->name, ":", pc - function->first);
}

Result<TraceState> SavedTrace::StateAt(uint64_t step) const {
  if (step < first_step_ || step > end_step())
    return OutOfRange("step ", step, " is not in the trace, which has ", first_step_, " to ",
                      end_step())
        .SetErrorCode("E0304");
  const uint64_t at = step - first_step_;
  // The last key frame at or before the step; there is one at step 0.
  const auto behind = std::upper_bound(keys_.begin(), keys_.end(), at,
                                       [](uint64_t s, const Key& key) { return s < key.step; });
  const Key& key = *(behind - 1);
  TraceState state = key.state;
  for (uint64_t s = key.step; s < at; ++s) {
    const auto index = static_cast<size_t>(s);
    // The caller's place, before its call is applied.
    state.frames.back().pc = pcs_[index];
    for (size_t i = first_events_[index]; i < first_events_[index + 1]; ++i)
      ApplyEvent(events_[i], &state);
  }
  if (!state.frames.empty())
    state.frames.back().pc = at < pcs_.size() ? pcs_[static_cast<size_t>(at)] : end_pc_;
  return state;
}

std::span<const TraceEvent> SavedTrace::events(uint64_t step) const {
  const auto index = static_cast<size_t>(step - first_step_);
  return std::span(events_).subspan(first_events_[index],
                                    first_events_[index + 1] - first_events_[index]);
}

// The latest write in place at or before the step, or null.
const SavedTrace::Content* SavedTrace::LatestContent(uint32_t value, uint64_t step) const {
  const auto behind =
      std::upper_bound(contents_.begin(), contents_.end(), std::pair(value, step),
                       [](const std::pair<uint32_t, uint64_t>& key, const Content& content) {
                         return key < std::pair(content.value, content.step);
                       });
  if (behind == contents_.begin() || (behind - 1)->value != value) return nullptr;
  return &*(behind - 1);
}

std::vector<SavedTrace::WriteInPlace> SavedTrace::WritesInPlace() const {
  std::vector<WriteInPlace> writes;
  for (const Content& content : contents_) writes.push_back({content.step, content.value});
  Sort(&writes, [](const WriteInPlace& a, const WriteInPlace& b) {
    return std::pair(a.step, a.value) < std::pair(b.step, b.value);
  });
  return writes;
}

std::string SavedTrace::ValueText(uint32_t value, uint64_t step) const {
  const Content* const latest = LatestContent(value, step);
  return latest != nullptr ? latest->text : values_[value];
}

std::string_view SavedTrace::ValueDigest(uint32_t value, uint64_t step) const {
  if (digests_.empty()) return {};
  const Content* const latest = LatestContent(value, step);
  return latest != nullptr ? latest->digest : digests_[value];
}

Result<std::string> SavedTrace::StateText(uint64_t step) const {
  TERN_TRY_ASSIGN(const TraceState state, StateAt(step));
  std::string text = StrCat("step ", step, " of ", end_step(), "\n");
  if (state.frames.empty()) return StrCat(text, "no frame: the run has returned\n");
  for (size_t i = state.frames.size(); i-- > 0;) {
    StrAppend(&text, i + 1 == state.frames.size() ? "> " : "  ", PlaceText(state.frames[i].pc),
              "\n");
    const std::vector<std::string>& names = functions_[state.frames[i].function].registers;
    const std::span<const ValueId> registers = state.registers(i);
    for (size_t reg = 0; reg < registers.size(); ++reg) {
      if (registers[reg] == kNoneValue) continue;
      StrAppend(&text, "    %", reg, names[reg].empty() ? "" : " ", names[reg], " = ",
                ValueText(registers[reg], step), "\n");
    }
  }
  return text;
}

// Steps outside are left out, so a caller may ask for more than there is.
std::string SavedTrace::ListText(uint64_t from, uint64_t to) const {
  std::string text;
  from = std::max(from, first_step_);
  to = std::min(to, end_step());
  for (uint64_t step = from; step < to; ++step) {
    StrAppend(&text, step, "  ", PlaceText(pc(step)));
    for (const TraceEvent& event : events(step)) {
      if (event.kind() == TraceEventKind::kPush)
        StrAppend(&text, "  into @", functions_[event.target].name);
      else if (event.kind() == TraceEventKind::kPop)
        text += "  out";
      else if (event.after != kNoneValue)
        StrAppend(&text, "  %", event.target, " = ", ValueText(event.after, step + 1));
    }
    text += "\n";
  }
  return text;
}

std::string SavedTrace::SummaryText() const {
  std::string text =
      StrCat("steps ", first_step_, " to ", end_step(), ", ", events_.size(), " events, ",
             keys_.size(), " key frames, ", values_.size(), " values\nfunctions:");
  for (const Function& function : functions_) StrAppend(&text, " @", function.name);
  const uint64_t shown = std::min<uint64_t>(kShownSteps, pcs_.size());
  return StrCat(text, "\nthe last ", shown, " steps:\n", ListText(end_step() - shown, end_step()));
}

}  // namespace tern::vm
