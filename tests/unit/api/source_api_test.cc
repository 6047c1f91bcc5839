// SPDX-License-Identifier: Apache-2.0
// Programs as text through the C interface: compiled, checked, laid out, asked about; and texts
// that are wrong, cut off, no UTF-8, or not there.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "core/api/c_api.h"

namespace source_api_test {
namespace {

constexpr std::string_view kProgram =
    "fn double(x: int) -> int { x + x }\nfn main() { double(21) }\n";
constexpr std::string_view kWrong = "fn main() -> int { \"text\" }\nfn other() { nothing }\n";

std::string Take(tern_buffer* buffer) {
  std::string text(static_cast<const char*>(tern_buffer_data(buffer)), tern_buffer_size(buffer));
  tern_buffer_free(buffer);
  return text;
}

class SourceApi : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(tern_runtime_create(nullptr, &runtime_), nullptr); }
  void TearDown() override { tern_runtime_free(runtime_); }

  // What the call gave, or "CODE: message".
  std::string Result(tern_status* status, tern_buffer** out) {
    if (status == nullptr) return Take(*out);
    std::string text = std::string(tern_status_code(status)) + ": " + tern_status_message(status);
    tern_status_free(status);
    return text;
  }
  std::string Check(std::string_view text, const char* format = "json",
                    const char* name = nullptr) {
    tern_buffer* out = nullptr;
    return Result(tern_check_source(runtime_, text.data(), text.size(), name, format, &out), &out);
  }
  std::string Format(std::string_view text, const char* name = nullptr) {
    tern_buffer* out = nullptr;
    return Result(tern_format_source(runtime_, text.data(), text.size(), name, &out), &out);
  }
  std::string Query(std::string_view text, const char* question, size_t offset = 0) {
    tern_buffer* out = nullptr;
    return Result(tern_query_source(runtime_, text.data(), text.size(), question, offset, &out),
                  &out);
  }
  std::string Compile(std::string_view text, const tern_compile_options* options = nullptr,
                      tern_buffer** stages = nullptr) {
    tern_buffer* out = nullptr;
    return Result(tern_compile_source(runtime_, text.data(), text.size(), options, &out, stages),
                  &out);
  }

  tern_runtime* runtime_ = nullptr;
};

TEST_F(SourceApi, LimitsWhatCompilingTakes) {
  tern_compile_options options = {};
  options.struct_size = sizeof options;
  options.max_bytes = 4096;
  EXPECT_EQ(Compile(kProgram, &options).substr(0, 16), "E0302: no memory");
  options.max_bytes = uint64_t{1} << 30;
  EXPECT_EQ(Compile(kProgram, &options), Compile(kProgram));
  // A caller that was built ahead of the field has no limit of its own.
  options.struct_size = offsetof(tern_compile_options, max_bytes);
  options.max_bytes = 1;
  EXPECT_EQ(Compile(kProgram, &options), Compile(kProgram));
}

TEST_F(SourceApi, CompilesWhatRuns) {
  const std::string bytes = Compile(kProgram);
  tern_program* program = nullptr;
  ASSERT_EQ(tern_program_load(runtime_, bytes.data(), bytes.size(), nullptr, nullptr, &program),
            nullptr);
  tern_vm* vm = nullptr;
  ASSERT_EQ(tern_vm_create(program, nullptr, &vm), nullptr);
  TernAny result{};
  ASSERT_EQ(tern_vm_call(vm, "main", nullptr, 0, &result), nullptr);
  EXPECT_EQ(result.type_code, TERN_TYPE_INT);
  EXPECT_EQ(result.v.i, 42);
  tern_vm_free(vm);
  tern_program_free(program);
}

TEST_F(SourceApi, ShowsStagesAsAsked) {
  tern_compile_options options{};
  options.struct_size = sizeof(options);
  options.print_after = "lower";
  tern_buffer* stages = nullptr;
  EXPECT_EQ(Compile(kProgram, &options, &stages).substr(1, 4), "TERN");
  const std::string json = Take(stages);
  EXPECT_NE(json.find("\"name\":\"lower\""), std::string::npos) << json;
  options.print_after = "nothing_like_it";
  EXPECT_NE(Compile(kProgram, &options).find("nothing_like_it"), std::string::npos);
}

TEST_F(SourceApi, ReportsAllThatIsWrong) {
  const std::string json = Check(kWrong);
  EXPECT_EQ(json.front(), '[');
  EXPECT_NE(json.find("\"file\":\"program.tn\",\"line\":1"), std::string::npos) << json;
  EXPECT_NE(json.find("\"line\":2"), std::string::npos) << json;
  EXPECT_NE(Check(kWrong, "text", "my.tn").find("my.tn:1"), std::string::npos);
  EXPECT_NE(Compile(kWrong).find("E1"), std::string::npos) << Compile(kWrong);
  EXPECT_EQ(Check(kProgram), "[]");
  EXPECT_EQ(Check(kProgram, "text"), "");
  EXPECT_NE(Check(kProgram, "xml").find("expected text or json"), std::string::npos);
}

TEST_F(SourceApi, LaysOut) {
  const std::string once = Format("fn   main( ){1+2}");
  EXPECT_EQ(once.substr(0, 10), "fn main() ");
  EXPECT_EQ(Format(once), once);
  EXPECT_NE(Format("fn main( {", "my.tn").find("E1002: "), std::string::npos);
}

TEST_F(SourceApi, AnswersEditors) {
  EXPECT_EQ(Query(kProgram, "tokens").substr(0, 39),
            "[{\"begin\":0,\"end\":2,\"kind\":\"keyword\"},{");
  EXPECT_NE(Query(kProgram, "hover", 3).find("double"), std::string::npos);
  EXPECT_NE(Query(kProgram, "definition", kProgram.rfind("double")).find("\"begin\":3,\"end\":9"),
            std::string::npos);
  EXPECT_NE(Query(kProgram, "complete", kProgram.rfind("uble")).find("\"double\""),
            std::string::npos);
  EXPECT_NE(Query(kProgram, "symbols").find("\"main\""), std::string::npos);
  EXPECT_NE(Query(kWrong, "symbols").find("\"other\""), std::string::npos);
  EXPECT_NE(Query(kProgram, "meaning").find("expected tokens, hover"), std::string::npos);
}

TEST_F(SourceApi, TakesPositionsOutsideOfTheText) {
  EXPECT_EQ(Query(kProgram, "hover", kProgram.size() + 1), "null");
  // Above 32 bits it is the end too, not what is left of the number.
  EXPECT_EQ(Query(kProgram, "hover", SIZE_MAX), "null");
  EXPECT_EQ(Query("", "definition", 5), "null");
  EXPECT_EQ(Query("", "complete", SIZE_MAX).front(), '[');
}

TEST_F(SourceApi, TellsTextsThatAreNotThere) {
  constexpr std::string_view kNone;
  EXPECT_EQ(Check(kNone), "[]");
  EXPECT_EQ(Format(kNone), Format("\n"));
  EXPECT_EQ(Query(kNone, "tokens"), "[]");
  EXPECT_NE(Query(kNone, nullptr).find("expected tokens"), std::string::npos);
  const std::string_view missing(static_cast<const char*>(nullptr), 0);
  tern_buffer* out = nullptr;
  const auto refused = [&](tern_status* status) {
    ASSERT_NE(status, nullptr);
    EXPECT_EQ(std::string(tern_status_message(status)), "the program's text is NULL, of 3 bytes");
    tern_status_free(status);
    EXPECT_EQ(out, nullptr);
  };
  refused(tern_compile_source(runtime_, missing.data(), 3, nullptr, &out, nullptr));
  refused(tern_check_source(runtime_, missing.data(), 3, nullptr, nullptr, &out));
  refused(tern_format_source(runtime_, missing.data(), 3, nullptr, &out));
  refused(tern_query_source(runtime_, missing.data(), 3, "tokens", 0, &out));
}

TEST_F(SourceApi, RefusesBytesThatAreNoUtf8) {
  for (const std::string_view bad : {"fn main() { \"\xff\xfe\" }", "// \xed\xa0\x80\nfn f() { 1 }",
                                     "fn f() { \"\xc3", "fn main() { \"\xf8\x88\x80\x80\x80\" }"}) {
    EXPECT_NE(Check(bad).find(" is no UTF-8"), std::string::npos) << Check(bad);
    EXPECT_EQ(Compile(bad).substr(0, 7), "E1001: ");
    EXPECT_EQ(Format(bad).substr(0, 7), "E1001: ");
  }
  for (const std::string_view bad : {"\xc3", "fn m\xc3\x28in() { 1 }", "fn main() { \xf0\x9f }"}) {
    EXPECT_NE(Check(bad).find("unexpected character 0x"), std::string::npos) << Check(bad);
    for (const char* question : {"tokens", "hover", "definition", "complete", "symbols"})
      EXPECT_NE(Query(bad, question, 4), "") << question;
  }
}

// Every beginning of a program is answered, and none crashes.
TEST_F(SourceApi, AnswersForEveryBeginningOfAProgram) {
  for (size_t end = 0; end <= kProgram.size(); ++end) {
    const std::string_view text = kProgram.substr(0, end);
    EXPECT_EQ(Check(text).front(), '[');
    for (const char* question : {"tokens", "complete", "symbols"})
      EXPECT_EQ(Query(text, question, end).front(), '[') << question << " at " << end;
    EXPECT_NE(Query(text, "hover", end), "");
  }
}

}  // namespace
}  // namespace source_api_test
