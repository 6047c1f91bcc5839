// SPDX-License-Identifier: Apache-2.0
#include "core/loop/te/te.h"

#include <algorithm>

namespace tern::loop::te {
namespace {

constexpr PrimitiveInfo kPrimitives[] = {
#define TERN_LOOP_PRIMITIVE(Name, text, usage, phrase) {Primitive::k##Name, text, usage, phrase},
#include "core/loop/te/primitives.def"
#undef TERN_LOOP_PRIMITIVE
};

// Lays two definitions side by side and notes which variable and tensor of one is which of the
// other.
// Names count, because schedules and callers use them.
class Matcher {
 public:
  bool Same(const Definition& a, const Definition& b) {
    return a.relaxed == b.relaxed && SameVars(a.sizes, b.sizes) && SameVars(a.scalars, b.scalars) &&
           SameTensors(a.inputs, b.inputs) && SameTensors(a.outputs, b.outputs) &&
           std::equal(a.computes.begin(), a.computes.end(), b.computes.begin(), b.computes.end(),
                      [this](const Compute& x, const Compute& y) { return SameCompute(x, y); }) &&
           std::equal(a.schedule.begin(), a.schedule.end(), b.schedule.begin(), b.schedule.end(),
                      &SameDirective);
  }

 private:
  bool SameVars(std::span<const VarPtr> a, std::span<const VarPtr> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](const VarPtr& x, const VarPtr& y) {
                        pairs_.Add(x.get(), y.get());
                        return x->name == y->name && x->type == y->type;
                      });
  }

  bool SameTensor(const BufferPtr& a, const BufferPtr& b) {
    // A tensor that was laid beside another before needs no second look.
    if (pairs_.Has(a.get(), b.get())) return true;
    pairs_.Add(a.get(), b.get());
    return a->name == b->name && a->dtype == b->dtype && a->access == b->access &&
           std::equal(a->shape.begin(), a->shape.end(), b->shape.begin(), b->shape.end(),
                      [this](const Expr& x, const Expr& y) { return SameExpr(x, y, &pairs_); });
  }

  bool SameTensors(std::span<const BufferPtr> a, std::span<const BufferPtr> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](const BufferPtr& x, const BufferPtr& y) { return SameTensor(x, y); });
  }

  bool SameCompute(const Compute& a, const Compute& b) {
    return SameTensor(a.tensor, b.tensor) && SameVars(a.axes, b.axes) &&
           SameExpr(a.value, b.value, &pairs_);
  }

  static bool SameDirective(const Directive& a, const Directive& b) {
    // Where they stand in a text does not count.
    return a.primitive == b.primitive && a.tensor == b.tensor && a.names == b.names &&
           a.factors == b.factors && a.scalable == b.scalable && a.tail == b.tail &&
           a.interleave == b.interleave;
  }

  NodePairs pairs_;
};

}  // namespace

bool SameDefinition(const Definition& a, const Definition& b) { return Matcher().Same(a, b); }

std::span<const PrimitiveInfo> AllPrimitives() { return kPrimitives; }
const PrimitiveInfo& InfoOf(Primitive primitive) {
  return kPrimitives[static_cast<size_t>(primitive)];
}

const Compute* Definition::Find(std::string_view tensor) const {
  for (const Compute& compute : computes) {
    if (compute.tensor->name == tensor) return &compute;
  }
  return nullptr;
}

}  // namespace tern::loop::te
