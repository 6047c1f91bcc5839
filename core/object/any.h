// SPDX-License-Identifier: Apache-2.0
// AnyView borrows a value, Any owns one; both are TernAny (core/abi/abi.h), 16 bytes.
//
// Numbers, bools, dtypes and text of up to 7 bytes lie in the value itself and copy without any
// counting; an object is one counted pointer in Any and an uncounted one in AnyView. Padding is
// always zero.
//
// Reading: v.TryCast<T>() gives optional<T> (or T*, null if not, where T is an object class);
// v.As<T>() gives Result<T> (Result<T*>) with an error such as "expected int, got tensor f32[2,
// 3]". Conversions that are made: bool to int, int and bool to float, raw text to string; never
// float to int, never text to number, never to a narrower integer that cannot hold it. T may be:
// integers, float, double, bool, std::string_view, String, DType, void* (opaque), any object class,
// ObjectPtr<of one>, AnyView, Any. A string_view of a short string points into the value it came
// from.
#ifndef TERN_CORE_OBJECT_ANY_H_
#define TERN_CORE_OBJECT_ANY_H_

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/abi/abi.h"
#include "core/base/result.h"
#include "core/object/dtype.h"
#include "core/object/object.h"

namespace tern {

// How T goes into and out of a TernAny. Specialised below; a new value type adds its own.
//   static std::string_view Name();                      for messages
//   static TernAny View(const T&);                       borrowed form
//   static TernAny Own(T);                               owned form (a reference is taken)
//   static std::optional<T> TryCast(const TernAny&);
template <typename T>
struct AnyTraits;

template <typename T>
concept ObjectClass = std::derived_from<T, Object>;

namespace internal {
constexpr TernAny MakeAny(TernTypeCode code) {
  TernAny any{};
  any.type_code = code;
  return any;
}
inline TernAny MakeIntAny(TernTypeCode code, int64_t value) {
  TernAny any = MakeAny(code);
  any.v.i = value;
  return any;
}
TernAny MakeObjectAny(Object* object);  // none for null
TernAny MakePointerAny(TernTypeCode code, void* pointer);
// Text of <= 7 bytes.
TernAny MakeSmallString(std::string_view text);
// The same value, with a reference taken; borrowed text is copied.
TernAny OwnAny(const TernAny& any);
inline bool HoldsObject(const TernAny& any) { return any.type_code > 0; }
inline void ReleaseAny(const TernAny& any) {
  if (HoldsObject(any)) Object::FromHeader(any.v.object)->DecRef();
}
inline Object* ObjectOf(const TernAny& any) { return Object::FromHeader(any.v.object); }

std::optional<int64_t> AnyToInt(const TernAny& any);
std::optional<double> AnyToFloat(const TernAny& any);
std::optional<bool> AnyToBool(const TernAny& any);
std::optional<std::string_view> AnyToText(const TernAny& any);
// "type error: expected …, got …"
Status CastError(std::string_view expected, const TernAny& any);

// "i32" … "u8", for integer parameters that do not take every int.
template <std::integral T>
inline constexpr const char* kNarrowName = std::is_signed_v<T> ? (sizeof(T) == 4   ? "i32"
                                                                  : sizeof(T) == 2 ? "i16"
                                                                                   : "i8")
                                                               : (sizeof(T) == 4   ? "u32"
                                                                  : sizeof(T) == 2 ? "u16"
                                                                                   : "u8");

template <typename T>
struct CastOf {
  using Type = std::optional<T>;
};
template <ObjectClass T>
struct CastOf<T> {
  using Type = T*;
};
}  // namespace internal

// "int", "string", "tensor"…: for messages.
std::string_view TypeName(const TernAny& any);

// What Any and AnyView share: reading.
class AnyBase {
 public:
  TernTypeCode type_code() const { return data_.type_code; }
  std::string_view type_name() const { return TypeName(data_); }
  bool is_none() const { return data_.type_code == TERN_TYPE_NONE; }
  bool is_object() const { return internal::HoldsObject(data_); }
  // The object, or null for values held in place.
  Object* object() const { return is_object() ? internal::ObjectOf(data_) : nullptr; }
  const TernAny& c_any() const { return data_; }

  template <typename T>
  typename internal::CastOf<T>::Type TryCast() const {
    if constexpr (ObjectClass<T>) {
      Object* held = object();
      return held != nullptr && held->IsInstance<T>() ? static_cast<T*>(held) : nullptr;
    } else {
      return AnyTraits<T>::TryCast(data_);
    }
  }
  template <typename T>
  auto As() const {
    if constexpr (ObjectClass<T>) {
      T* cast = TryCast<T>();
      if (cast != nullptr) return Result<T*>(cast);
      return Result<T*>(internal::CastError(TypeKeyOf<T>(), data_));
    } else {
      std::optional<T> cast = TryCast<T>();
      if (cast.has_value()) return Result<T>(*std::move(cast));
      return Result<T>(internal::CastError(AnyTraits<T>::Name(), data_));
    }
  }
  template <typename T>
  bool Is() const {
    return static_cast<bool>(TryCast<T>());
  }

  template <ObjectClass T>
  static std::string_view TypeKeyOf() {
    if constexpr (std::same_as<T, Object>)
      return "an object";
    else
      return TypeKey(internal::ClassCode<T>());
  }

 protected:
  AnyBase() : data_(internal::MakeAny(TERN_TYPE_NONE)) {}
  explicit AnyBase(const TernAny& data) : data_(data) {}
  AnyBase(const AnyBase&) = default;
  AnyBase& operator=(const AnyBase&) = default;
  ~AnyBase() = default;

  TernAny data_;
};

class Any;

class AnyView : public AnyBase {
 public:
  AnyView() = default;
  AnyView(std::nullptr_t) {}  // NOLINT: implicit by design, as all below
  AnyView(const Any& any);    // NOLINT
  explicit AnyView(const TernAny& data) : AnyBase(data) {}
  template <typename T>
    requires requires(const T& v) { AnyTraits<std::remove_cvref_t<T>>::View(v); }
  AnyView(const T& value) : AnyBase(AnyTraits<T>::View(value)) {}  // NOLINT
  // Borrows zero-terminated text.
  AnyView(const char* text)  // NOLINT
      : AnyBase(internal::MakePointerAny(TERN_TYPE_RAW_STRING, const_cast<char*>(text))) {}
  template <ObjectClass T>
  AnyView(T* object) : AnyBase(internal::MakeObjectAny(object)) {}  // NOLINT
};

class Any : public AnyBase {
 public:
  Any() = default;
  Any(std::nullptr_t) {}  // NOLINT: implicit by design, as all below
  template <typename T>
    requires requires(T v) { AnyTraits<std::remove_cvref_t<T>>::Own(std::move(v)); }
  Any(T value) : AnyBase(AnyTraits<T>::Own(std::move(value))) {}  // NOLINT
  Any(const char* text);                                          // NOLINT: copies
  template <ObjectClass T>
  Any(T* object) : Any(ObjectPtr<T>(object)) {}  // NOLINT
  explicit Any(AnyView view) : AnyBase(internal::OwnAny(view.c_any())) {}

  Any(const Any& other) : AnyBase(other.data_) {
    if (is_object()) internal::ObjectOf(data_)->IncRef();
  }
  Any(Any&& other) noexcept : AnyBase(other.Release()) {}
  Any& operator=(const Any& other) {
    if (this != &other) *this = Any(other);
    return *this;
  }
  Any& operator=(Any&& other) noexcept {
    Any taken(std::move(other));  // so that self-assignment is harmless
    std::swap(data_, taken.data_);
    return *this;
  }
  ~Any() { internal::ReleaseAny(data_); }

  // To and from the C side, moving the reference.
  static Any Adopt(const TernAny& owned) {
    Any any;
    any.data_ = owned;
    return any;
  }
  [[nodiscard]] TernAny Release() {
    return std::exchange(data_, internal::MakeAny(TERN_TYPE_NONE));
  }
  void Reset() { internal::ReleaseAny(Release()); }
};
static_assert(sizeof(Any) == 16 && sizeof(AnyView) == 16);
static_assert(std::is_trivially_copyable_v<AnyView>);

inline AnyView::AnyView(const Any& any) : AnyBase(any.c_any()) {}

// --- traits
// --------------------------------------------------------------------------------------------

template <>
struct AnyTraits<bool> {
  static std::string_view Name() { return "bool"; }
  static TernAny View(bool value) { return internal::MakeIntAny(TERN_TYPE_BOOL, value ? 1 : 0); }
  static TernAny Own(bool value) { return View(value); }
  static std::optional<bool> TryCast(const TernAny& any) { return internal::AnyToBool(any); }
};

template <std::integral T>
struct AnyTraits<T> {
  static_assert(!std::same_as<T, char>,
                "a character is not a value: cast it to int or make it text");
  static std::string_view Name() { return sizeof(T) == 8 ? "int" : internal::kNarrowName<T>; }
  static TernAny View(T value) {
    return internal::MakeIntAny(TERN_TYPE_INT, static_cast<int64_t>(value));
  }
  static TernAny Own(T value) { return View(value); }
  // None where the value does not fit T.
  static std::optional<T> TryCast(const TernAny& any) {
    std::optional<int64_t> value = internal::AnyToInt(any);
    if (!value.has_value() || !std::in_range<T>(*value)) return std::nullopt;
    return static_cast<T>(*value);
  }
};

template <std::floating_point T>
struct AnyTraits<T> {
  static std::string_view Name() { return "float"; }
  static TernAny View(T value) {
    TernAny any = internal::MakeAny(TERN_TYPE_FLOAT);
    any.v.f = static_cast<double>(value);
    return any;
  }
  static TernAny Own(T value) { return View(value); }
  static std::optional<T> TryCast(const TernAny& any) {
    std::optional<double> value = internal::AnyToFloat(any);
    if (!value.has_value()) return std::nullopt;
    return static_cast<T>(*value);
  }
};

// Owning copies the text; only text of <= 7 bytes can be viewed, so views are made from String or
// char*.
template <>
struct AnyTraits<std::string_view> {
  static std::string_view Name() { return "string"; }
  static TernAny Own(std::string_view text);
  static std::optional<std::string_view> TryCast(const TernAny& any) {
    return internal::AnyToText(any);
  }
};

template <>
struct AnyTraits<std::string> {
  static std::string_view Name() { return "string"; }
  static TernAny Own(const std::string& text) { return AnyTraits<std::string_view>::Own(text); }
  static std::optional<std::string> TryCast(const TernAny& any) {
    std::optional<std::string_view> text = internal::AnyToText(any);
    if (!text.has_value()) return std::nullopt;
    return std::string(*text);
  }
};

template <>
struct AnyTraits<DType> {
  static std::string_view Name() { return "dtype"; }
  static TernAny View(DType value) {
    TernAny any = internal::MakeAny(TERN_TYPE_DTYPE);
    any.v.dtype = value;
    return any;
  }
  static TernAny Own(DType value) { return View(value); }
  static std::optional<DType> TryCast(const TernAny& any) {
    if (any.type_code != TERN_TYPE_DTYPE) return std::nullopt;
    return DType(any.v.dtype);
  }
};

template <>
struct AnyTraits<void*> {
  static std::string_view Name() { return "opaque"; }
  static TernAny View(void* pointer) { return internal::MakePointerAny(TERN_TYPE_OPAQUE, pointer); }
  static TernAny Own(void* pointer) { return View(pointer); }
  static std::optional<void*> TryCast(const TernAny& any) {
    if (any.type_code != TERN_TYPE_OPAQUE) return std::nullopt;
    return any.v.p;
  }
};

template <ObjectClass T>
struct AnyTraits<ObjectPtr<T>> {
  static std::string_view Name() { return AnyBase::TypeKeyOf<T>(); }
  static TernAny View(const ObjectPtr<T>& object) { return internal::MakeObjectAny(object.get()); }
  static TernAny Own(ObjectPtr<T> object) { return internal::MakeObjectAny(object.Release()); }
  static std::optional<ObjectPtr<T>> TryCast(const TernAny& any) {
    T* held = AnyView(any).TryCast<T>();
    if (held == nullptr) return std::nullopt;
    return ObjectPtr<T>(held);
  }
};

template <>
struct AnyTraits<AnyView> {
  static std::string_view Name() { return "anything"; }
  static std::optional<AnyView> TryCast(const TernAny& any) { return AnyView(any); }
};

template <>
struct AnyTraits<Any> {
  static std::string_view Name() { return "anything"; }
  static std::optional<Any> TryCast(const TernAny& any) { return Any(AnyView(any)); }
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_ANY_H_
