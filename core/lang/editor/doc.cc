// SPDX-License-Identifier: Apache-2.0
// Documents are nodes in one vector, made from the inside out, so widths are sums of known ones and
// no document needs an owner. Rendering is linear: a group knows its flat width, so nothing is
// tried twice.
#include "core/lang/editor/doc.h"

#include "core/base/utf8.h"

namespace tern::lang {

DocBuilder::DocBuilder() {
  // The fixed documents: empty, SoftBreak, Line and HardLine, at the indices that doc.h names.
  nodes_.push_back({Kind::kJoin, {}, {}});
  nodes_.push_back({Kind::kBreak, {}, {}});
  nodes_.push_back({Kind::kBreak, " ", {}, false, 1});
  nodes_.push_back({Kind::kHard, {}, {}, true});
}

// A hard line inside keeps every group around it from being flat.
Doc DocBuilder::Add(Node node) {
  for (const Doc part : node.parts) {
    node.has_hard = node.has_hard || nodes_[part.index].has_hard;
    node.flat_width += nodes_[part.index].flat_width;
  }
  nodes_.push_back(std::move(node));
  return {static_cast<uint32_t>(nodes_.size() - 1)};
}

Doc DocBuilder::Text(std::string_view text) {
  // Widths are code points, as editors show columns.
  return Add({Kind::kText, std::string(text), {}, false, static_cast<int64_t>(Utf8Length(text))});
}
Doc DocBuilder::IfBroken(std::string_view text) {
  return Add({Kind::kIfBroken, std::string(text), {}});
}
Doc DocBuilder::Join(std::vector<Doc> parts) { return Add({Kind::kJoin, {}, std::move(parts)}); }
Doc DocBuilder::Indent(Doc inside) { return Add({Kind::kIndent, {}, {inside}}); }
Doc DocBuilder::Group(Doc inside) { return Add({Kind::kGroup, {}, {inside}}); }

namespace {

struct PendingDoc {
  uint32_t doc;
  int indent;
  bool flat;
};

// Blanks at the end of a line are cut, which also keeps empty lines empty.
void NewLine(std::string* out, int indent) {
  while (!out->empty() && out->back() == ' ') out->pop_back();
  *out += '\n';
  out->append(static_cast<size_t>(indent), ' ');
}

}  // namespace

std::string DocBuilder::Render(Doc doc, int width) const {
  std::string out;
  int64_t column = 0;
  // A stack instead of recursion: documents nest as deep as programs, and what is pushed last is
  // written first.
  std::vector<PendingDoc> stack = {{doc.index, 0, false}};
  while (!stack.empty()) {
    const PendingDoc item = stack.back();
    stack.pop_back();
    const Node& node = nodes_[item.doc];
    switch (node.kind) {
      case Kind::kText:
        out += node.text;
        column += node.flat_width;
        break;
      case Kind::kIfBroken:
        if (!item.flat) out += node.text;
        break;
      case Kind::kBreak:
      case Kind::kHard:
        if (item.flat && node.kind == Kind::kBreak) {
          out += node.text;
          column += node.flat_width;
        } else {
          NewLine(&out, item.indent);
          column = item.indent;
        }
        break;
      case Kind::kJoin:
      case Kind::kIndent:
      case Kind::kGroup: {
        const int indent = item.indent + (node.kind == Kind::kIndent ? 2 : 0);
        bool flat = item.flat;
        if (node.kind == Kind::kGroup && !flat)
          // Text behind the group is not counted, see kWidth in format.cc.
          flat = !node.has_hard && column + node.flat_width <= width;
        for (size_t i = node.parts.size(); i > 0; --i)
          stack.push_back({node.parts[i - 1].index, indent, flat});
        break;
      }
    }
  }
  return out;
}

}  // namespace tern::lang
