// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/fold_branches.h"

#include <optional>

#include "core/ir/rewriter.h"

namespace tern::ir {

namespace {

// The truth of a constant as the machine decides it; nothing where the machine would refuse.
std::optional<bool> TruthOf(const Expr& expr) {
  const Constant* constant = expr->As<Constant>();
  if (constant == nullptr) return std::nullopt;
  const Any& value = constant->value();
  switch (value.type_code()) {
    case TERN_TYPE_BOOL: return *value.TryCast<bool>();
    case TERN_TYPE_INT: return *value.TryCast<int64_t>() != 0;
    case TERN_TYPE_FLOAT: return *value.TryCast<double>() != 0;
    default: break;
  }
  const Tensor* tensor = constant->tensor();
  if (tensor == nullptr || tensor->element_count() != 1) return std::nullopt;
  if (tensor->dtype() == kBool) return *tensor->data_as<bool>();
  if (tensor->dtype() == kI64) return *tensor->data_as<int64_t>() != 0;
  return std::nullopt;
}

// Takes the branch that is known to run, fields of constructors that are made in sight, and calls
// of closures that are made in sight.
class BranchFolder : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  Expr RewriteIf(const If& node, const Expr& condition) override {
    const std::optional<bool> truth = TruthOf(condition);
    if (truth.has_value()) return Splice(*truth ? *node.then_block() : *node.else_block());
    const Let &a = *node.then_block(), &b = *node.else_block();
    // Branches that give the same atom do not depend on the condition.
    const bool same = a.bindings().empty() && b.bindings().empty() && a.result() == b.result();
    return same ? Splice(a) : nullptr;
  }

  Expr RewriteSwitch(const Switch& node, const Expr& subject) override {
    const Construct* made = DefinitionAs<Construct>(subject);
    if (made == nullptr) return nullptr;
    for (const SwitchCase& option : node.cases()) {
      if (option.constructor != made->constructor()) continue;
      // The fields' variables become the constructor's arguments.
      for (size_t i = 0; i < option.fields.size(); ++i) {
        if (option.fields[i]) SetMapped(option.fields[i], made->fields()[i]);
      }
      return Splice(*option.block);
    }
    // The verifier makes sure that there is a default where a case is missing.
    return Splice(*node.default_block());
  }

  Expr RewriteItem(const GetItem& item, const Expr& tuple) override {
    const Tuple* made = DefinitionAs<Tuple>(tuple);
    return made == nullptr ? nullptr : made->fields()[static_cast<size_t>(item.index())];
  }

  Expr RewriteInvoke(const Invoke& invoke, const Expr& callee,
                     const std::vector<Expr>& args) override {
    const MakeClosure* made = DefinitionAs<MakeClosure>(callee);
    if (made == nullptr) return nullptr;
    std::vector<Expr> all = args;
    // Captured values come last, as lambda_lift makes them.
    all.insert(all.end(), made->captured().begin(), made->captured().end());
    builder().SetName(current().var->name());
    return builder().BindAs(MakeInvoke(made->function(), std::move(all), invoke.is_tail()),
                            current().var->type());
  }

 private:
  template <class T>
  const T* DefinitionAs(const Expr& expr) const {
    const Node* definition = NewDefinition(expr);
    return definition == nullptr ? nullptr : definition->As<T>();
  }
};

}  // namespace

Module FoldBranches(const Module& module, const PassContext& context) {
  return RewriteModule<BranchFolder>(module, context.diagnostics);
}

}  // namespace tern::ir
