// SPDX-License-Identifier: Apache-2.0
// Arena: one piece of memory in which the compiler has given tensors their places (plan_memory.h of
// core/ir/passes), so that what is never alive at once may lie over each other.
//
// A plan is advice: it may come from a damaged file, or an operator may show an argument's memory
// as its result where the planner did not expect it. So an arena knows what lies in it, and refuses
// a place that is not free; the tensor then gets its memory elsewhere. Not safe from several
// threads: the allocator's lock is held.
#ifndef TERN_CORE_OBJECT_ARENA_H_
#define TERN_CORE_OBJECT_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tern {

class Allocator;

// Of a tensor, in the arena of its function, both in bytes.
struct Place {
  uint64_t offset = 0, bytes = 0;
};

// What is to be placed: alive at each point in time from `first` to `last`.
struct PlaceRequest {
  uint64_t bytes = 0;  // set by LayOutPlaces to the next multiple of Arena::kAlignment
  uint32_t first = 0, last = 0;
  uint64_t offset = 0;  // set by LayOutPlaces
};

// Gives each request an offset, so that what is alive at once does not lie over each other: the
// largest first, each at the lowest offset where nothing lies that is needed at the same time,
// greedy by size (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference",
// 2020). Gives the bytes that all of them take. Quadratic in the requests, whose sum is below 2^62.
uint64_t LayOutPlaces(std::vector<PlaceRequest>* requests);

class Arena {
 public:
  // What offsets and sizes of places are multiples of, and what `memory` must be aligned to.
  static constexpr size_t kAlignment = 64;

  // `memory` has so many bytes, and outlives the arena, as does the allocator, whose it is.
  Arena(Allocator* allocator, void* memory, size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Allocator* allocator() const { return allocator_; }
  void* memory() const { return memory_; }
  size_t bytes() const { return bytes_; }
  // Nothing lies in it.
  bool is_idle() const { return taken_.empty(); }
  // Its run is over.
  bool is_closed() const { return is_closed_; }
  void set_closed(bool closed) { is_closed_ = closed; }

  // The memory of a place, not zeroed; null where it is not in the arena, not aligned, or not free.
  void* Take(const Place& place);
  // A low place of at least so many bytes that is free and has nothing of what is `kept`; one of no
  // bytes where none is found soon.
  Place FindGap(size_t bytes, std::span<const Place> kept) const;
  // What Take gave is free again.
  void Return(void* memory);

 private:
  Allocator* allocator_;
  char* memory_;
  size_t bytes_;
  bool is_closed_ = false;
  std::vector<Place> taken_;  // few, so that looking through all of them is fine
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_ARENA_H_
