// SPDX-License-Identifier: Apache-2.0
#include "core/ops/image_rules.h"

namespace tern::ops {

namespace {

Status CheckCount(std::string_view key, const Ints& values, int expected) {
  // An empty list means the default for every axis.
  if (values.empty() || values.size() == static_cast<size_t>(expected)) return OkStatus();
  return InvalidArgument(key, " has ", values.size(), " values, expected ", expected);
}

}  // namespace

Status CheckWindow(const WindowAttrs& attrs, int spatial_rank) {
  TERN_TRY(CheckCount("kernel", attrs.kernel, spatial_rank));
  TERN_TRY(CheckCount("strides", attrs.strides, spatial_rank));
  TERN_TRY(CheckCount("dilations", attrs.dilations, spatial_rank));
  return CheckCount("pads", attrs.pads, 2 * spatial_rank);
}

Status CheckTransposed(const ConvTransposeAttrs& attrs, int spatial_rank) {
  TERN_TRY(CheckWindow(attrs.window, spatial_rank));
  TERN_TRY(CheckCount("output_padding", attrs.output_padding, spatial_rank));
  return CheckCount("output_shape", attrs.output_shape, spatial_rank);
}

// Asked for with symbols too: `divides` is true where nothing is known.
Status CheckGroups(int64_t groups, std::string_view what, std::string_view extent, bool divides) {
  if (divides) return OkStatus();
  return InvalidArgument("groups=", groups, " does not divide the ", extent, " ", what);
}

}  // namespace tern::ops
