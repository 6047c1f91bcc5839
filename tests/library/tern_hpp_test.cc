// SPDX-License-Identifier: Apache-2.0
// C35, the C++17 header: results, values, DLPack in and out, symbolic dimensions, limits,
// cancellation, and that handles keep alive what they need.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <tern/tern.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace tern_hpp_test {
namespace {

using tern::Dlpack;
using tern::Expected;
using tern::Machine;
using tern::Program;
using tern::Runtime;
using tern::Value;

constexpr char kModel[] = TERN_SOURCE_DIR "/tests/models/digits/model.onnx";

// x + x, and a loop without an end.
constexpr char kSource[] =
    "fn main(x: f32[n]) -> f32[n] { x + x }\n"
    "fn pair(x: f32[n], k: int) -> (f32[n], int) { (x, k) }\n"
    "fn forever(i: int) -> int { if (i < 0) { i } else { forever(i) } }\n";

Expected<Program> Compile(const Runtime& runtime, std::string_view text) {
  return runtime.CompileSource(text).and_then(
      [&](tern::Buffer bytes) { return runtime.Load(std::move(bytes)); });
}

TEST(TernHpp, FromAModelToItsDigit) {
  const Runtime runtime = Runtime::Create().value();
  const Program program = runtime.LoadFile(kModel).value();
  const tern::Signature signature = program.signature().value();
  ASSERT_EQ(signature.parameters.size(), 1u);
  const tern::ValueType& image = signature.parameters[0];
  EXPECT_EQ(image.name, "image");
  EXPECT_EQ(image.dtype, "f32");
  ASSERT_EQ(image.dims.size(), 4u);
  EXPECT_EQ(image.dims[0].symbol, "batch");
  EXPECT_EQ(image.dims[0].extent, -1);
  EXPECT_FALSE(image.dims[0].is_known());
  EXPECT_EQ(image.dims[2].extent, 28);
  Machine machine = program.Start().value();
  const Value input = runtime.NewTensor<float>({2, 1, 28, 28}).value();
  const Value output = machine.Call("main", {input}).value();
  const tern::TensorView view = output.View().value();
  EXPECT_EQ(std::vector<int64_t>(view.shape.begin(), view.shape.end()),
            (std::vector<int64_t>{2, 10}));
  float sum = 0;
  for (const float p : output.Data<const float>().value()) sum += p;
  EXPECT_NEAR(sum, 2, 1e-5);
}

TEST(TernHpp, ValuesOfEveryKind) {
  EXPECT_TRUE(Value().is_none());
  EXPECT_EQ(Value(7).AsInt().value(), 7);
  EXPECT_EQ(Value(uint8_t{7}).AsInt().value(), 7);
  EXPECT_EQ(Value(2.5).AsFloat().value(), 2.5);
  EXPECT_STREQ(Value(true).type_name(), "bool");
  const Value text = Value::FromText("a text that takes more than sixteen bytes").value();
  const Value copy = text;
  EXPECT_EQ(copy.AsText().value(), "a text that takes more than sixteen bytes");
  Value moved = Value(7);
  moved = copy;
  EXPECT_EQ(moved.text(), text.text());
}

TEST(TernHpp, RefusesValuesOfAnotherKind) {
  const auto number = Value::FromText("one").value().AsInt();
  ASSERT_FALSE(number);
  EXPECT_STREQ(number.error().message(), "expected a value of type int, got string");
  EXPECT_STREQ(number.error().code(), "E0202");
  EXPECT_STREQ(number.error().text(), "error[E0202]: expected a value of type int, got string\n");
  EXPECT_FALSE(Value(1).View());
  EXPECT_FALSE(Value(1).AsText());
  EXPECT_FALSE(Value(1).ToDlpack());
  EXPECT_FALSE(Value(1).Get(0));
  EXPECT_FALSE(Value::FromText("\xff"));
  EXPECT_FALSE(Value::FromDlpack(nullptr));
}

TEST(TernHpp, TensorsKnowTheirTypeAndSize) {
  const Runtime runtime = Runtime::Create().value();
  const Value tensor = runtime.Tensor<int32_t>({2, 2}, {1, 2, 3, 4}).value();
  EXPECT_EQ(tensor.Data<int32_t>().value()[3], 4);
  const auto wrong = tensor.Data<float>();
  ASSERT_FALSE(wrong);
  EXPECT_STREQ(wrong.error().message(),
               "the elements of a tensor were asked for as f32, but they are i32");
  const auto few = runtime.Tensor<double>({3}, {1, 2});
  ASSERT_FALSE(few);
  EXPECT_STREQ(few.error().message(), "a tensor of 3 elements was given 2");
  EXPECT_FALSE(runtime.NewTensor<float>({-1}));
  EXPECT_FALSE(runtime.NewTensor<float>({INT64_MAX, INT64_MAX}));
}

TEST(TernHpp, TuplesComeApart) {
  const Runtime runtime = Runtime::Create().value();
  const Program program = Compile(runtime, kSource).value();
  Machine machine = program.Start().value();
  const Value x = runtime.Tensor<float>({2}, {1, 2}).value();
  const Value pair = machine.Call("pair", {x, 5}).value();
  ASSERT_EQ(pair.size(), 2);
  EXPECT_EQ(pair.Get(0).value().Data<float>().value()[1], 2);
  EXPECT_EQ(pair.Get(1).value().AsInt().value(), 5);
  EXPECT_FALSE(pair.Get(2));
  const tern::Signature signature = program.signature("pair").value();
  ASSERT_EQ(signature.results.size(), 2u);
  EXPECT_EQ(signature.results[0].dims[0].symbol, "n");
  EXPECT_FALSE(signature.results[1].has_rank);
}

TEST(TernHpp, CallsSayWhatIsWrong) {
  const Runtime runtime = Runtime::Create().value();
  const Program program = Compile(runtime, kSource).value();
  Machine machine = program.Start().value();
  const auto function = machine.Call("mian", {});
  ASSERT_FALSE(function);
  EXPECT_STREQ(function.error().code(), "E0206");
  const auto kind = machine.Call("main", {runtime.Tensor<double>({1}, {1}).value()});
  ASSERT_FALSE(kind);
  EXPECT_STREQ(kind.error().code(), "E0204");
  EXPECT_NE(std::string(kind.error().json()).find("\"diagnostics\""), std::string::npos);
  EXPECT_FALSE(program.signature("mian"));
  EXPECT_FALSE(Compile(runtime, "fn main( {"));
  EXPECT_FALSE(runtime.LoadFile("/no/such/file.tern"));
  EXPECT_FALSE(runtime.CompileOnnx("not a model", 11));
}

TEST(TernHpp, LimitsEndARun) {
  const Runtime runtime = Runtime::Create().value();
  const Program program = Compile(runtime, kSource).value();
  tern::Limits limits;
  limits.max_instructions = 1000;
  const auto steps = program.Start(limits).value().Call("forever", {1});
  ASSERT_FALSE(steps);
  EXPECT_STREQ(steps.error().code(), "S0301");
  limits = {};
  limits.max_time_ms = 5;
  const auto time = program.Start(limits).value().Call("forever", {1});
  ASSERT_FALSE(time);
  EXPECT_STREQ(time.error().code(), "S0303");
}

TEST(TernHpp, ARunIsCancelledFromAnotherThread) {
  const Runtime runtime = Runtime::Create().value();
  auto machine = std::make_unique<Machine>(Compile(runtime, kSource).value().Start().value());
  const tern::Canceller canceller = machine->canceller();
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) {
      EXPECT_TRUE(canceller.Cancel());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto result = machine->Call("forever", {1});
  done = true;
  other.join();
  ASSERT_FALSE(result);
  EXPECT_STREQ(result.error().code(), "S0302");
  machine.reset();
  EXPECT_FALSE(canceller.Cancel());
}

TEST(TernHpp, DlpackInWithoutACopy) {
  const Runtime runtime = Runtime::Create().value();
  Machine machine = Compile(runtime, kSource).value().Start().value();
  auto elements = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3});
  const std::weak_ptr<std::vector<float>> alive = elements;
  const float* const data = elements->data();
  Value wrapped = Value::Wrap(data, {3}, std::move(elements)).value();
  EXPECT_EQ(wrapped.View().value().data, data);
  const Value doubled = machine.Call("main", {wrapped}).value();
  EXPECT_EQ(doubled.Data<float>().value()[2], 6);
  EXPECT_FALSE(alive.expired());
  wrapped = Value();
  EXPECT_TRUE(alive.expired());
}

TEST(TernHpp, DlpackOutOutlivesEverything) {
  Dlpack out;
  {
    const Runtime runtime = Runtime::Create().value();
    Machine machine = Compile(runtime, kSource).value().Start().value();
    const Value x = runtime.Tensor<float>({2}, {1, 2}).value();
    out = machine.Call("main", {x}).value().ToDlpack().value();
  }
  const TernDLTensor& tensor = out->dl_tensor;
  ASSERT_EQ(tensor.ndim, 1);
  EXPECT_EQ(tensor.shape[0], 2);
  EXPECT_EQ(tensor.dtype.code, TERN_DTYPE_FLOAT);
  EXPECT_EQ(static_cast<const float*>(tensor.data)[1], 4);
  const Value back = Value::FromDlpack(std::move(out)).value();
  EXPECT_EQ(back.Data<float>().value()[0], 2);
}

TEST(TernHpp, RefusesDlpackOfAnotherMajorVersion) {
  int freed = 0;
  TernDLManagedTensorVersioned foreign = {};
  foreign.version = {9, 0};
  foreign.manager_ctx = &freed;
  foreign.deleter = [](TernDLManagedTensorVersioned* self) {
    ++*static_cast<int*>(self->manager_ctx);
  };
  EXPECT_FALSE(Value::FromDlpack(Dlpack(&foreign)));
  EXPECT_EQ(freed, 1);
}

TEST(TernHpp, HandlesKeepWhatTheyNeed) {
  const int64_t before = tern_live_objects();
  {
    Value result;
    float element = 1;
    {
      Machine machine = Compile(Runtime::Create().value(), kSource).value().Start().value();
      result = machine.Call("pair", {Value::Wrap(&element, {1}).value(), 1}).value();
    }
    EXPECT_EQ(result.size(), 2);
  }
  EXPECT_EQ(tern_live_objects(), before);
}

TEST(TernHpp, KernelLibraries) {
  const Runtime runtime = Runtime::Create().value();
  const auto refused = runtime.LoadKernels("no-such-library.so", false);
  ASSERT_FALSE(refused);
  EXPECT_STREQ(refused.error().code(), "E0003");
  const auto missing = runtime.LoadKernels("no-such-library.so", true);
  ASSERT_FALSE(missing);
  EXPECT_STREQ(missing.error().code(), "E0101");
  const auto wrong = runtime.LoadKernels(kModel, true);
  ASSERT_FALSE(wrong);
  EXPECT_STREQ(wrong.error().code(), "E0808");
#ifdef TERN_KERNELS
  EXPECT_TRUE(runtime.LoadKernels(TERN_KERNELS, true));
  EXPECT_TRUE(runtime.LoadKernels(TERN_KERNELS, true)) << "again";
  const std::string_view text =
      ".func @main(n: int) -> int\n"
      "  call  example.triangle in: %0 dst: %1\n"
      "  ret   ret %1\n";
  tern_buffer* bytes = nullptr;
  ASSERT_EQ(tern_assemble(runtime.raw(), text.data(), text.size(), "a.tasm", &bytes), nullptr);
  Machine machine = runtime.Load(tern::Buffer(bytes)).value().Start().value();
  EXPECT_EQ(machine.Call("main", {Value(int64_t{10})}).value().AsInt().value(), 55);
  // The library is that of one runtime.
  const Runtime other = Runtime::Create().value();
  ASSERT_EQ(tern_assemble(other.raw(), text.data(), text.size(), "a.tasm", &bytes), nullptr);
  const auto lacking = other.Load(tern::Buffer(bytes));
  ASSERT_FALSE(lacking);
  EXPECT_STREQ(lacking.error().code(), "E0107");
#endif
}

TEST(TernHpp, KernelsAndThreads) {
  tern::RuntimeOptions options;
  options.threads = 2;
  const Runtime runtime = Runtime::Create(options).value();
  EXPECT_EQ(runtime.threads(), 2);
  Program program = Compile(runtime, kSource).value();
  tern::KernelOptions kernels;
  kernels.policy = "operators";
  EXPECT_TRUE(program.PrepareKernels(kernels));
  kernels.policy = "fastest";
  const auto wrong = program.PrepareKernels(kernels);
  ASSERT_FALSE(wrong);
  EXPECT_STREQ(wrong.error().code(), "E0003");
  options.threads = -1;
  EXPECT_FALSE(Runtime::Create(options));
  options.threads = 1;
  options.target = "avx9";
  EXPECT_FALSE(Runtime::Create(options));
}

}  // namespace
}  // namespace tern_hpp_test
