// SPDX-License-Identifier: Apache-2.0
// B29: code over plain buffers as a function: what it is given, what it may not be given, and that
// a call of it allocates nothing once memory for its results is there.
#include "core/vm/kernel_function.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/inline_vector.h"
#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/run_context.h"
#include "core/object/tensor.h"
#include "core/vm/linker.h"
#include "core/vm/text/assembler.h"
#include "core/vm/vm.h"
#include "tests/support/allocation_count.h"

namespace tern::vm::kernel_function_test {
namespace {

// y[i] = x[i] * s + n, and the workspace's elements are 7.
int32_t Scale(void* const* buffers, const int64_t* slots) {
  const auto* x = static_cast<const float*>(buffers[0]);
  auto* y = static_cast<float*>(buffers[1]);
  auto* w = static_cast<float*>(buffers[2]);
  float s = 0;
  __builtin_memcpy(&s, &slots[1], sizeof(s));
  for (int64_t i = 0; i < slots[0]; ++i) {
    y[i] = x[i] * s + static_cast<float>(slots[0]);
    w[i] = 7;
  }
  return slots[0] == 13 ? 5 : 0;
}

KernelSpec SpecOf(std::string_view signature) {
  KernelSpec spec;
  spec.name = "scale";
  spec.signature = Signature::Parse(signature).value();
  spec.slots = {"n", "s"};
  return spec;
}

constexpr std::string_view kSignature = "(x: f32[n], s: f32[]) -> (y: f32[n], w: f32[2 * n + 1])";

FunctionPtr Made(uint32_t results = 1) {
  KernelSpec spec = SpecOf(kSignature);
  spec.results = results;
  return MakeKernelFunction(std::move(spec), {.call = &Scale}).value();
}

TensorPtr Floats(int64_t count, float first) {
  TensorPtr tensor = Tensor::New(kF32, {count}).value();
  for (int64_t i = 0; i < count; ++i) tensor->data_as<float>()[i] = first + static_cast<float>(i);
  return tensor;
}
TensorPtr Scalar(float value) {
  TensorPtr tensor = Tensor::New(kF32, {}).value();
  *tensor->data_as<float>() = value;
  return tensor;
}

TEST(KernelFunction, B29_GivesTheCodeBuffersSizesAndValues) {
  RunContext context;
  const TensorPtr x = Floats(5, 1), s = Scalar(2);
  const Any y = Made()->Invoke({x.get(), s.get()}, &context).value();
  EXPECT_EQ(y.TryCast<Tensor>()->TypeText(), "f32[5]");
  EXPECT_EQ(y.TryCast<Tensor>()->data_as<float>()[4], 15);
  const Any both = Made(2)->Invoke({x.get(), s.get()}, &context).value();
  ASSERT_NE(both.TryCast<Adt>(), nullptr);
  const Tensor* w = both.TryCast<Adt>()->fields()[1].TryCast<Tensor>();
  EXPECT_EQ(w->TypeText(), "f32[11]");
  EXPECT_EQ(w->data_as<float>()[4], 7);
}

// More of everything than a call keeps beside itself.
TEST(KernelFunction, B29_TakesAnyNumberOfBuffers) {
  std::string parameters, results;
  constexpr int kMany = 21;
  for (int i = 0; i < kMany; ++i) {
    StrAppend(&parameters, i == 0 ? "" : ", ", "x", i, ": f32[n", i, "]");
    StrAppend(&results, i == 0 ? "" : ", ", "y", i, ": f32[n", kMany - 1 - i, "]");
  }
  KernelSpec spec;
  spec.name = "many";
  spec.signature = Signature::Parse(StrCat("(", parameters, ") -> (", results, ")")).value();
  spec.results = kMany;
  for (int i = 0; i < kMany; ++i) spec.slots.push_back(StrCat("n", i));
  const auto reversed = [](void* const* buffers, const int64_t* slots) -> int32_t {
    for (int i = 0; i < kMany; ++i) {
      for (int64_t k = 0; k < slots[kMany - 1 - i]; ++k)
        static_cast<float*>(buffers[kMany + i])[k] =
            static_cast<const float*>(buffers[kMany - 1 - i])[k];
    }
    return 0;
  };
  const FunctionPtr function = MakeKernelFunction(std::move(spec), {.call = reversed}).value();
  std::vector<TensorPtr> inputs;
  std::vector<AnyView> args;
  for (int i = 0; i < kMany; ++i) {
    // Every third is not contiguous and has to be copied.
    const TensorPtr whole = Floats(2 * (i + 1), static_cast<float>(100 * i));
    inputs.push_back(i % 3 == 0 ? whole->Slice(0, 0, 2 * (i + 1), 2).value()
                                : whole->Slice(0, 0, i + 1, 1).value());
    args.emplace_back(inputs.back().get());
  }
  RunContext context;
  const Any made = function->Invoke(args, &context).value();
  for (int i = 0; i < kMany; ++i) {
    const Tensor& y = *made.TryCast<Adt>()->fields()[static_cast<size_t>(i)].TryCast<Tensor>();
    ASSERT_EQ(y.element_count(), kMany - i);
    EXPECT_EQ(y.data_as<float>()[0], static_cast<float>(100 * (kMany - 1 - i)));
  }
}

TEST(KernelFunctionBad, B29_ArgumentsAndCodeThatFail) {
  RunContext context;
  const FunctionPtr function = Made();
  const TensorPtr x = Floats(5, 1), s = Scalar(2), unlucky = Floats(13, 1);
  const TensorPtr matrix = Tensor::New(kF32, {2, 2}).value();
  const TensorPtr doubles = Tensor::New(kF64, {5}).value();
  EXPECT_FALSE(function->Invoke({}, &context).ok());
  EXPECT_FALSE(function->Invoke({x.get()}, &context).ok());
  EXPECT_FALSE(function->Invoke({int64_t{3}, s.get()}, &context).ok());
  EXPECT_FALSE(function->Invoke({matrix.get(), s.get()}, &context).ok());
  EXPECT_FALSE(function->Invoke({doubles.get(), s.get()}, &context).ok());
  EXPECT_FALSE(function->Invoke({x.get(), x.get()}, &context).ok());
  const Result<Any> failed = function->Invoke({unlucky.get(), s.get()}, &context);
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.status().message().find("'scale' failed with 5"), std::string_view::npos);
  EXPECT_EQ(failed.status().error_code(), "E0320");
}

TEST(KernelFunctionBad, B29_SpecsThatDoNotFitTogether) {
  const auto refused = [](KernelSpec spec) {
    return !MakeKernelFunction(std::move(spec), {.call = &Scale}).ok();
  };
  KernelSpec spec = SpecOf(kSignature);
  EXPECT_FALSE(MakeKernelFunction(spec, {}).ok());
  spec.results = 3;
  EXPECT_TRUE(refused(spec));
  spec.results = 0;
  EXPECT_TRUE(refused(spec));
  spec = SpecOf(kSignature);
  spec.slots = {"s", "n"};
  EXPECT_TRUE(refused(spec));
  spec.slots = {"m"};
  EXPECT_TRUE(refused(spec));
  EXPECT_TRUE(refused(SpecOf("(x: f32[2 * n], s: f32[]) -> (y: f32[n])")));
  EXPECT_TRUE(refused(SpecOf("(x: f32[n], s: f32[1]) -> (y: f32[n])")));
  EXPECT_TRUE(refused(SpecOf("(x: f32[n], s: f32[]) -> (y: f32[?])")));
  // Values that no slot has room for.
  EXPECT_TRUE(refused(SpecOf("(x: f32[n], s: f32x4[]) -> (y: f32[n])")));
  EXPECT_TRUE(refused(SpecOf("(x: f32[n], s: c128[]) -> (y: f32[n])")));
  EXPECT_FALSE(refused(SpecOf("(x: f32[n], s: f32x2[]) -> (y: f32[n])")));
}

// Allocations of a call, once it was made a few times.
template <typename F>
int64_t AllocationsOf(const F& call) {
  for (int i = 0; i < 4; ++i) call();
  const int64_t before = AllocationCount();
  call();
  return AllocationCount() - before;
}

TEST(KernelFunction, B29_ACallAllocatesNothingOnceItsResultsHaveMemory) {
  if (!AllocationsAreCounted()) GTEST_SKIP() << "allocations are not counted here";
  RunContext context;
  const TensorPtr x = Floats(5, 1), s = Scalar(2);
  const TensorPtr apart = Floats(10, 1)->Slice(0, 0, 10, 2).value();
  for (const TensorPtr& input : {x, apart}) {
    for (const uint32_t results : {1u, 2u}) {
      const FunctionPtr function = Made(results);
      const TernAny args[] = {AnyView(static_cast<void*>(&context)).c_any(),
                              AnyView(input.get()).c_any(), AnyView(s.get()).c_any()};
      const int64_t made = AllocationsOf([&] {
        TernAny result{};
        EXPECT_EQ(function->Call(args, 3, &result), 0);
        const Any owned = Any::Adopt(result);
      });
      // A tuple is an object that comes from no pool.
      EXPECT_LE(made, results - 1) << results;
    }
  }
}

TEST(KernelFunction, B29_AMachineAllocatesNothingToCallOne) {
  if (!AllocationsAreCounted()) GTEST_SKIP() << "allocations are not counted here";
  std::string text = ".func @scale(x: f32[n], s: f32[]) -> f32[n]\n  ret ret %0\n";
  for (const int calls : {1, 20}) {
    StrAppend(&text, ".func @calls", calls, "(x: f32[n], s: f32[]) -> f32[n]\n");
    for (int i = 0; i < calls; ++i) StrAppend(&text, "  invoke @scale in: %0, %1 dst: %2\n");
    StrAppend(&text, "  ret ret %2\n");
  }
  const ProgramPtr program = Program::Link(Assemble(text, "test.tasm").value()).value();
  KernelBackend backend;
  backend.replacement.function = Made();
  ASSERT_TRUE(program->SetKernel("scale", std::move(backend)).ok());
  const auto vm = VirtualMachine::Create(program).value();
  const TensorPtr x = Floats(5, 1), s = Scalar(2);
  const auto calls_of = [&](std::string_view function) {
    return AllocationsOf([&] { EXPECT_TRUE(vm->Call(function, {x.get(), s.get()}).ok()); });
  };
  EXPECT_EQ(calls_of("calls20"), calls_of("calls1"));
}

TEST(InlineVectorTest, KeepsWhatItHasAsItGrows) {
  InlineVector<std::string, 2> texts;
  EXPECT_TRUE(texts.empty());
  for (int i = 0; i < 9; ++i) {
    texts.push_back(StrCat("number ", i, " with more than fits in place"));
    texts.push_back(texts[0]);  // of itself
  }
  ASSERT_EQ(texts.size(), 18u);
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(texts[2 * i], StrCat("number ", i, " with more than fits in place"));
    EXPECT_EQ(texts[2 * i + 1], texts[0]);
  }
  EXPECT_EQ(texts.back(), *(texts.end() - 1));
}

}  // namespace
}  // namespace tern::vm::kernel_function_test
