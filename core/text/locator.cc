// SPDX-License-Identifier: Apache-2.0
// A place on the line of the last one is counted from there, in either direction. For one on
// another line SourceMap is asked, whose count ends at the line's start.
#include "core/text/locator.h"

#include <algorithm>

#include "core/base/strings.h"

namespace tern::text {
namespace {

// Each code point has one byte that continues no other.
int32_t ColumnsOf(std::string_view text) {
  uint32_t count = 0;
  for (const char c : text) count += (static_cast<uint8_t>(c) & 0xC0) != 0x80 ? 1 : 0;
  return static_cast<int32_t>(count);
}

}  // namespace

Position Locator::Locate(int32_t file, uint32_t offset) {
  if (file < 0 || file >= sources_.file_count()) return sources_.Locate(file, offset);
  const auto index = static_cast<size_t>(file);
  if (index >= last_.size()) last_.resize(index + 1);
  Last& last = last_[index];
  const std::string_view text = sources_.text(file);
  offset = std::min(offset, static_cast<uint32_t>(text.size()));
  const uint32_t begin = std::min(offset, last.offset), end = std::max(offset, last.offset);
  const std::string_view between = text.substr(begin, end - begin);
  const size_t newline = between.find('\n');
  work_ += std::min(newline, between.size());
  if (newline == std::string_view::npos) {
    const int32_t columns = ColumnsOf(between);
    last.position.column += offset < last.offset ? -columns : columns;
  } else {
    last.position = sources_.Locate(file, offset);
    work_ += static_cast<size_t>(last.position.column);
  }
  last.offset = offset;
  return last.position;
}

std::string Locator::Describe(const Span& span) {
  if (span.file < 0 || span.file >= sources_.file_count()) return {};
  const Position begin = Locate(span.file, span.begin);
  return StrCat(sources_.name(span.file), ":", begin.line, ":", begin.column);
}

}  // namespace tern::text
