// SPDX-License-Identifier: Apache-2.0
// Adt: a tag and a fixed number of fields, inline. Tag 0 is the tuple.
#ifndef TERN_CORE_OBJECT_CONTAINERS_ADT_H_
#define TERN_CORE_OBJECT_CONTAINERS_ADT_H_

#include <initializer_list>
#include <span>

#include "core/object/any.h"

namespace tern {

class Adt : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_ADT;
  static constexpr int32_t kTupleTag = 0;

  // Fields are copied with a reference each; borrowed text is copied.
  static ObjectPtr<Adt> Make(int32_t tag, std::span<const AnyView> fields);
  static ObjectPtr<Adt> Tuple(std::span<const AnyView> fields) { return Make(kTupleTag, fields); }
  static ObjectPtr<Adt> Tuple(std::initializer_list<AnyView> fields) {
    return Make(kTupleTag, {fields.begin(), fields.size()});
  }

  int32_t tag() const { return tag_; }
  bool is_tuple() const { return tag_ == kTupleTag; }
  size_t size() const { return size_; }
  std::span<const Any> fields() const { return {reinterpret_cast<const Any*>(this + 1), size_}; }
  const Any& operator[](size_t index) const {
    TERN_DCHECK(index < size_);
    return fields()[index];
  }
  // For indices that come from outside; the error names index and arity.
  Result<Any> Field(int64_t index) const;

 private:
  size_t extra_bytes() const { return size_ * sizeof(Any); }
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  Adt(int32_t tag, std::span<const AnyView> fields);
  ~Adt();

  int32_t tag_;
  uint32_t size_;
};
static_assert(sizeof(Adt) == sizeof(TernAdt));

}  // namespace tern

#endif  // TERN_CORE_OBJECT_CONTAINERS_ADT_H_
