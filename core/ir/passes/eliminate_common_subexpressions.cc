// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/eliminate_common_subexpressions.h"

#include <unordered_map>

#include "core/base/strings.h"
#include "core/ir/rewriter.h"

namespace tern::ir {

namespace {

// Value numbering with texts as keys: a call is known by its operator, attributes and arguments. A
// binding of which there is an earlier one in scope is replaced by that one's variable.
class SubexpressionEliminator : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  // Arguments of the new function, so that chains of equal calls become equal step by step.
  Expr RewriteCall(const Call& call, const std::vector<Expr>& args) override {
    std::string key = StrCat(static_cast<int>(call.op().op), "{", call.attrs().ToText(), "}");
    AppendArgs(args, &key);
    return FindOrNote(std::move(key));
  }
  Expr RewriteItem(const GetItem& item, const Expr& tuple) override {
    std::string key = StrCat(".", item.index());
    AppendArgs({&tuple, 1}, &key);
    return FindOrNote(std::move(key));
  }
  Expr RewriteScalar(const Scalar& scalar, const std::vector<Expr>& args) override {
    std::string key = StrCat(scalar.info().name, ".scalar");
    AppendArgs(args, &key);
    return FindOrNote(std::move(key));
  }
  // What a branch or a lambda computed does not exist outside of it, so that its keys are taken out
  // again.
  void EnterBlock() override { outside_.push_back(order_.size()); }
  void LeaveBlock() override {
    for (; order_.size() > outside_.back(); order_.pop_back()) first_.erase(order_.back());
    outside_.pop_back();
  }

 private:
  // Atoms are equal if they are one node; constants of a few numbers also if the numbers are equal.
  static void AppendArgs(std::span<const Expr> args, std::string* key) {
    for (const Expr& arg : args) {
      const Constant* constant = arg->As<Constant>();
      const ops::Values* values = constant == nullptr ? nullptr : ValuesOf(arg);
      if (constant != nullptr && TypeOf(arg).is_scalar()) {
        AppendScalar(constant->value(), key);
        continue;
      }
      if (values == nullptr) {
        StrAppend(key, " ", reinterpret_cast<uintptr_t>(arg.get()));
        continue;
      }
      StrAppend(key, " ", TypeOf(arg).ToText());
      for (const types::Dim& value : *values) StrAppend(key, ",", value.ToText());
    }
  }

  // Compared bit by bit: 0.0 and -0.0 are not one value, and 1 is not 1.0.
  static void AppendScalar(const Any& value, std::string* key) {
    if (const auto text = value.TryCast<std::string_view>())
      StrAppend(key, " ", text->size(), "\"", *text);
    else
      StrAppend(key, " ", value.type_name(), value.c_any().v.i);
  }

  // Null for the first of its kind, which is kept; else the earlier one.
  Expr FindOrNote(std::string key) {
    const auto found = first_.find(key);
    if (found == first_.end()) {
      order_.push_back(key);
      first_.emplace(std::move(key), current().var);
      return nullptr;
    }
    return Map(found->second);
  }

  std::unordered_map<std::string, Expr> first_;  // key → variable of the old function
  std::vector<std::string> order_;               // keys as they came
  std::vector<size_t> outside_;                  // how many there were before each open block
};

}  // namespace

Module EliminateCommonSubexpressions(const Module& module, const PassContext& context) {
  return RewriteModule<SubexpressionEliminator>(module, context.diagnostics);
}

}  // namespace tern::ir
