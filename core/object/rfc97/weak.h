// SPDX-License-Identifier: Apache-2.0
// WeakPtr: a pointer that does not keep its object alive, and gives null once the object is dead.
//
// The first weak pointer to an object makes a control block, notes it in a table beside the heap,
// and puts a deleter of its own into the object's header, which empties the block before the object
// is freed. So the header stays 16 bytes, and objects that nobody points to weakly pay nothing.
//
// Thread-safe as shared_ptr is: Lock may race with the release of the last reference, and gives
// either null or an object that lives. One WeakPtr itself is like an int.
#ifndef TERN_CORE_OBJECT_RFC97_WEAK_H_
#define TERN_CORE_OBJECT_RFC97_WEAK_H_

#include <utility>

#include "core/object/object.h"

namespace tern {

namespace internal {
struct WeakControl;
// The control block of a live object, with a reference for the caller.
WeakControl* WeakControlOf(Object* object);
void AddWeakRef(WeakControl* control);
void DropWeakRef(WeakControl* control);
// The object with a new reference, or null if it is dead or dying.
Object* LockWeak(WeakControl* control);
}  // namespace internal

template <typename T>
class WeakPtr {
 public:
  WeakPtr() = default;
  WeakPtr(const ObjectPtr<T>& object)  // NOLINT: implicit by design
      : control_(object != nullptr ? internal::WeakControlOf(object.get()) : nullptr) {}
  WeakPtr(const WeakPtr& other) : control_(other.control_) {
    if (control_ != nullptr) internal::AddWeakRef(control_);
  }
  WeakPtr(WeakPtr&& other) noexcept : control_(std::exchange(other.control_, nullptr)) {}
  WeakPtr& operator=(WeakPtr other) noexcept {
    std::swap(control_, other.control_);
    return *this;
  }
  ~WeakPtr() {
    if (control_ != nullptr) internal::DropWeakRef(control_);
  }

  // The object, or null if it is dead.
  ObjectPtr<T> Lock() const {
    Object* object = control_ != nullptr ? internal::LockWeak(control_) : nullptr;
    return ObjectPtr<T>::Adopt(static_cast<T*>(object));
  }
  bool expired() const { return Lock() == nullptr; }

 private:
  internal::WeakControl* control_ = nullptr;
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_RFC97_WEAK_H_
