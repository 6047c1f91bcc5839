// SPDX-License-Identifier: Apache-2.0
// Control flow of ONNX models as it runs: values, zero turns, growth, nesting, frames.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/onnx/control_model.h"
#include "tests/onnx/mutate.h"
#include "tests/support/onnx_writer.h"
#include "tests/unit/driver/run_model.h"

namespace tern::driver::onnx_control_test {
namespace {

using ::testing::HasSubstr;
using namespace test;  // NOLINT: the makers of models

constexpr int64_t kOpset = 16;

Any Flag(bool value) { return Any(Tensor::Scalar<bool>(value)); }

OnnxNode If(std::string_view condition, const OnnxGraph& yes, const OnnxGraph& no) {
  return {"If",
          {condition},
          {"y"},
          {GraphAttribute("then_branch", yes.fields()), GraphAttribute("else_branch", no.fields())},
          "choice"};
}

OnnxNode LoopNode(const OnnxGraph& body, std::vector<std::string_view> inputs,
                  std::vector<std::string_view> outputs) {
  return {"Loop", inputs, outputs, {GraphAttribute("body", body.fields())}, "loop"};
}

OnnxGraph Body() {
  return OnnxGraph()
      .Input("turn", kOnnxInt64, {})
      .Input("go", kOnnxBool, {})
      .Input("s", kOnnxFloat, {});
}

TEST(OnnxControl, TakesOneBranch) {
  const std::string model =
      OnnxGraph()
          .Input("x", kOnnxFloat, {"n"})
          .Input("c", kOnnxBool, {})
          .Node(If("c", OnnxGraph().Node({"Neg", {"x"}, {"a"}}).Output("a"),
                   OnnxGraph()
                       .Node({"Concat", {"x", "x"}, {"b"}, {IntAttribute("axis", 0)}})
                       .Output("b")))
          .Output("y")
          .Model(kOpset);
  EXPECT_EQ(RunModel(model, {Floats({1, 2}, {2}), Flag(true)}), "f32[2] [-1, -2]");
  EXPECT_EQ(RunModel(model, {Floats({1, 2}, {2}), Flag(false)}), "f32[4] [1, 2, 1, 2]");
}

// s doubles m times, and what it was before is gathered.
std::string Doubling(std::string_view limit, std::string_view condition) {
  return OnnxGraph()
      .Input("x", kOnnxFloat, {2})
      .Input("m", kOnnxInt64, {})
      .Input("c", kOnnxBool, {})
      .Node(LoopNode(Body()
                         .Node({"Add", {"s", "s"}, {"t"}})
                         .Node({"Identity", {"go"}, {"on"}})
                         .Output("on")
                         .Output("t")
                         .Output("s"),
                     {limit, condition, "x"}, {"y", "all"}))
      .Output("y")
      .Output("all")
      .Model(kOpset);
}

TEST(OnnxControl, LoopsCountedByALimit) {
  const Any x = Floats({1, 3}, {2});
  EXPECT_EQ(RunModel(Doubling("m", "c"), {x, Number(3), Flag(true)}),
            "(f32[2] [8, 24], f32[3, 2] [1, 3, 2, 6, 4, 12])");
  EXPECT_EQ(RunModel(Doubling("m", ""), {x, Number(1), Flag(true)}),
            "(f32[2] [2, 6], f32[1, 2] [1, 3])");
}

TEST(OnnxControl, NoTurnsGiveTheFirstStateAndEmptyGatheredTensors) {
  const Any x = Floats({1, 3}, {2});
  const std::string none = "(f32[2] [1, 3], f32[0, 2] [])";
  EXPECT_EQ(RunModel(Doubling("m", ""), {x, Number(0), Flag(true)}), none);
  EXPECT_EQ(RunModel(Doubling("m", ""), {x, Number(-5), Flag(true)}), none);
  EXPECT_EQ(RunModel(Doubling("m", "c"), {x, Number(7), Flag(false)}), none);
  EXPECT_EQ(RunModel(Doubling("", "c"), {x, Number(7), Flag(false)}), none);
}

TEST(OnnxControl, LoopsWhileAConditionHolds) {
  const std::string model =
      OnnxGraph()
          .Input("x", kOnnxFloat, {})
          .Input("c", kOnnxBool, {})
          .Initializer(OnnxTensor("hundred", kOnnxFloat, {}, RawBytes<float>({100})))
          .Node(LoopNode(Body()
                             .Node({"Add", {"s", "s"}, {"t"}})
                             .Node({"Less", {"t", "hundred"}, {"on"}})
                             .Output("on")
                             .Output("t"),
                         {"", "c", "x"}, {"y"}))
          .Output("y")
          .Model(kOpset);
  EXPECT_EQ(RunModel(model, {Floats({3}, {}), Flag(true)}), "f32[] 192");
  EXPECT_EQ(RunModel(model, {Floats({3}, {}), Flag(false)}), "f32[] 3");
}

// As a cache of keys does: each turn appends a row.
TEST(OnnxControl, StatesMayGrow) {
  const std::string model =
      OnnxGraph()
          .Input("x", kOnnxFloat, {"n", 2})
          .Input("m", kOnnxInt64, {})
          .Initializer(OnnxFloats("row", {1, 2}, {7, 8}))
          .Node(LoopNode(Body()
                             .Node({"Concat", {"s", "row"}, {"t"}, {IntAttribute("axis", 0)}})
                             .Output("go")
                             .Output("t"),
                         {"m", "", "x"}, {"y"}))
          .Output("y")
          .Model(kOpset);
  EXPECT_EQ(RunModel(model, {Floats({1, 2}, {1, 2}), Number(2)}), "f32[3, 2] [1, 2, 7, 8, 7, 8]");
  EXPECT_EQ(RunModel(model, {Floats({}, {0, 2}), Number(1)}), "f32[1, 2] [7, 8]");
}

// A million turns in one frame, with a machine that has few.
TEST(OnnxControl, TurnsTakeNoFrames) {
  const std::string model =
      OnnxGraph()
          .Input("x", kOnnxFloat, {})
          .Input("m", kOnnxInt64, {})
          .Initializer(OnnxTensor("one", kOnnxFloat, {}, RawBytes<float>({1})))
          .Node(LoopNode(Body().Node({"Add", {"s", "one"}, {"t"}}).Output("go").Output("t"),
                         {"m", "", "x"}, {"y"}))
          .Output("y")
          .Model(kOpset);
  vm::VmOptions options;
  options.max_depth = 8;
  EXPECT_EQ(RunModel(model, {Floats({0}, {}), Number(1000000)}, options), "f32[] 1000000");
}

TEST(OnnxControl, GatheringManyIsNotQuadratic) {
  const Any x = Floats({0, 0}, {2});
  const std::string text = RunModel(Doubling("m", ""), {x, Number(200000), Flag(true)});
  EXPECT_THAT(text, HasSubstr("f32[200000, 2]"));
}

// Four loops in each other, each of n turns, the innermost adds the outermost's number.
TEST(OnnxControl, LoopsInLoopsCaptureOuterValues) {
  OnnxGraph body = Body()
                       .Node({"Cast", {"t0"}, {"add"}, {IntAttribute("to", kOnnxFloat)}})
                       .Node({"Add", {"s", "add"}, {"u"}})
                       .Output("go")
                       .Output("u");
  const char* const turns[] = {"t0", "t1", "t2"};
  for (int depth = 2; depth >= 0; --depth) {
    OnnxGraph outer = OnnxGraph()
                          .Input(turns[depth], kOnnxInt64, {})
                          .Input("go", kOnnxBool, {})
                          .Input("s", kOnnxFloat, {})
                          .Node(LoopNode(body, {"m", "", "s"}, {"u"}))
                          .Output("go")
                          .Output("u");
    body = outer;
  }
  const std::string model = OnnxGraph()
                                .Input("x", kOnnxFloat, {1})
                                .Input("m", kOnnxInt64, {})
                                .Node(LoopNode(body, {"m", "", "x"}, {"y"}))
                                .Output("y")
                                .Model(kOpset);
  EXPECT_EQ(RunModel(model, {Floats({0}, {1}), Number(3)}), "f32[1] [81]");  // (0 + 1 + 2) * 27
}

// No pass may look at a body twice at every depth.
TEST(OnnxControl, ManyLoopsInLoopsCompile) {
  OnnxGraph body =
      Body().Node({"Concat", {"s", "s"}, {"t"}, {IntAttribute("axis", 0)}}).Output("go");
  body.Output("t");
  for (int depth = 0; depth < 30; ++depth) {
    OnnxGraph outer = Body().Node(LoopNode(body, {"m", "c", "s"}, {"t"})).Output("go");
    outer.Output("t");
    body = outer;
  }
  const std::string model = OnnxGraph()
                                .Input("x", kOnnxFloat, {2, "n"})
                                .Input("c", kOnnxBool, {})
                                .Input("m", kOnnxInt64, {})
                                .Node(LoopNode(body, {"m", "c", "x"}, {"y"}))
                                .Output("y")
                                .Model(kOpset);
  EXPECT_EQ(RunModel(model, {Floats({1, 2}, {2, 1}), Flag(true), Number(1)}),
            "f32[4, 1] [1, 2, 1, 2]");
}

OnnxNode ScanNode(const OnnxGraph& body, std::vector<std::string_view> inputs,
                  std::vector<std::string_view> outputs, std::vector<ProtoWriter> attributes) {
  attributes.push_back(GraphAttribute("body", body.fields()));
  return {"Scan", inputs, outputs, attributes, "scan"};
}

TEST(OnnxControl, ScansForwardAndBackward) {
  const OnnxGraph body = OnnxGraph()
                             .Input("s", kOnnxFloat, {})
                             .Input("item", kOnnxFloat, {})
                             .Node({"Add", {"s", "item"}, {"t"}})
                             .Output("t")
                             .Output("t");
  const auto scan = [&](std::vector<ProtoWriter> attributes) {
    attributes.push_back(IntAttribute("num_scan_inputs", 1));
    const std::string model = OnnxGraph()
                                  .Input("first", kOnnxFloat, {2})
                                  .Input("x", kOnnxFloat, {"n", 2})
                                  .Node(ScanNode(body, {"first", "x"}, {"last", "all"}, attributes))
                                  .Output("last")
                                  .Output("all")
                                  .Model(kOpset);
    return RunModel(model, {Floats({0, 0}, {2}), Floats({1, 2, 3, 4, 5, 6}, {3, 2})});
  };
  EXPECT_EQ(scan({}), "(f32[2] [9, 12], f32[3, 2] [1, 2, 4, 6, 9, 12])");
  EXPECT_EQ(scan({IntsAttribute("scan_input_directions", {1})}),
            "(f32[2] [9, 12], f32[3, 2] [5, 6, 8, 10, 9, 12])");
  EXPECT_EQ(scan({IntsAttribute("scan_output_directions", {1})}),
            "(f32[2] [9, 12], f32[3, 2] [9, 12, 4, 6, 1, 2])");
  EXPECT_EQ(scan({IntsAttribute("scan_output_axes", {-1})}),
            "(f32[2] [9, 12], f32[2, 3] [1, 4, 9, 2, 6, 12])");
}

TEST(OnnxControl, ScannedTensorsMustHaveOneLength) {
  const OnnxGraph body = OnnxGraph()
                             .Input("a", kOnnxFloat, {})
                             .Input("b", kOnnxFloat, {})
                             .Node({"Mul", {"a", "b"}, {"t"}})
                             .Output("t");
  const std::string model =
      OnnxGraph()
          .Input("x", kOnnxFloat, {"n"})
          .Input("y", kOnnxFloat, {"m"})
          .Node(ScanNode(body, {"x", "y"}, {"z"}, {IntAttribute("num_scan_inputs", 2)}))
          .Output("z")
          .Model(kOpset);
  EXPECT_EQ(RunModel(model, {Floats({1, 2}, {2}), Floats({3, 4}, {2})}), "f32[2] [3, 8]");
  EXPECT_THAT(RunModel(model, {Floats({1, 2}, {2}), Floats({3, 4, 5}, {3})}),
              HasSubstr("tensors with different numbers of items"));
}

TEST(OnnxControl, ABranchThatCannotGoOnEndsTheRun) {
  const std::string model =
      OnnxGraph()
          .Input("x", kOnnxFloat, {2, "n"})
          .Initializer(OnnxInts("one", {1}))
          .Node({"Shape", {"x"}, {"shape"}})
          .Node({"Gather", {"shape", "one"}, {"columns"}})
          .Node({"Equal", {"columns", "one"}, {"is_one"}})
          .Node(If("is_one", OnnxGraph().Node({"Squeeze", {"x", "one"}, {"a"}}).Output("a"),
                   OnnxGraph().Node({"Identity", {"x"}, {"b"}}).Output("b")))
          .Node({"Transpose", {"y"}, {"z"}, {IntsAttribute("perm", {1, 0})}})
          .Output("z")
          .Model(kOpset);
  EXPECT_EQ(RunModel(model, {Floats({1, 2, 3, 4}, {2, 2})}), "f32[2, 2] [1, 3, 2, 4]");
  EXPECT_THAT(RunModel(model, {Floats({1, 2}, {2, 1})}),
              HasSubstr("If 'choice' takes its then branch, whose result does not fit"));
}

// Whatever the importer lets through the passes and code generation take.
TEST(OnnxControl, DamagedModelsCompileOrAreRefused) {
  const std::string seed = ControlModel();
  int compiled = 0;
  for (uint64_t round = 0; round < 3000; ++round) {
    Draws draw(round);
    const std::string bytes = Mutate(seed, draw);
    const Result<CompileResult> result =
        CompileOnnx({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, {});
    compiled += result.ok() ? 1 : 0;
    if (!result.ok()) EXPECT_NE(result.status().code(), StatusCode::kInternal) << round;
  }
  EXPECT_GT(compiled, 10);
}

}  // namespace
}  // namespace tern::driver::onnx_control_test
