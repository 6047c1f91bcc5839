// SPDX-License-Identifier: Apache-2.0
// einsum: operands are contracted from left to right, each pair as a batched matrix product: f32 by
// kernels, 16-bit floats in f32, other numbers by plain loops.
// Arrange brings an operand's axes into any order of its letters, and takes diagonals and
// broadcasts on the way.

#include <string>
#include <utility>
#include <vector>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/elementwise.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/types.h"
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
// Ellipses are aligned at their ends as in broadcasting, so the last axis has the same letter in
// every operand.
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
      // A letter that stands twice has both strides: its elements are the diagonal. One of extent 1
      // has none, and repeats.
      const bool here = operand.letters[static_cast<size_t>(axis)] == order[i] && own[axis] != 1;
      if (here) copy.src_strides[i] += strides[axis];
    }
  }
  ContiguousStrides(copy.shape, copy.dst_strides);
  const DType dtype = operand.tensor->dtype();
  TERN_TRY_ASSIGN(TensorPtr y, call.New(dtype, copy.shape));
  TERN_TRY(CopyStrided(call, copy, dtype.size(), operand.tensor->data(), y->data()));
  return y;
}

// Of a type of that width; integers are summed as bits.
template <class T>
T* ElementsOf(const Tensor& tensor) {
  return static_cast<T*>(tensor.data());
}

// f(T{}, A{}) for a type T of these elements and the type A of their sums: integers wrap, whatever
// their sign, so their bits are enough.
template <class F>
void DispatchSums(DType dtype, const F& f) {
  if (dtype == kF64) return f(double{}, double{});
  DispatchSize(dtype.size(), [&](auto type) { f(type, uint64_t{}); });
}

// y[i] = the sum of x[i, …], rows of `count`.
template <class T, class Sum>
void SumRows(const Tensor& x, int64_t count, const Tensor& y) {
  const T* from = ElementsOf<T>(x);
  T* to = ElementsOf<T>(y);
  for (int64_t i = 0; i < y.element_count(); ++i) {
    Sum sum = 0;
    for (int64_t j = 0; j < count; ++j) sum += static_cast<Sum>(from[i * count + j]);
    to[i] = static_cast<T>(sum);
  }
}

// c = a * b for one batch: [m, k], [k, n], [m, n].
template <class T, class Sum>
void MultiplyPlain(const TernMatMulArgs& shape, const T* a, const T* b, T* c) {
  for (int64_t i = 0; i < shape.m; ++i) {
    for (int64_t j = 0; j < shape.n; ++j) {
      Sum sum = 0;
      for (int64_t k = 0; k < shape.k; ++k)
        sum += static_cast<Sum>(a[i * shape.k + k]) * static_cast<Sum>(b[k * shape.n + j]);
      c[i * shape.n + j] = static_cast<T>(sum);
    }
  }
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
  TERN_TRY_ASSIGN(TensorPtr y, call.New(all->dtype(), shape));
  if (all->dtype() != kF32) {
    const int64_t count = CountOfLetters(sizes, summed);
    DispatchSums(all->dtype(), [&](auto type, auto sum) {
      SumRows<decltype(type), decltype(sum)>(*all, count, *y);
    });
    return y;
  }
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
    // Only a has it and nobody wants it: it is summed before the product, which is then smaller.
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
  TERN_TRY(call.Charge(ops::MulDim(c.element_count(), shape.k)));
  if (a.dtype() != kF32) {
    DispatchSums(a.dtype(), [&](auto type, auto sum) {
      using T = decltype(type);
      for (int64_t i = 0; i < shape.batches; ++i) {
        MultiplyPlain<T, decltype(sum)>(shape, ElementsOf<T>(a) + i * shape.m * shape.k,
                                        ElementsOf<T>(b) + i * shape.k * shape.n,
                                        ElementsOf<T>(c) + i * shape.m * shape.n);
      }
    });
    return OkStatus();
  }
  TERN_TRY_ASSIGN(TensorPtr table, call.NewTable(3 * shape.batches));
  int64_t* offsets = table->data_as<int64_t>();
  for (int64_t i = 0; i < shape.batches; ++i) {
    offsets[i] = i * shape.m * shape.k;
    offsets[shape.batches + i] = i * shape.k * shape.n;
    offsets[2 * shape.batches + i] = i * shape.m * shape.n;
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
  args.a_offsets = offsets;
  args.b_offsets = offsets + shape.batches;
  args.c_offsets = offsets + 2 * shape.batches;
  return Call::Check(call.kernels().matmul(&args, call.kernel_context()));
}

// The product of two operands, summed over letters that nobody wants any more.
Result<Operand> Contract(Call& call, const EinsumSizes& sizes, const Operand& a, const Operand& b,
                         const Letters& wanted) {
  const Roles roles = RolesOf(a.letters, b.letters, wanted);
  // Both as [batch, rows, inner] and [batch, inner, columns], whatever their axes were.
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
  TERN_TRY_ASSIGN(result.holder, call.New(left->dtype(), shape));
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

bool IsHalf(DType dtype) { return dtype == kF16 || dtype == kBf16; }

Status CheckNumbers(const Call& call, int index, const Tensor& tensor) {
  const bool number = DispatchNumber(tensor.dtype(), [](auto) {}) && tensor.dtype() != kBool;
  if (number || IsHalf(tensor.dtype())) return OkStatus();
  return WrongTensor(call, index, tensor, "numbers");
}

}  // namespace

Result<Any> Einsum(const ops::EinsumAttrs& attrs, Call& call) {
  TERN_TRY_ASSIGN(ops::EinsumTerms terms, ops::ParseEinsum(attrs.equation));
  std::vector<const Tensor*> inputs;
  std::vector<TensorPtr> holders;
  std::vector<Extents> shapes;
  DType dtype = kF32;
  for (int i = 0; i < call.size(); ++i) {
    const Tensor* input = i == 0 ? call.Input(i) : call.Input(i, dtype);
    TERN_TRY(call.TakeStatus());
    dtype = input->dtype();
    TERN_TRY(CheckNumbers(call, i, *input));
    if (IsHalf(dtype)) {
      TERN_TRY_ASSIGN(TensorPtr wide, Widen(call, *input));
      input = holders.emplace_back(std::move(wide)).get();
    }
    inputs.push_back(input);
    shapes.push_back(ExtentsOf(*input));
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
    // A letter stays as long as the result or an operand that is still to come has it.
    for (size_t j = i + 1; j < operands.size(); ++j) wanted += operands[j].letters;
    TERN_TRY_ASSIGN(product, Contract(call, sizes, product, operands[i], wanted));
  }
  TERN_TRY_ASSIGN(TensorPtr y, ArrangeAndSum(call, sizes, product, result));
  if (IsHalf(dtype)) {
    TERN_TRY_ASSIGN(y, Narrow(call, *y, dtype));
  }
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
