// SPDX-License-Identifier: Apache-2.0
// What a search may change about one function of a .tloop file: a few knobs, each with a list of
// values, and how a choice is written back into the program as schedule lines or loop marks.
//
// The first value of every knob leaves the program as it is written, so the point of all zeros is
// the program itself. No knob changes what is computed, but for the order in which reductions of
// floats are added up.
#ifndef TERN_CORE_LOOP_TUNE_SPACE_H_
#define TERN_CORE_LOOP_TUNE_SPACE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/loop/source_file.h"
#include "core/loop/target.h"

namespace tern::loop::tune {

// The choice of vectors, of all loops that are vectorized; and of what the axes of one tensor are
// made into.
enum class KnobKind : int8_t { kVectors, kInterleave, kWidth, kAxis, kTile };

struct Knob {
  KnobKind kind = KnobKind::kVectors;
  std::string tensor;  // kAxis, kTile
  std::string name;    // "vectors", "C.tile"
  std::vector<std::string> values;
};

// One value per knob, by its number.
using Point = std::vector<int32_t>;

struct Space {
  std::vector<Knob> knobs;
  // How many points; INT64_MAX for more.
  int64_t size() const;
  Point origin() const { return Point(knobs.size(), 0); }
  // "vectors=fixed interleave=4", without what is as written; "as written" for the origin.
  std::string ToText(const Point& point) const;
  // Whether the point is the program as written, or only says of all its vectors that there are
  // none, or that they have a fixed length: what every search has measured, however short it is.
  bool IsBaseline(const Point& point) const;
};

// A function of a file: a definition or a loop function, whichever has the name.
struct Subject {
  const te::Definition* definition = nullptr;
  const LoopFunction* function = nullptr;
  std::string_view name() const { return definition ? definition->name : function->name; }
};
// An empty name means the file's only function. Errors list what there is.
Result<Subject> FindSubject(const SourceFile& file, std::string_view name);

Space MakeSpace(const Subject& subject, const Target& target);

// The file with the function as the point says, the others as they are.
SourceFile Apply(const SourceFile& file, const Subject& subject, const Target& target,
                 const Point& point);

}  // namespace tern::loop::tune

#endif  // TERN_CORE_LOOP_TUNE_SPACE_H_
