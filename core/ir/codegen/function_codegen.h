// SPDX-License-Identifier: Apache-2.0
// FunctionCodegen: writes the VM code of one function, binding by binding. vm_codegen.cc makes one
// for each function of a module. Liveness tells at which binding a register becomes free.
#ifndef TERN_CORE_IR_CODEGEN_FUNCTION_CODEGEN_H_
#define TERN_CORE_IR_CODEGEN_FUNCTION_CODEGEN_H_

#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/codegen/registers.h"
#include "core/ir/codegen/tensor_places.h"
#include "core/ir/codegen/vm_codegen.h"
#include "core/ir/control.h"
#include "core/ir/passes/analyze_liveness.h"
#include "core/vm/builder.h"

namespace tern::ir {

class FunctionCodegen {
 public:
  FunctionCodegen(vm::ExecBuilder* builder, const Function& function, const CodegenOptions& options)
      : builder_(*builder), function_(function), options_(options), liveness_(function) {}

  Status Run(std::string_view name);
  RegisterAssignment TakeAssignment();  // after Run
  // Of what was called and not left by it; after Run.
  const CallInstructions& calls() const { return calls_; }

 private:
  using Dying = std::vector<const Var*>;

  // The place where the branches of one binding meet.
  struct Join {
    int64_t target = kNoRegister;  // of the result, once some branch has one
    int64_t hint = kNoRegister;    // where the code behind would like it
    bool wanted = true;            // the result is read
    bool reached = false;          // some branch comes here
    vm::CodeLabel label;
    std::unordered_map<const Node*, int64_t> places;  // of the first that does
  };
  // What follows a block: a return of its result (no join), or a join that takes it.
  struct End {
    Join* join = nullptr;
    const Dying* dying = nullptr;  // what the result reads for the last time
    bool last = true;              // nothing lies between it and the join
  };

  // --- operands
  vm::Operand ToOperand(const Expr& atom);
  vm::Arg ToArg(const Expr& atom);
  vm::Operand AddConstant(const Constant& constant);
  std::vector<vm::Arg> ToArgs(std::span<const Expr> atoms);
  // An operand that must be a register: a constant is put into one, which is added to *temporary.
  vm::Operand ToRegister(const Expr& atom, std::vector<int64_t>* temporary);

  // --- bindings
  void EmitBlock(const Let& block, const End& end);
  void EmitBinding(const Binding& binding);
  void EmitValue(const Expr& value, vm::Operand target, std::vector<int64_t>* temporary);
  void EmitInvoke(const Invoke& invoke, vm::Operand target, std::vector<int64_t>* temporary);
  std::string_view PrimitiveFor(const Primitive& primitive, const Invoke& invoke) const;
  void EmitTailCall(const Binding& binding);
  void EmitCallTo(vm::Operand callee, std::span<const Expr> args, vm::Operand target);
  // Forgets variables that are read no more. Registers that hold no memory are free at once. The
  // others are returned, and the caller kills them; `keep` is not among them, because another
  // variable has it now.
  std::vector<int64_t> Drop(const Dying& dying, int64_t keep = kNoRegister);
  // The register for a binding's result: the one that later code asks for, or that of an operand
  // that dies.
  int64_t ChooseTarget(const Var* var, const Dying& dying);
  void Kill(const std::vector<int64_t>& registers);
  void KillVars(const Dying& dying) { Kill(Drop(dying)); }
  void EmitResult(const Let& block, const End& end);
  void EmitReturn(const Expr& result);
  void EmitJoin(const Expr& result, const End& end);
  int64_t JoinTuple(const Tuple& tuple, const End& end);
  int64_t JoinAtom(const Expr& atom, const End& end);

  // --- branches
  bool IsBranching(const Expr& value) const;
  // join: null where the result is the function's.
  void EmitBranches(const Binding& binding, Join* join);
  void EmitIf(const Binding& binding, Join* join);
  void EmitSwitch(const Binding& binding, Join* join);
  void EmitTests(const Switch& node, vm::Operand subject, std::span<const vm::CodeLabel> labels);
  void EmitFields(const SwitchCase& option, vm::Operand subject, const Var* dying_subject);
  void EmitBranch(const Let& block, const Liveness::Point& point, size_t index, Join* join);
  void FinishJoin(const Binding& binding, Join* join);
  void SetSource(const Var& var);

  vm::ExecBuilder& builder_;
  const Function& function_;
  const CodegenOptions& options_;
  Liveness liveness_;
  Registers registers_;
  std::unordered_map<const Node*, vm::Operand> constants_;
  std::unordered_map<const Node*, int64_t> hints_;  // by variable: the register that it should get
  CallInstructions calls_;
  const Dying* dying_ = nullptr;  // at the binding that is being emitted
  bool ended_ = false;            // the code that would follow cannot be reached
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_CODEGEN_FUNCTION_CODEGEN_H_
