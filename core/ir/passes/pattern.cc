// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/pattern.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/ir/splat.h"
#include "core/ops/dims.h"
#include "core/ops/math_attrs.h"

namespace tern::ir {

namespace {

using ops::Op;
using Kind = Pattern::Kind;
using Step = Pattern::Step;

// Numbers are rounded to f32, products of them several times.
constexpr double kTolerance = 1e-6;
// Of operands inside of operands: no pattern has more.
constexpr int kMostDepth = 6;

bool IsNear(double a, double b) { return std::fabs(a - b) <= kTolerance * std::fabs(b); }

bool ReadNumber(const Expr& expr, double* value) {
  const Tensor* tensor = ConstantWindow(expr);
  return tensor != nullptr && tensor->element_count() == 1 && UniformValue(*tensor, value);
}

// Behind the parts of a step.
const Step* EndOf(const Step* step) {
  const Step* end = step + 1;
  for (int i = 0; i < step->parts; ++i) end = EndOf(end);
  return end;
}

// An operand of a product: inverse where it is divided by it.
struct PatternTerm {
  Expr value;
  bool inverse = false;
};

struct PatternTerms {
  double number = 0;
  std::vector<PatternTerm> rest;
};

class PatternMatcher {
 public:
  PatternMatcher(const CallsByVar& calls, const UsesByAtom& uses) : calls_(calls), uses_(uses) {}

  bool Run(const Pattern& pattern, const Expr& root, PatternMatch* match) {
    if (!Matches(pattern.steps, root) || !IsClosed(root)) return false;
    *match = std::move(match_);
    return true;
  }

 private:
  const Call* CallOf(const Expr& value) const {
    const Call* const* found = calls_.Find(value.get());
    return found == nullptr ? nullptr : *found;
  }
  int UsesOf(const Expr& value) const {
    const int* found = uses_.Find(value.get());
    return found == nullptr ? 0 : *found;
  }
  void Enter(const Expr& value) {
    std::vector<const Node*>& members = match_.members;
    if (std::find(members.begin(), members.end(), value.get()) == members.end())
      members.push_back(value.get());
  }

  bool Matches(const Step* pattern, const Expr& value) {
    switch (pattern->kind) {
      case Kind::kNumber:
      case Kind::kEpsilon: return false;  // parts of sums and products only
      case Kind::kValue: {
        Expr& known = match_.values[pattern->slot];
        if (!known) known = value;
        return known == value;
      }
      case Kind::kSum:
      case Kind::kProduct: return MatchesTerms(pattern, value);
      case Kind::kFunction: return MatchesCall(pattern, value);
    }
    return false;
  }

  bool MatchesCall(const Step* pattern, const Expr& value) {
    const Call* call = CallOf(value);
    if (call == nullptr || !call->Is(pattern->op)) return false;
    if (call->Is(Op::k_reduce_mean) && !TakesMean(*call)) return false;
    Enter(value);
    const Step* part = pattern + 1;
    for (size_t i = 0; i < pattern->parts; ++i, part = EndOf(part)) {
      if (!Matches(part, call->args()[i])) return false;
    }
    return true;
  }

  bool TakesMean(const Call& call) {
    const types::TensorType* type = TensorTypeOf(call.args()[0]);
    const ops::ReduceAttrs attrs = ops::ReduceAttrs::From(call.attrs()).value();
    if (type == nullptr || call.args().size() > 1 || !attrs.keep_dims || attrs.axes.empty())
      return false;
    const int rank = type->rank(), count = static_cast<int>(attrs.axes.size());
    uint64_t reduced = 0;
    for (int64_t axis : attrs.axes) {
      int resolved = 0;
      if (!ops::ResolveAxis(axis, rank, &resolved).ok()) return false;
      reduced |= uint64_t{1} << resolved;
    }
    const uint64_t trailing = ((uint64_t{1} << count) - 1) << (rank - count);
    if (reduced != trailing || (match_.first_axis >= 0 && match_.first_axis != rank - count))
      return false;
    match_.first_axis = rank - count;
    return true;
  }

  // --- sums and products

  bool MatchesTerms(const Step* pattern, const Expr& value) {
    const bool sum = pattern->kind == Kind::kSum;
    PatternTerms terms;
    terms.number = sum ? 0 : 1;
    if (sum ? !OpenSum(value, 0, &terms) : !OpenProduct(value, 0, &terms)) return false;
    if (terms.rest.size() != pattern->parts) return false;
    if (pattern->any_number)
      match_.epsilon = terms.number;
    else if (!IsNear(terms.number, static_cast<double>(pattern->number)))
      return false;
    // What says more about its operand first, so that little is tried in vain.
    std::vector<const Step*> parts;
    for (const bool values : {false, true}) {
      const Step* part = pattern + 1;
      for (size_t i = 0; i < pattern->parts; ++i, part = EndOf(part)) {
        if ((part->kind == Kind::kValue) == values) parts.push_back(part);
      }
    }
    return Assign(parts, &terms.rest);
  }

  // Tries each term for the first part, and for the parts behind it what is left.
  bool Assign(std::span<const Step* const> parts, std::vector<PatternTerm>* rest) {
    if (parts.empty()) return true;
    const PatternMatch before = match_;
    for (PatternTerm& term : *rest) {
      if (!term.value) continue;
      const PatternTerm tried = std::exchange(term, {});
      if (MatchesTerm(parts[0], tried) && Assign(parts.subspan(1), rest)) return true;
      term = tried;
      match_ = before;
    }
    return false;
  }

  // One over a root is written as rsqrt, as a quotient, and as a power of -1/2.
  bool MatchesTerm(const Step* part, const PatternTerm& term) {
    if (part->kind != Kind::kFunction || part->op != Op::k_rsqrt)
      return !term.inverse && Matches(part, term.value);
    const Call* call = CallOf(term.value);
    double power = 0;
    if (call == nullptr) return false;
    if (call->Is(Op::k_pow)) {
      if (!ReadNumber(call->args()[1], &power) || power != (term.inverse ? 0.5 : -0.5))
        return false;
    } else if (!call->Is(term.inverse ? Op::k_sqrt : Op::k_rsqrt)) {
      return false;
    }
    Enter(term.value);
    return Matches(part + 1, call->args()[0]);
  }

  // The call behind an operand of a chain, if nothing else reads it, or it is the first.
  const Call* Opened(const Expr& value, int depth) const {
    return depth == 0 || UsesOf(value) == 1 ? CallOf(value) : nullptr;
  }

  // False where there is no chain at all, or a longer one than any pattern has.
  bool OpenSum(const Expr& value, int depth, PatternTerms* terms) {
    double number = 0;
    if (ReadNumber(value, &number)) {
      terms->number += number;
      return true;
    }
    const Call* call = Opened(value, depth);
    const bool sum = call != nullptr && call->Is(Op::k_add);
    const bool shift =
        call != nullptr && call->Is(Op::k_sub) && ReadNumber(call->args()[1], &number);
    if (!sum && !shift) {
      terms->rest.push_back({value, false});
      return depth > 0;
    }
    if (depth == kMostDepth) return false;
    Enter(value);
    if (shift) terms->number -= number;
    return OpenSum(call->args()[0], depth + 1, terms) &&
           (shift || OpenSum(call->args()[1], depth + 1, terms));
  }

  bool OpenProduct(const Expr& value, int depth, PatternTerms* terms) {
    double number = 0;
    if (ReadNumber(value, &number)) {
      terms->number *= number;
      return true;
    }
    const Call* call = Opened(value, depth);
    if (depth == kMostDepth) return false;
    if (call != nullptr && call->Is(Op::k_mul)) {
      Enter(value);
      return OpenProduct(call->args()[0], depth + 1, terms) &&
             OpenProduct(call->args()[1], depth + 1, terms);
    }
    if (call != nullptr && call->Is(Op::k_div)) {
      Enter(value);
      AddInverse(call->args()[1], terms);
      return OpenProduct(call->args()[0], depth + 1, terms);
    }
    if (call != nullptr && call->Is(Op::k_reciprocal)) {
      Enter(value);
      AddInverse(call->args()[0], terms);
      return true;
    }
    if (call != nullptr && call->Is(Op::k_pow) && ReadNumber(call->args()[1], &number) &&
        (number == 2 || number == 3)) {
      Enter(value);
      for (int i = 0; i < static_cast<int>(number); ++i)
        terms->rest.push_back({call->args()[0], false});
      return true;
    }
    terms->rest.push_back({value, false});
    return depth > 0;
  }

  static void AddInverse(const Expr& value, PatternTerms* terms) {
    double number = 0;
    if (ReadNumber(value, &number))
      terms->number /= number;
    else
      terms->rest.push_back({value, true});
  }

  // Whether members but the root are read by members alone.
  bool IsClosed(const Expr& root) const {
    UsesByAtom inside;
    for (const Node* member : match_.members) {
      for (const Expr& arg : (*calls_.Find(member))->args()) ++inside[arg.get()];
    }
    return std::all_of(match_.members.begin(), match_.members.end(), [&](const Node* member) {
      return member == root.get() || *uses_.Find(member) == inside[member];
    });
  }

  const CallsByVar& calls_;
  const UsesByAtom& uses_;
  PatternMatch match_;
};

}  // namespace

bool FindPattern(const Pattern& pattern, const Expr& root, const CallsByVar& calls,
                 const UsesByAtom& uses, PatternMatch* match) {
  return PatternMatcher(calls, uses).Run(pattern, root, match);
}

}  // namespace tern::ir
