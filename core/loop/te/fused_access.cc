// SPDX-License-Identifier: Apache-2.0
#include "core/loop/te/fused_access.h"

#include <algorithm>

#include "core/loop/analysis/simplifier.h"
#include "core/loop/visitor.h"

namespace tern::loop::te {
namespace {

// One index of an access, or several that were joined. Digits are as of a number in mixed radix,
// the extents being the radices.
struct Digit {
  int axis;  // -1: no axis alone
  Expr value, extent;
};

// The axis that an index is, if it is one and nothing else; -1 otherwise.
int AxisOf(const Stage& stage, const Expr& index) {
  for (size_t i = 0; i < stage.axes.size(); ++i) {
    if (static_cast<const ExprNode*>(stage.axes[i].var.get()) == index.get())
      return static_cast<int>(i);
  }
  return -1;
}

// Rewrites loads by FlatIndex. Buffers in `kept` keep all their indices: only a part of them is in
// memory, so that their rows have another length.
class Flattener : public Mutator {
 public:
  Flattener(const Stage& stage, const FusedAxes& fused, std::span<const Buffer* const> kept)
      : stage_(stage), fused_(fused), kept_(kept) {}

  Expr MutateExpr(const Expr& expr) override {
    const Expr inner = Descend(expr);
    const Load* load = inner->As<Load>();
    if (load == nullptr || std::find(kept_.begin(), kept_.end(), load->buffer.get()) != kept_.end())
      return inner;
    Expr flat = FlatIndex(stage_, fused_, *load->buffer, load->indices);
    return flat ? MakeLoad(load->buffer, {std::move(flat)}) : inner;
  }

 private:
  const Stage& stage_;
  const FusedAxes& fused_;
  std::span<const Buffer* const> kept_;
};

}  // namespace

Expr FlatIndex(const Stage& stage, const FusedAxes& fused, const Buffer& buffer,
               std::span<const Expr> indices) {
  if (indices.size() < 2 || indices.size() != buffer.shape.size()) return nullptr;
  // Without ranges of sizes: extents must be equal as trees, which simplifying alone decides.
  const Simplifier simplifier;
  std::vector<Digit> digits;
  for (size_t i = 0; i < indices.size(); ++i)
    digits.push_back({AxisOf(stage, indices[i]), indices[i], simplifier.Simplify(buffer.shape[i])});
  for (const FusedAxis& axis : fused) {
    // x / e and x % e side by side, e being the buffer's own row length, are x.
    for (size_t i = 0; i + 1 < digits.size(); ++i) {
      const Digit &outer = digits[i], &inner = digits[i + 1];
      if (outer.axis != axis.outer || inner.axis != axis.inner ||
          !SameExpr(inner.extent, axis.inner_extent))
        continue;
      const Expr both = MakeBinary(BinaryOp::kMul, outer.extent, inner.extent);
      digits[i] = {axis.fused, axis.value, simplifier.Simplify(both)};
      digits.erase(digits.begin() + static_cast<ptrdiff_t>(i) + 1);
      break;
    }
  }
  // Nothing was joined: the access stays as it is.
  if (digits.size() == indices.size()) return nullptr;
  Expr index = MakeCast(kI64, digits[0].value);
  for (size_t i = 1; i < digits.size(); ++i)
    index = Add(Mul(index, digits[i].extent), MakeCast(kI64, digits[i].value));
  return index;
}

Expr FlattenLoads(const Stage& stage, const FusedAxes& fused, std::span<const Buffer* const> kept,
                  const Expr& value) {
  return fused.empty() ? value : Flattener(stage, fused, kept).MutateExpr(value);
}

}  // namespace tern::loop::te
