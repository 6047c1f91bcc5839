// SPDX-License-Identifier: Apache-2.0
// B29 through the C interface: kernels of a program, code over buffers as a function, backends that
// machines take, and what is refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/api/c_api.h"

namespace kernel_api_test {
namespace {

constexpr char kProgram[] = R"(
.const c[0] = string "the loop kernel needs a backend"
.kernel "plus" "loop" text "te plus…\n"
.kernel "plus" "elf-none" hex 00ff
.kernel "bare" "loop" text "te bare"
.kernel "gone" "loop" text ""
.func @main(x: f32[n, m], b: f32[m]) -> f32[n, m]
  invoke @plus in: %0, %1 dst: %2
  ret   ret %2
.func @tail(x: f32[n, m], b: f32[m]) -> f32[n, m]
  tail_invoke @plus in: %0, %1
.func @plus(x: f32[n, m], b: f32[m]) -> f32[n, m]
  ret   ret %0
.func @bare(x: f32[n]) -> f32[n]
  fatal c[0]
)";

constexpr char kSignature[] = "(x: f32[n, m], b: f32[m]) -> (y: f32[n, m], w: f32[m + 1])";

int32_t Plus(void* const* buffers, const int64_t* slots) {
  const auto* x = static_cast<const float*>(buffers[0]);
  const auto* b = static_cast<const float*>(buffers[1]);
  auto* y = static_cast<float*>(buffers[2]);
  auto* w = static_cast<float*>(buffers[3]);
  const int64_t m = slots[0], n = slots[1];
  for (int64_t j = 0; j <= m; ++j) w[j] = j < m ? b[j] : 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) y[i * m + j] = x[i * m + j] + w[j];
  return 0;
}

class KernelApi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Take(tern_runtime_create(nullptr, &runtime_)), "");
    tern_buffer* bytes = nullptr;
    ASSERT_EQ(Take(tern_assemble(runtime_, kProgram, sizeof(kProgram) - 1, nullptr, &bytes)), "");
    ASSERT_EQ(Take(tern_program_load(runtime_, tern_buffer_data(bytes), tern_buffer_size(bytes),
                                     nullptr, nullptr, &program_)),
              "");
    tern_buffer_free(bytes);
  }
  void TearDown() override {
    tern_program_free(program_);
    tern_runtime_free(runtime_);
  }
  // Empty for success.
  static std::string Take(tern_status* status) {
    const std::string text = status == nullptr ? "" : tern_status_message(status);
    tern_status_free(status);
    return text;
  }
  TernAny Floats(std::vector<int64_t> shape, float first) {
    TernAny tensor{};
    EXPECT_EQ(Take(tern_tensor_new(runtime_, "f32", static_cast<int32_t>(shape.size()),
                                   shape.data(), &tensor)),
              "");
    void* data = nullptr;
    size_t size = 0;
    EXPECT_EQ(Take(tern_tensor_view(&tensor, &data, &size, nullptr, nullptr, nullptr)), "");
    for (size_t i = 0; i < size / sizeof(float); ++i)
      static_cast<float*>(data)[i] = first + static_cast<float>(i);
    return tensor;
  }
  static tern_kernel_spec Spec() {
    tern_kernel_spec spec{};
    spec.struct_size = sizeof(spec);
    spec.name = "plus";
    spec.signature = kSignature;
    spec.slots = "m, n";
    spec.results = 1;
    spec.call = &Plus;
    return spec;
  }
  void SetBackend(const tern_kernel_backend* backend) {
    TernAny function{};
    const tern_kernel_spec spec = Spec();
    ASSERT_EQ(Take(tern_kernel_function_create(&spec, &function)), "");
    EXPECT_EQ(Take(tern_program_set_kernel(program_, "plus", &function, backend)), "");
    tern_any_release(&function);
  }
  // The last element of what the function gives on a new machine for x[2, 3] = 0…5, b = 10, 11, 12.
  float Last(const char* function) {
    tern_vm* vm = nullptr;
    EXPECT_EQ(Take(tern_vm_create(program_, nullptr, &vm)), "");
    TernAny args[] = {Floats({2, 3}, 0), Floats({3}, 10)};
    TernAny result{};
    EXPECT_EQ(Take(tern_vm_call(vm, function, args, 2, &result)), "");
    void* data = nullptr;
    EXPECT_EQ(Take(tern_tensor_view(&result, &data, nullptr, nullptr, nullptr, nullptr)), "");
    const float last = static_cast<float*>(data)[5];
    tern_any_release(&result);
    for (TernAny& arg : args) tern_any_release(&arg);
    tern_vm_free(vm);
    return last;
  }

  tern_runtime* runtime_ = nullptr;
  tern_program* program_ = nullptr;
};

TEST_F(KernelApi, B29_MachinesMadeAfterwardsCallTheKernel) {
  EXPECT_EQ(Last("main"), 5.0f);
  SetBackend(nullptr);
  for (const char* function : {"main", "tail", "plus"})
    EXPECT_EQ(Last(function), 17.0f) << function;
  ASSERT_EQ(Take(tern_program_set_kernel(program_, "plus", nullptr, nullptr)), "");
  for (const char* function : {"main", "tail", "plus"}) EXPECT_EQ(Last(function), 5.0f) << function;
}

TEST_F(KernelApi, B29_KernelsAreListedWithTheirBackends) {
  const auto kernels = [this] {
    tern_buffer* json = nullptr;
    EXPECT_EQ(Take(tern_program_kernels(program_, &json)), "");
    std::string text(static_cast<const char*>(tern_buffer_data(json)), tern_buffer_size(json));
    tern_buffer_free(json);
    return text;
  };
  const std::string rest =
      R"({"name":"bare","formats":["loop"],"signature":"(x: f32[n]) -> f32[n]",)"
      R"("operators":false,"backend":"none","why":"nothing was prepared for it"},)"
      R"({"name":"gone","formats":["loop"],"signature":null,"operators":false,"backend":"none",)"
      R"("why":"the executable has no function of that name"}])";
  const std::string plus =
      R"([{"name":"plus","formats":["loop","elf-none"],)"
      R"("signature":"(x: f32[n, m], b: f32[m]) -> f32[n, m]","operators":true,)";
  EXPECT_EQ(kernels(),
            plus + R"("backend":"operators","why":"nothing was prepared for it"},)" + rest);
  tern_kernel_backend backend{};
  backend.struct_size = sizeof(backend);
  backend.backend = "compiled";
  backend.why = "asked for";
  SetBackend(&backend);
  EXPECT_EQ(kernels(), plus + R"("backend":"compiled","why":"asked for"},)" + rest);
  backend.describe = [](void*, const char** name, const char** why) {
    *name = "operators";
    *why = "not yet";
  };
  SetBackend(&backend);
  EXPECT_EQ(kernels(), plus + R"("backend":"operators","why":"not yet"},)" + rest);
  const void* data = nullptr;
  size_t size = 0;
  ASSERT_EQ(Take(tern_program_kernel_bytes(program_, "plus", "loop", &data, &size)), "");
  EXPECT_EQ(std::string(static_cast<const char*>(data), size), "te plus…\n");
}

TEST_F(KernelApi, B29_ACallIsLeftToTheBytecodeWhileTheBackendIsNotReady) {
  static int64_t asked;
  asked = 0;
  tern_kernel_backend backend{};
  backend.struct_size = sizeof(backend);
  backend.ready = [](void*, int64_t elements) {
    return static_cast<int32_t>((asked += elements) > 20);
  };
  SetBackend(&backend);
  for (const char* function : {"main", "tail", "plus"}) {
    asked = 0;
    EXPECT_EQ(Last(function), 5.0f) << function;  // 9 elements
    EXPECT_EQ(Last(function), 5.0f) << function;
    EXPECT_EQ(Last(function), 17.0f) << function;
  }
}

TEST_F(KernelApi, B29_TheCodeIsReleasedOnce) {
  static int released;
  released = 0;
  tern_kernel_spec spec = Spec();
  spec.call = nullptr;
  spec.self_call = [](void*, void* const*, const int64_t*) { return 7; };
  spec.release = [](void*) { ++released; };
  spec.self = &released;
  TernAny function{};
  ASSERT_EQ(Take(tern_kernel_function_create(&spec, &function)), "");
  TernAny args[] = {Floats({2, 3}, 0), Floats({3}, 10)};
  TernAny result{};
  EXPECT_EQ(Take(tern_function_call(runtime_, &function, args, 2, &result)),
            "kernel 'plus' failed with 7");
  for (TernAny& arg : args) tern_any_release(&arg);
  EXPECT_EQ(released, 0);
  tern_any_release(&function);
  EXPECT_EQ(released, 1);
  spec.signature = "nonsense";
  EXPECT_NE(Take(tern_kernel_function_create(&spec, &function)), "");
  EXPECT_EQ(released, 2);
}

TEST_F(KernelApi, BadSpecsAreRefused) {
  struct Case {
    const char *signature, *slots, *message;
    uint32_t results;
  };
  const Case cases[] = {
      {"(x: f32[n])", "n", "it has no result", 1},
      {"(x: f32[n]) -> f32[n]", "m", "no shape gives the size m, and no parameter has that name",
       1},
      {"(x: f32[n]) -> f32[n]", "x", "parameter x is not of rank 0 and cannot be passed by value",
       1},
      {"(x: f32[n]) -> f32[m]", "n", "no input has the size m alone", 1},
      {"(x: f32[n]) -> f32[n]", "n", "2 results of 1 buffers", 2},
      {"(x: f32[?]) -> f32[2]", "", "`x` has a dimension without a name", 1},
      {"(x: f32[*]) -> f32[2]", "", "`x` is f32[*], expected a tensor with element type and rank",
       1},
      {"(x: i4[n]) -> f32[n]", "n", "`x` has elements of i4, which kernels do not take", 1},
  };
  for (const Case& c : cases) {
    tern_kernel_spec spec = Spec();
    spec.signature = c.signature;
    spec.slots = c.slots;
    spec.results = c.results;
    TernAny function{};
    EXPECT_EQ(Take(tern_kernel_function_create(&spec, &function)),
              "kernel 'plus' " + std::string(c.signature) + ": " + c.message);
  }
  tern_kernel_spec both = Spec();
  both.self_call = [](void*, void* const*, const int64_t*) { return 0; };
  TernAny function{};
  EXPECT_EQ(Take(tern_kernel_function_create(&both, &function)),
            "kernel 'plus': expected one function to call");
}

TEST_F(KernelApi, BadCallsAreRefused) {
  TernAny function{}, result{};
  const tern_kernel_spec spec = Spec();
  ASSERT_EQ(Take(tern_kernel_function_create(&spec, &function)), "");
  TernAny args[] = {Floats({2, 3}, 0), Floats({4}, 10)};
  EXPECT_NE(Take(tern_function_call(runtime_, &function, args, 2, &result)).find("axis 0"),
            std::string::npos);
  EXPECT_EQ(Take(tern_function_call(runtime_, &function, args, 1, &result)),
            "@plus takes 2 inputs, got 1");
  EXPECT_NE(Take(tern_program_set_kernel(program_, "nobody", &function, nullptr)), "");
  EXPECT_NE(Take(tern_program_set_kernel(program_, "plus", &args[0], nullptr)), "");
  const void* data = nullptr;
  size_t size = 0;
  EXPECT_EQ(Take(tern_program_kernel_bytes(program_, "plus", "elf-sve", &data, &size)),
            "the executable has no kernel 'plus' in format 'elf-sve'");
  for (TernAny& arg : args) tern_any_release(&arg);
  tern_any_release(&function);
}

TEST_F(KernelApi, SavedWithOtherKernels) {
  const tern_kernel kernels[] = {{"plus", "loop", "te plus", 7}, {"plus", "elf-x86-64", "\0\1", 2}};
  tern_buffer* bytes = nullptr;
  ASSERT_EQ(Take(tern_program_save_with_kernels(program_, kernels, 2, &bytes)), "");
  tern_program* changed = nullptr;
  ASSERT_EQ(Take(tern_program_load(runtime_, tern_buffer_data(bytes), tern_buffer_size(bytes),
                                   nullptr, nullptr, &changed)),
            "");
  tern_buffer* before = nullptr;
  tern_buffer* after = nullptr;
  ASSERT_EQ(Take(tern_program_inspect(program_, "listing", &before)), "");
  ASSERT_EQ(Take(tern_program_inspect(changed, "listing", &after)), "");
  const void* data = nullptr;
  size_t size = 0;
  ASSERT_EQ(Take(tern_program_kernel_bytes(changed, "plus", "elf-x86-64", &data, &size)), "");
  EXPECT_EQ(std::string(static_cast<const char*>(data), size), std::string("\0\1", 2));
  EXPECT_NE(Take(tern_program_kernel_bytes(changed, "bare", "loop", &data, &size)), "");
  EXPECT_STREQ(static_cast<const char*>(tern_buffer_data(before)),
               static_cast<const char*>(tern_buffer_data(after)));
  for (tern_buffer* buffer : {bytes, before, after}) tern_buffer_free(buffer);
  tern_program_free(changed);
}

}  // namespace
}  // namespace kernel_api_test
