// SPDX-License-Identifier: Apache-2.0
// The mutator's promise: what did not change is the same pointer, before and after every pass.
#include "core/ir/rewriter.h"

#include <gtest/gtest.h>

#include "core/ir/passes/pass.h"
#include "core/ir/text/parser.h"
#include "core/ir/verifier.h"

namespace tern::ir::rewriter_test {
namespace {

Module Read(std::string_view text) {
  Result<Module> module = ParseModule("test.tn", text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  return *std::move(module);
}

constexpr std::string_view kPlain =
    "fn main(%x: f32[n, 4]) {\n"
    "  let %0 = exp(%x)\n  let %1 = split(%0) {axis=1 parts=2}\n  let %2 = %1.0\n"
    "  let %3 = (%2, %0)\n  return (%2, %0)\n}\n";

TEST(Rewriter, NothingChangedIsTheSamePointer) {
  const Module module = Read(kPlain);
  text::Diagnostics diagnostics;
  const Module same = RewriteModule<Rewriter>(module, &diagnostics);
  EXPECT_EQ(same.Find("main"), module.Find("main"));
}

TEST(Rewriter, PassesWithNothingToDoReturnTheSamePointer) {
  const Module module = Read("fn main(%x: f32[n, 4]) {\n  let %0 = exp(%x)\n  return %0\n}\n");
  text::Diagnostics diagnostics;
  PassContext context;
  context.diagnostics = &diagnostics;
  for (const PassInfo& pass : AllPasses()) {
    if (pass.name == "infer_type") continue;
    EXPECT_EQ(pass.function(module, context).Find("main"), module.Find("main")) << pass.name;
  }
}

class Doubler : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  Expr RewriteCall(const Call& call, const std::vector<Expr>& args) override {
    return call.Is(ops::Op::k_exp) ? builder().Emit("add", {args[0], args[0]}) : nullptr;
  }
};

TEST(Rewriter, ReplacementsReachTheirUses) {
  const Module module = Read(kPlain);
  text::Diagnostics diagnostics;
  const Module changed = RewriteModule<Doubler>(module, &diagnostics);
  ASSERT_TRUE(Verify(changed).ok());
  EXPECT_FALSE(changed.Find("main") == module.Find("main"));
  const Call* first = changed.Find("main")->bindings()[0].value->As<Call>();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->op().name, "add");
  const Call* split = changed.Find("main")->bindings()[1].value->As<Call>();
  EXPECT_EQ(split->args()[0].get(), changed.Find("main")->bindings()[0].var.get());
}

// Names of data-dependent extents stay apart when a pass adds more of them.
class Finder : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  Expr RewriteCall(const Call& call, const std::vector<Expr>& args) override {
    return call.Is(ops::Op::k_abs) ? builder().Emit("non_zero", {args[0]}) : nullptr;
  }
};

TEST(Rewriter, FreshSymbolsDoNotCollide) {
  const Module module = Read(
      "fn main(%x: f32[n]) {\n  let %0 = non_zero(%x)\n  let %1 = abs(%x)\n  return (%0, %1)\n}\n");
  text::Diagnostics diagnostics;
  const FunctionPtr main = RewriteModule<Finder>(module, &diagnostics).Find("main");
  EXPECT_EQ(main->bindings()[0].var->type().ToText(), "i64[1, _1]");
  EXPECT_EQ(main->bindings()[1].var->type().ToText(), "i64[1, _2]");
}

}  // namespace
}  // namespace tern::ir::rewriter_test
