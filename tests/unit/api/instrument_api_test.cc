// SPDX-License-Identifier: Apache-2.0
// B32, instruments in C: what they are told, what they may skip, and where they are refused.
#include "core/api/instrument_api.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

#include "tests/unit/api/take.h"

namespace instrument_api_test {
namespace {

using api_test::Has;
using api_test::Take;

// (x + x) times x; and a sum with whatever is given.
constexpr std::string_view kProgram = R"(
.func @main(x: f32[n]) -> f32[n]
  call add in: %0, %0 dst: %1
  call mul in: %1, %0 dst: %2
  ret  ret %2
.func @bad(x: f32[n], y)
  call add in: %0, %1 dst: %2
  ret  ret %2
)";

// What one instrument heard, and what it does.
struct Record {
  std::string heard;
  std::string skips;                 // the call of this name
  const TernAny* instead = nullptr;  // what a skipped call gives; shared
  bool gives_anyway = false;         // a value beside TERN_CALL_RUN
  tern_vm* sets = nullptr;           // a machine on which it tries to set another one
  tern_vm* cancels = nullptr;
};

int32_t Hear(void* context, const tern_call_event* event, TernAny* result) {
  auto* record = static_cast<Record*>(context);
  EXPECT_EQ(event->struct_size, sizeof(tern_call_event));
  if (event->is_after != 0) {
    EXPECT_EQ(result, nullptr);
    EXPECT_NE(event->result == nullptr, event->error == nullptr);
    record->heard += event->error != nullptr ? "failed " : "after ";
    return TERN_CALL_SKIP;  // which does not count here
  }
  EXPECT_EQ(event->result, nullptr);
  EXPECT_EQ(event->error, nullptr);
  record->heard += std::string(event->name) + "/" + std::to_string(event->num_args) + " ";
  if (record->sets != nullptr)
    record->heard += Take(tern_vm_set_instrument(record->sets, nullptr, nullptr)) + " ";
  if (record->cancels != nullptr) tern_vm_cancel(record->cancels);
  const bool skips = record->skips == event->name;
  if (record->instead != nullptr && (skips || record->gives_anyway)) {
    *result = *record->instead;
    tern_any_retain(result);
  }
  return skips ? TERN_CALL_SKIP : TERN_CALL_RUN;
}

class InstrumentApi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Take(tern_runtime_create(nullptr, &runtime_)), "");
    ASSERT_EQ(
        Take(tern_assemble(runtime_, kProgram.data(), kProgram.size(), nullptr, &executable_)), "");
    ASSERT_EQ(Take(tern_program_load(runtime_, tern_buffer_data(executable_),
                                     tern_buffer_size(executable_), nullptr, nullptr, &program_)),
              "");
    ASSERT_EQ(Take(tern_vm_create(program_, nullptr, &vm_)), "");
  }
  void TearDown() override {
    tern_vm_free(vm_);
    tern_program_free(program_);
    tern_buffer_free(executable_);
    tern_runtime_free(runtime_);
  }

  TernAny Tensor(float first, float second) {
    const int64_t shape[] = {2};
    TernAny tensor{};
    EXPECT_EQ(Take(tern_tensor_new(runtime_, "f32", 1, shape, &tensor)), "");
    void* data = nullptr;
    EXPECT_EQ(Take(tern_tensor_view(&tensor, &data, nullptr, nullptr, nullptr, nullptr)), "");
    const float values[] = {first, second};
    std::memcpy(data, values, sizeof(values));
    return tensor;
  }

  // "[8.0, 18.0]", or what went wrong.
  std::string Run(const char* function, TernAny first, TernAny second = {}, int32_t count = 1) {
    TernAny args[] = {first, second};
    TernAny result{};
    std::string text = Take(tern_vm_call(vm_, function, args, count, &result));
    tern_buffer* shown = nullptr;
    if (text.empty() && Take(tern_any_text(&result, &shown)).empty()) text = Take(shown);
    tern_any_release(&result);
    for (TernAny& each : args) tern_any_release(&each);
    return text;
  }

  tern_runtime* runtime_ = nullptr;
  tern_buffer* executable_ = nullptr;
  tern_program* program_ = nullptr;
  tern_vm* vm_ = nullptr;
};

TEST_F(InstrumentApi, HearsEachCallUntilItIsTakenOff) {
  const std::string plain = Run("main", Tensor(2, 3));
  ASSERT_TRUE(Has(plain, "8") && Has(plain, "18")) << plain;
  Record record;
  ASSERT_EQ(Take(tern_vm_set_instrument(vm_, Hear, &record)), "");
  EXPECT_EQ(Run("main", Tensor(2, 3)), plain);
  EXPECT_EQ(record.heard, "add/2 after mul/2 after ");
  ASSERT_EQ(Take(tern_vm_set_instrument(vm_, nullptr, nullptr)), "");
  EXPECT_EQ(Run("main", Tensor(2, 3)), plain);
  EXPECT_EQ(record.heard, "add/2 after mul/2 after ");
}

TEST_F(InstrumentApi, SkipsACallAndGivesAValueInstead) {
  TernAny instead = Tensor(10, 20);
  Record record;
  record.skips = "add";
  record.instead = &instead;
  ASSERT_EQ(Take(tern_vm_set_instrument(vm_, Hear, &record)), "");
  const std::string skipped = Run("main", Tensor(2, 3));
  EXPECT_TRUE(Has(skipped, "20") && Has(skipped, "60")) << skipped;
  EXPECT_EQ(record.heard, "add/2 mul/2 after ");
  tern_any_release(&instead);
}

TEST_F(InstrumentApi, IgnoresAValueBesideACallThatRuns) {
  const std::string plain = Run("main", Tensor(2, 3));
  TernAny instead = Tensor(10, 20);
  const int64_t live = tern_live_objects();
  Record record;
  record.instead = &instead;
  record.gives_anyway = true;
  ASSERT_EQ(Take(tern_vm_set_instrument(vm_, Hear, &record)), "");
  EXPECT_EQ(Run("main", Tensor(2, 3)), plain);
  EXPECT_EQ(tern_live_objects(), live);
  tern_any_release(&instead);
}

TEST_F(InstrumentApi, ASkippedCallWithoutAValueGivesNone) {
  Record record;
  record.skips = "add";
  ASSERT_EQ(Take(tern_vm_set_instrument(vm_, Hear, &record)), "");
  // What comes next refuses it, as it would refuse any other value that does not fit.
  EXPECT_TRUE(Has(Run("main", Tensor(2, 3)), "E0")) << record.heard;
  EXPECT_EQ(record.heard, "add/2 mul/2 failed ");
}

TEST_F(InstrumentApi, IsToldOfCallsThatFail) {
  Record record;
  ASSERT_EQ(Take(tern_vm_set_instrument(vm_, Hear, &record)), "");
  EXPECT_TRUE(Has(Run("bad", Tensor(1, 2), TernAny{}, 2), "E0")) << record.heard;
  EXPECT_EQ(record.heard, "add/2 failed ");
  EXPECT_EQ(Run("main", Tensor(2, 3)).find("E0"), std::string::npos);
}

TEST_F(InstrumentApi, IsNotSetWhileTheMachineRuns) {
  Record record;
  record.sets = vm_;
  ASSERT_EQ(Take(tern_vm_set_instrument(vm_, Hear, &record)), "");
  Run("main", Tensor(2, 3));
  EXPECT_TRUE(Has(record.heard, "the machine runs: end its run first")) << record.heard;
  EXPECT_TRUE(Has(record.heard, "mul/2")) << record.heard;
  TernAny x = Tensor(2, 3);
  ASSERT_EQ(Take(tern_vm_begin(vm_, "main", &x, 1)), "");
  EXPECT_TRUE(Has(Take(tern_vm_set_instrument(vm_, nullptr, nullptr)), "end its run first"));
  tern_any_release(&x);
}

TEST_F(InstrumentApi, MayCancelTheRun) {
  Record record;
  record.cancels = vm_;
  ASSERT_EQ(Take(tern_vm_set_instrument(vm_, Hear, &record)), "");
  EXPECT_TRUE(Has(Run("main", Tensor(2, 3)), "cancelled"));
  EXPECT_FALSE(Has(record.heard, "mul")) << record.heard;
}

TEST_F(InstrumentApi, TakesThePlaceOfParallelCallsAndTheOtherWayRound) {
  Record record;
  ASSERT_EQ(Take(tern_vm_set_parallel_calls(vm_, 1)), "");
  ASSERT_EQ(Take(tern_vm_set_instrument(vm_, Hear, &record)), "");
  EXPECT_EQ(tern_vm_overlapped_calls(vm_), 0u);
  const std::string told = Run("main", Tensor(2, 3));
  EXPECT_EQ(record.heard, "add/2 after mul/2 after ");
  ASSERT_EQ(Take(tern_vm_set_parallel_calls(vm_, 1)), "");
  EXPECT_EQ(Run("main", Tensor(2, 3)), told);
  EXPECT_EQ(record.heard, "add/2 after mul/2 after ");
}

TEST_F(InstrumentApi, ComesBackAfterAProfile) {
  Record record;
  ASSERT_EQ(Take(tern_vm_set_instrument(vm_, Hear, &record)), "");
  TernAny x = Tensor(2, 3);
  tern_profile* profile = nullptr;
  Take(tern_vm_profile(vm_, "main", &x, 1, 1, &profile));
  tern_profile_free(profile);
  tern_any_release(&x);
  EXPECT_EQ(record.heard, "");
  Run("main", Tensor(2, 3));
  EXPECT_EQ(record.heard, "add/2 after mul/2 after ");
}

}  // namespace
}  // namespace instrument_api_test
