// SPDX-License-Identifier: Apache-2.0
// What the command line takes, as plain data read from CLI11's own description: the manual pages
// and the shells' completions are printed from it, so that neither can lack an option.
#ifndef TERN_NATIVE_CLI_DESCRIBE_H_
#define TERN_NATIVE_CLI_DESCRIBE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "native/cli/report.h"

namespace tern::cli {

struct OptionText {
  std::vector<std::string> names;  // "-i", "--input"; of a positional its name alone
  std::string value;               // "TEXT"; empty for a flag
  std::vector<std::string> choices;
  std::string phrase;
  bool positional = false;
  bool required = false;
  bool repeats = false;
  bool optional_value = false;  // --fix, --fix=dry-run
};

struct VerbText {
  std::string name;  // empty for the tool itself
  std::string phrase;
  std::vector<std::string> examples;
  std::vector<OptionText> options;
};

struct ToolText {
  VerbText tool;  // whose options every verb takes
  std::vector<VerbText> verbs;

  const VerbText* Find(std::string_view name) const;
};
OptionText DescribeOption(const CLI::Option& option);
VerbText DescribeVerb(const CLI::App& app);
ToolText DescribeTool(const CLI::App& app);

// "tern diff a b [OPTIONS]"
std::string UsageLine(const VerbText& verb);

// What `-h` shows of a verb: how it is called, the names of its options, examples.
std::string ShortHelp(const VerbText& verb);

// The manual page of a verb, or of the tool if `verb` is tool.tool.
std::string ManualPage(const ToolText& tool, const VerbText& verb);

// What each exit code means, as docs/errors.md promises.
struct ExitText {
  ExitCode code;
  const char* phrase;
};
inline constexpr ExitText kExitTexts[] = {
    {kExitOk, "success"},
    {kExitFailed, "the program or its verification failed"},
    {kExitUsage, "the command line is wrong"},
    {kExitMismatch, "a comparison did not hold"},
    {kExitBudget, "a limit ended the run: steps, time, memory, depth"},
    {kExitIo, "a file could not be read or written"},
    {kExitInternal, "a bug of tern"},
};

inline constexpr const char* kShells[] = {"bash", "zsh", "fish"};
std::string CompletionScript(const ToolText& tool, std::string_view shell);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_DESCRIBE_H_
