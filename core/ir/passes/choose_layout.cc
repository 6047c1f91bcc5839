// SPDX-License-Identifier: Apache-2.0
// Every value of the old function may have two forms in the new one: as declared, and
// channels-last. A form is made when somebody asks for it; what image operators make exists
// channels-last only until then. So no transpose appears where nobody needs one, and one that only
// turns the layout is another name for the other form.
#include "core/ir/passes/choose_layout.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/check.h"
#include "core/ir/passes/simplify_shapes.h"
#include "core/ir/rewriter.h"
#include "core/ops/shape_rules.h"

namespace tern::ir {

namespace {

using ops::Ints;
using ops::Op;
using types::Dim;
using types::TensorType;

constexpr int kRank = 4;
constexpr int64_t kToLast[] = {0, 2, 3,
                               1};  // y = transpose(x, kToLast): channels-last from declared
constexpr int64_t kToFirst[] = {0, 3, 1, 2};  // also: where a declared axis lies channels-last

int64_t RemapAxis(int64_t axis) { return kToFirst[axis < 0 ? axis + kRank : axis]; }

int RankOf(const Expr& expr) {
  const TensorType* type = TensorTypeOf(expr);
  return type == nullptr ? -1 : type->rank();
}

class LayoutChooser : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  Expr RewriteCall(const Call& call, const std::vector<Expr>&) override {
    if (WantsLayout(call)) return EmitImage(call);
    if (call.Is(Op::k_transpose)) return RewriteTranspose(call);
    if (call.Is(Op::k_reshape)) {
      if (Expr shuffled = RewriteShuffle(call)) return shuffled;
    }
    if (Follows(call)) {
      if (Expr followed = Follow(call)) return followed;
    }
    return EmitDeclared(call);
  }

  Expr RewriteItem(const GetItem& item, const Expr&) override {
    const auto found = forms_.find(item.tuple().get());
    if (found == forms_.end() || !found->second.last) return nullptr;
    return MadeLast(builder().Field(found->second.last, item.index()));
  }

  Expr RewriteEscape(const Expr& old) override { return Declared(old); }

  // A form that was made inside a branch or a lambda is not there outside.
  void EnterBlock() override { outside_.push_back(forms_); }
  void LeaveBlock() override {
    forms_ = std::move(outside_.back());
    outside_.pop_back();
  }

 private:
  struct Forms {
    Expr declared, last;
    bool made_last = false;  // the other form, if any, is a transpose of it
  };

  bool IsMadeLast(const Expr& old) const {
    const auto found = forms_.find(old.get());
    return found != forms_.end() && found->second.made_last;
  }

  Expr Declared(const Expr& old) {
    const auto found = forms_.find(old.get());
    if (found == forms_.end()) return Map(old);
    Forms& forms = found->second;
    if (!forms.declared) forms.declared = EmitTranspose(forms.last, kToFirst);
    return forms.declared;
  }

  Expr Last(const Expr& old) {
    const auto found = forms_.find(old.get());
    if (found != forms_.end() && found->second.last) return found->second.last;
    Forms forms{Declared(old), nullptr, false};
    forms.last = EmitTranspose(forms.declared, kToLast);
    forms_[old.get()] = forms;
    return forms.last;
  }

  Expr EmitTranspose(const Expr& x, std::span<const int64_t> perm) {
    return builder().Emit(Op::k_transpose, {x},
                          ops::TransposeAttrs{{perm.begin(), perm.end()}}.ToAttrs());
  }

  // The binding that is being rewritten is `expr`, channels-last.
  Expr MadeLast(Expr expr) {
    forms_[current().var.get()] = Forms{nullptr, expr, true};
    return expr;
  }

  Expr EmitDeclared(const Call& call) {
    bool converted = false;
    std::vector<Expr> args;
    for (const Expr& arg : call.args()) {
      converted = converted || forms_.contains(arg.get());
      args.push_back(Declared(arg));
    }
    return converted ? builder().Emit(call.op(), std::move(args), call.attrs()) : nullptr;
  }

  // --- operators that ask for channels-last

  static bool WantsLayout(const Call& call) {
    if (call.args().empty() || RankOf(call.args()[0]) != kRank || call.attrs().Has("layout"))
      return false;
    return call.op().layout == ops::LayoutRule::chosen;
  }

  // x and a residual are images; weights and bias stay as they are.
  Expr EmitImage(const Call& call) {
    std::vector<Expr> args;
    for (size_t i = 0; i < call.args().size(); ++i) {
      const Expr& arg = call.args()[i];
      const bool image = i == 0 || (i == 3 && RankOf(arg) == kRank);
      args.push_back(image ? Last(arg) : Declared(arg));
    }
    return MadeLast(builder().Emit(call.op(), std::move(args), WithLayout(call)));
  }

  // layout is the first key of every operator that has it.
  static Attrs WithLayout(const Call& call) {
    Attrs attrs;
    attrs.SetString("layout", "nhwc");
    for (const Attrs::Entry& entry : call.attrs().entries())
      attrs.SetString(entry.first, entry.second);
    return attrs;
  }

  // --- transposes and shuffles

  Expr RewriteTranspose(const Call& call) {
    const Expr& x = call.args()[0];
    if (RankOf(x) != kRank) return EmitDeclared(call);
    int resolved[ops::kMaxDims];
    const ops::TransposeAttrs attrs = ops::TransposeAttrs::From(call.attrs()).value();
    if (!ops::ResolvePerm(attrs.perm, kRank, resolved).ok()) return nullptr;
    if (!IsMadeLast(x)) {
      if (!std::equal(resolved, resolved + kRank, kToFirst)) return EmitDeclared(call);
      return MadeLast(Declared(x));
    }
    Ints perm;
    bool same = true;
    for (int i = 0; i < kRank; ++i) {
      perm.push_back(kToFirst[resolved[i]]);
      same = same && perm.back() == i;
    }
    const Expr last = Last(x);
    const Expr result = same ? last : EmitTranspose(last, perm);
    forms_[current().var.get()] = Forms{result, nullptr, false};
    return result;
  }

  // reshape [n, g, k, h, w] → transpose 0,2,1,3,4 → reshape [n, c, h, w] of a channels-last x:
  // groups of channels trade places within a pixel.
  Expr RewriteShuffle(const Call& call) {
    const Call* transpose = OldCall(call.args()[0], Op::k_transpose);
    const Call* split =
        transpose == nullptr ? nullptr : OldCall(transpose->args()[0], Op::k_reshape);
    const TensorType* parts = transpose == nullptr ? nullptr : TensorTypeOf(transpose->args()[0]);
    if (split == nullptr || !IsMadeLast(split->args()[0]) || parts == nullptr || parts->rank() != 5)
      return nullptr;
    const TensorType* from = TensorTypeOf(split->args()[0]);
    const TensorType* to = TensorTypeOf(current().var);
    if (ops::TransposeAttrs::From(transpose->attrs()).value().perm != Ints{0, 2, 1, 3, 4})
      return nullptr;
    const bool spatial = parts->dims[0] == from->dims[0] && parts->dims[3] == from->dims[2] &&
                         parts->dims[4] == from->dims[3];
    if (to == nullptr || to->rank() != kRank || !(to->dims == from->dims) || !spatial)
      return nullptr;
    const Expr x = Last(split->args()[0]);
    const TensorType* image = TensorTypeOf(x);
    TensorType grouped = *image;
    grouped.dims = {image->dims[0], image->dims[1], image->dims[2], parts->dims[1], parts->dims[2]};
    TensorType swapped = grouped;
    std::swap(swapped.dims[3], swapped.dims[4]);
    Attrs apart, together;
    if (!ReshapeTarget(*image, grouped, &apart) || !ReshapeTarget(swapped, *image, &together))
      return nullptr;
    const int64_t perm[] = {0, 1, 2, 4, 3};
    const Expr turned = EmitTranspose(builder().Emit(Op::k_reshape, {x}, apart), perm);
    return MadeLast(builder().Emit(Op::k_reshape, {turned}, together));
  }

  // --- operators that follow

  // Some image argument was made channels-last, and the result is an image too (or a tuple of
  // them).
  bool Follows(const Call& call) const {
    for (const Expr& arg : call.args()) {
      if (IsMadeLast(arg) && RankOf(arg) == kRank) return true;
    }
    return false;
  }

  Expr Follow(const Call& call) {
    switch (call.op().layout) {
      case ops::LayoutRule::chosen:
      case ops::LayoutRule::declared: return nullptr;
      case ops::LayoutRule::elementwise: return FollowElementwise(call);
      case ops::LayoutRule::reduces: return FollowReduce(call);
      case ops::LayoutRule::axis_0: return FollowAxis(call, 0);
      case ops::LayoutRule::axis_1:
        // Blocks of quantized elements lie along an axis of their own.
        return call.attrs().Has("block") ? nullptr : FollowAxis(call, 1);
      case ops::LayoutRule::axis_last: return FollowAxis(call, -1);
      case ops::LayoutRule::blocks:
        return MadeLast(builder().Emit(call.op(), {Last(call.args()[0])}, WithLayout(call)));
      case ops::LayoutRule::own: return FollowInItsWay(call);
    }
    return nullptr;
  }

  Expr FollowInItsWay(const Call& call) {
    if (call.Is(Op::k_concat)) return FollowConcat(call);
    if (call.Is(Op::k_pad)) return FollowPad(call);
    if (call.Is(Op::k_slice)) return FollowSlice(call);
    if (call.Is(Op::k_gather)) return FollowLookup(call);
    return call.Is(Op::k_resize) ? FollowResize(call) : nullptr;
  }

  // An image of indices into a list: each element by itself.
  Expr FollowLookup(const Call& call) {
    if (RankOf(call.args()[0]) != 1 || RankOf(current().var) != kRank) return nullptr;
    return MadeLast(
        builder().Emit(call.op(), {Declared(call.args()[0]), Last(call.args()[1])}, call.attrs()));
  }

  // What broadcasts against images: given their rank first, so that its axes turn with theirs.
  Expr BroadcastOperand(const Expr& old) {
    const int rank = RankOf(old);
    if (rank == kRank) return Last(old);
    Expr operand = Declared(old);
    if (rank <= 0) return operand;
    Ints axes;
    for (int i = 0; i < kRank - rank; ++i) axes.push_back(i);
    operand = builder().Emit(Op::k_unsqueeze, {operand}, ops::AxesAttrs{axes}.ToAttrs());
    return EmitTranspose(operand, kToLast);
  }

  Expr FollowElementwise(const Call& call) {
    if (RankOf(current().var) != kRank) return nullptr;
    std::vector<Expr> args;
    for (const Expr& arg : call.args()) args.push_back(IsNone(arg) ? arg : BroadcastOperand(arg));
    return MadeLast(builder().Emit(call.op(), std::move(args), call.attrs()));
  }

  Expr FollowConcat(const Call& call) {
    std::vector<Expr> args;
    for (const Expr& arg : call.args()) args.push_back(Last(arg));
    Attrs attrs = ops::AxisAttrs{RemapAxis(call.attrs().GetInt("axis", 0))}.ToAttrs();
    return MadeLast(builder().Emit(call.op(), std::move(args), attrs));
  }

  Expr FollowAxis(const Call& call, int64_t fallback) {
    std::vector<Expr> args;
    for (const Expr& arg : call.args()) args.push_back(args.empty() ? Last(arg) : Declared(arg));
    const int64_t axis = RemapAxis(call.attrs().GetInt("axis", fallback));
    return MadeLast(builder().Emit(call.op(), std::move(args), WithAxis(call, axis, fallback)));
  }

  // Canonical text: axis is the first key of these operators, and left out where it is the default.
  static Attrs WithAxis(const Call& call, int64_t axis, int64_t fallback) {
    Attrs attrs;
    if (axis != fallback) attrs.SetInt("axis", axis);
    for (const Attrs::Entry& entry : call.attrs().entries()) {
      if (entry.first != "axis") attrs.SetString(entry.first, entry.second);
    }
    return attrs;
  }

  Expr FollowPad(const Call& call) {
    ops::PadAttrs attrs = ops::PadAttrs::From(call.attrs()).value();
    if (call.arg(1) != nullptr) return nullptr;
    if (!attrs.axes.empty()) {
      for (int64_t& axis : attrs.axes) axis = RemapAxis(axis);
    } else {
      attrs.pads = {};
      const Ints pads = ops::PadAttrs::From(call.attrs()).value().pads;
      for (size_t half = 0; half < 2; ++half) {
        for (int64_t axis : kToLast)
          attrs.pads.push_back(pads[half * kRank + static_cast<size_t>(axis)]);
      }
    }
    std::vector<Expr> args{Last(call.args()[0])};
    for (size_t i = 1; i < call.args().size(); ++i) args.push_back(Declared(call.args()[i]));
    return MadeLast(builder().Emit(call.op(), std::move(args), attrs.ToAttrs()));
  }

  Expr FollowSlice(const Call& call) {
    ops::SliceAttrs attrs = ops::SliceAttrs::From(call.attrs()).value();
    if (call.args().size() > 1) return nullptr;
    if (attrs.axes.empty()) {
      for (size_t i = 0; i < attrs.starts.size(); ++i)
        attrs.axes.push_back(static_cast<int64_t>(i));
    }
    for (int64_t& axis : attrs.axes) axis = RemapAxis(axis);
    return MadeLast(builder().Emit(call.op(), {Last(call.args()[0])}, attrs.ToAttrs()));
  }

  template <class T>
  static void PermuteToLast(std::vector<T>* values) {
    if (values->size() != kRank) return;
    const std::vector<T> old = *values;
    for (size_t i = 0; i < kRank; ++i) (*values)[i] = old[static_cast<size_t>(kToLast[i])];
  }

  // Scales and sizes are per axis; those that are arguments are permuted by a gather.
  Expr FollowResize(const Call& call) {
    ops::ResizeAttrs attrs = ops::ResizeAttrs::From(call.attrs()).value();
    if (call.arg(1) != nullptr) return nullptr;
    const bool all_axes = attrs.axes.empty();
    for (int64_t& axis : attrs.axes) axis = RemapAxis(axis);
    if (all_axes) PermuteToLast(&attrs.scales);
    if (all_axes) PermuteToLast(&attrs.sizes);
    std::vector<Expr> args{Last(call.args()[0])};
    for (size_t i = 1; i < call.args().size(); ++i) {
      Expr arg = Declared(call.args()[i]);
      if (!IsNone(arg) && all_axes) arg = builder().Emit(Op::k_gather, {arg, MakeInts(kToLast)});
      args.push_back(std::move(arg));
    }
    return MadeLast(builder().Emit(call.op(), std::move(args), attrs.ToAttrs()));
  }

  Expr FollowReduce(const Call& call) {
    if (call.args().size() > 1) return nullptr;
    ops::ReduceAttrs attrs = ops::ReduceAttrs::From(call.attrs()).value();
    uint32_t mask = 0;
    if (!ops::ReducedAxes(attrs.axes, attrs.noop_if_empty, kRank, &mask).ok()) return nullptr;
    const bool channels = (mask & 2) != 0, spatial = (mask & 12) == 12;
    if (!attrs.keep_dims && !channels && !spatial)
      return nullptr;  // what is left would change its order
    for (int64_t& axis : attrs.axes) axis = RemapAxis(axis);
    Expr reduced = builder().Emit(call.op(), {Last(call.args()[0])}, attrs.ToAttrs());
    if (attrs.keep_dims) return MadeLast(reduced);
    return reduced;
  }

  std::unordered_map<const Node*, Forms> forms_;  // by atom of the old function
  std::vector<std::unordered_map<const Node*, Forms>> outside_;
};

}  // namespace

Module ChooseLayout(const Module& module, const PassContext& context) {
  return RewriteModule<LayoutChooser>(module, context.diagnostics);
}

}  // namespace tern::ir
