// SPDX-License-Identifier: Apache-2.0
#include "core/loop/te/schedule.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/loop/analysis/simplifier.h"
#include "core/loop/printer.h"
#include "core/loop/te/schedule_parser.h"
#include "core/loop/visitor.h"

namespace tern::loop::te {
namespace {

constexpr size_t kMaxAxes = 64;        // per tensor
constexpr size_t kMaxInlined = 10000;  // nodes of an expression

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

class NodeCounter : public Visitor {
 public:
  void VisitExpr(const Expr& expr) override {
    ++count;
    if (count <= kMaxInlined) Descend(expr);
  }
  size_t count = 0;
};

// Loads of a tensor replaced by its formula.
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

bool Reads(const Stage& stage, const Buffer* tensor) {
  LoadFinder finder(tensor);
  finder.VisitExpr(stage.compute.value);
  return finder.found;
}

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
      if (!diagnostics_->ok()) break;  // later lines name what this one should have made
    }
    for (Stage& stage : stages_) Merge(&stage);
    return std::move(stages_);
  }

 private:
  text::Diagnostic& Complain(std::string_view message) {
    const Directive& at = *directive_;
    return diagnostics_->Error(kBadSchedule, StrCat(ToText(at), ": ", message)).At(at.span);
  }

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

  bool Split(Stage* stage, const std::string& name, Lanes factor) {
    const int parent = FindLeaf(*stage, name);
    if (parent < 0) return false;
    const bool is_reduce = stage->axes[static_cast<size_t>(parent)].is_reduce;
    const int outer = static_cast<int>(stage->axes.size()), inner = outer + 1;
    for (std::string_view suffix : {".outer", ".inner"}) {
      const std::string made = StrCat(name, suffix);
      stage->axes.push_back({made, MakeVar(made), nullptr, is_reduce});
    }
    stage->relations.push_back({true, parent, outer, inner, factor});
    const int at = stage->LeafIndex(parent);
    stage->leaves[static_cast<size_t>(at)] = outer;
    stage->leaves.insert(stage->leaves.begin() + at + 1, inner);
    return true;
  }

  void Fuse(Stage* stage, const std::string& first, const std::string& second) {
    const int a = FindLeaf(*stage, first), b = FindLeaf(*stage, second);
    if (a < 0 || b < 0) return;
    const Axis &x = stage->axes[static_cast<size_t>(a)], &y = stage->axes[static_cast<size_t>(b)];
    const int at = stage->LeafIndex(a);
    if (stage->LeafIndex(b) != at + 1 || x.is_reduce != y.is_reduce) {
      Complain(StrCat("'", second, "' must be directly inside '", first,
                      "', and both reduce axes or neither"));
      return;
    }
    const std::string made = StrCat(first, ".", second, ".fused");
    const bool is_reduce = x.is_reduce;
    stage->axes.push_back({made, MakeVar(made), nullptr, is_reduce});
    const int fused = static_cast<int>(stage->axes.size()) - 1;
    stage->relations.push_back({false, fused, a, b, {}});
    stage->leaves[static_cast<size_t>(at)] = fused;
    stage->leaves.erase(stage->leaves.begin() + at + 1);
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
    axis.interleave = d.interleave;
    axis.tail = d.tail;
    if (!d.factors.empty()) axis.lanes = d.factors[0].count;
  }

  void ComputeAt(Stage* stage, const Directive& d) {
    Stage* consumer = FindStage(d.names[0]);
    if (consumer == nullptr) return;
    const int axis = FindLeaf(*consumer, d.names[1]);
    if (axis < 0) return;
    const Buffer* tensor = stage->compute.tensor.get();
    if (!Reads(*consumer, tensor) || tensor->access == Access::kOut) {
      Complain(tensor->access == Access::kOut
                   ? StrCat("'", tensor->name, "' is a result and must be computed whole")
                   : StrCat("'", d.names[0], "' does not read '", tensor->name, "'"));
      return;
    }
    for (const Stage& other : stages_) {
      if (&other == consumer || other.is_inlined || !Reads(other, tensor)) continue;
      Complain(StrCat("'", tensor->name, "' is also read by '", other.compute.tensor->name, "'"));
      return;
    }
    stage->attach_stage = static_cast<int>(consumer - stages_.data());
    stage->attach_axis = axis;
  }

  void ComputeInline(Stage* stage) {
    const BufferPtr tensor = stage->compute.tensor;
    if (tensor->access == Access::kOut || stage->reduction() != nullptr) {
      Complain(StrCat("'", tensor->name, "' is ",
                      tensor->access == Access::kOut ? "a result" : "a reduction"));
      return;
    }
    stage->is_inlined = true;
    for (Stage& other : stages_) {
      if (&other == stage || !Reads(other, tensor.get())) continue;
      other.compute.value = Inliner(stage->compute).MutateExpr(other.compute.value);
      NodeCounter size;
      size.VisitExpr(other.compute.value);
      if (size.count <= kMaxInlined) continue;
      Complain(StrCat("the formula of '", other.compute.tensor->name, "' would have more than ",
                      kMaxInlined, " parts"));
      return;
    }
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
      const bool keeps_constant =
          !r.factor.scalable && y->kind == ForKind::kVectorized && DividesRoot(*stage, r);
      if (whole && !keeps_constant) {
        Axis& axis = stage->axes[static_cast<size_t>(r.parent)];
        axis.kind = r.factor.scalable ? ForKind::kVectorizeScalable : y->kind;
        axis.lanes = r.factor.count;
        axis.interleave = y->interleave;
        axis.tail = y->tail;
        stage->leaves[static_cast<size_t>(outer)] = r.parent;
        stage->leaves.erase(stage->leaves.begin() + inner);
        stage->relations.erase(stage->relations.begin() + static_cast<ptrdiff_t>(i));
      } else if (r.factor.scalable && diagnostics_->ok()) {
        diagnostics_
            ->Error(kBadSchedule,
                    StrCat("'", stage->compute.tensor->name, "': the axis '", y->name,
                           "' has vscale * ", r.factor.count,
                           " steps and must be vectorized, directly inside '", x->name, "'"))
            .At(stage->compute.span);
      }
    }
  }

  bool HasAttached(const Stage& stage, const Relation& r) const {
    return std::any_of(stages_.begin(), stages_.end(), [&](const Stage& other) {
      return other.attach_stage == static_cast<int>(&stage - stages_.data()) &&
             (other.attach_axis == r.outer || other.attach_axis == r.inner);
    });
  }

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

std::vector<Stage> ApplySchedule(const Definition& definition, text::Diagnostics* diagnostics) {
  return Scheduler(definition, diagnostics).Run();
}

}  // namespace tern::loop::te
