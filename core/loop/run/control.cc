// SPDX-License-Identifier: Apache-2.0
#include "core/loop/run/control.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tern::loop {
namespace {

size_t Number(int64_t reg) { return static_cast<size_t>(reg); }

// --- which operations control depends on

// A backward slice (Weiser, "Program slicing", 1981) from jumps, indices and masks: what they
// depend on.
class Slicer {
 public:
  explicit Slicer(const Tape& tape) : tape_(tape), needed_registers_(tape.registers.size()) {}

  void Run(ControlPlan* plan) {
    plan->needed.assign(tape_.code.size(), 0);
    // Shapes are always computed: bounds checks need them.
    std::fill_n(plan->needed.begin(), tape_.shape_end, uint8_t{1});
    // The roots of the slice.
    for (const TapeInstruction& op : tape_.code) NeedRoots(op);
    // Until nothing is added: loops hand registers back to operations before.
    for (bool grew = true; grew;) {
      grew = false;
      // Backwards, so that straight code needs one round; each further round follows a loop.
      for (size_t pc = tape_.code.size(); pc-- > tape_.shape_end;) {
        const TapeInstruction& op = tape_.code[pc];
        if (plan->needed[pc] != 0 || op.dst < 0 || !needed_registers_[Number(op.dst)]) continue;
        plan->needed[pc] = 1;
        plan->reads_memory |= op.op == TapeOp::kLoad;
        for (int32_t operand : {op.a, op.b, op.c}) Need(operand);
        grew = true;
      }
    }
  }

 private:
  void Need(int32_t reg) {
    if (reg >= 0) needed_registers_[Number(reg)] = true;
  }
  // Jumps depend on their condition, accesses on index and mask, not on the data.
  void NeedRoots(const TapeInstruction& op) {
    const bool accesses = op.op == TapeOp::kLoad || op.op == TapeOp::kStore;
    if (accesses || op.op == TapeOp::kJumpUnless) Need(op.a);
    if (accesses) Need(op.b);
  }

  const Tape& tape_;
  std::vector<bool> needed_registers_;
};

// --- innermost loops

bool JumpsBack(const Tape& tape, size_t pc) {
  return tape.code[pc].op == TapeOp::kJump && tape.code[pc].imm <= static_cast<int64_t>(pc);
}

// How often control's operations set each register.
std::vector<int32_t> CountDefinitions(const Tape& tape, const ControlPlan& plan, size_t begin,
                                      size_t end) {
  std::vector<int32_t> counts(tape.registers.size());
  for (size_t pc = begin; pc < end; ++pc) {
    if (plan.needed[pc] != 0 && tape.code[pc].dst >= 0) ++counts[Number(tape.code[pc].dst)];
  }
  return counts;
}

// A register that is set both in the loop and outside of it carries a value from one iteration to
// the next. Whatever else an iteration reads and sets, it sets first.
TapeLoop LookAtLoop(const Tape& tape, const ControlPlan& plan, std::span<const int32_t> definitions,
                    size_t back) {
  TapeLoop loop;
  loop.top = static_cast<size_t>(tape.code[back].imm);
  loop.back = back;
  const std::vector<int32_t> inside = CountDefinitions(tape, plan, loop.top, back);
  for (size_t reg = 0; reg < inside.size(); ++reg) {
    if (inside[reg] == 0) continue;
    // More than one operation sets it: its gain would depend on the jumps.
    loop.is_plain &= inside[reg] == 1;
    if (inside[reg] == definitions[reg]) continue;
    loop.carried.push_back(static_cast<int32_t>(reg));
    // Other carried types wrap or are rounded, so that gains do not add up.
    loop.is_plain &= tape.registers[reg] == kIndexType;
  }
  return loop;
}

// A loop whose jump back reaches no further than the last jump back holds no other loop.
void FindLoops(const Tape& tape, ControlPlan* plan) {
  const std::vector<int32_t> definitions = CountDefinitions(tape, *plan, 0, tape.code.size());
  int64_t last_back = -1;
  for (size_t pc = 0; pc < tape.code.size(); ++pc) {
    if (!JumpsBack(tape, pc)) continue;
    if (tape.code[pc].imm > last_back)
      plan->loops.push_back(LookAtLoop(tape, *plan, definitions, pc));
    last_back = static_cast<int64_t>(pc);
  }
}

// --- what one iteration adds

// Follows the iteration that has just ended along its jumps, with what each register gains from one
// iteration to the next (induction variables), and keeps how often that can go on.
class IterationStep {
 public:
  // Carried registers gain what they gained in the iteration that was run; Run checks that
  // assumption.
  IterationStep(const ControlPlan& plan, const TapeLoop& loop, const RegisterView& now,
                std::span<const int64_t> before, int64_t tail)
      : plan_(plan), loop_(loop), now_(now), before_(before), tail_(tail) {
    const size_t registers = now.tape.registers.size();
    gains_.assign(registers, Gain{0});
    definition_.assign(registers, -1);
    for (size_t i = 0; i < loop.carried.size(); ++i) {
      int64_t gain = 0;
      const int32_t reg = loop.carried[i];
      overflow_ |= __builtin_sub_overflow(now.At(reg)->i, before[i], &gain);
      gains_[Number(reg)] = gain;
    }
  }

  AlikeIterations Run() {
    const std::vector<Gain> assumed = gains_;
    if (overflow_ || !Follow()) return {};
    // The operations must give the gains that were assumed, otherwise the run only looked regular.
    for (int32_t reg : loop_.carried) {
      const bool is_set = definition_[Number(reg)] >= 0;
      const Gain got = is_set ? gains_[Number(reg)] : Gain{0};
      if (got != assumed[Number(reg)]) return {};
    }
    // No test limits it, the limit is used up, or an access would leave its buffer.
    if (limit_ == INT64_MAX || limit_ <= 0 || !StaysInside()) return {};
    return {limit_, std::move(steps_)};
  }

 private:
  using Gain = std::optional<int64_t>;  // none: not known to be the same each time

  struct Span {
    int64_t least, greatest, gain, elements;
  };

  // A register that the operation does not have counts as fixed.
  Gain GainOf(int32_t reg) const { return reg < 0 ? Gain{0} : gains_[Number(reg)]; }
  bool IsFixed(int32_t reg) const { return GainOf(reg) == Gain{0}; }
  int64_t LanesOf(int32_t reg) const { return now_.LanesOf(reg); }
  // The value that the operations of the iteration have read so far.
  // Carried registers hold their old value until the iteration sets them; lanes of others are still
  // there.
  int64_t Value(int32_t reg, int64_t lane = 0) const {
    if (definition_[Number(reg)] < 0) {
      for (size_t i = 0; i < loop_.carried.size(); ++i) {
        if (loop_.carried[i] == reg) return before_[i];
      }
    }
    return now_.At(reg)[lane].i;
  }

  // False where the iteration cannot be told to repeat.
  bool Follow() {
    for (size_t pc = loop_.top; pc < loop_.back;) {
      const TapeInstruction& op = now_.tape.code[pc++];
      switch (op.op) {
        case TapeOp::kJump: pc = Number(op.imm); break;
        case TapeOp::kJumpUnless:
          // The loop's own exit. Every other jump must have a condition that stays as it is.
          if (op.imm > static_cast<int64_t>(loop_.back)) {
            if (!LimitByTest(op)) return false;
            break;
          }
          if (!IsFixed(op.a)) return false;
          if (Value(op.a) == 0) pc = Number(op.imm);
          break;
        case TapeOp::kLoad:
        case TapeOp::kStore:
          if (!NoteAccess(op)) return false;
          break;
#define TERN_TAPE_LANES(Name, meaning) case TapeOp::k##Name:
#define TERN_TAPE_WHOLE(Name, meaning) case TapeOp::k##Name:
#define TERN_TAPE_STEP(Name, meaning) case TapeOp::k##Name:
#include "core/loop/run/tape_ops.def"
          if (plan_.needed[pc - 1] == 0 || op.dst < 0) break;
          gains_[Number(op.dst)] = GainBy(op);
          definition_[Number(op.dst)] = static_cast<int64_t>(pc) - 1;
      }
    }
    return true;
  }

  // The test at the loop's top: variable < end.
  bool LimitByTest(const TapeInstruction& jump) {
    const int64_t at = definition_[Number(jump.a)];
    if (at < 0) return false;
    const TapeInstruction& test = now_.tape.code[Number(at)];
    const bool compares =
        test.op == TapeOp::kBinary && static_cast<BinaryOp>(test.sub) == BinaryOp::kLt;
    if (!compares || now_.tape.registers[Number(test.a)] != kIndexType) return false;
    // The variable must come nearer to a fixed end.
    const Gain step = GainOf(test.a);
    if (!IsFixed(test.b) || !step || *step <= 0) return false;
    int64_t next = 0, left = 0;
    if (__builtin_add_overflow(Value(test.a), *step, &next)) return false;
    const int64_t end = Value(test.b);
    if (next >= end || __builtin_sub_overflow(end, next, &left)) return false;
    // As many steps as keep next + k * step below the end.
    Limit((left - 1) / *step + 1);
    return true;
  }
  void Limit(int64_t iterations) { limit_ = std::min(limit_, iterations - tail_); }

  // The gain of a mask: 0 while it has all lanes, which holds as long as base and lanes are below
  // the bound. The iteration with a partial mask is run on its own.
  Gain GainOfMask(const TapeInstruction& op) {
    if (IsFixed(op.a) && IsFixed(op.b)) return 0;
    const Gain step = GainOf(op.a);
    if (!IsFixed(op.b) || !step || *step <= 0) return {};
    int64_t room = 0;
    if (__builtin_sub_overflow(Value(op.b), Value(op.a), &room)) return {};
    if (room < LanesOf(op.dst)) return {};
    Limit((room - LanesOf(op.dst)) / *step);
    return 0;
  }

  Gain Sum(Gain a, Gain b) const {
    int64_t sum = 0;
    if (!a || !b || __builtin_add_overflow(*a, *b, &sum)) return {};
    return sum;
  }
  // All lanes of the fixed factor must be equal, otherwise lanes gain differently.
  Gain Product(int32_t changing, int32_t fixed) const {
    for (int64_t lane = 1; lane < LanesOf(fixed); ++lane) {
      if (Value(fixed, lane) != Value(fixed)) return {};
    }
    int64_t product = 0;
    const Gain gain = GainOf(changing);
    if (!gain || !IsFixed(fixed) || __builtin_mul_overflow(*gain, Value(fixed), &product))
      return {};
    return product;
  }

  // The gain is one number for all lanes; operations that would need more give none.
  Gain GainBy(const TapeInstruction& op) {
    if (op.op == TapeOp::kLaneMask) return GainOfMask(op);
    if (IsFixed(op.a) && IsFixed(op.b) && IsFixed(op.c)) return 0;
    // Narrower numbers wrap around.
    if (now_.tape.registers[Number(op.dst)].element() != kIndexType.element()) return {};
    if (op.op == TapeOp::kBinary) return GainByBinary(op);
    if (op.op == TapeOp::kCopy || op.op == TapeOp::kBroadcast) return GainOf(op.a);
    if (op.op == TapeOp::kRamp) return IsFixed(op.b) ? GainOf(op.a) : Gain{};
    if (op.op == TapeOp::kLoopStep || op.op == TapeOp::kLoopEnd)
      return Sum(GainOf(op.a), GainOf(op.b));
    return {};
  }
  Gain GainByBinary(const TapeInstruction& op) const {
    const Gain b = GainOf(op.b);
    const auto binary = static_cast<BinaryOp>(op.sub);
    if (binary == BinaryOp::kAdd) return Sum(GainOf(op.a), b);
    if (binary == BinaryOp::kSub) return !b || *b == INT64_MIN ? Gain{} : Sum(GainOf(op.a), -*b);
    if (binary != BinaryOp::kMul) return {};
    return IsFixed(op.b) ? Product(op.a, op.b) : Product(op.b, op.a);
  }

  // Remembers how far the active lanes reach, for StaysInside.
  bool NoteAccess(const TapeInstruction& op) {
    const Gain gain = GainOf(op.a);
    if (!gain || !IsFixed(op.b)) return false;
    steps_.push_back(*gain);
    bool any = false;
    Span span{INT64_MAX, INT64_MIN, *gain, now_.elements[Number(op.buffer)]};
    for (int64_t lane = 0; lane < LanesOf(op.a); ++lane) {
      if (op.b >= 0 && Value(op.b, lane) == 0) continue;
      span.least = std::min(span.least, Value(op.a, lane));
      span.greatest = std::max(span.greatest, Value(op.a, lane));
      any = true;
    }
    if (any) spans_.push_back(span);
    return true;
  }

  // Indices move by the same step each time, so that between elements inside at both ends all
  // others are.
  bool StaysInside() const {
    return std::all_of(spans_.begin(), spans_.end(), [&](const Span& span) {
      int64_t way = 0, least = 0, greatest = 0;
      if (__builtin_mul_overflow(span.gain, limit_, &way)) return false;
      if (__builtin_add_overflow(span.least, way, &least)) return false;
      if (__builtin_add_overflow(span.greatest, way, &greatest)) return false;
      return least >= 0 && greatest < span.elements;
    });
  }

  const ControlPlan& plan_;
  const TapeLoop& loop_;
  const RegisterView& now_;
  const std::span<const int64_t> before_;
  const int64_t tail_;
  std::vector<Gain> gains_;
  std::vector<int64_t> definition_;  // by register: which operation has set it so far, or -1
  std::vector<Span> spans_;
  std::vector<int64_t> steps_;
  int64_t limit_ = INT64_MAX;
  bool overflow_ = false;
};

}  // namespace

const TapeLoop* ControlPlan::LoopEndingAt(size_t back) const {
  for (const TapeLoop& loop : loops) {
    if (loop.back == back) return &loop;
  }
  return nullptr;
}

ControlPlan PlanControl(const Tape& tape) {
  ControlPlan plan;
  Slicer(tape).Run(&plan);
  FindLoops(tape, &plan);
  return plan;
}

AlikeIterations CountAlike(const ControlPlan& plan, const TapeLoop& loop, const RegisterView& now,
                           std::span<const int64_t> before, int64_t tail) {
  if (!loop.is_plain) return {};
  return IterationStep(plan, loop, now, before, tail).Run();
}

}  // namespace tern::loop
