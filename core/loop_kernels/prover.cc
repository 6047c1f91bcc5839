// SPDX-License-Identifier: Apache-2.0
// Atoms, their ranges, and proofs by eliminating variables, in the manner of Fourier and Motzkin.
#include "core/loop_kernels/prover.h"

#include <algorithm>

#include "core/base/strings.h"

namespace tern::loop {
namespace {

constexpr size_t kAtomsLookedAt = 256;  // the last so many atoms are searched for an equal one
constexpr int kMaxFacts = 2;            // used in one proof, one after the other

}  // namespace

Polynomial Prover::Add(Atom atom) {
  atoms_.push_back(std::move(atom));
  return Polynomial::OfAtom(static_cast<int32_t>(atoms_.size()) - 1);
}

Polynomial Prover::NewSize(std::string name, int64_t high) {
  return Add({Kind::kPlain, std::move(name), {0, high}, {}, {}, 1});
}

Polynomial Prover::NewAtom(std::string name, Interval range) {
  return Add({Kind::kPlain, std::move(name), range, {}, {}, range.high});
}

Polynomial Prover::NewAtom(std::string name, const Polynomial& low, const Polynomial& high) {
  const Interval range = {RangeOf(low).low, RangeOf(high).high};
  return Add({Kind::kBounded, std::move(name), range, low, high, MostAtOne(high)});
}

// Negative terms are left out, so the result is more than the value is: the safe side.
int64_t Prover::MostAtOne(const Polynomial& value) const {
  if (value.lost()) return INT64_MAX;
  int64_t sum = 0;
  for (const Monomial& m : value.monomials()) {
    int64_t product = std::max<int64_t>(m.coefficient, 0);
    for (const int32_t atom : m.atoms) {
      const int64_t most = std::max<int64_t>(atoms_[static_cast<size_t>(atom)].most_at_one, 0);
      if (__builtin_mul_overflow(product, most, &product)) return INT64_MAX;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return INT64_MAX;
  }
  return sum;
}

Polynomial Prover::Pair(Kind kind, const Polynomial& a, const Polynomial& b, Interval range) {
  // The same pair of operands must be the same atom, or a / b - a / b would not be 0.
  for (size_t i = atoms_.size() - std::min(atoms_.size(), kAtomsLookedAt); i < atoms_.size(); ++i) {
    const Atom& atom = atoms_[i];
    if (atom.kind == kind && atom.a == a && atom.b == b)
      return Polynomial::OfAtom(static_cast<int32_t>(i));
  }
  const std::string_view form = kind == Kind::kLeast ? "min(" : "max(";
  std::string name = kind == Kind::kQuotient ? StrCat("(", ToText(a), ") / (", ToText(b), ")")
                                             : StrCat(form, ToText(a), ", ", ToText(b), ")");
  const int64_t most = kind == Kind::kQuotient ? MostAtOne(a)
                       : kind == Kind::kLeast  ? std::min(MostAtOne(a), MostAtOne(b))
                                               : std::max(MostAtOne(a), MostAtOne(b));
  return Add({kind, std::move(name), range, a, b, most});
}

Polynomial Prover::Quotient(const Polynomial& a, const Polynomial& b) {
  const Interval x = RangeOf(a), d = RangeOf(b);
  Interval range;
  if (x.low >= 0) range = {d.high == kNoHigh ? 0 : x.low / d.high, x.high};
  if (d.low == d.high && d.low >= 1 && IsBounded(x))
    range = {FloorDivide(x.low, d.low), FloorDivide(x.high, d.low)};
  return Pair(Kind::kQuotient, a, b, range);
}

Polynomial Prover::Least(const Polynomial& a, const Polynomial& b) {
  const Interval x = RangeOf(a), y = RangeOf(b);
  return Pair(Kind::kLeast, a, b, {std::min(x.low, y.low), std::min(x.high, y.high)});
}

Polynomial Prover::Greatest(const Polynomial& a, const Polynomial& b) {
  const Interval x = RangeOf(a), y = RangeOf(b);
  return Pair(Kind::kGreatest, a, b, {std::max(x.low, y.low), std::max(x.high, y.high)});
}

Interval Prover::RangeOf(const Polynomial& value) const {
  if (value.lost()) return {};
  Interval sum{0, 0};
  for (const Monomial& m : value.monomials()) {
    Interval product{m.coefficient, m.coefficient};
    Interval factors{1, 1};
    for (const int32_t atom : m.atoms)
      factors = Times(factors, atoms_[static_cast<size_t>(atom)].range);
    // A negative coefficient of an unbounded product: only the upper end is known.
    if (m.coefficient < 0 && !IsBounded(factors) && factors.low >= 0)
      product = {kNoLow, Times({factors.low, factors.low}, product).high};
    else
      product = Times(factors, product);
    sum = Plus(sum, product);
  }
  return sum;
}

bool Prover::Fits(const Polynomial& value) const {
  return !value.lost() && IsBounded(RangeOf(value));
}

// Steps are bounded per proof and in all, because a file may ask for any number of proofs.
bool Prover::ProvesAtLeast(const Polynomial& value, int64_t low) {
  steps_of_proof_ = kStepsPerProof;
  return Proves(value - Polynomial::Constant(low), kMaxFacts);
}

void Prover::Close(Scope scope) {
  // Atoms are made in order, so those of the scope are the last ones.
  atoms_.resize(scope.atoms);
  facts_.resize(scope.facts);
  while (raised_.size() > scope.raised) {
    const auto atom = static_cast<size_t>(raised_.back().atom);
    if (atom < atoms_.size()) atoms_[atom].range.low = raised_.back().low;
    raised_.pop_back();
  }
}

// Records the fact. Also, a product of numbers that are not negative which is at least 1 has
// factors of at least 1; ranges of single atoms are used everywhere, facts only at the end of a
// proof.
void Prover::Assume(const Polynomial& at_least_zero) {
  if (at_least_zero.lost()) return;
  facts_.push_back(at_least_zero);
  const std::vector<Monomial>& m = at_least_zero.monomials();
  if (m.size() != 2 || !m[0].atoms.empty() || m[0].coefficient >= 0 || m[1].coefficient < 1) return;
  for (const int32_t factor : m[1].atoms) {
    if (atoms_[static_cast<size_t>(factor)].range.low < 0) return;
  }
  for (const int32_t factor : m[1].atoms) {
    Atom& atom = atoms_[static_cast<size_t>(factor)];
    if (atom.range.low >= 1) continue;
    raised_.push_back({factor, atom.range.low});
    atom.range.low = 1;
  }
}

// value >= 0? By its range, else without its last atom, else with the help of a fact.
bool Prover::Proves(const Polynomial& value, int facts_left) {
  if (value.lost() || --steps_of_proof_ <= 0 || --steps_left_ <= 0) return false;
  if (RangeOf(value).low >= 0) return true;
  const int32_t atom = value.HighestAtom();
  if (atom < 0) return false;
  return Eliminates(value, atom, facts_left) || ProvesWithFacts(value, atom, facts_left);
}

// If fact >= 0 and value - fact >= 0, then value >= 0. Facts without the atom would not help to
// remove it.
bool Prover::ProvesWithFacts(const Polynomial& value, int32_t atom, int facts_left) {
  if (facts_left == 0) return false;
  for (size_t i = facts_.size(); i-- > 0;) {
    Polynomial factor, rest;
    const Polynomial fact = facts_[i];
    if (!fact.Split(atom, &factor, &rest) || factor.monomials().empty()) continue;
    if (Proves(value - fact, facts_left - 1)) return true;
  }
  return false;
}

// value = factor * atom + rest: where the factor's sign is known, the atom is replaced by the bound
// that makes the value smaller. If that is still not negative, the value is not either.
bool Prover::Eliminates(const Polynomial& value, int32_t number, int facts_left) {
  const Atom& atom = atoms_[static_cast<size_t>(number)];  // proofs make no atoms
  Polynomial factor, rest;
  if (!value.Split(number, &factor, &rest)) return false;
  const Interval sign = RangeOf(factor);
  const bool wants_low = sign.low >= 0, wants_high = sign.high <= 0;
  if (!wants_low && !wants_high) return false;
  const auto with = [&](const Polynomial& to) { return Proves(rest + factor * to, facts_left); };
  const int64_t bound = wants_low ? atom.range.low : atom.range.high;
  const bool has_bound = bound != kNoLow && bound != kNoHigh;
  switch (atom.kind) {
    case Kind::kPlain: break;
    case Kind::kBounded:
      if (with(wants_low ? atom.a : atom.b)) return true;
      break;
    case Kind::kQuotient:
      if (EliminatesQuotient(atom, factor, rest, facts_left)) return true;
      break;
    case Kind::kLeast:
    case Kind::kGreatest:
      // The smaller bound of a minimum from below is either operand, which one is unknown: both
      // must do.
      if (wants_low == (atom.kind == Kind::kLeast)) return with(atom.a) && with(atom.b);
      return with(atom.a) || with(atom.b);
  }
  return has_bound && with(Polynomial::Constant(bound));
}

// For q = x / d rounded down, d * q <= x <= d * q + d - 1. If value = k * q + rest is an integer
// and k a constant, it suffices to show that d * value > -d, because then value > -1.
bool Prover::EliminatesQuotient(const Atom& atom, const Polynomial& factor, const Polynomial& rest,
                                int facts_left) {
  const Polynomial &x = atom.a, &d = atom.b, one = Polynomial::Constant(1);
  if (factor.is_constant()) {
    const int64_t k = factor.constant();
    const Polynomial times = Polynomial::Constant(k);
    const Polynomial slack =
        k < 0 ? d - one : (d - one) * (one - times);  // of what is added to reach x
    if (Proves(d * rest + slack + times * x, facts_left)) return true;
  }
  if (factor == d) return Proves(rest + x - d + one, facts_left);
  if (factor == Polynomial() - d) return Proves(rest - x, facts_left);
  return false;
}

std::string Prover::ToText(const Polynomial& value) const {
  if (value.lost()) return "?";
  std::string out;
  const std::vector<Monomial>& all = value.monomials();
  for (size_t i = all.size(); i-- > 0;) {
    const Monomial& m = all[i];
    std::vector<std::string> factors;
    if ((m.coefficient != 1 && m.coefficient != -1) || m.atoms.empty()) {
      const auto magnitude = m.coefficient < 0 ? 0 - static_cast<uint64_t>(m.coefficient)
                                               : static_cast<uint64_t>(m.coefficient);
      factors.push_back(StrCat(magnitude));
    }
    for (const int32_t atom : m.atoms) factors.push_back(atoms_[static_cast<size_t>(atom)].name);
    const bool minus = m.coefficient < 0;
    StrAppend(&out, out.empty() ? (minus ? "-" : "") : (minus ? " - " : " + "),
              StrJoin(factors, " * "));
  }
  return out.empty() ? "0" : out;
}

// For messages: loop variables are replaced by their bounds as long as signs are known.
std::string Prover::BoundText(Polynomial value, bool high) {
  for (int step = 0; step < kStepsPerProof && !value.lost(); ++step) {
    const int32_t number = value.HighestAtom();
    if (number < 0) break;
    const Atom& atom = atoms_[static_cast<size_t>(number)];
    if (atom.kind != Kind::kBounded) break;
    Polynomial factor, rest;
    if (!value.Split(number, &factor, &rest)) break;
    const Interval sign = RangeOf(factor);
    if (sign.low < 0 && sign.high > 0) break;
    value = rest + factor * ((sign.low >= 0) == high ? atom.b : atom.a);
  }
  return ToText(value);
}

}  // namespace tern::loop
