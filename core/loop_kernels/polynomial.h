// SPDX-License-Identifier: Apache-2.0
// Polynomial: an integer as a sum of products of atoms, which are numbers (prover.h says what they
// stand for). What proofs about indices are made of: unlike the simplifier's linear forms it takes
// products of sizes apart, so i * m + j < n * m can be shown.
#ifndef TERN_CORE_LOOP_KERNELS_POLYNOMIAL_H_
#define TERN_CORE_LOOP_KERNELS_POLYNOMIAL_H_

#include <cstdint>
#include <vector>

namespace tern::loop {

struct Monomial {
  std::vector<int32_t> atoms;  // ascending, an atom as often as it is a factor
  int64_t coefficient = 0;     // not 0
};

class Polynomial {
 public:
  Polynomial() = default;
  static Polynomial Constant(int64_t value);
  static Polynomial OfAtom(int32_t atom);

  const std::vector<Monomial>& monomials() const { return monomials_; }
  // Coefficients left 64 bits, or there are too many products: it means nothing, and whatever is
  // computed from it does not either.
  bool lost() const { return lost_; }
  bool is_constant() const { return monomials_.empty() || monomials_.back().atoms.empty(); }
  int64_t constant() const;     // the part without atoms
  int32_t HighestAtom() const;  // -1: none

  // this = quotient * atom + rest. False where the atom is a factor twice.
  bool Split(int32_t atom, Polynomial* quotient, Polynomial* rest) const;

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend bool operator==(const Polynomial& a, const Polynomial& b);

 private:
  void Add(const Monomial& monomial, int64_t factor);
  static Polynomial Lost();

  std::vector<Monomial> monomials_;  // ascending by atoms
  bool lost_ = false;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_KERNELS_POLYNOMIAL_H_
