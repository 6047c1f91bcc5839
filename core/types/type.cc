// SPDX-License-Identifier: Apache-2.0
#include "core/types/type.h"

#include "core/base/check.h"
#include "core/base/strings.h"

namespace tern::types {

struct Type::Node {
  TypeKind kind = TypeKind::kUnknown;
  TensorType tensor;
  std::vector<Type> list;  // elements or parameters
  Type result;
};

std::string TensorType::ToText() const {
  std::string text = dtype.ToString() + "[";
  for (size_t i = 0; i < dims.size(); ++i) StrAppend(&text, i == 0 ? "" : ", ", dims[i].ToText());
  return text + "]";
}

Dim TensorType::ElementCount() const {
  Dim count(1);
  for (const Dim& dim : dims) count = count * dim;
  return count;
}

bool TensorType::IsStatic() const {
  for (const Dim& dim : dims) {
    if (!dim.is_constant()) return false;
  }
  return true;
}

Type Type::None() {
  Node node;
  node.kind = TypeKind::kNone;
  return Type(std::make_shared<const Node>(std::move(node)));
}

Type Type::Tensor(TensorType tensor) {
  Node node;
  node.kind = TypeKind::kTensor;
  node.tensor = std::move(tensor);
  return Type(std::make_shared<const Node>(std::move(node)));
}

Type Type::Tuple(std::vector<Type> elements) {
  Node node;
  node.kind = TypeKind::kTuple;
  node.list = std::move(elements);
  return Type(std::make_shared<const Node>(std::move(node)));
}

Type Type::Function(std::vector<Type> parameters, Type result) {
  Node node;
  node.kind = TypeKind::kFunction;
  node.list = std::move(parameters);
  node.result = std::move(result);
  return Type(std::make_shared<const Node>(std::move(node)));
}

TypeKind Type::kind() const { return node_ == nullptr ? TypeKind::kUnknown : node_->kind; }

const TensorType& Type::tensor() const {
  TERN_CHECK(is_tensor());
  return node_->tensor;
}

std::span<const Type> Type::elements() const {
  TERN_CHECK(is_tuple());
  return node_->list;
}

std::span<const Type> Type::parameters() const {
  TERN_CHECK(kind() == TypeKind::kFunction);
  return node_->list;
}

const Type& Type::result() const {
  TERN_CHECK(kind() == TypeKind::kFunction);
  return node_->result;
}

namespace {
std::string ListText(std::span<const Type> list) {
  std::string text = "(";
  for (size_t i = 0; i < list.size(); ++i) StrAppend(&text, i == 0 ? "" : ", ", list[i].ToText());
  return text + ")";
}
}  // namespace

std::string Type::ToText() const {
  switch (kind()) {
    case TypeKind::kUnknown: return "?";
    case TypeKind::kNone: return "none";
    case TypeKind::kTensor: return node_->tensor.ToText();
    case TypeKind::kTuple: return ListText(node_->list);
    case TypeKind::kFunction:
      return StrCat("fn", ListText(node_->list), " -> ", node_->result.ToText());
  }
  return "?";
}

Type Type::Substitute(std::span<const Dim::Binding> bindings) const {
  if (node_ == nullptr) return *this;
  Node node = *node_;
  for (Dim& dim : node.tensor.dims) dim = dim.Substitute(bindings);
  for (Type& type : node.list) type = type.Substitute(bindings);
  node.result = node.result.Substitute(bindings);
  return Type(std::make_shared<const Node>(std::move(node)));
}

void Type::CollectSymbols(std::vector<std::string>* symbols) const {
  if (node_ == nullptr) return;
  for (const Dim& dim : node_->tensor.dims) dim.CollectSymbols(symbols);
  for (const Type& type : node_->list) type.CollectSymbols(symbols);
  node_->result.CollectSymbols(symbols);
}

bool operator==(const Type& a, const Type& b) {
  if (a.node_ == b.node_) return true;
  if (a.kind() != b.kind()) return false;
  return a.node_->tensor == b.node_->tensor && a.node_->list == b.node_->list &&
         a.node_->result == b.node_->result;
}

// --- text
// ----------------------------------------------------------------------------------------------

namespace {

class TypeParser {
 public:
  explicit TypeParser(std::string_view text) : text_(text) {}

  Result<Type> Run() {
    Type type = ParseType(0);
    if (status_.ok() && !StrTrim(text_.substr(at_)).empty()) Fail("the end");
    if (!status_.ok()) return std::move(status_);
    return type;
  }

 private:
  Type Fail(std::string_view expected) {
    if (status_.ok())
      status_ = InvalidArgument("type '", text_, "': expected ", expected, " at offset ", at_);
    at_ = text_.size();
    return Type();
  }
  bool Accept(std::string_view token) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  Type ParseType(int depth) {
    if (depth > 32) return Fail("fewer nested types");
    if (Accept("?")) return Type();
    if (Accept("none")) return Type::None();
    if (Accept("fn")) {
      std::vector<Type> parameters = ParseList(depth);
      if (!Accept("->")) return Fail("'->'");
      return Type::Function(std::move(parameters), ParseType(depth + 1));
    }
    if (Accept("(")) {
      --at_;
      return Type::Tuple(ParseList(depth));
    }
    return ParseTensor();
  }

  std::vector<Type> ParseList(int depth) {
    std::vector<Type> list;
    if (!Accept("(")) Fail("'('");
    if (Accept(")")) return list;
    do {
      list.push_back(ParseType(depth + 1));
    } while (status_.ok() && Accept(","));
    if (!Accept(")")) Fail("',' or ')'");
    return list;
  }

  Type ParseTensor() {
    const size_t open = text_.find('[', at_);
    if (open == std::string_view::npos) return Fail("an element type and '['");
    Result<DType> dtype = DType::Parse(StrTrim(text_.substr(at_, open - at_)));
    if (!dtype.ok()) return Fail("an element type such as f32");
    const size_t close = text_.find(']', open);
    if (close == std::string_view::npos) return Fail("']'");
    std::vector<Dim> dims;
    const std::string_view inside = StrTrim(text_.substr(open + 1, close - open - 1));
    if (!inside.empty() && !ParseDims(inside, &dims)) return Type();
    at_ = close + 1;
    return Type::Tensor(*dtype, std::move(dims));
  }

  // Commas inside parentheses belong to a dimension.
  bool ParseDims(std::string_view text, std::vector<Dim>* dims) {
    int depth = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : ',';
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c != ',' || (depth > 0 && i < text.size())) continue;
      Result<Dim> dim = Dim::Parse(text.substr(begin, i - begin));
      if (!dim.ok()) {
        status_ = std::move(dim).status();
        return false;
      }
      dims->push_back(*std::move(dim));
      begin = i + 1;
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  Status status_;
};

}  // namespace

Result<Type> Type::Parse(std::string_view text) { return TypeParser(text).Run(); }

}  // namespace tern::types
