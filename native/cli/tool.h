// SPDX-License-Identifier: Apache-2.0
// The whole of the command line as CLI11 knows it: all verbs with their options, and what a line
// asks for. main.cc does that; tests ask what is said of lines that are wrong.
#ifndef TERN_NATIVE_CLI_TOOL_H_
#define TERN_NATIVE_CLI_TOOL_H_

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "native/cli/command.h"
#include "native/cli/describe.h"

namespace tern::cli {

// What a line asks for: a text (--help, --version), or else a verb.
struct Request {
  std::string text;
  std::string_view verb;
  const CommandAction* action;  // of the tool; null where it is a text
};

class Tool {
 public:
  Tool();
  // The words of a line without the program's name. A line that is wrong is a usage error that
  // names the nearest verb or option.
  Result<Request> Read(const std::vector<std::string>& words);
  const GlobalOptions& globals() const { return globals_; }
  // Of all verbs.
  ToolText Describe();

 private:
  struct Verb {
    CLI::App* app;
    const Command* command;
    CommandAction action;  // none until it has its options
  };

  void AddGlobalOptions();
  void AddOptionsOf(Verb* verb);
  void AddAllOptions();
  // Those of verbs that a line does not name would take a tenth of the start of a small program.
  void AddOptionsFor(const std::vector<std::string>& words);

  CLI::App app_;
  GlobalOptions globals_;
  std::vector<Verb> verbs_;
};

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_TOOL_H_
