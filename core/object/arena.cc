// SPDX-License-Identifier: Apache-2.0
#include "core/object/arena.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/poison.h"
#include "core/base/sort.h"

namespace tern {

namespace {

bool LieOver(const Place& a, const Place& b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

}  // namespace

uint64_t LayOutPlaces(std::vector<PlaceRequest>* requests) {
  std::vector<size_t> order(requests->size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    uint64_t& bytes = (*requests)[i].bytes;
    bytes = (bytes + Arena::kAlignment - 1) / Arena::kAlignment * Arena::kAlignment;
  }
  Sort(&order, [requests](size_t a, size_t b) {
    const uint64_t left = (*requests)[a].bytes, right = (*requests)[b].bytes;
    return left != right ? left > right : a < b;
  });
  std::vector<size_t> placed;  // by offset
  uint64_t end = 0;
  for (size_t index : order) {
    PlaceRequest& request = (*requests)[index];
    request.offset = 0;
    for (size_t other : placed) {
      const PlaceRequest& lies = (*requests)[other];
      // Both ends are included: an operator reads its operands while it writes its result.
      if (request.first > lies.last || lies.first > request.last) continue;
      // `placed` is in the order of offsets, so the first gap that is large enough is the lowest.
      if (request.offset + request.bytes <= lies.offset) break;
      request.offset = std::max(request.offset, lies.offset + lies.bytes);
    }
    const auto behind = std::upper_bound(placed.begin(), placed.end(), request.offset,
                                         [requests](uint64_t offset, size_t other) {
                                           return offset < (*requests)[other].offset;
                                         });
    placed.insert(behind, index);
    end = std::max(end, request.offset + request.bytes);
  }
  return end;
}

Arena::Arena(Allocator* allocator, void* memory, size_t bytes)
    : allocator_(allocator), memory_(static_cast<char*>(memory)), bytes_(bytes) {
  TERN_POISON(memory_, bytes_);
}

// The platform gets memory back that may be touched.
Arena::~Arena() { TERN_UNPOISON(memory_, bytes_); }

void* Arena::Take(const Place& place) {
  const bool is_aligned = place.offset % kAlignment == 0 && place.bytes % kAlignment == 0;
  // Written as a subtraction: a file's numbers may have any sum.
  if (!is_aligned || place.bytes == 0 || place.offset > bytes_ ||
      place.bytes > bytes_ - place.offset)
    return nullptr;
  for (const Place& other : taken_) {
    if (LieOver(place, other)) return nullptr;
  }
  taken_.push_back(place);
  char* const memory = memory_ + place.offset;
  TERN_UNPOISON(memory, place.bytes);
  return memory;
}

Place Arena::FindGap(size_t bytes, std::span<const Place> kept) const {
  if (bytes > bytes_) return {};
  // Each round passes what lies over the gap, in no order. That many are enough for what programs
  // keep alive, and end soon where a plan has thousands.
  constexpr int kMostRounds = 32;
  Place gap = {0, (bytes + kAlignment - 1) / kAlignment * kAlignment};
  for (int round = 0; round < kMostRounds; ++round) {
    const uint64_t before = gap.offset;
    for (const std::span<const Place> places : {std::span<const Place>(taken_), kept}) {
      for (const Place& place : places) {
        if (LieOver(gap, place)) gap.offset = place.offset + place.bytes;
      }
    }
    if (gap.offset == before) return gap.offset + gap.bytes <= bytes_ ? gap : Place{};
  }
  return {};
}

void Arena::Return(void* memory) {
  const auto offset = static_cast<uint64_t>(static_cast<char*>(memory) - memory_);
  size_t i = 0;
  while (i < taken_.size() && taken_[i].offset != offset) ++i;
  TERN_CHECK(i < taken_.size(), "a place is given back twice");
  TERN_POISON(memory, taken_[i].bytes);
  taken_[i] = taken_.back();
  taken_.pop_back();
}

}  // namespace tern
