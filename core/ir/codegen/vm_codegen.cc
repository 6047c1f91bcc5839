// SPDX-License-Identifier: Apache-2.0
#include "core/ir/codegen/vm_codegen.h"

#include <unordered_map>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/ir/splat.h"
#include "core/vm/builder.h"

namespace tern::ir {

namespace {

// " -> (scores: f32[n, 2], boxes: f32[n, 4])"; nothing where the type is not known.
std::string ResultText(const Function& function) {
  const types::Type result = TypeOf(function.result());
  if (!result.known()) return "";
  const auto named = [&](size_t i, const types::Type& type) {
    const auto names = function.output_names();
    const std::string_view name =
        i < names.size() ? std::string_view(names[i]) : std::string_view();
    return name.empty() ? type.ToText() : StrCat(vm::QuoteName(name), ": ", type.ToText());
  };
  if (!result.is_tuple()) return StrCat(" -> ", named(0, result));
  std::string text = " -> (";
  for (size_t i = 0; i < result.elements().size(); ++i) {
    StrAppend(&text, i == 0 ? "" : ", ", named(i, result.elements()[i]));
  }
  return text + ")";
}

std::string SignatureText(const Function& function) {
  std::string text = "(";
  size_t index = 0;
  for (const VarPtr& parameter : function.parameters()) {
    StrAppend(&text, index == 0 ? "" : ", ",
              parameter->name().empty() ? StrCat("%", index) : vm::QuoteName(parameter->name()));
    if (parameter->type().known()) StrAppend(&text, ": ", parameter->type().ToText());
    ++index;
  }
  return StrCat(text, ")", ResultText(function));
}

class FunctionCodegen {
 public:
  FunctionCodegen(vm::ExecBuilder* builder, const Function& function)
      : builder_(*builder), function_(function) {}

  Status Run(std::string_view name) {
    builder_.BeginFunction(name, SignatureText(function_));
    CountUses();
    for (const VarPtr& parameter : function_.parameters()) {
      registers_[parameter.get()] = next_register_++;
    }
    for (const Binding& binding : function_.bindings()) TERN_TRY(EmitBinding(binding));
    EmitResult();
    return builder_.EndFunction();
  }

 private:
  // Index of the last binding that reads a variable; the result reads after all of them.
  void CountUses() {
    size_t index = 0;
    for (const Binding& binding : function_.bindings()) {
      for (const Expr& atom : Atoms(binding.value)) last_use_[atom.get()] = index;
      ++index;
    }
    for (const Expr& atom : Atoms(function_.result())) last_use_[atom.get()] = index;
  }

  static std::vector<Expr> Atoms(const Expr& value) {
    if (const Call* call = value->As<Call>()) return {call->args().begin(), call->args().end()};
    if (const Invoke* invoke = value->As<Invoke>())
      return {invoke->args().begin(), invoke->args().end()};
    if (const Tuple* tuple = value->As<Tuple>())
      return {tuple->fields().begin(), tuple->fields().end()};
    if (const GetItem* item = value->As<GetItem>()) return {item->tuple()};
    return {value};
  }

  vm::Operand ToOperand(const Expr& atom) {
    const auto found = registers_.find(atom.get());
    if (found != registers_.end()) return vm::ExecBuilder::r(found->second);
    const auto known = constants_.find(atom.get());
    if (known != constants_.end()) return known->second;
    const Constant* constant = atom->As<Constant>();
    TERN_CHECK(constant != nullptr, "the verifier lets only variables and constants be arguments");
    return constants_[atom.get()] = AddConstant(*constant);
  }

  vm::Operand AddConstant(const Constant& constant) {
    const Tensor* tensor = constant.tensor();
    TensorPtr element = tensor == nullptr ? nullptr : SplatElement(*tensor);
    if (element) return builder_.AddSplat(std::move(element), tensor->dims());
    return builder_.AddConstant(constant.value());
  }

  std::vector<vm::Arg> ToArgs(std::span<const Expr> atoms) {
    std::vector<vm::Arg> args;
    for (const Expr& atom : atoms) args.emplace_back(ToOperand(atom));
    return args;
  }

  // Registers of arguments whose last use is the current binding.
  std::vector<int64_t> Dying(const Expr& value) {
    std::vector<int64_t> dying;
    for (const Expr& atom : Atoms(value)) {
      const auto found = registers_.find(atom.get());
      if (found == registers_.end() || last_use_[atom.get()] != index_) continue;
      dying.push_back(found->second);
      registers_.erase(found);  // an argument given twice dies once
    }
    return dying;
  }

  int64_t TakeRegister() {
    if (free_.empty()) return next_register_++;
    const int64_t taken = free_.back();
    free_.pop_back();
    return taken;
  }

  Status EmitBinding(const Binding& binding) {
    builder_.SetSource(binding.var->origin());
    const std::vector<vm::Arg> args = ToArgs(Atoms(binding.value));
    std::vector<int64_t> dying = Dying(binding.value);
    int64_t target = 0;
    if (dying.empty()) {
      target = TakeRegister();
    } else {
      target = dying.back();
      dying.pop_back();
    }
    TERN_TRY(EmitValue(binding.value, args, vm::ExecBuilder::r(target)));
    if (last_use_.contains(binding.var.get())) {
      registers_[binding.var.get()] = target;
    } else {
      dying.push_back(target);
    }
    EmitKills(dying);
    ++index_;
    return OkStatus();
  }

  void EmitKills(const std::vector<int64_t>& dying) {
    if (dying.empty()) return;
    std::vector<vm::Arg> registers;
    for (int64_t reg : dying) {
      registers.emplace_back(vm::ExecBuilder::r(reg));
      free_.push_back(reg);
    }
    builder_.Emit(vm::Opcode::kKill, registers);
  }

  Status EmitValue(const Expr& value, std::span<const vm::Arg> args, vm::Operand target) {
    if (const Call* call = value->As<Call>()) {
      builder_.EmitCall(MakePrimitiveName(call->op().name, call->attrs()), args, target);
    } else if (const Invoke* invoke = value->As<Invoke>()) {
      const Global* callee = invoke->callee()->As<Global>();
      if (callee == nullptr)
        return Unsupported("a call of something else than a function of the module");
      builder_.EmitCall(callee->name(), args, target);
    } else if (value->As<Tuple>() != nullptr) {
      builder_.EmitTuple(target, args);
    } else if (const GetItem* item = value->As<GetItem>()) {
      builder_.EmitGetField(target, args[0].operand(), item->index());
    } else if (value->As<Constant>() != nullptr) {
      builder_.EmitLoadConst(target, args[0]);
    } else {
      builder_.EmitMove(target, args[0].operand());
    }
    return OkStatus();
  }

  void EmitResult() {
    builder_.SetSource("");
    const Expr& result = function_.result();
    if (const Tuple* tuple = result->As<Tuple>()) {
      const vm::Operand target = vm::ExecBuilder::r(TakeRegister());
      builder_.EmitTuple(target, ToArgs(tuple->fields()));
      builder_.EmitRet(target);
    } else {
      builder_.EmitRet(ToOperand(result));
    }
  }

  vm::ExecBuilder& builder_;
  const Function& function_;
  std::unordered_map<const Node*, size_t> last_use_;
  std::unordered_map<const Node*, int64_t> registers_;
  std::unordered_map<const Node*, vm::Operand> constants_;
  std::vector<int64_t> free_;
  int64_t next_register_ = 0;
  size_t index_ = 0;
};

}  // namespace

Result<vm::ExecutablePtr> GenerateCode(const Module& module) {
  vm::ExecBuilder builder;
  for (const Module::Item& item : module.items()) {
    TERN_TRY(FunctionCodegen(&builder, *item.function).Run(item.name));
  }
  for (const auto& entry : module.metadata()) builder.SetMetadata(entry.first, entry.second);
  return builder.Finish();
}

}  // namespace tern::ir
