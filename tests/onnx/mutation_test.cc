// SPDX-License-Identifier: Apache-2.0
// Damaged models never crash or hang the importer: it gives a module or says what is wrong. The
// damage is the same in every run; with the preset `asan` this also proves that nothing is read
// outside the bytes.
#include <gtest/gtest.h>

#include "core/ir/verifier.h"
#include "core/onnx/importer.h"
#include "tests/onnx/control_model.h"
#include "tests/onnx/mutate.h"
#include "tests/onnx/test_models.h"
#include "tests/support/onnx_writer.h"
#include "tests/support/rounds.h"

namespace tern::test::mutation_test {
namespace {

// Models that between them have every kind of message.
std::vector<std::string> SeedModels() {
  const ProtoWriter inner = OnnxGraph().Node({"Relu", {"x"}, {"a"}}).Output("a").fields();
  const ProtoWriter slope = ReferenceAttribute("alpha", 1, "slope");
  ProtoWriter function =
      ProtoWriter().Text(1, "F").Text(4, "a").Text(5, "b").Text(6, "slope").Text(10, "own");
  function.Message(7, OnnxNode{"LeakyRelu", {"a"}, {"b"}, {slope}}.Write());
  function.Message(9, ProtoWriter().Int(2, 13)).Message(11, FloatAttribute("slope", 0.5f));
  const ProtoWriter more = ProtoWriter()
                               .Message(25, function)
                               .Message(8, ProtoWriter().Text(1, "own").Int(2, 1))
                               .Text(2, "seed");
  OnnxGraph shapes;
  shapes.Input("x", kOnnxFloat, {"n", 3, 8, 8})
      .Initializer(OnnxInts("t", {0, -1}))
      .Initializer(OnnxInts("a", {1}));
  shapes.Node({"Shape", {"x"}, {"s"}})
      .Node({"Gather", {"s", "a"}, {"g"}})
      .Node({"Reshape", {"x", "t"}, {"y"}});
  shapes.Node({"Slice", {"x", "a", "t", "a"}, {"z"}})
      .Node({"Concat", {"g", "t"}, {"c"}, {IntAttribute("axis", 0)}});
  OnnxGraph layers;
  layers.Input("x", kOnnxFloat, {1, 3, 8, 8}).Initializer(OnnxFloats("w", {1, 3, 1, 1}, {1, 2, 3}));
  layers.Node({"Conv",
               {"x", "w"},
               {"a"},
               {IntsAttribute("strides", {2, 2}), TextAttribute("auto_pad", "VALID")}});
  layers.Node({"F", {"a"}, {"b"}, {FloatAttribute("slope", 0.1f)}, "call", "own"});
  layers.Node({"If", {"b"}, {"c"}, {GraphAttribute("then_branch", inner)}});
  layers.Node({"Constant", {}, {"k"}, {TensorAttribute("value", OnnxInts("", {4, 5}))}})
      .Output("b");
  return {shapes.Output("y").Output("z").Output("c").Model(13), layers.Model(13, more),
          ControlModel()};
}

void ImportDamaged(const std::string& bytes) {
  text::Diagnostics diagnostics;
  const Result<ir::Module> module = onnx::ImportModel(AsBytes(bytes), {}, &diagnostics);
  ASSERT_EQ(module.ok(), diagnostics.ok());
  if (!module.ok()) ASSERT_FALSE(diagnostics.items()[0].message.empty());
  if (module.ok()) ASSERT_TRUE(ir::Verify(*module).ok()) << ir::Verify(*module).message();
}

TEST(MutationTest, TheModelOfControlFlowImports) {
  text::Diagnostics diagnostics;
  const std::string model = ControlModel();
  EXPECT_TRUE(onnx::ImportModel(AsBytes(model), {}, &diagnostics).ok())
      << text::RenderText(diagnostics);
}

TEST(MutationTest, DamagedModels) {
  const std::vector<std::string> seeds = SeedModels();
  for (uint64_t round = 0; round < support::Mutations(20000); ++round) {
    Draws draw(round);
    std::string bytes = Mutate(seeds[round % seeds.size()], draw);
    if (draw(2) == 0) bytes = Mutate(std::move(bytes), draw);
    ImportDamaged(bytes);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "round " << round;
  }
}

TEST(MutationTest, EveryTruncationOfASeed) {
  for (const std::string& seed : SeedModels()) {
    for (size_t length = 0; length < seed.size(); ++length) ImportDamaged(seed.substr(0, length));
  }
}

TEST(MutationTest, EveryByteOfASeedSetToExtremes) {
  for (const std::string& seed : SeedModels()) {
    for (size_t at = 0; at < seed.size(); at += support::kMutationsShare) {
      for (const char byte : {'\x00', '\xFF', '\x7F', '\x80'}) {
        std::string bytes = seed;
        bytes[at] = byte;
        ImportDamaged(bytes);
      }
    }
  }
}

TEST(MutationTest, DamagedModelsOfTheTestData) {
  const std::vector<std::string> files = TestModels("node");
  if (files.empty()) GTEST_SKIP() << kMissingTestData;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string seed = ReadFile(files[i]);
    if (seed.size() > 4096) continue;
    for (uint64_t round = 0; round < support::Mutations(12); ++round) {
      Draws draw(i * 100 + round);
      ImportDamaged(Mutate(seed, draw));
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << files[i] << " round " << round;
    }
  }
}

}  // namespace
}  // namespace tern::test::mutation_test
