// SPDX-License-Identifier: Apache-2.0
// Functions between tensors and lists, and products of integers.
#include "core/kernels/bind/lists.h"

#include "core/object/containers/sequence.h"
#include "core/object/graph/print.h"
#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::lists_test {
namespace {

SequencePtr List(std::initializer_list<TensorPtr> items) {
  SequencePtr list = Sequence::Make();
  for (const TensorPtr& item : items) list->PushBack(AnyView(item));
  return list;
}

std::string RunList(std::string_view name, std::initializer_list<AnyView> args) {
  Registry registry;
  if (Status status = RegisterListFunctions(&registry); !status.ok()) return status.ToString();
  Result<FunctionPtr> function = registry.Find(name);
  if (!function.ok()) return function.status().ToString();
  RunContext context;
  Result<Any> result = (*function)->Invoke(args, &context);
  if (!result.ok()) return result.status().ToString();
  if (const Tensor* tensor = result->TryCast<Tensor>()) return Text(*tensor);
  std::string text;
  if (const Sequence* list = result->TryCast<Sequence>()) {
    for (const AnyView& item : *list)
      text += (text.empty() ? "" : " ") + Text(*item.TryCast<Tensor>());
  }
  return text;
}

void ExpectIn(std::string_view part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(ListFunctions, StackAndJoin) {
  const SequencePtr list = List({F({2}, {1, 2}), F({2}, {3, 4})});
  EXPECT_EQ(RunList("list_stack", {AnyView(list)}), "f32[2, 2] {1 2 3 4}");
  EXPECT_EQ(RunList("list_stack{to=i64 extents=3,4}", {AnyView(List({}))}), "i64[0, 3, 4] {}");
  EXPECT_EQ(RunList("list_join{axis=0}", {AnyView(list)}), "f32[4] {1 2 3 4}");
  EXPECT_EQ(RunList("list_join{axis=-1 new_axis=1}", {AnyView(list)}), "f32[2, 2] {1 3 2 4}");
}

TEST(ListFunctions, StackAndJoinRefuse) {
  const SequencePtr mixed = List({F({2}, {1, 2}), F({1}, {3})});
  ExpectIn("item 1 is f32[1], expected f32[2] as the first one",
           RunList("list_stack", {AnyView(mixed)}));
  ExpectIn("f32", RunList("list_stack", {AnyView(List({F({1}, {1}), I({1}, {1})}))}));
  ExpectIn("the list is empty", RunList("list_join{axis=0}", {AnyView(List({}))}));
  ExpectIn("list_join", RunList("list_join{axis=7}", {AnyView(mixed)}));
  ExpectIn("list_stack", RunList("list_stack", {AnyView(F({1}, {1}))}));
  ExpectIn("takes 1 to 1 arguments, got 0", RunList("list_stack", {}));
  ExpectIn("extents", RunList("list_stack{extents=-1}", {AnyView(List({}))}));
  ExpectIn("of rank 9", RunList("list_stack{extents=1,1,1,1,1,1,1,1}", {AnyView(List({}))}));
  const SequencePtr none = Sequence::Make();
  none->PushBack(AnyView(int64_t{3}));
  ExpectIn("expected a tensor", RunList("list_stack", {AnyView(none)}));
}

TEST(ListFunctions, Split) {
  const TensorPtr x = Iota({2, 3});
  EXPECT_EQ(RunList("list_split{axis=1}", {AnyView(x)}),
            "f32[2, 1] {0 3} f32[2, 1] {1 4} f32[2, 1] {2 5}");
  EXPECT_EQ(RunList("list_split{axis=0 keepdims=0}", {AnyView(x)}),
            "f32[3] {0 1 2} f32[3] {3 4 5}");
  EXPECT_EQ(RunList("list_split{axis=1}", {AnyView(x), AnyView(I({}, {2}))}),
            "f32[2, 2] {0 1 3 4} f32[2, 1] {2 5}");
  EXPECT_EQ(RunList("list_split{axis=1}", {AnyView(x), AnyView(I({2}, {0, 3}))}),
            "f32[2, 0] {} f32[2, 3] {0 1 2 3 4 5}");
  ExpectIn("a part of 0 items", RunList("list_split", {AnyView(x), AnyView(I({}, {0}))}));
  ExpectIn("the parts have 3 items together, expected 2",
           RunList("list_split", {AnyView(x), AnyView(I({1}, {3}))}));
  ExpectIn("axis", RunList("list_split{axis=5}", {AnyView(x)}));
}

TEST(ListFunctions, InsertEraseAndGet) {
  const SequencePtr list = List({I({1}, {1}), I({1}, {2})});
  const TensorPtr three = I({1}, {3});
  const auto insert = [&](int64_t at) {
    return RunList("list_insert", {AnyView(list), AnyView(three), AnyView(at)});
  };
  EXPECT_EQ(insert(0), "i64[1] {3} i64[1] {1} i64[1] {2}");
  EXPECT_EQ(insert(2), "i64[1] {1} i64[1] {2} i64[1] {3}");
  EXPECT_EQ(insert(-1), "i64[1] {1} i64[1] {3} i64[1] {2}");
  ExpectIn("position 3 is out of range for a list of 2 items", insert(3));
  ExpectIn("position -3 is out of range", insert(-3));
  EXPECT_EQ(RunList("list_erase", {AnyView(list), AnyView(int64_t{-1})}), "i64[1] {1}");
  ExpectIn("out of range", RunList("list_erase", {AnyView(list), AnyView(int64_t{2})}));
  ExpectIn("empty list", RunList("list_erase", {AnyView(List({})), AnyView(int64_t{0})}));
  EXPECT_EQ(RunList("optional_get", {AnyView(three)}), "i64[1] {3}");
  ExpectIn("the optional is empty", RunList("optional_get", {AnyView()}));
}

TEST(IntegerProducts, MatMul) {
  const TensorPtr a = T_<uint8_t>({2, 2}, {1, 2, 3, 4}), b = T_<int8_t>({2, 2}, {1, -1, 2, 0});
  EXPECT_EQ(RunText("matmul_integer", {a, b}), "i32[2, 2] {5 -1 11 -3}");
  EXPECT_EQ(RunText("matmul_integer", {a, b, T_<uint8_t>({}, {1})}), "i32[2, 2] {2 0 8 -2}");
  EXPECT_EQ(RunText("matmul_integer", {a, b, T_<uint8_t>({2}, {1, 3}), T_<int8_t>({2}, {0, 1})}),
            "i32[2, 2] {2 -1 2 -1}");
  EXPECT_EQ(RunText("matmul_integer", {T_<uint8_t>({2}, {1, 2}), b}), "i32[2] {5 -1}");
  EXPECT_EQ(RunText("matmul_integer", {T_<uint8_t>({2, 1, 2}, {1, 0, 0, 1}), b}),
            "i32[2, 1, 2] {1 -1 2 0}");
  ExpectError("matmul_integer", {F({1, 1}, {1}), b}, {"matmul_integer", "u8 or i8", "f32[1, 1]"});
  ExpectError("matmul_integer", {a, T_<int8_t>({3, 1}, {1, 2, 3})}, {"axis 1", "[2, 2]", "[3, 1]"});
  ExpectError("matmul_integer", {a, b, T_<uint8_t>({3}, {1, 1, 1})}, {"one element or 2"});
}

TEST(IntegerProducts, Convolution) {
  const TensorPtr x = T_<uint8_t>({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const TensorPtr w = T_<int8_t>({1, 1, 2, 2}, {1, 1, 1, 1});
  EXPECT_EQ(RunText("conv_integer", {x, w, T_<uint8_t>({}, {1})}), "i32[1, 1, 2, 2] {8 12 20 24}");
  EXPECT_EQ(RunText("conv_integer{pads=1,1,1,1 strides=2,2}", {x, w, T_<uint8_t>({}, {1})}),
            "i32[1, 1, 2, 2] {0 3 9 24}");
  EXPECT_EQ(RunText("conv_integer{groups=2}",
                    {T_<uint8_t>({1, 2, 2}, {1, 2, 3, 4}), T_<int8_t>({2, 1, 1}, {1, 2}), AnyView(),
                     T_<int8_t>({2}, {0, 1})}),
            "i32[1, 2, 2] {1 2 3 4}");
  ExpectError("conv_integer", {x, F({1, 1, 1, 1}, {1})}, {"conv_integer", "u8 or i8"});
  ExpectError("conv_integer", {x, T_<int8_t>({1, 2, 1, 1}, {1, 1})}, {"channels", "[1, 1, 3, 3]"});
  ExpectError("conv_integer{layout=nhwc}", {x, T_<int8_t>({1, 3, 1, 1}, {1, 1, 1})}, {"nchw"});
}

}  // namespace
}  // namespace tern::kernels::lists_test
