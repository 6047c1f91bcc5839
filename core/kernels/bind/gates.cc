// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/bind/gates.h"

#include <string>

#include "core/base/check.h"
#include "core/base/strings.h"

namespace tern::kernels::bind {
namespace {

// What alpha and beta mean. ONNX uses the two names for parameters of the function and, in the last
// two, for factors around it: alpha * tanh(beta * x), alpha * x + beta.
enum class Use { kNothing, kParameters, kScaledTanh, kAffine };
struct GateRow {
  std::string_view name;
  int32_t op;
  int parameters;  // how many of alpha and beta it takes
  float alpha, beta;
  Use use;
};
// ONNX's names, with its defaults of alpha and beta. Affine has no function; its `op` is not used.
constexpr GateRow kGates[] = {
    {"Sigmoid", TERN_UNARY_sigmoid, 0, 0, 0, Use::kNothing},
    {"Tanh", TERN_UNARY_tanh, 0, 0, 0, Use::kNothing},
    {"Relu", TERN_UNARY_relu, 0, 0, 0, Use::kNothing},
    {"Softplus", TERN_UNARY_softplus, 0, 0, 0, Use::kNothing},
    {"Softsign", TERN_UNARY_softsign, 0, 0, 0, Use::kNothing},
    {"LeakyRelu", TERN_UNARY_leaky_relu, 1, 0.01f, 0, Use::kParameters},
    {"ThresholdedRelu", TERN_UNARY_thresholded_relu, 1, 1, 0, Use::kParameters},
    {"Elu", TERN_UNARY_elu, 1, 1, 0, Use::kParameters},
    {"HardSigmoid", TERN_UNARY_hard_sigmoid, 2, 0.2f, 0.5f, Use::kParameters},
    {"ScaledTanh", TERN_UNARY_tanh, 2, 1, 1, Use::kScaledTanh},
    {"Affine", TERN_UNARY_tanh, 2, 1, 0, Use::kAffine},
};

Gate MakeGate(const GateRow& row, float alpha, float beta) {
  Gate gate;
  gate.op = row.op;
  switch (row.use) {
    case Use::kNothing: break;
    case Use::kParameters:
      gate.alpha = alpha;
      gate.beta = beta;
      break;
    case Use::kScaledTanh:
      gate.scale = alpha;
      gate.inner = beta;
      break;
    case Use::kAffine:
      gate.scale = alpha;
      gate.offset = beta;
      gate.is_linear = true;
      break;
  }
  return gate;
}

const GateRow* FindGate(std::string_view name) {
  for (const GateRow& row : kGates) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// Operator, gates of a cell, the functions where the model names none, and how many functions there
// are.
constexpr Cell kCells[] = {
    {"rnn", 1, "Tanh", 1}, {"gru", 3, "Sigmoid,Tanh", 2}, {"lstm", 4, "Sigmoid,Tanh,Tanh", 3}};

}  // namespace

const Cell& CellOf(std::string_view op) {
  for (const Cell& cell : kCells) {
    if (cell.op == op) return cell;
  }
  TERN_CHECK(false);
}

// Functions are listed per direction, one direction after the other. Parameters are in lists of
// their own, from which each function takes as many as it has.
Status ReadGates(const ops::RecurrentAttrs& attrs, const Cell& cell, int64_t directions,
                 std::vector<Gate>* gates) {
  std::string text(attrs.activations);
  for (int64_t d = 0; attrs.activations.empty() && d < directions; ++d)
    StrAppend(&text, d == 0 ? "" : ",", cell.activations);
  size_t alphas = 0, betas = 0;
  for (const std::string_view name : StrSplit(text, ',')) {
    const GateRow* row = FindGate(name);
    if (row == nullptr) return InvalidArgument("there is no activation '", name, "'");
    float alpha = row->alpha, beta = row->beta;
    if (row->parameters > 0 && alphas < attrs.activation_alpha.size())
      alpha = attrs.activation_alpha[alphas++];
    if (row->parameters > 1 && betas < attrs.activation_beta.size())
      beta = attrs.activation_beta[betas++];
    gates->push_back(MakeGate(*row, alpha, beta));
  }
  const int64_t wanted = cell.functions * directions;
  if (static_cast<int64_t>(gates->size()) == wanted) return OkStatus();
  return InvalidArgument("activations=", text, " names ", gates->size(), " functions, expected ",
                         wanted);
}

}  // namespace tern::kernels::bind
