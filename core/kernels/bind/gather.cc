// SPDX-License-Identifier: Apache-2.0
// Elements picked and places filled by index tensors. Indices may count from the end; one that is
// out of range is an error that says which.

#include "core/kernels/bind/gather.h"

#include <cstring>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/types.h"
#include "core/ops/shape_rules.h"

namespace tern::kernels::bind {

namespace {

// Of integers of 8 to 64 bits. What does not fit into 64 bits with a sign is out of any range.
int64_t IndexAt(const Tensor& indices, int64_t i) {
  const bool is_signed = indices.dtype().is_signed_int();
  switch (indices.dtype().bits) {
    case 8: return is_signed ? indices.data_as<int8_t>()[i] : indices.data_as<uint8_t>()[i];
    case 16: return is_signed ? indices.data_as<int16_t>()[i] : indices.data_as<uint16_t>()[i];
    case 32:
      return is_signed ? indices.data_as<int32_t>()[i] : int64_t{indices.data_as<uint32_t>()[i]};
    default: break;
  }
  const int64_t index = static_cast<const int64_t*>(indices.data())[i];
  return is_signed || index >= 0 ? index : INT64_MAX;
}

// A table of 256 bytes by indices of 8 bits, of which none can be out of range: negative ones count
// from the end, where their bits as u8 point, too.
bool IsByteTable(const Tensor& x, const Tensor& indices) {
  return x.rank() == 1 && x.dim(0) == 256 && x.dtype().size() == 1 &&
         (indices.dtype() == kU8 || indices.dtype() == kI8);
}

}  // namespace

// Most indices are i64 and not negative, and are used where they are; `holder` keeps the resolved
// ones otherwise. All are checked here, since the kernel reads wherever they point.
Result<const int64_t*> Indices(Call& call, const Tensor& indices, int64_t extent,
                               TensorPtr* holder) {
  const int64_t count = indices.element_count();
  if (!indices.dtype().is_int() || indices.dtype().bits < 8)
    return TypeError("indices are ", indices.TypeText(), ", expected integers");
  bool as_is = indices.dtype() == kI64;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = IndexAt(indices, i);
    if (index < -extent || index >= extent) {
      return OutOfRange("index ", index, " (element ", i, " of indices) is not in ", -extent, " … ",
                        extent - 1);
    }
    as_is = as_is && index >= 0;
  }
  if (as_is) return static_cast<const int64_t*>(indices.data_as<int64_t>());
  TERN_TRY_ASSIGN(*holder, call.New(kI64, ExtentsOf(indices)));
  int64_t* resolved = (*holder)->data_as<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = IndexAt(indices, i);
    resolved[i] = index < 0 ? index + extent : index;
  }
  return static_cast<const int64_t*>(resolved);
}

Result<Any> Gather(const ops::AxisAttrs& attrs, Call& call) {
  const Tensor *x = call.Input(0), *indices = call.Input(1);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  Extents out;
  TERN_TRY(ops::GatherShape(attrs, ExtentsOf(*x), ExtentsOf(*indices), &out));
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  if (IsByteTable(*x, *indices)) {
    TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), out));
    const TernLookupArgs args{y->element_count(), static_cast<const uint8_t*>(x->data()),
                              static_cast<const uint8_t*>(indices->data()),
                              static_cast<uint8_t*>(y->data())};
    TERN_TRY(Call::Check(call.kernels().lookup(&args, call.kernel_context())));
    return Any(std::move(y));
  }
  TensorPtr holder;
  TERN_TRY_ASSIGN(const int64_t* index, Indices(call, *indices, x->dim(axis), &holder));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), out));
  const std::span<const int64_t> list{index, static_cast<size_t>(indices->element_count())};
  TERN_TRY(GatherAxis(call, ViewAround(ExtentsOf(*x), axis), x->dtype().size(), list, x->data(),
                      y->data()));
  return Any(std::move(y));
}

// ---- along one axis

namespace {

// Calls f(position in indices, offset in x) for every element of indices: its place in x with the
// axis' index exchanged.
template <class F>
void ForEachPicked(const Extents& x, const Extents& indices, int axis, const int64_t* index,
                   const F& f) {
  int64_t strides[ops::kMaxDims];
  ContiguousStrides(x, strides);
  const int64_t count = CountOf(indices);
  int64_t at[ops::kMaxDims] = {};
  for (int64_t i = 0; i < count; ++i) {
    // Counting up like an odometer costs less than dividing the position at every element.
    int64_t offset = index[i] * strides[axis];
    for (int j = 0; j < indices.rank(); ++j) offset += j == axis ? 0 : at[j] * strides[j];
    f(i, offset);
    for (int j = indices.rank() - 1; j >= 0 && ++at[j] == indices[j]; --j) at[j] = 0;
  }
}

// indices may be smaller than x along the other axes, never larger.
Status CheckIndicesFit(const Extents& x, const Extents& indices, int axis) {
  bool fits = x.rank() == indices.rank();
  for (int i = 0; fits && i < x.rank(); ++i) fits = i == axis || indices[i] <= x[i];
  if (fits) return OkStatus();
  return InvalidArgument("indices ", ops::ShapeText(indices), " are larger than x ",
                         ops::ShapeText(x), " along another axis than ", axis);
}

// Integers wrap, which signed sums may not do in C++; so they are added as unsigned ones. A NaN
// never replaces a number in max and min.
template <class T>
void Combine(ops::ScatterReduction reduction, T& place, T value) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  switch (reduction) {
    case ops::ScatterReduction::kNone: place = value; break;
    case ops::ScatterReduction::kAdd:
      place = static_cast<T>(static_cast<Wide>(place) + static_cast<Wide>(value));
      break;
    case ops::ScatterReduction::kMul:
      place = static_cast<T>(static_cast<Wide>(place) * static_cast<Wide>(value));
      break;
    case ops::ScatterReduction::kMax: place = value > place ? value : place; break;
    case ops::ScatterReduction::kMin: place = value < place ? value : place; break;
  }
}

// Scatters change a copy, because the argument may have other readers.
Result<TensorPtr> CopyOf(Call& call, const Tensor& x) {
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x.dtype(), ExtentsOf(x)));
  if (x.byte_size() > 0) memcpy(y->data(), x.data(), x.byte_size());
  return y;
}

}  // namespace

Result<Any> GatherElements(const ops::AxisAttrs& attrs, Call& call) {
  const Tensor *x = call.Input(0), *indices = call.Input(1);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::GatherElementsShape(attrs, ExtentsOf(*x), ExtentsOf(*indices), &out));
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  TERN_TRY(CheckIndicesFit(ExtentsOf(*x), out, axis));
  TensorPtr holder;
  TERN_TRY_ASSIGN(const int64_t* index, Indices(call, *indices, x->dim(axis), &holder));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), out));
  const bool known = !x->dtype().is_string() && DispatchSize(x->dtype().size(), [&](auto type) {
    using T = decltype(type);
    const T* from = static_cast<const T*>(x->data());
    T* to = static_cast<T*>(y->data());
    ForEachPicked(ExtentsOf(*x), out, axis, index,
                  [&](int64_t i, int64_t offset) { to[i] = from[offset]; });
  });
  if (!known) return WrongTensor(call, 0, *x, "numbers or bools");
  return Any(std::move(y));
}

Result<Any> ScatterElements(const ops::ScatterAttrs& attrs, Call& call) {
  const Tensor *x = call.Input(0), *indices = call.Input(1);
  TERN_TRY(call.TakeStatus());
  const Tensor* updates = call.Input(2, x->dtype());
  TERN_TRY(call.TakeStatus());
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  const Extents places = ExtentsOf(*indices);
  TERN_TRY(CheckIndicesFit(ExtentsOf(*x), places, axis));
  if (places != ExtentsOf(*updates)) {
    return InvalidArgument("updates are ", ops::ShapeText(ExtentsOf(*updates)), ", but indices ",
                           ops::ShapeText(places));
  }
  TensorPtr holder;
  TERN_TRY_ASSIGN(const int64_t* index, Indices(call, *indices, x->dim(axis), &holder));
  TERN_TRY_ASSIGN(TensorPtr y, CopyOf(call, *x));
  const bool known = DispatchNumber(x->dtype(), [&](auto type) {
    using T = decltype(type);
    const T* from = updates->data_as<T>();
    T* to = y->data_as<T>();
    ForEachPicked(ExtentsOf(*x), places, axis, index, [&](int64_t i, int64_t offset) {
      Combine(attrs.reduction, to[offset], from[i]);
    });
  });
  if (!known) return WrongTensor(call, 0, *x, "f32, f64, integers or bools");
  return Any(std::move(y));
}

// ---- by index vectors

namespace {

// Slices of x named by the vectors along the last axis of indices, after `batch` axes in common.
struct NdPlan {
  int64_t batches, per_batch, depth, slice;
  Extents x;
  int batch_dims;
  TensorPtr table;
  std::span<const int64_t> offsets;  // of each slice, in elements; in the table
};

// The offsets of all slices. False where an index is not in x: *wrong is its place among them.
template <class T>
bool ComputeOffsets(const NdPlan& plan, const T* indices, int64_t* offsets, int64_t* wrong) {
  const int64_t batch_size = ops::ProductOf(plan.x, plan.batch_dims, plan.x.rank());
  int64_t all_strides[ops::kMaxDims];
  ContiguousStrides(plan.x, all_strides);
  const int64_t* extents = plan.x.begin() + plan.batch_dims;
  const int64_t* strides = all_strides + plan.batch_dims;
  int64_t at = 0;
  // Batch axes are walked by both tensors together.
  for (int64_t batch = 0; batch < plan.batches; ++batch) {
    for (int64_t i = 0; i < plan.per_batch; ++i) {
      int64_t offset = batch * batch_size;
      for (int64_t k = 0; k < plan.depth; ++k, ++at) {
        int64_t index = indices[at];
        if (index < 0) index += extents[k];
        if (index < 0 || index >= extents[k]) {
          *wrong = at;
          return false;
        }
        offset += index * strides[k];
      }
      *offsets++ = offset;
    }
  }
  return true;
}

// Offsets are computed once for gather_nd and scatter_nd, with every index checked. A depth of 0
// names the whole of x.
Result<NdPlan> PlanNd(Call& call, const Tensor& x, const Tensor& indices, int64_t batch_dims) {
  NdPlan plan;
  plan.x = ExtentsOf(x);
  const Extents shape = ExtentsOf(indices);
  const int b = static_cast<int>(batch_dims);
  for (int i = 0; i < b; ++i) TERN_TRY(ops::CheckDim("indices", shape, i, plan.x[i]));
  plan.batch_dims = b;
  plan.depth = shape[shape.rank() - 1];
  plan.batches = ops::ProductOf(shape, 0, b);
  plan.per_batch = ops::ProductOf(shape, b, shape.rank() - 1);
  plan.slice = ops::ProductOf(plan.x, b + static_cast<int>(plan.depth), plan.x.rank());
  if (indices.dtype() != kI64 && indices.dtype() != kI32)
    return WrongTensor(call, 1, indices, "i64 or i32");
  // As many as indices has vectors; saturated, since its other axis may be 0.
  const int64_t rows = ops::MulDim(plan.batches, plan.per_batch);
  TERN_TRY_ASSIGN(plan.table, call.NewTable(rows));
  plan.offsets = plan.table->values<int64_t>();
  int64_t* const offsets = plan.table->data_as<int64_t>();
  int64_t wrong = 0;
  const bool is_wide = indices.dtype() == kI64;
  if (is_wide ? ComputeOffsets(plan, indices.data_as<int64_t>(), offsets, &wrong)
              : ComputeOffsets(plan, indices.data_as<int32_t>(), offsets, &wrong))
    return plan;
  const int64_t index =
      is_wide ? indices.data_as<int64_t>()[wrong] : indices.data_as<int32_t>()[wrong];
  const int64_t extent = plan.x[b + static_cast<int>(wrong % plan.depth)];
  return OutOfRange("index ", index, " (element ", wrong, " of indices) is not in ", -extent, " … ",
                    extent - 1);
}

// Slices in place of those of `to`.
template <class T>
void ReplaceSlices(const NdPlan& plan, const T* from, T* to) {
  constexpr int64_t kShort = 16;  // a call of memcpy would cost more than what it copies
  for (int64_t offset : plan.offsets) {
    if (plan.slice >= kShort) {
      memcpy(to + offset, from, static_cast<size_t>(plan.slice) * sizeof(T));
    } else {
      for (int64_t i = 0; i < plan.slice; ++i) to[offset + i] = from[i];
    }
    from += plan.slice;
  }
}

}  // namespace

Result<Any> GatherNd(const ops::GatherNdAttrs& attrs, Call& call) {
  const Tensor *x = call.Input(0), *indices = call.Input(1);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  Extents out;
  TERN_TRY(ops::GatherNdShape(attrs, ExtentsOf(*x), ExtentsOf(*indices), &out));
  TERN_TRY_ASSIGN(NdPlan plan, PlanNd(call, *x, *indices, attrs.batch_dims));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), out));
  const int64_t size = x->dtype().size();
  const size_t bytes = static_cast<size_t>(plan.slice * size);
  uint8_t* to = static_cast<uint8_t*>(y->data());
  for (int64_t offset : plan.offsets) {
    // memcpy may not be given null, which a tensor without elements has.
    if (bytes > 0) memcpy(to, static_cast<const uint8_t*>(x->data()) + offset * size, bytes);
    to += bytes;
  }
  return Any(std::move(y));
}

Result<Any> ScatterNd(const ops::ScatterAttrs& attrs, Call& call) {
  const Tensor *x = call.Input(0), *indices = call.Input(1);
  TERN_TRY(call.TakeStatus());
  const Tensor* updates = call.Input(2, x->dtype());
  TERN_TRY(call.TakeStatus());
  Extents expected;
  TERN_TRY(ops::GatherNdShape(ops::GatherNdAttrs{}, ExtentsOf(*x), ExtentsOf(*indices), &expected));
  if (expected != ExtentsOf(*updates)) {
    return InvalidArgument("updates are ", ops::ShapeText(ExtentsOf(*updates)), ", expected ",
                           ops::ShapeText(expected));
  }
  TERN_TRY_ASSIGN(NdPlan plan, PlanNd(call, *x, *indices, 0));
  TERN_TRY_ASSIGN(TensorPtr y, CopyOf(call, *x));
  const bool known = DispatchNumber(x->dtype(), [&](auto type) {
    using T = decltype(type);
    if (attrs.reduction == ops::ScatterReduction::kNone) return;
    const T* from = updates->data_as<T>();
    for (int64_t offset : plan.offsets) {
      T* to = y->data_as<T>() + offset;
      for (int64_t i = 0; i < plan.slice; ++i) Combine(attrs.reduction, to[i], *from++);
    }
  });
  if (!known) return WrongTensor(call, 0, *x, "f32, f64, integers or bools");
  if (attrs.reduction == ops::ScatterReduction::kNone) {
    DispatchSize(x->dtype().size(), [&](auto type) {
      using T = decltype(type);
      ReplaceSlices(plan, static_cast<const T*>(updates->data()), static_cast<T*>(y->data()));
    });
  }
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
