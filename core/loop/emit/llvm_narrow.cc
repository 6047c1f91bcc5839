// SPDX-License-Identifier: Apache-2.0
// Loops of processors with 32 bits. Loop programs count in 64; nothing there has 2^30 elements, so
// counters of 32 are as good, and LLVM makes loop instructions of them. Of a loop of vectors it
// then finds that the mask is the loop's own end (MVE's dlstp and letp), provided that the number
// of steps is written as the rounded-up one and tested behind the body.
#include <bit>

#include "core/base/strings.h"
#include "core/loop/emit/llvm_function.h"

namespace tern::loop {
namespace {

// Counters and steps lie between its negative and it, so that no sum of the two overflows.
constexpr int64_t kNarrowLimit = int64_t{1} << 30;

bool IsKnownNarrow(const Expr& value) {
  const IntImm* constant = AsInt(value);
  return constant != nullptr && constant->value >= -kNarrowLimit && constant->value < kNarrowLimit;
}

// The step, where it is a constant power of two above 1; else 0.
int64_t StepOfVectors(const For& loop) {
  const IntImm* step = AsInt(loop.range.step);
  if (step == nullptr || step->value < 2) return 0;
  return std::has_single_bit(static_cast<uint64_t>(step->value)) ? step->value : 0;
}

}  // namespace

// The end of such a loop would be cut off, and the loop be wrong without a word.
std::string LlvmFunction::Narrow(const std::string& value, bool is_known) {
  if (!is_known) {
    const std::string fits = Fresh("fits"), never = Fresh("too.long");
    const std::string above = Let(StrCat("add i64 ", value, ", ", kNarrowLimit));
    Branch(Let(StrCat("icmp ult i64 ", above, ", ", 2 * kNarrowLimit)), fits, never);
    Label(never);
    CallIntrinsic("trap", "void", {});
    Line("unreachable");
    Label(fits);
  }
  return Let(StrCat("trunc i64 ", value, " to i32"));
}

void LlvmFunction::WriteNarrowSteps(const For& loop, const std::string& first,
                                    const std::string& end) {
  const std::string& hint = loop.var->name;
  const For::Range& range = loop.range;
  const bool is_first_known = IsKnownNarrow(range.min);
  const std::string begin = Narrow(first, is_first_known);
  const std::string limit =
      Narrow(end, is_first_known && IsKnownNarrow(Add(range.min, range.extent)));
  const std::string step = Narrow(Value(range.step), IsKnownNarrow(range.step));
  std::string last = limit;
  const int64_t vector = StepOfVectors(loop);
  if (vector != 0) {
    const std::string count = Let(StrCat("sub i32 ", limit, ", ", begin));
    const std::string more = Let(StrCat("add i32 ", count, ", ", vector - 1));
    last = Let(StrCat("add i32 ", begin, ", ", Let(StrCat("and i32 ", more, ", ", -vector))));
  }
  const std::string before = block_;
  const std::string body = Fresh(StrCat(hint, ".body"));
  const std::string latch = Fresh(StrCat(hint, ".next")), done = Fresh(StrCat(hint, ".done"));
  const std::string counter = StrCat("%", Fresh(StrCat(hint, ".count")));
  const std::string next = StrCat("%", Fresh(StrCat(hint, ".after")));
  Branch(Let(StrCat("icmp slt i32 ", begin, ", ", limit)), body, done);
  Label(body);
  Line(StrCat(counter, " = phi i32 [ ", begin, ", %", before, " ], [ ", next, ", %", latch, " ]"));
  variables_[loop.var.get()] = Let(StrCat("sext i32 ", counter, " to i64"), hint);
  narrow_loops_[loop.var.get()] = &loop;
  Statement(loop.body);
  narrow_loops_.erase(loop.var.get());
  Jump(latch);
  Label(latch);
  Line(StrCat(next, " = add nsw i32 ", counter, ", ", step));
  // Equality is what LLVM knows the steps by; it is right where a step lands on the end.
  const char* more = vector != 0 ? "icmp ne i32 " : "icmp slt i32 ";
  Line(StrCat("br i1 ", Let(StrCat(more, next, ", ", last)), ", label %", body, ", label %", done,
              LoopHint(loop.traits.role, loop.body)));
  Label(done);
}

// The mask asks what is left of the very range that the loop goes through. Its first step is not
// negative then, nor is the end, so that they may be compared without signs.
bool LlvmFunction::IsTailOfLoop(const LaneMask& mask) const {
  const Var* base = mask.base->As<Var>();
  if (!IsNarrow() || base == nullptr) return false;
  const auto found = narrow_loops_.find(base);
  if (found == narrow_loops_.end()) return false;
  const For& loop = *found->second;
  const IntImm* min = AsInt(loop.range.min);
  return min != nullptr && min->value == 0 && SameExpr(mask.bound, loop.range.extent);
}

std::string LlvmFunction::ComputeTail(const LaneMask& mask) {
  const std::string base = Let(StrCat("trunc i64 ", Value(mask.base), " to i32"));
  const std::string bound = Let(StrCat("trunc i64 ", Value(mask.bound), " to i32"));
  return CallIntrinsic(StrCat("get.active.lane.mask.", LlvmSuffix(mask.type), ".i32"),
                       LlvmType(mask.type), {StrCat("i32 ", base), StrCat("i32 ", bound)});
}

}  // namespace tern::loop
