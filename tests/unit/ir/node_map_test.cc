// SPDX-License-Identifier: Apache-2.0
// Maps by node: numbers in the order in which nodes come, values that stay while the table grows.
#include "core/ir/node_map.h"

#include <gtest/gtest.h>

#include <vector>

namespace tern::ir {
namespace {

TEST(NodeMap, FindsWhatCameAndNothingElse) {
  std::vector<Expr> nodes;
  for (int i = 0; i < 5000; ++i) nodes.push_back(MakeFloat(static_cast<float>(i)));
  NodeSet set;
  NodeMap<int> map;
  EXPECT_EQ(set.Find(nodes[0].get()), NodeSet::kAbsent);
  for (size_t i = 0; i < nodes.size(); i += 2) {
    EXPECT_EQ(set.Add(nodes[i].get()), i / 2);
    map[nodes[i].get()] = static_cast<int>(i);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool known = i % 2 == 0;
    EXPECT_EQ(set.contains(nodes[i].get()), known);
    ASSERT_EQ(map.Find(nodes[i].get()) != nullptr, known);
    if (known) EXPECT_EQ(*map.Find(nodes[i].get()), static_cast<int>(i));
    if (known) EXPECT_EQ(set.Add(nodes[i].get()), i / 2);
  }
  EXPECT_EQ(set.size(), nodes.size() / 2);
}

TEST(NodeMap, IsEmptyOnceCleared) {
  const Expr a = MakeFloat(1), b = MakeFloat(2);
  NodeMap<int> map;
  map[a.get()] = 1;
  map.clear();
  EXPECT_EQ(map.Find(a.get()), nullptr);
  EXPECT_EQ(map[b.get()], 0);
  EXPECT_EQ(map.Find(a.get()), nullptr);
}

}  // namespace
}  // namespace tern::ir
