// SPDX-License-Identifier: Apache-2.0
// non_max_suppression: of boxes that overlap, the best.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/sort.h"
#include "core/kernels/bind/bindings.h"

namespace tern::kernels::bind {
namespace {

struct Box {
  float left, top, right, bottom;
  float area() const { return (right - left) * (bottom - top); }
};

// [y, x, y, x] of two opposite corners, or [x, y, width, height] with x and y of the middle.
Box ReadBox(const float* values, bool center_point) {
  if (center_point) {
    const float x = values[0], y = values[1], w = values[2] / 2, h = values[3] / 2;
    return {x - w, y - h, x + w, y + h};
  }
  // Models have the corners in either order.
  return {std::min(values[1], values[3]), std::min(values[0], values[2]),
          std::max(values[1], values[3]), std::max(values[0], values[2])};
}

bool Overlap(const Box& a, const Box& b, float threshold) {
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  // Also where a coordinate is no number: comparisons with it are false.
  if (!(width > 0 && height > 0)) return false;
  const float both = width * height, either = a.area() + b.area() - both;
  return a.area() > 0 && b.area() > 0 && either > 0 && both / either > threshold;
}

struct Limits {
  int64_t count = 0;  // per class of each batch
  float overlap = 0, score = 0;
  bool has_score = false;
};

Result<Limits> ReadLimits(Call& call) {
  Limits limits;
  if (call.Has(2)) limits.count = call.ReadInt(2);
  if (call.Has(3)) limits.overlap = static_cast<float>(call.ReadNumber(3));
  limits.has_score = call.Has(4);
  if (limits.has_score) limits.score = static_cast<float>(call.ReadNumber(4));
  TERN_TRY(call.TakeStatus());
  if (limits.overlap >= 0 && limits.overlap <= 1) return limits;
  return InvalidArgument("iou_threshold is ", limits.overlap, ", expected 0 to 1");
}

// The boxes that are good enough, best first, and of equal ones the first. Those that are no number
// are not.
std::vector<int64_t> Candidates(const float* scores, int64_t count, const Limits& limits) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isnan(scores[i]) && (!limits.has_score || scores[i] > limits.score))
      order.push_back(i);
  }
  Sort(&order, [scores](int64_t a, int64_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  return order;
}

std::vector<int64_t> Select(Call& call, const float* boxes, bool center_point,
                            const std::vector<int64_t>& candidates, const Limits& limits) {
  std::vector<int64_t> selected;
  std::vector<Box> kept;
  // Greedy: a box falls to any better one that was kept, not to one that has fallen itself.
  for (const int64_t index : candidates) {
    if (static_cast<int64_t>(selected.size()) >= limits.count) break;
    if (selected.size() % 256 == 255 && call.IsStopped()) break;
    const Box box = ReadBox(boxes + 4 * index, center_point);
    if (std::any_of(kept.begin(), kept.end(),
                    [&](const Box& other) { return Overlap(box, other, limits.overlap); }))
      continue;
    kept.push_back(box);
    selected.push_back(index);
  }
  return selected;
}

Status CheckBoxes(const Tensor& boxes, const Tensor& scores) {
  if (boxes.rank() == 3 && scores.rank() == 3 && boxes.dim(2) == 4 &&
      boxes.dim(0) == scores.dim(0) && boxes.dim(1) == scores.dim(2))
    return OkStatus();
  return InvalidArgument("boxes are ", boxes.TypeText(), " and scores ", scores.TypeText(),
                         ", expected [batch, boxes, 4] and [batch, classes, boxes]");
}

}  // namespace

Result<Any> NonMaxSuppression(const ops::NonMaxSuppressionAttrs& attrs, Call& call) {
  const Tensor *boxes = call.F32(0), *scores = call.F32(1);
  TERN_TRY_ASSIGN(const Limits limits, ReadLimits(call));
  TERN_TRY(CheckBoxes(*boxes, *scores));
  const int64_t classes = scores->dim(1), count = scores->dim(2);
  std::vector<int64_t> rows;
  const bool any = limits.count > 0 && count > 0;
  // Each candidate is compared with all that were kept.
  const int64_t kept = std::min(count, std::max(limits.count, int64_t{0}));
  TERN_TRY(call.Charge(ops::MulDim(scores->element_count(), kept)));
  for (int64_t b = 0; any && b < scores->dim(0); ++b) {
    for (int64_t c = 0; c < classes; ++c) {
      const float* of_class = scores->data_as<float>() + (b * classes + c) * count;
      for (const int64_t index :
           Select(call, boxes->data_as<float>() + b * count * 4, attrs.center_point,
                  Candidates(of_class, count, limits), limits))
        for (const int64_t part : {b, c, index}) rows.push_back(part);
    }
  }
  TERN_TRY_ASSIGN(TensorPtr out, call.New(kI64, {static_cast<int64_t>(rows.size()) / 3, 3}));
  std::copy(rows.begin(), rows.end(), out->data_as<int64_t>());
  return Any(std::move(out));
}

}  // namespace tern::kernels::bind
