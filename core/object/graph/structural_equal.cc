// SPDX-License-Identifier: Apache-2.0
// Equality: a depth-first walk over pairs of values on a stack of its own. Pairs of objects are
// remembered, which is what makes it end on cycles: a pair that is met again is assumed equal, and
// if it is not, the difference is found elsewhere (bisimulation).
#include "core/object/graph/structural_equal.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "core/base/half.h"
#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/table.h"
#include "core/object/graph/print.h"
#include "core/object/graph/reflection_parts.h"
#include "core/object/graph/structural_leaves.h"
#include "core/object/shape.h"
#include "core/object/strings/bytes.h"
#include "core/object/strings/ucs4_string.h"
#include "core/object/tensor.h"

namespace tern {
namespace {

// A pair on the way down. `order` pairs their parts, because equal maps may have them in different
// orders.
struct PairFrame {
  Parts a, b;
  struct Part {
    uint32_t a, b;
  };
  std::vector<Part> order;
  size_t next = 0;
  std::string Step() const { return a.Step(order[next - 1].a); }
};

class Comparer {
 public:
  explicit Comparer(const EqualOptions& options) : options_(options) {}

  std::optional<Difference> Compare(const AnyView& a, const AnyView& b) {
    // A leaf, or the first pair on the stack.
    if (!Visit(a, b)) return Found();
    while (!frames_.empty()) {
      PairFrame& frame = frames_.back();
      if (frame.next == frame.order.size()) {
        // What getters made must outlive the addresses in pairs_.
        Keep(frame.a.made());
        Keep(frame.b.made());
        frames_.pop_back();
        continue;
      }
      const PairFrame::Part part = frame.order[frame.next++];
      if (!Visit(frame.a[part.a], frame.b[part.b])) return Found();
    }
    return std::nullopt;
  }

 private:
  // The path consists of the steps that lead to the current pair; step_ is set by a missing key
  // only.
  std::optional<Difference> Found() {
    Difference difference;
    for (const PairFrame& frame : frames_) difference.path += frame.Step();
    difference.path += step_;
    difference.what = what_;
    return difference;
  }
  bool Differ(std::string what) {
    what_ = std::move(what);
    return false;
  }

  // False at a difference; objects with parts are put on the stack.
  bool Visit(const AnyView& a, const AnyView& b) {
    if (LeafKindOf(a) != LeafKindOf(b)) return Differ(Against(a, b));
    // Leaf kinds agree, but text may be an object on one side only; LeavesEqual takes both.
    if (!a.is_object() || !Parts::Has(a.type_code()))
      return LeavesEqual(a, b) || Differ(Against(a, b));
    Object *x = a.object(), *y = b.object();
    if (options_.compare_sharing) {
      // Sharing is alike if the pairs form a one-to-one mapping between the objects of both sides.
      const auto [seen, is_new] = partners_.try_emplace(x, y);
      const auto [back, is_new_back] = partners_back_.try_emplace(y, x);
      if (seen->second != y || back->second != x)
        return Differ("shared with another part on one side only");
      if (!is_new) return true;
    // An object equals itself, and a pair that was met is done or being compared above us.
    } else if (x == y || !pairs_.emplace(x, y).second) {
      return true;
    }
    return Push(x, y);
  }

  static std::string Against(const AnyView& a, const AnyView& b) {
    // A message, not a dump: the values' own parts are left out.
    PrintOptions few;
    few.max_depth = 1;
    return StrCat(a.type_name(), " ", PrintValue(a, few), " against ", b.type_name(), " ",
                  PrintValue(b, few));
  }

  bool Push(Object* a, Object* b) {
    PairFrame frame{Parts(a), Parts(b), {}};
    // Heads are compared first: other tags explain other sizes.
    if (!SameHead(a, b)) return false;
    if (a->type_code() == TERN_TYPE_MAP) {
      if (!MatchKeys(*static_cast<const Table*>(b), &frame)) return false;
    } else {
      if (frame.a.size() != frame.b.size())
        return Differ(StrCat("size ", frame.a.size(), " against ", frame.b.size()));
      for (uint32_t i = 0; i < frame.a.size(); ++i) frame.order.push_back({i, i});
    }
    frames_.push_back(std::move(frame));
    return true;
  }

  bool SameHead(Object* a, Object* b) {
    if (const Adt* adt = AnyView(a).TryCast<Adt>()) {
      const Adt* other = static_cast<const Adt*>(b);
      return adt->tag() == other->tag() ||
             Differ(StrCat("tag ", adt->tag(), " against ", other->tag()));
    }
    if (const Closure* closure = AnyView(a).TryCast<Closure>()) {
      const Closure* other = static_cast<const Closure*>(b);
      return closure->function_index() == other->function_index() ||
             Differ(StrCat("function #", closure->function_index(), " against #",
                           other->function_index()));
    }
    return true;
  }

  // Pairs the values of equal keys. Keys of identity (functions, tensors) cannot equal a key of
  // another graph by address, so they are compared structurally, one by one in their order.
  bool MatchKeys(const Table& b, PairFrame* frame) {
    if (frame->a.size() != frame->b.size())
      return Differ(StrCat("size ", frame->a.size() / 2, " against ", frame->b.size() / 2));
    // FindItem gives the address of a value in b, and `at` says at which position it lies.
    std::map<const void*, uint32_t> at;
    std::vector<uint32_t> by_identity;
    uint32_t position = 0;
    for (auto entry = b.begin(); entry != b.end(); ++entry, position += 2) {
      at[&entry.items().value] = position;
      if (IsIdentityKey(frame->b[position])) by_identity.push_back(position);
    }
    size_t used = 0;
    for (uint32_t i = 0; i < frame->a.size(); i += 2) {
      const AnyView key = frame->a[i];
      if (IsIdentityKey(key)) {
        if (used == by_identity.size()) return Missing(key);
        frame->order.push_back({i, by_identity[used]});
        frame->order.push_back({i + 1, by_identity[used++] + 1});
      } else if (const internal::Item* value = b.FindItem(key)) {
        // Keys that were found are equal, so only the values are compared.
        frame->order.push_back({i + 1, at[value] + 1});
      } else {
        return Missing(key);
      }
    }
    return true;
  }
  bool Missing(const AnyView& key) {
    step_ = StrCat("[", PrintValue(key), "]");
    return Differ("only the first map has this key");
  }

  // What getters have made is kept to the end, because a freed object's address could be reused and
  // taken for a known pair.
  void Keep(std::span<const Any> made) {
    for (const Any& value : made) {
      if (value.is_object()) kept_.push_back(value);
    }
  }

  const EqualOptions& options_;
  std::vector<PairFrame> frames_;
  std::set<std::pair<Object*, Object*>> pairs_;
  std::map<Object*, Object*> partners_, partners_back_;
  std::vector<Any> kept_;
  std::string step_, what_;
};

}  // namespace

std::optional<Difference> FirstDifference(const AnyView& a, const AnyView& b,
                                          const EqualOptions& options) {
  return Comparer(options).Compare(a, b);
}

bool StructuralEqual(const AnyView& a, const AnyView& b, const EqualOptions& options) {
  return !FirstDifference(a, b, options).has_value();
}

}  // namespace tern
