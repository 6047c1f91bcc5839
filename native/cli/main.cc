// SPDX-License-Identifier: Apache-2.0
// `tern`: the command line. One table of commands; each is in a source of its own and registers its
// options with CLI11, of which the manual and the completions are made as well (describe.h).
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "core/base/strings.h"
#include "native/cli/command.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

constexpr Command kCommands[] = {
    {"compile", "turn an ONNX model or a program (.tn) into an executable (.tern)",
     "  tern compile model.onnx -o model.tern\n  tern compile program.tn\n  tern compile "
     "model.onnx --print-after "
     "fuse_epilogues\n",
     &SetupCompile},
    {"lower", "show the stages of a program on its way to code",
     "  tern lower model.onnx\n  tern lower model.onnx --stage fuse_epilogues,memory\n"
     "  tern lower add.tloop --stage all\n"
     "  tern lower add.tloop --count --vscale 1,2,4,8,16 --n 18 --format json\n",
     &SetupLower},
    {"run", "execute a function of a program",
     "  tern run model.tern -i x=@x.npy --output y=@y.npy\n"
     "  tern run model.onnx -i x='f32[1,1,28,28]:random(seed=1)' --expect y=@y.npy\n",
     &SetupRun},
    {"check", "say what is wrong with a program, without running it",
     "  tern check program.tn\n  tern check program.tn --format json\n"
     "  tern check model.onnx --against model --rtol 1e-4\n",
     &SetupCheck},
    {"fmt", "lay out a program",
     "  tern fmt program.tn\n  tern fmt program.tn --check\n  tern fmt - < program.tn\n",
     &SetupFormat},
    {"bench", "time a function of a program",
     "  tern bench model.tern --threads 2 --min-time 3\n"
     "  tern bench model.tern --format json > before.json\n"
     "  tern bench model.tern --baseline before.json\n"
     "  tern bench program.tn --dim n=1,8,32\n",
     &SetupBench},
    {"debug", "step through a run, in both directions",
     "  tern debug model.tern -i x=@x.npy\n"
     "  tern debug program.tasm --dim n=4 --fill < commands.txt\n",
     &SetupDebug},
    {"trace", "look at the record of a run",
     "  tern trace run.terntrace\n  tern trace run.terntrace --step 14\n"
     "  tern trace run.terntrace --list 10 20\n",
     &SetupTrace},
    {"replay", "run a program again and compare with the record of a run",
     "  tern replay run.terntrace model.tern\n"
     "  tern replay run.terntrace model.tern --until 14\n",
     &SetupReplay},
    {"diff", "say where two programs, runs, records, profiles or arrays differ",
     "  tern diff old.tern new.tern\n  tern diff model.onnx model.tern --run --max-ulp 4\n"
     "  tern diff a.terntrace b.terntrace\n  tern diff y.npy expected.npy --rtol 1e-5\n",
     &SetupDiff},
    {"reduce", "make a failing model or program smaller while a check holds",
     "  tern reduce model.onnx --check 'tern run {} --fill 2>&1 | grep -q E0310'\n"
     "  tern reduce program.tn --check '! tern check {}' -o small.tn --max-time 60\n",
     &SetupReduce},
    {"profile", "measure the time of each operator",
     "  tern profile model.tern --fill --by op --top 10\n"
     "  tern profile model.tern --fill --export speedscope -o model.speedscope.json\n"
     "  tern profile model.tern --fill --format json > before.json\n"
     "  tern profile model.tern --fill --diff before.json --explain\n",
     &SetupProfile},
    {"play", "open a program in the page, served from here to this machine only",
     "  tern play model.onnx\n  tern play program.tn --no-open --port 8080\n"
     "  tern play run.terntrace model.tern\n",
     &SetupPlay},
    {"tune", "search for the best schedule of a loop program (.tloop)",
     "  tern tune add.tloop -o fast.tloop --log add.log\n"
     "  tern tune add.tloop --target neoverse-v1 --trials 16\n",
     &SetupTune},
    {"inspect", "show functions, constants, primitives and sizes",
     "  tern inspect model.tern\n  tern inspect model.tern --format json\n"
     "  tern inspect model.onnx --memory\n  tern inspect model.onnx --unsupported\n"
     "  tern inspect model.onnx --memory --svg plan.svg\n",
     &SetupInspect},
    {"dis", "print a program as assembly text (.tasm)",
     "  tern dis model.tern\n  tern dis model.tern --check-roundtrip\n"
     "  tern dis model.tern --as cpp -o model.cc\n",
     &SetupDis},
    {"asm", "turn assembly text into an executable",
     "  tern asm program.tasm -o program.tern\n  tern dis a.tern | tern asm - -o b.tern\n",
     &SetupAsm},
    {"convert", "turn a program or arrays into another form of file",
     "  tern convert model.onnx model.tasm\n  tern convert model.tern model.cc\n"
     "  tern convert x.npy bundle.npz\n  tern convert input_0.pb x.npy\n",
     &SetupConvert},
    {"info", "show this build, the processor and the kernel targets",
     "  tern info\n  tern info --format json\n  tern info --bench --threads 0\n", &SetupInfo},
    {"explain", "explain an error code",
     "  tern explain E0203\n  tern explain M0101 --format json\n", &SetupExplain},
    {"help", "tell more of a verb or a topic",
     "  tern help run\n  tern help inputs\n  tern help --agents\n", &SetupHelp},
    {"man", "print a manual page",
     "  tern man run > tern-run.1 && man ./tern-run.1\n  tern man --all man1\n", &SetupManual},
    {"completion", "print what a shell reads to complete verbs and options",
     "  tern completion bash > ~/.local/share/bash-completion/completions/tern\n"
     "  tern completion zsh > _tern\n  tern completion fish > tern.fish\n",
     &SetupCompletion},
};

std::vector<std::string> NamesKnownTo(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// A known name that the word may have meant: a slip of the keys, or a longer or shorter form. Words
// of less than four letters are too near to too much.
std::string_view Suggest(std::string_view word, const std::vector<std::string>& known) {
  const std::string_view near = DidYouMean(word, known);
  if (!near.empty() || word.size() < 4) return near;
  for (const std::string& name : known) {
    if (name.size() > 3 && (word.starts_with(name) || name.starts_with(word))) return name;
  }
  return {};
}

// CLI11's complaint in Tern's words, with the nearest name. The first unknown word is taken as the
// culprit, because CLI11 does not tell which it was.
Status ExplainUsage(const CLI::Error& error, const CLI::App& app, int argc, char** argv) {
  const CLI::App* active = &app;
  // The verb whose options were being read.
  for (const CLI::App* sub : app.get_subcommands()) active = sub;
  Status status = UsageError("E0003", error.what());
  std::vector<std::string> known = NamesKnownTo(*active);
  for (std::string& name : NamesKnownTo(app)) known.push_back(std::move(name));
  for (int i = 1; i < argc; ++i) {
    // --name=value: only the name is looked up.
    const std::string_view word = StrSplit(argv[i], '=')[0];
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    const std::string_view suggestion = Suggest(word, known);
    const bool option = word.starts_with("--");
    // A word behind a verb may be a file or a value; only options can be called unknown there.
    if (!option && (active != &app || i > 1)) continue;
    status = option ? UsageError("E0002", StrCat("unknown option '", word, "'"))
                    : UsageError("E0001", StrCat("unknown command '", word, "'"));
    if (!suggestion.empty()) status.AddNote(StrCat("help: did you mean '", suggestion, "'?"));
    break;
  }
  return status
      .AddNote(StrCat("help: tern ", active == &app ? "" : active->get_name() + " ", "--help"))
      .Clone();
}

// What a verb took, for -v.
void ReportCost(std::string_view verb, std::chrono::steady_clock::time_point begin) {
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  // Linux counts in KiB.
  PrintError(StrCat("tern ", verb, ": ", FormatDoubleDigits(time.count(), 4), " ms, at most ",
                    FormatBytes(static_cast<uint64_t>(usage.ru_maxrss) << 10), " of memory\n"));
}

struct Selected {
  CLI::App* app;
  CommandAction action;
};

int Main(int argc, char** argv) {
  CLI::App app("Tern runs machine-learning programs: one executable file for every target.",
               "tern");
  GlobalOptions globals;
  app.add_option("--format", globals.format, "text, json, or jsonl: an object per line")
      ->check(CLI::IsMember({"text", "json", "jsonl"}));
  app.add_option("--target", globals.target,
                 "kernel target, such as avx2 (default: the best here)");
  app.add_option("--threads", globals.threads, "worker threads, 0 for every processor")
      ->check(CLI::Range(0, 1024));
  app.add_option(
         "--progress", globals.progress,
         "how compiling a model reports on standard error: auto (a bar on a terminal), bar, "
         "plain or none")
      ->check(CLI::IsMember({"auto", "bar", "plain", "none"}));
  app.add_option("--color", globals.color,
                 "paint errors and warnings: auto (on a terminal, without NO_COLOR), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("-q,--quiet", globals.quiet, "say nothing on success")
      ->excludes(app.add_flag("-v,--verbose", globals.verbose,
                              "say more on standard error: time and memory, requests of play"));
  app.set_version_flag("--version", StrCat("tern ", VersionText()));
  app.require_subcommand(1);
  // Options of the tool may stand behind the verb too.
  app.fallthrough();
  std::vector<Selected> commands;
  for (const Command& command : kCommands) {
    CLI::App* sub = app.add_subcommand(command.name, command.phrase);
    sub->footer(StrCat("Examples:\n", command.examples));
    commands.push_back({sub, command.setup(sub, &globals)});
  }
  // The only place that catches: CLI11 throws, Tern does not.
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    std::ostringstream text;
    app.exit(request, text);
    Print(text.str());
    return Report(CheckOutput(), globals);
  } catch (const CLI::Error& error) {
    return Report(ExplainUsage(error, app, argc, argv), globals);
  }
  for (const Selected& command : commands) {
    if (!command.app->parsed()) continue;
    const auto begin = std::chrono::steady_clock::now();
    Status status = command.action();
    if (globals.verbose) ReportCost(command.app->get_name(), begin);
    // A command that succeeded may still have failed to print.
    if (status.ok()) status = CheckOutput();
    return Report(status, globals);
  }
  // require_subcommand(1) makes the parser refuse a line without a verb.
  return kExitInternal;
}

}  // namespace
}  // namespace tern::cli

int main(int argc, char** argv) { return tern::cli::Main(argc, argv); }
