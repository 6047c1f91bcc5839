// SPDX-License-Identifier: Apache-2.0
// Records read back: every state is what the trace itself gives; what was cut, changed or forged is
// refused and never followed.
#include "core/vm/debug/trace_reader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "core/vm/debug/trace_file.h"
#include "tests/support/rounds.h"
#include "tests/unit/vm/debug_test_util.h"

namespace tern::vm::trace_reader_test {
namespace {

constexpr std::string_view kQuotients = R"(
.func @main()
  load_const int 12 dst: %0
  invoke @quotients in: %0, 3 dst: %1
  ret   ret %1
.func @quotients(n: int, k: int)
  load_const int 0 dst: %2
again:
  div   %0, %1 dst: %3
  add   %2, %3 dst: %2
  sub   %1, 1 dst: %1
  gt    %1, 0 dst: %4
  if    %4 true: again false: done
done:
  ret   ret %2
)";

// Tensors, a list that is written in place, and more steps than one segment has.
constexpr std::string_view kLong = R"(
.func @main(n: int, x)
  call  vm.builtin.alloc_shape_heap in: 2 dst: %2
again:
  call  vm.builtin.store_dim in: %2, 0, %0 dst: void
  sub   %0, 1 dst: %0
  if    %0 true: again false: done
done:
  alloc_adt tag: 0 in: %2, %1 dst: %3
  ret   ret %3
)";

struct Recorded {
  std::unique_ptr<VirtualMachine> vm;
  std::unique_ptr<Recorder> recorder;
  const Trace& trace() const { return recorder->trace(); }
  std::vector<uint8_t> Bytes() const { return SaveTrace(trace(), vm->executable()); }
};

Recorded Record(std::string_view text, std::vector<AnyView> args = {}) {
  Recorded made;
  made.vm = MakeVm(text, DebugPrimitives());
  made.recorder = std::make_unique<Recorder>(RecorderOptions());
  EXPECT_TRUE(made.vm->Begin("main", args).ok());
  made.recorder->Start(*made.vm);
  made.vm->SetHooks(made.recorder.get());
  EXPECT_TRUE(made.vm->Resume().ok());
  made.recorder->Finish(*made.vm);
  made.vm->SetHooks(nullptr);
  return made;
}

void ExpectSameStates(const Recorded& recorded) {
  const Result<SavedTrace> saved = SavedTrace::Read(recorded.Bytes());
  ASSERT_TRUE(saved.ok()) << saved.status().ToString();
  ASSERT_EQ(saved->first_step(), recorded.trace().first_step());
  ASSERT_EQ(saved->end_step(), recorded.trace().end_step());
  TraceCursor cursor(&recorded.trace());
  for (uint64_t step = saved->first_step(); step <= saved->end_step(); ++step) {
    cursor.Seek(step);
    const TraceState state = saved->StateAt(step).value();
    ASSERT_EQ(state.frames.size(), cursor.depth()) << step;
    for (size_t i = 0; i < state.frames.size(); ++i) {
      EXPECT_EQ(state.frames[i].function, cursor.state().frames[i].function);
      EXPECT_EQ(state.frames[i].pc, cursor.state().frames[i].pc) << step;
      const auto there = cursor.state().registers(i);
      ASSERT_EQ(state.registers(i).size(), there.size());
      for (size_t reg = 0; reg < there.size(); ++reg) {
        const Any value = recorded.trace().Materialize(there[reg], step);
        if (value.is_object()) continue;
        EXPECT_EQ(saved->ValueText(state.registers(i)[reg], step), PrintValue(value)) << step;
      }
    }
  }
}

TEST(TraceReader, EveryStateIsWhatItWas) {
  ExpectSameStates(Record(kQuotients));
  const TensorPtr x = Tensor::FromValues<float>({1.5f, -2}, {2}).value();
  ExpectSameStates(Record(kLong, {AnyView(900), AnyView(x)}));
}

TEST(TraceReader, TellsStepsAndStates) {
  const SavedTrace saved = SavedTrace::Read(Record(kQuotients).Bytes()).value();
  EXPECT_EQ(saved.StateText(5).value(),
            "step 5 of 20\n> @quotients:3\n    %0 n = 12\n    %1 k = 3\n    %2 = 4\n    %3 = 4\n"
            "  @main:1\n    %0 = 12\n");
  EXPECT_EQ(saved.ListText(1, 4),
            "1  @main:1  into @quotients  %0 = 12  %1 = 3\n2  @quotients:0  %2 = 0\n"
            "3  @quotients:1  %3 = 4\n");
  EXPECT_EQ(saved.ListText(7, 3), "");
  EXPECT_EQ(saved.StateText(20).value(), "step 20 of 20\nno frame: the run has returned\n");
  EXPECT_EQ(saved.StateText(21).status().message(),
            "step 21 is not in the trace, which has 0 to 20");
  EXPECT_EQ(saved.SummaryText().substr(0, 15), "steps 0 to 20, ");
}

TEST(TraceReader, WhatWasWrittenInPlaceIsShownAsItWas) {
  const TensorPtr x = Tensor::FromValues<float>({1.5f, -2}, {2}).value();
  const SavedTrace saved =
      SavedTrace::Read(Record(kLong, {AnyView(3), AnyView(x)}).Bytes()).value();
  EXPECT_NE(saved.StateText(1).value().find("%2 = i64[2] [0, 0]"), std::string::npos)
      << saved.StateText(1).value();
  EXPECT_NE(saved.StateText(2).value().find("%2 = i64[2] [3, 0]"), std::string::npos)
      << saved.StateText(2).value();
  EXPECT_NE(saved.StateText(5).value().find("%2 = i64[2] [2, 0]"), std::string::npos)
      << saved.StateText(5).value();
  EXPECT_NE(saved.StateText(1).value().find("%1 x = f32[2] [1.5, -2]"), std::string::npos);
}

// The call is read without the steps: also where these are wrong, which Read says.
TEST(TraceReader, TheCallIsReadWithoutReplayingTheSteps) {
  std::vector<uint8_t> bytes = Record(kLong, {40, 7}).Bytes();
  Result<SavedTrace> whole = SavedTrace::Read(bytes);
  ASSERT_TRUE(whole.ok());
  const auto call = [&] { return SavedTrace::ReadCallOf(bytes); };
  ASSERT_TRUE(call().ok());
  EXPECT_EQ(call()->function, "main");
  EXPECT_EQ(call()->arguments, whole->call().arguments);
  bytes[40] ^= 0xFF;  // the pc of the first step
  EXPECT_FALSE(SavedTrace::Read(bytes).ok());
  EXPECT_EQ(call()->function, "main");
  bytes[16] ^= 1;  // how many steps there are
  EXPECT_EQ(call().status().error_code(), "E0305");
  bytes.resize(20);
  EXPECT_EQ(call().status().error_code(), "E0305");
  bytes.clear();
  EXPECT_EQ(call().status().error_code(), "E0305");
}

TEST(TraceReader, CutFilesAreRefused) {
  const std::vector<uint8_t> good = Record(kQuotients).Bytes();
  for (size_t size = 0; size < good.size(); ++size) {
    const Result<SavedTrace> saved = SavedTrace::Read(ByteSpan(good).first(size));
    ASSERT_FALSE(saved.ok()) << size;
    EXPECT_EQ(saved.status().error_code(), "E0305");
  }
  EXPECT_NE(SavedTrace::Read(AsBytes("TERNTRC2")).status().message().find("TERNTRC1"),
            std::string_view::npos);
}

// Whatever reads can be looked at everywhere; the address sanitizer watches.
TEST(TraceReader, ChangedFilesAreRefusedOrHarmless) {
  const TensorPtr x = Tensor::FromValues<float>({1.5f, -2}, {2}).value();
  const std::vector<uint8_t> samples[] = {Record(kQuotients).Bytes(),
                                          Record(kLong, {AnyView(5), AnyView(x)}).Bytes()};
  std::mt19937 random(3);
  int refused = 0, read = 0;
  for (int i = 0; i < support::Mutations(20'000); ++i) {
    std::vector<uint8_t> bytes = samples[i % 2];
    for (int n = static_cast<int>(random() % 3); n >= 0; --n) {
      const size_t at = random() % bytes.size();
      const uint32_t what = random() % 4;
      if (what == 0) bytes[at] = static_cast<uint8_t>(random());
      if (what == 1) bytes[at] ^= static_cast<uint8_t>(1u << random() % 8);
      if (what == 2) bytes[at] = 0xff;
      if (what == 3) bytes[at] = static_cast<uint8_t>(bytes[at] + (random() % 2 == 0 ? 1 : -1));
    }
    const Result<SavedTrace> saved = SavedTrace::Read(bytes);
    if (!saved.ok()) {
      ASSERT_FALSE(saved.status().message().empty());
      ++refused;
      continue;
    }
    ++read;
    ASSERT_FALSE(saved->SummaryText().empty());
    ASSERT_TRUE(saved->StateText(saved->first_step()).ok());
    ASSERT_TRUE(saved->StateText(saved->end_step()).ok());
  }
  EXPECT_GT(refused, support::Mutations(5000));
  EXPECT_GT(read, support::Mutations(500)) << "numbers inside of values can be changed";
}

// The seeds of vm_trace_fuzzer. With TERN_UPDATE_SEEDS=1 this writes them.
TEST(TraceReader, SeedsAreWhatIsWrittenToday) {
  const TensorPtr x = Tensor::FromValues<float>({1.5f, -2}, {2}).value();
  const std::pair<const char*, std::vector<uint8_t>> seeds[] = {
      {"quotients.terntrace", Record(kQuotients).Bytes()},
      {"heap.terntrace", Record(kLong, {AnyView(5), AnyView(x)}).Bytes()}};
  for (const auto& [name, bytes] : seeds) {
    const std::string path = StrCat(TERN_SOURCE_DIR "/tests/fuzz/seeds/vm_trace_fuzzer/", name);
    const char* update = std::getenv("TERN_UPDATE_SEEDS");
    if (update != nullptr && *update == '1') std::ofstream(path, std::ios::binary) << AsText(bytes);
    std::ifstream file(path, std::ios::binary);
    std::ostringstream there;
    there << file.rdbuf();
    EXPECT_TRUE(there.str() == AsText(bytes)) << path << ": TERN_UPDATE_SEEDS=1 writes it anew";
  }
}

}  // namespace
}  // namespace tern::vm::trace_reader_test
