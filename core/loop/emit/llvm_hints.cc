// SPDX-License-Identifier: Apache-2.0
#include "core/loop/emit/llvm_hints.h"

#include <optional>
#include <vector>

#include "core/base/strings.h"

namespace tern::loop {
namespace {

// How LLVM writes a vector whose length the processor decides.
constexpr std::string_view kOpen = "<vscale x ";

struct ElementBits {
  std::string_view name;
  int64_t bits;
};
constexpr ElementBits kElements[] = {{"i1", 1},      {"i8", 8},     {"i16", 16},
                                     {"i32", 32},    {"i64", 64},   {"half", 16},
                                     {"bfloat", 16}, {"float", 32}, {"double", 64}};

// "8 x float, 256 bits" of "4 x float" in <vscale x 4 x float>; empty for what is no such type.
std::string FixedType(std::string_view inner, int64_t vscale) {
  const size_t cross = inner.find(" x ");
  if (cross == std::string_view::npos) return "";
  const std::optional<int64_t> count = ParseInt64(inner.substr(0, cross));
  const std::string_view element = inner.substr(cross + 3);
  if (!count.has_value()) return "";
  for (const ElementBits& known : kElements) {
    if (known.name != element) continue;
    const int64_t lanes = *count * vscale;
    return StrCat(lanes, " x ", element, ", ", lanes * known.bits, " bits");
  }
  return "";
}

// The hints of what the line names, each type once, in the order of the line.
std::string HintOf(std::string_view line, int64_t vscale) {
  std::vector<std::string_view> seen;
  std::string hint;
  for (size_t at = line.find(kOpen); at != std::string_view::npos; at = line.find(kOpen, at + 1)) {
    const size_t end = line.find('>', at);
    if (end == std::string_view::npos) break;
    const std::string_view type = line.substr(at, end + 1 - at);
    bool is_new = true;
    for (std::string_view other : seen) is_new &= other != type;
    seen.push_back(type);
    const std::string fixed =
        FixedType(line.substr(at + kOpen.size(), end - at - kOpen.size()), vscale);
    if (is_new && !fixed.empty()) StrAppend(&hint, hint.empty() ? "" : "; ", type, " is ", fixed);
  }
  if (line.find("@llvm.vscale") != std::string_view::npos)
    StrAppend(&hint, hint.empty() ? "" : "; ", "llvm.vscale gives ", vscale);
  return hint;
}

}  // namespace

std::string WithVScaleHints(std::string_view ir, int64_t vscale) {
  std::string out;
  while (!ir.empty()) {
    const size_t end = ir.find('\n');
    const std::string_view line = ir.substr(0, end);
    ir = end == std::string_view::npos ? std::string_view() : ir.substr(end + 1);
    out += line;
    // Lines of bodies are indented; declarations name types that the calls name again.
    const bool is_body = line.substr(0, 1) == " ";
    const std::string hint = is_body ? HintOf(line, vscale) : "";
    if (!hint.empty()) StrAppend(&out, "  ; vscale ", vscale, ": ", hint);
    if (end != std::string_view::npos) out += '\n';
  }
  return out;
}

}  // namespace tern::loop
