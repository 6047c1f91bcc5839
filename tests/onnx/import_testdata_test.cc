// SPDX-License-Identifier: Apache-2.0
// Every model of the standard's test data imports, but for those listed in unsupported.txt:
// operators that are not there yet. A model that stops importing fails, and so does one that begins
// to while the list still has it.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "core/onnx/importer.h"
#include "tests/onnx/test_models.h"

namespace tern::test::import_testdata_test {
namespace {

// "node/test_loop11" for …/node/test_loop11/model.onnx.
std::string CaseName(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.parent_path().filename().string() + "/" + folder.filename().string();
}

std::set<std::string> ReadList() {
  std::set<std::string> names;
  std::ifstream file(TERN_SOURCE_DIR "/tests/onnx/unsupported.txt");
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') names.insert(line);
  }
  return names;
}

TEST(ImportTestDataTest, AllButTheListedImport) {
  const std::vector<std::string> files = TestModels();
  if (files.empty()) GTEST_SKIP() << kMissingTestData;
  const std::set<std::string> unsupported = ReadList();
  ASSERT_FALSE(unsupported.empty());
  int imported = 0;
  for (const std::string& file : files) {
    const std::string bytes = ReadFile(file), name = CaseName(file);
    text::Diagnostics diagnostics;
    const bool good = onnx::ImportModel(AsBytes(bytes), {}, &diagnostics).ok();
    imported += good ? 1 : 0;
    EXPECT_EQ(good, !unsupported.contains(name)) << name << "\n" << text::RenderText(diagnostics);
  }
  RecordProperty("imported", imported);
  RecordProperty("models", static_cast<int>(files.size()));
}

// A list entry that names no model is a slip of the pen.
TEST(ImportTestDataTest, TheListNamesModels) {
  const std::vector<std::string> files = TestModels();
  if (files.empty()) GTEST_SKIP() << kMissingTestData;
  std::set<std::string> names;
  for (const std::string& file : files) names.insert(CaseName(file));
  for (const std::string& name : ReadList()) EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace tern::test::import_testdata_test
