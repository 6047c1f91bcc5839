// SPDX-License-Identifier: Apache-2.0
// RelativePositionBias and GatedRelativePositionBias of com.microsoft: what attention adds to its
// scores for the distance of a key from a query.
#include <algorithm>
#include <cmath>

#include "core/onnx/convert/attention.h"
#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"

namespace tern::onnx {
namespace {

// A table has an entry for each distance.
constexpr int64_t kLargestDistance = 65536;

// The bucket of a distance: its own up to half of the buckets, then ones that grow with the
// logarithm of the distance.
int64_t BucketOf(int64_t distance, int64_t buckets, int64_t largest) {
  const int64_t exact = buckets / 2;
  if (distance < exact) return distance;
  const auto from = static_cast<double>(exact);
  const double part = std::log(static_cast<double>(distance) / from) /
                      std::log(static_cast<double>(largest) / from);
  // A distance at which a bucket begins belongs to it, also where the quotient is rounded down.
  const double steps = part * static_cast<double>(buckets - exact) + 1e-6;
  return std::min(exact + static_cast<int64_t>(steps), buckets - 1);
}

}  // namespace

// Inputs: what each head adds for each bucket, how many queries, how many keys.
void ConvertRelativePositionBias(NodeContext& node) {
  Compose in(node);
  const int64_t largest = node.RequiredInt("max_distance");
  const bool has_sides = node.Bool("is_bidirectional", false);
  const Value table = node.Input(0);
  if (node.ok() && node.RankOf(table) != 2)
    return node.Fail("its bias_table (input 0) has rank ", node.RankOf(table), ", expected 2");
  const int64_t all = node.DimOf(table, 0);
  if (node.ok() && all < 0)
    return node.Unsupported(
        "a bias_table whose number of buckets is known only when the model runs");
  // Keys behind the query have buckets of their own.
  const int64_t buckets = has_sides ? all / 2 : all;
  if (node.ok() && buckets < 2) return node.Fail("its bias_table (input 0) has ", all, " buckets");
  if (node.ok() && largest <= buckets / 2)
    return node.Fail("attribute 'max_distance' is ", largest, ", expected more than ", buckets / 2);
  if (node.ok() && largest > kLargestDistance)
    return node.Unsupported("attribute 'max_distance' is ", largest, "; ", kLargestDistance,
                            " is possible");
  if (!node.ok()) return;
  Ints bucket_of;
  for (int64_t gap = -largest; gap <= largest; ++gap) {
    const int64_t bucket = BucketOf(std::abs(gap), buckets, largest);
    bucket_of.push_back(has_sides && gap > 0 ? bucket + buckets : bucket);
  }
  const auto places = [&](int input, const Ints& shape) {
    return in.Reshape(in.Range(in.Reshape(node.ToI64(node.Input(input)), {})), shape);
  };
  const Value gaps = in.Sub(places(2, {1, -1}), places(1, {-1, 1}));
  const Value bounded = node.Call("clip", {gaps, in.Int(-largest), in.Int(largest)});
  const Value index = in.Gather(node.ConstantInts(bucket_of), in.Add(bounded, in.Int(largest)));
  // The table says [buckets, heads], but its numbers come head by head.
  const Value heads = in.Reshape(table, {-1, all});
  node.SetOutput(0, in.Unsqueeze(in.Gather(heads, index, 1), {0}));
}

// Inputs: query, its bias, what is added for positions [1, heads, queries, keys], weights and bias
// of the gates, a factor of each head, and places of tokens in a query without padding.
void ConvertGatedRelativePositionBias(NodeContext& node) {
  Compose in(node);
  const int64_t heads = node.IntAtLeast("num_heads", 0, 1);
  if (node.HasInput(6)) return node.Unsupported("token_offset, of a query without its padding");
  if (node.ok() && node.RankOf(node.Input(0)) != 3)
    return node.Fail("its query_layer (input 0) has rank ", node.RankOf(node.Input(0)),
                     ", expected 3");
  const int64_t columns = node.DimOf(node.Input(3), 1);
  if (node.ok() && columns >= 0 && (columns == 0 || columns % 2 != 0))
    return node.Fail("its weight (input 3) has ", columns, " columns, which are no two halves");
  if (!node.ok()) return;
  const Value query = SplitHeads(in, in.Add(node.Input(0), node.Input(1)), heads);
  const Value sums = in.Add(in.MatMul(query, node.Input(3)), node.Input(4));
  // Each half of the columns becomes one gate.
  const Value halves = in.Reshape(sums, {0, 0, 0, 2, -1});
  const Value gates = in.Unary("sigmoid", in.Reduce("reduce_sum", halves, {4}, false));
  const Value update = in.Slice(gates, 3, 0, 1), reset = in.Slice(gates, 3, 1, 2);
  const Value inner = in.Mul(reset, node.Input(5));
  const Value gate = in.Mul(update, in.Sub(inner, in.Like(inner, 1)));
  node.SetOutput(0, in.Mul(in.Add(gate, in.Like(gate, 2)), node.Input(2)));
}

}  // namespace tern::onnx
