// SPDX-License-Identifier: Apache-2.0
// tern reduce: the smallest model or program that it finds for which a command of the user's still
// succeeds. The file is written whenever it became smaller, so that ending the search loses
// nothing.
#include <unistd.h>

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/command.h"
#include "native/cli/minimize.h"
#include "native/cli/program_file.h"
#include "native/cli/reduce_model.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct ReduceOptions {
  std::string path, command, output;
  CheckLimits limits;
};

// "model.onnx" to "model.reduced.onnx". A dot in a folder's name is no ending.
std::string ReducedName(const std::string& path) {
  const size_t slash = path.rfind('/');
  const size_t dot = path.rfind('.');
  const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  const size_t end = has_ending ? dot : path.size();
  return StrCat(path.substr(0, end), ".reduced", path.substr(end));
}

// Beside the output, so that a model finds the data that it keeps outside of its file.
std::string CandidateName(const std::string& output) {
  const size_t slash = output.rfind('/');
  const size_t name = slash == std::string::npos ? 0 : slash + 1;
  return StrCat(output.substr(0, name), ".", getpid(), ".", output.substr(name));
}

// What a file consists of, for the report.
struct Extent {
  uint64_t bytes = 0, parts = 0;  // nodes or lines
};

Extent ExtentOf(const std::string& bytes, bool is_model) {
  Extent extent{bytes.size(), 0};
  if (!is_model) {
    for (const char c : bytes) extent.parts += c == '\n' ? 1 : 0;
    return extent;
  }
  const Result<OnnxGraph> graph = ParseGraph(bytes);
  if (graph.ok()) extent.parts = graph->nodes.size();
  return extent;
}

std::string EndOfSearch(const std::string& ended, const ReduceOptions& options) {
  if (ended.empty()) return "nothing more can go";
  if (ended == "checks") return StrCat("ended by --max-checks ", options.limits.max_checks);
  if (ended == "time") return StrCat("ended by --max-time ", options.limits.max_seconds);
  return ended == "interrupt" ? "ended by Ctrl-C" : "a candidate could not be written";
}

void ReportReduction(const ReduceOptions& options, const FaultCheck& check, const Extent& before,
                     const Extent& after, bool is_model, const GlobalOptions& globals) {
  if (globals.quiet) return;
  const char* const unit = is_model ? "nodes" : "lines";
  if (globals.json()) {
    JsonWriter json = BeginAnswer();
    json.Field("output", options.output).Field("checks", check.checks());
    json.Field("ended", check.ended()).Field("unit", unit);
    json.Field("bytes_before", before.bytes).Field("bytes", after.bytes);
    json.Field("parts_before", before.parts).Field("parts", after.parts).EndObject();
    return Print(StrCat(json.text(), "\n"));
  }
  Print(StrCat("wrote ", options.output, ": ", after.parts, " of ", before.parts, " ", unit, ", ",
               FormatBytes(after.bytes), " of ", FormatBytes(before.bytes), ", ", check.checks(),
               " checks; ", EndOfSearch(check.ended(), options), "\n"));
}

Status NoFault(const ReduceOptions& options, const FaultCheck& check) {
  if (!check.write_error().ok()) return check.write_error().Clone();
  return Failed("the check does not hold for '", options.path,
                "' itself, so there is nothing to keep")
      .SetErrorCode("E0014")
      .AddNote(StrCat("the check: ", options.command))
      .AddNote(
          "help: it must exit with 0 where the fault is there; '! tern run {}' turns it around")
      .Clone();
}

Status Reduce(ReduceOptions options, const GlobalOptions& globals) {
  if (options.path == "-")
    return UsageError("E0003", "tern reduce needs a file with a name, whose ending the check sees");
  if (options.output == "-")
    return UsageError("E0003",
                      "tern reduce writes what it has whenever that becomes smaller, so "
                      "--out wants a file, not '-'");
  if (options.output.empty()) options.output = ReducedName(options.path);
  TERN_TRY(CheckOutputPath(options.output, options.path));
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(options.path));
  if (file.kind == ProgramKind::kExecutable)
    return UsageError("E0003", StrCat("'", options.path, "' is an executable"))
        .AddNote("help: tern dis writes it as text, which can be reduced")
        .Clone();
  const bool is_model = file.kind == ProgramKind::kOnnx;
  OnnxGraph graph;
  if (is_model) {
    TERN_TRY_ASSIGN(graph, ParseGraph(file.text()));
  }
  std::string best(file.text());
  FaultCheck check(options.command, CandidateName(options.output), options.limits);
  if (!check.Holds(best)) return NoFault(options, check);
  Status written;
  const HoldsFor holds = [&](std::string_view candidate) {
    // Only smaller candidates are of use; extents that become smaller may lengthen nothing.
    if (!written.ok() || candidate.size() > best.size() || !check.Holds(candidate)) return false;
    best = candidate;
    written = native::WriteFile(options.output, candidate);
    return true;
  };
  if (is_model)
    ReduceModel(std::move(graph), holds);
  else
    ReduceText(best, holds);
  TERN_TRY(std::move(written));
  TERN_TRY(check.write_error().Clone());
  TERN_TRY(native::WriteFile(options.output, best));
  ReportReduction(options, check, ExtentOf(std::string(file.text()), is_model),
                  ExtentOf(best, is_model), is_model, globals);
  return Status();
}

}  // namespace

CommandAction SetupReduce(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<ReduceOptions>();
  app->add_option("program", options->path, "an ONNX model, a program (.tn), .tasm or .tloop text")
      ->required();
  app->add_option("--check", options->command,
                  "a shell command that exits with 0 while the fault is there; {} is the file")
      ->required();
  app->add_option("-o,--out", options->output, "the result (default: FILE.reduced.onnx)");
  AddCount(app, "--max-checks", &options->limits.max_checks, "run so many checks (default 2000)");
  AddCount(app, "--max-time", &options->limits.max_seconds,
           "search for so many seconds (default 600)");
  AddCount(app, "--check-time", &options->limits.check_seconds,
           "end a check after so many seconds, as if it did not hold (default 60)");
  return [options, globals] { return Reduce(*options, *globals); };
}

}  // namespace tern::cli
