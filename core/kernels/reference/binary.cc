// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of two arguments with broadcasting.

#include <math.h>

#include "core/kernels/kernel_table.h"
#include "core/kernels/reference/activation.h"
#include "core/kernels/reference/functions.h"

namespace tern::kernels::reference {
namespace {

// The result takes the sign of the divisor, as ONNX's Mod does without its attribute fmod; fmod of
// C takes that of the dividend.
double Modulo(double a, double b) {
  const double r = fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

}  // namespace

double EvaluateBinary(TernBinaryOp op, double a, double b) {
  switch (op) {
    case TERN_BINARY_add: return a + b;
    case TERN_BINARY_sub: return a - b;
    case TERN_BINARY_mul: return a * b;
    case TERN_BINARY_div: return a / b;
    case TERN_BINARY_pow: return pow(a, b);
    // fmin and fmax of C drop a NaN. ONNX Runtime and NumPy keep it, so the kernels do too.
    case TERN_BINARY_min: return isnan(a) ? a : isnan(b) ? b : a < b ? a : b;
    case TERN_BINARY_max: return isnan(a) ? a : isnan(b) ? b : a > b ? a : b;
    case TERN_BINARY_mod: return Modulo(a, b);
    case TERN_BINARY_fmod: return fmod(a, b);
    case TERN_BINARY_prelu: return a < 0 ? a * b : a;
    case TERN_BINARY_COUNT: break;
  }
  return a;
}

int32_t binary(const TernBinaryArgs* args, const TernKernelContext*) {
  int64_t size = 1;
  for (int i = 0; i < args->rank; ++i) size *= args->shape[i];
  for (int64_t position = 0; position < size; ++position) {
    // The place is taken apart axis by axis; a stride of 0 repeats an operand.
    int64_t a = 0, b = 0, rest = position;
    for (int i = args->rank - 1; i >= 0; --i) {
      a += rest % args->shape[i] * args->a_strides[i];
      b += rest % args->shape[i] * args->b_strides[i];
      rest /= args->shape[i];
    }
    const double c =
        EvaluateBinary(static_cast<TernBinaryOp>(args->op), static_cast<double>(args->a[a]),
                       static_cast<double>(args->b[b]));
    args->c[position] = Activate(static_cast<float>(c), args->activation, args->alpha, args->beta);
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
