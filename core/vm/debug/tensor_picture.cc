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

// What a cell's elements so far have in common; low and high are those of the finite ones.
struct Cell {
  double sum = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  int64_t elements = 0, bad = 0;

  // Elements that are all finite, which is common, need no test each: the sum tells of others.
  void AddUntested(const double* values, int64_t count) {
    Cell cell = *this;
    for (int64_t i = 0; i < count; ++i) {
      cell.sum += values[i];
      if (values[i] < cell.low) cell.low = values[i];
      if (values[i] > cell.high) cell.high = values[i];
    }
    cell.elements += count;
    *this = cell;
  }

  void AddTested(const double* values, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      if (std::isfinite(values[i])) {
        AddUntested(values + i, 1);
      } else {
        ++elements;
        ++bad;
      }
    }
  }
};

// The picture while it is made: one row of cells at a time.
class Painter {
 public:
  Painter(const Tensor& tensor, const PictureOptions& options, TensorPicture* picture)
      : tensor_(tensor),
        row_step_(FlatStep(tensor, options.row_axis)),
        step_(FlatStep(tensor, options.column_axis)),
        picture_(*picture) {
    columns_ = options.column_axis < 0 ? 1 : tensor.dim(options.column_axis);
    picture_.columns = static_cast<int32_t>(std::min<int64_t>(columns_, options.max_columns));
    const auto cells = static_cast<size_t>(picture_.columns);
    for (int64_t cell = 0; cell < picture_.columns; ++cell)
      ends_.push_back(EndOfPart(cell, picture_.columns, columns_));
    for (std::vector<float>* plane :
         {&picture_.mean, &picture_.low, &picture_.high, &picture_.bad})
      plane->reserve(static_cast<size_t>(picture_.rows) * cells);
  }

  // So many rows of the source, the first at the flat index `begin`, are the next row of cells.
  void AddRows(int64_t begin, int64_t rows) {
    for (const bool tests : {false, true}) {
      cells_.assign(ends_.size(), Cell());
      for (int64_t row = 0; row < rows; ++row) AddRow(begin + row * row_step_, tests);
      const auto is_finite = [](const Cell& cell) { return std::isfinite(cell.sum); };
      if (std::all_of(cells_.begin(), cells_.end(), is_finite)) break;
    }
    for (const Cell& cell : cells_) Finish(cell);
  }

 private:
  void AddRow(int64_t begin, bool tests) {
    double values[kElementBlock];
    size_t cell = 0;
    for (int64_t at = 0; at < columns_; at += kElementBlock) {
      const int64_t count = std::min(kElementBlock, columns_ - at);
      ReadElements(tensor_, begin + at * step_, step_, count, values);
      for (int64_t i = 0; i < count;) {
        const int64_t run = std::min(ends_[cell] - at, count) - i;
        if (tests) {
          cells_[cell].AddTested(values + i, run);
        } else {
          cells_[cell].AddUntested(values + i, run);
        }
        i += run;
        if (at + i == ends_[cell]) ++cell;
      }
    }
  }

  void Finish(const Cell& cell) {
    const int64_t finite = cell.elements - cell.bad;
    const double none = std::numeric_limits<double>::quiet_NaN();
    const double mean = cell.sum / static_cast<double>(finite);
    picture_.mean.push_back(static_cast<float>(finite > 0 ? mean : none));
    picture_.low.push_back(static_cast<float>(finite > 0 ? cell.low : none));
    picture_.high.push_back(static_cast<float>(finite > 0 ? cell.high : none));
    picture_.bad.push_back(static_cast<float>(cell.bad));
  }

  const Tensor& tensor_;
  int64_t row_step_, step_;
  int64_t columns_ = 1;
  TensorPicture& picture_;
  std::vector<int64_t> ends_;  // of the cells of a row
  std::vector<Cell> cells_;    // of the row at hand
};

}  // namespace

Result<TensorPicture> MakeTensorPicture(const Tensor& tensor, const PictureOptions& options) {
  TERN_TRY(CheckPicture(tensor, options));
  TensorPicture picture;
  const int64_t rows = options.row_axis < 0 ? 1 : tensor.dim(options.row_axis);
  picture.rows = static_cast<int32_t>(std::min<int64_t>(rows, options.max_rows));
  Painter painter(tensor, options, &picture);
  int64_t begin = 0;
  for (int i = 0; i < tensor.rank(); ++i)
    if (i != options.row_axis && i != options.column_axis)
      begin += options.index[static_cast<size_t>(i)] * FlatStep(tensor, i);
  const int64_t step = FlatStep(tensor, options.row_axis);
  int64_t row = 0;
  for (int64_t part = 0; part < picture.rows; ++part) {
    const int64_t end = EndOfPart(part, picture.rows, rows);
    painter.AddRows(begin + row * step, end - row);
    row = end;
  }
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
