// SPDX-License-Identifier: Apache-2.0
// The places of a machine's run: those that the compiler has laid out, and those whose size is
// known with the arguments. Layouts are kept for the next run with the same extents.
#ifndef TERN_CORE_VM_ARENA_LAYOUT_H_
#define TERN_CORE_VM_ARENA_LAYOUT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/object/arena.h"
#include "core/vm/linker.h"
#include "core/vm/signature.h"

namespace tern::vm {

class ArenaLayout {
 public:
  // For a run of the function that the plan, number `index` of the program, is of. The arguments
  // are as the signature wants them.
  void Prepare(const ArenaPlan& plan, uint32_t index, const Signature& signature, AnyArgs args);

  // In the order of the plan. Valid until the next call of Prepare, as is the plan.
  std::span<const Place> places() const { return places_; }
  // Of the arena; 0 where some size cannot be told.
  uint64_t bytes() const { return bytes_; }

 private:
  void LayOutSized(const ArenaPlan& plan, const Signature& signature);

  uint32_t plan_ = kNoPlan;
  std::vector<int64_t> extents_;  // of the plan's symbols
  std::vector<Place> sized_;      // all of the plan's, if some are sized
  uint64_t sized_bytes_ = 0;      // of the arena then
  std::span<const Place> places_;
  uint64_t bytes_ = 0;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_ARENA_LAYOUT_H_
