// SPDX-License-Identifier: Apache-2.0
// A[i, j] of an n x m buffer becomes A[i * m + j] (rows are contiguous). Everything after this pass
// knows single indices only.
#include "core/loop/passes/pass.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

class Flattener : public Mutator {
 public:
  Expr MutateExpr(const Expr& expr) override {
    const Expr inner = Descend(expr);
    const Load* load = inner->As<Load>();
    if (load == nullptr || load->indices.size() == 1) return inner;
    Expr flat = MakeLoad(load->buffer, {FlatIndex(*load->buffer, load->indices)}, load->predicate);
    flat->span = expr->span;
    return flat;
  }

  Stmt MutateStmt(const Stmt& stmt) override {
    const Stmt inner = Descend(stmt);
    const Store* store = inner->As<Store>();
    if (store == nullptr || store->indices.size() == 1) return inner;
    Stmt flat = MakeStore(store->buffer, {FlatIndex(*store->buffer, store->indices)}, store->value,
                          store->predicate);
    flat->span = stmt->span;
    return flat;
  }

 private:
  static Expr AsIndex(const Expr& expr) { return MakeCast(kI64, expr); }

  // Horner's rule over the dimensions; a buffer without dimensions has its one element at 0.
  static Expr FlatIndex(const Buffer& buffer, std::span<const Expr> indices) {
    if (indices.empty()) return MakeInt(0);
    Expr flat = AsIndex(indices[0]);
    for (size_t i = 1; i < indices.size(); ++i) {
      // The last index may be a vector, which the others then meet by broadcast.
      const Lanes lanes = indices[i]->type.lane_count();
      Expr row = Mul(std::move(flat), buffer.shape[i]);
      // A ramp stays a ramp, because emitters recognize contiguous accesses by it.
      const Ramp* ramp = indices[i]->As<Ramp>();
      if (ramp != nullptr && ramp->base->type == kIndexType)
        flat = MakeRamp(Add(std::move(row), ramp->base), ramp->stride, lanes);
      else
        flat = Add(MakeBroadcast(std::move(row), lanes), AsIndex(indices[i]));
    }
    return flat;
  }
};

}  // namespace

LoopFunction FlattenBuffers(const LoopFunction& function, const PassContext&) {
  LoopFunction out = function;
  out.body = Flattener().MutateStmt(function.body);
  return out;
}

}  // namespace tern::loop
