// SPDX-License-Identifier: Apache-2.0
#include "core/loop/formula.h"

#include <string>
#include <utility>

#include "core/loop/text/expr_parser.h"

namespace tern::loop {
namespace {

// The grammar of expressions is that of loop programs; parameters are variables that are declared
// before the text begins.
class FormulaParser : public ExprParser {
 public:
  using ExprParser::ExprParser;

  Result<Formula> Run(std::span<const FormulaParameter> parameters, DataType wanted) {
    Formula formula;
    for (const FormulaParameter& parameter : parameters)
      formula.parameters.push_back(
          DeclareVar({TokenKind::kName, parameter.name, {}}, parameter.type));
    while (Accept("let")) ParsePart(&formula, wanted);
    formula.value = ParseExpr(wanted);
    if (ok() && Peek().kind != TokenKind::kEnd) Fail("the end of the formula");
    if (!diagnostics_.ok()) return diagnostics_.ToStatus();
    return formula;
  }

 private:
  VarPtr DeclareVar(const Token& name, DataType type) {
    VarPtr var = MakeVar(std::string(name.text), type);
    Declare(name, {name.text, var, nullptr});
    return var;
  }

  // "e = VALUE;" behind "let".
  void ParsePart(Formula* formula, DataType wanted) {
    const Token name = Name("a name");
    Expect("=");
    Expr value = ParseExpr(wanted);
    Expect(";");
    if (ok() && value) formula->parts.push_back({DeclareVar(name, value->type), std::move(value)});
  }
};

// What is put in is not gone into again, so a value may name what stands for something itself. A
// negated number is the number.
class Inserter : public ExprMutator {
 public:
  explicit Inserter(std::span<const Substitution> values) : values_(values) {}

  Expr MutateExpr(const Expr& expr) override {
    if (expr->kind == ExprKind::kVar) return Substitute(expr, values_);
    const Expr made = Descend(expr);
    const Binary* binary = made->As<Binary>();
    if (binary == nullptr || binary->op != BinaryOp::kSub) return made;
    const FloatImm *zero = binary->a->As<FloatImm>(), *number = binary->b->As<FloatImm>();
    const bool negates = zero != nullptr && number != nullptr && zero->value == 0;
    return negates ? MakeFloat(made->type, zero->value - number->value) : made;
  }

 private:
  std::span<const Substitution> values_;
};

class NodeCounter : public ExprVisitor {
 public:
  void VisitExpr(const Expr& expr) override {
    ++count;
    Descend(expr);
  }
  int64_t count = 0;
};

// Places where the variable stands: each is one evaluation of what is put in there.
class ReadCounter : public ExprVisitor {
 public:
  explicit ReadCounter(const Var* var) : var_(var) {}
  void VisitExpr(const Expr& expr) override {
    count += expr.get() == var_ ? 1 : 0;
    Descend(expr);
  }
  int64_t count = 0;

 private:
  const Var* var_;
};

// A reciprocal root becomes a root and a quotient, and no polynomial.
class CostlyFinder : public ExprVisitor {
 public:
  void VisitExpr(const Expr& expr) override {
    const Call* call = expr->As<Call>();
    found |=
        call != nullptr && !InfoOf(call->intrinsic).lowered && call->intrinsic != Intrinsic::kRSqrt;
    if (!found) Descend(expr);
  }
  bool found = false;
};

}  // namespace

Expr PutIn(const Expr& expr, std::span<const Substitution> values) {
  return Inserter(values).MutateExpr(expr);
}

int64_t CountNodes(const Expr& expr) {
  NodeCounter counter;
  counter.VisitExpr(expr);
  return counter.count;
}

int64_t CountReads(const Expr& expr, const Var* var) {
  ReadCounter counter(var);
  counter.VisitExpr(expr);
  return counter.count;
}

bool IsCostly(const Expr& expr) {
  CostlyFinder finder;
  finder.VisitExpr(expr);
  return finder.found;
}

// How often the argument is computed if it is put in as it is, and not named first.
int64_t Formula::Evaluations(size_t parameter) const {
  const Var* var = parameters[parameter].get();
  int64_t evaluations = CountReads(value, var);
  // From the last part on: what reads a part is the value, and the parts behind it.
  std::vector<int64_t> of_part(parts.size());
  for (size_t i = parts.size(); i-- > 0;) {
    of_part[i] = CountReads(value, parts[i].var.get());
    for (size_t k = i + 1; k < parts.size(); ++k)
      of_part[i] += of_part[k] * CountReads(parts[k].value, parts[i].var.get());
    evaluations += of_part[i] * CountReads(parts[i].value, var);
  }
  return evaluations;
}

int64_t Formula::NodeCount() const {
  int64_t count = CountNodes(value);
  for (const Part& part : parts) count += CountNodes(part.value);
  return count;
}

Result<Formula> ParseFormula(std::string_view text, std::span<const FormulaParameter> parameters,
                             DataType wanted) {
  return FormulaParser(text).Run(parameters, wanted);
}

}  // namespace tern::loop
