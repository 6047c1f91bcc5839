// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes decoded as an image. Seeds: small images of every kind that is decoded.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/images/image.h"

namespace {

// As much as an image of a few hundred pixels along each axis may need.
constexpr int64_t kMostBytes = 1 << 22;

class Heap final : public tern::images::Memory {
 public:
  tern::Result<uint8_t*> New(int64_t size) override {
    left_ -= size;
    if (size < 0 || left_ < 0) return tern::OutOfMemory("the fuzzer's limit");
    // An array of its own each, so that a byte behind it is noticed.
    held_.push_back(std::make_unique<uint8_t[]>(static_cast<size_t>(size)));
    return held_.back().get();
  }

 private:
  int64_t left_ = kMostBytes;
  std::vector<std::unique_ptr<uint8_t[]>> held_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const tern::images::Bytes bytes(data, size);
  const auto extent = tern::images::ReadExtent(bytes);
  if (!extent.ok()) return 0;
  if (extent->height < 1 || extent->width < 1) __builtin_trap();
  if (extent->height * extent->width > kMostBytes / 4) return 0;
  Heap heap;
  std::vector<uint8_t> pixels(static_cast<size_t>(extent->height * extent->width * 3));
  // Both readings find the same extents, or pixels would be written beyond the result.
  (void)tern::images::Decode(bytes, &heap, pixels.data()).ok();
  return 0;
}
