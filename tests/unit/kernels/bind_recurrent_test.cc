// SPDX-License-Identifier: Apache-2.0
// Recurrent layers against their equations written out, and the selection of boxes.

#include <string.h>

#include <algorithm>
#include <random>

#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::bind_recurrent_test {
namespace {

TensorPtr Random(std::initializer_list<int64_t> dims, uint32_t seed) {
  std::minstd_rand random(seed);
  TensorPtr x = Tensor::New(kF32, dims).value();
  for (int64_t i = 0; i < x->element_count(); ++i)
    x->data_as<float>()[i] = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
  return x;
}

float At(const Tensor& x, int64_t index) { return x.data_as<float>()[index]; }
float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

constexpr int64_t kTime = 3, kBatch = 2, kIn = 5, kHidden = 17;

// The arguments of a layer of `gates` blocks; the state's part of a gate.
struct Layer {
  explicit Layer(int64_t gates)
      : x(Random({kTime, kBatch, kIn}, 1)),
        w(Random({1, gates * kHidden, kIn}, 2)),
        r(Random({1, gates * kHidden, kHidden}, 3)),
        bias(Random({1, 2 * gates * kHidden}, 4)),
        h(Random({1, kBatch, kHidden}, 5)),
        c(Random({1, kBatch, kHidden}, 6)),
        p(Random({1, 3 * kHidden}, 7)),
        rows(gates * kHidden) {}

  float FromInput(int64_t t, int64_t b, int64_t row) const {
    float sum = At(*bias, row);
    for (int64_t i = 0; i < kIn; ++i)
      sum += At(*w, row * kIn + i) * At(*x, (t * kBatch + b) * kIn + i);
    return sum;
  }
  float FromState(const float* state, int64_t row) const {
    float sum = At(*bias, rows + row);
    for (int64_t i = 0; i < kHidden; ++i) sum += At(*r, row * kHidden + i) * state[i];
    return sum;
  }

  TensorPtr x, w, r, bias, h, c, p;
  int64_t rows;
};

// Field `index` of the result of a call.
TensorPtr Field(std::string_view op, std::initializer_list<AnyView> args, size_t index = 0) {
  Result<Any> result = Run(op, args);
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  if (!result.ok()) return F({0}, {});
  return TensorPtr(result->TryCast<Adt>()->fields()[index].TryCast<Tensor>());
}

void ExpectState(const Tensor& y, int64_t t, int64_t b, const float* state) {
  for (int64_t i = 0; i < kHidden; ++i)
    EXPECT_NEAR(At(y, (t * kBatch + b) * kHidden + i), state[i], 1e-5) << t << " " << b << " " << i;
}

// One call for all steps has its weights packed, one call a step has not.
TEST(RecurrentTest, StepByStepIsTheWholeSequence) {
  constexpr int64_t kSteps = 9;
  const TensorPtr x = Random({kSteps, 1, kIn}, 11), w = Random({1, 4 * kHidden, kIn}, 12);
  const TensorPtr r = Random({1, 4 * kHidden, kHidden}, 13);
  const TensorPtr whole = Field("lstm", {x, w, r});
  TensorPtr h, c;
  for (int64_t t = 0; t < kSteps; ++t) {
    TensorPtr frame = Tensor::New(kF32, {1, 1, kIn}).value();
    std::copy_n(x->data_as<float>() + t * kIn, kIn, frame->data_as<float>());
    const AnyView before_h = h == nullptr ? AnyView() : AnyView(h);
    const AnyView before_c = c == nullptr ? AnyView() : AnyView(c);
    const std::initializer_list<AnyView> args = {frame,     w,        r,       AnyView(),
                                                 AnyView(), before_h, before_c};
    const TensorPtr next_h = Field("lstm", args, 1), next_c = Field("lstm", args, 2);
    h = next_h;
    c = next_c;
    for (int64_t i = 0; i < kHidden; ++i)
      ASSERT_NEAR(At(*h, i), At(*whole, t * kHidden + i), 1e-5) << t << " " << i;
  }
}

// Which of the workers has which direction does not change a bit.
TEST(RecurrentTest, DirectionsOnTwoWorkersAreTheSameBits) {
  constexpr int64_t kSteps = 40, kUnits = 64;
  const TensorPtr x = Random({kSteps, 2, kIn}, 21), w = Random({2, 4 * kUnits, kIn}, 22);
  const TensorPtr r = Random({2, 4 * kUnits, kUnits}, 23), bias = Random({2, 8 * kUnits}, 24);
  const Result<FunctionPtr> lstm = MakeOperator("lstm{direction=bidirectional}");
  ASSERT_TRUE(lstm.ok()) << lstm.status().ToString();
  Turns turns;
  RunContext alone, shared(nullptr, turns.parallel());
  const Result<Any> one = (*lstm)->Invoke({x, w, r, bias}, &alone);
  const Result<Any> two = (*lstm)->Invoke({x, w, r, bias}, &shared);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_GE(turns.tasks(), 2);
  for (size_t field = 0; field < 3; ++field) {
    const Tensor* a = one->TryCast<Adt>()->fields()[field].TryCast<Tensor>();
    const Tensor* b = two->TryCast<Adt>()->fields()[field].TryCast<Tensor>();
    ASSERT_EQ(a->byte_size(), b->byte_size());
    EXPECT_EQ(memcmp(a->data(), b->data(), static_cast<size_t>(a->byte_size())), 0) << field;
  }
}

// Rows [directions, rows, k] in panels of 16, those from `second` on in panels of their own.
TensorPtr Packed(const Tensor& matrix, int64_t second) {
  const int64_t directions = matrix.dim(0), rows = matrix.dim(1), k = matrix.dim(2);
  const int64_t first_panels = (second + 15) / 16;
  const int64_t panels = first_panels + (rows - second + 15) / 16;
  TensorPtr packed = Tensor::New(kF32, {directions, panels, k, 16}).value();
  std::fill_n(packed->data_as<float>(), packed->element_count(), 0.0f);
  for (int64_t i = 0; i < directions * rows * k; ++i) {
    const int64_t d = i / k / rows, row = i / k % rows;
    const int64_t panel = row < second ? row / 16 : first_panels + (row - second) / 16;
    const int64_t column = row < second ? row % 16 : (row - second) % 16;
    packed->data_as<float>()[((d * panels + panel) * k + i % k) * 16 + column] = At(matrix, i);
  }
  return packed;
}

TEST(RecurrentTest, PackedWeightsGiveTheSameBits) {
  struct {
    const char *op, *attrs;
    int64_t gates, second;  // of r: where rows with panels of their own begin
  } const cases[] = {{"rnn", "", 1, kHidden},
                     {"lstm", "direction=bidirectional ", 4, 4 * kHidden},
                     {"gru", "linear_before_reset=1 ", 3, 3 * kHidden},
                     {"gru", "direction=bidirectional ", 3, 2 * kHidden}};
  for (const auto& c : cases) {
    const int64_t directions = c.attrs[0] == 'd' ? 2 : 1;
    const TensorPtr x = Random({kTime, kBatch, kIn}, 31);
    const TensorPtr w = Random({directions, c.gates * kHidden, kIn}, 32);
    const TensorPtr r = Random({directions, c.gates * kHidden, kHidden}, 33);
    const TensorPtr bias = Random({directions, 2 * c.gates * kHidden}, 34);
    const TensorPtr expected = Field(StrCat(c.op, "{", c.attrs, "}"), {x, w, r, bias});
    const TensorPtr actual = Field(StrCat(c.op, "{", c.attrs, "hidden=", kHidden, " packed=1}"),
                                   {x, Packed(*w, c.gates * kHidden), Packed(*r, c.second), bias});
    ASSERT_EQ(expected->byte_size(), actual->byte_size()) << c.op << " " << c.attrs;
    EXPECT_EQ(memcmp(expected->data(), actual->data(), static_cast<size_t>(expected->byte_size())),
              0)
        << c.op << " " << c.attrs;
  }
}

TEST(RecurrentTest, RnnIsItsEquation) {
  const Layer layer(1);
  const TensorPtr y = Field("rnn", {layer.x, layer.w, layer.r, layer.bias, AnyView(), layer.h});
  for (int64_t b = 0; b < kBatch; ++b) {
    std::vector<float> h(layer.h->data_as<float>() + b * kHidden,
                         layer.h->data_as<float>() + (b + 1) * kHidden);
    for (int64_t t = 0; t < kTime; ++t) {
      const std::vector<float> before = h;
      for (int64_t i = 0; i < kHidden; ++i)
        h[static_cast<size_t>(i)] =
            std::tanh(layer.FromInput(t, b, i) + layer.FromState(before.data(), i));
      ExpectState(*y, t, b, h.data());
    }
  }
}

TEST(RecurrentTest, LstmWithPeepholesIsItsEquations) {
  const Layer layer(4);
  const TensorPtr y =
      Field("lstm", {layer.x, layer.w, layer.r, layer.bias, AnyView(), layer.h, layer.c, layer.p});
  for (int64_t b = 0; b < kBatch; ++b) {
    std::vector<float> h(layer.h->data_as<float>() + b * kHidden,
                         layer.h->data_as<float>() + (b + 1) * kHidden);
    std::vector<float> c(layer.c->data_as<float>() + b * kHidden,
                         layer.c->data_as<float>() + (b + 1) * kHidden);
    for (int64_t t = 0; t < kTime; ++t) {
      const std::vector<float> before = h;
      for (int64_t i = 0; i < kHidden; ++i) {
        const auto gate = [&](int64_t g) {
          return layer.FromInput(t, b, g * kHidden + i) +
                 layer.FromState(before.data(), g * kHidden + i);
        };
        float& cell = c[static_cast<size_t>(i)];
        const float in = Sigmoid(gate(0) + At(*layer.p, i) * cell);
        const float forget = Sigmoid(gate(2) + At(*layer.p, 2 * kHidden + i) * cell);
        cell = forget * cell + in * std::tanh(gate(3));
        const float out = Sigmoid(gate(1) + At(*layer.p, kHidden + i) * cell);
        h[static_cast<size_t>(i)] = out * std::tanh(cell);
      }
      ExpectState(*y, t, b, h.data());
    }
  }
}

TEST(RecurrentTest, GruResetsBeforeOrAfterTheProduct) {
  const Layer layer(3);
  for (const bool after : {false, true}) {
    const TensorPtr y = Field(after ? "gru{linear_before_reset=1}" : "gru",
                              {layer.x, layer.w, layer.r, layer.bias, AnyView(), layer.h});
    for (int64_t b = 0; b < kBatch; ++b) {
      std::vector<float> h(layer.h->data_as<float>() + b * kHidden,
                           layer.h->data_as<float>() + (b + 1) * kHidden);
      for (int64_t t = 0; t < kTime; ++t) {
        const auto gate = [&](int64_t row) {
          return Sigmoid(layer.FromInput(t, b, row) + layer.FromState(h.data(), row));
        };
        std::vector<float> z, reset, masked, next;
        for (int64_t i = 0; i < kHidden; ++i) {
          z.push_back(gate(i));
          reset.push_back(gate(kHidden + i));
          masked.push_back(reset.back() * h[static_cast<size_t>(i)]);
        }
        for (int64_t i = 0; i < kHidden; ++i) {
          const auto at = static_cast<size_t>(i);
          const int64_t row = 2 * kHidden + i;
          const float state = after ? reset[at] * layer.FromState(h.data(), row)
                                    : layer.FromState(masked.data(), row);
          const float candidate = std::tanh(layer.FromInput(t, b, row) + state);
          next.push_back((1 - z[at]) * candidate + z[at] * h[at]);
        }
        h = next;
        ExpectState(*y, t, b, h.data());
      }
    }
  }
}

// One unit that adds up what it sees: y = x + h.
TEST(RecurrentTest, DirectionsLengthsAndLayouts) {
  const TensorPtr x = F({3, 2, 1}, {1, 10, 2, 20, 4, 40}), w = F({1, 1, 1}, {1}),
                  w2 = F({2, 1, 1}, {1, 1});
  const AnyView none;
  const TensorPtr lengths = T_<int32_t>({2}, {3, 2});
  EXPECT_EQ(RunText("rnn{activations=Affine}", {x, w, w}),
            "f32[3, 1, 2, 1] {1 10 3 30 7 70} f32[1, 2, 1] {7 70}");
  EXPECT_EQ(RunText("rnn{activations=Affine}", {x, w, w, none, lengths}),
            "f32[3, 1, 2, 1] {1 10 3 30 7 0} f32[1, 2, 1] {7 30}");
  EXPECT_EQ(RunText("rnn{direction=reverse activations=Affine}", {x, w, w, none, lengths}),
            "f32[3, 1, 2, 1] {7 30 6 20 4 0} f32[1, 2, 1] {7 30}");
  EXPECT_EQ(
      RunText("rnn{direction=bidirectional activations=Affine,Affine}", {x, w2, w2, none, lengths}),
      "f32[3, 2, 2, 1] {1 10 7 30 3 30 6 20 7 0 4 0} f32[2, 2, 1] {7 30 7 30}");
  EXPECT_EQ(
      RunText("rnn{batch_first=1 activations=Affine}", {F({2, 3, 1}, {1, 2, 4, 10, 20, 40}), w, w}),
      "f32[2, 3, 1, 1] {1 3 7 10 30 70} f32[2, 1, 1] {7 70}");
}

TEST(RecurrentTest, FunctionsTakeTheirParametersInOrder) {
  const TensorPtr x = F({1, 1, 1}, {3}), w = F({1, 1, 1}, {1}), w2 = F({2, 1, 1}, {1, 1});
  EXPECT_EQ(RunText("rnn{activations=Affine activation_alpha=2 activation_beta=0.5}", {x, w, w}),
            "f32[1, 1, 1, 1] {6.5} f32[1, 1, 1] {6.5}");
  EXPECT_EQ(RunText("rnn{activations=Relu clip=1}", {x, w, w}),
            "f32[1, 1, 1, 1] {1} f32[1, 1, 1] {1}");
  // Tanh takes none, so that the one alpha is that of the other direction.
  EXPECT_EQ(RunText("rnn{direction=bidirectional activations=Relu,ThresholdedRelu "
                    "activation_alpha=4}",
                    {x, w2, w2}),
            "f32[1, 2, 1, 1] {3 0} f32[2, 1, 1] {3 0}");
  EXPECT_EQ(RunText("rnn{activations=ScaledTanh activation_alpha=2 activation_beta=0}", {x, w, w}),
            "f32[1, 1, 1, 1] {0} f32[1, 1, 1] {0}");
}

TEST(RecurrentTest, NothingToDoIsDone) {
  const TensorPtr w = F({1, 1, 1}, {1}), h = F({1, 1, 1}, {5});
  EXPECT_EQ(RunText("rnn", {F({0, 1, 1}, {}), w, w, AnyView(), AnyView(), h}),
            "f32[0, 1, 1, 1] {} f32[1, 1, 1] {5}");
  EXPECT_EQ(RunText("rnn", {F({2, 0, 1}, {}), w, w}), "f32[2, 1, 0, 1] {} f32[1, 0, 1] {}");
  // Of no inputs the biases are left.
  EXPECT_EQ(RunText("rnn{activations=Affine}",
                    {F({2, 1, 0}, {}), F({1, 1, 0}, {}), w, F({1, 2}, {0.5f, 0.25f})}),
            "f32[2, 1, 1, 1] {0.75 1.5} f32[1, 1, 1] {1.5}");
  EXPECT_EQ(RunText("lstm", {F({1, 1, 0}, {}), F({1, 0, 0}, {}), F({1, 0, 0}, {})}),
            "f32[1, 1, 1, 0] {} f32[1, 1, 0] {} f32[1, 1, 0] {}");
}

TEST(RecurrentTest, RefusesWhatDoesNotFit) {
  const TensorPtr x = F({1, 1, 1}, {3}), w = F({1, 1, 1}, {1}), two = F({1, 2, 1}, {1, 1});
  const AnyView none;
  ExpectError("rnn", {F({1, 1}, {3}), w, w}, {"x is f32[1, 1]", "expected 3 and 3 axes"});
  ExpectError("rnn", {x, two, w}, {"w is f32[1, 2, 1]", "[1, 1, 1]"});
  ExpectError("rnn{packed=1}", {x, w, w}, {"hidden"});
  ExpectError("rnn{hidden=1 packed=1}", {x, w, w}, {"r is f32[1, 1, 1]", "expected 3 and 4 axes"});
  const TensorPtr panel = Random({1, 1, 1, 16}, 1), narrow = Random({1, 1, 1, 8}, 1);
  ExpectError("rnn{hidden=1 packed=1}", {x, narrow, panel}, {"w is f32[1, 1, 1, 8]", "16]"});
  ExpectError("gru{hidden=1 packed=1}", {x, panel, panel},
              {"r is f32[1, 1, 1, 16]", "[1, 2, 1, 16]"});
  ExpectError("rnn", {x, w, two}, {"r is f32[1, 2, 1]", "[1, 1, 1]"});
  ExpectError("lstm", {x, w, w}, {"w is f32[1, 1, 1]", "[1, 4, 1]"});
  ExpectError("rnn{hidden=4611686018427387904}", {x, w, w}, {"4611686018427387904"});
  ExpectError("rnn", {x, w, w, F({1, 1}, {0})}, {"bias is f32[1, 1]", "[1, 2]"});
  ExpectError("rnn", {x, w, w, none, T_<int32_t>({1}, {2})}, {"lengths[0] is 2", "0 to 1"});
  ExpectError("rnn", {x, w, w, none, T_<int32_t>({1}, {-1})}, {"lengths[0] is -1"});
  ExpectError("rnn", {x, w, w, none, none, two}, {"initial_h is f32[1, 2, 1]", "[1, 1, 1]"});
  ExpectError("rnn{activations=Gelu}", {x, w, w}, {"there is no activation 'Gelu'"});
  ExpectError("rnn{activations=Tanh,Relu}", {x, w, w}, {"names 2 functions, expected 1"});
  ExpectError("rnn{direction=bidirectional}", {x, w, w}, {"w is f32[1, 1, 1]", "[2, 1, 1]"});
  ExpectError("rnn", {I({1, 1, 1}, {1}), w, w}, {"f32"});
}

TEST(NonMaxSuppressionTest, KeepsTheBestOfThoseThatOverlap) {
  const TensorPtr boxes = F({1, 4, 4}, {0, 0, 1, 1, 0, 0.1f, 1, 1.1f, 1, 11, 0, 10, 0, 10, 1, 11});
  const TensorPtr scores = F({1, 1, 4}, {0.8f, 0.9f, 0.7f, 0.7f});
  const TensorPtr ten = I({}, {10}), half = F({}, {0.5f});
  EXPECT_EQ(RunText("non_max_suppression", {boxes, scores, ten, half}), "i64[2, 3] {0 0 1 0 0 2}");
  EXPECT_EQ(RunText("non_max_suppression", {boxes, scores, I({}, {1}), half}), "i64[1, 3] {0 0 1}");
  EXPECT_EQ(RunText("non_max_suppression", {boxes, scores, ten, F({}, {1})}),
            "i64[4, 3] {0 0 1 0 0 0 0 0 2 0 0 3}");
  EXPECT_EQ(RunText("non_max_suppression", {boxes, scores, ten, half, F({}, {0.75f})}),
            "i64[1, 3] {0 0 1}");
  EXPECT_EQ(RunText("non_max_suppression", {boxes, scores}), "i64[0, 3] {}");
  // The same first two as middle and size.
  const TensorPtr centers = F({1, 2, 4}, {0.5f, 0.5f, 1, 1, 0.6f, 0.5f, 1, 1});
  EXPECT_EQ(RunText("non_max_suppression{center_point=1}",
                    {centers, F({1, 2, 2}, {1, 2, 3, 1}), ten, half}),
            "i64[2, 3] {0 0 1 0 1 0}");
}

TEST(NonMaxSuppressionTest, WhatIsNoNumberIsNotChosen) {
  const float nan = std::nanf("");
  const TensorPtr boxes = F({1, 2, 4}, {nan, 0, 1, 1, 0, 0, 1, 1}), ten = I({}, {10});
  EXPECT_EQ(RunText("non_max_suppression", {boxes, F({1, 1, 2}, {nan, 1}), ten}),
            "i64[1, 3] {0 0 1}");
  EXPECT_EQ(RunText("non_max_suppression", {boxes, F({1, 1, 2}, {1, 1}), ten}),
            "i64[2, 3] {0 0 0 0 0 1}");
}

TEST(NonMaxSuppressionTest, RefusesWhatDoesNotFit) {
  const TensorPtr boxes = F({1, 1, 4}, {0, 0, 1, 1}), scores = F({1, 1, 1}, {1});
  const TensorPtr one = I({}, {1});
  ExpectError("non_max_suppression", {boxes, F({1, 1, 2}, {1, 1}), one}, {"[batch, boxes, 4]"});
  ExpectError("non_max_suppression", {F({1, 1, 3}, {0, 0, 1}), scores, one}, {"f32[1, 1, 3]"});
  ExpectError("non_max_suppression", {boxes, F({2, 1, 1}, {1, 1}), one}, {"f32[2, 1, 1]"});
  ExpectError("non_max_suppression", {boxes, scores, one, F({}, {1.5f})}, {"1.5", "0 to 1"});
  ExpectError("non_max_suppression", {boxes, scores, one, F({}, {std::nanf("")})}, {"0 to 1"});
}

}  // namespace
}  // namespace tern::kernels::bind_recurrent_test
