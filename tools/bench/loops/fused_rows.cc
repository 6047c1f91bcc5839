// SPDX-License-Identifier: Apache-2.0
// One script per engine measures all models; it compares the outputs first.
#include "tools/bench/loops/fused_rows.h"

#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/strings.h"
#include "tests/support/commands.h"
#include "tools/bench/loops/fused_models.h"

namespace tern::bench {
namespace {

constexpr char kRival[] = "onnxruntime-web, 1 thread";
constexpr const char* kEngines[] = {"Node", "Chromium"};
// A layer of BERT-base for 128 tokens; and rows that no vector divides.
const std::vector<int64_t> kShapes[] = {{1, 128, 768}, {300, 500}};

struct FusedCase {
  FusedModel model;
  std::vector<int64_t> shape;
  std::string name;  // of its rows, behind which the engine's stands
};

std::string EndToEnd(const FusedCase& fused, const char* engine) {
  return StrCat(fused.name, ", ", engine, ", from and to JavaScript");
}
std::string Inside(const FusedCase& fused, const char* engine) {
  return StrCat(fused.name, ", ", engine);
}

std::vector<FusedCase> CasesFor(const char* engine, const Bench& bench) {
  std::vector<FusedCase> cases;
  for (const auto& shape : kShapes) {
    std::vector<std::string> extents;
    for (const int64_t extent : shape) extents.push_back(StrCat(extent));
    for (FusedModel& model : FusedModels(shape)) {
      const std::string name = StrCat(model.name, ", ", StrJoin(extents, "x"));
      FusedCase fused{std::move(model), shape, name};
      if (bench.Wanted(EndToEnd(fused, engine)) || bench.Wanted(Inside(fused, engine)))
        cases.push_back(std::move(fused));
    }
  }
  return cases;
}

// The models and cases.json, which says what they are.
void WriteCases(std::span<const FusedCase> cases, const testing::ScratchFolder& folder) {
  JsonWriter json;
  json.BeginArray();
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string single = StrCat(i, ".onnx"), chain = StrCat(i, "-chain.onnx");
    folder.Write(single, cases[i].model.single);
    folder.Write(chain, cases[i].model.chain);
    json.BeginObject().Field("name", cases[i].name).Field("single", single).Field("chain", chain);
    json.Field("layers", kChainLayers).Key("shape").Ints(cases[i].shape).EndObject();
  }
  folder.Write("cases.json", json.EndArray().Take());
}

// A line of the script, microseconds: a run from JavaScript by Tern and by the rival, then what is
// inside of it.
struct Measured {
  double ours = 0, rival = 0, ours_inside = 0, rival_inside = 0;
};
Result<Measured> ParseLine(std::string_view line) {
  const std::vector<std::string_view> words = StrSplit(line, ' ');
  double numbers[4] = {};
  if (words.size() != std::size(numbers)) return Failed(line);
  for (size_t i = 0; i < words.size(); ++i) {
    const auto number = ParseDouble(words[i]);
    if (!number) return Failed(line);
    numbers[i] = *number;
  }
  return Measured{numbers[0], numbers[1], numbers[2], numbers[3]};
}

Status EngineRows(const char* engine, std::span<const FusedCase> cases, Bench* bench) {
  const testing::ScratchFolder folder;
  WriteCases(cases, folder);
  const auto run =
      testing::RunNode("tools/bench/loops/fused_rivals.mjs", StrCat(engine, " ", folder.Path("")));
  const std::vector<std::string_view> lines = StrSplit(StrTrim(run.output), '\n');
  if (run.exit_code != 0 || lines.size() != cases.size()) return Failed(run.output);
  for (size_t i = 0; i < cases.size(); ++i) {
    TERN_TRY_ASSIGN(const Measured measured, ParseLine(lines[i]));
    bench->Figure({.name = Inside(cases[i], engine),
                   .rival_name = kRival,
                   .target_ratio = 1.0 / 3,
                   .unit = "us"},
                  measured.ours_inside, measured.rival_inside);
    bench->Figure({.name = EndToEnd(cases[i], engine), .rival_name = kRival, .unit = "us"},
                  measured.ours, measured.rival);
  }
  return OkStatus();
}

std::string Prepare() {
  for (const char* needed : {"wasm/package/dist/index.js", "web/node_modules"}) {
    if (testing::RunCommand(StrCat("test -e ", needed)).exit_code != 0)
      return StrCat("there is no ", needed, ": run tools/build_web.sh");
  }
  const auto installed = testing::RunCommand("tools/setup/npm.sh tools/bench");
  return installed.exit_code == 0 ? "" : installed.output;
}

}  // namespace

void FusedRows(Bench* bench) {
  for (const char* engine : kEngines) {
    const std::vector<FusedCase> cases = CasesFor(engine, *bench);
    if (cases.empty()) continue;
    if (const std::string missing = Prepare(); !missing.empty())
      return static_cast<void>(std::fprintf(stderr, "fused rows left out: %s\n", missing.c_str()));
    const Status status = EngineRows(engine, cases, bench);
    if (!status.ok()) std::fprintf(stderr, "%s left out: %s\n", engine, status.ToString().c_str());
  }
}

}  // namespace tern::bench
