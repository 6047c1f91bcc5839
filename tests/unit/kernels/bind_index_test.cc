// SPDX-License-Identifier: Apache-2.0
// Reductions, index operators, resize, normalizations.

#include <limits>

#include "core/kernels/bind/bindings.h"
#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::bind_index_test {
namespace {

TEST(ReduceTest, AnySetOfAxes) {
  TensorPtr x = Iota({2, 2, 3});
  EXPECT_EQ(RunText("reduce_sum", {x}), "f32[1, 1, 1] {66}");
  EXPECT_EQ(RunText("reduce_sum{axes=1 keep_dims=0}", {x}), "f32[2, 3] {3 5 7 15 17 19}");
  EXPECT_EQ(RunText("reduce_max{axes=0,2 keep_dims=0}", {x}), "f32[2] {8 11}");
  EXPECT_EQ(RunText("reduce_mean", {x, I({1}, {-1})}), "f32[2, 2, 1] {1 4 7 10}");
  EXPECT_EQ(RunText("reduce_sum{noop_if_empty=1}", {F({2}, {1, 2})}), "f32[2] {1 2}");
  EXPECT_EQ(RunText("reduce_l2{axes=0}", {F({2}, {3, 4})}), "f32[1] {5}");
  EXPECT_EQ(RunText("reduce_log_sum_exp", {F({2}, {1000, 1000})}), "f32[1] {1000.69}");
  EXPECT_EQ(RunText("reduce_sum{keep_dims=0}", {Tensor::New(kF32, {0}).value()}), "f32[] {0}");
}

TEST(ReduceTest, OtherTypes) {
  EXPECT_EQ(RunText("reduce_sum", {I({3}, {1, 2, -4})}), "i64[1] {-1}");
  EXPECT_EQ(RunText("reduce_min", {I({2}, {3, -9})}), "i64[1] {-9}");
  EXPECT_EQ(RunText("reduce_mean", {T_<int32_t>({2}, {3, 4})}), "i32[1] {3}");
  EXPECT_EQ(RunText("reduce_max", {B({2}, {false, true})}), "bool[1] {1}");
  EXPECT_EQ(RunText("reduce_log_sum_exp", {T_<double>({2}, {1000, 1000})}), "f64[1] {1000.69}");
  EXPECT_EQ(RunText("reduce_prod", {T_<double>({2}, {3, 0.5})}), "f64[1] {1.5}");
  EXPECT_EQ(RunText("reduce_max", {T_<double>({1}, {-std::numeric_limits<double>::infinity()})}),
            "f64[1] {-inf}");
  EXPECT_EQ(RunText("reduce_l1", {T_<int8_t>({3}, {-100, 20, -7})}), "i8[1] {127}");
  EXPECT_EQ(RunText("reduce_l2", {T_<int32_t>({2}, {3, -4})}), "i32[1] {5}");
  EXPECT_EQ(RunText("reduce_sum_square", {T_<int8_t>({2}, {10, 9})}), "i8[1] {-75}");
}

// The maximum is subtracted first, and where it is infinite nothing is left to subtract it from.
TEST(ReduceTest, InfinitiesStayInLogSumExp) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(RunText("reduce_log_sum_exp", {T_<double>({2}, {kInf, 1})}), "f64[1] {inf}");
  EXPECT_EQ(RunText("reduce_log_sum_exp", {T_<double>({2}, {-kInf, -kInf})}), "f64[1] {-inf}");
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(RunText("reduce_log_sum_exp", {F({2}, {inf, 1})}), "f32[1] {inf}");
  EXPECT_EQ(RunText("reduce_log_sum_exp", {F({2}, {-inf, -inf})}), "f32[1] {-inf}");
}

TEST(ReduceTest, NoElements) {
  for (const DType type : {kF32, kF64}) {
    const TensorPtr none = Tensor::New(type, {2, 0}).value();
    const std::string shape = StrCat(type.ToString(), "[2, 1] ");
    EXPECT_EQ(RunText("reduce_max{axes=1}", {none}), shape + "{-inf -inf}");
    EXPECT_EQ(RunText("reduce_sum{axes=1}", {none}), shape + "{0 0}");
    // Its sign is the processor's.
    EXPECT_NE(RunText("reduce_mean{axes=1}", {none}).find("nan"), std::string::npos);
  }
  EXPECT_EQ(RunText("reduce_mean{axes=1}", {Tensor::New(kI64, {1, 0}).value()}), "i64[1, 1] {0}");
}

// Called as a function: an equation has an arrow, which operator names cannot spell yet.
std::string Einsum(std::string equation, std::initializer_list<AnyView> args) {
  RunContext context;
  bind::Call call(*ops::FindOp("einsum"), context, AnyArgs(args.begin(), args.size()));
  Result<Any> result = bind::Einsum(ops::EinsumAttrs{std::move(equation)}, call);
  return result.ok() ? Text(*result->TryCast<Tensor>()) : result.status().ToString();
}

TEST(EinsumTest, ContractsFromLeftToRight) {
  TensorPtr a = Iota({2, 3}), b = Iota({3, 2}), u = F({2}, {1, 2}), v = F({2}, {3, 4});
  EXPECT_EQ(Einsum("ij,jk->ik", {a, b}), RunText("matmul", {a, b}));
  EXPECT_EQ(Einsum("ij->ji", {a}), RunText("transpose", {a}));
  EXPECT_EQ(Einsum("ij->", {a}), "f32[] {15}");
  EXPECT_EQ(Einsum("ii->i", {Iota({2, 2})}), "f32[2] {0 3}");
  EXPECT_EQ(Einsum("i,j->ij", {u, v}), "f32[2, 2] {3 4 6 8}");
  EXPECT_EQ(Einsum("i,i,i->", {u, v, u}), "f32[] {19}");
  TensorPtr left = Iota({2, 1, 1, 2}), right = Iota({3, 2, 1});
  EXPECT_EQ(Einsum("...ij,...jk->...ik", {left, right}), RunText("matmul", {left, right}));
}

TEST(EinsumTest, TakesEveryNumber) {
  EXPECT_EQ(Einsum("ij,jk->ik", {T_<double>({2, 2}, {1, 2, 3, 4}), T_<double>({2, 1}, {5, 0.5})}),
            "f64[2, 1] {6 17}");
  EXPECT_EQ(Einsum("ij->i", {T_<double>({2, 2}, {1, 2, 3, 4})}), "f64[2] {3 7}");
  EXPECT_EQ(Einsum("bij,bjk->bik",
                   {T_<double>({2, 1, 2}, {1, 2, 3, 4}), T_<double>({2, 2, 1}, {1, 1, 2, 2})}),
            "f64[2, 1, 1] {3 14}");
  EXPECT_EQ(Einsum("i,i->", {I({3}, {1, -2, 3}), I({3}, {4, 5, -6})}), "i64[] {-24}");
  EXPECT_EQ(Einsum("i,j->ij", {T_<int8_t>({2}, {100, -3}), T_<int8_t>({2}, {2, 50})}),
            "i8[2, 2] {-56 -120 -6 106}");
  EXPECT_EQ(Einsum("i->", {T_<uint8_t>({3}, {200, 50, 10})}), "u8[] {4}");
  const TensorPtr half = RunTensor("cast{to=f16}", {F({2}, {0.5f, 3})});
  EXPECT_EQ(Einsum("i,i->", {half, half}), "f16[] {?}");
  EXPECT_NE(Einsum("i->", {B({1}, {true})}).find("expected numbers"), std::string::npos);
  EXPECT_NE(Einsum("i,i->", {I({1}, {1}), F({1}, {1})}).find("i64"), std::string::npos);
}

TEST(EinsumTest, RefusesWhatDoesNotFit) {
  TensorPtr a = Iota({2, 3});
  EXPECT_NE(Einsum("ij,jk->ik", {a, a}).find("axis 'j' is 3"), std::string::npos);
  EXPECT_NE(Einsum("ij,jk->ik", {a}).find("2 inputs"), std::string::npos);
  EXPECT_NE(Einsum("ij->ik", {a}).find("'k' is in no input"), std::string::npos);
  EXPECT_NE(Einsum("i->i", {a}).find("axes of 'i'"), std::string::npos);
  EXPECT_NE(Einsum("ij->ij", {I({1, 1}, {1})}).find("i64"), std::string::npos);
}

TEST(ReduceTest, RefusesBadAxes) {
  ExpectError("reduce_sum{axes=2}", {Iota({2, 2})}, {"reduce_sum", "axis 2"});
  ExpectError("reduce_sum{axes=1,-1}", {Iota({2, 2})}, {"reduce_sum"});
  ExpectError("reduce_sum", {Iota({2}), F({1}, {0})}, {"reduce_sum", "axes (argument 1)", "f32"});
  ExpectError("argmax{axis=0}", {Tensor::New(kF32, {0}).value()}, {"argmax", "no elements"});
}

TEST(ArgTest, ExtremesAndSums) {
  TensorPtr x = F({2, 3}, {1, 3, 3, 5, 2, 5});
  EXPECT_EQ(RunText("argmax{axis=1 keep_dims=0}", {x}), "i64[2] {1 0}");
  EXPECT_EQ(RunText("argmax{axis=1 last=1}", {x}), "i64[2, 1] {2 2}");
  EXPECT_EQ(RunText("argmin{axis=0}", {x}), "i64[1, 3] {0 1 0}");
  EXPECT_EQ(RunText("cumsum{axis=1}", {x}), "f32[2, 3] {1 4 7 5 7 12}");
  EXPECT_EQ(RunText("cumsum{axis=0 exclusive=1 reverse=1}", {I({3}, {1, 2, 3})}), "i64[3] {5 3 0}");
  ExpectError("cumsum{axis=3}", {x}, {"cumsum", "axis 3"});
  EXPECT_EQ(RunText("cumprod{axis=1}", {x}), "f32[2, 3] {1 3 9 5 10 50}");
  EXPECT_EQ(RunText("cumprod{exclusive=1 reverse=1}", {I({3}, {1, 2, 3})}), "i64[3] {6 3 1}");
  EXPECT_EQ(RunText("cumprod{exclusive=1}", {F({1}, {7})}), "f32[1] {1}");
  ExpectError("cumprod{axis=-3}", {x}, {"cumprod", "axis -3"});
}

TEST(TopKTest, SortsWithIndices) {
  TensorPtr x = F({1, 4}, {1, 3, 3, 2});
  EXPECT_EQ(RunText("topk{k=3}", {x}), "f32[1, 3] {3 3 2} i64[1, 3] {1 2 3}");
  EXPECT_EQ(RunText("topk{largest=0}", {x, I({1}, {2})}), "f32[1, 2] {1 2} i64[1, 2] {0 3}");
  EXPECT_EQ(RunText("topk{k=1}", {F({3}, {1, std::nanf(""), 2})}), "f32[1] {nan} i64[1] {1}");
  ExpectError("topk{k=5}", {x}, {"topk", "5", "4"});
  ExpectError("topk", {x, I({2}, {1, 2})}, {"topk", "k", "2"});
}

TEST(GatherTest, AxesAndNegativeIndices) {
  TensorPtr x = Iota({2, 3});
  EXPECT_EQ(RunText("gather{axis=1}", {x, I({2}, {-1, 0})}), "f32[2, 2] {2 0 5 3}");
  EXPECT_EQ(RunText("gather", {I({3}, {7, 8, 9}), I({}, {2})}), "i64[] {9}");
  EXPECT_EQ(RunText("gather", {x, T_<int32_t>({1, 1}, {1})}), "f32[1, 1, 3] {3 4 5}");
  EXPECT_EQ(RunText("gather", {I({3}, {7, 8, 9}), T_<int8_t>({2}, {-1, 1})}), "i64[2] {9 8}");
  EXPECT_EQ(RunText("gather", {I({3}, {7, 8, 9}), T_<uint16_t>({2}, {2, 0})}), "i64[2] {9 7}");
  EXPECT_EQ(RunText("gather_elements{axis=1}", {x, I({2, 1}, {2, -3})}), "f32[2, 1] {2 3}");
  EXPECT_EQ(RunText("gather_nd", {x, I({2, 2}, {0, 1, -1, -1})}), "f32[2] {1 5}");
  EXPECT_EQ(RunText("gather_nd{batch_dims=1}", {x, I({2, 1}, {2, 0})}), "f32[2] {2 3}");
}

TEST(GatherTest, RefusesIndicesOutOfRange) {
  TensorPtr x = Iota({2, 3});
  ExpectError("gather{axis=1}", {x, I({1}, {3})}, {"gather", "index 3", "-3", "2"});
  ExpectError("gather", {x, I({2}, {0, -3})}, {"gather", "index -3", "element 1"});
  ExpectError("gather", {x, F({1}, {0})}, {"gather", "f32", "integers"});
  ExpectError("gather", {x, T_<uint8_t>({1}, {255})}, {"gather", "index 255", "-2"});
  ExpectError("gather", {x, T_<uint64_t>({1}, {UINT64_MAX})}, {"gather", "index", "-2"});
  ExpectError("gather_nd", {x, I({1, 2}, {0, 3})}, {"gather_nd", "index 3"});
  ExpectError("gather_nd", {x, I({1, 3}, {0, 0, 0})}, {"gather_nd", "[2, 3]"});
  ExpectError("gather_elements", {x, I({1, 4}, {0, 0, 0, 0})}, {"gather_elements", "[1, 4]"});
}

TEST(ScatterTest, WritesIntoACopy) {
  TensorPtr x = F({3}, {1, 2, 3});
  EXPECT_EQ(RunText("scatter_elements", {x, I({2}, {2, 0}), F({2}, {9, 8})}), "f32[3] {8 2 9}");
  EXPECT_EQ(RunText("scatter_elements{reduction=add}", {x, I({2}, {1, 1}), F({2}, {1, 1})}),
            "f32[3] {1 4 3}");
  EXPECT_EQ(RunText("scatter_nd", {Iota({2, 2}), I({1, 1}, {1}), F({1, 2}, {7, 8})}),
            "f32[2, 2] {0 1 7 8}");
  EXPECT_EQ(Text(*x), "f32[3] {1 2 3}");
  ExpectError("scatter_elements", {x, I({1}, {3}), F({1}, {0})}, {"scatter_elements", "index 3"});
  ExpectError("scatter_elements", {x, I({2}, {0, 0}), F({1}, {0})},
              {"scatter_elements", "updates"});
  ExpectError("scatter_nd", {x, I({1, 1}, {0}), F({2}, {1, 2})}, {"scatter_nd", "updates", "[1]"});
}

TEST(OneHotTest, AndNonZeroAndCompress) {
  TensorPtr values = F({2}, {0, 1});
  EXPECT_EQ(RunText("one_hot", {I({3}, {1, -1, 7}), I({}, {2}), values}),
            "f32[3, 2] {0 1 0 1 0 0}");
  EXPECT_EQ(RunText("one_hot{axis=0}", {I({1}, {1}), I({}, {2}), values}), "f32[2, 1] {0 1}");
  EXPECT_EQ(RunText("non_zero", {F({2, 2}, {0, 1, 2, 0})}), "i64[2, 2] {0 1 1 0}");
  EXPECT_EQ(RunText("compress{has_axis=1 axis=1}", {Iota({2, 3}), B({2}, {false, true})}),
            "f32[2, 1] {1 4}");
  ExpectError("one_hot", {I({1}, {0}), I({}, {-2}), values}, {"one_hot", "-2"});
  ExpectError("one_hot", {I({1}, {0}), I({}, {2}), F({1}, {0})}, {"one_hot", "two elements"});
  ExpectError("compress", {Iota({1}), B({2}, {true, true})}, {"compress", "condition"});
}

TEST(ResizeTest, NearestAndLinear) {
  TensorPtr x = F({1, 1, 2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(RunText("resize{coordinate=asymmetric nearest=floor scales=1,1,2,2}", {x}),
            "f32[1, 1, 4, 4] {1 1 2 2 1 1 2 2 3 3 4 4 3 3 4 4}");
  EXPECT_EQ(RunText("resize{mode=linear sizes=1,1,2,4}", {x}),
            "f32[1, 1, 2, 4] {1 1.25 1.75 2 3 3.25 3.75 4}");
  EXPECT_EQ(RunText("resize{mode=linear coordinate=align_corners sizes=1,1,3,3}", {x}),
            "f32[1, 1, 3, 3] {1 1.5 2 2 2.5 3 3 3.5 4}");
  EXPECT_EQ(RunText("resize{sizes=2}", {I({3}, {5, 6, 7})}), "i64[2] {5 7}");
}

TEST(ResizeTest, LayoutsAgree) {
  TensorPtr x = Iota({1, 2, 3, 4}, 0.37f), last = RunTensor("transpose{perm=0,2,3,1}", {x});
  TensorPtr y = RunTensor("resize{mode=linear sizes=1,5,7,2}", {last});
  EXPECT_EQ(RunText("transpose{perm=0,3,1,2}", {y}),
            RunText("resize{mode=linear sizes=1,2,5,7}", {x}));
}

TEST(ResizeTest, CubicAndCrop) {
  EXPECT_EQ(RunText("resize{mode=cubic coordinate=asymmetric scales=2}", {F({4}, {1, 1, 1, 1})}),
            "f32[8] {1 1 1 1 1 1 1 1}");
  EXPECT_EQ(RunText("resize{mode=linear coordinate=tf_crop_and_resize extrapolation=9 sizes=3}",
                    {F({3}, {0, 1, 2}), F({2}, {0, 2})}),
            "f32[3] {0 2 9}");
  EXPECT_EQ(RunText("resize{mode=linear antialias=1 scales=0.5}", {F({4}, {1, 2, 3, 4})}),
            "f32[2] {1.625 3.375}");
}

// A scale places pixels also where the extent that it gives is rounded.
TEST(ResizeTest, ScalesThatGiveNoWholeExtent) {
  EXPECT_EQ(
      RunText("resize{mode=linear coordinate=align_corners scales=0.6}", {F({4}, {1, 2, 3, 4})}),
      "f32[2] {1 3.14286}");
  EXPECT_EQ(RunText("resize{mode=linear aspect=not_larger sizes=9,3}",
                    {F({2, 4}, {0, 0, 0, 0, 1, 1, 1, 1})}),
            "f32[2, 3] {0.16667 0.16667 0.16667 1 1 1}");
}

TEST(ResizeTest, RefusesBadTargets) {
  TensorPtr x = Iota({1, 1, 2, 2});
  ExpectError("resize", {x}, {"resize", "neither scales nor sizes"});
  ExpectError("resize{scales=1,2}", {x}, {"resize", "2 scales"});
  ExpectError("resize", {x, nullptr, F({4}, {1, 1, -1, 1})}, {"resize", "-1"});
  ExpectError("resize{sizes=1,1,2,4611686018427387904}", {x}, {"resize"});
  ExpectError("resize{coordinate=tf_crop_and_resize sizes=1,1,2,2}", {x},
              {"resize", "roi", "missing"});
}

TEST(NormTest, RowsAndChannels) {
  TensorPtr x = F({1, 2, 2}, {1, 3, 2, 6}), one = F({2}, {1, 1}), zero = F({2}, {0, 0});
  EXPECT_EQ(RunText("layer_norm{axis=-1 epsilon=0}", {x, one, F({2}, {0, 1})}),
            "f32[1, 2, 2] {-1 2 -1 2}");
  EXPECT_EQ(RunText("instance_norm{epsilon=0}", {x, F({2}, {1, 2}), zero}),
            "f32[1, 2, 2] {-1 1 -2 2}");
  EXPECT_EQ(RunText("group_norm{groups=1 epsilon=0}", {F({1, 2, 1}, {1, 3}), one, zero}),
            "f32[1, 2, 1] {-1 1}");
  EXPECT_EQ(RunText("lp_norm{axis=-1}", {F({2, 2}, {3, 4, 0, 0})}), "f32[2, 2] {0.6 0.8 0 0}");
  EXPECT_EQ(RunText("lrn{size=1 alpha=1 beta=1 bias=0}", {F({1, 1, 2}, {2, 4})}),
            "f32[1, 1, 2] {0.5 0.25}");
  EXPECT_EQ(RunText("hardmax", {F({1, 3}, {1, 5, 5})}), "f32[1, 3] {0 1 0}");
  ExpectError("layer_norm{axis=-1}", {x, F({3}, {1, 1, 1})}, {"layer_norm", "[3]"});
  ExpectError("group_norm{groups=3}", {x, one, zero}, {"group_norm", "groups=3"});
  ExpectError("instance_norm", {x, F({1}, {1}), zero}, {"instance_norm", "scale", "[2]"});
}

TEST(NormTest, ChannelsLastAgrees) {
  TensorPtr x = Iota({2, 4, 3}, 0.3f), last = RunTensor("transpose{perm=0,2,1}", {x});
  TensorPtr scale = F({4}, {1, 2, 3, 4}), bias = F({4}, {0, 1, 2, 3});
  for (std::string op : {"group_norm{groups=2}", "instance_norm"}) {
    std::string with_axis =
        op == "instance_norm" ? "instance_norm{axis=2}" : "group_norm{axis=2 groups=2}";
    TensorPtr y = RunTensor(with_axis, {last, scale, bias});
    EXPECT_EQ(RunText("transpose{perm=0,2,1}", {y}), RunText(op, {x, scale, bias}));
  }
}

}  // namespace
}  // namespace tern::kernels::bind_index_test
