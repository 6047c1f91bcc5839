// SPDX-License-Identifier: Apache-2.0
// The k largest or smallest along an axis; of equal elements the first ones, NaN counts as largest.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/types.h"
#include "core/object/adt.h"
#include "core/ops/math_rules.h"

namespace tern::kernels::bind {
namespace {

template <class T>
struct Entry {
  T value;
  int64_t index;
};

// A strict order even with NaN in it.
template <class T>
bool IsGreater(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  }
  return a > b;
}

template <class T>
void TopColumn(std::vector<Entry<T>>* entries, int64_t k, bool largest) {
  const auto before = [largest](const Entry<T>& a, const Entry<T>& b) {
    if (IsGreater(a.value, b.value)) return largest;
    if (IsGreater(b.value, a.value)) return !largest;
    return a.index < b.index;
  };
  const auto middle = entries->begin() + static_cast<std::ptrdiff_t>(k);
  std::partial_sort(entries->begin(), middle, entries->end(), before);
}

template <class T>
void TopAll(const ops::TopKAttrs& attrs, const AxisView& view, int64_t k, const T* x, T* values,
            int64_t* indices) {
  std::vector<Entry<T>> entries(static_cast<size_t>(view.axis));
  for (int64_t column = 0; column < view.outer * view.inner; ++column) {
    const int64_t o = column / view.inner, i = column % view.inner;
    for (int64_t j = 0; j < view.axis; ++j) {
      entries[static_cast<size_t>(j)] = {x[(o * view.axis + j) * view.inner + i], j};
    }
    TopColumn(&entries, k, attrs.largest);
    for (int64_t j = 0; j < k; ++j) {
      values[(o * k + j) * view.inner + i] = entries[static_cast<size_t>(j)].value;
      indices[(o * k + j) * view.inner + i] = entries[static_cast<size_t>(j)].index;
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
