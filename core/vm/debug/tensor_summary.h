// SPDX-License-Identifier: Apache-2.0
// What an inspector shows of a tensor without copying it: how it lies in memory, statistics with a
// histogram, a picture of two of its axes, and how far it is from another tensor. Everything reads
// elements in row-major order, whatever the strides; a tensor of texts or of complex numbers has no
// statistics.
#ifndef TERN_CORE_VM_DEBUG_TENSOR_SUMMARY_H_
#define TERN_CORE_VM_DEBUG_TENSOR_SUMMARY_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/object/tensor.h"

namespace tern::vm {

inline constexpr int32_t kMostBins = 4096;
inline constexpr int64_t kMostPixels = 1 << 22;
inline constexpr size_t kMostUniques = 32;

// {"dtype", "elementBits", "shape", "strides": of elements, "offset": bytes from the storage's
// first, "bytes", "storage": its address, 0 where the memory came from outside, "storageBytes",
// "contiguous", "readOnly"}
std::string TensorLayoutJson(const Tensor& tensor);

// Over type, shape and elements, all of which it reads.
uint64_t TensorHash(const Tensor& tensor);

struct StatisticsOptions {
  int32_t bins = 64;
  // Of the histogram; where low is not below high it is that of the finite elements.
  double low = 0;
  double high = 0;
};
// {"count", "finite", "nan", "positiveInfinity", "negativeInfinity", "zeros", "negativeZeros",
// "denormals", and where an element is finite "min", "max", "minIndex", "maxIndex", "mean", "std",
// "l2"; "firstNan": -1 for none; "uniques": [{"value", "count"}], by value, null above
// kMostUniques; "histogram": {"low", "high", "counts", "below", "above"}}. Indices are flat.
Result<std::string> TensorStatisticsJson(const Tensor& tensor, const StatisticsOptions& options);

// Two axes, the others held at `index` (as many as the tensor has axes). A row axis of -1 is one
// row, a column axis of -1 one column.
struct PictureOptions {
  int32_t row_axis = -1;
  int32_t column_axis = -1;
  std::span<const int64_t> index;
  // A larger slice is divided into so many parts of almost one size.
  int32_t max_rows = 1024;
  int32_t max_columns = 1024;
};
// Each plane has rows * columns floats. Means, low and high are over finite elements, NaN where
// there are none; `bad` is how many elements are not finite.
struct TensorPicture {
  int32_t rows = 0;
  int32_t columns = 0;
  std::vector<float> mean, low, high, bad;
};
Result<TensorPicture> MakeTensorPicture(const Tensor& tensor, const PictureOptions& options);

// A contiguous copy of `counts[i]` elements of each axis from `starts[i]` on.
Result<TensorPtr> CopyWindow(const Tensor& tensor, std::span<const int64_t> starts,
                             std::span<const int64_t> counts);

// Elements differ where |a - b| > atol + rtol * |b|; NaN equals NaN, an infinity itself. Shapes and
// types must be equal.
// {"count", "equal": to the bit or both NaN, "outside": of the tolerance, "passed", "firstOutside":
// flat, -1 for none, "maxAbsolute", "maxRelative", "maxUlps": each {"value", "index", "a", "b"};
// ulps are null for integers and where one of two is not finite}
Result<std::string> CompareTensorsJson(const Tensor& a, const Tensor& b, double atol, double rtol);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_TENSOR_SUMMARY_H_
