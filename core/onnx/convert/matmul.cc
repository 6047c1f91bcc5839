// SPDX-License-Identifier: Apache-2.0
// Products of matrices and of anything by an index equation.
#include <string>
#include <string_view>

#include "core/base/strings.h"
#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/ops/math_attrs.h"

namespace tern::onnx {
namespace {

// Products of f32, and of 16-bit floats through it, have a kernel; f64 and integers are summed up
// by einsum, in their own type.
bool HasKernel(DType dtype) { return dtype.is_float() && dtype != kF64; }

Value Sum(NodeContext& node, std::string_view equation, const Value& a, const Value& b) {
  ops::EinsumAttrs attrs;
  attrs.equation = equation;
  return node.Call("einsum", {a, b}, attrs.ToAttrs());
}

// alpha * product + beta * input 2, in the type of the inputs.
void ExactGemm(NodeContext& node, const ops::MatMulAttrs& attrs) {
  const std::string equation =
      StrCat(attrs.trans_a ? "ki" : "ik", ",", attrs.trans_b ? "jk" : "kj", "->ij");
  const DType type = node.DTypeOf(node.Input(0));
  const auto scaled = [&](const Value& x, float factor) {
    if (factor == 1) return x;
    return node.Call("mul", {x, node.Scalar(type, static_cast<double>(factor))});
  };
  Value y = scaled(Sum(node, equation, node.Input(0), node.Input(1)), attrs.alpha);
  if (node.HasInput(2)) y = node.Call("add", {y, scaled(node.Input(2), attrs.beta)});
  node.SetOutput(0, y);
}

// Without spaces. The term of a scalar is empty in ONNX; here it is an ellipsis of no axes, because
// an attribute cannot begin with a comma.
std::string ReadEquation(NodeContext& node) {
  std::string text;
  for (const char c : node.Text("equation", "")) {
    if (c != ' ') text += c;
  }
  const size_t arrow = text.find("->");
  std::string equation;
  int input = 0;
  for (const std::string_view term : StrSplit(std::string_view(text).substr(0, arrow), ',')) {
    if (term.empty() && node.ok() && node.RankOf(node.Input(input)) != 0)
      node.Fail("input ", input, " has rank ", node.RankOf(node.Input(input)),
                ", but its term in '", text, "' is that of a scalar");
    StrAppend(&equation, input++ == 0 ? "" : ",", term.empty() ? std::string_view("...") : term);
  }
  return arrow == std::string::npos ? equation : StrCat(equation, text.substr(arrow));
}

}  // namespace

void ConvertMatMul(NodeContext& node) {
  const Value a = node.Input(0), b = node.Input(1);
  if (!node.ok() || HasKernel(node.DTypeOf(a)))
    return node.SetOutput(0, node.Call("matmul", {a, b}));
  const bool row = node.RankOf(a) == 1, column = node.RankOf(b) == 1;
  node.SetOutput(0, Sum(node,
                        row && column ? "k,k->"
                        : row         ? "k,...kj->...j"
                        : column      ? "...ik,k->...i"
                                      : "...ik,...kj->...ij",
                        a, b));
}

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
  if (!HasKernel(node.DTypeOf(node.Input(0)))) return ExactGemm(node, attrs);
  if (!node.HasInput(2)) attrs.beta = 1;
  node.SetOutput(0, node.Call("matmul", node.inputs(), attrs.ToAttrs()));
}

void ConvertEinsum(NodeContext& node) {
  if (!node.Has("equation")) return node.Fail("attribute 'equation' is missing");
  ops::EinsumAttrs attrs;
  attrs.equation = ReadEquation(node);
  // What cannot be written as an attribute is no equation either.
  if (!Attrs::Parse(StrCat("equation=", attrs.equation)).ok()) {
    return node.Fail("the equation '", node.Text("equation", ""), "' cannot be understood");
  }
  node.SetOutput(0, node.Call("einsum", node.inputs(), attrs.ToAttrs()));
}

namespace {

// Row i names all of n but i.
Value AllButEach(NodeContext& node, int64_t n) {
  Ints others;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (j != i) others.push_back(j);
    }
  }
  return Compose(node).Reshape(node.ConstantInts(others), {n, n - 1});
}

// 1 and -1 as on a chessboard.
Value Signs(NodeContext& node, int64_t n) {
  Floats signs;
  for (int64_t i = 0; i < n * n; ++i) signs.push_back((i / n + i % n) % 2 == 0 ? 1.0f : -1.0f);
  Compose in(node);
  return in.Reshape(in.Floats(signs), {n, n});
}

}  // namespace

// By cofactors, each of which is a determinant: its matrices are small, of cameras and of boxes.
void ConvertInverse(NodeContext& node) {
  Compose in(node);
  const Value x = node.Input(0);
  const int rank = node.RankOf(x);
  if (node.ok() && (rank < 2 || rank > 6))
    return node.Fail("its input has rank ", rank, ", expected 2 to 6");
  const int64_t n = node.DimOf(x, rank - 1), rows = node.DimOf(x, rank - 2);
  if (node.ok() && n >= 0 && rows >= 0 && n != rows)
    return node.Fail("its matrices have ", rows, " rows and ", n, " columns");
  if (node.ok() && (n < 1 || n > 16))
    return node.Unsupported("matrices whose extent is not known to be 1 to 16");
  if (!node.ok()) return;
  if (n == 1) return node.SetOutput(0, in.Unary("reciprocal", x));
  const Value others = AllButEach(node, n);
  // [.., row left out, rows, column left out, columns]
  Value minors = in.Gather(in.Gather(x, others, rank - 2), others, rank);
  Ints perm;
  for (int i = 0; i < rank - 2; ++i) perm.push_back(i);
  // The inverse has the cofactor of row i and column j in column i and row j.
  for (const int i : {rank, rank - 2, rank - 1, rank + 1}) perm.push_back(i);
  minors = in.Transpose(minors, perm);
  const Value cofactors = in.Mul(in.Unary("det", minors), in.Cast(Signs(node, n), node.DTypeOf(x)));
  node.SetOutput(0, in.Div(cofactors, in.Unsqueeze(in.Unary("det", x), {rank - 2, rank - 1})));
}

}  // namespace tern::onnx
