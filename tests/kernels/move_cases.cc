// SPDX-License-Identifier: Apache-2.0
// copy, gather_rows and resize2d: bytes are compared, so every bit pattern counts.

#include <algorithm>
#include <array>

#include "tests/kernels/kernel_test.h"

namespace tern::kernels {
namespace {

// Both kernels into guarded buffers of the same bytes; `bytes` must then be equal and the guards
// whole.
template <class Args>
void ExpectSameBytes(const KernelPair<Args>& pair, Args args, void* Args::*output, int64_t bytes,
                     const std::string& what, int workers = 0) {
  Buffer<uint8_t> expected(bytes, 16), actual(bytes, 16);
  expected.Fill(0x5A);
  actual.Fill(0x5A);
  TestContext expected_context, actual_context(workers);
  args.*output = expected.data();
  pair.expected(&args, expected_context.get());
  args.*output = actual.data();
  ASSERT_EQ(pair.actual(&args, actual_context.get()), TERN_KERNEL_OK) << what;
  EXPECT_EQ(memcmp(expected.data(), actual.data(), static_cast<size_t>(bytes)), 0) << what;
  EXPECT_TRUE(actual.CanariesIntact()) << what << ": wrote outside of its output";
}

Buffer<uint8_t> RandomBytes(int64_t size) {
  Random random(static_cast<uint64_t>(size));
  Buffer<uint8_t> bytes(size, 16);
  for (int64_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(random.Next() >> 20);
  return bytes;
}

// A permutation of a contiguous source into a contiguous destination.
void CheckPermutation(const KernelPair<TernCopyArgs>& pair, int32_t element_size,
                      const std::vector<int64_t>& extents, const std::vector<int>& perm,
                      int workers = 0) {
  TernCopyArgs args{};
  args.element_size = element_size;
  args.rank = static_cast<int32_t>(extents.size());
  int64_t size = 1, strides[TERN_MAX_RANK] = {};
  for (size_t i = extents.size(); i-- > 0;) {
    strides[i] = size;
    size *= extents[i];
  }
  int64_t step = 1;
  for (size_t i = perm.size(); i-- > 0;) {
    args.shape[i] = extents[static_cast<size_t>(perm[i])];
    args.src_strides[i] = strides[perm[i]];
    args.dst_strides[i] = step;
    step *= args.shape[i];
  }
  const Buffer<uint8_t> src = RandomBytes(size * element_size);
  args.src = src.data();
  ExpectSameBytes(pair, args, &TernCopyArgs::dst, size * element_size,
                  "permutation of elements of " + std::to_string(element_size), workers);
}

struct Strided {
  std::vector<int64_t> shape, src_strides, dst_strides;
  int64_t src_size, dst_size, src_offset = 0;
};

void CheckStrided(const KernelPair<TernCopyArgs>& pair, const Strided& c) {
  for (int32_t size : {1, 2, 4, 8, 16}) {
    TernCopyArgs args{};
    args.element_size = size;
    args.rank = static_cast<int32_t>(c.shape.size());
    std::copy(c.shape.begin(), c.shape.end(), args.shape);
    std::copy(c.src_strides.begin(), c.src_strides.end(), args.src_strides);
    std::copy(c.dst_strides.begin(), c.dst_strides.end(), args.dst_strides);
    const Buffer<uint8_t> src = RandomBytes(c.src_size * size);
    args.src = src.data() + c.src_offset * size;
    ExpectSameBytes(pair, args, &TernCopyArgs::dst, c.dst_size * size,
                    "strided copy of elements of " + std::to_string(size));
  }
}

}  // namespace

void Test_copy(const KernelPair<TernCopyArgs>& pair) {
  for (int32_t size : {1, 2, 4, 8, 16}) {
    for (int64_t rows = 1; rows <= 2 * TestLanes() + 1; rows += rows < 10 ? 1 : 7) {
      for (int64_t columns = 1; columns <= 40; columns += columns < 6 ? 1 : 5) {
        CheckPermutation(pair, size, {rows, columns}, {1, 0});
        CheckPermutation(pair, size, {columns, rows}, {1, 0});
        CheckPermutation(pair, size, {2, rows, columns}, {0, 2, 1});
      }
    }
    CheckPermutation(pair, size, {3, 4, 5, 6}, {3, 1, 0, 2});
    CheckPermutation(pair, size, {2, 3, 70, 37}, {0, 2, 3, 1});
    CheckPermutation(pair, size, {2, 70, 37, 3}, {0, 3, 1, 2});
    CheckPermutation(pair, size, {2, 2, 301}, {0, 2, 1});
    CheckPermutation(pair, size, {2, 4, 301}, {0, 2, 1});
    // Into pixels: whole vectors, those of 128 bits, and one that begins earlier.
    for (int64_t rows : {15, 16, 17, 31, 58, 64, 65, 116}) {
      for (int64_t pixel : {2, 3, 4}) CheckPermutation(pair, size, {3, pixel, rows}, {0, 2, 1});
    }
    CheckPermutation(pair, size, {600, 501}, {1, 0}, 3);
    CheckPermutation(pair, size, {3, 100000}, {1, 0}, 3);
    CheckPermutation(pair, size, {40, 60, 50}, {0, 2, 1}, 3);
    CheckPermutation(pair, size, {300000}, {0}, 4);
  }
  CheckStrided(pair, {{3, 5}, {5, 1}, {9, 1}, 15, 27});             // into a wider row
  CheckStrided(pair, {{3, 5}, {0, 1}, {5, 1}, 5, 15});              // rows repeated
  CheckStrided(pair, {{3, 50}, {1, 0}, {50, 1}, 3, 150});           // elements repeated
  CheckStrided(pair, {{4, 6}, {6, -1}, {6, 1}, 24, 24, 5});         // reversed
  CheckStrided(pair, {{4, 3}, {12, 2}, {3, 1}, 48, 12});            // every second
  CheckStrided(pair, {{2, 3, 2}, {6, 2, 1}, {30, 10, 3}, 12, 60});  // scattered
  CheckStrided(pair, {{5, 0}, {1, 1}, {1, 1}, 5, 5});               // nothing
  CheckStrided(pair, {{}, {}, {}, 1, 1});                           // one element
  CheckStrided(pair, {{3, 65}, {1, 4}, {70, 1}, 4 * 65, 3 * 70});   // three of four channels
  // Rows of every length around the blocks they are copied in, and around the longest of those.
  for (int64_t n : {7, 9, 15, 16, 17, 31, 33, 47, 63, 65, 127, 129, 255, 257, 511, 512, 513}) {
    CheckStrided(pair, {{3, n}, {n + 3, 1}, {n + 5, 1}, 3 * (n + 3), 3 * (n + 5)});
  }
}

void Test_gather_rows(const KernelPair<TernGatherRowsArgs>& pair) {
  for (int64_t row_bytes : {1, 2, 4, 8, 12, 16, 17, 64, 100, 512, 513, 4096}) {
    for (int64_t count : {0, 1, 2, 7, 200}) {
      const int64_t outer = 3, axis = 11;
      Random random(static_cast<uint64_t>(count));
      Buffer<int64_t> index(count);
      for (int64_t i = 0; i < count; ++i) index[i] = random.Below(axis);
      const Buffer<uint8_t> x = RandomBytes(outer * axis * row_bytes);
      const TernGatherRowsArgs args{outer, axis, count, row_bytes, index.data(), x.data(), nullptr};
      ExpectSameBytes(pair, args, &TernGatherRowsArgs::y, outer * count * row_bytes,
                      "rows of " + std::to_string(row_bytes) + " bytes", 3);
    }
  }
}

void Test_lookup(const KernelPair<TernLookupArgs>& pair) {
  const Buffer<uint8_t> table = RandomBytes(256);
  for (int64_t size : {0, 1, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 1023, 1025, 300000}) {
    const Buffer<uint8_t> x = RandomBytes(size);
    Buffer<uint8_t> expected(size, 16), actual(size, 16);
    TestContext expected_context, actual_context(3);
    TernLookupArgs args{size, table.data(), x.data(), expected.data()};
    pair.expected(&args, expected_context.get());
    args.y = actual.data();
    ASSERT_EQ(pair.actual(&args, actual_context.get()), TERN_KERNEL_OK) << size;
    EXPECT_EQ(memcmp(expected.data(), actual.data(), static_cast<size_t>(size)), 0) << size;
    EXPECT_TRUE(actual.CanariesIntact()) << size << ": wrote outside of its output";
  }
}

// ---- resize2d

namespace {

void CheckResize(const KernelPair<TernResize2dArgs>& pair, int64_t channels, int64_t in,
                 int64_t out_h, int64_t out_w, int workers = 0) {
  Random random(static_cast<uint64_t>(channels));
  const auto positions = [&](int64_t count) {
    Buffer<int64_t> result(count);
    for (int64_t i = 0; i < count; ++i) result[i] = random.Below(in);
    return result;
  };
  const Buffer<int64_t> y0 = positions(out_h), y1 = positions(out_h);
  const Buffer<int64_t> x0 = positions(out_w), x1 = positions(out_w);
  Buffer<float> y_weight(out_h), x_weight(out_w), input(2 * in * in * channels, 1);
  y_weight.FillRandom(random, 0.0f, 1.0f);
  x_weight.FillRandom(random, 0.0f, 1.0f);
  input.FillRandom(random);
  Buffer<float> output(2 * out_h * out_w * channels, 3);
  for (int32_t mode : {TERN_RESIZE_NEAREST, TERN_RESIZE_LINEAR}) {
    TernResize2dArgs args{};
    args.mode = mode;
    args.batch = 2;
    args.in_h = args.in_w = in;
    args.channels = channels;
    args.out_h = out_h;
    args.out_w = out_w;
    args.y0 = y0.data(), args.y1 = y1.data(), args.y_weight = y_weight.data();
    args.x0 = x0.data(), args.x1 = x1.data(), args.x_weight = x_weight.data();
    args.input = input.data();
    ExpectSame(pair, args, &TernResize2dArgs::output, output.Fill(8.0f),
               "resize of " + std::to_string(channels) + " channels", workers);
  }
}

}  // namespace

void Test_resize2d(const KernelPair<TernResize2dArgs>& pair) {
  for (int64_t channels = 1; channels <= 2 * TestLanes() + 1; ++channels) {
    CheckResize(pair, channels, 4, 3, 5);
  }
  CheckResize(pair, 64, 10, 20, 20, 3);
  CheckResize(pair, 1, 30, 200, 211, 3);
  CheckResize(pair, 3, 2, 0, 4);
}

}  // namespace tern::kernels
