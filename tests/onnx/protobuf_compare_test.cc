// SPDX-License-Identifier: Apache-2.0
// Our wire reader against libprotobuf with the official onnx.proto: every model of the standard's
// test data reads the same, and so do damaged models; what one of them refuses the other refuses
// too.
#include <gtest/gtest.h>

#include <fstream>

#include "core/onnx/read_model.h"
#include "onnx.pb.h"
#include "tests/onnx/dump_model.h"
#include "tests/onnx/mutate.h"
#include "tests/onnx/test_models.h"

namespace tern::test::protobuf_compare_test {
namespace {

enum class Verdict { kBothRead, kBothRefuse, kDiffer };

// Equal readings or equal refusal. A file without a graph is a legal Protobuf message which we
// refuse by name.
Verdict Compare(const std::string& bytes) {
  ::onnx::ModelProto proto;
  const bool theirs = proto.ParseFromString(bytes);
  onnx::Model model;
  const Status status = onnx::ReadModel(AsBytes(bytes), &model);
  if (!theirs) return status.ok() ? Verdict::kDiffer : Verdict::kBothRefuse;
  const bool damaged = !status.ok() && status.message().find("damaged") != std::string_view::npos;
  if (damaged) return Verdict::kDiffer;
  return DumpModel(model) == DumpModel(proto) ? Verdict::kBothRead : Verdict::kDiffer;
}

TEST(ProtobufCompareTest, EveryModelOfTheTestDataReadsTheSame) {
  const std::vector<std::string> files = TestModels();
  if (files.empty()) GTEST_SKIP() << kMissingTestData;
  for (const std::string& file : files) {
    EXPECT_EQ(Compare(ReadFile(file)), Verdict::kBothRead) << file;
  }
}

TEST(ProtobufCompareTest, DamagedModelsReadTheSameOrAreRefusedByBoth) {
  const std::vector<std::string> files = TestModels();
  if (files.empty()) GTEST_SKIP() << kMissingTestData;
  Draws draw(20261120);
  int counts[3] = {};
  for (const std::string& file : files) {
    const std::string bytes = ReadFile(file);
    if (bytes.size() > 4096) continue;
    for (int round = 0; round < 20; ++round) {
      const std::string mutant = Mutate(bytes, draw);
      const Verdict verdict = Compare(mutant);
      ++counts[static_cast<int>(verdict)];
      if (verdict == Verdict::kDiffer && counts[2] < 5) {
        ADD_FAILURE() << file << " round " << round;
        std::ofstream("onnx-mutant-" + std::to_string(counts[2]) + ".bin", std::ios::binary)
            << mutant;
      }
    }
  }
  EXPECT_EQ(counts[static_cast<int>(Verdict::kDiffer)], 0);
  EXPECT_GT(counts[static_cast<int>(Verdict::kBothRead)], 1000);
  EXPECT_GT(counts[static_cast<int>(Verdict::kBothRefuse)], 1000);
}

}  // namespace
}  // namespace tern::test::protobuf_compare_test
