// SPDX-License-Identifier: Apache-2.0
// The working state of inference, one object for each file that is inferred. Its methods are spread
// over the sources that the headings name. Inside core/lang only; see infer.h.
#ifndef TERN_CORE_LANG_INFER_INFER_STATE_H_
#define TERN_CORE_LANG_INFER_INFER_STATE_H_

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/lang/infer/infer.h"
#include "core/lang/infer/scope.h"
#include "core/lang/infer/unify.h"
#include "core/lang/op_call.h"
#include "core/lang/primitives.h"
#include "core/object/memory_account.h"
#include "core/ops/dims.h"

namespace tern::lang {

// Type variables and dimensions that a type may mention.
struct TypeNames {
  std::vector<std::string> types = {}, dims = {};
  bool implicit = false;  // others are declared by their first mention
  bool dims_allowed = true;
  bool from_prelude = false;
};

// Why a type is expected: "argument 1 (x) of scale", and where that is said.
struct Want {
  std::string what;
  Span declared;
  std::string declared_text = "expected because of this";
  bool stored = false;  // the value goes into a list or a map: see Unifier::EnterStored
};

class Inference {
 public:
  Inference(Program* program, text::Diagnostics* diagnostics)
      : program_(program), diagnostics_(diagnostics) {}
  void Run(File* file);

 private:
  // What belongs to the function that is being inferred.
  struct Context {
    Function* function = nullptr;
    TypeNames names;
    Scope scope;
    std::vector<Expr*> pending;  // choices that wait for types
  };

  // --- declarations (infer_function.cc)
  void DeclareData(DataDecl* data, bool from_prelude);
  void CheckGenerics(const std::vector<Name>& generics);
  void SortGenerics(const Function& function, TypeNames* names);
  void Signature(Function* function, TypeNames* names);
  void InferGlobal(Function* function);
  void InferBody(Function* function);
  void InferLocalFunction(Function* function);
  void Generalize(Function* function);
  // The type of one use of the function, with fresh variables for its polymorphic names.
  types::Type TypeOfUse(Function* function);

  // --- written types (infer_type.cc)
  types::Type ConvertType(const TypeExpr& type, TypeNames* names);
  types::Type ConvertApplied(const TypeExpr& type, TypeNames* names);
  types::Type ConvertTensor(const TypeExpr& type, TypeNames* names);
  types::Type ConvertName(const TypeExpr& type, TypeNames* names);
  types::Dim ConvertDim(const Expr& dim, TypeNames* names);
  types::Dim ConvertDimName(const Expr& dim, TypeNames* names);
  // The difference of two extents, which `dim` writes: an error where it is a negative number.
  types::Dim Difference(const types::Dim& difference, const Expr& dim);
  types::Dim ConvertDimCall(const Expr& dim, TypeNames* names);
  bool CheckArity(const TypeExpr& type, size_t expected);

  // --- expressions (infer_expr.cc)
  // expected: what is known of the type that is wanted. It is a hint: the result may be another
  // type.
  types::Type Infer(Expr* expr, const types::Type& expected);
  types::Type InferKind(Expr* expr, const types::Type& expected);
  void CheckExpr(Expr* expr, const types::Type& expected, const Want& want);
  types::Type InferName(Expr* expr);
  types::Type InferList(Expr* expr, const types::Type& expected);
  types::Type InferMap(Expr* expr, const types::Type& expected);
  types::Type InferTuple(Expr* expr, const types::Type& expected);
  types::Type InferLambda(Expr* expr, const types::Type& expected);
  types::Type InferInt(const Expr& expr);
  void UnknownName(const Expr& expr);

  // --- control (infer_control.cc)
  types::Type InferIf(Expr* expr, const types::Type& expected);
  types::Type InferMatch(Expr* expr, const types::Type& expected);
  types::Type InferBlock(Expr* expr, const types::Type& expected);
  types::Type InferLoop(Expr* expr);
  types::Type InferFor(Expr* expr);
  types::Type LoopVariables(Expr* expr);
  void CheckCondition(Expr* condition, std::string_view of);
  void InferLet(Statement* statement);
  // The common type of branches that give one value.
  types::Type Join(Expr* branch, const types::Type& so_far, const types::Type& type,
                   const Want& want);
  void InferPattern(Pattern* pattern, const types::Type& type);
  void InferConstructorPattern(Pattern* pattern, const types::Type& type);
  void InferBind(Pattern* pattern, const types::Type& type);
  void InferListPattern(Pattern* pattern, const types::Type& type);
  void InferAlternatives(Pattern* pattern, const types::Type& type);
  void CheckSameNames(const std::vector<const Pattern*>& wanted,
                      const std::vector<const Pattern*>& names, const Pattern& alternative);
  void BindPattern(Pattern* pattern);  // its names come into scope
  void CheckDistinct(const std::vector<const Pattern*>& names);
  void CheckParameters(const std::vector<Param>& params);

  // --- calls (infer_call.cc)
  types::Type InferCall(Expr* expr, const types::Type& expected);
  types::Type ApplyFunction(Expr* expr, const types::Type& callee, const Function* function,
                            const types::Type& expected);
  void CheckArguments(Expr* expr, std::span<const types::Type> parameters,
                      const Function* function);
  bool IsOverloaded(const Expr& callee) const;
  void RefuseRest(Expr* call);
  void RefuseAttributes(const Expr& call, std::string_view callee);

  // Choices (infer_choice.cc). Nothing: some type has to be known first. With force, what is known
  // must do.
  types::Type Choose(Expr* expr);
  std::optional<types::Type> TryChoose(Expr* expr, bool force);
  std::optional<types::Type> TryCall(Expr* expr, bool force);
  std::optional<types::Type> TryPrimitive(Expr* expr, const Primitive& primitive, bool force);
  std::optional<types::Type> TryTensorPrimitive(Expr* expr, const Primitive& primitive);
  std::optional<types::Type> TryConvert(Expr* expr, DType dtype);
  std::optional<types::Type> TryOperator(Expr* expr, const ops::OpInfo& op, bool force);
  std::optional<types::Type> ChooseByFirst(Expr* expr, const types::Type& first, bool force);
  std::optional<types::Type> TryBinary(Expr* expr, bool force);
  std::optional<types::Type> ScalarBinary(Expr* expr, const types::Type& a, const types::Type& b);
  std::optional<types::Type> TryUnary(Expr* expr);
  std::optional<types::Type> TryField(Expr* expr);
  std::optional<types::Type> TryIndex(Expr* expr);
  void SolvePending(bool force);
  void ReportUnsolved(Expr* expr);

  // --- forms that stand for others (infer_forms.cc)
  static bool IsSlice(const Expr& index);
  std::optional<bool> CheckIndexItems(Expr* expr);
  std::optional<types::Type> TrySlice(Expr* expr, const types::Type& type);
  std::optional<types::Type> SliceItems(Expr* expr, const types::Type& type);
  std::optional<types::Type> SliceTensor(Expr* expr, const types::Type& type);
  std::optional<types::Type> TryRecordField(Expr* expr, const types::Type& type);
  types::Type InferRecord(Expr* call, const ConstructorRef& ref, const types::Type& expected);
  std::optional<types::Type> OrderRecord(Expr* call, const ConstructorRef& ref,
                                         const types::Type& expected);
  bool OrderArguments(Expr* call, const ConstructorDecl& constructor, Local* base);
  bool OrderFields(Pattern* pattern, const ConstructorDecl& constructor);
  void ExpandMaker(Expr* call);
  Local* MakeLocal(std::string_view name, const Span& span, const types::Type& type);
  static void BecomeBlock(Expr* expr, Local* name, ExprPtr value, ExprPtr result);

  // --- messages (infer_report.cc)
  // False, with a diagnostic, where a value of type `actual` does not fit `expected`.
  bool Coerce(Expr* value, const types::Type& expected, const types::Type& actual,
              const Want& want);
  void GiveUp(const types::Type& function);
  void ReportMismatch(const Expr& value, const types::Type& expected, const types::Type& actual,
                      const Mismatch& mismatch, const Want& want);
  void SuggestConversion(const Expr& value, const types::Type& expected, const types::Type& actual,
                         text::Diagnostic* diagnostic);
  void ReportOpProblem(const Expr& call, const ops::OpInfo& op, const OpCall& read,
                       const Status& status);
  text::Diagnostic& Error(std::string_view code, const std::string& message, const Span& span,
                          std::string_view label = {});

  // --- the end (infer_finish.cc): solutions go into the tree
  void Finish(Function* function);
  void FinishExpr(Expr* expr);
  void FinishPattern(Pattern* pattern);
  types::Type Final(const types::Type& type) const;

  types::Type Known(const Expr& expr) const { return unifier_.Apply(expr.type); }
  OpCallReader Reader() const;
  // Whether the function belongs to the prelude, whose types were inferred before.
  bool IsKnown(const Function& function) const { return function.in_prelude && !infers_prelude_; }
  // Types may take more than the text does, so expressions are left alone then; who asked for the
  // check tells. The prelude is what everybody counts on.
  bool HasNoMemory() const { return !infers_prelude_ && IsMemoryOver(); }
  bool InPrelude() const { return context_.function != nullptr && context_.function->in_prelude; }

  Program* program_;
  text::Diagnostics* diagnostics_;
  Unifier unifier_;
  Context context_;
  std::unordered_set<const Function*> started_, done_;
  bool infers_prelude_ = false;
  Function* global_ = nullptr;  // whose declaration or body is looked at
  int global_depth_ = 0;
};

inline bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The known name that looks most like this one, or "" if none is near.
std::string Nearest(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_INFER_INFER_STATE_H_
