// SPDX-License-Identifier: Apache-2.0
// CountedNode: the base of the nodes of both IRs (core/ir, core/loop), counted for ObjectPtr. A
// tree belongs to one thread, so counting is plain arithmetic. A node starts with a count of 0; the
// first pointer makes it 1, and the last one deletes the node.
#ifndef TERN_CORE_BASE_COUNTED_NODE_H_
#define TERN_CORE_BASE_COUNTED_NODE_H_

#include <cstdint>

namespace tern {

class CountedNode {
 public:
  void IncRef() const { ++ref_count_; }
  void DecRef() const {
    if (--ref_count_ == 0) delete this;
  }
  CountedNode(const CountedNode&) = delete;
  CountedNode& operator=(const CountedNode&) = delete;

 protected:
  CountedNode() = default;
  virtual ~CountedNode() = default;

 private:
  mutable int32_t ref_count_ = 0;
};

}  // namespace tern

#endif  // TERN_CORE_BASE_COUNTED_NODE_H_
