// SPDX-License-Identifier: Apache-2.0
// List<T>: a growable sequence, shared by reference: copies of a List are the same list.
//
//   List<> mixed;              anything; reads give AnyView
//   mixed.PushBack(1);
//   List<int64_t> numbers;     ints only: numbers.PushBack("a") does not compile
//   Result<List<int64_t>> same = Any(mixed).As<List<int64_t>>();   checked item by item, no copy
//
// Making a List of an Array copies it, unless nobody else holds the array.
#ifndef TERN_CORE_OBJECT_CONTAINERS_LIST_H_
#define TERN_CORE_OBJECT_CONTAINERS_LIST_H_

#include "core/object/containers/sequence_view.h"

namespace tern {

template <typename T = Any>
class List : public internal::SequenceView<T, false> {
 public:
  static constexpr const char* kName = "list";

  List() = default;
  List(std::initializer_list<internal::ReadOf<T>> values) {  // NOLINT: implicit by design
    this->Reserve(values.size());
    for (const auto& value : values) this->PushBack(value);
  }
  // The items must be of T; As<List<T>>() checks.
  explicit List(SequencePtr object) : internal::SequenceView<T, false>(std::move(object)) {}
};

template <typename T>
struct AnyTraits<List<T>> : internal::SequenceTraits<List<T>> {};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_CONTAINERS_LIST_H_
