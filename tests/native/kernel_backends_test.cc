// SPDX-License-Identifier: Apache-2.0
// B29: kernels of executables by every policy: which backend each takes and why, that all backends
// compute the same, and that inputs and files that are no good are refused on each.
#include "native/backends/kernel_backends.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/strings.h"
#include "core/driver/compile_source.h"
#include "core/kernels/bind/bind.h"
#include "core/kernels/kernel.h"
#include "core/object/registry.h"
#include "core/text/diagnostics.h"
#include "core/vm/text/assembler.h"
#include "core/vm/vm.h"
#include "native/backends/compiled_kernel.h"
#include "native/backends/lazy_backend.h"
#include "native/jit/llvm_compiler.h"

namespace tern::native::kernel_backends_test {
namespace {

using vm::ExecutablePtr;
using vm::ProgramPtr;
using vm::VirtualMachine;

constexpr KernelPolicy kPolicies[] = {KernelPolicy::kAuto, KernelPolicy::kOperators,
                                      KernelPolicy::kInterpreter, KernelPolicy::kCompiled};

bool HaveLlvm() { return LlvmDescription().ok(); }

ExecutablePtr Assembled(std::string_view text) {
  Result<ExecutablePtr> made = vm::Assemble(text, "test.tasm");
  EXPECT_TRUE(made.ok()) << text::RenderText(made.status());
  return *made;
}

ExecutablePtr Compiled(std::string_view text) {
  Result<driver::CompileResult> made = driver::CompileSource(text, {});
  EXPECT_TRUE(made.ok()) << text::RenderText(made.status());
  return made->executable;
}

// Prepared by the policy.
ProgramPtr Linked(const ExecutablePtr& executable, KernelPolicy policy) {
  static const bool registered = kernels::RegisterOperators(&Registry::Global()).ok();
  EXPECT_TRUE(registered);
  Result<ProgramPtr> program = vm::Program::Link(executable);
  EXPECT_TRUE(program.ok()) << text::RenderText(program.status());
  EXPECT_TRUE(PrepareKernels(**program, {.policy = policy}).ok());
  return *program;
}

std::unique_ptr<VirtualMachine> MachineOf(const ProgramPtr& program) {
  return VirtualMachine::Create(program).value();
}

TensorPtr Floats(std::initializer_list<int64_t> dims, int seed = 1) {
  TensorPtr tensor = Tensor::New(kF32, dims).value();
  for (int64_t i = 0; i < tensor->element_count(); ++i)
    tensor->data_as<float>()[i] = static_cast<float>((i * 37 + seed * 11) % 101 - 50) / 16;
  return tensor;
}

void ExpectNear(const Any& got, const Any& wanted, const std::string& what) {
  const Tensor *a = got.TryCast<Tensor>(), *b = wanted.TryCast<Tensor>();
  ASSERT_TRUE(a != nullptr && b != nullptr) << what;
  ASSERT_EQ(a->TypeText(), b->TypeText()) << what;
  if (a->dtype() != kF32) {
    EXPECT_TRUE(std::equal(a->bytes().begin(), a->bytes().end(), b->bytes().begin())) << what;
    return;
  }
  for (int64_t i = 0; i < a->element_count(); ++i) {
    const double x = a->data_as<float>()[i], y = b->data_as<float>()[i];
    // Sums are added up in another order, functions are other polynomials.
    EXPECT_LE(std::fabs(x - y), 1e-5 + 4e-6 * std::fabs(y)) << what << " at " << i;
  }
}

std::string BackendOf(const ProgramPtr& program, std::string_view name) {
  for (const vm::KernelRow& row : vm::ListKernels(*program)) {
    if (row.name == name) return row.backend;
  }
  return "not there";
}

std::string WhyOf(const ProgramPtr& program, std::string_view name) {
  for (const vm::KernelRow& row : vm::ListKernels(*program)) {
    if (row.name == name) return row.why;
  }
  return "not there";
}

// "te NAME<n>(X: float32[n]) -> (Y: float32[n]) { compute Y[i] = VALUE }" as a kernel.
std::string KernelLine(std::string_view name, std::string_view value) {
  return StrCat(".kernel \"", name, "\" \"loop\" text \"te ", name,
                "<n>(X: float32[n]) -> (Y: float32[n]) { compute Y[i] = ", value, " }\"\n");
}

// Kernels that are good, cannot be shown to stay in bounds, and are torn off; each with operators
// and without.
std::string Table() {
  return StrCat(KernelLine("good", "X[i] + 1"), KernelLine("only", "X[i] + 1"),
                KernelLine("wide", "X[i + 1]"), KernelLine("wide_only", "X[i + 1]"),
                KernelLine("memcpy", "X[i]"), KernelLine("nobody", "X[i]"), R"(
.kernel "torn" "loop" text "te torn<n>(X: float32["
.kernel "torn_only" "loop" text "te torn_only<n>(X: float32["
.const c[0] = string "it needs a backend"
.func @good(x: f32[n]) -> f32[n]
  ret   ret %0
.func @wide(x: f32[n]) -> f32[n]
  ret   ret %0
.func @torn(x: f32[n]) -> f32[n]
  ret   ret %0
.func @memcpy(x: f32[n]) -> f32[n]
  ret   ret %0
.func @only(x: f32[n]) -> f32[n]
  fatal c[0]
.func @wide_only(x: f32[n]) -> f32[n]
  fatal c[0]
.func @torn_only(x: f32[n]) -> f32[n]
  fatal c[0]
)");
}

TEST(KernelBackends, B29_ThePolicyTable) {
  struct Row {
    std::string_view kernel, automatic, operators, interpreter, compiled;
  };
  const Row rows[] = {
      {"good", "operators", "operators", "interpreter", "compiled"},
      {"only", "interpreter", "none", "interpreter", "compiled"},
      {"wide", "operators", "operators", "interpreter", "operators"},
      {"wide_only", "interpreter", "none", "interpreter", "interpreter"},
      {"torn", "operators", "operators", "operators", "operators"},
      {"torn_only", "none", "none", "none", "none"},
      {"memcpy", "operators", "operators", "interpreter", "compiled"},
      {"nobody", "none", "none", "none", "none"},
  };
  const ExecutablePtr executable = Assembled(Table());
  for (const KernelPolicy policy : kPolicies) {
    const ProgramPtr program = Linked(executable, policy);
    for (const Row& row : rows) {
      const std::string_view columns[] = {row.automatic, row.operators, row.interpreter,
                                          row.compiled};
      std::string_view wanted = columns[static_cast<size_t>(policy)];
      if (wanted == "compiled" && !HaveLlvm())
        wanted = row.kernel == "only" ? "interpreter" : "operators";
      EXPECT_EQ(BackendOf(program, row.kernel), wanted)
          << row.kernel << " by " << KernelPolicyName(policy);
      EXPECT_NE(WhyOf(program, row.kernel), "") << row.kernel;
    }
  }
  if (!HaveLlvm()) return;  // that is the reason then
  const ProgramPtr program = Linked(executable, KernelPolicy::kCompiled);
  EXPECT_NE(WhyOf(program, "wide").find("a load of 'X' that may lie outside: index i + 1"),
            std::string::npos)
      << WhyOf(program, "wide");
}

TEST(KernelBackends, B29_KernelsOfAnyNameAreCompiled) {
  const auto vm = MachineOf(Linked(Assembled(Table()), KernelPolicy::kCompiled));
  const TensorPtr x = Floats({1000});
  for (const std::string_view name : {"memcpy", "good"}) {
    const Result<Any> y = vm->Call(name, {x.get()});
    ASSERT_TRUE(y.ok());
    EXPECT_EQ(y->TryCast<Tensor>()->data_as<float>()[999],
              x->data_as<float>()[999] + (name == "good" && HaveLlvm() ? 1 : 0));
  }
}

TEST(KernelBackends, B29_AKernelIsCompiledOnceItHasDoneEnough) {
  if (!HaveLlvm()) GTEST_SKIP() << "there is no LLVM here";
  const ProgramPtr program = Linked(Assembled(Table()), KernelPolicy::kAuto);
  const auto vm = MachineOf(program);
  // Of @good the operators, which differ so that the test can tell, do it meanwhile.
  const TensorPtr x = Floats({CompiledKernel::kOperatorElements / 4});
  for (int call = 0; call < 6; ++call) {
    const Result<Any> y = vm->Call("good", {x.get()});
    ASSERT_TRUE(y.ok());
    EXPECT_EQ(y->TryCast<Tensor>()->data_as<float>()[7],
              x->data_as<float>()[7] + (call < 3 ? 0 : 1))
        << call;
    EXPECT_EQ(BackendOf(program, "good"), call < 3 ? "operators" : "compiled");
  }
  // Where there are no operators every call is right.
  const TensorPtr z = Floats({CompiledKernel::kInterpreterElements / 2});
  for (int call = 0; call < 3; ++call) {
    const Result<Any> y = vm->Call("only", {z.get()});
    ASSERT_TRUE(y.ok());
    EXPECT_EQ(y->TryCast<Tensor>()->data_as<float>()[7], z->data_as<float>()[7] + 1);
    EXPECT_EQ(BackendOf(program, "only"), call < 1 ? "interpreter" : "compiled");
  }
}

constexpr std::string_view kFused = R"(
fn act(x: f32[n, m], b: f32[m], g: f32[n, 1]) -> f32[n, m] {
  sigmoid(x + b) * tanh(x) - exp(x * 0.25) / (g + 8.0)
}
fn angles(x: f32[n, m], b: f32[m], g: f32[n, 1]) -> f32[n, m] {
  sin(x) * cos(b * 3000.0) + tan(g * 0.1) + atan(x) * asin(tanh(b)) + acos(tanh(x))
}
fn hyperbolics(x: f32[n, m], b: f32[m], g: f32[n, 1]) -> f32[n, m] {
  sinh(x * 0.125) + cosh(b * 0.125) + asinh(x * 100.0) * acosh(abs(g) + 1.0) - atanh(tanh(x) * 0.75)
}
fn squares(x: f32[n, m], b: f32[m], g: f32[n, 1]) -> f32[n] {
  let d = (x - b) * g;
  reduce_sum(d * d, axes = [1], keep_dims = false)
}
kernel spread(x: f32[n, m], b: f32[m], g: f32[n, 1]) -> (low: f32[n], high: f32[n]) {
  compute low[i] = min(k < m, x[i, k] + b[k])
  compute high[i] = max(k < m, x[i, k] * g[i, 0])
}
fn both(x: f32[n, m], b: f32[m], g: f32[n, 1]) -> f32[n] {
  let (low, high) = spread(x, b, g);
  high - low
}
)";

TEST(KernelBackends, B29_AllBackendsComputeTheSameForEverySize) {
  const ExecutablePtr executable = Compiled(kFused);
  EXPECT_GE(executable->kernels().size(), 3u);
  const auto reference = MachineOf(Linked(executable, KernelPolicy::kOperators));
  const auto interpreter = MachineOf(Linked(executable, KernelPolicy::kInterpreter));
  const auto compiled = MachineOf(Linked(executable, KernelPolicy::kCompiled));
  for (const int64_t n : {0, 1, 3}) {
    for (const int64_t m : {1, 2, 7, 16, 33, 130}) {
      const TensorPtr x = Floats({n, m}), b = Floats({m}, 2), g = Floats({n, 1}, 3);
      for (const std::string_view function : {"act", "angles", "hyperbolics", "squares", "both"}) {
        const std::string what = StrCat(function, " n=", n, " m=", m);
        const Result<Any> a = interpreter->Call(function, {x.get(), b.get(), g.get()});
        const Result<Any> c = compiled->Call(function, {x.get(), b.get(), g.get()});
        ASSERT_TRUE(a.ok() && c.ok()) << what << text::RenderText(a.status());
        ExpectNear(*c, *a, what);
        if (function == "both") continue;  // has no operators
        const Result<Any> wanted = reference->Call(function, {x.get(), b.get(), g.get()});
        ASSERT_TRUE(wanted.ok());
        ExpectNear(*a, *wanted, what);
      }
    }
  }
}

BackendSource SourceOf(const ProgramPtr& program, std::string_view function) {
  const uint32_t index = program->executable().FunctionIndex(function).value();
  return {program->shared_executable(), index, vm::HasOperators(*program, index), {}};
}

TEST(LazyBackends, B29_NothingIsLookedAtBeforeItIsNeeded) {
  const ProgramPtr program = Linked(Assembled(Table()), KernelPolicy::kAuto);
  LazyBackend good(SourceOf(program, "good"));
  for (int call = 0; call < 100; ++call) EXPECT_FALSE(good.Takes(1000));
  EXPECT_FALSE(good.is_chosen());
  EXPECT_EQ(good.Takes(CompiledKernel::kOperatorElements - 100'000), HaveLlvm());
  EXPECT_TRUE(good.is_chosen());
  LazyBackend only(SourceOf(program, "only"));
  EXPECT_FALSE(only.is_chosen());
  EXPECT_TRUE(only.Takes(1));  // nothing else runs it
  EXPECT_TRUE(only.is_chosen());
  BackendSource native = SourceOf(program, "good");
  native.options.allow_native_code = true;
  LazyBackend object(native);
  EXPECT_FALSE(object.Takes(1));  // the file has no object, which had to be looked for
  EXPECT_TRUE(object.is_chosen());
}

TEST(LazyBackends, B29_WorkThatWasDoneBeforeALookCounts) {
  if (!HaveLlvm()) GTEST_SKIP() << "there is no LLVM here";
  const ProgramPtr program = Linked(Assembled(Table()), KernelPolicy::kAuto);
  LazyBackend good(SourceOf(program, "good"));
  EXPECT_FALSE(good.Takes(CompiledKernel::kOperatorElements / 2));
  const char *backend = nullptr, *why = nullptr;
  good.Describe(&backend, &why);
  EXPECT_EQ(std::string_view(backend), "operators");
  EXPECT_TRUE(good.Takes(CompiledKernel::kOperatorElements / 2));
  good.Describe(&backend, &why);
  EXPECT_EQ(std::string_view(backend), "compiled");
  EXPECT_FALSE(LazyBackend(SourceOf(program, "good")).Takes(0));
  EXPECT_TRUE(LazyBackend(SourceOf(program, "good")).Takes(INT64_MAX));
}

TEST(LazyBackends, B29_KernelsThatAreNoGoodAreFoundOutWhenTheyAreNeeded) {
  const ProgramPtr program = Linked(Assembled(Table()), KernelPolicy::kAuto);
  LazyBackend torn(SourceOf(program, "torn"));
  EXPECT_FALSE(torn.Takes(10));
  EXPECT_FALSE(torn.is_chosen());
  EXPECT_FALSE(torn.Takes(CompiledKernel::kOperatorElements));  // and never
  EXPECT_FALSE(torn.Takes(CompiledKernel::kOperatorElements));
  const TensorPtr x = Floats({4});
  const Result<Any> none = MachineOf(program)->Call("torn_only", {x.get()});
  ASSERT_FALSE(none.ok());
  EXPECT_NE(text::RenderText(none.status()).find("E0321"), std::string::npos);
  EXPECT_EQ(BackendOf(program, "torn_only"), "none");
}

TEST(KernelBackends, B29_InputsThatAreNotContiguousAreTaken) {
  const ExecutablePtr executable = Compiled(kFused);
  const TensorPtr rows = Floats({7, 5});
  const TensorPtr turned =
      rows->View(Dims(std::vector<int64_t>{5, 7}), Dims(std::vector<int64_t>{1, 5}), 0).value();
  const TensorPtr b = Floats({14}, 2)->Slice(0, 0, 14, 2).value(), g = Floats({5, 1}, 3);
  ASSERT_FALSE(turned->is_contiguous());
  ASSERT_FALSE(b->is_contiguous());
  const auto reference = MachineOf(Linked(executable, KernelPolicy::kOperators));
  const Any wanted = reference->Call("act", {turned.get(), b.get(), g.get()}).value();
  for (const KernelPolicy policy : {KernelPolicy::kInterpreter, KernelPolicy::kCompiled}) {
    const auto vm = MachineOf(Linked(executable, policy));
    ExpectNear(vm->Call("act", {turned.get(), b.get(), g.get()}).value(), wanted, "act");
  }
}

TEST(KernelBackendsBad, B29_WrongArgumentsAreRefusedOnEveryBackend) {
  const ExecutablePtr executable = Assembled(Table());
  const TensorPtr wrong_rank = Floats({2, 3});
  const TensorPtr wrong_type = Tensor::New(kF64, {3}).value();
  for (const KernelPolicy policy : kPolicies) {
    const auto vm = MachineOf(Linked(executable, policy));
    for (const std::string_view function : {"good", "only", "wide_only"}) {
      for (const TensorPtr& x : {wrong_rank, wrong_type})
        EXPECT_FALSE(vm->Call(function, {x.get()}).ok()) << function;
      EXPECT_FALSE(vm->Call(function, {}).ok());
      EXPECT_FALSE(vm->Call(function, {int64_t{5}}).ok());
    }
  }
}

TEST(KernelBackendsBad, B29_WhatLeavesItsBuffersIsStopped) {
  const TensorPtr x = Floats({4});
  for (const KernelPolicy policy : {KernelPolicy::kAuto, KernelPolicy::kCompiled}) {
    const auto vm = MachineOf(Linked(Assembled(Table()), policy));
    const Result<Any> y = vm->Call("wide_only", {x.get()});
    ASSERT_FALSE(y.ok());
    EXPECT_NE(text::RenderText(y.status()).find("a load of 'X' at element 4, which has 4 elements"),
              std::string::npos);
    const Result<Any> none = vm->Call("torn_only", {x.get()});
    ASSERT_FALSE(none.ok());
    EXPECT_NE(text::RenderText(none.status()).find("E0321"), std::string::npos);
  }
}

TEST(KernelBackends, B29_ParallelLoopsRunOnTheWorkersOfTheMachine) {
  if (!HaveLlvm()) GTEST_SKIP() << "there is no LLVM here";
  const std::string text = StrCat(
      ".kernel \"rows\" \"loop\" text \"te rows<n, m>(X: float32[n, m]) -> (Y: float32[n, m]) { ",
      "compute Y[i, j] = X[i, j] * 2 schedule { parallel(Y, i) vectorize(Y, j) } }\"\n",
      ".func @rows(x: f32[n, m]) -> f32[n, m]\n  ret   ret %0\n");
  const ProgramPtr program = Linked(Assembled(text), KernelPolicy::kCompiled);
  ASSERT_EQ(BackendOf(program, "rows"), "compiled") << WhyOf(program, "rows");
  int64_t tasks = 0;
  TernParallel workers = {&tasks, 2,
                          [](void* context, int64_t count, auto task, void* data) {
                            for (int64_t i = 0; i < count; ++i) task(data, i, 0);
                            *static_cast<int64_t*>(context) += count;
                          },
                          nullptr};
  vm::VmOptions options;
  options.parallel = &workers;
  const auto shared = VirtualMachine::Create(program, options).value();
  const TensorPtr x = Floats({50, 7});
  const Any wanted = MachineOf(program)->Call("rows", {x.get()}).value();
  EXPECT_EQ(tasks, 0);
  const Any got = shared->Call("rows", {x.get()}).value();
  EXPECT_EQ(tasks, 8);
  const Tensor *a = got.TryCast<Tensor>(), *b = wanted.TryCast<Tensor>();
  EXPECT_TRUE(std::equal(a->bytes().begin(), a->bytes().end(), b->bytes().begin()));
}

TEST(KernelBackends, B29_CodeLivesAsLongAsAMachineThatCallsIt) {
  ProgramPtr program = Linked(Assembled(Table()), KernelPolicy::kCompiled);
  const auto vm = MachineOf(program);
  EXPECT_TRUE(PrepareKernels(*program, {.policy = KernelPolicy::kInterpreter}).ok());
  program = nullptr;
  const TensorPtr x = Floats({5});
  EXPECT_TRUE(vm->Call("only", {x.get()}).ok());
}

TEST(KernelBackends, B29_WhatIsListedIsWhatIsCompiled) {
  if (!HaveLlvm()) GTEST_SKIP() << "there is no LLVM here";
  const std::string text = KernelListings(*Linked(Assembled(Table()), KernelPolicy::kAuto));
  for (const std::string_view part :
       {"=== good(x: f32[n]) -> f32[n]\nte good<n>", "--- loops\nprimfn good<n>",
        "--- lowered\nprimfn tern_kernel_good<n>", "--- llvm\n", "@tern_kernel_good(",
        "--- not compiled: a load of 'X' that may lie outside"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(KernelBackendsBad, PoliciesHaveNames) {
  for (const KernelPolicy policy : kPolicies)
    EXPECT_EQ(ParseKernelPolicy(KernelPolicyName(policy)).value(), policy);
  EXPECT_EQ(ParseKernelPolicy("fastest").status().error_code(), "E0003");
}

}  // namespace
}  // namespace tern::native::kernel_backends_test
