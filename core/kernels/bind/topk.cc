// SPDX-License-Identifier: Apache-2.0
// The k largest or smallest along an axis; of equal elements the first ones, NaN counts as largest.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/types.h"
#include "core/object/containers/adt.h"
#include "core/ops/math_rules.h"

namespace tern::kernels::bind {
namespace {

struct Entry {
  uint64_t key;  // in the order of the values, for any type: one sort serves all of them
  int64_t index;
};

// Floats compare as the integers of their bits do, once those of negative ones are turned round;
// both zeros are one, and NaN, of either sign, is above all.
uint64_t KeyOf(double value) {
  if (std::isnan(value)) return UINT64_MAX;
  const auto bits = __builtin_bit_cast(uint64_t, value + 0.0);
  return bits >> 63 != 0 ? ~bits : bits | uint64_t{1} << 63;
}
uint64_t KeyOf(uint64_t value) { return value; }
uint64_t KeyOf(int64_t value) {
  return static_cast<uint64_t>(value) ^ uint64_t { 1 } << 63;
}

template <class T>
using Widest = std::conditional_t<std::is_floating_point_v<T>, double,
                                  std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

// The largest key of those that are to come first, whichever end that is.
void TopColumn(std::vector<Entry>* entries, int64_t k) {
  const auto middle = entries->begin() + static_cast<std::ptrdiff_t>(k);
  std::partial_sort(entries->begin(), middle, entries->end(), [](const Entry& a, const Entry& b) {
    // By index among equal ones: the result does not depend on how the sort works.
    return a.key != b.key ? a.key > b.key : a.index < b.index;
  });
}

template <class T>
void TopAll(const ops::TopKAttrs& attrs, const AxisView& view, int64_t k, const T* x, T* values,
            int64_t* indices) {
  std::vector<Entry> entries(static_cast<size_t>(view.axis));
  // Keys turned over put the smallest first, by the same sort.
  const uint64_t turned = attrs.largest ? 0 : UINT64_MAX;
  for (int64_t column = 0; column < view.outer * view.inner; ++column) {
    const int64_t o = column / view.inner, i = column % view.inner;
    const T* from = x + o * view.axis * view.inner + i;
    for (int64_t j = 0; j < view.axis; ++j) {
      const auto value = static_cast<Widest<T>>(from[j * view.inner]);
      entries[static_cast<size_t>(j)] = {KeyOf(value) ^ turned, j};
    }
    TopColumn(&entries, k);
    for (int64_t j = 0; j < k; ++j) {
      const int64_t index = entries[static_cast<size_t>(j)].index;
      values[(o * k + j) * view.inner + i] = from[index * view.inner];
      indices[(o * k + j) * view.inner + i] = index;
    }
  }
}

}  // namespace

Result<Any> TopK(const ops::TopKAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  const int64_t k = call.Has(1) ? call.ReadInt(1) : attrs.k;
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::TopKShape(attrs, ExtentsOf(*x), k, &out));
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  TERN_TRY_ASSIGN(TensorPtr values, call.New(x->dtype(), out));
  TERN_TRY_ASSIGN(TensorPtr indices, call.New(kI64, out));
  const AxisView view = ViewAround(ExtentsOf(*x), axis);
  const bool known = DispatchNumber(x->dtype(), [&](auto type) {
    using T = decltype(type);
    TopAll(attrs, view, k, x->data_as<T>(), values->data_as<T>(), indices->data_as<int64_t>());
  });
  if (!known) return WrongTensor(call, 0, *x, "f32, f64 or integers");
  return Any(Adt::Tuple({AnyView(values), AnyView(indices)}));
}

}  // namespace tern::kernels::bind
