// SPDX-License-Identifier: Apache-2.0
// Parts: what an object consists of, in a fixed order, for code that walks graphs of objects with a
// stack of its own: list items, table keys and values, adt fields, captured values, registered
// fields. Structural equality, hash and serialization use it.
#ifndef TERN_CORE_OBJECT_GRAPH_REFLECTION_PARTS_H_
#define TERN_CORE_OBJECT_GRAPH_REFLECTION_PARTS_H_

#include <span>
#include <string>
#include <vector>

#include "core/object/any.h"
#include "core/object/graph/reflection.h"

namespace tern {

class Sequence;

class Parts {
 public:
  Parts() = default;
  // The object must outlive this and not change meanwhile.
  explicit Parts(const Object* object);

  // Whether objects of this type have parts at all (an empty list has, text has not).
  static bool Has(TernTypeCode code);

  size_t size() const { return size_; }
  // Borrowed.
  AnyView operator[](size_t index) const;
  // How a path goes on to a part: `[3]`, `.fields[0]`, `["key"]`, `.keys[2]`, `.free[1]`, `.name`.
  std::string Step(size_t index) const;
  // Values that getters have made, and which nobody else may hold.
  std::span<const Any> made() const { return made_; }
  std::span<const FieldInfo> fields() const { return fields_; }

 private:
  const Object* object_ = nullptr;
  size_t size_ = 0;
  const Sequence* sequence_ = nullptr;
  std::span<const Any> span_;
  std::vector<AnyView> entries_;  // of a table: key, value, key, …
  std::vector<FieldInfo> fields_;
  std::vector<Any> made_;
};

// One object on the way down, and which of its parts comes next.
struct WalkFrame {
  explicit WalkFrame(Object* held) : object(held), parts(held) {}
  Object* object;
  Parts parts;
  size_t next = 0;
};

// "<root>" and the steps to the parts before `next`.
template <typename Frames>
std::string PathTo(const Frames& frames) {
  std::string path;
  for (const auto& frame : frames) path += frame.parts.Step(frame.next - 1);
  return path.empty() ? "the value itself" : path;
}

}  // namespace tern

#endif  // TERN_CORE_OBJECT_GRAPH_REFLECTION_PARTS_H_
