// SPDX-License-Identifier: Apache-2.0
// Turns statuses into text or JSON on standard error and into exit codes. Errors of the library
// arrive rendered, with places in the source that only the library knows, so they are passed on as
// they are; errors of the command line are rendered here in the same form.
#include "native/cli/report.h"

#include <stdio.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "core/base/json.h"
#include "core/base/platform.h"
#include "core/base/strings.h"
#include "core/text/diagnostics.h"
#include "native/cli/api_json.h"
#include "native/cli/command.h"
#include "native/cli/handles.h"
#include "native/cli/style.h"

namespace tern::cli {
namespace {

// The address of this constant identifies the kind of payload; there is no run-time type
// information.
const char kRenderedKind = 0;

// What the library rendered, carried along as the payload of a Status so that nothing is lost on
// the way out.
class Rendered : public StatusPayload {
 public:
  Rendered(std::string text, std::string json) : text_(std::move(text)), json_(std::move(json)) {}
  const void* kind() const override { return &kRenderedKind; }
  std::unique_ptr<StatusPayload> Clone() const override {
    return std::make_unique<Rendered>(text_, json_);
  }
  void WriteJson(JsonWriter* json) const override { json->Raw(json_); }
  const std::string& text() const { return text_; }
  const std::string& json() const { return json_; }

 private:
  std::string text_;
  std::string json_;
};

const Rendered* RenderedOf(const Status& status) {
  const StatusPayload* payload = status.payload();
  return payload != nullptr && payload->kind() == &kRenderedKind
             ? static_cast<const Rendered*>(payload)
             : nullptr;
}

std::string_view CodeOf(const Status& status) {
  return status.error_code().empty() ? std::string_view("E0000") : status.error_code();
}

std::string NotesText(const Status& status) {
  std::string text;
  for (const std::string& note : status.notes()) StrAppend(&text, "   = ", note, "\n");
  return text;
}

std::string OwnText(const Status& status) {
  if (text::DiagnosticsOf(status) != nullptr) return text::RenderText(status);
  return StrCat("error[", CodeOf(status), "]: ", status.message(), "\n", NotesText(status));
}

// The diagnostics of an error of the command line. The library keeps help apart from notes, so
// notes that begin with "help: " become help.
text::Diagnostics ToFindings(const Status& status) {
  if (const text::Diagnostics* carried = text::DiagnosticsOf(status)) return *carried;
  text::Diagnostics findings;
  text::Diagnostic& finding = findings.Error(CodeOf(status), status.message());
  for (const std::string_view note : status.notes()) {
    constexpr std::string_view kHelp = "help: ";
    if (note.starts_with(kHelp))
      finding.Help(note.substr(kHelp.size()));
    else
      finding.Note(note);
  }
  return findings;
}

// JSON of an error of our own, in the form of tern_status_json.
std::string OwnJson(const Status& status) {
  JsonWriter json;
  json.BeginObject()
      .Field("code", CodeOf(status))
      .Field("kind", StatusCodeName(status.code()))
      .Field("message", status.message())
      .Key("diagnostics");
  text::WriteJson(ToFindings(status), &json);
  json.EndObject();
  return json.Take();
}

// A word as a shell reads it back.
std::string Quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(word);
  std::string quoted = "'";
  for (const char c : word) StrAppend(&quoted, c == '\'' ? "'\\''" : std::string(1, c));
  return quoted + "'";
}

// What the hook of failed checks needs, which takes no context.
struct Invocation {
  std::string command = "tern";
  const GlobalOptions* globals = nullptr;
};
Invocation& ThisInvocation() {
  static Invocation invocation;
  return invocation;
}

// What makes a report of a bug useful.
Status WithCommand(Status bug) {
  bug.AddNote(StrCat("command: ", ThisInvocation().command));
  bug.AddNote(StrCat("version: tern ", VersionText()));
  return std::move(bug.AddNote("help: please report this with the command and its input files"));
}

void ReportFailedCheck(const char* file, int line, const char* message) {
  Status bug = Status(StatusCode::kInternal, StrCat("internal error: ", message));
  bug.SetErrorCode("E0901");
  const GlobalOptions& globals = *ThisInvocation().globals;
  if (globals.verbose) bug.AddNote(StrCat("place: ", file, ":", line));
  fflush(stdout);
  // Destructors could fail as the check did.
  _exit(Report(bug, globals));
}

// What the text of a diagnostic leaves out: "and 12 more (use -v)". The JSON has all of it.
std::string LeftOut(std::string_view text, std::string_view json) {
  constexpr size_t kShown = 8;  // core/text/render.cc
  std::string out;
  if (text.find("more (use -v)") == std::string_view::npos) return out;
  const JsonValue status = ParseAnswer(json);
  for (const JsonValue& finding : Member(status, "diagnostics").items) {
    const JsonValue &notes = Member(finding, "notes"), &labels = Member(finding, "labels");
    for (size_t i = kShown; i < notes.items.size(); ++i)
      StrAppend(&out, "   = note: ", notes.items[i].text, "\n");
    for (size_t i = kShown; i < labels.items.size(); ++i) {
      const JsonValue& span = Member(labels.items[i], "span");
      StrAppend(&out, "   = line ", OptionalTextOf(span, "line"), ": ",
                TextOf(labels.items[i], "text"), "\n");
    }
  }
  return out;
}

}  // namespace

// Copies what it needs; the handle frees the status of the library.
Status FromApi(tern_status* raw) {
  const ApiStatus handle(raw);
  if (handle == nullptr) return Status();
  Status status(static_cast<StatusCode>(tern_status_kind(raw)), tern_status_message(raw));
  status.SetErrorCode(tern_status_code(raw));
  status.SetPayload(std::make_unique<Rendered>(tern_status_text(raw), tern_status_json(raw)));
  return status;
}

Status UsageError(std::string_view code, std::string_view message) {
  return InvalidArgument(message).SetErrorCode(code);
}

// The order matters: a bug and a failure of a file count as such whatever their code.
// docs/errors.md promises the numbers.
int ExitCodeOf(const Status& status) {
  if (status.ok()) return kExitOk;
  if (status.code() == StatusCode::kInternal) return kExitInternal;
  if (status.code() == StatusCode::kIo) return kExitIo;
  const std::string_view code = status.error_code();
  if (code.starts_with("E00")) return kExitUsage;
  // A function or input that does not exist, or an input left out: only the command line names
  // these, so it is what is wrong.
  if (code == "E0201" || code == "E0202" || code == "E0206") return kExitUsage;
  if (code == "E0101" || code == "E0102" || code == "E0502") return kExitIo;
  if (code.starts_with("M")) return kExitMismatch;
  if (code.starts_with("S") || code == "E0302" || code == "E0303") return kExitBudget;
  return kExitFailed;
}

void ReportBugs(const std::vector<std::string>& words, const GlobalOptions* globals) {
  Invocation& invocation = ThisInvocation();
  invocation = {"tern", globals};
  for (const std::string& word : words) StrAppend(&invocation.command, " ", Quoted(word));
  tern_set_abort_hook(&ReportFailedCheck);
}

int Report(const Status& reported, const GlobalOptions& globals) {
  if (reported.ok()) return kExitOk;
  const bool bug = reported.code() == StatusCode::kInternal;
  const Status status = bug ? WithCommand(reported.Clone()) : reported.Clone();
  const Rendered* rendered = RenderedOf(status);
  std::string text;
  if (globals.json()) {
    text = AnswerOf(rendered != nullptr ? rendered->json() : OwnJson(status));
  } else {
    text = rendered != nullptr ? rendered->text() : OwnText(status);
    if (!text.ends_with('\n')) text += '\n';
    if (bug && rendered != nullptr) text += NotesText(status);
    if (globals.verbose && rendered != nullptr) text += LeftOut(text, rendered->json());
    text = WithoutControls(text);
    if (UsesColor(globals.color, STDERR_FILENO)) text = PaintDiagnostics(text);
  }
  // Standard error is not checked: there is nowhere left to report to.
  fwrite(text.data(), 1, text.size(), stderr);
  return ExitCodeOf(status);
}

}  // namespace tern::cli
