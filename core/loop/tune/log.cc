// SPDX-License-Identifier: Apache-2.0
#include "core/loop/tune/log.h"

#include <optional>

#include "core/base/json.h"
#include "core/base/json_reader.h"
#include "core/base/strings.h"

namespace tern::loop::tune {
namespace {

// Texts in the order of a line; costs are handled apart, because an error has none.
struct TextField {
  std::string_view name;
  std::string LogEntry::*member;
};
constexpr TextField kTexts[] = {{"function", &LogEntry::function},
                                {"target", &LogEntry::target},
                                {"program", &LogEntry::program},
                                {"choice", &LogEntry::choice},
                                {"schedule", &LogEntry::schedule}};

// Reads the members of one line. Members that it does not know are ignored.
class LineReader {
 public:
  explicit LineReader(const JsonValue& line) : line_(line) {}

  // What is wrong, or "".
  std::string Read(LogEntry* entry) {
    if (!line_.is(JsonValue::Kind::kObject))
      return StrCat("expected an object, got ", JsonKindName(line_.kind));
    for (const TextField& field : kTexts) entry->*field.member = Text(field.name);
    if (line_.Find("error") != nullptr) {
      entry->error = Text("error");
      if (problem_.empty() && entry->error.empty()) return "'error' is empty";
      return problem_;
    }
    entry->cost = Positive("cost");
    entry->default_cost = Positive("default");
    entry->unit = Text("unit");
    return problem_;
  }

 private:
  // Null where the member is missing or of another kind; the first problem is kept.
  const JsonValue* Member(std::string_view name, JsonValue::Kind kind) {
    const JsonValue* value = line_.Find(name);
    if (value != nullptr && value->is(kind)) return value;
    if (!problem_.empty()) return nullptr;
    problem_ = value == nullptr ? StrCat("'", name, "' is missing")
                                : StrCat("'", name, "' must be ", JsonKindName(kind), ", got ",
                                         JsonKindName(value->kind));
    return nullptr;
  }
  std::string Text(std::string_view name) {
    const JsonValue* value = Member(name, JsonValue::Kind::kString);
    return value == nullptr ? "" : value->text;
  }
  double Positive(std::string_view name) {
    const JsonValue* value = Member(name, JsonValue::Kind::kNumber);
    if (value == nullptr) return 0;
    const std::optional<double> number = ParseDouble(value->text);
    // Finite: 1e300 leaves room for quotients.
    if (number.has_value() && *number > 0 && *number < 1e300) return *number;
    if (problem_.empty())
      problem_ = StrCat("'", name, "' must be a number above 0, got ", value->text);
    return 0;
  }

  const JsonValue& line_;
  std::string problem_;
};

}  // namespace

// ReadLog gives the same entry back.
std::string ToLine(const LogEntry& entry) {
  JsonWriter json;
  json.BeginObject();
  for (const TextField& field : kTexts) json.Field(field.name, entry.*field.member);
  if (!entry.ok()) {
    json.Field("error", entry.error);
  } else {
    json.Field("cost", entry.cost).Field("default", entry.default_cost).Field("unit", entry.unit);
  }
  return json.EndObject().Take() + "\n";
}

std::vector<LogEntry> ReadLog(std::string_view file_name, std::string_view text,
                              text::SourceMap* sources, text::Diagnostics* diagnostics,
                              size_t* whole_bytes) {
  std::vector<LogEntry> entries;
  const int32_t file = sources->AddFile(file_name, text);
  size_t begin = 0;
  // Lines without a break at the end were cut off while they were written.
  for (size_t end; (end = text.find('\n', begin)) != std::string_view::npos; begin = end + 1) {
    const std::string_view line = StrTrim(text.substr(begin, end - begin));
    if (line.empty()) continue;
    const Result<JsonValue> json = ParseJson(line);
    LogEntry entry;
    const std::string problem =
        json.ok() ? LineReader(*json).Read(&entry) : std::string(json.status().message());
    if (problem.empty()) {
      entries.push_back(std::move(entry));
      continue;
    }
    // Other lines are kept: a log that was damaged in one place is still worth its measurements.
    const text::Span span{file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    diagnostics->Error(kBadLog, StrCat("this line of the log cannot be read: ", problem))
        .At(span)
        .Help("delete the line; what it says is then measured again");
  }
  if (whole_bytes != nullptr) *whole_bytes = begin;
  return entries;
}

}  // namespace tern::loop::tune
