// SPDX-License-Identifier: Apache-2.0
// Polynomials over atoms with integer coefficients, and the few rules by which quotients, minima
// and maxima simplify.
#include "core/types/dim.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/sort.h"
#include "core/base/strings.h"
#include "core/object/charge.h"
#include "core/types/dim_grammar.h"

namespace tern::types {

namespace {

// What a symbol is taken to be at most, so that products of two are bounded in 64 bits.
constexpr int64_t kMostExtent = INT32_MAX;
// Of a product, and of the text of an atom that is none of the user's. The longest of real models
// has some 500 characters.
constexpr size_t kMostAtoms = 64, kMostText = 2048;
// What make_shared and malloc need for themselves.
constexpr size_t kSharedBytes = 32;

enum class AtomKind { kSymbol, kFloorDiv, kMin, kMax };

struct Atom {
  AtomKind kind;
  std::string text;  // atoms are equal where their texts are
  Dim a, b;
  Charge charge;
};
using AtomPtr = std::shared_ptr<const Atom>;

// coefficient * atoms, which are sorted by text; no atoms: the constant.
struct Term {
  int64_t coefficient = 0;
  std::vector<AtomPtr> atoms;
};

int CompareAtoms(const std::vector<AtomPtr>& a, const std::vector<AtomPtr>& b) {
  if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;  // falling degree
  for (size_t i = 0; i < a.size(); ++i) {
    int order = a[i]->text.compare(b[i]->text);
    // By text: the order must not depend on when an atom was made, or equal sums would print
    // differently.
    if (order != 0) return order;
  }
  return 0;
}

int64_t SaturatedMul(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

int64_t SaturatedAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

int64_t FloorOf(int64_t a, int64_t b) {
  if (b == -1) return a == INT64_MIN ? INT64_MAX : -a;
  int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace

struct Dim::Expression {
  std::vector<Term> terms;  // in order, no coefficient 0
  Charge charge;
};

// The private side of Dim.
struct DimAlgebra {
  static std::vector<Term> TermsOf(const Dim& dim) {
    if (!dim.is_constant()) return dim.expression_->terms;
    if (dim.constant_ == 0) return {};
    return {Term{dim.constant_, {}}};
  }
  static Dim FromTerms(std::vector<Term> terms);
  static Dim FromAtom(AtomKind kind, std::string text, const Dim& a, const Dim& b) {
    // The text of a quotient or a maximum has those of its operands, so it can double with each
    // operator of a program. A symbol is as long as its user wrote it.
    if (kind != AtomKind::kSymbol && text.size() > kMostText) return Dim::Any();
    const size_t bytes = sizeof(Atom) + kSharedBytes + text.capacity();
    auto atom = std::make_shared<const Atom>(Atom{kind, std::move(text), a, b, Charge(bytes)});
    return FromTerms({Term{1, {std::move(atom)}}});
  }
  static Dim Call(AtomKind kind, std::string_view name, const Dim& a, const Dim& b) {
    return FromAtom(kind, StrCat(name, "(", a.ToText(), ",", b.ToText(), ")"), a, b);
  }
  // "((n+1)/2)": the quotient rounded down.
  static Dim Quotient(const Dim& a, const Dim& b) {
    return FromAtom(AtomKind::kFloorDiv, StrCat("(", Operand(a), "/", Operand(b), ")"), a, b);
  }
  static std::string Operand(const Dim& dim) {
    return dim.is_symbol() || dim.is_constant() ? dim.ToText() : StrCat("(", dim.ToText(), ")");
  }
  static const std::vector<Term>* Terms(const Dim& dim) {
    return dim.expression_ == nullptr ? nullptr : &dim.expression_->terms;
  }
  static bool DivideExactly(const Dim& a, const Dim& b, Dim* quotient);
  static Dim DivideByConstant(const Dim& a, int64_t divisor);
  static Dim Remap(const Dim& dim, std::span<const Dim::Binding> bindings);
  static Dim RemapAtom(const Atom& atom, std::span<const Dim::Binding> bindings);
};

Dim::Dim(std::shared_ptr<const Expression> expression)
    : kind_(Kind::kExpression), expression_(std::move(expression)) {}

// Sorts, adds up equal monomials, drops zeros.
Dim DimAlgebra::FromTerms(std::vector<Term> terms) {
  Sort(&terms, [](const Term& a, const Term& b) { return CompareAtoms(a.atoms, b.atoms) < 0; });
  std::vector<Term> sum;
  for (Term& term : terms) {
    if (!sum.empty() && CompareAtoms(sum.back().atoms, term.atoms) == 0) {
      if (__builtin_add_overflow(sum.back().coefficient, term.coefficient,
                                 &sum.back().coefficient)) {
        return Dim::Any();
      }
    } else {
      sum.push_back(std::move(term));
    }
    if (sum.back().coefficient == 0) sum.pop_back();
  }
  if (sum.empty()) return Dim(0);
  if (sum.size() == 1 && sum[0].atoms.empty()) return Dim(sum[0].coefficient);
  // Models multiply dimensions again and again; unknown is always right, and no worse than terms
  // nobody reads.
  if (sum.size() > Dim::kMaxTerms) return Dim::Any();
  size_t bytes = sizeof(Dim::Expression) + kSharedBytes;
  for (const Term& term : sum) {
    // A square has twice the atoms, which adds up as fast as texts do.
    if (term.atoms.size() > kMostAtoms) return Dim::Any();
    bytes += sizeof(Term) + kSharedBytes + term.atoms.size() * sizeof(AtomPtr);
  }
  return Dim(
      std::make_shared<const Dim::Expression>(Dim::Expression{std::move(sum), Charge(bytes)}));
}

Dim Dim::Symbol(std::string_view name) {
  return DimAlgebra::FromAtom(AtomKind::kSymbol, std::string(name), Dim(), Dim());
}

Dim Dim::Any() {
  Dim any;
  any.kind_ = Kind::kAny;
  return any;
}

int64_t Dim::constant() const {
  TERN_CHECK(is_constant(), "constant() of a symbolic dimension");
  return constant_;
}

bool Dim::is_symbol() const {
  const std::vector<Term>* terms = DimAlgebra::Terms(*this);
  return terms != nullptr && terms->size() == 1 && (*terms)[0].coefficient == 1 &&
         (*terms)[0].atoms.size() == 1 && (*terms)[0].atoms[0]->kind == AtomKind::kSymbol;
}

std::string Dim::ToText() const {
  if (is_constant()) return StrCat(constant_);
  if (is_any()) return "?";
  std::string text;
  for (const Term& term : expression_->terms) {
    const int64_t c = term.coefficient;
    if (!text.empty() && c >= 0) text += '+';
    if (term.atoms.empty() || (c != 1 && c != -1)) {
      StrAppend(&text, c);
      if (!term.atoms.empty()) text += '*';
    } else if (c == -1) {
      text += '-';
    }
    for (size_t i = 0; i < term.atoms.size(); ++i)
      StrAppend(&text, i == 0 ? "" : "*", term.atoms[i]->text);
  }
  return text;
}

// Symbols inside of quotients, minima and maxima are found too; each is listed once.
void Dim::CollectSymbols(std::vector<std::string>* symbols) const {
  if (expression_ == nullptr) return;
  for (const Term& term : expression_->terms) {
    for (const AtomPtr& atom : term.atoms) {
      if (atom->kind != AtomKind::kSymbol) {
        atom->a.CollectSymbols(symbols);
        atom->b.CollectSymbols(symbols);
      } else if (std::find(symbols->begin(), symbols->end(), atom->text) == symbols->end()) {
        symbols->push_back(atom->text);
      }
    }
  }
}

// The operations are done again instead of the atoms being copied, because with numbers in place of
// symbols a quotient or a minimum may simplify.
Dim DimAlgebra::RemapAtom(const Atom& atom, std::span<const Dim::Binding> bindings) {
  switch (atom.kind) {
    case AtomKind::kSymbol:
      for (const Dim::Binding& binding : bindings) {
        if (binding.first == atom.text) return binding.second;
      }
      return Dim::Symbol(atom.text);
    case AtomKind::kFloorDiv: return FloorDiv(Remap(atom.a, bindings), Remap(atom.b, bindings));
    case AtomKind::kMin: return MinDim(Remap(atom.a, bindings), Remap(atom.b, bindings));
    case AtomKind::kMax: return MaxDim(Remap(atom.a, bindings), Remap(atom.b, bindings));
  }
  return Dim::Any();
}

Dim DimAlgebra::Remap(const Dim& dim, std::span<const Dim::Binding> bindings) {
  const std::vector<Term>* terms = Terms(dim);
  if (terms == nullptr) return dim;
  Dim sum(0);
  for (const Term& term : *terms) {
    Dim product(term.coefficient);
    for (const AtomPtr& atom : term.atoms) product = product * RemapAtom(*atom, bindings);
    sum = sum + product;
  }
  return sum;
}

Dim Dim::Substitute(std::span<const Binding> bindings) const {
  return DimAlgebra::Remap(*this, bindings);
}

namespace {

// The least and greatest product of two intervals are products of their ends.
Dim::Range Times(const Dim::Range& a, const Dim::Range& b) {
  const int64_t corners[] = {SaturatedMul(a.low, b.low), SaturatedMul(a.low, b.high),
                             SaturatedMul(a.high, b.low), SaturatedMul(a.high, b.high)};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

// Extents are at least 1, but those whose symbol begins with '_' may be 0.
Dim::Range BoundsOf(const Atom& atom) {
  if (atom.kind == AtomKind::kSymbol) return {atom.text[0] == '_' ? 0 : 1, kMostExtent};
  const Dim::Range a = atom.a.Bounds(), b = atom.b.Bounds();
  if (atom.kind == AtomKind::kMin) return {std::min(a.low, b.low), std::min(a.high, b.high)};
  if (atom.kind == AtomKind::kMax) return {std::max(a.low, b.low), std::max(a.high, b.high)};
  // A divisor that may be 0 or change its sign says nothing.
  if (b.low <= 0) return {INT64_MIN, INT64_MAX};
  // Toward zero as far as the divisor goes.
  return {FloorOf(a.low, a.low < 0 ? b.low : b.high), FloorOf(a.high, a.high < 0 ? b.high : b.low)};
}

}  // namespace

Dim::Range Dim::Bounds() const {
  if (is_constant()) return {constant_, constant_};
  if (is_any()) return {INT64_MIN, INT64_MAX};
  Range range{0, 0};
  for (const Term& term : expression_->terms) {
    Range product{term.coefficient, term.coefficient};
    for (const AtomPtr& atom : term.atoms) product = Times(product, BoundsOf(*atom));
    range.low = SaturatedAdd(range.low, product.low);
    range.high = SaturatedAdd(range.high, product.high);
  }
  return range;
}

// Equal where they are the same number for every value of the symbols. An unknown extent equals
// nothing, itself included. The normal form makes equal polynomials equal texts.
bool operator==(const Dim& a, const Dim& b) {
  if (a.kind_ != b.kind_ || a.is_any()) return false;
  if (a.is_constant()) return a.constant_ == b.constant_;
  return a.expression_ == b.expression_ || a.ToText() == b.ToText();
}

// Most extents are numbers, which need no terms.
Dim operator+(const Dim& a, const Dim& b) {
  if (a.is_any() || b.is_any()) return Dim::Any();
  if (a.is_constant() && b.is_constant()) {
    int64_t sum = 0;
    return __builtin_add_overflow(a.constant_, b.constant_, &sum) ? Dim::Any() : Dim(sum);
  }
  std::vector<Term> terms = DimAlgebra::TermsOf(a);
  for (Term& term : DimAlgebra::TermsOf(b)) terms.push_back(std::move(term));
  return DimAlgebra::FromTerms(std::move(terms));
}

Dim operator-(const Dim& a, const Dim& b) { return a + b * Dim(-1); }

// Term by term. Atoms are sorted by their text, which is what makes the form normal; where a
// coefficient overflows or terms become too many the extent is unknown, which is always right.
Dim operator*(const Dim& a, const Dim& b) {
  if (a.is_any() || b.is_any()) return Dim::Any();
  if (a.is_constant() && b.is_constant()) {
    int64_t product = 0;
    return __builtin_mul_overflow(a.constant_, b.constant_, &product) ? Dim::Any() : Dim(product);
  }
  std::vector<Term> terms;
  for (const Term& x : DimAlgebra::TermsOf(a)) {
    for (const Term& y : DimAlgebra::TermsOf(b)) {
      Term product = x;
      if (__builtin_mul_overflow(x.coefficient, y.coefficient, &product.coefficient))
        return Dim::Any();
      product.atoms.insert(product.atoms.end(), y.atoms.begin(), y.atoms.end());
      Sort(&product.atoms, [](const AtomPtr& p, const AtomPtr& q) { return p->text < q->text; });
      terms.push_back(std::move(product));
      if (terms.size() > 4 * Dim::kMaxTerms) return Dim::Any();
    }
  }
  return DimAlgebra::FromTerms(std::move(terms));
}

namespace {

// numerator / denominator as monomials; false where it is none.
bool DivideTerm(const Term& numerator, const Term& denominator, Term* quotient) {
  if (denominator.coefficient == -1 && numerator.coefficient == INT64_MIN) return false;
  if (numerator.coefficient % denominator.coefficient != 0) return false;
  quotient->coefficient = numerator.coefficient / denominator.coefficient;
  quotient->atoms = numerator.atoms;
  for (const AtomPtr& atom : denominator.atoms) {
    auto found = std::find_if(quotient->atoms.begin(), quotient->atoms.end(),
                              [&](const AtomPtr& a) { return a->text == atom->text; });
    if (found == quotient->atoms.end()) return false;
    quotient->atoms.erase(found);
  }
  return true;
}

}  // namespace

// Polynomial long division that leaves nothing.
bool DimAlgebra::DivideExactly(const Dim& a, const Dim& b, Dim* quotient) {
  if (a.is_constant() && b.is_constant()) {
    if ((b.constant_ == -1 && a.constant_ == INT64_MIN) || a.constant_ % b.constant_ != 0)
      return false;
    *quotient = Dim(a.constant_ / b.constant_);
    return true;
  }
  Dim rest = a;
  *quotient = Dim(0);
  // By leading terms: each step takes the highest one away, or there is no quotient.
  const std::vector<Term> divisor = TermsOf(b);
  for (size_t step = 0; step <= Dim::kMaxTerms; ++step) {
    if (rest.is_any()) return false;
    const std::vector<Term> terms = TermsOf(rest);
    if (terms.empty()) return true;
    Term term;
    if (!DivideTerm(terms[0], divisor[0], &term)) return false;
    const Dim part = FromTerms({term});
    *quotient = *quotient + part;
    rest = rest - part * b;
  }
  return false;
}

// c * quotient + remainder with coefficients in [0, c) leaves floordiv(remainder, c) in one form
// only.
Dim DimAlgebra::DivideByConstant(const Dim& a, int64_t divisor) {
  if (a.is_constant()) return Dim(FloorOf(a.constant_, divisor));
  std::vector<Term> whole, rest;
  for (const Term& term : TermsOf(a)) {
    const int64_t quotient = FloorOf(term.coefficient, divisor);
    const int64_t remainder = term.coefficient - quotient * divisor;
    if (quotient != 0) whole.push_back({quotient, term.atoms});
    if (remainder != 0) rest.push_back({remainder, term.atoms});
  }
  const Dim quotient = FromTerms(std::move(whole));
  const Dim remainder = FromTerms(std::move(rest));
  if (remainder.is_constant()) return quotient;  // in [0, divisor)
  // (floordiv(x, m) + k) / divisor = (x + k m) / (m divisor)
  const std::vector<Term>& terms = *Terms(remainder);
  const Atom* atom = terms[0].atoms.size() == 1 ? terms[0].atoms[0].get() : nullptr;
  const bool plain = terms[0].coefficient == 1 &&
                     (terms.size() == 1 || (terms.size() == 2 && terms[1].atoms.empty()));
  if (plain && atom != nullptr && atom->kind == AtomKind::kFloorDiv && atom->b.is_constant()) {
    const Dim k(terms.size() == 2 ? terms[1].coefficient : 0);
    return quotient + FloorDiv(atom->a + k * atom->b, atom->b * Dim(divisor));
  }
  return quotient + Quotient(remainder, Dim(divisor));
}

Dim FloorDiv(const Dim& a, const Dim& b) {
  if (a.is_any() || b.is_any() || b == Dim(0)) return Dim::Any();
  if (b.is_constant()) {
    if (b.constant() == INT64_MIN) return Dim::Any();
    return b.constant() < 0 ? DimAlgebra::DivideByConstant(Dim(0) - a, -b.constant())
                            : DimAlgebra::DivideByConstant(a, b.constant());
  }
  Dim quotient;
  if (DimAlgebra::DivideExactly(a, b, &quotient)) return quotient;
  return DimAlgebra::Quotient(a, b);
}

Dim CeilDiv(const Dim& a, const Dim& b) {
  if (b.is_constant() && !b.is_any() && b.constant() < 0) return CeilDiv(Dim(0) - a, Dim(0) - b);
  Dim quotient;
  if (!a.is_any() && !b.is_any() && !(b == Dim(0)) && DimAlgebra::DivideExactly(a, b, &quotient))
    return quotient;
  return FloorDiv(a + b - Dim(1), b);
}

namespace {

// Extents of more parts than this are "?".
constexpr size_t kMostExtremes = 16;
constexpr int kDeepestComparison = 3;  // it branches at every level

// The atom that the dimension is, if it is one of this kind.
const Atom* AtomOf(const Dim& dim, AtomKind kind) {
  const std::vector<Term>* terms = DimAlgebra::Terms(dim);
  const bool alone = terms != nullptr && terms->size() == 1 && (*terms)[0].coefficient == 1 &&
                     (*terms)[0].atoms.size() == 1 && (*terms)[0].atoms[0]->kind == kind;
  return alone ? (*terms)[0].atoms[0].get() : nullptr;
}

// The parts of max(max(a, b), c), each text once.
void AddParts(const Dim& dim, AtomKind kind, std::vector<Dim>* parts) {
  if (const Atom* atom = AtomOf(dim, kind)) {
    AddParts(atom->a, kind, parts);
    AddParts(atom->b, kind, parts);
  } else if (std::find(parts->begin(), parts->end(), dim) == parts->end()) {
    parts->push_back(dim);
  }
}

std::vector<Dim> PartsOf(const Dim& dim, AtomKind kind) {
  std::vector<Dim> parts;
  AddParts(dim, kind, &parts);
  return parts;
}

// Whether a <= b for all extents, as far as bounds and the parts of minima and maxima tell.
bool IsAtMost(const Dim& a, const Dim& b, int depth = 0) {
  const Dim difference = b - a;
  if (!difference.is_any() && difference.Bounds().low >= 0) return true;
  if (depth >= kDeepestComparison) return false;
  const auto under = [&](const Dim& part) { return IsAtMost(part, b, depth + 1); };
  const auto above = [&](const Dim& part) { return IsAtMost(a, part, depth + 1); };
  const std::vector<Dim> a_max = PartsOf(a, AtomKind::kMax), a_min = PartsOf(a, AtomKind::kMin);
  const std::vector<Dim> b_max = PartsOf(b, AtomKind::kMax), b_min = PartsOf(b, AtomKind::kMin);
  return (a_max.size() > 1 && std::all_of(a_max.begin(), a_max.end(), under)) ||
         (b_min.size() > 1 && std::all_of(b_min.begin(), b_min.end(), above)) ||
         (a_min.size() > 1 && std::any_of(a_min.begin(), a_min.end(), under)) ||
         (b_max.size() > 1 && std::any_of(b_max.begin(), b_max.end(), above));
}

// max(max(a, b), c) of all parts but one.
Dim CallOfParts(AtomKind kind, const std::vector<Dim>& parts, size_t left_out) {
  std::optional<Dim> result;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i == left_out) continue;
    result = result.has_value()
                 ? DimAlgebra::Call(kind, kind == AtomKind::kMax ? "max" : "min", *result, parts[i])
                 : parts[i];
  }
  return *result;
}

// Without parts that the others decide; by text, the constant last.
Dim Extreme(AtomKind kind, const Dim& a, const Dim& b) {
  if (a.is_any() || b.is_any()) return Dim::Any();
  std::vector<Dim> parts = PartsOf(a, kind);
  AddParts(b, kind, &parts);
  if (parts.size() > kMostExtremes) return Dim::Any();
  Sort(&parts, [](const Dim& x, const Dim& y) {
    if (x.is_constant() != y.is_constant()) return y.is_constant();
    return x.ToText() < y.ToText();
  });
  for (size_t i = parts.size(); i > 0 && parts.size() > 1; --i) {
    const Dim &part = parts[i - 1], others = CallOfParts(kind, parts, i - 1);
    const bool decided = kind == AtomKind::kMax ? IsAtMost(part, others) : IsAtMost(others, part);
    if (decided) parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i - 1));
  }
  return CallOfParts(kind, parts, parts.size());
}

}  // namespace

Dim MaxDim(const Dim& a, const Dim& b) { return Extreme(AtomKind::kMax, a, b); }

Dim MinDim(const Dim& a, const Dim& b) { return Extreme(AtomKind::kMin, a, b); }

bool DimIsConstant(const Dim& dim, int64_t* value) {
  if (dim.is_constant()) *value = dim.constant();
  return dim.is_constant();
}

DimRelation CompareDims(const Dim& a, const Dim& b) {
  const Dim difference = a - b;
  if (!difference.is_constant()) return DimRelation::kUnknown;
  return difference.constant() == 0 ? DimRelation::kEqual : DimRelation::kDifferent;
}

bool DimIsNegative(const Dim& dim) { return !dim.is_any() && dim.Bounds().high < 0; }

// scale as a fraction of small numbers; others stay unknown.
bool ScaleDim(const Dim& dim, float scale, Dim* out) {
  if (dim.is_constant()) {
    const float scaled = static_cast<float>(dim.constant()) * scale;
    *out = scaled < 9e18f ? Dim(static_cast<int64_t>(scaled)) : Dim::Any();
    return true;
  }
  // Scales of models are fractions such as 2 or 0.5, in f32, where a third is not exact.
  for (int64_t denominator = 1; denominator <= 16; ++denominator) {
    const double product = static_cast<double>(scale) * static_cast<double>(denominator);
    if (product > 1e6) break;
    const auto numerator = static_cast<int64_t>(product + 0.5);
    const double error = product - static_cast<double>(numerator);
    if (numerator < 1 || error > 1e-6 * product || error < -1e-6 * product) continue;
    *out = FloorDiv(dim * Dim(numerator), Dim(denominator));
    return true;
  }
  *out = Dim::Any();
  return true;
}

// A symbol's name of any text: models call dimensions what they like. It does not begin with '_',
// which would say that the extent may be 0.
std::string SymbolName(std::string_view text) {
  std::string name;
  for (char c : text) {
    if (name.empty() && (IsDigit(c) || c == '_')) name = "d";
    name += IsNameChar(c) ? c : '_';
  }
  return name.empty() ? "d" : name;
}

// --- text

namespace {

// What the grammar of dimensions computes with here; calls of the machine compute with numbers
// (core/vm).
struct SymbolicAlgebra {
  using Value = Dim;
  Dim Number(int64_t number) { return Dim(number); }
  Dim Symbol(std::string_view name) { return Dim::Symbol(name); }
  Dim Unknown() { return Dim::Any(); }
  Dim Negate(const Dim& a) { return Dim(0) - a; }
  Dim Apply(DimOperator op, const Dim& a, const Dim& b) {
    switch (op) {
      case DimOperator::kAdd: return a + b;
      case DimOperator::kSub: return a - b;
      case DimOperator::kMul: return a * b;
      case DimOperator::kFloorDiv: return FloorDiv(a, b);
      case DimOperator::kCeilDiv: return CeilDiv(a, b);
      case DimOperator::kMod: return a - FloorDiv(a, b) * b;
      case DimOperator::kMin: return MinDim(a, b);
      case DimOperator::kMax: return MaxDim(a, b);
    }
    return Dim::Any();
  }
};

}  // namespace

Dim Dim::Read(text::Scanner* in) {
  SymbolicAlgebra algebra;
  DimGrammar<SymbolicAlgebra> grammar(*in, &algebra);
  Dim dim = grammar.Sum();
  in->GoOn(grammar.scanner());
  return dim;
}

Result<Dim> Dim::Parse(std::string_view text) {
  text::Scanner in(text, kDimForm);
  Dim dim = Read(&in);
  if (!in.AtEnd()) in.Fail("an operator or the end");
  if (in.ok()) return dim;
  return InvalidArgument("dimension '", text, "': ", in.mistake().message, " at offset ",
                         in.mistake().begin);
}

}  // namespace tern::types
