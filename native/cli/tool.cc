// SPDX-License-Identifier: Apache-2.0
// One table of commands; each is in a source of its own and registers its options with CLI11, of
// which the manual and the completions are made as well (describe.h).
#include "native/cli/tool.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "core/base/strings.h"
#include "native/cli/report.h"
#include "native/cli/usage.h"

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
     "  tern help run\n  tern help inputs\n  tern help --agents\n", &SetupHelp, true},
    {"man", "print a manual page",
     "  tern man run > tern-run.1 && man ./tern-run.1\n  tern man --all man1\n", &SetupManual,
     true},
    {"completion", "print what a shell reads to complete verbs and options",
     "  tern completion bash > ~/.local/share/bash-completion/completions/tern\n"
     "  tern completion zsh > _tern\n  tern completion fish > tern.fish\n",
     &SetupCompletion, true},
};

// A dash and one letter: nothing is left of it where the letter is wrong.
bool IsShortName(std::string_view word) { return word.size() == 2 && word[0] == '-'; }

// What may stand where the word of a line was: options, and verbs as long as there is none.
std::vector<std::string> NamesKnownTo(const CLI::App& active, const CLI::App& tool) {
  std::vector<std::string> names;
  for (const CLI::App* verb : active.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  for (const CLI::App* app : {&active, &tool}) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back(StrCat("--", name));
      for (const std::string& name : option->get_snames()) names.push_back(StrCat("-", name));
    }
  }
  return names;
}

// A known name that the word may have meant: a slip of the keys, or a longer or shorter form. Words
// of less than four letters are too near to too much.
std::string_view Suggest(std::string_view word, const std::vector<std::string>& known) {
  if (IsShortName(word)) return {};
  const std::string_view near = DidYouMean(word, known);
  if (!near.empty() || word.size() < 4) return near;
  for (const std::string& name : known) {
    if (name.size() > 3 && (word.starts_with(name) || name.starts_with(word))) return name;
  }
  return {};
}

Status Unknown(bool option, std::string_view word, const std::vector<std::string>& known) {
  Status status = option ? UsageError("E0002", StrCat("unknown option '", word, "'"))
                         : UsageError("E0001", StrCat("unknown command '", word, "'"));
  const std::string_view suggestion = Suggest(word, known);
  if (!suggestion.empty()) status.AddNote(StrCat("help: did you mean '", suggestion, "'?"));
  return status;
}

// Of a word behind all that a verb takes, such as `tern run model.onnx x.npy`.
Status NoPlaceFor(std::string_view word, const CLI::App& verb) {
  Status status = UsageError(
      "E0003", StrCat("there is no place for '", word, "' behind tern ", verb.get_name()));
  if (verb.get_option_no_throw("--input") != nullptr)
    status.AddNote(StrCat("help: values for parameters are given by -i, files as -i @", word));
  return status;
}

// The verb whose options were being read, or the tool.
const CLI::App& ActiveIn(const CLI::App& app) {
  const CLI::App* active = &app;
  for (const CLI::App* sub : app.get_subcommands()) active = sub;
  return *active;
}

// Of the first of the words that nothing took, with the nearest name; none where each is one that
// may be a file or a value, and those have places left.
std::optional<Status> ExplainUntaken(const std::vector<std::string>& untaken, bool lacks_place,
                                     const CLI::App& active, const CLI::App& app) {
  std::optional<Status> no_place;
  for (const std::string& left : untaken) {
    // --name=value: only the name is looked up.
    const std::string_view word = StrSplit(left, '=')[0];
    const bool option = word.size() > 1 && word[0] == '-';
    // Without a verb, the first word was to be one. Behind a verb a word may be a file or a value;
    // only options can be called unknown there.
    if (option || &active == &app) return Unknown(option, word, NamesKnownTo(active, app));
    if (lacks_place && !no_place) no_place = NoPlaceFor(left, active);
  }
  return no_place;
}

Status WithHelp(Status status, const CLI::App& active, const CLI::App& app) {
  const std::string verb = &active == &app ? "" : active.get_name() + " ";
  return std::move(status.AddNote(StrCat("help: tern ", verb, "--help")));
}

// The complaint in Tern's words: what nothing took explains more than what is missing then.
Status ExplainUsage(const CLI::Error& error, const std::vector<std::string>& untaken,
                    const CLI::App& app) {
  const CLI::App& active = ActiveIn(app);
  const std::string_view complaint = error.what();
  // As CLI11 says it.
  const bool lacks_place = complaint.starts_with("The following argument");
  std::optional<Status> status = ExplainUntaken(untaken, lacks_place, active, app);
  if (!status) {
    status = complaint.starts_with("A subcommand is required")
                 ? UsageError("E0003", "no verb is given")
                 : ExplainComplaint(error, active, app);
  }
  return WithHelp(std::move(*status), active, app);
}

// Words with a dash too many, which CLI11 takes for names of files.
std::vector<std::string> DashedWords(const std::vector<std::string>& words) {
  std::vector<std::string> dashed;
  for (const std::string& word : words) {
    if (word == "--") break;  // behind it anything may be the name of a file
    if (word.starts_with("---")) dashed.push_back(word);
  }
  return dashed;
}

}  // namespace

Tool::Tool()
    : app_("Tern runs machine-learning programs: one executable file for every target.", "tern") {
  AddGlobalOptions();
  // Kept out of each verb's list, which they would fill.
  std::string everywhere = "Options of every verb, which tern --help tells of:";
  for (const CLI::Option* option : app_.get_options()) {
    if (option->get_name() != "--help") StrAppend(&everywhere, " ", option->get_name());
  }
  for (const Command& command : kCommands) {
    CLI::App* sub = app_.add_subcommand(command.name, command.phrase);
    sub->footer(StrCat(everywhere, "\n\nExamples:\n", command.examples));
    verbs_.push_back({sub, &command, nullptr});
  }
}

void Tool::AddOptionsOf(Verb* verb) {
  if (verb->action == nullptr) verb->action = verb->command->setup(verb->app, &globals_);
}

void Tool::AddAllOptions() {
  for (Verb& verb : verbs_) AddOptionsOf(&verb);
}

void Tool::AddOptionsFor(const std::vector<std::string>& words) {
  for (Verb& verb : verbs_) {
    if (std::find(words.begin(), words.end(), verb.command->name) == words.end()) continue;
    if (verb.command->tells_of_others) return AddAllOptions();
    AddOptionsOf(&verb);
  }
}

ToolText Tool::Describe() {
  AddAllOptions();
  return DescribeTool(app_);
}

void Tool::AddGlobalOptions() {
  app_.add_option("--format", globals_.format, "text, json, or jsonl: an object per line")
      ->check(CLI::IsMember({"text", "json", "jsonl"}));
  app_.add_option("--target", globals_.target,
                  "kernel target, such as avx2 (default: the best here)");
  app_.add_option("--threads", globals_.threads, "worker threads, 0 for every processor")
      ->check(CLI::Range(0, 1024));
  app_.add_option(
          "--progress", globals_.progress,
          "how compiling a model reports on standard error: auto (a bar on a terminal), bar, "
          "plain or none")
      ->check(CLI::IsMember({"auto", "bar", "plain", "none"}));
  app_.add_option(
          "--color", globals_.color,
          "paint errors and warnings: auto (on a terminal, without NO_COLOR), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app_.add_flag("-q,--quiet", globals_.quiet,
                "print nothing on success; files are written, to - too")
      ->excludes(app_.add_flag("-v,--verbose", globals_.verbose,
                               "say more on standard error: time and memory, requests of play"));
  app_.set_help_flag("-h,--help", "all options with examples; -h: of a verb, only their names");
  app_.set_version_flag("--version", StrCat("tern ", VersionText()));
  app_.require_subcommand(1);
  // Options of the tool may stand behind the verb too.
  app_.fallthrough();
}

// The only place that catches: CLI11 throws, Tern does not.
Result<Request> Tool::Read(const std::vector<std::string>& words) {
  AddOptionsFor(words);
  try {
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success& request) {  // --help, --version
    const auto has = [&](const char* word) { return std::count(words.begin(), words.end(), word); };
    const std::vector<CLI::App*> verbs = app_.get_subcommands();
    if (has("-h") && !has("--help") && !has("--version") && !verbs.empty())
      return Request{ShortHelp(*DescribeTool(app_).Find(verbs.back()->get_name())), {}, nullptr};
    std::ostringstream text;
    app_.exit(request, text);
    return Request{text.str(), {}, nullptr};
  } catch (const CLI::Error& error) {
    // CLI11 keeps the words that nothing took.
    const std::vector<std::string> dashed = DashedWords(words);
    return ExplainUsage(error, dashed.empty() ? app_.remaining(true) : dashed, app_);
  }
  if (const auto dashed = DashedWords(words); !dashed.empty()) {
    const CLI::App& active = ActiveIn(app_);
    return WithHelp(*ExplainUntaken(dashed, false, active, app_), active, app_);
  }
  for (const Verb& verb : verbs_) {
    if (verb.app->parsed()) return Request{{}, verb.app->get_name(), &verb.action};
  }
  // require_subcommand(1) makes the parser refuse a line without a verb.
  return Status(StatusCode::kInternal, "a line without a verb was read");
}

}  // namespace tern::cli
