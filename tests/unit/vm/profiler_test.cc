// SPDX-License-Identifier: Apache-2.0
// B32: counts, times and shapes per operator; exports that are what their viewers read.
#include "core/vm/debug/profiler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/columns.h"
#include "core/object/containers/adt.h"
#include "tests/unit/vm/debug_test_util.h"

namespace tern::vm::profiler_test {
namespace {

constexpr const char* kProgram = R"(
.func @main(x: f32[4], n: int)
again:
  invoke @twice in: %0 dst: %0
  sub   %1, 1 dst: %1
  gt    %1, 0 dst: %2
  if    %2 true: again false: done
done:
  ret   ret %0
.func @twice(x: any)
  call  test.add in: %0, %0 dst: %1
  ret   ret %1
)";

// Primitives that say what they do, as operators have to.
std::vector<FunctionPtr> Primitives() {
  std::vector<FunctionPtr> primitives = DebugPrimitives();
  primitives.push_back(
      Function::FromTyped("test.work", [](RunContext& c, Tensor* x) -> Result<TensorPtr> {
        TERN_TRY(c.Charge(1000));
        return c.NewTensor(kI8, x->dims());
      }));
  primitives.push_back(
      Function::FromTyped("test.same", [](RunContext& c, Tensor* x) -> Result<TensorPtr> {
        TERN_TRY(c.Charge(1000));
        const int64_t one = 1;
        return x->View(x->dims(), Dims(&one, 1), 0);
      }));
  primitives.push_back(
      Function::FromTyped("test.pair", [](RunContext& c, Tensor* x) -> Result<ObjectPtr<Adt>> {
        TERN_TRY_ASSIGN(TensorPtr made, c.NewTensor(kF64, x->dims()));
        return Adt::Tuple({made, int64_t{3}, made});
      }));
  primitives.push_back(
      Function::FromTyped("test.waste", [](RunContext& c, Tensor* x) -> Result<TensorPtr> {
        TERN_TRY_ASSIGN(TensorPtr made, c.NewTensor(kF64, x->dims()));
        return Failed("no, after ", made->byte_size(), " bytes");
      }));
  primitives.push_back(Function::FromTyped("test.refuse", [](RunContext& c, Tensor*) -> Status {
    TERN_TRY(c.Charge(1000));
    return Failed("no");
  }));
  return primitives;
}

int64_t Tick(void* context) { return *static_cast<int64_t*>(context) += 1000; }

struct Profiled {
  int64_t clock = 0;
  TernPlatform platform{};
  std::unique_ptr<Profiler> profiler;
  Status status;

  Profiled(const char* text, int64_t n, const ProfilerOptions& options = {}) {
    platform.struct_size = sizeof(platform);
    platform.context = &clock;
    platform.clock_ns = &Tick;
    profiler = std::make_unique<Profiler>(&platform, options);
    auto vm = MakeVm(text, Primitives());
    vm->SetHooks(profiler.get());
    const TensorPtr x = *Tensor::FromValues<float>({1, 2, 3, 4}, {4});
    EXPECT_TRUE(vm->Begin("main", std::vector<AnyView>{x, n}).ok());
    profiler->Start(*vm);
    status = vm->Resume().ok() ? OkStatus() : vm->error().Clone();
    profiler->Finish();
    vm->SetHooks(nullptr);
  }
};

size_t Count(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(Profiler, B32TableHasCountsTimesAndShapes) {
  const Profiled run(kProgram, 5);
  const std::vector<OperatorProfile> rows = run.profiler->Operators();
  const auto add = std::find_if(rows.begin(), rows.end(),
                                [](const OperatorProfile& row) { return row.name == "test.add"; });
  ASSERT_NE(add, rows.end());
  EXPECT_EQ(add->count, 5u);
  EXPECT_EQ(add->shapes, "f32[4], f32[4]");
  EXPECT_FALSE(add->shapes_vary);
  EXPECT_GE(add->total_ns, 5000);
  uint64_t count = 0;
  for (const OperatorProfile& row : rows) count += row.count;
  EXPECT_EQ(count, 5u * 6 + 1);
  const std::string table = *run.profiler->Export("table");
  EXPECT_EQ(Count(table, "test.add"), 1u);
  EXPECT_NE(table.find("in all "), std::string::npos);
}

// The first row of the operator.
OperatorProfile RowOf(const Profiled& run, std::string_view name) {
  for (const OperatorProfile& row : run.profiler->Operators())
    if (row.name == name) return row;
  ADD_FAILURE() << name << " has no row";
  return {};
}

TEST(Profiler, OperationsAreWhatCallsChargeAndBytesWhatGoesInAndOut) {
  const Profiled run(R"(
.func @main(x: f32[4], n: int)
again:
  call  test.work in: %0 dst: %2
  sub   %1, 1 dst: %1
  gt    %1, 0 dst: %3
  if    %3 true: again false: done
done:
  call  test.pair in: %0 dst: %4
  call  test.add in: %0, %0 dst: %5
  call  test.add_into in: %0, %0, %5 dst: void
  ret   ret %2
)",
                     3);
  ASSERT_TRUE(run.status.ok()) << run.status.ToString();
  const OperatorProfile work = RowOf(run, "test.work");
  EXPECT_EQ(work.work.operations, 3000u);
  EXPECT_EQ(work.work.bytes, 3u * (16 + 4));
  // The tensors of a tuple; its other fields are no memory.
  EXPECT_EQ(RowOf(run, "test.pair").work.bytes, 16u + 2 * 32);
  EXPECT_EQ(RowOf(run, "test.pair").work.operations, 0u);
  EXPECT_EQ(RowOf(run, "test.add").work.bytes, 48u);
  EXPECT_EQ(RowOf(run, "test.add_into").work.bytes, 48u);
  // Of instructions that call nothing there is neither.
  EXPECT_EQ(RowOf(run, "sub").work.bytes, 0u);
  const std::string json = *run.profiler->Export("json");
  // The operator, and its instruction.
  const std::string amounts =
      StrCat("\"operations\":3000,\"bytes\":60,\"allocated\":", work.work.allocated, "}");
  EXPECT_EQ(Count(json, amounts), 2u) << json;
}

// A tensor is its elements and a head of its own.
void ExpectTensors(uint64_t allocated, uint64_t count, uint64_t element_bytes) {
  constexpr uint64_t kMostHead = 256;
  EXPECT_GT(allocated, element_bytes);
  EXPECT_LT(allocated, element_bytes + count * kMostHead);
}

TEST(Profiler, AllocatedIsWhatEachInstructionTookOfTheAllocator) {
  const Profiled run(R"(
.func @main(x: f32[4], n: int)
again:
  invoke @made in: %0 dst: %2
  sub   %1, 1 dst: %1
  gt    %1, 0 dst: %3
  if    %3 true: again false: done
done:
  call  test.same in: %0 dst: %4
  call  test.pair in: %0 dst: %5
  ret   ret %2
.func @made(x: any)
  call  test.work in: %0 dst: %1
  ret   ret %1
)",
                     3);
  ASSERT_TRUE(run.status.ok()) << run.status.ToString();
  ExpectTensors(RowOf(run, "test.work").work.allocated, 3, 3 * 4);
  ExpectTensors(RowOf(run, "test.pair").work.allocated, 1, 32);
  // What runs in a function is not its call's; a view takes nothing, nor do numbers.
  for (const char* name : {"invoke", "test.same", "sub", "ret"})
    EXPECT_EQ(RowOf(run, name).work.allocated, 0u) << name;
}

// An instruction that failed has not been executed: it has no row, nor have its bytes another.
TEST(Profiler, AllocatedBadOfACallThatFailedIsNobodys) {
  const Profiled run(R"(
.func @main(x: f32[4], n: int)
  call  test.waste in: %0 dst: %2
  ret   ret %2
)",
                     1);
  EXPECT_FALSE(run.status.ok());
  for (const OperatorProfile& row : run.profiler->Operators())
    EXPECT_EQ(row.work.allocated, 0u) << row.name;
}

TEST(Profiler, AViewComputesAndMovesNothing) {
  const Profiled run(R"(
.func @main(x: f32[4], n: int)
  call  test.same in: %0 dst: %2
  ret   ret %2
)",
                     1);
  ASSERT_TRUE(run.status.ok()) << run.status.ToString();
  EXPECT_EQ(RowOf(run, "test.same").count, 1u);
  EXPECT_EQ(RowOf(run, "test.same").work.operations, 0u);
  EXPECT_EQ(RowOf(run, "test.same").work.bytes, 0u);
}

// As the table shows it: "0.2".
std::string KibOf(const OperatorProfile& row) {
  return FormatFixed(static_cast<double>(row.work.allocated) / 1024, 1);
}

// Rates are those of what is known: other cells are empty.
TEST(Profiler, TheTableHasRatesWhereTheyAreKnown) {
  const Profiled run(R"(
.func @main(x: f32[4], n: int)
  call  test.work in: %0 dst: %2
  call  test.pair in: %0 dst: %3
  ret   ret %2
)",
                     1);
  const std::string table = *run.profiler->Export("table");
  const OperatorProfile work = RowOf(run, "test.work");
  ASSERT_GT(work.total_ns, 0);
  EXPECT_EQ(Count(table, "    Gop/s     GB/s    op/B  alloc KiB  arguments\n"), 1u);
  const std::string rate = FormatFixed(1000.0 / static_cast<double>(work.total_ns), 2);
  const std::string made = StrCat(KibOf(work), "  f32[4]\n");
  const std::string pair = StrCat(KibOf(RowOf(run, "test.pair")), "  f32[4]\n");
  EXPECT_EQ(Count(table, StrCat("     ", rate, "     0.01   50.00        ", made)), 1u) << table;
  EXPECT_EQ(Count(table, StrCat("33.3              0.04                ", pair)), 1u) << table;
  EXPECT_EQ(Count(table, "33.3\n"), 1u) << table;  // ret
}

TEST(Profiler, WithoutAClockThereAreNoRates) {
  auto vm = MakeVm(kProgram, Primitives());
  Profiler profiler(nullptr);
  vm->SetHooks(&profiler);
  const TensorPtr x = *Tensor::FromValues<float>({1, 2, 3, 4}, {4});
  ASSERT_TRUE(vm->Begin("main", std::vector<AnyView>{x, int64_t{1}}).ok());
  profiler.Start(*vm);
  ASSERT_TRUE(vm->Resume().ok());
  profiler.Finish();
  vm->SetHooks(nullptr);
  const std::string table = *profiler.Export("table");
  EXPECT_EQ(Count(table, "nan") + Count(table, "inf"), 0u) << table;
  // Memory is counted without one.
  const std::string cells = StrCat("0.000    0.0", std::string(26, ' '));
  for (const OperatorProfile& row : profiler.Operators()) {
    if (row.name != "test.add") continue;
    const std::string line = StrCat(cells, "        ", KibOf(row), "  f32[4], f32[4]\n");
    EXPECT_EQ(Count(table, line), 1u) << table;
  }
}

TEST(Profiler, ACallThatFailsCountsNothing) {
  const Profiled run(R"(
.func @main(x: f32[4], n: int)
  call  test.refuse in: %0 dst: void
  ret   ret %0
)",
                     1);
  EXPECT_FALSE(run.status.ok());
  EXPECT_TRUE(run.profiler->Operators().empty());
}

TEST(Profiler, B32ChromeEventsOpenAndCloseInPairs) {
  const Profiled run(kProgram, 5);
  const std::string chrome = *run.profiler->Export("chrome");
  EXPECT_TRUE(chrome.starts_with("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[{"));
  EXPECT_EQ(Count(chrome, "\"ph\":\"B\""), 1u + 5 + 5);
  EXPECT_EQ(Count(chrome, "\"ph\":\"E\""), 1u + 5 + 5);
  EXPECT_EQ(Count(chrome, "\"cat\":\"primitive\""), 10u);
}

TEST(Profiler, B32SpeedscopeEventsNest) {
  const Profiled run(kProgram, 3);
  const std::string text = *run.profiler->Export("speedscope");
  EXPECT_NE(text.find("https://www.speedscope.app/file-format-schema.json"), std::string::npos);
  EXPECT_NE(text.find("\"frames\":[{\"name\":\"@main\"},{\"name\":\"@twice\"},"
                      "{\"name\":\"test.add\"}]"),
            std::string::npos);
  // A stack machine over the events: each close is of what was opened last, times never fall.
  std::vector<int> stack;
  int64_t last = 0;
  size_t events = 0;
  for (size_t at = text.find("{\"type\":\""); at != std::string::npos;
       at = text.find("{\"type\":\"", at + 1)) {
    const char kind = text[at + 9];
    if (kind != 'O' && kind != 'C') continue;
    const int frame = std::stoi(text.substr(text.find("\"frame\":", at) + 8));
    const int64_t time = std::stoll(text.substr(text.find("\"at\":", at) + 5));
    EXPECT_GE(time, last);
    last = time;
    ++events;
    if (kind == 'O') {
      stack.push_back(frame);
      continue;
    }
    ASSERT_FALSE(stack.empty());
    EXPECT_EQ(stack.back(), frame);
    stack.pop_back();
  }
  EXPECT_TRUE(stack.empty());
  EXPECT_EQ(events, 2u * (1 + 3 + 3));
}

TEST(Profiler, AFullTimeLineStillCounts) {
  const Profiled run(kProgram, 50, {.max_spans = 5});
  EXPECT_GT(run.profiler->dropped_spans(), 80u);
  const std::string chrome = *run.profiler->Export("chrome");
  EXPECT_EQ(Count(chrome, "\"ph\":\"B\""), Count(chrome, "\"ph\":\"E\""));
  EXPECT_NE(run.profiler->Export("table")->find("are not in the time line"), std::string::npos);
  uint64_t count = 0;
  for (const OperatorProfile& row : run.profiler->Operators()) count += row.count;
  EXPECT_EQ(count, 50u * 6 + 1);
}

TEST(Profiler, AFailedRunIsClosed) {
  const Profiled run(R"(
.func @main(x: f32[4], n: int)
  call  test.fail in: "no" dst: %2
  ret   ret %2
)",
                     1);
  EXPECT_FALSE(run.status.ok());
  const std::string chrome = *run.profiler->Export("chrome");
  EXPECT_EQ(Count(chrome, "\"ph\":\"B\""), Count(chrome, "\"ph\":\"E\""));
  EXPECT_FALSE(run.profiler->Export("perfect").ok());
}

}  // namespace
}  // namespace tern::vm::profiler_test
