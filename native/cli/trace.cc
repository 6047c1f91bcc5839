// SPDX-License-Identifier: Apache-2.0
// tern trace: looks at the record of a run that `tern run --trace` wrote. The library reads the
// record; it may come from anywhere, and is checked there.
#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/command.h"
#include "native/cli/program_file.h"
#include "native/cli/recorded_run.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

constexpr uint64_t kNoStep = UINT64_MAX;

struct TraceOptions {
  std::string path;
  uint64_t step = kNoStep;
  std::vector<uint64_t> list;  // from, to
};

Status ShowTrace(const TraceOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const native::MappedFile file, OpenData(options.path));
  const Result<vm::SavedTrace> trace = ReadTrace(options.path, file.bytes());
  if (!trace.ok()) return trace.status().Clone();
  // A step, a range or a summary: the options exclude each other.
  const char* what = options.step != kNoStep ? "state" : options.list.empty() ? "summary" : "list";
  const uint64_t from = options.list.empty() ? options.step : options.list[0];
  const uint64_t to = options.list.empty() ? 0 : options.list[1];
  tern_buffer* raw = nullptr;
  const auto show = globals.json() ? &tern_trace_json : &tern_trace_text;
  TERN_TRY(FromApi(show(file.bytes().data(), file.bytes().size(), what, from, to, &raw)));
  const Buffer text(raw);
  const bool is_list = globals.json() && !options.list.empty();
  Print(is_list          ? AnswerOfItems("steps", ParseAnswer(Text(text)), globals.by_line())
        : globals.json() ? AnswerOf(Text(text))
                         : std::string(Text(text)));
  return Status();
}

}  // namespace

CommandAction SetupTrace(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<TraceOptions>();
  app->add_option("trace", options->path, "a .terntrace file, of `tern run --trace`")->required();
  auto* step = app->add_option("--step", options->step, "frames and registers at a step");
  app->add_option("--list", options->list, "FROM TO: the steps between, and what they changed")
      ->expected(2)
      ->excludes(step);
  return [options, globals] { return ShowTrace(*options, *globals); };
}

}  // namespace tern::cli
