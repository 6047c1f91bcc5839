// SPDX-License-Identifier: Apache-2.0
// Diagnostics as data: building, counting, travelling in a Status, JSON. The layout for people is
// in render.cc.
#include "core/text/diagnostics.h"

#include <algorithm>
#include <iterator>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/text/codes.h"

namespace tern::text {
namespace {

// In the order of the file, which is that of numbers.
constexpr CodeInfo kCodes[] = {
#define TERN_CODE(code, title, explanation) {code, title, explanation},
#include "core/text/codes.def"
#undef TERN_CODE
};

// Its address tells this payload from others; there is no run-time type information.
constexpr char kPayloadKind = 0;

// All diagnostics, so that a caller who knows of them loses nothing where a Status is all that a
// function returns.
class DiagnosticsPayload final : public StatusPayload {
 public:
  explicit DiagnosticsPayload(Diagnostics diagnostics) : diagnostics_(std::move(diagnostics)) {}

  const void* kind() const override { return &kPayloadKind; }
  std::unique_ptr<StatusPayload> Clone() const override {
    return std::make_unique<DiagnosticsPayload>(diagnostics_);
  }
  void WriteJson(JsonWriter* json) const override { text::WriteJson(diagnostics_, json); }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

void WriteSpan(const Span& span, const SourceMap& sources, JsonWriter* json) {
  // Lines and columns begin at 1, as editors count.
  const Position begin = sources.Begin(span), end = sources.End(span);
  json->BeginObject().Field("file", sources.name(span.file));
  json->Field("line", begin.line).Field("col", begin.column);
  json->Field("endLine", end.line).Field("endCol", end.column).EndObject();
}

void WriteTexts(std::string_view key, std::span<const std::string> texts, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const std::string& text : texts) json->String(text);
  json->EndArray();
}

// A place in a file where there is one, else one in bytecode: `span` has one of two forms.
void WritePlace(const Diagnostic& d, const SourceMap& sources, JsonWriter* json) {
  if (d.span.valid()) {
    json->Key("span");
    WriteSpan(d.span, sources, json);
  } else if (!d.function.empty()) {
    json->Key("span").BeginObject().Field("fn", d.function).Field("pc", d.pc).EndObject();
  }
  if (!d.label.empty()) json->Field("label", d.label);
  if (!d.file.empty()) json->Field("file", d.file);
  if (!d.node.empty()) json->Field("node", d.node);
}

void WriteFixes(std::span<const Fix> fixes, const SourceMap& sources, JsonWriter* json) {
  json->Key("fixes").BeginArray();
  for (const Fix& fix : fixes) {
    json->BeginObject().Field("title", fix.title).Key("edits").BeginArray();
    for (const Edit& edit : fix.edits) {
      json->BeginObject().Key("span");
      WriteSpan(edit.span, sources, json);
      json->Field("replacement", edit.replacement).EndObject();
    }
    json->EndArray();
    // Left out where it is false: most fixes are whole.
    if (fix.is_incomplete) json->Field("incomplete", true);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kNote: return "note";
    case Severity::kStopped: return "stopped";
    case Severity::kMismatch: return "mismatch";
  }
  return "error";
}

Diagnostic& Diagnostic::At(Span where, std::string_view text) & {
  span = where;
  label = text;
  return *this;
}
Diagnostic& Diagnostic::InFile(std::string_view name) & {
  file = name;
  return *this;
}
Diagnostic& Diagnostic::InFunction(std::string_view name, int64_t at_pc) & {
  function = name;
  pc = at_pc;
  return *this;
}
Diagnostic& Diagnostic::InNode(std::string_view name) & {
  node = name;
  return *this;
}
Diagnostic& Diagnostic::Mark(Span where, std::string_view text) & {
  labels.push_back({where, std::string(text)});
  return *this;
}
Diagnostic& Diagnostic::Context(std::string_view key, std::string_view value) & {
  context.emplace_back(key, value);
  return *this;
}
Diagnostic& Diagnostic::Note(std::string_view text) & {
  notes.emplace_back(text);
  return *this;
}
Diagnostic& Diagnostic::Help(std::string_view text) & {
  help.emplace_back(text);
  return *this;
}

Diagnostic& Diagnostics::Add(Diagnostic diagnostic) {
  switch (diagnostic.severity) {
    case Severity::kError:
    case Severity::kStopped:
    // Stops and mismatches end a command as errors do.
    case Severity::kMismatch: ++error_count_; break;
    case Severity::kWarning: ++warning_count_; break;
    case Severity::kNote: break;
  }
  // What is built with one that is not kept must write somewhere, since At and Note come later.
  if (items_.size() < kMaxKept) return items_.emplace_back(std::move(diagnostic));
  ++dropped_;
  overflow_ = std::move(diagnostic);
  return overflow_;
}

Diagnostic& Diagnostics::Error(std::string_view code, std::string_view message) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = message;
  return Add(std::move(diagnostic));
}

Diagnostic& Diagnostics::Warning(std::string_view code, std::string_view message) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.severity = Severity::kWarning;
  diagnostic.message = message;
  return Add(std::move(diagnostic));
}

void Diagnostics::Append(const Diagnostics& other) {
  // Counts first by Add and then as the other has them, which includes what it dropped.
  for (const Diagnostic& diagnostic : other.items_) Add(diagnostic);
  dropped_ += other.dropped_;
  error_count_ += other.error_count_;
  warning_count_ += other.warning_count_;
  for (const Diagnostic& diagnostic : other.items_) {
    // Add has counted these already.
    if (diagnostic.severity == Severity::kWarning)
      --warning_count_;
    else if (diagnostic.severity != Severity::kNote)
      --error_count_;
  }
}

// The first error is the message; a count of the others is a note for those who print only that.
Status Diagnostics::ToStatus(StatusCode code) const {
  if (ok()) return OkStatus();
  const auto first = std::find_if(items_.begin(), items_.end(), [](const Diagnostic& d) {
    return d.severity != Severity::kWarning && d.severity != Severity::kNote;
  });
  // Where more than kMaxKept warnings came before the first error, it was not kept.
  Status status(code,
                first != items_.end() ? std::string_view(first->message) : "too many diagnostics");
  if (first != items_.end()) status.SetErrorCode(first->code);
  if (error_count_ > 1) {
    const size_t more = error_count_ - 1;
    status.AddNote(StrCat("and ", more, more == 1 ? " more error" : " more errors"));
  }
  status.SetPayload(std::make_unique<DiagnosticsPayload>(*this));
  return status;
}

const Diagnostics* DiagnosticsOf(const Status& status) {
  const StatusPayload* payload = status.payload();
  if (payload == nullptr || payload->kind() != &kPayloadKind) return nullptr;
  return &static_cast<const DiagnosticsPayload*>(payload)->diagnostics();
}

// A status that carries none becomes one diagnostic without a place.
Diagnostics ToDiagnostics(const Status& status) {
  if (const Diagnostics* carried = DiagnosticsOf(status)) return *carried;
  Diagnostics diagnostics;
  if (status.ok()) return diagnostics;
  Diagnostic diagnostic;
  diagnostic.code = status.error_code();
  diagnostic.message = status.message();
  diagnostic.notes.assign(status.notes().begin(), status.notes().end());
  if (status.code() == StatusCode::kStopped) diagnostic.severity = Severity::kStopped;
  diagnostics.Add(std::move(diagnostic));
  return diagnostics;
}

void WriteJson(const Diagnostic& d, const SourceMap& sources, JsonWriter* json) {
  json->BeginObject().Field("code", d.code).Field("severity", SeverityName(d.severity));
  json->Field("message", d.message);
  WritePlace(d, sources, json);
  json->Key("labels").BeginArray();
  for (const Label& label : d.labels) {
    json->BeginObject().Key("span");
    WriteSpan(label.span, sources, json);
    json->Field("text", label.text).EndObject();
  }
  json->EndArray();
  WriteTexts("notes", d.notes, json);
  WriteTexts("help", d.help, json);
  WriteFixes(d.fixes, sources, json);
  json->Key("context").BeginObject();
  for (const auto& [key, value] : d.context) json->Field(key, value);
  json->EndObject().EndObject();
}

void WriteJson(const Diagnostics& diagnostics, JsonWriter* json) {
  json->BeginArray();
  for (const Diagnostic& d : diagnostics.items()) WriteJson(d, diagnostics.sources(), json);
  json->EndArray();
}

std::span<const CodeInfo> AllCodes() { return kCodes; }

const CodeInfo* FindCode(std::string_view code) {
  for (const CodeInfo& info : kCodes) {
    if (SameCode(info.code, code)) return &info;
  }
  return nullptr;
}

}  // namespace tern::text
