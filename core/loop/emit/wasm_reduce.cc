// SPDX-License-Identifier: Apache-2.0
// A vector folded into a scalar, from lane 0 upwards. Where no order can be told from the bits,
// whole parts are folded first.
#include "core/loop/emit/wasm_function.h"

namespace tern::loop {

void WasmFunction::VectorFold(const VectorReduce& reduce) {
  const DataType vector = reduce.value->type;
  const bool storage = vector.is_float() && vector.bits() == 16;
  const bool adds = reduce.op == BinaryOp::kAdd || reduce.op == BinaryOp::kMul;
  // Sums of floats keep their order unless the program is relaxed; integers and limits have none.
  const bool ordered = vector.is_float() && adds && !function_.relaxed;
  if (ordered || storage || vector.is_bool() || PartsOf(vector) == 1 ||
      VectorOp(reduce.op, vector) == kNoWasmOp) {
    return FoldLanes(reduce, reduce.value);
  }
  for (int part = 0; part < PartsOf(vector); ++part) {
    Part(reduce.value, part);
    if (part > 0) code_.Op(VectorOp(reduce.op, vector));
  }
  Variable folded{{Save(WasmType::kV128)}};
  const VarPtr var = MakeVar("folded", vector.With(Lanes{LanesPerPart(vector.bits())}));
  variables_[var.get()] = folded;
  kept_.push_back(Expr(var.get()));
  FoldLanes(reduce, Expr(var.get()));
  variables_.erase(var.get());
}

void WasmFunction::FoldLanes(const VectorReduce& reduce, const Expr& vector) {
  const DataType scalar = reduce.type;
  const WasmType type = WasmScalarType(scalar);
  const VarPtr a = MakeVar("a", scalar), b = MakeVar("b", scalar);
  // Prepared anew: one lane of a 16-bit float is computed in float32.
  const Expr step = PrepareForWasm(MakeBinary(reduce.op, Expr(a.get()), Expr(b.get())));
  kept_.push_back(step);
  Lane(vector, 0);
  const uint32_t sum = Save(type), next = Temporary(type);
  variables_[a.get()] = {{sum}};
  variables_[b.get()] = {{next}};
  CountUses(step, &uses_);
  for (int lane = 1; lane < CountOf(vector->type); ++lane) {
    Lane(vector, lane);
    code_.Set(next);
    // Values computed from the two variables are for this lane alone.
    const auto outside = saved_;
    Scalar(step);
    code_.Set(sum);
    saved_ = outside;
  }
  variables_.erase(a.get());
  variables_.erase(b.get());
  code_.Get(sum);
}

}  // namespace tern::loop
