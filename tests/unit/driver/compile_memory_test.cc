// SPDX-License-Identifier: Apache-2.0
// What compiling takes is charged, too: each charge that fails ends it with E0302 and leaks
// nothing, and what grows with a small input ends within its limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/driver/compile_module.h"
#include "core/driver/compile_source.h"
#include "core/vm/file/writer.h"
#include "tests/support/onnx_writer.h"
#include "tests/support/rounds.h"
#include "tests/unit/driver/run_model.h"

namespace tern::driver::compile_memory_test {
namespace {

using test::kOnnxFloat;
using test::OnnxGraph;

constexpr uint64_t kPlenty = uint64_t{1} << 40;

struct Sample {
  const char* name;
  const char* text;  // null: the model
};

constexpr Sample kSamples[] = {
    {"functions",
     "fn twice(x: f32[n]) -> f32[n] { exp(exp(x)) }\n"
     "fn main(x: f32[n]) -> f32[n] { let f = |v: f32[n]| twice(v) + x; f(f(x)) * 2.0 }\n"},
    {"matches",
     "type Tree[a] { Leaf, Node(Tree[a], a, Tree[a]) }\n"
     "fn sum(t: Tree[int]) -> int {\n"
     "  match t { Leaf => 0, Node(l, v, r) => sum(l) + v + sum(r) }\n}\n"
     "fn main(n: int) -> int {\n"
     "  let total = for i in 0..n with (s = 0) { s + i };\n"
     "  sum(Node(Leaf, total, Node(Leaf, 1, Leaf)))\n}\n"},
    {"kernels",
     "kernel k(a: f32[n, m]) -> (y: f32[n]) { compute y[i] = sum(j < m, a[i, j] * a[i, j]) }\n"
     "fn main(a: f32[n, m]) -> f32[n] { k(a + a) }\n"},
    {"model", nullptr},
};

// Weights that are folded, a shape that is computed, and a branch.
std::string Model() {
  return OnnxGraph()
      .Input("x", kOnnxFloat, {"n", 4})
      .Initializer(test::OnnxFloats("a", {4, 4}, std::vector<float>(16, 1)))
      .Initializer(test::OnnxFloats("b", {4, 4}, std::vector<float>(16, 2)))
      .Node({"Add", {"a", "b"}, {"w"}})
      .Node({"MatMul", {"x", "w"}, {"p"}})
      .Node({"Relu", {"p"}, {"q"}})
      .Node({"Mul", {"q", "q"}, {"y"}})
      .Output("y")
      .Model(16);
}

// A chain of n operators.
std::string Chain(int n) {
  OnnxGraph graph;
  graph.Input("v0", kOnnxFloat, {"n"});
  for (int i = 0; i < n; ++i)
    graph.Node({"Neg", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)}});
  return graph.Output("v" + std::to_string(n)).Model(16);
}

Result<CompileResult> Compile(const Sample& sample, const CompileOptions& options) {
  if (sample.text != nullptr) return CompileSource(sample.text, options);
  const std::string model = Model();
  return CompileOnnx(AsBytes(model), options);
}

// The executable's bytes, or the error's code.
std::string Outcome(const Result<CompileResult>& compiled) {
  if (!compiled.ok()) return std::string(compiled.status().error_code());
  const auto bytes = vm::SaveExecutable(*compiled->executable);
  return std::string(bytes.begin(), bytes.end());
}

class CompileMemoryTest : public testing::TestWithParam<Sample> {};

TEST_P(CompileMemoryTest, EveryChargeMayFail) {
  const Sample& sample = GetParam();
  const Result<CompileResult> plain = Compile(sample, {});
  ASSERT_TRUE(plain.ok()) << plain.status().ToString();
  const std::string expected = Outcome(plain);
  CompileMemory counting(kPlenty);
  counting.account().FailAt(0);
  CompileOptions options;
  options.memory = &counting;
  EXPECT_EQ(Outcome(Compile(sample, options)), expected);
  const int64_t charges = counting.account().charges();
  ASSERT_GT(charges, 50);
  const int64_t live = LiveObjectCount();
  const int64_t step = std::max<int64_t>(charges / support::Rounds(200), 1);
  int64_t refused = 0;
  for (int64_t n = 1; n <= charges; n += n < 16 ? 1 : step) {
    CompileMemory memory(kPlenty);
    memory.account().FailAt(n);
    options.memory = &memory;
    const std::string got = Outcome(Compile(sample, options));
    // What is charged behind the last look, to write the executable, is not refused any more.
    EXPECT_TRUE(got == "E0302" || got == expected) << "charge " << n << ": " << got.substr(0, 80);
    refused += got == "E0302";
    EXPECT_EQ(LiveObjectCount(), live) << "charge " << n;
  }
  EXPECT_GT(refused, 16);
  EXPECT_EQ(Outcome(Compile(sample, {})), expected) << "afterwards";
}

INSTANTIATE_TEST_SUITE_P(All, CompileMemoryTest, testing::ValuesIn(kSamples),
                         [](const auto& info) { return std::string(info.param.name); });

// Compiles with that limit and expects E0302, from what never had much more.
void ExpectRefused(const std::string& input, bool is_model, uint64_t limit) {
  CompileMemory memory(limit);
  CompileOptions options;
  options.memory = &memory;
  const Result<CompileResult> compiled =
      is_model ? CompileOnnx(AsBytes(input), options) : CompileSource(input, options);
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.status().error_code(), "E0302") << compiled.status().ToString();
  EXPECT_EQ(compiled.status().code(), StatusCode::kOutOfMemory);
  EXPECT_NE(compiled.status().message().find("the compiler may have"), std::string_view::npos);
}

TEST(CompileMemory, RefusesATextThatIsTooLong) {
  std::string text = "fn main(x: int) -> int {\n  let y0 = x;\n";
  for (int i = 1; i < 1000; ++i)
    text += "  let y" + std::to_string(i) + " = y" + std::to_string(i - 1) + " + x;\n";
  text += "  y999\n}\n";
  ExpectRefused(text, false, uint64_t{1} << 20);
  EXPECT_TRUE(CompileSource(text, {}).ok());
}

TEST(CompileMemory, RefusesAModelOfTooManyNodes) {
  const std::string model = Chain(20000);
  ExpectRefused(model, true, uint64_t{1} << 20);
  // Nodes are pointers for the most part.
  ExpectRefused(model, true, uint64_t{sizeof(void*)} << 19);
}

// Each function is two calls of the next one: 300 bytes that become 8192 nodes.
TEST(CompileMemory, RefusesFunctionsThatDouble) {
  constexpr int kCount = 13;
  test::ProtoWriter more;
  more.Message(8, test::ProtoWriter().Text(1, "own").Int(2, 1));
  for (int i = 0; i < kCount; ++i) {
    const bool last = i + 1 == kCount;
    const std::string name = "f" + std::to_string(i), next = "f" + std::to_string(i + 1);
    const std::string_view op = last ? "Relu" : std::string_view(next), domain = last ? "" : "own";
    test::ProtoWriter function;
    function.Text(1, name).Text(4, "a").Text(5, "c").Text(10, "own");
    function.Message(7, test::OnnxNode{op, {"a"}, {"b"}, {}, "", domain}.Write());
    function.Message(7, test::OnnxNode{op, {"b"}, {"c"}, {}, "", domain}.Write());
    more.Message(25, function.Message(9, test::ProtoWriter().Text(1, "").Int(2, 16)));
  }
  const std::string model = OnnxGraph()
                                .Input("x", kOnnxFloat, {2})
                                .Node({"f0", {"x"}, {"y"}, {}, "", "own"})
                                .Output("y")
                                .Model(16, more);
  ExpectRefused(model, true, uint64_t{1} << 20);
  EXPECT_TRUE(CompileOnnx(AsBytes(model), {}).ok());
}

// A node of two bytes is read into a struct.
TEST(CompileMemory, RefusesAModelOfEmptyNodes) {
  const OnnxGraph graph = OnnxGraph().Input("x", kOnnxFloat, {"n"}).Output("x");
  test::ProtoWriter nodes;
  for (int i = 0; i < 100000; ++i) nodes.Message(1, test::ProtoWriter());
  ExpectRefused(OnnxGraph(graph).Append(nodes).Model(16), true, uint64_t{1} << 20);
}

// Names and numbers of few bytes become arguments and attributes.
TEST(CompileMemory, RefusesAModelOfManyNamesOrNumbers) {
  const std::vector<std::string_view> inputs(20000, "x");
  const OnnxGraph graph = OnnxGraph().Input("x", kOnnxFloat, {"n"});
  const std::string names = OnnxGraph(graph).Node({"Max", inputs, {"y"}}).Output("y").Model(16);
  EXPECT_LT(names.size(), 100000u);
  ExpectRefused(names, true, uint64_t{1} << 20);
  const std::vector<int64_t> axes(100000, 0);
  const std::string numbers =
      OnnxGraph(graph)
          .Node({"Squeeze", {"x"}, {"y"}, {test::IntsAttribute("axes", axes)}})
          .Output("y")
          .Model(11);
  ExpectRefused(numbers, true, uint64_t{1} << 20);
}

// What would not fit is not folded: it is left to the run.
TEST(CompileMemory, BoundsConstants) {
  const std::string model = OnnxGraph()
                                .Initializer(test::OnnxInts("shape", {1 << 12, 1 << 12}))
                                .Node({"ConstantOfShape", {"shape"}, {"z"}})
                                .Node({"Exp", {"z"}, {"e"}})
                                .Output("e")
                                .Model(16);
  CompileMemory memory(uint64_t{4} << 20);
  CompileOptions options;
  options.memory = &memory;
  const Result<CompileResult> compiled = CompileOnnx(AsBytes(model), options);
  EXPECT_TRUE(compiled.ok()) << compiled.status().ToString();
  EXPECT_LT(memory.account().held(), int64_t{4} << 20);
}

// Splats are one element in memory and whole tensors in a machine: beyond what an executable may
// have of them, the run makes them, within its own limit.
TEST(CompileMemory, LeavesLargeSplatsToTheRun) {
  const auto filled = [](OnnxGraph graph, const std::string& name, int64_t elements, float value) {
    return graph.Initializer(test::OnnxInts(name + "_shape", {elements}))
        .Node({"ConstantOfShape",
               {name + "_shape"},
               {name},
               {test::TensorAttribute("value", test::OnnxFloats("", {1}, {value}))}})
        .Output(name);
  };
  const int64_t tera = int64_t{1} << 40, fits = int64_t{1} << 27;  // the latter 512 MiB
  const std::string huge = filled(OnnxGraph(), "z", tera, 0).Model(16);
  const auto calls = [](const std::string& model) {
    CompileOptions options;
    options.print_after = {"pack_weights"};
    const Result<CompileResult> compiled = CompileOnnx(AsBytes(model), options);
    EXPECT_TRUE(compiled.ok()) << compiled.status().ToString();
    const std::string text = compiled.ok() ? compiled->stages[0].text : "";
    int64_t count = 0;
    for (size_t at = 0; (at = text.find("constant_of_shape", at)) != std::string::npos; ++at)
      ++count;
    return count;
  };
  EXPECT_EQ(calls(huge), 1);
  vm::VmOptions limits;
  limits.max_bytes = 1 << 20;
  // No memory of 32 bits has so much, whatever the limit.
  EXPECT_THAT(test::RunModel(huge, {}, limits),
              testing::HasSubstr(sizeof(size_t) == 8 ? "4 TiB" : "larger than any memory"));
  // Each fits by itself, and two of three fit together.
  OnnxGraph several;
  for (int i = 0; i < 3; ++i)
    several = filled(several, "v" + std::to_string(i), fits, static_cast<float>(i + 1));
  EXPECT_EQ(calls(several.Model(16)), 1);
}

// Each lambda calls the one before and has a value of its own: what they capture together grows no
// faster than the text.
TEST(CompileMemory, ChainsOfLambdasTakeInProportion) {
  const auto charges = [](int lambdas) {
    std::string text = "fn main(x: int) -> int {\n  let y0 = x;\n  let f0 = |a: int| a + y0;\n";
    for (int i = 1; i < lambdas; ++i) {
      const std::string now = std::to_string(i), before = std::to_string(i - 1);
      text += "  let y" + now + " = y" + before + " * 3;\n";
      text += "  let f" + now + " = |a: int| f" + before + "(a) + y" + now + ";\n";
    }
    text += "  f" + std::to_string(lambdas - 1) + "(x)\n}\n";
    CompileMemory memory(kPlenty);
    memory.account().FailAt(0);
    CompileOptions options;
    options.memory = &memory;
    EXPECT_TRUE(CompileSource(text, options).ok());
    return memory.account().charges();
  };
  const int64_t few = charges(128), many = charges(512);
  EXPECT_LT(many, 5 * few) << few;
}

// Types are counted, too: three kilobytes of text in which each call doubles one.
TEST(CompileMemory, RefusesTypesThatDouble) {
  std::string call = "x";
  for (int i = 0; i < 10; ++i) call = "two(" + call + ")";
  std::string text = "fn two[a](x: a) -> (a, a) { (x, x) }\n";
  for (int i = 0; i < 30; ++i)
    text += "fn f" + std::to_string(i) + "(x: int) { let y = " + call + "; y }\n";
  text += "fn main(x: int) -> int { x }\n";
  ExpectRefused(text, false, uint64_t{4} << 20);
  EXPECT_TRUE(CompileSource(text, {}).ok());
}

// Extents that would double with each line, as squares and as quotients, become unknown instead.
TEST(CompileMemory, ExtentsThatDoubleBecomeUnknown) {
  std::string squares = "fn main(x0: f32[n]) -> f32[?] {\n", halves = squares;
  for (int i = 0; i < 40; ++i) {
    const std::string x = "x" + std::to_string(i), next = "  let x" + std::to_string(i + 1);
    squares += next + " = reshape(unsqueeze(" + x + ", axes = [0]) * unsqueeze(" + x +
               ", axes = [1]), i64([-1]));\n";
    halves += next + " = concat(" + x + ", slice(" + x +
              ", i64([0]), i64([1000]), i64([0]), i64([2])), axis = 0);\n";
  }
  for (const std::string& text : {squares + "  x40\n}\n", halves + "  x40\n}\n"}) {
    CompileMemory memory(uint64_t{16} << 20);
    CompileOptions options;
    options.memory = &memory;
    const Result<CompileResult> compiled = CompileSource(text, options);
    ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
    EXPECT_LT(vm::SaveExecutable(*compiled->executable).size(), size_t{1} << 20);
  }
}

// A limit of its own for the allocator of constants stands beside what nodes leave.
TEST(CompileMemory, LimitsTensorsTwice) {
  CompileMemory memory(1 << 20);
  memory.account().set_tensor_limit(1 << 10);
  EXPECT_EQ(memory.allocator()->Allocate(2 << 10, 64), nullptr);
  EXPECT_TRUE(memory.account().CheckRoom(1 << 19).ok());
  EXPECT_FALSE(memory.account().CheckRoom(2 << 20).ok());
  // Without an account's limit, that of the tensors holds all the same.
  CompileMemory open(0);
  open.account().set_tensor_limit(1 << 10);
  EXPECT_EQ(open.allocator()->Allocate(2 << 10, 64), nullptr);
}

}  // namespace
}  // namespace tern::driver::compile_memory_test
