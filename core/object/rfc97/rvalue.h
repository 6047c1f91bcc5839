// SPDX-License-Identifier: Apache-2.0
// Moved arguments: a caller that needs a value no more offers it, and the callee takes the object
// with its reference, so that no count changes and an unshared container may be changed in place.
//
//   Any list = …;
//   append->Invoke({Moved(&list), 4});  // list is none afterwards, if append took it
//
// A typed function takes what is offered through parameters ObjectPtr<T> and Any; T*, T& and
// AnyView only look. What was taken is gone: reading the argument again is an error that says so.
// What was not taken still belongs to the caller.
#ifndef TERN_CORE_OBJECT_RFC97_RVALUE_H_
#define TERN_CORE_OBJECT_RFC97_RVALUE_H_

#include <utility>

#include "core/object/any.h"

namespace tern {

// Offers *value, which must outlive the call. Values held in place are passed as they are.
inline AnyView Moved(Any* value) {
  if (!value->is_object()) return AnyView(*value);
  return AnyView(internal::MakePointerAny(TERN_TYPE_RVALUE_REF, value));
}

// Copy-on-write: `object` itself where nobody else holds it, else copy(*object), which gives an
// ObjectPtr<T> of its own. The result may be changed.
template <typename T, typename F>
ObjectPtr<T> Unshare(ObjectPtr<T> object, F&& copy) {
  if (object->unique()) return object;
  return copy(static_cast<const T&>(*object));
}

}  // namespace tern

#endif  // TERN_CORE_OBJECT_RFC97_RVALUE_H_
