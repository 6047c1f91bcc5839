// SPDX-License-Identifier: Apache-2.0
// Regions: the large blocks of the pooled allocator. A region is one piece of the platform's
// memory, cut into blocks as they are asked for; neighbours that are both free become one again. So
// a tensor of 4 MB that is dead holds the two of 2 MB that come next, which lists of equal sizes
// would take anew. Blocks are found as in TLSF (Masmano and others, "TLSF: a new dynamic memory
// allocator for real-time systems", 2004): a list for each range of sizes, eight ranges per
// doubling, and a bit for each list that has a block.
//
// What is known of a block stands in the 64 bytes before it. Not safe from several threads: the
// allocator's lock is held.
#ifndef TERN_CORE_OBJECT_REGIONS_H_
#define TERN_CORE_OBJECT_REGIONS_H_

#include <cstddef>
#include <cstdint>

namespace tern {

class Regions {
 public:
  // Sizes of blocks are multiples of it, and blocks are aligned to it.
  static constexpr size_t kQuantum = 64;
  // No block is smaller, and none is cut off that would be.
  static constexpr size_t kSmallest = size_t{32} << 10;
  // What a region takes of the platform that has one block of so many bytes.
  static constexpr size_t RegionBytes(size_t bytes) { return bytes + kQuantum; }

  Regions() = default;
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  // A free block of at least so many bytes, or null if there is none.
  void* Take(size_t bytes);
  // The only block of a new region, handed out: of RegionBytes(bytes) at `memory`.
  static void* Begin(void* memory, size_t bytes);
  // A block that was handed out is free again.
  void Return(void* block);
  // Takes out a region of less than RegionBytes(bytes) that is free as a whole, for the platform;
  // null if there is none. *region_bytes is what it has.
  void* Release(size_t bytes, size_t* region_bytes);

 private:
  struct Block;
  static constexpr size_t kSmallestDoubling = 15;  // 2^15 is kSmallest
  static constexpr size_t kStepBits = 3;           // eight lists per doubling
  static constexpr size_t kLists = (sizeof(size_t) * 8 - kSmallestDoubling) << kStepBits;
  static constexpr size_t kWords = (kLists + 63) / 64;

  static size_t ListOf(size_t bytes);
  size_t NextList(size_t list) const;
  void Insert(Block* block);
  void Remove(Block* block);

  Block* lists_[kLists] = {};
  uint64_t filled_[kWords] = {};  // bit i: lists_[i] has a block
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_REGIONS_H_
