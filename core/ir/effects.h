// SPDX-License-Identifier: Apache-2.0
// Which values do more than give a value, so that passes may not remove, merge or move them: ends
// of the run (Fatal), primitives with an effect, and calls of what may come to one of these. That a
// call may not return, or may refuse its arguments, is no effect; nor is that a loop program lacks
// operators (Module::Item).
#ifndef TERN_CORE_IR_EFFECTS_H_
#define TERN_CORE_IR_EFFECTS_H_

#include <string>
#include <unordered_set>

#include "core/ir/module.h"

namespace tern::ir {

class Effects {
 public:
  explicit Effects(const Module& module);

  // Of a bound value, its blocks included. A lambda alone has none: calling it may.
  bool Has(const Expr& value) const;
  bool HasFunction(std::string_view name) const {
    return functions_.contains(std::string(name));
  }

 private:
  bool HasBlock(const Let& block) const;

  std::unordered_set<std::string> functions_;
  bool closures_ = false;  // some lambda or function may have one, so a closure that is called may
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_EFFECTS_H_
