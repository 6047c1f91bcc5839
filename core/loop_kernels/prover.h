// SPDX-License-Identifier: Apache-2.0
// Prover: shows that integers which an unknown program computes are never negative.
//
// Atoms are numbered in the order they are made, and are bounded by polynomials of earlier ones. A
// proof takes the last atom out of a polynomial, putting in a bound that makes it smaller, until a
// constant is left. "False" means nothing. Whether sums wrap in 64 bits need not be asked for what
// is proved to lie within a buffer: it wraps to itself. It is asked where something else is done
// with a sum: dividing, comparing, counting a loop (Fits).
#ifndef TERN_CORE_LOOP_KERNELS_PROVER_H_
#define TERN_CORE_LOOP_KERNELS_PROVER_H_

#include <string>
#include <vector>

#include "core/loop/analysis/interval.h"
#include "core/loop_kernels/polynomial.h"

namespace tern::loop {

class Prover {
 public:
  // From 0 to high.
  Polynomial NewSize(std::string name, int64_t high);
  // Bounds are inclusive; `name` is for texts.
  Polynomial NewAtom(std::string name, Interval range);
  // low <= atom <= high.
  Polynomial NewAtom(std::string name, const Polynomial& low, const Polynomial& high);
  // Of two operands that fit; for a quotient (rounded down) the divisor is at least 1. Equal ones
  // are the same atom.
  Polynomial Quotient(const Polynomial& a, const Polynomial& b);
  Polynomial Least(const Polynomial& a, const Polynomial& b);
  Polynomial Greatest(const Polynomial& a, const Polynomial& b);

  Interval RangeOf(const Polynomial& value) const;
  // Whatever the atoms are, 64 bits hold it.
  bool Fits(const Polynomial& value) const;
  bool ProvesAtLeast(const Polynomial& value, int64_t low);
  // About how large it is at most where all sizes are 1 (INT64_MAX: nobody knows): what is large
  // then is large because the program or its data say so.
  int64_t MostAtOne(const Polynomial& value) const;

  // What holds in a part of the program. Atoms that are made in it end with it.
  struct Scope {
    size_t atoms, facts, raised;
  };
  Scope Open() const { return {atoms_.size(), facts_.size(), raised_.size()}; }
  void Close(Scope scope);
  void Assume(const Polynomial& at_least_zero);

  // Bounds in terms of what was not made by loops, for messages; as far as that can be said.
  std::string LowText(const Polynomial& value) { return BoundText(value, false); }
  std::string HighText(const Polynomial& value) { return BoundText(value, true); }
  std::string ToText(const Polynomial& value) const;

  // Steps left for all proofs together; none left: nothing is proved any more.
  bool exhausted() const { return steps_left_ <= 0; }

 private:
  enum class Kind : uint8_t { kPlain, kBounded, kQuotient, kLeast, kGreatest };
  struct Atom {
    Kind kind = Kind::kPlain;
    std::string name;
    Interval range;
    Polynomial a, b;  // low and high; dividend and divisor; the two
    int64_t most_at_one = INT64_MAX;
  };
  struct Raised {
    int32_t atom;
    int64_t low;  // as it was before
  };
  static constexpr int64_t kAllSteps = 100'000;
  static constexpr int kStepsPerProof = 4000;

  Polynomial Add(Atom atom);
  Polynomial Pair(Kind kind, const Polynomial& a, const Polynomial& b, Interval range);
  bool Proves(const Polynomial& value, int facts_left);
  bool Eliminates(const Polynomial& value, int32_t atom, int facts_left);
  bool EliminatesQuotient(const Atom& atom, const Polynomial& factor, const Polynomial& rest,
                          int facts_left);
  bool ProvesWithFacts(const Polynomial& value, int32_t atom, int facts_left);
  std::string BoundText(Polynomial value, bool high);

  std::vector<Atom> atoms_;
  std::vector<Polynomial> facts_;
  std::vector<Raised> raised_;
  int64_t steps_left_ = kAllSteps;
  int steps_of_proof_ = 0;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_KERNELS_PROVER_H_
