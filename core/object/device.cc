// SPDX-License-Identifier: Apache-2.0
// Devices: checks of a plug-in, its memory, copies across.
#include "core/object/device.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/base/strings.h"
#include "core/object/tensor_window.h"

namespace tern {
namespace {

// The plug-in as its maker was built: a plug-in compiled against an older device.h has a shorter
// struct, and what it does not have reads as null.
TernDevice Read(const TernDevice& plugin) {
  TernDevice copy{};
  std::memcpy(&copy, &plugin, std::min(plugin.struct_size, sizeof(copy)));
  return copy;
}

// A device's allocate and free have the signature of a platform's, so the counting of Allocator
// works on them unchanged.
TernPlatform MemoryOf(const Device& device) {
  TernPlatform platform{};
  platform.struct_size = sizeof(platform);
  platform.context = device.plugin().context;
  platform.allocate = device.plugin().allocate;
  platform.free = device.plugin().free;
  return platform;
}

}  // namespace

// --- Device

Device::Device(const TernDevice& plugin) : plugin_(plugin), name_(plugin.name) {
  // Numbers are never reused, so that a tensor of a device that is gone cannot be taken for one of
  // a later device.
  static std::atomic<int32_t> next{0};
  id_ = next.fetch_add(1, std::memory_order_relaxed);
  // The name was copied; the plug-in's pointer need not stay valid after Make.
  plugin_.name = nullptr;
}

Device::~Device() {
  if (plugin_.release != nullptr) plugin_.release(plugin_.context);
}

Status Device::Validate(const TernDevice& plugin) {
  const TernDevice read = Read(plugin);
  if (read.name == nullptr || *read.name == '\0') return InvalidArgument("a device has no name");
  // These four are what CopyTensorTo needs at least. A copy within the device can be replaced by a
  // way over the host.
  if (read.allocate == nullptr || read.free == nullptr || read.copy_from_host == nullptr ||
      read.copy_to_host == nullptr) {
    return InvalidArgument("device '", read.name,
                           "' lacks one of allocate, free, copy_from_host and copy_to_host");
  }
  return OkStatus();
}

Result<DevicePtr> Device::Make(const TernDevice& plugin) {
  TERN_TRY(Validate(plugin));
  return DevicePtr(new Device(Read(plugin)));
}

// The plug-in's code has no meaning for us; it is shown so that the vendor's documentation can be
// asked.
Status Device::Check(int32_t code, std::string_view what, size_t bytes) const {
  if (code == 0) return OkStatus();
  return Failed("device '", name_, "' could not copy ", FormatBytes(bytes), what, ": its error ",
                code);
}

Status Device::CopyFromHost(void* to, ByteSpan from) const {
  if (from.empty()) return OkStatus();
  return Check(plugin_.copy_from_host(plugin_.context, to, from.data(), from.size()),
               " from the host", from.size());
}

Status Device::CopyToHost(std::span<uint8_t> to, const void* from) const {
  if (to.empty()) return OkStatus();
  return Check(plugin_.copy_to_host(plugin_.context, to.data(), from, to.size()), " to the host",
               to.size());
}

Status Device::CopyWithin(void* to, const void* from, size_t bytes) const {
  if (bytes == 0) return OkStatus();
  if (plugin_.copy != nullptr)
    return Check(plugin_.copy(plugin_.context, to, from, bytes), "", bytes);
  // Without a copy of its own, the device's bytes take the way over the host's memory.
  std::vector<uint8_t> host(bytes);
  TERN_TRY(CopyToHost(host, from));
  return CopyFromHost(to, host);
}

// --- DeviceAllocator

DeviceAllocator::DeviceAllocator(DevicePtr device)
    : Allocator(MemoryOf(*device)), device_(std::move(device)) {}

void* DeviceAllocator::DoAllocate(size_t bytes, size_t alignment, bool* hit) {
  *hit = false;
  return PlatformAllocate(bytes, alignment);
}

void DeviceAllocator::DoFree(void* pointer, size_t bytes, size_t alignment) {
  PlatformFree(pointer, bytes, alignment);
}

Result<DeviceAllocator*> FindDevice(std::span<const ObjectPtr<DeviceAllocator>> devices,
                                    int64_t number) {
  if (number == 0) return nullptr;
  if (number > 0 && static_cast<uint64_t>(number) <= devices.size())
    return devices[static_cast<size_t>(number - 1)].get();
  std::string known = "device 0, the processor";
  // The message lists what exists, because the usual mistake is a machine that was made without the
  // device.
  for (size_t i = 0; i < devices.size(); ++i)
    StrAppend(&known, ", and ", i + 1, ", '", devices[i]->device().name(), "'");
  return NotFound("there is no device ", number, ": this machine has ", known);
}

Result<StoragePtr> NewStorage(std::span<const ObjectPtr<DeviceAllocator>> devices, Allocator* host,
                              int64_t bytes, int64_t alignment, int64_t device) {
  if (bytes < 0) return InvalidArgument("a storage of ", bytes, " bytes");
  // Storage has the rule; what fits no size_t cannot be asked of it.
  if (alignment < 0 || alignment > INT32_MAX)
    return InvalidArgument("alignment ", alignment, " is not a power of two up to 4096");
  TERN_TRY_ASSIGN(DeviceAllocator* const on, FindDevice(devices, device));
  // On 32-bit targets a size may exceed the address space.
  if (static_cast<uint64_t>(bytes) > SIZE_MAX) return OutOfMemory("a storage of ", bytes, " bytes");
  const auto size = static_cast<size_t>(bytes), multiple = static_cast<size_t>(alignment);
  return on != nullptr ? Storage::NewOn(on, size, multiple) : Storage::New(host, size, multiple);
}

// --- tensors

std::string PlaceText(const Tensor& tensor) {
  if (tensor.on_host()) return "the processor";
  // A foreign DLPack tensor has no storage of ours, so its device has no name here.
  const Storage* storage = tensor.storage();
  if (storage == nullptr || storage->device() == nullptr) return "an unknown device";
  return StrCat("device '", storage->device()->device().name(), "'");
}

Status CheckOnHost(const Tensor& tensor, std::string_view what) {
  if (tensor.on_host()) return OkStatus();
  return InvalidArgument(what, " is ", tensor.TypeText(), " on ", PlaceText(tensor),
                         ", expected the processor (device 0): copy it there with device_copy")
      .SetErrorCode("E0208");
}

Status CheckOnHost(AnyArgs args, std::string_view function) {
  for (size_t i = 0; i < args.size(); ++i) {
    const Tensor* tensor = args[i].TryCast<Tensor>();
    if (tensor != nullptr && !tensor->on_host()) [[unlikely]]
      return CheckOnHost(*tensor, StrCat(function, ": argument ", i));
  }
  return OkStatus();
}

namespace {

// A device can only copy runs of bytes. So the whole memory between a strided tensor's first and
// last element comes to the host and is gathered there. That may be more than the elements, never
// more than the tensor's storage.
Result<TensorPtr> GatherFromDevice(const Tensor& tensor, const Device& device, Allocator* host) {
  const Reach reach = *ReachOf(tensor.dims(), tensor.strides());
  const int64_t size = tensor.dtype().size();
  // No element: nothing is reached, and low and high do not say where.
  if (reach.high < reach.low) return Tensor::New(host, tensor.dtype(), tensor.dims());
  const int64_t extent[] = {reach.high - reach.low + 1};
  TERN_TRY_ASSIGN(TensorPtr all, Tensor::New(host, tensor.dtype(), extent));
  const auto* first = static_cast<const uint8_t*>(tensor.data()) + reach.low * size;
  TERN_TRY(device.CopyToHost({static_cast<uint8_t*>(all->data()), all->byte_size()}, first));
  // The view's origin is where the tensor's first element lies: -low elements behind the start of
  // the copied range, as strides may be negative.
  TERN_TRY_ASSIGN(TensorPtr window, all->View(tensor.dims(), tensor.strides(), -reach.low));
  return window->Copy(host);
}

Result<TensorPtr> ToHost(const Tensor& tensor, Allocator* host) {
  if (tensor.on_host()) return tensor.Copy(host);
  const Device& device = tensor.storage()->device()->device();
  if (!tensor.is_contiguous()) return GatherFromDevice(tensor, device, host);
  TERN_TRY_ASSIGN(TensorPtr copy, Tensor::New(host, tensor.dtype(), tensor.dims()));
  TERN_TRY(
      device.CopyToHost({static_cast<uint8_t*>(copy->data()), copy->byte_size()}, tensor.data()));
  return copy;
}

}  // namespace

Result<TensorPtr> CopyTensorTo(const Tensor& tensor, DeviceAllocator* to, Allocator* host) {
  if (to == nullptr) return ToHost(tensor, host);
  const Device& device = to->device();
  // Elements of string tensors are objects of the host, with counts and pointers that a device
  // could not keep.
  if (tensor.dtype().is_string())
    return TypeError("a tensor of strings cannot leave the processor for device '", device.name(),
                     "'");
  TERN_TRY_ASSIGN(const int64_t bytes, TensorBytes(tensor.dtype(), tensor.dims()));
  TERN_TRY_ASSIGN(StoragePtr storage, Storage::NewOn(to, static_cast<size_t>(bytes)));
  TERN_TRY_ASSIGN(TensorPtr copy,
                  Tensor::FromStorage(std::move(storage), 0, tensor.dtype(), tensor.dims()));
  // Within one device nothing crosses the bus. Two devices, also two of one plug-in, exchange
  // through the host, because neither can address the other's memory.
  const Storage* from = tensor.storage();
  if (!tensor.on_host() && tensor.is_contiguous() && &from->device()->device() == &device) {
    TERN_TRY(device.CopyWithin(copy->data(), tensor.data(), static_cast<size_t>(bytes)));
    return copy;
  }
  TensorPtr whole(const_cast<Tensor*>(&tensor));
  if (!tensor.on_host() || !tensor.is_contiguous()) {
    // Only the way through the host needs contiguous bytes, so a contiguous tensor on the host is
    // sent without a copy.
    TERN_TRY_ASSIGN(whole, ToHost(tensor, host));
  }
  TERN_TRY(device.CopyFromHost(copy->data(), whole->bytes()));
  return copy;
}

}  // namespace tern
