// SPDX-License-Identifier: Apache-2.0
// Hand-designed stroke skeletons of the ten digits: the only source of the training data.
// A skeleton is text: strokes separated by '|', points "x,y" separated by spaces, y downwards,
// about 100 units tall. A stroke is a smooth curve through its points; '!' after a point makes a
// corner.
#ifndef TERN_TOOLS_DIGITS_GLYPHS_H_
#define TERN_TOOLS_DIGITS_GLYPHS_H_

#include <vector>

namespace tern::digits {

struct Skeleton {
  int digit;
  bool held_out;  // never drawn for training, only for measuring
  const char* strokes;
};

struct Point {
  float x;
  float y;
  bool corner = false;
};

using Stroke = std::vector<Point>;

// Every skeleton of `digit` on one side of the split.
std::vector<const Skeleton*> SkeletonsOf(int digit, bool held_out);

std::vector<Stroke> ParseStrokes(const char* text);

}  // namespace tern::digits

#endif  // TERN_TOOLS_DIGITS_GLYPHS_H_
