// SPDX-License-Identifier: Apache-2.0
#include "core/ir/mutator.h"

#include "core/ir/fields.h"

namespace tern::ir {
namespace {

// What the mutator makes of each type of field, and whether any of them is another.
class MutateField {
 public:
  explicit MutateField(ValueMutator* mutator) : mutator_(mutator) {}
  bool changed() const { return changed_; }

  Expr operator()(const Expr& atom) { return Note(atom, mutator_->MutateAtom(atom)); }
  std::vector<Expr> operator()(std::span<const Expr> atoms) {
    std::vector<Expr> out;
    out.reserve(atoms.size());
    for (const Expr& atom : atoms) out.push_back((*this)(atom));
    return out;
  }
  Expr operator()(Callee callee) {
    return callee.expr->kind() == NodeKind::kVar ? (*this)(callee.expr) : callee.expr;
  }
  // A switch may have no default.
  LetPtr operator()(const LetPtr& block) {
    return block ? Note(block, mutator_->MutateBlock(block)) : block;
  }
  std::vector<SwitchCase> operator()(std::span<const SwitchCase> cases) {
    std::vector<SwitchCase> out(cases.begin(), cases.end());
    for (SwitchCase& option : out) option.block = (*this)(option.block);
    return out;
  }

  // What stays. Members are passed on uncopied, since most values do not change.
  Expr operator()(Body body) { return body.expr; }
  Expr operator()(BlockResult result) { return result.expr; }
  Expr operator()(FunctionName name) { return name.expr; }
  std::vector<Binding> operator()(std::span<const Binding> bindings) { return All(bindings); }
  std::vector<VarPtr> operator()(std::span<const VarPtr> vars) { return All(vars); }
  std::vector<std::string> operator()(std::span<const std::string> names) { return All(names); }
  template <FieldValue T>
  const T& operator()(const T& member) {
    return member;
  }
  template <FieldValue T>
  T operator()(T&& number) {
    return number;
  }

 private:
  template <class T>
  T Note(const T& old, T now) {
    changed_ = changed_ || !(now == old);
    return now;
  }
  template <class T>
  static std::vector<T> All(std::span<const T> list) {
    return {list.begin(), list.end()};
  }

  ValueMutator* mutator_;
  bool changed_ = false;
};

}  // namespace

ValueMutator::~ValueMutator() = default;

Expr ValueMutator::Descend(const Expr& value) {
  MutateField mutate(this);
  return VisitNode(*value, [&]<class T>(const T& node) -> Expr {
    // Lambdas and blocks have neither operands nor branches, only what stays.
    if constexpr (std::is_same_v<T, Function> || std::is_same_v<T, Let>) return value;
    auto fields = FieldsOf<T>::Map(node, mutate);
    return mutate.changed() ? Expr(FieldsOf<T>::Make(std::move(fields))) : value;
  });
}

}  // namespace tern::ir
