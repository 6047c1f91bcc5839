// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/fuse_ops.h"

#include <unordered_set>

#include "core/base/strings.h"
#include "core/ir/visitor.h"

namespace tern::ir {

namespace {

using UseCounts = std::unordered_map<const Node*, int>;

bool IsElementwise(const Expr& value) {
  const Call* call = value->As<Call>();
  return call != nullptr && (call->op().family == ops::Family::unary ||
                             call->op().family == ops::Family::binary);
}

bool IsReduction(const Expr& value) {
  const Call* call = value->As<Call>();
  return call != nullptr && call->op().family == ops::Family::reduce &&
         call->op().outputs == 1 && call->args().size() == 1;
}

// Who reads the variables of a block first, and how often.
struct Reader {
  size_t binding = 0;
  int reads = 0;
};
using Readers = std::unordered_map<const Node*, Reader>;

Readers FindReaders(std::span<const Binding> bindings) {
  Readers readers;
  for (size_t i = 0; i < bindings.size(); ++i) {
    ForEachAtom(bindings[i].value, [&](const Expr& atom) {
      Reader& reader = readers.emplace(atom.get(), Reader{i, 0}).first->second;
      reader.reads += reader.binding == i ? 1 : 0;
    });
  }
  return readers;
}

void CollectInputs(FusedGroup* group) {
  std::unordered_set<const Node*> known;
  for (const Binding* member : group->members) {
    ForEachAtom(member->value, [&](const Expr& atom) {
      const Var* var = atom->As<Var>();
      if (var != nullptr && known.insert(var).second) group->inputs.emplace_back(var);
    });
    known.insert(member->var.get());
  }
}

}  // namespace

std::vector<FusedGroup> FindFusedGroups(const Let& block, const UseCounts& uses) {
  const std::span<const Binding> bindings = block.bindings();
  const Readers readers = FindReaders(bindings);
  std::vector<size_t> root(bindings.size());  // the last member of its group
  for (size_t i = bindings.size(); i-- > 0;) {
    root[i] = i;
    const Node* var = bindings[i].var.get();
    const auto reader = readers.find(var);
    if (!IsElementwise(bindings[i].value) || reader == readers.end()) continue;
    // Everything that reads it is one binding of this block.
    if (uses.at(var) != reader->second.reads) continue;
    const size_t next = reader->second.binding;
    const types::Type& type = bindings[i].var->type();
    const bool same = IsElementwise(bindings[next].value) && bindings[next].var->type() == type;
    if (same || IsReduction(bindings[next].value)) root[i] = root[next];
  }
  std::vector<FusedGroup> all(bindings.size()), groups;
  for (size_t i = 0; i < bindings.size(); ++i) all[root[i]].members.push_back(&bindings[i]);
  for (FusedGroup& group : all) {
    if (group.members.size() < 2) continue;
    group.reduces = IsReduction(group.members.back()->value);
    CollectInputs(&group);
    groups.push_back(std::move(group));
  }
  return groups;
}

namespace {

class Fuser {
 public:
  Fuser(Module* module, std::string_view name) : module_(*module), name_(name) {}

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
    std::unordered_map<const Node*, const FusedGroup*> ends;
    std::unordered_set<const Node*> inside;
    const std::vector<FusedGroup> groups = FindFusedGroups(*block, uses_);
    for (const FusedGroup& group : groups) {
      for (const Binding* member : group.members) inside.insert(member->var.get());
      ends[group.members.back()->var.get()] = &group;
    }
    bool changed = !groups.empty();
    std::vector<Binding> bindings;
    for (const Binding& binding : block->bindings()) {
      const auto end = ends.find(binding.var.get());
      if (end != ends.end()) {
        bindings.push_back({binding.var, CallOf(*end->second), false});
      } else if (!inside.contains(binding.var.get())) {
        bindings.push_back({binding.var, FuseInside(binding.value), binding.recursive});
        changed = changed || !(bindings.back().value == binding.value);
      }
    }
    return changed ? ToBlock(MakeLet(std::move(bindings), block->result())) : block;
  }

  // Variables keep their nodes: each is bound once per function.
  Expr CallOf(const FusedGroup& group) {
    std::vector<Binding> body;
    std::string name = StrCat(name_, ".fused");
    for (const Binding* member : group.members) {
      body.push_back(*member);
      StrAppend(&name, "_", member->value->As<Call>()->op().name);
    }
    name = module_.FreshName(name);
    const VarPtr result = body.back().var;
    module_.Set(name, MakeFunction(group.inputs, MakeLet(std::move(body), result), {}));
    module_.SetPrivate(name, true);
    module_.SetPrimitive(name, true);
    return MakeInvoke(MakeGlobal(name), {group.inputs.begin(), group.inputs.end()});
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
  UseCounts uses_;
};

}  // namespace

Module FuseOps(const Module& module, const PassContext&) {
  Module result = module;
  for (const Module::Item& item : module.items()) {
    if (!item.is_primitive) result.Set(item.name, Fuser(&result, item.name).Run(item.function));
  }
  return result;
}

}  // namespace tern::ir
