// SPDX-License-Identifier: Apache-2.0
// Prints types for messages and the editor. The IR has a form of its own (types::Type::ToText).
#include "core/lang/type_text.h"

#include "core/base/strings.h"

namespace tern::lang {
namespace {

std::string ListText(std::span<const types::Type> list) {
  std::string text;
  for (size_t i = 0; i < list.size(); ++i) StrAppend(&text, i == 0 ? "" : ", ", TypeText(list[i]));
  return text;
}

std::string TensorText(const types::TensorType& tensor) {
  std::string text = tensor.dtype.ToString() + "[";
  for (size_t i = 0; i < tensor.dims.size(); ++i)
    StrAppend(&text, i == 0 ? "" : ", ", ExtentText(tensor.dims[i]));
  return text + "]";
}

}  // namespace

// Renames the variables of inference inside an extent back to the names that the program gave them:
// "_v3_n + 1" is "n + 1". Without a name it has to be "?", because "_v3" means nothing to a reader.
std::string ExtentText(const types::Dim& dim) {
  std::vector<std::string> symbols;
  dim.CollectSymbols(&symbols);
  std::vector<types::Dim::Binding> names;
  for (const std::string& symbol : symbols) {
    if (symbol[0] != '_') continue;
    const size_t name = symbol.find('_', 1);
    // Alone, a variable of inference may be any extent; inside a sum its name tells more.
    if (name == std::string::npos || dim.is_symbol()) return "?";
    names.emplace_back(symbol, types::Dim::Symbol(symbol.substr(name + 1)));
  }
  return dim.Substitute(names).ToText();
}

std::string ExtentName(const types::Dim& dim) {
  const std::string symbol = dim.is_symbol() ? dim.ToText() : "";
  const size_t name = symbol.find('_', 1);
  return symbol.starts_with('_') && name != std::string::npos ? symbol.substr(name + 1)
                                                              : ExtentText(dim);
}

std::string TypeText(const types::Type& type) {
  using types::TypeKind;
  switch (type.kind()) {
    case TypeKind::kUnknown: return "_";
    // "$12" is a variable of inference that is still open.
    case TypeKind::kVariable: return type.name()[0] == '$' ? "_" : type.name();
    case TypeKind::kTensor: return TensorText(type.tensor());
    case TypeKind::kTuple: return StrCat("(", ListText(type.elements()), ")");
    case TypeKind::kFunction:
      return StrCat("fn(", ListText(type.parameters()), ") -> ", TypeText(type.result()));
    case TypeKind::kList: return StrCat("List[", ListText(type.arguments()), "]");
    case TypeKind::kMap: return StrCat("Map[", ListText(type.arguments()), "]");
    case TypeKind::kData:
      return type.arguments().empty() ? type.name()
                                      : StrCat(type.name(), "[", ListText(type.arguments()), "]");
    // Scalars are written as the IR writes them.
    case TypeKind::kNone:
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kBool:
    case TypeKind::kString: break;
  }
  return type.ToText();
}

std::string KindText(const types::Type& type) {
  using types::TypeKind;
  switch (type.kind()) {
    case TypeKind::kInt: return "an int";
    case TypeKind::kFunction: return StrCat("a function ", TypeText(type));
    case TypeKind::kTensor: return StrCat("a tensor ", TypeText(type));
    case TypeKind::kTuple: return StrCat("a tuple ", TypeText(type));
    case TypeKind::kFloat:
    case TypeKind::kBool:
    case TypeKind::kString: return StrCat("a ", TypeText(type));
    case TypeKind::kUnknown:
    case TypeKind::kNone:
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kData:
    case TypeKind::kVariable: break;
  }
  return TypeText(type);
}

}  // namespace tern::lang
