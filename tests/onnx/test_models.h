// SPDX-License-Identifier: Apache-2.0
// The standard's own test models (package libonnx-testdata), where they are installed.
#ifndef TERN_TESTS_ONNX_TEST_MODELS_H_
#define TERN_TESTS_ONNX_TEST_MODELS_H_

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/read_file.h"

namespace tern::test {

inline constexpr char kMissingTestData[] =
    "no test data: install libonnx-testdata, or set TERN_ONNX_TESTDATA";

inline std::filesystem::path TestDataFolder() {
  const char* folder = std::getenv("TERN_ONNX_TESTDATA");
  return folder != nullptr ? folder : "/usr/share/libonnx-testdata/data";
}

// Every model.onnx below `suite` ("node", "simple", …; "" for all), sorted.
inline std::vector<std::string> TestModels(const std::string& suite = "") {
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(TestDataFolder() / suite, none)) {
    if (entry.path().extension() == ".onnx") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

using tern::ReadFile;

}  // namespace tern::test

#endif  // TERN_TESTS_ONNX_TEST_MODELS_H_
