// SPDX-License-Identifier: Apache-2.0
#include "core/ir/codegen/registers.h"

#include <algorithm>

namespace tern::ir {

// Takes the register asked for if it is free, else the one that was freed last.
int64_t Registers::Take(int64_t hint) {
  if (hint != kNoRegister) {
    const auto found = std::find(free_.begin(), free_.end(), hint);
    if (found != free_.end()) {
      free_.erase(found);
      return hint;
    }
  }
  if (free_.empty()) return next_++;
  const int64_t taken = free_.back();
  free_.pop_back();
  return taken;
}

bool Registers::IsFree(int64_t reg) const {
  return std::find(free_.begin(), free_.end(), reg) != free_.end();
}

int64_t Registers::Find(const Node* var) const {
  const auto found = places_.find(var);
  return found == places_.end() ? kNoRegister : found->second;
}

int64_t Registers::Drop(const Node* var) {
  const auto found = places_.find(var);
  if (found == places_.end()) return kNoRegister;
  const int64_t reg = found->second;
  places_.erase(found);
  return reg;
}

// Registers taken since the state was saved are free again; those are larger than state.next.
void Registers::Restore(const State& state) {
  places_ = state.places;
  free_.clear();
  for (int64_t reg = next_; reg-- > state.next;) free_.push_back(reg);
  free_.insert(free_.end(), state.free.begin(), state.free.end());
}

// After branches: whatever no variable has is free, whichever branch used it.
void Registers::Join(std::unordered_map<const Node*, int64_t> places, int64_t kept) {
  places_ = std::move(places);
  std::vector<bool> used(static_cast<size_t>(next_));
  for (const auto& place : places_) used[static_cast<size_t>(place.second)] = true;
  if (kept != kNoRegister) used[static_cast<size_t>(kept)] = true;
  free_.clear();
  for (int64_t reg = next_; reg-- > 0;) {
    if (!used[static_cast<size_t>(reg)]) free_.push_back(reg);
  }
}

}  // namespace tern::ir
