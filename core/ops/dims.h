// SPDX-License-Identifier: Apache-2.0
// Dims<D>: a shape of up to kMaxDims extents without heap memory, over int64_t (run time) or
// types::Dim (compile time), and the arithmetic that shape rules are written in. A rule calls
// AddDim, MulDim, FloorDiv, … unqualified: the int64_t versions are here and saturate instead of
// overflowing (an absurd extent then fails to allocate), those of types::Dim are found beside that
// class.
#ifndef TERN_CORE_OPS_DIMS_H_
#define TERN_CORE_OPS_DIMS_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "core/base/check.h"
#include "core/base/result.h"
#include "core/base/strings.h"
#include "core/types/dim_relation.h"

namespace tern::ops {

using types::DimRelation;

inline constexpr int kMaxDims = 8;

inline bool DimIsConstant(int64_t dim, int64_t* value) {
  *value = dim;
  return true;
}
inline DimRelation CompareDims(int64_t a, int64_t b) {
  return a == b ? DimRelation::kEqual : DimRelation::kDifferent;
}
int64_t AddDim(int64_t a, int64_t b);
int64_t SubDim(int64_t a, int64_t b);
int64_t MulDim(int64_t a, int64_t b);
int64_t FloorDiv(int64_t a, int64_t b);  // toward minus infinity; b != 0
int64_t CeilDiv(int64_t a, int64_t b);
// floor(dim * scale); false where only a run can tell.
bool ScaleDim(int64_t dim, float scale, int64_t* out);
inline bool DimIsNegative(int64_t dim) { return dim < 0; }
inline int64_t MaxDim(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t MinDim(int64_t a, int64_t b) { return a < b ? a : b; }
std::string DimText(int64_t dim);

template <class D>
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<D> dims) : Dims(std::span<const D>(dims.begin(), dims.size())) {}
  // At most kMaxDims; callers have checked what comes from users.
  explicit Dims(std::span<const D> dims) : rank_(static_cast<int>(dims.size())) {
    TERN_CHECK(rank_ <= kMaxDims, "shape rules check ranks before they grow");
    for (int i = 0; i < rank_; ++i) dims_[i] = dims[static_cast<size_t>(i)];
  }

  int rank() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  const D& operator[](int axis) const { return dims_[axis]; }
  D& operator[](int axis) { return dims_[axis]; }
  const D* begin() const { return dims_; }
  const D* end() const { return dims_ + rank_; }
  D* begin() { return dims_; }
  D* end() { return dims_ + rank_; }
  std::span<const D> span() const { return {dims_, static_cast<size_t>(rank_)}; }

  void push_back(D dim) {
    TERN_CHECK(rank_ < kMaxDims, "shape rules check ranks before they grow");
    dims_[rank_++] = static_cast<D&&>(dim);
  }
  void clear() { rank_ = 0; }

  bool operator==(const Dims& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  // Numbers are not set before rank_ covers them: every call of an operator makes several of these.
  D dims_[kMaxDims];
  int rank_ = 0;
};

// "[1, 3, n, 224]".
template <class D>
std::string ShapeText(const Dims<D>& dims) {
  std::string text = "[";
  for (int i = 0; i < dims.rank(); ++i) StrAppend(&text, i == 0 ? "" : ", ", DimText(dims[i]));
  return text + "]";
}

// Negative axes count from the end.
Status ResolveAxis(int64_t axis, int rank, int* out);
// The same for a list without repetitions, as a bit mask.
Status ResolveAxes(std::span<const int64_t> axes, int rank, uint32_t* mask);
// "x has rank 3, expected 4".
Status CheckRank(std::string_view what, int rank, int least, int most);

// The product of extents [begin, end).
template <class D>
D ProductOf(const Dims<D>& dims, int begin, int end) {
  D product(1);
  for (int i = begin; i < end; ++i) product = MulDim(product, dims[i]);
  return product;
}

template <class D>
bool DimIs(const D& dim, int64_t value) {
  int64_t constant = 0;
  return DimIsConstant(dim, &constant) && constant == value;
}

// Known to differ; false where only a run can tell.
template <class D>
bool Differ(const D& a, const D& b) {
  return CompareDims(a, b) == DimRelation::kDifferent;
}

// "axis 1 of w [8, 4, 3, 3] is 4, expected 3"; ok where they are or may be equal.
template <class D>
Status CheckDim(std::string_view what, const Dims<D>& dims, int axis, const D& expected) {
  if (!Differ(dims[axis], expected)) return OkStatus();
  return InvalidArgument("axis ", axis, " of ", what, " ", ShapeText(dims), " is ",
                         DimText(dims[axis]), ", expected ", DimText(expected));
}

// False where divisor is known not to divide value.
template <class D>
bool MayDivide(const D& value, int64_t divisor) {
  int64_t constant = 0;
  return !DimIsConstant(value, &constant) || constant % divisor == 0;
}

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_DIMS_H_
