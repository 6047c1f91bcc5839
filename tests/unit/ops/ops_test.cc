// SPDX-License-Identifier: Apache-2.0
// The operator table: every line is whole, and every relation survives arguments of any kind.
#include "core/ops/ops.h"

#include <gtest/gtest.h>

#include <random>

#include "core/ops/relations.h"
#include "core/types/type.h"

namespace tern::ops::ops_test {
namespace {

TEST(Ops, FoundByName) {
  for (const OpInfo& op : AllOps()) {
    EXPECT_EQ(FindOp(op.name), &op);
    EXPECT_EQ(&InfoOf(op.op), &op);
    EXPECT_FALSE(PhraseOf(op.op).empty());
    EXPECT_LE(op.min_args, op.max_args);
  }
  EXPECT_EQ(FindOp("conv"), nullptr);
  EXPECT_EQ(FindOp(""), nullptr);
  EXPECT_EQ(FindOp("zzz"), nullptr);
}

TEST(Ops, Parameters) {
  const OpInfo& conv = *FindOp("conv2d");
  EXPECT_EQ(conv.min_args, 2);
  EXPECT_EQ(conv.max_args, 4);
  EXPECT_EQ(conv.parameter(2), "bias");
  EXPECT_TRUE(conv.IsOptional(2));
  EXPECT_FALSE(conv.IsOptional(1));
  EXPECT_EQ(conv.parameter(9), "");
  const OpInfo& concat = *FindOp("concat");
  EXPECT_EQ(concat.parameter(7), "inputs");
  EXPECT_EQ(concat.max_args, INT32_MAX);
  // An optional parameter in the middle does not make those behind it optional.
  EXPECT_EQ(FindOp("one_hot")->min_args, 3);
}

// What passes take for granted of a row.
TEST(Ops, FactsHoldForTheirRows) {
  for (const OpInfo& op : AllOps()) {
    SCOPED_TRACE(op.name);
    if (op.layout == LayoutRule::reduces) EXPECT_EQ(op.parameters, "x axes?");
    if (op.layout == LayoutRule::blocks) EXPECT_EQ(op.parameters, "x");
    if (op.family == Family::unary || op.family == Family::binary)
      EXPECT_EQ(op.layout, LayoutRule::elementwise);
    if (op.movement != Movement::computes) {
      EXPECT_EQ(op.outputs, 1);
      EXPECT_EQ(op.parameter(0), "x");
    }
    EXPECT_EQ(op.IsView(), op.movement == Movement::reshapes || op.movement == Movement::same);
  }
}

TEST(Ops, OutputCounts) {
  EXPECT_EQ(*OutputCount(*FindOp("topk"), {}), 2);
  EXPECT_EQ(*OutputCount(*FindOp("split"), *Attrs::Parse("sizes=1,2,3")), 3);
  EXPECT_FALSE(OutputCount(*FindOp("split"), {}).ok());
  EXPECT_FALSE(OutputCount(*FindOp("split"), *Attrs::Parse("parts=100000000")).ok());
}

// No combination of types may end the process; what comes out has as many results as the table
// says.
TEST(Ops, RelationsTakeAnything) {
  std::mt19937 random(11);
  const DType dtypes[] = {kF32, kI64, kBool, kI32, kU8};
  const char* attributes[] = {"",
                              "axis=1",
                              "axis=-7",
                              "axes=0,1",
                              "perm=1,0",
                              "kernel=2,2",
                              "shape=-1,2",
                              "parts=2",
                              "to=f32",
                              "starts=0 ends=5",
                              "pads=1,1,1,1",
                              "sizes=4,4,4,4",
                              "repeats=2,2",
                              "k=3",
                              "groups=2",
                              "block=2",
                              "equation=ij,jk->ik",
                              "layout=nhwc",
                              "packed=1 columns=3"};
  for (const OpInfo& op : AllOps()) {
    for (int round = 0; round < 200; ++round) {
      std::vector<types::TensorType> types(static_cast<size_t>(op.min_args) + random() % 3);
      std::vector<Values> values(types.size());
      std::vector<ArgInfo> args(types.size());
      for (size_t i = 0; i < types.size() && i < static_cast<size_t>(op.max_args); ++i) {
        types[i].dtype = dtypes[random() % 5];
        const size_t rank = random() % 10;
        for (size_t axis = 0; axis < rank; ++axis) {
          types[i].dims.push_back(random() % 3 == 0 ? types::Dim::Symbol("n")
                                                    : types::Dim(random() % 5));
        }
        args[i].type =
            random() % 8 == 0 && op.IsOptional(static_cast<int>(i)) ? nullptr : &types[i];
        if (types[i].dtype != kI64 || rank > 1 || args[i].type == nullptr) continue;
        const size_t count = rank == 0 ? 1 : random() % 5;
        if (rank == 1) types[i].dims[0] = types::Dim(static_cast<int64_t>(count));
        for (size_t j = 0; j < count; ++j)
          values[i].push_back(types::Dim(static_cast<int64_t>(random() % 7) - 2));
        args[i].value = &values[i];
      }
      args.resize(std::min(args.size(), static_cast<size_t>(op.max_args)));
      RelationOutput out;
      Result<Attrs> attrs = Attrs::Parse(attributes[random() % std::size(attributes)]);
      if (!attrs.ok()) continue;
      if (!RelationOf(op.op)(op, *attrs, args, &out).ok()) continue;
      Result<int> count = OutputCount(op, *attrs);
      ASSERT_TRUE(count.ok()) << op.name;
      EXPECT_EQ(out.types.size(), static_cast<size_t>(*count)) << op.name;
      if (out.value.has_value() && out.types[0].IsStatic()) {
        const types::Dim elements = out.types[0].ElementCount();
        EXPECT_EQ(static_cast<int64_t>(out.value->size()), elements.constant())
            << op.name << " {" << attrs->ToText() << "}";
      }
    }
  }
}

}  // namespace
}  // namespace tern::ops::ops_test
