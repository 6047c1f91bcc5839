// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/fuse_ops.h"

#include <unordered_set>

#include "core/base/strings.h"
#include "core/ir/passes/find_groups.h"
#include "core/ir/passes/group_composite.h"
#include "core/ir/passes/lower_groups.h"
#include "core/ir/visitor.h"

namespace tern::ir {

namespace {

using types::Dim;

// Operators that a function's name tells of its group.
constexpr size_t kMostNamed = 6;

// A group as a function. Loops know sizes only as dimensions that stand alone, so that what the
// surrounding function calls 2*n+1 is a symbol of its own here.
class Outliner {
 public:
  FunctionPtr Run(const FusedGroup& group) {
    std::vector<VarPtr> parameters;
    for (const Expr& input : group.inputs) {
      const Var* var = input->As<Var>();
      const Constant* constant = input->As<Constant>();
      const std::string& name = var != nullptr ? var->name() : constant->name();
      parameters.push_back(MakeVar(name, Renamed(TypeOf(input))));
      map_[input.get()] = parameters.back();
    }
    std::vector<Binding> body;
    for (const Binding* member : group.members) {
      const Call& call = *member->value->As<Call>();
      std::vector<Expr> args;
      for (const Expr& arg : call.args()) {
        const auto found = map_.find(arg.get());
        args.push_back(found == map_.end() ? arg : found->second);
      }
      const Var& old = *member->var;
      const VarPtr var = MakeVar(old.name(), Renamed(old.type()), old.origin());
      body.push_back({var, MakeCall(call.op(), std::move(args), call.attrs()), false});
      map_[&old] = var;
    }
    const VarPtr result = body.back().var;
    return MakeFunction(std::move(parameters), MakeLet(std::move(body), result), {});
  }

 private:
  types::Type Renamed(const types::Type& type) {
    types::TensorType tensor = type.tensor();
    for (Dim& dim : tensor.dims) {
      if (!dim.is_constant()) dim = Renamed(dim);
    }
    return types::Type::Tensor(std::move(tensor));
  }

  Dim Renamed(const Dim& dim) {
    const std::string text = dim.ToText();
    const bool is_ours = text.starts_with("dim_") || text.starts_with("_dim_");
    if (dim.is_symbol() && IsSizeName(text) && !is_ours) return dim;
    size_t place = 0;
    while (place < renamed_.size() && renamed_[place] != text) ++place;
    if (place == renamed_.size()) renamed_.push_back(text);
    // Names that begin with '_' may be of extents of 0.
    return Dim::Symbol(StrCat(dim.Bounds().low < 1 ? "_dim_" : "dim_", place));
  }

  std::unordered_map<const Node*, Expr> map_;
  std::vector<std::string> renamed_;
};

std::string GroupName(std::string_view function, const FusedGroup& group) {
  std::string name;
  for (char c : function) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '_' || c == '.';
    name += plain ? c : '_';
  }
  name += ".fused";
  for (size_t i = 0; i < group.members.size() && i < kMostNamed; ++i)
    StrAppend(&name, "_", group.members[i]->value->As<Call>()->op().name);
  if (group.members.size() > kMostNamed)
    StrAppend(&name, "_and_", group.members.size() - kMostNamed, "_more");
  return name;
}

// What groups of the module are called, and their texts as functions of one name.
struct KnownGroup {
  std::string text, name;
};
using KnownGroups = std::vector<KnownGroup>;

class OperatorFuser {
 public:
  OperatorFuser(Module* module, std::string_view name, KnownGroups* known, bool relaxed)
      : module_(*module), name_(name), known_(*known), relaxed_(relaxed) {}

  FunctionPtr Run(const FunctionPtr& function) {
    ForEachUse(function->bindings(), function->result(),
               [this](const Expr& atom) { ++uses_[atom.get()]; });
    const Let* body = function->body()->As<Let>();
    if (body == nullptr) return function;
    const LetPtr fused = FuseBlock(LetPtr(body));
    if (fused.get() == body) return function;
    return MakeFunction({function->parameters().begin(), function->parameters().end()}, fused,
                        {function->output_names().begin(), function->output_names().end()});
  }

 private:
  LetPtr FuseBlock(const LetPtr& block) {
    std::unordered_map<const Node*, Expr> calls;  // by result
    std::unordered_set<const Node*> inside;
    for (const FusedGroup& group : GroupsOf(*block)) {
      Expr call = CallOf(group);
      if (!call) continue;
      for (const Binding* member : group.members) inside.insert(member->var.get());
      calls[group.members.back()->var.get()] = std::move(call);
    }
    bool changed = !calls.empty();
    std::vector<Binding> bindings;
    for (const Binding& binding : block->bindings()) {
      const auto end = calls.find(binding.var.get());
      if (end != calls.end()) {
        bindings.push_back({binding.var, end->second, false});
      } else if (!inside.contains(binding.var.get())) {
        bindings.push_back({binding.var, FuseInside(binding.value), binding.recursive});
        changed = changed || !(bindings.back().value == binding.value);
      }
    }
    return changed ? ToBlock(MakeLet(std::move(bindings), block->result())) : block;
  }

  // A normalization that cannot be written with its neighbours is called as it is, and what is
  // around it fuses without it.
  std::vector<FusedGroup> GroupsOf(const Let& block) {
    KeptCalls kept;
    while (true) {
      std::vector<FusedGroup> groups = FindFusedGroups(block, uses_, kept);
      const size_t before = kept.size();
      for (const FusedGroup& group : groups) {
        if (!HasComposites(group) || !LoopText("_", *Outliner().Run(group)).empty()) continue;
        for (const Binding* member : group.members) {
          if (IsComposite(*member)) kept.insert(member->var.get());
        }
      }
      if (kept.size() == before) return groups;
    }
  }

  static bool IsComposite(const Binding& binding) {
    const Call* call = binding.value->As<Call>();
    return call != nullptr && !CompositeSteps(*call).empty();
  }
  static bool HasComposites(const FusedGroup& group) {
    for (const Binding* member : group.members) {
      if (IsComposite(*member)) return true;
    }
    return false;
  }

  // Null where the group has no text.
  Expr CallOf(const FusedGroup& group) {
    const FunctionPtr function = Outliner().Run(group);
    std::string text = LoopText("_", *function, relaxed_);
    if (text.empty()) return nullptr;
    for (const KnownGroup& known : known_) {
      if (known.text == text) return MakeInvoke(MakeGlobal(known.name), group.inputs);
    }
    std::string name = module_.FreshName(GroupName(name_, group));
    module_.Set(name, function);
    module_.SetPrivate(name, true);
    module_.SetLoopText(name, LoopText(name, *function, relaxed_));
    known_.push_back({std::move(text), name});
    return MakeInvoke(MakeGlobal(std::move(name)), group.inputs);
  }

  Expr FuseInside(const Expr& value) {
    if (const If* node = value->As<If>()) {
      const LetPtr then_block = FuseBlock(node->then_block());
      const LetPtr else_block = FuseBlock(node->else_block());
      const bool same = then_block == node->then_block() && else_block == node->else_block();
      return same ? value : MakeIf(node->condition(), then_block, else_block);
    }
    const Switch* node = value->As<Switch>();
    if (node == nullptr) return value;
    bool same = true;
    std::vector<SwitchCase> cases(node->cases().begin(), node->cases().end());
    for (SwitchCase& option : cases) {
      const LetPtr block = FuseBlock(option.block);
      same = same && block == option.block;
      option.block = block;
    }
    LetPtr otherwise = node->default_block();
    if (otherwise) otherwise = FuseBlock(otherwise);
    if (same && otherwise == node->default_block()) return value;
    return MakeSwitch(node->data_type(), node->subject(), std::move(cases), otherwise);
  }

  Module& module_;
  std::string name_;
  KnownGroups& known_;
  bool relaxed_;
  UseCounts uses_;
};

}  // namespace

Module FuseOps(const Module& module, const PassContext& context) {
  Module result = module;
  KnownGroups known;
  for (const Module::Item& item : module.items()) {
    if (!item.is_primitive)
      result.Set(
          item.name,
          OperatorFuser(&result, item.name, &known, context.relaxed_math).Run(item.function));
  }
  return result;
}

}  // namespace tern::ir
