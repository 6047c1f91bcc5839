// SPDX-License-Identifier: Apache-2.0
// Boxing and unboxing.
#include "core/object/boxed.h"

#include <iterator>

#include "core/object/strings/string.h"
#include "core/object/strings/ucs4_string.h"

namespace tern {
namespace {

// The value code of each box, by its place in S2.
constexpr TernTypeCode kValueCodes[] = {TERN_TYPE_INT,    TERN_TYPE_FLOAT, TERN_TYPE_BOOL,
                                        TERN_TYPE_OPAQUE, TERN_TYPE_DTYPE, TERN_TYPE_DEVICE};
static_assert(TERN_TYPE_BOX_DEVICE - TERN_TYPE_S2_FIRST + 1 == std::size(kValueCodes));

TernTypeCode BoxCodeOf(TernTypeCode value_code) {
  for (size_t i = 0; i < std::size(kValueCodes); ++i) {
    if (kValueCodes[i] == value_code) return TERN_TYPE_S2_FIRST + static_cast<TernTypeCode>(i);
  }
  return 0;
}

// A box of any kind: they differ only in their code.
struct AnyBox : Object {
  AnyBox(TernTypeCode code, int64_t word) : Object(code, nullptr), payload(word) {}
  int64_t payload;
};
static_assert(sizeof(AnyBox) == sizeof(TernBox));

}  // namespace

namespace internal {

TernAny Unboxed(Object* object) {
  const TernTypeCode code = object->type_code();
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

Object* BoxedObject(const TernAny& any) {
  const TernTypeCode box = BoxCodeOf(any.type_code);
  if (box != 0) return MakeObject<AnyBox>(box, any.v.i).Release();
  if (const std::optional<std::string_view> text = AnyToText(any);
      text.has_value() && !HoldsObject(any))
    return LongString::Make(*text).Release();
  if (any.type_code == TERN_TYPE_SMALL_UCS4) return LongUCS4String::Make(*AnyToUCS4(any)).Release();
  const TernAny owned = OwnAny(any);
  return HoldsObject(owned) ? ObjectOf(owned) : nullptr;
}

}  // namespace internal

ObjectPtr<Object> ToObject(AnyView value) {
  return ObjectPtr<Object>::Adopt(internal::BoxedObject(value.c_any()));
}

}  // namespace tern
