// SPDX-License-Identifier: Apache-2.0
// Runtimes: what kernels they choose, and that one does not change another.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/api/c_api.h"
#include "core/kernels/choose.h"
#include "core/kernels/cpu_features.h"

namespace runtime_api_test {
namespace {

std::string Take(tern_status* status) {
  if (status == nullptr) return "";
  std::string text = std::string(tern_status_code(status)) + ": " + tern_status_message(status);
  tern_status_free(status);
  return text;
}

// "\"target\":\"avx2\"" of the runtime, or the error.
std::string TargetOf(const tern_runtime_options* options) {
  tern_runtime* runtime = nullptr;
  if (std::string error = Take(tern_runtime_create(options, &runtime)); !error.empty())
    return error;
  tern_buffer* json = nullptr;
  std::string text = Take(tern_runtime_info(runtime, &json));
  if (json != nullptr) {
    text = std::string(static_cast<const char*>(tern_buffer_data(json)), tern_buffer_size(json));
    const size_t begin = text.find("\"target\"");
    text = text.substr(begin, text.find(',', begin) - begin);
    std::erase(text, ' ');
  }
  tern_buffer_free(json);
  tern_runtime_free(runtime);
  return text;
}

std::string Named(const char* name) { return std::string("\"target\":\"") + name + "\""; }

TEST(RuntimeApi, D1NothingGivenIsTheBestOfThisMachine) {
  const auto& best = tern::kernels::ChooseTable(tern::kernels::DetectCpuFeatures());
  EXPECT_EQ(TargetOf(nullptr), Named(best.name));
  tern_runtime_options zeroed = {};
  zeroed.struct_size = sizeof zeroed;
  EXPECT_EQ(TargetOf(&zeroed), Named(best.name));
}

TEST(RuntimeApi, D1BitsAreAnUpperBound) {
  tern_runtime_options options = {};
  options.struct_size = sizeof options;
  for (const uint32_t bits : {1u, 3u, 8u}) {
    options.cpu_features = bits;
    EXPECT_EQ(TargetOf(&options), Named(tern::kernels::ChooseTable({.bits = bits}).name));
  }
}

TEST(RuntimeApi, RefusesTargetsThatAreNotThere) {
  tern_runtime_options options = {};
  options.struct_size = sizeof options;
  options.target = "avx9";
  EXPECT_EQ(TargetOf(&options), "E0012: this machine has no kernel target 'avx9'");
  options.target = "";
  EXPECT_EQ(TargetOf(&options), "E0012: this machine has no kernel target ''");
}

}  // namespace
}  // namespace runtime_api_test
