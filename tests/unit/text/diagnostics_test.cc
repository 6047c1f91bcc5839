// SPDX-License-Identifier: Apache-2.0
// Diagnostics: counting, travelling in a Status, JSON, and the table of codes.
#include "core/text/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/text/codes.h"

namespace tern::text::diagnostics_test {
namespace {

TEST(DiagnosticsTest, CountsErrorsAndWarnings) {
  Diagnostics diagnostics;
  EXPECT_TRUE(diagnostics.ok() && diagnostics.empty());
  diagnostics.Warning("E0002", "hm");
  EXPECT_TRUE(diagnostics.ok());
  diagnostics.Error("E0203", "no").Note("n").Help("h").Context("got", "x");
  EXPECT_FALSE(diagnostics.ok());
  EXPECT_EQ(diagnostics.error_count(), 1u);
  EXPECT_EQ(diagnostics.warning_count(), 1u);
  EXPECT_EQ(diagnostics.items()[1].notes[0], "n");
}

TEST(DiagnosticsTest, KeepsSomeAndCountsTheRest) {
  Diagnostics diagnostics;
  for (size_t i = 0; i < Diagnostics::kMaxKept + 10; ++i)
    diagnostics.Error("E0402", StrCat(i)).Note("x");
  EXPECT_EQ(diagnostics.items().size(), Diagnostics::kMaxKept);
  EXPECT_EQ(diagnostics.total(), Diagnostics::kMaxKept + 10);
  EXPECT_EQ(diagnostics.error_count(), Diagnostics::kMaxKept + 10);
  Diagnostics sum;
  sum.Warning("", "w");
  sum.Append(diagnostics);
  EXPECT_EQ(sum.error_count(), Diagnostics::kMaxKept + 10);
  EXPECT_EQ(sum.warning_count(), 1u);
  EXPECT_EQ(sum.total(), Diagnostics::kMaxKept + 11);
}

TEST(DiagnosticsTest, TravelInAStatus) {
  auto sources = std::make_shared<SourceMap>();
  const int32_t file = sources->AddFile("m.tasm", "abc");
  Diagnostics diagnostics(sources);
  diagnostics.Warning("E0003", "careful");
  diagnostics.Error("E0402", "first").At({file, 0, 1});
  diagnostics.Error("E0403", "second");
  const Status status = diagnostics.ToStatus(StatusCode::kUnsupported);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message(), "first");
  EXPECT_EQ(status.error_code(), "E0402");
  EXPECT_EQ(status.notes()[0], "and 1 more error");
  const Status copy = status.Clone();
  ASSERT_NE(DiagnosticsOf(copy), nullptr);
  EXPECT_EQ(DiagnosticsOf(copy)->items().size(), 3u);
  EXPECT_EQ(DiagnosticsOf(copy)->sources().Describe(DiagnosticsOf(copy)->items()[1].span),
            "m.tasm:1:1");
}

TEST(DiagnosticsTest, NoErrorsIsOk) {
  Diagnostics diagnostics;
  diagnostics.Warning("", "only this");
  EXPECT_TRUE(diagnostics.ToStatus().ok());
  EXPECT_EQ(DiagnosticsOf(Status()), nullptr);
  EXPECT_EQ(DiagnosticsOf(IoError("x")), nullptr);
}

TEST(DiagnosticsTest, AnyStatusBecomesDiagnostics) {
  const Diagnostics made = ToDiagnostics(NotFound("no x").AddNote("look").SetErrorCode("E0206"));
  ASSERT_EQ(made.items().size(), 1u);
  EXPECT_EQ(made.items()[0].code, "E0206");
  EXPECT_EQ(made.items()[0].notes[0], "look");
  EXPECT_EQ(ToDiagnostics(Stopped("limit")).items()[0].severity, Severity::kStopped);
  EXPECT_TRUE(ToDiagnostics(Status()).empty());
}

TEST(DiagnosticsTest, Json) {
  auto sources = std::make_shared<SourceMap>();
  const int32_t file = sources->AddFile("m.tasm", "ab\ncd");
  Diagnostics diagnostics(sources);
  diagnostics.Error("E0203", "bad")
      .At({file, 3, 5}, "here")
      .Mark({file, 0, 1}, "there")
      .Context("got", "f32");
  diagnostics.Error("E0301", "run").InFunction("main", 7).Help("do");
  diagnostics.Error("E0402", "node").InFile("n.onnx").InNode("conv1");
  JsonWriter json;
  WriteJson(diagnostics, &json);
  const std::string expected = StrCat(
      R"([{"code":"E0203","severity":"error","message":"bad",)",
      R"("span":{"file":"m.tasm","line":2,"col":1,"endLine":2,"endCol":3},"label":"here",)",
      R"("labels":[{"span":{"file":"m.tasm","line":1,"col":1,"endLine":1,"endCol":2},)",
      R"("text":"there"}],"notes":[],"help":[],"fixes":[],"context":{"got":"f32"}},)",
      R"({"code":"E0301","severity":"error","message":"run","span":{"fn":"main","pc":7},)",
      R"("labels":[],"notes":[],"help":["do"],"fixes":[],"context":{}},)",
      R"({"code":"E0402","severity":"error","message":"node","file":"n.onnx","node":"conv1",)",
      R"("labels":[],"notes":[],"help":[],"fixes":[],"context":{}}])");
  EXPECT_EQ(json.text(), expected);
  // The same inside a Status.
  JsonWriter whole;
  diagnostics.ToStatus().WriteJson(&whole);
  EXPECT_NE(whole.text().find(json.text()), std::string::npos);
}

TEST(CodesTest, SortedUniqueAndExplained) {
  std::set<std::string_view> seen;
  std::string_view previous;
  for (const CodeInfo& info : AllCodes()) {
    EXPECT_TRUE(IsCode(info.code)) << info.code;
    EXPECT_LT(previous, info.code);
    previous = info.code;
    EXPECT_EQ(info.code.size(), 5u) << info.code;
    EXPECT_FALSE(info.title.empty() || info.title.ends_with('.')) << info.code;
    EXPECT_TRUE(info.explanation.ends_with('.')) << info.code;
  }
  EXPECT_EQ(FindCode("e0203")->title, "shape mismatch");
  EXPECT_EQ(FindCode("E9999"), nullptr);
  EXPECT_EQ(FindCode(""), nullptr);
  EXPECT_EQ(FindCode("E020"), nullptr);
  EXPECT_TRUE(IsCode("e0203"));
  EXPECT_FALSE(IsCode("E020"));
  EXPECT_FALSE(IsCode(""));
}

#ifndef __wasm__
// Adds the codes that string literals of one file mention.
void CollectCodes(const std::filesystem::path& path, std::map<std::string, std::string>* used) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (size_t i = 0; i + 7 <= text.size(); ++i) {
    const std::string_view literal = std::string_view(text).substr(i, 7);
    if (literal.front() != literal.back() || (literal[0] != '"' && literal[0] != '\'')) continue;
    if (literal[1] != 'E' && literal[1] != 'S' && literal[1] != 'M') continue;
    const std::string_view digits = literal.substr(2, 4);
    if (digits[0] != '0' || !std::all_of(digits.begin(), digits.end(), is_digit)) continue;
    used->emplace(literal.substr(1, 5), path.string());
  }
}

TEST(CodesTest, EveryCodeInTheSourcesIsExplained) {
  std::map<std::string, std::string> used;
  for (const char* folder : {"core", "native", "wasm/package/src", "web/src"}) {
    const std::filesystem::path root = std::filesystem::path(TERN_SOURCE_DIR) / folder;
    if (!std::filesystem::exists(root)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".cc" || extension == ".h" || extension.starts_with(".ts"))
        CollectCodes(entry.path(), &used);
    }
  }
  EXPECT_GT(used.size(), 10u);
  for (const auto& [code, where] : used) {
    EXPECT_NE(FindCode(code), nullptr) << code << " in " << where << " is not in codes.def";
  }
}
#endif

}  // namespace
}  // namespace tern::text::diagnostics_test
