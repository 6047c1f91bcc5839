// SPDX-License-Identifier: Apache-2.0
// Weak pointers: control blocks, found by the address of their object in one table. The table's
// lock is taken when the first weak pointer to an object is made and when the object dies, never by
// Lock.
#include "core/object/rfc97/weak.h"

#include <unordered_map>

#include "core/base/spin_lock.h"

namespace tern::internal {

struct WeakControl {
  SpinLock lock;  // guards object
  Object* object;
  void (*deleter)(TernObject*);  // the object's own
  int32_t ref_count;             // of weak pointers, and one of the table while the object lives
};

namespace {

constinit SpinLock table_lock;
// Made when first needed, never destroyed: objects may outlive every static.
constinit std::unordered_map<Object*, WeakControl*>* table = nullptr;

}  // namespace

// The deleter of an object that is pointed to weakly. No reference is left; a Lock that runs now
// sees a count of 0 and gives up.
void DeleteWatched(TernObject* header) {
  Object* object = Object::FromHeader(header);
  WeakControl* control;
  {
    // Out of the table first, so that a new object at this address finds no stale block.
    SpinLockGuard guard(&table_lock);
    const auto place = table->find(object);
    control = place->second;
    table->erase(place);
  }
  // The lock waits for a LockWeak that is reading the count: after it the memory may go.
  {
    SpinLockGuard guard(&control->lock);
    control->object = nullptr;
  }
  // The object's own deleter, which may be that of a custom allocator (object.cc).
  control->deleter(header);
  DropWeakRef(control);
}

WeakControl* WeakControlOf(Object* object) {
  SpinLockGuard guard(&table_lock);
  if (table == nullptr) table = new std::unordered_map<Object*, WeakControl*>;
  WeakControl*& control = (*table)[object];
  // The caller holds a reference, so nobody deletes the object while its deleter is replaced.
  if (control == nullptr) {
    TernObject* header = object->header();
    control = new WeakControl{{}, object, header->deleter.call, 1};
    header->deleter.call = &DeleteWatched;
  }
  AddWeakRef(control);
  return control;
}

void AddWeakRef(WeakControl* control) {
  __atomic_fetch_add(&control->ref_count, 1, __ATOMIC_RELAXED);
}

void DropWeakRef(WeakControl* control) {
  if (__atomic_fetch_sub(&control->ref_count, 1, __ATOMIC_ACQ_REL) == 1) delete control;
}

Object* LockWeak(WeakControl* control) {
  SpinLockGuard guard(&control->lock);  // while it is held the memory stays
  if (control->object == nullptr) return nullptr;
  int32_t* count = &control->object->header()->ref_count;
  // A plain increment could revive an object whose count has just become 0, so the count is raised
  // only from a positive value.
  int32_t seen = __atomic_load_n(count, __ATOMIC_RELAXED);
  while (seen > 0) {  // 0: its deleter is on the way
    if (__atomic_compare_exchange_n(count, &seen, seen + 1, true, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      return control->object;
  }
  return nullptr;
}

}  // namespace tern::internal
