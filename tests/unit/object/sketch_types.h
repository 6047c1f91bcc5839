// SPDX-License-Identifier: Apache-2.0
// Types registered at run time with fields, for tests of what works on fields.
#ifndef TERN_TESTS_UNIT_OBJECT_SKETCH_TYPES_H_
#define TERN_TESTS_UNIT_OBJECT_SKETCH_TYPES_H_

#include <utility>

#include "core/object/graph/reflection.h"
#include "core/object/strings/string.h"

namespace tern {

// Has fields, but is never made from them.
class Drawing : public Object {
 public:
  static constexpr std::string_view kTypeKey = "sketch.Drawing";
  using Parent = Object;

  explicit Drawing(String text) : Object(0, nullptr), label(std::move(text)) {}

  String label;
};

class Circle : public Drawing {
 public:
  static constexpr std::string_view kTypeKey = "sketch.Circle";
  using Parent = Drawing;

  Circle(String text, double r, Any contents)
      : Drawing(std::move(text)), radius(r), inside_(std::move(contents)) {}

  double radius;
  Any inside() const { return inside_; }
  void set_inside(Any value) { inside_ = std::move(value); }

 private:
  Any inside_;
};

// False where they were registered before.
inline bool RegisterSketchTypesAgain() {
  const bool drawing =
      Reflect<Drawing>().Field<&Drawing::label>("label", "what to write beside it").Register();
  const bool circle = Reflect<Circle>()
                          .Field<&Circle::radius>("radius", "in metres")
                          .Field<&Circle::inside>("inside", "whatever lies in it")
                          .MadeFrom<String, double, Any>()
                          .Register();
  return drawing || circle;
}
inline void RegisterSketchTypes() {
  if (!IsReflected(TypeCodeOf<Circle>())) RegisterSketchTypesAgain();
}

}  // namespace tern

#endif  // TERN_TESTS_UNIT_OBJECT_SKETCH_TYPES_H_
