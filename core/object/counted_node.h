// SPDX-License-Identifier: Apache-2.0
// CountedNode: the base of the nodes of both IRs (core/ir, core/loop), counted for ObjectPtr. A
// tree belongs to one thread, so counting is plain arithmetic. A node starts with a count of 0; the
// first pointer makes it 1, and the last one deletes the node.
//
// ChargedNode: the base of anything made with new that counts for the memory account of its thread
// (memory_account.h), so that compiling can be held to a limit.
#ifndef TERN_CORE_OBJECT_COUNTED_NODE_H_
#define TERN_CORE_OBJECT_COUNTED_NODE_H_

#include <cstddef>
#include <cstdint>

#include "core/object/memory_account.h"

namespace tern {

struct ChargedNode {
  static void* operator new(size_t bytes) { return internal::TakeMemory(bytes); }
  static void operator delete(void* memory) { internal::GiveMemory(memory); }
};

class CountedNode : public ChargedNode {
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

#endif  // TERN_CORE_OBJECT_COUNTED_NODE_H_
