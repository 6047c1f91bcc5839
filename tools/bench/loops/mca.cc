// SPDX-License-Identifier: Apache-2.0
// Reads just enough of assembly text: labels, mnemonics, and where branches go.
#include "tools/bench/loops/mca.h"

#include <vector>

#include "core/base/strings.h"
#include "tests/support/commands.h"

namespace tern::bench {
namespace {

struct Line {
  std::string text;
  bool is_label;
};

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

int VectorLoads(const std::string& line) {
  const bool loads =
      line.starts_with("\tld1") || (line.starts_with("\tldr\tz")) || line.starts_with("\tldr\tq");
  if (loads) return 1;
  return line.starts_with("\tldp\tq") ? 2 : 0;
}

}  // namespace

Result<InnerLoop> FindInnerLoop(const std::string& assembly, const std::string& function) {
  const std::vector<Line> lines = LinesOf(assembly, function);
  InnerLoop best;
  for (size_t end = 0; end < lines.size(); ++end) {
    const size_t target = lines[end].text.rfind(".LBB");
    if (lines[end].is_label || target == std::string::npos) continue;
    const std::string label = lines[end].text.substr(target);
    InnerLoop loop;
    size_t begin = end;
    while (begin > 0 && !(lines[begin].is_label && lines[begin].text == label)) --begin;
    if (!lines[begin].is_label || lines[begin].text != label) continue;  // a branch forward
    for (size_t i = begin; i <= end; ++i) {
      if (lines[i].is_label) continue;
      loop.text += lines[i].text + "\n";
      ++loop.instructions;
      loop.vector_loads += VectorLoads(lines[i].text);
      loop.scalable |= lines[i].text.find("\tz") != std::string::npos ||
                       lines[i].text.find("{ z") != std::string::npos;
    }
    if (loop.vector_loads > best.vector_loads) best = loop;
  }
  if (best.vector_loads == 0) return NotFound("no vector loop in ", function);
  return best;
}

Result<double> CyclesOf(const InnerLoop& loop, const std::string& cpu) {
  constexpr int kIterations = 1000;
  const testing::ScratchFolder folder;
  std::string text;
  for (const std::string_view line : StrSplit(loop.text, '\n')) {
    const size_t target = line.rfind(".LBB");  // mca has no labels to jump to
    text += StrCat(line.substr(0, target), target == std::string_view::npos ? "" : "0", "\n");
  }
  const testing::CommandResult run = testing::RunCommand(
      StrCat("llvm-mca-19 -mtriple=aarch64 -mcpu=", cpu, " -iterations=", kIterations, " ",
             folder.Write("loop.s", text), " 2>/dev/null"));
  const size_t at = run.output.find("Total Cycles:");
  if (at == std::string::npos) return Failed("llvm-mca: ", run.output);
  const std::string_view rest = std::string_view(run.output).substr(at + 13);
  std::string digits(rest.substr(0, rest.find('\n')));
  digits.erase(0, digits.find_first_not_of(' '));
  const auto cycles = ParseDouble(digits);
  if (!cycles.has_value()) return Failed("llvm-mca: '", digits, "'");
  return *cycles / kIterations;
}

}  // namespace tern::bench
