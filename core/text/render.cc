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
// Without source text the bars are left out. Of a line of more than kMostColumns only what is
// around the span is shown, between ellipses: texts that tools make may be one line of megabytes.
#include <algorithm>

#include "core/base/strings.h"
#include "core/base/utf8.h"
#include "core/text/codes.h"
#include "core/text/diagnostics.h"

namespace tern::text {
namespace {

constexpr size_t kMaxRelated = 8;  // labels and notes; more are counted

constexpr size_t kMostColumns = 160;
constexpr size_t kFewestAhead = 16;  // columns ahead of a span that is longer than what is shown
constexpr std::string_view kEllipsis = "…";

// Of East Asian letters and pictures a terminal's column has room for half of one, as Unicode's
// EastAsianWidth says; marks that stand on the letter before them need none.
constexpr struct {
  char32_t first, last;
} kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
             {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
             {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};

size_t WidthOf(char32_t c) {
  if (c < 0x300) return 1;
  if (c < 0x370 || (c >= 0x200B && c < 0x2010) || (c >= 0xFE00 && c < 0xFE10)) return 0;
  for (const auto& range : kWide) {
    if (c >= range.first && c <= range.last) return 2;
  }
  return 1;
}

// Moves *offset behind what has room in so many columns, and returns how many it takes.
size_t Advance(std::string_view line, size_t columns, size_t* offset) {
  size_t taken = 0;
  while (*offset < line.size()) {
    size_t next = *offset;
    const size_t width = WidthOf(DecodeUtf8(line, &next));
    if (taken + width > columns) break;
    taken += width;
    *offset = next;
  }
  return taken;
}

size_t WidthOf(std::string_view text) {
  size_t offset = 0;
  return Advance(text, SIZE_MAX, &offset);
}

// The same toward the front; what is no UTF-8 counts a column for each byte, or fewer.
size_t Retreat(std::string_view line, size_t columns, size_t* offset) {
  size_t taken = 0;
  while (*offset > 0) {
    size_t before = *offset - 1;
    while (before > 0 && *offset - before < 4 && (line[before] & 0xC0) == 0x80) --before;
    size_t end = before;
    const size_t width = WidthOf(DecodeUtf8(line, &end));
    if (taken + width > columns) break;
    taken += width;
    *offset = before;
  }
  return taken;
}

// The bytes of a line that are shown of it.
struct Window {
  int32_t file, line;
  std::string_view text;  // the whole line
  size_t begin, end;
};

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
    std::vector<Label> left(
        d.labels.begin(),
        d.labels.begin() + static_cast<ptrdiff_t>(std::min(d.labels.size(), kMaxRelated)));
    Window window = SourceLine(d.span);
    Underline(d.span, window, d.label, '^');
    UnderlineAll(window, &left);
    while (!left.empty()) {
      const Span span = left.front().span;
      if (span.file != d.span.file) {
        StrAppend(&out_, Gutter(), Paint(kBlue, "::: "), sources_.Describe(span), "\n");
      }
      window = SourceLine(span);
      UnderlineAll(window, &left);
    }
  }

  // Those of the labels that stand in what is shown of the line, which is written once for all of
  // them.
  void UnderlineAll(const Window& window, std::vector<Label>* left) {
    for (const Label& label : *left) {
      if (IsIn(window, label.span)) Underline(label.span, window, label.text, '-');
    }
    std::erase_if(*left, [&](const Label& label) { return IsIn(window, label.span); });
  }

  bool IsIn(const Window& window, const Span& span) const {
    if (span.file != window.file || sources_.Begin(span).line != window.line) return false;
    const size_t at = OffsetIn(window.text, span.file, span.begin);
    return at >= window.begin && at <= window.end;
  }

  // Of a place in the file within its line; the line's end for what is behind it.
  size_t OffsetIn(std::string_view line, int32_t file, uint32_t place) const {
    if (line.empty()) return 0;
    const auto start = static_cast<size_t>(line.data() - sources_.text(file).data());
    return std::min(place < start ? 0 : place - start, line.size());
  }

  // The span in the middle, where the line has so much on both sides.
  Window WindowOf(const Span& span) const {
    const int32_t number = sources_.Begin(span).line;
    const std::string_view line = sources_.Line(span.file, number);
    size_t fits = 0;
    Advance(line, kMostColumns, &fits);
    if (fits == line.size()) return {span.file, number, line, 0, fits};
    constexpr size_t kRoom = kMostColumns - 2;  // beside two ellipses
    const size_t at = OffsetIn(line, span.file, span.begin);
    size_t begin = at, end = at;
    const std::string_view marked = line.substr(0, OffsetIn(line, span.file, span.end));
    const size_t shown = at < marked.size() ? Advance(marked, kRoom - kFewestAhead, &end) : 0;
    const size_t ahead = Retreat(line, (kRoom - shown) / 2, &begin);
    const size_t behind = Advance(line, kRoom - shown - ahead, &end);
    Retreat(line, kRoom - shown - ahead - behind, &begin);
    return {span.file, number, line, begin, end};
  }

  Window SourceLine(const Span& span) {
    const Window window = WindowOf(span);
    const std::string number = StrCat(window.line);
    StrAppend(&out_, std::string(gutter_ - 1 - number.size(), ' '),
              Paint(kBlue, StrCat(number, " |")), " ", window.begin > 0 ? kEllipsis : "",
              Printable(window.text.substr(window.begin, window.end - window.begin)),
              window.end < window.text.size() ? kEllipsis : "", "\n");
    return window;
  }

  // Ends with the line, or with what is shown of it, where the span goes on.
  void Underline(const Span& span, const Window& window, std::string_view label, char mark) {
    const size_t begin = OffsetIn(window.text, span.file, span.begin);
    const size_t end = std::min(OffsetIn(window.text, span.file, span.end), window.end);
    const std::string_view ahead = window.text.substr(window.begin, begin - window.begin);
    const std::string under(WidthOf(ahead) + (window.begin > 0 ? 1 : 0), ' ');
    const size_t length = begin < end ? WidthOf(window.text.substr(begin, end - begin)) : 0;
    const std::string marks(std::max<size_t>(length, 1), mark);
    StrAppend(&out_, Gutter(), Paint(kBlue, "|"), " ", under,
              Paint(mark == '^' ? kRed : kBlue, marks), label.empty() ? "" : " ", label, "\n");
  }

  // Tabs and control characters become spaces of one column, so underlines stay in place.
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
