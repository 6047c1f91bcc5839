// SPDX-License-Identifier: Apache-2.0
// Every model of the standard's test data imports.
#include <gtest/gtest.h>

#include "core/onnx/importer.h"
#include "tests/onnx/test_models.h"

namespace tern::test::import_testdata_test {
namespace {

TEST(ImportTestDataTest, AllImport) {
  const std::vector<std::string> files = TestModels();
  if (files.empty()) GTEST_SKIP() << kMissingTestData;
  for (const std::string& file : files) {
    const std::string bytes = ReadFile(file);
    text::Diagnostics diagnostics;
    const bool good = onnx::ImportModel(AsBytes(bytes), {}, &diagnostics).ok();
    EXPECT_TRUE(good) << file << "\n" << text::RenderText(diagnostics);
  }
  RecordProperty("models", static_cast<int>(files.size()));
}

}  // namespace
}  // namespace tern::test::import_testdata_test
