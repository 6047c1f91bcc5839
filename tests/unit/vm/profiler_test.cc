// SPDX-License-Identifier: Apache-2.0
// B32: counts, times and shapes per operator; exports that are what their viewers read.
#include "core/vm/debug/profiler.h"

#include <gtest/gtest.h>

#include <algorithm>

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
    auto vm = MakeVm(text, DebugPrimitives());
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
