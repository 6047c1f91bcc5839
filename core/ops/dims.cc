// SPDX-License-Identifier: Apache-2.0
#include "core/ops/dims.h"

#include "core/base/product.h"

namespace tern::ops {

namespace {
// Arithmetic on extents saturates: shapes that overflow are refused later by their size, and no
// input may cause undefined behaviour.
int64_t Saturated(bool negative) { return negative ? INT64_MIN : INT64_MAX; }
}  // namespace

int64_t AddDim(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? Saturated(a < 0) : sum;
}

int64_t SubDim(int64_t a, int64_t b) {
  int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? Saturated(a < 0) : difference;
}

int64_t MulDim(int64_t a, int64_t b) {
  int64_t product = 0;
  return MultiplyChecked(a, b, &product) ? product : Saturated((a < 0) != (b < 0));
}

int64_t FloorDiv(int64_t a, int64_t b) {
  // INT64_MIN / -1 would trap.
  if (b == -1) return SubDim(0, a);
  int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t CeilDiv(int64_t a, int64_t b) {
  if (b == -1) return SubDim(0, a);
  int64_t quotient = a / b;
  return quotient * b != a && (a < 0) == (b < 0) ? quotient + 1 : quotient;
}

// 3 * 1.1f must not depend on who computes it, so this uses single precision, as other runtimes do.
bool ScaleDim(int64_t dim, float scale, int64_t* out) {
  float scaled = static_cast<float>(dim) * scale;
  *out = scaled < 9e18f ? static_cast<int64_t>(scaled) : INT64_MAX;
  return true;
}

std::string DimText(int64_t dim) { return StrCat(dim); }

// Negative axes count from the end.
Status ResolveAxis(int64_t axis, int rank, int* out) {
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("axis ", axis, " is out of range for a tensor of rank ", rank);
  }
  *out = static_cast<int>(axis < 0 ? axis + rank : axis);
  return OkStatus();
}

Status ResolveAxes(std::span<const int64_t> axes, int rank, uint32_t* mask) {
  // At most kMaxDims axes, so that a mask of 32 bits holds them.
  *mask = 0;
  for (int64_t axis : axes) {
    int resolved = 0;
    TERN_TRY(ResolveAxis(axis, rank, &resolved));
    if ((*mask >> resolved & 1) != 0) return InvalidArgument("axis ", axis, " is given twice");
    *mask |= 1u << resolved;
  }
  return OkStatus();
}

// what: the name of the operand, for the message.
Status CheckRank(std::string_view what, int rank, int least, int most) {
  if (rank >= least && rank <= most) return OkStatus();
  if (least == most) return InvalidArgument(what, " has rank ", rank, ", expected ", least);
  return InvalidArgument(what, " has rank ", rank, ", expected ", least, " to ", most);
}

}  // namespace tern::ops
