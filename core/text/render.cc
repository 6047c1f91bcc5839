// SPDX-License-Identifier: Apache-2.0
// Diagnostics laid out for people:
//
//   error[E0203]: shape mismatch for parameter `x` of @main
//     --> mlp.tasm:4:12
//      |
//    4 | .func @main(x: f32[n, 128], w: f32[128, 10]) -> f32[n, 10]
//      |            ^^^^^^^^^^^^^^^ declared here as f32[n, 128]
//      |
//      = got:      f32[18, 64]
//      = explain:  tern explain E0203
//
// Without source text the bars are left out.
#include <algorithm>

#include "core/base/strings.h"
#include "core/base/utf8.h"
#include "core/text/codes.h"
#include "core/text/diagnostics.h"

namespace tern::text {
namespace {

constexpr size_t kMaxRelated = 8;  // labels and notes; more are counted

constexpr std::string_view kBold = "\x1b[1m", kRed = "\x1b[1;31m", kYellow = "\x1b[1;33m";
constexpr std::string_view kBlue = "\x1b[1;34m", kReset = "\x1b[0m";

struct Row {
  std::string key;  // may be empty
  std::string text;
};

class Renderer {
 public:
  Renderer(const SourceMap& sources, const RenderOptions& options)
      : sources_(sources), options_(options) {}

  void Render(const Diagnostic& d) {
    Heading(d);
    const bool source = d.span.valid() && !sources_.text(d.span.file).empty();
    gutter_ = source ? GutterWidth(d) : 3;
    Place(d);
    if (source) Snippets(d);
    const std::vector<Row> rows = Rows(d);
    if (source && !rows.empty()) StrAppend(&out_, Gutter(), Paint(kBlue, "|"), "\n");
    WriteRows(rows);
  }

  std::string Take() { return std::move(out_); }

 private:
  std::string Paint(std::string_view color, std::string_view text) const {
    return options_.color ? StrCat(color, text, kReset) : std::string(text);
  }

  void Heading(const Diagnostic& d) {
    const bool mild = d.severity == Severity::kWarning || d.severity == Severity::kStopped;
    const std::string_view color = d.severity == Severity::kNote ? kBlue : mild ? kYellow : kRed;
    std::string head(SeverityName(d.severity));
    if (!d.code.empty()) StrAppend(&head, "[", d.code, "]");
    StrAppend(&out_, Paint(color, head), Paint(kBold, StrCat(": ", d.message)), "\n");
  }

  // Wide enough for the largest line number, which stands with a space on either side.
  size_t GutterWidth(const Diagnostic& d) const {
    int32_t last = sources_.Begin(d.span).line;
    for (const Label& label : d.labels) last = std::max(last, sources_.Begin(label.span).line);
    return std::max<size_t>(StrCat(last).size() + 2, 3);
  }
  std::string Gutter() const { return std::string(gutter_, ' '); }

  void Place(const Diagnostic& d) {
    std::string place = sources_.Describe(d.span);
    if (place.empty()) place = d.file;
    if (!d.node.empty()) StrAppend(&place, place.empty() ? "" : ", ", "node `", d.node, "`");
    if (!d.function.empty()) {
      StrAppend(&place, place.empty() ? "@" : ", @", d.function);
      if (d.pc >= 0) StrAppend(&place, " at pc ", d.pc);
    }
    if (!place.empty())
      StrAppend(&out_, std::string(gutter_ - 1, ' '), Paint(kBlue, "-->"), " ", place, "\n");
  }

  void Snippets(const Diagnostic& d) {
    StrAppend(&out_, Gutter(), Paint(kBlue, "|"), "\n");
    std::vector<Label> left(d.labels.begin(),
                            d.labels.begin() + static_cast<ptrdiff_t>(
                                                   std::min(d.labels.size(), kMaxRelated)));
    SourceLine(d.span);
    Underline(d.span, d.label, '^');
    UnderlineAll(LineOf(d.span), &left);
    while (!left.empty()) {
      const Span span = left.front().span;
      if (span.file != d.span.file) {
        StrAppend(&out_, Gutter(), Paint(kBlue, "::: "), sources_.Describe(span), "\n");
      }
      SourceLine(span);
      UnderlineAll(LineOf(span), &left);
    }
  }

  std::pair<int32_t, int32_t> LineOf(const Span& span) const {
    return {span.file, sources_.Begin(span).line};
  }

  // Those of the labels that stand on this line, which is written once for all of them.
  void UnderlineAll(std::pair<int32_t, int32_t> line, std::vector<Label>* left) {
    for (const Label& label : *left) {
      if (LineOf(label.span) == line) Underline(label.span, label.text, '-');
    }
    std::erase_if(*left, [&](const Label& label) { return LineOf(label.span) == line; });
  }

  void SourceLine(const Span& span) {
    const int32_t line = sources_.Begin(span).line;
    const std::string number = StrCat(line);
    StrAppend(&out_, std::string(gutter_ - 1 - number.size(), ' '),
              Paint(kBlue, StrCat(number, " |")), " ", Printable(sources_.Line(span.file, line)),
              "\n");
  }

  // Ends with the line where the span goes on.
  void Underline(const Span& span, std::string_view label, char mark) {
    const Position begin = sources_.Begin(span), end = sources_.End(span);
    const std::string_view line = sources_.Line(span.file, begin.line);
    const int32_t line_end = static_cast<int32_t>(Utf8Length(line)) + 1;
    const int32_t stop = end.line == begin.line ? end.column : line_end;
    const int32_t length = std::max(stop - begin.column, 1);
    std::string under(static_cast<size_t>(begin.column) - 1, ' ');
    const std::string marks(static_cast<size_t>(length), mark);
    StrAppend(&out_, Gutter(), Paint(kBlue, "|"), " ", under,
              Paint(mark == '^' ? kRed : kBlue, marks), label.empty() ? "" : " ", label, "\n");
  }

  // One column per code point: tabs and control characters become spaces, so underlines stay in
  // place.
  static std::string Printable(std::string_view line) {
    std::string out;
    for (size_t offset = 0; offset < line.size();) {
      const char32_t c = DecodeUtf8(line, &offset);
      if (c < 0x20 || c == 0x7F)
        out += ' ';
      else
        AppendUtf8(&out, c == kInvalidCodePoint ? 0xFFFD : c);
    }
    return out;
  }

  std::vector<Row> Rows(const Diagnostic& d) const {
    std::vector<Row> rows;
    for (const auto& [key, value] : d.context) rows.push_back({key, value});
    const size_t notes = std::min(d.notes.size(), kMaxRelated);
    for (size_t i = 0; i < notes; ++i) rows.push_back({"note", d.notes[i]});
    const size_t hidden = d.notes.size() - notes +
                          (d.labels.size() > kMaxRelated ? d.labels.size() - kMaxRelated : 0);
    if (hidden > 0) rows.push_back({"", StrCat("and ", hidden, " more (use -v)")});
    for (const std::string& help : d.help) rows.push_back({"help", help});
    for (const Fix& fix : d.fixes) rows.push_back({"help", fix.title});
    if (d.span.valid() && IsCode(d.code)) {
      rows.push_back({"explain", StrCat("tern explain ", d.code)});
    }
    return rows;
  }

  // Texts begin in one column: a space after keys of one width, two after the longest of several.
  void WriteRows(std::span<const Row> rows) {
    size_t longest = 0, shortest = SIZE_MAX;
    for (const Row& row : rows) {
      if (row.key.empty()) continue;
      longest = std::max(longest, row.key.size());
      shortest = std::min(shortest, row.key.size());
    }
    const size_t width = longest + 1 + (shortest == longest ? 1 : 2);
    for (const Row& row : rows) {
      StrAppend(&out_, Gutter(), Paint(kBlue, "="), " ");
      if (!row.key.empty()) {
        StrAppend(&out_, Paint(kBold, StrCat(row.key, ":")),
                  std::string(width - row.key.size() - 1, ' '));
      }
      StrAppend(&out_, row.text, "\n");
    }
  }

  const SourceMap& sources_;
  const RenderOptions& options_;
  size_t gutter_ = 3;
  std::string out_;
};

}  // namespace

std::string RenderText(const Diagnostic& diagnostic, const SourceMap& sources,
                       const RenderOptions& options) {
  Renderer renderer(sources, options);
  renderer.Render(diagnostic);
  return renderer.Take();
}

std::string RenderText(const Diagnostics& diagnostics, const RenderOptions& options) {
  std::string out;
  const size_t printed = std::min(diagnostics.items().size(), options.max_printed);
  for (const Diagnostic& d : diagnostics.items().first(printed)) {
    out += RenderText(d, diagnostics.sources(), options);
  }
  if (diagnostics.total() > printed) {
    const size_t more = diagnostics.total() - printed;
    StrAppend(&out, "and ", more, " more ", more == 1 ? "diagnostic" : "diagnostics", " (",
              diagnostics.error_count(), diagnostics.error_count() == 1 ? " error, " : " errors, ",
              diagnostics.warning_count(),
              diagnostics.warning_count() == 1 ? " warning" : " warnings", " in all)\n");
  }
  return out;
}

std::string RenderText(const Status& status, const RenderOptions& options) {
  const Diagnostics* carried = DiagnosticsOf(status);
  if (carried == nullptr) return RenderText(ToDiagnostics(status), options);
  // Notes that were added on the way up belong to the whole.
  std::string out = RenderText(*carried, options);
  for (const std::string& note : status.notes()) {
    if (!note.starts_with("and ")) StrAppend(&out, "note: ", note, "\n");
  }
  return out;
}

}  // namespace tern::text
