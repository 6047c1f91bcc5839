// SPDX-License-Identifier: Apache-2.0
// Attributes of operators that models of one kind have: random numbers, texts, image files, regions
// of images, weights of few bits, trees.
#ifndef TERN_CORE_OPS_SPECIAL_ATTRS_H_
#define TERN_CORE_OPS_SPECIAL_ATTRS_H_

#include "core/ops/attr_fields.h"
#include "core/ops/image_attrs.h"

namespace tern::ops {

// random_uniform, random_normal: the same seed gives the same numbers on every target.
struct RandomAttrs {
  int64_t seed = 0;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("seed", s.seed, 0);
  }
  TERN_OPS_ATTRS(RandomAttrs)
};

// string_split. most: cuts of one text, -1 for any number. at: what the delimiter is: a text, RE2
// patterns of what lies between parts, or one of the parts themselves. With patterns only parts of
// at least `least` characters are kept.
enum class SplitAt { kText, kPatterns, kParts };
std::span<const std::string_view> EnumNames(SplitAt);
struct StringSplitAttrs {
  int64_t most = -1, least = 1;
  SplitAt at = SplitAt::kText;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("most", s.most, -1);
    v.Int("least", s.least, 1);
    v.Enum("at", s.at, SplitAt::kText);
  }
  TERN_OPS_ATTRS(StringSplitAttrs)
};

// image_decode: what the channels of a pixel are.
enum class PixelFormat { kRgb, kBgr, kGrey };
std::span<const std::string_view> EnumNames(PixelFormat);
struct ImageDecodeAttrs {
  PixelFormat pixels = PixelFormat::kRgb;

  int64_t channels() const { return pixels == PixelFormat::kGrey ? 1 : 3; }
  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Enum("pixels", s.pixels, PixelFormat::kRgb);
  }
  TERN_OPS_ATTRS(ImageDecodeAttrs)
};

// deform_conv. offset_groups: of the input's channels, each with offsets of its own.
struct DeformConvAttrs {
  WindowAttrs window;
  int64_t groups = 1, offset_groups = 1;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    WindowAttrs::Fields(v, s.window);
    v.Int("groups", s.groups, 1);
    v.Int("offset_groups", s.offset_groups, 1);
  }
  TERN_OPS_ATTRS(DeformConvAttrs)
};

// max_roi_pool.
struct MaxRoiPoolAttrs {
  int64_t height = 1, width = 1;
  float spatial_scale = 1;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("height", s.height, 1);
    v.Int("width", s.width, 1);
    v.Float("spatial_scale", s.spatial_scale, 1);
  }
  TERN_OPS_ATTRS(MaxRoiPoolAttrs)
};

// matmul_bits: b is [columns, ceil(depth / block), block / 2] bytes, two weights each.
struct MatMulBitsAttrs {
  int64_t columns = 1, depth = 1, block = 32;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("columns", s.columns, 1);
    v.Int("depth", s.depth, 1);
    v.Int("block", s.block, 32);
  }
  TERN_OPS_ATTRS(MatMulBitsAttrs)
};

enum class TreeAggregate { kSum, kAverage, kMin, kMax };
std::span<const std::string_view> EnumNames(TreeAggregate);
struct TreeAttrs {
  int64_t targets = 1;
  TreeAggregate aggregate = TreeAggregate::kSum;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("targets", s.targets, 1);
    v.Enum("aggregate", s.aggregate, TreeAggregate::kSum);
  }
  TERN_OPS_ATTRS(TreeAttrs)
};

struct CoupleAttrs {
  int64_t classes = 2;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Int("classes", s.classes, 2);
  }
  TERN_OPS_ATTRS(CoupleAttrs)
};

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_SPECIAL_ATTRS_H_
