// SPDX-License-Identifier: Apache-2.0
// Registers of one function: which variable is where, which are free. Taken when a variable is
// bound, given back after its last use; the one that was freed last is taken first.
#ifndef TERN_CORE_IR_CODEGEN_REGISTERS_H_
#define TERN_CORE_IR_CODEGEN_REGISTERS_H_

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/expr.h"

namespace tern::ir {

inline constexpr int64_t kNoRegister = -1;

class Registers {
 public:
  // hint: taken if it is free; may be kNoRegister.
  int64_t Take(int64_t hint = kNoRegister);
  void Release(int64_t reg) { free_.push_back(reg); }
  bool IsFree(int64_t reg) const;

  void Bind(const Node* var, int64_t reg) { places_[var] = history_[var] = reg; }
  // Where a variable is, or kNoRegister.
  int64_t Find(const Node* var) const;
  // The variable is no more; its register is the caller's.
  int64_t Drop(const Node* var);

  // Where each variable was bound first to last, whatever became of it.
  std::unordered_map<const Node*, int64_t> TakeHistory() { return std::move(history_); }
  int64_t count() const { return next_; }

  // Branches begin with what was before them.
  struct State {
    std::unordered_map<const Node*, int64_t> places;
    std::vector<int64_t> free;
    int64_t next = 0;
  };
  State Save() const { return {places_, free_, next_}; }
  // What the branch before took anew is free.
  void Restore(const State& state);
  // Behind branches: places of one that ended there; free is what nothing is in but `kept`.
  void Join(std::unordered_map<const Node*, int64_t> places, int64_t kept);

 private:
  std::unordered_map<const Node*, int64_t> places_, history_;
  std::vector<int64_t> free_;
  int64_t next_ = 0;
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_CODEGEN_REGISTERS_H_
