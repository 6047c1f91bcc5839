// SPDX-License-Identifier: Apache-2.0
// tern help: the help of a verb, a page about what several verbs share, or, with --agents, all of
// it in one text for programs that use the command line. What verbs and options there are comes
// from CLI11's description (describe.h).
#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/command.h"
#include "native/cli/describe.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

// What docs/cli.md tells at length.
struct Topic {
  const char* name;
  const char* phrase;
  const char* text;
};

// Each is less than a screen, since it is read in a terminal.
constexpr Topic kTopics[] = {
    {"inputs", "values for parameters: -i NAME=VALUE",
     "  x=@x.npy  x=@-               a NumPy file; one on standard input\n"
     "  @bundle.npz                  every array of a bundle, by name\n"
     "  x=f32[2,3]:1,2,3,4,5,6       elements, flat or nested: [[1,2,3],[4,5,6]]\n"
     "  x=f16[2,3]@raw.bin           raw little-endian elements\n"
     "  x=f32[n,128]:zeros           also ones, arange, const(3); --dim n=18 binds n\n"
     "  x=f32[n]:random(seed=1)      floats of 0 to 1; random(seed=1,normal)\n"
     "  ids=i64[n]:random(0,1000)    integers from 0 up to 999\n"
     "  n=18  flag=true              a number of the parameter's own type\n"
     "Without a name, inputs go by position. --fill makes those that are not given.\n"},
    {"outputs", "results: --output and --expect",
     "  --output y=@y.npy            writes a tensor; .npz several, .json any value\n"
     "  --expect y=@y.npy            compares within --rtol and --atol; exit code 3\n"
     "  --max-elements 0             prints all elements; JSON has all\n"},
    {"json", "answers for programs: --format json",
     "Every verb prints one object, whose first member is \"schema\": 1. jsonl prints what is a\n"
     "list as an object per line. Errors are an object on standard error: \"code\", \"kind\",\n"
     "\"message\", \"diagnostics\". share/doc/tern/schemas has a JSON Schema of each answer.\n"},
    {"files", "kinds of programs that every verb takes",
     "  .onnx   a model, compiled in memory\n"
     "  .tn     a program in Tern's language\n"
     "  .tasm   assembly text\n"
     "  .tloop  a loop program, for lower and tune\n"
     "  .tern   an executable, of compile or asm\n"
     "  -       any of them on standard input\n"},
};

const Topic* FindTopic(std::string_view name) {
  for (const Topic& topic : kTopics)
    if (name == topic.name) return &topic;
  return nullptr;
}

std::string ExitCodesText() {
  std::string text;
  for (const ExitText& exit : kExitTexts)
    StrAppend(&text, "  ", static_cast<int>(exit.code), exit.code < 10 ? "   " : "  ", exit.phrase,
              "\n");
  return text;
}

std::string Overview(const ToolText& tool) {
  std::string text = "tern VERB [FILE] [OPTIONS]\n\nVerbs:\n";
  // Phrases begin in one column; a name that is longer pushes its own aside.
  const auto row = [&](const std::string& name, const std::string& phrase) {
    StrAppend(&text, "  ", name, std::string(name.size() < 12 ? 12 - name.size() : 1, ' '), phrase,
              "\n");
  };
  for (const VerbText& verb : tool.verbs) row(verb.name, verb.phrase);
  text += "\nTopics:\n";
  for (const Topic& topic : kTopics) row(topic.name, topic.phrase);
  row("exit-codes", "what each exit code means");
  return text + "\ntern help NAME tells more of a verb or topic.\n";
}

// --- all of it, for programs

std::string OptionLine(const OptionText& option) {
  std::string line = StrCat("- `", StrJoin(option.names, "`, `"), "`");
  if (!option.value.empty())
    StrAppend(
        &line, " ",
        option.choices.empty() ? option.value : StrCat("{", StrJoin(option.choices, "|"), "}"));
  if (option.required) line += " (required)";
  if (option.repeats) line += " (repeatable)";
  return StrCat(line, ": ", option.phrase, "\n");
}

// One text, because a program that reads it asks once and has no pages to turn.
std::string AgentsGuide(const ToolText& tool) {
  std::string text = StrCat(
      "# tern ", VersionText(), " for automated users\n\n",
      "Results go to standard output, errors to standard error. Use `--format json`: one object "
      "with \"schema\": 1; errors have \"code\", which `tern explain CODE` explains. Nothing asks "
      "questions. `-q` prints nothing on success.\n\n## Exit codes\n\n",
      ExitCodesText(), "\n## Options of every verb\n\n");
  for (const OptionText& option : tool.tool.options) text += OptionLine(option);
  for (const Topic& topic : kTopics)
    StrAppend(&text, "\n## ", topic.name, ": ", topic.phrase, "\n\n", topic.text);
  for (const VerbText& verb : tool.verbs) {
    StrAppend(&text, "\n## tern ", verb.name, "\n\n", verb.phrase, "\n\n");
    for (const OptionText& option : verb.options) text += OptionLine(option);
    text += "\n";
    for (const std::string& example : verb.examples) StrAppend(&text, "    ", example, "\n");
  }
  return text;
}

void WriteTexts(std::string_view name, const std::vector<std::string>& texts, JsonWriter* json) {
  json->Key(name).BeginArray();
  for (const std::string& text : texts) json->String(text);
  json->EndArray();
}

void WriteOptions(const std::vector<OptionText>& options, JsonWriter* json) {
  json->Key("options").BeginArray();
  for (const OptionText& option : options) {
    json->BeginObject();
    WriteTexts("names", option.names, json);
    json->Field("phrase", option.phrase).Field("positional", option.positional);
    json->Field("required", option.required).Field("repeats", option.repeats);
    // A flag is what has neither a place nor a value.
    json->Field("takes_value", option.positional || !option.value.empty());
    WriteTexts("choices", option.choices, json);
    json->EndObject();
  }
  json->EndArray();
}

std::string AgentsJson(const ToolText& tool) {
  JsonWriter json = BeginAnswer();
  json.Field("version", VersionText()).Key("exit_codes").BeginArray();
  for (const ExitText& exit : kExitTexts)
    json.BeginObject()
        .Field("code", static_cast<int>(exit.code))
        .Field("phrase", exit.phrase)
        .EndObject();
  json.EndArray();
  WriteOptions(tool.tool.options, &json);
  json.Key("verbs").BeginArray();
  for (const VerbText& verb : tool.verbs) {
    json.BeginObject().Field("name", verb.name).Field("phrase", verb.phrase);
    WriteTexts("examples", verb.examples, &json);
    WriteOptions(verb.options, &json);
    json.EndObject();
  }
  json.EndArray().Key("topics").BeginArray();
  for (const Topic& topic : kTopics)
    json.BeginObject().Field("name", topic.name).Field("text", topic.text).EndObject();
  json.EndArray().EndObject();
  return StrCat(json.text(), "\n");
}

// --- the verb

Status NoSuchTopic(const ToolText& tool, const std::string& name) {
  Status status = UsageError("E0001", StrCat("there is no verb or topic '", name, "'"));
  std::vector<std::string> known = {"exit-codes"};
  for (const VerbText& verb : tool.verbs) known.push_back(verb.name);
  for (const Topic& topic : kTopics) known.emplace_back(topic.name);
  const std::string_view near = DidYouMean(name, known);
  if (!near.empty()) status.AddNote(StrCat("help: did you mean '", near, "'?"));
  return std::move(status.AddNote("help: tern help lists them"));
}

void PrintHelp(std::string_view name, const std::string& text, const GlobalOptions& globals) {
  if (!globals.json()) return Print(text);
  JsonWriter json = BeginAnswer();
  json.Field("name", name).Field("text", text).EndObject();
  Print(StrCat(json.text(), "\n"));
}

Status Help(const CLI::App& app, const std::string& name, bool agents,
            const GlobalOptions& globals) {
  const ToolText tool = DescribeTool(app);
  if (agents || name == "agents") {
    Print(globals.json() ? AgentsJson(tool) : AgentsGuide(tool));
    return Status();
  }
  if (name.empty()) {
    PrintHelp("tern", Overview(tool), globals);
  } else if (const Topic* topic = FindTopic(name)) {
    PrintHelp(name, StrCat(topic->phrase, "\n\n", topic->text), globals);
  } else if (name == "exit-codes") {
    PrintHelp(name, ExitCodesText(), globals);
  } else if (tool.Find(name) != nullptr) {
    PrintHelp(name, app.get_subcommand(name)->help(app.get_name()), globals);
  } else {
    return NoSuchTopic(tool, name);
  }
  return Status();
}

}  // namespace

CommandAction SetupHelp(CLI::App* app, const GlobalOptions* globals) {
  auto name = std::make_shared<std::string>();
  auto agents = std::make_shared<bool>(false);
  app->add_option("name", *name, "a verb or a topic; without one, a list of them");
  app->add_flag("--agents", *agents,
                "everything in one text, for programs that use tern; JSON with --format json");
  // The parent is tern itself: the verb is called when all verbs have been added to it.
  return [=] { return Help(*app->get_parent(), *name, *agents, *globals); };
}

}  // namespace tern::cli
