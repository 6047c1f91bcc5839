// SPDX-License-Identifier: Apache-2.0
// Types as shared trees. A node never changes, so that copies of a type are copies of a pointer and
// every substitution makes new nodes; null is the unknown type, which most values begin with.
#include "core/types/type.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/strings.h"
#include "core/object/charge.h"

namespace tern::types {

// One struct for all kinds: fields that a kind does not have stay empty, so that walks over types
// (substitution, equality, collecting) need no case per kind.
struct Type::Node {
  TypeKind kind = TypeKind::kUnknown;
  TensorType tensor;
  std::vector<Type> list;  // elements, parameters or arguments
  Type result;
  std::string name;
  Charge charge = {};

  static Type Make(Node node);
};

// Counts the node with what hangs on it: a tuple of one type a thousand times is one node and a
// long list, and generic functions copy names.
Type Type::Node::Make(Node node) {
  constexpr size_t kSharedBytes = 64;  // of make_shared and malloc, for all parts
  node.charge = Charge(sizeof(Node) + kSharedBytes + node.tensor.dims.capacity() * sizeof(Dim) +
                       node.list.capacity() * sizeof(Type) + node.name.capacity());
  return Type(std::make_shared<const Node>(std::move(node)));
}

const DataType::Constructor* DataType::Find(std::string_view constructor, int* tag) const {
  for (size_t i = 0; i < constructors.size(); ++i) {
    if (constructors[i].name != constructor) continue;
    if (tag != nullptr) *tag = static_cast<int>(i);
    return &constructors[i];
  }
  return nullptr;
}

// The fields of a constructor where the data type is applied: 'a of List['a] is what the list
// holds. Constructors come from the program's text, the arguments from inference, which counted
// them.
std::vector<Type> DataType::FieldsOf(int tag, std::span<const Type> arguments) const {
  TERN_CHECK(arguments.size() == parameters.size());
  std::vector<Type::Binding> bindings;
  for (size_t i = 0; i < parameters.size(); ++i) bindings.emplace_back(parameters[i], arguments[i]);
  std::vector<Type> fields = constructors[static_cast<size_t>(tag)].fields;
  for (Type& field : fields) field = field.SubstituteVariables(bindings);
  return fields;
}

std::string TensorType::ToText() const {
  std::string text = dtype.ToString() + "[";
  for (size_t i = 0; i < dims.size(); ++i) StrAppend(&text, i == 0 ? "" : ", ", dims[i].ToText());
  return text + "]";
}

// Unknown as soon as one extent is: a product with an unknown factor may even be 0.
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
  return Node::Make(std::move(node));
}

Type Type::Tensor(TensorType tensor) {
  Node node;
  node.kind = TypeKind::kTensor;
  node.tensor = std::move(tensor);
  return Node::Make(std::move(node));
}

Type Type::Tuple(std::vector<Type> elements) {
  Node node;
  node.kind = TypeKind::kTuple;
  node.list = std::move(elements);
  return Node::Make(std::move(node));
}

Type Type::Function(std::vector<Type> parameters, Type result) {
  Node node;
  node.kind = TypeKind::kFunction;
  node.list = std::move(parameters);
  node.result = std::move(result);
  return Node::Make(std::move(node));
}

Type Type::Simple(TypeKind kind) {
  Node node;
  node.kind = kind;
  return Node::Make(std::move(node));
}

Type Type::List(Type element) {
  Node node;
  node.kind = TypeKind::kList;
  node.list.push_back(std::move(element));
  return Node::Make(std::move(node));
}

Type Type::Map(Type key, Type value) {
  Node node;
  node.kind = TypeKind::kMap;
  node.list = {std::move(key), std::move(value)};
  return Node::Make(std::move(node));
}

Type Type::Data(std::string_view name, std::vector<Type> arguments) {
  Node node;
  node.kind = TypeKind::kData;
  node.name = name;
  node.list = std::move(arguments);
  return Node::Make(std::move(node));
}

Type Type::Variable(std::string_view name) {
  Node node;
  node.kind = TypeKind::kVariable;
  node.name = name;
  return Node::Make(std::move(node));
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

// What scalar instructions compute with, and strings. A tensor of rank 0 is none of them.
bool Type::is_scalar() const {
  return kind() == TypeKind::kInt || kind() == TypeKind::kFloat || kind() == TypeKind::kBool ||
         kind() == TypeKind::kString;
}

std::span<const Type> Type::arguments() const {
  TERN_CHECK(kind() == TypeKind::kList || kind() == TypeKind::kMap || kind() == TypeKind::kData);
  return node_->list;
}

const std::string& Type::name() const {
  TERN_CHECK(kind() == TypeKind::kData || kind() == TypeKind::kVariable);
  return node_->name;
}

namespace {

// Without arguments there are no brackets: Colour, List[int].
std::string ArgumentsText(std::span<const Type> list) {
  if (list.empty()) return "";
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i) StrAppend(&text, i == 0 ? "" : ", ", list[i].ToText());
  return text + "]";
}

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
    case TypeKind::kInt: return "int";
    case TypeKind::kFloat: return "float";
    case TypeKind::kBool: return "bool";
    case TypeKind::kString: return "string";
    case TypeKind::kList: return "List" + ArgumentsText(node_->list);
    case TypeKind::kMap: return "Map" + ArgumentsText(node_->list);
    case TypeKind::kData: return node_->name + ArgumentsText(node_->list);
    case TypeKind::kVariable: return "'" + node_->name;
  }
  return "?";
}

// Dimensions inside of parameters and arguments are replaced too: a symbol means the same extent
// wherever it stands in a type.
Type Type::Substitute(std::span<const Dim::Binding> bindings) const {
  if (node_ == nullptr) return *this;
  Node node = *node_;
  for (Dim& dim : node.tensor.dims) dim = dim.Substitute(bindings);
  for (Type& type : node.list) type = type.Substitute(bindings);
  node.result = node.result.Substitute(bindings);
  return Node::Make(std::move(node));
}

void Type::CollectSymbols(std::vector<std::string>* symbols) const {
  if (node_ == nullptr) return;
  for (const Dim& dim : node_->tensor.dims) dim.CollectSymbols(symbols);
  for (const Type& type : node_->list) type.CollectSymbols(symbols);
  node_->result.CollectSymbols(symbols);
}

// What a variable stands for is not substituted again, so a binding may mention the variable that
// it binds.
Type Type::SubstituteVariables(std::span<const Binding> bindings) const {
  if (node_ == nullptr) return *this;
  if (kind() == TypeKind::kVariable) {
    for (const Binding& binding : bindings) {
      if (binding.first == node_->name) return binding.second;
    }
    return *this;
  }
  Node node = *node_;
  bool is_changed = false;
  const auto substitute = [&](Type* type) {
    Type changed = type->SubstituteVariables(bindings);
    is_changed = is_changed || changed.node_ != type->node_;
    *type = std::move(changed);
  };
  for (Type& type : node.list) substitute(&type);
  substitute(&node.result);
  return is_changed ? Node::Make(std::move(node)) : *this;
}

// Each once, in the order in which they are first met, which is the order people read them in.
void Type::CollectVariables(std::vector<std::string>* names) const {
  if (node_ == nullptr) return;
  if (kind() == TypeKind::kVariable &&
      std::find(names->begin(), names->end(), node_->name) == names->end())
    names->push_back(node_->name);
  for (const Type& type : node_->list) type.CollectVariables(names);
  node_->result.CollectVariables(names);
}

// By structure, since equal types are made in many places. Shared nodes are the usual case and are
// compared by their address first.
bool operator==(const Type& a, const Type& b) {
  if (a.node_ == b.node_) return true;
  if (a.kind() != b.kind()) return false;
  return a.node_->tensor == b.node_->tensor && a.node_->list == b.node_->list &&
         a.node_->result == b.node_->result && a.node_->name == b.node_->name;
}

// The text that Parse reads.
std::string DataType::ToText() const {
  std::string text = "type " + name;
  for (size_t i = 0; i < parameters.size(); ++i)
    StrAppend(&text, i == 0 ? "['" : ", '", parameters[i], i + 1 == parameters.size() ? "]" : "");
  text += " {";
  for (size_t i = 0; i < constructors.size(); ++i) {
    StrAppend(&text, i == 0 ? " " : ", ", constructors[i].name);
    if (!constructors[i].fields.empty()) text += ListText(constructors[i].fields);
  }
  return text + (constructors.empty() ? "}" : " }");
}

}  // namespace tern::types
