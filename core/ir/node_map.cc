// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node_map.h"

namespace tern::ir {

// The high bits of a product: addresses of nodes differ in few of their low bits.
size_t NodeSet::SlotOf(const Node* node) const {
  const uint64_t hash = reinterpret_cast<uintptr_t>(node) * uint64_t{0x9E3779B97F4A7C15};
  size_t slot = static_cast<size_t>(hash >> shift_);
  while (slots_[slot] != 0 && nodes_[slots_[slot] - 1] != node)
    slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

uint32_t NodeSet::Find(const Node* node) const {
  return slots_.empty() ? kAbsent : slots_[SlotOf(node)] - 1;
}

uint32_t NodeSet::Add(const Node* node) {
  if (2 * nodes_.size() >= slots_.size()) Grow();
  uint32_t& slot = slots_[SlotOf(node)];
  if (slot == 0) {
    nodes_.push_back(node);
    slot = static_cast<uint32_t>(nodes_.size());
  }
  return slot - 1;
}

void NodeSet::Grow() {
  constexpr int kFewestBits = 4;
  shift_ = slots_.empty() ? 64 - kFewestBits : shift_ - 1;
  slots_.assign(size_t{1} << (64 - shift_), 0);
  for (size_t i = 0; i < nodes_.size(); ++i)
    slots_[SlotOf(nodes_[i])] = static_cast<uint32_t>(i + 1);
}

void NodeSet::clear() {
  nodes_.clear();
  slots_.clear();
}

}  // namespace tern::ir
