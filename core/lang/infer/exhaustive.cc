// SPDX-License-Identifier: Apache-2.0
// Builds the decision tree of each match and reads the answers off it: a kFail leaf is a missing
// case, a case without leaves is never reached (compare L. Maranget, "Warnings for pattern
// matching", 2007, which finds both without a tree). The trees are built again by lowering, from
// the same patterns.
#include "core/lang/infer/exhaustive.h"

#include "core/base/strings.h"
#include "core/lang/decision.h"

namespace tern::lang {
namespace {

class Checker {
 public:
  explicit Checker(text::Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  // A kernel has no patterns.
  void CheckFunction(const Function& function) {
    if (function.kernel == nullptr) CheckExpr(*function.body);
  }

 private:
  void CheckExpr(const Expr& expr) {
    if (expr.kind == ExprKind::kMatch) CheckMatch(expr);
    if (expr.pattern != nullptr) CheckIrrefutable(*expr.pattern, "'for'");
    for (const Param& param : expr.params) {
      CheckIrrefutable(*param.pattern, "a parameter");
      if (param.first != nullptr) CheckExpr(*param.first);
    }
    for (const ExprPtr& child : expr.children) {
      if (child != nullptr) CheckExpr(*child);
    }
    for (const Attribute& attribute : expr.attributes) CheckExpr(*attribute.value);
    for (const Arm& arm : expr.arms) {
      if (arm.guard != nullptr) CheckExpr(*arm.guard);
      CheckExpr(*arm.body);
    }
    for (const Statement& statement : expr.statements) CheckStatement(statement);
  }

  void CheckStatement(const Statement& statement) {
    if (statement.kind == StatementKind::kLet) CheckIrrefutable(*statement.pattern, "let");
    if (statement.value != nullptr) CheckExpr(*statement.value);
    if (statement.function != nullptr) CheckFunction(*statement.function);
  }

  // let, parameters and `for` have no other case to fall back on, so one row has to match
  // everything.
  void CheckIrrefutable(const Pattern& pattern, std::string_view where) {
    const DecisionTree tree = BuildDecision({{&pattern}});
    if (tree.missing.empty() || tree.mixed) return;
    diagnostics_->Error("E1016", StrCat("the pattern of ", where, " does not match every value"))
        .At(pattern.span, StrCat(tree.missing, " is not matched"))
        .Help("use match, with a case for every value");
  }

  void CheckMatch(const Expr& match) {
    std::vector<DecisionRow> rows;
    for (const Arm& arm : match.arms) rows.push_back({arm.pattern.get(), arm.guard != nullptr});
    const DecisionTree tree = BuildDecision(rows);
    if (tree.mixed) return;
    if (tree.too_large) {
      diagnostics_->Error("E1017", "this match has too many cases or combinations of patterns")
          .At(match.span, "more than can be compiled")
          .Help(
              "match one value at a time, in functions of their own; a map from literals to values "
              "takes any number of them");
      return;
    }
    for (size_t i = 0; i < match.arms.size(); ++i) {
      const Pattern& pattern = *match.arms[i].pattern;
      // A case that is reached may still have alternatives that are not.
      if (tree.uses[i] > 0) {
        WarnAlternatives(pattern, tree);
        continue;
      }
      diagnostics_->Warning("W1013", "this case is never reached")
          .At(pattern.span, "earlier cases match all of this");
    }
    if (tree.missing.empty()) return;
    text::Diagnostic& error =
        diagnostics_->Error("E1012", StrCat("no case matches ", tree.missing));
    // Underlines `match subject` only; the cases may be pages long.
    const Span head = {match.span.file, match.span.begin, match.children[0]->span.end};
    error.At(head, "every value needs a case");
    // It is marked as incomplete (the body is for the user to write), so the fixer leaves it alone.
    error.fixes.push_back({"add the case", {AddedCase(match, tree.missing)}, true});
  }

  // Behind the last case, whether or not a comma stands there; else before the closing brace.
  static text::Edit AddedCase(const Expr& match, std::string_view pattern) {
    const std::string added = StrCat(pattern, " => fail(\"not implemented\")");
    if (match.arms.empty()) {
      return {{match.mark.file, match.mark.begin, match.mark.begin}, StrCat(added, " ")};
    }
    const Span last = match.arms.back().span;
    return {{last.file, last.end, last.end}, StrCat(",\n", added)};
  }

  // Looks for the outermost alternatives that no leaf marks; what is inside one of those is not
  // reported again.
  void WarnAlternatives(const Pattern& pattern, const DecisionTree& tree) {
    for (const PatternPtr& arg : pattern.args) {
      if (pattern.kind != PatternKind::kOr || tree.reached.contains(arg.get())) {
        WarnAlternatives(*arg, tree);
        continue;
      }
      diagnostics_->Warning("W1013", "this alternative is never reached")
          .At(arg->span, "what stands before it matches all of this");
    }
  }

  text::Diagnostics* diagnostics_;
};

}  // namespace

void CheckMatches(const File& file, text::Diagnostics* diagnostics) {
  Checker checker(diagnostics);
  for (const Item& item : file.items) {
    const Function* function = item.callable();
    // Where inference complained, patterns may have no types, and a missing case would be a
    // consequence.
    if (function != nullptr && !function->has_errors) checker.CheckFunction(*function);
  }
}

}  // namespace tern::lang
