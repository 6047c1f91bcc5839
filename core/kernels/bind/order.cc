// SPDX-License-Identifier: Apache-2.0
// unique, reverse_sequence, det and mean_variance_norm.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/sort.h"
#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/types.h"
#include "core/object/containers/adt.h"
#include "core/ops/math_rules.h"
#include "core/ops/shape_rules.h"

namespace tern::kernels::bind {
namespace {

// --- unique

// A number as an integer whose order is the numbers' own, NaN last and equal to itself.
template <class T>
uint64_t OrderKey(T value) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  if constexpr (std::is_floating_point_v<T>) {
    double wide = static_cast<double>(value);
    if (wide != wide) return UINT64_MAX;
    if (wide == 0) wide = 0;  // -0 is 0
    uint64_t bits;
    std::memcpy(&bits, &wide, sizeof bits);
    // Floats of one sign are ordered like their bits; those of negative ones run the other way.
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(value)) ^ kSign;
  } else {
    return static_cast<uint64_t>(value);
  }
}

// The slices of an axis: all elements that have one index there.
class Slices {
 public:
  Slices(const AxisView& view, const uint64_t* keys) : view_(view), keys_(keys) {}

  int64_t count() const { return view_.axis; }
  // Below, at, above zero, as the slices' first different elements are.
  int Compare(int64_t a, int64_t b) const {
    for (int64_t outer = 0; outer < view_.outer; ++outer) {
      // Memory is [outer][axis][inner], so that a slice is one piece in each outer part.
      const uint64_t* row = keys_ + outer * view_.axis * view_.inner;
      for (int64_t i = 0; i < view_.inner; ++i) {
        const uint64_t left = row[a * view_.inner + i], right = row[b * view_.inner + i];
        if (left != right) return left < right ? -1 : 1;
      }
    }
    return 0;
  }

 private:
  AxisView view_;
  const uint64_t* keys_;
};

struct Distinct {
  std::vector<int64_t> first;    // of each distinct slice, in the order of the result
  std::vector<int64_t> inverse;  // of each slice, which of those it is
  std::vector<int64_t> counts;
};

// Places of slices are sorted and not slices, which may be large. Equal ones stay in the order of
// their places, so the first of a group is the one that comes first.
Distinct FindDistinct(const Slices& slices, bool sorted) {
  std::vector<int64_t> order(static_cast<size_t>(slices.count()));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  Sort(&order, [&](int64_t a, int64_t b) {
    const int compared = slices.Compare(a, b);
    return compared != 0 ? compared < 0 : a < b;
  });
  std::vector<int64_t> groups;  // the first slice of each, smallest slice first
  std::vector<int64_t> group_of(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || slices.Compare(order[i - 1], order[i]) != 0) groups.push_back(order[i]);
    group_of[static_cast<size_t>(order[i])] = static_cast<int64_t>(groups.size()) - 1;
  }
  Distinct distinct{groups, group_of, std::vector<int64_t>(groups.size(), 0)};
  if (!sorted) {
    // So far groups are numbered by their contents; here they are by where they come first.
    Sort(&distinct.first);  // by where they come first
    std::vector<int64_t> place(groups.size());
    for (size_t i = 0; i < groups.size(); ++i)
      place[static_cast<size_t>(group_of[static_cast<size_t>(distinct.first[i])])] =
          static_cast<int64_t>(i);
    for (int64_t& group : distinct.inverse) group = place[static_cast<size_t>(group)];
  }
  for (const int64_t group : distinct.inverse) ++distinct.counts[static_cast<size_t>(group)];
  return distinct;
}

// Texts as their places in order, equal ones as the same.
void RankTexts(const Tensor& x, uint64_t* keys) {
  std::vector<int64_t> order(static_cast<size_t>(x.element_count()));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  Sort(&order, [&](int64_t a, int64_t b) { return x.string_at(a) < x.string_at(b); });
  uint64_t rank = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && x.string_at(order[i - 1]) != x.string_at(order[i])) ++rank;
    keys[order[i]] = rank;
  }
}

Status MakeKeys(const Call& call, const Tensor& x, uint64_t* keys) {
  if (x.dtype().is_string()) {
    RankTexts(x, keys);
    return OkStatus();
  }
  const bool numbers = DispatchNumber(x.dtype(), [&](auto type) {
    const auto* from = x.data_as<decltype(type)>();
    for (int64_t i = 0; i < x.element_count(); ++i) keys[i] = OrderKey(from[i]);
  });
  if (numbers) return OkStatus();
  return WrongTensor(call, 0, x, "texts or numbers of at least 8 bits, but no 16-bit floats");
}

// Elements of the slices at `places` of an axis.
Status CopySlices(Call& call, const AxisView& view, const Tensor& x,
                  const std::vector<int64_t>& places, Tensor* y) {
  if (!x.dtype().is_string())
    return GatherAxis(call, view, x.dtype().size(), places, x.data(), y->data());
  int64_t to = 0;
  for (int64_t outer = 0; outer < view.outer; ++outer) {
    for (const int64_t place : places) {
      CopyElements(x, (outer * view.axis + place) * view.inner, view.inner, y, to);
      to += view.inner;
    }
  }
  return OkStatus();
}

Result<TensorPtr> TableOf(Call& call, const std::vector<int64_t>& values) {
  TERN_TRY_ASSIGN(TensorPtr table, call.NewTable(static_cast<int64_t>(values.size())));
  std::copy(values.begin(), values.end(), table->data_as<int64_t>());
  return table;
}

}  // namespace

Result<Any> Unique(const ops::OptionalAxisAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  // Without an axis the tensor counts as flat, and its elements are the slices.
  AxisView view{1, x->element_count(), 1};
  int axis = 0;
  if (attrs.has_axis) {
    TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
    view = ViewAround(ExtentsOf(*x), axis);
  }
  // Sorting compares slices about log n times.
  TERN_TRY(call.Charge(ops::MulDim(x->element_count(), 64)));
  TERN_TRY_ASSIGN(const TensorPtr keys, call.New(kU64, Extents{x->element_count()}));
  TERN_TRY(MakeKeys(call, *x, keys->data_as<uint64_t>()));
  const Distinct distinct = FindDistinct(Slices(view, keys->data_as<uint64_t>()), attrs.sorted);
  Extents out{static_cast<int64_t>(distinct.first.size())};
  if (attrs.has_axis) {
    out = ExtentsOf(*x);
    out[axis] = static_cast<int64_t>(distinct.first.size());
  }
  TERN_TRY_ASSIGN(const TensorPtr first, TableOf(call, distinct.first));
  TERN_TRY_ASSIGN(const TensorPtr inverse, TableOf(call, distinct.inverse));
  TERN_TRY_ASSIGN(const TensorPtr counts, TableOf(call, distinct.counts));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), out));
  TERN_TRY(CopySlices(call, view, *x, distinct.first, y.get()));
  return Any(Adt::Tuple({AnyView(y), AnyView(first), AnyView(inverse), AnyView(counts)}));
}

// The first `length` of each sequence in reverse, the rest as it is.
Result<Any> ReverseSequence(const ops::ReverseSequenceAttrs& attrs, Call& call) {
  const Tensor *x = call.Input(0), *lengths = call.Input(1, kI64);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  TERN_TRY(ops::CheckRank("x", x->rank(), 2, ops::kMaxDims));
  const bool time_first = attrs.time_axis == 0 && attrs.batch_axis == 1;
  if (!time_first && !(attrs.time_axis == 1 && attrs.batch_axis == 0)) {
    return InvalidArgument("time_axis and batch_axis are ", attrs.time_axis, " and ",
                           attrs.batch_axis, ", expected 0 and 1 or 1 and 0");
  }
  const int64_t batch = x->dim(time_first ? 1 : 0), time = x->dim(time_first ? 0 : 1);
  if (lengths->element_count() != batch)
    return WrongTensor(call, 1, *lengths, StrCat(batch, " elements, one for each sequence"));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), ExtentsOf(*x)));
  // What one step of one sequence holds is one block of memory.
  const int64_t row = ops::ProductOf(ExtentsOf(*x), 2, x->rank()) * x->dtype().size();
  const auto* from = static_cast<const uint8_t*>(x->data());
  auto* to = static_cast<uint8_t*>(y->data());
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t length = lengths->data_as<int64_t>()[b];
    if (length < 0 || length > time)
      return OutOfRange("sequence ", b, " has a length of ", length, ", expected 0 to ", time);
    for (int64_t t = 0; t < time && row > 0; ++t) {
      const int64_t source = t < length ? length - 1 - t : t;
      const auto at = [&](int64_t step) {
        return (time_first ? step * batch + b : b * time + step);
      };
      std::memcpy(to + at(t) * row, from + at(source) * row, static_cast<size_t>(row));
    }
  }
  return Any(std::move(y));
}

namespace {

// By elimination with the largest pivot of each column; a is used up.
// The largest pivot keeps all factors within 1, so that errors of rounding do not grow.
double Determinant(std::vector<double>* matrix, int64_t n) {
  double* a = matrix->data();
  double product = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
    }
    // A column without a pivot: the rows depend on each other.
    if (a[pivot * n + k] == 0) return 0;
    if (pivot != k) {
      std::swap_ranges(a + pivot * n, a + pivot * n + n, a + k * n);
      product = -product;
    }
    product *= a[k * n + k];
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return product;
}

}  // namespace

Result<Any> Det(const ops::NoAttrs&, Call& call) {
  const Tensor* x = call.F32(0);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::DetShape(ExtentsOf(*x), &out));
  const int64_t n = x->dim(x->rank() - 1), size = n * n;
  TERN_TRY(call.Charge(ops::MulDim(x->element_count(), n)));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  for (int64_t i = 0; i < y->element_count() && !call.IsStopped(); ++i) {
    const float* from = x->data_as<float>() + i * size;
    // In f64: elimination loses digits that f32 has not got to spare.
    std::vector<double> matrix(from, from + size);
    y->data_as<float>()[i] = static_cast<float>(Determinant(&matrix, n));
  }
  return Any(std::move(y));
}

namespace {

// Which of the groups, those of the axes that are kept, an element belongs to.
struct GroupMap {
  int rank = 0;
  int64_t extents[ops::kMaxDims], steps[ops::kMaxDims];  // a step of 0: an axis of the mean
  int64_t groups = 1;

  int64_t Of(int64_t index) const {
    int64_t group = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      group += index % extents[axis] * steps[axis];
      index /= extents[axis];
    }
    return group;
  }
};

Result<GroupMap> MapGroups(const Ints& axes, const Extents& x) {
  GroupMap map;
  map.rank = x.rank();
  bool averaged[ops::kMaxDims] = {};
  for (const int64_t axis : axes) {
    int resolved = 0;
    TERN_TRY(ops::ResolveAxis(axis, x.rank(), &resolved));
    averaged[resolved] = true;
  }
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    map.extents[axis] = x[axis];
    map.steps[axis] = averaged[axis] ? 0 : map.groups;
    if (!averaged[axis]) map.groups = ops::MulDim(map.groups, x[axis]);
  }
  return map;
}

}  // namespace

// (x - mean) / (deviation + 1e-9), as the standard's function has it.
Result<Any> MeanVarianceNorm(const ops::MeanVarianceAttrs& attrs, Call& call) {
  const Tensor* x = call.F32(0);
  TERN_TRY(call.TakeStatus());
  TERN_TRY_ASSIGN(const GroupMap map, MapGroups(attrs.axes, ExtentsOf(*x)));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(ExtentsOf(*x)));
  if (x->element_count() == 0) return Any(std::move(y));
  // Groups are made of whole axes, so that each has as many elements.
  const int64_t count = x->element_count() / map.groups;
  // Finding the group of an element costs a division for each axis.
  TERN_TRY(call.Charge(ops::MulDim(x->element_count(), 2 * map.rank + 1)));
  TERN_TRY_ASSIGN(const TensorPtr sums, call.New(kF64, Extents{2, map.groups}));
  // Both sums are f64, since a group may be as large as the tensor.
  double *mean = sums->data_as<double>(), *square = mean + map.groups;
  std::fill_n(mean, 2 * map.groups, 0.0);
  const float* from = x->data_as<float>();
  for (int64_t i = 0; i < x->element_count(); ++i)
    mean[map.Of(i)] += static_cast<double>(from[i]) / static_cast<double>(count);
  for (int64_t i = 0; i < x->element_count(); ++i) {
    // From the mean, in a pass of its own: the mean of squares less the square of the mean cancels.
    const double difference = static_cast<double>(from[i]) - mean[map.Of(i)];
    square[map.Of(i)] += difference * difference / static_cast<double>(count);
  }
  for (int64_t i = 0; i < x->element_count(); ++i) {
    const int64_t group = map.Of(i);
    const double deviation = std::sqrt(square[group]) + 1e-9;
    y->data_as<float>()[i] =
        static_cast<float>((static_cast<double>(from[i]) - mean[group]) / deviation);
  }
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
