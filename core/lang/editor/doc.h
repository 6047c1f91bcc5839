// SPDX-License-Identifier: Apache-2.0
// Documents for pretty-printing, after P. Wadler, "A prettier printer" (2003): text with places
// where a line may break. A group is written on one line where it fits, else all of its own breaks
// are taken. Only the formatter (format.cc) uses them.
#ifndef TERN_CORE_LANG_EDITOR_DOC_H_
#define TERN_CORE_LANG_EDITOR_DOC_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::lang {

class DocBuilder;

// An index into its builder; 0 is the empty document.
struct Doc {
  uint32_t index = 0;
};

class DocBuilder {
 public:
  DocBuilder();
  Doc Text(std::string_view text);
  // A break: nothing, or a space, where the group is flat.
  Doc SoftBreak() { return {1}; }
  Doc Line() { return {2}; }
  // Always a new line; groups around it are not flat.
  Doc HardLine() { return {3}; }
  Doc Join(std::vector<Doc> parts);
  Doc Indent(Doc inside);  // by two columns, after breaks inside
  Doc Group(Doc inside);
  // Text that is written only where the group around it is broken, such as a comma after the last
  // item.
  Doc IfBroken(std::string_view text);

  std::string Render(Doc doc, int width) const;

 private:
  enum class Kind : uint8_t { kText, kBreak, kHard, kJoin, kIndent, kGroup, kIfBroken };
  struct Node {
    Kind kind;
    std::string text;  // of a break: what it is where flat
    std::vector<Doc> parts;
    bool has_hard = false;  // somewhere inside
    int64_t flat_width = 0;
  };
  Doc Add(Node node);

  std::vector<Node> nodes_;
};

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_EDITOR_DOC_H_
