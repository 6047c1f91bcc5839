// SPDX-License-Identifier: Apache-2.0
// Source texts and places in them: a Span is a byte range of one file of a SourceMap, 12 bytes.
#ifndef TERN_CORE_TEXT_SOURCE_H_
#define TERN_CORE_TEXT_SOURCE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tern::text {

struct Span {
  int32_t file = -1;  // index into the SourceMap; -1: nowhere
  uint32_t begin = 0;
  uint32_t end = 0;

  bool valid() const { return file >= 0; }
  friend bool operator==(const Span&, const Span&) = default;
};

// The smallest span that covers both (of one file); the valid one if the other is not.
Span Cover(const Span& a, const Span& b);

// Counted from 1. Columns count code points.
struct Position {
  int32_t line = 0;
  int32_t column = 0;
};

class SourceMap {
 public:
  // Returns the file's index. The text is copied; views of it stay valid.
  int32_t AddFile(std::string_view name, std::string_view text);

  int32_t file_count() const { return static_cast<int32_t>(files_.size()); }
  std::string_view name(int32_t file) const;  // "" for a file that is not there
  std::string_view text(int32_t file) const;
  std::string_view text(const Span& span) const;

  // Offsets past the end count as the end.
  Position Locate(int32_t file, uint32_t offset) const;
  Position Begin(const Span& span) const { return Locate(span.file, span.begin); }
  Position End(const Span& span) const { return Locate(span.file, span.end); }
  // Without its line break; line counts from 1.
  std::string_view Line(int32_t file, int32_t line) const;
  // "mlp.tasm:4:12", "" for an invalid span.
  std::string Describe(const Span& span) const;

 private:
  struct File {
    std::string name;
    std::string text;
    std::vector<uint32_t> line_starts;
  };
  const File* Find(int32_t file) const;  // null if there is none

  std::deque<File> files_;  // stable addresses
};

}  // namespace tern::text

#endif  // TERN_CORE_TEXT_SOURCE_H_
