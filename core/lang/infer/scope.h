// SPDX-License-Identifier: Apache-2.0
// The local names that can be seen from a place of a function. A stack: whoever opens a block notes
// the size and cuts back to it. Names are found by a table, because a block of 10^4 lines has as
// many names, and looks up several for each line, most of which are no locals.
#ifndef TERN_CORE_LANG_INFER_SCOPE_H_
#define TERN_CORE_LANG_INFER_SCOPE_H_

#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/hash.h"
#include "core/lang/parse/ast.h"

namespace tern::lang {

class Scope {
 public:
  struct Entry {
    Local* local;
    size_t hidden;  // the entry that this one hides, counted from 1; 0: none
  };

  // The innermost local of the name, or null.
  Local* Find(std::string_view name) const {
    const auto found = innermost_.find(name);
    return found == innermost_.end() ? nullptr : entries_[found->second - 1].local;
  }
  void Push(Local* local) {
    size_t& at = innermost_[local->name.text];
    entries_.push_back({local, at});
    at = entries_.size();
  }
  void CutBack(size_t size) {
    for (; entries_.size() > size; entries_.pop_back()) {
      const Entry& entry = entries_.back();
      const auto at = innermost_.find(entry.local->name.text);
      if (entry.hidden == 0)
        innermost_.erase(at);
      else
        at->second = entry.hidden;
    }
  }
  size_t size() const { return entries_.size(); }
  const std::vector<Entry>& entries() const { return entries_; }  // innermost last

 private:
  std::vector<Entry> entries_;
  // Entries by name, counted from 1. The names are those of the locals, which outlive the scope.
  std::unordered_map<std::string_view, size_t, TextHash> innermost_;
};

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_INFER_SCOPE_H_
