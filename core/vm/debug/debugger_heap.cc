// SPDX-License-Identifier: Apache-2.0
// Walking from registers to objects, breadth first: an object gets its number when it is first
// found, so numbers follow the frames from the innermost.
#include "core/vm/debug/debugger_heap.h"

#include <unordered_map>

#include "core/base/strings.h"
#include "core/vm/debug/object_parts.h"

namespace tern::vm {
namespace {

class HeapWalk {
 public:
  explicit HeapWalk(const Debugger& debugger) : debugger_(debugger) {}

  HeapListing Run() {
    for (size_t frame = 0; frame < debugger_.depth(); ++frame) AddFrame(frame);
    // A past state has registers only; the result belongs to the present.
    if (!debugger_.in_past()) Add(debugger_.machine().result(), {"result", 0});
    // The list grows while it is walked: it is the queue of the breadth-first search.
    for (size_t i = 0; i < listing_.objects.size(); ++i) AddParts(i);
    // Constants are no roots, or every listing would begin with all weights; they only show up as
    // holders.
    for (const Any& constant : debugger_.machine().program().pool()) {
      const auto at = numbers_.find(constant.object());
      if (at != numbers_.end()) Hold(at->second, {"constant", 0});
    }
    for (HeapObject& object : listing_.objects) Count(&object);
    return std::move(listing_);
  }

 private:
  void AddFrame(size_t frame) {
    const DebugFrame view = debugger_.frame(frame);
    const FunctionInfo& info = debugger_.executable().functions()[view.function];
    for (uint32_t reg = 0; reg < view.register_count; ++reg) {
      // The raw value: a copy of its old contents would be another object.
      const Result<Any> value = debugger_.RawRegister(frame, reg);
      if (!value.ok() || !value->is_object()) continue;
      const std::string_view name = info.RegisterName(reg);
      std::string text = StrCat("@", info.name, " %", reg);
      if (!name.empty()) StrAppend(&text, " (", name, ")");
      if (frame > 0) StrAppend(&text, ", frame ", frame);
      Add(*value, {std::move(text), 0});
    }
  }

  void Hold(size_t index, HeapHolder holder) {
    listing_.objects[index].holders.push_back(std::move(holder));
  }

  // Each object once, each holder every time.
  void Add(const Any& value, HeapHolder holder) {
    if (!value.is_object()) return;
    const auto [at, is_new] = numbers_.try_emplace(value.object(), listing_.objects.size());
    if (is_new) {
      HeapObject& object = listing_.objects.emplace_back();
      object.number = static_cast<uint32_t>(listing_.objects.size());
      object.value = value;
      object.bytes = ObjectBytes(value);
      listing_.bytes += object.bytes;
    }
    Hold(at->second, std::move(holder));
  }

  // Copied, because Add may move the list's elements.
  void AddParts(size_t index) {
    const uint32_t number = listing_.objects[index].number;
    const ObjectParts found = PartsOf(listing_.objects[index].value);
    for (size_t i = 0; i < found.parts.size(); ++i)
      Add(found.parts[i], {StrCat("object ", number, ", ", found.NameOf(i)), number});
  }

  void Count(HeapObject* object) const {
    if (debugger_.in_past()) return;
    // The listing itself holds one reference.
    object->references = object->value.object()->ref_count() - 1;
    object->by_trace = debugger_.trace().ReferencesTo(object->value.object());
    // Never negative: a value may be held by places that are counted twice, such as parts of a list
    // that was just materialised.
    object->elsewhere = std::max(
        0, object->references - object->by_trace - static_cast<int32_t>(object->holders.size()));
  }

  const Debugger& debugger_;
  HeapListing listing_;
  std::unordered_map<const Object*, size_t> numbers_;
};

}  // namespace

HeapListing ListHeap(const Debugger& debugger) { return HeapWalk(debugger).Run(); }

}  // namespace tern::vm
