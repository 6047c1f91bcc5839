// SPDX-License-Identifier: Apache-2.0
// C35, what programs of other makers meet first: the check of versions, structs of options of any
// size, and signatures with symbolic dimensions.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/api/c_api.h"
#include "core/api/loop_api.h"
#include "core/api/signature_api.h"

namespace library_api_test {
namespace {

constexpr char kProgram[] = R"(
.func @main(image: f32[batch, 1, 28, 28], n: int, rest: f32[*], any) -> (p: f32[batch, 10], )"
                           R"(q: i64[2 * batch, ?])
  fatal "only its signature counts"
.func @bare(%0)
  ret   ret %0
)";

// Code, message and notes; empty for success.
std::string Take(tern_status* status) {
  std::string text;
  if (status != nullptr) text = tern_status_text(status);
  tern_status_free(status);
  return text;
}

bool Has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(AbiCheck, TakesItsOwnHeaderAndOlderOnes) {
  EXPECT_EQ(Take(TERN_ABI_CHECK()), "");
  EXPECT_EQ(Take(tern_abi_check(tern_version(), tern_abi_version())), "");
  EXPECT_EQ(Take(tern_abi_check(tern_version() | 0xff, tern_abi_version())), "");  // a newer patch
}

TEST(AbiCheck, SaysWhatIsNewerAndWhatToDo) {
  const std::string newer = Take(tern_abi_check(tern_version() + 0x100, tern_abi_version()));
  EXPECT_TRUE(Has(newer, "E0704")) << newer;
  EXPECT_TRUE(Has(newer, "header of Tern 0.2.0 (layouts 1.0)")) << newer;
  EXPECT_TRUE(Has(newer, "the library that is loaded is 0.1.0")) << newer;
  EXPECT_TRUE(Has(newer, "install a library that is at least as new")) << newer;
  const std::string layouts = Take(tern_abi_check(tern_version(), tern_abi_version() + 1));
  EXPECT_TRUE(Has(layouts, "(layouts 1.1)")) << layouts;
}

TEST(AbiCheck, RefusesOtherMajors) {
  for (const uint32_t abi : {0u, 2u << 16, 0xffffffffu}) {
    const std::string other = Take(tern_abi_check(tern_version(), abi));
    EXPECT_TRUE(Has(other, "another major version means other layouts")) << other;
  }
  EXPECT_TRUE(Has(Take(tern_abi_check(tern_version() + 0x10000, tern_abi_version())), "E0704"));
}

class LibraryApi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Take(tern_runtime_create(nullptr, &runtime_)), "");
    tern_buffer* bytes = nullptr;
    ASSERT_EQ(Take(tern_assemble(runtime_, kProgram, sizeof(kProgram) - 1, nullptr, &bytes)), "");
    ASSERT_EQ(Take(tern_program_load(runtime_, tern_buffer_data(bytes), tern_buffer_size(bytes),
                                     nullptr, nullptr, &program_)),
              "");
    bytes_ = bytes;
  }
  void TearDown() override {
    tern_program_free(program_);
    tern_buffer_free(bytes_);
    tern_runtime_free(runtime_);
  }

  // A machine for options of that size, whose field behind all that are known is `beyond`.
  std::string Create(size_t struct_size, uint64_t beyond) {
    struct {
      tern_vm_options known;
      uint64_t beyond;
    } options = {};
    options.known.struct_size = struct_size;
    options.beyond = beyond;
    tern_vm* machine = nullptr;
    std::string error = Take(tern_vm_create(program_, &options.known, &machine));
    tern_vm_free(machine);
    return error;
  }

  tern_runtime* runtime_ = nullptr;
  tern_buffer* bytes_ = nullptr;
  tern_program* program_ = nullptr;
};

// In WebAssembly only the package calls, which writes every struct whole.
#ifndef __wasm__
TEST_F(LibraryApi, TakesStructsOfOlderAndNewerHeaders) {
  constexpr size_t kKnown = sizeof(tern_vm_options);
  EXPECT_EQ(Create(kKnown, 7), "");
  EXPECT_EQ(Create(sizeof(size_t), 7), "");
  EXPECT_EQ(Create(kKnown + 8, 0), "");
}

TEST_F(LibraryApi, RefusesStructsOfAWrongSize) {
  for (const size_t size : {size_t{0}, size_t{1}, sizeof(size_t) - 1, size_t{4097}, SIZE_MAX}) {
    const std::string error = Create(size, 0);
    EXPECT_TRUE(Has(error, "E0703")) << error;
    EXPECT_TRUE(Has(error, "expected sizeof(tern_vm_options), which is ")) << error;
    EXPECT_TRUE(Has(error, "set the struct to zeros and its struct_size to")) << error;
  }
  const std::string newer = Create(sizeof(tern_vm_options) + 8, 1);
  EXPECT_TRUE(Has(newer, "E0703")) << newer;
  EXPECT_TRUE(Has(newer, "a field behind them is not 0")) << newer;
  EXPECT_TRUE(Has(newer, "install a library that is at least as new as the header")) << newer;
}

TEST_F(LibraryApi, TakesAPlatformOfAnyVersionThatCanBe) {
  struct {
    TernPlatform known;
    void* beyond;
  } platform = {};
  tern_runtime_options options = {};
  options.struct_size = sizeof options;
  options.platform = &platform.known;
  const auto create = [&](size_t struct_size) {
    platform.known.struct_size = struct_size;
    tern_runtime* made = nullptr;
    const std::string error = Take(tern_runtime_create(&options, &made));
    tern_runtime_free(made);
    return error;
  };
  EXPECT_EQ(create(sizeof(TernPlatform)), "");
  EXPECT_EQ(create(sizeof platform), "");
  // An older caller has no `log`: what stands in its place is not its own.
  platform.known.log = [](void*, int32_t, const char*, size_t) { std::abort(); };
  EXPECT_EQ(create(offsetof(TernPlatform, log)), "");
  EXPECT_TRUE(Has(create(0), "struct_size of TernPlatform is 0"));
  platform.beyond = &platform;
  EXPECT_TRUE(Has(create(sizeof platform), "a field behind them is not 0"));
}

TEST_F(LibraryApi, ChecksTheStructOfEveryFunction) {
  tern_buffer* out = nullptr;
  TernAny any = {};
  const auto refused = [](tern_status* status) { return Has(Take(status), "E0703"); };
  const tern_runtime_options runtime = {};
  tern_runtime* made = nullptr;
  EXPECT_TRUE(refused(tern_runtime_create(&runtime, &made)));
  const tern_compile_options compile = {};
  EXPECT_TRUE(refused(tern_compile_onnx(runtime_, "", 0, &compile, &out, nullptr)));
  EXPECT_TRUE(refused(tern_compile_source(runtime_, "", 0, &compile, &out, nullptr)));
  const tern_file_source source = {};
  tern_program* program = nullptr;
  EXPECT_TRUE(refused(tern_program_load_on_demand(runtime_, &source, &program)));
  const tern_debug_options debug = {};
  tern_debugger* debugger = nullptr;
  EXPECT_TRUE(refused(tern_debugger_create(program_, &debug, &debugger)));
  const tern_print_options print = {};
  EXPECT_TRUE(refused(tern_any_print(&any, "text", &print, nullptr, &out)));
  const tern_kernel_spec spec = {};
  EXPECT_TRUE(refused(tern_kernel_function_create(&spec, &any)));
  const tern_kernel_backend backend = {};
  EXPECT_TRUE(refused(tern_program_set_kernel(program_, "main", nullptr, &backend)));
  const tern_loop_request loops = {};
  EXPECT_TRUE(refused(tern_loop_stages("", 0, &loops, &out)));
  const tern_loop_tune_request tune = {};
  tern_loop_tuner* tuner = nullptr;
  EXPECT_TRUE(refused(tern_loop_tuner_create("", 0, &tune, &tuner)));
  EXPECT_EQ(out, nullptr);
}
#endif

// "name type dtype [extents and symbols]".
std::string Text(const tern_value_type& type) {
  std::string text = std::string(type.name) + " | " + type.type + " | " +
                     (type.dtype == nullptr ? "-" : type.dtype) + " |";
  if (type.rank < 0) text += " any rank";
  for (int32_t i = 0; i < type.rank; ++i)
    text += " " + (type.symbols[i] == nullptr ? std::to_string(type.extents[i])
                                              : std::string(type.symbols[i]));
  return text;
}

using Describe = tern_status* (*)(const tern_signature*, int32_t, tern_value_type*);
std::vector<std::string> All(const tern_signature* signature, int32_t count, Describe describe) {
  std::vector<std::string> texts;
  for (int32_t i = 0; i < count; ++i) {
    tern_value_type type = {};
    type.struct_size = sizeof type;
    EXPECT_EQ(Take(describe(signature, i, &type)), "");
    texts.push_back(Text(type));
  }
  return texts;
}

TEST_F(LibraryApi, SignaturesHaveSymbolicDimensions) {
  tern_signature* signature = nullptr;
  ASSERT_EQ(Take(tern_program_signature(program_, "main", &signature)), "");
  EXPECT_EQ(All(signature, tern_signature_parameters(signature), &tern_signature_parameter),
            (std::vector<std::string>{"image | f32[batch, 1, 28, 28] | f32 | batch 1 28 28",
                                      "n | int | - | any rank", "rest | f32[*] | f32 | any rank",
                                      "any | any | - | any rank"}));
  EXPECT_EQ(All(signature, tern_signature_results(signature), &tern_signature_result),
            (std::vector<std::string>{"p | f32[batch, 10] | f32 | batch 10",
                                      "q | i64[2 * batch, ?] | i64 | 2 * batch ?"}));
  tern_signature_free(signature);
  tern_signature_free(nullptr);
}

TEST_F(LibraryApi, ASmallerStructTakesLessAndASignatureOutlivesItsProgram) {
  tern_signature* signature = nullptr;
  ASSERT_EQ(Take(tern_program_signature(program_, nullptr, &signature)), "");
  tern_program_free(program_);
  program_ = nullptr;
  tern_value_type type = {};
  type.struct_size = offsetof(tern_value_type, dtype);
  type.rank = 77;
  ASSERT_EQ(Take(tern_signature_parameter(signature, 0, &type)), "");
  EXPECT_STREQ(type.type, "f32[batch, 1, 28, 28]");
  EXPECT_EQ(type.rank, 77);
  tern_signature_free(signature);
}

TEST_F(LibraryApi, RefusesFunctionsAndIndicesThatAreNotThere) {
  tern_signature* signature = nullptr;
  const std::string unknown = Take(tern_program_signature(program_, "mian", &signature));
  EXPECT_TRUE(Has(unknown, "E0206")) << unknown;
  EXPECT_TRUE(Has(unknown, "did you mean @main?")) << unknown;
  ASSERT_EQ(Take(tern_program_signature(program_, "bare", &signature)), "");
  EXPECT_EQ(tern_signature_parameters(signature), 1);
  EXPECT_EQ(tern_signature_results(signature), 0);
  tern_value_type type = {};
  type.struct_size = sizeof type;
  for (const int32_t index : {-1, 1, INT32_MAX}) {
    const std::string error = Take(tern_signature_parameter(signature, index, &type));
    EXPECT_TRUE(Has(error, "of @bare, which has 1")) << error;
  }
  EXPECT_TRUE(Has(Take(tern_signature_result(signature, 0, &type)), "which has 0"));
  tern_signature_free(signature);
}

}  // namespace
}  // namespace library_api_test
