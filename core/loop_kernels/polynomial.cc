// SPDX-License-Identifier: Apache-2.0
// Arithmetic on sorted lists of products.
#include "core/loop_kernels/polynomial.h"

#include <algorithm>

namespace tern::loop {
namespace {

// Both bound the work of a proof; a polynomial that grows beyond them is lost, and nothing is
// proven.
constexpr size_t kMaxMonomials = 64;
constexpr size_t kMaxDegree = 8;

// Monomials are sorted by their atoms; the empty list, the constant, comes first.
bool Before(const Monomial& a, const std::vector<int32_t>& atoms) { return a.atoms < atoms; }

}  // namespace

Polynomial Polynomial::Lost() {
  Polynomial out;
  out.lost_ = true;
  return out;
}

Polynomial Polynomial::Constant(int64_t value) {
  Polynomial out;
  out.Add({{}, value}, 1);
  return out;
}

Polynomial Polynomial::OfAtom(int32_t atom) {
  Polynomial out;
  out.Add({{atom}, 1}, 1);
  return out;
}

int64_t Polynomial::constant() const {
  const bool has = !monomials_.empty() && monomials_[0].atoms.empty();
  return has ? monomials_[0].coefficient : 0;
}

int32_t Polynomial::HighestAtom() const {
  int32_t highest = -1;
  for (const Monomial& m : monomials_) {
    if (!m.atoms.empty()) highest = std::max(highest, m.atoms.back());
  }
  return highest;
}

// Keeps the list sorted and without zeros, so that equal polynomials have equal lists.
void Polynomial::Add(const Monomial& monomial, int64_t factor) {
  int64_t scaled = 0;
  lost_ |= __builtin_mul_overflow(monomial.coefficient, factor, &scaled);
  if (lost_ || scaled == 0) return;
  const auto at = std::lower_bound(monomials_.begin(), monomials_.end(), monomial.atoms, &Before);
  if (at == monomials_.end() || at->atoms != monomial.atoms) {
    monomials_.insert(at, {monomial.atoms, scaled});
    lost_ |= monomials_.size() > kMaxMonomials || monomial.atoms.size() > kMaxDegree;
    return;
  }
  lost_ |= __builtin_add_overflow(at->coefficient, scaled, &at->coefficient);
  if (at->coefficient == 0) monomials_.erase(at);
}

// this = atom * quotient + rest; false if the atom occurs in a higher power.
bool Polynomial::Split(int32_t atom, Polynomial* quotient, Polynomial* rest) const {
  for (const Monomial& m : monomials_) {
    const auto times = std::count(m.atoms.begin(), m.atoms.end(), atom);
    if (times > 1) return false;
    if (times == 0) {
      rest->Add(m, 1);
      continue;
    }
    Monomial without = m;
    without.atoms.erase(std::find(without.atoms.begin(), without.atoms.end(), atom));
    quotient->Add(without, 1);
  }
  return true;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  if (a.lost_ || b.lost_) return Polynomial::Lost();
  Polynomial out = a;
  for (const Monomial& m : b.monomials_) out.Add(m, 1);
  return out;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) {
  if (a.lost_ || b.lost_) return Polynomial::Lost();
  Polynomial out = a;
  for (const Monomial& m : b.monomials_) out.Add(m, -1);
  return out;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (a.lost_ || b.lost_) return Polynomial::Lost();
  Polynomial out;
  for (const Monomial& x : a.monomials_) {
    for (const Monomial& y : b.monomials_) {
      Monomial product = x;
      product.atoms.insert(product.atoms.end(), y.atoms.begin(), y.atoms.end());
      std::sort(product.atoms.begin(), product.atoms.end());
      out.Add(product, y.coefficient);
      // Once lost, further products cannot help.
      if (out.lost_) return Polynomial::Lost();
    }
  }
  return out;
}

// A lost polynomial equals nothing, not even itself.
bool operator==(const Polynomial& a, const Polynomial& b) {
  const auto same = [](const Monomial& x, const Monomial& y) {
    return x.coefficient == y.coefficient && x.atoms == y.atoms;
  };
  return !a.lost_ && !b.lost_ &&
         std::equal(a.monomials_.begin(), a.monomials_.end(), b.monomials_.begin(),
                    b.monomials_.end(), same);
}

}  // namespace tern::loop
