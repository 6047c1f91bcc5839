// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/bind/places.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/object/containers/adt.h"
#include "core/ops/image_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::kernels::bind {
namespace {

// Those whose results hold nothing but elements of arguments. They run on numbers in place of
// texts, which then need no code of their own in any of them.
bool OnlyMoves(ops::Op op) {
  switch (op) {
    case ops::Op::k_transpose:
    case ops::Op::k_expand:
    case ops::Op::k_concat:
    case ops::Op::k_split:
    case ops::Op::k_slice:
    case ops::Op::k_tile:
    case ops::Op::k_pad:
    case ops::Op::k_gather:
    case ops::Op::k_gather_elements:
    case ops::Op::k_gather_nd:
    case ops::Op::k_scatter_elements:
    case ops::Op::k_scatter_nd:
    case ops::Op::k_compress:
    case ops::Op::k_reverse_sequence:
    case ops::Op::k_one_hot:
    case ops::Op::k_resize:
    case ops::Op::k_depth_to_space:
    case ops::Op::k_space_to_depth: return true;
    default: return false;
  }
}

bool HoldsTexts(const AnyView& arg) {
  const Tensor* tensor = arg.TryCast<Tensor>();
  return tensor != nullptr && tensor->on_host() && tensor->dtype().is_string();
}

// The texts of all arguments, one behind the other; behind the last one stands the empty text.
class Texts {
 public:
  explicit Texts(Call& call) : call_(call) {}

  // The places of an argument's texts, in its shape.
  Result<Any> Add(int argument) {
    const Tensor* x = call_.Input(argument);
    TERN_TRY(call_.TakeStatus());
    TERN_TRY_ASSIGN(TensorPtr places, call_.New(kI64, ExtentsOf(*x)));
    for (int64_t i = 0; i < x->element_count(); ++i) places->data_as<int64_t>()[i] = count_ + i;
    count_ += x->element_count();
    parts_.push_back({x, count_});
    return Any(std::move(places));
  }

  int64_t empty() const { return count_; }

  // The texts at the places of a result, or of each of several.
  Result<Any> At(const Any& result) const {
    if (result.TryCast<Tensor>() != nullptr) return Pick(result);
    std::vector<Any> fields;
    const Adt* tuple = result.TryCast<Adt>();
    if (tuple == nullptr) return result;
    for (const Any& field : tuple->fields()) {
      TERN_TRY_ASSIGN(Any texts, At(field));
      fields.push_back(std::move(texts));
    }
    return Any(Adt::Tuple(std::vector<AnyView>(fields.begin(), fields.end())));
  }

 private:
  // end: the place behind the last text of the argument.
  struct Part {
    const Tensor* texts;
    int64_t end;
  };

  std::string_view TextAt(int64_t place) const {
    // Few arguments hold texts: to search them all is fine.
    for (const Part& part : parts_) {
      if (place < part.end)
        return part.texts->string_at(place - (part.end - part.texts->element_count()));
    }
    return {};
  }

  // A result may be a view of what the places were put into.
  Result<Any> Pick(const Any& result) const {
    const AnyView view(result);
    Call reader(call_.info(), call_.context(), AnyArgs(&view, 1));
    const Tensor* places = reader.Input(0, kI64);
    TERN_TRY(reader.TakeStatus());
    TERN_TRY_ASSIGN(TensorPtr texts, call_.New(kString, ExtentsOf(*places)));
    for (int64_t i = 0; i < places->element_count(); ++i)
      texts->set_string(i, TextAt(places->data_as<int64_t>()[i]));
    return Any(std::move(texts));
  }

  Call& call_;
  std::vector<Part> parts_;
  int64_t count_ = 0;
};

// Operators that move elements in some of their modes only.
Status CheckMoves(ops::Op op, const void* attrs) {
  if (op == ops::Op::k_scatter_elements || op == ops::Op::k_scatter_nd) {
    const auto& scatter = *static_cast<const ops::ScatterAttrs*>(attrs);
    if (scatter.reduction != ops::ScatterReduction::kNone)
      return InvalidArgument("texts cannot be reduced");
  }
  if (op == ops::Op::k_resize) {
    const auto& resize = *static_cast<const ops::ResizeAttrs*>(attrs);
    if (resize.mode != ops::ResizeMode::kNearest ||
        resize.coordinate == ops::CoordinateMode::kTfCropAndResize)
      return InvalidArgument("texts cannot be mixed or cropped: expected mode=nearest");
  }
  return OkStatus();
}

}  // namespace

bool IsMoveOfTexts(const ops::OpInfo& info, AnyArgs args) {
  return OnlyMoves(info.op) && std::any_of(args.begin(), args.end(), HoldsTexts);
}

Result<Any> RunOnPlaces(const ops::OpInfo& info, Runner run, const void* attrs, RunContext& context,
                        AnyArgs args) {
  TERN_TRY(CheckMoves(info.op, attrs));
  Call given(info, context, args);
  Texts texts(given);
  std::vector<Any> held;
  for (size_t i = 0; i < args.size(); ++i) {
    held.emplace_back(args[i]);
    if (!HoldsTexts(args[i])) continue;
    TERN_TRY_ASSIGN(held.back(), texts.Add(static_cast<int>(i)));
  }
  // What pads is the empty text where nothing else is said.
  if (info.op == ops::Op::k_pad) {
    held.resize(std::max<size_t>(held.size(), 3));
    if (held[2].is_none()) held[2] = Any(Tensor::Scalar<int64_t>(texts.empty()));
  }
  const std::vector<AnyView> views(held.begin(), held.end());
  // The operator sees places instead of texts and checks its other arguments as ever.
  Call call(info, context, views);
  TERN_TRY_ASSIGN(const Any result, run(attrs, call));
  return texts.At(result);
}

}  // namespace tern::kernels::bind
