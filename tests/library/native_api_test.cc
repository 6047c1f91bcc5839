// SPDX-License-Identifier: Apache-2.0
// C35: platforms and files through the C interface.
#include <gtest/gtest.h>
#include <tern/tern.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace native_api_test {
namespace {

constexpr char kModel[] = TERN_SOURCE_DIR "/tests/models/digits/model.onnx";

std::string Take(tern_status* status) {
  std::string text;
  if (status != nullptr) text = tern_status_text(status);
  tern_status_free(status);
  return text;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class NativeApi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Take(tern_runtime_create(nullptr, &runtime_)), "");
    path_ = testing::TempDir() + "native_api_" + std::to_string(getpid());
  }
  void TearDown() override {
    tern_runtime_free(runtime_);
    for (const char* ending : {".tern", ".tn", ".tasm", ".tloop", ".onnx"})
      std::remove((path_ + ending).c_str());
  }

  std::string Write(const char* ending, const std::string& text) {
    const std::string path = path_ + ending;
    std::FILE* file = std::fopen(path.c_str(), "wb");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    return path;
  }
  // The error, empty for success.
  std::string Load(const std::string& path) {
    tern_program* program = nullptr;
    const std::string error =
        Take(tern_program_load_file(runtime_, path.c_str(), nullptr, &program));
    tern_program_free(program);
    return error;
  }

  tern_runtime* runtime_ = nullptr;
  std::string path_;
};

TEST_F(NativeApi, LoadsEveryKindOfProgram) {
  EXPECT_EQ(Load(kModel), "");
  EXPECT_EQ(Load(Write(".tn", "fn main(x: int) -> int { x }")), "");
  EXPECT_EQ(Load(Write(".tasm", ".func @main(%0)\n  ret   ret %0\n")), "");
  tern_buffer* bytes = nullptr;
  const std::string text = ".func @main(%0)\n  ret   ret %0\n";
  ASSERT_EQ(Take(tern_assemble(runtime_, text.data(), text.size(), nullptr, &bytes)), "");
  const std::string path = path_ + ".tern";
  EXPECT_EQ(Take(tern_buffer_write_file(bytes, path.c_str())), "");
  tern_buffer_free(bytes);
  EXPECT_EQ(Load(path), "");
}

TEST_F(NativeApi, SaysWhichFileIsWrongAndWhere) {
  EXPECT_TRUE(Has(Load("/no/such/model.onnx"), "E0101")) << Load("/no/such/model.onnx");
  EXPECT_TRUE(Has(Load("/"), "E0101")) << Load("/");
  EXPECT_TRUE(Has(Load(""), "E0101")) << Load("");
  tern_program* program = nullptr;
  EXPECT_TRUE(Has(Take(tern_program_load_file(runtime_, nullptr, nullptr, &program)), "E0101"));
  const std::string source = Write(".tn", "fn main(x: int) -> int { y }");
  EXPECT_TRUE(Has(Load(source), source + ":1:")) << Load(source);
  const std::string loops = Write(".tloop", "primfn f() {}");
  EXPECT_TRUE(Has(Load(loops), "is a loop program, which has no functions to run"));
  EXPECT_TRUE(Has(Load(Write(".tern", "\x89TERN but no more")), "E01"));
  EXPECT_TRUE(Has(Load(Write(".onnx", std::string(100, '\x80'))), "E04"));
}

TEST_F(NativeApi, RefusesFilesThatCannotBeWritten) {
  tern_buffer* json = nullptr;
  ASSERT_EQ(Take(tern_runtime_info(runtime_, &json)), "");
  EXPECT_TRUE(Has(Take(tern_buffer_write_file(json, "/no/such/folder/x")), "E0102"));
  tern_buffer_free(json);
}

TEST_F(NativeApi, PlatformsHaveThreadsAndAClock) {
  tern_platform_options options = {};
  options.struct_size = sizeof options;
  options.threads = 3;
  tern_platform* platform = nullptr;
  ASSERT_EQ(Take(tern_platform_create(&options, &platform)), "");
  EXPECT_EQ(tern_platform_threads(platform), 3);
  const TernPlatform* raw = tern_platform_get(platform);
  EXPECT_NE(raw->parallel, nullptr);
  EXPECT_GT(raw->clock_ns(raw->context), 0);
  tern_platform_free(platform);
  tern_platform_free(nullptr);
  ASSERT_EQ(Take(tern_platform_create(nullptr, &platform)), "");
  EXPECT_GE(tern_platform_threads(platform), 1);
  tern_platform_free(platform);
}

TEST_F(NativeApi, RefusesThreadsThatMakeNoSense) {
  tern_platform* platform = nullptr;
  tern_platform_options options = {};
  EXPECT_TRUE(Has(Take(tern_platform_create(&options, &platform)), "E0703"));
  options.struct_size = sizeof options;
  for (const int32_t threads : {-1, 1025, INT32_MIN}) {
    options.threads = threads;
    const std::string error = Take(tern_platform_create(&options, &platform));
    EXPECT_TRUE(Has(error, "expected 1 to 1024, or 0 for one of each processor")) << error;
  }
}

}  // namespace
}  // namespace native_api_test
