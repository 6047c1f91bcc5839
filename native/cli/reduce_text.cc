// SPDX-License-Identifier: Apache-2.0
#include "native/cli/reduce_text.h"

#include <algorithm>
#include <vector>

#include "core/base/strings.h"
#include "native/cli/minimize.h"

namespace tern::cli {
namespace {

using Lines = std::vector<std::string>;

Lines LinesOf(std::string_view text) {
  Lines lines;
  for (const std::string_view line : StrSplit(text, '\n')) lines.emplace_back(line);
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string TextOfLines(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) StrAppend(&text, line, "\n");
  return text;
}

// Braces that a line opens, less those that it closes. Those in texts and comments count too: a
// wrong guess makes a candidate that does not hold, no more.
int BraceBalance(std::string_view line) {
  return static_cast<int>(std::count(line.begin(), line.end(), '{')) -
         static_cast<int>(std::count(line.begin(), line.end(), '}'));
}

// Lines that only make sense together, of the outermost blocks.
std::vector<Lines> OuterBlocks(const Lines& lines) {
  std::vector<Lines> blocks;
  int depth = 0;
  bool in_function = false;
  for (const std::string& line : lines) {
    const bool begins_function = line.starts_with(".func");
    // The instructions of assembly text are indented.
    const bool goes_on = in_function && !begins_function && !line.starts_with(".");
    if (blocks.empty() || (depth <= 0 && !goes_on)) blocks.emplace_back();
    blocks.back().push_back(line);
    in_function = begins_function || goes_on;
    depth = std::max(0, depth + BraceBalance(line));
  }
  return blocks;
}

Lines Joined(const std::vector<Lines>& blocks, const std::vector<size_t>& kept) {
  Lines lines;
  for (const size_t i : kept) lines.insert(lines.end(), blocks[i].begin(), blocks[i].end());
  return lines;
}

Lines ReduceBlocks(const Lines& lines, const HoldsFor& holds) {
  const std::vector<Lines> blocks = OuterBlocks(lines);
  const std::vector<size_t> kept = MinimizeList(blocks.size(), [&](const auto& subset) {
    return holds(TextOfLines(Joined(blocks, subset)));
  });
  return Joined(blocks, kept);
}

// The line that closes what line `begin` opens; the same line where it opens nothing.
size_t EndOfBlock(const Lines& lines, size_t begin) {
  int depth = BraceBalance(lines[begin]);
  size_t end = begin;
  while (depth > 0 && end + 1 < lines.size()) depth += BraceBalance(lines[++end]);
  return end;
}

// Blocks inside of others: goes with all they hold, or without their first and last line.
Lines ReduceNested(Lines lines, const HoldsFor& holds) {
  for (size_t i = 0; i < lines.size();) {
    const size_t end = EndOfBlock(lines, i);
    const auto at = [](Lines& all, size_t index) {
      return all.begin() + static_cast<ptrdiff_t>(index);
    };
    Lines without = lines;
    without.erase(at(without, i), at(without, end) + 1);
    Lines opened = lines;
    opened.erase(at(opened, end));
    if (end > i) opened.erase(at(opened, i));
    if (end > i && holds(TextOfLines(without)))
      lines = std::move(without);
    else if (end > i && holds(TextOfLines(opened)))
      lines = std::move(opened);
    else
      ++i;
  }
  return lines;
}

Lines ReduceLines(const Lines& lines, const HoldsFor& holds) {
  const auto pick = [&](const std::vector<size_t>& subset) {
    Lines picked;
    for (const size_t i : subset) picked.push_back(lines[i]);
    return picked;
  };
  return pick(MinimizeList(lines.size(), [&](const std::vector<size_t>& subset) {
    return holds(TextOfLines(pick(subset)));
  }));
}

}  // namespace

std::string ReduceText(std::string text, const HoldsFor& holds) {
  Lines lines = LinesOf(text);
  // The result must be a text that was checked, also where the last line had no end.
  if (TextOfLines(lines) != text && !holds(TextOfLines(lines))) return text;
  // Until a round removes nothing: a block that went may have been all that needed a line.
  for (size_t before = lines.size() + 1; lines.size() < before;) {
    before = lines.size();
    lines = ReduceLines(ReduceNested(ReduceBlocks(lines, holds), holds), holds);
  }
  return TextOfLines(lines);
}

}  // namespace tern::cli
