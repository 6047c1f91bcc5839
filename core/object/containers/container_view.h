// SPDX-License-Identifier: Apache-2.0
// What all typed views have in common: a reference to a container object C (Sequence or Table), and
// who may write to it.
#ifndef TERN_CORE_OBJECT_CONTAINERS_CONTAINER_VIEW_H_
#define TERN_CORE_OBJECT_CONTAINERS_CONTAINER_VIEW_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "core/object/any.h"

namespace tern::internal {

// kCopyOnWrite: a value, as arrays and maps are, which copies a container that others hold before
// it writes; else all holders see each other's writes, as those of lists and dicts do.
template <typename C, bool kCopyOnWrite>
class ContainerView {
 public:
  static constexpr bool kIsValue = kCopyOnWrite;

  size_t size() const { return object_->size(); }
  bool empty() const { return object_->empty(); }
  void Reserve(size_t count) { Writable()->Reserve(count); }
  void Clear() { Writable()->Clear(); }

  const ObjectPtr<C>& object() const { return object_; }
  // Gives the reference away; the view may only be assigned to or destroyed then.
  ObjectPtr<C> TakeObject() { return std::move(object_); }

 protected:
  ContainerView() : object_(C::Make()) { object_->set_frozen(kCopyOnWrite); }
  // Shares a container of its own kind; one of the other is taken over from its only holder, else
  // copied.
  explicit ContainerView(ObjectPtr<C> object) : object_(std::move(object)) {
    if (object_->is_frozen() == kCopyOnWrite) return;
    if (!object_->unique()) object_ = object_->Copy();
    object_->set_frozen(kCopyOnWrite);
  }
  ~ContainerView() = default;
  ContainerView(const ContainerView&) = default;
  ContainerView(ContainerView&&) noexcept = default;
  ContainerView& operator=(const ContainerView&) = default;
  ContainerView& operator=(ContainerView&&) noexcept = default;

  C* Writable() {
    if constexpr (kCopyOnWrite) {
      if (!object_->unique()) {
        object_ = object_->Copy();
        object_->set_frozen(true);
      }
    }
    return object_.get();
  }

 private:
  ObjectPtr<C> object_;
};

// The part of AnyTraits<F> that does not look at items. NameText is F's.
template <typename F>
struct ViewTraits {
  static TernAny View(const F& view) { return MakeObjectAny(view.object().get()); }
  static TernAny Own(F view) { return MakeObjectAny(view.TakeObject().Release()); }
};

}  // namespace tern::internal

#endif  // TERN_CORE_OBJECT_CONTAINERS_CONTAINER_VIEW_H_
