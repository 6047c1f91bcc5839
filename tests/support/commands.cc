// SPDX-License-Identifier: Apache-2.0
// Processes and scratch files of tests.
#include "tests/support/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

namespace tern::testing {

CommandResult RunCommand(const std::string& command) {
  CommandResult result;
  FILE* pipe = popen(("(" + command + ") 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) result.output.append(buffer, n);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

std::string Quoted(std::string_view path) {
  std::string word = "'";
  for (const char c : path) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string TernCommand() {
  const char* path = getenv("TERN_CLI");
  return Quoted(path != nullptr ? path : "build/host/tern");
}

bool HaveCommand(const std::string& name) {
  return RunCommand("command -v " + name).exit_code == 0;
}

CommandResult RunNode(const std::string& script_path, const std::string& arguments) {
  return RunCommand("tools/node.sh " + script_path + " " + arguments);
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tern-test-XXXXXX").string();
  path_ = mkdtemp(pattern.data()) != nullptr ? pattern : std::string();
}
ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::Path(std::string_view name) const {
  return path_ + "/" + std::string(name);
}
std::string ScratchFolder::Write(std::string_view name, std::string_view text) const {
  const std::string path = Path(name);
  std::ofstream(path, std::ios::binary)
      .write(text.data(), static_cast<std::streamsize>(text.size()));
  return path;
}
std::string ScratchFolder::Write(std::string_view name, std::span<const uint8_t> bytes) const {
  return Write(name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace tern::testing
