// SPDX-License-Identifier: Apache-2.0
// What rnn, gru and lstm are made of: how many gates, and the function of each, as their attributes
// name it.

#ifndef TERN_CORE_KERNELS_BIND_GATES_H_
#define TERN_CORE_KERNELS_BIND_GATES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/kernels/kernel.h"
#include "core/ops/math_attrs.h"

namespace tern::kernels::bind {

// A gate's function: scale * op(inner * x) + offset.
struct Gate {
  int32_t op = TERN_UNARY_tanh;
  float alpha = 0, beta = 0;
  float inner = 1, scale = 1, offset = 0;
  bool is_linear = false;  // without op
};

// What differs between the three.
struct Cell {
  std::string_view op;
  int gates;                     // blocks of rows in the weights
  std::string_view activations;  // of one direction, where none are named
  int functions;                 // how many those are
};
// op: one of the three.
const Cell& CellOf(std::string_view op);

// Those of all directions. Alphas and betas go, in order, to the functions that take them.
Status ReadGates(const ops::RecurrentAttrs& attrs, const Cell& cell, int64_t directions,
                 std::vector<Gate>* gates);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_GATES_H_
