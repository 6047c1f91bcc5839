// SPDX-License-Identifier: Apache-2.0
// Profiles as a table for people, as JSON, and in the formats of two viewers: Chrome's trace events
// (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU) and
// speedscope's evented profiles (https://www.speedscope.app/file-format-schema.json).
#include <algorithm>

#include "core/base/columns.h"
#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/vm/debug/profiler.h"

namespace tern::vm {
namespace {

constexpr size_t kWidestShapes = 60;

// A row stays readable; what was cut can be found in the JSON.
std::string ShapesText(const OperatorProfile& row) {
  std::string text = row.shapes;
  if (text.size() > kWidestShapes) text = StrCat(text.substr(0, kWidestShapes), "…");
  return row.shapes_vary ? StrCat(text, " and others") : text;
}

void WriteWork(const Work& work, JsonWriter* json) {
  json->Field("operations", work.operations).Field("bytes", work.bytes);
  json->Field("allocated", work.allocated);
}

std::string WorkColumnsOf(const OperatorProfile& row) {
  const auto number = [](uint64_t amount) { return static_cast<double>(amount); };
  return WorkColumns({number(row.work.operations), number(row.work.bytes),
                      number(row.work.allocated), static_cast<double>(row.total_ns)});
}

}  // namespace

// Sized to the longest name, up to 48 columns.
std::string Profiler::Table() const {
  const std::vector<OperatorProfile> rows = Operators();
  int64_t sum = 0;
  size_t width = 8;
  for (const OperatorProfile& row : rows) {
    sum += row.total_ns;
    width = std::max(width, std::min<size_t>(row.name.size(), 48));
  }
  std::string text =
      StrCat(AlignLeft("operator", width),
             "      count   total ms    mean us      %", kWorkHeadings, "  arguments\n");
  // Sorted by time, the longest first (Operators).
  for (const OperatorProfile& row : rows) {
    const auto total = static_cast<double>(row.total_ns);
    const std::string line = StrCat(
        AlignLeft(row.name, width), AlignRight(StrCat(row.count), 11),
        AlignRight(FormatFixed(total / 1e6, 3), 11),
        AlignRight(FormatFixed(total / 1e3 / static_cast<double>(row.count), 3), 11),
        AlignRight(FormatFixed(sum == 0 ? 0.0 : 100 * total / static_cast<double>(sum), 1), 7),
        WorkColumnsOf(row), "  ", ShapesText(row));
    StrAppend(&text, StrTrim(line), "\n");  // the last cells may be empty
  }
  // The difference of the two is what frames and the hooks themselves took.
  StrAppend(&text, "in all ", FormatFixed(static_cast<double>(total_ns_) / 1e6, 3),
            " ms, of which ", FormatFixed(static_cast<double>(sum) / 1e6, 3),
            " ms in instructions\n");
  if (dropped_spans_ > 0)
    StrAppend(&text, dropped_spans_, " calls are not in the time line, which was full\n");
  return text;
}

std::string Profiler::Json() const {
  JsonWriter json;
  json.BeginObject().Field("totalNs", total_ns_).Key("operators").BeginArray();
  for (const OperatorProfile& row : Operators()) {
    json.BeginObject().Field("name", std::string_view(row.name)).Field("count", row.count);
    json.Field("totalNs", row.total_ns).Field("shapes", std::string_view(row.shapes));
    json.Field("shapesVary", row.shapes_vary);
    WriteWork(row.work, &json);
    json.EndObject();
  }
  json.EndArray().Key("instructions").BeginArray();
  for (uint32_t pc = 0; pc < instructions_.size(); ++pc) {
    if (instructions_[pc].count == 0) continue;
    json.BeginObject().Field("pc", pc).Field("count", instructions_[pc].count);
    json.Field("totalNs", instructions_[pc].total_ns);
    WriteWork(instructions_[pc].work, &json);
    json.EndObject();
  }
  json.EndArray().Field("droppedSpans", dropped_spans_).EndObject();
  return json.Take();
}

// Duration events: B opens and E closes the innermost span, on one thread; ts is in microseconds.
std::string Profiler::Chrome() const {
  JsonWriter json;
  json.BeginObject().Field("displayTimeUnit", "ns").Key("traceEvents").BeginArray();
  for (const Mark& mark : marks_) {
    const Name& name = names_[mark.name];
    json.BeginObject().Field("name", std::string_view(name.text));
    json.Field("cat", name.is_function ? "function" : "primitive");
    json.Field("ph", mark.opens ? "B" : "E");
    json.Field("ts", static_cast<double>(mark.at_ns) / 1e3);
    json.Field("pid", 1).Field("tid", 1).EndObject();
  }
  json.EndArray().EndObject();
  return json.Take();
}

std::string Profiler::Speedscope() const {
  JsonWriter json;
  json.BeginObject();
  json.Field("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.Field("exporter", "tern").Key("shared").BeginObject().Key("frames").BeginArray();
  for (const Name& name : names_) {
    json.BeginObject().Key("name").String(name.is_function ? StrCat("@", name.text) : name.text);
    json.EndObject();
  }
  // One profile of type "evented": O and C as B and E above, in nanoseconds.
  json.EndArray().EndObject().Key("profiles").BeginArray().BeginObject();
  json.Field("type", "evented").Field("name", "run").Field("unit", "nanoseconds");
  json.Field("startValue", 0).Field("endValue", marks_.empty() ? int64_t{0} : marks_.back().at_ns);
  json.Key("events").BeginArray();
  for (const Mark& mark : marks_) {
    json.BeginObject().Field("type", mark.opens ? "O" : "C").Field("frame", mark.name);
    json.Field("at", mark.at_ns).EndObject();
  }
  json.EndArray().EndObject().EndArray().EndObject();
  return json.Take();
}

Result<std::string> Profiler::Export(std::string_view format) const {
  if (format == "table") return Table();
  if (format == "json") return Json();
  if (format == "chrome") return Chrome();
  if (format == "speedscope") return Speedscope();
  return InvalidArgument("there is no profile format '", format,
                         "': there are table, json, chrome and speedscope");
}

}  // namespace tern::vm
