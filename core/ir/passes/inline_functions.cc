// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/inline_functions.h"

#include <unordered_map>
#include <unordered_set>

#include "core/ir/copier.h"
#include "core/ir/rewriter.h"
#include "core/ir/visitor.h"

namespace tern::ir {

namespace {

// In bindings, those of inner blocks included. A call costs about as much as two instructions.
constexpr size_t kSmall = 4;
// Functions that have grown so far take only what is called once, which cannot grow the module.
constexpr size_t kLarge = 4000;

struct Facts {
  size_t size = 0;
  size_t calls = 0;   // of it, in the module
  size_t values = 0;  // closures made of it
  bool recursive = false;
  std::vector<std::string> callees;
};
using AllFacts = std::unordered_map<std::string, Facts>;

// Whether calls lead from a function back to it. Such functions are never inlined: it would not
// end.
bool IsRecursive(const AllFacts& facts, const std::string& name) {
  std::unordered_set<std::string> seen;
  std::vector<std::string> pending = facts.at(name).callees;
  while (!pending.empty()) {
    const std::string next = std::move(pending.back());
    pending.pop_back();
    if (next == name) return true;
    const auto found = facts.find(next);
    if (found == facts.end() || !seen.insert(next).second) continue;
    pending.insert(pending.end(), found->second.callees.begin(), found->second.callees.end());
  }
  return false;
}

AllFacts Collect(const Module& module) {
  AllFacts facts;
  for (const Module::Item& item : module.items()) {
    Facts& own = facts[item.name];
    std::vector<std::string> called, made;
    ForEachBinding(item.function->bindings(), [&](const Binding& binding) {
      ++own.size;
      const Invoke* invoke = binding.value->As<Invoke>();
      const Global* global = invoke == nullptr ? nullptr : invoke->callee()->As<Global>();
      if (global != nullptr) called.push_back(global->name());
      if (const MakeClosure* closure = binding.value->As<MakeClosure>())
        made.push_back(closure->function()->As<Global>()->name());
    });
    own.callees = called;
    for (const std::string& name : called) ++facts[name].calls;
    for (const std::string& name : made) ++facts[name].values;
  }
  for (const Module::Item& item : module.items())
    facts[item.name].recursive = IsRecursive(facts, item.name);
  return facts;
}

class Inliner : public Rewriter {
 public:
  Inliner(text::Diagnostics* diagnostics, const Module& module, const AllFacts& facts, size_t size)
      : Rewriter(diagnostics), module_(module), facts_(facts), size_(size) {}

 protected:
  Expr RewriteInvoke(const Invoke& invoke, const Expr& callee,
                     const std::vector<Expr>& args) override {
    const Global* global = callee->As<Global>();
    // Tail calls are marked later; one that is there was asked for.
    if (global == nullptr || invoke.is_tail() || !ShouldInline(global->name())) return nullptr;
    const FunctionPtr function = module_.Find(global->name());
    ForEachBinding(function->bindings(), [this](const Binding&) { ++size_; });
    const std::string origin = builder().origin();
    Expr result = Copier(&builder()).Copy(*function, args);
    // The copy's bindings have origins of their own; what follows has the caller's.
    builder().SetOrigin(origin);
    return result;
  }

 private:
  bool ShouldInline(const std::string& name) const {
    const Facts& facts = facts_.at(name);
    if (facts.recursive) return false;
    for (const Module::Item& item : module_.items()) {
      if (item.name == name && item.is_primitive) return false;
      // A private function with one call disappears, so that its size does not matter.
      if (item.name == name && item.is_private && facts.calls == 1 && facts.values == 0)
        return true;
    }
    return facts.size <= kSmall && size_ <= kLarge;
  }

  const Module& module_;
  const AllFacts& facts_;
  size_t size_;
};

}  // namespace

Module InlineFunctions(const Module& module, const PassContext& context) {
  if (module.items().size() < 2) return module;
  const AllFacts facts = Collect(module);
  Module result = module;
  // Callees first (a depth-first walk with an explicit stack), so that what is copied is finished.
  std::unordered_set<std::string> done;
  std::vector<std::pair<std::string, bool>> pending;
  for (const Module::Item& item : module.items()) pending.emplace_back(item.name, false);
  while (!pending.empty()) {
    const auto [name, ready] = pending.back();
    pending.pop_back();
    if (ready) {
      Inliner inliner(context.diagnostics, result, facts, facts.at(name).size);
      result.Set(name, inliner.Run(result.Find(name)));
    } else if (done.insert(name).second) {
      pending.emplace_back(name, true);
      for (const std::string& callee : facts.at(name).callees) pending.emplace_back(callee, false);
    }
  }
  return result;
}

}  // namespace tern::ir
