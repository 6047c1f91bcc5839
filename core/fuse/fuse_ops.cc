// SPDX-License-Identifier: Apache-2.0
#include "core/fuse/fuse_ops.h"

#include "core/base/strings.h"
#include "core/fuse/composite.h"
#include "core/fuse/define_group.h"
#include "core/fuse/find_groups.h"
#include "core/ir/node_map.h"
#include "core/ir/visitor.h"

namespace tern::fuse {

namespace {

namespace te = loop::te;
using ir::Binding;
using ir::Call;
using ir::Expr;
using ir::FunctionPtr;
using ir::LetPtr;
using ir::VarPtr;
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
      const ir::Var* var = input->As<ir::Var>();
      const ir::Constant* constant = input->As<ir::Constant>();
      const std::string& name = var != nullptr ? var->name() : constant->name();
      parameters.push_back(ir::MakeVar(name, Renamed(ir::TypeOf(input))));
      // Constants become parameters like variables: groups that differ in them alone share one
      // function.
      map_[input.get()] = parameters.back();
    }
    std::vector<Binding> body;
    for (const Binding* member : group.members) {
      const Call& call = *member->value->As<Call>();
      std::vector<Expr> args;
      for (const Expr& arg : call.args()) {
        const Expr* found = map_.Find(arg.get());
        args.push_back(found == nullptr ? arg : *found);
      }
      const ir::Var& old = *member->var;
      const VarPtr var = ir::MakeVar(old.name(), Renamed(old.type()), old.origin());
      // The operators stay as the body, which runs where nothing takes loop programs.
      body.push_back({var, ir::MakeCall(call.op(), std::move(args), call.attrs()), false});
      map_[&old] = var;
    }
    const VarPtr result = body.back().var;
    return ir::MakeFunction(std::move(parameters), ir::MakeLet(std::move(body), result), {});
  }

 private:
  types::Type Renamed(const types::Type& type) {
    types::TensorType tensor = type.tensor();
    for (Dim& dim : tensor.dims) {
      if (!dim.is_constant()) dim = Renamed(dim);
    }
    return types::Type::Tensor(std::move(tensor));
  }

  // One new symbol for each expression of the surrounding function: equal expressions stay equal.
  Dim Renamed(const Dim& dim) {
    const std::string text = dim.ToText();
    // A symbol that is named like those made here must not be mistaken for one of them.
    const bool is_ours = text.starts_with("dim_") || text.starts_with("_dim_");
    if (dim.is_symbol() && IsSizeName(text) && !is_ours) return dim;
    size_t place = 0;
    while (place < renamed_.size() && renamed_[place] != text) ++place;
    if (place == renamed_.size()) renamed_.push_back(text);
    // Names that begin with '_' may be of extents of 0.
    return Dim::Symbol(StrCat(dim.Bounds().low < 1 ? "_dim_" : "dim_", place));
  }

  ir::NodeMap<Expr> map_;
  std::vector<std::string> renamed_;
};

// Profiles and listings show this name, so it tells what the group does. Characters that assembly
// would have to quote become '_'.
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

// The groups of a module that have functions already, and what formulas their operators have.
struct KnownGroups {
  struct Group {
    te::DefinitionPtr definition;
    std::string name;
  };
  std::vector<Group> groups;
  Formulas formulas;
};

class OperatorFuser {
 public:
  OperatorFuser(ir::Module* module, std::string_view name, KnownGroups* known, bool relaxed)
      : module_(*module), name_(name), known_(*known), relaxed_(relaxed) {}

  FunctionPtr Run(const FunctionPtr& function) {
    ir::ForEachUse(function->bindings(), function->result(),
                   [this](const Expr& atom) { ++uses_[atom.get()]; });
    const ir::Let* body = function->body()->As<ir::Let>();
    if (body == nullptr) return function;
    const LetPtr fused = FuseBlock(LetPtr(body));
    if (fused.get() == body) return function;
    return ir::MakeFunction({function->parameters().begin(), function->parameters().end()}, fused,
                            {function->output_names().begin(), function->output_names().end()});
  }

 private:
  // The call stands where the group's last member stood, because only there all inputs are known.
  LetPtr FuseBlock(const LetPtr& block) {
    ir::NodeMap<Expr> calls;  // by result
    ir::NodeSet inside;
    for (const FusedGroup& group : GroupsOf(*block)) {
      Expr call = CallOf(group);
      if (!call) continue;
      for (const Binding* member : group.members) inside.Add(member->var.get());
      calls[group.members.back()->var.get()] = std::move(call);
    }
    bool changed = calls.size() > 0;
    std::vector<Binding> bindings;
    for (const Binding& binding : block->bindings()) {
      if (const Expr* call = calls.Find(binding.var.get())) {
        bindings.push_back({binding.var, *call, false});
      } else if (!inside.contains(binding.var.get())) {
        bindings.push_back({binding.var, FuseInside(binding.value), binding.recursive});
        changed = changed || !(bindings.back().value == binding.value);
      }
    }
    return changed ? ir::ToBlock(ir::MakeLet(std::move(bindings), block->result())) : block;
  }

  // A normalization that cannot be written with its neighbours is called as it is, and what is
  // around it fuses without it.
  std::vector<FusedGroup> GroupsOf(const ir::Let& block) {
    KeptCalls kept;
    while (true) {
      std::vector<FusedGroup> groups = FindFusedGroups(block, uses_, kept, &known_.formulas);
      const size_t before = kept.size();
      for (const FusedGroup& group : groups) {
        if (!HasComposites(group) || Define(*Outliner().Run(group)) != nullptr) continue;
        for (const Binding* member : group.members) {
          if (IsComposite(*member)) kept.Add(member->var.get());
        }
      }
      if (kept.size() == before) return groups;
    }
  }

  static bool IsComposite(const Binding& binding) {
    const Call* call = binding.value->As<Call>();
    return call != nullptr && CompositeOf(*call) != nullptr;
  }
  static bool HasComposites(const FusedGroup& group) {
    for (const Binding* member : group.members) {
      if (IsComposite(*member)) return true;
    }
    return false;
  }

  // By no name of its own yet, so that it can be compared.
  te::DefinitionPtr Define(const ir::Function& function) {
    return DefineGroup("_", function, relaxed_, &known_.formulas);
  }

  // Null where loops cannot say what the group does.
  Expr CallOf(const FusedGroup& group) {
    const FunctionPtr function = Outliner().Run(group);
    te::DefinitionPtr definition = Define(*function);
    if (definition == nullptr) return nullptr;
    for (const KnownGroups::Group& known : known_.groups) {
      if (te::SameDefinition(*known.definition, *definition))
        return ir::MakeInvoke(ir::MakeGlobal(known.name), group.inputs);
    }
    std::string name = module_.FreshName(GroupName(name_, group));
    module_.Set(name, function);
    module_.SetPrivate(name, true);
    module_.SetKernel(name, Renamed(*definition, name));
    known_.groups.push_back({std::move(definition), name});
    return ir::MakeInvoke(ir::MakeGlobal(std::move(name)), group.inputs);
  }

  Expr FuseInside(const Expr& value) {
    if (const ir::If* node = value->As<ir::If>()) {
      const LetPtr then_block = FuseBlock(node->then_block());
      const LetPtr else_block = FuseBlock(node->else_block());
      const bool same = then_block == node->then_block() && else_block == node->else_block();
      return same ? value : ir::MakeIf(node->condition(), then_block, else_block);
    }
    const ir::Switch* node = value->As<ir::Switch>();
    if (node == nullptr) return value;
    bool same = true;
    std::vector<ir::SwitchCase> cases(node->cases().begin(), node->cases().end());
    for (ir::SwitchCase& option : cases) {
      const LetPtr block = FuseBlock(option.block);
      same = same && block == option.block;
      option.block = block;
    }
    LetPtr otherwise = node->default_block();
    if (otherwise) otherwise = FuseBlock(otherwise);
    if (same && otherwise == node->default_block()) return value;
    return ir::MakeSwitch(node->data_type(), node->subject(), std::move(cases), otherwise);
  }

  ir::Module& module_;
  std::string name_;
  KnownGroups& known_;
  bool relaxed_;
  UseCounts uses_;
};

}  // namespace

ir::Module FuseOps(const ir::Module& module, const ir::PassContext& context) {
  ir::Module result = module;
  KnownGroups known;
  for (const ir::Module::Item& item : module.items()) {
    if (!item.is_primitive)
      result.Set(
          item.name,
          OperatorFuser(&result, item.name, &known, context.relaxed_math).Run(item.function));
  }
  return result;
}

}  // namespace tern::fuse
