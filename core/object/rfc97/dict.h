// SPDX-License-Identifier: Apache-2.0
// Dict<K, V>: an insertion-ordered table shared by reference: copies of a Dict are the same dict.
//
// table.h says which keys are equal. Making a Dict of a Map copies it, unless nobody else holds it.
#ifndef TERN_CORE_OBJECT_RFC97_DICT_H_
#define TERN_CORE_OBJECT_RFC97_DICT_H_

#include "core/object/containers/table_view.h"

namespace tern {

template <typename K = Any, typename V = Any>
class Dict : public internal::TableView<K, V, false> {
 public:
  static constexpr const char* kName = "dict";

  Dict() = default;
  Dict(std::initializer_list<std::pair<internal::ReadOf<K>, internal::ReadOf<V>>> entries) {
    for (const auto& [key, value] : entries) this->Set(key, value);
  }
  // Keys must be of K and values of V; As<Dict<K, V>>() checks.
  explicit Dict(TablePtr object) : internal::TableView<K, V, false>(std::move(object)) {}
};

template <typename K, typename V>
struct AnyTraits<Dict<K, V>> : internal::TableTraits<Dict<K, V>> {};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_RFC97_DICT_H_
