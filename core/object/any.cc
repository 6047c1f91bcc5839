// SPDX-License-Identifier: Apache-2.0
// Any: conversions between kinds, and the text of those that fail.
#include "core/object/any.h"

#include <cstring>

#include "core/base/json.h"
#include "core/object/error.h"
#include "core/object/strings/string.h"
#include "core/object/strings/ucs4_string.h"
#include "core/object/tensor.h"

namespace tern {

std::string_view TypeName(const TernAny& any) { return TypeKey(any.type_code); }

Any::Any(const char* text) : Any(std::string_view(text)) {}

namespace internal {
namespace {

// The text is cut at kMaxText because messages are one line; a long string is named by its kind.
// "int 5", "string \"abc\"", "tensor f32[2, 3]"; other kinds by name.
std::string Describe(const TernAny& any) {
  constexpr size_t kMaxText = 24;
  const AnyView view(any);
  // A moved reference is described by what it offers. An offering value that is none was taken by
  // an earlier parameter of the same call.
  if (any.type_code == TERN_TYPE_RVALUE_REF) {
    const TernAny& offered = Resolve(any);
    return offered.type_code == TERN_TYPE_NONE ? "a moved value that was taken before"
                                               : StrCat("moved ", Describe(offered));
  }
  if (any.type_code == TERN_TYPE_INT) return StrCat("int ", any.v.i);
  if (any.type_code == TERN_TYPE_FLOAT) return StrCat("float ", any.v.f);
  if (const Tensor* tensor = view.TryCast<Tensor>()) return StrCat("tensor ", tensor->TypeText());
  if (std::optional<std::string_view> text = AnyToText(any);
      text.has_value() && text->size() <= kMaxText) {
    return StrCat("string ", JsonQuote(*text));
  }
  return std::string(TypeName(any));
}

// Text that the caller only borrowed becomes ours. AnyToText refuses only UCS-4 text here, because
// both callers' codes hold text of one kind or the other.
TernAny OwnText(const TernAny& any) {
  if (const std::optional<std::string_view> text = AnyToText(any))
    return AnyTraits<std::string_view>::Own(*text);
  return AnyTraits<UCS4String>::Own(UCS4String(*AnyToUCS4(any)));
}

// A borrowed DLPack tensor has no owner that we could count, so it is copied. A failed copy becomes
// an Error object, because an Any cannot fail to be made.
TernAny OwnDLTensor(const TernAny& any) {
  Result<TensorPtr> copy = Tensor::CopyOf(*static_cast<const TernDLTensor*>(any.v.p));
  if (copy.ok()) return ViewObject((*copy).Release());
  return ViewObject(Error::Make(std::move(copy).status()).Release());
}

}  // namespace

TernAny MakeObjectAny(Object* object) {
  return object == nullptr ? MakeAny(TERN_TYPE_NONE) : Unboxed(object);
}

// Takes over the caller's reference. If the object was a box, its value has been copied out and the
// reference is dropped.
TernAny AdoptObjectAny(Object* object) {
  const TernAny any = MakeObjectAny(object);
  if (object != nullptr && !HoldsObject(any)) object->DecRef();
  return any;
}

TernAny MakeLongString(std::string_view text) {
  return ViewObject(LongString::Make(text).Release());
}

// Takes what a moved reference offers. A value that is no object is copied, because moving it would
// save nothing. A moved reference to a moved reference is refused (none), as it could form a
// circle.
TernAny OwnMoved(const TernAny& any) {
  if (Object* object = TakeMoved(any)) return AdoptObjectAny(object);
  const TernAny& offered = Resolve(any);
  const bool again = offered.type_code == TERN_TYPE_RVALUE_REF;
  return again ? MakeAny(TERN_TYPE_NONE) : OwnAny(offered);
}

// Each case makes the value independent of memory that the caller may reuse: text, tensors and
// offers are copied or taken, handles and boxes are resolved, everything else is plain data or
// counted.
TernAny OwnAny(const TernAny& any) {
  switch (any.type_code) {
    case TERN_TYPE_RAW_STRING:
    case TERN_TYPE_PADDED: return OwnText(any);
    case TERN_TYPE_RVALUE_REF: return OwnMoved(any);
    case TERN_TYPE_DL_TENSOR: return OwnDLTensor(any);
    case TERN_TYPE_OBJECT_HANDLE: return OwnAny(MakeObjectAny(static_cast<Object*>(any.v.p)));
    case TERN_TYPE_NONE: return MakeAny(TERN_TYPE_NONE);  // without a padded value's capacity
    default: break;
  }
  // Codes of values are at most zero, those of objects are positive (abi.h), so this test covers
  // all plain data.
  if (!HoldsObject(any)) return any;
  const TernAny value = Unboxed(ObjectOf(any));  // foreign callers may pass a box as it is
  if (HoldsObject(value)) ObjectOf(value)->IncRef();
  return value;
}

// One step suffices: padded values never hold references, and a reference to a reference reads as
// its own kind, which every caller refuses.
const TernAny& Resolve(const TernAny& any) {
  const bool indirect = any.type_code == TERN_TYPE_RVALUE_REF || any.type_code == TERN_TYPE_PADDED;
  return indirect ? *static_cast<const TernAny*>(any.v.p) : any;
}

Object* IndirectObject(const TernAny& any) {
  if (any.type_code == TERN_TYPE_OBJECT_HANDLE) return static_cast<Object*>(any.v.p);
  if (any.type_code != TERN_TYPE_RVALUE_REF) return nullptr;
  const TernAny& offered = Resolve(any);
  return HoldsObject(offered) ? ObjectOf(offered) : nullptr;
}

// The offering value becomes none at once, so that a second parameter that names the same value
// finds it taken, instead of two owners sharing one reference.
Object* TakeMoved(const TernAny& any) {
  if (any.type_code != TERN_TYPE_RVALUE_REF) return nullptr;
  TernAny* offered = static_cast<TernAny*>(any.v.p);
  if (!HoldsObject(*offered)) return nullptr;  // taken before
  Object* object = ObjectOf(*offered);
  *offered = MakeAny(TERN_TYPE_NONE);
  return object;
}

// The order matters: a value in place is read without touching an object. A box is only opened when
// the direct code differs. A result other than `place` lives as long as the argument.
const TernAny* UnboxedAs(TernTypeCode code, const TernAny& any, TernAny* place) {
  const TernAny& direct = Resolve(any);
  if (direct.type_code == code) return &direct;
  Object* object = HoldsObject(any) ? ObjectOf(any) : IndirectObject(any);
  if (object == nullptr) return nullptr;
  *place = Unboxed(object);
  return place->type_code == code ? place : nullptr;
}

std::optional<int64_t> AnyToInt(const TernAny& any) {
  // Ints and bools share v.i, so the common case is one comparison of codes and one load.
  if (any.type_code == TERN_TYPE_INT || any.type_code == TERN_TYPE_BOOL) return any.v.i;
  TernAny place;
  const TernAny* value = UnboxedAs(TERN_TYPE_INT, any, &place);
  if (value == nullptr) value = UnboxedAs(TERN_TYPE_BOOL, any, &place);
  if (value == nullptr) return std::nullopt;
  return value->v.i;
}

std::optional<double> AnyToFloat(const TernAny& any) {
  TernAny place;
  if (const TernAny* value = UnboxedAs(TERN_TYPE_FLOAT, any, &place)) return value->v.f;
  // Bools and ints widen to float. An int above 2^53 is rounded, as in C.
  if (std::optional<int64_t> value = AnyToInt(any)) return static_cast<double>(*value);
  return std::nullopt;
}

std::optional<bool> AnyToBool(const TernAny& any) {
  TernAny place;
  const TernAny* value = UnboxedAs(TERN_TYPE_BOOL, any, &place);
  if (value == nullptr) return std::nullopt;
  return value->v.i != 0;
}

std::optional<std::string_view> AnyToText(const TernAny& any) {
  const TernAny& value = Resolve(any);
  switch (value.type_code) {
    // Every spelling of UTF-8 text (abi.h): in place, as a C string, as an object, or as a handle
    // to one. The view is valid as long as the argument.
    case TERN_TYPE_SMALL_STRING:
      return std::string_view(value.v.bytes, static_cast<size_t>(value.small_len));
    // A raw string with a length need not end in a zero; length 0 means that it does.
    case TERN_TYPE_RAW_STRING: {
      const auto* text = static_cast<const char*>(value.v.p);
      if (value.small_len > 0) return std::string_view(text, static_cast<size_t>(value.small_len));
      return std::string_view(text);
    }
    case TERN_TYPE_STRING: return static_cast<LongString*>(ObjectOf(value))->view();
    case TERN_TYPE_OBJECT_HANDLE:
      if (Object* object = static_cast<Object*>(value.v.p);
          object != nullptr && object->IsInstance<LongString>())
        return static_cast<LongString*>(object)->view();
      return std::nullopt;
    default: return std::nullopt;
  }
}

Status CastError(std::string_view expected, const TernAny& any) {
  // Every int is one of 64 bits; one that is refused was asked for without sign.
  const bool is_unsigned = expected == "int" && AnyToInt(any).has_value();
  return TypeError("expected ", is_unsigned ? "u64, an int of at least 0" : expected, ", got ",
                   Describe(any));
}

}  // namespace internal

}  // namespace tern
