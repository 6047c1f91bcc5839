// SPDX-License-Identifier: Apache-2.0
// Tree ensembles of ai.onnx.ml, old and new. Both forms become the tables of tree_ensemble
// (core/kernels/bind/trees.cc), in which children come behind their parents: nodes are written in
// the order in which a walk from the roots meets them, so that what no root leads to is left out.
#include <compare>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/half.h"
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/learned.h"
#include "core/ops/special_attrs.h"

namespace tern::onnx {
namespace {

// A forest as the file has it. Children are nodes, or leaves as -1 - i.
struct FileNode {
  int64_t feature = 0, mode = 0, yes = 0, no = 0;
  bool missing_is_true = false;
  double split = 0;
  std::vector<double> members;
};
// A leaf is a list of pairs, because one leaf of the old forms may give to several targets.
struct Forest {
  std::vector<FileNode> nodes;
  Ints roots;
  std::vector<std::vector<std::pair<int64_t, float>>> leaves;  // targets and weights
};

Value DoubleList(NodeContext& node, const std::vector<double>& values) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  return node.Constant(tern::Tensor::FromValues(std::span<const double>(values), dims).value());
}

// Fails on a child that is not there, or that is met twice.
class Writer {
 public:
  Writer(NodeContext& node, const Forest& forest)
      : node_(node), forest_(forest), places_(forest.nodes.size(), -1) {}

  Value Call(const Value& x, const ops::TreeAttrs& attrs) {
    for (const int64_t root : forest_.roots) roots_.push_back(Place(root));
    // `order_` grows meanwhile: writing a node appends its children.
    for (size_t i = 0; i < order_.size() && node_.ok(); ++i) WriteNode(order_[i]);
    if (!node_.ok()) return nullptr;
    Ints starts{0}, targets;
    Floats weights;
    for (const auto& leaf : forest_.leaves) {
      for (const auto& [target, weight] : leaf)
        targets.push_back(target), weights.push_back(weight);
      starts.push_back(static_cast<int64_t>(targets.size()));
    }
    Compose in(node_);
    const auto count = static_cast<int64_t>(splits_.size());
    const Value nodes = in.Reshape(node_.ConstantInts(rows_), {count, 7});
    return node_.Call("tree_ensemble",
                      {x, nodes, DoubleList(node_, splits_), node_.ConstantInts(roots_),
                       node_.ConstantInts(starts), node_.ConstantInts(targets), in.Floats(weights),
                       members_.empty() ? nullptr : DoubleList(node_, members_)},
                      attrs.ToAttrs());
  }

 private:
  // Where a child is written; leaves stay where they are.
  int64_t Place(int64_t child) {
    const auto leaves = static_cast<int64_t>(forest_.leaves.size());
    const auto nodes = static_cast<int64_t>(forest_.nodes.size());
    if (child < -leaves || child >= nodes) {
      node_.Fail("a node leads to ", child < 0 ? "leaf " : "node ", child < 0 ? -1 - child : child,
                 " of ", child < 0 ? leaves : nodes);
      return -1;
    }
    if (child < 0) return child;
    int64_t& place = places_[static_cast<size_t>(child)];
    // A circle or a shared child: the walk of the kernel would not end, or not be a tree's.
    if (place >= 0) node_.Fail("two ways lead to node ", child, ", which is then no tree's");
    place = static_cast<int64_t>(order_.size());
    order_.push_back(child);
    return place;
  }

  void WriteNode(int64_t index) {
    const FileNode& from = forest_.nodes[static_cast<size_t>(index)];
    const int64_t yes = Place(from.yes), no = Place(from.no);
    const auto first = static_cast<int64_t>(members_.size());
    members_.insert(members_.end(), from.members.begin(), from.members.end());
    const auto end = static_cast<int64_t>(members_.size());
    for (const int64_t value :
         {from.feature, from.mode, yes, no, int64_t{from.missing_is_true}, first, end})
      rows_.push_back(value);
    splits_.push_back(from.split);
  }

  NodeContext& node_;
  const Forest& forest_;
  Ints places_, order_, roots_, rows_;
  std::vector<double> splits_, members_;
};

// The numbers of a list of floats, or of the tensor with this name and a suffix.
std::vector<double> Numbers(NodeContext& node, std::string_view name, std::string_view suffix) {
  std::vector<double> values;
  const std::string tensor_name = StrCat(name, suffix);
  // Files of doubles have a tensor; the list is of floats.
  if (!node.Has(tensor_name)) {
    for (const float value : node.FloatList(name)) values.push_back(static_cast<double>(value));
    return values;
  }
  const TensorPtr tensor = node.TensorValue(tensor_name);
  for (int64_t i = 0; tensor != nullptr && i < tensor->element_count(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (tensor->dtype() == kF64)
      values.push_back(tensor->values<double>()[at]);
    else if (tensor->dtype() == kF32)
      values.push_back(static_cast<double>(tensor->values<float>()[at]));
    else if (tensor->dtype() == kF16)
      values.push_back(
          static_cast<double>(F16ToF32(static_cast<const uint16_t*>(tensor->data())[at])));
    else if (tensor->dtype() == kU8)
      values.push_back(tensor->values<uint8_t>()[at]);
    else
      node.Fail("attribute '", tensor_name, "' is ", tensor->TypeText(), ", expected floats");
  }
  return values;
}

// Fails where a list has not as many entries as there are nodes.
bool SameLength(NodeContext& node, std::string_view name, size_t size, size_t expected) {
  if (node.ok() && size != expected)
    node.Fail("attribute '", name, "' has ", size, " values, expected ", expected);
  return node.ok();
}

// A node of the forms 1 and 3 is named by its tree and a number.
struct NodeKey {
  int64_t tree, node;
  auto operator<=>(const NodeKey&) const = default;
};

// The numbers of the new form, which names modes by number, in the same order; its seventh mode,
// BRANCH_MEMBER, has no name in the old ones.
int64_t ModeOf(NodeContext& node, std::string_view name) {
  static constexpr std::string_view kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                                "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
  for (size_t i = 0; i < std::size(kModes); ++i) {
    if (kModes[i] == name) return static_cast<int64_t>(i);
  }
  if (name != "LEAF") node.Fail("a node has the mode '", name, "'");
  return -1;
}

// Where a node is, or -1 - leaf.
using NodePlaces = std::map<NodeKey, int64_t>;

int64_t FindNode(NodeContext& node, const NodePlaces& places, int64_t tree, int64_t id) {
  const auto found = places.find(NodeKey{tree, id});
  if (found != places.end()) return found->second;
  node.Fail("tree ", tree, " has no node ", id);
  return -1;
}

// What the leaves give to targets or classes.
void ReadWeights(NodeContext& node, std::string_view kind, const NodePlaces& places,
                 Forest* forest) {
  const auto name = [kind](std::string_view rest) { return StrCat(kind, rest); };
  const Ints leaf_trees = node.IntList(name("_treeids")), leaf_ids = node.IntList(name("_nodeids"));
  const Ints targets = node.IntList(name("_ids"));
  const std::vector<double> weights = Numbers(node, name("_weights"), "_as_tensor");
  if (!SameLength(node, name("_nodeids"), leaf_ids.size(), leaf_trees.size()) ||
      !SameLength(node, name("_ids"), targets.size(), leaf_trees.size()) ||
      !SameLength(node, name("_weights"), weights.size(), leaf_trees.size()))
    return;
  for (size_t i = 0; i < leaf_trees.size() && node.ok(); ++i) {
    const int64_t place = FindNode(node, places, leaf_trees[i], leaf_ids[i]);
    if (node.ok() && place >= 0)
      node.Fail("node ", leaf_ids[i], " of tree ", leaf_trees[i], " has a weight, but is no leaf");
    if (node.ok())
      forest->leaves[static_cast<size_t>(-1 - place)].emplace_back(targets[i],
                                                                   static_cast<float>(weights[i]));
  }
}

// kind: "target" or "class".
Forest ReadFlatForest(NodeContext& node, std::string_view kind) {
  Forest forest;
  const Ints trees = node.IntList("nodes_treeids"), ids = node.IntList("nodes_nodeids");
  const Ints features = node.IntList("nodes_featureids"), yes = node.IntList("nodes_truenodeids");
  const Ints no = node.IntList("nodes_falsenodeids");
  const Ints missing = node.IntList("nodes_missing_value_tracks_true");
  const std::vector<std::string_view> modes = node.TextList("nodes_modes");
  const std::vector<double> splits = Numbers(node, "nodes_values", "_as_tensor");
  node.Find("nodes_hitrates");
  // Statistics of the training. Asked for, so that nobody is told that they are unknown.
  node.Find("nodes_hitrates_as_tensor");
  const size_t count = trees.size();
  if (!SameLength(node, "nodes_nodeids", ids.size(), count) ||
      !SameLength(node, "nodes_featureids", features.size(), count) ||
      !SameLength(node, "nodes_truenodeids", yes.size(), count) ||
      !SameLength(node, "nodes_falsenodeids", no.size(), count) ||
      !SameLength(node, "nodes_modes", modes.size(), count) ||
      !SameLength(node, "nodes_values", splits.size(), count))
    return forest;
  NodePlaces places;
  for (size_t i = 0; i < count; ++i) {
    const int64_t mode = ModeOf(node, modes[i]);
    const auto inner = static_cast<int64_t>(forest.nodes.size());
    const int64_t place = mode < 0 ? -1 - static_cast<int64_t>(forest.leaves.size()) : inner;
    if (!places.emplace(NodeKey{trees[i], ids[i]}, place).second)
      node.Fail("tree ", trees[i], " has node ", ids[i], " twice");
    // The first node of a tree is its root: the old form does not say so otherwise.
    if (i == 0 || trees[i] != trees[i - 1]) forest.roots.push_back(place);
    if (mode < 0) {
      forest.leaves.emplace_back();
      continue;
    }
    FileNode& entry = forest.nodes.emplace_back();
    entry.feature = features[i];
    entry.mode = mode;
    entry.split = splits[i];
    entry.missing_is_true = i < missing.size() && missing[i] != 0;
  }
  size_t at = 0;
  for (size_t i = 0; i < count && node.ok(); ++i) {
    if (modes[i] == "LEAF") continue;
    // In a second pass, because children may stand before their parents.
    forest.nodes[at].yes = FindNode(node, places, trees[i], yes[i]);
    forest.nodes[at++].no = FindNode(node, places, trees[i], no[i]);
  }
  if (node.ok()) ReadWeights(node, kind, places, &forest);
  return forest;
}

Value AddBase(NodeContext& node, const Value& scores) {
  Compose in(node);
  Floats base;
  for (const double value : Numbers(node, "base_values", "_as_tensor"))
    base.push_back(static_cast<float>(value));
  return base.empty() ? scores : in.Add(scores, in.Floats(base));
}

// Rows of features in a type that comparisons are exact in.
Value TreeRows(NodeContext& node) {
  const Value x = node.Input(0);
  return node.DTypeOf(x) == kF64 && node.RankOf(x) == 2 ? x : FeatureRows(node, x);
}

}  // namespace

void ConvertTreeEnsembleRegressor(NodeContext& node) {
  const Forest forest = ReadFlatForest(node, "target");
  ops::TreeAttrs attrs;
  attrs.targets = node.IntAtLeast("n_targets", 1, 1);
  // The order of the words below. TreeEnsemble of ai.onnx.ml 5 has numbers instead, and another
  // order.
  static constexpr ops::TreeAggregate kHow[] = {ops::TreeAggregate::kSum,
                                                ops::TreeAggregate::kAverage,
                                                ops::TreeAggregate::kMin, ops::TreeAggregate::kMax};
  attrs.aggregate = kHow[node.Choice("aggregate_function", {"SUM", "AVERAGE", "MIN", "MAX"}, 0)];
  if (!node.ok()) return;
  const Value y = AddBase(node, Writer(node, forest).Call(TreeRows(node), attrs));
  node.SetOutput(0, Transformed(node, y, ReadPostTransform(node)));
}

void ConvertTreeEnsembleClassifier(NodeContext& node) {
  Compose in(node);
  const Forest forest = ReadFlatForest(node, "class");
  const Labels labels = ReadLabels(node, "classlabels_strings", "classlabels_int64s");
  const PostTransform how = ReadPostTransform(node);
  if (!node.ok()) return;
  int64_t only = -1;  // the one class that all leaves are of
  bool one = true, has_negative = false;
  for (const auto& leaf : forest.leaves) {
    for (const auto& entry : leaf) {
      one = one && (only < 0 || only == entry.first);
      only = entry.first;
      has_negative = has_negative || entry.second < 0;
    }
  }
  // Weights of one class only and two labels: the score of the other label is what is left.
  const bool binary = one && labels.count <= 2;
  if (labels.count == 1)
    return node.Unsupported("a single class label, whose other label is not told");
  ops::TreeAttrs attrs;
  attrs.targets = labels.count;
  Value scores = Writer(node, forest).Call(TreeRows(node), attrs);
  if (binary) {
    // The one score is that of the second label; a single base value belongs to it.
    scores = in.Slice(scores, 1, only < 0 ? 0 : only, (only < 0 ? 0 : only) + 1);
    scores = AddBase(node, scores);
    if (node.DimOf(scores, 1) != 1) return node.Fail("it has more base values than scores");
    // Chances add up to one; scores of both signs, which no function follows, are of either side.
    const bool plain =
        (how == PostTransform::kNone && !has_negative) || how == PostTransform::kProbit;
    const Value other = plain ? in.Sub(in.Like(scores, 1), scores) : in.Unary("neg", scores);
    scores = in.Concat({other, scores}, 1);
  } else {
    scores = AddBase(node, scores);
  }
  const Value chances = Transformed(node, scores, how);
  node.SetOutput(0, BestLabel(node, chances, labels));
  node.SetOutput(1, chances);
}

namespace {

// Members of the nodes that ask for them, in order, each list ended by a NaN.
void ReadMembers(NodeContext& node, Forest* forest) {
  const std::vector<double> values = Numbers(node, "membership_values", "");
  size_t at = 0;
  for (FileNode& entry : forest->nodes) {
    // BRANCH_MEMBER
    if (entry.mode != 6) continue;
    if (at >= values.size()) node.Fail("a node asks for members, but there are no more lists");
    for (; at < values.size() && values[at] == values[at]; ++at)
      entry.members.push_back(values[at]);
    ++at;
  }
}

Forest ReadForest(NodeContext& node) {
  Forest forest;
  const Ints features = node.IntList("nodes_featureids"), yes = node.IntList("nodes_truenodeids");
  const Ints no = node.IntList("nodes_falsenodeids"), yes_leaf = node.IntList("nodes_trueleafs");
  const Ints no_leaf = node.IntList("nodes_falseleafs"), targets = node.IntList("leaf_targetids");
  const Ints missing = node.IntList("nodes_missing_value_tracks_true");
  const std::vector<double> modes = Numbers(node, "nodes_modes", "");
  const std::vector<double> splits = Numbers(node, "nodes_splits", "");
  const std::vector<double> weights = Numbers(node, "leaf_weights", "");
  node.Find("nodes_hitrates");
  const size_t count = features.size();
  if (!SameLength(node, "nodes_truenodeids", yes.size(), count) ||
      !SameLength(node, "nodes_falsenodeids", no.size(), count) ||
      !SameLength(node, "nodes_trueleafs", yes_leaf.size(), count) ||
      !SameLength(node, "nodes_falseleafs", no_leaf.size(), count) ||
      !SameLength(node, "nodes_modes", modes.size(), count) ||
      !SameLength(node, "nodes_splits", splits.size(), count) ||
      !SameLength(node, "leaf_weights", weights.size(), targets.size()))
    return forest;
  for (size_t i = 0; i < targets.size(); ++i)
    forest.leaves.push_back({{targets[i], static_cast<float>(weights[i])}});
  for (size_t i = 0; i < count; ++i) {
    // Two lists with places of their own, of nodes and of leaves.
    const auto child = [](int64_t id, int64_t is_leaf) { return is_leaf != 0 ? -1 - id : id; };
    if (yes[i] < 0 || no[i] < 0 || !(modes[i] >= 0 && modes[i] <= 6)) {
      node.Fail("node ", i, " has the mode ", modes[i], " and the children ", yes[i], " and ",
                no[i]);
      return forest;
    }
    forest.nodes.push_back({features[i],
                            static_cast<int64_t>(modes[i]),
                            child(yes[i], yes_leaf[i]),
                            child(no[i], no_leaf[i]),
                            i < missing.size() && missing[i] != 0,
                            splits[i],
                            {}});
  }
  ReadMembers(node, &forest);
  forest.roots = node.IntList("tree_roots");
  return forest;
}

}  // namespace

void ConvertTreeEnsemble(NodeContext& node) {
  Compose in(node);
  const Forest forest = ReadForest(node);
  ops::TreeAttrs attrs;
  attrs.targets = node.IntAtLeast("n_targets", 1, 1);
  static constexpr ops::TreeAggregate kHow[] = {ops::TreeAggregate::kAverage,
                                                ops::TreeAggregate::kSum, ops::TreeAggregate::kMin,
                                                ops::TreeAggregate::kMax};
  const int64_t how = node.Int("aggregate_function", 1), post = node.Int("post_transform", 0);
  if (node.ok() && (how < 0 || how > 3 || post < 0 || post > 4))
    return node.Fail("aggregate_function is ", how, " and post_transform ", post,
                     ", expected 0 to 3 and 0 to 4");
  if (!node.ok()) return;
  attrs.aggregate = kHow[how];
  const Value y = Writer(node, forest).Call(TreeRows(node), attrs);
  const Value changed = Transformed(node, y, static_cast<PostTransform>(post));
  node.SetOutput(0, in.Cast(changed, node.DTypeOf(node.Input(0))));
}

}  // namespace tern::onnx
