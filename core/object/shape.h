// SPDX-License-Identifier: Apache-2.0
// Shape: an immutable tuple of int64, its values right behind the header; and arithmetic on
// dimensions.
#ifndef TERN_CORE_OBJECT_SHAPE_H_
#define TERN_CORE_OBJECT_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "core/object/any.h"

namespace tern {

using Dims = std::span<const int64_t>;

class Shape : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_SHAPE;
  static constexpr bool kIsLeaf = true;
  static ObjectPtr<Shape> Make(Dims dims);
  static ObjectPtr<Shape> Make(std::initializer_list<int64_t> dims) {
    return Make(Dims(dims.begin(), dims.size()));
  }

  // Of a list, array or tuple of ints; null for anything else. ObjectPtr<Shape> takes those too.
  static ObjectPtr<Shape> FromValue(const TernAny& any);

  Dims dims() const {
    return {reinterpret_cast<const int64_t*>(this + 1), static_cast<size_t>(size_)};
  }
  size_t size() const { return static_cast<size_t>(size_); }
  int64_t operator[](size_t axis) const { return dims()[axis]; }
  std::string ToString() const { return FormatDims(dims()); }

 private:
  size_t extra_bytes() const { return dims().size_bytes(); }
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  explicit Shape(Dims dims);
  ~Shape() = default;

  uint64_t size_;
};
static_assert(sizeof(Shape) == sizeof(TernShape));

using ShapePtr = ObjectPtr<Shape>;

// The number of elements; nullopt for a negative dimension or an overflow of int64. 1 for rank 0.
std::optional<int64_t> ElementCount(Dims dims);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_SHAPE_H_
