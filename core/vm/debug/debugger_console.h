// SPDX-License-Identifier: Apache-2.0
// DebugConsole: a debugger by lines of text, for terminals, scripts and the playground. Commands
// may be shortened to any prefix that is theirs alone; `help` lists them.
#ifndef TERN_CORE_VM_DEBUG_DEBUGGER_CONSOLE_H_
#define TERN_CORE_VM_DEBUG_DEBUGGER_CONSOLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/vm/debug/debugger.h"

namespace tern::vm {

class DebugConsole {
 public:
  // Both must outlive the console; a run must have been begun, with these arguments (for
  // `restart`).
  DebugConsole(Debugger* debugger, std::string function, std::vector<Any> arguments);

  // Runs one line and returns what to print, lines ended by '\n'. Mistakes are text too: they begin
  // with "error: " and change nothing.
  std::string Execute(std::string_view line);
  // After `quit`.
  bool done() const { return done_; }
  // Where the run is: what a session begins with.
  std::string Where() const;

 private:
  struct Command {
    std::string_view name;
    std::string_view alias;
    std::string_view arguments;
    std::string_view phrase;
    Result<std::string> (DebugConsole::*run)(std::string_view rest);
  };
  static const Command kCommands[];
  static std::span<const Command> Commands();
  static Result<const Command*> FindCommand(std::string_view word);

  Result<std::string> Help(std::string_view rest);
  Result<std::string> Complete(std::string_view rest);
  Result<std::string> Step(std::string_view rest) { return Counted(DebugCommand::kStep, rest); }
  Result<std::string> Next(std::string_view rest) { return Counted(DebugCommand::kNext, rest); }
  Result<std::string> Finish(std::string_view) { return Run(DebugCommand::kFinish, 1); }
  Result<std::string> Continue(std::string_view) { return Run(DebugCommand::kContinue, 1); }
  Result<std::string> Until(std::string_view rest);
  Result<std::string> Seek(std::string_view rest);
  Result<std::string> Back(std::string_view rest) { return Counted(DebugCommand::kStepBack, rest); }
  Result<std::string> NextBack(std::string_view rest) {
    return Counted(DebugCommand::kNextBack, rest);
  }
  Result<std::string> FinishBack(std::string_view) { return Run(DebugCommand::kFinishBack, 1); }
  Result<std::string> ContinueBack(std::string_view) { return Run(DebugCommand::kContinueBack, 1); }
  Result<std::string> Break(std::string_view rest);
  Result<std::string> Breakpoints(std::string_view rest);
  Result<std::string> Delete(std::string_view rest);
  Result<std::string> Enable(std::string_view rest) { return Switch(rest, true); }
  Result<std::string> Disable(std::string_view rest) { return Switch(rest, false); }
  Result<std::string> Ignore(std::string_view rest);
  Result<std::string> Frames(std::string_view rest);
  Result<std::string> Frame(std::string_view rest);
  Result<std::string> Registers(std::string_view rest);
  Result<std::string> Print(std::string_view rest);
  Result<std::string> History(std::string_view rest);
  Result<std::string> List(std::string_view rest);
  Result<std::string> Heap(std::string_view rest);
  Result<std::string> Trace(std::string_view rest);
  Result<std::string> Set(std::string_view rest);
  Result<std::string> Rewind(std::string_view rest);
  Result<std::string> Budget(std::string_view rest);
  Result<std::string> Restart(std::string_view rest);
  Result<std::string> PrintResult(std::string_view rest);
  Result<std::string> Quit(std::string_view rest);

  Result<std::string> Counted(DebugCommand command, std::string_view rest);
  Result<std::string> Run(DebugCommand command, uint64_t argument);
  Result<std::string> Switch(std::string_view rest, bool on);
  std::string FrameLine(size_t frame) const;

  Debugger& debugger_;
  std::string function_;
  std::vector<Any> arguments_;
  size_t frame_ = 0;  // that registers and expressions are of
  bool done_ = false;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_DEBUGGER_CONSOLE_H_
