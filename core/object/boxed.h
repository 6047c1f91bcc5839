// SPDX-License-Identifier: Apache-2.0
// Boxed values: an int, float, bool, pointer, dtype or device as an object, for code that works on
// objects alone.
//
// Boxes are made where an object is asked of a value (ToObject, or TryCast<ObjectPtr<BoxInt>>) and
// undone wherever an object goes into an Any: an Any never holds one. So neither side of a call
// needs to know what the other works on:
//
//   int64_t Next(Any x) { return *x.TryCast<int64_t>() + 1; }
//   const ObjectPtr<BoxInt> three = BoxInt::Make(3);
//   Next(three);  // 4
//
// Immutable; safe from several threads.
#ifndef TERN_CORE_OBJECT_BOXED_H_
#define TERN_CORE_OBJECT_BOXED_H_

#include <type_traits>

#include "core/object/any.h"

namespace tern {

// All boxes are a TernBox: kCode is the box's type code, V what it holds.
template <TernTypeCode kCode, typename V>
class Box : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = kCode;
  static constexpr bool kIsLeaf = true;
  static ObjectPtr<Box> Make(V value) { return MakeObject<Box>(value); }

  V value() const { return value_; }

 private:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  explicit Box(V value) : Object(kCode, nullptr), word_(0) { value_ = value; }
  ~Box() = default;

  union {
    V value_;
    uint64_t word_;  // bytes that V does not use are zero
  };
};

using BoxInt = Box<TERN_TYPE_BOX_INT, int64_t>;
using BoxFloat = Box<TERN_TYPE_BOX_FLOAT, double>;
using BoxBool = Box<TERN_TYPE_BOX_BOOL, int64_t>;  // 0 or 1
using BoxOpaque = Box<TERN_TYPE_BOX_OPAQUE, void*>;
using BoxDType = Box<TERN_TYPE_BOX_DTYPE, TernDLDataType>;
using BoxDevice = Box<TERN_TYPE_BOX_DEVICE, TernDLDevice>;
static_assert(sizeof(BoxInt) == sizeof(TernBox) && sizeof(BoxDType) == sizeof(TernBox));

// The value as an object: objects as they are, numbers and the like in a box, text as a string
// object, a borrowed DLPack tensor as a copy. Null for none.
ObjectPtr<Object> ToObject(AnyView value);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_BOXED_H_
