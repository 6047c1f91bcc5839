// SPDX-License-Identifier: Apache-2.0
// CLI11 is asked for what it knows of each option, so that a new option appears in the manual and
// in completions without further work.
#include "native/cli/describe.h"

#include "core/base/strings.h"

namespace tern::cli {
namespace {

// CLI11 writes choices as "TEXT:{text,json}" and other limits as "INT:INT in [0 - 1024]"; it has no
// other access to them. Only choices are of use to a shell.
void ReadType(const std::string& type, OptionText* option) {
  const size_t colon = type.find(':');
  option->value = type.substr(0, colon);
  if (colon == std::string::npos || !type.substr(colon + 1).starts_with('{')) return;
  const std::string inside = type.substr(colon + 2, type.find('}', colon) - colon - 2);
  for (const std::string_view choice : StrSplit(inside, ',')) option->choices.emplace_back(choice);
}

}  // namespace

OptionText DescribeOption(const CLI::Option& option) {
  OptionText text;
  text.phrase = option.get_description();
  text.required = option.get_required();
  // An argument by position has no long name, but CLI11 also counts options that can be given both
  // ways.
  text.positional = option.get_positional() && option.get_lnames().empty();
  text.repeats = option.get_items_expected_max() > 1;
  for (const std::string& name : option.get_snames()) text.names.push_back(StrCat("-", name));
  for (const std::string& name : option.get_lnames()) text.names.push_back(StrCat("--", name));
  if (text.positional) text.names = {option.get_name(true)};
  if (option.get_items_expected_max() == 0) return text;
  text.optional_value = !text.positional && option.get_items_expected_min() == 0;
  ReadType(option.get_type_name(), &text);
  if (text.value.empty()) text.value = "TEXT";
  return text;
}

VerbText DescribeVerb(const CLI::App& app) {
  VerbText verb;
  verb.name = app.get_name();
  verb.phrase = app.get_description();
  const std::string footer = app.get_footer();
  // Examples stand indented in the footer of the verb (Main).
  for (const std::string_view line : StrSplit(footer, '\n')) {
    if (line.starts_with("  ")) verb.examples.emplace_back(StrTrim(line));
  }
  for (const CLI::Option* option : app.get_options())
    verb.options.push_back(DescribeOption(*option));
  return verb;
}

const VerbText* ToolText::Find(std::string_view name) const {
  for (const VerbText& verb : verbs) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

std::string UsageLine(const VerbText& verb) {
  std::string usage = StrCat("tern ", verb.name);
  for (const OptionText& option : verb.options) {
    if (!option.positional) continue;
    const std::string name = StrCat(option.names[0], option.repeats ? "..." : "");
    StrAppend(&usage, " ", option.required ? name : StrCat("[", name, "]"));
  }
  return usage + " [OPTIONS]";
}

std::string ShortHelp(const VerbText& verb) {
  std::string names, line = " ";
  for (const OptionText& option : verb.options) {
    if (option.positional) continue;
    const std::string word = StrCat(" ", StrJoin(option.names, ","));
    constexpr size_t kColumns = 80;
    if (line.size() + word.size() > kColumns) {
      StrAppend(&names, line, "\n");
      line = " ";
    }
    line += word;
  }
  std::string text = StrCat(verb.phrase, "\nUsage: ", UsageLine(verb), "\n\nOptions, which tern ",
                            verb.name, " --help tells of:\n", names, line, "\n\nExamples:\n");
  for (const std::string& example : verb.examples) StrAppend(&text, "  ", example, "\n");
  return text;
}

ToolText DescribeTool(const CLI::App& app) {
  ToolText text;
  text.tool = DescribeVerb(app);
  text.tool.name.clear();
  // The predicate takes all: without one, CLI11 gives only the verbs that were used.
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    text.verbs.push_back(DescribeVerb(*verb));
  return text;
}

}  // namespace tern::cli
