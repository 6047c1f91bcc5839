// SPDX-License-Identifier: Apache-2.0
#include "core/ir/codegen/signature_text.h"

#include <unordered_set>

#include "core/base/strings.h"
#include "core/vm/signature.h"

namespace tern::ir {

namespace {

// Deeper tuples than signatures may hold (core/vm/signature.h) are "any" from there on.
constexpr int kMostNested = 8;

// The types that the machine checks at a call. What it cannot tell apart, such as what a list
// holds, is left out.
std::string TypeText(const types::Type& type, int depth = 0) {
  using types::TypeKind;
  if (depth > kMostNested) return "any";
  switch (type.kind()) {
    case TypeKind::kTensor:
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kBool:
    case TypeKind::kString: return type.ToText();
    case TypeKind::kList: return "list";
    case TypeKind::kFunction: return "closure";
    case TypeKind::kUnknown:
    case TypeKind::kNone:
    case TypeKind::kMap:
    case TypeKind::kData:
    case TypeKind::kVariable: return "any";
    case TypeKind::kTuple: break;
  }
  std::string text = "(";
  for (const types::Type& element : type.elements())
    StrAppend(&text, text.size() == 1 ? "" : ", ", TypeText(element, depth + 1));
  return text + ")";
}

// The result as " -> (scores: f32[n, 2], boxes: f32[n, 4])"; nothing where the type is not known.
std::string ResultText(const Function& function) {
  const types::Type result = TypeOf(function.result());
  if (!result.known()) return "";
  const auto named = [&](size_t i, const types::Type& type) {
    const auto names = function.output_names();
    const std::string_view name =
        i < names.size() ? std::string_view(names[i]) : std::string_view();
    return name.empty() ? TypeText(type) : StrCat(vm::QuoteName(name), ": ", TypeText(type));
  };
  if (!result.is_tuple()) return StrCat(" -> ", named(0, result));
  std::string text = " -> (";
  for (size_t i = 0; i < result.elements().size(); ++i) {
    StrAppend(&text, i == 0 ? "" : ", ", named(i, result.elements()[i]));
  }
  return text + ")";
}

}  // namespace

std::string SignatureText(const Function& function) {
  std::string text = "(";
  size_t index = 0;
  std::unordered_set<std::string_view> names;
  for (const VarPtr& parameter : function.parameters()) {
    // A captured variable of a lambda may have the name of one of its parameters; then it has a
    // number.
    const bool named = !parameter->name().empty() && names.insert(parameter->name()).second;
    StrAppend(&text, index == 0 ? "" : ", ",
              named ? vm::QuoteName(parameter->name()) : StrCat("%", index));
    if (parameter->type().known()) StrAppend(&text, ": ", TypeText(parameter->type()));
    ++index;
  }
  return StrCat(text, ")", ResultText(function));
}

}  // namespace tern::ir
