// SPDX-License-Identifier: Apache-2.0
// The verifier: tables first, then each instruction by itself, then control flow and registers,
// then types, per function. The order matters: each step relies on what the ones before have
// proved.
//
// Memory does not grow faster than the file: registers must all be mentioned by the code, so there
// are never more of them than operands. The flow analysis is in verify_flow.cc, that of types in
// verify_types.cc.
#include "core/vm/verifier.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/strings.h"
#include "core/base/utf8.h"
#include "core/vm/places.h"
#include "core/vm/verify_flow.h"
#include "core/vm/verify_types.h"

namespace tern::vm {
namespace {

constexpr int kMaxTupleDepth = 64;
// Effects packs a register and what happens to it in one word.
constexpr uint32_t kMaxRegisters = 1u << Effects::kRegisterBits;

// --- tables

Status SectionError(std::string_view section, std::string_view message) {
  return Corrupt("section '", section, "': ", message).SetErrorCode("E0106");
}

// Functions tile the code in order and without gaps, so that FunctionOf can search and no
// instruction belongs to two.
Status CheckFunctions(const ExecutableParts& parts) {
  // Names are views into the parts, which do not change here.
  std::unordered_set<std::string_view> names;
  uint64_t next = 0;
  for (const FunctionInfo& function : parts.functions) {
    if (function.name.empty()) return SectionError("globals", "a function has no name");
    if (!names.insert(function.name).second) {
      return SectionError("globals", StrCat("two functions are named @", function.name));
    }
    if (function.first_instruction != next) {
      return SectionError("globals", StrCat("function @", function.name, " begins at instruction ",
                                            function.first_instruction, ", expected ", next));
    }
    if (function.instruction_count == 0) {
      return SectionError("globals", StrCat("function @", function.name, " has no instructions"));
    }
    next += function.instruction_count;
    if (function.register_count > kMaxRegisters) {
      return SectionError("globals",
                          StrCat("function @", function.name, " has ", function.register_count,
                                 " registers, more than ", kMaxRegisters));
    }
    if (function.register_count < function.arity()) {
      return SectionError("globals",
                          StrCat("function @", function.name, " has ", function.register_count,
                                 " registers and ", function.arity(), " parameters"));
    }
    // Names of registers are ascending and behind the parameters, whose names the signature has.
    int64_t last = int64_t{function.arity()} - 1;
    for (const auto& [index, name] : function.register_names) {
      if (int64_t{index} <= last || index >= function.register_count || name.empty()) {
        return SectionError(
            "globals", StrCat("function @", function.name, ": a bad register name for %", index));
      }
      last = index;
    }
  }
  if (next != parts.instr_offset.size()) {
    return SectionError("globals", StrCat("functions hold ", next, " instructions, the code has ",
                                          parts.instr_offset.size()));
  }
  return OkStatus();
}

// A tuple refers to constants before it, which excludes cycles; depth is bounded because values of
// them are printed and compared by recursion.
Status CheckConstants(const ExecutableParts& parts) {
  uint64_t splat_bytes = 0;
  std::vector<uint8_t> depth(parts.constants.size(), 0);
  for (size_t i = 0; i < parts.constants.size(); ++i) {
    const Constant& constant = parts.constants[i];
    // Added before the test: one splat has at most INT64_MAX bytes, so that the sum of it and what
    // passed so far fits.
    splat_bytes += constant.SplatBytes();
    if (splat_bytes > kMostSplatBytes) {
      return SectionError("constants", StrCat("constant ", i, " is a splat, ", constant.TypeText(),
                                              ", with which splats take ", FormatBytes(splat_bytes),
                                              " in all, more than ", FormatBytes(kMostSplatBytes)));
    }
    for (uint32_t element : constant.elements) {
      if (element >= i) {
        return SectionError("constants", StrCat("constant ", i, " refers to constant ", element,
                                                ", which is not before it"));
      }
      depth[i] = std::max<uint8_t>(depth[i], static_cast<uint8_t>(depth[element] + 1));
    }
    if (depth[i] > kMaxTupleDepth)
      return SectionError("constants", StrCat("constant ", i, " is nested too deep"));
  }
  return OkStatus();
}

// Names are unique, keys and debug entries ascend: look-ups search them, and a file has one form.
Status CheckNames(const ExecutableParts& parts) {
  std::unordered_set<std::string_view> names;
  for (const std::string& name : parts.primitives) {
    if (name.empty()) return SectionError("primitive names", "a name is empty");
    if (!names.insert(name).second)
      return SectionError("primitive names", StrCat("'", name, "' is listed twice"));
  }
  for (size_t i = 1; i < parts.metadata.size(); ++i) {
    if (parts.metadata[i - 1].first < parts.metadata[i].first) continue;
    return SectionError("metadata",
                        StrCat("keys are not in order at '", parts.metadata[i].first, "'"));
  }
  for (size_t i = 0; i < parts.debug.size(); ++i) {
    const uint32_t at = parts.debug[i].instruction;
    if (at >= parts.instr_offset.size() || (i > 0 && at <= parts.debug[i - 1].instruction)) {
      return SectionError("debug info", StrCat("entry ", i, " is out of order or out of range"));
    }
    // An empty entry would be lost when the file is written again.
    if (parts.debug[i].text().empty() && parts.debug[i].line == 0 && parts.debug[i].column == 0)
      return SectionError("debug info", StrCat("entry ", i, " says nothing"));
  }
  return OkStatus();
}

// Offsets ascend strictly, so that each instruction has at least one word and none overlaps the
// next.
Status CheckOffsets(const ExecutableParts& parts) {
  uint64_t last = 0;
  for (size_t i = 0; i < parts.instr_offset.size(); ++i) {
    const uint32_t offset = parts.instr_offset[i];
    const bool in_order = i == 0 ? offset == 0 : offset > last;
    if (!in_order || offset >= parts.instr_data.size()) {
      return SectionError(
          "code", StrCat("the offset of instruction ", i, " is out of order or out of range"));
    }
    last = offset;
  }
  if (parts.instr_offset.empty() && !parts.instr_data.empty()) {
    return SectionError("code", "there are words but no instructions");
  }
  return OkStatus();
}

// All text must be UTF-8. Otherwise printing and parsing a program would not give the same program.
Status CheckTexts(const ExecutableParts& parts) {
  const auto check = [](std::string_view section, std::string_view text) {
    return IsValidUtf8(text) ? OkStatus() : SectionError(section, "text that is not valid UTF-8");
  };
  for (const FunctionInfo& function : parts.functions) {
    TERN_TRY(check("globals", function.name));
    TERN_TRY(check("globals", function.signature.ToText()));
    for (const auto& [index, name] : function.register_names) TERN_TRY(check("globals", name));
  }
  for (const Constant& constant : parts.constants) {
    if (constant.kind == ConstantKind::kString) {
      TERN_TRY(check("constants", *constant.value.TryCast<std::string_view>()));
    }
  }
  for (const std::string& name : parts.primitives) TERN_TRY(check("primitive names", name));
  for (const auto& [key, value] : parts.metadata) {
    TERN_TRY(check("metadata", key));
    TERN_TRY(check("metadata", value));
  }
  for (const KernelInfo& kernel : parts.kernels) {
    TERN_TRY(check("kernels", kernel.name));
    TERN_TRY(check("kernels", kernel.format));
  }
  const std::string* checked = nullptr;  // many entries share one
  for (const DebugEntry& entry : parts.debug) {
    if (entry.shared_text.get() == checked) continue;
    checked = entry.shared_text.get();
    TERN_TRY(check("debug info", entry.text()));
  }
  return OkStatus();
}

// --- one function

// What the code says of a register.
struct Mention {
  uint32_t writes = 0;  // how many instructions write it
  bool seen = false;
};

class FunctionVerifier {
 public:
  FunctionVerifier(const ExecutableParts& parts, const VerifyOptions& options)
      : parts_(parts), options_(options), types_proved_(TypesAreProved(parts)) {}

  int64_t failed_pc() const { return failed_pc_; }
  const std::string& reason() const { return reason_; }

  // Sticky: the first error, or ok.
  Status Run(const FunctionInfo& function) {
    // One verifier serves all functions; buffers are kept between them.
    function_ = &function;
    status_ = OkStatus();
    Prepare();
    // Stops at the first error: later ones are often its consequences.
    for (uint32_t pc = 0; ok() && pc < function.instruction_count; ++pc) {
      if (Decode(pc)) CheckInstruction(pc);
    }
    if (ok()) CheckMentions();
    if (ok()) CheckFlow();
    // Types need the tables of constants and functions.
    if (ok() && !options_.unlinked && !types_proved_) Report(VerifyTypes(parts_, function));
    return std::move(status_);
  }

 private:
  bool ok() const { return status_.ok(); }

  void CheckFlow() {
    // One past the last, so that Of(pc) needs no case for the end.
    effects_.first.push_back(static_cast<uint32_t>(effects_.all.size()));
    Report(VerifyFlow({parts_, *function_, leaders_, effects_, is_straight_}));
  }
  void Report(const FlowError& error) {
    // Decoded again, so that the message names the instruction.
    if (error.pc >= 0 && Decode(static_cast<uint32_t>(error.pc)))
      Fail(static_cast<uint32_t>(error.pc), error.reason);
  }

  void Fail(uint32_t pc, std::string_view message) {
    if (!ok()) return;
    failed_pc_ = pc;
    reason_ = std::string(message);
    const char* mnemonic = "?";
    std::string name;
    // Copied, because the mnemonic is a view that is not ended by a zero.
    if (current_.info != nullptr) {
      name = std::string(current_.info->mnemonic);
      mnemonic = name.c_str();
    }
    status_ = Corrupt("section 'code': function @", function_->name, ", instruction ", pc, " (",
                      mnemonic, "): ", message);
    status_.SetErrorCode("E0106");
  }

  void Prepare() {
    const uint32_t count = function_->instruction_count;
    leaders_.assign(count, false);
    // Execution enters at the first instruction.
    leaders_[0] = true;
    // A function mentions at most as many registers as its words have operands, so a higher count
    // is wrong and must not make us reserve memory for it.
    const uint64_t words = WordsOf();
    if (function_->register_count > function_->arity() + words * 4) {
      return Fail(0, StrCat("the function claims ", function_->register_count,
                            " registers, more than its code can use"));
    }
    mentions_.assign(function_->register_count, Mention());
    // Parameters are written by the caller and count as mentioned.
    std::fill_n(mentions_.begin(), function_->arity(), Mention{1, true});
    effects_.all.clear();
    effects_.first.clear();
    is_straight_ = true;
  }

  uint64_t WordsOf() const {
    const size_t first = function_->first_instruction;
    const size_t last = first + function_->instruction_count;
    const uint64_t end =
        last < parts_.instr_offset.size() ? parts_.instr_offset[last] : parts_.instr_data.size();
    return end - parts_.instr_offset[first];
  }

  bool Decode(uint32_t pc) {
    const char* error =
        DecodeInstruction(parts_.InstructionWords(function_->first_instruction + pc), &current_);
    if (error != nullptr) Fail(pc, error);
    return error == nullptr;
  }

  // --- operands, driven by the table

  void CheckInstruction(uint32_t pc) {
    const InstructionInfo& info = *current_.info;
    const size_t count = current_.operands.size();
    // The number of operands: exact, or at least the fixed ones where a list follows.
    if (count < info.fixed_count() || (count > info.fixed_count() && !info.has_list())) {
      return Fail(pc, StrCat("it has ", count, " operands, expected ",
                             info.has_list() ? "at least " : "", info.fixed_count()));
    }
    if (info.has_list() && count == info.fixed_count() &&
        info.operands().back().repeat == Repeat::kSome) {
      return Fail(pc,
                  StrCat("operand '", info.operands().back().name, "' needs at least one value"));
    }
    effects_.first.push_back(static_cast<uint32_t>(effects_.all.size()));
    for (size_t i = 0; ok() && i < count; ++i) {
      // Operands of the list all have the last role.
      const OperandInfo& role = info.operands()[std::min<size_t>(i, info.operand_count - 1u)];
      if (!AcceptsRegister(role, current_.operands[i]))
        CheckOperand(pc, role, current_.operands[i]);
    }
    // The write comes last, because an instruction reads its operands before it writes.
    if (info.write >= 0 && ok()) AddWrite(current_.operands[static_cast<size_t>(info.write)]);
    if (ok()) CheckExtra(pc);
    // Straight code needs no flow analysis: no jumps, and the end only at the end.
    is_straight_ &= info.flow == Flow::kNext ||
                    (info.flow == Flow::kEnd && pc + 1 == function_->instruction_count);
    if (ok() && info.flow == Flow::kNext && pc + 1 == function_->instruction_count) {
      Fail(pc, "the path runs off the end of the function: a ret is missing");
    }
  }

  // The common case without a branch per role: a register that is read.
  bool AcceptsRegister(const OperandInfo& info, const Operand& operand) {
    const bool reads = info.role == Role::kRead || info.role == Role::kValue;
    if (!reads || operand.kind != OperandKind::kRegister ||
        operand.value >= int64_t{function_->register_count})
      return false;
    mentions_[static_cast<size_t>(operand.value)].seen = true;
    effects_.Add(Effect::kRead, operand.value);
    return true;
  }

  // A switch over roles without a default: a new role must be decided here.
  void CheckOperand(uint32_t pc, const OperandInfo& info, const Operand& operand) {
    if (info.repeat == Repeat::kOptional && operand.is_void()) return;
    switch (info.role) {
      case Role::kWrite: return CheckWrite(pc, operand);
      case Role::kRead:
      case Role::kKill:
      case Role::kPhi: return CheckRegister(pc, info, operand);
      case Role::kValue: return CheckValue(pc, info, operand);
      case Role::kInteger:
        if (operand.is_immediate() || IsConstant(operand, ConstantKind::kInt)) return;
        return Wrong(pc, info, "an integer");
      case Role::kCount:
        if (operand.is_immediate() && operand.value >= 0) return;
        return Wrong(pc, info, "an immediate of at least 0");
      case Role::kDType:
        if (operand.is_immediate() && DTypeFromImmediate(operand.value).has_value()) return;
        return Wrong(pc, info, "a data type");
      case Role::kOffset: return CheckOffset(pc, operand);
      case Role::kString:
        if (IsConstant(operand, ConstantKind::kString)) return;
        return Wrong(pc, info, "a string constant");
      case Role::kConstant:
        if (operand.is_constant() &&
            (options_.unlinked || InRange(operand.value, parts_.constants.size())))
          return;
        return Wrong(pc, info, StrCat("a constant below ", parts_.constants.size()));
      case Role::kFunction:
      case Role::kPrimitive:
      case Role::kCallee: return CheckCallee(pc, info, operand);
    }
  }

  static bool InRange(int64_t value, size_t size) { return static_cast<uint64_t>(value) < size; }
  bool IsConstant(const Operand& operand, ConstantKind kind) const {
    // A function alone has no tables yet; what its constants are is checked by Finish.
    if (options_.unlinked && operand.is_constant()) return true;
    return operand.is_constant() && InRange(operand.value, parts_.constants.size()) &&
           parts_.constants[static_cast<size_t>(operand.value)].kind == kind;
  }
  void Wrong(uint32_t pc, const OperandInfo& info, std::string_view expected) {
    Fail(pc, StrCat("operand '", info.name, "' must be ", expected));
  }

  void CheckRegister(uint32_t pc, const OperandInfo& info, const Operand& operand) {
    if (!operand.is_register()) return Wrong(pc, info, "a register");
    if (!InRange(operand.value, function_->register_count)) {
      return Fail(pc, StrCat("register ", RegisterText(operand.value),
                             " is out of range: the function has ", function_->register_count));
    }
    mentions_[static_cast<size_t>(operand.value)].seen = true;
    if (info.role != Role::kWrite) effects_.Add(EffectOf(info.role), operand.value);
  }
  void AddWrite(const Operand& operand) {
    if (operand.is_register()) effects_.Add(Effect::kWrite, operand.value);
  }
  static Effect EffectOf(Role role) {
    return role == Role::kKill ? Effect::kKill : role == Role::kPhi ? Effect::kPhi : Effect::kRead;
  }

  static constexpr OperandInfo kDestination = {.name = "dst", .role = Role::kWrite};

  void CheckWrite(uint32_t pc, const Operand& operand) {
    if (operand.is_vm()) return Fail(pc, "%vm cannot be a destination");
    CheckRegister(pc, kDestination, operand);
    if (!ok()) return;
    Mention& mention = mentions_[static_cast<size_t>(operand.value)];
    // Only asked for by tools: the machine does not need single assignment.
    if (++mention.writes > 1 && options_.ssa) {
      Fail(pc, StrCat("register ", RegisterText(operand.value),
                      " is written a second time, which --ssa forbids"));
    }
  }

  // A value is nearly anything; each kind has its own bounds.
  void CheckValue(uint32_t pc, const OperandInfo& info, const Operand& operand) {
    switch (operand.kind) {
      case OperandKind::kImmediate: return;
      case OperandKind::kConstant:
        if (options_.unlinked || InRange(operand.value, parts_.constants.size())) return;
        return Fail(pc, StrCat("constant ", operand.value, " is out of range: there are ",
                               parts_.constants.size()));
      case OperandKind::kFunction:
        return CheckCallee(pc, {.name = info.name, .role = Role::kCallee}, operand);
      case OperandKind::kRegister: break;
    }
    // The machine is passed to builtins by call only; elsewhere its register does not exist.
    if (operand.is_vm()) {
      if (current_.info->opcode != Opcode::kCall) Fail(pc, "%vm can only be passed by call");
      return;
    }
    CheckRegister(pc, info, operand);
  }

  void CheckCallee(uint32_t pc, const OperandInfo& info, const Operand& operand) {
    if (operand.kind != OperandKind::kFunction) return Wrong(pc, info, "a function");
    if (options_.unlinked) return;
    if (info.role == Role::kFunction && !operand.is_function())
      return Wrong(pc, info, "a function of this file");
    if (info.role == Role::kPrimitive && !operand.is_primitive())
      return Wrong(pc, info, "a primitive");
    const size_t limit = operand.is_function() ? parts_.functions.size() : parts_.primitives.size();
    if (InRange(operand.function_index(), limit)) return;
    Fail(pc, StrCat(operand.is_function() ? "function " : "primitive ", operand.function_index(),
                    " is out of range: there are ", limit));
  }

  void CheckOffset(uint32_t pc, const Operand& operand) {
    if (!operand.is_immediate()) return Fail(pc, "a jump offset must be an immediate");
    // The interpreter counts instructions at jumps; a jump to itself would also never change
    // anything.
    if (operand.value == 0) return Fail(pc, "a jump by 0 would never end");
    const int64_t target = int64_t{pc} + operand.value;
    if (!InRange(target, function_->instruction_count)) {
      return Fail(pc, StrCat("a jump by ", operand.value, " leaves the function, which has ",
                             function_->instruction_count, " instructions"));
    }
    // The target begins a block of the flow analysis.
    leaders_[static_cast<size_t>(target)] = true;
  }

  // --- the few facts that the table does not hold

  size_t ListCount() const { return current_.operands.size() - current_.info->fixed_count(); }

  void CheckExtra(uint32_t pc) {
    const std::vector<Operand>& operands = current_.operands;
    const Opcode opcode = current_.info->opcode;
    if (opcode == Opcode::kCall || opcode == Opcode::kInvoke)
      return CheckArity(pc, operands[1], ListCount());
    if (opcode == Opcode::kTailInvoke) return CheckArity(pc, operands[0], ListCount());
    if (opcode == Opcode::kAllocClosure && !options_.unlinked) {
      const uint32_t arity =
          parts_.functions[static_cast<size_t>(operands[1].function_index())].arity();
      // Fewer than the arity is fine: the others are passed at the call.
      if (ListCount() > arity)
        Fail(pc, StrCat("it captures ", ListCount(), " values, the function takes ", arity));
    }
    // Written without a sum, which could overflow.
    if (opcode == Opcode::kInvokePacked &&
        (operands[1].value > static_cast<int64_t>(ListCount()) ||
         operands[2].value != static_cast<int64_t>(ListCount()) - operands[1].value)) {
      Fail(pc, StrCat("arity ", operands[1].value, " and ", operands[2].value,
                      " outputs do not add up to the ", ListCount(), " values listed"));
    }
    if (opcode == Opcode::kAllocStorage && !IsAlignment(operands[2].value))
      Fail(pc, StrCat("alignment ", operands[2].value, " is no power of two up to 4096"));
    if (opcode == Opcode::kAllocAdt && operands[1].value > 0x7fffffff)
      Fail(pc, StrCat("tag ", operands[1].value, " is too large"));
    // Phi's rule needs the sets of the flow analysis, also without jumps.
    if (opcode == Opcode::kPhi) is_straight_ = false;
  }

  static bool IsAlignment(int64_t value) {
    return value > 0 && value <= 4096 && (value & (value - 1)) == 0;
  }

  // Primitives check their own arguments; only functions of this file have a known arity.
  void CheckArity(uint32_t pc, const Operand& callee, size_t count) {
    if (!callee.is_function() || options_.unlinked) return;
    const FunctionInfo& function = parts_.functions[static_cast<size_t>(callee.function_index())];
    if (function.arity() == count) return;
    Fail(pc, StrCat("@", function.name, " takes ", function.arity(), " arguments, got ", count));
  }

  // A register that nothing mentions makes the count wrong: memory is reserved by it (see Prepare).
  void CheckMentions() {
    for (uint32_t i = 0; i < function_->register_count; ++i) {
      if (mentions_[i].seen) continue;
      status_ = SectionError(
          "globals", StrCat("function @", function_->name, " claims ", function_->register_count,
                            " registers, but register %", i, " is never used"));
      return;
    }
  }

  const ExecutableParts& parts_;
  const VerifyOptions& options_;
  const bool types_proved_;
  const FunctionInfo* function_ = nullptr;
  Status status_;
  int64_t failed_pc_ = -1;
  std::string reason_;
  Instruction current_;
  std::vector<Mention> mentions_;  // by register
  Effects effects_;
  bool is_straight_ = true;  // no jumps, one end, no phi
  std::vector<bool> leaders_;
};

}  // namespace

Status VerifyUnlinked(const ExecutableParts& parts, VerifyFailure* failure) {
  VerifyOptions options;
  options.unlinked = true;
  FunctionVerifier verifier(parts, options);
  Status status = verifier.Run(parts.functions[0]);
  // What VerifyUnlinked finds is always in function 0 of the parts it got.
  *failure = {0, verifier.failed_pc(), verifier.reason()};
  return status;
}

Status Verify(const ExecutableParts& parts, const VerifyOptions& options, VerifyFailure* failure) {
  // Offsets first: everything else reads instructions through them.
  TERN_TRY(CheckOffsets(parts));
  TERN_TRY(CheckFunctions(parts));
  TERN_TRY(CheckConstants(parts));
  TERN_TRY(CheckNames(parts));
  TERN_TRY(CheckTexts(parts));
  std::vector<FunctionPlaces> places;
  TERN_TRY(ReadPlaces(parts, &places));
  FunctionVerifier verifier(parts, options);
  for (size_t i = 0; i < parts.functions.size(); ++i) {
    Status status = verifier.Run(parts.functions[i]);
    if (status.ok()) continue;
    if (failure != nullptr)
      *failure = {static_cast<int64_t>(i), verifier.failed_pc(), verifier.reason()};
    return status;
  }
  return OkStatus();
}

}  // namespace tern::vm
