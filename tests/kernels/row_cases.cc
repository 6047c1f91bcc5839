// SPDX-License-Identifier: Apache-2.0
// softmax, reduce, normalize and lrn: rows and columns of every length around the vector length.

#include "tests/kernels/kernel_test.h"

namespace tern::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::string Shape(int64_t outer, int64_t axis, int64_t inner) {
  return " of [" + std::to_string(outer) + ", " + std::to_string(axis) + ", " +
         std::to_string(inner) + "]";
}

void CheckSoftmax(const KernelPair<TernSoftmaxArgs>& pair, int64_t outer, int64_t axis,
                  int64_t inner, bool specials = false, int workers = 0) {
  Random random(static_cast<uint64_t>(axis));
  Buffer<float> x(outer * axis * inner, 1), y(outer * axis * inner, 2);
  x.FillRandom(random, -8.0f, 8.0f);
  for (int64_t i = 0; specials && i < x.size(); i += 5) x[i] = i % 2 == 0 ? -kInfinity : 1e30f;
  for (int32_t log : {0, 1}) {
    const TernSoftmaxArgs args{log, outer, axis, inner, x.data(), nullptr};
    ExpectSame(pair, args, &TernSoftmaxArgs::y, y.Fill(3.0f),
               (log ? "log-softmax" : "softmax") + Shape(outer, axis, inner), workers);
  }
}

// y may be x.
void CheckSoftmaxInPlace(const KernelPair<TernSoftmaxArgs>& pair, int64_t axis, int64_t inner) {
  Random random(3);
  Buffer<float> x(3 * axis * inner);
  x.FillRandom(random);
  Buffer<float> expected(x), actual(x);
  TestContext context;
  TernSoftmaxArgs args{0, 3, axis, inner, x.data(), expected.data()};
  pair.expected(&args, context.get());
  args.x = args.y = actual.data();
  pair.actual(&args, context.get());
  EXPECT_TRUE(Close(expected.data(), actual.data(), x.size(), pair.bound, "softmax in place"));
}

}  // namespace

void Test_softmax(const KernelPair<TernSoftmaxArgs>& pair) {
  for (int64_t axis = 1; axis <= 4 * TestLanes() + 1; ++axis) CheckSoftmax(pair, 3, axis, 1);
  for (int64_t inner = 1; inner <= 2 * TestLanes() + 1; ++inner) {
    CheckSoftmax(pair, 2, 3, inner);
    CheckSoftmax(pair, 2, 17, inner);
  }
  CheckSoftmax(pair, 4420, 2, 1, false, 3);
  CheckSoftmax(pair, 300, 1000, 1, false, 3);
  CheckSoftmax(pair, 40, 33, 5, true);
  CheckSoftmax(pair, 40, 33, 1, true);
  CheckSoftmax(pair, 0, 5, 1);
  CheckSoftmax(pair, 5, 0, 2);
  for (int64_t axis : {2, 30}) {
    CheckSoftmaxInPlace(pair, axis, 1);
    CheckSoftmaxInPlace(pair, axis, 3);
  }
  Buffer<float> x(20), y(20);
  x.Fill(1.0f)[7] = std::nanf("");
  ExpectSame(pair, {0, 1, 20, 1, x.data(), nullptr}, &TernSoftmaxArgs::y, y, "a row with NaN");
  x.Fill(-kInfinity);
  ExpectSame(pair, {0, 1, 20, 1, x.data(), nullptr}, &TernSoftmaxArgs::y, y, "a row of -inf");
}

// ---- reduce ------------------------------------------------------------------------------------

namespace {

void CheckReduce(const KernelPair<TernReduceArgs>& pair, int64_t outer, int64_t axis, int64_t inner,
                 int workers = 0) {
  Random random(static_cast<uint64_t>(axis + inner));
  Buffer<float> x(outer * axis * inner, 1), y(outer * inner, 2);
  x.FillRandom(random, 0.9f, 1.1f);
  for (int op = 0; op < TERN_REDUCE_COUNT; ++op) {
    if (op == TERN_REDUCE_prod && axis > 400) continue;
    const TernReduceArgs args{op, outer, axis, inner, x.data(), nullptr};
    ExpectSame(pair, args, &TernReduceArgs::y, y.Fill(5.0f),
               "reduction " + std::to_string(op) + Shape(outer, axis, inner), workers);
  }
}

void CheckReduceSpecials(const KernelPair<TernReduceArgs>& pair, int64_t inner) {
  for (float special : {kInfinity, -kInfinity, std::nanf("")}) {
    for (int64_t at : {0, 20, 36}) {
      Random random(2);
      Buffer<float> x(37 * inner), y(inner);
      x.FillRandom(random, -1.0f, 1.0f);
      x[at * inner] = special;
      for (int op : {TERN_REDUCE_sum, TERN_REDUCE_max, TERN_REDUCE_min, TERN_REDUCE_l1}) {
        ExpectSame(pair, {op, 1, 37, inner, x.data(), nullptr}, &TernReduceArgs::y, y,
                   "a special value in reduction " + std::to_string(op));
      }
    }
  }
}

}  // namespace

void Test_reduce(const KernelPair<TernReduceArgs>& pair) {
  for (int64_t axis = 0; axis <= 4 * TestLanes() + 1; ++axis) CheckReduce(pair, 2, axis, 1);
  for (int64_t inner = 1; inner <= 4 * TestLanes() + 1; ++inner) {
    CheckReduce(pair, 2, 3, inner);
    CheckReduce(pair, 1, 0, inner);
  }
  CheckReduce(pair, 2, 600, 7);
  CheckReduce(pair, 1, 100000, 1);
  CheckReduce(pair, 1, 3000, 40);
  CheckReduce(pair, 500, 1000, 1, 3);
  CheckReduce(pair, 1, 300, 1100, 3);
  CheckReduce(pair, 0, 3, 2);
  for (int64_t inner : {1, 3}) CheckReduceSpecials(pair, inner);
}

// ---- normalize, lrn ----------------------------------------------------------------------------

namespace {

void CheckNormalize(const KernelPair<TernNormalizeArgs>& pair, int64_t outer, int64_t axis,
                    bool scaled, int workers = 0) {
  Random random(static_cast<uint64_t>(axis));
  Buffer<float> x(outer * axis, 1), scale(axis, 2), bias(axis, 3), y(outer * axis), stats(outer);
  x.FillRandom(random, -1.0f, 3.0f);
  scale.FillRandom(random);
  bias.FillRandom(random);
  for (int32_t rms : {0, 1}) {
    TernNormalizeArgs args{};
    args.rms = rms;
    args.epsilon = 1e-5f;
    args.outer = outer;
    args.axis = axis;
    args.x = x.data();
    args.scale = scaled ? scale.data() : nullptr;
    args.bias = scaled && rms == 0 ? bias.data() : nullptr;
    const std::string what = "normalization" + Shape(outer, axis, 1);
    ExpectSame(pair, args, &TernNormalizeArgs::y, y.Fill(4.0f), what, workers);
    Buffer<float> sink(y.size());
    args.y = sink.data();
    ExpectSame(pair, args, &TernNormalizeArgs::mean_out, stats, what + ": mean");
    ExpectSame(pair, args, &TernNormalizeArgs::inv_std_out, stats, what + ": deviation");
  }
}

void CheckLrn(const KernelPair<TernLrnArgs>& pair, int64_t pixels, int64_t channels, int64_t size,
              float beta, int workers = 0) {
  Random random(static_cast<uint64_t>(channels));
  Buffer<float> x(pixels * channels, 1), y(pixels * channels, 2);
  x.FillRandom(random, -3.0f, 3.0f);
  const TernLrnArgs args{pixels, channels, size, 0.5f, beta, 1.5f, x.data(), nullptr};
  ExpectSame(pair, args, &TernLrnArgs::y, y.Fill(6.0f),
             "lrn of " + std::to_string(channels) + " channels, size " + std::to_string(size),
             workers);
}

}  // namespace

void Test_normalize(const KernelPair<TernNormalizeArgs>& pair) {
  for (int64_t axis = 1; axis <= 4 * TestLanes() + 1; ++axis) {
    CheckNormalize(pair, 3, axis, axis % 2 == 0);
  }
  CheckNormalize(pair, 2, 768, true);
  CheckNormalize(pair, 400, 384, true, 3);
  CheckNormalize(pair, 0, 5, true);
}

void Test_lrn(const KernelPair<TernLrnArgs>& pair) {
  for (int64_t channels = 1; channels <= 2 * TestLanes() + 1; ++channels) {
    CheckLrn(pair, 3, channels, 5, 0.75f);
    CheckLrn(pair, 2, channels, 4, 0.6f);
  }
  CheckLrn(pair, 2, 3, 11, 1.0f);
  CheckLrn(pair, 3000, 64, 5, 0.75f, 3);
  TestContext without_scratch(0, false);
  float value = 1.0f;
  const TernLrnArgs args{1, 1, 1, 1.0f, 1.0f, 1.0f, &value, &value};
  if (pair.actual != pair.expected) {
    EXPECT_EQ(pair.actual(&args, without_scratch.get()), TERN_KERNEL_NO_MEMORY);
  }
}

}  // namespace tern::kernels
