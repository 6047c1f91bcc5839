// SPDX-License-Identifier: Apache-2.0
// Formulas of gelu and of normalizations in random spellings: each is found, and what it computes
// is what its operators compute, within the bound of the kernel that takes their place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/driver/pipeline.h"
#include "core/ir/builder.h"
#include "core/ir/text/printer.h"
#include "core/ir/verifier.h"
#include "tests/support/ir_evaluator.h"
#include "tests/support/random_operators.h"

namespace tern::driver::recognize_operators_test {
namespace {

using ir::Expr;
using Factors = std::vector<Expr>;

constexpr int64_t kDims[] = {3, 5, 16};

class Speller : support::RandomOperators {
 public:
  explicit Speller(uint32_t seed) : RandomOperators(seed) {
    x_ = builder_.AddParameter(
        "x", types::Type::Tensor(
                 kF32, {types::Dim(kDims[0]), types::Dim(kDims[1]), types::Dim(kDims[2])}));
  }

  ir::Module Make(std::string_view op) {
    const Expr value = op == "gelu"         ? Gelu()
                       : op == "gelu_tanh"  ? GeluTanh()
                       : op == "layer_norm" ? LayerNorm()
                                            : RmsNorm();
    ir::Module module;
    module.Set("main", builder_.Finish(value, {}));
    EXPECT_TRUE(diagnostics_.ok()) << text::RenderText(diagnostics_);
    return module;
  }

 private:
  Expr Number(double value) { return ir::MakeFloat(static_cast<float>(value)); }

  // All of them joined by `op`, which commutes, in any order and grouping.
  Expr Joined(std::string_view op, Factors parts) {
    while (parts.size() > 1) {
      std::shuffle(parts.begin(), parts.end(), random_);
      const Expr last = parts.back();
      parts.pop_back();
      parts.back() = Emit(op, {parts.back(), last});
    }
    return parts[0];
  }
  Expr Sum(Factors parts) { return Joined("add", std::move(parts)); }
  Expr Product(Factors parts) { return Joined("mul", std::move(parts)); }

  // A number times a product: as a factor, or the product divided by its inverse.
  Expr Scaled(double number, Factors parts) {
    if (Pick(2) == 0) return Emit("div", {Product(std::move(parts)), Number(1 / number)});
    parts.push_back(Number(number));
    return Product(std::move(parts));
  }
  Expr OnePlus(const Expr& u) {
    return Pick(3) == 0 ? Emit("sub", {u, Number(-1)}) : Sum({u, Number(1)});
  }
  Expr HalfGate(const Expr& u) {
    if (Pick(3) == 0) return Product({x_, Sum({Scaled(0.5, {u}), Number(0.5)})});
    return Scaled(0.5, {x_, OnePlus(u)});
  }

  Expr Gelu() { return HalfGate(Emit("erf", {Scaled(std::sqrt(0.5), {x_})})); }

  Expr GeluTanh() {
    const double root = std::sqrt(2 / M_PI), cubic = 0.044715;
    Expr u;
    switch (Pick(3)) {
      case 0: {
        const Factors cube = Pick(2) ? Factors{x_, x_, x_} : Factors{Emit("pow", {x_, Number(3)})};
        u = Scaled(root, {Sum({x_, Scaled(cubic, cube)})});
        break;
      }
      case 1: u = Scaled(root, {x_, OnePlus(Scaled(cubic, Square(x_)))}); break;
      default: u = Product({x_, Sum({Scaled(cubic * root, Square(x_)), Number(root)})});
    }
    return HalfGate(Emit("tanh", {u}));
  }

  Factors Square(const Expr& e) {
    return Pick(2) ? Factors{e, e} : Factors{Emit("pow", {e, Number(2)})};
  }
  Expr Mean(const Expr& e) { return Emit("reduce_mean", {e}, axes_); }

  // The factors and one over the root of the mean square of e.
  Expr Normalized(const Expr& e, Factors factors) {
    const Expr square = Pick(2) ? Emit("mul", {e, e}) : Emit("pow", {e, Number(2)});
    const Expr variance = Sum({Mean(square), Number(1e-5)});
    switch (Pick(5)) {
      case 0: factors.push_back(Emit("rsqrt", {variance})); break;
      case 1: factors.push_back(Emit("reciprocal", {Emit("sqrt", {variance})})); break;
      case 2: factors.push_back(Emit("pow", {variance, Number(-0.5)})); break;
      case 3: return Emit("div", {Product(factors), Emit("pow", {variance, Number(0.5)})});
      default: return Emit("div", {Product(factors), Emit("sqrt", {variance})});
    }
    return Product(factors);
  }

  // Random trailing axes, and what is as long as they are.
  Expr ChooseAxes() {
    axes_ = Pick(2) ? "axes=-1" : "axes=1,2";
    return axes_ == "axes=-1" ? Random({kDims[2]}) : Random({kDims[1], kDims[2]});
  }

  Expr LayerNorm() {
    const Expr scale = ChooseAxes();
    const Expr bias = axes_ == "axes=-1" ? Random({kDims[2]}) : Random({kDims[1], kDims[2]});
    const Expr mean = Mean(x_);
    const Expr centered = Emit("sub", {x_, mean});
    switch (Pick(4)) {
      case 0: return Normalized(centered, {centered});
      case 1: return Normalized(centered, {centered, scale});
      case 2: {  // the scale is part of the factor that TensorFlow shifts by
        const Expr variance = Sum({Mean(Emit("mul", {centered, centered})), Number(1e-5)});
        const Expr factor = Product({Emit("rsqrt", {variance}), scale});
        const Expr shift = Emit("sub", {bias, Product({mean, factor})});
        return Sum({Product({x_, factor}), shift});
      }
      default: return Sum({Normalized(centered, {centered, scale}), bias});
    }
  }
  Expr RmsNorm() {
    const Expr scale = ChooseAxes();
    return Normalized(x_, Pick(3) == 0 ? Factors{x_} : Factors{x_, scale});
  }

  Expr x_;
  std::string_view axes_;
};

// With numbers far from 0, where gates saturate.
TensorPtr MakeInput(uint32_t seed) {
  std::mt19937 random(seed);
  TensorPtr x = Tensor::New(kF32, kDims).value();
  for (float& value : x->values<float>())
    value = static_cast<float>(random() % 4096) / 256.0f - 8.0f;
  return x;
}

TensorPtr Evaluate(const ir::Module& module, const TensorPtr& x) {
  support::IrEvaluator evaluator(module);
  const Result<Any> result = evaluator.Call("main", {Any(x)});
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  return result.ok() ? *result->As<TensorPtr>() : nullptr;
}

class RecognizedSpellings : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RecognizedSpellings, AreOneCallWithTheSameResults) {
  const std::string_view op = GetParam();
  for (uint32_t seed = 0; seed < 150; ++seed) {
    const ir::Module module = Speller(seed).Make(op);
    text::Diagnostics diagnostics;
    ir::PassContext context;
    context.diagnostics = &diagnostics;
    const ir::Module now = FindPass("recognize_operators")->function(module, context);
    ASSERT_TRUE(ir::Verify(now).ok());
    const std::span<const ir::Binding> bindings = now.Find("main")->bindings();
    ASSERT_EQ(bindings.size(), 1u) << "seed " << seed << "\n"
                                   << ir::ToText(module) << ir::ToText(now);
    EXPECT_EQ(bindings[0].value->As<ir::Call>()->op().name, op);

    const TensorPtr x = MakeInput(seed);
    const TensorPtr expected = Evaluate(module, x), got = Evaluate(now, x);
    ASSERT_TRUE(expected != nullptr && got != nullptr);
    ASSERT_EQ(expected->TypeText(), got->TypeText());
    float largest = 0;
    for (float value : expected->values<float>()) largest = std::max(largest, std::fabs(value));
    for (int64_t i = 0; i < got->element_count(); ++i) {
      ASSERT_NEAR(expected->data_as<float>()[i], got->data_as<float>()[i], 1e-5f * largest)
          << "seed " << seed << " element " << i << "\n"
          << ir::ToText(module);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, RecognizedSpellings,
                         ::testing::Values("gelu", "gelu_tanh", "layer_norm", "rms_norm"));

}  // namespace
}  // namespace tern::driver::recognize_operators_test
