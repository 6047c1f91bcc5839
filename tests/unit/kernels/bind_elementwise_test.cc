// SPDX-License-Identifier: Apache-2.0
// Unary, binary, comparison, logic, cast, clip, where, over several element types.

#include <limits>

#include "core/base/strings.h"
#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::bind_elementwise_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(UnaryTest, FloatsAndIntegers) {
  EXPECT_EQ(RunText("relu", {F({3}, {-1, 0, 2})}), "f32[3] {0 0 2}");
  EXPECT_EQ(RunText("leaky_relu{alpha=0.5}", {F({2}, {-1, 2})}), "f32[2] {-0.5 2}");
  EXPECT_EQ(RunText("clamp{alpha=-1 beta=1}", {F({3}, {-5, 0.5, 5})}), "f32[3] {-1 0.5 1}");
  EXPECT_EQ(RunText("abs", {I({3}, {-4, 0, 4})}), "i64[3] {4 0 4}");
  EXPECT_EQ(RunText("neg", {T_<uint8_t>({2}, {1, 0})}), "u8[2] {255 0}");
  EXPECT_EQ(RunText("sqrt", {T_<double>({1}, {2})}), "f64[1] {1.41421}");
  EXPECT_EQ(RunText("identity", {B({1}, {true})}), "bool[1] {1}");
  EXPECT_EQ(RunText("exp", {Tensor::New(kF32, {0, 3}).value()}), "f32[0, 3] {}");
}

TEST(UnaryTest, SixteenBitFloats) {
  TensorPtr half = RunTensor("cast{to=f16}", {F({3}, {-2, 0.5, 3})});
  TensorPtr y = RunTensor("relu", {half});
  EXPECT_EQ(y->dtype(), kF16);
  EXPECT_EQ(RunText("cast{to=f32}", {y}), "f32[3] {0 0.5 3}");
}

TEST(UnaryTest, RefusesTypesTheFunctionHasNoMeaningFor) {
  ExpectError("exp", {I({1}, {1})}, {"exp", "x (argument 0)", "i64[1]", "float"});
  ExpectError("abs", {B({1}, {true})}, {"abs", "bool[1]"});
  ExpectError("not", {F({1}, {1})}, {"not", "f32[1]", "bool"});
  ExpectError("bitwise_not", {F({1}, {1})}, {"bitwise_not", "integer"});
  ExpectError("is_nan", {I({1}, {1})}, {"is_nan", "float"});
}

TEST(UnaryTest, TestsOfFloats) {
  TensorPtr x = F({4}, {1, kInf, -kInf, std::nanf("")});
  EXPECT_EQ(RunText("is_nan", {x}), "bool[4] {0 0 0 1}");
  EXPECT_EQ(RunText("is_inf", {x}), "bool[4] {0 1 1 0}");
  EXPECT_EQ(RunText("is_inf{negative=0}", {x}), "bool[4] {0 1 0 0}");
}

TEST(BinaryTest, Broadcasts) {
  EXPECT_EQ(RunText("add", {F({2, 1}, {1, 2}), F({3}, {10, 20, 30})}),
            "f32[2, 3] {11 21 31 12 22 32}");
  EXPECT_EQ(RunText("sub", {F({}, {1}), F({2}, {1, 2})}), "f32[2] {0 -1}");
  EXPECT_EQ(RunText("mul", {Iota({2, 1, 2}), Iota({3, 1})}),
            "f32[2, 3, 2] {0 0 0 1 0 2 0 0 2 3 4 6}");
  EXPECT_EQ(RunText("add", {Tensor::New(kF32, {0}).value(), F({1}, {1})}), "f32[0] {}");
}

TEST(BinaryTest, IntegersWrapAndTruncate) {
  EXPECT_EQ(RunText("div", {I({3}, {7, -7, 7}), I({3}, {2, 2, -1})}), "i64[3] {3 -3 -7}");
  EXPECT_EQ(RunText("mod", {I({3}, {7, -7, 7}), I({3}, {4, 4, -4})}), "i64[3] {3 1 -1}");
  EXPECT_EQ(RunText("fmod", {I({2}, {-7, 7}), I({2}, {4, -4})}), "i64[2] {-3 3}");
  EXPECT_EQ(RunText("add", {T_<int8_t>({1}, {127}), T_<int8_t>({1}, {1})}), "i8[1] {-128}");
  EXPECT_EQ(RunText("pow", {I({3}, {2, -3, 2}), I({3}, {10, 3, -1})}), "i64[3] {1024 -27 0}");
  TensorPtr least = I({1}, {std::numeric_limits<int64_t>::min()});
  EXPECT_EQ(RunText("div", {least, I({1}, {-1})}), Text(*least));
}

TEST(BinaryTest, FloatFunctions) {
  EXPECT_EQ(RunText("pow", {F({4}, {2, 9, -2, 0}), F({4}, {3, 0.5, 3, 0})}), "f32[4] {8 3 -8 1}");
  EXPECT_EQ(RunText("pow", {F({2}, {2, 3}), I({}, {2})}), "f32[2] {4 9}");
  EXPECT_EQ(RunText("max", {F({2}, {1, 2}), F({2}, {3, -4})}), "f32[2] {3 2}");
  EXPECT_EQ(RunText("prelu", {F({2}, {-2, 2}), F({1}, {0.25})}), "f32[2] {-0.5 2}");
  EXPECT_EQ(RunText("fmod", {F({2}, {-7, 7}), F({2}, {4, -4})}), "f32[2] {-3 3}");
  EXPECT_EQ(RunText("div", {T_<double>({1}, {1}), T_<double>({1}, {8})}), "f64[1] {0.125}");
}

TEST(BinaryTest, RefusesWhatDoesNotFit) {
  ExpectError("add", {F({2}, {1, 2}), F({3}, {1, 2, 3})}, {"add", "[2]", "[3]", "broadcast"});
  ExpectError("add", {F({1}, {1}), I({1}, {1})}, {"add", "b (argument 1)", "i64[1]", "f32"});
  ExpectError("add", {B({1}, {true}), B({1}, {true})}, {"add", "bool"});
  ExpectError("div", {I({1}, {1}), I({1}, {0})}, {"div", "zero"});
  ExpectError("mod", {I({1}, {1}), I({2}, {1, 0})}, {"mod", "zero"});
  ExpectError("and", {F({1}, {1}), F({1}, {1})}, {"and", "bool"});
  ExpectError("shift_left", {I({1}, {1}), I({1}, {1})}, {"shift_left", "unsigned"});
}

TEST(CompareTest, AndLogic) {
  EXPECT_EQ(RunText("less", {F({3}, {1, 2, 3}), F({1}, {2})}), "bool[3] {1 0 0}");
  EXPECT_EQ(RunText("greater_equal", {I({3}, {1, 2, 3}), I({1}, {2})}), "bool[3] {0 1 1}");
  EXPECT_EQ(RunText("equal", {B({2}, {true, false}), B({1}, {false})}), "bool[2] {0 1}");
  EXPECT_EQ(RunText("xor", {B({2}, {true, false}), B({1}, {true})}), "bool[2] {0 1}");
  EXPECT_EQ(RunText("not", {B({2}, {true, false})}), "bool[2] {0 1}");
  EXPECT_EQ(RunText("bitwise_and", {I({2}, {6, 5}), I({1}, {3})}), "i64[2] {2 1}");
  EXPECT_EQ(RunText("shift_left", {T_<uint8_t>({2}, {3, 1}), T_<uint8_t>({2}, {2, 9})}),
            "u8[2] {12 0}");
}

// Numbers of any size, some of which are equal.
template <class T>
TensorPtr Mixed(std::initializer_list<int64_t> dims, uint64_t factor) {
  TensorPtr x = Tensor::New(kDTypeOf<T>, dims).value();
  for (int64_t i = 0; i < x->element_count(); ++i)
    x->data_as<T>()[i] = static_cast<T>(static_cast<uint64_t>(i) * factor >> 3);
  return x;
}

// On two workers, whose ranges begin and end within rows.
TEST(CompareTest, RowsOnWorkersAreThoseOfTheirElements) {
  const struct {
    std::initializer_list<int64_t> a, b, out;
    int64_t (*a_at)(int64_t);
    int64_t (*b_at)(int64_t);
  } cases[] = {
      {{300, 1},
       {1, 401},
       {300, 401},
       [](int64_t i) { return i / 401; },
       [](int64_t i) { return i % 401; }},
      {{3, 1, 50000},
       {2, 1},
       {3, 2, 50000},
       [](int64_t i) { return i / 100000 * 50000 + i % 50000; },
       [](int64_t i) { return i / 50000 % 2; }},
      {{}, {70001}, {70001}, [](int64_t) { return int64_t{0}; }, [](int64_t i) { return i; }},
      {{70001}, {70001}, {70001}, [](int64_t i) { return i; }, [](int64_t i) { return i; }},
      {{40000, 3}, {3}, {40000, 3}, [](int64_t i) { return i; }, [](int64_t i) { return i % 3; }},
  };
  for (const auto& c : cases) {
    const TensorPtr a = Mixed<int32_t>(c.a, 7), b = Mixed<int32_t>(c.b, 7);
    Turns turns;
    const TensorPtr equal = RunTensor("equal", {a, b}, turns.parallel());
    const TensorPtr sum = RunTensor("add", {a, b}, turns.parallel());
    EXPECT_EQ(turns.tasks(), 4);
    ASSERT_EQ(sum->TypeText(), "i32" + equal->TypeText().substr(4));
    ASSERT_EQ(equal->element_count(), Tensor::New(kI32, c.out).value()->element_count());
    for (int64_t i = 0; i < sum->element_count(); ++i) {
      const int32_t p = a->data_as<int32_t>()[c.a_at(i)], q = b->data_as<int32_t>()[c.b_at(i)];
      ASSERT_EQ(equal->data_as<bool>()[i], p == q) << i;
      ASSERT_EQ(sum->data_as<int32_t>()[i], p + q) << i;
    }
  }
}

template <class From, class To>
void CheckCast(const char* to) {
  const TensorPtr x = Mixed<From>({70001}, 0x9e3779b97f4a7c15);
  Turns turns;
  const TensorPtr y = RunTensor(StrCat("cast{to=", to, "}"), {x}, turns.parallel());
  EXPECT_EQ(turns.tasks(), 2);
  ASSERT_EQ(y->TypeText(), StrCat(to, "[70001]"));
  for (int64_t i = 0; i < x->element_count(); ++i)
    ASSERT_EQ(y->data_as<To>()[i], static_cast<To>(x->data_as<From>()[i])) << to << " " << i;
}

TEST(CastTest, ManyElementsOnWorkersAreEachRoundedOnce) {
  CheckCast<bool, float>("f32");
  CheckCast<int8_t, float>("f32");
  CheckCast<int32_t, float>("f32");
  CheckCast<int64_t, float>("f32");
  CheckCast<uint64_t, float>("f32");
  CheckCast<double, float>("f32");
  CheckCast<uint64_t, double>("f64");
  CheckCast<int64_t, double>("f64");
  CheckCast<uint64_t, int8_t>("i8");
  CheckCast<uint64_t, int64_t>("i64");
  CheckCast<int64_t, uint16_t>("u16");
  CheckCast<uint64_t, bool>("bool");
  CheckCast<int32_t, bool>("bool");
  EXPECT_EQ(RunText("cast{to=f32}", {I({0}, {})}), "f32[0] {}");
}

TEST(CastTest, RoundsSaturatesAndTruncates) {
  TensorPtr x = F({5}, {-1.9f, 300, 2.5, std::nanf(""), kInf});
  EXPECT_EQ(RunText("cast{to=i64}", {F({2}, {-1.9f, 2.9f})}), "i64[2] {-1 2}");
  EXPECT_EQ(RunText("cast{to=u8}", {x}), "u8[5] {0 255 2 0 255}");
  EXPECT_EQ(RunText("cast{to=bool}", {F({2}, {0, -3})}), "bool[2] {0 1}");
  EXPECT_EQ(RunText("cast{to=f32}", {B({2}, {true, false})}), "f32[2] {1 0}");
  EXPECT_EQ(RunText("cast{to=i32}", {I({1}, {7})}), "i32[1] {7}");
  EXPECT_EQ(RunText("cast{to=f32}", {RunTensor("cast{to=bf16}", {F({1}, {1.00390625f})})}),
            "f32[1] {1}");
  // Rounded once, not to f32 first.
  const TensorPtr above = T_<double>({1}, {0x1.0100000000001p0});
  EXPECT_EQ(RunText("cast{to=f32}", {RunTensor("cast{to=bf16}", {above})}), "f32[1] {1.00781}");
  EXPECT_FALSE(MakeOperator("cast{to=f33}").ok());
}

TEST(ClipTest, BoundsAreOptionalScalars) {
  TensorPtr x = F({3}, {-5, 0, 5});
  EXPECT_EQ(RunText("clip", {x, F({}, {-1}), F({}, {1})}), "f32[3] {-1 0 1}");
  EXPECT_EQ(RunText("clip", {x, nullptr, F({1}, {1})}), "f32[3] {-5 0 1}");
  EXPECT_EQ(RunText("clip", {I({3}, {-5, 0, 5}), I({}, {0})}), "i64[3] {0 0 5}");
  ExpectError("clip", {x, I({}, {0})}, {"clip", "min (argument 1)", "i64", "f32"});
  ExpectError("clip", {x, F({2}, {0, 1})}, {"clip", "one element"});
}

TEST(WhereTest, BroadcastsAllThree) {
  EXPECT_EQ(RunText("where", {B({2, 1}, {true, false}), F({2}, {1, 2}), F({}, {0})}),
            "f32[2, 2] {1 2 0 0}");
  EXPECT_EQ(RunText("where", {B({1}, {false}), B({1}, {true}), B({1}, {false})}), "bool[1] {0}");
  ExpectError("where", {F({1}, {1}), F({1}, {1}), F({1}, {1})}, {"where", "condition", "bool"});
  ExpectError("where", {B({2}, {true, true}), F({3}, {1, 2, 3}), F({1}, {1})},
              {"where", "broadcast"});
}

}  // namespace
}  // namespace tern::kernels::bind_elementwise_test
