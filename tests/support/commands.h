// SPDX-License-Identifier: Apache-2.0
// Other programs run from a test: Node for WebAssembly, emulators, disassemblers. Their output is
// what is compared.
#ifndef TERN_TESTS_SUPPORT_COMMANDS_H_
#define TERN_TESTS_SUPPORT_COMMANDS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tern::testing {

struct CommandResult {
  int exit_code = -1;
  std::string output;  // standard output, then what went to standard error
};

// By the shell, in the working folder.
CommandResult RunCommand(const std::string& command);
// A path as one word of such a command, whatever it holds.
std::string Quoted(std::string_view path);
// The command line of Tern under test, as such a word: $TERN_CLI, or that of the host's build.
std::string TernCommand();
// Whether the shell finds it.
bool HaveCommand(const std::string& name);

// A script of JavaScript's, as a module, under tools/node.sh.
CommandResult RunNode(const std::string& script_path, const std::string& arguments);

// A folder that is gone, with its files, when the object is.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  std::string Path(std::string_view name) const;
  // Writes a file; its path.
  std::string Write(std::string_view name, std::span<const uint8_t> bytes) const;
  std::string Write(std::string_view name, std::string_view text) const;

 private:
  std::string path_;
};

}  // namespace tern::testing

#endif  // TERN_TESTS_SUPPORT_COMMANDS_H_
