// SPDX-License-Identifier: Apache-2.0
// Pictures as SVG texts that stand alone: no scripts, no fonts of their own, light and dark.
#ifndef TERN_NATIVE_CLI_SVG_H_
#define TERN_NATIVE_CLI_SVG_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tern::cli {

class Svg {
 public:
  // title and about are read to who does not see the picture.
  Svg(std::string_view title, std::string_view about);

  // kind: a class of the style sheet, "box", "input", "own", "peak"; hint: shown at the pointer.
  void Rect(double x, double y, double width, double height, std::string_view kind,
            std::string_view hint);
  // size: of the letters; anchor: "start", "middle" or "end".
  void Text(double x, double y, std::string_view text, double size = 12,
            std::string_view anchor = "start");
  void Line(double x1, double y1, double x2, double y2, std::string_view kind = "axis");
  // From the bottom of one box to the top of another.
  void Curve(double x1, double y1, double x2, double y2);

  // The whole picture; everything has been drawn.
  std::string Take(double width, double height);

 private:
  std::string title_, about_, body_;
};

// "12.5", without a decimal point where there is nothing behind it.
std::string Coordinate(double value);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_SVG_H_
