// SPDX-License-Identifier: Apache-2.0
// tern profile: measures the time of each operator, shows it by what one asks for, and exports time
// lines for Chrome's tracing, Perfetto and speedscope.
#include <thread>

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/call.h"
#include "native/cli/limits.h"
#include "native/cli/profile_hints.h"
#include "native/cli/profile_rows.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct ProfileOptions {
  std::string path;
  InputOptions input;
  KernelChoice kernels;
  RunLimits limits;
  std::string format = "table";
  std::string out;
  std::string by;
  std::string base;  // an earlier profile
  size_t top = 0;
  bool explain = false;
  int repeat = 1;
  int warmup = 1;

  // Rows are made here; without any of these the library's own table or JSON is the answer.
  bool has_view() const { return !by.empty() || !base.empty() || top > 0 || explain; }
};

using ProfileHandle = std::unique_ptr<tern_profile, HandleDeleter<tern_profile_free>>;

Result<ProfileHandle> Measure(const Machine& machine, const std::string& function,
                              const std::vector<TernAny>& args, const ProfileOptions& options) {
  const auto count = static_cast<int32_t>(args.size());
  // Runs before the measurement, so that first-use costs are not charged to an operator.
  for (int i = 0; i < options.warmup; ++i) {
    Value result;
    TERN_TRY(
        FromApi(tern_vm_call(machine.get(), function.c_str(), args.data(), count, result.out())));
  }
  tern_profile* raw = nullptr;
  TERN_TRY(FromApi(
      tern_vm_profile(machine.get(), function.c_str(), args.data(), count, options.repeat, &raw)));
  return ProfileHandle(raw);
}

Result<std::string> Export(const ProfileHandle& profile, const char* format) {
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_profile_export(profile.get(), format, &raw)));
  const Buffer text(raw);
  return std::string(Text(text));
}

// The library's JSON with names, functions and sources of instructions.
Result<JsonValue> ExportJoined(const ProfileHandle& profile, const Program& program) {
  TERN_TRY_ASSIGN(const std::string json, Export(profile, "json"));
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_program_inspect(program.get(), "json", &raw)));
  const Buffer listing(raw);
  return JoinProfile(ParseAnswer(json), ParseAnswer(Text(listing)));
}

// An earlier `tern profile --format json`.
Result<JsonValue> ReadBase(const std::string& path) {
  TERN_TRY_ASSIGN(const native::MappedFile file, OpenData(path));
  const auto bytes = file.bytes();
  Result<JsonValue> json = ParseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (json.ok()) return json;
  return Corrupt("'", path, "' is no profile: ", json.status().message())
      .SetErrorCode("E0502")
      .AddNote("help: tern profile FILE --format json writes one")
      .Clone();
}

Result<std::vector<ProfileHint>> Hints(const JsonValue& profile, const Program& program,
                                       const Engine& engine) {
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_program_kernels(program.get(), &raw)));
  const Buffer text(raw);
  const JsonValue kernels = ParseAnswer(Text(text));
  return HintsOf({.profile = profile,
                  .kernels = kernels,
                  .threads = engine.platform->pool().num_workers(),
                  .processors = static_cast<int>(std::thread::hardware_concurrency())});
}

std::string ViewJson(const std::vector<ProfileRow>& rows, const ProfileView& view,
                     const std::vector<ProfileHint>* hints) {
  JsonWriter json = BeginAnswer();
  WriteProfile(rows, view, &json);
  if (hints != nullptr) {
    json.Key("hints").BeginArray();
    for (const ProfileHint& hint : *hints)
      json.BeginObject()
          .Field("finding", hint.finding)
          .Field("evidence", hint.evidence)
          .Field("advice", hint.advice)
          .EndObject();
    json.EndArray();
  }
  return StrCat(json.EndObject().Take(), "\n");
}

double TotalOf(const JsonValue& profile) {
  return ParseDouble(OptionalTextOf(profile, "totalNs")).value_or(0);
}

Result<std::string> View(const ProfileOptions& options, const GlobalOptions& globals,
                         const JsonValue& profile, const JsonValue& base,
                         const std::vector<ProfileHint>* hints) {
  const std::string by = options.by.empty() ? "shape" : options.by;
  TERN_TRY_ASSIGN(std::vector<ProfileRow> rows, RowsOf(profile, by, options.path));
  ProfileView view{.by = by, .top = options.top, .total_ns = TotalOf(profile)};
  if (!options.base.empty()) {
    TERN_TRY_ASSIGN(const std::vector<ProfileRow> base_rows, RowsOf(base, by, options.base));
    AddBase(base_rows, &rows);
    view.has_base = true;
    view.base_total_ns = TotalOf(base);
  }
  if (globals.json()) return ViewJson(rows, view, hints);
  return ProfileTable(rows, view) + (hints == nullptr ? "" : HintsText(*hints));
}

// What a profile says in the form that was asked for. Time lines are in formats that others define,
// so they get no schema of ours.
Result<std::string> ProfileText(const ProfileHandle& profile, const ProfileOptions& options,
                                const GlobalOptions& globals, const Program& program,
                                const Engine& engine, const JsonValue& base) {
  const bool is_table = options.format == "table";
  if (!is_table && options.format != "json") {
    TERN_TRY_ASSIGN(const std::string text, Export(profile, options.format.c_str()));
    return text + "\n";
  }
  // Nothing was asked for: the library's own table has all that it knows.
  if (is_table && !globals.json() && !options.has_view()) return Export(profile, "table");
  TERN_TRY_ASSIGN(const JsonValue joined, ExportJoined(profile, program));
  // As the library gives it, with what the listing knows of instructions.
  if (!options.has_view()) {
    JsonWriter json;
    WriteJson(joined, &json);
    return AnswerOf(json.text());
  }
  // Hints need the program's kernels, which are asked for only then.
  if (!options.explain) return View(options, globals, joined, base, nullptr);
  TERN_TRY_ASSIGN(const std::vector<ProfileHint> hints, Hints(joined, program, engine));
  return View(options, globals, joined, base, &hints);
}

Status Profile(const ProfileOptions& options, const GlobalOptions& globals) {
  if (options.has_view() && options.format != "table")
    return UsageError("E0003", "--by, --top, --diff and --explain are about tables, not --export")
        .AddNote("help: --format json prints their rows as JSON")
        .Clone();
  // Before the run: a mistake in a name is not to cost one.
  JsonValue base;
  if (!options.base.empty()) {
    TERN_TRY_ASSIGN(base, ReadBase(options.base));
  }
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.limits.max_bytes));
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, options.path, options.kernels));
  TERN_TRY_ASSIGN(const FunctionInfo function, FindFunction(program, options.input.function));
  MemoryBudget budget = {.limit = options.limits.max_bytes};
  TERN_TRY_ASSIGN(const std::vector<NamedArray> inputs,
                  BindInputs(options.input, function, &budget));
  TERN_TRY_ASSIGN(const std::vector<Value> arguments, ToTensors(engine, inputs));
  const tern_vm_options limits = options.limits.ForMachine(BytesLeft(budget));
  tern_vm* raw_vm = nullptr;
  TERN_TRY(FromApi(tern_vm_create(program.get(), &limits, &raw_vm)));
  const Machine machine(raw_vm);
  TERN_TRY_ASSIGN(const ProfileHandle profile,
                  Measure(machine, function.name, Borrow(arguments), options));
  TERN_TRY_ASSIGN(const std::string text,
                  ProfileText(profile, options, globals, program, engine, base));
  if (!options.out.empty()) return native::WriteFile(options.out, text);
  Print(text);
  return Status();
}

}  // namespace

CommandAction SetupProfile(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<ProfileOptions>();
  AddProgram(app, &options->path);
  AddInputOptions(app, &options->input);
  AddKernelOptions(app, &options->kernels);
  AddRunLimits(app, &options->limits);
  app->add_option("--export", options->format, "table, json, chrome or speedscope")
      ->check(CLI::IsMember({"table", "json", "chrome", "speedscope"}));
  app->add_option("--by", options->by,
                  "rows by op (operator), shape (operator and its shapes), pc (instruction) or "
                  "source (line, or node of a model)")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(kProfileKinds), std::end(kProfileKinds))));
  app->add_option("--top", options->top, "only the first so many rows")->check(&CheckPositiveCount);
  app->add_option("--diff", options->base,
                  "an earlier profile, written with --format json, beside this one: the rows that "
                  "changed most come first");
  app->add_flag("--explain", options->explain,
                "say what the figures suggest to try, and which figures those are");
  app->add_option("-o,--out", options->out, "write to this file instead of standard output");
  app->add_option("--repeat", options->repeat, "measure so many runs")->check(&CheckPositiveCount);
  app->add_option("--warmup", options->warmup, "runs before (default 1)")->check(&CheckCount);
  return [options, globals] { return Profile(*options, *globals); };
}

}  // namespace tern::cli
