// SPDX-License-Identifier: Apache-2.0
// Code generation: registers are reused at last uses, everything dead is killed, nothing is read
// afterwards (the executable's own verifier proves that), the signature and debug info are there.
#include "core/ir/codegen/vm_codegen.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base/strings.h"
#include "core/ir/builder.h"
#include "core/ir/passes/choose_layout.h"
#include "core/ir/passes/fold_batch_norm.h"
#include "core/ir/passes/pack_weights.h"
#include "core/ir/passes/pack_winograd.h"
#include "core/ir/splat.h"
#include "core/ir/text/parser.h"
#include "core/ir/text/printer.h"
#include "core/vm/file/writer.h"

namespace tern::ir::codegen_test {
namespace {

Result<vm::ExecutablePtr> Compile(std::string_view text) {
  Result<Module> module = ParseModule("test.tn", text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  return GenerateCode(*module);
}

TEST(Codegen, ChainsNeedOneRegister) {
  text::Diagnostics diagnostics;
  Builder builder(&diagnostics);
  Expr x = builder.AddParameter("x", *types::Type::Parse("f32[n]"));
  for (int i = 0; i < 20000; ++i) x = builder.Emit(ops::Op::k_exp, {x});
  Module module;
  module.Set("main", builder.Finish(x, {"y"}));
  Result<vm::ExecutablePtr> executable = GenerateCode(module);
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  EXPECT_EQ((*executable)->functions()[0].register_count, 1u);
  EXPECT_EQ((*executable)->instruction_count(), 20001u);
}

TEST(Codegen, SignatureAndOrigins) {
  Result<vm::ExecutablePtr> executable = Compile(
      "fn main(%x: f32[n, 3], %y: f32[n, 3]) {\n  let %0 = add(%x, %y)\n  return (%0, %x) as "
      "\"sum\", \"first\"\n}\n");
  ASSERT_TRUE(executable.ok());
  EXPECT_EQ((*executable)->functions()[0].signature.ToText(),
            "(x: f32[n, 3], y: f32[n, 3]) -> (sum: f32[n, 3], first: f32[n, 3])");
  ASSERT_NE((*executable)->FindDebug(0), nullptr);
  EXPECT_EQ((*executable)->FindDebug(0)->text(), "%0");
}

TEST(Codegen, ConstantsAreSharedAndSplatsStaySmall) {
  Result<vm::ExecutablePtr> executable = Compile(
      "const @big: f32[1000, 1000] = 0.5\n"
      "fn main(%x: f32[1000, 1000]) {\n  let %0 = add(%x, @big)\n  let %1 = mul(%0, @big)\n  "
      "return %1\n}\n");
  ASSERT_TRUE(executable.ok());
  ASSERT_EQ((*executable)->constants().size(), 1u);
  EXPECT_EQ((*executable)->constants()[0].kind, vm::ConstantKind::kSplat);
}

// A convolution of 3 filters with a normalization behind it, whose weights are packed.
std::vector<uint8_t> PackedFile(std::string_view weights) {
  text::Diagnostics diagnostics;
  PassContext context;
  context.diagnostics = &diagnostics;
  Result<Module> module = ParseModule(
      "test.tn", StrCat("const @w: f32[3, 2, 3, 3] = ", weights,
                        "\nconst @s: f32[3] = [2, 3, -5]\nconst @b: f32[3] = [0.5, -0.5, 1]\n"
                        "const @m: f32[3] = [1, 1, 2]\nconst @v: f32[3] = [4, 1, 9]\n"
                        "fn main(%x: f32[1, 2, 64, 64]) {\n  let %0 = conv2d(%x, @w)\n"
                        "  let %1 = batch_norm(%0, @s, @b, @m, @v) {epsilon=0}\n"
                        "  return %1\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  Module packed = PackWeights(
      PackWinograd(ChooseLayout(FoldBatchNorm(*module, context), context), context), context);
  EXPECT_NE(ToText(packed).find("packed=1"), std::string::npos) << ToText(packed);
  return vm::SaveExecutable(**GenerateCode(packed));
}

TEST(Codegen, FilledFiltersArePackedAsWrittenOutOnes) {
  std::string list = "[0.3";
  for (int i = 1; i < 3 * 2 * 3 * 3; ++i) list += ", 0.3";
  EXPECT_EQ(PackedFile("0.3"), PackedFile(list + "]"));
}

TEST(Codegen, StepsOfFilters) {
  const int64_t dims[] = {4, 2, 3, 3}, turned[] = {18, 9, 1, 3}, filled[] = {1, 0, 0, 0};
  const TensorPtr filters = *Tensor::New(kF32, dims);
  const std::optional<ops::FilterSteps> plain = FilterStepsOf(*filters);
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->out, 18);
  EXPECT_EQ(plain->in, 9);
  EXPECT_EQ(plain->tap, 1);
  EXPECT_FALSE(FilterStepsOf(**filters->View(dims, turned, 0)).has_value());
  EXPECT_FALSE(VariesAlong(*filters, 0));
  const TensorPtr numbers = *filters->View(dims, filled, 0);
  EXPECT_TRUE(VariesAlong(*numbers, 0));
  EXPECT_FALSE(VariesAlong(*numbers, 1));
  EXPECT_EQ(FilterStepsOf(*numbers)->out, 1);
  EXPECT_EQ(FilterStepsOf(*numbers)->tap, 0);
}

// Registers never exceed the largest number of values alive at once, plus the one being made.
TEST(Codegen, RandomGraphsUseAsManyRegistersAsLive) {
  std::mt19937 random(13);
  for (int round = 0; round < 200; ++round) {
    text::Diagnostics diagnostics;
    Builder builder(&diagnostics);
    std::vector<Expr> values;
    for (int i = 0; i < 3; ++i)
      values.push_back(builder.AddParameter(StrCat("x", i), *types::Type::Parse("f32[4]")));
    const int count = 5 + static_cast<int>(random() % 40);
    std::vector<std::pair<size_t, size_t>> uses;
    for (int i = 0; i < count; ++i) {
      const size_t a = random() % values.size(), b = random() % values.size();
      uses.emplace_back(a, b);
      values.push_back(builder.Emit(ops::Op::k_add, {values[a], values[b]}));
    }
    std::vector<size_t> last(values.size(), 0);
    for (size_t i = 0; i < uses.size(); ++i) last[uses[i].first] = last[uses[i].second] = i + 1;
    last.back() = uses.size() + 1;
    size_t most = 3;
    for (size_t i = 0; i < uses.size(); ++i) {
      // Alive while i runs: parameters until their last use, results from their making on, and the
      // one being made.
      size_t alive = 0;
      for (size_t v = 0; v < i + 3; ++v) alive += last[v] > i + 1 ? 1 : 0;
      most = std::max(most, alive + 1);
      size_t reading = 0;
      for (size_t v = 0; v < i + 3; ++v) reading += last[v] >= i + 1 ? 1 : 0;
      most = std::max(most, reading);
    }
    Module module;
    module.Set("main", builder.Finish(values.back(), {}));
    Result<vm::ExecutablePtr> executable = GenerateCode(module);
    ASSERT_TRUE(executable.ok()) << executable.status().ToString();
    // Parameters that nobody reads keep their registers.
    size_t unread = 0;
    for (size_t v = 0; v < 3; ++v) unread += last[v] == 0 ? 1 : 0;
    EXPECT_LE((*executable)->functions()[0].register_count, most + unread);
  }
}

}  // namespace
}  // namespace tern::ir::codegen_test
