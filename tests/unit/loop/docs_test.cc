// SPDX-License-Identifier: Apache-2.0
// docs/loop-ir.md shows what the printer really prints.
#include <fstream>
#include <sstream>

#include "core/loop/report/lowering_report.h"
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::docs_test {
namespace {

std::string Read(std::string_view path) {
  std::ifstream file(StrCat(TERN_SOURCE_DIR, "/", path));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// "stage: loops; strategy: fixed" → the value of a key, or "".
std::string ValueOf(std::string_view header, std::string_view key) {
  for (std::string_view part : StrSplit(header, ';')) {
    part = StrTrim(part);
    if (part.starts_with(StrCat(key, ": "))) return std::string(part.substr(key.size() + 2));
  }
  return "";
}

TEST(LoopDocsTest, StagesAreTheRealOnes) {
  const std::string page = Read("docs/loop-ir.md");
  const std::string program = Read("web/examples/vector_add.tloop");
  constexpr std::string_view kMark = "<!-- stage: ", kFence = "```\n";
  int checked = 0;
  for (size_t at = page.find(kMark); at != std::string::npos; at = page.find(kMark, at + 1)) {
    const size_t end = page.find(" -->", at);
    const std::string header = page.substr(at + 5, end - at - 5);
    const size_t begin = page.find(kFence, end) + kFence.size();
    const std::string shown = page.substr(begin, page.find(kFence, begin) - begin);
    LoweringRequest request;
    request.file_name = "vector_add.tloop";
    request.text = program;
    request.stage = ValueOf(header, "stage");
    request.vl_form = ValueOf(header, "form") == "vl";
    const std::string strategy = ValueOf(header, "strategy");
    if (!strategy.empty()) request.strategies = strategy;
    const Result<std::string> printed = ReportStages(request);
    ASSERT_TRUE(printed.ok()) << text::RenderText(printed.status());
    EXPECT_EQ(*printed, shown) << header;
    ++checked;
  }
  EXPECT_EQ(checked, 5);
}

TEST(LoopDocsTest, CountsAreJsonOfThePromisedShape) {
  LoweringRequest request;
  const std::string program = Read("web/examples/vector_add.tloop");
  request.text = program;
  request.strategies = "predicated";
  request.json = true;
  CountRequest counts;
  counts.n = {18};
  counts.vscales = {4};
  EXPECT_EQ(ReportCounts(request, counts).value(),
            R"({"counts":[{"strategy":"predicated","n":18,"vscale":4,"vector_iterations":2,)"
            R"("scalar_iterations":0,"last_active":2,"utilisation":0.5625,)"
            R"("instructions":{"load":4,"store":2,"arith":2,"predicate":2,"control":4},)"
            R"("bytes_loaded":144,"bytes_stored":72}]})");
}

TEST(LoopDocsTest, BadRequestsAreRefused) {
  LoweringRequest request;
  const std::string program = Read("web/examples/vector_add.tloop");
  request.text = program;
  const auto error = [&](const CountRequest& counts) {
    const Result<std::string> text = ReportCounts(request, counts);
    return text.ok() ? "" : text.status().ToString();
  };
  CountRequest counts;
  EXPECT_NE(error(counts).find("the size 'n' of 'vector_add' has no value"), std::string::npos);
  counts.n = {18};
  counts.function = "main";
  EXPECT_NE(error(counts).find("there is no function 'main'"), std::string::npos);
  counts.function = "";
  counts.sizes = {{"k", 3}};
  EXPECT_NE(error(counts).find("has no size 'k'"), std::string::npos);
  request.strategies = "fixd";
  EXPECT_NE(error({}).find("there is no strategy 'fixd'"), std::string::npos);
  request.strategies = "schedule";
  request.target = "sparc";
  EXPECT_NE(error({}).find("there is no loop target 'sparc'"), std::string::npos);
  request.target = "reference";
  request.stage = "nowhere";
  EXPECT_FALSE(ReportStages(request).ok());
}

}  // namespace
}  // namespace tern::loop::docs_test
