// SPDX-License-Identifier: Apache-2.0
// docs/abi.md shows the layouts of the real header, all of them, and the package has its numbers.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/read_file.h"
#include "tools/gen/abi_markdown.h"
#include "tools/gen/abi_typescript.h"

namespace tern::abi_docs_test {
namespace {

TEST(AbiDocs, QuoteTheRealHeader) {
  const std::string header = ReadFile(TERN_SOURCE_DIR "/core/abi/abi.h");
  const std::string document = ReadFile(TERN_SOURCE_DIR "/docs/abi.md");
  EXPECT_GE(gen::AbiRegions(header).size(), 10u);
  std::string missing;
  EXPECT_TRUE(gen::QuoteAbi(document, header, &missing) == document)
      << "run update_docs " << missing;
  EXPECT_EQ(missing, "");
}

TEST(AbiDocs, ThePackageHasTheNumbersOfTheHeaders) {
  EXPECT_EQ(ReadFile(TERN_SOURCE_DIR "/" + std::string(gen::kAbiTypeScriptPath)),
            gen::AbiTypeScript(ReadFile(TERN_SOURCE_DIR "/core/abi/abi.h"),
                               ReadFile(TERN_SOURCE_DIR "/core/api/c_api.h")))
      << "run update_docs";
}

TEST(AbiDocs, EnumeratorsBecomeConstants) {
  const std::string text = gen::AbiTypeScript(
      "TERN_TYPE_S0_LAST = -13,\n TERN_TYPE_NEXT,\n TERN_TYPE_SAME = TERN_TYPE_NEXT };",
      "TERN_OPERAND_VM = 5 };");
  EXPECT_EQ(text.substr(text.find("export")),
            "export const kTypeS0Last = -13;\nexport const kOperandVm = 5;\n");
}

TEST(AbiDocs, RegionsAreFoundAndReplaced) {
  const std::string header = "x\n/* [abi:a-begin] One. */\nint a;\n/* [abi:a-end] */\ny";
  EXPECT_EQ(gen::AbiRegions(header), std::vector<std::string>{"a"});
  std::string missing;
  EXPECT_EQ(gen::QuoteAbi("<!-- abi:a-begin -->\nold\n<!-- abi:a-end -->\n", header, &missing),
            "<!-- abi:a-begin -->\n```c\n/* One. */\nint a;\n```\n<!-- abi:a-end -->\n");
}

TEST(AbiDocsBad, LostMarksAreNoticed) {
  EXPECT_TRUE(gen::AbiRegions("/* [abi:a-begin] */ int a;").empty());
  const std::string header = "/* [abi:a-begin] One. */\nint a;\n/* [abi:a-end] */\n";
  std::string missing;
  EXPECT_EQ(gen::QuoteAbi("no marks", header, &missing), "");
  EXPECT_EQ(missing, "a");
}

}  // namespace
}  // namespace tern::abi_docs_test
