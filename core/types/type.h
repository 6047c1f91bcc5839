// SPDX-License-Identifier: Apache-2.0
// Types of the functional IR: tensors with symbolic dimensions, tuples, functions, none. Immutable
// and shared. Text: f32[n, 128], (f32[n], i64[]), fn(f32[n, 4]) -> f32[n], none; "?" where nothing
// is known yet.
#ifndef TERN_CORE_TYPES_TYPE_H_
#define TERN_CORE_TYPES_TYPE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
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

enum class TypeKind : int32_t { kUnknown, kNone, kTensor, kTuple, kFunction };

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
  static Result<Type> Parse(std::string_view text);

  TypeKind kind() const;
  bool known() const { return kind() != TypeKind::kUnknown; }
  bool is_tensor() const { return kind() == TypeKind::kTensor; }
  bool is_tuple() const { return kind() == TypeKind::kTuple; }
  // Of a tensor, a tuple, a function; checked.
  const TensorType& tensor() const;
  std::span<const Type> elements() const;
  std::span<const Type> parameters() const;
  const Type& result() const;

  std::string ToText() const;
  // Symbols of all dimensions replaced.
  Type Substitute(std::span<const Dim::Binding> bindings) const;
  void CollectSymbols(std::vector<std::string>* symbols) const;
  friend bool operator==(const Type& a, const Type& b);

 private:
  struct Node;
  explicit Type(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

  std::shared_ptr<const Node> node_;
};

}  // namespace tern::types

#endif  // TERN_CORE_TYPES_TYPE_H_
