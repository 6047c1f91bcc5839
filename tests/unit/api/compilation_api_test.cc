// SPDX-License-Identifier: Apache-2.0
// Models compiled in steps: the same executable as at once, errors at the step that finds them,
// and calls in a wrong order.
#include "core/api/compilation_api.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/support/read_file.h"
#include "tests/unit/api/take.h"

namespace compilation_api_test {
namespace {

using api_test::Has;
using api_test::Take;

class CompilationApi : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(tern_runtime_create(nullptr, &runtime_), nullptr); }
  void TearDown() override {
    tern_compilation_free(compilation_);
    tern_runtime_free(runtime_);
  }

  std::string Create(const tern_compile_options* options = nullptr) {
    return Take(
        tern_compilation_create(runtime_, model_.data(), model_.size(), options, &compilation_));
  }
  // All steps, or those up to an error.
  std::string StepToTheEnd(int* steps) {
    for (int32_t left = 1; left > 0; ++*steps) {
      const int32_t before = left;
      std::string error = Take(tern_compilation_step(compilation_, &left));
      if (!error.empty()) return error;
      EXPECT_TRUE(*steps == 0 || left == before - 1);
    }
    return "";
  }
  std::string Finish(tern_buffer** executable, tern_buffer** stages = nullptr) {
    return Take(tern_compilation_finish(compilation_, executable, stages));
  }

  std::string model_ = tern::ReadFile(TERN_SOURCE_DIR "/tests/models/digits/model.onnx");
  tern_runtime* runtime_ = nullptr;
  tern_compilation* compilation_ = nullptr;
};

TEST_F(CompilationApi, GivesWhatCompilingAtOnceGives) {
  tern_buffer* at_once = nullptr;
  tern_buffer* stages = nullptr;
  tern_compile_options options{};
  options.struct_size = sizeof(options);
  options.print_after = "import,code";
  ASSERT_EQ(Take(tern_compile_onnx(runtime_, model_.data(), model_.size(), &options, &at_once,
                                   &stages)),
            "");
  const std::string expected = Take(stages);
  ASSERT_EQ(Create(&options), "");
  int steps = 0;
  ASSERT_EQ(StepToTheEnd(&steps), "");
  EXPECT_GT(steps, 10);
  tern_buffer* executable = nullptr;
  ASSERT_EQ(Finish(&executable, &stages), "");
  EXPECT_EQ(Take(stages), expected);
  EXPECT_EQ(Take(executable), Take(at_once));
}

TEST_F(CompilationApi, NeedsTheTextsOfItsOptionsNoLongerThanItsCreation) {
  model_ = "no model";
  std::string name = "drawn.onnx";
  tern_compile_options options{};
  options.struct_size = sizeof(options);
  options.source_name = name.c_str();
  ASSERT_EQ(Create(&options), "");
  name.assign(name.size(), 'x');
  options = {};
  int32_t left = 0;
  tern_status* error = tern_compilation_step(compilation_, &left);
  ASSERT_NE(error, nullptr);
  EXPECT_TRUE(Has(tern_status_text(error), "drawn.onnx")) << tern_status_text(error);
  tern_status_free(error);
}

TEST_F(CompilationApi, CanBeGivenUpAtAnyStep) {
  for (int steps = 0; steps < 20; ++steps) {
    ASSERT_EQ(Create(), "");
    int32_t left = 0;
    for (int i = 0; i < steps; ++i) ASSERT_EQ(Take(tern_compilation_step(compilation_, &left)), "");
    tern_compilation_free(compilation_);
    compilation_ = nullptr;
  }
}

TEST_F(CompilationApi, RefusesAResultBeforeItsLastStepAndTwice) {
  ASSERT_EQ(Create(), "");
  tern_buffer* executable = nullptr;
  const std::string early = Finish(&executable);
  EXPECT_TRUE(Has(early, "E0705")) << early;
  EXPECT_TRUE(Has(early, "steps are left")) << early;
  EXPECT_EQ(executable, nullptr);
  int steps = 0;
  ASSERT_EQ(StepToTheEnd(&steps), "");
  int32_t left = 1;
  EXPECT_EQ(Take(tern_compilation_step(compilation_, &left)), "");
  EXPECT_EQ(left, 0);
  ASSERT_EQ(Finish(&executable), "");
  EXPECT_FALSE(Take(executable).empty());
  EXPECT_TRUE(Has(Finish(&executable), "E0705"));
  EXPECT_TRUE(Has(Take(tern_compilation_step(compilation_, &left)), "E0705"));
}

TEST_F(CompilationApi, TakesNoStepBehindAnError) {
  model_ = "no model";
  ASSERT_EQ(Create(), "");
  int32_t left = 0;
  const std::string error = Take(tern_compilation_step(compilation_, &left));
  EXPECT_FALSE(error.empty());
  EXPECT_FALSE(Has(error, "E0705")) << error;
  EXPECT_TRUE(Has(Take(tern_compilation_step(compilation_, &left)), "E0705"));
  tern_buffer* executable = nullptr;
  EXPECT_TRUE(Has(Finish(&executable), "E0705"));
}

TEST_F(CompilationApi, EndsAtItsMemoryLimitInTheStepThatPassesIt) {
  tern_compile_options options{};
  options.struct_size = sizeof(options);
  options.max_bytes = 20'000;
  ASSERT_EQ(Create(&options), "");
  int steps = 0;
  EXPECT_TRUE(Has(StepToTheEnd(&steps), "E0302"));
}

// TERN_CHECK_OPTIONS says why WebAssembly does not look.
#ifndef __wasm__
TEST_F(CompilationApi, RefusesOptionsOfAWrongSize) {
  tern_compile_options options{};
  EXPECT_TRUE(Has(Create(&options), "E0703"));
  EXPECT_EQ(compilation_, nullptr);
}
#endif

}  // namespace
}  // namespace compilation_api_test
