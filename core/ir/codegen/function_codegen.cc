// SPDX-License-Identifier: Apache-2.0
#include "core/ir/codegen/function_codegen.h"

#include <algorithm>
#include <optional>

#include "core/base/check.h"
#include "core/base/strings.h"
#include "core/ir/codegen/signature_text.h"
#include "core/ir/splat.h"
#include "core/ir/visitor.h"

namespace tern::ir {

namespace {

// Expanded from the table of which both enumerations are made.
vm::Opcode OpcodeOf(ScalarOp op) {
  constexpr vm::Opcode kOpcodes[] = {
#define TERN_IR_SCALAR(Symbol, name, arity, Rule) vm::Opcode::k##Symbol,
#include "core/ir/scalars.def"
#undef TERN_IR_SCALAR
  };
  return kOpcodes[static_cast<size_t>(op)];
}

// Whether a value lies in the register itself, so that emptying the register frees nothing.
bool HoldsNoMemory(const types::Type& type) {
  return type.is_scalar() && type.kind() != types::TypeKind::kString;
}

}  // namespace

Status FunctionCodegen::Run(std::string_view name) {
  builder_.BeginFunction(name, SignatureText(function_));
  for (const VarPtr& parameter : function_.parameters())
    // Parameters arrive in the first registers, in their order.
    registers_.Bind(parameter.get(), registers_.Take());
  EmitBlock(*ToBlock(function_.body()), {});
  return builder_.EndFunction();
}

RegisterAssignment FunctionCodegen::TakeAssignment() {
  return {registers_.TakeHistory(), static_cast<size_t>(registers_.count()), liveness_.max_live()};
}

// --- operands

// Constants are added once per function, by node; the builder merges equal ones of different
// functions.
vm::Operand FunctionCodegen::ToOperand(const Expr& atom) {
  const int64_t place = registers_.Find(atom.get());
  if (place != kNoRegister) return vm::ExecBuilder::r(place);
  const auto known = constants_.find(atom.get());
  if (known != constants_.end()) return known->second;
  const Constant* constant = atom->As<Constant>();
  TERN_CHECK(constant != nullptr, "the verifier lets only variables and constants be arguments");
  return constants_[atom.get()] = AddConstant(*constant);
}

vm::Operand FunctionCodegen::AddConstant(const Constant& constant) {
  constant.AlignIn(options_.aligned, options_.keeper);
  const Tensor* tensor = constant.tensor();
  TensorPtr element = tensor == nullptr ? nullptr : SplatElement(*tensor);
  // A tensor of one repeated element is stored as that element and its shape.
  if (element) return builder_.AddSplat(std::move(element), tensor->dims());
  return builder_.AddConstant(constant.value());
}

// Small integers are immediates of the instruction and need neither register nor constant.
vm::Arg FunctionCodegen::ToArg(const Expr& atom) {
  const Constant* constant = atom->As<Constant>();
  if (constant != nullptr && constant->type().kind() == types::TypeKind::kInt)
    return vm::Arg(*constant->value().TryCast<int64_t>());
  return vm::Arg(ToOperand(atom));
}

std::vector<vm::Arg> FunctionCodegen::ToArgs(std::span<const Expr> atoms) {
  std::vector<vm::Arg> args;
  for (const Expr& atom : atoms) args.push_back(ToArg(atom));
  return args;
}

// For instructions that take registers only. A register that is taken here is the caller's to
// release.
vm::Operand FunctionCodegen::ToRegister(const Expr& atom, std::vector<int64_t>* temporary) {
  const int64_t place = registers_.Find(atom.get());
  if (place != kNoRegister) return vm::ExecBuilder::r(place);
  temporary->push_back(registers_.Take());
  const vm::Operand target = vm::ExecBuilder::r(temporary->back());
  builder_.EmitLoadConst(target, ToArg(atom));
  return target;
}

// An origin such as "name.tn:12:3" is a place in a program; everything else is the name of a
// model's node.
void FunctionCodegen::SetSource(const Var& var) {
  const std::string_view origin = var.origin();
  const size_t column = origin.rfind(':');
  const size_t line = column == std::string_view::npos || column == 0
                          ? std::string_view::npos
                          : origin.rfind(':', column - 1);
  if (line == std::string_view::npos || !origin.substr(0, line).ends_with(".tn"))
    return builder_.SetSource(origin);
  const std::optional<int64_t> line_number = ParseInt64(origin.substr(line + 1, column - line - 1));
  const std::optional<int64_t> column_number = ParseInt64(origin.substr(column + 1));
  if (!line_number.has_value() || !column_number.has_value()) return builder_.SetSource(origin);
  builder_.SetSource(origin.substr(0, line), static_cast<uint32_t>(*line_number),
                     static_cast<uint32_t>(*column_number));
}

// --- bindings

// Unbinds variables that die. Registers without memory are free at once; the others must be emptied
// by a kill, unless the instruction before overwrites them (keep).
std::vector<int64_t> FunctionCodegen::Drop(const Dying& dying, int64_t keep) {
  std::vector<int64_t> registers;
  for (const Var* var : dying) {
    const int64_t reg = registers_.Drop(var);
    if (reg == kNoRegister || reg == keep) continue;
    if (HoldsNoMemory(var->type()))
      registers_.Release(reg);
    else
      registers.push_back(reg);
  }
  return registers;
}

// kill releases references early: memory of a tensor can be used again by the next operator.
void FunctionCodegen::Kill(const std::vector<int64_t>& registers) {
  if (registers.empty()) return;
  std::vector<vm::Arg> args;
  for (int64_t reg : registers) {
    args.emplace_back(vm::ExecBuilder::r(reg));
    registers_.Release(reg);
  }
  builder_.Emit(vm::Opcode::kKill, args);
}

// Emits a block's bindings, then its end. A branch in the last place whose value is returned
// returns in each arm by itself, so that calls in it can be tail calls.
void FunctionCodegen::EmitBlock(const Let& block, const End& end) {
  const std::span<const Binding> bindings = block.bindings();
  for (size_t i = 0; i < bindings.size() && !ended_; ++i) {
    const Binding& binding = bindings[i];
    const bool returned =
        end.join == nullptr && i + 1 == bindings.size() && block.result() == binding.var;
    const Invoke* invoke = binding.value->As<Invoke>();
    SetSource(*binding.var);
    if (invoke != nullptr && invoke->is_tail() && returned) {
      EmitTailCall(binding);
    } else if (!IsBranching(binding.value)) {
      EmitBinding(binding);
    } else if (returned) {
      EmitBranches(binding, nullptr);
    } else {
      Join join;
      join.label = builder_.NewLabel();
      EmitBranches(binding, &join);
      FinishJoin(binding, &join);
    }
  }
  if (!ended_) EmitResult(block, end);
}

void FunctionCodegen::EmitBinding(const Binding& binding) {
  // Nothing behind a fatal runs.
  if (const Fatal* fatal = binding.value->As<Fatal>()) {
    builder_.EmitFatal(fatal->message());
    ended_ = true;
    return;
  }
  const Liveness::Point& point = liveness_.at(binding.var);
  std::vector<int64_t> temporary;
  // The target is chosen while operands are still bound, so that it may be the place of one that
  // dies here.
  const int64_t target = ChooseTarget(binding.var.get(), point.dying);
  dying_ = &point.dying;
  EmitValue(binding.value, vm::ExecBuilder::r(target), &temporary);
  if (binding.value->As<Call>() != nullptr || binding.value->As<Invoke>() != nullptr)
    calls_.emplace(binding.var.get(), builder_.code_size() - 1);
  std::vector<int64_t> killed = Drop(point.dying, target);
  // Temporaries are free only now: the instruction reads them.
  for (int64_t reg : temporary) registers_.Release(reg);
  // A result that nobody uses is dropped; the instruction may have an effect.
  if (!point.unused)
    registers_.Bind(binding.var.get(), target);
  else if (HoldsNoMemory(binding.var->type()))
    registers_.Release(target);
  else
    killed.push_back(target);
  Kill(killed);
}

// A register that the hint asks for saves a move where branches meet; else the result takes the
// place of an operand that dies, which saves a kill.
int64_t FunctionCodegen::ChooseTarget(const Var* var, const Dying& dying) {
  const auto found = hints_.find(var);
  const int64_t hint = found == hints_.end() ? kNoRegister : found->second;
  if (registers_.IsFree(hint)) return registers_.Take(hint);
  for (const Var* operand : dying) {
    if (registers_.Find(operand) == hint) return hint;
  }
  return dying.empty() ? registers_.Take() : registers_.Find(dying.back());
}

void FunctionCodegen::EmitCallTo(vm::Operand callee, std::span<const Expr> args,
                                 vm::Operand target) {
  std::vector<vm::Arg> all{target, callee};
  for (const Expr& arg : args) all.push_back(ToArg(arg));
  builder_.Emit(vm::Opcode::kCall, all);
}

// The primitive that may write in place, for a first argument that dies here. The runtime checks
// that nobody else holds the object; here it is enough that this function does not need it any
// more.
std::string_view FunctionCodegen::PrimitiveFor(const Primitive& primitive,
                                               const Invoke& invoke) const {
  struct InPlace {
    std::string_view name, in_place;
  };
  static constexpr InPlace kInPlace[] = {{"tern.list.append", "tern.list.push"},
                                         {"tern.list.set", "tern.list.put"},
                                         {"tern.list.concat", "tern.list.extend"},
                                         {"tern.map.set", "tern.map.put"},
                                         {"tern.map.remove", "tern.map.drop"}};
  const Var* first = invoke.args().empty() ? nullptr : invoke.args()[0]->As<Var>();
  // An argument that is passed twice is still read as the other one.
  if (first == nullptr ||
      std::count(invoke.args().begin(), invoke.args().end(), invoke.args()[0]) > 1)
    return primitive.name();
  if (std::find(dying_->begin(), dying_->end(), first) == dying_->end()) return primitive.name();
  for (const InPlace& entry : kInPlace) {
    if (entry.name == primitive.name()) return entry.in_place;
  }
  return primitive.name();
}

void FunctionCodegen::EmitInvoke(const Invoke& invoke, vm::Operand target,
                                 std::vector<int64_t>* temporary) {
  if (const Global* global = invoke.callee()->As<Global>())
    return EmitCallTo(builder_.function(global->name()), invoke.args(), target);
  if (const Primitive* primitive = invoke.callee()->As<Primitive>())
    return EmitCallTo(builder_.primitive(PrimitiveFor(*primitive, invoke)), invoke.args(), target);
  std::vector<vm::Arg> all{target, ToRegister(invoke.callee(), temporary)};
  for (const Expr& arg : invoke.args()) all.push_back(ToArg(arg));
  builder_.Emit(vm::Opcode::kInvokeClosure, all);
}

// The callee takes over the frame, so that loops by recursion need constant space.
void FunctionCodegen::EmitTailCall(const Binding& binding) {
  const Invoke& invoke = *binding.value->As<Invoke>();
  std::vector<int64_t> temporary;
  const Global* global = invoke.callee()->As<Global>();
  std::vector<vm::Arg> all;
  if (global != nullptr)
    all.emplace_back(builder_.function(global->name()));
  else
    all.emplace_back(ToRegister(invoke.callee(), &temporary));
  for (const Expr& arg : invoke.args()) all.push_back(ToArg(arg));
  builder_.Emit(global != nullptr ? vm::Opcode::kTailInvoke : vm::Opcode::kTailInvokeClosure, all);
  ended_ = true;
}

void FunctionCodegen::EmitValue(const Expr& value, vm::Operand target,
                                std::vector<int64_t>* temporary) {
  switch (value->kind()) {
    case NodeKind::kCall: {
      const Call& call = *value->As<Call>();
      return EmitCallTo(builder_.primitive(MakePrimitiveName(call.op().name, call.attrs())),
                        call.args(), target);
    }
    case NodeKind::kInvoke: return EmitInvoke(*value->As<Invoke>(), target, temporary);
    case NodeKind::kTuple: return builder_.EmitTuple(target, ToArgs(value->As<Tuple>()->fields()));
    case NodeKind::kConstruct:
      return builder_.EmitTuple(target, ToArgs(value->As<Construct>()->fields()),
                                value->As<Construct>()->constructor());
    case NodeKind::kGetItem: {
      const GetItem& item = *value->As<GetItem>();
      return builder_.EmitGetField(target, ToRegister(item.tuple(), temporary), item.index());
    }
    case NodeKind::kScalar: {
      std::vector<vm::Arg> all{target};
      for (const Expr& arg : value->As<Scalar>()->args()) all.push_back(ToArg(arg));
      return builder_.Emit(OpcodeOf(value->As<Scalar>()->op()), all);
    }
    case NodeKind::kMakeClosure: {
      const MakeClosure& closure = *value->As<MakeClosure>();
      std::vector<vm::Arg> all{target, builder_.function(closure.function()->As<Global>()->name())};
      for (const Expr& atom : closure.captured()) all.push_back(ToArg(atom));
      return builder_.Emit(vm::Opcode::kAllocClosure, all);
    }
    case NodeKind::kDeviceCopy: {
      const DeviceCopy& copy = *value->As<DeviceCopy>();
      return builder_.Emit(vm::Opcode::kDeviceCopy, {target, ToRegister(copy.source(), temporary),
                                                     vm::ExecBuilder::imm(copy.device())});
    }
    case NodeKind::kConstant: return builder_.EmitLoadConst(target, ToArg(value));
    case NodeKind::kVar: return builder_.EmitMove(target, ToOperand(value));
    case NodeKind::kIf:
    case NodeKind::kSwitch:
    case NodeKind::kFatal:
    case NodeKind::kFunction:
    case NodeKind::kGlobal:
    case NodeKind::kPrimitive:
    case NodeKind::kLet: break;
  }
  TERN_CHECK(false, "the verifier lets no such value be bound");
}

// --- results

void FunctionCodegen::EmitResult(const Let& block, const End& end) {
  if (end.join == nullptr) {
    builder_.SetSource("");
    EmitReturn(block.result());
    ended_ = true;
  } else {
    EmitJoin(block.result(), end);
  }
}

// A tuple result is made right ahead of the return.
void FunctionCodegen::EmitReturn(const Expr& result) {
  if (const Tuple* tuple = result->As<Tuple>()) {
    const vm::Operand target = vm::ExecBuilder::r(registers_.Take());
    builder_.EmitTuple(target, ToArgs(tuple->fields()));
    return builder_.EmitRet(target);
  }
  builder_.EmitRet(ToArg(result));
}

// All branches leave their value in one register, which the first that is reached chooses.
void FunctionCodegen::EmitJoin(const Expr& result, const End& end) {
  Join& join = *end.join;
  if (!join.wanted) {
    KillVars(*end.dying);
  } else if (const Tuple* tuple = result->As<Tuple>()) {
    join.target = JoinTuple(*tuple, end);
  } else {
    join.target = JoinAtom(result, end);
  }
  // Registers after the join are those of the first branch; liveness makes the others agree.
  if (!join.reached) join.places = registers_.Save().places;
  join.reached = true;
  if (!end.last) builder_.EmitGoto(join.label);
}

// A field that dies may give its place to the tuple, because the instruction reads before it
// writes.
int64_t FunctionCodegen::JoinTuple(const Tuple& tuple, const End& end) {
  const Join& join = *end.join;
  int64_t target = join.target;
  if (target == kNoRegister)
    target = end.dying->empty() ? registers_.Take(join.hint) : registers_.Find(end.dying->front());
  else if (registers_.IsFree(target))  // or a field that dies lies there
    registers_.Take(target);
  builder_.EmitTuple(vm::ExecBuilder::r(target), ToArgs(tuple.fields()));
  Kill(Drop(*end.dying, target));
  return target;
}

int64_t FunctionCodegen::JoinAtom(const Expr& atom, const End& end) {
  Join& join = *end.join;
  // The value dies here: its own place becomes the target if no other branch has chosen one.
  if (!end.dying->empty()) {
    const int64_t place = registers_.Drop(end.dying->front());
    if (join.target == kNoRegister || join.target == place) return place;
    // No variable that lives on can be in the target: it is not in the branch that chose it.
    TERN_CHECK(registers_.IsFree(join.target));
    registers_.Take(join.target);
    builder_.EmitMove(vm::ExecBuilder::r(join.target), vm::ExecBuilder::r(place));
    if (HoldsNoMemory(end.dying->front()->type()))
      registers_.Release(place);
    else
      Kill({place});
    return join.target;
  }
  const int64_t target = registers_.Take(join.target != kNoRegister ? join.target : join.hint);
  if (atom->As<Var>() != nullptr)
    builder_.EmitMove(vm::ExecBuilder::r(target), ToOperand(atom));
  else
    builder_.EmitLoadConst(vm::ExecBuilder::r(target), ToArg(atom));
  return target;
}

// --- branches

bool FunctionCodegen::IsBranching(const Expr& value) const {
  return value->As<If>() != nullptr || value->As<Switch>() != nullptr;
}

// Without a join, each branch returns.
void FunctionCodegen::EmitBranches(const Binding& binding, Join* join) {
  if (join != nullptr) {
    join->wanted = !liveness_.at(binding.var).unused;
    const auto hint = hints_.find(binding.var.get());
    if (hint != hints_.end()) join->hint = hint->second;
  }
  if (binding.value->As<If>() != nullptr)
    EmitIf(binding, join);
  else
    EmitSwitch(binding, join);
}

void FunctionCodegen::EmitBranch(const Let& block, const Liveness::Point& point, size_t index,
                                 Join* join) {
  // Asks for the join's register where the branch makes its result, so that no move is needed.
  const int64_t wish = join == nullptr               ? kNoRegister
                       : join->target != kNoRegister ? join->target
                                                     : join->hint;
  if (wish != kNoRegister && block.result()->As<Var>() != nullptr)
    hints_[block.result().get()] = wish;
  ended_ = false;
  EmitBlock(block, {join, &point.results[index], index + 1 == point.results.size()});
}

void FunctionCodegen::EmitIf(const Binding& binding, Join* join) {
  const If& node = *binding.value->As<If>();
  const Liveness::Point& point = liveness_.at(binding.var);
  std::vector<int64_t> temporary;
  const vm::Operand test = ToRegister(node.condition(), &temporary);
  for (int64_t reg : temporary) registers_.Release(reg);
  const vm::CodeLabel labels[] = {builder_.NewLabel(), builder_.NewLabel()};
  builder_.EmitIf(test, labels[0], labels[1]);
  // Both branches begin with the registers as they are now.
  const Registers::State before = registers_.Save();
  const LetPtr blocks[] = {node.then_block(), node.else_block()};
  for (size_t i = 0; i < 2; ++i) {
    registers_.Restore(before);
    builder_.Bind(labels[i]);
    SetSource(*binding.var);
    // What only the other branch reads dies at the entry of this one.
    Dying dying = point.dying;
    dying.insert(dying.end(), point.entering[i].begin(), point.entering[i].end());
    KillVars(dying);
    EmitBranch(*blocks[i], point, i, join);
  }
}

// Jumps to labels[i] where the tag is that of case i. The last label is that of the default, or of
// the last case, which needs no test because one of the cases must fit.
void FunctionCodegen::EmitTests(const Switch& node, vm::Operand subject,
                                std::span<const vm::CodeLabel> labels) {
  const size_t tests = labels.size() - 1;  // what is left has the last label
  if (tests == 0) return;
  const int64_t tag = registers_.Take();
  builder_.Emit(vm::Opcode::kGetTag, {vm::ExecBuilder::r(tag), subject});
  for (size_t i = 0; i < tests; ++i) {
    const vm::CodeLabel next = i + 1 == tests ? labels[tests] : builder_.NewLabel();
    builder_.EmitIfEqual(vm::ExecBuilder::r(tag), int64_t{node.cases()[i].constructor}, labels[i],
                         next);
    if (i + 1 < tests) builder_.Bind(next);
  }
  registers_.Release(tag);
}

void FunctionCodegen::EmitFields(const SwitchCase& option, vm::Operand subject,
                                 const Var* dying_subject) {
  // Fields that nobody reads are not taken out; those that follow them may be.
  const auto is_read = [&](size_t i) {
    return option.fields[i] && liveness_.ReadsField(option.fields[i]);
  };
  size_t last = option.fields.size();
  while (last > 0 && !is_read(last - 1)) --last;
  for (size_t i = 0; i < last; ++i) {
    if (!is_read(i)) continue;
    // The last field may take the place of what it is taken from.
    const bool reuses = i + 1 == last && dying_subject != nullptr;
    const int64_t target = reuses ? registers_.Drop(dying_subject) : registers_.Take();
    builder_.EmitGetField(vm::ExecBuilder::r(target), subject, static_cast<int64_t>(i));
    registers_.Bind(option.fields[i].get(), target);
  }
  if (last == 0 && dying_subject != nullptr) KillVars({dying_subject});
}

void FunctionCodegen::EmitSwitch(const Binding& binding, Join* join) {
  const Switch& node = *binding.value->As<Switch>();
  const Liveness::Point& point = liveness_.at(binding.var);
  std::vector<int64_t> temporary;
  const vm::Operand subject = ToRegister(node.subject(), &temporary);
  std::vector<vm::CodeLabel> labels;
  for (size_t i = 0; i < point.results.size(); ++i) labels.push_back(builder_.NewLabel());
  EmitTests(node, subject, labels);
  const Registers::State before = registers_.Save();
  const Var* subject_var = node.subject()->As<Var>();
  for (size_t i = 0; i < labels.size(); ++i) {
    registers_.Restore(before);
    builder_.Bind(labels[i]);
    SetSource(*binding.var);
    Dying dying = point.dying;
    dying.insert(dying.end(), point.entering[i].begin(), point.entering[i].end());
    // The subject must live until its fields are taken.
    const bool subject_dies = std::erase(dying, subject_var) > 0;
    KillVars(dying);
    if (i < node.cases().size())
      EmitFields(node.cases()[i], subject, subject_dies ? subject_var : nullptr);
    else if (subject_dies)
      KillVars({subject_var});
    // A subject that was a constant has a temporary register, which ends here.
    Kill(temporary);
    EmitBranch(i < node.cases().size() ? *node.cases()[i].block : *node.default_block(), point, i,
               join);
  }
}

void FunctionCodegen::FinishJoin(const Binding& binding, Join* join) {
  // If no branch reaches the join, nothing behind it runs.
  ended_ = !join->reached;
  if (ended_) return;
  builder_.Bind(join->label);
  registers_.Join(std::move(join->places), join->target);
  if (join->target != kNoRegister) registers_.Bind(binding.var.get(), join->target);
}

}  // namespace tern::ir
