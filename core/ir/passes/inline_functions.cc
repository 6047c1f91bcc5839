// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/inline_functions.h"

#include <algorithm>
#include <vector>

#include "core/ir/copier.h"
#include "core/ir/rewriter.h"
#include "core/ir/visitor.h"
#include "core/object/memory_account.h"

namespace tern::ir {

namespace {

// In bindings, those of inner blocks included. A call costs about as much as two instructions.
constexpr size_t kSmall = 4;
// Functions that have grown so far take only what is called once, which cannot grow the module.
constexpr size_t kLarge = 4000;

struct Facts {
  size_t size = 0;    // with what was inlined into it, once the walk is past it
  size_t calls = 0;   // of it, in the module
  size_t values = 0;  // closures made of it
  bool recursive = false;
  std::vector<size_t> callees;
};
using AllFacts = std::vector<Facts>;  // by the places of functions in the module

size_t PlaceOf(const Module& module, const Expr& global) {
  return static_cast<size_t>(module.FindItem(global->As<Global>()->name()) - module.items().data());
}

size_t SizeOf(const Function& function) {
  size_t size = 0;
  ForEachBinding(function.bindings(), [&size](const Binding&) { ++size; });
  return size;
}

AllFacts Collect(const Module& module) {
  AllFacts facts(module.items().size());
  for (size_t i = 0; i < facts.size(); ++i) {
    const Function& function = *module.items()[i].function;
    facts[i].size = SizeOf(function);
    ForEachBinding(function.bindings(), [&](const Binding& binding) {
      const Invoke* invoke = binding.value->As<Invoke>();
      if (invoke != nullptr && invoke->callee()->As<Global>() != nullptr) {
        facts[i].callees.push_back(PlaceOf(module, invoke->callee()));
        ++facts[facts[i].callees.back()].calls;
      }
      if (const MakeClosure* closure = binding.value->As<MakeClosure>())
        ++facts[PlaceOf(module, closure->function())].values;
    });
  }
  return facts;
}

// Functions in an order where callees stand ahead of their callers, and which of them calls lead
// back to: those are never inlined, for it would not end. One walk over the calls (Tarjan's
// strongly connected components), with a stack of its own, because chains of calls may be long.
class CallOrder {
 public:
  explicit CallOrder(AllFacts* facts)
      : facts_(*facts), number_(facts->size()), lowest_(facts->size()), is_open_(facts->size()) {
    for (size_t i = 0; i < facts_.size(); ++i) {
      if (number_[i] == 0) Walk(i);
    }
  }
  std::span<const size_t> order() const { return order_; }

 private:
  struct Step {
    size_t function;
    size_t next = 0;  // of its callees
  };

  void Walk(size_t root) {
    std::vector<Step> steps;
    Enter(root, &steps);
    while (!steps.empty()) {
      Step& step = steps.back();
      const size_t at = step.function;
      if (step.next < facts_[at].callees.size()) {
        const size_t callee = facts_[at].callees[step.next++];
        if (number_[callee] == 0)
          Enter(callee, &steps);
        else if (is_open_[callee])
          lowest_[at] = std::min(lowest_[at], number_[callee]);
        facts_[at].recursive = facts_[at].recursive || callee == at;
        continue;
      }
      steps.pop_back();
      if (!steps.empty()) {
        size_t& caller = lowest_[steps.back().function];
        caller = std::min(caller, lowest_[at]);
      }
      Leave(at);
    }
  }

  void Enter(size_t function, std::vector<Step>* steps) {
    lowest_[function] = number_[function] = ++count_;
    is_open_[function] = true;
    open_.push_back(function);
    steps->push_back({function});
  }

  // Closes the component that `function` was the first of, if it was.
  void Leave(size_t function) {
    order_.push_back(function);
    if (lowest_[function] != number_[function]) return;
    const bool alone = open_.back() == function;
    for (bool last = false; !last; open_.pop_back()) {
      last = open_.back() == function;
      is_open_[open_.back()] = false;
      if (!alone) facts_[open_.back()].recursive = true;
    }
  }

  AllFacts& facts_;
  std::vector<size_t> number_;  // in the order of entering, from 1
  std::vector<size_t> lowest_;  // number that calls lead back to
  std::vector<bool> is_open_;
  std::vector<size_t> open_, order_;
  size_t count_ = 0;
};

class Inliner : public Rewriter {
 public:
  Inliner(text::Diagnostics* diagnostics, const Module& module, const AllFacts& facts, size_t size)
      : Rewriter(diagnostics), module_(module), facts_(facts), size_(size) {}

 protected:
  Expr RewriteInvoke(const Invoke& invoke, const Expr& callee,
                     const std::vector<Expr>& args) override {
    const Global* global = callee->As<Global>();
    // Tail calls are marked later; one that is there was asked for.
    if (global == nullptr || invoke.is_tail() || !ShouldInline(PlaceOf(module_, callee)))
      return nullptr;
    const size_t place = PlaceOf(module_, callee);
    size_ += facts_[place].size;
    const std::string origin = builder().origin();
    Expr result = Copier(&builder()).Copy(*module_.items()[place].function, args);
    // The copy's bindings have origins of their own; what follows has the caller's.
    builder().SetOrigin(origin);
    return result;
  }

 private:
  bool ShouldInline(size_t place) const {
    const Module::Item& item = module_.items()[place];
    const Facts& facts = facts_[place];
    // Without memory the pipeline ends behind this pass.
    if (facts.recursive || item.is_primitive || IsMemoryOver()) return false;
    // A private function with one call disappears, so that its size does not matter.
    if (item.is_private && facts.calls == 1 && facts.values == 0) return true;
    return facts.size <= kSmall && size_ <= kLarge;
  }

  const Module& module_;
  const AllFacts& facts_;
  size_t size_;
};

}  // namespace

Module InlineFunctions(const Module& module, const PassContext& context) {
  if (module.items().size() < 2) return module;
  AllFacts facts = Collect(module);
  Module result = module;
  // Callees first, so that what is copied is finished.
  const CallOrder walk(&facts);
  for (const size_t place : walk.order()) {
    const Module::Item& item = module.items()[place];
    Inliner inliner(context.diagnostics, result, facts, facts[place].size);
    const FunctionPtr finished = inliner.Run(item.function);
    // Callers ask for the size of what they would copy: without it a chain of small functions, each
    // of which calls the last twice, doubles at every step.
    facts[place].size = SizeOf(*finished);
    result.Set(item.name, finished);
  }
  return result;
}

}  // namespace tern::ir
