// SPDX-License-Identifier: Apache-2.0
// Many commands of a golden tool in one process. Starting a process takes longer than most golden
// cases do, under an emulator and in Node a hundred times as long.
#ifndef TERN_TESTS_SUPPORT_TOOL_BATCH_H_
#define TERN_TESTS_SUPPORT_TOOL_BATCH_H_

#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/strings.h"
#include "tests/support/read_file.h"

namespace tern::support {

// Behind each command's output, on stdout with its exit code and on stderr: a character that no
// tool prints, so that golden.py can tell the outputs apart.
inline constexpr char kEndOfCommand = '\x1e';

// One line of a batch: a working folder and a command's words, separated by tabs.
inline int RunBatchLine(std::string_view line, char* tool, int (*command)(int, char**)) {
  std::vector<std::string> words;
  for (std::string_view word : StrSplit(line, '\t')) words.emplace_back(word);
  if (chdir(words[0].c_str()) != 0) {
    std::fprintf(stderr, "there is no folder %s\n", words[0].c_str());
    return 2;
  }
  std::vector<char*> argv = {tool};
  for (size_t i = 1; i < words.size(); ++i) argv.push_back(words[i].data());
  argv.push_back(nullptr);
  return command(static_cast<int>(argv.size()) - 1, argv.data());
}

// `TOOL --batch FILE` runs each line of FILE; any other command line is one command.
inline int RunTool(int argc, char** argv, int (*command)(int, char**)) {
  if (argc != 3 || std::string_view(argv[1]) != "--batch") return command(argc, argv);
  const std::string batch = ReadFile(argv[2]);
  for (std::string_view line : StrSplit(batch, '\n')) {
    if (line.empty()) continue;
    const int code = RunBatchLine(line, argv[0], command);
    std::printf("%c%d\n", kEndOfCommand, code);
    std::fflush(stdout);
    std::fprintf(stderr, "%c\n", kEndOfCommand);
  }
  return 0;
}

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_TOOL_BATCH_H_
