// SPDX-License-Identifier: Apache-2.0
#include "tools/gen/builtins_markdown.h"

#include "core/base/strings.h"
#include "core/lang/primitives.h"
#include "core/ops/ops.h"
#include "tools/gen/isa_markdown.h"

namespace tern::gen {

namespace {

constexpr std::string_view kPrelude = "prelude", kOperators = "operators";
// A primitive belongs to the last group that its runtime's name begins with.
struct Group {
  std::string_view name;
  std::string_view runtime;
};
constexpr Group kGroups[] = {{"rest", ""},
                             {"numbers", "="},
                             {"numbers", "tern.scalar."},
                             {"numbers", "tern.float."},
                             {"texts", "tern.string."},
                             {"texts", "tern.value."},
                             {"lists", "tern.list."},
                             {"maps", "tern.map."},
                             {"tensors", "tern.tensor."}};
constexpr std::string_view kNames[] = {"numbers", "texts", "lists",  "maps",
                                       "tensors", "rest",  kPrelude, kOperators};

std::string_view GroupOf(const lang::Primitive& primitive) {
  std::string_view name;
  for (const Group& group : kGroups) {
    if (primitive.runtime.starts_with(group.runtime)) name = group.name;
  }
  return name;
}

// A '|' would end the cell.
std::string Code(std::string_view text) {
  std::string out = "`";
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out + "`";
}

std::string PrimitiveRows(std::string_view group) {
  std::string out;
  for (const lang::Primitive& primitive : lang::AllPrimitives()) {
    if (primitive.is_private() || GroupOf(primitive) != group) continue;
    // "fn(int) -> int" behind the name is "name(int) -> int".
    const std::string_view type = primitive.type_text.substr(2);
    StrAppend(&out, "| ", Code(StrCat(primitive.name, type)), " | ", primitive.phrase, " |\n");
  }
  return out;
}

// A function with the comment above it, up to its body.
std::string PreludeRows(std::string_view prelude) {
  std::string out;
  std::string_view comment;
  for (std::string_view line : StrSplit(prelude, '\n')) {
    if (line.starts_with("fn ")) {
      const size_t body = line.find(" {");
      StrAppend(&out, "| ", Code(line.substr(3, body - 3)), " | ",
                comment.empty() ? "" : comment.substr(3), " |\n");
    }
    comment = line.starts_with("// ") ? line : std::string_view();
  }
  return out;
}

std::string OperatorRows() {
  std::string out;
  for (const ops::OpInfo& op : ops::AllOps()) {
    std::string parameters;
    for (std::string_view parameter : StrSplit(op.parameters, ' '))
      StrAppend(&parameters, parameters.empty() ? "" : ", ", parameter);
    StrAppend(&out, "| ", Code(StrCat(op.name, "(", parameters, ")")), " | ",
              ops::PhraseOf(op.op), " |\n");
  }
  return out;
}

}  // namespace

std::span<const std::string_view> BuiltinGroups() { return kNames; }

std::string BuiltinsTable(std::string_view group, std::string_view prelude) {
  const std::string rows = group == kPrelude     ? PreludeRows(prelude)
                           : group == kOperators ? OperatorRows()
                                                 : PrimitiveRows(group);
  return StrCat("\n| function | what it gives |\n| --- | --- |\n", rows, "\n");
}

std::string BuiltinsPage(std::string_view page, std::string_view prelude) {
  std::string text(page);
  for (std::string_view group : BuiltinGroups())
    text = ReplaceBetween(text, group, BuiltinsTable(group, prelude));
  return text;
}

}  // namespace tern::gen
