// SPDX-License-Identifier: Apache-2.0
// What objects held before primitives wrote into them: the part of a trace that registers do not
// show.
//
// Most values never change once made. The outputs of invoke_packed, shape heaps and lists do: of
// those the memory a tensor reaches (as raw bytes, so that views of the same memory agree) or the
// items of a list are copied before the call, and kept where the call changed them. Elements of
// string tensors are not kept.
#ifndef TERN_CORE_VM_DEBUG_TRACE_CONTENTS_H_
#define TERN_CORE_VM_DEBUG_TRACE_CONTENTS_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "core/object/any.h"
#include "core/object/tensor.h"

namespace tern::vm {

class TraceContents {
 public:
  // Before a call that may write into the object, a tensor or list; then, after it, Settle with
  // the number of its step.
  void Guard(const Any& object);
  void Settle(uint64_t step);

  // The value as it was before step `step`: itself, or a copy where it was written since.
  Any Materialize(const Any& value, uint64_t step, int depth = 0) const;
  // Writes back into the objects themselves what they held before step `step`.
  void Restore(uint64_t step);

  void DropBefore(uint64_t step);
  void TruncateFrom(uint64_t step);
  void Clear();

  bool empty() const { return patches_.empty(); }
  uint64_t bytes() const { return bytes_; }
  // visit(step, object) for each write that changed something, oldest first.
  template <typename F>
  void ForEachWrite(F visit) const {
    for (const Patch& patch : patches_) visit(patch.step, patch.object);
  }
  // References to the object that are held here.
  int32_t ReferencesTo(const Object* object) const;

 private:
  struct Patch {
    uint64_t step = 0;
    Any object;
    uint8_t* begin = nullptr;        // of the memory a tensor reaches
    std::vector<uint8_t> old_bytes;  // of a tensor
    std::vector<Any> old_items;      // of a list

    uint64_t Bytes() const { return sizeof(Patch) + old_bytes.size() + 16 * old_items.size(); }
    bool Changed() const;
    void PutBack() const;
  };

  bool Overlaps(const Tensor& tensor, uint64_t step) const;
  Any MaterializeTensor(const Tensor& tensor, uint64_t step) const;
  Any MaterializeList(const Any& value, uint64_t step, int depth) const;
  // Children as they were; false where none of them differs.
  bool MaterializeAll(std::span<const Any> items, uint64_t step, int depth,
                      std::vector<Any>* made) const;

  std::deque<Patch> patches_;  // ascending by step
  std::vector<Patch> guarded_;
  uint64_t bytes_ = 0;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_TRACE_CONTENTS_H_
