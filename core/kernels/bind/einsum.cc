// SPDX-License-Identifier: Apache-2.0
// einsum: operands are contracted from left to right, each pair as a batched matrix product.
// Arrange brings an operand's axes into any order of its letters, and takes diagonals and
// broadcasts on the way.

#include <string>
#include <utility>
#include <vector>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/move.h"
#include "core/ops/math_rules.h"

namespace tern::kernels::bind {
namespace {

using Letters = std::string;  // one per axis; axes of an ellipsis are characters 1 … 8

struct Operand {
  TensorPtr holder;
  const Tensor* tensor = nullptr;
  Letters letters;
};

using EinsumSizes = ops::EinsumExtents<int64_t>;

bool Contains(const Letters& letters, char letter) { return letters.find(letter) != Letters::npos; }

// '.' becomes the letters of the ellipsis' last `count` axes.
Letters Spell(const Letters& term, int count) {
  Letters letters;
  for (char c : term) {
    if (c != '.') letters += c;
    for (int i = 0; c == '.' && i < count; ++i)
      letters += static_cast<char>(ops::kMaxDims - count + i + 1);
  }
  return letters;
}

int64_t ExtentOf(const EinsumSizes& sizes, char letter) {
  if (letter > ops::kMaxDims) return sizes.of_letter[static_cast<size_t>(letter)];
  return sizes.ellipsis[sizes.ellipsis.rank() - (ops::kMaxDims - letter + 1)];
}

int64_t CountOfLetters(const EinsumSizes& sizes, const Letters& letters) {
  int64_t count = 1;
  for (char letter : letters) count = ops::MulDim(count, ExtentOf(sizes, letter));
  return count;
}

// The operand with axes in that order, contiguous.
Result<TensorPtr> Arrange(Call& call, const EinsumSizes& sizes, const Operand& operand,
                          const Letters& order) {
  TERN_TRY(
      ops::CheckRank("a term of the equation", static_cast<int>(order.size()), 0, ops::kMaxDims));
  const Extents own = ExtentsOf(*operand.tensor);
  int64_t strides[ops::kMaxDims];
  ContiguousStrides(own, strides);
  StridedCopy copy;
  for (size_t i = 0; i < order.size(); ++i) {
    copy.shape.push_back(ExtentOf(sizes, order[i]));
    copy.src_strides[i] = 0;
    for (int axis = 0; axis < own.rank(); ++axis) {
      const bool here = operand.letters[static_cast<size_t>(axis)] == order[i] && own[axis] != 1;
      if (here) copy.src_strides[i] += strides[axis];
    }
  }
  ContiguousStrides(copy.shape, copy.dst_strides);
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(copy.shape));
  TERN_TRY(CopyStrided(call, copy, sizeof(float), operand.tensor->data(), y->data()));
  return y;
}

// The operand in order `kept`, summed over its other letters.
Result<TensorPtr> ArrangeAndSum(Call& call, const EinsumSizes& sizes, const Operand& operand,
                                const Letters& kept) {
  Letters order = kept, summed;
  for (char letter : operand.letters) {
    if (!Contains(order, letter)) {
      summed += letter;
      order += letter;
    }
  }
  TERN_TRY_ASSIGN(TensorPtr all, Arrange(call, sizes, operand, order));
  if (summed.empty()) return all;
  Extents shape;
  for (char letter : kept) shape.push_back(ExtentOf(sizes, letter));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(shape));
  const TernReduceArgs args{
      TERN_REDUCE_sum,       CountOfLetters(sizes, kept), CountOfLetters(sizes, summed), 1,
      all->data_as<float>(), y->data_as<float>()};
  TERN_TRY(Call::Check(call.kernels().reduce(&args, call.kernel_context())));
  return y;
}

// How the letters of a pair are used: in both and wanted; in one and wanted; in both and summed.
struct Roles {
  Letters batch, rows, columns, inner;
};

Roles RolesOf(const Letters& a, const Letters& b, const Letters& wanted) {
  Roles roles;
  for (char letter : a) {
    Letters& role = !Contains(b, letter)       ? roles.rows
                    : Contains(wanted, letter) ? roles.batch
                                               : roles.inner;
    const bool dropped = !Contains(b, letter) && !Contains(wanted, letter);
    if (!dropped && !Contains(role, letter)) role += letter;
  }
  for (char letter : b) {
    if (!Contains(a, letter) && Contains(wanted, letter) && !Contains(roles.columns, letter))
      roles.columns += letter;
  }
  return roles;
}

Status Multiply(Call& call, const TernMatMulArgs& shape, const Tensor& a, const Tensor& b,
                const Tensor& c) {
  std::vector<int64_t> offsets[3];
  for (int64_t i = 0; i < shape.batches; ++i) {
    offsets[0].push_back(i * shape.m * shape.k);
    offsets[1].push_back(i * shape.k * shape.n);
    offsets[2].push_back(i * shape.m * shape.n);
  }
  TernMatMulArgs args = shape;
  args.a = a.data_as<float>();
  args.a_row_stride = shape.k;
  args.a_col_stride = 1;
  args.b = b.data_as<float>();
  args.b_row_stride = shape.n;
  args.b_col_stride = 1;
  args.c = c.data_as<float>();
  args.c_row_stride = shape.n;
  args.a_offsets = offsets[0].data();
  args.b_offsets = offsets[1].data();
  args.c_offsets = offsets[2].data();
  return Call::Check(call.kernels().matmul(&args, call.kernel_context()));
}

// The product of two operands, summed over letters that nobody wants any more.
Result<Operand> Contract(Call& call, const EinsumSizes& sizes, const Operand& a, const Operand& b,
                         const Letters& wanted) {
  const Roles roles = RolesOf(a.letters, b.letters, wanted);
  TERN_TRY_ASSIGN(TensorPtr left,
                  ArrangeAndSum(call, sizes, a, roles.batch + roles.rows + roles.inner));
  TERN_TRY_ASSIGN(TensorPtr right,
                  ArrangeAndSum(call, sizes, b, roles.batch + roles.inner + roles.columns));
  Operand result;
  result.letters = roles.batch + roles.rows + roles.columns;
  TERN_TRY(ops::CheckRank("a product of the equation", static_cast<int>(result.letters.size()), 0,
                          ops::kMaxDims));
  Extents shape;
  for (char letter : result.letters) shape.push_back(ExtentOf(sizes, letter));
  TERN_TRY_ASSIGN(result.holder, call.NewF32(shape));
  result.tensor = result.holder.get();
  TernMatMulArgs args{};
  args.batches = CountOfLetters(sizes, roles.batch);
  args.m = CountOfLetters(sizes, roles.rows);
  args.n = CountOfLetters(sizes, roles.columns);
  args.k = CountOfLetters(sizes, roles.inner);
  if (result.tensor->element_count() > 0)
    TERN_TRY(Multiply(call, args, *left, *right, *result.tensor));
  return result;
}

}  // namespace

Result<Any> Einsum(const ops::EinsumAttrs& attrs, Call& call) {
  TERN_TRY_ASSIGN(ops::EinsumTerms terms, ops::ParseEinsum(attrs.equation));
  std::vector<const Tensor*> inputs;
  std::vector<Extents> shapes;
  for (int i = 0; i < call.size(); ++i) {
    inputs.push_back(call.F32(i));
    TERN_TRY(call.TakeStatus());
    shapes.push_back(ExtentsOf(*inputs.back()));
  }
  Extents out;
  TERN_TRY(ops::EinsumShape<int64_t>(terms, shapes, &out));
  EinsumSizes sizes;
  std::vector<Operand> operands;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TERN_TRY(ops::BindEinsumInput(terms.inputs[i], shapes[i], static_cast<int>(i), &sizes));
    const int letters =
        static_cast<int>(terms.inputs[i].size()) - (Contains(terms.inputs[i], '.') ? 1 : 0);
    operands.push_back(
        Operand{nullptr, inputs[i], Spell(terms.inputs[i], shapes[i].rank() - letters)});
  }
  const Letters result = Spell(terms.output, sizes.ellipsis.rank());
  Operand product = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    Letters wanted = result;
    for (size_t j = i + 1; j < operands.size(); ++j) wanted += operands[j].letters;
    TERN_TRY_ASSIGN(product, Contract(call, sizes, product, operands[i], wanted));
  }
  TERN_TRY_ASSIGN(TensorPtr y, ArrangeAndSum(call, sizes, product, result));
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
