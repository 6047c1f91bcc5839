// SPDX-License-Identifier: Apache-2.0
// Map<K, V>: an insertion-ordered table as a value. Copies share their entries until one of them is
// written, which then goes on with entries of its own; the only holder writes in place.
//
//   Map<String, int64_t> counts;
//   counts.Set("a", 1);            counts.Set("a", "x") does not compile
//   for (const auto& [key, value] : counts) …
//
// table.h says which keys are equal. Making a Map of a Dict copies it, unless nobody else holds it.
#ifndef TERN_CORE_OBJECT_CONTAINERS_MAP_H_
#define TERN_CORE_OBJECT_CONTAINERS_MAP_H_

#include "core/object/containers/table_view.h"

namespace tern {

template <typename K = Any, typename V = Any>
class Map : public internal::TableView<K, V, true> {
 public:
  static constexpr const char* kName = "map";

  Map() = default;
  Map(std::initializer_list<std::pair<internal::ReadOf<K>, internal::ReadOf<V>>> entries) {
    for (const auto& [key, value] : entries) this->Set(key, value);
  }
  // Keys must be of K and values of V; As<Map<K, V>>() checks.
  explicit Map(TablePtr object) : internal::TableView<K, V, true>(std::move(object)) {}
};

template <typename K, typename V>
struct AnyTraits<Map<K, V>> : internal::TableTraits<Map<K, V>> {};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_CONTAINERS_MAP_H_
