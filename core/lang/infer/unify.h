// SPDX-License-Identifier: Apache-2.0
// Unification of types, dimensions included.
//
// Variables of inference are types::Type variables named "$0", "$1", … and dimensions named "_v0",
// "_v1_n", …; every other variable or symbol is rigid: it stands for whatever a caller chooses. A
// third sort of symbol, "_1", "_2", …, is an extent that only a run can tell.
//
// Unify has a direction: a value of type `actual` goes where `expected` is wanted. An unknown
// extent fits any expected one if the run compares them (*needs_check); an expected "?" takes
// anything. Solutions are kept in the Unifier and are never taken back. One Unifier serves one
// Inference and is not for several threads.
#ifndef TERN_CORE_LANG_INFER_UNIFY_H_
#define TERN_CORE_LANG_INFER_UNIFY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/types/type.h"

namespace tern::lang {

enum class MismatchKind : uint8_t {
  kType,       // different kinds, names or numbers of parts
  kDim,        // extents differ, or may differ
  kInfinite,   // a type would contain itself
  kUnchecked,  // an extent that only a run can tell, where nothing can compare it
};

// What does not fit inside what was to be unified.
struct Mismatch {
  MismatchKind kind = MismatchKind::kType;
  types::Type expected, actual;  // the parts that differ
  int axis = -1;                 // kDim: of the tensors
};

class Unifier {
 public:
  types::Type FreshType();
  types::Dim FreshDim(std::string_view name = {});  // name: what messages call it
  types::Dim UnknownDim();                          // "_1", …: only a run can tell

  // Levels of variables (D. Rémy): a variable has the level at which it was made, or that of the
  // outermost variable it was unified with. Only Generalize (infer_function.cc) asks for it.
  void EnterLevel() { ++level_; }
  void LeaveLevel() { --level_; }
  int level() const { return level_; }
  // variable: a variable of inference that is not solved.
  int LevelOf(const types::Type& variable) const;

  // Stand around what lists, maps and data hold. Several values are held, and each may have its own
  // extent where the type says "?", so no variable may be solved by the extent of one of them.
  void EnterStored() { ++stored_; }
  void LeaveStored() { --stored_; }

  static bool IsVariable(const types::Type& type);
  // Replaces solved variables: Resolve at the top only, Apply everywhere.
  types::Type Resolve(types::Type type) const;
  types::Type Apply(const types::Type& type) const;
  types::Dim Apply(const types::Dim& dim) const;
  // Makes every extent that only a run can tell "?".
  static types::Type Widen(const types::Type& type);

  // Makes the types equal, or tells the first parts that differ. needs_check: null where no check
  // at run time is possible, as inside a list.
  std::optional<Mismatch> Unify(const types::Type& expected, const types::Type& actual,
                                bool* needs_check);
  // variable: unsolved.
  void Bind(const types::Type& variable, types::Type type);
  // Replaces these rigid names by fresh variables.
  types::Type Instantiate(const types::Type& type, const std::vector<std::string>& types,
                          const std::vector<std::string>& dims);

  // The limit of the nodes of a type. Larger ones are refused, because a program can double a type
  // with each line.
  static constexpr int kMaxSize = 4096;
  bool IsTooLarge(const types::Type& type) const;

 private:
  struct Variable {
    types::Type solution = {};
    bool solved = false;
    int level = 0;
  };
  enum class Fit : uint8_t { kFits, kCheck, kUnchecked, kDiffers };

  int Count(const types::Type& type, int budget) const;
  bool Occurs(const types::Type& variable, const types::Type& type);
  std::optional<Mismatch> UnifyTensors(const types::Type& expected, const types::Type& actual,
                                       bool* needs_check);
  std::optional<Mismatch> UnifyLists(std::span<const types::Type> expected,
                                     std::span<const types::Type> actual);
  std::optional<Mismatch> UnifyStored(std::span<const types::Type> expected,
                                      std::span<const types::Type> actual);
  std::optional<Mismatch> UnifyFunctions(const types::Type& expected, const types::Type& actual);
  std::optional<Mismatch> UnifyVariable(const types::Type& variable, const types::Type& type);
  Fit UnifyDims(const types::Dim& expected, const types::Dim& actual);
  bool Solve(const types::Dim& difference, bool* impossible);

  std::vector<Variable> types_;
  std::vector<std::optional<types::Dim>> dims_;
  int unknown_dims_ = 0;
  int level_ = 0;
  int stored_ = 0;
};

// Whether a symbol is a variable of inference, or an extent that only a run can tell.
bool IsDimVariable(std::string_view symbol);
bool IsUnknownDim(const types::Dim& dim);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_INFER_UNIFY_H_
