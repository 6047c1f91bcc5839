// SPDX-License-Identifier: Apache-2.0
// Boxing and unboxing.
#include "core/object/boxed.h"

#include <iterator>

#include "core/object/strings/string.h"
#include "core/object/strings/ucs4_string.h"

namespace tern {
namespace {

// The value code of each box, by its place in S2 (types.def). The order is part of the ABI.
constexpr TernTypeCode kValueCodes[] = {TERN_TYPE_INT,    TERN_TYPE_FLOAT, TERN_TYPE_BOOL,
                                        TERN_TYPE_OPAQUE, TERN_TYPE_DTYPE, TERN_TYPE_DEVICE};
static_assert(TERN_TYPE_BOX_DEVICE - TERN_TYPE_S2_FIRST + 1 == std::size(kValueCodes));

// 0 if values of this code have no box. Six entries need no inverse table.
TernTypeCode BoxCodeOf(TernTypeCode value_code) {
  for (size_t i = 0; i < std::size(kValueCodes); ++i) {
    if (kValueCodes[i] == value_code) return TERN_TYPE_S2_FIRST + static_cast<TernTypeCode>(i);
  }
  return 0;
}

// A box of any kind. Boxes differ only in their code and in how the word is read, so one class
// makes them all; its payload must lie where TernBox::v does.
struct AnyBox : Object {
  AnyBox(TernTypeCode code, int64_t word) : Object(code, nullptr), payload(word) {}
  int64_t payload;
};
static_assert(sizeof(AnyBox) == sizeof(TernBox));

}  // namespace

namespace internal {

TernAny Unboxed(Object* object) {
  const TernTypeCode code = object->type_code();
  // The range is tested before the table, because nearly every object that comes here is no box.
  if (code >= TERN_TYPE_S2_FIRST && code < TERN_TYPE_S3_FIRST) [[unlikely]] {
    const auto* box = reinterpret_cast<const TernBox*>(object->header());
    const auto place = static_cast<size_t>(code - TERN_TYPE_S2_FIRST);
    TERN_CHECK(place < std::size(kValueCodes), "a box of no known kind");
    TernAny any = MakeAny(kValueCodes[place]);
    any.v.i = box->v.i;
    return any;
  }
  TernAny any = MakeAny(code);
  any.v.object = object->header();
  return any;
}

// The result has one reference for the caller. Text in place becomes a string object, because
// strings have no box.
Object* BoxedObject(const TernAny& any) {
  const TernTypeCode box = BoxCodeOf(any.type_code);
  if (box != 0) return MakeObject<AnyBox>(box, any.v.i).Release();
  if (const std::optional<std::string_view> text = AnyToText(any);
      text.has_value() && !HoldsObject(any))
    return LongString::Make(*text).Release();
  if (any.type_code == TERN_TYPE_SMALL_UCS4) return LongUCS4String::Make(*AnyToUCS4(any)).Release();
  // Any other value is owned like an Any. If that gave no object (none), there is nothing to box.
  const TernAny owned = OwnAny(any);
  return HoldsObject(owned) ? ObjectOf(owned) : nullptr;
}

}  // namespace internal

ObjectPtr<Object> ToObject(AnyView value) {
  return ObjectPtr<Object>::Adopt(internal::BoxedObject(value.c_any()));
}

}  // namespace tern
