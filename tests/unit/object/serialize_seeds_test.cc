// SPDX-License-Identifier: Apache-2.0
// The seeds of object_graph_fuzzer are the sample graphs, as bytes and as JSON. With
// TERN_UPDATE_SEEDS=1 in the environment this writes them; without, it checks that they are
// current.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/base/strings.h"
#include "core/object/graph/serialize_binary.h"
#include "core/object/graph/serialize_json.h"
#include "tests/unit/object/sample_graphs.h"
#include "tests/unit/object/sketch_types.h"

namespace tern::serialize_seeds_test {
namespace {

constexpr const char* kFolder = TERN_SOURCE_DIR "/tests/fuzz/seeds/object_graph_fuzzer/";

void CheckSeed(const std::string& name, std::string_view content) {
  const std::string path = StrCat(kFolder, name);
  const char* update = std::getenv("TERN_UPDATE_SEEDS");
  if (update != nullptr && *update == '1') std::ofstream(path, std::ios::binary) << content;
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.good()) << path << " is missing: run object_test with TERN_UPDATE_SEEDS=1";
  std::ostringstream there;
  there << file.rdbuf();
  EXPECT_TRUE(there.str() == content) << path << " is not what is written today";
}

TEST(SerializeSeeds, D34SeedsAreWhatIsWrittenToday) {
  RegisterSketchTypes();
  int number = 0;
  for (const Any& sample : SampleGraphs()) {
    const std::vector<uint8_t> bytes = SerializeBinary(sample).value();
    CheckSeed(StrCat("sample-", number, ".bin"), AsText(bytes));
    CheckSeed(StrCat("sample-", number, ".json"), SerializeJson(sample).value());
    ++number;
  }
}

}  // namespace
}  // namespace tern::serialize_seeds_test
