// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/analyze_liveness.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/check.h"
#include "core/base/sort.h"
#include "core/base/strings.h"
#include "core/ir/text/printer.h"
#include "core/ir/visitor.h"

namespace tern::ir {

// Walks backwards, as liveness is usually computed: a variable that is met for the first time is
// read there for the last time. Branches are walked each from the same state, and their states
// joined. There are no loops in a function, so one walk suffices.
class LivenessAnalysis {
 public:
  LivenessAnalysis(const Function& function, Liveness* out) : out_(*out) {
    for (const VarPtr& parameter : function.parameters()) Order(parameter.get());
    const LetPtr body = ToBlock(function.body());
    std::vector<const Var*> dying;
    ReadBlock(*body, false, &dying);
    // Parameters have a register on entry, even those that nobody reads.
    for (const VarPtr& parameter : function.parameters()) {
      if (live_.insert(parameter.get()).second) out_.unused_parameters_.push_back(parameter.get());
    }
    Count(live_.size());
  }

 private:
  using Live = std::unordered_set<const Var*>;

  void Order(const Var* var) { order_.emplace(var, order_.size()); }
  void Count(size_t live) { out_.max_live_ = std::max(out_.max_live_, live); }

  // Reads the operands of a value; those that were not live die here.
  void Read(const Expr& value, std::vector<const Var*>* dying) {
    ForEachAtom(value, [&](const Expr& atom) {
      const Var* var = atom->As<Var>();
      if (var != nullptr && live_.insert(var).second) dying->push_back(var);
    });
  }

  // From live_ behind the block to live_ before it.
  void ReadBlock(const Let& block, bool in_branch, std::vector<const Var*>* dying) {
    for (const Binding& binding : block.bindings()) Order(binding.var.get());
    Read(block.result(), dying);
    // A tuple needs a place beside its fields, and where branches meet there is a place for the
    // result.
    Count(live_.size() + (in_branch || block.result()->As<Tuple>() != nullptr ? 1 : 0));
    const std::span<const Binding> bindings = block.bindings();
    for (size_t i = bindings.size(); i-- > 0;) ReadBinding(bindings[i]);
  }

  void ReadBinding(const Binding& binding) {
    Liveness::Point& point = out_.points_[binding.var.get()];
    point.unused = !live_.contains(binding.var.get());
    // The binding's own register counts while its value is computed.
    live_.insert(binding.var.get());
    const size_t temporary = TakesTemporary(binding.value) ? 1 : 0;
    Count(live_.size() + temporary);
    live_.erase(binding.var.get());
    TERN_CHECK(binding.value->As<Function>() == nullptr, "a lambda that was not lifted");
    const bool is_switch = binding.value->As<Switch>() != nullptr;
    if (is_switch || binding.value->As<If>() != nullptr) ReadBranches(binding.value, &point);
    Read(binding.value, &point.dying);
    // The tag of a switch lies beside everything that any case reads.
    const bool has_tag = is_switch && point.results.size() > 1;
    Count(live_.size() + temporary + (has_tag ? 1 : 0));
  }

  // Whether a constant stands where the machine wants a register.
  static bool TakesTemporary(const Expr& value) {
    const auto is_constant = [](const Expr& atom) { return atom->As<Constant>() != nullptr; };
    if (const If* node = value->As<If>()) return is_constant(node->condition());
    if (const Switch* node = value->As<Switch>()) return is_constant(node->subject());
    if (const GetItem* node = value->As<GetItem>()) return is_constant(node->tuple());
    if (const DeviceCopy* node = value->As<DeviceCopy>()) return is_constant(node->source());
    return false;
  }

  void ReadBranches(const Expr& value, Liveness::Point* point) {
    // Each branch is walked with what is live behind all of them.
    const Live behind = live_;
    Live any;
    std::vector<Live> before;
    const Switch* node = value->As<Switch>();
    size_t index = 0;
    ForEachBlock(value, [&](const Let& block) {
      live_ = behind;
      const auto none = std::span<const VarPtr>();
      const bool is_case = node != nullptr && index < node->cases().size();
      const std::span<const VarPtr> fields =
          is_case ? std::span<const VarPtr>(node->cases()[index].fields) : none;
      for (const VarPtr& field : fields) {
        if (field) Order(field.get());
      }
      point->results.emplace_back();
      ReadBlock(block, true, &point->results.back());
      ReadFields(fields, node);
      any.insert(live_.begin(), live_.end());
      before.push_back(live_);
      ++index;
    });
    // What other branches read and this one does not dies at its entry, so that registers agree
    // afterwards.
    for (const Live& live : before) point->entering.push_back(Missing(any, live));
    live_ = std::move(any);
  }

  // At the beginning of a case, its fields are taken from the subject one after the other.
  void ReadFields(std::span<const VarPtr> fields, const Switch* node) {
    if (node == nullptr) return;
    size_t used = 0;
    for (const VarPtr& field : fields) {
      if (!field || !live_.contains(field.get())) continue;
      out_.read_fields_.insert(field.get());
      ++used;
    }
    const Var* subject = node->subject()->As<Var>();
    const bool held = subject != nullptr && live_.contains(subject);
    // The last field may take the subject's place, if nobody needs the subject any more.
    Count(live_.size() + (held || used > 0 ? 0 : 1));
    for (const VarPtr& field : fields) {
      if (field) live_.erase(field.get());
    }
  }

  std::vector<const Var*> Missing(const Live& all, const Live& some) const {
    std::vector<const Var*> missing;
    for (const Var* var : all) {
      if (!some.contains(var)) missing.push_back(var);
    }
    // Sorted by first appearance: sets of pointers have no stable order, and code must not depend
    // on addresses.
    Sort(&missing, [this](const Var* a, const Var* b) { return order_.at(a) < order_.at(b); });
    return missing;
  }

  Liveness& out_;
  Live live_;
  std::unordered_map<const Var*, size_t> order_;  // so that lists do not depend on addresses
};

Liveness::Liveness(const Function& function) { LivenessAnalysis(function, this); }

std::string LivenessText(const Module& module) {
  std::string text;
  for (const Module::Item& item : module.items()) {
    const Liveness liveness(*item.function);
    PrintNotes notes;
    ForEachBinding(item.function->bindings(), [&](const Binding& binding) {
      const Liveness::Point& point = liveness.at(binding.var);
      std::vector<PrintNote>& said = notes[binding.var.get()];
      if (!point.dying.empty()) said.push_back({"dies:", point.dying});
      for (size_t i = 0; i < point.entering.size(); ++i) {
        if (!point.entering[i].empty())
          said.push_back({StrCat("dies at block ", i, ":"), point.entering[i]});
      }
      if (point.unused) said.push_back({"unused", {}});
    });
    Module one;
    one.Set(item.name, item.function);
    StrAppend(&text, ToText(one, {.notes = &notes}), "// at most ", liveness.max_live(), " live\n");
  }
  return text;
}

}  // namespace tern::ir
