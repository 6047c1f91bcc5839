// SPDX-License-Identifier: Apache-2.0
// Views of whole records: time line, hits, lifetimes of registers, objects, shape heaps. What is
// expected is counted by hand or found again by stepping.
#include "core/vm/debug/debugger_views.h"

#include <algorithm>
#include <cmath>

#include "core/object/containers/table.h"
#include "core/vm/debug/debugger_heap.h"
#include "core/vm/debug/debugger_json.h"
#include "core/vm/debug/lifetimes.h"
#include "core/vm/debug/recorded_objects.h"
#include "core/vm/debug/shape_view.h"
#include "core/vm/debug/trace_summary.h"
#include "tests/unit/vm/debug_test_util.h"

namespace tern::vm {
namespace {

TensorPtr Filled(std::initializer_list<int64_t> dims, float value) {
  TensorPtr tensor = Tensor::New(kF32, dims).value();
  for (float& element : tensor->values<float>()) element = value;
  return tensor;
}

std::string View(const Debugger& debugger, std::string_view what) {
  JsonWriter json;
  const Status status = WriteViewJson(debugger, what, &json);
  return status.ok() ? json.Take() : std::string(status.message());
}

// step 0: a+b, 1: move, 2: c*c, 3: kill, 4: move, 5: ret
constexpr const char* kTensors = R"(
.func @main(a: tensor, b: tensor)
  call  test.add in: %0, %1 dst: %2
  move  %2 dst: %3
  call  test.mul in: %2, %3 dst: %4
  kill  %2
  move  %4 dst: %3
  ret   ret %3
)";

TEST(Lifetimes, VersionsFromDefinitionToEnd) {
  auto debugger = BeginDebugger(kTensors, {Filled({4}, 1), Filled({4}, 2)});
  MustRun(debugger.get(), DebugCommand::kContinue);
  const Lifetimes found = FindLifetimes(*debugger, 0);
  EXPECT_EQ(found.version_count, 6u);
  EXPECT_EQ(found.leave, 6u);
  const auto of = [&found](uint32_t reg, uint32_t number) {
    for (const RegisterVersion& version : found.versions) {
      if (version.reg == reg && version.number == number) return version;
    }
    ADD_FAILURE() << "no version " << number << " of %" << reg;
    return RegisterVersion();
  };
  EXPECT_TRUE(of(0, 1).was_there);
  EXPECT_EQ(of(0, 1).last_use, 0u);
  EXPECT_EQ(of(0, 1).end, VersionEnd::kReturned);
  const RegisterVersion sum = of(2, 1);
  EXPECT_EQ(sum.defined, 0u);
  EXPECT_EQ(sum.last_use, 2u);
  EXPECT_EQ(sum.uses, 2u);
  EXPECT_EQ(sum.ended, 3u);
  EXPECT_EQ(sum.end, VersionEnd::kKilled);
  EXPECT_EQ(of(3, 1).end, VersionEnd::kOverwritten);
  EXPECT_EQ(of(3, 1).ended, 4u);
  EXPECT_EQ(of(3, 2).last_use, 5u);
  EXPECT_EQ(of(4, 1).end, VersionEnd::kReturned);
  // Steps held after the last use: %0 5, %1 5, %2 1, %3 2 + 0, %4 1, of 28 in all.
  const auto bytes = static_cast<double>(ObjectBytes(Any(Filled({4}, 0))));
  EXPECT_EQ(found.dead_byte_steps, bytes * 14);
  EXPECT_EQ(found.byte_steps, bytes * (5 + 5 + 3 + 3 + 1 + 3));
}

// Each version says what stepping shows.
TEST(Lifetimes, AgreesWithEveryState) {
  auto debugger = BeginDebugger(kFrames, {AnyView(5)});
  MustRun(debugger.get(), DebugCommand::kContinue);
  const uint64_t end = debugger->trace().end_step();
  for (uint64_t at = 0; at < end; ++at) {
    MustRun(debugger.get(), DebugCommand::kSeek, at);
    for (size_t frame = 0; frame < debugger->depth(); ++frame) {
      const Lifetimes found = FindLifetimes(*debugger, frame);
      ASSERT_LE(found.enter, at);
      ASSERT_GT(found.leave, at);
      ASSERT_EQ(found.function, debugger->frame(frame).function);
      for (uint32_t reg = 0; reg < found.register_count; ++reg) {
        const Any value = *debugger->RawRegister(frame, reg);
        const auto held = std::count_if(
            found.versions.begin(), found.versions.end(), [&](const RegisterVersion& version) {
              const bool begun = version.was_there || version.defined < at;
              return version.reg == reg && begun && at <= version.ended;
            });
        ASSERT_EQ(held, value.is_none() ? 0 : 1) << "step " << at << " register " << reg;
      }
    }
  }
}

TEST(Lifetimes, ManyVersionsAreSummed) {
  auto debugger = BeginDebugger(R"(
.func @main(n: int)
again:
  sub   %0, 1 dst: %0
  gt    %0, 0 dst: %1
  if    %1 true: again false: done
done:
  ret   ret %0
)",
                                {AnyView(15'000)});
  MustRun(debugger.get(), DebugCommand::kContinue);
  const Lifetimes found = FindLifetimes(*debugger, 0);
  EXPECT_EQ(found.version_count, 30'001u);
  EXPECT_TRUE(found.versions.empty());
  uint64_t sum = 0;
  for (const LifetimeCell& cell : found.cells) sum += cell.count;
  EXPECT_EQ(sum, found.version_count);
  EXPECT_LT(found.cells.back().column, kLifetimeColumns);
}

TEST(TimelineSummary, CountsWhatSteppingShows) {
  auto debugger = BeginDebugger(kFrames, {AnyView(6)});
  ASSERT_TRUE(debugger->AddBreakpoint("@factorial").ok());
  MustRun(debugger.get(), DebugCommand::kContinue);
  while (debugger->stop().reason == DebugStop::kBreakpoint)
    MustRun(debugger.get(), DebugCommand::kContinue);
  const uint64_t end = debugger->trace().end_step();
  const TimelineSummary each = SummarizeTimeline(*debugger, kMaxTimelineBuckets);
  ASSERT_EQ(each.steps_per_bucket, 1u);
  ASSERT_EQ(each.buckets.size(), end);
  uint32_t places = 0;
  for (size_t at = 0; at < end; ++at) {
    MustRun(debugger.get(), DebugCommand::kSeek, at);
    EXPECT_EQ(each.buckets[at].depth, debugger->depth()) << at;
    places += each.buckets[at].breakpoints;
    uint32_t steps = 0;
    for (const uint32_t band : each.buckets[at].bands) steps += band;
    EXPECT_EQ(steps, 1u);
  }
  EXPECT_EQ(places, 7u) << "@factorial is called with 6 to 0";
  const TimelineSummary few = SummarizeTimeline(*debugger, 5);
  EXPECT_LE(few.buckets.size(), 5u);
  EXPECT_TRUE(std::any_of(few.calls.begin(), few.calls.end(),
                          [](const TimelineCall& call) { return call.depth > 0; }));
  const std::vector<uint64_t> hits = CountHits(*debugger);
  uint64_t sum = 0;
  for (const uint64_t count : hits) sum += count;
  EXPECT_EQ(sum, end);
  EXPECT_EQ(hits[0], 1u);
}

TEST(TimelineSummary, MarksWhereNansAppear) {
  auto debugger = BeginDebugger(R"(
.func @main(a: tensor, b: tensor)
  call  test.add in: %0, %1 dst: %2
  call  test.div in: %0, %0 dst: %3
  move  %3 dst: %4
  ret   ret %4
)",
                                {Filled({2}, 0), Filled({2}, 1)});
  MustRun(debugger.get(), DebugCommand::kContinue);
  EXPECT_EQ(SummarizeTimeline(*debugger, 8).not_finite, std::vector<uint64_t>{1});
}

TEST(RecordedObjects, ComeAndGo) {
  auto debugger = BeginDebugger(kTensors, {Filled({4}, 1), Filled({4}, 2)});
  MustRun(debugger.get(), DebugCommand::kContinue);
  const std::vector<RecordedObject> objects = ListRecordedObjects(debugger->trace());
  ASSERT_EQ(objects.size(), 4u);
  EXPECT_TRUE(objects[0].was_there);
  EXPECT_EQ(objects[2].created, 0u);
  EXPECT_EQ(objects[2].released, 4u) << "%3 held it until another value came";
  EXPECT_EQ(objects[3].created, 2u);
  EXPECT_TRUE(FindLeaks(*debugger).empty());
  const HeapDifference difference = CompareHeaps(debugger->trace(), 1, 5);
  EXPECT_EQ(difference.added, std::vector<ValueId>{objects[3].id});
  EXPECT_EQ(difference.removed, std::vector<ValueId>{objects[2].id});
  EXPECT_EQ(difference.bytes, 0);
}

TEST(RecordedObjects, HoldersOverTime) {
  auto debugger = BeginDebugger(kTensors, {Filled({4}, 1), Filled({4}, 2)});
  MustRun(debugger.get(), DebugCommand::kContinue);
  const Trace& trace = debugger->trace();
  const ValueId sum = ListRecordedObjects(trace)[2].id;
  // %2, then %3 as well, until %2 is killed and %3 overwritten; seven states.
  EXPECT_EQ(CountHolders(trace, {{sum}}, 7), (std::vector<uint32_t>{0, 1, 2, 2, 1, 0, 0}));
  EXPECT_EQ(CountHolders(trace, {{sum}}, 2), (std::vector<uint32_t>{2, 1}));
  EXPECT_EQ(CountHolders(trace, {{sum}}, 14),
            (std::vector<uint32_t>{0, 0, 1, 1, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0}));
  EXPECT_TRUE(CountHolders(trace, {}, 3).empty());
}

// Objects come and go in calls; what is told of each is found again by going there.
TEST(RecordedObjects, HoldersOverTimeAreThoseOfTheStates) {
  auto debugger = BeginDebugger(R"(
.func @main(a: tensor, n: int)
again:
  invoke @twice in: %0 dst: %0
  sub   %1, 1 dst: %1
  gt    %1, 0 dst: %2
  if    %2 true: again false: done
done:
  ret   ret %0

.func @twice(a: tensor)
  move  %0 dst: %1
  call  test.add in: %0, %1 dst: %2
  ret   ret %2
)",
                                {Filled({4}, 1), Any(int64_t{9})});
  MustRun(debugger.get(), DebugCommand::kContinue);
  const Trace& trace = debugger->trace();
  std::vector<ValueId> ids;
  for (const RecordedObject& object : ListRecordedObjects(trace)) ids.push_back(object.id);
  ASSERT_EQ(ids.size(), 10u);
  const uint64_t states = trace.end_step() + 1;
  for (const uint32_t parts : {1u, 3u, 10u, static_cast<uint32_t>(states)}) {
    std::vector<uint32_t> expected(ids.size() * parts);
    TraceCursor cursor(&trace);
    for (uint64_t state = 0; state < states; ++state) {
      cursor.Seek(state);
      const std::vector<ValueId>& held = cursor.state().ids;
      for (size_t i = 0; i < ids.size(); ++i) {
        uint32_t& most = expected[i * parts + static_cast<size_t>(state * parts / states)];
        const auto count = std::count(held.begin(), held.end(), ids[i]);
        most = std::max(most, static_cast<uint32_t>(count));
      }
    }
    EXPECT_EQ(CountHolders(trace, ids, parts), expected) << parts;
  }
}

TEST(RecordedObjects, HoldersOverTimeAsJson) {
  auto debugger = BeginDebugger(kTensors, {Filled({4}, 1), Filled({4}, 2)});
  MustRun(debugger.get(), DebugCommand::kContinue);
  EXPECT_EQ(View(*debugger, "objects all").find("held\""), std::string::npos);
  EXPECT_NE(View(*debugger, "objects all 7").find("\"held\":[0,1,2,2,1,0,0]"),
            std::string::npos);
  // What is no number asks for none, and no number for more than there is room for.
  EXPECT_EQ(View(*debugger, "objects all many"), View(*debugger, "objects all"));
  EXPECT_EQ(View(*debugger, "objects all 99999"),
            View(*debugger, StrCat("objects all ", kMostParts)));
}

// A primitive that keeps what it is given makes a leak.
TEST(RecordedObjects, LeaksAreFound) {
  static Any kept;
  Result<std::unique_ptr<Debugger>> debugger = Debugger::Create(MustLink(
      MustAssemble(R"(
.func @main(a: tensor)
  call  test.add in: %0, %0 dst: %1
  call  test.keep in: %1 dst: %2
  call  test.add in: %0, %0 dst: %3
  alloc_adt tag: 0 in: %3 dst: %4
  ret   ret %4
)"),
      [] {
        std::vector<FunctionPtr> primitives = DebugPrimitives();
        primitives.push_back(Function::FromTyped("test.keep", [](Tensor* tensor) -> int64_t {
          kept = Any(AnyView(tensor));
          return 0;
        }));
        return primitives;
      }()));
  ASSERT_TRUE(debugger.ok());
  const TensorPtr input = Filled({4}, 1);
  ASSERT_TRUE((*debugger)->Begin("main", std::vector<AnyView>{input}).ok());
  MustRun(debugger->get(), DebugCommand::kContinue);
  const std::vector<ValueId> leaks = FindLeaks(**debugger);
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ((*debugger)->trace().value(leaks[0]).object(), kept.object());
  kept = Any();
  EXPECT_TRUE(FindLeaks(**debugger).empty());
}

// The tensor is a value and a key.
std::vector<FunctionPtr> WithMaps() {
  std::vector<FunctionPtr> primitives = DebugPrimitives();
  primitives.push_back(Function::FromTyped("test.map", [](Tensor* tensor) -> Any {
    const ObjectPtr<Table> map = Table::Make();
    map->Set(AnyView(int64_t{1}), Any(AnyView(tensor)));
    map->Set(AnyView(tensor), Any(int64_t{2}));
    return Any(map);
  }));
  return primitives;
}

// What only a map holds is its own, whether the map is returned or was dropped.
TEST(RecordedObjects, WhatMapsHoldIsNotLeaked) {
  for (const char* result : {"%2", "0"}) {
    Result<std::unique_ptr<Debugger>> debugger = Debugger::Create(MustLink(
        MustAssemble(StrCat(R"(
.func @main(a: tensor)
  call  test.add in: %0, %0 dst: %1
  call  test.map in: %1 dst: %2
  kill  %1
  ret   ret )", result, "\n")),
        WithMaps()));
    ASSERT_TRUE(debugger.ok());
    const TensorPtr input = Filled({4}, 1);
    ASSERT_TRUE((*debugger)->Begin("main", std::vector<AnyView>{input}).ok());
    MustRun(debugger->get(), DebugCommand::kStep, 3);
    {  // The list holds what is in it.
      const HeapListing heap = ListHeap(**debugger);
      ASSERT_EQ(heap.objects.size(), 3u);
      std::vector<std::string> holders;
      for (const HeapHolder& holder : heap.objects[2].holders) holders.push_back(holder.text);
      EXPECT_EQ(holders, (std::vector<std::string>{"object 2, value 0", "object 2, key 1"}));
      EXPECT_EQ(heap.objects[2].elsewhere, 0);
    }
    // What comes and goes with the map.
    EXPECT_EQ(CompareHeaps((*debugger)->trace(), 0, 3).added.size(), 2u);
    MustRun(debugger->get(), DebugCommand::kContinue);
    EXPECT_TRUE(FindLeaks(**debugger).empty()) << result;
  }
}

constexpr const char* kShapes = R"(
.func @main(x: tensor, y: tensor)
  call  vm.builtin.alloc_shape_heap in: 4 dst: %2
  call  vm.builtin.match_shape in: %0, %2, "x[n, m]", 1, 0, 3, 16 dst: void
  call  vm.builtin.match_shape in: %1, %2, "y[n, m]", 2, 0, 0, 0 dst: void
  call  vm.builtin.load_dim in: %2, 0 dst: %3
  add   %3, 1 dst: %3
  call  vm.builtin.store_dim in: %2, 2, %3 dst: void
  call  vm.builtin.load_shape in: %2, 0, 2 dst: %4
  ret   ret %4
)";

TEST(ShapeView, RulesAreSentences) {
  auto debugger = BeginDebugger(kShapes, {Filled({32, 16}, 0), Filled({32, 3}, 0)});
  MustRun(debugger.get(), DebugCommand::kStep, 1);
  ShapeView view = ViewShapeHeap(*debugger, 0);
  EXPECT_EQ(view.reg, 2u);
  ASSERT_EQ(view.rules.size(), 7u);
  EXPECT_EQ(view.rules[0].sentence, "axis 0 of x will be stored as n in slot 0");
  EXPECT_EQ(view.rules[2].sentence, "axis 0 of y must be n in slot 0");
  MustRun(debugger.get(), DebugCommand::kStep, 6);
  view = ViewShapeHeap(*debugger, 0);
  std::vector<std::string> sentences;
  for (const ShapeRule& rule : view.rules) {
    sentences.push_back(rule.sentence);
    EXPECT_EQ(rule.state, ShapeRuleState::kHolds) << rule.sentence;
  }
  EXPECT_EQ(sentences,
            (std::vector<std::string>{
                "axis 0 of x = 32 was stored as n in slot 0", "axis 1 of x = 16 as required",
                "axis 0 of y = 32 equals n in slot 0", "axis 1 of y = 3 is not checked",
                "loads n in slot 0: 32", "stores into slot 2: 33",
                "makes a shape of n in slot 0, slot 2: "
                "[32, 33]"}));
  ASSERT_EQ(view.slots.size(), 4u);
  EXPECT_EQ(view.slots[0].symbol, "n");
  EXPECT_EQ(view.slots[0].value, 32);
  EXPECT_EQ(view.slots[0].pc, 1u);
  EXPECT_EQ(view.slots[0].readers, (std::vector<uint32_t>{2, 3, 6}));
  EXPECT_EQ(view.slots[2].step, 5u);
  EXPECT_FALSE(view.slots[1].step.has_value());
}

TEST(ShapeView, AFailedRuleSaysWhatIsWrong) {
  auto debugger = BeginDebugger(kShapes, {Filled({32, 16}, 0), Filled({31, 3}, 0)});
  MustRun(debugger.get(), DebugCommand::kContinue);
  ASSERT_EQ(debugger->stop().reason, DebugStop::kTrap);
  const ShapeView view = ViewShapeHeap(*debugger, 0);
  EXPECT_EQ(view.rules[2].sentence, "axis 0 of y = 31, but n in slot 0 is 32");
  EXPECT_EQ(view.rules[2].state, ShapeRuleState::kFails);
}

TEST(DebuggerViews, BadRequestsAreErrors) {
  auto debugger = BeginDebugger(kTensors, {Filled({4}, 1), Filled({4}, 2)});
  EXPECT_NE(View(*debugger, "").find("there are stop, state"), std::string::npos);
  EXPECT_NE(View(*debugger, "lifetime 0").find("no 'lifetime'"), std::string::npos);
  EXPECT_EQ(View(*debugger, "timeline"), "'timeline' needs a number behind it");
  EXPECT_EQ(View(*debugger, "timeline x"), "'timeline' needs a number behind it");
  EXPECT_EQ(View(*debugger, "heapdiff 0"), "'heapdiff' needs a number behind it");
  EXPECT_NE(View(*debugger, "heapdiff 0 1").find("step 1 is not recorded"), std::string::npos);
  EXPECT_NE(View(*debugger, "lifetimes 1").find("there is no frame 1"), std::string::npos);
  EXPECT_NE(View(*debugger, "shapes 9999999999999").find("there is no frame"), std::string::npos);
  EXPECT_NE(View(*debugger, "objects some").find("live, all and leaked"), std::string::npos);
}

TEST(DebuggerViews, EncodingNeedsNoRun) {
  auto debugger = MakeDebugger(".func @main(n: int)\n  add %0, 1 dst: %0\n  ret ret %0\n");
  EXPECT_EQ(View(*debugger, "encoding"), R"(["60 03 0000 0000 4001","01 01 0000 0000 0000"])");
  EXPECT_EQ(View(*debugger, "hits"), "no run was begun");
}

// Who wrote a register, and since when its frame is there.
TEST(DebuggerViews, StatesNameTheirWriters) {
  auto debugger = BeginDebugger(R"(
.func @main(n: int)
  invoke @twice in: %0 dst: %1
  ret   ret %1
.func @twice(n: int)
  add   %0, %0 dst: %1
  tail_invoke @once in: %1
.func @once(n: int)
  ret   ret %0
)",
                                {AnyView(2)});
  const auto state = [&](uint64_t step) {
    MustRun(debugger.get(), DebugCommand::kSeek, step);
    JsonWriter json;
    WriteStateJson(*debugger, &json);
    return json.Take();
  };
  MustRun(debugger.get(), DebugCommand::kContinue);
  const std::string inside = state(2);
  EXPECT_NE(inside.find(R"("entered":1,"registers":[{"index":0,"name":"n","changed":false,)"
                        R"("writtenAt":0,"writtenBy":0)"),
            std::string::npos)
      << inside;
  EXPECT_NE(inside.find(R"("changed":true,"writtenAt":1,"writtenBy":2)"), std::string::npos);
  const std::string after = state(3);
  EXPECT_NE(after.find(R"("function":"once")"), std::string::npos);
  EXPECT_NE(after.find(R"("entered":3)"), std::string::npos) << after;
  const std::string back = state(4);
  EXPECT_NE(back.find(R"("writtenAt":3,"writtenBy":4)"), std::string::npos) << back;
}

// Before the first step and after a return, and with a record that was dropped.
TEST(DebuggerViews, EveryViewAtEveryEnd) {
  DebuggerOptions options;
  options.recorder.trace.max_steps = 16;
  auto debugger = BeginDebugger(kFrames, {AnyView(200)}, options);
  const auto ask = [&] {
    for (const char* what : {"timeline 0", "timeline 99999999999", "hits", "lifetimes 0",
                             "objects all", "objects live", "objects leaked", "shapes 0"})
      EXPECT_TRUE(View(*debugger, what).starts_with(what[0] == 'h' ? "[" : "{\"")) << what;
  };
  ask();
  MustRun(debugger.get(), DebugCommand::kStep, 500);
  ask();
  MustRun(debugger.get(), DebugCommand::kContinue);
  ASSERT_EQ(debugger->stop().reason, DebugStop::kReturned);
  ask();
  EXPECT_GT(debugger->trace().first_step(), 0u);
}

}  // namespace
}  // namespace tern::vm
