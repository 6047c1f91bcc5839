// SPDX-License-Identifier: Apache-2.0
// Storage and Tensor: making, windows, copies. DLPack is in dlpack.cc.
//
// Both objects come from the allocator that they serve, a Storage in one block with its data, so
// that a run whose allocator is pooled does not touch the heap. Their layouts are wider than what
// MakeObject makes, so both have deleters of their own and count themselves.
#include "core/object/tensor.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/inline_vector.h"
#include "core/base/product.h"
#include "core/object/device.h"
#include "core/object/memory_account.h"
#include "core/object/strings/string.h"
#include "core/object/tensor_window.h"

namespace tern {
namespace {

// The header in front of the data, padded so that the data keeps the alignment of the block.
size_t HeaderBytes(size_t alignment) {
  return (sizeof(Storage) + alignment - 1) / alignment * alignment;
}

// A tensor has no device of its own: it lies where its storage lies. Owners that are no storage
// (mapped files, imports) are always memory of the host.
TernDLDevice DeviceOf(const Object* owner) {
  if (owner == nullptr || owner->type_code() != TERN_TYPE_STORAGE) return {TERN_DEVICE_CPU, 0};
  const DeviceAllocator* device = static_cast<const Storage*>(owner)->device();
  return device == nullptr ? TernDLDevice{TERN_DEVICE_CPU, 0} : device->device().dl();
}

Any* StringsOf(const Tensor& tensor) { return static_cast<Any*>(tensor.data()); }

// Finds what TensorBytes only knows to be wrong. If no dimension is negative, the product
// overflowed.
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
  // Counted here and not by MakeObject, which these classes do not use.
  internal::CountObject(1);
}

Result<StoragePtr> Storage::New(Allocator* allocator, size_t bytes, size_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > 4096) {
    return InvalidArgument("alignment ", alignment, " is not a power of two up to 4096");
  }
  if (allocator == nullptr) allocator = DefaultAllocator().get();
  // The Storage itself lies at the start of the block, so the block must be aligned for it too.
  alignment = std::max(alignment, alignof(Storage));
  const size_t header = HeaderBytes(alignment);
  // Header and padding are below 8 KiB, so the sum cannot overflow after this test.
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

StoragePtr Storage::NewAt(Arena* arena, const Place& place, size_t bytes) {
  if (bytes > place.bytes) return nullptr;
  return WrapPlace(arena, arena->allocator()->AllocateAt(arena, place, bytes), bytes);
}

StoragePtr Storage::NewIn(Arena* arena, std::span<const Place> kept, size_t bytes) {
  return WrapPlace(arena, arena->allocator()->AllocateIn(arena, kept, bytes), bytes);
}

// The object lies beside its memory: places have the size of what lies in them.
StoragePtr Storage::WrapPlace(Arena* arena, void* data, size_t bytes) {
  if (data == nullptr) return nullptr;
  Allocator* const allocator = arena->allocator();
  void* object = allocator->Allocate(sizeof(Storage), alignof(Storage));
  if (object == nullptr) {
    allocator->FreeAt(arena, data, bytes);
    return nullptr;
  }
  auto* storage = new (object) Storage(&DeletePlaced, static_cast<uint8_t*>(data), bytes);
  storage->arena_ = arena;
  // The memory may outlive the run, and then needs its allocator still.
  allocator->IncRef();
  return StoragePtr::Adopt(storage);
}

void Storage::DeletePlaced(TernObject* header) {
  auto* self = static_cast<Storage*>(Object::FromHeader(header));
  Arena* const arena = self->arena_;
  Allocator* const allocator = arena->allocator();
  // The arena may end with it.
  allocator->FreeAt(arena, self->data_, self->bytes_);
  self->~Storage();
  internal::CountObject(-1);
  allocator->Free(self, sizeof(Storage), alignof(Storage));
  allocator->DecRef();
}

StoragePtr Storage::Wrap(void* data, size_t bytes, Release release, void* context) {
  // Wrapped memory has no allocator that could be charged, so the object comes from the heap.
  void* memory = internal::TakeMemory(sizeof(Storage));
  auto* storage = new (memory) Storage(&DeleteWrapped, static_cast<uint8_t*>(data), bytes);
  storage->release_ = release;
  storage->context_ = context;
  return StoragePtr::Adopt(storage);
}

void Storage::DeleteOwned(TernObject* header) {
  auto* self = static_cast<Storage*>(Object::FromHeader(header));
  // Elements of a string tensor own references; the storage knows that it holds them, because a
  // window on it may be released before or after other windows.
  if (self->holds_strings_) {
    auto* strings = reinterpret_cast<Any*>(self->data_);
    for (size_t i = 0; i < self->bytes_ / sizeof(Any); ++i) strings[i].~Any();
  }
  // What Free needs is read first: the destructor ends the object, and the block contains it.
  Allocator* allocator = self->allocator_;
  const size_t alignment = self->alignment_;
  const size_t bytes = HeaderBytes(alignment) + self->bytes_;
  self->~Storage();
  internal::CountObject(-1);
  allocator->Free(self, bytes, alignment);
  // The allocator last: it may be the last reference, and Free needs it alive.
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
  // The object lies in the host's memory, because the host cannot write the device's.
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
  // The device's memory is returned first; its allocator is held by one reference until the end.
  device->Free(self->data_, self->bytes_, self->alignment_);
  self->~Storage();
  internal::CountObject(-1);
  internal::GiveMemory(self);
  device->DecRef();
}

void Storage::DeleteWrapped(TernObject* header) {
  auto* self = static_cast<Storage*>(Object::FromHeader(header));
  // The callback runs before the object ends and gets the arguments of Wrap. It may free anything,
  // this object excepted.
  if (self->release_ != nullptr) self->release_(self->context_, self->data_, self->bytes_);
  self->~Storage();
  internal::CountObject(-1);
  internal::GiveMemory(self);
}

// --- Tensor: making

Tensor::Tensor(const Window& window, Allocator* allocator)
    // Shape and strides follow the object: a tensor is one block whatever its rank, and DLPack's
    // pointers into it stay valid as long as the object.
    : Object(kTypeCode, &Delete), c_{}, count_(*ElementCount(window.dims)), allocator_(allocator) {
  auto* dims = reinterpret_cast<int64_t*>(this + 1);
  int64_t* strides = dims + window.dims.size();
  std::copy(window.dims.begin(), window.dims.end(), dims);
  if (window.has_strides) {
    std::copy(window.strides.begin(), window.strides.end(), strides);
  } else {
    // Strides are always written out, although DLPack allows null, so that no reader has two cases.
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
    // The memory may be somebody else's (storage, file, tensor that was imported); one reference
    // keeps it.
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
  // Only the tensor made by the import holds the manager; views of it hold that tensor (SubWindow).
  TernDLManagedTensorVersioned* manager = c_.manager.pointer;
  if (manager != nullptr && manager->deleter != nullptr) manager->deleter(manager);
  internal::CountObject(-1);
}

TensorPtr Tensor::Make(const Window& window, Allocator* allocator) {
  const size_t bytes = sizeof(Tensor) + 2 * window.dims.size_bytes();
  // Without memory from the run's allocator the heap serves: a window must not fail for the sake of
  // some hundred bytes, since its data exists already.
  void* memory = allocator != nullptr ? allocator->Allocate(bytes, alignof(Tensor)) : nullptr;
  if (memory == nullptr) {
    allocator = nullptr;
    memory = internal::TakeMemory(bytes);
  }
  return TensorPtr::Adopt(new (memory) Tensor(window, allocator));
}

void Tensor::Delete(TernObject* header) {
  auto* self = static_cast<Tensor*>(Object::FromHeader(header));
  // Read before the destructor, as in DeleteOwned.
  Allocator* allocator = self->allocator_;
  const size_t bytes = sizeof(Tensor) + 2 * self->dims().size_bytes();
  self->~Tensor();
  if (allocator == nullptr) return internal::GiveMemory(self);
  allocator->Free(self, bytes, alignof(Tensor));
  allocator->DecRef();
}

// The one gate for sizes: whatever passes has a count and a byte size that fit int64 and ptrdiff_t,
// so code behind it multiplies without checks.
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
    // Zeroed memory is an array of `none`, which reads as empty text. So no constructor runs per
    // element.
    std::memset((*storage)->data(), 0, static_cast<size_t>(bytes));
    (*storage)->holds_strings_ = true;
  }
  return Make({.data = (*storage)->data(), .dtype = dtype, .dims = dims, .owner = storage->get()},
              allocator);
}

TensorPtr Tensor::OfStorage(StoragePtr storage, DType dtype, Dims dims, Allocator* allocator) {
  return Make({.data = storage->data(), .dtype = dtype, .dims = dims, .owner = storage.get()},
              allocator);
}
Result<TensorPtr> Tensor::FromStorage(StoragePtr storage, size_t byte_offset, DType dtype,
                                      // Strings are Any values with references; bytes of a storage
                                      // could claim any pointer.
                                      Dims dims) {
  TERN_TRY_ASSIGN(const int64_t bytes, TensorBytes(dtype, dims));
  if (dtype.is_string()) return TypeError("a string tensor cannot be a window on bytes");
  const size_t size = storage->bytes();
  // Written as a subtraction, which cannot overflow after the first comparison.
  if (byte_offset > size || static_cast<uint64_t>(bytes) > size - byte_offset) {
    return OutOfRange("a tensor ", dtype.ToString(), FormatDims(dims), " takes ", bytes,
                      " bytes from offset ", byte_offset, ", the storage has ", size);
  }
  uint8_t* data = storage->data() + byte_offset;
  // A device aligns memory by its own measure, and its addresses mean nothing here: only the offset
  // in the storage can be wrong.
  TERN_TRY(CheckAlignment(
      storage->device() == nullptr ? data : reinterpret_cast<const void*>(byte_offset), dtype));
  return Make({.data = data, .dtype = dtype, .dims = dims, .owner = storage.get()}, nullptr);
}

Result<TensorPtr> Tensor::FromUnaligned(const void* data, size_t bytes, ObjectPtr<Object> keeper,
                                        DType dtype, Dims dims, bool writable) {
  TERN_TRY_ASSIGN(const int64_t needed, TensorBytes(dtype, dims));
  if (dtype.is_string()) return TypeError("a string tensor cannot be a window on bytes");
  if (static_cast<uint64_t>(needed) > bytes) {
    return OutOfRange("a tensor ", dtype.ToString(), FormatDims(dims), " takes ", needed,
                      " bytes, ", bytes, " are there");
  }
  return Make({.data = const_cast<void*>(data),
               .dtype = dtype,
               .dims = dims,
               .owner = keeper.get(),
               .read_only = !writable},
              nullptr);
}

Result<TensorPtr> Tensor::FromMemory(const void* data, size_t bytes, ObjectPtr<Object> keeper,
                                     DType dtype, Dims dims, bool writable) {
  TERN_TRY_ASSIGN(TensorPtr tensor,
                  FromUnaligned(data, bytes, std::move(keeper), dtype, dims, writable));
  // A mapped file may place data at any offset; the writer of files aligns them.
  TERN_TRY(CheckAlignment(data, dtype));
  return tensor;
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
  // DLPack leaves strides of an axis of one element free, so they are not compared.
  TERN_DCHECK(dtype().is_string() && is_contiguous() && index >= 0 && index < count_);
  // Never dereferenced out of bounds: callers check indices, as these are inner loops.
  return StringsOf(*this)[index].TryCast<std::string_view>().value_or(std::string_view());
}

void Tensor::set_string(int64_t index, std::string_view text) {
  TERN_DCHECK(dtype().is_string() && is_contiguous() && index >= 0 && index < count_);
  StringsOf(*this)[index] = Any(text);
}

Result<TensorPtr> Tensor::Reshape(Dims dims) const {
  // As many elements take as many bytes, so no shape that passes is too large for the memory.
  const std::optional<int64_t> count = ElementCount(dims);
  if (!count.has_value()) return BadDims(dtype(), dims);
  if (*count != count_) {
    return InvalidArgument("a tensor ", TypeText(), " of ", count_,
                           " elements cannot have the shape ", FormatDims(dims), " of ", *count);
  }
  if (!is_contiguous()) return InvalidArgument("reshape of a tensor that is not contiguous");
  // No copy: strides of a contiguous tensor follow from the new shape.
  return Make(SubWindow(dims), allocator_);
}

Tensor::Window Tensor::SubWindow(Dims dims) const {
  // An import keeps itself alive through this object, everything else through its owner. So chains
  // of views never grow: each view holds the first owner, not the view it was made of.
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
  // The number of elements, rounded up. end - begin - 1 avoids the overflow of end - begin + step.
  new_dims[i] = end == begin ? 0 : (end - begin - 1) / step + 1;
  // A stride of an axis with at most one element is never used, so it is not multiplied: that could
  // overflow.
  if (new_dims[i] > 1) new_strides[i] *= step;
  // An empty slice may begin at the end of the axis, which is no address of an element.
  const int64_t offset = new_dims[i] == 0 ? 0 : begin * strides()[i];
  return View(new_dims, new_strides, offset);
}

// The general window; Slice and all views of operators end here. Safety rests on comparing ranges:
// the lowest and highest element that the view can reach must lie within those that this tensor
// reaches. Strides may be zero, negative or overlapping.
Result<TensorPtr> Tensor::View(Dims dims, Dims strides, int64_t element_offset) const {
  TERN_TRY(TensorBytes(dtype(), dims));
  if (dims.size() != strides.size()) {
    return InvalidArgument("a view with ", dims.size(), " dimensions and ", strides.size(),
                           " strides");
  }
  // Strides count elements, and a packed element has no address.
  if (dtype().bits % 8 != 0)
    return Unsupported("a strided view of ", dtype().ToString(), " elements");
  const std::optional<Reach> here = ReachOf(this->dims(), this->strides());
  const std::optional<Reach> view = ReachOf(dims, strides);
  int64_t low = 0, high = 0;
  // The sums are checked because offset and strides may come from a file's instruction.
  if (!here.has_value() || !view.has_value() ||
      __builtin_add_overflow(view->low, element_offset, &low) ||
      __builtin_add_overflow(view->high, element_offset, &high) ||
      (view->high >= view->low && (low < here->low || high > here->high))) {
    return OutOfRange("a view ", FormatDims(dims), " with strides ", FormatDims(strides),
                      " at element ", element_offset, " leaves its tensor ", TypeText());
  }
  Window window = SubWindow(dims);
  // Without elements the pointer stays: the offset may lie outside.
  if (view->high >= view->low) {
    window.data = static_cast<uint8_t*>(data()) + element_offset * dtype().size();
  }
  window.strides = strides;
  window.has_strides = true;
  return Make(window, allocator_);
}

namespace {

using Axes = InlineVector<int64_t, 8>;

// The same elements in the same order with as few axes as that takes, so that rows are long: axes
// of one element would hide what lies in a row, and a splat is one row.
void JoinAxes(Dims dims, Dims strides, Axes* joined_dims, Axes* joined_strides) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (!joined_dims->empty() && joined_strides->back() == strides[i] * dims[i]) {
      joined_dims->back() *= dims[i];
      joined_strides->back() = strides[i];
    } else {
      joined_dims->push_back(dims[i]);
      joined_strides->push_back(strides[i]);
    }
  }
}

// Copies elements in row-major order of `dims`, recursing over axes (at most kMaxRank deep); an
// innermost run of neighbouring elements is copied in one piece.
struct Gather {
  Dims dims, strides;
  int64_t element;
  bool strings;
  uint8_t* out;

  void Row(const uint8_t* from, size_t axis) {
    if (axis == dims.size()) return One(from);
    // Strings are never copied as bytes: each is a reference that has to be counted.
    if (axis + 1 == dims.size() && strides[axis] == 1 && !strings) {
      const auto bytes = static_cast<size_t>(dims[axis] * element);
      std::memcpy(out, from, bytes);
      out += bytes;
      return;
    }
    if (axis + 1 == dims.size() && !strings && Strided(from, dims[axis], strides[axis])) return;
    for (int64_t i = 0; i < dims[axis]; ++i) Row(from + i * strides[axis] * element, axis + 1);
  }
  // Elements of the common sizes, without a call for each; false for others.
  bool Strided(const uint8_t* from, int64_t count, int64_t stride) {
    switch (element) {
      case 1: return Strided<1>(from, count, stride);
      case 2: return Strided<2>(from, count, stride);
      case 4: return Strided<4>(from, count, stride);
      case 8: return Strided<8>(from, count, stride);
      default: return false;
    }
  }
  template <int64_t kBytes>
  bool Strided(const uint8_t* from, int64_t count, int64_t stride) {
    if (stride == 0) {
      // Read once, so that the compiler makes vectors of it.
      uint8_t one[kBytes];
      std::memcpy(one, from, kBytes);
      for (int64_t i = 0; i < count; ++i) std::memcpy(out + i * kBytes, one, kBytes);
    } else {
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(out + i * kBytes, from + i * stride * kBytes, kBytes);
    }
    out += count * kBytes;
    return true;
  }
  void One(const uint8_t* from) {
    if (strings)
      // Assignment counts the new reference; the target is `none`, as New made it.
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
  // One piece where memory order is row-major order already, packed types included.
  if (is_contiguous() && !dtype().is_string()) {
    std::memcpy(copy->data(), data(), byte_size());
  } else {
    Axes joined_dims, joined_strides;
    JoinAxes(dims(), strides(), &joined_dims, &joined_strides);
    Gather gather{{joined_dims.data(), joined_dims.size()},
                  {joined_strides.data(), joined_strides.size()},
                  dtype().size(),
                  dtype().is_string(),
                  static_cast<uint8_t*>(copy->data())};
    gather.Row(static_cast<const uint8_t*>(data()), 0);
  }
  return copy;
}

Result<TensorPtr> Tensor::Contiguous(Allocator* allocator) const {
  // Shared, not copied: callers must not write to the result unless they own this tensor.
  if (is_contiguous() && is_aligned()) return TensorPtr(const_cast<Tensor*>(this));
  return Copy(allocator);
}

std::string Tensor::TypeText() const { return StrCat(dtype().ToString(), FormatDims(dims())); }

void FillContiguousStrides(Dims dims, int64_t* strides) {
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    // Checked before; an empty tensor may hold factors whose product overflows.
    if (!MultiplyChecked(stride, std::max<int64_t>(dims[i], 1), &stride)) stride = 1;
  }
}

// The range of element offsets that a window can touch: each axis adds its last offset to the end
// that its sign points to. Nothing is reached where any dimension is zero.
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

namespace {

// At most 8 bytes: no kernel loads a wider scalar, and Any values of string tensors are aligned to
// 8.
size_t NaturalAlignment(DType dtype) {
  return std::min<size_t>(8, static_cast<size_t>(std::max<int64_t>(1, dtype.bits / 8)));
}

}  // namespace

bool Tensor::is_aligned() const {
  // A device's addresses mean nothing here.
  return !on_host() || reinterpret_cast<uintptr_t>(data()) % NaturalAlignment(dtype()) == 0;
}

Status CheckAlignment(const void* data, DType dtype) {
  const size_t natural = NaturalAlignment(dtype);
  if (reinterpret_cast<uintptr_t>(data) % natural == 0) return OkStatus();
  return InvalidArgument("elements of ", dtype.ToString(),
                         " need an address that is a multiple of ", natural, ", got one that is ",
                         reinterpret_cast<uintptr_t>(data) % natural, " past");
}

}  // namespace tern
