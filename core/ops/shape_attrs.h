// SPDX-License-Identifier: Apache-2.0
// Attributes of the families shape, index and make: operators that move elements or make tensors.
// Where an operator takes an integer tensor or an attribute of the same name (reshape's shape,
// slice's starts, …), the attribute counts where the argument is absent.
#ifndef TERN_CORE_OPS_SHAPE_ATTRS_H_
#define TERN_CORE_OPS_SHAPE_ATTRS_H_

#include "core/ops/attr_fields.h"

namespace tern::ops {

// perm empty: axes reversed. y axis i is x axis perm[i].
struct TransposeAttrs {
  Ints perm;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.IntList("perm", s.perm);
  }
  TERN_OPS_ATTRS(TransposeAttrs)
};

// scalar: the target is [] (an empty list cannot be told from an absent one).
struct ReshapeAttrs {
  Ints shape;
  bool allow_zero = false;  // 0 means an extent of 0 rather than "as in x"
  bool scalar = false;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.IntList("shape", s.shape);
    v.Bool("allow_zero", s.allow_zero, false);
    v.Bool("scalar", s.scalar, false);
  }
  TERN_OPS_ATTRS(ReshapeAttrs)
};

// squeeze (empty: every extent of 1), unsqueeze (axes of the result).
struct AxesAttrs {
  Ints axes;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.IntList("axes", s.axes);
  }
  TERN_OPS_ATTRS(AxesAttrs)
};

// concat, gather, gather_elements, compress (see has_axis), flatten.
struct AxisAttrs {
  int64_t axis = 0;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, 0);
  }
  TERN_OPS_ATTRS(AxisAttrs)
};

struct FlattenAttrs {
  int64_t axis = 1;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, 1);
  }
  TERN_OPS_ATTRS(FlattenAttrs)
};

// compress, unique: over the flattened tensor unless has_axis.
struct OptionalAxisAttrs {
  bool has_axis = false;
  int64_t axis = 0;
  bool sorted = true;  // unique

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Bool("has_axis", s.has_axis, false);
    v.Int("axis", s.axis, 0);
    v.Bool("sorted", s.sorted, true);
  }
  TERN_OPS_ATTRS(OptionalAxisAttrs)
};

// Either sizes, or parts equal pieces of which the last may be smaller.
struct SplitAttrs {
  int64_t axis = 0;
  Ints sizes;
  int64_t parts = 0;

  int count() const {
    return static_cast<int>(sizes.empty() ? parts : static_cast<int64_t>(sizes.size()));
  }

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, 0);
    v.IntList("sizes", s.sizes);
    v.Int("parts", s.parts, 0);
  }
  TERN_OPS_ATTRS(SplitAttrs)
};

// axes empty: 0, 1, …; steps empty: 1. Out-of-range starts and ends are clamped, negative ones
// count from the end.
struct SliceAttrs {
  Ints starts, ends, axes, steps;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.IntList("starts", s.starts);
    v.IntList("ends", s.ends);
    v.IntList("axes", s.axes);
    v.IntList("steps", s.steps);
  }
  TERN_OPS_ATTRS(SliceAttrs)
};

enum class PadMode { kConstant, kReflect, kEdge, kWrap };
std::span<const std::string_view> EnumNames(PadMode);
// pads: all begins then all ends, for every axis (or for `axes`); negative ones crop.
struct PadAttrs {
  PadMode mode = PadMode::kConstant;
  Ints pads, axes;
  float value = 0;  // where the value argument is absent

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Enum("mode", s.mode, PadMode::kConstant);
    v.IntList("pads", s.pads);
    v.IntList("axes", s.axes);
    v.Float("value", s.value, 0);
  }
  TERN_OPS_ATTRS(PadAttrs)
};

// expand's target.
struct ShapeAttrs {
  Ints shape;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.IntList("shape", s.shape);
  }
  TERN_OPS_ATTRS(ShapeAttrs)
};

struct TileAttrs {
  Ints repeats;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.IntList("repeats", s.repeats);
  }
  TERN_OPS_ATTRS(TileAttrs)
};

struct ReverseSequenceAttrs {
  int64_t batch_axis = 1, time_axis = 0;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("batch_axis", s.batch_axis, 1);
    v.Int("time_axis", s.time_axis, 0);
  }
  TERN_OPS_ATTRS(ReverseSequenceAttrs)
};

// k: the diagonal, above the main one where positive.
struct TriluAttrs {
  bool upper = true;
  int64_t k = 0;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Bool("upper", s.upper, true);
    v.Int("k", s.k, 0);
  }
  TERN_OPS_ATTRS(TriluAttrs)
};

struct GatherNdAttrs {
  int64_t batch_dims = 0;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("batch_dims", s.batch_dims, 0);
  }
  TERN_OPS_ATTRS(GatherNdAttrs)
};

enum class ScatterReduction { kNone, kAdd, kMul, kMax, kMin };
std::span<const std::string_view> EnumNames(ScatterReduction);
// scatter_elements (axis), scatter_nd.
struct ScatterAttrs {
  int64_t axis = 0;
  ScatterReduction reduction = ScatterReduction::kNone;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, 0);
    v.Enum("reduction", s.reduction, ScatterReduction::kNone);
  }
  TERN_OPS_ATTRS(ScatterAttrs)
};

// depth < 0: given by the second argument.
struct OneHotAttrs {
  int64_t axis = -1, depth = -1;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("axis", s.axis, -1);
    v.Int("depth", s.depth, -1);
  }
  TERN_OPS_ATTRS(OneHotAttrs)
};

// Axes start … end - 1; clamped, negative ones count from the end.
struct ShapeOfAttrs {
  int64_t start = 0, end = INT64_MAX;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("start", s.start, 0);
    v.Int("end", s.end, INT64_MAX);
  }
  TERN_OPS_ATTRS(ShapeOfAttrs)
};

// value is text so that i64 and f32 alike stay exact; "0" by default.
struct ConstantOfShapeAttrs {
  DType dtype = kF32;
  std::string value;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Type("dtype", s.dtype, kF32);
    v.Text("value", s.value);
  }
  TERN_OPS_ATTRS(ConstantOfShapeAttrs)
};

// dtype none: that of x.
struct EyeLikeAttrs {
  int64_t k = 0;
  DType dtype = DType(0, 0, 0);

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("k", s.k, 0);
    v.Type("dtype", s.dtype, DType(0, 0, 0));
  }
  TERN_OPS_ATTRS(EyeLikeAttrs)
};

struct NonMaxSuppressionAttrs {
  bool center_point = false;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Bool("center_point", s.center_point, false);
  }
  TERN_OPS_ATTRS(NonMaxSuppressionAttrs)
};

enum class CaseChange { kNone, kLower, kUpper };
std::span<const std::string_view> EnumNames(CaseChange);
// string_normalizer. Case is that of ASCII letters.
struct StringNormalizerAttrs {
  CaseChange change = CaseChange::kNone;
  bool sensitive = false;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Enum("change", s.change, CaseChange::kNone);
    v.Bool("sensitive", s.sensitive, false);
  }
  TERN_OPS_ATTRS(StringNormalizerAttrs)
};

enum class TfIdfMode { kTf, kIdf, kTfIdf };
std::span<const std::string_view> EnumNames(TfIdfMode);
// tf_idf. n-grams of `least` to `most` elements, of which neighbours have at most `skips` others
// between them; columns: of the result.
struct TfIdfAttrs {
  TfIdfMode mode = TfIdfMode::kTf;
  int64_t least = 1, most = 1, skips = 0, columns = 1;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Enum("mode", s.mode, TfIdfMode::kTf);
    v.Int("least", s.least, 1);
    v.Int("most", s.most, 1);
    v.Int("skips", s.skips, 0);
    v.Int("columns", s.columns, 1);
  }
  TERN_OPS_ATTRS(TfIdfAttrs)
};

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_SHAPE_ATTRS_H_
