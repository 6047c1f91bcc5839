// SPDX-License-Identifier: Apache-2.0
// tree_ensemble: rows of features sent down trees to leaves, whose weights are put together; and
// look_up, a table from keys to values.
//
// nodes [n, 7]: feature, comparison, the child where it holds, the other child, whether a feature
// that is no number goes to the first, and first and end of the node's members. A child, and a
// root, is a node or, as -1 - i, leaf i. Children come behind their parent, so that there are no
// circles.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/sort.h"
#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/types.h"
#include "core/ops/special_rules.h"

namespace tern::kernels::bind {
namespace {

constexpr int64_t kNodeSize = 7;
enum Comparison : int64_t { kLessEqual, kLess, kGreaterEqual, kGreater, kEqual, kDiffers, kMember };

bool IsOneOf(std::span<const double> values, double value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

struct Trees {
  std::span<const int64_t> nodes, roots, leaves, targets;
  std::span<const double> splits, members;
  std::span<const float> weights;

  int64_t size() const { return static_cast<int64_t>(splits.size()); }
  // `leaves` has one entry more than there are leaves: the end of the last.
  int64_t leaf_count() const { return static_cast<int64_t>(leaves.size()) - 1; }
  const int64_t* Node(int64_t i) const { return nodes.data() + i * kNodeSize; }

  // Comparisons in f64, in which features of every type and splits of f32 and f64 are exact.
  bool Holds(int64_t i, double value) const {
    const int64_t* node = Node(i);
    if (std::isnan(value) && node[4] != 0) return true;
    const double split = splits[static_cast<size_t>(i)];
    switch (static_cast<Comparison>(node[1])) {
      case kLessEqual: return value <= split;
      case kLess: return value < split;
      case kGreaterEqual: return value >= split;
      case kGreater: return value > split;
      case kEqual: return value == split;
      case kDiffers: return value != split;
      case kMember:
        return IsOneOf(
            members.subspan(static_cast<size_t>(node[5]), static_cast<size_t>(node[6] - node[5])),
            value);
    }
    return false;
  }
};

// A child behind its parent: walks end, whatever the file says.
Status CheckChild(const Trees& trees, int64_t parent, int64_t child) {
  const bool is_leaf = child < 0 && -1 - child < trees.leaf_count();
  if (is_leaf || (child > parent && child < trees.size())) return OkStatus();
  return InvalidArgument("node ", parent, " leads to ", child, ", which is neither one of the ",
                         trees.size(), " nodes behind it nor one of the ", trees.leaf_count(),
                         " leaves");
}

// Once for each call, so that the walk itself needs no checks.
Status CheckNodes(const Trees& trees, int64_t features) {
  for (int64_t i = 0; i < trees.size(); ++i) {
    const int64_t* node = trees.Node(i);
    if (node[0] < 0 || node[0] >= features)
      return OutOfRange("node ", i, " asks for feature ", node[0], " of ", features);
    if (node[1] < kLessEqual || node[1] > kMember)
      return InvalidArgument("node ", i, " has the comparison ", node[1]);
    if (node[5] < 0 || node[5] > node[6] || node[6] > static_cast<int64_t>(trees.members.size()))
      return OutOfRange("node ", i, " has members ", node[5], " to ", node[6], " of ",
                        trees.members.size());
    TERN_TRY(CheckChild(trees, i, node[2]));
    TERN_TRY(CheckChild(trees, i, node[3]));
  }
  for (const int64_t root : trees.roots) TERN_TRY(CheckChild(trees, -1, root));
  return OkStatus();
}

// leaves: where the entries of each leaf begin, and one end.
Status CheckLeaves(const Trees& trees, int64_t targets) {
  const auto entries = static_cast<int64_t>(trees.targets.size());
  int64_t before = 0;
  for (const int64_t start : trees.leaves) {
    if (start < before || start > entries)
      return InvalidArgument("leaves begin at ", start, " behind ", before, " of ", entries);
    before = start;
  }
  if (trees.leaves.empty() || trees.targets.size() != trees.weights.size())
    return InvalidArgument("there are ", entries, " targets and ", trees.weights.size(),
                           " weights of leaves");
  for (const int64_t target : trees.targets) {
    if (target < 0 || target >= targets)
      return OutOfRange("a leaf has the target ", target, " of ", targets);
  }
  return OkStatus();
}

Result<Trees> ReadTrees(const ops::TreeAttrs& attrs, Call& call, int64_t features) {
  const Tensor *nodes = call.Input(1, kI64), *splits = call.Input(2, kF64);
  const Tensor *roots = call.Input(3, kI64), *leaves = call.Input(4, kI64);
  const Tensor *targets = call.Input(5, kI64), *weights = call.F32(6);
  const Tensor* members = call.Optional(7, kF64);
  TERN_TRY(call.TakeStatus());
  if (nodes->element_count() != ops::MulDim(splits->element_count(), kNodeSize))
    return WrongTensor(call, 1, *nodes, StrCat("[", splits->element_count(), ", 7]"));
  Trees trees{nodes->values<int64_t>(),   roots->values<int64_t>(), leaves->values<int64_t>(),
              targets->values<int64_t>(), splits->values<double>(), {},
              weights->values<float>()};
  if (members != nullptr) trees.members = members->values<double>();
  TERN_TRY(CheckNodes(trees, features));
  TERN_TRY(CheckLeaves(trees, attrs.targets));
  return trees;
}

// The most steps that one row takes through all trees.
int64_t LongestWalk(const Trees& trees) {
  std::vector<int64_t> depth(static_cast<size_t>(trees.size()), 1);
  const auto below = [&](int64_t child) {
    return child < 0 ? int64_t{1} : depth[static_cast<size_t>(child)];
  };
  // From the last node up: children come behind their parents.
  // A node that asks for members looks at each of them.
  for (int64_t i = trees.size() - 1; i >= 0; --i) {
    const int64_t* node = trees.Node(i);
    depth[static_cast<size_t>(i)] =
        1 + std::max(below(node[2]), below(node[3])) + node[6] - node[5];
  }
  int64_t total = 1;
  for (const int64_t root : trees.roots) total = ops::AddDim(total, below(root));
  return total;
}

// A target that no leaf spoke of stays 0, also where the least or greatest weight is wanted.
struct Score {
  float value = 0;
  bool any = false;
};

void AddLeaf(const Trees& trees, int64_t leaf, ops::TreeAggregate how, Score* scores) {
  const auto first = static_cast<size_t>(trees.leaves[static_cast<size_t>(leaf)]);
  const auto end = static_cast<size_t>(trees.leaves[static_cast<size_t>(leaf) + 1]);
  for (size_t i = first; i < end; ++i) {
    Score& score = scores[trees.targets[i]];
    const float weight = trees.weights[i];
    if (!score.any)
      score.value = weight;
    else if (how == ops::TreeAggregate::kMin)
      score.value = std::min(score.value, weight);
    else if (how == ops::TreeAggregate::kMax)
      score.value = std::max(score.value, weight);
    else
      score.value += weight;
    score.any = true;
  }
}

}  // namespace

Result<Any> TreeEnsemble(const ops::TreeAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::TreeShape(attrs, ExtentsOf(*x), &out));
  double first = 0;
  if (x->element_count() > 0 && !ReadElement(*x, 0, &first))
    return WrongTensor(call, 0, *x, "numbers");
  TERN_TRY_ASSIGN(const Trees trees, ReadTrees(attrs, call, x->dim(1)));
  TERN_TRY(call.Charge(ops::MulDim(x->dim(0), LongestWalk(trees))));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  if (y->element_count() == 0) return Any(std::move(y));
  std::vector<Score> scores(static_cast<size_t>(attrs.targets));
  const auto count = static_cast<float>(std::max<size_t>(trees.roots.size(), 1));
  for (int64_t row = 0; row < out[0] && !call.IsStopped(); ++row) {
    std::fill(scores.begin(), scores.end(), Score());
    for (int64_t at : trees.roots) {
      while (at >= 0) {
        double value = 0;
        ReadElement(*x, row * x->dim(1) + trees.Node(at)[0], &value);
        at = trees.Node(at)[trees.Holds(at, value) ? 2 : 3];
      }
      AddLeaf(trees, -1 - at, attrs.aggregate, scores.data());
    }
    for (size_t t = 0; t < scores.size(); ++t) {
      const bool average = attrs.aggregate == ops::TreeAggregate::kAverage;
      y->data_as<float>()[row * attrs.targets + static_cast<int64_t>(t)] =
          average ? scores[t].value / count : scores[t].value;
    }
  }
  return Any(std::move(y));
}

// --- look_up

namespace {

// Numbers in order, NaN behind all others and equal to itself.
template <class T>
bool KeyLess(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  }
  return a < b;
}

// For each element of x the index of the last key that equals it, or -1.
template <class T, class At>
void FindKeys(int64_t count, const At& x_at, int64_t keys, const At& key_at, int64_t* found) {
  std::vector<int64_t> order(static_cast<size_t>(keys));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  Sort(&order, [&](int64_t a, int64_t b) {
    const T p = key_at(a), q = key_at(b);
    return KeyLess(p, q) || (!KeyLess(q, p) && a < b);
  });
  for (int64_t i = 0; i < count; ++i) {
    const T wanted = x_at(i);
    const auto after =
        std::upper_bound(order.begin(), order.end(), wanted,
                         [&](T value, int64_t k) { return KeyLess(value, key_at(k)); });
    const bool same = after != order.begin() && !KeyLess(key_at(after[-1]), wanted);
    found[i] = same ? after[-1] : -1;
  }
}

bool FindAllKeys(const Tensor& x, const Tensor& keys, int64_t* found) {
  if (x.dtype().is_string()) {
    struct At {
      const Tensor* tensor;
      std::string_view operator()(int64_t i) const { return tensor->string_at(i); }
    };
    FindKeys<std::string_view>(x.element_count(), At{&x}, keys.element_count(), At{&keys}, found);
    return true;
  }
  return DispatchNumber(x.dtype(), [&](auto type) {
    using T = decltype(type);
    struct At {
      const T* values;
      T operator()(int64_t i) const { return values[i]; }
    };
    FindKeys<T>(x.element_count(), At{x.data_as<T>()}, keys.element_count(), At{keys.data_as<T>()},
                found);
  });
}

}  // namespace

Result<Any> LookUp(const ops::NoAttrs&, Call& call) {
  const Tensor *x = call.Input(0), *values = call.Input(2);
  TERN_TRY(call.TakeStatus());
  const Tensor *keys = call.Input(1, x->dtype()), *fallback = call.Input(3, values->dtype());
  TERN_TRY(call.TakeStatus());
  if (keys->element_count() != values->element_count())
    return WrongTensor(call, 2, *values, StrCat(keys->element_count(), " elements, as keys"));
  if (fallback->element_count() != 1) return WrongTensor(call, 3, *fallback, "one element");
  TERN_TRY(call.Charge(ops::MulDim(keys->element_count() + x->element_count(), 64)));
  TERN_TRY_ASSIGN(const TensorPtr found, call.NewTable(x->element_count()));
  int64_t* const index = found->data_as<int64_t>();
  if (!FindAllKeys(*x, *keys, index)) return WrongTensor(call, 0, *x, "numbers or texts");
  TERN_TRY_ASSIGN(TensorPtr y, call.New(values->dtype(), ExtentsOf(*x)));
  for (int64_t i = 0; i < x->element_count(); ++i) {
    const Tensor& from = index[i] < 0 ? *fallback : *values;
    CopyElements(from, std::max<int64_t>(index[i], 0), 1, y.get(), i);
  }
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
