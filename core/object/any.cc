// SPDX-License-Identifier: Apache-2.0
// Any: conversions between kinds, and the text of those that fail.
#include "core/object/any.h"

#include <cstring>

#include "core/base/json.h"
#include "core/object/string.h"
#include "core/object/tensor.h"

namespace tern {

std::string_view TypeName(const TernAny& any) { return TypeKey(any.type_code); }

Any::Any(const char* text) : Any(std::string_view(text)) {}

namespace internal {
namespace {

// "int 5", "string \"abc\"", "tensor f32[2, 3]"; other kinds by name.
std::string Describe(const TernAny& any) {
  constexpr size_t kMaxText = 24;
  const AnyView view(any);
  if (any.type_code == TERN_TYPE_INT) return StrCat("int ", any.v.i);
  if (any.type_code == TERN_TYPE_FLOAT) return StrCat("float ", any.v.f);
  if (const Tensor* tensor = view.TryCast<Tensor>()) return StrCat("tensor ", tensor->TypeText());
  if (std::optional<std::string_view> text = AnyToText(any);
      text.has_value() && text->size() <= kMaxText) {
    return StrCat("string ", JsonQuote(*text));
  }
  return std::string(TypeName(any));
}

}  // namespace

TernAny MakeObjectAny(Object* object) {
  if (object == nullptr) return MakeAny(TERN_TYPE_NONE);
  TernAny any = MakeAny(object->type_code());
  any.v.object = object->header();
  return any;
}

TernAny MakePointerAny(TernTypeCode code, void* pointer) {
  TernAny any = MakeAny(code);
  any.v.p = pointer;
  return any;
}

TernAny MakeSmallString(std::string_view text) {
  TERN_DCHECK(text.size() < sizeof(TernAny::v.bytes));
  TernAny any = MakeAny(TERN_TYPE_SMALL_STRING);
  any.small_len = static_cast<int32_t>(text.size());
  text.copy(any.v.bytes, text.size());
  return any;
}

TernAny OwnAny(const TernAny& any) {
  if (any.type_code == TERN_TYPE_RAW_STRING)
    return AnyTraits<std::string_view>::Own(*AnyToText(any));
  if (HoldsObject(any)) ObjectOf(any)->IncRef();
  return any;
}

std::optional<int64_t> AnyToInt(const TernAny& any) {
  if (any.type_code == TERN_TYPE_INT || any.type_code == TERN_TYPE_BOOL) return any.v.i;
  return std::nullopt;
}

std::optional<double> AnyToFloat(const TernAny& any) {
  if (any.type_code == TERN_TYPE_FLOAT) return any.v.f;
  if (std::optional<int64_t> value = AnyToInt(any)) return static_cast<double>(*value);
  return std::nullopt;
}

std::optional<bool> AnyToBool(const TernAny& any) {
  if (any.type_code != TERN_TYPE_BOOL) return std::nullopt;
  return any.v.i != 0;
}

std::optional<std::string_view> AnyToText(const TernAny& any) {
  switch (any.type_code) {
    case TERN_TYPE_SMALL_STRING:
      return std::string_view(any.v.bytes, static_cast<size_t>(any.small_len));
    case TERN_TYPE_RAW_STRING: {
      const auto* text = static_cast<const char*>(any.v.p);
      if (any.small_len > 0) return std::string_view(text, static_cast<size_t>(any.small_len));
      return std::string_view(text);
    }
    case TERN_TYPE_STRING: return static_cast<LongString*>(ObjectOf(any))->view();
    default: return std::nullopt;
  }
}

Status CastError(std::string_view expected, const TernAny& any) {
  return TypeError("expected ", expected, ", got ", Describe(any));
}

}  // namespace internal

TernAny AnyTraits<std::string_view>::Own(std::string_view text) {
  if (text.size() <= String::kAnyCapacity) return internal::MakeSmallString(text);
  return internal::MakeObjectAny(LongString::Make(text).Release());
}

}  // namespace tern
