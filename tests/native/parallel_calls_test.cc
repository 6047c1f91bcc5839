// SPDX-License-Identifier: Apache-2.0
// A21: independent calls on the real worker pool give what they give in turn, errors included.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/api/c_api.h"
#include "core/base/strings.h"
#include "native/platform/platform.h"

namespace {

std::string Take(tern_status* status) {
  const std::string text = status == nullptr ? "" : tern_status_text(status);
  tern_status_free(status);
  return text;
}

class ParallelCalls : public testing::Test {
 protected:
  void SetUp() override {
    tern_runtime_options options{};
    options.struct_size = sizeof(options);
    options.platform = platform_.get();
    ASSERT_EQ(Take(tern_runtime_create(&options, &runtime_)), "");
    const int64_t shape[] = {3, 3};
    ASSERT_EQ(Take(tern_tensor_new(runtime_, "f32", 2, shape, &tensor_)), "");
    void* data = nullptr;
    ASSERT_EQ(Take(tern_tensor_view(&tensor_, &data, nullptr, nullptr, nullptr, nullptr)), "");
    for (int i = 0; i < 9; ++i) static_cast<float*>(data)[i] = static_cast<float>(i) / 4 - 1;
  }
  void TearDown() override {
    tern_any_release(&tensor_);
    tern_runtime_free(runtime_);
  }

  // What @main gives for the tensor, as text, or its error.
  std::string Run(const std::string& text, bool together, uint64_t* overlapped) {
    tern_buffer* bytes = nullptr;
    tern_program* program = nullptr;
    tern_vm* vm = nullptr;
    std::string error = Take(tern_assemble(runtime_, text.data(), text.size(), nullptr, &bytes));
    if (!error.empty()) return error;
    error = Take(tern_program_load(runtime_, tern_buffer_data(bytes), tern_buffer_size(bytes),
                                   nullptr, nullptr, &program));
    tern_buffer_free(bytes);
    if (!error.empty()) return error;
    EXPECT_EQ(Take(tern_vm_create(program, nullptr, &vm)), "");
    EXPECT_EQ(Take(tern_vm_set_parallel_calls(vm, together ? 1 : 0)), "");
    TernAny result{};
    error = Take(tern_vm_call(vm, "main", &tensor_, 1, &result));
    if (error.empty()) {
      tern_buffer* shown = nullptr;
      tern_any_json(&result, &shown);
      error.assign(static_cast<const char*>(tern_buffer_data(shown)), tern_buffer_size(shown));
      tern_buffer_free(shown);
      tern_any_release(&result);
    }
    *overlapped = tern_vm_overlapped_calls(vm);
    tern_vm_free(vm);
    tern_program_free(program);
    return error;
  }

  tern::native::Platform platform_{4};
  tern_runtime* runtime_ = nullptr;
  TernAny tensor_{};
};

TEST_F(ParallelCalls, A21_TwoIndependentProductsRunTogether) {
  const std::string text =
      ".func @main(x)\n  call matmul in: %0, %0 dst: %1\n  call add in: %0, %0 dst: %2\n"
      "  call matmul in: %2, %0 dst: %3\n  call add in: %1, %3 dst: %4\n  ret ret %4\n";
  uint64_t together = 0, in_turn = 0;
  const std::string expected = Run(text, false, &in_turn);
  EXPECT_EQ(expected.find("error"), std::string::npos) << expected;
  EXPECT_EQ(Run(text, true, &together), expected);
  EXPECT_EQ(in_turn, 0u);
  EXPECT_EQ(together, 1u);
}

TEST_F(ParallelCalls, A21_RandomProgramsGiveTheSame) {
  std::mt19937 random(5);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  constexpr const char* kOps[] = {"add", "mul", "matmul", "sub", "div"};
  uint64_t overlapped = 0, none = 0;
  int failed = 0;
  for (int program = 0; program < 150; ++program) {
    std::string text = ".func @main(x)\n";
    int made = 1;
    for (int i = pick(4, 20); i > 0; --i) {
      const int dst = pick(0, 3) == 0 ? pick(0, made - 1) : made;
      // Now and then what the operator refuses: a shape instead of a tensor.
      if (pick(0, 40) == 0) {
        tern::StrAppend(&text, "  call add in: %", pick(0, made - 1), ", shape [1] dst: %", dst,
                        "\n");
      } else {
        tern::StrAppend(&text, "  call ", kOps[pick(0, 4)], " in: %", pick(0, made - 1), ", %",
                        pick(0, made - 1), " dst: %", dst, "\n");
      }
      made = std::max(made, dst + 1);
    }
    tern::StrAppend(&text, "  alloc_adt tag: 0 in: %0");
    for (int i = 1; i < made; ++i) tern::StrAppend(&text, ", %", i);
    tern::StrAppend(&text, " dst: %", made, "\n  ret ret %", made, "\n");
    uint64_t here = 0;
    const std::string expected = Run(text, false, &none);
    ASSERT_EQ(Run(text, true, &here), expected) << text;
    overlapped += here;
    failed += expected.find("error") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(overlapped, 200u);
  EXPECT_GT(failed, 5);
}

}  // namespace
