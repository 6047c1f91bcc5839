// SPDX-License-Identifier: Apache-2.0
// Semantics twice: random programs with branches, closures, recursion and effects give what the
// evaluator says, unoptimised, optimised, and with each pass alone; registers are as many as values
// live at once.
#include <gtest/gtest.h>

#include <cmath>

#include "core/driver/evaluate.h"
#include "core/driver/pipeline.h"
#include "core/ir/codegen/vm_codegen.h"
#include "core/ir/passes/analyze_liveness.h"
#include "core/ir/passes/plan_memory.h"
#include "core/ir/text/parser.h"
#include "core/ir/text/printer.h"
#include "core/ir/verifier.h"
#include "core/kernels/bind/bind.h"
#include "core/object/containers/adt.h"
#include "core/object/graph/print.h"
#include "core/vm/vm.h"
#include "tests/support/ir_evaluator.h"
#include "tests/support/random_module.h"
#include "tests/support/rounds.h"

namespace tern::driver::random_module_test {
namespace {

constexpr auto kPrograms = static_cast<uint32_t>(support::Rounds(1200));

bool Near(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  if (a == b) return true;
  return std::fabs(a - b) <= 1e-4 * (1 + std::fabs(a) + std::fabs(b));
}

bool Same(const Any& a, const Any& b) {
  if (a.type_code() != b.type_code()) return false;
  if (const auto number = a.TryCast<double>(); number && a.type_code() == TERN_TYPE_FLOAT)
    return Near(*number, *b.TryCast<double>());
  if (const Adt* adt = a.TryCast<Adt>()) {
    const Adt* other = b.TryCast<Adt>();
    if (adt->tag() != other->tag() || adt->size() != other->size()) return false;
    for (size_t i = 0; i < adt->size(); ++i) {
      if (!Same((*adt)[i], (*other)[i])) return false;
    }
    return true;
  }
  const Tensor* tensor = a.TryCast<Tensor>();
  if (tensor == nullptr) return PrintValue(a) == PrintValue(b);
  const Tensor* other = b.TryCast<Tensor>();
  if (tensor->dtype() != kF32 || tensor->TypeText() != other->TypeText()) return false;
  for (int64_t i = 0; i < tensor->element_count(); ++i) {
    if (!Near(tensor->data_as<float>()[i], other->data_as<float>()[i])) return false;
  }
  return true;
}

std::vector<Any> Arguments(uint32_t seed) {
  const float elements[] = {0.5f, -1.25f, 2.0f};
  const int64_t count = 1 + seed % 3;
  const TensorPtr x =
      *Tensor::FromValues<float>({elements, static_cast<size_t>(count)}, tern::Dims(&count, 1));
  return {Any(static_cast<int64_t>(seed % 7) - 2), Any(0.75), Any(x)};
}

// Also for extents of the symbols, which are those of the function's parameters and others.
Status CheckPlan(const ir::Module& module, const std::string& name) {
  const ir::Function& function = *module.Find(name);
  const ir::FunctionPlan plan = ir::PlanMemory(name, function, &module);
  std::vector<std::string> symbols;
  for (const ir::PlannedTensor& tensor : plan.tensors) tensor.bytes.CollectSymbols(&symbols);
  for (const int64_t extent : {0, 3, 100}) {
    ir::Sizes sizes;
    for (const std::string& symbol : symbols) sizes.emplace_back(symbol, types::Dim(extent));
    TERN_TRY(ir::CheckMemoryPlan(function, plan, sizes, &module));
  }
  return ir::CheckMemoryPlan(function, plan, {}, &module);
}

class Bench {
 public:
  Bench() { EXPECT_TRUE(kernels::RegisterOperators(&registry_).ok()); }

  Result<ir::Module> Apply(const ir::Module& module, std::string_view pass) {
    text::Diagnostics diagnostics;
    ir::PassContext passes;
    passes.diagnostics = &diagnostics;
    passes.evaluator = KernelEvaluator(&context_);
    ir::Module result = FindPass(pass)->function(module, passes);
    if (!diagnostics.ok()) return diagnostics.ToStatus();
    TERN_TRY(ir::Verify(result).AddNote(StrCat("after ", pass)));
    return result;
  }

  Result<ir::Module> Optimize(const ir::Module& module) {
    PipelineOptions options;
    options.evaluator = KernelEvaluator(&context_);
    return RunPipeline(module, options);
  }

  // module: without lambdas.
  Result<Any> Run(const ir::Module& module, const std::vector<Any>& args) {
    TERN_TRY_ASSIGN(vm::ExecutablePtr executable, ir::GenerateCode(module));
    for (const vm::FunctionInfo& function : executable->functions()) {
      const ir::Liveness liveness(*module.Find(function.name));
      TERN_TRY(CheckPlan(module, function.name));
      // Parameters that nobody reads keep their registers.
      EXPECT_LE(function.register_count,
                std::max<size_t>(liveness.max_live() + liveness.unused_parameters().size(), 1))
          << function.name << "\n"
          << ir::LivenessText(module);
    }
    vm::LinkOptions link;
    link.registry = &registry_;
    TERN_TRY_ASSIGN(vm::ProgramPtr program, vm::Program::Link(std::move(executable), link));
    TERN_TRY_ASSIGN(const auto machine, vm::VirtualMachine::Create(std::move(program)));
    const std::vector<AnyView> views(args.begin(), args.end());
    return machine->Call("main", views);
  }

 private:
  RunContext context_;
  Registry registry_;
};

struct Sample {
  ir::Module module;
  std::vector<Any> args;
  Any expected;
};

// The programs that end soon enough; nearly all do.
template <class F>
void ForEachProgram(const F& visit) {
  uint32_t skipped = 0;
  for (uint32_t seed = 0; seed < kPrograms && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Sample sample{support::RandomModule(seed), Arguments(seed), Any()};
    ASSERT_TRUE(ir::Verify(sample.module).ok())
        << ir::Verify(sample.module).ToString() << ir::ToText(sample.module);
    support::IrEvaluator evaluator(sample.module);
    evaluator.set_max_steps(30000);
    Result<Any> expected = evaluator.Call("main", sample.args);
    if (!expected.ok()) {
      ASSERT_EQ(expected.status().code(), StatusCode::kOutOfRange) << expected.status().ToString();
      ++skipped;
      continue;
    }
    sample.expected = *std::move(expected);
    visit(sample);
  }
  EXPECT_LT(skipped, kPrograms / 20);
}

void ExpectSame(const Sample& sample, const Result<Any>& got, const ir::Module& module) {
  ASSERT_TRUE(got.ok()) << got.status().ToString() << "\n" << ir::ToText(module);
  EXPECT_TRUE(Same(sample.expected, *got)) << PrintValue(sample.expected) << "\n"
                                           << PrintValue(*got) << "\nbefore:\n"
                                           << ir::ToText(sample.module) << "\nafter:\n"
                                           << ir::ToText(module);
}

// B18, B20, B24: as it stands, but for the lambdas.
TEST(RandomModules, UnoptimisedIsWhatTheEvaluatorSays) {
  Bench bench;
  ForEachProgram([&](const Sample& sample) {
    const Result<ir::Module> lifted = bench.Apply(sample.module, "lambda_lift");
    ASSERT_TRUE(lifted.ok()) << lifted.status().ToString() << ir::ToText(sample.module);
    ExpectSame(sample, bench.Run(*lifted, sample.args), *lifted);
  });
}

TEST(RandomModules, OptimisedIsWhatTheEvaluatorSays) {
  Bench bench;
  ForEachProgram([&](const Sample& sample) {
    const Result<ir::Module> optimized = bench.Optimize(sample.module);
    ASSERT_TRUE(optimized.ok()) << optimized.status().ToString() << ir::ToText(sample.module);
    ExpectSame(sample, bench.Run(*optimized, sample.args), *optimized);
  });
}

// B19: made once, and then there is nothing left to name.
TEST(RandomModules, ANormalFormKeepsTheMeaning) {
  Bench bench;
  ForEachProgram([&](const Sample& sample) {
    const Result<ir::Module> named = bench.Apply(sample.module, "to_a_normal_form");
    ASSERT_TRUE(named.ok()) << named.status().ToString() << ir::ToText(sample.module);
    support::IrEvaluator evaluator(*named);
    ExpectSame(sample, evaluator.Call("main", sample.args), *named);
    const Result<ir::Module> again = bench.Apply(*named, "to_a_normal_form");
    ASSERT_TRUE(again.ok()) << again.status().ToString();
    EXPECT_EQ(ir::ToText(*again), ir::ToText(*named));
  });
}

// Before the lambdas are lifted, as the evaluator sees it, and behind.
TEST(RandomModules, EachPassAloneKeepsTheMeaning) {
  Bench bench;
  uint32_t turn = 0;
  ForEachProgram([&](const Sample& sample) {
    const ir::PassInfo pass = AllPasses()[turn++ % AllPasses().size()];
    SCOPED_TRACE(std::string(pass.name));
    const Result<ir::Module> after = bench.Apply(sample.module, pass.name);
    ASSERT_TRUE(after.ok()) << after.status().ToString() << ir::ToText(sample.module);
    support::IrEvaluator evaluator(*after);
    ExpectSame(sample, evaluator.Call("main", sample.args), *after);
    const Result<ir::Module> lifted = bench.Apply(sample.module, "lambda_lift");
    ASSERT_TRUE(lifted.ok());
    const Result<ir::Module> both = bench.Apply(*lifted, pass.name);
    ASSERT_TRUE(both.ok()) << both.status().ToString() << ir::ToText(*lifted);
    ExpectSame(sample, bench.Run(*both, sample.args), *both);
  });
}

// parse(print(x)) is x.
TEST(RandomModules, TextReadsBack) {
  ForEachProgram([&](const Sample& sample) {
    const std::string text = ir::ToText(sample.module);
    const Result<ir::Module> read = ir::ParseModule("random", text);
    ASSERT_TRUE(read.ok()) << read.status().ToString() << text;
    EXPECT_EQ(ir::ToText(*read), text);
  });
}

}  // namespace
}  // namespace tern::driver::random_module_test
