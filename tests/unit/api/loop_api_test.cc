// SPDX-License-Identifier: Apache-2.0
// The loop compiler through the C interface: stages, counts, what programs are emitted as; kernels
// checked against signatures, emitted and interpreted; and what is refused.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/api/loop_api.h"
#include "tests/unit/api/take.h"

namespace loop_api_test {
namespace {

constexpr std::string_view kTriple =
    "te triple<n>(x: int32[n]) -> (y: int32[n]) { compute y[i] = x[i] * 3 }\n";
constexpr std::string_view kVectors =
    "te triple<n>(x: int32[n]) -> (y: int32[n]) {\n"
    "  compute y[i] = x[i] * 3\n"
    "  schedule { vectorize(y, i, scalable = true) }\n"
    "}\n";
constexpr std::string_view kOutside =
    "te triple<n>(x: int32[n]) -> (y: int32[n]) { compute y[i] = x[i + 1] }\n";
constexpr const char* kSignature = "(x: i32[n]) -> i32[n]";

using api_test::Has;
using api_test::Take;

tern_loop_request Request() {
  tern_loop_request request{};
  request.struct_size = sizeof(request);
  return request;
}

using Report = tern_status* (*)(const char*, size_t, const tern_loop_request*, tern_buffer**);

std::string ReportOf(Report report, std::string_view text, const tern_loop_request& request) {
  tern_buffer* out = nullptr;
  const std::string error = Take(report(text.data(), text.size(), &request, &out));
  return error.empty() ? Take(out) : error;
}

std::string Emit(std::string_view text, const tern_loop_request& request, const char* form) {
  tern_buffer* out = nullptr;
  const std::string error = Take(tern_loop_emit(text.data(), text.size(), &request, form, &out));
  return error.empty() ? Take(out) : error;
}

// A kernel, or why there is none.
struct Kernel {
  tern_loop_kernel* handle = nullptr;
  std::string error;

  explicit Kernel(std::string_view text, const char* signature = kSignature,
                  const char* name = "triple")
      : error(Take(tern_loop_kernel_create(name, text.data(), text.size(), signature, &handle))) {}
  ~Kernel() { tern_loop_kernel_free(handle); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  std::string Describe() const {
    tern_buffer* out = nullptr;
    const std::string failed = Take(tern_loop_kernel_describe(handle, &out));
    return failed.empty() ? Take(out) : failed;
  }
  std::string Emit(uint32_t* scratch, bool relaxed = false) const {
    tern_buffer* out = nullptr;
    const std::string failed =
        Take(tern_loop_kernel_emit_wasm(handle, relaxed ? 1 : 0, &out, scratch));
    return failed.empty() ? Take(out) : failed;
  }
};

TEST(LoopApi, ShowsStages) {
  tern_loop_request request = Request();
  request.stages = "all";
  request.strategies = "fixed,predicated";
  const std::string json = ReportOf(&tern_loop_stages, kVectors, request);
  EXPECT_TRUE(Has(json, "\"stage\":\"te\"")) << json;
  EXPECT_TRUE(Has(json, "whilelt")) << json;
  // A caller that knows no fields at all gets the defaults.
  tern_buffer* out = nullptr;
  EXPECT_EQ(Take(tern_loop_stages(kTriple.data(), kTriple.size(), nullptr, &out)), "");
  EXPECT_TRUE(Has(Take(out), "primfn triple"));
}

TEST(LoopApi, CountsWhatRuns) {
  tern_loop_request request = Request();
  request.sizes = "n=18";
  request.vscales = "1, 4";
  request.strategies = "scalar";
  const std::string json = ReportOf(&tern_loop_counts, kTriple, request);
  EXPECT_TRUE(Has(json, "\"vscale\":4")) << json;
  EXPECT_TRUE(Has(json, "\"scalar_iterations\":18")) << json;
}

TEST(LoopApi, EmitsTextAndModules) {
  tern_loop_request request = Request();
  EXPECT_EQ(Emit(kTriple, request, "wasm").substr(0, 4), std::string("\0asm", 4));
  EXPECT_TRUE(Has(Emit(kTriple, request, "wat"), "(export \"triple\" (func $triple))"));
  request.target = "aarch64+sve";
  EXPECT_TRUE(Has(Emit(kTriple, request, "llvm"), "define"));
  request.target = "x86_64";
  EXPECT_FALSE(Has(Emit(kTriple, request, "llvm"), "vscale x"));
}

std::string LanesOf(std::string_view text, const tern_loop_request& request,
                    const tern_loop_lanes_options& options) {
  tern_buffer* out = nullptr;
  const std::string error =
      Take(tern_loop_lanes(text.data(), text.size(), &request, &options, &out));
  return error.empty() ? Take(out) : error;
}

tern_loop_lanes_options LaneOptions() {
  tern_loop_lanes_options options{};
  options.struct_size = sizeof(options);
  options.head = 3;
  options.tail = 2;
  options.n = 18;
  options.check_lanes = 1000;
  return options;
}

TEST(LoopApi, ShowsLanes) {
  tern_loop_request request = Request();
  request.vscales = "4";
  request.strategies = "fixed,cleanup,predicated";
  const std::string json = LanesOf(kVectors, request, LaneOptions());
  EXPECT_TRUE(Has(json, "\"vector_iterations\":4,\"scalar_iterations\":2")) << json;
  EXPECT_TRUE(Has(json, "\"vector_iterations\":1,\"scalar_iterations\":2")) << json;
  EXPECT_TRUE(Has(json, "\"mask\":\"1100000000000000\"")) << json;
  EXPECT_TRUE(Has(json, "\"checked\":true")) << json;
  // A caller that knows no options gets counters.
  request.sizes = "n=18";
  tern_buffer* out = nullptr;
  EXPECT_EQ(Take(tern_loop_lanes(kVectors.data(), kVectors.size(), &request, nullptr, &out)), "");
  EXPECT_FALSE(Has(Take(out), "\"iterations\""));
}

TEST(LoopApi, RefusesBadLaneRequests) {
  const auto lanes = [](auto set) {
    tern_loop_request request = Request();
    tern_loop_lanes_options options = LaneOptions();
    set(&request, &options);
    return LanesOf(kVectors, request, options);
  };
  EXPECT_TRUE(Has(lanes([](auto* r, auto*) { r->vscales = "17"; }), "E0003: vscales are numbers"));
  EXPECT_TRUE(Has(lanes([](auto* r, auto*) { r->sizes = "m=1"; }), "has no size 'm'"));
  EXPECT_TRUE(Has(lanes([](auto*, auto* o) { o->n = -1; }), "has no value"));
  EXPECT_TRUE(Has(lanes([](auto*, auto* o) { o->n = INT64_MAX; }), "more than 2^63 bytes"));
  EXPECT_TRUE(Has(lanes([](auto*, auto* o) { o->head = 1 << 30; }), "E0003: iterations to show"));
  EXPECT_TRUE(Has(lanes([](auto*, auto* o) { o->first = INT64_MIN; }), "E0003: "));
  EXPECT_TRUE(Has(lanes([](auto* r, auto*) { r->max_steps = 1; }), "limit of operations"));
}

TEST(LoopApi, SaysWhatScalableTypesAreAtAVScale) {
  tern_loop_request request = Request();
  request.vscales = "2";
  request.strategies = "predicated";
  const std::string ir = Emit(kVectors, request, "llvm");
  EXPECT_TRUE(Has(ir, "; vscale 2: <vscale x 4 x i1> is 8 x i1, 8 bits")) << ir;
  EXPECT_TRUE(Has(ir, "<vscale x 4 x i32> is 8 x i32, 256 bits")) << ir;
  request.vscales = nullptr;
  const std::string plain = Emit(kVectors, request, "llvm");
  EXPECT_FALSE(Has(plain, "; vscale"));
  // Nothing but comments differs.
  std::string without;
  for (size_t at = 0; at < ir.size();) {
    const size_t end = ir.find('\n', at);
    const std::string line = ir.substr(at, end - at);
    without += line.substr(0, line.find("  ; vscale ")) + "\n";
    at = end == std::string::npos ? ir.size() : end + 1;
  }
  EXPECT_EQ(without, plain);
  request.vscales = "99";
  EXPECT_TRUE(Has(Emit(kVectors, request, "llvm"), "E0003: vscales are numbers"));
}

TEST(LoopApi, RefusesBadRequests) {
  const auto counts = [](auto set) {
    tern_loop_request request = Request();
    request.sizes = "n=4";
    set(&request);
    return ReportOf(&tern_loop_counts, kTriple, request);
  };
  EXPECT_TRUE(Has(counts([](auto* r) { r->vscales = "0"; }), "E0003: vscales are numbers"));
  EXPECT_TRUE(Has(counts([](auto* r) { r->vscales = "1,,2"; }), "E0003: "));
  EXPECT_TRUE(Has(counts([](auto* r) { r->sizes = "n"; }), "E0005: sizes are NAME=SIZE"));
  EXPECT_TRUE(Has(counts([](auto* r) { r->sizes = "n=-1"; }), "E0005: "));
  EXPECT_TRUE(Has(counts([](auto* r) { r->sizes = "m=1"; }), "has no size 'm'"));
  EXPECT_TRUE(Has(counts([](auto* r) { r->sizes = nullptr; }), "has no value"));
  EXPECT_TRUE(Has(counts([](auto* r) { r->sizes = "n=1000000000000"; }), "would have"));
  EXPECT_TRUE(Has(counts([](auto* r) { r->function = "other"; }), "no function 'other'"));
  EXPECT_TRUE(Has(counts([](auto* r) { r->strategies = "fast"; }), "'fast'"));
  EXPECT_TRUE(Has(counts([](auto* r) { r->target = "vax"; }), "'vax'"));
  EXPECT_NE(counts([](auto* r) { r->max_steps = 1; }).substr(0, 1), "{");
  EXPECT_TRUE(Has(Emit(kTriple, Request(), "asm"), "E0003: form 'asm'"));
  EXPECT_TRUE(Has(Emit(kTriple, Request(), nullptr), "E0003: form ''"));
  for (const std::string_view bad : {"te", "te f() {", "\xff\xfe", "fn main() { 1 }"}) {
    EXPECT_EQ(ReportOf(&tern_loop_stages, bad, Request()).substr(0, 1), "E") << bad;
    EXPECT_EQ(Emit(bad, Request(), "wasm").substr(0, 1), "E") << bad;
  }
  tern_buffer* out = nullptr;
  EXPECT_TRUE(Has(Take(tern_loop_stages(nullptr, 4, nullptr, &out)), "text is NULL, of 4 bytes"));
  EXPECT_TRUE(Has(Take(tern_loop_emit(nullptr, 4, nullptr, "wasm", &out)), "text is NULL"));
  EXPECT_TRUE(Has(Take(tern_loop_emit(nullptr, 4, nullptr, "wat", &out)), "text is NULL"));
  EXPECT_EQ(out, nullptr);
}

TEST(LoopApi, DescribesAndEmitsKernels) {
  const Kernel kernel(kTriple);
  ASSERT_EQ(kernel.error, "");
  const std::string json = kernel.Describe();
  EXPECT_TRUE(Has(json, "\"signature\":\"(x: i32[n]) -> (y: i32[n])\"")) << json;
  EXPECT_TRUE(Has(json, "\"slots\":[\"n\"]")) << json;
  EXPECT_TRUE(Has(json, "\"unproven\":\"\"")) << json;
  for (const bool relaxed : {false, true}) {
    uint32_t scratch = 1;
    EXPECT_EQ(kernel.Emit(&scratch, relaxed).substr(0, 4), std::string("\0asm", 4));
    EXPECT_EQ(scratch, 0u);
  }
}

TEST(LoopApi, InterpretsOnMemoryOfItsOwn) {
  const Kernel kernel(kTriple);
  ASSERT_EQ(kernel.error, "");
  for (const int64_t n : {0, 1, 5, 64}) {
    uint32_t buffers = 0;
    ASSERT_EQ(Take(tern_loop_kernel_begin(kernel.handle, &n, 1, &buffers)), "");
    ASSERT_EQ(buffers, 2u);
    size_t bytes = 0;
    auto* x = static_cast<int32_t*>(tern_loop_kernel_buffer(kernel.handle, 0, &bytes));
    EXPECT_EQ(bytes, static_cast<size_t>(4 * n));
    for (int64_t i = 0; i < n; ++i) x[i] = static_cast<int32_t>(i - 2);
    EXPECT_EQ(Take(tern_loop_kernel_run(kernel.handle)), "");
    const auto* y = static_cast<int32_t*>(tern_loop_kernel_buffer(kernel.handle, 1, &bytes));
    for (int64_t i = 0; i < n; ++i) EXPECT_EQ(y[i], 3 * (i - 2));
    EXPECT_EQ(tern_loop_kernel_buffer(kernel.handle, 2, &bytes), nullptr);
    tern_loop_kernel_end(kernel.handle);
    EXPECT_EQ(tern_loop_kernel_buffer(kernel.handle, 0, &bytes), nullptr);
  }
}

TEST(LoopApi, EmitsNothingThatIsNotProven) {
  const Kernel kernel(kOutside);
  ASSERT_EQ(kernel.error, "");
  EXPECT_FALSE(Has(kernel.Describe(), "\"unproven\":\"\"")) << kernel.Describe();
  uint32_t scratch = 0;
  EXPECT_EQ(kernel.Emit(&scratch).substr(0, 7), "E0517: ");
  // The interpreter looks at each access.
  const int64_t n = 3;
  uint32_t buffers = 0;
  ASSERT_EQ(Take(tern_loop_kernel_begin(kernel.handle, &n, 1, &buffers)), "");
  EXPECT_TRUE(Has(Take(tern_loop_kernel_run(kernel.handle)), "x"));
  tern_loop_kernel_end(kernel.handle);
}

TEST(LoopApi, EndsKernelsThatDoNot) {
  const Kernel kernel(
      "primfn triple<n>(x: in int32[n], y: out int32[n]) { while (0 < 1) { y[0] = x[0] } }");
  ASSERT_EQ(kernel.error, "");
  uint32_t scratch = 0;
  EXPECT_EQ(kernel.Emit(&scratch).substr(0, 7), "E0517: ");
  const int64_t n = 1;
  uint32_t buffers = 0;
  ASSERT_EQ(Take(tern_loop_kernel_begin(kernel.handle, &n, 1, &buffers)), "");
  EXPECT_NE(Take(tern_loop_kernel_run(kernel.handle)), "");
}

TEST(LoopApi, RefusesKernelsThatDoNotFit) {
  EXPECT_EQ(Kernel(kTriple, "(x: f32[n]) -> f32[n]").error.substr(0, 5), "E0516");
  EXPECT_EQ(Kernel(kTriple, "(x: i32[n, m]) -> i32[n]").error.substr(0, 5), "E0516");
  EXPECT_EQ(Kernel(kTriple, "(x: i32[n], y: i32[n]) -> i32[n]").error.substr(0, 5), "E0516");
  EXPECT_EQ(Kernel(kTriple, kSignature, "other").error.substr(0, 5), "E0516");
  EXPECT_EQ(Kernel("", kSignature).error.substr(0, 5), "E0516");
  EXPECT_NE(Kernel(kTriple, "(x: i32[").error, "");
  EXPECT_NE(Kernel("te triple", kSignature).error, "");
  EXPECT_NE(Kernel("\xff\xfe\0", kSignature).error, "");
  EXPECT_NE(Kernel(kTriple, nullptr, nullptr).error, "");
  tern_loop_kernel* none = nullptr;
  EXPECT_TRUE(Has(Take(tern_loop_kernel_create("f", nullptr, 9, kSignature, &none)), "is NULL"));
  EXPECT_EQ(none, nullptr);
}

TEST(LoopApi, RefusesCallsInTheWrongOrder) {
  const Kernel kernel(kTriple);
  ASSERT_EQ(kernel.error, "");
  EXPECT_TRUE(Has(Take(tern_loop_kernel_run(kernel.handle)), "begin comes before run"));
  uint32_t buffers = 9;
  const int64_t sizes[] = {1, 2};
  EXPECT_TRUE(Has(Take(tern_loop_kernel_begin(kernel.handle, sizes, 2, &buffers)), "1 slots"));
  EXPECT_TRUE(Has(Take(tern_loop_kernel_begin(kernel.handle, nullptr, 1, &buffers)), "slots"));
  for (const int64_t bad : {int64_t{-1}, INT64_MAX, int64_t{1} << 40})
    EXPECT_NE(Take(tern_loop_kernel_begin(kernel.handle, &bad, 1, &buffers)), "") << bad;
  EXPECT_EQ(buffers, 9u);
  tern_buffer* out = nullptr;
  EXPECT_TRUE(Has(Take(tern_loop_kernel_describe(nullptr, &out)), "kernel is NULL"));
  EXPECT_TRUE(Has(Take(tern_loop_kernel_run(nullptr)), "kernel is NULL"));
  EXPECT_EQ(tern_loop_kernel_buffer(nullptr, 0, nullptr), nullptr);
  tern_loop_kernel_end(nullptr);
  tern_loop_kernel_free(nullptr);
}

}  // namespace
}  // namespace loop_api_test
