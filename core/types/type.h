// SPDX-License-Identifier: Apache-2.0
// Types of the functional IR and of the language above it: tensors with symbolic dimensions,
// scalars, tuples, functions, lists, maps, data types, type variables, none. Immutable and shared.
// Text: f32[n, 128], int, (f32[n], i64[]), fn(f32[n, 4]) -> f32[n], List[int], Map[string, 'a],
// Tree['a], none; "?" where nothing is known yet. A data type's name begins with a capital letter.
#ifndef TERN_CORE_TYPES_TYPE_H_
#define TERN_CORE_TYPES_TYPE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/object/dtype.h"
#include "core/types/dim.h"

namespace tern::types {

struct TensorType {
  DType dtype;
  std::vector<Dim> dims;

  int rank() const { return static_cast<int>(dims.size()); }
  // "f32[n, 128]".
  std::string ToText() const;
  // The product of all extents.
  Dim ElementCount() const;
  bool IsStatic() const;
  friend bool operator==(const TensorType& a, const TensorType& b) {
    return a.dtype == b.dtype && a.dims == b.dims;
  }
};

enum class TypeKind : int32_t {
  kUnknown,
  kNone,
  kTensor,
  kTuple,
  kFunction,
  kInt,  // a scalar: a number in a register, not a tensor
  kFloat,
  kBool,
  kString,
  kList,
  kMap,
  kData,
  kVariable,
};

class Type {
 public:
  Type() = default;  // unknown
  static Type None();
  static Type Tensor(TensorType tensor);
  static Type Tensor(DType dtype, std::vector<Dim> dims) {
    return Tensor(TensorType{dtype, std::move(dims)});
  }
  static Type Tuple(std::vector<Type> elements);
  static Type Function(std::vector<Type> parameters, Type result);
  static Type Int() { return Simple(TypeKind::kInt); }
  static Type Float() { return Simple(TypeKind::kFloat); }
  static Type Bool() { return Simple(TypeKind::kBool); }
  static Type String() { return Simple(TypeKind::kString); }
  static Type List(Type element);
  static Type Map(Type key, Type value);
  // name: that of a DataType, without sigils.
  static Type Data(std::string_view name, std::vector<Type> arguments);
  static Type Variable(std::string_view name);  // without its "'"
  static Result<Type> Parse(std::string_view text);
  // As Dim::Read. Inside, spaces and comments are those of files.
  static Type Read(text::Scanner* in);

  TypeKind kind() const;
  bool known() const { return kind() != TypeKind::kUnknown; }
  bool is_tensor() const { return kind() == TypeKind::kTensor; }
  bool is_tuple() const { return kind() == TypeKind::kTuple; }
  bool is_function() const { return kind() == TypeKind::kFunction; }
  bool is_data() const { return kind() == TypeKind::kData; }
  bool is_number() const { return kind() == TypeKind::kInt || kind() == TypeKind::kFloat; }
  bool is_scalar() const;  // int, float, bool, string
  // Of a tensor, a tuple, a function; checked.
  const TensorType& tensor() const;
  std::span<const Type> elements() const;
  std::span<const Type> parameters() const;
  const Type& result() const;
  // Of a list (its element), a map (key, value), a data type; checked.
  std::span<const Type> arguments() const;
  // Of a data type or a variable; checked.
  const std::string& name() const;

  std::string ToText() const;
  // Symbols of all dimensions replaced.
  Type Substitute(std::span<const Dim::Binding> bindings) const;
  void CollectSymbols(std::vector<std::string>* symbols) const;
  // Type variables replaced; those without a binding stay.
  using Binding = std::pair<std::string, Type>;
  Type SubstituteVariables(std::span<const Binding> bindings) const;
  // Every type variable, each once, in order of appearance.
  void CollectVariables(std::vector<std::string>* names) const;
  friend bool operator==(const Type& a, const Type& b);

 private:
  struct Node;
  static Type Simple(TypeKind kind);
  explicit Type(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

  std::shared_ptr<const Node> node_;
};

// A declared sum type: type Tree['a] { Leaf, Node('a, Tree['a], Tree['a]) }. A value of it is an
// ADT object whose tag is the constructor's index.
struct DataType {
  struct Constructor {
    std::string name;
    std::vector<Type> fields;  // in the type's parameters
    friend bool operator==(const Constructor&, const Constructor&) = default;
  };
  std::string name;
  std::vector<std::string> parameters;  // names of type variables
  std::vector<Constructor> constructors;

  // Null if there is none; the index is the tag.
  const Constructor* Find(std::string_view constructor, int* tag = nullptr) const;
  // The fields of a constructor where the type has these arguments; as many as parameters.
  std::vector<Type> FieldsOf(int tag, std::span<const Type> arguments) const;
  // "type Tree['a] { Leaf, Node('a, Tree['a], Tree['a]) }".
  std::string ToText() const;
  static Result<DataType> Parse(std::string_view text);
  static DataType Read(text::Scanner* in);
  friend bool operator==(const DataType&, const DataType&) = default;
};

}  // namespace tern::types

#endif  // TERN_CORE_TYPES_TYPE_H_
