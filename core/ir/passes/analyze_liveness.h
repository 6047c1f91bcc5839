// SPDX-License-Identifier: Apache-2.0
// Where every variable of a function is read for the last time: what code generation kills, and
// what registers are given by. Branches included: a variable that only one branch reads dies at the
// beginning of the others. A function with lambdas must be lifted first.
#ifndef TERN_CORE_IR_PASSES_ANALYZE_LIVENESS_H_
#define TERN_CORE_IR_PASSES_ANALYZE_LIVENESS_H_

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/module.h"

namespace tern::ir {

class Liveness {
 public:
  struct Point {
    // Operands that are read here for the last time, each once, in order.
    std::vector<const Var*> dying;
    // Of If and Switch, per block (the default last): what that block does not read, though
    // another one does, and nothing behind.
    std::vector<std::vector<const Var*>> entering;
    // Per block: operands of its result that are not read behind it.
    std::vector<std::vector<const Var*>> results;
    bool unused = false;  // nobody reads the variable
  };

  explicit Liveness(const Function& function);

  // Of the binding of that variable.
  const Point& at(const VarPtr& var) const { return points_.at(var.get()); }
  // Of a field that a case binds: somebody reads it.
  bool ReadsField(const VarPtr& field) const { return read_fields_.contains(field.get()); }
  // Parameters that nobody reads.
  const std::vector<const Var*>& unused_parameters() const { return unused_parameters_; }
  // The largest number of values that are there at once: the one that is being made included, and
  // the place where the results of branches are brought to.
  size_t max_live() const { return max_live_; }

 private:
  friend class LivenessAnalysis;
  std::unordered_map<const Node*, Point> points_;
  std::unordered_set<const Node*> read_fields_;
  std::vector<const Var*> unused_parameters_;
  size_t max_live_ = 0;
};

// The module with "// dies: %0 %2" behind bindings, for people and golden tests.
std::string LivenessText(const Module& module);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_ANALYZE_LIVENESS_H_
