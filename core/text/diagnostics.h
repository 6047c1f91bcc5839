// SPDX-License-Identifier: Apache-2.0
// Diagnostics: what is wrong with something a user wrote, as many at once as there are, each with a
// place.
//
// A Diagnostic is data; RenderText lays it out for people and WriteJson for programs, the same for
// the command line, the C API and the page. Codes and their long explanations are in codes.def. A
// Diagnostics sink turns into a Status that carries them all (ToStatus, DiagnosticsOf).
#ifndef TERN_CORE_TEXT_DIAGNOSTICS_H_
#define TERN_CORE_TEXT_DIAGNOSTICS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/text/source.h"

namespace tern {
class JsonWriter;
}

namespace tern::text {

enum class Severity : int32_t { kError, kWarning, kNote, kStopped, kMismatch };
std::string_view SeverityName(Severity severity);  // "error", "warning", …

struct Label {
  Span span;
  std::string text;
};

struct Edit {
  Span span;
  std::string replacement;
};
struct Fix {
  std::string title;
  std::vector<Edit> edits;
  bool is_incomplete = false;  // something is left to write: for editors, not to be applied unseen
};

struct Diagnostic {
  std::string code;  // "E0203"
  Severity severity = Severity::kError;
  std::string message;

  // Where: a span of source text, or a place in something else, or nowhere.
  Span span;
  std::string label;     // said beside the underlined span
  std::string file;      // a file that is not text ("net.onnx"), or whose text is not at hand
  std::string function;  // with pc: a place in bytecode
  int64_t pc = -1;
  std::string node;  // a node or value of a graph

  std::vector<Label> labels;                                 // other places that matter
  std::vector<std::pair<std::string, std::string>> context;  // rows such as {"got", "f32[18, 64]"}
  std::vector<std::string> notes;
  std::vector<std::string> help;
  std::vector<Fix> fixes;

  // For building in one expression.
  Diagnostic& At(Span where, std::string_view text = {}) &;
  Diagnostic& InFile(std::string_view name) &;
  Diagnostic& InFunction(std::string_view name, int64_t at_pc) &;
  Diagnostic& InNode(std::string_view name) &;
  Diagnostic& Mark(Span where, std::string_view text) &;
  Diagnostic& Context(std::string_view key, std::string_view value) &;
  Diagnostic& Note(std::string_view text) &;
  Diagnostic& Help(std::string_view text) &;
};

// A list of diagnostics; keeps the first kMaxKept of them and counts the rest.
class Diagnostics {
 public:
  static constexpr size_t kMaxKept = 200;
  static constexpr size_t kMaxPrinted = 20;

  // With no sources of its own to point into: spans are then not rendered.
  Diagnostics() : sources_(std::make_shared<SourceMap>()) {}
  explicit Diagnostics(std::shared_ptr<const SourceMap> sources) : sources_(std::move(sources)) {}

  // The reference is valid until the next call.
  Diagnostic& Add(Diagnostic diagnostic);
  Diagnostic& Error(std::string_view code, std::string_view message);
  Diagnostic& Warning(std::string_view code, std::string_view message);

  bool ok() const { return error_count_ == 0; }  // warnings do not count
  bool empty() const { return total() == 0; }
  size_t error_count() const { return error_count_; }
  size_t warning_count() const { return warning_count_; }
  size_t total() const { return items_.size() + dropped_; }
  std::span<const Diagnostic> items() const { return items_; }
  const SourceMap& sources() const { return *sources_; }
  const std::shared_ptr<const SourceMap>& shared_sources() const { return sources_; }
  void Append(const Diagnostics& other);  // of the same sources

  // Ok where there are no errors; else a Status with the first error's code and message, a note on
  // how many more there are, and all of them as payload.
  Status ToStatus(StatusCode code = StatusCode::kInvalidArgument) const;

 private:
  std::shared_ptr<const SourceMap> sources_;
  std::vector<Diagnostic> items_;
  size_t error_count_ = 0;
  size_t warning_count_ = 0;
  size_t dropped_ = 0;
  Diagnostic overflow_;  // what Add returns for diagnostics that are not kept
};

// The diagnostics that a Status carries, or null.
const Diagnostics* DiagnosticsOf(const Status& status);
// Any Status as diagnostics: those it carries, else one error made of its code, message and notes.
Diagnostics ToDiagnostics(const Status& status);

struct RenderOptions {
  bool color = false;
  size_t max_printed = Diagnostics::kMaxPrinted;
};
// The layout of the command line; ends with a newline. Empty for no diagnostics.
std::string RenderText(const Diagnostics& diagnostics, const RenderOptions& options = {});
std::string RenderText(const Diagnostic& diagnostic, const SourceMap& sources,
                       const RenderOptions& options = {});
std::string RenderText(const Status& status, const RenderOptions& options = {});

void WriteJson(const Diagnostic& diagnostic, const SourceMap& sources, JsonWriter* json);
void WriteJson(const Diagnostics& diagnostics, JsonWriter* json);  // an array

// One line of codes.def.
struct CodeInfo {
  std::string_view code;
  std::string_view title;
  std::string_view explanation;
};
std::span<const CodeInfo> AllCodes();
const CodeInfo* FindCode(std::string_view code);  // any case; null if unknown

}  // namespace tern::text

#endif  // TERN_CORE_TEXT_DIAGNOSTICS_H_
