// SPDX-License-Identifier: Apache-2.0
// Storage and Tensor: making, windows, copies. DLPack is in dlpack.cc.
//
// Both objects come from the allocator they serve, a Storage in one block with its data, so that a
// run whose allocator is pooled does not touch the heap.
#include "core/object/tensor.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/object/device.h"
#include "core/object/memory_account.h"
#include "core/object/strings/string.h"
#include "core/object/tensor_window.h"

namespace tern {
namespace {

size_t HeaderBytes(size_t alignment) {
  return (sizeof(Storage) + alignment - 1) / alignment * alignment;
}

TernDLDevice DeviceOf(const Object* owner) {
  if (owner == nullptr || owner->type_code() != TERN_TYPE_STORAGE) return {TERN_DEVICE_CPU, 0};
  const DeviceAllocator* device = static_cast<const Storage*>(owner)->device();
  return device == nullptr ? TernDLDevice{TERN_DEVICE_CPU, 0} : device->device().dl();
}

Any* StringsOf(const Tensor& tensor) { return static_cast<Any*>(tensor.data()); }

Status BadDims(DType dtype, Dims dims) {
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] >= 0) continue;
    return InvalidArgument("a tensor ", dtype.ToString(), FormatDims(dims), " cannot be: axis ",
                           axis, " is ", dims[axis]);
  }
  return OutOfRange("a tensor ", dtype.ToString(), FormatDims(dims), " is larger than any memory");
}

}  // namespace

// --- Storage

Storage::Storage(Deleter deleter, uint8_t* data, size_t bytes)
    : Object(kTypeCode, deleter), data_(data), bytes_(bytes), context_(nullptr) {
  internal::CountObject(1);
}

Result<StoragePtr> Storage::New(Allocator* allocator, size_t bytes, size_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > 4096) {
    return InvalidArgument("alignment ", alignment, " is not a power of two up to 4096");
  }
  if (allocator == nullptr) allocator = DefaultAllocator().get();
  alignment = std::max(alignment, alignof(Storage));
  const size_t header = HeaderBytes(alignment);
  void* block = bytes <= SIZE_MAX / 4 ? allocator->Allocate(header + bytes, alignment) : nullptr;
  if (block == nullptr) {
    return OutOfMemory("no memory for ", FormatBytes(bytes), " (",
                       FormatBytes(static_cast<uint64_t>(allocator->stats().live_bytes)),
                       " are in use)");
  }
  auto* storage = new (block) Storage(&DeleteOwned, static_cast<uint8_t*>(block) + header, bytes);
  storage->alignment_ = static_cast<uint32_t>(alignment);
  storage->allocator_ = allocator;
  allocator->IncRef();
  return StoragePtr::Adopt(storage);
}

StoragePtr Storage::Wrap(void* data, size_t bytes, Release release, void* context) {
  void* memory = internal::TakeMemory(sizeof(Storage));
  auto* storage = new (memory) Storage(&DeleteWrapped, static_cast<uint8_t*>(data), bytes);
  storage->release_ = release;
  storage->context_ = context;
  return StoragePtr::Adopt(storage);
}

void Storage::DeleteOwned(TernObject* header) {
  auto* self = static_cast<Storage*>(Object::FromHeader(header));
  if (self->holds_strings_) {
    auto* strings = reinterpret_cast<Any*>(self->data_);
    for (size_t i = 0; i < self->bytes_ / sizeof(Any); ++i) strings[i].~Any();
  }
  Allocator* allocator = self->allocator_;
  const size_t alignment = self->alignment_;
  const size_t bytes = HeaderBytes(alignment) + self->bytes_;
  self->~Storage();
  internal::CountObject(-1);
  allocator->Free(self, bytes, alignment);
  allocator->DecRef();
}

Result<StoragePtr> Storage::NewOn(DeviceAllocator* device, size_t bytes, size_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > 4096) {
    return InvalidArgument("alignment ", alignment, " is not a power of two up to 4096");
  }
  void* memory = device->Allocate(bytes, alignment);
  if (memory == nullptr) {
    return OutOfMemory(
        "no memory for ", FormatBytes(bytes), " on device '", device->device().name(), "' (",
        FormatBytes(static_cast<uint64_t>(device->stats().live_bytes)), " are in use)");
  }
  void* object = internal::TakeMemory(sizeof(Storage));
  auto* storage = new (object) Storage(&DeleteOnDevice, static_cast<uint8_t*>(memory), bytes);
  storage->alignment_ = static_cast<uint32_t>(alignment);
  storage->on_device_ = true;
  storage->device_ = device;
  device->IncRef();
  return StoragePtr::Adopt(storage);
}

void Storage::DeleteOnDevice(TernObject* header) {
  auto* self = static_cast<Storage*>(Object::FromHeader(header));
  DeviceAllocator* device = self->device_;
  device->Free(self->data_, self->bytes_, self->alignment_);
  self->~Storage();
  internal::CountObject(-1);
  internal::GiveMemory(self);
  device->DecRef();
}

void Storage::DeleteWrapped(TernObject* header) {
  auto* self = static_cast<Storage*>(Object::FromHeader(header));
  if (self->release_ != nullptr) self->release_(self->context_, self->data_, self->bytes_);
  self->~Storage();
  internal::CountObject(-1);
  internal::GiveMemory(self);
}

// --- Tensor: making

Tensor::Tensor(const Window& window, Allocator* allocator)
    : Object(kTypeCode, &Delete), c_{}, count_(*ElementCount(window.dims)), allocator_(allocator) {
  auto* dims = reinterpret_cast<int64_t*>(this + 1);
  int64_t* strides = dims + window.dims.size();
  std::copy(window.dims.begin(), window.dims.end(), dims);
  if (window.has_strides) {
    std::copy(window.strides.begin(), window.strides.end(), strides);
  } else {
    FillContiguousStrides(window.dims, strides);
  }
  c_.dl.tensor = {window.data,
                  DeviceOf(window.owner),
                  static_cast<int32_t>(window.dims.size()),
                  window.dtype,
                  dims,
                  strides,
                  window.byte_offset};
  if (window.owner != nullptr) {
    window.owner->IncRef();
    c_.owner.object = window.owner->header();
  }
  c_.manager.pointer = window.manager;
  c_.flags = window.read_only ? TERN_TENSOR_READ_ONLY : 0;
  if (allocator_ != nullptr) allocator_->IncRef();
  internal::CountObject(1);
}

Tensor::~Tensor() {
  if (c_.owner.object != nullptr) Object::FromHeader(c_.owner.object)->DecRef();
  TernDLManagedTensorVersioned* manager = c_.manager.pointer;
  if (manager != nullptr && manager->deleter != nullptr) manager->deleter(manager);
  internal::CountObject(-1);
}

TensorPtr Tensor::Make(const Window& window, Allocator* allocator) {
  const size_t bytes = sizeof(Tensor) + 2 * window.dims.size_bytes();
  void* memory = allocator != nullptr ? allocator->Allocate(bytes, alignof(Tensor)) : nullptr;
  if (memory == nullptr) {
    allocator = nullptr;
    memory = internal::TakeMemory(bytes);
  }
  return TensorPtr::Adopt(new (memory) Tensor(window, allocator));
}

void Tensor::Delete(TernObject* header) {
  auto* self = static_cast<Tensor*>(Object::FromHeader(header));
  Allocator* allocator = self->allocator_;
  const size_t bytes = sizeof(Tensor) + 2 * self->dims().size_bytes();
  self->~Tensor();
  if (allocator == nullptr) return internal::GiveMemory(self);
  allocator->Free(self, bytes, alignof(Tensor));
  allocator->DecRef();
}

Result<int64_t> TensorBytes(DType dtype, Dims dims) {
  if (!dtype.IsKnown()) return TypeError("a tensor cannot have elements of ", dtype.ToString());
  if (dims.size() > static_cast<size_t>(kMaxRank)) {
    return InvalidArgument("a tensor of rank ", dims.size(), ": at most ", kMaxRank,
                           " is possible");
  }
  const std::optional<int64_t> count = ElementCount(dims);
  const std::optional<int64_t> bytes = count.has_value() ? dtype.bytes_for(*count) : std::nullopt;
  if (!bytes.has_value() || *bytes > int64_t{PTRDIFF_MAX}) return BadDims(dtype, dims);
  return *bytes;
}

Result<TensorPtr> Tensor::New(Allocator* allocator, DType dtype, Dims dims) {
  TERN_TRY_ASSIGN(const int64_t bytes, TensorBytes(dtype, dims));
  if (allocator == nullptr) allocator = DefaultAllocator().get();
  Result<StoragePtr> storage = Storage::New(allocator, static_cast<size_t>(bytes));
  if (!storage.ok()) {
    return std::move(storage).status().AddNote(
        StrCat("for a tensor ", dtype.ToString(), FormatDims(dims)));
  }
  if (dtype.is_string()) {
    // Zeroed memory is an array of `none`, which reads as empty text.
    std::memset((*storage)->data(), 0, static_cast<size_t>(bytes));
    (*storage)->holds_strings_ = true;
  }
  return Make({.data = (*storage)->data(), .dtype = dtype, .dims = dims, .owner = storage->get()},
              allocator);
}

Result<TensorPtr> Tensor::FromStorage(StoragePtr storage, size_t byte_offset, DType dtype,
                                      Dims dims) {
  TERN_TRY_ASSIGN(const int64_t bytes, TensorBytes(dtype, dims));
  if (dtype.is_string()) return TypeError("a string tensor cannot be a window on bytes");
  const size_t size = storage->bytes();
  if (byte_offset > size || static_cast<uint64_t>(bytes) > size - byte_offset) {
    return OutOfRange("a tensor ", dtype.ToString(), FormatDims(dims), " takes ", bytes,
                      " bytes from offset ", byte_offset, ", the storage has ", size);
  }
  uint8_t* data = storage->data() + byte_offset;
  // What a device gives is aligned by its own measure: only the offset in it can be wrong.
  TERN_TRY(CheckAlignment(
      storage->device() == nullptr ? data : reinterpret_cast<const void*>(byte_offset), dtype));
  return Make({.data = data, .dtype = dtype, .dims = dims, .owner = storage.get()}, nullptr);
}

Result<TensorPtr> Tensor::FromMemory(const void* data, size_t bytes, ObjectPtr<Object> keeper,
                                     DType dtype, Dims dims, bool writable) {
  TERN_TRY_ASSIGN(const int64_t needed, TensorBytes(dtype, dims));
  if (dtype.is_string()) return TypeError("a string tensor cannot be a window on bytes");
  if (static_cast<uint64_t>(needed) > bytes) {
    return OutOfRange("a tensor ", dtype.ToString(), FormatDims(dims), " takes ", needed,
                      " bytes, ", bytes, " are there");
  }
  TERN_TRY(CheckAlignment(data, dtype));
  return Make({.data = const_cast<void*>(data),
               .dtype = dtype,
               .dims = dims,
               .owner = keeper.get(),
               .read_only = !writable},
              nullptr);
}

Result<TensorPtr> Tensor::FromBytes(DType dtype, Dims dims, ByteSpan bytes) {
  TERN_TRY_ASSIGN(const int64_t needed, TensorBytes(dtype, dims));
  if (dtype.is_string()) return TypeError("a string tensor cannot be made from bytes");
  if (static_cast<uint64_t>(needed) != bytes.size()) {
    return InvalidArgument("a tensor ", dtype.ToString(), FormatDims(dims), " takes ", needed,
                           " bytes, got ", bytes.size());
  }
  TERN_TRY_ASSIGN(TensorPtr tensor, New(dtype, dims));
  if (needed > 0) std::memcpy(tensor->data(), bytes.data(), bytes.size());
  return tensor;
}

Result<TensorPtr> Tensor::FromStrings(std::span<const std::string_view> values, Dims dims) {
  TERN_TRY_ASSIGN(TensorPtr tensor, New(kString, dims));
  if (static_cast<uint64_t>(tensor->element_count()) != values.size()) {
    return InvalidArgument("a tensor ", tensor->TypeText(), " takes ", tensor->element_count(),
                           " strings, got ", values.size());
  }
  for (size_t i = 0; i < values.size(); ++i) tensor->set_string(static_cast<int64_t>(i), values[i]);
  return tensor;
}

// --- Tensor: elements and windows

Storage* Tensor::storage() const {
  if (c_.owner.object == nullptr) return nullptr;
  Object* owner = Object::FromHeader(c_.owner.object);
  return owner->type_code() == TERN_TYPE_STORAGE ? static_cast<Storage*>(owner) : nullptr;
}

bool Tensor::is_contiguous() const {
  if (count_ == 0) return true;  // its other extents may be anything
  int64_t expected = 1;
  for (int axis = rank() - 1; axis >= 0; --axis) {
    const auto i = static_cast<size_t>(axis);
    if (dims()[i] != 1 && strides()[i] != expected) return false;
    expected *= dims()[i];
  }
  return true;
}

std::string_view Tensor::string_at(int64_t index) const {
  TERN_DCHECK(dtype().is_string() && is_contiguous() && index >= 0 && index < count_);
  return StringsOf(*this)[index].TryCast<std::string_view>().value_or(std::string_view());
}

void Tensor::set_string(int64_t index, std::string_view text) {
  TERN_DCHECK(dtype().is_string() && is_contiguous() && index >= 0 && index < count_);
  StringsOf(*this)[index] = Any(text);
}

Result<TensorPtr> Tensor::Reshape(Dims dims) const {
  TERN_TRY(TensorBytes(dtype(), dims));
  if (*ElementCount(dims) != count_) {
    return InvalidArgument("a tensor ", TypeText(), " of ", count_,
                           " elements cannot have the shape ", FormatDims(dims), " of ",
                           *ElementCount(dims));
  }
  if (!is_contiguous()) return InvalidArgument("reshape of a tensor that is not contiguous");
  return Make(SubWindow(dims), allocator_);
}

Tensor::Window Tensor::SubWindow(Dims dims) const {
  // An import keeps itself alive through this object, everything else through its owner.
  Object* owner =
      c_.owner.object != nullptr ? Object::FromHeader(c_.owner.object) : const_cast<Tensor*>(this);
  return {
      .data = data(), .dtype = dtype(), .dims = dims, .owner = owner, .read_only = is_read_only()};
}

Result<TensorPtr> Tensor::Slice(int axis, int64_t begin, int64_t end, int64_t step) const {
  if (axis < 0 || axis >= rank()) {
    return OutOfRange("axis ", axis, " of a tensor of rank ", rank());
  }
  if (begin < 0 || begin > end || end > dim(axis) || step < 1) {
    return OutOfRange("slice [", begin, ":", end, ":", step, "] of axis ", axis, " of ",
                      TypeText());
  }
  const auto i = static_cast<size_t>(axis);
  std::vector<int64_t> new_dims(dims().begin(), dims().end());
  std::vector<int64_t> new_strides(strides().begin(), strides().end());
  new_dims[i] = end == begin ? 0 : (end - begin - 1) / step + 1;
  if (new_dims[i] > 1) new_strides[i] *= step;
  const int64_t offset = new_dims[i] == 0 ? 0 : begin * strides()[i];
  return View(new_dims, new_strides, offset);
}

Result<TensorPtr> Tensor::View(Dims dims, Dims strides, int64_t element_offset) const {
  TERN_TRY(TensorBytes(dtype(), dims));
  if (dims.size() != strides.size()) {
    return InvalidArgument("a view with ", dims.size(), " dimensions and ", strides.size(),
                           " strides");
  }
  if (dtype().bits % 8 != 0)
    return Unsupported("a strided view of ", dtype().ToString(), " elements");
  const std::optional<Reach> here = ReachOf(this->dims(), this->strides());
  const std::optional<Reach> view = ReachOf(dims, strides);
  int64_t low = 0, high = 0;
  if (!here.has_value() || !view.has_value() ||
      __builtin_add_overflow(view->low, element_offset, &low) ||
      __builtin_add_overflow(view->high, element_offset, &high) ||
      (view->high >= view->low && (low < here->low || high > here->high))) {
    return OutOfRange("a view ", FormatDims(dims), " with strides ", FormatDims(strides),
                      " at element ", element_offset, " leaves its tensor ", TypeText());
  }
  Window window = SubWindow(dims);
  if (view->high >= view->low) {
    window.data = static_cast<uint8_t*>(data()) + element_offset * dtype().size();
  }
  window.strides = strides;
  window.has_strides = true;
  return Make(window, allocator_);
}

namespace {

// Copies elements in row-major order of `dims`, recursing over axes; the innermost run goes in one
// piece.
struct Gather {
  Dims dims, strides;
  int64_t element;
  bool strings;
  uint8_t* out;

  void Row(const uint8_t* from, size_t axis) {
    if (axis == dims.size()) return One(from);
    if (axis + 1 == dims.size() && strides[axis] == 1 && !strings) {
      const auto bytes = static_cast<size_t>(dims[axis] * element);
      std::memcpy(out, from, bytes);
      out += bytes;
      return;
    }
    for (int64_t i = 0; i < dims[axis]; ++i) Row(from + i * strides[axis] * element, axis + 1);
  }
  void One(const uint8_t* from) {
    if (strings)
      *reinterpret_cast<Any*>(out) = *reinterpret_cast<const Any*>(from);
    else
      std::memcpy(out, from, static_cast<size_t>(element));
    out += element;
  }
};

}  // namespace

Result<TensorPtr> Tensor::Copy(Allocator* allocator) const {
  TERN_TRY(CheckOnHost(*this, "a tensor to copy"));
  TERN_TRY_ASSIGN(TensorPtr copy, New(allocator, dtype(), dims()));
  if (count_ == 0) return copy;
  if (is_contiguous() && !dtype().is_string()) {
    std::memcpy(copy->data(), data(), byte_size());
  } else {
    Gather gather{dims(), strides(), dtype().size(), dtype().is_string(),
                  static_cast<uint8_t*>(copy->data())};
    gather.Row(static_cast<const uint8_t*>(data()), 0);
  }
  return copy;
}

Result<TensorPtr> Tensor::Contiguous(Allocator* allocator) const {
  if (is_contiguous()) return TensorPtr(const_cast<Tensor*>(this));
  return Copy(allocator);
}

std::string Tensor::TypeText() const { return StrCat(dtype().ToString(), FormatDims(dims())); }

void FillContiguousStrides(Dims dims, int64_t* strides) {
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    // Checked before; an empty tensor may hold factors whose product overflows.
    if (__builtin_mul_overflow(stride, std::max<int64_t>(dims[i], 1), &stride)) stride = 1;
  }
}

std::optional<Reach> ReachOf(Dims dims, Dims strides) {
  Reach reach{0, 0};
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) return Reach{0, -1};
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t extent = 0;
    int64_t* end = strides[i] < 0 ? &reach.low : &reach.high;
    if (__builtin_mul_overflow(dims[i] - 1, strides[i], &extent) ||
        __builtin_add_overflow(*end, extent, end)) {
      return std::nullopt;
    }
  }
  return reach;
}

Status CheckAlignment(const void* data, DType dtype) {
  const size_t natural =
      std::min<size_t>(8, static_cast<size_t>(std::max<int64_t>(1, dtype.bits / 8)));
  if (reinterpret_cast<uintptr_t>(data) % natural == 0) return OkStatus();
  return InvalidArgument("elements of ", dtype.ToString(),
                         " need an address that is a multiple of ", natural, ", got one that is ",
                         reinterpret_cast<uintptr_t>(data) % natural, " past");
}

}  // namespace tern
