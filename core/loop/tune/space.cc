// SPDX-License-Identifier: Apache-2.0
#include "core/loop/tune/space.h"

#include <algorithm>
#include <optional>

#include "core/base/strings.h"
#include "core/loop/visitor.h"

namespace tern::loop::tune {
namespace {

constexpr std::string_view kAsWritten = "as written";

// The kinds of vectors: how they are marked, and what a target must have for them.
struct VectorRow {
  std::string_view name;
  bool vector, scalable;
  LoopTail tail;
};
constexpr std::string_view kScalar = "scalar", kFixed = "fixed";
constexpr VectorRow kVectors[] = {
    {kScalar, false, false, LoopTail::kOfKind},
    {kFixed, true, false, LoopTail::kCleanup},
    {"fixed_predicated", true, false, LoopTail::kPredicated},
    {"cleanup", true, true, LoopTail::kCleanup},
    {"predicated", true, true, LoopTail::kPredicated},
};

// Masks need a target that has them, whatever the length of vectors.
bool Has(const Target& target, const VectorRow& row) {
  if (row.scalable && !target.scalable) return false;
  return row.tail != LoopTail::kPredicated || target.predicated;
}

// Loops over y and x in blocks. "rows" are copies of the body for several y inside the loop over x,
// which reuse what is read of a row; others are tiles that stay in a cache.
struct TileRow {
  std::string_view name;
  int32_t rows, columns;  // columns 0: all
};
constexpr TileRow kTiles[] = {
    {"2 rows", 2, 0}, {"4 rows", 4, 0}, {"8x64", 8, 64}, {"32x256", 32, 256}};

// A point in the tables' terms: what knobs for all vectors say.
struct Choice {
  const VectorRow* vectors = nullptr;  // null: as written
  int32_t interleave = 0;              // 0: as written
  bool half_width = false;
};

template <class Row, size_t kCount>
const Row* FindRow(const Row (&rows)[kCount], std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Choice ChoiceOf(const Space& space, const Point& point) {
  Choice choice;
  for (size_t i = 0; i < space.knobs.size(); ++i) {
    const Knob& knob = space.knobs[i];
    const std::string& value = knob.values[static_cast<size_t>(point[i])];
    if (knob.kind == KnobKind::kVectors) choice.vectors = FindRow(kVectors, value);
    if (knob.kind == KnobKind::kInterleave)
      choice.interleave = static_cast<int32_t>(ParseInt64(value).value_or(0));
    if (knob.kind == KnobKind::kWidth) choice.half_width = point[i] != 0;
  }
  return choice;
}

// The knob's value for a tensor; empty where it has none or is as written.
std::string_view ValueOf(const Space& space, const Point& point, KnobKind kind,
                         std::string_view tensor) {
  for (size_t i = 0; i < space.knobs.size(); ++i) {
    const Knob& knob = space.knobs[i];
    if (knob.kind == kind && knob.tensor == tensor && point[i] != 0)
      return knob.values[static_cast<size_t>(point[i])];
  }
  return {};
}

// --- definitions

bool IsVectorize(const te::Directive& directive) {
  return directive.primitive == te::Primitive::kVectorize;
}

// The tensor's line that vectorizes, or null.
const te::Directive* VectorizeOf(const te::Definition& te, std::string_view tensor) {
  for (const te::Directive& directive : te.schedule) {
    if (IsVectorize(directive) && directive.tensor == tensor) return &directive;
  }
  return nullptr;
}

bool IsInlined(const te::Definition& te, std::string_view tensor) {
  return std::any_of(te.schedule.begin(), te.schedule.end(), [&](const te::Directive& d) {
    return d.primitive == te::Primitive::kComputeInline && d.tensor == tensor;
  });
}

// Whether lines of the schedule change the tensor's loops other than by vectorizing them, or put
// another tensor's into them. Knobs leave such tensors alone, because their lines would name axes
// that no longer exist.
bool IsArranged(const te::Definition& te, std::string_view tensor) {
  return std::any_of(te.schedule.begin(), te.schedule.end(), [&](const te::Directive& d) {
    const bool attaches = d.primitive == te::Primitive::kComputeAt && d.names[0] == tensor;
    const bool arranges =
        d.tensor == tensor && !IsVectorize(d) && d.primitive != te::Primitive::kParallel;
    return attaches || arranges;
  });
}

bool IsParallel(const te::Definition& te, std::string_view tensor, std::string_view axis) {
  return std::any_of(te.schedule.begin(), te.schedule.end(), [&](const te::Directive& d) {
    return d.primitive == te::Primitive::kParallel && d.tensor == tensor && d.names[0] == axis;
  });
}

std::vector<std::string> AxesOf(const te::Compute& compute) {
  std::vector<std::string> axes;
  for (const VarPtr& axis : compute.axes) axes.push_back(axis->name);
  if (const Reduction* reduction = compute.value->As<Reduction>()) {
    for (const ReduceAxis& axis : reduction->axes) axes.push_back(axis.var->name);
  }
  return axes;
}

// The axis whose elements lie side by side in the result, or the last one of a reduction.
std::string UsualAxis(const te::Compute& compute) {
  const std::vector<std::string> axes = AxesOf(compute);
  const bool is_reduction = compute.value->As<Reduction>() != nullptr;
  if (is_reduction || compute.axes.empty()) return axes.empty() ? "" : axes.back();
  return compute.axes.back()->name;
}

te::Directive MakeDirective(te::Primitive primitive, std::string tensor,
                            std::vector<std::string> names, std::vector<Lanes> factors = {}) {
  te::Directive directive;
  directive.primitive = primitive;
  directive.tensor = std::move(tensor);
  directive.names = std::move(names);
  directive.factors = std::move(factors);
  return directive;
}

// Moves the data axis that is vectorized inside the reduce axes, so that every step adds a vector
// to a vector.
std::optional<te::Directive> Reordered(const te::Compute& compute, const std::string& axis) {
  std::vector<std::string> order = AxesOf(compute);
  if (order.empty() || order.back() == axis) return std::nullopt;
  std::erase(order, axis);
  order.push_back(axis);
  return MakeDirective(te::Primitive::kReorder, compute.tensor->name, std::move(order));
}

// Adds the lines of a tile; the axis that is left to vectorize.
std::string AddTile(const te::Compute& compute, const TileRow& tile,
                    std::vector<te::Directive>* lines) {
  const std::string& tensor = compute.tensor->name;
  const std::string &y = compute.axes[compute.axes.size() - 2]->name,
                    &x = compute.axes.back()->name;
  if (tile.columns != 0) {
    lines->push_back(MakeDirective(te::Primitive::kTile, tensor, {y, x},
                                   {Lanes{tile.rows}, Lanes{tile.columns}}));
    return x + ".inner";
  }
  lines->push_back(MakeDirective(te::Primitive::kSplit, tensor, {y}, {Lanes{tile.rows}}));
  lines->push_back(MakeDirective(te::Primitive::kReorder, tensor, {x, y + ".inner"}));
  lines->push_back(MakeDirective(te::Primitive::kUnroll, tensor, {y + ".inner"}));
  return x;
}

// Vectors of another kind have another length, so that a length as written is dropped.
void Mark(const Choice& choice, int32_t half, te::Directive* line) {
  if (choice.vectors != nullptr) {
    line->scalable = choice.vectors->scalable;
    line->tail = choice.vectors->tail;
    line->factors.clear();
  }
  if (choice.interleave != 0) line->interleave = choice.interleave;
  if (choice.half_width && half > 1 && !line->scalable) line->factors = {Lanes{half}};
}

// Half of the lanes that a vector of the target has for this tensor's elements.
int32_t HalfOfLanes(const Target& target, DType dtype) {
  return target.vector_bits / std::max<int32_t>(dtype.bits, 8) / 2;
}

// Appends lines after those that were written, which stay. The order is that of the primitives:
// reorder, tile, then vectorize what is left innermost.
void ScheduleTensor(const te::Definition& te, const te::Compute& compute, const Target& target,
                    const Space& space, const Point& point, std::vector<te::Directive>* lines) {
  const std::string& tensor = compute.tensor->name;
  const te::Directive* written = VectorizeOf(te, tensor);
  const Choice choice = ChoiceOf(space, point);
  const bool scalar = choice.vectors != nullptr && !choice.vectors->vector;
  std::string axis = written != nullptr ? written->names[0] : UsualAxis(compute);
  const std::string_view chosen = ValueOf(space, point, KnobKind::kAxis, tensor);
  if (!chosen.empty()) {
    axis = std::string(chosen);
    if (auto line = Reordered(compute, axis)) lines->push_back(*std::move(line));
  }
  const TileRow* tile = FindRow(kTiles, ValueOf(space, point, KnobKind::kTile, tensor));
  if (tile != nullptr) axis = AddTile(compute, *tile, lines);
  const bool vectorizes = written != nullptr || choice.vectors != nullptr || !chosen.empty();
  if (scalar || !vectorizes || axis.empty()) return;
  te::Directive line =
      written != nullptr ? *written : MakeDirective(te::Primitive::kVectorize, tensor, {});
  line.names = {axis};
  Mark(choice, HalfOfLanes(target, compute.tensor->dtype), &line);
  lines->push_back(std::move(line));
}

te::Definition Scheduled(const te::Definition& te, const Target& target, const Space& space,
                         const Point& point) {
  te::Definition made = te;
  // Vectorize lines are written anew by ScheduleTensor.
  made.schedule.clear();
  for (const te::Directive& line : te.schedule) {
    if (!IsVectorize(line)) made.schedule.push_back(line);
  }
  for (const te::Compute& compute : te.computes) {
    if (!IsInlined(te, compute.tensor->name))
      ScheduleTensor(te, compute, target, space, point, &made.schedule);
  }
  return made;
}

void AddTensorKnobs(const te::Definition& te, std::vector<Knob>* knobs) {
  for (const te::Compute& compute : te.computes) {
    const std::string& tensor = compute.tensor->name;
    // Inlined tensors have no loops; arranged ones were arranged on purpose.
    if (IsInlined(te, tensor) || IsArranged(te, tensor)) continue;
    const std::vector<std::string> axes = AxesOf(compute);
    if (axes.size() < 2) continue;
    Knob axis{KnobKind::kAxis, tensor, tensor + ".axis", {std::string(kAsWritten)}};
    for (const std::string& name : axes) {
      if (!IsParallel(te, tensor, name)) axis.values.push_back(name);
    }
    knobs->push_back(std::move(axis));
    if (compute.axes.size() < 2) continue;
    Knob tile{KnobKind::kTile, tensor, tensor + ".tile", {std::string(kAsWritten)}};
    for (const TileRow& row : kTiles) tile.values.emplace_back(row.name);
    knobs->push_back(std::move(tile));
  }
}

// --- loop functions

bool IsVectorized(const For& loop) {
  return loop.traits.kind == ForKind::kVectorized ||
         loop.traits.kind == ForKind::kVectorizeScalable;
}

class VectorizedFinder : public Visitor {
 public:
  void VisitExpr(const Expr&) override {}
  void VisitStmt(const Stmt& stmt) override {
    const For* loop = stmt->As<For>();
    found |= loop != nullptr && IsVectorized(*loop);
    Descend(stmt);
  }
  bool found = false;
};

// Marks vectorized loops anew; where the program has none, those with no loop inside.
class Remarker : public Mutator {
 public:
  Remarker(const Choice& choice, const Target& target, bool has_marks)
      : choice_(choice), target_(target), has_marks_(has_marks) {}
  Stmt MutateStmt(const Stmt& stmt) override {
    const Stmt inner = Descend(stmt);
    const For* loop = inner->As<For>();
    if (loop == nullptr || !Chosen(*loop)) return inner;
    Stmt made = MakeFor(TraitsOf(*loop), loop->var, loop->range, loop->body);
    made->span = stmt->span;
    return made;
  }

 private:
  bool Chosen(const For& loop) const {
    if (has_marks_) return IsVectorized(loop);
    // Nothing was chosen for all vectors, so that unmarked loops stay so.
    if (choice_.vectors == nullptr) return false;
    return loop.traits.kind == ForKind::kSerial && !HasLoops(loop.body);
  }

  For::Traits TraitsOf(const For& loop) const {
    For::Traits traits = loop.traits;
    if (choice_.vectors != nullptr && !choice_.vectors->vector) return {.role = traits.role};
    if (choice_.vectors != nullptr) {
      traits.kind = choice_.vectors->scalable ? ForKind::kVectorizeScalable : ForKind::kVectorized;
      traits.tail = choice_.vectors->tail;
      traits.lanes = 0;
    }
    if (choice_.interleave != 0) traits.interleave = choice_.interleave;
    if (choice_.half_width && traits.kind == ForKind::kVectorized)
      traits.lanes = HalfOfLanes(target_, kF32);
    return traits;
  }

  const Choice& choice_;
  const Target& target_;
  const bool has_marks_;
};

LoopFunction Remarked(const LoopFunction& function, const Target& target, const Choice& choice) {
  VectorizedFinder marks;
  marks.VisitStmt(function.body);
  LoopFunction made = function;
  made.body = Remarker(choice, target, marks.found).MutateStmt(function.body);
  return made;
}

}  // namespace

int64_t Space::size() const {
  int64_t count = 1;
  for (const Knob& knob : knobs) {
    if (__builtin_mul_overflow(count, static_cast<int64_t>(knob.values.size()), &count))
      return INT64_MAX;
  }
  return count;
}

std::string Space::ToText(const Point& point) const {
  std::string out;
  for (size_t i = 0; i < knobs.size(); ++i) {
    if (point[i] == 0) continue;
    StrAppend(&out, out.empty() ? "" : " ", knobs[i].name, "=",
              knobs[i].values[static_cast<size_t>(point[i])]);
  }
  return out.empty() ? std::string(kAsWritten) : out;
}

bool Space::IsBaseline(const Point& point) const {
  for (size_t i = 0; i < knobs.size(); ++i) {
    if (point[i] == 0) continue;
    const std::string& value = knobs[i].values[static_cast<size_t>(point[i])];
    if (knobs[i].kind != KnobKind::kVectors || (value != kScalar && value != kFixed)) return false;
  }
  return true;
}

Result<Subject> FindSubject(const SourceFile& file, std::string_view name) {
  std::vector<std::string> names;
  std::vector<Subject> subjects;
  for (const te::Definition& definition : file.definitions)
    subjects.push_back({&definition, nullptr});
  for (const LoopFunction& function : file.program.functions)
    subjects.push_back({nullptr, &function});
  for (const Subject& subject : subjects) {
    if (subject.name() == name || (name.empty() && subjects.size() == 1)) return subject;
    names.emplace_back(subject.name());
  }
  if (names.empty()) return NotFound("the file has no loop function").SetErrorCode("E0528").Clone();
  Status status =
      name.empty()
          ? InvalidArgument("the file has several functions; name one of ", StrJoin(names, ", "))
          : NotFound("there is no loop function '", name, "'; there are ", StrJoin(names, ", "));
  return status.SetErrorCode("E0528").Clone();
}

// The order of knobs is part of the checksum of a program (tuner.cc): a log of another space does
// not match.
Space MakeSpace(const Subject& subject, const Target& target) {
  Space space;
  Knob vectors{KnobKind::kVectors, "", "vectors", {std::string(kAsWritten)}};
  for (const VectorRow& row : kVectors) {
    if (Has(target, row)) vectors.values.emplace_back(row.name);
  }
  space.knobs.push_back(std::move(vectors));
  space.knobs.push_back(
      {KnobKind::kInterleave, "", "interleave", {std::string(kAsWritten), "1", "2", "4", "8"}});
  if (target.vector_bits > kVectorUnitBits)
    space.knobs.push_back({KnobKind::kWidth, "", "width", {std::string(kAsWritten), "half"}});
  if (subject.definition != nullptr) AddTensorKnobs(*subject.definition, &space.knobs);
  return space;
}

SourceFile Apply(const SourceFile& file, const Subject& subject, const Target& target,
                 const Point& point) {
  SourceFile made = file;
  const Space space = MakeSpace(subject, target);
  if (point == space.origin()) return made;
  if (subject.definition != nullptr) {
    const auto at = static_cast<size_t>(subject.definition - file.definitions.data());
    made.definitions[at] = Scheduled(*subject.definition, target, space, point);
  } else {
    const auto at = static_cast<size_t>(subject.function - file.program.functions.data());
    made.program.functions[at] = Remarked(*subject.function, target, ChoiceOf(space, point));
  }
  return made;
}

}  // namespace tern::loop::tune
