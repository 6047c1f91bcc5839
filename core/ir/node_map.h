// SPDX-License-Identifier: Apache-2.0
// Sets and maps by node, as passes need them: filled once for a function, asked for each operand,
// dropped as a whole. So nodes are numbered as they come, and values lie in one block by that
// number; nothing is allocated for an entry, and nothing is taken out.
#ifndef TERN_CORE_IR_NODE_MAP_H_
#define TERN_CORE_IR_NODE_MAP_H_

#include <cstdint>
#include <vector>

#include "core/ir/expr.h"

namespace tern::ir {

class NodeSet {
 public:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  // The node's number, which is new where it was absent.
  uint32_t Add(const Node* node);
  uint32_t Find(const Node* node) const;  // kAbsent
  // Whether it is new.
  bool Insert(const Node* node) {
    const size_t before = size();
    Add(node);
    return size() != before;
  }
  bool contains(const Node* node) const { return Find(node) != kAbsent; }
  size_t size() const { return nodes_.size(); }
  void clear();

 private:
  size_t SlotOf(const Node* node) const;
  void Grow();

  std::vector<const Node*> nodes_;  // by number
  // Numbers plus 1; 0 is free. A power of two, linear probing, at least half of it free.
  std::vector<uint32_t> slots_;
  int shift_ = 64;  // leaves as many bits of a hash as a slot has
};

template <class V>
class NodeMap {
 public:
  // References are valid until the next node comes.
  V& operator[](const Node* node) {
    const uint32_t number = nodes_.Add(node);
    if (number == values_.size()) values_.emplace_back();
    return values_[number];
  }
  const V* Find(const Node* node) const {  // null: absent
    const uint32_t number = nodes_.Find(node);
    return number == NodeSet::kAbsent ? nullptr : &values_[number];
  }
  size_t size() const { return values_.size(); }
  void clear() {
    nodes_.clear();
    values_.clear();
  }

 private:
  NodeSet nodes_;
  std::vector<V> values_;
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_NODE_MAP_H_
