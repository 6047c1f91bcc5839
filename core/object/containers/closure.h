// SPDX-License-Identifier: Apache-2.0
// Closure: the index of a function of the executable, and the values it captured, inline.
#ifndef TERN_CORE_OBJECT_CONTAINERS_CLOSURE_H_
#define TERN_CORE_OBJECT_CONTAINERS_CLOSURE_H_

#include <span>

#include "core/object/any.h"

namespace tern {

class Closure : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_CLOSURE;
  static ObjectPtr<Closure> Make(uint32_t function_index, std::span<const AnyView> free_variables);

  uint32_t function_index() const { return function_index_; }
  std::span<const Any> free_variables() const {
    return {reinterpret_cast<const Any*>(this + 1), size_};
  }

 private:
  size_t extra_bytes() const { return size_ * sizeof(Any); }
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  Closure(uint32_t function_index, std::span<const AnyView> free_variables);
  ~Closure();

  uint32_t function_index_;
  uint32_t size_;
};
static_assert(sizeof(Closure) == sizeof(TernClosure));

}  // namespace tern

#endif  // TERN_CORE_OBJECT_CONTAINERS_CLOSURE_H_
