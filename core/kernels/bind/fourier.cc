// SPDX-License-Identifier: Apache-2.0
// dft, stft and mel_weights. Transforms are fast for every length: of a power of two by halves, of
// another as a convolution (Bluestein) of such a length. They are computed in f64.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/types.h"
#include "core/ops/math_rules.h"

namespace tern::kernels::bind {
namespace {

constexpr int64_t kLongest = int64_t{1} << 26;
constexpr double kPi = 3.14159265358979323846;

struct Complex {
  double re = 0, im = 0;
};
Complex operator*(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Complex operator+(const Complex& a, const Complex& b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(const Complex& a, const Complex& b) { return {a.re - b.re, a.im - b.im}; }
Complex Conjugate(const Complex& a) { return {a.re, -a.im}; }
// exp(-2 pi i k / n)
Complex Root(int64_t k, int64_t n) {
  const double angle = -2 * kPi * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

int64_t PowerAbove(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

// Transforms of one length that is a power of two, in place.
class HalvingTransform {
 public:
  explicit HalvingTransform(int64_t n) : n_(n) {
    for (int64_t k = 0; k < n / 2; ++k) roots_.push_back(Root(k, n));
  }

  void Forward(Complex* data) const {
    // Elements change places so that those of even and of odd number lie apart at every level: j is
    // i with its bits in reverse order.
    for (int64_t i = 1, j = 0; i < n_; ++i) {
      int64_t bit = n_ / 2;
      for (; (j & bit) != 0; bit /= 2) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(data[i], data[j]);
    }
    for (int64_t size = 2; size <= n_; size *= 2) {
      // Butterflies of two transforms of half the size; their roots are every step-th of the whole.
      const int64_t half = size / 2, step = n_ / size;
      for (int64_t begin = 0; begin < n_; begin += size) {
        for (int64_t k = 0; k < half; ++k) {
          const Complex odd = data[begin + k + half] * roots_[static_cast<size_t>(k * step)];
          const Complex even = data[begin + k];
          data[begin + k] = even + odd;
          data[begin + k + half] = even - odd;
        }
      }
    }
  }

 private:
  int64_t n_;
  std::vector<Complex> roots_;
};

// Transforms of any length. With k*j = (k² + j² - (k-j)²) / 2 one is a convolution with a chirp.
class Transform {
 public:
  explicit Transform(int64_t n)
      : n_(n),
        padded_(PowerAbove(n)),
        halving_(padded_ == n ? n : padded_ = PowerAbove(2 * n - 1)) {
    if (padded_ == n) return;
    chirp_.resize(static_cast<size_t>(n));
    filter_.resize(static_cast<size_t>(padded_));
    for (int64_t k = 0; k < n; ++k) {
      // k² modulo 2n, so that large angles stay exact.
      const auto square = static_cast<int64_t>(static_cast<uint64_t>(k) * static_cast<uint64_t>(k) %
                                               static_cast<uint64_t>(2 * n));
      chirp_[static_cast<size_t>(k)] = Root(square, 2 * n);
      filter_[static_cast<size_t>(k)] = Conjugate(chirp_[static_cast<size_t>(k)]);
      if (k > 0) filter_[static_cast<size_t>(padded_ - k)] = filter_[static_cast<size_t>(k)];
    }
    halving_.Forward(filter_.data());
    work_.resize(static_cast<size_t>(padded_));
  }

  void Forward(Complex* data) {
    if (padded_ == n_) return halving_.Forward(data);
    std::fill(work_.begin(), work_.end(), Complex{});
    for (int64_t k = 0; k < n_; ++k)
      work_[static_cast<size_t>(k)] = data[k] * chirp_[static_cast<size_t>(k)];
    halving_.Forward(work_.data());
    // The inverse transform is the conjugate of the transform of the conjugate.
    for (size_t k = 0; k < work_.size(); ++k) work_[k] = Conjugate(work_[k] * filter_[k]);
    halving_.Forward(work_.data());
    const double scale = 1 / static_cast<double>(padded_);
    for (int64_t k = 0; k < n_; ++k) {
      const Complex sum = Conjugate(work_[static_cast<size_t>(k)]);
      data[k] = Complex{sum.re * scale, sum.im * scale} * chirp_[static_cast<size_t>(k)];
    }
  }

 private:
  int64_t n_, padded_;
  HalvingTransform halving_;
  std::vector<Complex> chirp_, filter_, work_;
};

// What a transform and its tables cost, in elements.
int64_t WorkOf(int64_t n) {
  int64_t bits = 4;
  while ((int64_t{1} << bits) < n) ++bits;
  return ops::MulDim(n, 8 * bits);
}

Status CheckLength(int64_t length) {
  if (length >= 1 && length <= kLongest) return OkStatus();
  return OutOfRange("a transform of ", length, " elements, expected 1 to ", kLongest);
}

const Tensor* FloatInput(Call& call, int index) {
  const Tensor* tensor = call.Input(index);
  if (tensor == nullptr || tensor->dtype() == kF32 || tensor->dtype() == kF64) return tensor;
  call.Fail(WrongTensor(call, index, *tensor, "element type f32 or f64"));
  return nullptr;
}

double Element(const Tensor& tensor, int64_t index) {
  double value = 0;
  ReadElement(tensor, index, &value);
  return value;
}

void SetElement(Tensor* tensor, int64_t index, double value) {
  if (tensor->dtype() == kF32)
    tensor->data_as<float>()[index] = static_cast<float>(value);
  else
    tensor->data_as<double>()[index] = value;
}

// The last axis holds real numbers, or real and imaginary parts.
Complex ElementAt(const Tensor& x, int64_t index) {
  const int64_t parts = x.dim(x.rank() - 1);
  return {Element(x, index * parts), parts == 2 ? Element(x, index * parts + 1) : 0};
}

void SetComplex(Tensor* y, int64_t index, const Complex& value) {
  SetElement(y, index * 2, value.re);
  SetElement(y, index * 2 + 1, value.im);
}

}  // namespace

Result<Any> Dft(const ops::DftAttrs& attrs, Call& call) {
  const Tensor* x = FloatInput(call, 0);
  const int64_t wanted = call.Has(1) ? call.ReadInt(1) : -1;
  TERN_TRY(call.TakeStatus());
  int axis = 0;
  Extents out;
  TERN_TRY(ops::DftShape(attrs, ExtentsOf(*x), &axis, &out));
  // A length that is given cuts the signal or lengthens it with zeros.
  const int64_t length = call.Has(1) ? wanted : x->dim(axis);
  TERN_TRY(CheckLength(length));
  out[axis] = attrs.onesided ? length / 2 + 1 : length;
  // Complex numbers count as one element of the view.
  Extents pixels = ExtentsOf(*x);
  pixels[x->rank() - 1] = 1;
  const AxisView from = ViewAround(pixels, axis);
  const int64_t rows = ops::MulDim(from.outer, from.inner);
  TERN_TRY(call.Charge(ops::MulDim(ops::AddDim(rows, 1), WorkOf(length))));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), out));
  Transform transform(length);
  std::vector<Complex> row(static_cast<size_t>(length));
  const double scale = attrs.inverse ? 1 / static_cast<double>(length) : 1;
  for (int64_t r = 0; r < rows && !call.IsStopped(); ++r) {
    const int64_t outer = r / from.inner, inner = r % from.inner;
    for (int64_t k = 0; k < length; ++k) {
      Complex value;
      // A transform that is longer than the signal sees zeros behind it.
      if (k < from.axis) value = ElementAt(*x, (outer * from.axis + k) * from.inner + inner);
      // The inverse transform is the conjugate of the transform of the conjugate, over the length.
      row[static_cast<size_t>(k)] = attrs.inverse ? Conjugate(value) : value;
    }
    transform.Forward(row.data());
    for (int64_t k = 0; k < out[axis]; ++k) {
      const Complex value = row[static_cast<size_t>(k)];
      SetComplex(y.get(), (outer * out[axis] + k) * from.inner + inner,
                 {value.re * scale, (attrs.inverse ? -value.im : value.im) * scale});
    }
  }
  return Any(std::move(y));
}

Result<Any> Stft(const ops::StftAttrs& attrs, Call& call) {
  const Tensor* x = FloatInput(call, 0);
  const int64_t step = call.ReadInt(1);
  const Tensor* window = call.Has(2) ? FloatInput(call, 2) : nullptr;
  int64_t length = call.Has(3) ? call.ReadInt(3) : -1;
  TERN_TRY(call.TakeStatus());
  TERN_TRY(ops::CheckRank("x", x->rank(), 3, 3));
  TERN_TRY(ops::CheckComplex(ExtentsOf(*x)));
  if (length < 0 && window != nullptr) length = window->element_count();
  if (length < 0) return InvalidArgument("neither window (argument 2) nor length (argument 3)");
  TERN_TRY(CheckLength(length));
  if (window != nullptr && window->element_count() != length)
    return WrongTensor(call, 2, *window, StrCat(length, " elements, as many as a frame"));
  if (step < 1) return InvalidArgument("a frame step of ", step, ", expected at least 1");
  if (x->dim(1) < length)
    return InvalidArgument("frames of ", length, " in a signal of ", x->dim(1), " elements");
  // A frame that would reach beyond the signal is left out, as the standard says.
  const int64_t frames = (x->dim(1) - length) / step + 1;
  const int64_t bins = attrs.onesided ? length / 2 + 1 : length;
  const int64_t rows = ops::MulDim(x->dim(0), frames);
  TERN_TRY(call.Charge(ops::MulDim(ops::AddDim(rows, 1), WorkOf(length))));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), Extents{x->dim(0), frames, bins, 2}));
  Transform transform(length);
  std::vector<Complex> row(static_cast<size_t>(length));
  for (int64_t r = 0; r < rows && !call.IsStopped(); ++r) {
    const int64_t begin = r / frames * x->dim(1) + r % frames * step;
    for (int64_t k = 0; k < length; ++k) {
      const double factor = window == nullptr ? 1 : Element(*window, k);
      const Complex value = ElementAt(*x, begin + k);
      row[static_cast<size_t>(k)] = {value.re * factor, value.im * factor};
    }
    transform.Forward(row.data());
    for (int64_t k = 0; k < bins; ++k)
      SetComplex(y.get(), r * bins + k, row[static_cast<size_t>(k)]);
  }
  return Any(std::move(y));
}

// Triangles whose corners are evenly spaced on the mel scale, as the standard defines them: by the
// bins of the spectrum that the corners fall into.
Result<Any> MelWeights(const ops::CastAttrs& attrs, Call& call) {
  const int64_t count = call.ReadInt(0), length = call.ReadInt(1), rate = call.ReadInt(2);
  const double low = call.ReadNumber(3), high = call.ReadNumber(4);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckLength(length));
  if (count < 1 || count > kLongest || rate < 1 || !(low >= 0) || !(high >= low))
    return InvalidArgument(count, " mel bins at a rate of ", rate, " from ", low, " to ", high);
  if (attrs.to != kF32 && attrs.to != kF64) return Unsupported("weights of ", attrs.to.ToString());
  const int64_t bins = length / 2 + 1;
  TERN_TRY_ASSIGN(TensorPtr y, call.New(attrs.to, Extents{bins, count}));
  std::fill_n(static_cast<uint8_t*>(y->data()), y->bytes().size(), uint8_t{0});
  // O'Shaughnessy's formula, as the standard has it.
  const auto mel_of = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double first = mel_of(low), step = (mel_of(high) - first) / static_cast<double>(count + 2);
  const auto corner = [&](int64_t i) {
    const double hertz = 700 * (std::pow(10, (first + step * static_cast<double>(i)) / 2595) - 1);
    return ConvertNumber<int64_t>(
        std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate)));
  };
  for (int64_t i = 0; i < count && !call.IsStopped(); ++i) {
    const int64_t left = corner(i), center = corner(i + 1), right = corner(i + 2);
    for (int64_t k = left; k <= std::min(center, bins - 1); ++k) {
      const double share =
          center == left ? 1 : static_cast<double>(k - left) / static_cast<double>(center - left);
      SetElement(y.get(), k * count + i, share);
    }
    for (int64_t k = center; k < std::min(right, bins); ++k) {
      const double share = static_cast<double>(right - k) / static_cast<double>(right - center);
      SetElement(y.get(), k * count + i, share);
    }
  }
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
