// SPDX-License-Identifier: Apache-2.0
// Parallel loops of compiled kernels: every iteration runs once, on whoever lends workers, and
// results are the same bits for any number of them.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/kernels/kernel.h"
#include "core/loop/emit/llvm_text.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/run/workspace.h"
#include "core/loop/text/parser.h"
#include "core/text/diagnostics.h"
#include "native/code/link_object.h"
#include "native/code/mapped_code.h"
#include "native/jit/llvm_compiler.h"
#include "native/platform/thread_pool.h"

namespace tern::native::parallel_loops_test {
namespace {

// What compiled loops take for granted.
static_assert(offsetof(TernParallel, context) == 0);
static_assert(offsetof(TernParallel, num_workers) == 8);
static_assert(offsetof(TernParallel, run) == 16);

// Runs tasks on the calling thread, the last one first, and counts.
class Backwards {
 public:
  explicit Backwards(int32_t workers) : parallel_{this, workers, &Run, nullptr} {}
  const TernParallel* parallel() const { return &parallel_; }
  int jobs = 0;
  int64_t tasks = 0;

 private:
  static void Run(void* context, int64_t num_tasks,
                  void (*task)(void* data, int64_t index, int32_t worker), void* data) {
    auto* self = static_cast<Backwards*>(context);
    ++self->jobs;
    self->tasks += num_tasks;
    for (int64_t i = num_tasks; i-- > 0;) task(data, i, 0);
  }
  TernParallel parallel_;
};

struct Sample {
  const char* name;
  std::string text;
  std::vector<int64_t> sizes;
  int jobs;  // that workers get
};

std::vector<Sample> Samples() {
  return {
      {"rows",
       "te rows<n, m>(A: float32[n, m]) -> (C: float32[n, m]) { compute C[i, j] = exp(A[i, j]) "
       "schedule { parallel(C, i) vectorize(C, j) } }",
       {37, 21},
       1},
      {"chunks",  // the last one is shorter
       "te chunks<n>(A: float32[n], w: float32) -> (C: float32[n]) { compute C[i] = A[i] / w "
       "schedule { split(C, i, 64) parallel(C, i.outer) vectorize(C, i.inner) } }",
       {1000},
       1},
      {"fused",
       "te fused<n, m>(A: float32[n, m], B: float32[m]) -> (C: float32[n, m]) { "
       "compute C[i, j] = A[i, j] * B[j] schedule { fuse(C, i, j) parallel(C, i.j.fused) } }",
       {19, 23},
       1},
      {"sums",  // a reduction inside each iteration, and a second loop over what the first left
       "te sums<n, m>(A: float32[n, m]) -> (C: float32[n, m]) { "
       "compute S[i]: float32[n] = sum(j < m, A[i, j]) compute C[i, j] = A[i, j] - S[i] "
       "schedule { parallel(S, i) vectorize(S, j) parallel(C, i) vectorize(C, j) } }",
       {33, 70},
       2},
      {"local",  // scratch memory of each iteration
       "te local<n, m>(A: float32[n, m]) -> (C: float32[n, m]) { "
       "compute S[i]: float32[n] = max(j < m, A[i, j]) compute C[i, j] = A[i, j] - S[i] "
       "schedule { compute_at(S, C, i) parallel(C, i) vectorize(C, j) } }",
       {33, 70},
       1},
      {"inner",  // shared out once per iteration of the loop around it
       "te inner<n, m>(A: int32[n, m]) -> (C: int32[n, m]) { compute C[i, j] = A[i, j] * 3 "
       "schedule { parallel(C, j) } }",
       {5, 100},
       5},
      {"nested",  // the inner one runs where its iteration does
       "te nested<n, m>(A: bool[n, m]) -> (C: bool[n, m]) { compute C[i, j] = !A[i, j] "
       "schedule { parallel(C, i) parallel(C, j) } }",
       {6, 9},
       1},
      {"steps",
       "primfn steps<n>(A: in float64[n], C: out float64[n], w: float64, on: bool) { "
       "let twice: float64 = w + w var total: float64 = 1.5 total = total + twice "
       "for (i, 2, n - 2; i += 3) parallel { "
       "C[i] = select(on, A[i] * twice, total) } }",
       {100},
       1},
      {"one",
       "te one<n>(A: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] + 1 "
       "schedule { parallel(C, i) } }",
       {1},
       0},
      {"none",
       "te none<n>(A: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] + 1 "
       "schedule { parallel(C, i) } }",
       {0},
       0},
  };
}

loop::LoopFunction Lowered(const std::string& text, const char* target) {
  const Result<loop::SourceFile> file = loop::ParseLoops("test.tloop", text);
  EXPECT_TRUE(file.ok()) << text::RenderText(file.status());
  Result<loop::Program> program =
      LowerFile(*file, loop::DefaultLowering(*loop::FindTarget(target)));
  EXPECT_TRUE(program.ok()) << text::RenderText(program.status());
  return program->functions[0];
}

// A function with memory of its own: its results as bytes.
class Arguments {
 public:
  Arguments(const loop::LoopFunction& function, const std::vector<int64_t>& sizes)
      : workspace_(*loop::Workspace::Make(function, sizes)) {
    const loop::RunArguments made = workspace_.arguments();
    for (const loop::BufferArgument& buffer : made.buffers) buffers_.push_back(buffer.data);
    slots_.assign(made.sizes.begin(), made.sizes.end());
    for (const uint64_t scalar : made.scalars) slots_.push_back(static_cast<int64_t>(scalar));
  }
  void* const* buffers() const { return buffers_.data(); }
  const int64_t* slots() const { return slots_.data(); }
  std::vector<uint8_t> Bytes() {
    EXPECT_EQ(workspace_.FirstBrokenCanary(), -1);
    std::vector<uint8_t> all;
    for (size_t i = 0; i < workspace_.buffer_count(); ++i)
      all.insert(all.end(), workspace_.bytes(i).begin(), workspace_.bytes(i).end());
    return all;
  }

 private:
  loop::Workspace workspace_;
  std::vector<void*> buffers_;
  std::vector<int64_t> slots_;
};

class ParallelLoops : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  }
  // Both entries of a function.
  struct Code {
    std::unique_ptr<NativeCode> code;
    LoopCode alone;
    ParallelLoopCode shared;
  };
  static Code Compile(const loop::LoopFunction& function) {
    const CodeTarget host = *HostCodeTarget();
    const auto flavor = loop::FlavorOf(*loop::FindTarget(host.loops));
    const Result<std::string> ir = loop::LlvmText({{function}}, flavor);
    EXPECT_TRUE(ir.ok()) << ir.status().ToString();
    Result<std::unique_ptr<NativeCode>> code = NativeCode::FromIr(*ir);
    EXPECT_TRUE(code.ok()) << code.status().ToString() << *ir;
    const auto alone = reinterpret_cast<LoopCode>(*(*code)->Find(function.name));
    const std::string name = StrCat(function.name, loop::kParallelEntry);
    const auto shared = reinterpret_cast<ParallelLoopCode>(*(*code)->Find(name));
    return {*std::move(code), alone, shared};
  }
};

TEST_F(ParallelLoops, TheSameBitsByAnyNumberOfWorkers) {
  const char* target = loop::FindTarget(HostCodeTarget()->loops)->name.data();
  for (const Sample& sample : Samples()) {
    SCOPED_TRACE(sample.name);
    const loop::LoopFunction function = Lowered(sample.text, target);
    const Code code = Compile(function);
    Arguments alone(function, sample.sizes);
    EXPECT_EQ(CallLoopCode(code.alone, alone.buffers(), alone.slots()), 0);
    const std::vector<uint8_t> wanted = alone.Bytes();
    const auto expect_same = [&](const TernParallel* parallel) {
      Arguments shared(function, sample.sizes);
      EXPECT_EQ(CallParallelLoopCode(code.shared, shared.buffers(), shared.slots(), parallel), 0);
      EXPECT_EQ(shared.Bytes(), wanted);
    };
    expect_same(nullptr);
    for (const int32_t workers : {1, 2, 3, 100}) {
      Backwards backwards(workers);
      expect_same(backwards.parallel());
      EXPECT_EQ(backwards.jobs, sample.jobs);
      EXPECT_LE(backwards.tasks, sample.jobs * int64_t{workers} * 4);
    }
    for (const int workers : {1, 2, 4}) {
      ThreadPool pool(workers);
      for (int again = 0; again < 20; ++again) expect_same(pool.parallel());
    }
  }
}

// As an object of a file, where nothing may be called by name.
TEST_F(ParallelLoops, InObjectsThatAreMapped) {
  const Sample sample = Samples()[1];
  const CodeTarget host = *HostCodeTarget();
  loop::LoopFunction function = Lowered(sample.text, loop::FindTarget(host.loops)->name.data());
  function.name = KernelSymbol(sample.name);
  const auto flavor = loop::FlavorOf(*loop::FindTarget(host.loops));
  const std::string ir = *loop::LlvmText({{function}}, flavor);
  const auto object = CompileClosedObject(ir, host, KernelStamp(sample.text));
  ASSERT_TRUE(object.ok()) << object.status().ToString();
  const auto code = MappedCode::Load({*object, sample.name, sample.text});
  ASSERT_TRUE(code.ok()) << code.status().ToString();
  ASSERT_NE((*code)->parallel_entry(), nullptr);
  Arguments alone(function, sample.sizes), shared(function, sample.sizes);
  EXPECT_EQ((*code)->entry()(alone.buffers(), alone.slots()), 0);
  Backwards backwards(3);
  EXPECT_EQ((*code)->parallel_entry()(shared.buffers(), shared.slots(), backwards.parallel()), 0);
  EXPECT_EQ(backwards.jobs, 1);
  EXPECT_EQ(backwards.tasks, 12);
  EXPECT_EQ(shared.Bytes(), alone.Bytes());
}

TEST_F(ParallelLoops, FunctionsWithoutHaveOneEntry) {
  const loop::LoopFunction function =
      Lowered("te one<n>(A: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] + 1 }", "x86_64");
  const std::string ir = *loop::LlvmText({{function}}, loop::LlvmFlavor::kFixed);
  EXPECT_EQ(ir.find("parallel"), std::string::npos);
  EXPECT_EQ(ir.find("workers"), std::string::npos);
}

// A buffer of any name meets none of the emitter's own.
TEST_F(ParallelLoops, NamesOfTheEmitterMayBeUsed) {
  const loop::LoopFunction function = Lowered(
      "te f<first>(workers: float32[first], lent: float32[first], entry: float32) -> "
      "(body: float32[first]) { compute body[end] = workers[end] + lent[end] * entry "
      "schedule { parallel(body, end) } }",
      "x86_64");
  const Code code = Compile(function);
  Arguments alone(function, {50}), shared(function, {50});
  EXPECT_EQ(CallLoopCode(code.alone, alone.buffers(), alone.slots()), 0);
  ThreadPool pool(2);
  EXPECT_EQ(CallParallelLoopCode(code.shared, shared.buffers(), shared.slots(), pool.parallel()),
            0);
  EXPECT_EQ(shared.Bytes(), alone.Bytes());
}

}  // namespace
}  // namespace tern::native::parallel_loops_test
