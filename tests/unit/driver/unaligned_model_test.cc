// SPDX-License-Identifier: Apache-2.0
// Models whose file aligns nothing: wherever the bytes lie, the executable is the same, its
// constants are aligned, and only those that were not packed are copied.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "core/vm/file/writer.h"
#include "tests/support/onnx_writer.h"
#include "tests/unit/driver/run_model.h"

namespace tern::driver::unaligned_model_test {
namespace {

using test::kOnnxFloat;
using test::kOnnxInt64;
using test::OnnxGraph;

// Large enough to stay in the file: 64 KiB and more.
constexpr int64_t kMany = 160;

test::ProtoWriter Weights(std::string_view name, const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) / 64;
  return test::OnnxFloats(name, dims, values);
}

// Each form in which weights are packed, folded, scaled, moved, or left.
std::string Model() {
  OnnxGraph graph;
  graph.Input("image", kOnnxFloat, {1, kMany, 12, 12}).Input("rows", kOnnxFloat, {6, kMany});
  graph.Input("steps", kOnnxFloat, {3, 1, 64}).Input("ids", kOnnxInt64, {4});
  graph.Initializer(Weights("by_taps", {kMany, kMany, 1, 1}))
      .Initializer(Weights("by_points", {kMany, kMany, 3, 3}))
      .Initializer(Weights("grouped", {kMany, kMany / 2, 3, 3}))
      .Initializer(Weights("depthwise", {kMany, 1, 11, 11}))
      .Initializer(Weights("turned", {kMany, 8, 4, 4}))
      .Initializer(Weights("matrix", {kMany, kMany}))
      .Initializer(Weights("table", {300, kMany}))
      .Initializer(Weights("added", {kMany, kMany}))
      .Initializer(Weights("scale", {kMany}))
      .Initializer(Weights("w", {1, 512, 64}))
      .Initializer(Weights("r", {1, 512, 128}));
  graph.Node({"Conv", {"image", "by_taps"}, {"a"}})
      .Node({"BatchNormalization", {"a", "scale", "scale", "scale", "ones"}, {"b"}})
      .Node({"Conv", {"b", "by_points"}, {"c"}, {test::IntsAttribute("pads", {1, 1, 1, 1})}})
      .Node({"Conv", {"c", "grouped"}, {"d"}, {test::IntAttribute("group", 2)}})
      .Node({"Conv", {"c", "depthwise"}, {"e"}, {test::IntAttribute("group", kMany)}})
      .Node({"ConvTranspose", {"c", "turned"}, {"f"}, {test::IntsAttribute("strides", {2, 2})}})
      .Initializer(test::OnnxFloats("ones", {kMany}, std::vector<float>(kMany, 1)));
  graph.Node({"MatMul", {"rows", "matrix"}, {"g"}})
      .Node({"Gemm",
             {"g", "matrix"},
             {"h"},
             {test::IntAttribute("transB", 1), test::FloatAttribute("alpha", 0.5f)}})
      .Node({"Transpose", {"added"}, {"moved"}})
      .Node({"Add", {"moved", "added"}, {"sum"}})
      .Node({"MatMul", {"h", "sum"}, {"i"}})
      .Node({"Gather", {"table", "ids"}, {"j"}})
      .Node({"LSTM", {"steps", "w", "r"}, {"k"}, {test::IntAttribute("hidden_size", 128)}});
  for (const char* name : {"d", "e", "f", "i", "j", "k"}) graph.Output(name);
  return graph.Model(16);
}

// The model's bytes `shift` past an address that suits every type.
struct Kept {
  Kept(const std::string& model, size_t shift)
      : storage(Storage::New(nullptr, model.size() + shift).value()),
        bytes(storage->data() + shift, model.size()) {
    std::memcpy(storage->data() + shift, model.data(), model.size());
  }
  StoragePtr storage;
  ByteSpan bytes;
};

// Lends memory, and counts what is asked for.
struct Copies {
  AlignedCopies Lend() {
    return {this, [](void* self, const void* data, size_t bytes) -> const void* {
              auto& copies = *static_cast<Copies*>(self);
              copies.bytes += bytes;
              copies.lent.push_back(Storage::New(nullptr, bytes).value());
              std::memcpy(copies.lent.back()->data(), data, bytes);
              return copies.lent.back()->data();
            }};
  }
  std::vector<StoragePtr> lent;
  size_t bytes = 0;
};

std::vector<uint8_t> Saved(const Result<CompileResult>& compiled) {
  return compiled.ok() ? vm::SaveExecutable(*compiled->executable) : std::vector<uint8_t>();
}

TEST(UnalignedModelTest, IsTheSameProgramWhereverItLies) {
  const std::string model = Model();
  const Result<CompileResult> copied = test::CompileModel(model);
  ASSERT_TRUE(copied.ok()) << copied.status().ToString();
  size_t asked = 0;
  for (size_t shift = 0; shift < 8; ++shift) {
    const Kept kept(model, shift);
    Copies copies;
    CompileOptions options;
    options.source_name = "net.onnx";
    options.keeper = kept.storage;
    options.aligned = copies.Lend();
    const Result<CompileResult> compiled = CompileOnnx(kept.bytes, options);
    ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
    EXPECT_EQ(Saved(compiled), Saved(copied)) << shift;
    for (const vm::Constant& constant : compiled->executable->constants()) {
      const Tensor* tensor = constant.value.TryCast<Tensor>();
      EXPECT_TRUE(tensor == nullptr || tensor->is_aligned()) << shift << constant.TypeText();
    }
    // All else is packed from where it lies.
    const size_t table = 300 * kMany * sizeof(float);
    EXPECT_TRUE(copies.bytes == 0 || copies.bytes == table) << shift << ": " << copies.bytes;
    asked += copies.bytes;
  }
  EXPECT_GE(asked, 6 * 300 * kMany * sizeof(float));
}

// Who lends nothing gets constants in memory of the compiler's own.
TEST(UnalignedModelTest, NeedsNoMemoryThatIsLent) {
  const std::string model = Model();
  const std::vector<uint8_t> expected = Saved(test::CompileModel(model));
  for (size_t shift = 0; shift < 4; ++shift) {
    const Kept kept(model, shift);
    CompileOptions options;
    options.keeper = kept.storage;
    options.source_name = "net.onnx";
    EXPECT_EQ(Saved(CompileOnnx(kept.bytes, options)), expected) << shift;
  }
}

// Where a few numbers are meant, a model may have many: what is said of them, now or by a run, does
// not depend on where they lie.
TEST(UnalignedModelTestBad, NumbersThatAreTooMany) {
  const std::vector<int64_t> many(20000, 1);
  const std::string_view kOps[] = {"Reshape",   "Expand",  "Tile",     "Pad",
                                   "ReduceSum", "Squeeze", "Unsqueeze"};
  int refused = 0;
  for (const std::string_view op : kOps) {
    OnnxGraph graph;
    graph.Input("x", kOnnxFloat, {1, 4}).Initializer(test::OnnxInts("many", many));
    graph.Node({op, {"x", "many"}, {"y"}}).Output("y");
    const std::string model = graph.Model(18);
    std::array<std::string, 4> said;
    for (size_t shift = 0; shift < said.size(); ++shift) {
      const Kept kept(model, shift);
      CompileOptions options;
      options.keeper = kept.storage;
      options.source_name = "net.onnx";
      const Result<CompileResult> compiled = CompileOnnx(kept.bytes, options);
      said[shift] = compiled.ok() ? "compiled" : compiled.status().ToString();
      EXPECT_EQ(said[shift], said[0]) << op << " " << shift;
    }
    refused += said[0] == "compiled" ? 0 : 1;
  }
  EXPECT_GE(refused, 4);
}

}  // namespace
}  // namespace tern::driver::unaligned_model_test
