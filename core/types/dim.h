// SPDX-License-Identifier: Apache-2.0
// Dim: the extent of one axis: a number, an expression over named symbols, or "?" (only a run can
// tell).
//
// An expression is kept in one normal form: a sum of coefficient * atom * atom …, terms by falling
// degree and then by name, so that equal expressions have equal text: n, 2*n+1, n*m,
// ((n+1)/2), max(n,m). Atoms are symbols and the quotients, minima and maxima that do not
// simplify; / rounds down, and ceil divisions are written with it. A symbol stands for an extent of
// at least 1 (of at least 0 where its name begins with '_': those are made for data-dependent
// extents). Arithmetic never fails: what overflows or grows beyond kMaxTerms is "?". How dimensions
// are written is in dim_grammar.h.
#ifndef TERN_CORE_TYPES_DIM_H_
#define TERN_CORE_TYPES_DIM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/types/dim_relation.h"

namespace tern::text {
class Scanner;
}

namespace tern::types {

class Dim {
 public:
  static constexpr size_t kMaxTerms = 64;

  Dim() = default;                                // 0
  Dim(int64_t constant) : constant_(constant) {}  // NOLINT: implicit by design
  // name: an identifier; see SymbolName.
  static Dim Symbol(std::string_view name);
  static Dim Any();
  // "2*n+1"; spaces are allowed. Errors say what was expected.
  static Result<Dim> Parse(std::string_view text);
  // The longest that stands where the scanner is, which goes on behind it, or keeps the mistake.
  static Dim Read(text::Scanner* in);

  bool is_constant() const { return kind_ == Kind::kConstant; }
  bool is_any() const { return kind_ == Kind::kAny; }
  bool is_symbol() const;
  int64_t constant() const;  // of a constant
  std::string ToText() const;

  // Every symbol, each once, in order of appearance.
  void CollectSymbols(std::vector<std::string>* symbols) const;
  using Binding = std::pair<std::string, Dim>;
  // Symbols replaced; those without a binding stay.
  Dim Substitute(std::span<const Binding> bindings) const;

  // The interval it must lie in.
  struct Range {
    int64_t low;
    int64_t high;
  };
  Range Bounds() const;

  // Equal normal forms. "?" equals nothing, itself included.
  friend bool operator==(const Dim& a, const Dim& b);

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  friend Dim FloorDiv(const Dim& a, const Dim& b);
  friend Dim CeilDiv(const Dim& a, const Dim& b);
  friend Dim MaxDim(const Dim& a, const Dim& b);
  friend Dim MinDim(const Dim& a, const Dim& b);

 private:
  friend struct DimAlgebra;
  enum class Kind : int32_t { kConstant, kAny, kExpression };
  struct Expression;

  explicit Dim(std::shared_ptr<const Expression> expression);

  Kind kind_ = Kind::kConstant;
  int64_t constant_ = 0;
  std::shared_ptr<const Expression> expression_;  // of kExpression: with at least one atom
};

Dim FloorDiv(const Dim& a, const Dim& b);
Dim CeilDiv(const Dim& a, const Dim& b);
Dim MaxDim(const Dim& a, const Dim& b);
Dim MinDim(const Dim& a, const Dim& b);

// What shape rules (core/ops) call, beside the functions above.
inline Dim AddDim(const Dim& a, const Dim& b) { return a + b; }
inline Dim SubDim(const Dim& a, const Dim& b) { return a - b; }
inline Dim MulDim(const Dim& a, const Dim& b) { return a * b; }
bool DimIsConstant(const Dim& dim, int64_t* value);
DimRelation CompareDims(const Dim& a, const Dim& b);
bool DimIsNegative(const Dim& dim);  // known to be
bool ScaleDim(const Dim& dim, float scale, Dim* out);
inline std::string DimText(const Dim& dim) { return dim.ToText(); }

// Any text made an identifier: "batch size" → "batch_size", "3d" → "d3d", "" → "d".
std::string SymbolName(std::string_view text);

}  // namespace tern::types

#endif  // TERN_CORE_TYPES_DIM_H_
