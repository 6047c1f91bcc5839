// SPDX-License-Identifier: Apache-2.0
// What kernel tests are written with: guarded buffers, random data, a lender of scratch and
// workers, and the comparison of one target's kernel with reference/ within the bound of
// kernels.def.
//
// kernel_test.cc expands kernels.def into one test per kernel and compiled table; a file *_cases.cc
// defines Test_<kernel>(KernelPair) for each. A kernel without cases does not link.

#ifndef TERN_TESTS_KERNELS_KERNEL_TEST_H_
#define TERN_TESTS_KERNELS_KERNEL_TEST_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/kernels/choose.h"
#include "core/kernels/cpu_features.h"
#include "core/kernels/kernel_table.h"
#include "tests/kernels/cpu.h"

namespace tern::kernels {

// xorshift; the same numbers on every machine.
class Random {
 public:
  explicit Random(uint64_t seed = 1) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint64_t Next();
  float Uniform(float low, float high);
  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(Next() % static_cast<uint64_t>(limit));
  }

 private:
  uint64_t state_;
};

// `size` elements with canaries on both sides; `misalign` elements past a 64-byte boundary. The
// copy of a buffer has the same contents and alignment and canaries of its own.
template <class T>
class Buffer {
 public:
  explicit Buffer(int64_t size, int64_t misalign = 0)
      : size_(size), misalign_(misalign), bytes_(Bytes(size), kCanary) {}
  Buffer(const Buffer& other) : Buffer(other.size_, other.misalign_) {
    if (size_ > 0) memcpy(data(), other.data(), static_cast<size_t>(size_) * sizeof(T));
  }
  Buffer& operator=(const Buffer&) = delete;

  int64_t size() const { return size_; }
  T* data() { return const_cast<T*>(static_cast<const Buffer*>(this)->data()); }
  const T* data() const {
    const auto start = reinterpret_cast<uintptr_t>(bytes_.data()) + kGuard;
    const uintptr_t aligned = (start + 63) / 64 * 64;
    return reinterpret_cast<const T*>(aligned + static_cast<uintptr_t>(misalign_) * sizeof(T));
  }
  T& operator[](int64_t i) { return data()[i]; }
  const T& operator[](int64_t i) const { return data()[i]; }

  Buffer& Fill(T value) {
    for (int64_t i = 0; i < size_; ++i) data()[i] = value;
    return *this;
  }
  Buffer& FillRandom(Random& random, float low = -1.0f, float high = 1.0f) {
    for (int64_t i = 0; i < size_; ++i) data()[i] = static_cast<T>(random.Uniform(low, high));
    return *this;
  }
  // Every byte outside of the elements is as it was made.
  bool CanariesIntact() const {
    const auto* first = reinterpret_cast<const unsigned char*>(data());
    const unsigned char* last = first + static_cast<size_t>(size_) * sizeof(T);
    for (const unsigned char& byte : bytes_) {
      if ((&byte < first || &byte >= last) && byte != kCanary) return false;
    }
    return true;
  }

 private:
  static constexpr unsigned char kCanary = 0xA5;
  static constexpr size_t kGuard = 320;
  size_t Bytes(int64_t size) const {
    return static_cast<size_t>(size + misalign_) * sizeof(T) + 2 * kGuard + 64;
  }
  int64_t size_, misalign_;
  std::vector<unsigned char> bytes_;
};

// Bytes of any value.
void FillBytes(Buffer<uint8_t>& buffer, Random& random);

// Lends scratch (poisoned with NaN) and `workers` workers that run one after the other in an order
// that nothing should depend on. workers = 0: no pool. Without scratch, requests are refused.
class TestContext {
 public:
  explicit TestContext(int workers = 0, bool has_scratch = true);
  const TernKernelContext* get() const { return &context_; }
  void LetWorkersSleep() { workers_sleep_ = true; }
  int64_t tasks_run() const { return tasks_run_; }
  int64_t scratch_bytes() const { return scratch_bytes_; }  // that were lent

 private:
  static void Run(void* context, int64_t num_tasks, void (*task)(void*, int64_t, int32_t),
                  void* data);
  static int32_t Ready(void* context);
  static void* Scratch(void* context, size_t bytes);
  TernParallel parallel_;
  TernKernelContext context_;
  std::vector<unsigned char> scratch_;
  bool has_scratch_;
  bool scratch_given_ = false;
  bool workers_sleep_ = false;
  int64_t scratch_bytes_ = 0;
  int64_t tasks_run_ = 0;
};

// One kernel in two tables, called alike: pair.actual is the target's, pair.expected the plain
// loops'.
template <class Args>
struct KernelPair {
  Kernel<Args>* actual;
  Kernel<Args>* expected;
  float bound;
};

// Columns of the panels that the target's kernel makes: those of a file's, or as many as a vector
// has lanes where these are more.
template <class Args>
int64_t LongWidth(const KernelPair<Args>& pair, Kernel<Args>* KernelTable::*kernel) {
  const KernelTable* sve = FindTable("sve", DetectCpuFeatures());
  const bool is_long = sve != nullptr && sve->*kernel == pair.actual && TestLanes() % 16 == 0;
  return is_long ? TestLanes() : 16;
}

// |actual - expected| <= bound * largest finite magnitude of expected; NaN and infinities at the
// same places. Reports the first differing element and `what`.
::testing::AssertionResult Close(const float* expected, const float* actual, int64_t size,
                                 float bound, const std::string& what);

// Runs both kernels: `args` writes through `output`, a field of it, into copies of `buffer`;
// compares the whole buffers and canaries.
template <class Args>
void ExpectSame(const KernelPair<Args>& pair, Args args, float* Args::*output,
                const Buffer<float>& buffer, const std::string& what, int workers = 0) {
  Buffer<float> expected(buffer), actual(buffer);
  TestContext expected_context, actual_context(workers);
  args.*output = expected.data();
  ASSERT_EQ(pair.expected(&args, expected_context.get()), TERN_KERNEL_OK) << what;
  args.*output = actual.data();
  ASSERT_EQ(pair.actual(&args, actual_context.get()), TERN_KERNEL_OK) << what;
  EXPECT_TRUE(Close(expected.data(), actual.data(), buffer.size(), pair.bound, what));
  EXPECT_TRUE(actual.CanariesIntact()) << what << ": wrote outside of its output";
}

#define TERN_KERNEL(name, Args, bound, phrase) void Test_##name(const KernelPair<Args>& pair);
#include "core/kernels/kernels.def"
#undef TERN_KERNEL

}  // namespace tern::kernels

#endif  // TERN_TESTS_KERNELS_KERNEL_TEST_H_
