// SPDX-License-Identifier: Apache-2.0
// Patterns: decision trees (decision.h) become switches and ifs. A Match carries what is known on
// the path to the current node: the IR value of each place that was read, and its type.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/base/check.h"
#include "core/base/strings.h"
#include "core/lang/infer/unify.h"
#include "core/lang/lower/lower_state.h"

namespace tern::lang {

using ir::ScalarOp;
using types::Type;

namespace {

// Cases of literals, lengths and guards become branches in each other, and what walks over branches
// does so in recursion, on stacks of 1 MB in a page.
constexpr int kMaxDecisions = 500;

// The names of a pattern in order. Alternatives bind the same ones, so the first tells.
void CollectLocals(const Pattern& pattern, std::vector<Local*>* locals) {
  if (pattern.local != nullptr) locals->push_back(pattern.local);
  if (pattern.kind == PatternKind::kOr) return CollectLocals(*pattern.args[0], locals);
  for (const PatternPtr& arg : pattern.args) CollectLocals(*arg, locals);
}

// Places whose values a decision needs, and those that they are parts of. A switch binds only these
// fields, so that nothing is read in vain.
void CollectPlaces(const Decision& decision, const DecisionTree& tree,
                   std::unordered_set<int>* used) {
  const auto add = [&](int place) {
    for (; place >= 0 && used->insert(place).second;)
      place = tree.places[static_cast<size_t>(place)].parent;
  };
  if (decision.kind == Decision::Kind::kData || decision.kind == Decision::Kind::kLiterals)
    add(decision.place);
  for (const auto& [local, place] : decision.bindings) add(place);
  for (const Decision::Case& one : decision.cases) CollectPlaces(*one.then, tree, used);
  if (decision.otherwise != nullptr) CollectPlaces(*decision.otherwise, tree, used);
}

}  // namespace

class FunctionLowering::Deeper {
 public:
  explicit Deeper(int* depth) : depth_(depth) { ++*depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  ~Deeper() { --*depth_; }

 private:
  int* depth_;
};

bool FunctionLowering::IsTooDeep(const Match& match) {
  if (decisions_ <= kMaxDecisions) return false;
  if (!std::exchange(is_too_deep_, true)) {
    module_->diagnostics
        ->Error("E1017", StrCat("more than ", kMaxDecisions, " cases that are tried one by one"))
        .At(match.span, "these, with those around them")
        .Help("a map from literals to values takes any number of them");
  }
  return true;
}

// Binds the names of a pattern that matches whatever comes (CheckIrrefutable). No test is made.
void FunctionLowering::BindPattern(const Pattern& pattern, ir::Expr value) {
  if (pattern.kind == PatternKind::kBind) {
    values_[pattern.local] = std::move(value);
    // The tensor may tell an extent (LowerDimension).
    if (pattern.local->type.is_tensor()) tensors_.push_back(pattern.local);
    return;
  }
  if (pattern.kind == PatternKind::kTuple) {
    for (size_t i = 0; i < pattern.args.size(); ++i) {
      if (pattern.args[i]->kind != PatternKind::kWildcard)
        BindPattern(*pattern.args[i], builder_.Field(value, static_cast<int>(i)));
    }
    return;
  }
  // Of list patterns only [..rest] matches every list, and its rest is the list.
  if (pattern.kind == PatternKind::kList)
    return BindPattern(*pattern.args.back(), std::move(value));
  if (pattern.kind == PatternKind::kOr) return BindAlternatives(pattern, std::move(value));
  if (pattern.kind == PatternKind::kConstructor && !pattern.args.empty())
    BindFields(pattern, value);
}

void FunctionLowering::BindFields(const Pattern& pattern, const ir::Expr& value) {
  // The only constructor of its type: a switch of one case, whose value is its fields.
  const ir::DataTypePtr data = module_->DataOf(*pattern.data);
  const std::vector<Type> types = data->FieldsOf(pattern.tag, pattern.type.arguments());
  ir::SwitchCase one{.constructor = pattern.tag, .fields = {}, .block = nullptr};
  for (const Type& type : types) one.fields.push_back(NewVar("field", type));
  builder_.BeginBlock();
  const ir::Expr fields =
      Bind(ir::MakeTuple({one.fields.begin(), one.fields.end()}), Type::Tuple(types));
  one.block = builder_.EndBlock(fields);
  const ir::Expr tuple = Bind(ir::MakeSwitch(data, value, {std::move(one)}), Type::Tuple(types));
  for (size_t i = 0; i < pattern.args.size(); ++i)
    BindPattern(*pattern.args[i], builder_.Field(tuple, static_cast<int>(i)));
}

// A let of alternatives is a small match: a tree decides which it is, and the names come back as a
// tuple.
void FunctionLowering::BindAlternatives(const Pattern& pattern, ir::Expr value) {
  const DecisionTree tree = BuildDecision({{&pattern}});
  Match match{.expr = nullptr,
              .span = pattern.span,
              .names = {},
              .tree = &tree,
              .places = {},
              .types = {},
              .shared = {},
              .next = nullptr,
              .result = {}};
  CollectLocals(pattern, &match.names);
  std::vector<Type> types;
  for (const Local* local : match.names) types.push_back(local->type);
  match.result = Type::Tuple(std::move(types));
  match.places[0] = std::move(value);
  match.types[0] = pattern.type;
  const ir::Expr tuple = LowerDecision(*tree.root, &match);
  for (size_t i = 0; i < match.names.size(); ++i) {
    values_[match.names[i]] = builder_.Field(tuple, static_cast<int>(i));
    if (match.names[i]->type.is_tensor()) tensors_.push_back(match.names[i]);
  }
}

// The subject is evaluated once; the leaves read its parts.
ir::Expr FunctionLowering::LowerMatch(const Expr& expr, const Next* next) {
  std::vector<DecisionRow> rows;
  for (const Arm& arm : expr.arms) rows.push_back({arm.pattern.get(), arm.guard != nullptr});
  const DecisionTree tree = BuildDecision(rows);
  Match match{.expr = &expr,
              .span = expr.span,
              .names = {},
              .tree = &tree,
              .places = {},
              .types = {},
              .shared = {},
              .next = next,
              .result = next != nullptr ? next->result : expr.type};
  match.places[0] = Lower(*expr.children[0]);
  match.types[0] = expr.children[0]->type;
  const size_t scope = tensors_.size();
  match.shared.resize(expr.arms.size());
  ShareArms(&match);
  const ir::Expr result = LowerDecision(*tree.root, &match);
  tensors_.resize(scope);
  return result;
}

// An arm that several leaves end in becomes a local function of its names, so that the code grows
// with the program and not with the tree. An arm with a guard is not shared: where the guard fails,
// each leaf goes on elsewhere.
void FunctionLowering::ShareArms(Match* match) {
  for (size_t i = 0; i < match->expr->arms.size(); ++i) {
    const Arm& arm = match->expr->arms[i];
    if (match->tree->uses[i] < 2 || arm.guard != nullptr) continue;
    std::vector<Local*> locals;
    CollectLocals(*arm.pattern, &locals);
    At(arm.span);
    std::vector<ir::VarPtr> parameters;
    std::vector<Type> types;
    // The names are parameters of this function, so no other arm may read an extent off them.
    const size_t scope = tensors_.size();
    for (Local* local : locals) {
      parameters.push_back(NewVar(local->name.text, local->type));
      values_[local] = parameters.back();
      types.push_back(local->type);
      if (local->type.is_tensor()) tensors_.push_back(local);
    }
    builder_.BeginLambda(std::move(parameters));
    const ir::FunctionPtr function = builder_.EndLambda(Lower(*arm.body, match->next));
    tensors_.resize(scope);
    match->shared[i] = Bind(function, Type::Function(std::move(types), match->result));
  }
}

ir::Expr FunctionLowering::LowerDecision(const Decision& decision, Match* match) {
  const Deeper deeper(&decisions_);
  if (IsTooDeep(*match)) return Bind(ir::MakeFatal("too deep"), match->result);
  switch (decision.kind) {
    case Decision::Kind::kMatch: return LowerLeaf(decision, match);
    case Decision::Kind::kData: return LowerSwitch(decision, match);
    case Decision::Kind::kLiterals: return LowerLiterals(decision, match, 0);
    case Decision::Kind::kLengths: return LowerLengths(decision, match);
    case Decision::Kind::kFail: break;
  }
  // CheckMatches refuses matches that may come here, but the code needs an end.
  At(match->span);
  return Bind(ir::MakeFatal(StrCat("no case matches ", decision.example)), match->result);
}

// Tail position of a loop's body passes through a match.
ir::Expr FunctionLowering::LowerArm(const Decision& decision, Match* match) {
  const Arm& arm = match->expr->arms[decision.arm];
  return Lower(*arm.body, match->next);
}

// The values of these names at this leaf; alternatives may bind one name at different places.
std::vector<ir::Expr> FunctionLowering::BoundValues(const Decision& decision,
                                                    const std::vector<Local*>& locals,
                                                    Match* match) {
  std::vector<ir::Expr> values;
  for (Local* local : locals) {
    const auto bound = std::find_if(decision.bindings.begin(), decision.bindings.end(),
                                    [&](const auto& entry) { return entry.first == local; });
    values.push_back(PlaceValue(bound->second, match));
  }
  return values;
}

ir::Expr FunctionLowering::LowerLeaf(const Decision& decision, Match* match) {
  // The tree of a let (BindAlternatives): a leaf gives its names.
  if (match->expr == nullptr) {
    At(match->span);
    return Bind(ir::MakeTuple(BoundValues(decision, match->names, match)), match->result);
  }
  const Arm& arm = match->expr->arms[decision.arm];
  At(arm.span);
  if (match->shared[decision.arm] != nullptr) {
    std::vector<Local*> locals;
    CollectLocals(*arm.pattern, &locals);
    std::vector<ir::Expr> args = BoundValues(decision, locals, match);
    return Bind(ir::MakeInvoke(match->shared[decision.arm], std::move(args)), match->result);
  }
  // A tensor that this leaf binds is in scope in its arm only.
  const size_t scope = tensors_.size();
  for (const auto& [local, place] : decision.bindings) {
    values_[local] = PlaceValue(place, match);
    if (local->type.is_tensor()) tensors_.push_back(local);
  }
  if (arm.guard == nullptr) {
    const ir::Expr value = LowerArm(decision, match);
    tensors_.resize(scope);
    return value;
  }
  const ir::Expr condition = Lower(*arm.guard);
  // The guard sees the names; where it fails, the tree goes on with the other rows.
  builder_.BeginBlock();
  const ir::LetPtr holds = builder_.EndBlock(LowerArm(decision, match));
  tensors_.resize(scope);
  builder_.BeginBlock();
  const ir::LetPtr other = builder_.EndBlock(LowerDecision(*decision.otherwise, match));
  At(arm.span);
  return Bind(ir::MakeIf(condition, holds, other), match->result);
}

// --- places

// Types of fields of constructors are put into match->types by LowerSwitch; others follow from the
// parent.
Type FunctionLowering::PlaceType(int place, Match* match) {
  const auto found = match->types.find(place);
  if (found != match->types.end()) return found->second;
  const Place& part = match->tree->places[static_cast<size_t>(place)];
  const Type parent = PlaceType(part.parent, match);
  if (part.kind == PlaceKind::kRest) return parent;
  if (part.kind == PlaceKind::kItem) return parent.arguments()[0];
  return parent.elements()[static_cast<size_t>(part.index)];
}

// The value of a part. The fields of constructors and the items of lists are bound where their case
// is; the fields of tuples and the rests of lists are read here, where they are needed.
ir::Expr FunctionLowering::PlaceValue(int place, Match* match) {
  const auto found = match->places.find(place);
  if (found != match->places.end()) return found->second;
  const Place& part = match->tree->places[static_cast<size_t>(place)];
  const ir::Expr parent = PlaceValue(part.parent, match);
  if (part.kind == PlaceKind::kField) return builder_.Field(parent, part.index);
  const ir::Expr begin = ir::MakeConstant(Any(int64_t{part.index}));
  if (part.kind == PlaceKind::kItem)
    return Invoke("tern.list.get", {parent, begin}, PlaceType(place, match));
  // A rest that begins at 0 is the list itself.
  if (part.index == 0) return parent;
  const ir::Expr end = Invoke("tern.list.length", {parent}, Type::Int());
  return Invoke("tern.list.slice", {parent, begin, end}, PlaceType(place, match));
}

// --- tests

ir::Expr FunctionLowering::LowerSwitch(const Decision& decision, Match* match) {
  const ir::DataTypePtr data = module_->DataOf(*decision.data);
  const ir::Expr subject = PlaceValue(decision.place, match);
  const Type type = PlaceType(decision.place, match);
  std::vector<ir::SwitchCase> cases;
  for (const Decision::Case& one : decision.cases) {
    std::unordered_set<int> used;
    CollectPlaces(*one.then, *match->tree, &used);
    ir::SwitchCase made{.constructor = one.tag, .fields = {}, .block = nullptr};
    const std::vector<Type> types = data->FieldsOf(one.tag, type.arguments());
    for (size_t i = 0; i < one.fields.size(); ++i) {
      const int place = one.fields[i];
      // A field that nothing below reads gets no name.
      made.fields.push_back(used.contains(place) ? NewVar("field", types[i]) : nullptr);
      match->types[place] = types[i];
      if (made.fields.back() != nullptr) match->places[place] = made.fields.back();
    }
    builder_.BeginBlock();
    made.block = builder_.EndBlock(LowerDecision(*one.then, match));
    cases.push_back(std::move(made));
  }
  ir::LetPtr otherwise;
  if (decision.otherwise != nullptr) {
    builder_.BeginBlock();
    otherwise = builder_.EndBlock(LowerDecision(*decision.otherwise, match));
  }
  At(match->span);
  return Bind(ir::MakeSwitch(data, subject, std::move(cases), otherwise), match->result);
}

// One comparison after the other: literals are few, and the order is that of the program. With
// bools the last case needs no test, because its value is the only one left.
ir::Expr FunctionLowering::LowerLiterals(const Decision& decision, Match* match, size_t first) {
  const Deeper deeper(&decisions_);
  if (IsTooDeep(*match)) return Bind(ir::MakeFatal("too deep"), match->result);
  const Decision::Case& one = decision.cases[first];
  const bool last = first + 1 == decision.cases.size();
  if (last && decision.otherwise == nullptr) return LowerDecision(*one.then, match);
  const ir::Expr subject = PlaceValue(decision.place, match);
  At(one.literal->span);
  const Expr& literal = *one.literal->literal;
  ir::Expr value = LowerLiteral(literal);
  const ir::Expr equal = literal.kind == ExprKind::kString
                             ? Invoke("tern.value.equal", {subject, value}, Type::Bool())
                             : Bind(ir::MakeScalar(ScalarOp::kEq, {subject, value}), Type::Bool());
  builder_.BeginBlock();
  const ir::LetPtr then_block = builder_.EndBlock(LowerDecision(*one.then, match));
  builder_.BeginBlock();
  const ir::LetPtr else_block = builder_.EndBlock(last ? LowerDecision(*decision.otherwise, match)
                                                       : LowerLiterals(decision, match, first + 1));
  At(match->span);
  return Bind(ir::MakeIf(equal, then_block, else_block), match->result);
}

ir::Expr FunctionLowering::LowerLengths(const Decision& decision, Match* match) {
  const ir::Expr subject = PlaceValue(decision.place, match);
  At(match->span);
  const ir::Expr length = Invoke("tern.list.length", {subject}, Type::Int());
  // Inside the cases the list has a name of this block. Other branches do not see the block, so the
  // entry goes when it ends.
  const auto known = match->places.find(decision.place);
  const bool is_new = known == match->places.end();
  if (is_new) match->places[decision.place] = subject;
  const ir::Expr result = LowerLength(decision, match, 0, length);
  if (is_new) match->places.erase(decision.place);
  return result;
}

// Shorter lists come first, so that one comparison with the next bound per case is enough.
ir::Expr FunctionLowering::LowerLength(const Decision& decision, Match* match, size_t index,
                                       const ir::Expr& length) {
  const Deeper deeper(&decisions_);
  if (IsTooDeep(*match)) return Bind(ir::MakeFatal("too deep"), match->result);
  if (index + 1 == decision.cases.size()) return LowerLengthCase(decision, match, index);
  At(match->span);
  const auto bound = static_cast<int64_t>(decision.cases[index + 1].length);
  const ir::Expr shorter =
      Bind(ir::MakeScalar(ScalarOp::kLt, {length, ir::MakeConstant(Any(bound))}), Type::Bool());
  builder_.BeginBlock();
  const ir::LetPtr then_block = builder_.EndBlock(LowerLengthCase(decision, match, index));
  builder_.BeginBlock();
  const ir::LetPtr else_block = builder_.EndBlock(LowerLength(decision, match, index + 1, length));
  At(match->span);
  return Bind(ir::MakeIf(shorter, then_block, else_block), match->result);
}

ir::Expr FunctionLowering::LowerLengthCase(const Decision& decision, Match* match, size_t index) {
  const Decision::Case& one = decision.cases[index];
  std::unordered_set<int> used;
  CollectPlaces(*one.then, *match->tree, &used);
  for (const int item : one.fields) {
    // An earlier case may have left the value of its own block.
    match->places.erase(item);  // another case's
    if (used.contains(item)) match->places[item] = PlaceValue(item, match);
  }
  return LowerDecision(*one.then, match);
}

}  // namespace tern::lang
