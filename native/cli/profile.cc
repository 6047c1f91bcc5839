// SPDX-License-Identifier: Apache-2.0
// tern profile: measures the time of each operator and exports time lines for Chrome's tracing,
// Perfetto and speedscope.
#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/call.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct ProfileOptions {
  std::string path;
  InputOptions input;
  KernelChoice kernels;
  std::string format = "table";
  std::string out;
  int repeat = 1;
  int warmup = 1;
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

Status Profile(const ProfileOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, options.path, options.kernels));
  TERN_TRY_ASSIGN(const FunctionInfo function, FindFunction(program, options.input.function));
  TERN_TRY_ASSIGN(const std::vector<NamedArray> inputs, BindInputs(options.input, function));
  TERN_TRY_ASSIGN(const std::vector<Value> arguments, ToTensors(engine, inputs));
  tern_vm* raw_vm = nullptr;
  TERN_TRY(FromApi(tern_vm_create(program.get(), nullptr, &raw_vm)));
  const Machine machine(raw_vm);
  TERN_TRY_ASSIGN(const ProfileHandle profile,
                  Measure(machine, function.name, Borrow(arguments), options));
  const std::string format = options.format == "table" && globals.json() ? "json" : options.format;
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_profile_export(profile.get(), format.c_str(), &raw)));
  const Buffer text(raw);
  if (!options.out.empty())
    return native::WriteFile(options.out,
                             format == "json" ? AnswerOf(Text(text)) : std::string(Text(text)));
  // Time lines are in formats that others define, so they get no schema of ours.
  Print(format == "table"  ? std::string(Text(text))
        : format == "json" ? AnswerOf(Text(text))
                           : StrCat(Text(text), "\n"));
  return Status();
}

}  // namespace

CommandAction SetupProfile(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<ProfileOptions>();
  app->add_option(
         "program", options->path,
         "an executable, .tasm text, a program (.tn) or an ONNX model; - for standard input")
      ->required();
  AddInputOptions(app, &options->input);
  AddKernelOptions(app, &options->kernels);
  app->add_option("--export", options->format, "table, json, chrome or speedscope")
      ->check(CLI::IsMember({"table", "json", "chrome", "speedscope"}));
  app->add_option("-o,--out", options->out, "write to this file instead of standard output");
  app->add_option("--repeat", options->repeat, "measure so many runs")->check(&CheckPositiveCount);
  app->add_option("--warmup", options->warmup, "runs before (default 1)")->check(&CheckCount);
  return [options, globals] { return Profile(*options, *globals); };
}

}  // namespace tern::cli
