// SPDX-License-Identifier: Apache-2.0
// The verifier: tables first, then each instruction by itself, then control flow and registers per
// function.
//
// Nothing here grows faster than the file: registers must all be mentioned by the code, so there
// are never more of them than operands, and the flow analysis keeps bits only for registers that
// live across blocks, within kMaxFlowBits. The analysis is the usual forward one: `must` holds
// registers written on every path to a block, `may` those written on some path.
#include "core/vm/verifier.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/strings.h"
#include "core/base/utf8.h"

namespace tern::vm {
namespace {

constexpr uint64_t kMaxSplatBytes = uint64_t{1} << 30;
constexpr int kMaxTupleDepth = 64;
constexpr uint32_t kMaxRegisters = 1u << 24;
constexpr uint64_t kMaxFlowBits = uint64_t{1} << 29;
constexpr uint64_t kMaxFlowSteps =
    100'000'000;  // instructions looked at; real code needs a few sweeps

// The kinds a register may hold, where its writers tell; used for Phi.
using KindSet = uint32_t;
constexpr KindSet kUnknownKind = ~KindSet{0};
enum KindBit : KindSet {
  kIntBit = 1,
  kFloatBit = 2,
  kBoolBit = 4,
  kStringBit = 8,
  kDTypeBit = 16,
  kShapeBit = 32,
  kTensorBit = 64,
  kAdtBit = 128,
  kClosureBit = 256,
  kStorageBit = 512,
  kFunctionBit = 1024,
  kNoneBit = 2048
};

std::string RegisterText(int64_t index) { return StrCat("%", index); }

// --- tables
// --------------------------------------------------------------------------------------------

Status SectionError(std::string_view section, std::string_view message) {
  return Corrupt("section '", section, "': ", message).SetErrorCode("E0106");
}

Status CheckFunctions(const ExecutableParts& parts) {
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

Status CheckConstants(const ExecutableParts& parts) {
  uint64_t splat_bytes = 0;
  std::vector<uint8_t> depth(parts.constants.size(), 0);
  for (size_t i = 0; i < parts.constants.size(); ++i) {
    const Constant& constant = parts.constants[i];
    if (constant.kind == ConstantKind::kSplat) {
      const DType dtype = constant.value.TryCast<Tensor>()->dtype();
      splat_bytes += static_cast<uint64_t>(*dtype.bytes_for(*ElementCount(constant.dims)));
      if (splat_bytes > kMaxSplatBytes) {
        return SectionError("constants",
                            StrCat("splats of more than ", FormatBytes(kMaxSplatBytes), " in all"));
      }
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
  }
  return OkStatus();
}

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

// Text survives printing and parsing only if it is text.
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
  return OkStatus();
}

// --- one function
// --------------------------------------------------------------------------------------

// What the passes over the code share; made once per function, memory kept.
struct Mentions {
  std::vector<bool> seen;        // register occurs at all
  std::vector<KindSet> kinds;    // union over its writers
  std::vector<uint32_t> writes;  // how many instructions write it
};

class FunctionVerifier {
 public:
  FunctionVerifier(const ExecutableParts& parts, const VerifyOptions& options)
      : parts_(parts), options_(options) {}

  int64_t failed_pc() const { return failed_pc_; }
  const std::string& reason() const { return reason_; }

  // Sticky: the first error, or ok.
  Status Run(const FunctionInfo& function) {
    function_ = &function;
    status_ = OkStatus();
    Prepare();
    for (uint32_t pc = 0; ok() && pc < function.instruction_count; ++pc) {
      if (Decode(pc)) CheckInstruction(pc);
    }
    if (ok()) CheckMentions();
    if (ok()) CheckFlow();
    return std::move(status_);
  }

 private:
  bool ok() const { return status_.ok(); }

  void Fail(uint32_t pc, std::string_view message) {
    if (!ok()) return;
    failed_pc_ = pc;
    reason_ = std::string(message);
    const char* mnemonic = "?";
    std::string name;
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
    leaders_[0] = true;
    // A function mentions at most as many registers as its words have operands, so a count beyond
    // that is wrong and must not make us reserve memory for it.
    const uint64_t words = WordsOf();
    if (function_->register_count > function_->arity() + words * 4) {
      return Fail(0, StrCat("the function claims ", function_->register_count,
                            " registers, more than its code can use"));
    }
    mentions_.seen.assign(function_->register_count, false);
    mentions_.kinds.assign(function_->register_count, 0);
    mentions_.writes.assign(function_->register_count, 0);
    for (uint32_t i = 0; i < function_->arity(); ++i) {
      mentions_.seen[i] = true;
      mentions_.kinds[i] = kUnknownKind;
      mentions_.writes[i] = 1;
    }
    has_phi_ = false;
  }

  uint64_t WordsOf() const {
    const size_t first = function_->first_instruction;
    const size_t last = first + function_->instruction_count;
    const uint64_t end =
        last < parts_.instr_offset.size() ? parts_.instr_offset[last] : parts_.instr_data.size();
    return end - parts_.instr_offset[first];
  }

  bool Decode(uint32_t pc) {
    const size_t index = function_->first_instruction + pc;
    const size_t begin = parts_.instr_offset[index];
    const size_t end = index + 1 < parts_.instr_offset.size() ? parts_.instr_offset[index + 1]
                                                              : parts_.instr_data.size();
    const char* error =
        DecodeInstruction(std::span(parts_.instr_data).subspan(begin, end - begin), &current_);
    if (error != nullptr) Fail(pc, error);
    return error == nullptr;
  }

  // --- operands, driven by the table ---

  void CheckInstruction(uint32_t pc) {
    const InstructionInfo& info = *current_.info;
    const size_t count = current_.operands.size();
    if (count < info.fixed_count() || (count > info.fixed_count() && !info.has_list())) {
      return Fail(pc, StrCat("it has ", count, " operands, expected ",
                             info.has_list() ? "at least " : "", info.fixed_count()));
    }
    if (info.has_list() && count == info.fixed_count() &&
        info.operands().back().repeat == Repeat::kSome) {
      return Fail(pc,
                  StrCat("operand '", info.operands().back().name, "' needs at least one value"));
    }
    for (size_t i = 0; ok() && i < count; ++i) {
      const OperandInfo& role = info.operands()[std::min<size_t>(i, info.operand_count - 1u)];
      CheckOperand(pc, role, current_.operands[i]);
    }
    if (ok()) CheckExtra(pc);
    if (ok() && info.flow == Flow::kNext && pc + 1 == function_->instruction_count) {
      Fail(pc, "the path runs off the end of the function: a ret is missing");
    }
  }

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
    mentions_.seen[static_cast<size_t>(operand.value)] = true;
  }

  void CheckWrite(uint32_t pc, const Operand& operand) {
    if (operand.is_vm()) return Fail(pc, "%vm cannot be a destination");
    CheckRegister(pc, {.name = "dst"}, operand);
    if (!ok()) return;
    const auto index = static_cast<size_t>(operand.value);
    mentions_.kinds[index] |= WrittenKind();
    if (++mentions_.writes[index] > 1 && options_.ssa) {
      Fail(pc, StrCat("register ", RegisterText(operand.value),
                      " is written a second time, which --ssa forbids"));
    }
  }

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
    if (operand.value == 0) return Fail(pc, "a jump by 0 would never end");
    const int64_t target = int64_t{pc} + operand.value;
    if (!InRange(target, function_->instruction_count)) {
      return Fail(pc, StrCat("a jump by ", operand.value, " leaves the function, which has ",
                             function_->instruction_count, " instructions"));
    }
    leaders_[static_cast<size_t>(target)] = true;
  }

  // --- the few facts that the table does not hold ---

  size_t ListCount() const { return current_.operands.size() - current_.info->fixed_count(); }

  void CheckExtra(uint32_t pc) {
    const std::vector<Operand>& operands = current_.operands;
    switch (current_.info->opcode) {
      case Opcode::kCall: return CheckArity(pc, operands[1], ListCount());
      case Opcode::kInvoke: return CheckArity(pc, operands[1], ListCount());
      case Opcode::kTailInvoke: return CheckArity(pc, operands[0], ListCount());
      case Opcode::kAllocClosure: {
        if (options_.unlinked) return;
        const uint32_t arity =
            parts_.functions[static_cast<size_t>(operands[1].function_index())].arity();
        if (ListCount() <= arity) return;
        return Fail(pc, StrCat("it captures ", ListCount(), " values, the function takes ", arity));
      }
      case Opcode::kInvokePacked:
        if (operands[1].value <= static_cast<int64_t>(ListCount()) &&
            operands[2].value == static_cast<int64_t>(ListCount()) - operands[1].value) {
          return;
        }
        return Fail(pc, StrCat("arity ", operands[1].value, " and ", operands[2].value,
                               " outputs do not add up to the ", ListCount(), " values listed"));
      case Opcode::kAllocStorage:
        if (operands[2].value > 0 && operands[2].value <= 4096 &&
            (operands[2].value & (operands[2].value - 1)) == 0) {
          return;
        }
        return Fail(pc, StrCat("alignment ", operands[2].value, " is no power of two up to 4096"));
      case Opcode::kAllocAdt:
        if (operands[1].value <= 0x7fffffff) return;
        return Fail(pc, StrCat("tag ", operands[1].value, " is too large"));
      case Opcode::kPhi: has_phi_ = true; return;
      default: return;
    }
  }

  void CheckArity(uint32_t pc, const Operand& callee, size_t count) {
    if (!callee.is_function() || options_.unlinked) return;
    const FunctionInfo& function = parts_.functions[static_cast<size_t>(callee.function_index())];
    if (function.arity() == count) return;
    Fail(pc, StrCat("@", function.name, " takes ", function.arity(), " arguments, got ", count));
  }

  KindSet WrittenKind() const {
    switch (current_.info->opcode) {
      case Opcode::kLoadConsti:
      case Opcode::kAllocTensor:
      case Opcode::kAllocTensorReg:
      case Opcode::kReshapeTensor:
      case Opcode::kDeviceCopy: return kTensorBit;
      case Opcode::kAllocStorage: return kStorageBit;
      case Opcode::kAllocAdt: return kAdtBit;
      case Opcode::kAllocClosure: return kClosureBit;
      case Opcode::kGetTag:
      case Opcode::kToInt: return kIntBit;
      case Opcode::kShapeOf: return kShapeBit;
      case Opcode::kToFloat: return kFloatBit;
      case Opcode::kToBool:
      case Opcode::kLt:
      case Opcode::kLe:
      case Opcode::kGt:
      case Opcode::kGe:
      case Opcode::kEq:
      case Opcode::kNe: return kBoolBit;
      case Opcode::kLoadConst: return ConstantKindBit(current_.operands[1]);
      default: return kUnknownKind;
    }
  }
  KindSet ConstantKindBit(const Operand& operand) const {
    if (!operand.is_constant() || !InRange(operand.value, parts_.constants.size()))
      return kUnknownKind;
    switch (parts_.constants[static_cast<size_t>(operand.value)].kind) {
      case ConstantKind::kNone: return kNoneBit;
      case ConstantKind::kInt: return kIntBit;
      case ConstantKind::kFloat: return kFloatBit;
      case ConstantKind::kBool: return kBoolBit;
      case ConstantKind::kString: return kStringBit;
      case ConstantKind::kDType: return kDTypeBit;
      case ConstantKind::kShape: return kShapeBit;
      case ConstantKind::kTensor:
      case ConstantKind::kSplat: return kTensorBit;
      case ConstantKind::kTuple: return kAdtBit;
    }
    return kUnknownKind;
  }

  void CheckMentions() {
    for (uint32_t i = 0; i < function_->register_count; ++i) {
      if (mentions_.seen[i]) continue;
      status_ = SectionError(
          "globals", StrCat("function @", function_->name, " claims ", function_->register_count,
                            " registers, but register %", i, " is never used"));
      return;
    }
  }

  // --- flow: every register written before it is read, on every path ---

  struct Block {
    uint32_t begin = 0;
    uint32_t end = 0;
    std::vector<uint32_t> successors;
  };
  enum class Local : uint8_t { kIncoming, kWritten, kKilled };

  void CheckFlow() {
    MakeBlocks();
    if (!ok()) return;
    if (blocks_.size() == 1 && !has_phi_) return CheckStraightLine();
    FindGlobals();
    const uint64_t words = (globals_.size() + 63) / 64;
    if (words * 128 * blocks_.size() > kMaxFlowBits) {
      return Fail(0, "the function has too many blocks and registers to verify");
    }
    words_ = static_cast<size_t>(words);
    Solve();
    for (size_t b = 0; ok() && b < blocks_.size(); ++b) {
      if (reached_[b]) CheckBlock(b);
    }
  }

  void MakeBlocks() {
    blocks_.clear();
    block_of_.assign(function_->instruction_count, 0);
    for (uint32_t pc = 0; pc < function_->instruction_count; ++pc) {
      if (leaders_[pc] || (pc > 0 && ends_block_)) {
        if (!blocks_.empty()) blocks_.back().end = pc;
        blocks_.push_back({pc, pc, {}});
      }
      block_of_[pc] = static_cast<uint32_t>(blocks_.size() - 1);
      ends_block_ = FlowAt(pc) != Flow::kNext;
    }
    ends_block_ = false;
    blocks_.back().end = function_->instruction_count;
    for (Block& block : blocks_) AddSuccessors(&block);
  }

  Flow FlowAt(uint32_t pc) const {
    const uint64_t word = parts_.instr_data[parts_.instr_offset[function_->first_instruction + pc]];
    return GetInfo(static_cast<Opcode>(word >> 56)).flow;
  }

  void AddSuccessors(Block* block) {
    const uint32_t last = block->end - 1;
    if (!Decode(last)) return;
    const InstructionInfo& info = *current_.info;
    if (info.flow == Flow::kNext) block->successors.push_back(block_of_[last + 1]);
    if (info.flow != Flow::kJump) return;
    for (size_t i = 0; i < info.operand_count; ++i) {
      if (info.operands()[i].role != Role::kOffset) continue;
      block->successors.push_back(
          block_of_[static_cast<size_t>(int64_t{last} + current_.operands[i].value)]);
    }
  }

  // Calls visit(role, register) for the registers of the current instruction: reads first, then
  // kills, writes last.
  template <typename Visit>
  void VisitRegisters(Visit visit) {
    const InstructionInfo& info = *current_.info;
    const Operand* written = nullptr;
    for (size_t i = 0; i < current_.operands.size(); ++i) {
      const Operand& operand = current_.operands[i];
      if (!operand.is_register()) continue;
      const OperandInfo& role = info.operands()[std::min<size_t>(i, info.operand_count - 1u)];
      if (role.role == Role::kWrite)
        written = &operand;
      else
        visit(role.role, static_cast<size_t>(operand.value));
    }
    if (written != nullptr) visit(Role::kWrite, static_cast<size_t>(written->value));
  }

  // Straight-line code needs one pass and no sets.
  void CheckStraightLine() {
    local_.assign(function_->register_count, Local::kIncoming);
    std::fill_n(local_.begin(), function_->arity(), Local::kWritten);
    for (uint32_t pc = 0; ok() && pc < function_->instruction_count; ++pc) {
      if (!Decode(pc)) return;
      VisitRegisters([&](Role role, size_t index) { StepStraight(pc, role, index); });
    }
  }
  void StepStraight(uint32_t pc, Role role, size_t index) {
    if (role != Role::kWrite && local_[index] != Local::kWritten)
      FailRead(pc, role, index, local_[index]);
    if (role == Role::kWrite) local_[index] = Local::kWritten;
    if (role == Role::kKill) local_[index] = Local::kKilled;
  }

  void FailRead(uint32_t pc, Role role, size_t index, Local state) {
    const std::string reg = RegisterText(static_cast<int64_t>(index));
    if (!Decode(pc)) return;
    if (role == Role::kKill)
      return Fail(pc, StrCat("register ", reg, " is killed, but holds nothing on some path"));
    if (state == Local::kKilled)
      return Fail(pc, StrCat("register ", reg, " is read after it was killed"));
    if (index < function_->arity())
      return Fail(pc, StrCat("register ", reg, " is read after it was killed on some path"));
    Fail(pc, StrCat("register ", reg, " is read, but not written before on every path"));
  }

  // Registers that some block reads before it writes them; only these need bits.
  void FindGlobals() {
    global_index_.assign(function_->register_count, -1);
    globals_.clear();
    for (const Block& block : blocks_) {
      written_.resize(function_->register_count, 0);
      ++epoch_;
      for (uint32_t pc = block.begin; pc < block.end; ++pc) {
        if (!Decode(pc)) return;
        VisitRegisters([&](Role role, size_t index) {
          if (role == Role::kWrite || role == Role::kKill) {
            if (role == Role::kKill && written_[index] != epoch_) AddGlobal(index);
            written_[index] = role == Role::kWrite ? epoch_ : 0;
          } else if (written_[index] != epoch_) {
            AddGlobal(index);
          }
          if (role == Role::kPhi) AddGlobal(index);
        });
      }
    }
  }
  void AddGlobal(size_t index) {
    if (global_index_[index] >= 0) return;
    global_index_[index] = static_cast<int32_t>(globals_.size());
    globals_.push_back(static_cast<uint32_t>(index));
  }

  using Bits = std::vector<uint64_t>;
  static bool Get(const uint64_t* bits, size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }
  static void Set(uint64_t* bits, size_t i, bool on) {
    const uint64_t mask = uint64_t{1} << (i % 64);
    bits[i / 64] = on ? bits[i / 64] | mask : bits[i / 64] & ~mask;
  }
  uint64_t* Must(size_t block) { return must_.data() + block * words_; }
  uint64_t* May(size_t block) { return may_.data() + block * words_; }

  // Applies a block's kills and writes to the sets.
  void Transfer(const Block& block, uint64_t* must, uint64_t* may) {
    for (uint32_t pc = block.begin; pc < block.end; ++pc) {
      if (!Decode(pc)) return;
      VisitRegisters([&](Role role, size_t index) { Apply(role, index, must, may); });
    }
  }
  void Apply(Role role, size_t index, uint64_t* must, uint64_t* may) {
    if (role != Role::kWrite && role != Role::kKill) return;
    const int32_t g = global_index_[index];
    if (g < 0) return;
    Set(must, static_cast<size_t>(g), role == Role::kWrite);
    Set(may, static_cast<size_t>(g), role == Role::kWrite);
  }

  void Solve() {
    must_.assign(words_ * blocks_.size(), ~uint64_t{0});
    may_.assign(words_ * blocks_.size(), 0);
    reached_.assign(blocks_.size(), false);
    std::fill_n(must_.begin(), words_, 0);
    for (size_t g = 0; g < globals_.size(); ++g) {
      Set(Must(0), g, globals_[g] < function_->arity());
      Set(May(0), g, globals_[g] < function_->arity());
    }
    reached_[0] = true;
    std::vector<bool> dirty(blocks_.size(), false);
    dirty[0] = true;
    Bits must(words_), may(words_);
    uint64_t steps = 0;
    // Blocks lie roughly in the order of flow, so sweeps in order settle after as many as loops are
    // nested.
    for (bool again = true; again && ok();) {
      again = false;
      for (size_t b = 0; b < blocks_.size(); ++b) {
        if (!dirty[b]) continue;
        dirty[b] = false;
        steps += blocks_[b].end - blocks_[b].begin + words_;
        if (steps > kMaxFlowSteps) return Fail(0, "the function's flow is too tangled to verify");
        std::copy_n(Must(b), words_, must.begin());
        std::copy_n(May(b), words_, may.begin());
        Transfer(blocks_[b], must.data(), may.data());
        for (uint32_t next : blocks_[b].successors) {
          if (!Join(next, must, may)) continue;
          dirty[next] = true;
          again |= next <= b;
        }
      }
    }
  }

  // True if the block's incoming sets changed, or it was never reached before.
  bool Join(uint32_t block, const Bits& must, const Bits& may) {
    bool changed = !reached_[block];
    reached_[block] = true;
    for (size_t i = 0; i < words_; ++i) {
      const uint64_t new_must = Must(block)[i] & must[i];
      const uint64_t new_may = May(block)[i] | may[i];
      changed |= new_must != Must(block)[i] || new_may != May(block)[i];
      Must(block)[i] = new_must;
      May(block)[i] = new_may;
    }
    return changed;
  }

  void CheckBlock(size_t b) {
    Bits must(Must(b), Must(b) + words_), may(May(b), May(b) + words_);
    ++epoch_;
    killed_.resize(function_->register_count, 0);
    for (uint32_t pc = blocks_[b].begin; ok() && pc < blocks_[b].end; ++pc) {
      if (!Decode(pc)) return;
      if (current_.info->opcode == Opcode::kPhi) CheckPhi(pc, must.data(), may.data());
      VisitRegisters([&](Role role, size_t index) {
        // Registers without bits were seen to be written in this block before they are read.
        const int32_t g = global_index_[index];
        if (role != Role::kWrite && role != Role::kPhi) {
          const bool holds = g < 0 || Get(must.data(), static_cast<size_t>(g));
          if (!holds)
            FailRead(pc, role, index, killed_[index] == epoch_ ? Local::kKilled : Local::kIncoming);
        }
        if (role == Role::kKill) killed_[index] = epoch_;
        Apply(role, index, must.data(), may.data());
      });
    }
  }

  void CheckPhi(uint32_t pc, const uint64_t* must, const uint64_t* may) {
    const size_t a = static_cast<size_t>(current_.operands[1].value);
    const size_t b = static_cast<size_t>(current_.operands[2].value);
    const auto ga = static_cast<size_t>(global_index_[a]);
    const auto gb = static_cast<size_t>(global_index_[b]);
    for (const auto& [reg, g] : {std::pair(a, ga), std::pair(b, gb)}) {
      if (!Get(may, g))
        return Fail(pc, StrCat("register %", reg, " holds nothing on any path to the phi"));
    }
    if (Get(must, ga) && Get(must, gb)) {
      return Fail(pc, StrCat("registers %", a, " and %", b,
                             " both hold a value on every path; phi needs exactly one"));
    }
    if ((mentions_.kinds[a] & mentions_.kinds[b]) == 0) {
      Fail(pc, StrCat("registers %", a, " and %", b, " hold values of different kinds"));
    }
  }

  const ExecutableParts& parts_;
  const VerifyOptions& options_;
  const FunctionInfo* function_ = nullptr;
  Status status_;
  int64_t failed_pc_ = -1;
  std::string reason_;
  Instruction current_;
  Mentions mentions_;
  bool has_phi_ = false;
  bool ends_block_ = false;
  std::vector<bool> leaders_;
  std::vector<Block> blocks_;
  std::vector<uint32_t> block_of_;
  std::vector<Local> local_;
  std::vector<uint64_t> written_;
  std::vector<uint64_t> killed_;
  uint64_t epoch_ = 0;
  std::vector<int32_t> global_index_;
  std::vector<uint32_t> globals_;
  size_t words_ = 0;
  Bits must_;
  Bits may_;
  std::vector<bool> reached_;
};

}  // namespace

Status VerifyUnlinked(const ExecutableParts& parts, VerifyFailure* failure) {
  VerifyOptions options;
  options.unlinked = true;
  FunctionVerifier verifier(parts, options);
  Status status = verifier.Run(parts.functions[0]);
  *failure = {0, verifier.failed_pc(), verifier.reason()};
  return status;
}

Status Verify(const ExecutableParts& parts, const VerifyOptions& options, VerifyFailure* failure) {
  TERN_TRY(CheckOffsets(parts));
  TERN_TRY(CheckFunctions(parts));
  TERN_TRY(CheckConstants(parts));
  TERN_TRY(CheckNames(parts));
  TERN_TRY(CheckTexts(parts));
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
