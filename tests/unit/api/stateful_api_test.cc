// SPDX-License-Identifier: Apache-2.0
// C32, C33, B29 through the C interface: inputs set once, outputs fetched, saved and replaced
// functions, timing, the time limit; and what is refused.
#include <gtest/gtest.h>

#include <string>

#include "core/api/c_api.h"

namespace stateful_api_test {
namespace {

constexpr char kProgram[] = R"(
.func @main(a: int, b: int)
  add   %0, %1 dst: %2
  invoke @twice in: %2 dst: %3
  alloc_adt tag: 0 in: %2, %3 dst: %3
  ret   ret %3
.func @twice(x: int)
  add   %0, %0 dst: %1
  ret   ret %1
.func @forever()
again:
  load_const int 0 dst: %0
  goto  again
)";

int64_t clock_now = 0;
int64_t Clock(void*) { return clock_now += 1000; }

class StatefulApi : public testing::Test {
 protected:
  void SetUp() override {
    platform_.struct_size = sizeof(platform_);
    platform_.clock_ns = &Clock;
    tern_runtime_options options{};
    options.struct_size = sizeof(options);
    options.platform = &platform_;
    ASSERT_EQ(tern_runtime_create(&options, &runtime_), nullptr);
    tern_buffer* bytes = nullptr;
    ASSERT_EQ(Take(tern_assemble(runtime_, kProgram, sizeof(kProgram) - 1, nullptr, &bytes)), "");
    ASSERT_EQ(Take(tern_program_load(runtime_, tern_buffer_data(bytes), tern_buffer_size(bytes),
                                     nullptr, nullptr, &program_)),
              "");
    tern_buffer_free(bytes);
    vm_ = Machine({});
  }
  void TearDown() override {
    tern_vm_free(vm_);
    tern_program_free(program_);
    tern_runtime_free(runtime_);
  }

  tern_vm* Machine(tern_vm_options options) {
    options.struct_size = sizeof(options);
    tern_vm* vm = nullptr;
    EXPECT_EQ(Take(tern_vm_create(program_, &options, &vm)), "");
    return vm;
  }
  // Empty for success.
  static std::string Take(tern_status* status) {
    const std::string text = status == nullptr ? "" : tern_status_message(status);
    tern_status_free(status);
    return text;
  }
  static std::string Take(tern_buffer* buffer) {
    std::string text(static_cast<const char*>(tern_buffer_data(buffer)), tern_buffer_size(buffer));
    tern_buffer_free(buffer);
    return text;
  }
  static TernAny Int(int64_t value) {
    TernAny any{};
    any.type_code = TERN_TYPE_INT;
    any.v.i = value;
    return any;
  }
  std::string Output(std::initializer_list<int64_t> path) {
    TernAny value{};
    const std::string error = Take(
        tern_vm_get_output(vm_, "main", path.begin(), static_cast<int32_t>(path.size()), &value));
    if (!error.empty()) return error;
    tern_buffer* text = nullptr;
    tern_any_text(&value, &text);
    tern_any_release(&value);
    return Take(text);
  }

  TernPlatform platform_{};
  tern_runtime* runtime_ = nullptr;
  tern_program* program_ = nullptr;
  tern_vm* vm_ = nullptr;
};

TEST_F(StatefulApi, RunsInPiecesAndGivesTheResultAtTheEnd) {
  TernAny result{};
  const auto code_of_taking = [&]() -> std::string {
    tern_status* status = tern_vm_take_result(vm_, &result);
    std::string code = status == nullptr ? "" : tern_status_code(status);
    tern_status_free(status);
    return code;
  };
  EXPECT_EQ(code_of_taking(), "E0705");
  const TernAny inputs[] = {Int(3), Int(4)};
  ASSERT_EQ(Take(tern_vm_begin(vm_, "main", inputs, 2)), "");
  tern_stop stop = TERN_STOP_CANCELLED;
  ASSERT_EQ(Take(tern_vm_resume(vm_, 1, &stop)), "");
  EXPECT_EQ(stop, TERN_STOP_PAUSED);
  EXPECT_EQ(code_of_taking(), "E0705");
  ASSERT_EQ(Take(tern_vm_resume(vm_, 0, &stop)), "");
  EXPECT_EQ(stop, TERN_STOP_RETURNED);
  ASSERT_EQ(code_of_taking(), "");
  tern_buffer* text = nullptr;
  tern_any_text(&result, &text);
  EXPECT_EQ(Take(text), "(7, 14)");
  tern_any_release(&result);
}

TEST_F(StatefulApi, C32_InputsOnceOutputsAfterwards) {
  const TernAny inputs[] = {Int(3), Int(4)};
  ASSERT_EQ(Take(tern_vm_set_input(vm_, "main", inputs, 2)), "");
  ASSERT_EQ(Take(tern_vm_invoke_stateful(vm_, "main")), "");
  EXPECT_EQ(Output({}), "(7, 14)");
  EXPECT_EQ(Output({1}), "14");
  int64_t arity = 0;
  ASSERT_EQ(Take(tern_vm_output_arity(vm_, "main", nullptr, 0, &arity)), "");
  EXPECT_EQ(arity, 2);
  const int64_t path[] = {0};
  ASSERT_EQ(Take(tern_vm_output_arity(vm_, "main", path, 1, &arity)), "");
  EXPECT_EQ(arity, -1);
}

TEST_F(StatefulApi, C32_WhatComesTooEarlyOrTwiceIsRefused) {
  const TernAny inputs[] = {Int(3), Int(4)};
  EXPECT_EQ(Take(tern_vm_invoke_stateful(vm_, "main")),
            "the inputs of @main are not set: call set_input first");
  EXPECT_EQ(Output({}), "@main has no output yet: call invoke_stateful first");
  ASSERT_EQ(Take(tern_vm_set_input(vm_, "main", inputs, 2)), "");
  TernAny result{};
  const std::string refused =
      "the inputs of @main were set: run it with invoke_stateful, or clear its inputs";
  EXPECT_EQ(Take(tern_vm_call(vm_, "main", inputs, 2, &result)), refused);
  EXPECT_EQ(Take(tern_vm_begin(vm_, "main", inputs, 2)), refused);
  EXPECT_NE(Take(tern_vm_set_input(vm_, "main", inputs, 1)), "");
  EXPECT_NE(Take(tern_vm_set_input(vm_, "none", inputs, 1)), "");
  tern_vm_clear_input(vm_, "main");
  EXPECT_EQ(Take(tern_vm_begin(vm_, "main", inputs, 2)), "");
  ASSERT_EQ(Take(tern_vm_call(vm_, "main", inputs, 2, &result)), "");
  tern_any_release(&result);
  ASSERT_EQ(Take(tern_vm_set_input(vm_, "main", inputs, 2)), "");
  ASSERT_EQ(Take(tern_vm_invoke_stateful(vm_, "main")), "");
  EXPECT_NE(Output({0, 0}), "");
  EXPECT_EQ(Output({2}).find("2") == std::string::npos, false);
}

TEST_F(StatefulApi, C32_SavedFunctions) {
  const TernAny five = Int(5);
  ASSERT_EQ(Take(tern_vm_save_function(vm_, "twice", "ten", &five, 1)), "");
  TernAny result{};
  ASSERT_EQ(Take(tern_vm_call(vm_, "ten", nullptr, 0, &result)), "");
  EXPECT_EQ(result.v.i, 10);
  EXPECT_EQ(Take(tern_vm_call(vm_, "ten", &five, 1, &result)),
            "@ten is a saved function and takes no arguments, got 1");
  EXPECT_EQ(Take(tern_vm_save_function(vm_, "twice", "ten", &five, 1)),
            "there is a function @ten already");
  EXPECT_EQ(Take(tern_vm_save_function(vm_, "twice", "main", &five, 1)),
            "there is a function @main already");
}

TEST_F(StatefulApi, C33_ArityAndParameterNames) {
  int64_t arity = 0;
  ASSERT_EQ(Take(tern_vm_function_arity(vm_, "main", &arity)), "");
  EXPECT_EQ(arity, 2);
  tern_buffer* name = nullptr;
  ASSERT_EQ(Take(tern_vm_parameter_name(vm_, "main", 1, &name)), "");
  EXPECT_EQ(Take(name), "b");
  EXPECT_EQ(Take(tern_vm_parameter_name(vm_, "main", 2, &name)),
            "parameter 2 of @main, which takes 2");
  EXPECT_NE(Take(tern_vm_function_arity(vm_, "nobody", &arity)), "");
}

TEST_F(StatefulApi, C32_TimeEvaluator) {
  const TernAny five = Int(5);
  tern_buffer* json = nullptr;
  ASSERT_EQ(Take(tern_vm_time_evaluator(vm_, "twice", &five, 1, 10, 3, &json)), "");
  const std::string text = Take(json);
  EXPECT_EQ(text.find("{\"repeats\":[100,100,100],\"mean\":"), 0u) << text;
  EXPECT_NE(Take(tern_vm_time_evaluator(vm_, "twice", &five, 1, 0, 3, &json)), "");
  EXPECT_NE(Take(tern_vm_time_evaluator(vm_, "twice", nullptr, 0, 1, 1, &json)), "");
}

int calls = 0;
int32_t TwiceNative(void*, const TernAny* args, int32_t, TernAny* result) {
  ++calls;
  result->type_code = TERN_TYPE_INT;
  result->v.i = args[0].v.i * 2;
  return 0;
}

TEST_F(StatefulApi, B29_ReplacedAndPutBack) {
  TernAny native{}, result{};
  ASSERT_EQ(Take(tern_function_new("twice", nullptr, &TwiceNative, nullptr, nullptr, &native)), "");
  const TernAny inputs[] = {Int(3), Int(4)};
  for (const bool replaced : {false, true, false}) {
    ASSERT_EQ(Take(tern_vm_replace_function(vm_, "twice", replaced ? &native : nullptr)), "");
    calls = 0;
    ASSERT_EQ(Take(tern_vm_call(vm_, "main", inputs, 2, &result)), "");
    TernAny twice{};
    ASSERT_EQ(Take(tern_tuple_get(&result, 1, &twice)), "");
    EXPECT_EQ(twice.v.i, 14);
    tern_any_release(&result);
    EXPECT_EQ(calls, replaced ? 1 : 0);
  }
  EXPECT_NE(Take(tern_vm_replace_function(vm_, "nobody", &native)), "");
  EXPECT_EQ(Take(tern_vm_replace_function(vm_, "twice", &inputs[0])),
            "expected function, got int 3");
  tern_any_release(&native);
}

TEST_F(StatefulApi, TimeLimitEndsARun) {
  tern_vm_options options{};
  options.max_time_ms = 5;
  tern_vm* const limited = Machine(options);
  TernAny result{};
  EXPECT_EQ(Take(tern_vm_call(limited, "forever", nullptr, 0, &result)),
            "time limit reached (5 ms)");
  const TernAny two = Int(2);
  EXPECT_EQ(Take(tern_vm_call(limited, "twice", &two, 1, &result)), "") << "usable again";
  tern_vm_free(limited);
}

TEST_F(StatefulApi, TimeLimitAndTimingWantAClock) {
  tern_runtime* plain = nullptr;
  ASSERT_EQ(tern_runtime_create(nullptr, &plain), nullptr);
  tern_buffer* bytes = nullptr;
  ASSERT_EQ(Take(tern_assemble(plain, kProgram, sizeof(kProgram) - 1, nullptr, &bytes)), "");
  tern_program* program = nullptr;
  ASSERT_EQ(Take(tern_program_load(plain, tern_buffer_data(bytes), tern_buffer_size(bytes), nullptr,
                                   nullptr, &program)),
            "");
  tern_buffer_free(bytes);
  tern_vm_options options{};
  options.struct_size = sizeof(options);
  options.max_time_ms = 5;
  tern_vm* vm = nullptr;
  EXPECT_EQ(Take(tern_vm_create(program, &options, &vm)),
            "a time limit needs a platform with a clock");
  // A caller of an older header does not have the field.
  options.struct_size = 32;
  ASSERT_EQ(Take(tern_vm_create(program, &options, &vm)), "");
  const TernAny two = Int(2);
  tern_buffer* json = nullptr;
  EXPECT_EQ(Take(tern_vm_time_evaluator(vm, "twice", &two, 1, 1, 1, &json)),
            "timing needs a platform with a clock");
  tern_vm_free(vm);
  tern_program_free(program);
  tern_runtime_free(plain);
}

}  // namespace
}  // namespace stateful_api_test
