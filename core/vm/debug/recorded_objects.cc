// SPDX-License-Identifier: Apache-2.0
#include "core/vm/debug/recorded_objects.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/base/check.h"
#include "core/object/tensor.h"
#include "core/vm/debug/object_parts.h"

namespace tern::vm {
namespace {

// Follows how many registers hold each object.
class ObjectWalk {
 public:
  explicit ObjectWalk(const Trace& trace)
      : trace_(trace), holders_(trace.value_limit()), index_(trace.value_limit(), kUnknown) {}

  std::vector<RecordedObject> Run() {
    TraceCursor cursor(&trace_);
    cursor.Seek(trace_.first_step());
    for (const ValueId id : cursor.state().ids) Hold(id, trace_.first_step(), true);
    trace_.ForEachStep([this](const TraceStep& step) {
      for (const TraceEvent& event : step.events) {
        if (event.kind() != TraceEventKind::kWrite) continue;
        // The new value first: one that only moves on is not released.
        Hold(event.after, step.step, false);
        Release(event.before, step.step);
      }
    });
    return std::move(objects_);
  }

 private:
  static constexpr size_t kUnknown = SIZE_MAX;

  void Hold(ValueId id, uint64_t step, bool was_there) {
    if (!trace_.value(id).is_object()) return;
    ++holders_[id];
    if (index_[id] == kUnknown) {
      index_[id] = objects_.size();
      objects_.push_back({id, ObjectBytes(trace_.value(id)), step, kHeldYet, was_there});
    }
    objects_[index_[id]].released = kHeldYet;
  }

  void Release(ValueId id, uint64_t step) {
    if (!trace_.value(id).is_object()) return;
    if (--holders_[id] == 0) objects_[index_[id]].released = step;
  }

  const Trace& trace_;
  std::vector<RecordedObject> objects_;
  std::vector<uint32_t> holders_;  // by ValueId
  std::vector<size_t> index_;      // by ValueId, in objects_
};

// Counts the registers that hold some objects, stretch by stretch.
class HolderCount {
 public:
  HolderCount(const Trace& trace, std::span<const ValueId> ids, uint32_t parts)
      : trace_(trace),
        parts_(parts),
        index_(trace.value_limit(), kUnknown),
        now_(ids.size()),
        part_(ids.size()),
        most_(ids.size() * parts) {
    for (size_t i = 0; i < ids.size(); ++i) index_[ids[i]] = static_cast<uint32_t>(i);
  }

  std::vector<uint32_t> Run() {
    TraceCursor cursor(&trace_);
    cursor.Seek(trace_.first_step());
    for (const ValueId id : cursor.state().ids) Add(id, 1, 0);
    EndState(0);
    trace_.ForEachStep([this](const TraceStep& step) {
      const uint32_t before = PartOf(step.step), part = PartOf(step.step + 1);
      // Of a record with fewer states than parts, those between are as the state before.
      const uint32_t last = part > before ? part - 1 : before;
      for (const TraceEvent& event : step.events) {
        if (event.kind() != TraceEventKind::kWrite) continue;
        Add(event.before, -1, last);
        Add(event.after, 1, last);
      }
      EndState(part);
    });
    for (uint32_t i = 0; i < now_.size(); ++i) CarryTo(parts_ - 1, i);
    return std::move(most_);
  }

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;

  uint32_t PartOf(uint64_t state) const {
    const uint64_t first = trace_.first_step();
    return static_cast<uint32_t>((state - first) * parts_ / (trace_.end_step() - first + 1));
  }

  uint32_t& Most(uint32_t object) { return most_[size_t{object} * parts_ + part_[object]]; }

  // Nothing happened to the object since: it is held by as many as before.
  void CarryTo(uint32_t part, uint32_t object) {
    while (part_[object] < part) {
      ++part_[object];
      Most(object) = now_[object];
    }
  }

  // `part`: up to which nothing had happened to the object.
  void Add(ValueId id, int32_t by, uint32_t part) {
    const uint32_t object = index_[id];
    if (object == kUnknown) return;
    CarryTo(part, object);
    now_[object] += static_cast<uint32_t>(by);
    changed_.push_back(object);
  }

  // What is held in the midst of a step, such as by a frame that comes, is no state.
  void EndState(uint32_t part) {
    for (const uint32_t object : changed_) {
      part_[object] = part;
      Most(object) = std::max(Most(object), now_[object]);
    }
    changed_.clear();
  }

  const Trace& trace_;
  uint32_t parts_;
  std::vector<uint32_t> index_;    // by ValueId, of the object
  std::vector<uint32_t> now_;      // by object: registers that hold it
  std::vector<uint32_t> part_;     // by object: `most_` is known up to this one
  std::vector<uint32_t> most_;     // by object and part
  std::vector<uint32_t> changed_;  // in the step that is looked at
};

using Objects = std::unordered_map<const Object*, Any>;

// Everything that the values reach.
Objects Reach(std::vector<Any> queue) {
  Objects reached;
  while (!queue.empty()) {
    const Any value = std::move(queue.back());
    queue.pop_back();
    if (!value.is_object() || !reached.try_emplace(value.object(), value).second) continue;
    for (Any& part : PartsOf(value).parts) queue.push_back(std::move(part));
  }
  return reached;
}

Objects ReachedIn(const Trace& trace, uint64_t step) {
  TraceCursor cursor(&trace);
  cursor.Seek(step);
  std::vector<Any> held;
  for (const ValueId id : cursor.state().ids) held.push_back(trace.value(id));
  return Reach(std::move(held));
}

// Those of one that the other has not; only what the trace has a number for.
std::vector<ValueId> Missing(const Trace& trace, const Objects& from, const Objects& in) {
  std::vector<ValueId> found;
  for (const auto& [object, value] : from) {
    const ValueId id = trace.FindObject(object);
    if (in.count(object) == 0 && id != kNoneValue) found.push_back(id);
  }
  std::sort(found.begin(), found.end());
  return found;
}

int64_t BytesOf(const Objects& objects) {
  uint64_t bytes = 0;
  for (const auto& [object, value] : objects) bytes += ObjectBytes(value);
  return static_cast<int64_t>(bytes);
}

// References to objects from objects: parts, and the memory of tensors.
std::unordered_map<const Object*, int32_t> ReferencesAmong(const Objects& objects) {
  std::unordered_map<const Object*, int32_t> counts;
  for (const auto& [object, value] : objects) {
    for (const Any& part : PartsOf(value).parts) {
      if (part.is_object()) ++counts[part.object()];
    }
    if (const Tensor* tensor = value.TryCast<Tensor>(); tensor != nullptr)
      ++counts[tensor->storage()];
  }
  return counts;
}

}  // namespace

std::vector<RecordedObject> ListRecordedObjects(const Trace& trace) {
  return ObjectWalk(trace).Run();
}

std::vector<uint32_t> CountHolders(const Trace& trace, std::span<const ValueId> ids,
                                   uint32_t parts) {
  TERN_CHECK(parts > 0);
  return HolderCount(trace, ids, parts).Run();
}

HeapDifference CompareHeaps(const Trace& trace, uint64_t from, uint64_t to) {
  const Objects before = ReachedIn(trace, from);
  const Objects after = ReachedIn(trace, to);
  return {Missing(trace, after, before), Missing(trace, before, after),
          BytesOf(after) - BytesOf(before)};
}

std::vector<ValueId> FindLeaks(const Debugger& debugger) {
  const Trace& trace = debugger.trace();
  if (debugger.machine().state() != VirtualMachine::State::kReturned) return {};
  const std::vector<RecordedObject> objects = ListRecordedObjects(trace);
  std::vector<Any> recorded, known;
  for (const RecordedObject& object : objects) recorded.push_back(trace.value(object.id));
  known.emplace_back(debugger.machine().result());
  for (const Any& constant : debugger.machine().program().pool()) known.push_back(constant);
  for (const RecordedObject& object : objects) {
    if (object.was_there) known.push_back(trace.value(object.id));
  }
  const Objects expected = Reach(std::move(known));
  const Objects all = Reach(recorded);
  const auto among = ReferencesAmong(all);
  std::vector<ValueId> leaks;
  for (const RecordedObject& object : objects) {
    const Object* it = trace.value(object.id).object();
    if (expected.count(it) != 0) continue;
    const auto parts = among.find(it);
    // `recorded` was given away to Reach by copy; `all` holds one reference, `recorded` another.
    const int32_t known_count =
        trace.ReferencesTo(it) + 2 + (parts == among.end() ? 0 : parts->second);
    if (it->ref_count() > known_count) leaks.push_back(object.id);
  }
  return leaks;
}

}  // namespace tern::vm
