// SPDX-License-Identifier: Apache-2.0
// A line of a diagnostic is told by how it begins; what is not known stays as it is.
#include "native/cli/style.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/strings.h"

namespace tern::cli {
namespace {

constexpr std::string_view kBold = "\x1b[1m", kRed = "\x1b[1;31m", kYellow = "\x1b[1;33m";
constexpr std::string_view kBlue = "\x1b[1;34m", kReset = "\x1b[0m";

std::string Paint(std::string_view color, std::string_view text) {
  return text.empty() ? std::string() : StrCat(color, text, kReset);
}

// "error[E0203]: what is wrong"; empty for other lines.
std::string Heading(std::string_view line) {
  struct Row {
    std::string_view name, color;
  };
  constexpr Row kRows[] = {{"error", kRed},
                           {"mismatch", kRed},
                           {"warning", kYellow},
                           {"stopped", kYellow},
                           {"note", kBlue}};
  for (const Row& row : kRows) {
    if (!line.starts_with(row.name)) continue;
    const size_t colon = line.find(": ");
    const char next = line.size() > row.name.size() ? line[row.name.size()] : ' ';
    if (colon == std::string_view::npos || (next != '[' && next != ':')) continue;
    return Paint(row.color, line.substr(0, colon)) + Paint(kBold, line.substr(colon));
  }
  return {};
}

// What stands under a line of source: "   ^^^^ declared here".
std::string Marks(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos || (text[begin] != '^' && text[begin] != '-'))
    return std::string(text);
  const size_t end = std::min(text.find_first_not_of(text[begin], begin), text.size());
  return StrCat(text.substr(0, begin),
                Paint(text[begin] == '^' ? kRed : kBlue, text.substr(begin, end - begin)),
                text.substr(end));
}

// "   = help: what to do"
std::string Remark(std::string_view line, size_t equals) {
  const std::string_view text = line.substr(equals + 1);
  const size_t colon = text.find(':');
  const bool has_key = colon != std::string_view::npos && colon > 1 && text.find(' ', 1) > colon;
  return StrCat(line.substr(0, equals), Paint(kBlue, "="),
                has_key ? StrCat(" ", Paint(kBold, text.substr(1, colon)), text.substr(colon + 1))
                        : std::string(text));
}

std::string PaintLine(std::string_view line) {
  if (std::string heading = Heading(line); !heading.empty()) return heading;
  const size_t begin = line.find_first_not_of(" 0123456789");
  if (begin == std::string_view::npos || begin == 0) return std::string(line);
  const std::string_view rest = line.substr(begin);
  if (rest.starts_with("-->") || rest.starts_with(":::"))
    return StrCat(line.substr(0, begin), Paint(kBlue, rest.substr(0, 3)), rest.substr(3));
  if (rest.starts_with("= ")) return Remark(line, begin);
  if (!rest.starts_with("|")) return std::string(line);
  // A number before the bar: the line of a source, whose text is not ours to paint.
  const bool is_source = line.substr(0, begin).find_first_not_of(' ') != std::string_view::npos;
  const std::string_view behind = line.substr(begin + 1);
  return Paint(kBlue, line.substr(0, begin + 1)) +
         (is_source ? std::string(behind) : Marks(behind));
}

// Bytes of the control character that a text begins with, in UTF-8: those of ASCII but for ends of
// lines and tabs, and U+0080 to U+009F, of which a terminal may take one for ESC and a bracket.
size_t ControlAt(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if ((byte(0) < 0x20 && text[0] != '\n' && text[0] != '\t') || byte(0) == 0x7f) return 1;
  return byte(0) == 0xc2 && text.size() > 1 && byte(1) >= 0x80 && byte(1) < 0xa0 ? 2 : 0;
}

}  // namespace

std::string WithoutControls(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t control = ControlAt(text.substr(i));
    if (control == 0) {
      out += text[i++];
      continue;
    }
    // Of two bytes the second has the character's number.
    const auto code = static_cast<unsigned char>(text[i + control - 1]);
    StrAppend(&out, "\\x", kDigits.substr(code >> 4, 1), kDigits.substr(code & 15, 1));
    i += control;
  }
  return out;
}

bool UsesColor(std::string_view choice, int descriptor) {
  if (choice != "auto") return choice == "always";
  const char* const none = getenv("NO_COLOR");
  const char* const terminal = getenv("TERM");
  return (none == nullptr || *none == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb") && isatty(descriptor) == 1;
}

std::string PaintDiagnostics(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += PaintLine(text.substr(at, end - at));
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace tern::cli
