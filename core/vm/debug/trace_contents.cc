// SPDX-License-Identifier: Apache-2.0
// Copies of memory and items before they are written in place, and values as they were. A patch
// holds what was there before one step; the value at an earlier step is what is there now with all
// later patches undone, newest first.
#include "core/vm/debug/trace_contents.h"

#include <string.h>

#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/sequence.h"

namespace tern::vm {
namespace {

// Deeper containers are given as they are now.
constexpr int kMaxDepth = 16;  // of containers in containers

struct Extent {
  uint8_t* begin = nullptr;
  size_t bytes = 0;
};

// The memory from a tensor's lowest element to its highest. Bytes and not elements, so that views
// of one memory see each other's patches.
Extent ExtentOf(const Tensor& tensor) {
  if (tensor.element_count() == 0 || !tensor.on_host()) return {};
  auto* first = static_cast<uint8_t*>(tensor.data());
  if (tensor.is_contiguous()) return {first, tensor.byte_size()};
  const int64_t size = tensor.dtype().size();
  int64_t low = 0, high = size;
  for (size_t axis = 0; axis < tensor.dims().size(); ++axis) {
    const int64_t reach = (tensor.dims()[axis] - 1) * tensor.strides()[axis] * size;
    (reach < 0 ? low : high) += reach;
  }
  return {first + low, static_cast<size_t>(high - low)};
}

// Copies the elements of a strided window to contiguous ones, in row-major order, by counting an
// index up as an odometer does.
void Gather(const Tensor& tensor, const uint8_t* first, uint8_t* to) {
  const auto size = static_cast<size_t>(tensor.dtype().size());
  std::vector<int64_t> index(tensor.dims().size());
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      offset += index[axis] * tensor.strides()[axis];
    memcpy(to + static_cast<size_t>(i) * size, first + offset * static_cast<int64_t>(size), size);
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < tensor.dims()[axis]) break;
      index[axis] = 0;
    }
  }
}

bool SameBits(const AnyView& a, const AnyView& b) {
  return memcmp(&a.c_any(), &b.c_any(), sizeof(TernAny)) == 0;
}

}  // namespace

// Guarded objects that did not change cost nothing further.
bool TraceContents::Patch::Changed() const {
  if (object.Is<Tensor>()) return memcmp(begin, old_bytes.data(), old_bytes.size()) != 0;
  const Sequence& list = *object.TryCast<Sequence>();
  if (list.size() != old_items.size()) return true;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!SameBits(list[i], old_items[i])) return true;
  }
  return false;
}

// Into the very memory: other holders of it are meant to see the past again.
void TraceContents::Patch::PutBack() const {
  if (object.Is<Tensor>()) {
    memcpy(begin, old_bytes.data(), old_bytes.size());
    return;
  }
  Sequence* list = object.TryCast<Sequence>();
  list->Clear();
  for (const Any& item : old_items) list->PushBack(item);
}

// Text and objects in other containers cannot be written in place by primitives that are recorded,
// since the trace holds them too.
void TraceContents::Guard(const Any& object) {
  Patch patch;
  patch.object = object;
  if (const Tensor* tensor = object.TryCast<Tensor>(); tensor != nullptr) {
    const Extent extent = ExtentOf(*tensor);
    if (tensor->is_read_only() || tensor->dtype().is_string() || extent.bytes == 0) return;
    patch.begin = extent.begin;
    patch.old_bytes.assign(extent.begin, extent.begin + extent.bytes);
  } else if (const Sequence* list = object.TryCast<Sequence>(); list != nullptr) {
    for (const AnyView item : *list) patch.old_items.emplace_back(item);
  } else {
    return;
  }
  guarded_.push_back(std::move(patch));
}

// After the call, of which only now is known what it wrote.
void TraceContents::Settle(uint64_t step) {
  for (Patch& patch : guarded_) {
    if (!patch.Changed()) continue;
    patch.step = step;
    bytes_ += patch.Bytes();
    patches_.push_back(std::move(patch));
  }
  guarded_.clear();
}

// Newest first, as several steps may have written one place.
void TraceContents::Restore(uint64_t step) {
  for (size_t i = patches_.size(); i-- > 0 && patches_[i].step >= step;) patches_[i].PutBack();
}

void TraceContents::DropBefore(uint64_t step) {
  while (!patches_.empty() && patches_.front().step < step) {
    bytes_ -= patches_.front().Bytes();
    patches_.pop_front();
  }
}

void TraceContents::TruncateFrom(uint64_t step) {
  guarded_.clear();
  while (!patches_.empty() && patches_.back().step >= step) {
    bytes_ -= patches_.back().Bytes();
    patches_.pop_back();
  }
}

void TraceContents::Clear() {
  patches_.clear();
  guarded_.clear();
  bytes_ = 0;
}

int32_t TraceContents::ReferencesTo(const Object* object) const {
  int32_t count = 0;
  for (const Patch& patch : patches_) {
    count += patch.object.object() == object ? 1 : 0;
    for (const Any& item : patch.old_items) count += item.object() == object ? 1 : 0;
  }
  return count;
}

// Only patches from `step` on matter: earlier ones are part of what the tensor held then.
bool TraceContents::Overlaps(const Tensor& tensor, uint64_t step) const {
  const Extent extent = ExtentOf(tensor);
  if (extent.bytes == 0) return false;
  for (size_t i = patches_.size(); i-- > 0 && patches_[i].step >= step;) {
    const Patch& patch = patches_[i];
    if (patch.begin < extent.begin + extent.bytes &&
        extent.begin < patch.begin + patch.old_bytes.size())
      return true;
  }
  return false;
}

// A copy of the memory with the patches undone, then gathered into a tensor of its own.
Any TraceContents::MaterializeTensor(const Tensor& tensor, uint64_t step) const {
  const Extent extent = ExtentOf(tensor);
  std::vector<uint8_t> bytes(extent.begin, extent.begin + extent.bytes);
  for (size_t i = patches_.size(); i-- > 0 && patches_[i].step >= step;) {
    const Patch& patch = patches_[i];
    // Patches of other views may overlap in part.
    uint8_t* low = std::max(patch.begin, extent.begin);
    uint8_t* high = std::min(patch.begin + patch.old_bytes.size(), extent.begin + extent.bytes);
    if (low >= high) continue;
    memcpy(bytes.data() + (low - extent.begin), patch.old_bytes.data() + (low - patch.begin),
           static_cast<size_t>(high - low));
  }
  // Without memory the value is shown as none; looking must not fail.
  Result<TensorPtr> copy = Tensor::New(tensor.dtype(), tensor.dims());
  if (!copy.ok()) return Any();
  auto* to = static_cast<uint8_t*>((*copy)->data());
  if (tensor.is_contiguous())
    memcpy(to, bytes.data(), bytes.size());
  else
    Gather(tensor, bytes.data() + (static_cast<uint8_t*>(tensor.data()) - extent.begin), to);
  return Any(*std::move(copy));
}

bool TraceContents::MaterializeAll(std::span<const Any> items, uint64_t step, int depth,
                                   std::vector<Any>* made) const {
  bool differs = false;
  made->reserve(items.size());
  for (const Any& item : items) {
    made->push_back(Materialize(item, step, depth + 1));
    // Bits decide: an object that had to be copied is another object.
    differs |= !SameBits(made->back(), item);
  }
  return differs;
}

// For lists the oldest patch from `step` on decides alone, as it holds all items.
Any TraceContents::MaterializeList(const Any& value, uint64_t step, int depth) const {
  std::vector<Any> items;
  bool differs = false;
  for (const Patch& patch : patches_) {  // the first write from `step` on saw what it was
    if (patch.step < step || patch.object.object() != value.object()) continue;
    items = patch.old_items;
    differs = true;
    break;
  }
  if (!differs) {
    for (const AnyView item : *value.TryCast<Sequence>()) items.emplace_back(item);
  }
  // Items may be lists that changed themselves.
  std::vector<Any> made;
  differs |= MaterializeAll(items, step, depth, &made);
  if (!differs) return value;
  const std::vector<AnyView> views(made.begin(), made.end());
  return Any(Sequence::Make(views));
}

// Nothing was written since: the common case, without looking into the value.
Any TraceContents::Materialize(const Any& value, uint64_t step, int depth) const {
  if (patches_.empty() || patches_.back().step < step || depth > kMaxDepth) return value;
  if (const Tensor* tensor = value.TryCast<Tensor>(); tensor != nullptr)
    return Overlaps(*tensor, step) ? MaterializeTensor(*tensor, step) : value;
  if (value.Is<Sequence>()) return MaterializeList(value, step, depth);
  const Adt* adt = value.TryCast<Adt>();
  const Closure* closure = value.TryCast<Closure>();
  if (adt == nullptr && closure == nullptr) return value;
  std::vector<Any> made;
  if (!MaterializeAll(adt != nullptr ? adt->fields() : closure->free_variables(), step, depth,
                      &made))
    return value;
  const std::vector<AnyView> views(made.begin(), made.end());
  return adt != nullptr ? Any(Adt::Make(adt->tag(), views))
                        : Any(Closure::Make(closure->function_index(), views));
}

}  // namespace tern::vm
