// SPDX-License-Identifier: Apache-2.0
// Hash: children first, on a stack of its own, so that depth is bounded by memory alone. Each
// object is hashed once, which keeps graphs with much sharing linear.
#include "core/object/graph/structural_hash.h"

#include <map>
#include <vector>

#include "core/base/hash.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/graph/reflection_parts.h"
#include "core/object/graph/structural_leaves.h"

namespace tern {
namespace {

struct HashFrame : WalkFrame {
  using WalkFrame::WalkFrame;
  uint64_t hash = 0;
  uint64_t key_hash = 0;  // of a map's last key
};

class Hasher {
 public:
  Result<uint64_t> Hash(const AnyView& value) {
    if (!Enter(value)) return result_;
    while (!frames_.empty()) {
      HashFrame& frame = frames_.back();
      if (frame.next == frame.parts.size()) {
        Leave();
        continue;
      }
      const AnyView part = frame.parts[frame.next++];
      // `part` was a leaf or is known: its hash is there at once. Otherwise Leave adds it.
      if (!Enter(part)) {
        if (cycle_)
          return InvalidArgument("a cycle cannot be hashed: ", PathTo(frames_),
                                 " is an object that contains itself");
        Add(&frame, result_);
      }
    }
    return result_;
  }

 private:
  // True if the value went on the stack; else its hash is in result_, or it closes a cycle.
  bool Enter(const AnyView& value) {
    if (!value.is_object() || !Parts::Has(value.type_code())) {
      result_ = HashLeaf(value);
      return false;
    }
    const auto [known, is_new] = known_.try_emplace(value.object());
    if (!is_new) {
      // Not done means that it is on the stack, so this reference closes a cycle.
      cycle_ = !known->second.done;
      result_ = known->second.hash;
      return false;
    }
    frames_.emplace_back(value.object());
    return true;
  }

  static void Add(HashFrame* frame, uint64_t hash) {
    // Sequences depend on order; entries of maps are summed, as a sum does not.
    if (frame->object->type_code() != TERN_TYPE_MAP)
      frame->hash = HashCombine(frame->hash, hash);
    else if (frame->next % 2 == 1)
      frame->key_hash = hash;
    else
      frame->hash += HashCombine(frame->key_hash, hash);  // in whatever order
  }

  // What Parts does not contain: the kind, the tag, the function.
  static uint64_t HashHead(Object* object) {
    const auto code = static_cast<uint64_t>(object->type_code());
    if (const Adt* adt = AnyView(object).TryCast<Adt>())
      return HashCombine(code, static_cast<uint64_t>(adt->tag()));
    if (const Closure* closure = AnyView(object).TryCast<Closure>())
      return HashCombine(code, closure->function_index());
    return code;
  }

  void Leave() {
    const HashFrame& frame = frames_.back();
    // The number of parts separates nested sequences whose parts hash alike.
    result_ = HashCombine(HashCombine(HashHead(frame.object), frame.parts.size()), frame.hash);
    known_[frame.object] = {result_, true};
    for (const Any& value : frame.parts.made()) {
      if (value.is_object()) kept_.push_back(value);  // so that no address stands for two objects
    }
    frames_.pop_back();
    if (!frames_.empty()) Add(&frames_.back(), result_);
  }

  struct Known {
    uint64_t hash = 0;
    bool done = false;
  };
  std::vector<HashFrame> frames_;
  std::map<Object*, Known> known_;
  std::vector<Any> kept_;
  uint64_t result_ = 0;
  bool cycle_ = false;
};

}  // namespace

Result<uint64_t> StructuralHash(const AnyView& value) { return Hasher().Hash(value); }

}  // namespace tern
