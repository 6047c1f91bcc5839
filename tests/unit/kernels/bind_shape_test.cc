// SPDX-License-Identifier: Apache-2.0
// Operators that move elements, over several element sizes, with views where memory order allows.

#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::bind_shape_test {
namespace {

TEST(TransposeTest, AnyPermutationAndType) {
  EXPECT_EQ(RunText("transpose", {Iota({2, 3})}), "f32[3, 2] {0 3 1 4 2 5}");
  EXPECT_EQ(RunText("transpose{perm=1,0,2}", {Iota({2, 2, 2})}), "f32[2, 2, 2] {0 1 4 5 2 3 6 7}");
  EXPECT_EQ(RunText("transpose", {B({1, 2}, {true, false})}), "bool[2, 1] {1 0}");
  EXPECT_EQ(RunText("transpose", {I({2, 2}, {1, 2, 3, 4})}), "i64[2, 2] {1 3 2 4}");
  ExpectError("transpose{perm=0,0}", {Iota({2, 3})}, {"transpose"});
  ExpectError("transpose{perm=0,1,2}", {Iota({2, 3})}, {"transpose"});
}

TEST(ReshapeTest, SharesMemory) {
  TensorPtr x = Iota({2, 3});
  TensorPtr y = RunTensor("reshape", {x, I({2}, {3, -1})});
  EXPECT_EQ(Text(*y), "f32[3, 2] {0 1 2 3 4 5}");
  EXPECT_EQ(y->data(), x->data());
  EXPECT_EQ(RunText("reshape{shape=0,1,3}", {x}), "f32[2, 1, 3] {0 1 2 3 4 5}");
  EXPECT_EQ(RunText("reshape{scalar=1}", {F({1}, {7})}), "f32[] {7}");
  EXPECT_EQ(RunText("squeeze", {Iota({1, 2, 1})}), "f32[2] {0 1}");
  EXPECT_EQ(RunText("unsqueeze{axes=0,2}", {F({1}, {3})}), "f32[1, 1, 1] {3}");
  EXPECT_EQ(RunText("flatten", {Iota({2, 1, 2})}), "f32[2, 2] {0 1 2 3}");
  ExpectError("reshape", {x, I({2}, {4, -1})}, {"reshape", "[2, 3]"});
  ExpectError("reshape", {x, F({1}, {6})}, {"reshape", "shape (argument 1)", "f32"});
  ExpectError("reshape", {x}, {"reshape", "shape", "missing"});
  ExpectError("squeeze{axes=1}", {x}, {"squeeze", "axis 1", "3"});
}

TEST(ExpandTest, AndTile) {
  EXPECT_EQ(RunText("expand", {F({2, 1}, {1, 2}), I({2}, {1, 3})}), "f32[2, 3] {1 1 1 2 2 2}");
  EXPECT_EQ(RunText("tile{repeats=2,2}", {Iota({1, 2})}), "f32[2, 4] {0 1 0 1 0 1 0 1}");
  EXPECT_EQ(RunText("tile{repeats=0}", {Iota({2})}), "f32[0] {}");
  ExpectError("expand", {Iota({2}), I({1}, {3})}, {"expand", "broadcast"});
  ExpectError("tile", {Iota({2}), I({1}, {-1})}, {"tile", "-1"});
  ExpectError("tile", {Iota({2}), I({1}, {int64_t{1} << 62})}, {"tile"});
}

TEST(ConcatTest, AndSplit) {
  EXPECT_EQ(RunText("concat{axis=1}", {Iota({2, 1}), Iota({2, 2})}), "f32[2, 3] {0 0 1 1 2 3}");
  EXPECT_EQ(RunText("concat{axis=-1}", {I({1}, {1}), I({0}, {}), I({2}, {2, 3})}),
            "i64[3] {1 2 3}");
  EXPECT_EQ(RunText("split{axis=1 sizes=1,2}", {Iota({2, 3})}),
            "f32[2, 1] {0 3} f32[2, 2] {1 2 4 5}");
  EXPECT_EQ(RunText("split{parts=2}", {Iota({3})}), "f32[2] {0 1} f32[1] {2}");
  EXPECT_EQ(RunText("split{parts=1}", {Iota({2})}), "f32[2] {0 1}");
  ExpectError("concat", {Iota({2, 1}), Iota({2, 2})}, {"concat", "argument 1"});
  ExpectError("concat", {Iota({1}), I({1}, {1})}, {"concat", "argument 1", "i64"});
  ExpectError("concat", {}, {"concat"});
  ExpectError("split{axis=0 sizes=1,1}", {Iota({3})}, {"split", "2", "3"});
}

TEST(SliceTest, StepsAndViews) {
  TensorPtr x = Iota({3, 4});
  EXPECT_EQ(RunText("slice{starts=1 ends=3 axes=1}", {x}), "f32[3, 2] {1 2 5 6 9 10}");
  EXPECT_EQ(RunText("slice{starts=-1 ends=-100 axes=0 steps=-2}", {x}),
            "f32[2, 4] {8 9 10 11 0 1 2 3}");
  EXPECT_EQ(RunText("slice", {x, I({2}, {0, 0}), I({2}, {1, 9}), I({2}, {0, 1}), I({2}, {1, 3})}),
            "f32[1, 2] {0 3}");
  TensorPtr row = RunTensor("slice{starts=1 ends=2 axes=0}", {x});
  EXPECT_EQ(Text(*row), "f32[1, 4] {4 5 6 7}");
  EXPECT_EQ(row->data(), x->data_as<float>() + 4);
  EXPECT_EQ(RunText("slice{starts=2 ends=1 axes=0}", {x}), "f32[0, 4] {}");
  ExpectError("slice{starts=0 ends=1 axes=2}", {x}, {"slice", "axis 2"});
  ExpectError("slice{starts=0 ends=1 axes=0 steps=0}", {x}, {"slice", "step"});
  ExpectError("slice", {x, I({2}, {0, 0}), I({1}, {1})}, {"slice", "2 starts", "1 ends"});
  EXPECT_FALSE(MakeOperator("slice{starts=0,0 ends=1}").ok());
}

TEST(PadTest, Modes) {
  TensorPtr x = Iota({1, 3});
  EXPECT_EQ(RunText("pad{pads=0,1,1,1 value=9}", {x}), "f32[2, 5] {9 0 1 2 9 9 9 9 9 9}");
  EXPECT_EQ(RunText("pad{mode=edge pads=1,2 axes=1}", {x}), "f32[1, 6] {0 0 1 2 2 2}");
  EXPECT_EQ(RunText("pad{mode=reflect pads=2,1 axes=1}", {x}), "f32[1, 6] {2 1 0 1 2 1}");
  EXPECT_EQ(RunText("pad{mode=wrap pads=1,4 axes=1}", {x}), "f32[1, 8] {2 0 1 2 0 1 2 0}");
  EXPECT_EQ(RunText("pad{pads=-1,1 axes=1}", {x}), "f32[1, 3] {1 2 0}");
  EXPECT_EQ(RunText("pad", {I({1}, {1}), I({2}, {1, 0}), I({}, {7})}), "i64[2] {7 1}");
  ExpectError("pad", {x, I({3}, {1, 1, 1})}, {"pad", "3", "4"});
  EXPECT_FALSE(MakeOperator("pad{pads=1,1,1}").ok());
  ExpectError("pad{pads=0,-2,0,-2}", {x}, {"pad", "axis 1"});
  ExpectError("pad", {x, I({4}, {0, int64_t{1} << 61, 0, 0})}, {"pad"});
  ExpectError("pad", {x, I({4}, {0, int64_t{1} << 39, 0, int64_t{1} << 39})}, {"pad"});
  ExpectError("pad{pads=0,1,0,1}", {x, nullptr, I({}, {1})}, {"pad", "value", "i64"});
}

TEST(BlockTest, DepthAndSpace) {
  TensorPtr x = Iota({1, 4, 1, 2});
  EXPECT_EQ(RunText("depth_to_space{block=2}", {x}), "f32[1, 1, 2, 4] {0 2 1 3 4 6 5 7}");
  TensorPtr y = RunTensor("depth_to_space{block=2}", {x});
  EXPECT_EQ(RunText("space_to_depth{block=2}", {y}), Text(*x));
  TensorPtr wide = Iota({1, 8, 2, 2}), last = RunTensor("transpose{perm=0,2,3,1}", {wide});
  for (std::string order : {"dcr", "crd"}) {
    TensorPtr moved = RunTensor("depth_to_space{layout=nhwc block=2 order=" + order + "}", {last});
    EXPECT_EQ(RunText("transpose{perm=0,3,1,2}", {moved}),
              RunText("depth_to_space{block=2 order=" + order + "}", {wide}));
  }
  ExpectError("depth_to_space{block=3}", {x}, {"depth_to_space", "4", "9"});
  ExpectError("space_to_depth{block=2}", {x}, {"space_to_depth", "block=2"});
}

TEST(MakeTest, ShapesAndNumbers) {
  EXPECT_EQ(RunText("shape_of", {Iota({2, 3})}), "i64[2] {2 3}");
  EXPECT_EQ(RunText("shape_of{start=-1}", {Iota({2, 3})}), "i64[1] {3}");
  EXPECT_EQ(RunText("size_of", {Iota({2, 3})}), "i64[] {6}");
  EXPECT_EQ(RunText("range", {I({}, {5}), I({}, {0}), I({}, {-2})}), "i64[3] {5 3 1}");
  EXPECT_EQ(RunText("range", {F({}, {0}), F({}, {1}), F({}, {0.4f})}), "f32[3] {0 0.4 0.8}");
  EXPECT_EQ(RunText("constant_of_shape{dtype=i64 value=7}", {I({2}, {1, 2})}), "i64[1, 2] {7 7}");
  EXPECT_EQ(RunText("constant_of_shape", {I({0}, {})}), "f32[] {0}");
  EXPECT_EQ(RunText("eye_like{k=1}", {Iota({2, 3})}), "f32[2, 3] {0 1 0 0 0 1}");
  EXPECT_EQ(RunText("trilu{upper=0}", {Iota({2, 2})}), "f32[2, 2] {0 0 2 3}");
  ExpectError("range", {I({}, {0}), I({}, {1}), I({}, {0})}, {"range", "0"});
  ExpectError("range", {I({}, {0}), F({}, {1}), I({}, {1})}, {"range", "limit", "f32"});
  ExpectError("range", {F({}, {0}), F({}, {1e30f}), F({}, {1e-30f})}, {"range", "too many"});
  ExpectError("constant_of_shape", {I({1}, {-1})}, {"constant_of_shape", "-1"});
  ExpectError("constant_of_shape", {I({2}, {int64_t{1} << 40, int64_t{1} << 40})},
              {"constant_of_shape"});
}

}  // namespace
}  // namespace tern::kernels::bind_shape_test
