// SPDX-License-Identifier: Apache-2.0
#include "core/driver/evaluate.h"

#include "core/kernels/bind/bind.h"
#include "core/object/containers/adt.h"
#include "core/vm/scalar.h"

namespace tern::driver {

namespace {

// The operator that a run would call, so that folding gives the same bits.
Result<std::vector<TensorPtr>> Evaluate(void* context, const ops::OpInfo& op, const Attrs& attrs,
                                        std::span<const Any> args) {
  TERN_TRY_ASSIGN(FunctionPtr function, kernels::MakeOperator(MakePrimitiveName(op.name, attrs)));
  const std::vector<AnyView> views(args.begin(), args.end());
  TERN_TRY_ASSIGN(Any result, function->Invoke(views, static_cast<RunContext*>(context)));
  std::vector<TensorPtr> tensors;
  // Several results come as a tuple.
  if (const Adt* tuple = result.TryCast<Adt>()) {
    for (const Any& field : tuple->fields()) {
      TERN_TRY_ASSIGN(TensorPtr tensor, field.As<TensorPtr>());
      tensors.push_back(std::move(tensor));
    }
  } else {
    TERN_TRY_ASSIGN(TensorPtr tensor, result.As<TensorPtr>());
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

vm::Opcode OpcodeOf(ir::ScalarOp op) {
  // Both lists are expanded from scalars.def in one order.
  constexpr vm::Opcode kOpcodes[] = {
#define TERN_IR_SCALAR(Symbol, name, arity, Rule) vm::Opcode::k##Symbol,
#include "core/ir/scalars.def"
#undef TERN_IR_SCALAR
  };
  return kOpcodes[static_cast<size_t>(op)];
}

Status EvaluateScalar(ir::ScalarOp op, const AnyView& a, const AnyView& b, Any* result) {
  return vm::ScalarOperation(OpcodeOf(op), a, b, result);
}

}  // namespace

ir::Evaluator KernelEvaluator(RunContext* context) {
  return {context, &Evaluate, &EvaluateScalar};
}

}  // namespace tern::driver
