// SPDX-License-Identifier: Apache-2.0
// Device: a plug-in (base/device.h) as a counted object, and the memory that one user of it takes.
//
// A Storage of a device holds its DeviceAllocator, which holds the Device: memory outlives machines
// and runtimes. Each machine has an allocator of its own per device, so that it counts and limits
// what it takes. Host code asks CheckOnHost before it touches a tensor that came from anywhere.
#ifndef TERN_CORE_OBJECT_DEVICE_H_
#define TERN_CORE_OBJECT_DEVICE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/device.h"
#include "core/base/result.h"
#include "core/object/allocator.h"
#include "core/object/function.h"
#include "core/object/tensor.h"

namespace tern {

class Device {
 public:
  // Error: no name, or a function is missing without which no tensor can live there.
  static Status Validate(const TernDevice& plugin);
  // The same checks; the plug-in's release is called for a device that was made.
  static Result<std::shared_ptr<const Device>> Make(const TernDevice& plugin);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  std::string_view name() const { return name_; }
  // What tensors there carry: DLPack's type for extensions, and a number that no other device of
  // the process has.
  TernDLDevice dl() const { return {TERN_DEVICE_EXTENSION, id_}; }
  const TernDevice& plugin() const { return plugin_; }

  Status CopyFromHost(void* to, ByteSpan from) const;
  Status CopyToHost(std::span<uint8_t> to, const void* from) const;
  // Both on this device.
  Status CopyWithin(void* to, const void* from, size_t bytes) const;

 private:
  explicit Device(const TernDevice& plugin);
  Status Check(int32_t code, std::string_view what, size_t bytes) const;

  TernDevice plugin_{};
  std::string name_;
  int32_t id_ = 0;
};

using DevicePtr = std::shared_ptr<const Device>;

// What one machine takes of a device; counts and limits as every Allocator does.
class DeviceAllocator final : public Allocator {
 public:
  explicit DeviceAllocator(DevicePtr device);
  const Device& device() const { return *device_; }

 private:
  void* DoAllocate(size_t bytes, size_t alignment, bool* hit) override;
  void DoFree(void* pointer, size_t bytes, size_t alignment) override;

  DevicePtr device_;
};

// The devices of a machine by number, less one: number 0 is the processor.
using DeviceList = std::vector<ObjectPtr<DeviceAllocator>>;

// Null for 0, the processor; an error that lists the devices there are.
Result<DeviceAllocator*> FindDevice(std::span<const ObjectPtr<DeviceAllocator>> devices,
                                    int64_t number);

// Memory apart from tensors as programs ask for it: sizes and device numbers of their own, which
// are checked. `host` gives the memory of device 0.
Result<StoragePtr> NewStorage(std::span<const ObjectPtr<DeviceAllocator>> devices, Allocator* host,
                              int64_t bytes, int64_t alignment, int64_t device);

// "the processor", "device 'npu'".
std::string PlaceText(const Tensor& tensor);
// An error that says what was expected of whom: "`what` is f32[2] on device 'npu', expected the
// processor".
Status CheckOnHost(const Tensor& tensor, std::string_view what);
// The same for every argument that is a tensor.
Status CheckOnHost(AnyArgs args, std::string_view function);

// A contiguous copy on `to`, or where that is null in the host's memory. Text stays on the host.
Result<TensorPtr> CopyTensorTo(const Tensor& tensor, DeviceAllocator* to, Allocator* host);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_DEVICE_H_
