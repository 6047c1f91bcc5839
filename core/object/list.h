// SPDX-License-Identifier: Apache-2.0
// List: a growable sequence of values of any kind, shared by reference.
#ifndef TERN_CORE_OBJECT_LIST_H_
#define TERN_CORE_OBJECT_LIST_H_

#include <span>
#include <utility>
#include <vector>

#include "core/object/any.h"

namespace tern {

class List : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_LIST;
  static ObjectPtr<List> Make(std::vector<Any> items = {}) {
    return MakeObject<List>(std::move(items));
  }

  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  const Any& operator[](size_t index) const {
    TERN_DCHECK(index < items_.size());
    return items_[index];
  }
  std::span<const Any> items() const { return items_; }
  void Reserve(size_t count) { items_.reserve(count); }
  void PushBack(Any value) { items_.push_back(std::move(value)); }
  void Set(size_t index, Any value) {
    TERN_DCHECK(index < items_.size());
    items_[index] = std::move(value);
  }
  Any PopBack();  // the list must not be empty
  void Clear() { items_.clear(); }
  // For indices that come from outside.
  Result<Any> At(int64_t index) const;

 private:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  explicit List(std::vector<Any> items) : Object(kTypeCode, nullptr), items_(std::move(items)) {}
  ~List() = default;

  std::vector<Any> items_;
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_LIST_H_
