// SPDX-License-Identifier: Apache-2.0
// The places of a machine's run: those that the compiler has laid out, and those whose size is
// known with the arguments. They are kept for the next run with the same extents.
#ifndef TERN_CORE_VM_ARENA_LAYOUT_H_
#define TERN_CORE_VM_ARENA_LAYOUT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/object/arena.h"
#include "core/vm/places.h"
#include "core/vm/signature.h"

namespace tern::vm {

class ArenaLayout {
 public:
  // For a run of the function that the places and the signature are of, which outlive it. The
  // arguments are as the signature wants them.
  void Prepare(const FunctionPlaces& places, const Signature& signature, AnyArgs args);

  // Of the arena; 0 where some size cannot be told.
  uint64_t bytes() const { return bytes_; }
  // Those of one call, the first of which is given. Valid until the next call of Prepare.
  std::span<const Place> PlacesOf(size_t first) const;

 private:
  void LayOut(const Signature& signature);

  const FunctionPlaces* of_ = nullptr;
  std::vector<int64_t> extents_;  // of the signature's symbols
  std::vector<Place> places_;     // as FunctionPlaces::calls
  uint64_t bytes_ = 0;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_ARENA_LAYOUT_H_
