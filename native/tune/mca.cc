// SPDX-License-Identifier: Apache-2.0
// Reads just enough of assembly text to find the loop that matters: labels, mnemonics, and where
// branches go.
#include "native/tune/mca.h"

#include <vector>

#include "core/base/strings.h"
#include "native/tune/run_program.h"

namespace tern::native {
namespace {

// A label or an instruction; directives and comments are dropped.
struct Line {
  std::string text;
  bool is_label;
};

// The lines of one function in the text of an assembly file.
std::vector<Line> LinesOf(const std::string& assembly, const std::string& function) {
  std::vector<Line> lines;
  bool inside = false;
  for (const std::string_view raw : StrSplit(assembly, '\n')) {
    std::string text(raw.substr(0, raw.find("//")));
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.pop_back();
    if (text == function + ":") {
      inside = true;
      continue;
    }
    if (!inside || text.empty()) continue;
    if (text.starts_with(".Lfunc_end")) break;
    if (text.ends_with(':')) {
      lines.push_back({text.substr(0, text.size() - 1), true});
    } else if (!text.starts_with("\t.")) {
      lines.push_back({text, false});
    }
  }
  return lines;
}

// The loads of AArch64: what an instruction's name and first register begin with, and how many
// bytes it loads.
struct LoadRow {
  std::string_view prefix;
  int bytes;
};
constexpr LoadRow kLoads[] = {{"ldp\tq", 32}, {"ldp\td", 16},  {"ldp\ts", 8},  {"ldp\tx", 16},
                              {"ldp\tw", 8},  {"ldr\tq", 16},  {"ldr\td", 8},  {"ldr\ts", 4},
                              {"ldr\th", 2},  {"ldr\tb", 1},   {"ldr\tx", 8},  {"ldr\tw", 4},
                              {"ldrb\t", 1},  {"ldrsb\t", 1},  {"ldrh\t", 2},  {"ldrsh\t", 2},
                              {"ldrsw\t", 4}, {"ldur\tq", 16}, {"ldur\td", 8}, {"ldur\ts", 4}};

// How many bytes an element has that the letter of an AArch64 instruction or register names.
int BytesOfLetter(char letter) {
  switch (letter) {
    case 'b': return 1;
    case 'h': return 2;
    case 's':
    case 'w': return 4;
    default: return 8;
  }
}

// A load into a scalable register: "ld1sh { z0.s }, ..." fills lanes of 4 bytes with elements of 2;
// "ld1rw" loads one element for all lanes.
void AddScalableLoad(std::string_view text, InnerLoop* loop) {
  const size_t brace = text.find('{'), dot = text.find('.', brace);
  if (brace == std::string_view::npos || dot == std::string_view::npos) return;
  const std::string_view name = text.substr(0, text.find('\t'));
  const int element = BytesOfLetter(name.back());
  if (text.find(" z", brace) == std::string_view::npos) {  // NEON's ld1, ld2 ...
    loop->fixed_bytes += 16 * (name[2] - '0');
  } else if (name.starts_with("ld1r")) {
    loop->fixed_bytes += element;
  } else {
    loop->scalable_loads += (name[2] - '0') * element / double(BytesOfLetter(text[dot + 1]));
  }
}

// Adds what one line loads; lines that load nothing change nothing.
void AddLoad(std::string_view line, InnerLoop* loop) {
  std::string_view text = line.substr(1);  // past the tab
  if (text.starts_with("ldr\tz")) {
    loop->scalable_loads += 1;
  } else if (text.size() > 2 && text.starts_with("ld") && text[2] >= '1' && text[2] <= '4') {
    AddScalableLoad(text, loop);
  } else {
    for (const LoadRow& row : kLoads) {
      if (!text.starts_with(row.prefix)) continue;
      loop->fixed_bytes += row.bytes;
      return;
    }
  }
}

}  // namespace

// The loop that loads the most per iteration is taken for the one that counts: epilogues load less.
Result<InnerLoop> FindInnerLoop(const std::string& assembly, const std::string& function) {
  constexpr int kUsualBytes = 16;
  const std::vector<Line> lines = LinesOf(assembly, function);
  InnerLoop best;
  for (size_t end = 0; end < lines.size(); ++end) {
    const size_t target = lines[end].text.rfind(".LBB");
    if (lines[end].is_label || target == std::string::npos) continue;
    const std::string label = lines[end].text.substr(target);
    InnerLoop loop;
    size_t begin = end;
    // Branches back end loops; the label may be anywhere before.
    while (begin > 0 && !(lines[begin].is_label && lines[begin].text == label)) --begin;
    if (!lines[begin].is_label || lines[begin].text != label) continue;  // a branch forward
    for (size_t i = begin; i <= end; ++i) {
      if (lines[i].is_label) continue;
      loop.text += lines[i].text + "\n";
      ++loop.instructions;
      AddLoad(lines[i].text, &loop);
    }
    if (loop.LoadedBytes(kUsualBytes) > best.LoadedBytes(kUsualBytes)) best = loop;
  }
  if (best.instructions == 0) return NotFound("no loop that loads anything in ", function);
  return best;
}

// llvm-mca repeats the block; dividing by many iterations hides how the first ones fill the
// pipeline.
Result<double> CyclesOf(const InnerLoop& loop, const std::string& cpu) {
  constexpr int kIterations = 1000;
  std::string text;
  for (const std::string_view line : StrSplit(loop.text, '\n')) {
    const size_t target = line.rfind(".LBB");  // mca has no labels to jump to
    text += StrCat(line.substr(0, target), target == std::string_view::npos ? "" : "0", "\n");
  }
  std::string output;
  for (const std::string_view program : {"llvm-mca-19", "llvm-mca"}) {
    const std::string arguments[] = {std::string(program), "-mtriple=aarch64",
                                     StrCat("-mcpu=", cpu), StrCat("-iterations=", kIterations)};
    TERN_TRY_ASSIGN(output, OutputOf(arguments, text));
    if (!output.empty()) break;
  }
  if (output.empty())
    return Unsupported("llvm-mca cannot be run, or does not know ", cpu)
        .AddNote("help: install llvm-19, or measure on this processor by --target host")
        .SetErrorCode("E0804");
  const size_t at = output.find("Total Cycles:");
  if (at == std::string::npos) return Failed("llvm-mca: ", output);
  const std::string_view rest = std::string_view(output).substr(at + 13);
  std::string digits(rest.substr(0, rest.find('\n')));
  digits.erase(0, digits.find_first_not_of(' '));
  const auto cycles = ParseDouble(digits);
  if (!cycles.has_value()) return Failed("llvm-mca: '", digits, "'");
  return *cycles / kIterations;
}

}  // namespace tern::native
