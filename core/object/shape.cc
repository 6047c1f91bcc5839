// SPDX-License-Identifier: Apache-2.0
// Shapes as objects, and the checked product of dimensions.
#include "core/object/shape.h"

#include <algorithm>
#include <vector>

#include "core/base/product.h"
#include "core/object/containers/sequence.h"

namespace tern {

Shape::Shape(Dims dims) : Object(kTypeCode, nullptr), size_(dims.size()) {
  // The values lie behind the object, in the extra bytes of MakeObjectWithExtra.
  std::copy(dims.begin(), dims.end(), reinterpret_cast<int64_t*>(this + 1));
}

ObjectPtr<Shape> Shape::Make(Dims dims) {
  return MakeObjectWithExtra<Shape>(dims.size_bytes(), dims);
}

ObjectPtr<Shape> Shape::FromValue(const TernAny& any) {
  // With tuples: (2, 3) of the language is a shape as much as [2, 3] is.
  const SequencePtr sequence = internal::SequenceOf(any, /*tuples=*/true);
  if (sequence == nullptr) return nullptr;
  std::vector<int64_t> dims;
  dims.reserve(sequence->size());
  for (const AnyView item : *sequence) {
    // Only true ints: a bool converts to int elsewhere, but a dimension `true` is a mistake.
    if (item.type_code() != TERN_TYPE_INT) return nullptr;
    dims.push_back(item.c_any().v.i);
  }
  return Make(dims);
}

std::optional<int64_t> ElementCount(Dims dims) {
  // A zero makes the product zero whatever the other factors are, also if their product overflows.
  // So an overflow is an error only when no dimension is zero, and a negative one is an error in
  // any case.
  int64_t count = 1;
  bool empty = false, overflow = false;
  for (const int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    if (dim == 0)
      empty = true;
    else
      overflow |= !MultiplyChecked(count, dim, &count);
  }
  if (empty) return 0;
  if (overflow) return std::nullopt;
  return count;
}

}  // namespace tern
