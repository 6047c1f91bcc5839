// SPDX-License-Identifier: Apache-2.0
#include "core/fuse/find_groups.h"

#include "core/fuse/composite.h"
#include "core/fuse/literal.h"
#include "core/ir/visitor.h"

namespace tern::fuse {

namespace {

// Formulas are inlined where they are read, so a value that is read several times stands in a loop
// text several times. This bounds how far that is taken, in parts of about four characters of
// formula.
constexpr int64_t kMostParts = 1000;
// Groups of fewer elements take less time than the call of a kernel.
constexpr int64_t kLeastElements = 64;
// Bounds for a normalization, whose operator keeps a row in the cache: fewer elements are done
// before loops begin, and of more, what is folded twice would come from memory each time.
constexpr int64_t kLeastComposite = 8192, kMostRefolded = int64_t{1} << 20;
constexpr size_t kMostInputs = 24;

using ir::Binding;
using ir::Call;
using ir::Constant;
using ir::Expr;
using ir::Node;
using ir::Var;
using types::Dim;

// Whether an argument is read along every axis of the result, or has one element there.
bool FitsShape(const Expr& arg, std::span<const Dim> dims) {
  if (arg->As<Constant>() != nullptr && ir::TensorTypeOf(arg) == nullptr) return ir::IsNone(arg);
  const types::TensorType* type = ir::TensorTypeOf(arg);
  if (type == nullptr || type->dims.size() > dims.size()) return false;
  const size_t skipped = dims.size() - type->dims.size();
  for (size_t i = 0; i < type->dims.size(); ++i) {
    const Dim& dim = type->dims[i];
    if (!(dim == dims[skipped + i]) && !(dim == Dim(1))) return false;
  }
  return true;
}

bool IsWorthwhile(const types::TensorType& type, int64_t least, int64_t most) {
  for (const Dim& dim : type.dims) {
    if (dim.is_any()) return false;
  }
  const Dim count = type.ElementCount();
  return !count.is_constant() || (count.constant() >= least && count.constant() <= most);
}

// Decides from the last binding to the first which group each one joins: a value may be computed
// inside of its readers if all of them are in one group. The last binding of a group is its root,
// whose value the kernel gives.
class Finder {
 public:
  Finder(const ir::Let& block, const UseCounts& uses, const KeptCalls& kept, Formulas* formulas)
      : bindings_(block.bindings()), uses_(uses), kept_(kept), formulas_(*formulas) {}

  std::vector<FusedGroup> Run() {
    for (size_t i = 0; i < bindings_.size(); ++i) {
      nodes_.push_back(Inspect(bindings_[i]));
      places_[bindings_[i].var.get()] = static_cast<int>(i);
      const Call* call = bindings_[i].value->As<Call>();
      const size_t count = call == nullptr ? 0 : call->args().size();
      for (size_t k = 0; k < count; ++k) {
        const int read = PlaceOf(call->args()[k]);
        if (read < 0) continue;
        Member& member = nodes_[static_cast<size_t>(read)];
        reads_.push_back({i, k, member.last_read});
        member.last_read = static_cast<int>(reads_.size()) - 1;
      }
    }
    for (size_t i = bindings_.size(); i-- > 0;) Join(i);
    return Collect();
  }

 private:
  struct Member {
    OperatorFormula formula;  // or
    const Composite* composite = nullptr;
    // Of the loops: the result's, or of what is reduced, or of what was reduced to this. Null: no
    // member of a group.
    const types::TensorType* space = nullptr;
    bool reduces = false;
    bool folded = false;  // a reduction that keeps its axes, or computed of such only
    size_t root = 0;      // the last member of its group
    int64_t copies = 1;   // of its formula in the root's
    int64_t parts = 0;    // of a root: of all formulas
    int last_read = -1;   // in reads_
  };
  // One argument of one binding; those of the same variable are chained.
  struct Read {
    size_t binding, argument;
    int next;
  };

  int PlaceOf(const Expr& atom) const {
    const int* found = places_.Find(atom.get());
    return found == nullptr ? -1 : *found;
  }

  Member Inspect(const Binding& binding) {
    Member member;
    member.root = static_cast<size_t>(&binding - bindings_.data());
    const Call* call = binding.value->As<Call>();
    const types::TensorType* type = ir::TensorTypeOf(binding.var);
    if (call == nullptr || type == nullptr) return member;
    member.formula = formulas_.ReductionFormula(*call);
    member.reduces = static_cast<bool>(member.formula);
    if (!member.reduces) member.formula = formulas_.ElementFormula(*call);
    if (!member.formula && !kept_.contains(binding.var.get()))
      member.composite = CompositeOf(*call);
    const bool composite = member.composite != nullptr;
    const types::TensorType* loops = member.reduces ? ir::TensorTypeOf(call->args()[0]) : type;
    bool fits = (member.formula || composite) && IsLoopType(type->dtype) && loops != nullptr;
    for (const Expr& arg : call->args()) fits = fits && FitsShape(arg, loops->dims);
    if (!fits) return member;
    member.folded = member.reduces && call->attrs().GetInt("keep_dims", 1) != 0;
    for (const Expr& arg : call->args()) {
      const int place = member.reduces ? -1 : PlaceOf(arg);
      if (place < 0) continue;
      const Member& from = nodes_[static_cast<size_t>(place)];
      if (!from.folded || from.space == nullptr || ir::TensorTypeOf(arg)->dims != type->dims)
        continue;
      member.folded = true;
      loops = from.space;
    }
    const int64_t least = composite ? kLeastComposite : kLeastElements;
    const bool again = composite && member.composite->ReductionCount() > 1;
    const int64_t most = again ? kMostRefolded : INT64_MAX;
    if (!IsWorthwhile(*loops, least, most) || (composite && member.folded)) return member;
    member.space = loops;
    member.parts = Size(member);
    return member;
  }

  static int64_t Size(const Member& member) {
    if (member.composite != nullptr)
      return 3 * static_cast<int64_t>(member.composite->steps.size());
    return member.formula.element->NodeCount();
  }

  // How often a member that is inlined is evaluated for one evaluation of what reads it.
  static int64_t Evaluations(const Member& member, size_t argument) {
    if (member.composite != nullptr) return member.composite->Reads(argument);
    return argument < kMostOperands ? member.formula.element->Evaluations(argument) : 0;
  }

  // Joins the binding to the group of all that read it, if that is one group with the same loops.
  void Join(size_t i) {
    Member& member = nodes_[i];
    const int* used = uses_.Find(bindings_[i].var.get());
    if (member.space == nullptr || (member.reduces && !member.folded) || member.last_read < 0 ||
        used == nullptr)
      return;
    const size_t root = nodes_[reads_[static_cast<size_t>(member.last_read)].binding].root;
    int64_t copies = 0;
    int reads = 0;
    for (int at = member.last_read; at >= 0; at = reads_[static_cast<size_t>(at)].next) {
      const Read& read = reads_[static_cast<size_t>(at)];
      const Member& next = nodes_[read.binding];
      if (next.space == nullptr || next.root != root || next.space->dims != member.space->dims)
        return;
      copies += next.copies * Evaluations(next, read.argument);
      ++reads;
    }
    // What is left of a reduction is kept in a tensor and not inlined.
    if (member.folded) copies = 1;
    const int64_t parts = nodes_[root].parts + copies * Size(member);
    if (*used != reads || parts > kMostParts) return;
    nodes_[root].parts = parts;
    member.copies = copies;
    member.root = root;
  }

  std::vector<FusedGroup> Collect() const {
    std::vector<FusedGroup> all(bindings_.size()), groups;
    for (size_t i = 0; i < bindings_.size(); ++i)
      all[nodes_[i].root].members.push_back(&bindings_[i]);
    for (FusedGroup& group : all) {
      if (group.members.size() < 2) continue;
      CollectInputs(&group);
      if (group.inputs.size() <= kMostInputs) groups.push_back(std::move(group));
    }
    return groups;
  }

  static void CollectInputs(FusedGroup* group) {
    ir::NodeSet known;
    for (const Binding* member : group->members) {
      ir::ForEachAtom(member->value, [&](const Expr& atom) {
        const bool is_input =
            atom->As<Var>() != nullptr || (!ir::IsNone(atom) && LiteralOf(atom, false) == nullptr);
        if (is_input && known.Insert(atom.get())) group->inputs.push_back(atom);
      });
      known.Add(member->var.get());
    }
  }

  std::span<const Binding> bindings_;
  const UseCounts& uses_;
  const KeptCalls& kept_;
  Formulas& formulas_;
  std::vector<Member> nodes_;
  std::vector<Read> reads_;
  UseCounts places_;  // of the bindings, by variable
};

}  // namespace

std::vector<FusedGroup> FindFusedGroups(const ir::Let& block, const UseCounts& uses,
                                        const KeptCalls& kept, Formulas* formulas) {
  return Finder(block, uses, kept, formulas).Run();
}

}  // namespace tern::fuse
