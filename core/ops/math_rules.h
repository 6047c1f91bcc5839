// SPDX-License-Identifier: Apache-2.0
// Shape rules of the families that compute: broadcasting, matmul, einsum, reductions, topk.
#ifndef TERN_CORE_OPS_MATH_RULES_H_
#define TERN_CORE_OPS_MATH_RULES_H_

#include "core/ops/dims.h"
#include "core/ops/math_attrs.h"

namespace tern::ops {

// The common shape of a and b, aligned at the last axis. Two different symbols may each be 1 at run
// time, so their broadcast is max(a, b).
template <class D>
Status BroadcastShape(const Dims<D>& a, const Dims<D>& b, Dims<D>* out) {
  const int rank = a.rank() > b.rank() ? a.rank() : b.rank();
  Dims<D> result;
  for (int i = 0; i < rank; ++i) {
    const int ai = i - (rank - a.rank()), bi = i - (rank - b.rank());
    if (ai < 0 || bi < 0) {
      result.push_back(ai < 0 ? b[bi] : a[ai]);
    } else if (DimIs(a[ai], 1) || DimIs(b[bi], 1)) {
      result.push_back(DimIs(a[ai], 1) ? b[bi] : a[ai]);
    } else if (Differ(a[ai], b[bi])) {
      return InvalidArgument("shapes ", ShapeText(a), " and ", ShapeText(b),
                             " do not broadcast: axis ", i, " of the result is ", DimText(a[ai]),
                             " against ", DimText(b[bi]));
    } else {
      int64_t constant = 0;
      bool b_known = DimIsConstant(b[bi], &constant);
      bool equal = CompareDims(a[ai], b[bi]) == DimRelation::kEqual;
      bool a_known = DimIsConstant(a[ai], &constant);
      result.push_back(equal || a_known ? a[ai] : b_known ? b[bi] : MaxDim(a[ai], b[bi]));
    }
  }
  *out = result;
  return OkStatus();
}

// numpy matmul of a and b after trans_a and trans_b; packed b has `columns`.
template <class D>
Status MatMulShape(const MatMulAttrs& attrs, const Dims<D>& a, const Dims<D>& b, Dims<D>* out) {
  TERN_TRY(CheckRank("a", a.rank(), 1, kMaxDims));
  TERN_TRY(CheckRank("b", b.rank(), 1, kMaxDims));
  if (attrs.packed) TERN_TRY(CheckRank("packed b", b.rank(), 3, 3));
  const bool a_vector = a.rank() == 1, b_vector = b.rank() == 1 && !attrs.packed;
  const int a_rows = attrs.trans_a && !a_vector ? a.rank() - 1 : a.rank() - 2;
  const int a_inner = attrs.trans_a && !a_vector ? a.rank() - 2 : a.rank() - 1;
  int b_inner = b_vector ? 0 : attrs.trans_b ? b.rank() - 1 : b.rank() - 2;
  if (Differ(a[a_inner], b[b_inner])) {
    return InvalidArgument("axis ", a_inner, " of a ", ShapeText(a), " is ", DimText(a[a_inner]),
                           ", but axis ", b_inner, " of b ", ShapeText(b), " is ",
                           DimText(b[b_inner]));
  }
  Dims<D> a_batch, b_batch;
  for (int i = 0; i + 2 < a.rank(); ++i) a_batch.push_back(a[i]);
  for (int i = 0; i + 2 < b.rank() && !attrs.packed; ++i) b_batch.push_back(b[i]);
  TERN_TRY(BroadcastShape(a_batch, b_batch, out));
  TERN_TRY(CheckRank("the product", out->rank() + 2, 0, kMaxDims));
  if (!a_vector) out->push_back(a[a_rows]);
  if (attrs.packed) {
    out->push_back(D(attrs.columns));
  } else if (!b_vector) {
    out->push_back(b[attrs.trans_b ? b.rank() - 2 : b.rank() - 1]);
  }
  return OkStatus();
}

// mask: bit i set where axis i is reduced.
Status ReducedAxes(std::span<const int64_t> axes, bool noop_if_empty, int rank, uint32_t* mask);

template <class D>
Dims<D> ReducedShape(const Dims<D>& x, uint32_t mask, bool keep_dims) {
  Dims<D> out;
  for (int i = 0; i < x.rank(); ++i) {
    if ((mask >> i & 1) == 0) {
      out.push_back(x[i]);
    } else if (keep_dims) {
      out.push_back(D(1));
    }
  }
  return out;
}

template <class D>
Status ReduceShape(const ReduceAttrs& attrs, std::span<const int64_t> axes, const Dims<D>& x,
                   Dims<D>* out) {
  uint32_t mask = 0;
  TERN_TRY(ReducedAxes(axes, attrs.noop_if_empty, x.rank(), &mask));
  *out = ReducedShape(x, mask, attrs.keep_dims);
  return OkStatus();
}

template <class D>
Status ArgReduceShape(const ArgReduceAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  int axis = 0;
  TERN_TRY(ResolveAxis(attrs.axis, x.rank(), &axis));
  if (DimIs(x[axis], 0))
    return InvalidArgument("axis ", axis, " of x ", ShapeText(x), " has no elements");
  *out = ReducedShape(x, 1u << axis, attrs.keep_dims);
  return OkStatus();
}

// Both results have this shape.
template <class D>
Status TopKShape(const TopKAttrs& attrs, const Dims<D>& x, const D& k, Dims<D>* out) {
  int axis = 0;
  TERN_TRY(ResolveAxis(attrs.axis, x.rank(), &axis));
  int64_t extent = 0, count = 0;
  if (DimIsNegative(k) ||
      (DimIsConstant(x[axis], &extent) && DimIsConstant(k, &count) && count > extent)) {
    return InvalidArgument("k is ", DimText(k), ", but axis ", axis, " of x ", ShapeText(x),
                           " has ", DimText(x[axis]), " elements");
  }
  *out = x;
  (*out)[axis] = k;
  return OkStatus();
}

// Of layer_norm_stats: mean and inverse deviation.
template <class D>
Status LayerNormStatsShape(const NormAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  int axis = 0;
  TERN_TRY(ResolveAxis(attrs.axis, x.rank(), &axis));
  *out = x;
  for (int i = axis; i < x.rank(); ++i) (*out)[i] = D(1);
  return OkStatus();
}

template <class D>
Status DetShape(const Dims<D>& x, Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 2, kMaxDims));
  TERN_TRY(CheckDim("x", x, x.rank() - 1, x[x.rank() - 2]));
  out->clear();
  for (int i = 0; i + 2 < x.rank(); ++i) out->push_back(x[i]);
  return OkStatus();
}

// The last axis holds a real number, or a real and an imaginary part.
template <class D>
Status CheckComplex(const Dims<D>& x) {
  const D& parts = x[x.rank() - 1];
  if (!Differ(parts, D(1)) || !Differ(parts, D(2))) return OkStatus();
  return InvalidArgument("axis ", x.rank() - 1, " of x ", ShapeText(x), " is ", DimText(parts),
                         ", expected 1 (real) or 2 (complex)");
}

// The result where the length is that of x; *axis: resolved.
template <class D>
Status DftShape(const DftAttrs& attrs, const Dims<D>& x, int* axis, Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 2, kMaxDims));
  TERN_TRY(ResolveAxis(attrs.axis, x.rank(), axis));
  TERN_TRY(CheckComplex(x));
  if (*axis == x.rank() - 1) {
    return InvalidArgument("axis ", *axis, " of x ", ShapeText(x),
                           " is that of real and imaginary parts");
  }
  *out = x;
  if (attrs.onesided) (*out)[*axis] = AddDim(FloorDiv(x[*axis], D(2)), D(1));
  (*out)[x.rank() - 1] = D(2);
  return OkStatus();
}

// An equation taken apart: one term of letters per input; '.' stands for an ellipsis.
struct EinsumTerms {
  std::vector<std::string> inputs;
  std::string output;
};
// "ij,jk->ik". Without an arrow the output is every letter that occurs once, in alphabetical order.
Result<EinsumTerms> ParseEinsum(std::string_view equation);

// Extents by letter; the broadcast axes of ellipses, aligned at their last.
template <class D>
struct EinsumExtents {
  D of_letter[128] = {};
  bool bound[128] = {};
  Dims<D> ellipsis;
};

template <class D>
Status BindEinsumInput(std::string_view term, const Dims<D>& dims, int index,
                       EinsumExtents<D>* extents) {
  const bool dots = term.find('.') != std::string_view::npos;
  const int letters = static_cast<int>(term.size()) - (dots ? 1 : 0);
  if (dots ? dims.rank() < letters : dims.rank() != letters) {
    return InvalidArgument("argument ", index, " ", ShapeText(dims), " does not have the ", letters,
                           " axes of '", term, "'");
  }
  int axis = 0;
  for (char letter : term) {
    if (letter == '.') {
      Dims<D> middle;
      for (int i = letters; i < dims.rank(); ++i) middle.push_back(dims[axis++]);
      TERN_TRY(BroadcastShape(extents->ellipsis, middle, &extents->ellipsis));
      continue;
    }
    const D& extent = dims[axis++];
    const auto slot = static_cast<size_t>(letter);
    if (extents->bound[slot] && !DimIs(extents->of_letter[slot], 1) && !DimIs(extent, 1) &&
        Differ(extents->of_letter[slot], extent)) {
      return InvalidArgument("axis '", letter, "' is ", DimText(extents->of_letter[slot]),
                             " and, in argument ", index, ", ", DimText(extent));
    }
    if (!extents->bound[slot] || DimIs(extents->of_letter[slot], 1))
      extents->of_letter[slot] = extent;
    extents->bound[slot] = true;
  }
  return OkStatus();
}

template <class D>
Status EinsumShape(const EinsumTerms& terms, std::span<const Dims<D>> inputs, Dims<D>* out) {
  if (inputs.size() != terms.inputs.size()) {
    return InvalidArgument("the equation has ", terms.inputs.size(), " inputs, ", inputs.size(),
                           " are given");
  }
  EinsumExtents<D> extents;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TERN_TRY(BindEinsumInput(terms.inputs[i], inputs[i], static_cast<int>(i), &extents));
  }
  out->clear();
  const auto rank = static_cast<int>(terms.output.size()) + extents.ellipsis.rank();
  TERN_TRY(CheckRank("the result", rank, 0, kMaxDims));
  for (char letter : terms.output) {
    if (letter == '.') {
      for (const D& extent : extents.ellipsis) out->push_back(extent);
    } else {
      out->push_back(extents.of_letter[static_cast<size_t>(letter)]);
    }
  }
  return OkStatus();
}

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_MATH_RULES_H_
