// SPDX-License-Identifier: Apache-2.0
// Which operators have a formula in the loop language, for which types: formulas.def, each formula
// parsed when it is first asked for and kept as long as the object.
#ifndef TERN_CORE_FUSE_FORMULAS_H_
#define TERN_CORE_FUSE_FORMULAS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/ir/expr.h"
#include "core/loop/formula.h"

namespace tern::fuse {

// The parameters of every formula, in this order.
enum class Field : uint8_t { kA, kB, kC, kAlpha, kBeta, kBits, kCount, kInfinity, kOnes };
inline constexpr size_t kFieldCount = 9;
inline constexpr size_t kMostOperands = 3;

// Of one call. What is pointed to belongs to the Formulas.
struct OperatorFormula {
  // Of an element; null where the operator has none for these types, attributes and constants.
  const loop::Formula* element = nullptr;
  // Of a reduction: how elements are folded, and what is made of what was folded, where not itself.
  std::optional<loop::BinaryOp> fold;
  const loop::Formula* result = nullptr;
  DType type = kF32;  // that is computed with; 16-bit floats in float32

  explicit operator bool() const { return element != nullptr; }
};

class Formulas {
 public:
  OperatorFormula ElementFormula(const ir::Call& call);
  OperatorFormula ReductionFormula(const ir::Call& call);

 private:
  OperatorFormula Find(const ir::Call& call, bool reduction);
  const loop::Formula* Parsed(const char* text, DType first, DType type);

  struct Known {
    const char* text;
    DType first, type;  // of `a`, and of all else
    std::unique_ptr<const loop::Formula> formula;
  };
  std::vector<Known> known_;
};

// Whether loops compute with elements of the type.
bool IsLoopType(DType type);

}  // namespace tern::fuse

#endif  // TERN_CORE_FUSE_FORMULAS_H_
