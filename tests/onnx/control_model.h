// SPDX-License-Identifier: Apache-2.0
// A small model with every kind of control flow, to be damaged by tests.
#ifndef TERN_TESTS_ONNX_CONTROL_MODEL_H_
#define TERN_TESTS_ONNX_CONTROL_MODEL_H_

#include <string>

#include "tests/support/onnx_writer.h"

namespace tern::test {

// Branches, loops in loops, a scan, a sequence and an optional.
inline std::string ControlModel() {
  const auto body = [] {
    return OnnxGraph()
        .Input("i", kOnnxInt64, {})
        .Input("go", kOnnxBool, {})
        .Input("s", kOnnxFloat, {});
  };
  const OnnxGraph inner = body()
                              .Node({"Concat", {"s", "x"}, {"t"}, {IntAttribute("axis", 0)}})
                              .Output("go")
                              .Output("t")
                              .Output("x");
  const OnnxGraph outer =
      body()
          .Node({"Loop", {"m", "go", "s"}, {"t", "u"}, {GraphAttribute("body", inner.fields())}})
          .Output("go")
          .Output("t");
  const OnnxGraph item = OnnxGraph()
                             .Input("a", kOnnxFloat, {})
                             .Input("b", kOnnxFloat, {})
                             .Node({"Add", {"a", "b"}, {"c"}})
                             .Output("c")
                             .Output("c");
  const OnnxGraph yes = OnnxGraph().Node({"Neg", {"x"}, {"a"}}).Output("a");
  const OnnxGraph no = OnnxGraph().Node({"Unsqueeze", {"x", "zero"}, {"b"}}).Output("b");
  OnnxGraph graph;
  graph.Input("x", kOnnxFloat, {"n", 2}).Input("m", kOnnxInt64, {}).Input("c", kOnnxBool, {});
  graph.Initializer(OnnxInts("zero", {0})).Initializer(OnnxFloats("first", {2}, {0, 0}));
  graph.Node({"Loop", {"m", "c", "x"}, {"grown"}, {GraphAttribute("body", outer.fields())}});
  graph.Node({"Scan",
              {"first", "grown"},
              {"last", "all"},
              {GraphAttribute("body", item.fields()), IntAttribute("num_scan_inputs", 1),
               IntsAttribute("scan_output_axes", {1})}});
  graph.Node({"SequenceConstruct", {"last", "all"}, {"list"}})
      .Node({"SequenceLength", {"list"}, {"length"}})
      .Node({"Optional", {"last"}, {"maybe"}})
      .Node({"OptionalHasElement", {"maybe"}, {"has"}});
  graph.Node(
      {"If",
       {"has"},
       {"chosen"},
       {GraphAttribute("then_branch", yes.fields()), GraphAttribute("else_branch", no.fields())}});
  graph.Node({"ReduceSum", {"chosen"}, {"sum"}, {IntAttribute("keepdims", 0)}});
  return graph.Output("sum").Output("length").Output("all").Model(17);
}

}  // namespace tern::test

#endif  // TERN_TESTS_ONNX_CONTROL_MODEL_H_
