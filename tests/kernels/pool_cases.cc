// SPDX-License-Identifier: Apache-2.0
// Pooling: channel counts around every lane count, windows over the edge, empty windows, NaN,
// zeros of both signs.

#include "tests/kernels/kernel_test.h"

namespace tern::kernels {
namespace {

struct PoolCase {
  int64_t height, width, channels, kernel, stride, pad = 0, dilation = 1, batch = 1;
  int64_t extra = 0;  // more padding below and right, as ceil_mode asks for
};

int64_t OutSize(int64_t size, const PoolCase& c) {
  const int64_t reach = (c.kernel - 1) * c.dilation + 1;
  return size + 2 * c.pad + c.extra < reach ? 0
                                            : (size + 2 * c.pad + c.extra - reach) / c.stride + 1;
}

TernPool2dArgs Geometry(const PoolCase& c) {
  TernPool2dArgs args{};
  args.batch = c.batch, args.in_h = c.height, args.in_w = c.width, args.channels = c.channels;
  args.out_h = OutSize(c.height, c), args.out_w = OutSize(c.width, c);
  args.kernel_h = args.kernel_w = c.kernel, args.stride_h = args.stride_w = c.stride;
  args.dilation_h = args.dilation_w = c.dilation;
  args.pad_top = args.pad_left = args.pad_bottom = args.pad_right = c.pad;
  return args;
}

void CheckPool(const KernelPair<TernPool2dArgs>& pair, const PoolCase& c, bool specials = false,
               int workers = 0) {
  TernPool2dArgs args = Geometry(c);
  Random random(static_cast<uint64_t>(c.channels));
  Buffer<float> input(c.batch * c.height * c.width * c.channels, 1);
  Buffer<float> output(c.batch * args.out_h * args.out_w * c.channels, 3);
  input.FillRandom(random);
  output.Fill(7.0f);
  if (specials) {
    for (int64_t i = 0; i < input.size(); i += 13)
      input[i] = i % 3 == 0 ? -INFINITY : i % 3 == 1 ? NAN : -0.0f;
  }
  args.input = input.data();
  const std::string what = "pool " + std::to_string(c.channels) + " channels, kernel " +
                           std::to_string(c.kernel) + " stride " + std::to_string(c.stride) +
                           " pad " + std::to_string(c.pad) + " dilation " +
                           std::to_string(c.dilation);
  for (int32_t kind : {TERN_POOL_MAX, TERN_POOL_AVERAGE}) {
    for (int32_t include_pad : {0, 1}) {
      args.kind = kind;
      args.count_include_pad = include_pad;
      ExpectSame(pair, args, &TernPool2dArgs::output, output, what, workers);
    }
  }
}

}  // namespace

void Test_pool2d(const KernelPair<TernPool2dArgs>& pair) {
  for (int64_t channels = 0; channels <= 9 * TestLanes() + 1; channels += channels < 40 ? 1 : 17) {
    CheckPool(pair, {4, 5, channels, 2, 2});
  }
  for (int64_t kernel : {1, 2, 3, 5}) {
    for (int64_t stride : {1, 2, 3}) {
      for (int64_t pad : {0, 1, 2}) {
        for (int64_t dilation : {1, 2}) {
          CheckPool(pair, {7, 6, 5, kernel, stride, pad, dilation, 2});
          CheckPool(pair, {5, 8, 21, kernel, stride, pad, dilation, 1, 2});
        }
      }
    }
  }
  // Windows within the image between others that are not, one by one and all at once.
  for (int64_t channels : {1, 8, 16, 33, 200}) {
    for (int64_t kernel : {2, 3}) {
      CheckPool(pair, {9, 31, channels, kernel, 2, 1, 1, 2, 1}, /*specials=*/true);
      CheckPool(pair, {3, 30, channels, kernel, 5, 2}, /*specials=*/true);
    }
  }
  CheckPool(pair, {7, 7, 70, 7, 1});
  CheckPool(pair, {1, 1, 3, 1, 1, 1});
  CheckPool(pair, {8, 8, 33, 3, 2, 1}, /*specials=*/true);
  CheckPool(pair, {64, 64, 64, 3, 1, 1}, false, 3);
  CheckPool(pair, {0, 5, 4, 2, 2, 1});
}

namespace {

void CheckBytePool(const KernelPair<TernPool2dArgs>& pair, const PoolCase& c, int workers = 0) {
  TernPool2dArgs args = Geometry(c);
  Random random(static_cast<uint64_t>(c.channels));
  Buffer<uint8_t> input(c.batch * c.height * c.width * c.channels, 1);
  for (int64_t i = 0; i < input.size(); ++i) input[i] = static_cast<uint8_t>(random.Next() >> 9);
  args.byte_input = input.data();
  for (int32_t is_signed : {0, 1}) {
    const int64_t size = c.batch * args.out_h * args.out_w * c.channels;
    Buffer<uint8_t> expected(size, 3), actual(size, 3);
    TestContext expected_context, actual_context(workers);
    args.is_signed = is_signed;
    args.byte_output = expected.data();
    pair.expected(&args, expected_context.get());
    args.byte_output = actual.data();
    ASSERT_EQ(pair.actual(&args, actual_context.get()), TERN_KERNEL_OK);
    EXPECT_EQ(memcmp(expected.data(), actual.data(), static_cast<size_t>(size)), 0)
        << c.channels << " channels, kernel " << c.kernel << " stride " << c.stride << " pad "
        << c.pad << " dilation " << c.dilation << (is_signed != 0 ? " i8" : " u8");
    EXPECT_TRUE(actual.CanariesIntact()) << c.channels << ": wrote outside of its output";
  }
}

}  // namespace

void Test_max_pool2d_bytes(const KernelPair<TernPool2dArgs>& pair) {
  for (int64_t channels = 0; channels <= 70; channels += channels < 40 ? 1 : 6)
    CheckBytePool(pair, {4, 5, channels, 2, 2});
  for (int64_t kernel : {1, 2, 3, 5}) {
    for (int64_t stride : {1, 2, 3}) {
      for (int64_t pad : {0, 1, 2}) {
        CheckBytePool(pair, {7, 6, 5, kernel, stride, pad, 1, 2});
        CheckBytePool(pair, {5, 8, 21, kernel, stride, pad, 2, 1, 2});
      }
    }
  }
  CheckBytePool(pair, {1, 1, 3, 1, 1, 1});  // windows without pixels
  CheckBytePool(pair, {64, 64, 64, 3, 1, 1}, 3);
  CheckBytePool(pair, {0, 5, 4, 2, 2, 1});
}

}  // namespace tern::kernels
