// SPDX-License-Identifier: Apache-2.0
#include "core/loop/te/schedule.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/loop/analysis/simplifier.h"
#include "core/loop/te/schedule_parser.h"
#include "core/loop/text/printer.h"
#include "core/loop/visitor.h"

namespace tern::loop::te {
namespace {

// Both numbers bound what a few lines can blow up to: splits double axes, and inlining a chain of
// tensors that are read twice each doubles the formula every time.
constexpr size_t kMaxAxes = 64;        // per tensor
constexpr size_t kMaxInlined = 10000;  // nodes of an expression

// Axes of the formula come first, data before reduce axes; each is a loop until a line changes it.
Stage MakeStage(const Compute& compute) {
  Stage stage;
  stage.compute = compute;
  for (size_t i = 0; i < compute.axes.size(); ++i)
    stage.axes.push_back({compute.axes[i]->name, compute.axes[i], compute.tensor->shape[i]});
  if (const Reduction* reduction = stage.reduction()) {
    for (const ReduceAxis& axis : reduction->axes)
      stage.axes.push_back({axis.var->name, axis.var, axis.extent, true});
  }
  for (size_t i = 0; i < stage.axes.size(); ++i) stage.leaves.push_back(static_cast<int>(i));
  return stage;
}

// Counts until the limit is passed, because the formula can be much larger.
class NodeCounter : public Visitor {
 public:
  void VisitExpr(const Expr& expr) override {
    ++count;
    if (count <= kMaxInlined) Descend(expr);
  }
  size_t count = 0;
};

// Replaces loads of a tensor by its formula, with the indices put in for its axes.
class Inliner : public Mutator {
 public:
  explicit Inliner(const Compute& compute) : compute_(compute) {}
  Expr MutateExpr(const Expr& expr) override {
    const Expr inner = Descend(expr);
    const Load* load = inner->As<Load>();
    if (load == nullptr || load->buffer != compute_.tensor) return inner;
    std::vector<Substitution> map;
    for (size_t i = 0; i < compute_.axes.size(); ++i)
      map.push_back({compute_.axes[i].get(), MakeCast(kI64, load->indices[i])});
    return Substitute(compute_.value, map);
  }

 private:
  const Compute& compute_;
};

// Whether an expression loads from one tensor.
class LoadFinder : public Visitor {
 public:
  explicit LoadFinder(const Buffer* buffer) : buffer_(buffer) {}
  void VisitExpr(const Expr& expr) override {
    const Load* load = expr->As<Load>();
    found |= load != nullptr && load->buffer.get() == buffer_;
    Descend(expr);
  }
  bool found = false;

 private:
  const Buffer* buffer_;
};

bool Reads(const Expr& value, const Buffer* tensor) {
  LoadFinder finder(tensor);
  finder.VisitExpr(value);
  return finder.found;
}
bool Reads(const Stage& stage, const Buffer* tensor) { return Reads(stage.compute.value, tensor); }

// The axis, or one that it was made of, directly or not.
bool ComesFrom(const Stage& stage, int axis, int root) {
  if (axis == root) return true;
  const Relation* r = stage.MadeBy(axis);
  if (r == nullptr) return false;
  if (r->is_split) return ComesFrom(stage, r->parent, root);
  return ComesFrom(stage, r->outer, root) || ComesFrom(stage, r->inner, root);
}

// Applies the lines of a schedule in their order. Stages stay in one vector, of which pointers and
// indices are kept; nothing is added to it after construction.
class Scheduler {
 public:
  Scheduler(const Definition& definition, text::Diagnostics* diagnostics)
      : definition_(definition), diagnostics_(diagnostics) {
    for (const Compute& compute : definition.computes) stages_.push_back(MakeStage(compute));
  }

  std::vector<Stage> Run() {
    for (const Directive& directive : definition_.schedule) {
      directive_ = &directive;
      Apply(directive);
      if (diagnostics_->ok()) CheckExtents();
      if (!diagnostics_->ok()) break;  // later lines name what this one should have made
    }
    // Last, when no line can change the order of loops any more.
    for (Stage& stage : stages_) Merge(&stage);
    return std::move(stages_);
  }

 private:
  // Every message begins with the line as text, because built schedules have no source to point at.
  text::Diagnostic& Complain(std::string_view message) {
    const Directive& at = *directive_;
    return diagnostics_->Error(kBadSchedule, StrCat(ToText(at), ": ", message)).At(at.span);
  }

  // Null after an error was reported.
  Stage* FindStage(std::string_view tensor) {
    for (Stage& stage : stages_) {
      if (stage.compute.tensor->name == tensor) return &stage;
    }
    text::Diagnostic& error =
        Complain(StrCat("no tensor '", tensor, "' is computed in '", definition_.name, "'"));
    std::vector<std::string> names;
    for (const Stage& stage : stages_) names.push_back(stage.compute.tensor->name);
    error.Help(StrCat("there are ", StrJoin(names, ", ")));
    return nullptr;
  }

  // The axis, which must be a loop; -1 where it was complained about.
  int FindLeaf(const Stage& stage, std::string_view name) {
    const int axis = stage.FindAxis(name);
    if (axis >= 0 && stage.LeafIndex(axis) >= 0) return axis;
    text::Diagnostic& error =
        Complain(axis >= 0 ? StrCat("the axis '", name, "' was made into others by an earlier line")
                           : StrCat("'", stage.compute.tensor->name, "' has no axis '", name, "'"));
    std::vector<std::string> names;
    for (int leaf : stage.leaves) names.push_back(stage.axes[static_cast<size_t>(leaf)].name);
    error.Help(StrCat("its loops are ", StrJoin(names, ", ")));
    return -1;
  }

  void Apply(const Directive& d) {
    Stage* stage = FindStage(d.tensor);
    if (stage == nullptr) return;
    if (stage->axes.size() > kMaxAxes) {
      Complain(StrCat("more than ", kMaxAxes, " axes"));
      return;
    }
    if (stage->is_inlined) {
      Complain(StrCat("'", d.tensor, "' was inlined by an earlier line and has no loops"));
      return;
    }
    switch (d.primitive) {
      case Primitive::kSplit: Split(stage, d.names[0], d.factors[0]); return;
      case Primitive::kFuse: return Fuse(stage, d.names[0], d.names[1]);
      case Primitive::kReorder: return Reorder(stage, d.names);
      case Primitive::kTile: return Tile(stage, d);
      case Primitive::kUnroll: return SetKind(stage, d, ForKind::kUnrolled);
      case Primitive::kParallel: return SetKind(stage, d, ForKind::kParallel);
      case Primitive::kVectorize:
        return SetKind(stage, d, d.scalable ? ForKind::kVectorizeScalable : ForKind::kVectorized);
      case Primitive::kComputeAt: return ComputeAt(stage, d);
      case Primitive::kComputeInline: return ComputeInline(stage);
    }
  }

  // The axis, which must be a loop that no line has marked: what is made of a marked axis would
  // have to share the mark. Split alone takes a parallel loop, whose outer part keeps the mark.
  int FindPlainLeaf(const Stage& stage, std::string_view name) {
    const int axis = FindLeaf(stage, name);
    if (axis < 0) return -1;
    const ForKind kind = stage.axes[static_cast<size_t>(axis)].kind;
    if (kind == ForKind::kSerial) return axis;
    Complain(StrCat("'", name, "' is already ", ForKindName(kind)))
        .Help(StrCat("move this line before the one that makes it so, and mark the axis that it "
                     "makes"));
    return -1;
  }

  // -1 where the stage has an axis of that name, which was complained about.
  int MakeAxis(Stage* stage, std::string name, bool is_reduce) {
    if (stage->FindAxis(name) >= 0) {
      Complain(StrCat("'", stage->compute.tensor->name, "' already has an axis '", name, "'"));
      return -1;
    }
    stage->axes.push_back({name, MakeVar(name), nullptr, is_reduce});
    return static_cast<int>(stage->axes.size()) - 1;
  }

  // Gives the mark of one axis to another.
  static void MoveKind(Stage* stage, int from, int to) {
    Axis &old = stage->axes[static_cast<size_t>(from)],
         &axis = stage->axes[static_cast<size_t>(to)];
    axis.kind = old.kind;
    axis.marked = old.marked;
    old.kind = ForKind::kSerial;
  }

  // What is computed in the loop over one axis is computed in the loop over another from now on.
  void MoveAttached(const Stage& stage, int from, int to) {
    for (Stage& other : stages_) {
      if (other.attach_stage == IndexOf(stage) && other.attach_axis == from) other.attach_axis = to;
    }
  }
  // Stages are known by their place in the vector.
  int IndexOf(const Stage& stage) const { return static_cast<int>(&stage - stages_.data()); }

  bool Split(Stage* stage, const std::string& name, Lanes factor) {
    const int found = FindLeaf(*stage, name);
    const bool is_parallel =
        found >= 0 && stage->axes[static_cast<size_t>(found)].kind == ForKind::kParallel;
    const int parent = is_parallel ? found : found < 0 ? -1 : FindPlainLeaf(*stage, name);
    if (parent < 0) return false;
    // Both parts of a reduce axis fold.
    const bool is_reduce = stage->axes[static_cast<size_t>(parent)].is_reduce;
    const int outer = MakeAxis(stage, name + ".outer", is_reduce);
    const int inner = outer < 0 ? -1 : MakeAxis(stage, name + ".inner", is_reduce);
    if (inner < 0) return false;
    stage->relations.push_back({true, parent, outer, inner, factor});
    if (is_parallel) MoveKind(stage, parent, outer);
    const int at = stage->LeafIndex(parent);
    stage->leaves[static_cast<size_t>(at)] = outer;
    stage->leaves.insert(stage->leaves.begin() + at + 1, inner);
    MoveAttached(*stage, parent, inner);  // once for every value that the axis had
    return true;
  }

  // One loop over two, the outer loop first.
  void Fuse(Stage* stage, const std::string& first, const std::string& second) {
    const int a = FindPlainLeaf(*stage, first);
    const int b = a < 0 ? -1 : FindPlainLeaf(*stage, second);
    // FindPlainLeaf has told what is wrong.
    if (b < 0) return;
    const Axis &x = stage->axes[static_cast<size_t>(a)], &y = stage->axes[static_cast<size_t>(b)];
    const int at = stage->LeafIndex(a);
    // The fused loop goes through both in the order of their nest, so they must be neighbours.
    if (stage->LeafIndex(b) != at + 1 || x.is_reduce != y.is_reduce) {
      Complain(StrCat("'", second, "' must be directly inside '", first,
                      "', and both reduce axes or neither"));
      return;
    }
    const int fused = MakeAxis(stage, StrCat(first, ".", second, ".fused"), x.is_reduce);
    if (fused < 0) return;
    stage->relations.push_back({false, fused, a, b, {}});
    stage->leaves[static_cast<size_t>(at)] = fused;
    stage->leaves.erase(stage->leaves.begin() + at + 1);
    MoveAttached(*stage, a, fused);
    MoveAttached(*stage, b, fused);
  }

  void Reorder(Stage* stage, std::span<const std::string> names) {
    std::vector<int> axes, places;
    for (const std::string& name : names) {
      const int axis = FindLeaf(*stage, name);
      if (axis < 0) return;
      if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
        Complain(StrCat("'", name, "' is named twice"));
        return;
      }
      axes.push_back(axis);
      places.push_back(stage->LeafIndex(axis));
    }
    // The named axes go to the places that they had together, in their new order; others stay.
    std::sort(places.begin(), places.end());
    for (size_t i = 0; i < axes.size(); ++i)
      stage->leaves[static_cast<size_t>(places[i])] = axes[i];
  }

  void Tile(Stage* stage, const Directive& d) {
    const std::string &y = d.names[0], &x = d.names[1];
    if (!Split(stage, y, d.factors[0]) || !Split(stage, x, d.factors[1])) return;
    const std::string order[] = {y + ".outer", x + ".outer", y + ".inner", x + ".inner"};
    Reorder(stage, order);
  }

  // A loop has one mark at most, and steps of a reduction depend on each other.
  void SetKind(Stage* stage, const Directive& d, ForKind kind) {
    const int found = FindLeaf(*stage, d.names[0]);
    if (found < 0) return;
    Axis& axis = stage->axes[static_cast<size_t>(found)];
    if (axis.kind != ForKind::kSerial) {
      Complain(StrCat("'", axis.name, "' is already ", ForKindName(axis.kind)));
      return;
    }
    if (kind == ForKind::kParallel && axis.is_reduce) {
      Complain(StrCat("'", axis.name, "' is a reduce axis: its steps are not independent"));
      return;
    }
    axis.kind = kind;
    axis.marked = &d;
    axis.interleave = d.interleave;
    axis.tail = d.tail;
    if (!d.factors.empty()) axis.lanes = d.factors[0].count;
  }

  // The tensor is computed inside of the loop, as much of it as one step needs.
  void ComputeAt(Stage* stage, const Directive& d) {
    Stage* consumer = FindStage(d.names[0]);
    if (consumer == nullptr) return;
    const Buffer* tensor = stage->compute.tensor.get();
    if (consumer->is_inlined) {
      Complain(StrCat("'", d.names[0], "' was inlined by an earlier line and has no loops"));
      return;
    }
    const int axis = FindLeaf(*consumer, d.names[1]);
    if (axis < 0) return;
    if (stage->attach_stage >= 0) {
      const Stage& other = stages_[static_cast<size_t>(stage->attach_stage)];
      Complain(StrCat("'", tensor->name, "' is already computed in the loop over '",
                      other.axes[static_cast<size_t>(stage->attach_axis)].name, "' of '",
                      other.compute.tensor->name, "'"))
          .Help("keep one of the two lines");
      return;
    }
    if (!Reads(*consumer, tensor) || tensor->access == Access::kOut) {
      Complain(tensor->access == Access::kOut
                   ? StrCat("'", tensor->name, "' is a result and must be computed whole")
                   : StrCat("'", d.names[0], "' does not read '", tensor->name, "'"));
      return;
    }
    // Another reader would find only the last part.
    for (const Stage& other : stages_) {
      if (&other == consumer || other.is_inlined || !Reads(other, tensor)) continue;
      Complain(StrCat("'", tensor->name, "' is also read by '", other.compute.tensor->name, "'"));
      return;
    }
    // Extents are evaluated ahead of the loops in which the tensor would be computed.
    for (const Axis& reduce : consumer->axes) {
      if (!reduce.extent || !Reads(reduce.extent, tensor)) continue;
      Complain(StrCat("the extent of '", reduce.name, "' reads '", tensor->name,
                      "', which must be there before the loops"));
      return;
    }
    stage->attach_stage = IndexOf(*consumer);
    stage->attach_axis = axis;
  }

  void ComputeInline(Stage* stage) {
    const BufferPtr tensor = stage->compute.tensor;
    // A reduction has no formula of its elements alone.
    if (tensor->access == Access::kOut || stage->reduction() != nullptr) {
      Complain(StrCat("'", tensor->name, "' is ",
                      tensor->access == Access::kOut ? "a result" : "a reduction"));
      return;
    }
    if (stage->attach_stage >= 0) {
      Complain(StrCat("'", tensor->name, "' is already computed in a loop of '",
                      stages_[static_cast<size_t>(stage->attach_stage)].compute.tensor->name, "'"))
          .Help("keep one of the two lines");
      return;
    }
    for (const Stage& other : stages_) {
      if (other.attach_stage != IndexOf(*stage)) continue;
      Complain(StrCat("'", other.compute.tensor->name, "' is computed in a loop of '", tensor->name,
                      "', which would have none"))
          .Help(StrCat("inline first, and compute '", other.compute.tensor->name,
                       "' in a loop of what then reads it"));
      return;
    }
    // All readers at once: there is no tensor left to read.
    stage->is_inlined = true;
    for (Stage& other : stages_) {
      if (&other == stage || !Reads(other, tensor.get())) continue;
      other.compute.value = Inliner(stage->compute).MutateExpr(other.compute.value);
      TakeExtents(&other);
      NodeCounter size;
      size.VisitExpr(other.compute.value);
      if (size.count <= kMaxInlined) continue;
      Complain(StrCat("the formula of '", other.compute.tensor->name, "' would have more than ",
                      kMaxInlined, " parts"));
      return;
    }
  }

  // Of the reduce axes, as the formula has them now.
  static void TakeExtents(Stage* stage) {
    const Reduction* reduction = stage->reduction();
    if (reduction == nullptr) return;
    const size_t first = stage->compute.axes.size();
    for (size_t i = 0; i < reduction->axes.size(); ++i)
      stage->axes[first + i].extent = reduction->axes[i].extent;
  }

  // The extent of a reduce axis may depend on other axes, whose loops must then be outside of its
  // own, and of what is computed among them.
  void CheckExtents() {
    for (const Stage& stage : stages_) {
      if (stage.reduction() == nullptr || stage.is_inlined) continue;
      const size_t roots = stage.compute.axes.size() + stage.reduction()->axes.size();
      for (size_t of = stage.compute.axes.size(); of < roots; ++of) {
        for (size_t root = 0; root < roots; ++root) {
          if (!UsesVar(stage.axes[of].extent, stage.axes[root].var.get())) continue;
          if (!CheckExtent(stage, static_cast<int>(of), static_cast<int>(root))) return;
        }
      }
    }
  }

  // False where it was complained about.
  bool CheckExtent(const Stage& stage, int of, int root) {
    // Every loop made of `root` must be outside of every loop made of `of`.
    size_t last = 0, first = stage.leaves.size();  // one past the last; the first
    for (size_t i = stage.leaves.size(); i-- > 0;) {
      if (ComesFrom(stage, stage.leaves[i], of)) first = i;
      if (ComesFrom(stage, stage.leaves[i], root) && last == 0) last = i + 1;
    }
    const std::string extent =
        StrCat("the extent of '", stage.axes[static_cast<size_t>(of)].name, "' depends on '",
               stage.axes[static_cast<size_t>(root)].name, "'");
    if (last > first) {
      Complain(StrCat(extent, ", whose loops must all be outside of its own"));
      return false;
    }
    // What is computed in a loop before the extent is known could not tell which part it needs.
    for (const Stage& other : stages_) {
      if (other.attach_stage != IndexOf(stage) ||
          stage.LeafIndex(other.attach_axis) + 1 >= static_cast<int>(last))
        continue;
      Complain(StrCat(extent, ", so that what '", other.compute.tensor->name,
                      "' is needed for is known only inside the loops over '",
                      stage.axes[static_cast<size_t>(root)].name, "'"))
          .Help(StrCat("compute it in the loop over '",
                       stage.axes[static_cast<size_t>(stage.leaves[last - 1])].name,
                       "' or one inside it"));
      return false;
    }
    return true;
  }

  // A split whose inner part is one vector, directly inside a serial outer part, is what
  // vectorizing the axis itself with so many lanes is: one loop over vectors, which also knows what
  // to do with a rest. Splits by vscale have no other meaning.
  void Merge(Stage* stage) {
    for (size_t i = stage->relations.size(); i-- > 0;) {
      const Relation r = stage->relations[i];
      if (!r.is_split) continue;
      const int outer = stage->LeafIndex(r.outer), inner = stage->LeafIndex(r.inner);
      const Axis* x = &stage->axes[static_cast<size_t>(r.outer)];
      const Axis* y = &stage->axes[static_cast<size_t>(r.inner)];
      const bool vector = y->kind == ForKind::kVectorized || y->kind == ForKind::kVectorizeScalable;
      const bool adjacent = outer >= 0 && inner == outer + 1;
      const bool whole = adjacent && vector && x->kind == ForKind::kSerial && y->lanes == 0 &&
                         !HasAttached(*stage, r);
      // An axis that the factor divides is kept as two loops: the inner one is exactly one vector.
      const bool keeps_constant =
          !r.factor.scalable && y->kind == ForKind::kVectorized && DividesRoot(*stage, r);
      if (whole && !keeps_constant) {
        Axis& axis = stage->axes[static_cast<size_t>(r.parent)];
        axis.kind = r.factor.scalable ? ForKind::kVectorizeScalable : y->kind;
        axis.marked = y->marked;
        axis.lanes = r.factor.count;
        axis.interleave = y->interleave;
        axis.tail = y->tail;
        stage->leaves[static_cast<size_t>(outer)] = r.parent;
        stage->leaves.erase(stage->leaves.begin() + inner);
        stage->relations.erase(stage->relations.begin() + static_cast<ptrdiff_t>(i));
      } else if (r.factor.scalable && diagnostics_->ok()) {
        const std::string_view nothing =
            HasAttached(*stage, r) ? ", with nothing computed in it" : "";
        diagnostics_
            ->Error(kBadSchedule, StrCat("'", stage->compute.tensor->name, "': the axis '", y->name,
                                         "' has vscale * ", r.factor.count,
                                         " steps and must be vectorized, directly inside '",
                                         x->name, "'", nothing))
            .At(stage->compute.span);
      }
    }
  }

  // Whether a tensor is computed in one of the two loops that a split made.
  bool HasAttached(const Stage& stage, const Relation& r) const {
    return std::any_of(stages_.begin(), stages_.end(), [&](const Stage& other) {
      return other.attach_stage == IndexOf(stage) &&
             (other.attach_axis == r.outer || other.attach_axis == r.inner);
    });
  }

  // Whether the extent is proven to be a multiple of the factor.
  static bool DividesRoot(const Stage& stage, const Relation& r) {
    const Expr& extent = stage.axes[static_cast<size_t>(r.parent)].extent;
    return extent && Simplifier().ProvesMultiple(extent, MakeInt(r.factor.count));
  }

  const Definition& definition_;
  text::Diagnostics* diagnostics_;
  const Directive* directive_ = nullptr;
  std::vector<Stage> stages_;
};

}  // namespace

int Stage::FindAxis(std::string_view name) const {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int Stage::LeafIndex(int axis) const {
  const auto found = std::find(leaves.begin(), leaves.end(), axis);
  return found == leaves.end() ? -1 : static_cast<int>(found - leaves.begin());
}

const Relation* Stage::MadeBy(int axis) const {
  for (const Relation& r : relations) {
    const bool made = r.is_split ? axis == r.outer || axis == r.inner : axis == r.parent;
    if (made) return &r;
  }
  return nullptr;
}

const Relation* Stage::UsedBy(int axis) const {
  for (const Relation& r : relations) {
    const bool used = r.is_split ? axis == r.parent : axis == r.outer || axis == r.inner;
    if (used) return &r;
  }
  return nullptr;
}

std::vector<Stage> ApplySchedule(const Definition& definition, text::Diagnostics* diagnostics) {
  return Scheduler(definition, diagnostics).Run();
}

}  // namespace tern::loop::te
