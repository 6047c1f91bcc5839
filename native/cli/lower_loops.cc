// SPDX-License-Identifier: Apache-2.0
// tern lower FILE.tloop: the stages of a loop program, and what runs of it.
#include "native/cli/lower_loops.h"

#include "core/base/strings.h"
#include "core/loop/lowering_report.h"
#include "native/cli/emit_loops.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct LoopSource {
  std::string_view path, text;
  std::string stages;
};

constexpr std::string_view kCountedStrategies = "fixed,cleanup,predicated";

Result<std::vector<int64_t>> ParseVScales(std::string_view text) {
  std::vector<int64_t> vscales;
  for (std::string_view part : StrSplit(text, ',')) {
    const std::optional<int64_t> value = ParseInt64(StrTrim(part));
    if (!value.has_value() || *value < 1 || *value > 16)
      return UsageError(
          "E0003", StrCat("--vscale takes numbers from 1 to 16, as in 1,2,4; got '", part, "'"));
    vscales.push_back(*value);
  }
  return vscales;
}

Result<std::string> Report(const LoopSource& source, const LoopOptions& options,
                           const GlobalOptions& globals) {
  if (!options.emit.empty()) {
    return EmitLoops({.file_name = source.path,
                      .text = source.text,
                      .form = options.emit,
                      .strategy = options.strategy,
                      .target = globals.target});
  }
  loop::LoweringRequest request;
  request.file_name = source.path;
  request.text = source.text;
  request.stage = source.stages;
  request.vl_form = options.vl_form;
  request.json = globals.json();
  if (!globals.target.empty()) request.target = globals.target;
  if (!options.strategy.empty())
    request.strategies = options.strategy;
  else if (options.count)
    request.strategies = std::string(kCountedStrategies);
  if (!options.count) return loop::ReportStages(request);
  loop::CountRequest counts;
  counts.function = options.function;
  counts.n = options.n;
  TERN_TRY_ASSIGN(counts.vscales, ParseVScales(options.vscales));
  TERN_TRY_ASSIGN(counts.sizes, ParseLoopDims(options.dims));
  return loop::ReportCounts(request, counts);
}

}  // namespace

Result<std::vector<std::pair<std::string, int64_t>>> ParseLoopDims(
    const std::vector<std::string>& dims) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  for (const std::string& dim : dims) {
    const size_t equals = dim.find('=');
    const std::optional<int64_t> value =
        equals == std::string::npos ? std::nullopt : ParseInt64(dim.substr(equals + 1));
    if (!value.has_value() || *value < 0)
      return UsageError("E0005", StrCat("--dim takes NAME=SIZE, as in n=18; got '", dim, "'"));
    sizes.emplace_back(dim.substr(0, equals), *value);
  }
  return sizes;
}

bool IsLoopProgram(std::string_view path) { return path.ends_with(".tloop"); }

Status LowerLoops(const std::string& path, const std::vector<std::string>& stages,
                  const LoopOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(path));
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  TERN_TRY_ASSIGN(const std::string out,
                  Report({path, text, StrJoin(stages, ",")}, options, globals));
  Print(out);
  return Status();
}

void AddLoopOptions(CLI::App* app, LoopOptions* options) {
  constexpr const char* kGroup = "Loop programs (.tloop)";
  app->add_option("--strategy", options->strategy,
                  "schedule (what the program says), scalar, fixed, fixed_predicated, cleanup, "
                  "predicated or target (what it says as nearly as the target can); several "
                  "separated by commas")
      ->group(kGroup);
  app->add_option("--emit", options->emit,
                  "print what it becomes for --target: llvm (IR text), asm, object or wasm")
      ->check(CLI::IsMember({"llvm", "asm", "object", "wasm"}))
      ->group(kGroup);
  app->add_flag("--vl", options->vl_form, "write VL for the vector length, as for (i, 0, n; i+=VL)")
      ->group(kGroup);
  app->add_flag("--count", options->count,
                "run it on made-up data and count iterations, instructions and bytes")
      ->group(kGroup);
  app->add_option("--vscale", options->vscales, "with --count: 1 to 16, separated by commas")
      ->group(kGroup);
  app->add_option("--n", options->n, "with --count: the value of every size")->group(kGroup);
  app->add_option("--dim", options->dims, "with --count: NAME=SIZE, the value of one size")
      ->group(kGroup);
  app->add_option("--function", options->function, "with --count: which (default: the first)")
      ->group(kGroup);
}

}  // namespace tern::cli
