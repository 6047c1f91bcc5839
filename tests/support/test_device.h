// SPDX-License-Identifier: Apache-2.0
// A device whose memory the host cannot touch: what it hands out are not addresses of the process
// but numbers in a range that no process has mapped, so that any direct read or write ends the
// test. Counts what it does, and can be told to fail.
#ifndef TERN_TESTS_SUPPORT_TEST_DEVICE_H_
#define TERN_TESTS_SUPPORT_TEST_DEVICE_H_

#include <cstring>
#include <map>
#include <vector>

#include "core/base/check.h"
#include "core/base/device.h"

namespace tern {

class TestDevice {
 public:
  explicit TestDevice(const char* name, size_t arena = 1 << 20)
      : name_(name), arena_(arena), next_(64) {}
  ~TestDevice() { TERN_CHECK(live_.empty(), "a device ends with memory in use"); }
  TestDevice(const TestDevice&) = delete;
  TestDevice& operator=(const TestDevice&) = delete;

  // `this` must outlive what is made of it.
  TernDevice Plugin() {
    TernDevice plugin{};
    plugin.struct_size = sizeof(plugin);
    plugin.name = name_;
    plugin.context = this;
    plugin.allocate = &Allocate;
    plugin.free = &Free;
    plugin.copy_from_host = &FromHost;
    plugin.copy_to_host = &ToHost;
    plugin.copy = has_copy ? &Within : nullptr;
    plugin.release = &Release;
    return plugin;
  }

  bool has_copy = true;
  int32_t fail_copies = 0;  // not 0: what copies give
  int allocations = 0;
  int copies_in = 0;
  int copies_out = 0;
  int copies_within = 0;
  int releases = 0;
  size_t live_blocks() const { return live_.size(); }
  static bool IsHandle(const void* address) {
    return reinterpret_cast<uintptr_t>(address) - kBase < kRange;
  }

 private:
  // Addresses that are no program's: above what WebAssembly can grow to here, and neither a user's
  // nor the kernel's half elsewhere (AArch64 ignores the top byte, so the one below it is set).
  static constexpr uintptr_t kBase =
      sizeof(void*) == 4 ? uintptr_t{0xF0000000u} : static_cast<uintptr_t>(0x00F5000000000000u);
  static constexpr uintptr_t kRange = 1u << 24;

  static TestDevice* Of(void* context) { return static_cast<TestDevice*>(context); }
  uint8_t* At(const void* handle, size_t bytes) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(handle) - kBase;
    const auto after = live_.upper_bound(offset);
    TERN_CHECK(after != live_.begin(), "an address that is not of this device");
    const auto& [begin, size] = *std::prev(after);
    TERN_CHECK(offset - begin <= size && bytes <= size - (offset - begin),
               "a copy leaves its block of the device");
    return arena_.data() + offset;
  }

  static void* Allocate(void* context, size_t bytes, size_t alignment) {
    TestDevice* self = Of(context);
    const size_t begin = (self->next_ + alignment - 1) / alignment * alignment;
    if (bytes > self->arena_.size() || begin > self->arena_.size() - bytes) return nullptr;
    self->next_ = begin + bytes;
    ++self->allocations;
    self->live_[begin] = bytes;
    return reinterpret_cast<void*>(kBase + begin);
  }
  static void Free(void* context, void* memory, size_t bytes, size_t) {
    TestDevice* self = Of(context);
    const auto found = self->live_.find(reinterpret_cast<uintptr_t>(memory) - kBase);
    TERN_CHECK(found != self->live_.end() && found->second == bytes, "a free of what is not live");
    self->live_.erase(found);
    if (self->live_.empty()) self->next_ = 64;
  }
  static int32_t FromHost(void* context, void* to, const void* from, size_t bytes) {
    TestDevice* self = Of(context);
    if (self->fail_copies != 0) return self->fail_copies;
    memcpy(self->At(to, bytes), from, bytes);
    ++self->copies_in;
    return 0;
  }
  static int32_t ToHost(void* context, void* to, const void* from, size_t bytes) {
    TestDevice* self = Of(context);
    if (self->fail_copies != 0) return self->fail_copies;
    memcpy(to, self->At(from, bytes), bytes);
    ++self->copies_out;
    return 0;
  }
  static int32_t Within(void* context, void* to, const void* from, size_t bytes) {
    TestDevice* self = Of(context);
    memmove(self->At(to, bytes), self->At(from, bytes), bytes);
    ++self->copies_within;
    return 0;
  }
  static void Release(void* context) { ++Of(context)->releases; }

  const char* name_;
  std::vector<uint8_t> arena_;
  size_t next_;
  std::map<uintptr_t, size_t> live_;
};

}  // namespace tern

#endif  // TERN_TESTS_SUPPORT_TEST_DEVICE_H_
