// SPDX-License-Identifier: Apache-2.0
// Object: the C++ view of TernObject, with an intrusive reference count; ObjectPtr<T> holds one
// reference.
//
// A subclass derives from Object first, has no virtual functions, and is made by MakeObject<T>(…),
// which counts one reference and sets a deleter. It names its code (`static constexpr TernTypeCode
// kTypeCode`), or, if it is of S4, its key and its parent, which register it when first used:
//
//   class Circle : public Drawing {
//    public:
//     static constexpr std::string_view kTypeKey = "sketch.Circle";
//     using Parent = Drawing;  // always its own, or it would be its parent's parent's child
//
// Kinds are told apart by code (IsInstance), never by RTTI. The count is changed atomically once
// the process has a second thread (core/base/threads.h).
#ifndef TERN_CORE_OBJECT_OBJECT_H_
#define TERN_CORE_OBJECT_OBJECT_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/abi/abi.h"
#include "core/base/check.h"
#include "core/base/threads.h"

namespace tern {

// "tensor", "int", "sketch.Circle"; "unknown type" for codes nobody registered.
std::string_view TypeKey(TernTypeCode code);

// Whether no type may have this one as its parent: values, boxes, and objects whose layout or whose
// form in an Any is part of the C interface.
constexpr bool IsSealed(TernTypeCode code) {
  return (code < TERN_TYPE_S3_FIRST && code != TERN_TYPE_MODULE) ||
         (code >= TERN_TYPE_STRING && code <= TERN_TYPE_SHAPE) || code == TERN_TYPE_STORAGE;
}

// What the first 8 bytes of a TernAny or a TernObject tell. An object that is dead (no reference
// left) must not be asked.
enum class HeaderKind : uint8_t { kValue, kAnyWithObject, kObject };
inline HeaderKind Check(const void* any_or_object) {
  const auto* words = static_cast<const int32_t*>(any_or_object);
  if (words[0] <= 0) return HeaderKind::kValue;  // a TernAny that holds no object
  return words[1] == 0 ? HeaderKind::kAnyWithObject : HeaderKind::kObject;
}

// Objects that live now, of every kind; for tests that counts return to where they were.
int64_t LiveObjectCount();

namespace internal {
// Memory for an object, 16-byte aligned; ends the process where there is none. Small blocks come
// from free lists of the thread (object.cc), or all from the allocator of SetObjectAllocator.
struct ObjectBlock {
  void* memory;
  bool custom;
};
ObjectBlock AllocateObject(size_t bytes);
// bytes: at most as many as were asked for; up to kMaxKeptBytes the block is kept for reuse.
void FreeObject(void* memory, size_t bytes);
inline constexpr size_t kMaxKeptBytes = 256;
// Makes a custom block's deleter give it back to its allocator.
void WrapDeleter(TernObject* object);
void CountObject(int64_t change);
// Runs `really`, now or, where it lies very deep in objects that are being deleted, as soon as
// these are gone: so no chain of objects, however long, overflows the stack.
void DeleteNested(TernObject* object, void (*really)(TernObject* object));
// Drops a reference where other threads may do so too.
void DropShared(TernObject* object);
// The deleter of objects that are pointed to weakly (weak.cc).
void DeleteWatched(TernObject* header);

// type_table.cc. Whether code, of S4, has this ancestor; registers a class, or ends the process.
bool InheritsFrom(TernTypeCode code, TernTypeCode ancestor);
TernTypeCode RegisterClass(std::string_view key, TernTypeCode parent, TernTypeCode* cache);

template <typename T>
inline constinit TernTypeCode class_code = 0;

template <typename T>
TernTypeCode ClassCode();
}  // namespace internal

// Whether an object of type `code` is one of `ancestor`, a type of S1 … S4.
inline bool IsA(TernTypeCode code, TernTypeCode ancestor) {
  return code == ancestor || (code >= TERN_TYPE_S4_FIRST && internal::InheritsFrom(code, ancestor));
}

class Object {
 public:
  TernTypeCode type_code() const { return header_.type_code; }
  std::string_view type_key() const { return TypeKey(type_code()); }

  template <typename T>
  bool IsInstance() const {
    if constexpr (std::same_as<T, Object>) {
      return true;
    } else if constexpr (requires { T::kTypeKey; }) {
      return IsA(header_.type_code, internal::ClassCode<T>());
    } else if constexpr (IsSealed(T::kTypeCode)) {
      return header_.type_code == T::kTypeCode;
    } else {
      return IsA(header_.type_code, T::kTypeCode);
    }
  }

  void IncRef() {
    if (OneThread())
      ++header_.ref_count;
    else
      __atomic_fetch_add(&header_.ref_count, 1, __ATOMIC_RELAXED);
  }
  void DecRef() {
#ifndef TERN_SINGLE_THREADED
    if (!OneThread()) return internal::DropShared(&header_);
#endif
    if (--header_.ref_count == 0) header_.deleter.call(&header_);
  }
  int32_t ref_count() const { return __atomic_load_n(&header_.ref_count, __ATOMIC_RELAXED); }
  bool unique() const { return __atomic_load_n(&header_.ref_count, __ATOMIC_ACQUIRE) == 1; }

  TernObject* header() { return &header_; }
  static Object* FromHeader(TernObject* header) { return reinterpret_cast<Object*>(header); }

  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

 protected:
  using Deleter = void (*)(TernObject*);
  // One reference, for the ObjectPtr that adopts it.
  Object(TernTypeCode code, Deleter deleter) : header_{} {
    header_.type_code = code;
    header_.ref_count = 1;
    header_.deleter.slot = 0;
    header_.deleter.call = deleter;
  }
  ~Object() = default;
  void set_deleter(Deleter deleter) { header_.deleter.call = deleter; }

 private:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  TernObject header_;
};
static_assert(sizeof(Object) == sizeof(TernObject));

namespace internal {
template <typename T>
TernTypeCode ClassCode() {
  if constexpr (std::same_as<T, Object>) {
    return 0;
  } else if constexpr (requires { T::kTypeKey; }) {
    static_assert(std::derived_from<T, typename T::Parent> && !std::same_as<T, typename T::Parent>);
    const TernTypeCode known = __atomic_load_n(&class_code<T>, __ATOMIC_RELAXED);
    if (known != 0) [[likely]]
      return known;
    return RegisterClass(T::kTypeKey, ClassCode<typename T::Parent>(), &class_code<T>);
  } else {
    return T::kTypeCode;
  }
}
}  // namespace internal

// A counted pointer to anything with IncRef and DecRef. Null when empty.
template <typename T>
class ObjectPtr {
 public:
  using element_type = T;

  ObjectPtr() = default;
  ObjectPtr(std::nullptr_t) {}  // NOLINT: implicit by design
  // Shares.
  explicit ObjectPtr(T* pointer) : pointer_(pointer) {
    if (pointer_ != nullptr) pointer_->IncRef();
  }
  // Takes over a reference that the caller holds.
  static ObjectPtr Adopt(T* pointer) {
    ObjectPtr result;
    result.pointer_ = pointer;
    return result;
  }
  ObjectPtr(const ObjectPtr& other) : ObjectPtr(other.pointer_) {}
  ObjectPtr(ObjectPtr&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  template <std::derived_from<T> U>
    requires(!std::same_as<U, T>)
  ObjectPtr(ObjectPtr<U> other) : pointer_(other.Release()) {}  // NOLINT
  ObjectPtr& operator=(ObjectPtr other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~ObjectPtr() {
    if (pointer_ != nullptr) pointer_->DecRef();
  }

  T* get() const { return pointer_; }
  T* operator->() const { return pointer_; }
  T& operator*() const { return *pointer_; }
  explicit operator bool() const { return pointer_ != nullptr; }
  // Gives the reference to the caller.
  [[nodiscard]] T* Release() { return std::exchange(pointer_, nullptr); }

  friend bool operator==(const ObjectPtr& a, const ObjectPtr& b) {
    return a.pointer_ == b.pointer_;
  }
  friend bool operator==(const ObjectPtr& a, std::nullptr_t) { return a.pointer_ == nullptr; }

 private:
  T* pointer_ = nullptr;
};

// For classes that cannot know: their memory is given back, not kept.
inline constexpr size_t kUnknownExtraBytes = size_t{1} << 30;

// A new T followed by `extra` bytes of uninitialised memory, which its constructor fills. A T with
// anything behind it says how much, so that its memory can be used again: size_t extra_bytes()
// const. A T that holds no other objects may say so, which saves a little: kIsLeaf.
template <typename T, typename... A>
auto MakeObjectWithExtra(size_t extra, A&&... args) {
  static_assert(std::derived_from<T, Object> && !std::is_polymorphic_v<T>);
  static_assert(alignof(T) <= 16);
  constexpr bool kSaysExtra = requires(const T& t) { t.extra_bytes(); };
  if constexpr (!kSaysExtra) TERN_CHECK(extra == 0, "the class needs extra_bytes()");
  const internal::ObjectBlock block = internal::AllocateObject(sizeof(T) + extra);
  T* object = new (block.memory) T(std::forward<A>(args)...);
  if constexpr (requires { T::kTypeKey; }) object->header_.type_code = internal::ClassCode<T>();
  constexpr void (*kDelete)(TernObject*) = [](TernObject* header) {
    T* self = static_cast<T*>(Object::FromHeader(header));
    size_t bytes = sizeof(T);
    if constexpr (requires { self->extra_bytes(); }) bytes += self->extra_bytes();
    self->~T();
    internal::FreeObject(self, bytes);
  };
  if constexpr (requires { T::kIsLeaf; })
    object->header_.deleter.call = kDelete;
  else
    object->header_.deleter.call = [](TernObject* h) { internal::DeleteNested(h, kDelete); };
  if (block.custom) [[unlikely]]
    internal::WrapDeleter(&object->header_);
  return ObjectPtr<T>::Adopt(object);
}
template <typename T, typename... A>
ObjectPtr<T> MakeObject(A&&... args) {
  return MakeObjectWithExtra<T>(0, std::forward<A>(args)...);
}

}  // namespace tern

#endif  // TERN_CORE_OBJECT_OBJECT_H_
