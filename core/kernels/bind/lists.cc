// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/bind/lists.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/bound_function.h"
#include "core/kernels/bind/call.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/places.h"
#include "core/object/attrs.h"
#include "core/object/containers/sequence.h"
#include "core/ops/shape_rules.h"

namespace tern::kernels {
namespace {

using bind::Call;
using bind::Extents;
using bind::Ints;

// What the functions of lists take; each uses some of it. `to` and `extents` are the type and shape
// of an item where the list has none.
struct ListAttrs {
  int64_t axis = 0;
  bool keepdims = true;
  bool new_axis = false;
  DType to = kF32;
  Ints extents;
};

// The items as arguments of the operator `concat`, whose checks and errors then serve them.
std::vector<AnyView> ItemsOf(const Sequence& list) { return {list.begin(), list.end()}; }

// The argument, where its type and shape are those of the first one.
Result<const Tensor*> SameAsFirst(Call& call, int index, const Tensor& first) {
  const Tensor* item = call.Input(index, first.dtype());
  TERN_TRY(call.TakeStatus());
  if (FormatDims(item->dims()) == FormatDims(first.dims())) return item;
  return InvalidArgument("item ", index, " is ", item->TypeText(), ", expected ", first.TypeText(),
                         " as the first one");
}

// Without items nothing says what the result is but the attributes.
Result<Any> StackEmpty(const ListAttrs& attrs, RunContext& context) {
  std::vector<int64_t> dims = {0};
  dims.insert(dims.end(), attrs.extents.begin(), attrs.extents.end());
  if (dims.size() > static_cast<size_t>(ops::kMaxDims))
    return InvalidArgument("a stack of rank ", dims.size(), "; at most ", ops::kMaxDims);
  TERN_TRY_ASSIGN(TensorPtr empty, context.NewTensor(attrs.to, dims));
  return Any(std::move(empty));
}

Result<Any> Stack(const ListAttrs& attrs, RunContext& context, AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  if (list->empty()) return StackEmpty(attrs, context);
  const std::vector<AnyView> items = ItemsOf(*list);
  Call call(ops::InfoOf(ops::Op::k_concat), context, items);
  const Tensor* first = call.Input(0);
  TERN_TRY(call.TakeStatus());
  // Texts are moved one by one, everything else as bytes.
  if (!first->dtype().is_string()) TERN_TRY(bind::CheckMovable(call, 0, *first));
  if (first->rank() >= ops::kMaxDims)
    return InvalidArgument("a stack of ", first->TypeText(), " has too many axes");
  Extents out{call.size()};
  for (const int64_t dim : first->dims()) out.push_back(dim);
  TERN_TRY_ASSIGN(TensorPtr stacked, call.New(first->dtype(), out));
  // The new axis is the first one, so items follow each other in memory.
  const int64_t count = first->element_count();
  for (int i = 0; i < call.size(); ++i) {
    TERN_TRY_ASSIGN(const Tensor* item, SameAsFirst(call, i, *first));
    bind::CopyElements(*item, 0, count, stacked.get(), i * count);
  }
  return Any(std::move(stacked));
}

// Items as they are, or with an axis of extent 1 at `axis`.
Result<Any> Join(const ListAttrs& attrs, RunContext& context, AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  if (list->empty()) return InvalidArgument("the list is empty, expected at least one tensor");
  std::vector<AnyView> items = ItemsOf(*list);
  std::vector<Any> widened;
  // Each item becomes a slice of extent 1, and concatenating those stacks them.
  if (attrs.new_axis) {
    Call call(ops::InfoOf(ops::Op::k_concat), context, items);
    const ops::AxesAttrs axes{.axes = {attrs.axis}};
    for (int i = 0; i < call.size(); ++i) {
      const Tensor* item = call.Input(i);
      TERN_TRY(call.TakeStatus());
      Extents out;
      TERN_TRY(ops::UnsqueezeShape(axes, bind::ExtentsOf(*item), &out));
      TERN_TRY_ASSIGN(Any wide, bind::Reshaped(*item, out));
      widened.push_back(std::move(wide));
    }
    items.assign(widened.begin(), widened.end());
  }
  Call call(ops::InfoOf(ops::Op::k_concat), context, items);
  ops::AxisAttrs concat;
  concat.axis = attrs.axis;
  const auto run = [](const void* attrs_of, Call& of) {
    return bind::Concat(*static_cast<const ops::AxisAttrs*>(attrs_of), of);
  };
  if (bind::IsMoveOfTexts(call.info(), items))
    return bind::RunOnPlaces(call.info(), run, &concat, context, items);
  return run(&concat, call);
}

// How long each part is.
Status PartSizes(Call& call, int64_t extent, Ints* sizes) {
  if (!call.Has(1)) {
    sizes->assign(static_cast<size_t>(extent), 1);
    return OkStatus();
  }
  call.ReadInts(1, sizes);
  // A list of sizes may have parts without items, one size for all may not: it would never end.
  const bool is_list = call.Input(1) != nullptr && call.Input(1)->rank() == 1;
  TERN_TRY(call.TakeStatus());
  int64_t sum = 0;
  for (const int64_t size : *sizes) {
    if (size < (is_list ? 0 : 1)) return InvalidArgument("a part of ", size, " items");
    sum = ops::AddDim(sum, size);
  }
  if (is_list) {
    if (sum == extent) return OkStatus();
    return InvalidArgument("the parts have ", sum, " items together, expected ", extent);
  }
  // One number: parts of that size, and the rest.
  const int64_t size = sizes->empty() ? 1 : (*sizes)[0];
  sizes->clear();
  for (int64_t rest = extent; rest > 0; rest -= size) sizes->push_back(rest < size ? rest : size);
  return OkStatus();
}

// A run of `row` elements from `from` on in each of the outer slices.
Status CopyPart(Call& call, const Tensor& x, const bind::AxisView& whole, int64_t from, int64_t row,
                Tensor* part) {
  const int64_t stride = whole.axis * whole.inner;
  if (x.dtype().is_string()) {
    for (int64_t outer = 0; outer < whole.outer; ++outer)
      bind::CopyElements(x, outer * stride + from, row, part, outer * row);
    return OkStatus();
  }
  const bind::StridedCopy copy{Extents{whole.outer, row}, {stride, 1}, {row, 1}};
  const int64_t size = x.dtype().size();
  return bind::CopyStrided(call, copy, size, static_cast<const uint8_t*>(x.data()) + from * size,
                           part->data());
}

// Functions of the registry take lists, which operators do not: the row of reshape is borrowed for
// the words of errors about tensors.
Result<Any> Split(const ListAttrs& attrs, RunContext& context, AnyArgs args) {
  Call call(ops::InfoOf(ops::Op::k_reshape), context, args);
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  if (!x->dtype().is_string()) TERN_TRY(bind::CheckMovable(call, 0, *x));
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  Ints sizes;
  // A tensor without elements may have an axis of any extent, and each part of it is an object. So
  // the budget of the run bounds their number.
  TERN_TRY(call.Charge(x->dim(axis)));
  TERN_TRY(PartSizes(call, x->dim(axis), &sizes));
  const bind::AxisView whole = bind::ViewAround(bind::ExtentsOf(*x), axis);
  int64_t from = 0;
  SequencePtr parts = Sequence::Make();
  for (const int64_t extent : sizes) {
    Extents out = bind::ExtentsOf(*x);
    out[axis] = extent;
    TERN_TRY_ASSIGN(TensorPtr part, call.New(x->dtype(), out));
    const int64_t row = extent * whole.inner;
    TERN_TRY(CopyPart(call, *x, whole, from, row, part.get()));
    from += row;
    // ONNX removes the axis only where parts have no size, thus are one item long.
    if (attrs.keepdims || call.Has(1)) {
      parts->PushBack(Any(std::move(part)));
      continue;
    }
    const ops::AxesAttrs axes{.axes = {axis}};
    TERN_TRY(ops::SqueezeShape(axes, bind::ExtentsOf(*part), &out));
    TERN_TRY_ASSIGN(Any narrow, bind::Reshaped(*part, out));
    parts->PushBack(narrow);
  }
  return Any(parts);
}

// Below zero, a position counts from the end; `last` is the greatest.
Result<size_t> PositionIn(const Sequence& list, int64_t position, size_t last) {
  const auto size = static_cast<int64_t>(list.size());
  const int64_t at = position < 0 ? position + size : position;
  if (at >= 0 && at <= static_cast<int64_t>(last)) return static_cast<size_t>(at);
  return OutOfRange("position ", position, " is out of range for a list of ", size,
                    size == 1 ? " item" : " items");
}

// Lists are values: inserting and erasing make a new one, and other holders keep theirs.
Result<Any> Insert(const ListAttrs&, RunContext& context, AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  TERN_TRY_ASSIGN(const int64_t position, args[2].As<int64_t>());
  // An insertion may stand behind the last item, so one position more is possible than there are
  // items.
  TERN_TRY_ASSIGN(const size_t at, PositionIn(*list, position, list->size()));
  TERN_TRY(context.Charge(static_cast<int64_t>(list->size())));
  SequencePtr longer = Sequence::Make();
  for (size_t i = 0; i <= list->size(); ++i) {
    if (i == at) longer->PushBack(args[1]);
    if (i < list->size()) longer->PushBack((*list)[i]);
  }
  return Any(longer);
}

Result<Any> Erase(const ListAttrs&, RunContext& context, AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  TERN_TRY_ASSIGN(const int64_t position, args[1].As<int64_t>());
  if (list->empty()) return OutOfRange("position ", position, " of an empty list");
  TERN_TRY_ASSIGN(const size_t at, PositionIn(*list, position, list->size() - 1));
  TERN_TRY(context.Charge(static_cast<int64_t>(list->size())));
  SequencePtr shorter = Sequence::Make();
  for (size_t i = 0; i < list->size(); ++i) {
    if (i != at) shorter->PushBack((*list)[i]);
  }
  return Any(shorter);
}

Result<Any> OptionalGet(const ListAttrs&, RunContext&, AnyArgs args) {
  // A value that is there stands for itself: an optional adds no object around it.
  if (args[0].is_none()) return InvalidArgument("the optional is empty, expected a value");
  return Any(args[0]);
}

using ListFunction = bind::FunctionRow<ListAttrs>;

constexpr ListFunction kFunctions[] = {
    {"list_stack", 1, 1, &Stack},         {"list_join", 1, 1, &Join},
    {"list_split", 1, 2, &Split},         {"list_insert", 3, 3, &Insert},
    {"optional_get", 1, 1, &OptionalGet}, {"list_erase", 2, 2, &Erase},
};

Result<ListAttrs> ParseListAttrs(std::string_view name, const Attrs& attrs) {
  AttrReader reader(name, attrs);
  ListAttrs parsed;
  parsed.axis = reader.Int("axis", 0);
  parsed.keepdims = reader.Bool("keepdims", true);
  parsed.new_axis = reader.Bool("new_axis", false);
  parsed.extents = reader.Ints("extents", {});
  for (const int64_t extent : parsed.extents) {
    if (extent < 0 || extent > ops::kMostExtent) reader.Fail("extents", "not an extent");
  }
  const std::string to = reader.String("to", "f32");
  TERN_TRY(reader.Finish());
  TERN_TRY_ASSIGN(parsed.to, DType::Parse(to));
  return parsed;
}

Result<FunctionPtr> MakeBoundList(std::string_view full_name, const Attrs& attrs) {
  return bind::BindFunction<ListAttrs>(kFunctions, &ParseListAttrs, full_name, attrs);
}

}  // namespace

Status RegisterListFunctions(Registry* registry) {
  return bind::RegisterFunctions<ListAttrs>(kFunctions, &MakeBoundList, registry);
}

}  // namespace tern::kernels
