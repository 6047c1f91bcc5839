// SPDX-License-Identifier: Apache-2.0
#include "core/loop/run/workspace.h"

#include <string.h>

#include "core/base/strings.h"
#include "core/loop/run/lane_math.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

// As many bytes as a vector of 2048 bits, on either side of a buffer: a store of a whole vector
// beside the end is caught. Also a multiple of every alignment, so that buffers stay aligned.
constexpr size_t kCanary = 256;
constexpr uint8_t kCanaryByte = 0xC5, kOutputByte = 0x5A;
// Of all buffers together: an allocation that fails ends the program.
constexpr int64_t kMaxBytes = int64_t{1} << (sizeof(void*) == 4 ? 29 : 32);

// Knuth's MMIX generator, whose upper bits are used because the lower ones repeat soon.
uint64_t Next(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

// Small multiples of 1/8 from -4 to 4: sums of them are exact in float32, so that the order of
// adding does not show where it need not.
Lane MadeUp(DType type, uint64_t random) {
  Lane lane;
  if (type.is_float())
    lane.f = static_cast<double>(static_cast<int64_t>(random % 65) - 32) / 8;
  else
    lane.i = static_cast<int64_t>(random % (type.is_bool() ? 2 : 8));
  return lane;
}

}  // namespace

std::vector<uint64_t> MadeUpScalars(const LoopFunction& function, uint64_t* state) {
  std::vector<uint64_t> scalars;
  for (const VarPtr& scalar : function.scalars) {
    uint8_t bytes[8] = {};
    WriteLane(scalar->type.element(), MadeUp(scalar->type.element(), Next(state)), bytes);
    uint64_t bits = 0;
    memcpy(&bits, bytes, sizeof(bits));
    scalars.push_back(bits);
  }
  return scalars;
}

Result<Workspace> Workspace::Make(const LoopFunction& function, std::span<const int64_t> sizes,
                                  uint64_t seed) {
  Workspace out;
  out.sizes_.assign(sizes.begin(), sizes.end());
  uint64_t state = seed;
  out.scalars_ = MadeUpScalars(function, &state);
  TERN_TRY_ASSIGN(const std::vector<int64_t> elements, ElementCounts(function, sizes));
  int64_t left = kMaxBytes;
  for (size_t i = 0; i < function.buffers.size(); ++i) {
    const Buffer& buffer = *function.buffers[i];
    const int64_t size = buffer.dtype.size();
    // By division, because the product could overflow.
    if (elements[i] > left / size)
      return OutOfRange("'", buffer.name, "' would have ", elements[i], " elements of ", size,
                        " bytes; the buffers of a run have ", kMaxBytes, " bytes together")
          .AddNote("help: choose smaller sizes")
          .SetErrorCode(kCannotRun);
    left -= elements[i] * size;
    const size_t bytes = static_cast<size_t>(elements[i] * size);
    std::vector<uint8_t> memory(bytes + 2 * kCanary, kCanaryByte);
    uint8_t* data = memory.data() + kCanary;
    // Outputs hold a pattern, so that an element nobody wrote is noticed.
    memset(data, kOutputByte, bytes);
    const bool is_read = buffer.access == Access::kIn || buffer.access == Access::kInOut;
    for (int64_t k = 0; is_read && k < elements[i]; ++k)
      WriteLane(buffer.dtype, MadeUp(buffer.dtype, Next(&state)), data + k * size);
    out.arguments_.push_back({data, static_cast<int64_t>(bytes)});
    out.memory_.push_back(std::move(memory));
  }
  return out;
}

int Workspace::FirstBrokenCanary() const {
  for (size_t i = 0; i < memory_.size(); ++i) {
    const std::vector<uint8_t>& memory = memory_[i];
    for (size_t k = 0; k < kCanary; ++k) {
      if (memory[k] != kCanaryByte || memory[memory.size() - 1 - k] != kCanaryByte)
        return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace tern::loop
