// SPDX-License-Identifier: Apache-2.0
#include "core/object/arena.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/poison.h"
#include "core/base/sort.h"

namespace tern {

namespace {

// The first place that begins at `offset` or behind it.
auto PlaceFrom(std::vector<Place>* places, uint64_t offset) {
  return std::lower_bound(places->begin(), places->end(), offset,
                          [](const Place& place, uint64_t at) { return place.offset < at; });
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
  const auto next = PlaceFrom(&taken_, place.offset);
  if (next != taken_.end() && next->offset < place.offset + place.bytes) return nullptr;
  if (next != taken_.begin() && (next - 1)->offset + (next - 1)->bytes > place.offset)
    return nullptr;
  taken_.insert(next, place);
  char* const memory = memory_ + place.offset;
  TERN_UNPOISON(memory, place.bytes);
  return memory;
}

Place Arena::FindGap(size_t bytes, std::span<const Place> kept) const {
  if (bytes > bytes_) return {};
  const uint64_t needed = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  uint64_t at = 0;
  // What is taken is passed once, from the lowest to the highest; what is kept is in no order, so
  // it is looked through again when the gap has moved.
  auto next = taken_.begin();
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    const auto pass = [&](const Place& place) {
      if (place.offset >= at + needed || place.offset + place.bytes <= at) return;
      at = place.offset + place.bytes;
      has_moved = true;
    };
    for (; next != taken_.end() && next->offset < at + needed; ++next) pass(*next);
    for (const Place& place : kept) pass(place);
  }
  return at + needed <= bytes_ ? Place{at, needed} : Place{};
}

void Arena::Return(void* memory) {
  const auto offset = static_cast<uint64_t>(static_cast<char*>(memory) - memory_);
  const auto place = PlaceFrom(&taken_, offset);
  TERN_CHECK(place != taken_.end() && place->offset == offset, "a place is given back twice");
  TERN_POISON(memory, place->bytes);
  taken_.erase(place);
}

}  // namespace tern
