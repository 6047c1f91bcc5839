// SPDX-License-Identifier: Apache-2.0
// Layout and statistics.
#include "core/vm/debug/tensor_summary.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/object/device.h"
#include "core/object/graph/print.h"
#include "core/vm/debug/tensor_elements.h"
#include "core/vm/file/format.h"

namespace tern::vm {
namespace {

template <typename T>
void Widen(const Tensor& tensor, int64_t begin, int64_t step, int64_t count, double* out) {
  const T* data = static_cast<const T*>(tensor.data()) + begin;
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<double>(data[i * step]);
}

// The smallest normal number of a float type; 0 for integers, which have no denormals.
double SmallestNormal(DType dtype) {
  if (dtype == kF64) return std::numeric_limits<double>::min();
  if (dtype == kF32 || dtype == kBf16) return std::numeric_limits<float>::min();
  if (dtype == kF16 || dtype == kF8E5M2) return 0x1p-14;
  return dtype == kF8E4M3 ? 0x1p-6 : 0;
}

// Different values and how often each occurs, until there are too many.
class UniqueCounter {
 public:
  void Add(double value) {
    if (too_many_) return;
    for (size_t i = 0; i < found_.size(); ++i) {
      if (found_[i].first != value) continue;
      ++found_[i].second;
      // Runs of one value are found at once.
      std::swap(found_[i], found_[0]);
      return;
    }
    too_many_ = found_.size() == kMostUniques;
    if (!too_many_) found_.emplace_back(value, 1);
  }

  void Write(JsonWriter* json) {
    json->Key("uniques");
    if (too_many_) {
      json->Null();
      return;
    }
    std::sort(found_.begin(), found_.end());
    json->BeginArray();
    for (const auto& [value, count] : found_)
      json->BeginObject().Field("value", value).Field("count", count).EndObject();
    json->EndArray();
  }

 private:
  std::vector<std::pair<double, int64_t>> found_;
  bool too_many_ = false;
};

// What one pass over all elements finds.
struct Counts {
  int64_t finite = 0, nan = 0, positive = 0, negative = 0, zeros = 0, negative_zeros = 0;
  int64_t denormals = 0, first_nan = -1, min_index = -1, max_index = -1;
  double min = std::numeric_limits<double>::infinity(), max = -min;
  double sum = 0, squares = 0;
  UniqueCounter uniques;

  void AddOther(double value, int64_t index) {
    if (value > 0) ++positive;
    if (value < 0) ++negative;
    if (!std::isnan(value)) return;
    if (nan++ == 0) first_nan = index;
  }

  void Add(double value, int64_t index, double smallest_normal) {
    if (!std::isfinite(value)) return AddOther(value, index);
    ++finite;
    sum += value;
    squares += value * value;
    if (value < min) min = value, min_index = index;
    if (value > max) max = value, max_index = index;
    if (value == 0) {
      ++zeros;
      negative_zeros += std::signbit(value) ? 1 : 0;
    } else if (std::fabs(value) < smallest_normal) {
      ++denormals;
    }
    uniques.Add(value);
  }
};

Counts Count(const Tensor& tensor) {
  Counts counts;
  const double smallest = SmallestNormal(tensor.dtype());
  ForEachBlock(tensor, [&](const double* values, int64_t count, int64_t at) {
    for (int64_t i = 0; i < count; ++i) counts.Add(values[i], at + i, smallest);
  });
  return counts;
}

struct Histogram {
  double low, high;
  std::vector<int64_t> counts;
  int64_t below = 0, above = 0;

  void Add(double value) {
    if (value < low) {
      ++below;
    } else if (value > high) {
      ++above;
    } else if (std::isfinite(value)) {
      const double bins = static_cast<double>(counts.size());
      // Halves, because the width of a range may be more than a double holds.
      const double at = (value / 2 - low / 2) / (high / 2 - low / 2) * bins;
      ++counts[static_cast<size_t>(at < bins - 1 ? at : bins - 1)];
    }
  }

  void Write(JsonWriter* json) const {
    json->Key("histogram").BeginObject().Field("low", low).Field("high", high);
    json->Key("counts").Ints(counts).Field("below", below).Field("above", above).EndObject();
  }
};

// A range of one value gets a width, so that it lies in the middle.
Histogram MakeHistogram(const Counts& counts, const StatisticsOptions& options) {
  Histogram made{options.low, options.high, {}};
  made.counts.resize(static_cast<size_t>(options.bins));
  if (options.low < options.high) return made;
  made.low = counts.finite > 0 ? counts.min : 0;
  made.high = counts.finite > 0 ? counts.max : 1;
  if (made.low < made.high) return made;
  const double half = std::max(std::fabs(made.low) * 0.5, 0.5);
  made.low -= half;
  made.high += half;
  return made;
}

void WriteCounts(const Counts& counts, const Tensor& tensor, JsonWriter* json) {
  json->Field("count", tensor.element_count()).Field("finite", counts.finite);
  json->Field("nan", counts.nan).Field("positiveInfinity", counts.positive);
  json->Field("negativeInfinity", counts.negative).Field("zeros", counts.zeros);
  json->Field("negativeZeros", counts.negative_zeros).Field("denormals", counts.denormals);
  json->Field("firstNan", counts.first_nan);
}

}  // namespace

Status CheckHasNumbers(const Tensor& tensor) {
  TERN_TRY(CheckOnHost(tensor, "the tensor that is inspected"));
  if (tensor.dtype().is_string() || tensor.dtype().code == TERN_DTYPE_COMPLEX)
    return TypeError("a ", tensor.TypeText(), " has no numbers to count");
  return OkStatus();
}

void ReadElements(const Tensor& tensor, int64_t begin, int64_t step, int64_t count, double* out) {
  const DType dtype = tensor.dtype();
  if (tensor.is_contiguous()) {
    if (dtype == kF32) return Widen<float>(tensor, begin, step, count, out);
    if (dtype == kF64) return Widen<double>(tensor, begin, step, count, out);
    if (dtype == kI64) return Widen<int64_t>(tensor, begin, step, count, out);
    if (dtype == kI32) return Widen<int32_t>(tensor, begin, step, count, out);
    if (dtype == kI8) return Widen<int8_t>(tensor, begin, step, count, out);
    if (dtype == kU8) return Widen<uint8_t>(tensor, begin, step, count, out);
  }
  for (int64_t i = 0; i < count; ++i) out[i] = TensorElement(tensor, begin + i * step);
}

std::string TensorLayoutJson(const Tensor& tensor) {
  JsonWriter json;
  const Storage* storage = tensor.on_host() ? tensor.storage() : nullptr;
  const auto* first = static_cast<const uint8_t*>(tensor.data());
  const int64_t bits = int64_t{tensor.dtype().bits} * tensor.dtype().lanes;
  json.BeginObject().Field("dtype", std::string_view(tensor.dtype().ToString()));
  json.Field("elementBits", bits).Key("shape").Ints(tensor.dims());
  json.Key("strides").Ints(tensor.strides());
  json.Field("offset", storage == nullptr ? int64_t{0} : first - storage->data());
  json.Field("bytes", *tensor.dtype().bytes_for(tensor.element_count()));
  json.Field("storage",
             storage == nullptr ? uint64_t{0} : reinterpret_cast<uintptr_t>(storage->data()));
  json.Field("storageBytes", storage == nullptr ? uint64_t{0} : uint64_t{storage->bytes()});
  json.Field("contiguous", tensor.is_contiguous()).Field("readOnly", tensor.is_read_only());
  json.EndObject();
  return json.Take();
}

uint64_t TensorHash(const Tensor& tensor) {
  const uint64_t hash = HashText(tensor.TypeText());
  if (!tensor.on_host() || tensor.dtype().is_string()) return hash;
  // The sum of files, because it is as fast as memory.
  if (tensor.is_contiguous()) return HashCombine(hash, ContentSum(tensor.bytes()));
  const Result<TensorPtr> copy = tensor.Contiguous();
  return copy.ok() ? HashCombine(hash, ContentSum((*copy)->bytes())) : hash;
}

Result<std::string> TensorStatisticsJson(const Tensor& tensor, const StatisticsOptions& options) {
  TERN_TRY(CheckHasNumbers(tensor));
  if (options.bins < 1 || options.bins > kMostBins)
    return InvalidArgument("a histogram of ", options.bins, " bins: there may be 1 to ", kMostBins);
  if (!std::isfinite(options.low) || !std::isfinite(options.high))
    return InvalidArgument("the range of a histogram must be finite");
  Counts counts = Count(tensor);
  Histogram histogram = MakeHistogram(counts, options);
  const double finite = static_cast<double>(counts.finite);
  const double mean = counts.finite > 0 ? counts.sum / finite : 0;
  double deviations = 0;
  ForEachBlock(tensor, [&](const double* values, int64_t count, int64_t) {
    for (int64_t i = 0; i < count; ++i) {
      histogram.Add(values[i]);
      if (std::isfinite(values[i])) deviations += (values[i] - mean) * (values[i] - mean);
    }
  });
  JsonWriter json;
  json.BeginObject();
  WriteCounts(counts, tensor, &json);
  if (counts.finite > 0) {
    json.Field("min", counts.min).Field("max", counts.max).Field("minIndex", counts.min_index);
    json.Field("maxIndex", counts.max_index).Field("mean", mean);
    json.Field("std", std::sqrt(deviations / finite)).Field("l2", std::sqrt(counts.squares));
  }
  counts.uniques.Write(&json);
  histogram.Write(&json);
  json.EndObject();
  return json.Take();
}

}  // namespace tern::vm
