// SPDX-License-Identifier: Apache-2.0
// Scripts that shells read to complete `tern`'s verbs, options and their choices. They are made
// from describe.h, so they cannot lack an option. A value without choices is completed as the name
// of a file.
#include "core/base/strings.h"
#include "native/cli/describe.h"

namespace tern::cli {
namespace {

// Quoting for three shells is this one function with three tables of characters.
std::string Replace(std::string_view text, char from, std::string_view to) {
  std::string out;
  for (const char c : text) {
    if (c == from)
      out += to;
    else
      out += c;
  }
  return out;
}

// A single quote cannot be escaped inside single quotes in POSIX shells: the text ends, an escaped
// quote follows, and the text begins again.
std::string Quote(std::string_view text) { return StrCat("'", Replace(text, '\'', "'\\''"), "'"); }

// Whether the next word of the command line is the option's value. An optional value is written
// with '=', so it never is.
bool TakesWord(const OptionText& option) {
  return !option.positional && !option.value.empty() && !option.optional_value;
}

// --- bash, which needs no other package

std::string AllNames(const VerbText& verb) {
  std::string names;
  for (const OptionText& option : verb.options) {
    if (!option.positional)
      for (const std::string& name : option.names)
        StrAppend(&names, names.empty() ? "" : " ", name);
  }
  return names;
}

// One branch for each option with a value: its choices, or nothing, which leaves it to bash, that
// completes files.
void AppendBashValues(const VerbText& verb, std::string* script) {
  for (const OptionText& option : verb.options) {
    if (!TakesWord(option)) continue;
    std::string patterns;
    // The pattern is "VERB OPTION", so that one name may mean different things for different verbs.
    for (const std::string& name : option.names)
      StrAppend(&patterns, patterns.empty() ? "" : "|", verb.name.empty() ? "*" : verb.name, "\\ ",
                name);
    StrAppend(script, "    ", patterns, ") ");
    if (!option.choices.empty())
      StrAppend(script, "COMPREPLY=($(compgen -W ", Quote(StrJoin(option.choices, " ")),
                " -- \"$word\")); ");
    StrAppend(script, "return ;;\n");
  }
}

// Completes the argument of a verb that is one of a few words.
void AppendBashArguments(const VerbText& verb, std::string* script) {
  for (const OptionText& option : verb.options) {
    if (!option.positional || option.choices.empty()) continue;
    StrAppend(script, "  elif [[ $verb == ", verb.name, " ]]; then\n    COMPREPLY=($(compgen -W ",
              Quote(StrJoin(option.choices, " ")), " -- \"$word\"))\n");
  }
}

std::string Bash(const ToolText& tool) {
  std::string verbs, patterns, options, values, arguments;
  for (const VerbText& verb : tool.verbs) {
    StrAppend(&verbs, verbs.empty() ? "" : " ", verb.name);
    StrAppend(&patterns, patterns.empty() ? "" : "|", verb.name);
    StrAppend(&options, "      ", verb.name, ") names=", Quote(AllNames(verb)), " ;;\n");
    AppendBashValues(verb, &values);
    AppendBashArguments(verb, &arguments);
  }
  AppendBashValues(tool.tool, &values);
  // The script finds the verb as the first word that is one, then completes a value, an option, a
  // verb or an argument, in this order.
  return StrCat(
      "# bash completion of tern, printed by `tern completion bash`.\n_tern() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  local verb= names= i\n  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n    case ${COMP_WORDS[i]} in\n      ",
      patterns,
      ") verb=${COMP_WORDS[i]}; break ;;\n    esac\n  done\n  case \"$verb $before\" in\n", values,
      "  esac\n  if [[ $word == -* ]]; then\n    case $verb in\n", options,
      "    esac\n    COMPREPLY=($(compgen -W \"$names ", AllNames(tool.tool),
      "\" -- \"$word\"))\n  elif [[ -z $verb ]]; then\n    COMPREPLY=($(compgen -W ", Quote(verbs),
      " -- \"$word\"))\n", arguments,
      "  fi\n}\ncomplete -o bashdefault -o default -F _tern tern\n");
}

// --- zsh

// In a specification of _arguments brackets and colons separate parts.
std::string ZshPhrase(std::string_view phrase) {
  std::string text = Replace(phrase, '\\', "\\\\");
  text = Replace(text, '[', "\\[");
  text = Replace(text, ']', "\\]");
  return Replace(text, ':', "\\:");
}

// One specification in the syntax of _arguments: '*--input[phrase]:TEXT:_files'.
std::string ZshOption(const OptionText& option, const std::string& name) {
  std::string action = "_files";
  if (!option.choices.empty()) action = StrCat("(", StrJoin(option.choices, " "), ")");
  std::string text;
  if (option.positional)
    return Quote(StrCat(option.repeats ? "*:" : ":", ZshPhrase(name), ":", action));
  if (option.repeats) text = "*";
  // "=-" means that the value follows after '=' in the same word only.
  StrAppend(&text, name, option.optional_value ? "=-" : "", "[", ZshPhrase(option.phrase), "]");
  if (!option.value.empty())
    StrAppend(&text, option.optional_value ? "::" : ":", option.value, ":", action);
  return Quote(text);
}

std::string ZshOptions(const VerbText& verb) {
  std::string lines;
  for (const OptionText& option : verb.options)
    for (const std::string& name : option.names)
      StrAppend(&lines, " \\\n        ", ZshOption(option, name));
  return lines;
}

// The same inside of an array, where a line needs no backslash at its end.
std::string ZshList(const VerbText& verb) {
  std::string lines;
  for (const OptionText& option : verb.options)
    for (const std::string& name : option.names)
      StrAppend(&lines, "\n    ", ZshOption(option, name));
  return lines;
}

std::string Zsh(const ToolText& tool) {
  std::string verbs, cases;
  for (const VerbText& verb : tool.verbs) {
    StrAppend(&verbs, "      ", Quote(StrCat(verb.name, ":", ZshPhrase(verb.phrase))), "\n");
    StrAppend(&cases, "      ", verb.name, ") _arguments $everywhere", ZshOptions(verb), " ;;\n");
  }
  return StrCat(
      "#compdef tern\n# zsh completion of tern, printed by `tern completion zsh`.\n_tern() {\n"
      "  local context state state_descr line\n  typeset -A opt_args\n  local -a everywhere verbs\n"
      "  everywhere=(",
      ZshList(tool.tool),
      // Options of the tool are completed in front of the verb and behind it.
      ")\n  _arguments -C $everywhere '1: :->verb' '*:: :->rest'\n  case $state in\n    verb)\n"
      "    verbs=(\n",
      verbs, "    )\n    _describe verb verbs ;;\n    rest)\n    case $words[1] in\n", cases,
      "    esac ;;\n  esac\n}\n_tern \"$@\"\n");
}

// --- fish

std::string FishQuote(std::string_view text) {
  return StrCat("'", Replace(Replace(text, '\\', "\\\\"), '\'', "\\'"), "'");
}

void AppendFish(const VerbText& verb, std::string* script) {
  for (const OptionText& option : verb.options) {
    if (option.positional) continue;
    StrAppend(script, "complete -c tern");
    if (!verb.name.empty())
      StrAppend(script, " -n ", FishQuote(StrCat("__fish_seen_subcommand_from ", verb.name)));
    for (const std::string& name : option.names)
      StrAppend(script, name.starts_with("--") ? " -l " : " -s ",
                name.substr(name.find_first_not_of('-')));
    // -r: a value follows; -x: it follows and is no file.
    if (TakesWord(option)) StrAppend(script, option.choices.empty() ? " -r" : " -x");
    if (!option.choices.empty()) StrAppend(script, " -a ", FishQuote(StrJoin(option.choices, " ")));
    StrAppend(script, " -d ", FishQuote(option.phrase), "\n");
  }
}

// -f keeps fish from offering files in place of verbs.
std::string Fish(const ToolText& tool) {
  std::string script = "# fish completion of tern, printed by `tern completion fish`.\n";
  for (const VerbText& verb : tool.verbs)
    StrAppend(&script, "complete -c tern -f -n __fish_use_subcommand -a ", verb.name, " -d ",
              FishQuote(verb.phrase), "\n");
  AppendFish(tool.tool, &script);
  for (const VerbText& verb : tool.verbs) AppendFish(verb, &script);
  return script;
}

}  // namespace

std::string CompletionScript(const ToolText& tool, std::string_view shell) {
  if (shell == "bash") return Bash(tool);
  return shell == "zsh" ? Zsh(tool) : Fish(tool);
}

}  // namespace tern::cli
