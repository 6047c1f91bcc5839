// SPDX-License-Identifier: Apache-2.0
// Specialising: patterns of one or two plain ops are replaced by an op with a handler of its own
// (superinstructions). Plain code stays as it is; wherever a pattern does not fit, the op is copied
// unchanged, so this pass can only make code faster, never wrong.
#include "core/vm/specialize.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace tern::vm {
namespace {

// Jumps become byte distances and registers byte offsets, so that the loop adds and does not
// multiply.
constexpr int32_t kDecodedBytes = sizeof(DecodedOp);
constexpr int32_t kRegisterBytes = sizeof(Any);
// `b` of a specialised op has 32 bits.
constexpr int64_t kMaxImm = std::numeric_limits<int32_t>::max();
constexpr int64_t kMinImm = std::numeric_limits<int32_t>::min();

class Specializer {
 public:
  explicit Specializer(const SpecializeInput& input) : in_(input) {}

  std::vector<DecodedOp> Run() {
    std::vector<DecodedOp> code(in_.plain.begin(), in_.plain.end());
    for (const FunctionInfo& function : in_.functions) {
      const uint32_t end = function.first_instruction + function.instruction_count;
      // Pairs are formed after both single forms are known. The second op keeps its own form, as a
      // jump may lead to it.
      for (uint32_t i = function.first_instruction; i < end; ++i) {
        code[i] = One(i, function);
        if (i + 1 < end) Fuse(i, &code[i]);
      }
    }
    return code;
  }

 private:
  static int32_t Offset(int32_t reg) { return reg * kRegisterBytes; }
  // From the op behind the instruction, as TERN_JUMP in interpreter.cc counts.
  static int32_t Distance(int32_t target, uint32_t from) {
    return (target - static_cast<int32_t>(from)) * kDecodedBytes;
  }
  // The int of a pool entry, if it is one that fits `b`.
  std::optional<int32_t> SmallInt(ValueRef ref) const {
    if (ref >= 0 || ref == kNoValue || ref == kVmValue) return std::nullopt;
    const TernAny& value = in_.pool[static_cast<size_t>(~ref)].c_any();
    if (value.type_code != TERN_TYPE_INT || value.v.i < kMinImm || value.v.i > kMaxImm)
      return std::nullopt;
    return static_cast<int32_t>(value.v.i);
  }

  DecodedOp One(uint32_t index, const FunctionInfo& function) const {
    const DecodedOp& op = in_.plain[index];
    switch (op.handler) {
      case Handler::kAdd:
      case Handler::kSub:
      case Handler::kMul: return Arithmetic(op);
      case Handler::kLt:
      case Handler::kLe:
      case Handler::kGt:
      case Handler::kGe:
      case Handler::kEq:
      case Handler::kNe: return Comparison(op);
      case Handler::kMove: return Registers(op, Handler::kMoveRR);
      // A function that checks its result needs the general ret.
      case Handler::kRet: return ChecksTypes(function) ? op : Ret(op, function.arity());
      case Handler::kCall: return Call(op);
      case Handler::kInvoke:
      case Handler::kInvokeClosure: return InvokeOf(op, index, function);
      case Handler::kGoto: {
        DecodedOp fast = op;
        fast.list = Distance(op.list, index + 1);
        return fast;
      }
      case Handler::kIf:
      case Handler::kIfEqual: return Branch(op, index);
      default: return op;
    }
  }

  bool ChecksTypes(const FunctionInfo& function) const {
    return in_.entries[static_cast<size_t>(&function - in_.functions.data())].checks_types;
  }

  // Whether the specialised call can check what the callee asks for.
  static bool IsCheckedByCodes(const EntryInfo& callee) {
    return !callee.checks_types || callee.codes != nullptr;
  }

  // dst and a, both registers.
  static DecodedOp Registers(const DecodedOp& op, Handler handler) {
    DecodedOp fast = op;
    fast.handler = handler;
    fast.dst = Offset(op.dst);
    fast.a = Offset(op.a);
    return fast;
  }
  static DecodedOp WithRegister(const DecodedOp& op, Handler handler) {
    DecodedOp fast = Registers(op, handler);
    fast.b = Offset(op.b);
    return fast;
  }
  // The op unchanged where the int does not fit; callers compare the handler.
  static DecodedOp WithInt(const DecodedOp& op, Handler handler, int64_t imm) {
    if (imm < kMinImm || imm > kMaxImm) return op;
    DecodedOp fast = Registers(op, handler);
    fast.b = static_cast<int32_t>(imm);
    return fast;
  }

  DecodedOp Arithmetic(const DecodedOp& op) const {
    const bool is_sub = op.handler == Handler::kSub;
    const bool is_mul = op.handler == Handler::kMul;
    if (op.a >= 0 && op.b >= 0) {
      return WithRegister(op, is_sub   ? Handler::kSubRR
                              : is_mul ? Handler::kMulRR
                                       : Handler::kAddRR);
    }
    // Addition and multiplication commute, so an int in front is moved behind.
    DecodedOp turned = op;
    if (op.a < 0 && op.b >= 0 && !is_sub) std::swap(turned.a, turned.b);
    const std::optional<int32_t> imm = SmallInt(turned.b);
    if (turned.a < 0 || !imm.has_value()) return op;
    // Subtracting an int is adding its negative, which saves handlers; -INT32_MIN does not fit and
    // stays plain.
    const DecodedOp fast = WithInt(turned, is_mul ? Handler::kMulRI : Handler::kAddRI,
                                   is_sub ? -int64_t{*imm} : int64_t{*imm});
    return fast.handler == turned.handler ? op : fast;
  }

  // The comparison that means the same with its operands exchanged.
  static Handler Turned(Handler handler) {
    switch (handler) {
      case Handler::kLt: return Handler::kGt;
      case Handler::kLe: return Handler::kGe;
      case Handler::kGt: return Handler::kLt;
      case Handler::kGe: return Handler::kLe;
      default: return handler;
    }
  }

  // There are handlers for fewer comparisons than there are opcodes: the others are turned around.
  DecodedOp Comparison(const DecodedOp& op) const {
    DecodedOp turned = op;
    const bool is_greater = op.handler == Handler::kGt || op.handler == Handler::kGe;
    if ((op.a < 0 && op.b >= 0) || (is_greater && op.a >= 0 && op.b >= 0)) {
      std::swap(turned.a, turned.b);
      turned.handler = Turned(op.handler);
    }
    // After turning, only Lt, Le, Eq and Ne are left for two registers.
    if (turned.a >= 0 && turned.b >= 0) {
      return WithRegister(turned, turned.handler == Handler::kLt   ? Handler::kLtRR
                                  : turned.handler == Handler::kLe ? Handler::kLeRR
                                  : turned.handler == Handler::kEq ? Handler::kEqRR
                                                                   : Handler::kNeRR);
    }
    const std::optional<int32_t> imm = SmallInt(turned.b);
    if (turned.a < 0 || !imm.has_value()) return op;
    const DecodedOp fast = CompareInt(turned, *imm);
    return fast.handler == turned.handler ? op : fast;
  }

  // x <= i is x < i + 1 and x >= i is x > i - 1 for ints; the sums are of 64 bits and WithInt
  // refuses what does not fit.
  static DecodedOp CompareInt(const DecodedOp& op, int64_t imm) {
    switch (op.handler) {
      case Handler::kLt: return WithInt(op, Handler::kLtRI, imm);
      case Handler::kLe: return WithInt(op, Handler::kLtRI, imm + 1);
      case Handler::kGt: return WithInt(op, Handler::kGtRI, imm);
      case Handler::kGe: return WithInt(op, Handler::kGtRI, imm - 1);
      case Handler::kEq: return WithInt(op, Handler::kEqRI, imm);
      default: return WithInt(op, Handler::kNeRI, imm);
    }
  }

  // By where the value lies: an own register is moved out, a parameter may be lent and is copied, a
  // pool entry is shared.
  static DecodedOp Ret(const DecodedOp& op, uint32_t arity) {
    DecodedOp fast = op;
    fast.handler = op.a < 0                              ? Handler::kRetPool
                   : static_cast<uint32_t>(op.a) < arity ? Handler::kRetParameter
                                                         : Handler::kRetOwned;
    if (op.a >= 0) fast.a = Offset(op.a);
    return fast;
  }

  // Calls of functions. An argument that is killed right behind the call, or overwritten by its
  // result, is released when the callee has it (interpreter.cc, ReleaseOperands).
  DecodedOp InvokeOf(const DecodedOp& op, uint32_t index, const FunctionInfo& function) const {
    DecodedOp fast = op;
    if (op.handler == Handler::kInvoke && IsCheckedByCodes(in_.entries[static_cast<size_t>(op.a)]))
      fast.handler = Handler::kInvokeFrame;
    const bool is_last = index + 1 == function.first_instruction + function.instruction_count;
    const DecodedOp& next = in_.plain[is_last ? index : index + 1];
    for (const int32_t ref : ListOf(op)) {
      if (ref >= 0 && DiesAt(op, next, ref, in_.lists)) fast.flags |= kReleasesOperands;
    }
    return fast;
  }
  std::span<const int32_t> ListOf(const DecodedOp& op) const {
    return in_.lists.subspan(static_cast<size_t>(op.list), static_cast<size_t>(op.count));
  }

  // The two builtins of shape heaps, as ops of their own: the heap and the index as `a` and `b`,
  // the extent as `list`. They stay values, not offsets, since they may be constants.
  DecodedOp Call(const DecodedOp& op) const {
    DecodedOp fast = op;
    const int32_t* values = in_.lists.data() + op.list;
    if (op.a == in_.load_dim && op.count == 2 && op.dst >= 0) {
      fast.handler = Handler::kLoadDim;
      fast.dst = Offset(op.dst);
    } else if (op.a == in_.store_dim && op.count == 3 && op.dst < 0) {
      fast.handler = Handler::kStoreDim;
      fast.list = values[2];
    } else {
      return op;
    }
    // The machine is no value of the pool.
    if ((op.flags & kPassesVm) != 0) return op;
    fast.a = values[0];
    fast.b = values[1];
    return fast;
  }

  DecodedOp Branch(const DecodedOp& op, uint32_t index) const {
    DecodedOp fast = op;
    fast.list = Distance(op.list, index + 1);
    fast.count = Distance(op.count, index + 1);
    if (op.handler == Handler::kIf) {
      fast.a = Offset(op.a);
      // if_equal with a constant that is no small int stays general; only its targets change.
    } else if (op.b >= 0) {
      fast.handler = Handler::kIfEqualRR;
      fast.a = Offset(op.a);
      fast.b = Offset(op.b);
    } else if (const std::optional<int32_t> imm = SmallInt(op.b); imm.has_value()) {
      fast.handler = Handler::kIfEqualRI;
      fast.a = Offset(op.a);
      fast.b = *imm;
    }
    return fast;
  }

  static std::optional<Handler> WithBranch(Handler handler) {
    switch (handler) {
      case Handler::kLtRR: return Handler::kIfLtRR;
      case Handler::kLeRR: return Handler::kIfLeRR;
      case Handler::kEqRR: return Handler::kIfEqRR;
      case Handler::kNeRR: return Handler::kIfNeRR;
      case Handler::kLtRI: return Handler::kIfLtRI;
      case Handler::kGtRI: return Handler::kIfGtRI;
      case Handler::kEqRI: return Handler::kIfEqRI;
      case Handler::kNeRI: return Handler::kIfNeRI;
      default: return std::nullopt;
    }
  }

  // Joins op `index` and the one behind it where there is a handler for the two. The comparison's
  // result is still written, because other code may read it.
  void Fuse(uint32_t index, DecodedOp* op) const {
    const DecodedOp& first = in_.plain[index];
    const DecodedOp& next = in_.plain[index + 1];
    // A counting loop's last two instructions.
    if (next.handler == Handler::kGoto && op->handler == Handler::kAddRI) {
      op->handler = Handler::kAddRIGoto;
      op->list = Distance(next.list, index + 2);
      return;
    }
    const std::optional<Handler> fused = WithBranch(op->handler);
    // The branch must test what the comparison wrote.
    if (next.handler != Handler::kIf || next.a != first.dst || !fused.has_value()) return;
    op->handler = *fused;
    op->list = Distance(next.list, index + 2);
    op->count = Distance(next.count, index + 2);
  }

  const SpecializeInput& in_;
};

}  // namespace

bool DiesAt(const DecodedOp& call, const DecodedOp& next, int32_t reg,
            std::span<const int32_t> lists) {
  // The result takes the register's place.
  if (reg == call.dst) return true;
  if (next.handler != Handler::kKill) return false;
  const std::span<const int32_t> killed =
      lists.subspan(static_cast<size_t>(next.list), static_cast<size_t>(next.count));
  return std::find(killed.begin(), killed.end(), reg) != killed.end();
}

namespace {

// What computes with registers alone. Calls that may fail, and all that looks into objects, which
// may hold something else when the run is done again, are not among it; nor are instructions that
// make objects, as those would be others.
bool MayRunAhead(Handler handler) {
  switch (handler) {
    case Handler::kGoto:
    case Handler::kIf:
    case Handler::kMove:
    case Handler::kLoadConst:
    case Handler::kKill:
    case Handler::kMoveRR:
    case Handler::kInvokeFrame:
    case Handler::kIfEqualRR:
    case Handler::kIfEqualRI: return true;
    default:
      return (handler >= Handler::kAdd && handler <= Handler::kToBool) ||
             (handler >= Handler::kAddRR && handler <= Handler::kIfNeRI);
  }
}

bool IsReturn(Handler handler) {
  return handler == Handler::kRet || handler == Handler::kRetOwned ||
         handler == Handler::kRetParameter || handler == Handler::kRetPool;
}

}  // namespace

std::vector<DecodedOp> AheadCode(std::span<const DecodedOp> code,
                                 std::span<const DecodedOp> plain) {
  std::vector<DecodedOp> ahead(code.begin(), code.end());
  for (size_t i = 0; i < ahead.size(); ++i) {
    DecodedOp& op = ahead[i];
    // Arguments stay where they are until the code kills them, as in a run that is told.
    op.flags &= static_cast<uint16_t>(~kReleasesOperands);
    if (IsReturn(op.handler)) {
      op = plain[i];
      op.handler = Handler::kRetInner;
    } else if (!MayRunAhead(op.handler)) {
      op.handler = Handler::kLeave;
    }
  }
  return ahead;
}

std::vector<DecodedOp> Specialize(const SpecializeInput& input) { return Specializer(input).Run(); }

// A write or a kill of a parameter would hit the caller's value, which is only lent.
bool LeavesParametersAlone(const FunctionInfo& function, std::span<const DecodedOp> plain,
                           std::span<const int32_t> lists) {
  const auto is_parameter = [&](int32_t reg) {
    return reg >= 0 && static_cast<uint32_t>(reg) < function.arity();
  };
  for (uint32_t i = 0; i < function.instruction_count; ++i) {
    const DecodedOp& op = plain[function.first_instruction + i];
    if (is_parameter(op.dst)) return false;
    if (op.handler != Handler::kKill) continue;
    const std::span<const int32_t> killed =
        lists.subspan(static_cast<size_t>(op.list), static_cast<size_t>(op.count));
    if (std::any_of(killed.begin(), killed.end(), is_parameter)) return false;
  }
  return true;
}

}  // namespace tern::vm
