// SPDX-License-Identifier: Apache-2.0
// Two roads, with places in an arena and without: random models of large tensors, with branches,
// views and several results of a node, give the same bits, and need no more memory with each run.
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "core/base/strings.h"
#include "core/vm/places.h"
#include "tests/support/onnx_writer.h"
#include "tests/support/rounds.h"
#include "tests/unit/driver/run_model.h"

namespace tern::driver::placed_tensors_test {
namespace {

using namespace test;  // NOLINT: the makers of models

constexpr int64_t kRows = 2, kColumns = 8192;  // 64 KiB: more than the lists of small blocks have

// Each value has the shape of the input.
class RandomModel {
 public:
  RandomModel(uint32_t seed, const OnnxDim& rows) : random_(seed) {
    graph_.Input("x", kOnnxFloat, {rows, kColumns}).Input("c", kOnnxBool, {});
    graph_.Initializer(OnnxTensor("axis", kOnnxInt64, {}, RawBytes(std::vector<int64_t>{1})));
    graph_.Initializer(OnnxInts("shape", {-1, kColumns}));
    values_.push_back("x");
    for (uint32_t nodes = 4 + Below(12); nodes > 0; --nodes) AddNode();
    // Two different ones.
    graph_.Output(values_.back());
    values_.pop_back();
    graph_.Output(Any());
  }

  std::string Text() const { return graph_.Model(16); }

 private:
  uint32_t Below(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  std::string_view Any() { return values_[Below(static_cast<uint32_t>(values_.size()))]; }
  // Of a value that is not among those to choose from.
  std::string_view Name() { return names_.emplace_back(StrCat("t", names_.size())); }

  void AddNode() {
    const std::string_view a = Any(), b = Any(), y = Name();
    const auto axis = [](int64_t value) { return IntAttribute("axis", value); };
    switch (Below(8)) {
      case 0: graph_.Node({"Softmax", {a}, {y}, {axis(1)}}); break;
      case 1: graph_.Node({"CumSum", {a, "axis"}, {y}}); break;
      case 2: graph_.Node({"Add", {a, b}, {y}}); break;
      case 3: graph_.Node({"Identity", {a}, {y}}); break;
      case 4: graph_.Node({"LpNormalization", {a}, {y}, {axis(1)}}); break;
      case 5: {
        const std::string_view turned = Name();
        graph_.Node({"Transpose", {a}, {turned}, {IntsAttribute("perm", {1, 0})}});
        graph_.Node({"Reshape", {turned, "shape"}, {y}});
        break;
      }
      case 6: {
        const std::string_view both = Name(), other = Name();
        graph_.Node({"Concat", {a, b}, {both}, {axis(0)}});
        graph_.Node({"Split", {both}, {y, other}, {axis(0)}});
        values_.push_back(other);
        break;
      }
      default: {
        const std::string_view yes = Name(), between = Name(), no = Name();
        const OnnxGraph then = OnnxGraph()
                                   .Node({"CumSum", {a, "axis"}, {between}})
                                   .Node({"Softmax", {between}, {yes}, {axis(0)}})
                                   .Output(yes);
        const OnnxGraph otherwise =
            OnnxGraph().Node({"Softmax", {b}, {no}, {axis(1)}}).Output(no);
        graph_.Node({"If",
                     {"c"},
                     {y},
                     {GraphAttribute("then_branch", then.fields()),
                      GraphAttribute("else_branch", otherwise.fields())}});
      }
    }
    values_.push_back(y);
  }

  std::mt19937 random_;
  OnnxGraph graph_;
  std::deque<std::string> names_;
  std::vector<std::string_view> values_;
};

std::unique_ptr<vm::VirtualMachine> Machine(const std::string& model, bool with_places) {
  CompileOptions options;
  if (!with_places) options.disabled_passes.emplace_back("memory");
  return MachineOf(CompileModel(model, options).value().executable).value();
}

// All bytes of both results.
std::string BytesOf(const Result<Any>& result) {
  if (!result.ok()) return std::string(result.status().message());
  std::string bytes;
  const Adt* pair = result->TryCast<Adt>();
  for (size_t i = 0; i < pair->size(); ++i) {
    const TensorPtr whole = *(*pair)[i].TryCast<Tensor>()->Contiguous();
    bytes += AsText(whole->bytes());
  }
  return bytes;
}

TensorPtr Input(int64_t rows) {
  const TensorPtr x = *Tensor::New(kF32, {rows, kColumns});
  std::mt19937 random(3);
  for (int64_t i = 0; i < x->element_count(); ++i)
    x->data_as<float>()[i] = static_cast<float>(random() % 1000) / 500 - 1;
  return x;
}

// Runs both roads with inputs of these many rows, twice each with either branch; how many tensors
// were placed.
int64_t Compare(const std::string& model, const std::vector<int64_t>& rows) {
  const auto with = Machine(model, true), without = Machine(model, false);
  EXPECT_TRUE(without->executable().FindMetadata(vm::kPlacesKey).empty());
  for (const int64_t count : rows) {
    const TensorPtr x = Input(count);
    int64_t reserved = 0;
    for (int run = 0; run < 4; ++run) {
      const TensorPtr flag = Tensor::Scalar<bool>(run % 2 == 0);
      const std::vector<AnyView> args = {AnyView(x), AnyView(flag)};
      EXPECT_TRUE(BytesOf(with->Call("main", args)) == BytesOf(without->Call("main", args)));
      EXPECT_EQ(with->memory().live_bytes, 0);
      // Either branch was taken by now.
      if (run == 2) reserved = with->memory().reserved_bytes;
    }
    EXPECT_EQ(with->memory().reserved_bytes, reserved) << "a steady run asks for no memory";
  }
  EXPECT_EQ(without->memory().placed, 0);
  return with->memory().placed;
}

TEST(PlacedTensors, AnswersAreThoseWithoutPlaces) {
  int64_t fixed = 0, sized = 0;
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(support::Rounds(100)); ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    fixed += Compare(RandomModel(seed, kRows).Text(), {kRows});
    sized += Compare(RandomModel(seed, "n").Text(), {2, 3, 1, 2});
  }
  EXPECT_GT(fixed, 0);
  EXPECT_GT(sized, 0);
}

// What the report says is what the file has and the run does.
TEST(PlacedTensors, ThePlanIsWhatRuns) {
  const std::string model = OnnxGraph()
                                .Input("x", kOnnxFloat, {kRows, kColumns})
                                .Node({"Softmax", {"x"}, {"a"}, {IntAttribute("axis", 1)}})
                                .Node({"Softmax", {"a"}, {"b"}, {IntAttribute("axis", 0)}})
                                .Node({"Softmax", {"b"}, {"c"}, {IntAttribute("axis", 1)}})
                                .Node({"ReduceMax", {"c"}, {"y"}})
                                .Output("y")
                                .Model(13);
  CompileOptions options;
  options.print_after = {"memory"};
  const Result<CompileResult> compiled = CompileModel(model, options);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  EXPECT_NE(compiled->stages[0].text.find("196608 bytes one after the other, 131072 planned"),
            std::string::npos)
      << compiled->stages[0].text;
  EXPECT_EQ(compiled->executable->FindMetadata(vm::kPlacesKey),
            "0:131072 0:0+65536 1:65536+65536 2:0+65536");
  const auto machine = MachineOf(compiled->executable).value();
  const TensorPtr x = *Tensor::New(kF32, {kRows, kColumns});
  std::fill_n(x->data_as<float>(), x->element_count(), 0.5f);
  ASSERT_TRUE(machine->Call("main", {AnyView(x)}).ok());
  EXPECT_EQ(machine->memory().placed, 3);
}

}  // namespace
}  // namespace tern::driver::placed_tensors_test
