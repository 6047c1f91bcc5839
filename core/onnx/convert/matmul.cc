// SPDX-License-Identifier: Apache-2.0
// Products of matrices and of anything by an index equation.
#include "core/onnx/convert/converters.h"
#include "core/ops/math_attrs.h"

namespace tern::onnx {

void ConvertGemm(NodeContext& node) {
  ops::MatMulAttrs attrs;
  attrs.trans_a = node.Bool("transA", false);
  attrs.trans_b = node.Bool("transB", false);
  attrs.alpha = node.Float("alpha", 1);
  attrs.beta = node.Float("beta", 1);
  if (node.ok() && (node.RankOf(node.Input(0)) != 2 || node.RankOf(node.Input(1)) != 2)) {
    return node.Fail("its factors have ranks ", node.RankOf(node.Input(0)), " and ",
                     node.RankOf(node.Input(1)), ", expected 2");
  }
  if (!node.HasInput(2)) attrs.beta = 1;
  node.SetOutput(0, node.Call("matmul", node.inputs(), attrs.ToAttrs()));
}

void ConvertEinsum(NodeContext& node) {
  if (!node.Has("equation")) return node.Fail("attribute 'equation' is missing");
  ops::EinsumAttrs attrs;
  for (const char c : node.Text("equation", "")) {
    if (c != ' ') attrs.equation += c;
  }
  // What cannot be written as an attribute is no equation either.
  if (!Attrs::Parse(StrCat("equation=", attrs.equation)).ok()) {
    return node.Fail("the equation '", node.Text("equation", ""), "' cannot be understood");
  }
  node.SetOutput(0, node.Call("einsum", node.inputs(), attrs.ToAttrs()));
}

}  // namespace tern::onnx
