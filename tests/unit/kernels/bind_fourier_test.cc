// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of lengths that are powers of two and others, against their definition.
#include <cmath>

#include "core/base/strings.h"
#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::fourier_test {
namespace {

// x[k] = sin(k + 1), as [1, n, 1].
TensorPtr Signal(int64_t n) {
  const int64_t dims[] = {1, n, 1};
  TensorPtr x = Tensor::New(kF32, dims).value();
  for (int64_t k = 0; k < n; ++k)
    x->data_as<float>()[k] = static_cast<float>(std::sin(static_cast<double>(k + 1)));
  return x;
}

double Defined(const Tensor& x, int64_t bin, bool imaginary) {
  const int64_t n = x.dim(1);
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) {
    const double angle =
        -2 * std::acos(-1.0) * static_cast<double>(k * bin % n) / static_cast<double>(n);
    sum += static_cast<double>(x.data_as<float>()[k]) *
           (imaginary ? std::sin(angle) : std::cos(angle));
  }
  return sum;
}

TEST(DftTest, EveryLength) {
  for (int64_t n = 1; n <= 40; ++n) {
    const TensorPtr x = Signal(n), y = RunTensor("dft", {x});
    for (int64_t bin = 0; bin < n; ++bin) {
      EXPECT_NEAR(y->data_as<float>()[2 * bin], Defined(*x, bin, false), 1e-5) << n;
      EXPECT_NEAR(y->data_as<float>()[2 * bin + 1], Defined(*x, bin, true), 1e-5) << n;
    }
    const TensorPtr back = RunTensor("dft{inverse=1}", {y});
    for (int64_t k = 0; k < n; ++k) {
      EXPECT_NEAR(back->data_as<float>()[2 * k], x->data_as<float>()[k], 1e-6) << n;
      EXPECT_NEAR(back->data_as<float>()[2 * k + 1], 0, 1e-6) << n;
    }
  }
}

TEST(DftTest, LengthsAxesAndSides) {
  const TensorPtr x = F({1, 2, 1}, {1, 2});
  EXPECT_EQ(RunText("dft", {x, I({}, {4})}), "f32[1, 4, 2] {3 0 1 -2 -1 0 1 2}");
  EXPECT_EQ(RunText("dft{onesided=1}", {x, I({}, {4})}), "f32[1, 3, 2] {3 0 1 -2 -1 0}");
  EXPECT_EQ(RunText("dft", {x, I({}, {1})}), "f32[1, 1, 2] {1 0}");
  EXPECT_EQ(RunText("dft{axis=0}", {F({2, 1, 1}, {1, 2})}), "f32[2, 1, 2] {3 0 -1 0}");
  ExpectError("dft{axis=2}", {x}, {"axis 2", "real and imaginary"});
  ExpectError("dft", {F({1, 1, 3}, {1, 2, 3})}, {"expected 1 (real) or 2 (complex)"});
  ExpectError("dft", {x, I({}, {0})}, {"a transform of 0 elements"});
  ExpectError("dft", {x, I({}, {int64_t{1} << 40})}, {"a transform of 1099511627776 elements"});
  ExpectError("dft", {I({1, 1, 1}, {1})}, {"f32 or f64"});
}

TEST(StftTest, Frames) {
  const TensorPtr x = F({1, 4, 1}, {1, 2, 3, 4});
  EXPECT_EQ(RunText("stft", {x, I({}, {2}), AnyView(), I({}, {2})}),
            "f32[1, 2, 2, 2] {3 0 -1 0 7 0 -1 0}");
  EXPECT_EQ(RunText("stft{onesided=0}", {x, I({}, {3}), F({1}, {2})}), "f32[1, 2, 1, 2] {2 0 8 0}");
  ExpectError("stft", {x, I({}, {1})}, {"neither window"});
  ExpectError("stft", {x, I({}, {0}), F({1}, {1})}, {"a frame step of 0"});
  ExpectError("stft", {x, I({}, {1}), AnyView(), I({}, {5})}, {"frames of 5 in a signal of 4"});
  ExpectError("stft", {x, I({}, {1}), F({1}, {1}), I({}, {2})}, {"2 elements, as many as a frame"});
}

TEST(MelWeightsTest, Triangles) {
  EXPECT_EQ(
      RunText("mel_weights{to=f32}", {I({}, {2}), I({}, {8}), I({}, {16}), F({}, {0}), F({}, {8})}),
      "f32[5, 2] {0 0 1 0 0 1 0 0 0 0}");
  ExpectError("mel_weights{to=f32}", {I({}, {0}), I({}, {8}), I({}, {16}), F({}, {0}), F({}, {8})},
              {"0 mel bins"});
  ExpectError("mel_weights{to=f32}",
              {I({}, {1}), I({}, {8}), I({}, {16}), F({}, {NAN}), F({}, {8})}, {"nan"});
}

}  // namespace
}  // namespace tern::kernels::fourier_test
