// SPDX-License-Identifier: Apache-2.0
// Our wire reader against libprotobuf with the official onnx.proto: every model of the standard's test data
// reads the same, and so do damaged models; what one of them refuses the other refuses too.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "core/onnx/read_model.h"
#include "onnx.pb.h"
#include "tests/onnx/dump_model.h"

namespace tern::test {
namespace {

namespace fs = std::filesystem;

constexpr char kTestData[] = "/usr/share/libonnx-testdata/data";

std::vector<std::string> ModelFiles() {
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(kTestData, none)) {
    if (entry.path().extension() == ".onnx") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

enum class Verdict { kBothRead, kBothRefuse, kDiffer };

// Equal readings or equal refusal. A file without a graph is a legal Protobuf message which we refuse by name.
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
  const std::vector<std::string> files = ModelFiles();
  if (files.empty()) GTEST_SKIP() << kTestData << " is missing: install libonnx-testdata";
  for (const std::string& file : files) {
    EXPECT_EQ(Compare(ReadFile(file)), Verdict::kBothRead) << file;
  }
}

// Changes a few bytes, cuts, or doubles a piece.
std::string Mutate(std::string bytes, std::mt19937* random) {
  const auto draw = [random](size_t limit) { return limit == 0 ? 0 : (*random)() % limit; };
  switch (draw(4)) {
    case 0: bytes.resize(draw(bytes.size())); break;
    case 1: bytes.insert(draw(bytes.size()), bytes.substr(draw(bytes.size()), draw(20))); break;
    case 2: bytes.erase(draw(bytes.size()), draw(8)); break;
    default: break;
  }
  for (size_t i = draw(4); i > 0 && !bytes.empty(); --i) {
    bytes[draw(bytes.size())] = static_cast<char>((*random)());
  }
  return bytes;
}

TEST(ProtobufCompareTest, DamagedModelsReadTheSameOrAreRefusedByBoth) {
  const std::vector<std::string> files = ModelFiles();
  if (files.empty()) GTEST_SKIP() << kTestData << " is missing: install libonnx-testdata";
  std::mt19937 random(20261120);
  int counts[3] = {};
  for (const std::string& file : files) {
    const std::string bytes = ReadFile(file);
    if (bytes.size() > 4096) continue;
    for (int round = 0; round < 20; ++round) {
      const std::string mutant = Mutate(bytes, &random);
      const Verdict verdict = Compare(mutant);
      ++counts[static_cast<int>(verdict)];
      if (verdict == Verdict::kDiffer && counts[2] < 5) {
        ADD_FAILURE() << file << " round " << round;
        std::ofstream("onnx-mutant-" + std::to_string(counts[2]) + ".bin", std::ios::binary) << mutant;
      }
    }
  }
  EXPECT_EQ(counts[static_cast<int>(Verdict::kDiffer)], 0);
  EXPECT_GT(counts[static_cast<int>(Verdict::kBothRead)], 1000);
  EXPECT_GT(counts[static_cast<int>(Verdict::kBothRefuse)], 1000);
}

}  // namespace
}  // namespace tern::test
