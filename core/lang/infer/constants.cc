// SPDX-License-Identifier: Apache-2.0
// A depth-first search over what mentions what. Each constant is searched for by itself, so that
// the message can name the way; files have few constants.
#include "core/lang/infer/constants.h"

#include <unordered_set>

#include "core/base/strings.h"

namespace tern::lang {
namespace {

class Search {
 public:
  explicit Search(const Function* goal) : goal_(goal) {}

  // Whether the function or constant mentions the goal; the way is then in way().
  bool Reaches(const Function& from) {
    if (from.body == nullptr || !seen_.insert(&from).second || !Find(*from.body)) return false;
    way_ = way_.empty() ? from.name.text : StrCat(from.name.text, " → ", way_);
    return true;
  }
  const std::string& way() const { return way_; }

 private:
  bool Find(const Expr& expr) {
    if (expr.kind == ExprKind::kName && expr.target.kind == TargetKind::kFunction) {
      if (expr.target.function == goal_ || Reaches(*expr.target.function)) return true;
    }
    for (const ExprPtr& child : expr.children) {
      if (child != nullptr && Find(*child)) return true;
    }
    for (const Attribute& attribute : expr.attributes) {
      if (Find(*attribute.value)) return true;
    }
    for (const Param& param : expr.params) {
      if (param.first != nullptr && Find(*param.first)) return true;
    }
    for (const Arm& arm : expr.arms) {
      if ((arm.guard != nullptr && Find(*arm.guard)) || Find(*arm.body)) return true;
    }
    for (const Statement& statement : expr.statements) {
      if (statement.value != nullptr && Find(*statement.value)) return true;
      // A local function counts where it stands: whether it is called is not looked at.
      if (statement.function != nullptr && Find(*statement.function->body)) return true;
    }
    return false;
  }

  const Function* goal_;
  std::unordered_set<const Function*> seen_;
  std::string way_;
};

}  // namespace

void CheckConstants(const File& file, text::Diagnostics* diagnostics) {
  for (const Item& item : file.items) {
    const Function* constant = item.function.get();
    if (constant == nullptr || !constant->is_constant || constant->has_errors) continue;
    Search search(constant);
    if (!search.Reaches(*constant)) continue;
    diagnostics->Error("E1021", StrCat("the value of '", constant->name.text, "' needs itself"))
        .At(constant->name.span, "this constant")
        .Note(StrCat("each needs the next: ", search.way(), " → ", constant->name.text));
  }
}

}  // namespace tern::lang
