// SPDX-License-Identifier: Apache-2.0
// The layout of diagnostics, word for word.
#include <gtest/gtest.h>

#include "core/base/strings.h"
#include "core/text/diagnostics.h"

namespace tern::text::render_test {
namespace {

constexpr std::string_view kSource =
    "; a small model\n"
    "\n"
    "\n"
    ".func @main(x: f32[n, 128], w: f32[128, 10]) -> f32[n, 10]\n"
    "\t%1 = matmul x, w\n";

struct Fixture {
  Fixture() : sources(std::make_shared<SourceMap>()), file(sources->AddFile("mlp.tasm", kSource)) {}
  Span Find(std::string_view text) const {
    const auto at = static_cast<uint32_t>(kSource.find(text));
    return {file, at, at + static_cast<uint32_t>(text.size())};
  }
  std::shared_ptr<SourceMap> sources;
  int32_t file;
};

TEST(Render, SourceRowsAndExplain) {
  Fixture fixture;
  Diagnostics diagnostics(fixture.sources);
  Diagnostic& d = diagnostics.Error("E0203", "shape mismatch for parameter `x` of @main");
  d.At(fixture.Find("x: f32[n, 128]"), "declared here as f32[n, 128]");
  d.Context("got", "f32[18, 64]   from --input x=@x.npy").Context("axis 1", "expected 128, got 64");
  d.Note("n was bound to 18 by axis 0 of `x`").Help("`w` has 128 rows");
  EXPECT_EQ(RenderText(diagnostics),
            "error[E0203]: shape mismatch for parameter `x` of @main\n"
            "  --> mlp.tasm:4:13\n"
            "   |\n"
            " 4 | .func @main(x: f32[n, 128], w: f32[128, 10]) -> f32[n, 10]\n"
            "   |             ^^^^^^^^^^^^^^ declared here as f32[n, 128]\n"
            "   |\n"
            "   = got:      f32[18, 64]   from --input x=@x.npy\n"
            "   = axis 1:   expected 128, got 64\n"
            "   = note:     n was bound to 18 by axis 0 of `x`\n"
            "   = help:     `w` has 128 rows\n"
            "   = explain:  tern explain E0203\n");
}

TEST(Render, WithoutSource) {
  Diagnostics diagnostics;
  diagnostics.Error("E0002", "unknown option '--dimension'").Help("did you mean '--dim'?");
  EXPECT_EQ(RenderText(diagnostics),
            "error[E0002]: unknown option '--dimension'\n"
            "   = help: did you mean '--dim'?\n");
}

TEST(Render, PlaceInBytecodeAndInAGraph) {
  Diagnostics diagnostics;
  diagnostics.Error("E0301", "failed").InFunction("loop", 12);
  diagnostics.Error("E0402", "operator Foo").InFile("net.onnx").InNode("foo_3");
  EXPECT_EQ(RenderText(diagnostics),
            "error[E0301]: failed\n"
            "  --> @loop at pc 12\n"
            "error[E0402]: operator Foo\n"
            "  --> net.onnx, node `foo_3`\n");
}

TEST(Render, LabelsTabsAndSpansOverLines) {
  Fixture fixture;
  Diagnostics diagnostics(fixture.sources);
  Diagnostic& d = diagnostics.Error("", "m");
  d.At(fixture.Find("matmul x, w\n"), "all of it").Mark(fixture.Find("w: f32"), "declared here");
  EXPECT_EQ(RenderText(diagnostics),
            "error: m\n"
            "  --> mlp.tasm:5:7\n"
            "   |\n"
            " 5 |  %1 = matmul x, w\n"
            "   |       ^^^^^^^^^^^ all of it\n"
            " 4 | .func @main(x: f32[n, 128], w: f32[128, 10]) -> f32[n, 10]\n"
            "   |                             ------ declared here\n");
}

// The line of several labels is written once, wherever they stand in the list.
TEST(Render, LabelsOfOneLineShareIt) {
  Fixture fixture;
  Diagnostics diagnostics(fixture.sources);
  Diagnostic& d = diagnostics.Error("", "x and w");
  d.At(fixture.Find("x: f32"), "here").Mark(fixture.Find("matmul"), "used");
  d.Mark(fixture.Find("w: f32"), "and here").Mark(fixture.Find("%1"), "into this");
  EXPECT_EQ(RenderText(diagnostics),
            "error: x and w\n"
            "  --> mlp.tasm:4:13\n"
            "   |\n"
            " 4 | .func @main(x: f32[n, 128], w: f32[128, 10]) -> f32[n, 10]\n"
            "   |             ^^^^^^ here\n"
            "   |                             ------ and here\n"
            " 5 |  %1 = matmul x, w\n"
            "   |       ------ used\n"
            "   |  -- into this\n");
}

struct Line {
  explicit Line(std::string_view text)
      : sources(std::make_shared<SourceMap>()), text(text), file(sources->AddFile("f", text)) {}
  Span At(size_t begin, size_t length) const {
    return {file, static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + length)};
  }
  // The rows of source text and underlines.
  std::vector<std::string> Rows(const Diagnostic& diagnostic) const {
    std::vector<std::string> rows;
    const std::string all = RenderText(diagnostic, *sources);
    for (std::string_view row : StrSplit(all, '\n')) {
      const size_t bar = row.find(" | ");
      if (bar != row.npos && bar < 4) rows.emplace_back(row.substr(bar + 3));
    }
    return rows;
  }
  std::shared_ptr<SourceMap> sources;
  std::string text;
  int32_t file;
};

std::string Times(size_t count, std::string_view text) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

using Rows = std::vector<std::string>;

TEST(Render, ALongLineIsShownAroundTheSpan) {
  const Line line(Times(100000, "0123456789"));
  Diagnostic d;
  d.At(line.At(500005, 4), "here");
  const Rows rows = line.Rows(d);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], "…" + line.text.substr(500005 - 77, 158) + "…");
  EXPECT_EQ(rows[1], std::string(78, ' ') + "^^^^ here");
  EXPECT_LT(RenderText(d, *line.sources).size(), 500u);
}

TEST(Render, ALongLineIsWholeAtItsEnds) {
  const Line line(Times(50, "0123456789"));
  Diagnostic first, last;
  first.At(line.At(3, 2));
  last.At(line.At(500, 0));
  EXPECT_EQ(line.Rows(first), (Rows{line.text.substr(0, 158) + "…", "   ^^"}));
  EXPECT_EQ(line.Rows(last),
            (Rows{"…" + line.text.substr(500 - 158), std::string(159, ' ') + "^"}));
}

TEST(Render, ALineThatJustFitsIsWhole) {
  const Line fits(std::string(160, 'x')), longer(std::string(161, 'x'));
  Diagnostic d;
  d.At(fits.At(150, 1));
  EXPECT_EQ(fits.Rows(d)[0], fits.text);
  EXPECT_EQ(longer.Rows(d)[0], "…" + std::string(158, 'x'));
}

TEST(Render, ASpanThatIsLongerThanWhatIsShownIsCut) {
  const Line line(std::string(1000, 'a') + std::string(5000, 'b'));
  Diagnostic d;
  d.At(line.At(1000, 5000), "too long");
  EXPECT_EQ(line.Rows(d), (Rows{"…" + std::string(8, 'a') + std::string(150, 'b') + "…",
                                std::string(9, ' ') + std::string(150, '^') + " too long"}));
}

// Labels of a long line that are far from each other are shown each with what is around them.
TEST(Render, LabelsFarApartOnALongLine) {
  const Line line(Times(100, "0123456789"));
  Diagnostic d;
  d.At(line.At(100, 1), "here").Mark(line.At(110, 2), "near").Mark(line.At(900, 3), "far");
  EXPECT_EQ(line.Rows(d),
            (Rows{"…" + line.text.substr(22, 158) + "…", std::string(79, ' ') + "^ here",
                  std::string(89, ' ') + "-- near", "…" + line.text.substr(900 - 77, 158) + "…",
                  std::string(78, ' ') + "--- far"}));
}

// A letter of two columns has two marks; a mark on a letter has none of its own.
TEST(Render, WideLettersTabsAndWhatIsNoText) {
  const Line wide("\tx = \"漢字\" + e\xCC\x81 + y");
  Diagnostic d;
  d.At(wide.At(5, 8), "text").Mark(wide.At(wide.text.size() - 1, 1), "y");
  EXPECT_EQ(wide.Rows(d),
            (Rows{" x = \"漢字\" + e\xCC\x81 + y", "     ^^^^^^ text", "                  - y"}));
  const Line all(Times(1000, "漢"));
  d = Diagnostic();
  d.At(all.At(1500, 6));
  EXPECT_EQ(all.Rows(d), (Rows{"…" + Times(79, "漢") + "…", std::string(77, ' ') + "^^^^"}));
  const Line bytes(std::string(1000, '\x80'));
  d = Diagnostic();
  d.At(bytes.At(500, 1));
  EXPECT_EQ(bytes.Rows(d).size(), 2u);
}

TEST(Render, EmptySpanAtTheEndStillShows) {
  Fixture fixture;
  Diagnostics diagnostics(fixture.sources);
  const auto end = static_cast<uint32_t>(kSource.size());
  diagnostics.Error("", "expected '}'").At({fixture.file, end, end});
  EXPECT_EQ(RenderText(diagnostics),
            "error: expected '}'\n"
            "  --> mlp.tasm:6:1\n"
            "   |\n"
            " 6 | \n"
            "   | ^\n");
}

TEST(Render, LimitsWhatIsPrinted) {
  Diagnostics diagnostics;
  for (int i = 0; i < 25; ++i) diagnostics.Error("", StrCat("e", i));
  diagnostics.Warning("", "w");
  const std::string text = RenderText(diagnostics);
  EXPECT_NE(text.find("error: e19\n"), std::string::npos);
  EXPECT_EQ(text.find("error: e20\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("and 6 more diagnostics (25 errors, 1 warning in all)\n"));
  Diagnostic many;
  many.message = "m";
  for (int i = 0; i < 20; ++i) many.Note("n");
  const std::string one = RenderText(many, SourceMap());
  EXPECT_TRUE(one.ends_with("   = and 12 more (use -v)\n")) << one;
}

TEST(Render, OtherSeverities) {
  Diagnostics diagnostics;
  Diagnostic stopped;
  stopped.code = "S0301";
  stopped.severity = Severity::kStopped;
  stopped.message = "step limit reached";
  stopped.Note("trace kept").Help("raise it");
  diagnostics.Add(stopped);
  EXPECT_EQ(RenderText(diagnostics),
            "stopped[S0301]: step limit reached\n   = note: trace kept\n   = help: raise it\n");
}

TEST(Render, StatusWithAndWithoutDiagnostics) {
  EXPECT_EQ(RenderText(IoError("no file").AddNote("look").SetErrorCode("E0101")),
            "error[E0101]: no file\n   = note: look\n");
  Diagnostics diagnostics;
  diagnostics.Error("E0402", "a");
  diagnostics.Error("E0402", "b");
  Status status = diagnostics.ToStatus();
  status.AddNote("while importing net.onnx");
  EXPECT_EQ(RenderText(status),
            "error[E0402]: a\nerror[E0402]: b\nnote: while importing net.onnx\n");
  EXPECT_EQ(RenderText(Status()), "");
}

TEST(Render, ColorOnlyAddsEscapes) {
  Fixture fixture;
  Diagnostics diagnostics(fixture.sources);
  diagnostics.Error("E0203", "m").At(fixture.Find("x: f32"), "l").Note("n");
  std::string colored = RenderText(diagnostics, {.color = true});
  EXPECT_NE(colored.find("\x1b[1;31m"), std::string::npos);
  for (size_t at; (at = colored.find('\x1b')) != std::string::npos;) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  EXPECT_EQ(colored, RenderText(diagnostics));
}

TEST(RenderBad, InvalidUtf8InTheSource) {
  auto sources = std::make_shared<SourceMap>();
  const int32_t file = sources->AddFile("bad", "a\xFFz");
  Diagnostics diagnostics(sources);
  diagnostics.Error("", "m").At({file, 2, 3});
  EXPECT_NE(RenderText(diagnostics).find(" 1 | a\xEF\xBF\xBDz\n   |   ^\n"), std::string::npos);
}

}  // namespace
}  // namespace tern::text::render_test
