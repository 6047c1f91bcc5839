// SPDX-License-Identifier: Apache-2.0
// Compilation as a whole: what is refused, and how.
#include "core/driver/compile.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "core/object/allocator.h"
#include "core/text/diagnostics.h"
#include "core/vm/file/writer.h"
#include "tests/support/onnx_writer.h"

namespace tern::driver::compile_test {
namespace {

using test::kOnnxFloat;
using test::OnnxGraph;
using test::OnnxNode;

Result<CompileResult> Compile(const std::string& model) {
  CompileOptions options;
  options.source_name = "net.onnx";
  return CompileOnnx({reinterpret_cast<const uint8_t*>(model.data()), model.size()}, options);
}

TEST(CompileOnnx, MakesAnExecutable) {
  const std::string model =
      OnnxGraph().Input("x", kOnnxFloat, {2, 2}).Node({"Relu", {"x"}, {"y"}}).Output("y").Model(16);
  const Result<CompileResult> result = Compile(model);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_NE(result->executable->FindFunction("main"), nullptr);
}

std::string MetadataOf(const CompileResult& result, std::string_view wanted) {
  for (const auto& [key, value] : result.executable->metadata()) {
    if (key == wanted) return value;
  }
  return "none";
}

// B21: who reads an executable sees what its loop programs may do.
TEST(CompileOnnx, SaysThatMathematicsIsRelaxed) {
  const std::string model = OnnxGraph()
                                .Input("x", kOnnxFloat, {"n", 64})
                                .Node({"Mul", {"x", "x"}, {"s"}})
                                .Node({"Add", {"s", "x"}, {"y"}})
                                .Output("y")
                                .Model(16);
  for (const bool relaxed : {false, true}) {
    CompileOptions options;
    options.relaxed_math = relaxed;
    const Result<CompileResult> result =
        CompileOnnx({reinterpret_cast<const uint8_t*>(model.data()), model.size()}, options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(MetadataOf(*result, "math"), relaxed ? "relaxed" : "none");
    ASSERT_EQ(result->executable->kernels().size(), 1u);
    const std::string& text = result->executable->kernels()[0].bytes;
    EXPECT_EQ(text.find(" relaxed {") != std::string::npos, relaxed) << text;
  }
}

// Winograd's algorithm where it pays, unless sums over taps are asked for.
TEST(CompileOnnx, ConvolvesByTapsOnRequest) {
  std::vector<float> filters(64 * 64 * 9);
  for (size_t i = 0; i < filters.size(); ++i) filters[i] = static_cast<float>(i % 7) - 3;
  const std::string model = OnnxGraph()
                                .Input("x", kOnnxFloat, {"n", 64, 32, 32})
                                .Initializer(test::OnnxFloats("w", {64, 64, 3, 3}, filters))
                                .Node({"Conv", {"x", "w"}, {"y"}})
                                .Output("y")
                                .Model(16);
  for (const bool exact : {false, true}) {
    CompileOptions options;
    options.exact_convolutions = exact;
    options.print_after = {"pack_weights"};
    const Result<CompileResult> result =
        CompileOnnx({reinterpret_cast<const uint8_t*>(model.data()), model.size()}, options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    ASSERT_EQ(result->stages.size(), 1u);
    const std::string& text = result->stages[0].text;
    EXPECT_EQ(text.find("winograd=1") == std::string::npos, exact) << text;
    EXPECT_NE(text.find("packed=1"), std::string::npos) << text;
  }
}

// Floats of an executable that are exactly `bits`.
int64_t CountFloats(const CompileResult& compiled, uint32_t bits) {
  const std::vector<uint8_t> bytes = vm::SaveExecutable(*compiled.executable);
  int64_t count = 0;
  for (size_t at = 0; at + sizeof(bits) <= bytes.size(); at += sizeof(bits))
    count += std::memcmp(bytes.data() + at, &bits, sizeof(bits)) == 0;
  return count;
}

// A layer of constant weights, a tenth of which are the number.
std::string ModelOf(OnnxNode layer, const std::vector<int64_t>& dims, float number) {
  int64_t size = 1;
  for (const int64_t extent : dims) size *= extent;
  std::vector<float> weights(static_cast<size_t>(size));
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = i / 9 % 10 == 3 ? number : static_cast<float>(i % 7) - 3;
  layer.inputs = {"x", "w"};
  layer.outputs = {"y"};
  std::vector<test::OnnxDim> input = {"n", 64};
  if (dims.size() == 4) input.insert(input.end(), {32, 32});
  return OnnxGraph()
      .Input("x", kOnnxFloat, input)
      .Initializer(test::OnnxFloats("w", dims, weights))
      .Node(layer)
      .Output("y")
      .Model(16);
}

// By which some processors multiply for a hundred cycles.
TEST(CompileOnnx, PacksSubnormalWeightsAsZeros) {
  const uint32_t bits = 0x0055aa33;
  const float subnormal = std::bit_cast<float>(bits);
  const struct {
    OnnxNode layer;
    std::vector<int64_t> dims;
  } kLayers[] = {
      {{"Conv", {}, {}}, {64, 64, 3, 3}},
      {{"Conv", {}, {}}, {40, 64, 1, 1}},
      {{"Conv", {}, {}, {test::IntAttribute("group", 64)}}, {64, 1, 3, 3}},
      {{"ConvTranspose", {}, {}}, {64, 24, 2, 2}},
      {{"MatMul", {}, {}}, {64, 40}},
      {{"Gemm", {}, {}, {test::IntAttribute("transB", 1)}}, {40, 64}},
  };
  for (const auto& [layer, dims] : kLayers) {
    const std::string model = ModelOf(layer, dims, subnormal);
    for (const bool packs : {false, true}) {
      CompileOptions options;
      if (!packs) options.disabled_passes = {"pack_weights", "pack_winograd"};
      const Result<CompileResult> result =
          CompileOnnx({reinterpret_cast<const uint8_t*>(model.data()), model.size()}, options);
      ASSERT_TRUE(result.ok()) << result.status().message();
      EXPECT_EQ(CountFloats(*result, bits) > 0, !packs) << layer.op_type;
    }
  }
}

// Each line of a stage that a node of the model led to names it, whatever passes did in between.
TEST(CompileOnnx, StagesTellWhatTheirLinesCameFrom) {
  const std::string model = OnnxGraph()
                                .Input("x", kOnnxFloat, {2, 3})
                                .Node({"Exp", {"x"}, {"e"}, {}, "let \n let %0 ="})
                                .Node({"Neg", {"e"}, {"y"}, {}, "minus"})
                                .Output("y")
                                .Model(16);
  CompileOptions options;
  options.print_after = {"all"};
  const Result<CompileResult> result =
      CompileOnnx({reinterpret_cast<const uint8_t*>(model.data()), model.size()}, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  size_t told = 0;
  for (const Stage& stage : result->stages) {
    const std::vector<std::string_view> lines = StrSplit(stage.text, '\n');
    for (const auto& [line, origin] : stage.origins) {
      ASSERT_LE(line, lines.size()) << stage.name;
      EXPECT_NE(lines[line - 1].find("let %"), std::string_view::npos) << stage.name;
      const bool is_negation = lines[line - 1].find("neg(") != std::string_view::npos;
      EXPECT_EQ(origin == "minus", is_negation) << lines[line - 1];
      told += origin == "minus";
    }
  }
  EXPECT_GT(told, 1u);
  EXPECT_NE(StagesJson(result->stages).find(R"("origins":[[)"), std::string::npos);
}

// A 3x3 convolution of 3 to 4 channels over n images of 8x8, then a product of 256 by 10.
TEST(CompileOnnx, CountsMultiplyAdds) {
  const std::string model =
      OnnxGraph()
          .Input("x", kOnnxFloat, {"n", 3, 10, 10})
          .Initializer(test::OnnxFloats("w", {4, 3, 3, 3}, std::vector<float>(108, 1)))
          .Initializer(test::OnnxFloats("m", {256, 10}, std::vector<float>(2560, 1)))
          .Node({"Conv", {"x", "w"}, {"c"}})
          .Node({"Flatten", {"c"}, {"f"}})
          .Node({"MatMul", {"f", "m"}, {"y"}})
          .Output("y")
          .Model(16);
  const Result<CompileResult> result = Compile(model);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(MetadataOf(*result, "macs"), "9472*n");  // 4*64*27 + 2560
}

// A gigabyte of zeros in a file of a few bytes is not written out to be packed.
TEST(CompileOnnx, LimitsTheMemoryOfConstants) {
  const std::string model = OnnxGraph()
                                .Input("x", kOnnxFloat, {1, 8192})
                                .Initializer(test::OnnxInts("shape", {8192, 32767}))
                                .Node({"ConstantOfShape", {"shape"}, {"w"}})
                                .Node({"MatMul", {"x", "w"}, {"y"}})
                                .Output("y")
                                .Model(16);
  DefaultAllocator()->ResetPeak();
  const Result<CompileResult> result = Compile(model);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_LT(DefaultAllocator()->stats().peak_bytes, 64 << 20);
}

TEST(CompileOnnx, RefusesBytesThatAreNoModel) {
  const Result<CompileResult> result = Compile("GIF89a is no model");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().error_code(), "E0401");
}

TEST(CompileOnnx, RefusesAPassThatDoesNotExist) {
  CompileOptions options;
  options.disabled_passes = {"fold_constant"};
  const Result<CompileResult> result = CompileOnnx({}, options);
  ASSERT_FALSE(result.ok());
  const text::Diagnostics* diagnostics = text::DiagnosticsOf(result.status());
  ASSERT_NE(diagnostics, nullptr);
  EXPECT_EQ(diagnostics->items()[0].help,
            std::vector<std::string>{"did you mean 'fold_constants'?"});
}

}  // namespace
}  // namespace tern::driver::compile_test
