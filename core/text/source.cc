// SPDX-License-Identifier: Apache-2.0
// SourceMap: offsets to lines by binary search over line starts.
#include "core/text/source.h"

#include <algorithm>

#include "core/base/strings.h"

namespace tern::text {

Span Cover(const Span& a, const Span& b) {
  // Of two files the first: no span reaches over both.
  if (!a.valid()) return b;
  if (!b.valid() || a.file != b.file) return a;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// Lines are found once, when the file comes: places are asked for often, by every diagnostic.
int32_t SourceMap::AddFile(std::string_view name, std::string_view text) {
  File& file = files_.emplace_back(File{std::string(name), std::string(text), {0}});
  for (size_t i = 0; i < file.text.size(); ++i) {
    if (file.text[i] == '\n') file.line_starts.push_back(static_cast<uint32_t>(i + 1));
  }
  return file_count() - 1;
}

const SourceMap::File* SourceMap::Find(int32_t file) const {
  return file >= 0 && file < file_count() ? &files_[static_cast<size_t>(file)] : nullptr;
}

std::string_view SourceMap::name(int32_t file) const {
  const File* found = Find(file);
  return found != nullptr ? std::string_view(found->name) : std::string_view();
}

std::string_view SourceMap::text(int32_t file) const {
  const File* found = Find(file);
  return found != nullptr ? std::string_view(found->text) : std::string_view();
}

std::string_view SourceMap::text(const Span& span) const {
  const std::string_view all = text(span.file);
  const size_t begin = std::min<size_t>(span.begin, all.size());
  return all.substr(begin, std::max(span.begin, span.end) - span.begin);
}

namespace {

// Each code point has one byte that continues no other. Every node of a program is located once, so
// a program of one long line needs this in vectors, which a decoder is not.
int32_t CountCodePoints(std::string_view text) {
  uint32_t count = 0;
  for (const char c : text) count += (static_cast<uint8_t>(c) & 0xC0) != 0x80 ? 1 : 0;
  return static_cast<int32_t>(count);
}

}  // namespace

// Columns count code points, as editors do; only the part of the line before the offset is counted.
Position SourceMap::Locate(int32_t file, uint32_t offset) const {
  const File* found = Find(file);
  if (found == nullptr) return {};
  offset = std::min(offset, static_cast<uint32_t>(found->text.size()));
  const auto next = std::upper_bound(found->line_starts.begin(), found->line_starts.end(), offset);
  const uint32_t start = *(next - 1);
  const std::string_view before = std::string_view(found->text).substr(start, offset - start);
  return {static_cast<int32_t>(next - found->line_starts.begin()), CountCodePoints(before) + 1};
}

std::string_view SourceMap::Line(int32_t file, int32_t line) const {
  const File* found = Find(file);
  if (found == nullptr || line < 1 || static_cast<size_t>(line) > found->line_starts.size())
    return {};
  const std::string_view all(found->text);
  const size_t start = found->line_starts[static_cast<size_t>(line) - 1];
  std::string_view text = all.substr(start, all.find('\n', start) - start);
  // Files of other systems end lines with two characters.
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string SourceMap::Describe(const Span& span) const {
  if (Find(span.file) == nullptr) return {};
  const Position begin = Begin(span);
  return StrCat(name(span.file), ":", begin.line, ":", begin.column);
}

}  // namespace tern::text
