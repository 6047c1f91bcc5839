// SPDX-License-Identifier: Apache-2.0
// What a file may ask of an operator and must not get: more memory or work than the run has, and
// attributes and element types that its loops cannot take.
#include <atomic>
#include <vector>

#include "core/kernels/choose.h"
#include "core/kernels/cpu_features.h"
#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels {
namespace {

struct Limited {
  int64_t bytes = int64_t{16} << 20;
  int64_t work = int64_t{1} << 24;

  Result<Any> Run(std::string_view op, std::initializer_list<AnyView> args) const {
    TERN_TRY_ASSIGN(const FunctionPtr function, MakeOperator(op));
    ObjectPtr<Allocator> allocator = MakePooledAllocator();
    allocator->set_limit(bytes);
    RunContext context(allocator);
    context.set_work_left(work, "S0301");
    return function->Invoke(args, &context);
  }
  // The error's code and text.
  std::string Error(std::string_view op, std::initializer_list<AnyView> args) const {
    const Result<Any> result = Run(op, args);
    if (result.ok()) return "a result";
    return std::string(result.status().error_code()) + " " + result.status().ToString();
  }
};

void ExpectPart(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TensorPtr Empty(std::vector<int64_t> dims) { return Tensor::New(kF32, dims).value(); }

TEST(Limits, TablesOfResizeAreMemoryOfTheRun) {
  const TensorPtr x = Iota({1, 1, 4, 4});
  ExpectPart(Limited().Error("resize{sizes=1,1,4,1000000000000 mode=linear}", {x}), "memory");
  ExpectPart(Limited().Error("resize{scales=1,1,1,1e-30 mode=linear antialias=1}", {x}),
             "too many taps");
  // The result has no elements; the tables have.
  ExpectPart(Limited().Error("resize{sizes=0,1,4,1000000000000 mode=linear}", {x}), "no elements");
}

TEST(Limits, BlocksWhoseSquareLeaves64Bits) {
  const TensorPtr x = Iota({1, 4, 2, 2});
  ExpectPart(Limited().Error("depth_to_space{block=4294967296}", {x}), "at most");
  ExpectPart(Limited().Error("space_to_depth{block=4294967296}", {x}), "at most");
}

TEST(Limits, StridesAndPadsAreExtents) {
  const TensorPtr x = Iota({1, 1, 3, 3}), w = Iota({1, 1, 2, 2});
  for (const char* attrs : {"strides=4611686018427387904,1", "pads=0,0,9223372036854775807,0",
                            "dilations=4611686018427387904,1", "groups=4611686018427387904"}) {
    for (const char* op : {"conv2d", "conv3d", "conv_transpose2d"})
      ExpectPart(Limited().Error(StrCat(op, "{", attrs, "}"), {x, w}), "at most");
  }
}

TEST(Limits, WhatAConvolutionCostsIsKnownBefore) {
  const TensorPtr x = Iota({1, 1, 64, 64}), w = Iota({1, 16, 8, 8});
  EXPECT_TRUE(Limited().Run("conv_transpose2d", {x, w}).ok());
  const Limited little = {.work = 1 << 20};
  ExpectPart(little.Error("conv_transpose2d", {x, w}), "S0301");
  ExpectPart(little.Error("conv2d", {Iota({1, 16, 32, 32}), Iota({16, 16, 5, 5})}), "S0301");
  ExpectPart(little.Error("matmul", {Iota({128, 128}), Iota({128, 128})}), "S0301");
  ExpectPart(little.Error("einsum{equation=ij,jk->ik}", {Iota({128, 128}), Iota({128, 128})}),
             "S0301");
  ExpectPart(little.Error("lrn{size=100000}", {x}), "S0301");
  // Phases of one pixel each.
  const Limited memory = {.bytes = int64_t{1} << 28, .work = 1 << 24};
  ExpectPart(memory.Error("conv_transpose2d{strides=4096,4096}", {Iota({1, 1, 2, 2}), w}), "S0301");
}

TEST(Limits, WindowsLargerThanTheImage) {
  // A kernel of 2^31 - 1 taps has four inside the image.
  EXPECT_EQ(RunText("max_pool{kernel=2147483647,2147483647,1 auto_pad=same_upper}",
                    {Iota({1, 1, 2, 2, 1})}),
            "f32[1, 1, 2, 2, 1] {3 3 3 3}");
  ExpectPart(Limited().Error("average_pool{kernel=2147483647,2147483647 auto_pad=same_upper}",
                             {Iota({1, 1, 2, 2})}),
             "steps");
}

TEST(Limits, RowsOfTensorsWithoutElements) {
  const TensorPtr rows = Empty({int64_t{1} << 40, 0});
  for (const char* op : {"softmax", "hardmax", "topk{k=0}", "relu", "concat"})
    ExpectPart(Limited().Error(op, {rows}), "no elements");
  ExpectPart(Limited().Error("softmax", {Empty({1 << 30, 0})}), "S0301");
  EXPECT_EQ(RunText("tile{repeats=0,0,9223372036854775806,0}", {Empty({2, 1, 0, 0})}),
            "f32[0, 0, 0, 0] {}");
}

TEST(Limits, ElementsThatAreNoWholeNumbers) {
  const TensorPtr packed = Tensor::New(kI4, {2, 8}).value();
  const TensorPtr vectors = Tensor::New(DType(TERN_DTYPE_FLOAT, 32, 4), {2, 8}).value();
  for (const TensorPtr& x : {packed, vectors}) {
    for (const char* op : {"trilu", "transpose", "abs", "bitwise_not"})
      ExpectPart(Limited().Error(op, {x}), "elements of whole bytes");
    EXPECT_TRUE(Limited().Run("reshape{shape=-1}", {x}).ok());
    EXPECT_TRUE(Limited().Run("shape_of", {x}).ok());
  }
  const TensorPtr complex = Tensor::New(kC128, {2}).value();
  const TensorPtr value = Tensor::New(kC128, {}).value();
  memset(complex->data(), 1, complex->byte_size());
  memset(value->data(), 2, value->byte_size());
  const Result<Any> padded = Limited().Run("pad{pads=1,1}", {complex, Any(), value});
  ASSERT_TRUE(padded.ok()) << padded.status().ToString();
  EXPECT_EQ(memcmp(padded->TryCast<Tensor>()->data(), value->data(), 16), 0);
}

TEST(Limits, NumbersThatAreNoIndices) {
  EXPECT_EQ(RunText("slice{starts=0 ends=3 steps=9223372036854775807}", {Iota({3, 2})}),
            "f32[1, 2] {0 1}");
  EXPECT_EQ(RunText("one_hot{depth=2}", {T_<float>({2}, {NAN, INFINITY}), Any(), F({2}, {0, 1})}),
            "f32[2, 2] {0 0 0 0}");
  ExpectPart(Limited().Error("one_hot", {F({1}, {0}), F({}, {INFINITY}), F({2}, {0, 1})}), "");
  EXPECT_EQ(RunText("eye_like{k=9223372036854775807}", {Iota({2, 2})}), "f32[2, 2] {0 0 0 0}");
  EXPECT_EQ(RunText("range", {T_<int32_t>({}, {INT32_MIN}), T_<int32_t>({}, {INT32_MAX}),
                              T_<int32_t>({}, {1 << 30})}),
            "i32[4] {-2.14748e+09 -1.07374e+09 0 1.07374e+09}");
}

TEST(Limits, ARunThatIsOverEndsInsideAKernel) {
  const KernelTable& fastest = ChooseTable(DetectCpuFeatures());
  if (&fastest == &ChooseTable({})) GTEST_SKIP() << "the plain loops do not look";
  const FunctionPtr function = MakeOperator("matmul").value();
  RunContext context;
  context.set_kernels(&fastest);
  std::atomic<int> looks = 0;
  const auto is_over = [](void* count) {
    return ++*static_cast<std::atomic<int>*>(count) > 1 ? RunContext::kOutOfTime
                                                        : RunContext::kGoesOn;
  };
  context.set_stop_query(is_over, &looks);
  const Result<Any> result = function->Invoke({Iota({20000, 256}), Iota({256, 256})}, &context);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().error_code(), "S0303");
  EXPECT_EQ(looks, 2);
  // Short calls hardly look.
  looks = 0;
  EXPECT_TRUE(function->Invoke({Iota({8, 8}), Iota({8, 8})}, &context).ok());
  EXPECT_LE(looks, 1);
}

}  // namespace
}  // namespace tern::kernels
