// SPDX-License-Identifier: Apache-2.0
#include "native/cli/describe.h"

#include "core/base/strings.h"

namespace tern::cli {
namespace {

// CLI11 writes choices as "TEXT:{text,json}", other limits as "INT:INT in [0 - 1024]".
void ReadType(const std::string& type, OptionText* option) {
  const size_t colon = type.find(':');
  option->value = type.substr(0, colon);
  if (colon == std::string::npos || !type.substr(colon + 1).starts_with('{')) return;
  const std::string inside = type.substr(colon + 2, type.find('}', colon) - colon - 2);
  for (const std::string_view choice : StrSplit(inside, ',')) option->choices.emplace_back(choice);
}

OptionText Describe(const CLI::Option& option) {
  OptionText text;
  text.phrase = option.get_description();
  text.required = option.get_required();
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
  for (const std::string_view line : StrSplit(footer, '\n')) {
    if (line.starts_with("  ")) verb.examples.emplace_back(StrTrim(line));
  }
  for (const CLI::Option* option : app.get_options()) verb.options.push_back(Describe(*option));
  return verb;
}

}  // namespace

const VerbText* ToolText::Find(std::string_view name) const {
  for (const VerbText& verb : verbs) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

ToolText DescribeTool(const CLI::App& app) {
  ToolText text;
  text.tool = DescribeVerb(app);
  text.tool.name.clear();
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    text.verbs.push_back(DescribeVerb(*verb));
  return text;
}

}  // namespace tern::cli
