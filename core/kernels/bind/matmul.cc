// SPDX-License-Identifier: Apache-2.0
// matmul: packed weights run as one GEMM over all rows; unpacked operands as a batched product with
// broadcast batches. Bias and residual of the common shapes go into the epilogue, others are added
// afterwards.

#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/broadcast.h"
#include "core/kernels/bind/epilogue.h"
#include "core/kernels/bind/move.h"
#include "core/ops/math_rules.h"
#include "core/ops/panels.h"

namespace tern::kernels::bind {
namespace {

struct MatMulOperands {
  const Tensor* a;
  const Tensor* b;
  const Tensor* bias;
  const Tensor* residual;
};

// [columns], or a broadcast form of it with nothing else: what an epilogue adds.
bool IsRowBias(const Tensor& bias, int64_t columns) {
  return bias.element_count() == columns && bias.rank() > 0 && bias.dim(bias.rank() - 1) == columns;
}

Status AddInPlace(Call& call, const Extents& out, const Tensor& term, float factor, TensorPtr* y) {
  Extents shape;
  TERN_TRY(ops::BroadcastShape(out, ExtentsOf(term), &shape));
  // A term that broadcasts further than the product would need a larger result than was inferred.
  if (CountOf(shape) != CountOf(out)) {
    return InvalidArgument("bias ", ops::ShapeText(ExtentsOf(term)), " is larger than the product ",
                           ops::ShapeText(out));
  }
  TensorPtr scaled;
  if (factor != 1.0f) {
    TERN_TRY_ASSIGN(scaled, call.NewF32(ExtentsOf(term)));
    for (int64_t i = 0; i < term.element_count(); ++i)
      scaled->data_as<float>()[i] = factor * term.data_as<float>()[i];
  }
  return RunBinary(call, TERN_BINARY_add, **y, scaled != nullptr ? *scaled : term, out,
                   (*y)->data_as<float>());
}

Status Multiply(Call& call, float factor, const Tensor& y) {
  float* values = y.data_as<float>();
  const float zero = 0.0f;
  TernBinaryArgs args{};
  args.op = TERN_BINARY_mul;
  args.rank = 1;
  args.shape[0] = y.element_count();
  args.a_strides[0] = 1;
  args.a = values;
  args.b = factor == 0.0f ? &zero : &factor;
  args.c = values;
  return Call::Check(call.kernels().binary(&args, call.kernel_context()));
}

// What of bias, residual and activation the product itself may do; the rest is left for afterwards.
struct Plan {
  TernEpilogue epilogue{};
  bool bias_after = false, all_after = false;
};

// The kernel adds the bias to sums as they are. With a factor in front of them (alpha) all that
// follows has to wait for it.
Plan PlanEpilogue(const ops::MatMulAttrs& attrs, const MatMulOperands& in, int64_t columns) {
  Plan plan;
  const bool row_bias = in.bias == nullptr || (IsRowBias(*in.bias, columns) && attrs.beta == 1.0f);
  plan.bias_after = in.bias != nullptr && (!row_bias || attrs.alpha != 1.0f);
  plan.all_after = plan.bias_after || attrs.alpha != 1.0f;
  if (!plan.all_after)
    plan.epilogue = EpilogueOf(attrs.epilogue, FloatsOf(in.bias), FloatsOf(in.residual), columns);
  return plan;
}

Status FinishAfterwards(Call& call, const ops::MatMulAttrs& attrs, const MatMulOperands& in,
                        const Extents& out, TensorPtr* y) {
  if (attrs.alpha != 1.0f) TERN_TRY(Multiply(call, attrs.alpha, **y));
  if (in.bias != nullptr) TERN_TRY(AddInPlace(call, out, *in.bias, attrs.beta, y));
  // Either activation(product + residual) or activation(product) + residual, as the model had it.
  const bool residual_first = in.residual != nullptr && !attrs.epilogue.residual_after;
  if (residual_first) TERN_TRY(AddInPlace(call, out, *in.residual, 1.0f, y));
  TERN_TRY(ApplyInPlace(call, attrs.epilogue, **y));
  if (in.residual != nullptr && !residual_first)
    TERN_TRY(AddInPlace(call, out, *in.residual, 1.0f, y));
  return OkStatus();
}

Status CheckPacked(const ops::MatMulAttrs& attrs, const Tensor& b) {
  const int64_t panels = ops::PanelCount(attrs.columns);
  if (b.rank() == 3 && b.dim(0) == panels && b.dim(2) == TERN_PANEL_WIDTH) return OkStatus();
  return InvalidArgument("b ", ops::ShapeText(ExtentsOf(b)), " is not packed as [", panels,
                         ", k, 16] for columns=", attrs.columns);
}

Status RunPacked(Call& call, const ops::MatMulAttrs& attrs, const MatMulOperands& in,
                 const TernEpilogue& epilogue, float* y) {
  const Tensor* a = in.a;
  TensorPtr transposed;
  // The kernel reads rows of a. Copying costs one pass over a, the product `columns` of them.
  if (attrs.trans_a && a->rank() > 1) {
    int perm[ops::kMaxDims];
    for (int i = 0; i < a->rank(); ++i) perm[i] = i;
    std::swap(perm[a->rank() - 1], perm[a->rank() - 2]);
    TERN_TRY_ASSIGN(transposed, Permuted(call, *a, {perm, static_cast<size_t>(a->rank())}));
    a = transposed.get();
  }
  const int64_t k = a->dim(a->rank() - 1);
  const int64_t rows = ops::ProductOf(ExtentsOf(*a), 0, a->rank() - 1);
  const TernGemmArgs args{rows,    attrs.columns,          k, a->data_as<float>(),
                          k,       in.b->data_as<float>(), y, attrs.columns,
                          epilogue};
  return Call::Check(call.kernels().gemm(&args, call.kernel_context()));
}

// Rows, columns and strides of one operand after its transposition; vectors are matrices of one row
// or column.
struct Matrix {
  int64_t rows, columns, row_stride, column_stride;
};

Matrix MatrixOf(const Tensor& x, bool transposed, bool is_left) {
  if (x.rank() == 1) return is_left ? Matrix{1, x.dim(0), x.dim(0), 1} : Matrix{x.dim(0), 1, 1, 1};
  const int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1);
  if (transposed) return Matrix{columns, rows, 1, columns};
  return Matrix{rows, columns, columns, 1};
}

// Element offsets of every batch of an operand, in units of its matrices.
void BatchOffsets(const Extents& batch, const Tensor& x, int64_t* offsets) {
  Extents own;
  for (int i = 0; i + 2 < x.rank(); ++i) own.push_back(x.dim(i));
  int64_t strides[ops::kMaxDims];
  BroadcastStrides(batch, own, strides);
  const int64_t matrix = x.rank() < 2 ? 0 : x.dim(x.rank() - 1) * x.dim(x.rank() - 2);
  const int64_t count = CountOf(batch);
  for (int64_t b = 0; b < count; ++b) {
    int64_t at = 0, rest = b;
    for (int i = batch.rank() - 1; i >= 0; --i) {
      at += rest % batch[i] * strides[i];
      rest /= batch[i];
    }
    offsets[b] = at * matrix;
  }
}

Status RunUnpacked(Call& call, const ops::MatMulAttrs& attrs, const MatMulOperands& in,
                   const Extents& out, const TernEpilogue& epilogue, float* y) {
  Matrix a = MatrixOf(*in.a, attrs.trans_a, true);
  const Matrix b = MatrixOf(*in.b, attrs.trans_b, false);
  Extents batch;
  const int matrix_axes = (in.a->rank() > 1) + (in.b->rank() > 1);
  if (in.b->rank() <= 2 && in.a->rank() > 2 && !attrs.trans_a) {
    a.rows =
        ops::ProductOf(ExtentsOf(*in.a), 0, in.a->rank() - 1);  // one b for all: one tall matrix
  } else {
    for (int i = 0; i < out.rank() - matrix_axes; ++i) batch.push_back(out[i]);
  }
  const int64_t batches = CountOf(batch);
  // Where each matrix of a, b and c begins; broadcast ones begin at the same place again.
  TERN_TRY_ASSIGN(TensorPtr table, call.NewTable(3 * batches));
  int64_t* const offsets = table->data_as<int64_t>();
  BatchOffsets(batch, *in.a, offsets);
  BatchOffsets(batch, *in.b, offsets + batches);
  for (int64_t i = 0; i < batches; ++i) offsets[2 * batches + i] = i * a.rows * b.columns;
  TernMatMulArgs args{};
  args.batches = batches;
  args.m = a.rows;
  args.n = b.columns;
  args.k = a.columns;
  args.a = in.a->data_as<float>();
  args.a_row_stride = a.row_stride;
  args.a_col_stride = a.column_stride;
  args.b = in.b->data_as<float>();
  args.b_row_stride = b.row_stride;
  args.b_col_stride = b.column_stride;
  args.c = y;
  args.c_row_stride = b.columns;
  args.a_offsets = offsets;
  args.b_offsets = offsets + batches;
  args.c_offsets = offsets + 2 * batches;
  args.epilogue = epilogue;
  return Call::Check(call.kernels().matmul(&args, call.kernel_context()));
}

}  // namespace

Result<Any> MatMul(const ops::MatMulAttrs& attrs, Call& call) {
  const MatMulOperands in{call.F32(0), call.F32(1), call.OptionalF32(2), call.OptionalF32(3)};
  TERN_TRY(call.TakeStatus());
  if (attrs.packed) TERN_TRY(CheckPacked(attrs, *in.b));
  Extents out;
  TERN_TRY(ops::MatMulShape(attrs, ExtentsOf(*in.a), ExtentsOf(*in.b), &out));
  if (in.residual != nullptr) TERN_TRY(CheckResidual(*in.residual, out));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  if (y->element_count() == 0) return Any(std::move(y));
  const bool column = !attrs.packed && in.b->rank() == 1;
  const int64_t columns = column ? 1 : out[out.rank() - 1];
  const int64_t depth =
      in.a->dim(attrs.trans_a && in.a->rank() > 1 ? in.a->rank() - 2 : in.a->rank() - 1);
  TERN_TRY(call.Charge(ops::MulDim(y->element_count(), depth)));
  const Plan plan = PlanEpilogue(attrs, in, columns);
  TERN_TRY(attrs.packed ? RunPacked(call, attrs, in, plan.epilogue, y->data_as<float>())
                        : RunUnpacked(call, attrs, in, out, plan.epilogue, y->data_as<float>()));
  if (plan.all_after) TERN_TRY(FinishAfterwards(call, attrs, in, out, &y));
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
