// SPDX-License-Identifier: Apache-2.0
// Regions of abi.h in docs/abi.md.
#include "tools/gen/abi_markdown.h"

#include "core/base/strings.h"
#include "tools/gen/isa_markdown.h"

namespace tern::gen {
namespace {

constexpr std::string_view kMark = "[abi:";

std::string_view RegionText(std::string_view header, std::string_view name) {
  const std::string begin = StrCat("/* ", kMark, name, "-begin]");
  const std::string end = StrCat("/* ", kMark, name, "-end]");
  const size_t from = header.find(begin);
  const size_t to = header.find(end);
  if (from == std::string_view::npos || to == std::string_view::npos || to < from) return {};
  return header.substr(from + begin.size(), to - from - begin.size());
}

}  // namespace

std::vector<std::string> AbiRegions(std::string_view header) {
  constexpr std::string_view kBegin = "-begin]";
  std::vector<std::string> names;
  const std::string opening = StrCat("/* ", kMark);
  for (size_t at = 0; (at = header.find(opening, at)) != std::string_view::npos;) {
    at += opening.size();
    const std::string_view mark = header.substr(at, header.find(']', at) + 1 - at);
    if (!mark.ends_with(kBegin)) continue;
    names.emplace_back(mark.substr(0, mark.size() - kBegin.size()));
    if (RegionText(header, names.back()).empty()) return {};
  }
  return names;
}

std::string QuoteAbi(std::string_view document, std::string_view header, std::string* missing) {
  std::string updated(document);
  for (const std::string& name : AbiRegions(header)) {
    const std::string text = StrCat("```c\n/*", RegionText(header, name), "```\n");
    updated = ReplaceBetween(updated, StrCat("abi:", name), text);
    if (updated.empty()) {
      *missing = name;
      return updated;
    }
  }
  return updated;
}

}  // namespace tern::gen
