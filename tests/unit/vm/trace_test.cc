// SPDX-License-Identifier: Apache-2.0
// The delta log: every state of a run can be gone to, by any backend, at a bounded cost, within its
// budget.
#include "core/vm/debug/trace.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "core/object/containers/sequence.h"
#include "core/vm/debug/trace_file.h"
#include "tests/unit/vm/debug_test_util.h"

namespace tern::vm::trace_test {
namespace {

// A machine that runs `main` to its end under a recorder.
struct Recorded {
  std::unique_ptr<VirtualMachine> vm;
  std::unique_ptr<Recorder> recorder;
  Result<StopReason> stop = StopReason::kPaused;

  const Trace& trace() const { return recorder->trace(); }
};

Recorded Record(std::string_view text, std::vector<AnyView> args = {},
                const RecorderOptions& options = {}) {
  Recorded made;
  made.vm = MakeVm(text, DebugPrimitives());
  made.recorder = std::make_unique<Recorder>(options);
  EXPECT_TRUE(made.vm->Begin("main", args).ok());
  made.recorder->Start(*made.vm);
  made.vm->SetHooks(made.recorder.get());
  made.stop = made.vm->Resume();
  made.recorder->Finish(*made.vm);
  return made;
}

std::string StateText(const Trace& trace, const TraceCursor& cursor, const Executable& executable) {
  std::string text = StrCat("step ", cursor.step(), "\n");
  const TraceState& state = cursor.state();
  for (size_t i = state.frames.size(); i-- > 0;) {
    StrAppend(&text, "@", executable.functions()[state.frames[i].function].name, " ",
              state.frames[i].pc);
    for (ValueId id : state.registers(i))
      StrAppend(&text, " ", PrintValue(trace.Materialize(id, cursor.step())));
    text += "\n";
  }
  return text;
}

// What a machine without a recorder shows before each step.
std::vector<std::string> StatesOf(std::string_view text, std::vector<AnyView> args = {}) {
  std::unique_ptr<VirtualMachine> vm = MakeVm(text, DebugPrimitives());
  EXPECT_TRUE(vm->Begin("main", args).ok());
  std::vector<std::string> states = {StateText(*vm)};
  while (vm->state() == VirtualMachine::State::kPaused && vm->Resume(1).ok())
    states.push_back(StateText(*vm));
  return states;
}

std::array<uint32_t, 4> WordsOf(const TraceEvent& event) {
  return {event.frame_and_kind, event.target, event.before, event.after};
}

// One that fits the state, which has a frame.
TraceEvent AnyEvent(const TraceState& state, std::mt19937* random) {
  const auto number = [random](uint32_t below) {
    return static_cast<uint32_t>((*random)() % below);
  };
  const auto depth = static_cast<uint32_t>(state.frames.size());
  const auto tag = [](uint32_t frame, TraceEventKind kind) {
    return frame << 2 | static_cast<uint32_t>(kind);
  };
  const uint32_t frame = number(depth);
  const auto registers = static_cast<uint32_t>(state.register_count(frame));
  if (number(4) == 0) return {tag(depth, TraceEventKind::kPush), number(1u << 20), 0, number(300)};
  if (number(8) == 0 || registers == 0) {
    const TraceFrame& top = state.frames.back();
    return {tag(depth - 1, TraceEventKind::kPop), top.function,
            depth > 1 ? state.frames[depth - 2].pc : 0,
            static_cast<uint32_t>(state.register_count(depth - 1))};
  }
  const uint32_t reg = number(registers);
  const auto after = static_cast<uint32_t>((*random)() >> number(32));
  return {tag(frame, TraceEventKind::kWrite), reg, state.registers(frame)[reg], after};
}

TEST(Trace, A18EveryStateIsWhatTheMachineShowed) {
  const std::vector<std::string> expected = StatesOf(kFrames, {5});
  const Recorded run = Record(kFrames, {5});
  ASSERT_EQ(run.trace().end_step() + 1, expected.size());
  TraceCursor cursor(&run.trace());
  for (uint64_t step = 0; step < expected.size(); ++step) {
    cursor.Seek(step);
    EXPECT_EQ(StateText(run.trace(), cursor, run.vm->executable()),
              expected[static_cast<size_t>(step)]);
  }
  for (uint64_t step = expected.size(); step-- > 0;) {
    cursor.Seek(step);
    EXPECT_EQ(StateText(run.trace(), cursor, run.vm->executable()),
              expected[static_cast<size_t>(step)]);
  }
}

TEST(Trace, A18SeekingAndSteppingAgree) {
  const std::vector<std::string> expected = StatesOf(kFrames, {300});
  const Recorded run = Record(kFrames, {300});
  ASSERT_GT(run.trace().stats().segments, 3u);
  std::mt19937 random(7);
  TraceCursor cursor(&run.trace());
  for (int i = 0; i < 300; ++i) {
    const uint64_t step = random() % expected.size();
    cursor.Seek(step);
    EXPECT_EQ(StateText(run.trace(), cursor, run.vm->executable()),
              expected[static_cast<size_t>(step)])
        << step;
  }
}

constexpr const char* kCountTo = R"(
.func @main(n: int)
  load_const int 0 dst: %1
again:
  add   %1, 1 dst: %1
  lt    %1, %0 dst: %2
  if    %2 true: again false: done
done:
  ret   ret %1
)";

TEST(Trace, B16SeekInAMillionStepsLooksAtFewEvents) {
  RecorderOptions options;
  options.trace.max_steps = 2'000'000;
  const Recorded run = Record(kCountTo, {333'333}, options);
  const TraceStats stats = run.trace().stats();
  ASSERT_GE(stats.end_step, 1'000'000u);
  EXPECT_EQ(stats.first_step, 0u);
  std::mt19937 random(1);
  uint64_t most = 0;
  TraceCursor cursor(&run.trace());
  for (int i = 0; i < 1000; ++i) {
    const uint64_t step = random() % (stats.end_step + 1), before = cursor.work();
    cursor.Seek(step);
    most = std::max(most, cursor.work() - before);
    if (step == stats.end_step) continue;
    // Step 0 sets %1 to 0; then come three steps for each number.
    const Any counter = run.trace().value(cursor.state().registers(0)[1]);
    if (step > 0) {
      EXPECT_EQ(*counter.TryCast<int64_t>(), static_cast<int64_t>((step + 1) / 3)) << step;
    }
  }
  // Two events for three steps, and the steps themselves.
  EXPECT_LE(most, 2 * kSkippedSteps);
}

// Another value in every register at nearly every step.
constexpr const char* kFloats = R"(
.func @main(n: int)
  load_const float 0.4 dst: %1
  load_const float 1.0 dst: %2
  load_const float 3.9 dst: %3
again:
  sub   %2, %1 dst: %4
  mul   %1, %4 dst: %5
  mul   %3, %5 dst: %1
  add   %1, %2 dst: %4
  add   %4, %5 dst: %5
  sub   %0, 1 dst: %0
  gt    %0, 0 dst: %6
  if    %6 true: again false: done
done:
  ret   ret %1
)";

constexpr const char* kFibonacci = R"(
.func @fibonacci(n: int) -> int
  lt    %0, 2 dst: %1
  if    %1 true: small false: large
small:
  ret   ret %0
large:
  sub   %0, 1 dst: %2
  invoke @fibonacci in: %2 dst: %3
  sub   %0, 2 dst: %2
  invoke @fibonacci in: %2 dst: %4
  add   %3, %4 dst: %3
  ret   ret %3
.func @main(n: int)
  invoke @fibonacci in: %0 dst: %1
  ret   ret %1
)";

// L2 of the playground: 24 MiB for a million steps, here with the values of scalars, when all of
// them were looked at.
TEST(Trace, AMillionStepsTakeAtMost24MiB) {
  for (const auto& [text, n] :
       {std::pair(kCountTo, 40'000), std::pair(kFloats, 10'000), std::pair(kFibonacci, 19)}) {
    for (const bool runs_ahead : {true, false}) {
      RecorderOptions options;
      options.runs_ahead = runs_ahead;
      const Recorded run = Record(text, {n}, options);
      ASSERT_TRUE(run.stop.ok());
      EXPECT_GT(run.trace().value_limit(), 0u);
      const TraceStats stats = run.trace().stats();
      ASSERT_GT(stats.end_step, 60'000u) << text;
      EXPECT_EQ(stats.unseen, 0u);
      EXPECT_LE(stats.log_bytes * 1'000'000 / stats.end_step, uint64_t{24} << 20) << text;
    }
  }
}

// Everything that goes ahead and what ends it: ints and floats, calls, a test of a tensor, an
// error, a builtin in the middle.
constexpr const char* kMixed = R"(
.func @add_up(n: int, to: int) -> int
  load_const int 0 dst: %2
again:
  add   %2, %0 dst: %2
  sub   %1, 1 dst: %1
  gt    %1, 0 dst: %3
  if    %3 true: again false: done
done:
  ret   ret %2
.func @main(n: int)
  load_const int 0 dst: %1
  load_const float 0.5 dst: %2
again:
  invoke @add_up in: %1, 40 dst: %3
  add   %2, %2 dst: %2
  mod   %1, 7 dst: %4
  if    %4 true: next false: tensor
tensor:
  load_consti 1 dst: %5
  if    %5 true: next false: next
next:
  add   %1, 1 dst: %1
  lt    %1, %0 dst: %6
  if    %6 true: again false: done
done:
  div   %1, 0 dst: %1
  ret   ret %3
)";

// All states of a record as text, and its steps.
std::vector<std::string> Told(const Recorded& run) {
  std::vector<std::string> told;
  TraceCursor cursor(&run.trace());
  for (uint64_t step = run.trace().first_step(); step <= run.trace().end_step(); ++step) {
    cursor.Seek(step);
    told.push_back(StateText(run.trace(), cursor, run.vm->executable()));
  }
  run.trace().ForEachStep(
      [&](const TraceStep& step) { told.push_back(StrCat(step.pc, " ", step.events.size())); });
  return told;
}

TEST(Trace, WhatRanAheadIsToldLikeTheRest) {
  RecorderOptions told;
  told.runs_ahead = false;
  for (const char* text : {kMixed, kFrames, kCountTo}) {
    const Recorded ahead = Record(text, {150});
    const Recorded slow = Record(text, {150}, told);
    EXPECT_GT(ahead.trace().stats().unseen, 0u);
    EXPECT_EQ(slow.trace().stats().unseen, 0u);
    EXPECT_EQ(Told(ahead), Told(slow));
    EXPECT_EQ(ahead.trace().stats().unseen, 0u);
    EXPECT_EQ(ahead.trace().stats().events, slow.trace().stats().events);
    EXPECT_TRUE(SaveTrace(ahead.trace(), ahead.vm->executable()) ==
                SaveTrace(slow.trace(), slow.vm->executable()));
  }
}

TEST(Trace, WhatRanAheadCanBeCutAnywhere) {
  const std::vector<std::string> expected = StatesOf(kFrames, {300});
  for (uint64_t cut : {uint64_t{0}, uint64_t{255}, uint64_t{256}, uint64_t{257}, uint64_t{1500}}) {
    const Recorded run = Record(kFrames, {300});
    Trace& trace = run.recorder->trace();
    trace.TruncateAfter(cut);
    ASSERT_EQ(trace.end_step(), cut);
    TraceCursor cursor(&trace);
    for (uint64_t step = 0; step < cut; ++step) {
      cursor.Seek(step);
      EXPECT_EQ(StateText(trace, cursor, run.vm->executable()),
                expected[static_cast<size_t>(step)]);
    }
  }
}

TEST(Trace, WhatRanAheadIsDroppedAboveTheBudgetAndHoldsNothing) {
  const int64_t before = LiveObjectCount();
  {
    RecorderOptions options;
    options.trace.max_steps = 20'000;
    const Recorded run = Record(kCountTo, {20'000}, options);
    const TraceStats stats = run.trace().stats();
    EXPECT_EQ(stats.end_step, 60'002u);
    EXPECT_LE(stats.end_step - stats.first_step, 20'000u);
    EXPECT_GT(stats.end_step - stats.first_step, 20'000u - 2 * kSkippedSteps);
    EXPECT_LT(stats.log_bytes, 20'000u);
    TraceCursor cursor(&run.trace());
    cursor.Seek(stats.first_step);
    const Any counter = run.trace().value(cursor.state().registers(0)[1]);
    EXPECT_EQ(*counter.TryCast<int64_t>(), static_cast<int64_t>((stats.first_step + 1) / 3));
    EXPECT_EQ(Told(run).size(), 2 * (stats.end_step - stats.first_step) + 1);
  }
  EXPECT_EQ(LiveObjectCount(), before);
}

TEST(Trace, DeepStacksDoNotMakeKeyFramesDearOrSeeksLong) {
  const Recorded run = Record(kFrames, {3000});
  const TraceStats stats = run.trace().stats();
  // 3000 frames of two registers: a key frame every 1024 steps would be 24 KiB each.
  EXPECT_LT(stats.log_bytes, 64 * stats.end_step + (uint64_t{1} << 20));
  TraceCursor cursor(&run.trace());
  cursor.Seek(stats.end_step / 8);
  EXPECT_GT(cursor.depth(), 100u);
  EXPECT_LT(cursor.work(), 40'000u);
}

TEST(Trace, DropsTheOldestAboveItsBudget) {
  RecorderOptions options;
  options.runs_ahead = false;
  options.trace.max_bytes = 100'000;
  const Recorded run = Record(kCountTo, {20'000}, options);
  const TraceStats stats = run.trace().stats();
  EXPECT_LE(stats.log_bytes + stats.value_bytes, 100'000u);
  EXPECT_GT(stats.dropped_steps, 50'000u);
  EXPECT_EQ(stats.first_step, stats.dropped_steps);
  EXPECT_GT(stats.end_step - stats.first_step, 2000u);
  TraceCursor cursor(&run.trace());
  cursor.Seek(stats.first_step);
  const Any counter = run.trace().value(cursor.state().registers(0)[1]);
  EXPECT_EQ(*counter.TryCast<int64_t>(), static_cast<int64_t>((stats.first_step + 1) / 3));
}

TEST(Trace, OneStepOverTheBudgetDropsAllBefore) {
  // Each step makes a tensor of 4 KiB, which only the trace holds on to.
  const char* text = R"(
.func @main(n: int)
again:
  alloc_tensor offset: 0 dtype: f32 shape: 1024 dst: %1
  sub   %0, 1 dst: %0
  gt    %0, 0 dst: %2
  if    %2 true: again false: done
done:
  ret   ret %0
)";
  RecorderOptions options;
  options.trace.max_bytes = 300'000;
  const Recorded run = Record(text, {2000}, options);
  const TraceStats stats = run.trace().stats();
  EXPECT_LE(stats.log_bytes + stats.value_bytes, 300'000u);
  EXPECT_LE(run.vm->memory().live_bytes, 300'000 + 3 * 8192);
  EXPECT_GT(stats.dropped_steps, 7000u);
}

TEST(Trace, NothingIsHeldAfterItsEnd) {
  const int64_t before = LiveObjectCount();
  {
    Recorded run = Record(kFrames, {20});
    run.recorder->trace().TruncateAfter(50);
    EXPECT_EQ(run.trace().end_step(), 50u);
    const Recorded tensors = Record(R"(
.func @main()
  alloc_tensor offset: 0 dtype: f32 shape: 4 dst: %0
  alloc_adt tag: 0 in: %0, %0 dst: %1
  ret   ret %1
)");
    EXPECT_TRUE(tensors.stop.ok());
  }
  EXPECT_EQ(LiveObjectCount(), before);
}

constexpr const char* kInPlace = R"(
.func @main(a: f32[2], b: f32[2])
  alloc_tensor offset: 0 dtype: f32 shape: 2 dst: %2
  invoke_packed test.add_into arity: 2 outputs: 1 in: %0, %1, %2
  reshape_tensor %2 shape: shape [2, 1] dst: %3
  invoke_packed test.add_into arity: 2 outputs: 1 in: %2, %2, %3
  alloc_adt tag: 0 in: %2, %3 dst: %4
  invoke_packed test.add_into arity: 2 outputs: 1 in: %0, %0, %2
  ret   ret %4
)";

TensorPtr Pair(float x, float y) { return *Tensor::FromValues<float>({x, y}, {2}); }

TEST(Trace, WritesInPlaceAreUndoneInWhatIsShown) {
  const Recorded run = Record(kInPlace, {Pair(1, 2), Pair(3, 4)});
  ASSERT_TRUE(run.stop.ok());
  TraceCursor cursor(&run.trace());
  const auto shown = [&](uint64_t step, uint32_t reg) {
    cursor.Seek(step);
    return PrintValue(run.trace().Materialize(cursor.state().registers(0)[reg], step));
  };
  EXPECT_EQ(shown(2, 2), "f32[2] [4, 6]");
  EXPECT_EQ(shown(4, 2), "f32[2] [8, 12]");
  // The other name of the same memory, and a tuple around both.
  EXPECT_EQ(shown(3, 3), "f32[2, 1] [4, 6]");
  EXPECT_EQ(shown(4, 3), "f32[2, 1] [8, 12]");
  EXPECT_EQ(shown(5, 4), "(f32[2] [8, 12], f32[2, 1] [8, 12])");
  EXPECT_EQ(shown(6, 4), "(f32[2] [2, 4], f32[2, 1] [2, 4])");
}

TEST(Trace, WritesInPlaceOfBuiltinsAreKept) {
  const Recorded run = Record(R"(
.func @main()
  call  vm.builtin.alloc_shape_heap in: 2 dst: %0
  call  vm.builtin.store_dim in: %0, 0, 7 dst: void
  call  vm.builtin.store_dim in: %0, 1, 9 dst: void
  ret   ret %0
)");
  TraceCursor cursor(&run.trace());
  const char* expected[] = {"none", "i64[2] [0, 0]", "i64[2] [7, 0]", "i64[2] [7, 9]"};
  for (uint64_t step = 0; step < 4; ++step) {
    cursor.Seek(step);
    EXPECT_EQ(PrintValue(run.trace().Materialize(cursor.state().registers(0)[0], step)),
              expected[step]);
  }
}

TEST(TraceContents, ListsAndNestedValuesAsTheyWere) {
  TraceContents contents;
  const SequencePtr inner = Sequence::Make({1, 2});
  const Any outer(Sequence::Make({Any(inner), "text"}));
  contents.Guard(Any(inner));
  inner->PushBack(Any(3));
  contents.Settle(4);
  EXPECT_EQ(PrintValue(contents.Materialize(outer, 4)), "list[list[1, 2], \"text\"]");
  EXPECT_EQ(PrintValue(contents.Materialize(outer, 5)), "list[list[1, 2, 3], \"text\"]");
  EXPECT_EQ(contents.Materialize(outer, 5).object(), outer.object());
  contents.Restore(4);
  EXPECT_EQ(PrintValue(outer), "list[list[1, 2], \"text\"]");
}

TEST(TraceContents, UnchangedAndReadOnlyObjectsCostNothing) {
  TraceContents contents;
  const TensorPtr tensor = Pair(1, 2);
  contents.Guard(Any(tensor));
  contents.Settle(0);
  EXPECT_TRUE(contents.empty());
  tensor->set_read_only();
  contents.Guard(Any(tensor));
  contents.Settle(1);
  EXPECT_EQ(contents.bytes(), 0u);
}

TEST(TraceContents, StridedWindowsOfWrittenMemory) {
  TraceContents contents;
  const TensorPtr whole = *Tensor::FromValues<float>({0, 1, 2, 3, 4, 5}, {2, 3});
  const TensorPtr column = *whole->Slice(1, 1, 2);
  contents.Guard(Any(column));
  column->data_as<float>()[0] = 10;
  column->data_as<float>()[3] = 40;
  contents.Settle(0);
  EXPECT_EQ(PrintValue(contents.Materialize(Any(whole), 0)), "f32[2, 3] [0, 1, 2, 3, 4, 5]");
  EXPECT_EQ(PrintValue(contents.Materialize(Any(column), 0)), "f32[2, 1] [1, 4]");
  EXPECT_EQ(PrintValue(contents.Materialize(Any(whole), 1)), "f32[2, 3] [0, 10, 2, 3, 40, 5]");
}

TEST(Trace, C34AFailingStepLeavesTheStateBeforeIt) {
  const char* text = R"(
.func @main(n: int)
  add   %0, 1 dst: %1
  call  test.fail in: "no way" dst: %1
  ret   ret %1
)";
  const Recorded run = Record(text, {1});
  EXPECT_FALSE(run.stop.ok());
  EXPECT_EQ(run.trace().end_step(), 1u);
  TraceCursor cursor(&run.trace());
  cursor.Seek(1);
  EXPECT_EQ(cursor.state().frames[0].pc, 1u);
  EXPECT_EQ(PrintValue(run.trace().value(cursor.state().registers(0)[1])), "2");
}

// Frames of any depth, registers and numbers of any size, more events than fit into two bits.
TEST(TracePack, GivesBackWhatWasPacked) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const TraceState key = {{{0, 5, 0}, {2, UINT32_MAX, 3}}, {0, 1, UINT32_MAX, 7, 0}};
    TraceState state = key;
    TraceSteps steps;
    for (int i = 0; i < 50 && !state.frames.empty(); ++i) {
      steps.pcs.push_back(static_cast<uint32_t>(random() >> (random() % 32)));
      steps.first_event.push_back(static_cast<uint32_t>(steps.events.size()));
      state.frames.back().pc = steps.pcs.back();
      for (size_t count = random() % 6; count > 0 && !state.frames.empty(); --count) {
        steps.events.push_back(AnyEvent(state, &random));
        ApplyEvent(steps.events.back(), &state);
      }
    }
    const std::vector<uint8_t> packed = PackSteps(key, steps);
    const TraceSteps again = UnpackSteps(key, packed);
    EXPECT_EQ(again.pcs, steps.pcs);
    EXPECT_EQ(again.first_event, steps.first_event);
    ASSERT_EQ(again.events.size(), steps.events.size());
    for (size_t i = 0; i < steps.events.size(); ++i)
      EXPECT_EQ(WordsOf(again.events[i]), WordsOf(steps.events[i]));
  }
}

// What is looked at in turn is unpacked anew, and cutting the record there loses nothing.
TEST(Trace, FarPlacesAreLookedAtInTurnAndCut) {
  const std::vector<std::string> expected = StatesOf(kMixed, {200});
  RecorderOptions options;
  options.runs_ahead = false;
  const Recorded run = Record(kMixed, {200}, options);
  Trace& trace = run.recorder->trace();
  ASSERT_GT(trace.stats().segments, 2 * kUnpackedSegments);
  const auto look = [&](uint64_t step) {
    TraceCursor cursor(&trace);
    cursor.Seek(step);
    EXPECT_EQ(StateText(trace, cursor, run.vm->executable()), expected[static_cast<size_t>(step)]);
  };
  for (uint64_t end = trace.end_step(); end > 3000; end -= 2999) {
    trace.TruncateAfter(end);
    ASSERT_EQ(trace.end_step(), end);
    for (uint64_t step = 0; step <= end; step += 777) look(step);
    look(end);
  }
}

}  // namespace
}  // namespace tern::vm::trace_test
