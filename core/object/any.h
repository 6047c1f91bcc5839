// SPDX-License-Identifier: Apache-2.0
// AnyView borrows a value, Any owns one; both are TernAny (core/abi/abi.h), 16 bytes.
//
// Numbers, bools, dtypes and text of up to 7 bytes lie in the value itself and copy without any
// counting; an object is one counted pointer in Any and an uncounted one in AnyView. Padding is
// always zero. AnyPad (any_pad.h) has room for longer text.
//
// What goes into a value is unboxed: a BoxInt becomes an int (boxed.h). Making an Any from a view
// takes a reference, copies borrowed text and DLPack tensors, boxes padded text, and takes what a
// moved reference (rvalue.h) offers; what cannot be owned becomes an Error object that says why.
//
// Reading: v.TryCast<T>() gives optional<T> (or T*, null if not, where T is an object class);
// v.As<T>() gives Result<T> (Result<T*>) with an error such as "expected int, got tensor f32[2,
// 3]". Conversions that are made: bool to int, int and bool to float, raw text to string, a tuple
// to Array<T>, lists and tuples of ints to ObjectPtr<Shape>; never float to int, never text to
// number, never to a narrower integer that cannot hold it. T may be:
// integers, float, double, bool, std::string_view, String, DType, void* (opaque), any object class,
// ObjectPtr<of one>, AnyView, Any. A string_view of a short string points into the value it came
// from. ObjectPtr<Object> and pointers to boxes are also made from values, by boxing them.
//
// Distinct Any objects may be used by different threads; one Any is like an int.
#ifndef TERN_CORE_OBJECT_ANY_H_
#define TERN_CORE_OBJECT_ANY_H_

#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/abi/abi.h"
#include "core/base/result.h"
#include "core/base/text_word.h"
#include "core/object/dtype.h"
#include "core/object/object.h"

namespace tern {

// How T goes into and out of a TernAny. Specialised below; a new value type adds its own.
//   static std::string_view Name();                      for messages
//   static TernAny View(const T&);                       borrowed form
//   static TernAny Own(T);                               owned form (a reference is taken)
//   static std::optional<T> TryCast(const TernAny&);
//   static Status Mismatch(const TernAny&);              optional: why TryCast gives none
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
// Copies as two 64-bit words. A value is written in words, and one 16-byte load after two narrower
// stores would wait until they have left the store buffer; so the compiler may not join the words.
inline void CopyWords(const TernAny& from, TernAny* to) {
  uint64_t head, payload;
  std::memcpy(&head, &from, sizeof head);
  std::memcpy(&payload, &from.v, sizeof payload);
#if defined(__x86_64__) || defined(__aarch64__)
  asm("" : "+r"(head));
#endif
  std::memcpy(static_cast<void*>(to), &head, sizeof head);
  std::memcpy(static_cast<void*>(&to->v), &payload, sizeof payload);
}
TernAny MakeObjectAny(Object* object);  // none for null; boxes are unboxed
// The same with the reference that the caller holds.
TernAny AdoptObjectAny(Object* object);
inline TernAny MakePointerAny(TernTypeCode code, void* pointer) {
  TernAny any = MakeAny(code);
  any.v.p = pointer;
  return any;
}
// Text of <= 7 bytes.
inline TernAny MakeSmallString(std::string_view text) {
  TERN_DCHECK(text.size() < sizeof(TernAny::v.bytes));
  TernAny any = MakeAny(TERN_TYPE_SMALL_STRING);
  any.small_len = static_cast<int32_t>(text.size());
  any.v.i = static_cast<int64_t>(LoadTextWord(text.data(), text.size()));
  return any;
}
// A new string object.
TernAny MakeLongString(std::string_view text);
// The same value, with a reference taken; borrowed text is copied.
TernAny OwnAny(const TernAny& any);
inline bool HoldsObject(const TernAny& any) { return any.type_code > 0; }
inline void ReleaseAny(const TernAny& any) {
  if (HoldsObject(any)) Object::FromHeader(any.v.object)->DecRef();
}
inline Object* ObjectOf(const TernAny& any) { return Object::FromHeader(any.v.object); }

// The value behind a moved reference or a padded view, else any itself.
const TernAny& Resolve(const TernAny& any);
// The object behind a moved reference or an object handle, else null.
Object* IndirectObject(const TernAny& any);
// The object as a view, or the value of a box.
TernAny Unboxed(Object* object);
// The object that a moved reference offers, with its reference; the offering value becomes none.
Object* TakeMoved(const TernAny& any);
// The value as an object with a reference, by boxing; null where there is none.
Object* BoxedObject(const TernAny& any);

// Whether an object of static type T can be a box, so that it must be asked.
template <typename T>
constexpr bool MayBeBox() {
  if constexpr (std::same_as<T, Object>)
    return true;
  else if constexpr (requires { T::kTypeKey; })
    return false;
  else
    return T::kTypeCode >= TERN_TYPE_S2_FIRST && T::kTypeCode < TERN_TYPE_S3_FIRST;
}
template <typename T>
TernAny ViewObject(T* object) {
  if constexpr (MayBeBox<T>()) {
    return MakeObjectAny(object);
  } else {
    if (object == nullptr) return MakeAny(TERN_TYPE_NONE);
    TernAny any = MakeAny(object->type_code());
    any.v.object = object->header();
    return any;
  }
}

std::optional<int64_t> AnyToInt(const TernAny& any);
std::optional<double> AnyToFloat(const TernAny& any);
std::optional<bool> AnyToBool(const TernAny& any);
std::optional<std::string_view> AnyToText(const TernAny& any);
// The value of this code that any is, offers or boxes, perhaps put into *place; or null.
const TernAny* UnboxedAs(TernTypeCode code, const TernAny& any, TernAny* place);
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
Status ExplainCast(const TernAny& any) {
  if constexpr (requires { AnyTraits<T>::Mismatch(any); })
    return AnyTraits<T>::Mismatch(any);
  else
    return CastError(AnyTraits<T>::Name(), any);
}

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
  // The object, also behind a moved reference or a handle; null for values held in place.
  Object* object() const {
    return is_object() ? internal::ObjectOf(data_) : internal::IndirectObject(data_);
  }
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
      return Result<T>(internal::ExplainCast<T>(data_));
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
  explicit AnyBase(TernAny&& data) : data_(data) {}
  explicit AnyBase(const TernAny& data) { internal::CopyWords(data, &data_); }
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
  AnyView(T* object) : AnyBase(internal::ViewObject(object)) {}  // NOLINT
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
  Any(Any&& other) noexcept : AnyBase(other.data_) {
    other.data_ = internal::MakeAny(TERN_TYPE_NONE);
  }
  Any& operator=(const Any& other) {
    if (this != &other) *this = Any(other);
    return *this;
  }
  Any& operator=(Any&& other) noexcept {
    Any taken(std::move(other));  // so that self-assignment is harmless
    TernAny old;
    internal::CopyWords(data_, &old);
    internal::CopyWords(taken.data_, &data_);
    internal::CopyWords(old, &taken.data_);
    return *this;
  }
  ~Any() { internal::ReleaseAny(data_); }

  // To and from the C side, moving the reference.
  static Any Adopt(const TernAny& owned) {
    Any any;
    internal::CopyWords(owned, &any.data_);
    return any;
  }
  [[nodiscard]] TernAny Release() {
    TernAny released;
    internal::CopyWords(data_, &released);
    data_ = internal::MakeAny(TERN_TYPE_NONE);
    return released;
  }
  void Reset() { internal::ReleaseAny(Release()); }
};
static_assert(sizeof(Any) == 16 && sizeof(AnyView) == 16);
static_assert(std::is_trivially_copyable_v<AnyView>);

inline AnyView::AnyView(const Any& any) : AnyBase(any.c_any()) {}

// --- traits

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
    std::optional<int64_t> value = any.v.i;
    if (any.type_code != TERN_TYPE_INT) [[unlikely]]
      value = internal::AnyToInt(any);
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
    std::optional<double> value = any.v.f;
    if (any.type_code != TERN_TYPE_FLOAT) [[unlikely]]
      value = internal::AnyToFloat(any);
    if (!value.has_value()) return std::nullopt;
    return static_cast<T>(*value);
  }
};

// Owning copies the text; only text of <= 7 bytes can be viewed, so views are made from String or
// char*.
template <>
struct AnyTraits<std::string_view> {
  static std::string_view Name() { return "string"; }
  static TernAny Own(std::string_view text) {
    if (text.size() < sizeof(TernAny::v.bytes)) return internal::MakeSmallString(text);
    return internal::MakeLongString(text);
  }
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

// Zero-terminated text. Borrowed by views, copied where owned; what TryCast gives points into the
// value or its object.
template <>
struct AnyTraits<const char*> {
  static std::string_view Name() { return "string"; }
  static TernAny View(const char* text) {
    return internal::MakePointerAny(TERN_TYPE_RAW_STRING, const_cast<char*>(text));
  }
  static TernAny Own(const char* text) { return AnyTraits<std::string_view>::Own(text); }
  static std::optional<const char*> TryCast(const TernAny& any) {
    std::optional<std::string_view> text = internal::AnyToText(any);
    if (!text.has_value()) return std::nullopt;
    return text->data();
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
    if (any.type_code == TERN_TYPE_DTYPE) return DType(any.v.dtype);
    TernAny place;
    const TernAny* value = internal::UnboxedAs(TERN_TYPE_DTYPE, any, &place);
    if (value == nullptr) return std::nullopt;
    return DType(value->v.dtype);
  }
};

template <>
struct AnyTraits<TernDLDevice> {
  static std::string_view Name() { return "device"; }
  static TernAny View(TernDLDevice value) {
    TernAny any = internal::MakeAny(TERN_TYPE_DEVICE);
    any.v.device = value;
    return any;
  }
  static TernAny Own(TernDLDevice value) { return View(value); }
  static std::optional<TernDLDevice> TryCast(const TernAny& any) {
    TernAny place;
    const TernAny* value = internal::UnboxedAs(TERN_TYPE_DEVICE, any, &place);
    if (value == nullptr) return std::nullopt;
    return value->v.device;
  }
};

template <>
struct AnyTraits<void*> {
  static std::string_view Name() { return "opaque"; }
  static TernAny View(void* pointer) { return internal::MakePointerAny(TERN_TYPE_OPAQUE, pointer); }
  static TernAny Own(void* pointer) { return View(pointer); }
  static std::optional<void*> TryCast(const TernAny& any) {
    TernAny place;
    const TernAny* value = internal::UnboxedAs(TERN_TYPE_OPAQUE, any, &place);
    if (value == nullptr) return std::nullopt;
    return value->v.p;
  }
};

template <ObjectClass T>
struct AnyTraits<ObjectPtr<T>> {
  static std::string_view Name() { return AnyBase::TypeKeyOf<T>(); }
  static TernAny View(const ObjectPtr<T>& object) { return internal::ViewObject(object.get()); }
  static TernAny Own(ObjectPtr<T> object) {
    if constexpr (internal::MayBeBox<T>())
      return internal::AdoptObjectAny(object.Release());
    else
      return internal::ViewObject(object.Release());
  }
  static std::optional<ObjectPtr<T>> TryCast(const TernAny& any) {
    T* held = AnyView(any).TryCast<T>();
    if (held == nullptr) {
      if constexpr (internal::MayBeBox<T>()) return Box(any);
      if constexpr (requires { T::FromValue(any); }) {
        ObjectPtr<T> made = T::FromValue(any);
        if (made != nullptr) return made;
      }
      return std::nullopt;
    }
    if (any.type_code == TERN_TYPE_RVALUE_REF) [[unlikely]]
      return ObjectPtr<T>::Adopt(static_cast<T*>(internal::TakeMoved(any)));
    return ObjectPtr<T>(held);
  }

 private:
  static std::optional<ObjectPtr<T>> Box(const TernAny& any) {
    ObjectPtr<Object> made = ObjectPtr<Object>::Adopt(internal::BoxedObject(any));
    if (made == nullptr || !made->template IsInstance<T>()) return std::nullopt;
    return ObjectPtr<T>::Adopt(static_cast<T*>(made.Release()));
  }
};

template <>
struct AnyTraits<AnyView> {
  static std::string_view Name() { return "anything"; }
  // A moved reference is looked through, not taken; none where it was taken before.
  static std::optional<AnyView> TryCast(const TernAny& any) {
    if (any.type_code != TERN_TYPE_RVALUE_REF) return AnyView(any);
    const TernAny& value = internal::Resolve(any);
    if (value.type_code == TERN_TYPE_NONE) return std::nullopt;
    return AnyView(value);
  }
};

template <>
struct AnyTraits<Any> {
  static std::string_view Name() { return "anything"; }
  static std::optional<Any> TryCast(const TernAny& any) {
    if (!AnyTraits<AnyView>::TryCast(any).has_value()) return std::nullopt;
    return Any(AnyView(any));
  }
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_ANY_H_
