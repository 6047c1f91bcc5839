// SPDX-License-Identifier: Apache-2.0
#include "native/cli/svg.h"

#include <cmath>

#include "core/base/strings.h"

namespace tern::cli {
namespace {

// In the file and not beside it: a picture is sent around alone. It follows the viewer's choice of
// light or dark.
constexpr std::string_view kStyle =
    "svg{background:#fff;font-family:system-ui,sans-serif}"
    "text{fill:#1b2733}rect{stroke:#33567a;stroke-width:1}"
    ".box{fill:#cfe2f5}.input{fill:#d9efd5}.own{fill:#f7e3c0}"
    ".peak{fill:none;stroke:#b3261e;stroke-dasharray:4 3}"
    ".axis{stroke:#8896a5}.edge{fill:none;stroke:#6b7a8a}"
    "@media(prefers-color-scheme:dark){svg{background:#12181f}text{fill:#dfe7ee}"
    "rect{stroke:#8fb4d9}.box{fill:#23405c}.input{fill:#24492b}.own{fill:#5a431a}"
    ".axis{stroke:#75838f}.edge{stroke:#93a3b2}}";

// Control characters have no place in XML, not even escaped.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

std::string Attribute(std::string_view name, double value) {
  return StrCat(" ", name, "=\"", Coordinate(value), "\"");
}

}  // namespace

// A tenth of a pixel is finer than anybody sees, and keeps files small and the same everywhere.
std::string Coordinate(double value) {
  const auto tenths = static_cast<int64_t>(std::llround(value * 10));
  const int64_t whole = tenths / 10, rest = std::abs(tenths % 10);
  // A whole part of zero has no sign of its own.
  std::string text = StrCat(tenths < 0 && whole == 0 ? "-" : "", whole);
  if (rest != 0) StrAppend(&text, ".", rest);
  return text;
}

Svg::Svg(std::string_view title, std::string_view about)
    : title_(Escaped(title)), about_(Escaped(about)) {}

void Svg::Rect(double x, double y, double width, double height, std::string_view kind,
               std::string_view hint) {
  StrAppend(&body_, "<rect class=\"", kind, "\"", Attribute("x", x), Attribute("y", y),
            Attribute("width", width), Attribute("height", height), " rx=\"2\"><title>",
            Escaped(hint), "</title></rect>\n");
}

void Svg::Text(double x, double y, std::string_view text, double size, std::string_view anchor) {
  StrAppend(&body_, "<text", Attribute("x", x), Attribute("y", y), Attribute("font-size", size),
            anchor == "start" ? "" : StrCat(" text-anchor=\"", anchor, "\""), ">", Escaped(text),
            "</text>\n");
}

void Svg::Line(double x1, double y1, double x2, double y2, std::string_view kind) {
  StrAppend(&body_, "<line class=\"", kind, "\"", Attribute("x1", x1), Attribute("y1", y1),
            Attribute("x2", x2), Attribute("y2", y2), "/>\n");
}

void Svg::Curve(double x1, double y1, double x2, double y2) {
  // It leaves and arrives upright, whatever lies between.
  const double middle = (y1 + y2) / 2;
  const auto point = [](double x, double y) { return StrCat(Coordinate(x), " ", Coordinate(y)); };
  StrAppend(&body_, "<path class=\"edge\" d=\"M", point(x1, y1), "C", point(x1, middle), " ",
            point(x2, middle), " ", point(x2, y2), "\"/>\n");
}

std::string Svg::Take(double width, double height) {
  const std::string size = StrCat(Coordinate(width), " ", Coordinate(height));
  return StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 ", size, "\"",
                Attribute("width", width), Attribute("height", height), ">\n<title>", title_,
                "</title>\n<desc>", about_, "</desc>\n<style>", kStyle, "</style>\n", body_,
                "</svg>\n");
}

}  // namespace tern::cli
