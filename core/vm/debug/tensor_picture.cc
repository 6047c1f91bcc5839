// SPDX-License-Identifier: Apache-2.0
// Pictures and windows of tensors (tensor_summary.h).
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/vm/debug/tensor_elements.h"
#include "core/vm/debug/tensor_summary.h"

namespace tern::vm {
namespace {

// Elements in row-major order from one index of an axis to the next; 0 for the axis -1.
int64_t FlatStep(const Tensor& tensor, int32_t axis) {
  if (axis < 0) return 0;
  int64_t step = 1;
  for (int i = axis + 1; i < tensor.rank(); ++i) step *= tensor.dim(i);
  return step;
}

Status CheckPicture(const Tensor& tensor, const PictureOptions& options) {
  TERN_TRY(CheckHasNumbers(tensor));
  const int32_t rank = tensor.rank();
  const auto is_axis = [rank](int32_t axis) { return axis >= -1 && axis < rank; };
  const bool same = options.row_axis == options.column_axis && options.row_axis >= 0;
  if (!is_axis(options.row_axis) || !is_axis(options.column_axis) || same)
    return InvalidArgument("a ", tensor.TypeText(), " has no axes ", options.row_axis, " and ",
                           options.column_axis);
  if (options.max_rows < 1 || options.max_columns < 1 ||
      int64_t{options.max_rows} * options.max_columns > kMostPixels)
    return InvalidArgument("a picture of ", options.max_rows, " x ", options.max_columns,
                           " pixels: there may be 1 to ", kMostPixels);
  for (int i = 0; i < rank; ++i) {
    const int64_t at = options.index[static_cast<size_t>(i)];
    if (i != options.row_axis && i != options.column_axis && (at < 0 || at >= tensor.dim(i)))
      return OutOfRange("index ", at, " of axis ", i, " of a ", tensor.TypeText());
  }
  return OkStatus();
}

// Where a part of an axis ends that is divided into so many of almost one size.
int64_t EndOfPart(int64_t part, int64_t parts, int64_t extent) {
  return (part + 1) * extent / parts;
}

// The picture while it is made: sums of cells, one row of the source at a time.
class Painter {
 public:
  Painter(const Tensor& tensor, const PictureOptions& options, TensorPicture* picture)
      : tensor_(tensor), step_(FlatStep(tensor, options.column_axis)), picture_(*picture) {
    columns_ = options.column_axis < 0 ? 1 : tensor.dim(options.column_axis);
    picture_.columns = static_cast<int32_t>(std::min<int64_t>(columns_, options.max_columns));
  }

  // A cell's elements of the row lie one after the other, so each cell is written once a row.
  void AddRow(int64_t begin, int64_t row) {
    if (columns_ == 0) return;
    double values[kElementBlock];
    int64_t cell = 0, end = EndOfPart(0, picture_.columns, columns_);
    for (int64_t at = 0; at < columns_; at += kElementBlock) {
      const int64_t count = std::min(kElementBlock, columns_ - at);
      ReadElements(tensor_, begin + at * step_, step_, count, values);
      for (int64_t i = 0; i < count;) {
        const int64_t run = std::min(end - at, count) - i;
        Add(static_cast<size_t>(row * picture_.columns + cell), values + i, run);
        i += run;
        if (at + i == end) end = EndOfPart(++cell, picture_.columns, columns_);
      }
    }
  }

  void Finish() {
    for (size_t i = 0; i < sums_.size(); ++i)
      picture_.mean[i] = static_cast<float>(sums_[i] / static_cast<double>(counts_[i]));
  }

  void Resize() {
    const size_t cells = static_cast<size_t>(picture_.rows) * static_cast<size_t>(picture_.columns);
    sums_.resize(cells);
    counts_.resize(cells);
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    picture_.mean.assign(cells, kNone);
    picture_.low.assign(cells, kNone);
    picture_.high.assign(cells, kNone);
    picture_.bad.assign(cells, 0);
  }

 private:
  void Add(size_t cell, const double* values, int64_t count) {
    double sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
    int64_t finite = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (!std::isfinite(values[i])) continue;
      sum += values[i];
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
      ++finite;
    }
    picture_.bad[cell] += static_cast<float>(count - finite);
    if (finite == 0) return;
    sums_[cell] += sum;
    counts_[cell] += finite;
    const auto least = static_cast<float>(low), most = static_cast<float>(high);
    if (!(picture_.low[cell] <= least)) picture_.low[cell] = least;
    if (!(picture_.high[cell] >= most)) picture_.high[cell] = most;
  }

  const Tensor& tensor_;
  int64_t step_;
  int64_t columns_ = 1;
  TensorPicture& picture_;
  std::vector<double> sums_;
  std::vector<int64_t> counts_;
};

}  // namespace

Result<TensorPicture> MakeTensorPicture(const Tensor& tensor, const PictureOptions& options) {
  TERN_TRY(CheckPicture(tensor, options));
  TensorPicture picture;
  Painter painter(tensor, options, &picture);
  const int64_t rows = options.row_axis < 0 ? 1 : tensor.dim(options.row_axis);
  picture.rows = static_cast<int32_t>(std::min<int64_t>(rows, options.max_rows));
  painter.Resize();
  int64_t begin = 0;
  for (int i = 0; i < tensor.rank(); ++i)
    if (i != options.row_axis && i != options.column_axis)
      begin += options.index[static_cast<size_t>(i)] * FlatStep(tensor, i);
  int64_t cell = 0;
  for (int64_t row = 0; row < rows; ++row) {
    while (EndOfPart(cell, picture.rows, rows) <= row) ++cell;
    painter.AddRow(begin + row * FlatStep(tensor, options.row_axis), cell);
  }
  painter.Finish();
  return picture;
}

Result<TensorPtr> CopyWindow(const Tensor& tensor, std::span<const int64_t> starts,
                             std::span<const int64_t> counts) {
  TERN_TRY(CheckHasNumbers(tensor));
  for (int axis = 0; axis < tensor.rank(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    if (starts[i] < 0 || counts[i] < 0 || starts[i] > tensor.dim(axis) ||
        counts[i] > tensor.dim(axis) - starts[i])
      return OutOfRange(counts[i], " elements from ", starts[i], " on of axis ", axis, " of a ",
                        tensor.TypeText());
  }
  Dims strides = tensor.strides();
  int64_t offset = 0;
  for (size_t i = 0; i < starts.size(); ++i) offset += starts[i] * strides[i];
  TERN_TRY_ASSIGN(const TensorPtr view, tensor.View(counts, strides, offset));
  return view->Copy();
}

}  // namespace tern::vm
