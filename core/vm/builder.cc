// SPDX-License-Identifier: Apache-2.0
// ExecBuilder: emission, the checks at the end of a function, renaming of registers, resolution of
// names.
//
// While a function is open its operands are not final: a function operand's value is a name id, a
// jump is a function operand with value -1 - label. EndFunction resolves jumps and registers,
// Finish names.
#include "core/vm/builder.h"

#include <algorithm>

#include "core/base/sort.h"
#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/strings/string.h"
#include "core/vm/file/constant_pool.h"
#include "core/vm/text/constant_parser.h"
#include "core/vm/verifier.h"

namespace tern::vm {
namespace {

// Codes of core/text/codes.def: an error of the program that builds, an input that nobody reads,
// and constants that take more than they may.
constexpr std::string_view kBuildError = "E0111";
constexpr std::string_view kUnusedInput = "W0101";
constexpr std::string_view kTooLarge = "E0302";
constexpr int kMaxTupleNesting = 64;  // as the verifier has it

// Labels share the kind of functions while a function is open, told apart by the sign (see above).
bool IsLabel(const Operand& operand) {
  return operand.kind == OperandKind::kFunction && operand.value < 0;
}

// Rewrites what the verifier says of renamed registers with the numbers that the caller gave them.
// Registers are the only things that its messages write with a percent sign.
std::string AsWritten(std::string_view reason, std::span<const int64_t> written_as) {
  std::string text;
  while (!reason.empty()) {
    const size_t percent = std::min(reason.find('%'), reason.size() - 1);
    const size_t begin = percent + 1;
    const size_t end = std::min(reason.find_first_not_of("0123456789", begin), reason.size());
    const auto number = ParseUint64(reason.substr(begin, end - begin));
    const bool is_renamed =
        reason[percent] == '%' && number.has_value() && *number < written_as.size();
    StrAppend(&text, reason.substr(0, begin));
    if (is_renamed) StrAppend(&text, written_as[static_cast<size_t>(*number)]);
    reason.remove_prefix(is_renamed ? end : begin);
  }
  return text;
}

}  // namespace

void ExecBuilder::set_sources(std::shared_ptr<const text::SourceMap> sources) {
  diagnostics_ = text::Diagnostics(std::move(sources));
}

text::Diagnostic& ExecBuilder::Error(std::string_view message, text::Span span, int64_t pc) {
  text::Diagnostic& d = diagnostics_.Error(kBuildError, message);
  if (span.valid()) d.At(span);
  if (!functions_.empty()) d.InFunction(functions_.back().info.name, pc);
  return d;
}

// --- functions

void ExecBuilder::BeginFunction(std::string_view name, uint32_t num_inputs) {
  BeginFunction(name, Signature::OfArity(num_inputs).ToText());
}

void ExecBuilder::BeginFunction(std::string_view name, std::string_view signature) {
  // Taken before any error of this function, so that EndFunction can tell its own from earlier
  // ones.
  const size_t errors_before = diagnostics_.error_count();
  // A function that was left open is an error, but building goes on, so that more errors are found.
  if (open_)
    Error(StrCat("function @", name, " begins before @", functions_.back().info.name, " ends"),
          span_);
  open_ = true;
  source_ = -1;
  functions_.emplace_back();
  PendingFunction& function = functions_.back();
  function.span = span_;
  function.errors_before = errors_before;
  function.info.name = std::string(name);
  if (name.empty()) Error("a function needs a name", span_);
  // The first function keeps the name: calls resolve to it.
  if (!defined_.emplace(std::string(name), static_cast<uint32_t>(functions_.size() - 1)).second) {
    Error(StrCat("a second function @", name), span_);
  }
  Result<Signature> parsed = Signature::Parse(signature);
  if (!parsed.ok()) {
    Error(parsed.status().message(), span_);
    return;
  }
  function.info.signature = std::move(parsed).value();
}

Status ExecBuilder::EndFunction() {
  if (!open_) {
    Error("EndFunction without BeginFunction", span_);
    return diagnostics_.ToStatus();
  }
  // Each step needs the one before: registers of unresolved code mean nothing, and the verifier
  // would report their consequences.
  const size_t errors_before = functions_.back().errors_before;
  ResolveLabels();
  if (diagnostics_.error_count() == errors_before) Formalize();
  if (diagnostics_.error_count() == errors_before) CheckFunction();
  WarnUnusedInputs();
  open_ = false;
  if (diagnostics_.error_count() == errors_before) return OkStatus();
  // The caller gets the errors of this function; Finish reports those of all.
  text::Diagnostics mine(diagnostics_.shared_sources());
  for (const text::Diagnostic& d : diagnostics_.items()) {
    if (d.function == functions_.back().info.name) mine.Add(d);
  }
  return mine.ok() ? diagnostics_.ToStatus() : mine.ToStatus();
}

void ExecBuilder::ResolveLabels() {
  // An unbound label leaves -1 as its position. The operand is resolved all the same and never run,
  // since Finish fails.
  PendingFunction& function = functions_.back();
  for (const PendingLabel& label : function.labels) {
    if (label.position >= 0) continue;
    Error(StrCat("label '", label.name, "' is jumped to but nowhere bound"), label.span);
  }
  for (size_t pc = 0; pc < function.code.size(); ++pc) {
    for (Operand& operand : function.code[pc].operands) {
      if (!IsLabel(operand)) continue;
      const PendingLabel& label = function.labels[static_cast<size_t>(-1 - operand.value)];
      // Jumps are relative to the instruction that jumps (isa.def).
      operand = Operand::Immediate(label.position - static_cast<int64_t>(pc));
    }
  }
}

// Gives registers dense numbers in the order in which the code reads and then writes them; inputs
// keep theirs. The same code then has the same bytes, whatever numbers the emitter used.
void ExecBuilder::Formalize() {
  PendingFunction& function = functions_.back();
  std::unordered_map<int64_t, int64_t> names;
  int64_t highest = -1;
  for (int64_t i = 0; i < function.info.arity(); ++i) names.emplace(i, i);
  // emplace keeps the first number that a register got.
  const auto meet = [&](const Operand& operand) {
    if (!operand.is_register()) return;
    highest = std::max(highest, operand.value);
    names.emplace(operand.value, static_cast<int64_t>(names.size()));
  };
  for (const Pending& instruction : function.code) {
    const InstructionInfo& info = GetInfo(instruction.opcode);
    // Operands that are read come before the one that is written, which stands first in the text.
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      if (static_cast<int>(i) != info.write) meet(instruction.operands[i]);
    }
    if (info.write >= 0 && static_cast<size_t>(info.write) < instruction.operands.size()) {
      meet(instruction.operands[static_cast<size_t>(info.write)]);
    }
  }
  function.info.register_count = static_cast<uint32_t>(names.size());
  const bool dense = highest < static_cast<int64_t>(names.size());
  // Text with dense registers keeps them, so that what is disassembled assembles to the same.
  if (!(dense && keep_dense_)) {
    RenameRegisters(names);
    function.written_as.resize(names.size());
    for (const auto& [before, after] : names)
      function.written_as[static_cast<size_t>(after)] = before;
  }
  // Names of inputs are those of the signature.
  for (const auto& [index, name] : function.register_names) {
    const auto found = names.find(index);
    if (found == names.end() || index < function.info.arity()) continue;
    function.info.register_names.emplace_back(
        static_cast<uint32_t>(dense && keep_dense_ ? index : found->second), name);
  }
  auto& kept = function.info.register_names;
  Sort(&kept);
  // Pairs sort by register, then by name: of several names for one register the first in the
  // alphabet stays, whatever the order in which they were given.
  kept.erase(std::unique(kept.begin(), kept.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; }),
             kept.end());
}

void ExecBuilder::RenameRegisters(const std::unordered_map<int64_t, int64_t>& names) {
  for (Pending& instruction : functions_.back().code) {
    for (Operand& operand : instruction.operands) {
      if (operand.is_register()) operand.value = names.at(operand.value);
    }
  }
}

// Runs the verifier on this function alone: it checks everything but what needs the finished tables
// (constants, other functions).
void ExecBuilder::CheckFunction() {
  PendingFunction& function = functions_.back();
  if (function.code.empty()) {
    Error(StrCat("function @", function.info.name, " has no instructions: a ret is missing"),
          function.span);
    return;
  }
  // A one-function executable. Names are still ids, which VerifyUnlinked does not look at.
  ExecutableParts parts;
  parts.functions.push_back(function.info);
  parts.functions[0].instruction_count = static_cast<uint32_t>(function.code.size());
  for (const Pending& instruction : function.code) {
    parts.instr_offset.push_back(static_cast<uint32_t>(parts.instr_data.size()));
    EncodeInstruction(instruction.opcode, instruction.operands, &parts.instr_data);
  }
  VerifyFailure failure;
  const Status status = VerifyUnlinked(parts, &failure);
  if (!status.ok()) Report(function, status, failure);
}

// Puts the verifier's finding where the instruction was written.
void ExecBuilder::Report(const PendingFunction& function, const Status& status,
                         const VerifyFailure& failure) {
  if (failure.pc < 0) {
    text::Diagnostic& d =
        diagnostics_.Error(kBuildError, status.message()).InFunction(function.info.name, -1);
    if (function.span.valid()) d.At(function.span);
    return;
  }
  const Pending& at = function.code[static_cast<size_t>(failure.pc)];
  text::Diagnostic& d = diagnostics_.Error(
      kBuildError,
      StrCat("function @", function.info.name, ", instruction ", failure.pc, " (",
             GetInfo(at.opcode).mnemonic, "): ", AsWritten(failure.reason, function.written_as)));
  if (at.span.valid()) d.At(at.span);
  d.InFunction(function.info.name, failure.pc);
}

// An unused input is legal, as a caller fixes the signature, but often a mistake.
void ExecBuilder::WarnUnusedInputs() {
  const PendingFunction& function = functions_.back();
  std::vector<bool> used(function.info.arity(), false);
  for (const Pending& instruction : function.code) {
    const int write = GetInfo(instruction.opcode).write;
    // A write alone does not use an input: it overwrites it.
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const Operand& operand = instruction.operands[i];
      if (static_cast<int>(i) == write || !operand.is_register()) continue;
      if (operand.value < static_cast<int64_t>(used.size()))
        used[static_cast<size_t>(operand.value)] = true;
    }
  }
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    text::Diagnostic& d = diagnostics_.Warning(
        kUnusedInput, StrCat("input ", function.info.signature.ParameterText(i), " (register ", i,
                             ") unused in ", function.info.name));
    if (function.span.valid()) d.At(function.span);
    d.InFunction(function.info.name, -1);
  }
}

// --- constants and names

Operand ExecBuilder::AddConstant(AnyView value) {
  if (value.Is<Adt>()) return AddTuple(value, 0);
  Result<Constant> constant = Constant::From(value);
  if (constant.ok()) return AddConstant(std::move(constant).value());
  Error(constant.status().message(), span_);
  // After an error any operand does: Finish never writes the code.
  return c(0);
}

// Elements are added first, so that they have smaller numbers: the verifier asks that tuples only
// refer to constants before them.
Operand ExecBuilder::AddTuple(AnyView value, int depth) {
  const Adt& tuple = *value.TryCast<Adt>();
  Constant constant;
  constant.kind = ConstantKind::kTuple;
  if (tuple.tag() != 0 || depth == kMaxTupleNesting) {
    Error(tuple.tag() != 0 ? StrCat("a tuple with tag ", tuple.tag(), " cannot be a constant")
                           : std::string("a constant tuple is nested too deep"),
          span_);
    return c(0);
  }
  for (const Any& field : tuple.fields()) {
    const Operand operand = field.Is<Adt>() ? AddTuple(field, depth + 1) : AddConstant(field);
    constant.elements.push_back(static_cast<uint32_t>(operand.value));
  }
  return AddConstant(std::move(constant));
}

Operand ExecBuilder::AddSplat(TensorPtr element, Dims dims) {
  Result<Constant> constant = Constant::Splat(std::move(element), dims);
  if (constant.ok()) return AddConstant(std::move(constant).value());
  Error(constant.status().message(), span_);
  return c(0);
}

// Equal constants are found by hash first; SameConstant then compares contents, bit for bit.
Operand ExecBuilder::AddConstant(Constant constant) {
  const uint64_t hash = HashConstant(constant);
  const auto [begin, end] = constant_hashes_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (SameConstant(parts_.constants[it->second], constant)) return c(it->second);
  }
  return AppendConstant(std::move(constant));
}

Operand ExecBuilder::AddConstantText(std::string_view text) {
  Result<Constant> constant = ParseConstantText(text, constant_count());
  if (constant.ok()) return AddConstant(std::move(constant).value());
  Error(constant.status().message(), span_);
  return c(0);
}

Operand ExecBuilder::AppendConstantText(std::string_view text) {
  Result<Constant> constant = ParseConstantText(text, constant_count());
  if (constant.ok()) return AppendConstant(std::move(constant).value());
  Error(constant.status().message(), span_);
  return c(0);
}

Operand ExecBuilder::AppendConstant(Constant constant) {
  const auto index = static_cast<uint32_t>(parts_.constants.size());
  // One that is too much is not counted, so that the sum fits.
  const uint64_t bytes = constant.SplatBytes();
  if (splat_bytes_ + bytes > kMostSplatBytes) {
    Error(StrCat("a constant of one repeated element, ", constant.TypeText(), ", takes ",
                 FormatBytes(bytes), " and others take ", FormatBytes(splat_bytes_),
                 "; an executable may have ", FormatBytes(kMostSplatBytes), " of them in all"),
          span_)
        .code = kTooLarge;
    return c(0);
  }
  splat_bytes_ += bytes;
  // Also appended constants can be found by AddConstant later.
  constant_hashes_.emplace(HashConstant(constant), index);
  parts_.constants.push_back(std::move(constant));
  return c(index);
}

Operand ExecBuilder::AppendTuple(std::vector<uint32_t> elements) {
  Constant constant;
  constant.kind = ConstantKind::kTuple;
  constant.elements = std::move(elements);
  return AppendConstant(std::move(constant));
}

// Names are only collected here. Whether a name is a function or a primitive is known when all
// functions are: a call may stand before its callee.
Operand ExecBuilder::NameOperand(std::string_view name, NameKind kind) {
  auto& ids = name_ids_[static_cast<size_t>(kind)];
  auto found = ids.find(name);
  if (found == ids.end()) {
    found = ids.emplace(std::string(name), static_cast<uint32_t>(names_.size())).first;
    names_.push_back({std::string(name), kind, span_});
  }
  return Operand::Function(found->second);
}

void ExecBuilder::DeclarePrimitive(std::string_view name) {
  if (name.empty()) Error("a primitive needs a name", span_);
  if (!primitive_ids_.emplace(std::string(name), static_cast<uint32_t>(parts_.primitives.size()))
           .second) {
    Error(StrCat("primitive '", name, "' is declared twice"), span_);
    return;
  }
  parts_.primitives.emplace_back(name);
}

// Whether the operand names something that this builder has handed out. Operands are plain numbers
// that a caller may have kept from another builder.
bool ExecBuilder::IsSound(const Operand& operand) const {
  if (operand.is_immediate()) return true;
  if (IsLabel(operand))
    return open_ && -1 - operand.value < static_cast<int64_t>(functions_.back().labels.size());
  if (operand.value < 0 || operand.value > kVoidRegister) return false;
  return operand.kind != OperandKind::kFunction ||
         (operand.is_function() && operand.function_index() < static_cast<int64_t>(names_.size()));
}

Operand ExecBuilder::ToOperand(const Arg& arg) {
  if (arg.is_operand()) {
    // Refused here, where the caller stands, and not by the verifier far behind.
    if (!IsSound(arg.operand())) {
      Error(StrCat("an operand numbered ", arg.operand().value), span_);
      return Operand::Void();
    }
    // An integer that needs more than 56 bits cannot be an immediate.
    if (!arg.operand().is_immediate() || FitsImmediate(arg.operand().value)) return arg.operand();
    return AddConstant(Any(arg.operand().value));
  }
  if (arg.value().type_code() == TERN_TYPE_INT) {
    const int64_t value = *arg.value().TryCast<int64_t>();
    if (FitsImmediate(value)) return imm(value);
  }
  return AddConstant(arg.value());
}

// --- emission

void ExecBuilder::Emit(Opcode opcode, std::span<const Arg> args) {
  if (!open_) {
    // The same for every instruction: an error, and the instruction is dropped.
    Error(StrCat("'", GetInfo(opcode).mnemonic, "' stands outside of a function"), span_);
    return;
  }
  Pending pending;
  pending.opcode = opcode;
  pending.source = source_;
  pending.span = span_;
  pending.operands.reserve(args.size());
  for (const Arg& arg : args) pending.operands.push_back(ToOperand(arg));
  functions_.back().code.push_back(std::move(pending));
}

void ExecBuilder::EmitCall(std::string_view callee, std::span<const Arg> args, Operand dst) {
  std::vector<Arg> all{dst, f(callee)};
  all.insert(all.end(), args.begin(), args.end());
  Emit(Opcode::kCall, all);
}

// An immediate is no constant, so it becomes one: load_const reads the pool.
void ExecBuilder::EmitLoadConst(Operand dst, const Arg& value) {
  if (value.is_operand() && !value.operand().is_immediate())
    return Emit(Opcode::kLoadConst, {dst, value});
  Emit(Opcode::kLoadConst,
       {dst, value.is_operand() ? AddConstant(value.operand().value) : AddConstant(value.value())});
}

void ExecBuilder::EmitTuple(Operand dst, std::span<const Arg> fields, int64_t tag) {
  std::vector<Arg> all{dst, imm(tag)};
  all.insert(all.end(), fields.begin(), fields.end());
  Emit(Opcode::kAllocAdt, all);
}

void ExecBuilder::EmitFatal(std::string_view message) {
  Emit(Opcode::kFatal, {AddConstant(String(message))});
}
void ExecBuilder::EmitGoto(CodeLabel target) { Emit(Opcode::kGoto, {Jump(target)}); }
void ExecBuilder::EmitIf(Operand test, CodeLabel if_true, CodeLabel if_false) {
  Emit(Opcode::kIf, {test, Jump(if_true), Jump(if_false)});
}
void ExecBuilder::EmitIfEqual(Operand test, const Arg& target, CodeLabel if_true,
                              CodeLabel if_false) {
  Emit(Opcode::kIfEqual, {test, target, Jump(if_true), Jump(if_false)});
}

CodeLabel ExecBuilder::NewLabel() {
  if (!open_) {
    // A function is opened all the same, because the label must belong to one.
    Error("a label outside of a function", span_);
    BeginFunction("label outside of a function", 0u);
  }
  auto& labels = functions_.back().labels;
  labels.push_back({StrCat("#", labels.size()), -1, span_});
  return {static_cast<uint32_t>(labels.size() - 1)};
}

CodeLabel ExecBuilder::NamedLabel(std::string_view name) {
  // Linear: functions of text have few labels.
  if (open_) {
    const auto& labels = functions_.back().labels;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels[i].name == name) return {static_cast<uint32_t>(i)};
    }
  }
  const CodeLabel label = NewLabel();
  functions_.back().labels[label.index].name = std::string(name);
  return label;
}

void ExecBuilder::Bind(CodeLabel label) {
  if (!open_ || label.index >= functions_.back().labels.size()) {
    Error("a label is bound outside of its function", span_);
    return;
  }
  PendingFunction& function = functions_.back();
  PendingLabel& bound = function.labels[label.index];
  // The later binding wins, which does not matter: the error stops Finish.
  if (bound.position >= 0) Error(StrCat("label '", bound.name, "' is bound a second time"), span_);
  bound.position = static_cast<int64_t>(function.code.size());
}

Operand ExecBuilder::Jump(CodeLabel label) {
  return {OperandKind::kFunction, -1 - int64_t{label.index}};
}

void ExecBuilder::SetSource(std::string_view text, uint32_t line, uint32_t column) {
  // An entry is only written when an instruction uses it; -1 means none.
  source_ = -1;
  if (text.empty() && line == 0 && column == 0) return;
  source_ = static_cast<int32_t>(sources_.size());
  sources_.push_back({0, line, column, std::make_shared<const std::string>(text)});
}

void ExecBuilder::NameRegister(Operand reg, std::string_view name) {
  if (!open_ || !reg.is_register() || name.empty()) {
    Error("only a register of an open function can be named", span_);
    return;
  }
  functions_.back().register_names.emplace_back(reg.value, std::string(name));
}

// Metadata is kept sorted, as files hold it, and later values replace earlier ones.
void ExecBuilder::SetMetadata(std::string_view key, std::string_view value) {
  auto& metadata = parts_.metadata;
  const auto at =
      std::lower_bound(metadata.begin(), metadata.end(), key,
                       [](const auto& entry, std::string_view k) { return entry.first < k; });
  if (at != metadata.end() && at->first == key)
    at->second = std::string(value);
  else
    metadata.emplace(at, std::string(key), std::string(value));
}

// --- the end

Operand ExecBuilder::ResolveName(const Operand& operand, bool* ok) {
  const CalleeName& callee = names_[static_cast<size_t>(operand.function_index())];
  // A function of the file hides a primitive of the same name, unless the caller said which it
  // wants.
  const auto defined = defined_.find(callee.name);
  if (callee.kind != NameKind::kPrimitive && defined != defined_.end())
    return Operand::Function(defined->second);
  if (callee.kind == NameKind::kFunction) {
    *ok = false;
    return operand;
  }
  // Primitives are numbered by first use; those that text has declared are in the map already.
  const auto next = static_cast<uint32_t>(parts_.primitives.size());
  const auto [found, is_new] = primitive_ids_.emplace(callee.name, next);
  if (is_new) parts_.primitives.push_back(callee.name);
  return Operand::Primitive(found->second);
}

void ExecBuilder::WriteFunction(PendingFunction* function) {
  FunctionInfo& info = function->info;
  info.first_instruction = static_cast<uint32_t>(parts_.instr_offset.size());
  info.instruction_count = static_cast<uint32_t>(function->code.size());
  for (Pending& instruction : function->code) {
    for (Operand& operand : instruction.operands) {
      bool ok = true;
      if (operand.kind == OperandKind::kFunction) operand = ResolveName(operand, &ok);
      if (ok) continue;
      const std::string& name = names_[static_cast<size_t>(operand.function_index())].name;
      text::Diagnostic& d = diagnostics_.Error(kBuildError, StrCat("there is no function @", name));
      if (instruction.span.valid()) d.At(instruction.span);
      d.InFunction(info.name, &instruction - function->code.data());
    }
    const auto index = static_cast<uint32_t>(parts_.instr_offset.size());
    // An instruction without a source of its own has no entry (FindDebug).
    if (instruction.source >= 0) {
      parts_.debug.push_back(sources_[static_cast<size_t>(instruction.source)]);
      parts_.debug.back().instruction = index;
    }
    parts_.instr_offset.push_back(static_cast<uint32_t>(parts_.instr_data.size()));
    EncodeInstruction(instruction.opcode, instruction.operands, &parts_.instr_data);
  }
  parts_.functions.push_back(info);
}

Result<ExecutablePtr> ExecBuilder::Finish() {
  // Errors of any function are reported together, before anything is written.
  if (open_)
    Error(StrCat("function @", functions_.back().info.name, " does not end"),
          functions_.back().span);
  if (!diagnostics_.ok()) return diagnostics_.ToStatus();
  for (PendingFunction& function : functions_) WriteFunction(&function);
  // The second verification, now with all tables. It finds what CheckFunction could not: a constant
  // of the wrong kind, an argument too many.
  VerifyFailure failure;
  const Status status = diagnostics_.ok() ? Verify(parts_, {}, &failure) : OkStatus();
  if (!status.ok() && failure.function < 0) return status.Clone();
  if (!status.ok()) Report(functions_[static_cast<size_t>(failure.function)], status, failure);
  if (!diagnostics_.ok()) return diagnostics_.ToStatus();
  ExecutablePtr executable(new Executable(std::move(parts_)));
  // The builder can be used again; nothing of the old program is left in it.
  *this = ExecBuilder();
  return executable;
}

}  // namespace tern::vm
