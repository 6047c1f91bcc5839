// SPDX-License-Identifier: Apache-2.0
// Array<T>: a sequence as a value. Copies share their items until one of them is written, which
// then goes on with items of its own; an array that is the only holder writes in place.
//
// Making an Array of a List copies it, unless nobody else holds the list.
#ifndef TERN_CORE_OBJECT_CONTAINERS_ARRAY_H_
#define TERN_CORE_OBJECT_CONTAINERS_ARRAY_H_

#include "core/object/containers/sequence_view.h"

namespace tern {

template <typename T = Any>
class Array : public internal::SequenceView<T, true> {
 public:
  static constexpr const char* kName = "array";

  Array() = default;
  Array(std::initializer_list<internal::ReadOf<T>> values) {  // NOLINT: implicit by design
    this->Reserve(values.size());
    for (const auto& value : values) this->PushBack(value);
  }
  // The items must be of T; As<Array<T>>() checks.
  explicit Array(SequencePtr object) : internal::SequenceView<T, true>(std::move(object)) {}
};

template <typename T>
struct AnyTraits<Array<T>> : internal::SequenceTraits<Array<T>> {};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_CONTAINERS_ARRAY_H_
