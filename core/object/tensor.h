// SPDX-License-Identifier: Apache-2.0
// Storage owns memory; Tensor is a window on it: a DLPack tensor in an object, zero-copy in and
// out.
//
// New tensors are contiguous (rows last) and 64-byte aligned. Views share the memory and keep it
// alive. A tensor may also stand on foreign memory: an imported DLPack tensor, whose deleter runs
// exactly once when the last view dies, or bytes that another object keeps (a mapped file).
// Elements of a string tensor are Any values holding text (string_at, set_string); they never leave
// through DLPack.
#ifndef TERN_CORE_OBJECT_TENSOR_H_
#define TERN_CORE_OBJECT_TENSOR_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/object/allocator.h"
#include "core/object/any.h"
#include "core/object/dtype.h"
#include "core/object/shape.h"

namespace tern {

class DeviceAllocator;  // device.h

inline constexpr size_t kTensorAlignment = 64;
inline constexpr int kMaxRank = 64;  // what Tensor accepts; kernels take fewer

class Storage : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_STORAGE;
  using Release = void (*)(void* context, void* data, size_t bytes);

  // Uninitialised memory.
  static Result<ObjectPtr<Storage>> New(Allocator* allocator, size_t bytes,
                                        size_t alignment = kTensorAlignment);
  // Uninitialised memory at a place; null where it cannot be had (arena.h).
  static ObjectPtr<Storage> NewAt(Arena* arena, const Place& place, size_t bytes);
  // The same wherever there is room beside what is kept.
  static ObjectPtr<Storage> NewIn(Arena* arena, std::span<const Place> kept, size_t bytes);
  // Foreign memory; release(context, data, bytes), if any, is called once at the end.
  static ObjectPtr<Storage> Wrap(void* data, size_t bytes, Release release, void* context);

  // Uninitialised memory of a device.
  static Result<ObjectPtr<Storage>> NewOn(DeviceAllocator* device, size_t bytes,
                                          size_t alignment = kTensorAlignment);

  // A device's pointer is understood by its functions only.
  uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  // Null: memory of the host.
  DeviceAllocator* device() const { return on_device_ ? device_ : nullptr; }

 private:
  friend class Tensor;
  Storage(Deleter deleter, uint8_t* data, size_t bytes);
  ~Storage() = default;
  static ObjectPtr<Storage> WrapPlace(Arena* arena, void* data, size_t bytes);
  static void DeleteOwned(TernObject* header);
  static void DeleteWrapped(TernObject* header);
  static void DeletePlaced(TernObject* header);
  static void DeleteOnDevice(TernObject* header);

  uint8_t* data_;
  size_t bytes_;
  union {
    Allocator* allocator_;     // of owned memory, this object included; one reference
    void* context_;            // of wrapped memory
    Arena* arena_;             // of a place; the allocator has one reference
    DeviceAllocator* device_;  // of a device's memory; one reference
  };
  Release release_ = nullptr;
  uint32_t alignment_ = 0;
  bool holds_strings_ = false;  // an array of Any, destroyed at the end
  bool on_device_ = false;
};
static_assert(sizeof(Storage) <= kTensorAlignment);

class Tensor : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_TENSOR;

  // Uninitialised (strings: empty). Null allocator: DefaultAllocator(). Errors: negative dimension,
  // overflow, out of memory, unknown dtype.
  static Result<ObjectPtr<Tensor>> New(Allocator* allocator, DType dtype, Dims dims);
  static Result<ObjectPtr<Tensor>> New(DType dtype, Dims dims) { return New(nullptr, dtype, dims); }
  static Result<ObjectPtr<Tensor>> New(DType dtype, std::initializer_list<int64_t> dims) {
    return New(nullptr, dtype, Dims(dims.begin(), dims.size()));
  }
  // Window on storage, contiguous, elements from byte_offset on. Error if it does not fit or is
  // misaligned.
  static Result<ObjectPtr<Tensor>> FromStorage(ObjectPtr<Storage> storage, size_t byte_offset,
                                               DType dtype, Dims dims);
  // All of a storage that has room for it; uninitialised. The object's own memory is the
  // allocator's.
  static ObjectPtr<Tensor> OfStorage(ObjectPtr<Storage> storage, DType dtype, Dims dims,
                                     Allocator* allocator);
  // Contiguous elements that `keeper` (may be null: static memory) keeps alive; read-only unless
  // writable.
  static Result<ObjectPtr<Tensor>> FromMemory(const void* data, size_t bytes,
                                              ObjectPtr<Object> keeper, DType dtype, Dims dims,
                                              bool writable = false);
  // The same at any address, as in a file that aligns nothing. Where it is not is_aligned(),
  // elements can be copied as bytes and no more; Contiguous() has them for the rest.
  static Result<ObjectPtr<Tensor>> FromUnaligned(const void* data, size_t bytes,
                                                 ObjectPtr<Object> keeper, DType dtype, Dims dims,
                                                 bool writable = false);
  // A contiguous copy of values; dims must hold as many.
  template <typename T>
  static Result<ObjectPtr<Tensor>> FromValues(std::span<const T> values, Dims dims) {
    return FromBytes(kDTypeOf<T>, dims,
                     {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()});
  }
  template <typename T>
  static Result<ObjectPtr<Tensor>> FromValues(std::initializer_list<T> values,
                                              std::initializer_list<int64_t> dims) {
    return FromValues(std::span<const T>(values.begin(), values.size()),
                      Dims(dims.begin(), dims.size()));
  }
  static Result<ObjectPtr<Tensor>> FromBytes(DType dtype, Dims dims, ByteSpan bytes);
  static Result<ObjectPtr<Tensor>> FromStrings(std::span<const std::string_view> values, Dims dims);
  template <typename T>
  static ObjectPtr<Tensor> Scalar(T value) {
    return FromBytes(kDTypeOf<T>, {}, {reinterpret_cast<const uint8_t*>(&value), sizeof(T)})
        .value();
  }

  DType dtype() const { return c_.dl.tensor.dtype; }
  int rank() const { return c_.dl.tensor.ndim; }
  Dims dims() const { return {c_.dl.tensor.shape, static_cast<size_t>(c_.dl.tensor.ndim)}; }
  int64_t dim(int axis) const { return c_.dl.tensor.shape[axis]; }
  // In elements, always present.
  Dims strides() const { return {c_.dl.tensor.strides, static_cast<size_t>(c_.dl.tensor.ndim)}; }
  TernDLDevice device() const { return c_.dl.tensor.device; }
  // Else data() and all that reads elements are not for host code (device.h, CheckOnHost).
  bool on_host() const { return c_.dl.tensor.device.device_type == TERN_DEVICE_CPU; }
  // Whose memory it is a window on; null where the memory came in another way.
  Storage* storage() const;
  int64_t element_count() const { return count_; }
  // Of a contiguous tensor with as many elements.
  size_t byte_size() const { return static_cast<size_t>(*dtype().bytes_for(count_)); }
  bool is_contiguous() const;
  // Whether elements have addresses that suit their type.
  bool is_aligned() const;
  bool is_read_only() const { return (c_.flags & TERN_TENSOR_READ_ONLY) != 0; }

  // The first element. The caller respects is_read_only().
  void* data() const { return static_cast<uint8_t*>(c_.dl.tensor.data) + c_.dl.tensor.byte_offset; }
  template <typename T>
  T* data_as() const {
    TERN_DCHECK(kDTypeOf<std::remove_cv_t<T>> == dtype() ||
                (sizeof(T) == 2 && dtype().size() == 2));
    TERN_DCHECK(is_aligned());
    return static_cast<T*>(data());
  }
  // All elements of a contiguous tensor.
  template <typename T>
  std::span<T> values() const {
    TERN_DCHECK(is_contiguous());
    return {data_as<T>(), static_cast<size_t>(count_)};
  }
  ByteSpan bytes() const {
    TERN_DCHECK(is_contiguous());
    return {static_cast<const uint8_t*>(data()), byte_size()};
  }

  // Elements of a contiguous string tensor, by flat index.
  std::string_view string_at(int64_t index) const;
  void set_string(int64_t index, std::string_view text);

  // Another shape over the same memory; needs a contiguous tensor and an equal count.
  Result<ObjectPtr<Tensor>> Reshape(Dims dims) const;
  // Rows [begin, end) of one axis, step >= 1, without copying.
  Result<ObjectPtr<Tensor>> Slice(int axis, int64_t begin, int64_t end, int64_t step = 1) const;
  // Any window on the same memory: dims, strides in elements, offset in elements from this tensor's
  // first; checked against the extent of the memory this tensor reaches.
  Result<ObjectPtr<Tensor>> View(Dims dims, Dims strides, int64_t element_offset) const;
  // Itself if contiguous and aligned, else a copy from allocator that is.
  Result<ObjectPtr<Tensor>> Contiguous(Allocator* allocator = nullptr) const;
  Result<ObjectPtr<Tensor>> Copy(Allocator* allocator = nullptr) const;

  // DLPack, versioned. Export shares the memory: the receiver calls its deleter once. Import takes
  // over `managed` on success only; its read-only flag is honoured.
  Result<TernDLManagedTensorVersioned*> ToDLPack() const;
  static Result<ObjectPtr<Tensor>> FromDLPack(TernDLManagedTensorVersioned* managed);
  // A contiguous copy of a borrowed tensor.
  static Result<ObjectPtr<Tensor>> CopyOf(const TernDLTensor& borrowed);

  // "f32[2, 3]".
  std::string TypeText() const;
  const TernTensor& c_tensor() const { return *reinterpret_cast<const TernTensor*>(this); }
  void set_read_only() { c_.flags |= TERN_TENSOR_READ_ONLY; }

 private:
  // TernTensor behind its header, which is the Object.
  struct Body {
    union {
      TernDLTensor tensor;
      uint64_t slots[6];
    } dl;
    union {
      TernObject* object;
      uint64_t slot;
    } owner;
    union {
      TernDLManagedTensorVersioned* pointer;
      uint64_t slot;
    } manager;
    uint64_t flags;
  };
  struct Window;  // tensor_window.h: what a new tensor looks at

  static Result<Window> WindowOf(const TernDLTensor& dl);
  // The same first element, owner and flags.
  Window SubWindow(Dims dims) const;

  Tensor(const Window& window, Allocator* allocator);
  ~Tensor();
  static ObjectPtr<Tensor> Make(const Window& window, Allocator* allocator);
  static void Delete(TernObject* header);

  Body c_;
  int64_t count_;
  Allocator* allocator_;  // of this object's own memory; one reference; null: the heap
};
static_assert(sizeof(Tensor) == sizeof(TernTensor) + 16);

using TensorPtr = ObjectPtr<Tensor>;
using StoragePtr = ObjectPtr<Storage>;

// A DLPack tensor that the value lends: a borrowed one, or that of a tensor object. Owning copies.
template <>
struct AnyTraits<const TernDLTensor*> {
  static std::string_view Name() { return "tensor"; }
  static TernAny View(const TernDLTensor* borrowed) {
    return internal::MakePointerAny(TERN_TYPE_DL_TENSOR, const_cast<TernDLTensor*>(borrowed));
  }
  static TernAny Own(const TernDLTensor* borrowed) { return internal::OwnAny(View(borrowed)); }
  static std::optional<const TernDLTensor*> TryCast(const TernAny& any) {
    if (any.type_code == TERN_TYPE_DL_TENSOR) return static_cast<const TernDLTensor*>(any.v.p);
    const Tensor* tensor = AnyView(any).TryCast<Tensor>();
    if (tensor == nullptr) return std::nullopt;
    return &tensor->c_tensor().dl.tensor;
  }
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_TENSOR_H_
