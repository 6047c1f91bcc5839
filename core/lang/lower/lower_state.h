// SPDX-License-Identifier: Apache-2.0
// The working state of lowering one function. Inside core/lang only; see lower.h.
#ifndef TERN_CORE_LANG_LOWER_LOWER_STATE_H_
#define TERN_CORE_LANG_LOWER_LOWER_STATE_H_

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/builder.h"
#include "core/lang/decision.h"
#include "core/lang/lower/lower.h"
#include "core/lang/op_call.h"
#include "core/text/locator.h"

namespace tern::lang {

// What the functions of one module share: the queue of functions that are still to be lowered, and
// the data types.
struct ModuleState {
  const Program* program;
  text::Diagnostics* diagnostics;
  ir::Module module;
  std::unordered_map<const DataDecl*, ir::DataTypePtr> data;
  std::unordered_set<const Function*> asked;  // functions that some call needs
  std::vector<const Function*> queue;         // of them, in the order of the first mention
  text::Locator places;                       // of all bindings, about in the order of the text

  std::string NameOf(const Function& function);  // asks for it
  ir::DataTypePtr DataOf(const DataDecl& data);
};

class FunctionLowering {
 public:
  explicit FunctionLowering(ModuleState* module) : module_(module), builder_(module->diagnostics) {}
  ir::FunctionPtr Run(const Function& function);

 private:
  ir::FunctionPtr LowerKernel(const Function& function);
  // Where the value of a block that ends a loop's body goes: the next turn of the loop.
  struct Next {
    ir::Expr loop;
    std::vector<ir::Expr> first;  // arguments before the loop's variables
    size_t count = 0;             // of variables
    types::Type result;
  };
  // What the leaves of a decision tree need.
  struct Match {
    const Expr* expr = nullptr;  // null for the pattern of a let, whose value is its names' values
    Span span = {};
    std::vector<Local*> names = {};
    const DecisionTree* tree = nullptr;
    std::unordered_map<int, ir::Expr> places;
    std::unordered_map<int, types::Type> types;
    std::vector<ir::Expr> shared;  // by arm: the lambda of an arm that several leaves share
    const Next* next = nullptr;
    types::Type result;
  };

  // --- lower_expr.cc
  // Gives an atom. With `next`, the expression is in tail position of a loop's body, and what it
  // gives is the result of the loop.
  ir::Expr Lower(const Expr& expr, const Next* next = nullptr);
  ir::Expr LowerValue(const Expr& expr);
  ir::Expr LowerChecked(const Expr& expr, ir::Expr value);
  ir::Expr LowerName(const Expr& expr);
  ir::Expr LowerConstant(const Function& constant, const types::Type& type);
  ir::Expr LowerConstructor(const Expr& name);
  ir::Expr LowerDimension(const std::string& name, const Span& span);
  // The int n for an extent that is slope * n + rest.
  ir::Expr SolveExtent(const types::Dim& extent, const std::string& name, const ir::Expr& value);
  ir::Expr LowerDim(const types::Dim& dim, const Span& span);
  ir::Expr LowerLiteral(const Expr& expr);
  ir::Expr LowerList(const Expr& expr);
  ir::Expr LowerMap(const Expr& expr);
  ir::Expr LowerUnary(const Expr& expr);
  ir::Expr LowerBinary(const Expr& expr);
  ir::Expr LowerShortCircuit(const Expr& expr);
  ir::Expr LowerEquality(const Expr& expr, ir::Expr a, ir::Expr b);
  ir::Expr LowerIndex(const Expr& expr);
  ir::Expr LowerLambda(const Expr& expr);

  // --- lower_call.cc
  ir::Expr LowerCall(const Expr& expr);
  ir::Expr LowerPrimitive(const Expr& expr);
  ir::Expr LowerOperator(const Expr& expr);
  ir::Expr LowerArgument(const OpArgument& argument);
  ir::Expr LowerConvert(const Expr& expr);
  // A number, a bool or nested lists of them as a tensor of that type.
  ir::Expr ToTensor(const Expr& expr, const types::TensorType& type);
  ir::Expr ConstantTensor(const Expr& expr, const types::TensorType& type);

  // --- lower_control.cc
  ir::Expr LowerIf(const Expr& expr, const Next* next);
  ir::Expr LowerBlock(const Expr& expr, const Next* next);
  void LowerLet(const Statement& statement);
  void LowerLocalFunction(const Function& function);
  ir::Expr LowerLoop(const Expr& expr);
  ir::Expr LowerFor(const Expr& expr);
  // Opens the function of a loop: its variables are bound, and bindings go into its body until
  // EndLoop.
  ir::VarPtr BeginLoop(const Expr& expr, std::vector<ir::VarPtr> first,
                       std::vector<ir::Expr>* state);
  ir::Expr EndLoop(const Expr& expr, const ir::VarPtr& loop, ir::Expr result,
                   std::vector<ir::Expr> arguments);
  std::vector<ir::Expr> FirstValues(const Expr& loop);
  ir::Expr GoOn(const Expr& expr, ir::Expr value, const Next& next);
  ir::Expr StateValue(const Expr& loop, const std::vector<ir::Expr>& state);

  // --- lower_match.cc
  // Whether too many decisions lie in each other, with one error.
  class Deeper;
  bool IsTooDeep(const Match& match);
  ir::Expr LowerMatch(const Expr& expr, const Next* next);
  void BindPattern(const Pattern& pattern, ir::Expr value);
  void BindAlternatives(const Pattern& pattern, ir::Expr value);
  void BindFields(const Pattern& pattern, const ir::Expr& value);
  void ShareArms(Match* match);
  ir::Expr LowerDecision(const Decision& decision, Match* match);
  ir::Expr LowerLeaf(const Decision& decision, Match* match);
  ir::Expr LowerArm(const Decision& decision, Match* match);
  ir::Expr LowerSwitch(const Decision& decision, Match* match);
  ir::Expr LowerLiterals(const Decision& decision, Match* match, size_t first);
  ir::Expr LowerLengths(const Decision& decision, Match* match);
  ir::Expr LowerLength(const Decision& decision, Match* match, size_t index,
                       const ir::Expr& length);
  ir::Expr LowerLengthCase(const Decision& decision, Match* match, size_t index);
  ir::Expr PlaceValue(int place, Match* match);
  std::vector<ir::Expr> BoundValues(const Decision& decision, const std::vector<Local*>& locals,
                                    Match* match);
  types::Type PlaceType(int place, Match* match);

  // --- lower.cc
  void At(const Span& span);
  ir::Expr Invoke(std::string_view primitive, std::vector<ir::Expr> args, const types::Type& type);
  ir::Expr Bind(ir::Expr value, const types::Type& type);
  ir::Expr Unit();
  ir::VarPtr NewVar(const std::string& name, const types::Type& type);
  OpCallReader Reader() const;

  ModuleState* module_;
  int decisions_ = 0;  // around the one that is being lowered
  bool is_too_deep_ = false;
  ir::Builder builder_;
  std::string origin_;
  std::unordered_map<const Local*, ir::Expr> values_;
  std::vector<const Local*> tensors_;  // names in scope that may tell an extent
};

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_LOWER_LOWER_STATE_H_
