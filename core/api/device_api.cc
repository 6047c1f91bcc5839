// SPDX-License-Identifier: Apache-2.0
// Devices of a runtime, and tensors on them.
#include "core/api/handles.h"
#include "core/object/device.h"

namespace tern::api {
namespace {

// Validate looks at the plugin's struct before any of its functions are called.
Result<int32_t> RegisterDevice(tern_runtime* runtime, const TernDevice* plugin) {
  if (plugin == nullptr) return InvalidArgument("no device to register");
  TERN_TRY(Device::Validate(*plugin));
  for (const DevicePtr& other : runtime->devices) {
    if (other->name() == plugin->name)
      return AlreadyExists("this runtime has a device '", other->name(), "' already");
  }
  TERN_TRY_ASSIGN(DevicePtr device, Device::Make(*plugin));
  runtime->devices.push_back(std::move(device));
  return static_cast<int32_t>(runtime->devices.size());
}

// The tensor's device by its number in this runtime; 0 is the processor.
Result<int32_t> NumberOf(const tern_runtime& runtime, const Tensor& tensor) {
  if (tensor.on_host()) return 0;
  const Device& device = tensor.storage()->device()->device();
  for (size_t i = 0; i < runtime.devices.size(); ++i) {
    if (runtime.devices[i].get() == &device) return static_cast<int32_t>(i + 1);
  }
  return NotFound("the tensor is on device '", device.name(), "' of another runtime");
}

Result<Any> ToDevice(tern_runtime* runtime, const TernAny* value, int32_t number) {
  TERN_TRY_ASSIGN(Tensor * tensor, View(value).As<Tensor>());
  if (tensor->on_host() && number == 0) return Any(View(value));
  DeviceList devices;
  // Allocators are made per call; equal devices are compared as devices, not as allocators.
  for (const DevicePtr& device : runtime->devices)
    devices.push_back(ObjectPtr<DeviceAllocator>::Adopt(new DeviceAllocator(device)));
  TERN_TRY_ASSIGN(DeviceAllocator* const to, FindDevice(devices, number));
  // Copies only if the device differs, so that the call is cheap where nothing is to be done.
  if (to != nullptr && !tensor->on_host() &&
      &tensor->storage()->device()->device() == &to->device())
    return Any(View(value));
  TERN_TRY_ASSIGN(TensorPtr copy, CopyTensorTo(*tensor, to, runtime->allocator.get()));
  return Any(std::move(copy));
}

}  // namespace
}  // namespace tern::api

using tern::api::ToHandle;

tern_status* tern_runtime_register_device(tern_runtime* runtime, const TernDevice* device,
                                          int32_t* number) {
  const tern::Result<int32_t> made = tern::api::RegisterDevice(runtime, device);
  if (!made.ok()) return ToHandle(made.status().Clone());
  if (number != nullptr) *number = *made;
  return nullptr;
}

tern_status* tern_tensor_to_device(tern_runtime* runtime, const TernAny* tensor, int32_t device,
                                   TernAny* copy) {
  tern::Result<tern::Any> made = tern::api::ToDevice(runtime, tensor, device);
  if (!made.ok()) return ToHandle(std::move(made).status());
  *copy = made->Release();
  return nullptr;
}

tern_status* tern_tensor_device(tern_runtime* runtime, const TernAny* tensor, int32_t* device) {
  const tern::Result<const tern::Tensor*> found = tern::api::View(tensor).As<const tern::Tensor>();
  if (!found.ok()) return ToHandle(found.status().Clone());
  const tern::Result<int32_t> number = tern::api::NumberOf(*runtime, **found);
  if (!number.ok()) return ToHandle(number.status().Clone());
  *device = *number;
  return nullptr;
}
