// SPDX-License-Identifier: Apache-2.0
// Shapes are numbers, as in models exported for one size.
#include "tools/bench/loops/fused_models.h"

#include "core/base/strings.h"
#include "tests/support/onnx_writer.h"

namespace tern::bench {
namespace {

using test::FloatAttribute;
using test::IntAttribute;
using test::IntsAttribute;
using test::OnnxFloats;
using test::OnnxGraph;
using test::ProtoWriter;
using Shape = std::vector<int64_t>;

constexpr int64_t kOpset = 17;  // the first with LayerNormalization
constexpr float kEpsilon = 1e-5f;

// One layer of a chain: from the value `in` to `out`; others are named after `out`.
struct Layer {
  OnnxGraph* graph;
  std::string in, out;

  std::string Inner(std::string_view name) const { return StrCat(out, ".", name); }
  void Node(std::string_view op, const std::vector<std::string>& inputs, const std::string& output,
            const std::vector<ProtoWriter>& attributes = {}) const {
    const std::vector<std::string_view> names(inputs.begin(), inputs.end());
    graph->Node({op, names, {output}, attributes});
  }
};

void Number(std::string_view name, float value, OnnxGraph* graph) {
  graph->Initializer(OnnxFloats(name, {}, {value}));
}

// What layers share: numbers, and the scale and bias of normalizations.
void Constants(const Shape& shape, OnnxGraph* graph) {
  Number("root2", 1.41421356f, graph);
  Number("half", 0.5f, graph);
  Number("one", 1, graph);
  Number("two", 2, graph);
  Number("three", 3, graph);
  Number("cubic", 0.044715f, graph);
  Number("root", 0.797884561f, graph);
  Number("epsilon", kEpsilon, graph);
  graph->Initializer(test::OnnxInts("last", {-1}));
  std::vector<float> scale, bias;
  for (int64_t i = 0; i < shape.back(); ++i) {
    scale.push_back(0.5f + static_cast<float>(i % 7) / 8);
    bias.push_back(static_cast<float>(i % 5) / 8 - 0.25f);
  }
  graph->Initializer(OnnxFloats("scale", {shape.back()}, scale));
  graph->Initializer(OnnxFloats("bias", {shape.back()}, bias));
}

void GeluByErf(const Layer& l) {
  l.Node("Div", {l.in, "root2"}, l.Inner("scaled"));
  l.Node("Erf", {l.Inner("scaled")}, l.Inner("erf"));
  l.Node("Add", {l.Inner("erf"), "one"}, l.Inner("sum"));
  l.Node("Mul", {l.in, l.Inner("sum")}, l.Inner("product"));
  l.Node("Mul", {l.Inner("product"), "half"}, l.out);
}

void GeluByTanh(const Layer& l) {
  l.Node("Pow", {l.in, "three"}, l.Inner("cube"));
  l.Node("Mul", {l.Inner("cube"), "cubic"}, l.Inner("small"));
  l.Node("Add", {l.in, l.Inner("small")}, l.Inner("both"));
  l.Node("Mul", {l.Inner("both"), "root"}, l.Inner("scaled"));
  l.Node("Tanh", {l.Inner("scaled")}, l.Inner("tanh"));
  l.Node("Add", {l.Inner("tanh"), "one"}, l.Inner("sum"));
  l.Node("Mul", {l.in, "half"}, l.Inner("halved"));
  l.Node("Mul", {l.Inner("halved"), l.Inner("sum")}, l.out);
}

void SoftmaxOperator(const Layer& l) {
  l.Node("Softmax", {l.in}, l.out, {IntAttribute("axis", -1)});
}

// ReduceSum takes its axes as an input, the others as an attribute in this opset.
void SoftmaxSpeltOut(const Layer& l) {
  l.Node("ReduceMax", {l.in}, l.Inner("max"), {IntsAttribute("axes", {-1})});
  l.Node("Sub", {l.in, l.Inner("max")}, l.Inner("shifted"));
  l.Node("Exp", {l.Inner("shifted")}, l.Inner("exp"));
  l.Node("ReduceSum", {l.Inner("exp"), "last"}, l.Inner("sum"));
  l.Node("Div", {l.Inner("exp"), l.Inner("sum")}, l.out);
}

void LayerNormOperator(const Layer& l) {
  l.Node("LayerNormalization", {l.in, "scale", "bias"}, l.out,
         {IntAttribute("axis", -1), FloatAttribute("epsilon", kEpsilon)});
}

void LayerNormSpeltOut(const Layer& l) {
  l.Node("ReduceMean", {l.in}, l.Inner("mean"), {IntsAttribute("axes", {-1})});
  l.Node("Sub", {l.in, l.Inner("mean")}, l.Inner("centred"));
  l.Node("Pow", {l.Inner("centred"), "two"}, l.Inner("squares"));
  l.Node("ReduceMean", {l.Inner("squares")}, l.Inner("variance"), {IntsAttribute("axes", {-1})});
  l.Node("Add", {l.Inner("variance"), "epsilon"}, l.Inner("safe"));
  l.Node("Sqrt", {l.Inner("safe")}, l.Inner("deviation"));
  l.Node("Div", {l.Inner("centred"), l.Inner("deviation")}, l.Inner("normal"));
  l.Node("Mul", {l.Inner("normal"), "scale"}, l.Inner("scaled"));
  l.Node("Add", {l.Inner("scaled"), "bias"}, l.out);
}

struct Maker {
  const char* name;
  void (*add)(const Layer& layer);
};
constexpr Maker kMakers[] = {
    {"GELU by erf, spelt out", GeluByErf},       {"GELU by tanh, spelt out", GeluByTanh},
    {"softmax, operator", SoftmaxOperator},      {"softmax, spelt out", SoftmaxSpeltOut},
    {"layer norm, operator", LayerNormOperator}, {"layer norm, spelt out", LayerNormSpeltOut},
};

std::string Chain(const Maker& maker, const Shape& shape, int layers) {
  const std::vector<test::OnnxDim> dims(shape.begin(), shape.end());
  OnnxGraph graph;
  graph.Input("x", test::kOnnxFloat, dims).Output("y", test::kOnnxFloat, dims);
  Constants(shape, &graph);
  for (int i = 0; i < layers; ++i) {
    maker.add({.graph = &graph,
               .in = i == 0 ? "x" : StrCat("y", i),
               .out = i + 1 == layers ? "y" : StrCat("y", i + 1)});
  }
  return graph.Model(kOpset);
}

}  // namespace

std::vector<FusedModel> FusedModels(const std::vector<int64_t>& shape) {
  std::vector<FusedModel> models;
  for (const Maker& maker : kMakers)
    models.push_back({maker.name, Chain(maker, shape, 1), Chain(maker, shape, kChainLayers)});
  return models;
}

}  // namespace tern::bench
