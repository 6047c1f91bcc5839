// SPDX-License-Identifier: Apache-2.0
// pad: a constant around a strided copy, or, for the modes that repeat elements, a gather along
// each padded axis. Negative pads crop.

#include <cstring>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/types.h"
#include "core/ops/shape_rules.h"

namespace tern::kernels::bind {
namespace {

// Sums of pads and extents stay far from the end of 64 bits.
constexpr int64_t kLargestPad = int64_t{1} << 40;

struct PadProblem {
  Extents in, out, begins, ends;
};

// Of the widest type, c128.
struct Element {
  uint64_t words[2] = {};
};

// The element that surrounds: argument 2, else the attribute, in x's type.
Status PadElement(Call& call, const ops::PadAttrs& attrs, const Tensor& x, Element* element) {
  if (call.Has(2)) {
    const Tensor* value = call.Input(2, x.dtype());
    TERN_TRY(call.TakeStatus());
    if (value->element_count() != 1) return WrongTensor(call, 2, *value, "one element");
    memcpy(element->words, value->data(), static_cast<size_t>(x.dtype().size()));
    return OkStatus();
  }
  const bool known = DispatchNumber(x.dtype(), [&](auto type) {
    const auto value = ConvertNumber<decltype(type)>(static_cast<double>(attrs.value));
    memcpy(element->words, &value, sizeof(value));
  });
  // Zero has the bits of zero in every type, also in those that have no number here.
  if (known || attrs.value == 0.0f) return OkStatus();
  if (x.dtype() != kBf16 && x.dtype() != kF16)
    return WrongTensor(call, 0, x, "numbers, or a value of 0");
  const uint16_t bits = x.dtype() == kBf16 ? F32ToBf16(attrs.value) : F32ToF16(attrs.value);
  memcpy(element->words, &bits, sizeof(bits));
  return OkStatus();
}

// The part of x that is inside the result, to its place.
Status CopyInterior(Call& call, const PadProblem& p, int64_t size, const void* x, void* y) {
  StridedCopy copy;
  ContiguousStrides(p.in, copy.src_strides);
  ContiguousStrides(p.out, copy.dst_strides);
  int64_t from = 0, to = 0;
  for (int i = 0; i < p.in.rank(); ++i) {
    const int64_t cut = p.begins[i] < 0 ? -p.begins[i] : 0,
                  cut_end = p.ends[i] < 0 ? -p.ends[i] : 0;
    copy.shape.push_back(ops::MaxDim(p.in[i] - cut - cut_end, 0));
    from += cut * copy.src_strides[i];
    to += (p.begins[i] > 0 ? p.begins[i] : 0) * copy.dst_strides[i];
  }
  if (CountOf(copy.shape) == 0) return OkStatus();
  return CopyStrided(call, copy, size, static_cast<const uint8_t*>(x) + from * size,
                     static_cast<uint8_t*>(y) + to * size);
}

// Where position i of the padded axis comes from; extent > 0.
int64_t SourceOf(ops::PadMode mode, int64_t i, int64_t extent) {
  if (mode == ops::PadMode::kEdge) return i < 0 ? 0 : i >= extent ? extent - 1 : i;
  if (mode == ops::PadMode::kWrap) return (i % extent + extent) % extent;
  // Reflection: there and back again without the end points twice, period 2 * (extent - 1).
  if (extent == 1) return 0;
  const int64_t period = 2 * (extent - 1), folded = (i % period + period) % period;
  return folded < extent ? folded : period - folded;
}

Result<Any> PadByGather(Call& call, const ops::PadAttrs& attrs, const PadProblem& p,
                        const Tensor& x) {
  TensorPtr current;
  Extents shape = p.in;
  for (int axis = 0; axis < p.in.rank(); ++axis) {
    if (p.begins[axis] == 0 && p.ends[axis] == 0) continue;
    if (p.in[axis] == 0) return InvalidArgument("axis ", axis, " of x has no elements to repeat");
    const AxisView view = ViewAround(shape, axis);
    shape[axis] = p.out[axis];
    TERN_TRY_ASSIGN(TensorPtr next, call.New(x.dtype(), shape));
    TERN_TRY_ASSIGN(TensorPtr index, call.NewTable(p.out[axis]));
    for (int64_t i = 0; i < p.out[axis]; ++i)
      index->data_as<int64_t>()[i] = SourceOf(attrs.mode, i - p.begins[axis], p.in[axis]);
    const void* from = current != nullptr ? current->data() : x.data();
    TERN_TRY(
        GatherAxis(call, view, x.dtype().size(), index->values<int64_t>(), from, next->data()));
    current = std::move(next);
  }
  if (current == nullptr) return call.Share(0);
  return Any(std::move(current));
}

}  // namespace

Result<Any> Pad(const ops::PadAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  Ints storage;
  if (call.Has(1)) call.ReadInts(1, &storage);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  const std::span<const int64_t> pads = call.Has(1) ? storage : attrs.pads;
  for (int64_t pad : pads) {
    if (pad < -kLargestPad || pad > kLargestPad) return OutOfRange("a pad of ", pad, " is absurd");
  }
  PadProblem p;
  p.in = ExtentsOf(*x);
  TERN_TRY(ops::PadAmounts(pads, attrs.axes, p.in.rank(), &p.begins, &p.ends));
  TERN_TRY(ops::PadShape(p.in, pads, attrs.axes, &p.out));
  if (attrs.mode != ops::PadMode::kConstant) return PadByGather(call, attrs, p, *x);
  Element element;
  TERN_TRY(PadElement(call, attrs, *x, &element));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), p.out));
  const int64_t size = x->dtype().size();
  TERN_TRY(Fill(call, size, &element, y->element_count(), y->data()));
  TERN_TRY(CopyInterior(call, p, size, x->data(), y->data()));
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
