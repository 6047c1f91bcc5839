// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/eliminate_common_subexpressions.h"

#include "core/base/strings.h"
#include "core/ir/rewriter.h"

namespace tern::ir {

namespace {

class Eliminator : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
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

 private:
  // Atoms are equal where they are one node; constants of a few numbers also where the numbers are.
  static void AppendArgs(std::span<const Expr> args, std::string* key) {
    for (const Expr& arg : args) {
      const ops::Values* values = arg->As<Constant>() == nullptr ? nullptr : ValuesOf(arg);
      if (values == nullptr) {
        StrAppend(key, " ", reinterpret_cast<uintptr_t>(arg.get()));
        continue;
      }
      StrAppend(key, " ", TypeOf(arg).ToText());
      for (const types::Dim& value : *values) StrAppend(key, ",", value.ToText());
    }
  }

  // The binding that is being rewritten is the first of its kind, or the earlier one is given.
  Expr FindOrNote(std::string key) {
    const auto found = first_.find(key);
    if (found == first_.end()) {
      first_.emplace(std::move(key), current().var);
      return nullptr;
    }
    return Map(found->second);
  }

  std::unordered_map<std::string, Expr> first_;  // key → variable of the old function
};

}  // namespace

Module EliminateCommonSubexpressions(const Module& module, const PassContext& context) {
  return RewriteModule<Eliminator>(module, context.diagnostics);
}

}  // namespace tern::ir
