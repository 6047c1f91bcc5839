// SPDX-License-Identifier: Apache-2.0
// Records of runs through the C interface: what they say their run began with, and what is refused.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/api/c_api.h"
#include "tests/unit/api/take.h"

namespace trace_api_test {
namespace {

constexpr std::string_view kProgram = R"(
.func @main(a, b: int)
  add   %1, %1 dst: %2
  ret   ret %2
)";

TernAny Int(int64_t value) {
  TernAny any{};
  any.type_code = TERN_TYPE_INT;
  any.v.i = value;
  return any;
}

using api_test::Take;

class TraceApi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Take(tern_runtime_create(nullptr, &runtime_)), "");
    tern_buffer* bytes = nullptr;
    ASSERT_EQ(Take(tern_assemble(runtime_, kProgram.data(), kProgram.size(), nullptr, &bytes)), "");
    ASSERT_EQ(Take(tern_program_load(runtime_, tern_buffer_data(bytes), tern_buffer_size(bytes),
                                     nullptr, nullptr, &program_)),
              "");
    tern_buffer_free(bytes);
  }
  void TearDown() override {
    tern_program_free(program_);
    tern_runtime_free(runtime_);
  }

  std::string Record(const TernAny (&args)[2]) {
    tern_debugger* debugger = nullptr;
    tern_buffer *stop = nullptr, *trace = nullptr;
    EXPECT_EQ(Take(tern_debugger_create(program_, nullptr, &debugger)), "");
    EXPECT_EQ(Take(tern_debugger_begin(debugger, "main", args, 2)), "");
    EXPECT_EQ(Take(tern_debugger_run(debugger, TERN_DEBUG_CONTINUE, 0, 0, &stop)), "");
    EXPECT_EQ(Take(tern_debugger_trace(debugger, "binary", &trace)), "");
    tern_buffer_free(stop);
    tern_debugger_free(debugger);
    return Take(trace);
  }

  tern_runtime* runtime_ = nullptr;
  tern_program* program_ = nullptr;
};

TEST_F(TraceApi, SaysWhatTheRunBeganWith) {
  const std::string record = Record({Int(3), Int(4)});
  TernAny arguments{};
  tern_buffer* text = nullptr;
  ASSERT_EQ(Take(tern_trace_arguments(record.data(), record.size(), &arguments)), "");
  ASSERT_EQ(Take(tern_any_text(&arguments, &text)), "");
  EXPECT_EQ(Take(text), "(3, 4)");
  tern_any_release(&arguments);
  tern_buffer* json = nullptr;
  ASSERT_EQ(Take(tern_trace_json(record.data(), record.size(), "summary", 0, 0, &json)), "");
  const std::string summary = Take(json);
  EXPECT_NE(summary.find(R"("code":[{"name":"main","first":0,"count":2}],"function":"main")"),
            std::string::npos)
      << summary;
}

TEST_F(TraceApi, RefusesArgumentsThatWereNotKept) {
  // Functions cannot be written down, so the record goes without what the run began with.
  TernAny function{};
  const auto nothing = [](void*, const TernAny*, int32_t, TernAny*) -> int32_t { return 0; };
  ASSERT_EQ(Take(tern_function_new("nothing", nullptr, nothing, nullptr, nullptr, &function)), "");
  const std::string record = Record({function, Int(4)});
  tern_any_release(&function);
  TernAny arguments{};
  EXPECT_EQ(Take(tern_trace_arguments(record.data(), record.size(), &arguments)),
            "E0305: the record does not say what its run began with");
  EXPECT_EQ(arguments.type_code, 0);
}

TEST_F(TraceApi, RefusesEveryPartOfARecord) {
  const std::string record = Record({Int(3), Int(4)});
  for (size_t size = 0; size < record.size(); ++size) {
    TernAny arguments{};
    const std::string refused = Take(tern_trace_arguments(record.data(), size, &arguments));
    EXPECT_EQ(refused.substr(0, 5), "E0305") << size << ": " << refused;
  }
}

}  // namespace
}  // namespace trace_api_test
