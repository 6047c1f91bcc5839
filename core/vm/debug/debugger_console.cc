// SPDX-License-Identifier: Apache-2.0
// The console's commands and what they print. Each command is a row of kCommands and a method that
// gets the rest of the line; output is plain text that golden files compare.
#include "core/vm/debug/debugger_console.h"

#include <algorithm>

#include "core/base/columns.h"
#include "core/base/strings.h"
#include "core/object/graph/print.h"
#include "core/text/diagnostics.h"
#include "core/vm/debug/debugger_heap.h"
#include "core/vm/text/disassembler.h"

namespace tern::vm {
namespace {

// How much is shown without being asked for more.
constexpr size_t kListAround = 5;     // instructions before and behind
constexpr size_t kFramesAtEnds = 20;  // shown of a deep stack, at each end
constexpr uint64_t kTraceSteps = 10;
constexpr size_t kHistory = 10;

Status Mistake(std::string_view message) { return InvalidArgument(message).SetErrorCode("E0304"); }

std::string_view FirstWord(std::string_view text) { return text.substr(0, text.find(' ')); }
std::string_view AfterWord(std::string_view text) {
  return StrTrim(text.substr(std::min(text.size(), FirstWord(text).size())));
}

// A missing number has a default, a wrong one is a mistake.
Result<uint64_t> NumberOr(std::string_view text, uint64_t otherwise, std::string_view what) {
  if (text.empty()) return otherwise;
  const std::optional<uint64_t> number = ParseUint64(text);
  if (number.has_value()) return *number;
  return Mistake(StrCat("'", text, "' is no ", what));
}

// An instruction as in listings, but with single spaces: columns make no sense on one line.
std::string CodeText(const Executable& executable, uint32_t pc) {
  std::string text;
  for (char c : InstructionText(executable, pc)) {
    if (c != ' ' || !text.ends_with("  ")) text += c;
  }
  return text;
}

}  // namespace

// In the order in which help lists them.
const DebugConsole::Command DebugConsole::kCommands[] = {
    {"step", "s", "[N]", "execute N instructions, into calls", &DebugConsole::Step},
    {"next", "n", "[N]", "execute N instructions, over calls", &DebugConsole::Next},
    {"finish", "f", "", "run until this frame returns", &DebugConsole::Finish},
    {"continue", "c", "", "run until something stops it", &DebugConsole::Continue},
    {"until", "u", "PLACE", "run to @FUNCTION, @FUNCTION:N or the number of an instruction",
     &DebugConsole::Until},
    {"back", "b", "[N]", "go back N instructions", &DebugConsole::Back},
    {"rnext", "rn", "[N]", "go back N instructions, over calls", &DebugConsole::NextBack},
    {"rfinish", "rf", "", "go back to the call of this frame", &DebugConsole::FinishBack},
    {"rcontinue", "rc", "", "go back until a breakpoint or the first step",
     &DebugConsole::ContinueBack},
    {"seek", "g", "STEP", "go to a step, recorded or still to come", &DebugConsole::Seek},
    {"break", "br", "WHERE [if EXPR]",
     "stop at a PLACE, at 'nan', at 'alloc BYTES', or where 'if EXPR' becomes true",
     &DebugConsole::Break},
    {"breakpoints", "", "", "list the breakpoints and how often they were met",
     &DebugConsole::Breakpoints},
    {"delete", "d", "ID|all", "take a breakpoint away", &DebugConsole::Delete},
    {"enable", "", "ID", "switch a breakpoint on", &DebugConsole::Enable},
    {"disable", "", "ID", "switch a breakpoint off", &DebugConsole::Disable},
    {"ignore", "", "ID N", "pass a breakpoint by N times", &DebugConsole::Ignore},
    {"frames", "bt", "", "list the frames, innermost first", &DebugConsole::Frames},
    {"frame", "", "N", "look at frame N: registers and expressions are of it",
     &DebugConsole::Frame},
    {"registers", "r", "", "show the frame's registers; * marks those just written",
     &DebugConsole::Registers},
    {"print", "p", "EXPR", "evaluate an expression: print %x[0] + rank(%1)", &DebugConsole::Print},
    {"history", "", "%REGISTER", "the values a register had in this frame", &DebugConsole::History},
    {"list", "l", "[PLACE]", "show the code around the next instruction, or around a place",
     &DebugConsole::List},
    {"heap", "", "[N]", "list the objects that are reached; or who holds object N",
     &DebugConsole::Heap},
    {"trace", "t", "[N]", "the last N instructions and what they wrote", &DebugConsole::Trace},
    {"set", "", "%REGISTER = EXPR", "give a register a value; the run goes on from here",
     &DebugConsole::Set},
    {"rewind", "", "",
     "forget what came after the step that is looked at; the run goes on from here",
     &DebugConsole::Rewind},
    {"budget", "", "[steps|bytes|depth|ms N]", "show or set what the run may use; 0 is no limit",
     &DebugConsole::Budget},
    {"result", "", "", "what the run returned", &DebugConsole::PrintResult},
    {"restart", "", "", "begin the run again", &DebugConsole::Restart},
    {"complete", "", "PREFIX", "list the commands that begin so", &DebugConsole::Complete},
    {"help", "h", "[COMMAND]", "list the commands, or tell about one", &DebugConsole::Help},
    {"quit", "q", "", "end the session", &DebugConsole::Quit},
};

std::span<const DebugConsole::Command> DebugConsole::Commands() { return kCommands; }

DebugConsole::DebugConsole(Debugger* debugger, std::string function, std::vector<Any> arguments)
    : debugger_(*debugger), function_(std::move(function)), arguments_(std::move(arguments)) {}

// An exact name or alias wins over prefixes; a prefix must belong to one command only.
Result<const DebugConsole::Command*> DebugConsole::FindCommand(std::string_view word) {
  std::vector<std::string_view> matches, names;
  const Command* found = nullptr;
  for (const Command& command : Commands()) {
    if (command.name == word || command.alias == word) return &command;
    names.push_back(command.name);
    if (!command.name.starts_with(word)) continue;
    matches.push_back(command.name);
    found = &command;
  }
  if (matches.size() == 1) return found;
  // All candidates are named, so that the user can type one letter more.
  if (matches.size() > 1) return Mistake(StrCat("'", word, "' may be ", StrJoin(matches, ", ")));
  const std::string_view near = DidYouMean(word, names);
  return Mistake(
      StrCat("there is no command '", word, "'",
             near.empty() ? "; 'help' lists them" : StrCat("; did you mean '", near, "'?")));
}

// Empty lines and comments do nothing, so that scripts can be commented.
std::string DebugConsole::Execute(std::string_view line) {
  line = StrTrim(line);
  if (line.empty() || line.starts_with('#')) return "";
  Result<const Command*> command = FindCommand(FirstWord(line));
  Result<std::string> output = command.ok() ? (this->*(*command)->run)(AfterWord(line))
                                            : Result<std::string>(std::move(command).status());
  if (output.ok()) return *std::move(output);
  // Errors are output, because a console has nobody else to tell.
  std::string text = StrCat("error: ", output.status().message(), "\n");
  for (const std::string& note : output.status().notes()) StrAppend(&text, "  ", note, "\n");
  return text;
}

// --- moving

std::string DebugConsole::FrameLine(size_t frame) const {
  const DebugFrame view = debugger_.frame(frame);
  const DebugEntry* source = debugger_.executable().FindDebug(view.pc);
  return StrCat(PlaceText(view.pc, debugger_.executable()), "  ",
                CodeText(debugger_.executable(), view.pc),
                source == nullptr ? "" : StrCat("  ; ", source->text()));
}

std::string DebugConsole::Where() const {
  std::string text = StrCat("step ", debugger_.step());
  // In the past both numbers are shown, as the run itself is further on.
  if (debugger_.in_past()) StrAppend(&text, " of ", debugger_.trace().end_step());
  if (debugger_.depth() > 0) StrAppend(&text, "  ", FrameLine(0));
  return text + "\n";
}

Result<std::string> DebugConsole::Run(DebugCommand command, uint64_t argument) {
  TERN_TRY_ASSIGN(const DebugStopInfo stop, debugger_.Run(command, argument));
  // After every move expressions are about the innermost frame again.
  frame_ = 0;
  std::string text;
  if (stop.reason == DebugStop::kBreakpoint)
    text = StrCat("breakpoint ", stop.breakpoint, ": ", stop.text, "\n");
  // A step or target that was reached needs no explanation: the place says it.
  else if (stop.reason != DebugStop::kStep && stop.reason != DebugStop::kTarget)
    text = StrCat(stop.name, ": ", stop.text, "\n");
  return debugger_.depth() == 0 ? text : text + Where();
}

Result<std::string> DebugConsole::Counted(DebugCommand command, std::string_view rest) {
  TERN_TRY_ASSIGN(const uint64_t count, NumberOr(rest, 1, "number of instructions"));
  return Run(command, count);
}

Result<std::string> DebugConsole::Until(std::string_view rest) {
  TERN_TRY_ASSIGN(const uint32_t pc, ParsePlace(rest, debugger_.executable()));
  return Run(DebugCommand::kRunTo, pc);
}

Result<std::string> DebugConsole::Seek(std::string_view rest) {
  if (rest.empty()) return Mistake("seek wants the number of a step");
  TERN_TRY_ASSIGN(const uint64_t step, NumberOr(rest, 0, "number of a step"));
  return Run(DebugCommand::kSeek, step);
}

Result<std::string> DebugConsole::Rewind(std::string_view) {
  TERN_TRY(debugger_.Rewind());
  return StrCat(debugger_.stop().text, "\n", Where());
}

Result<std::string> DebugConsole::Restart(std::string_view) {
  const std::vector<AnyView> views(arguments_.begin(), arguments_.end());
  TERN_TRY(debugger_.Begin(function_, views));
  frame_ = 0;
  return Where();
}

// What is left of '=' is a register, what is right of it an expression over the present state.
Result<std::string> DebugConsole::Set(std::string_view rest) {
  const size_t equals = rest.find('=');
  if (equals == std::string_view::npos || !rest.starts_with('%'))
    return Mistake("set wants %REGISTER = EXPRESSION");
  TERN_TRY_ASSIGN(const uint32_t reg,
                  debugger_.FindRegister(frame_, StrTrim(rest.substr(0, equals))));
  TERN_TRY_ASSIGN(const Any value, debugger_.Evaluate(rest.substr(equals + 1), frame_));
  TERN_TRY(debugger_.SetRegister(frame_, reg, value));
  return StrCat("%", reg, " = ", PrintValue(value), "\n");
}

Result<std::string> DebugConsole::Budget(std::string_view rest) {
  DebugBudgets budgets = debugger_.budgets();
  if (!rest.empty()) {
    const std::string_view what = FirstWord(rest);
    // A budget without its number is a mistake, not 0, which would lift the limit.
    if (AfterWord(rest).empty()) return Mistake(StrCat("budget ", what, " wants a number"));
    TERN_TRY_ASSIGN(const uint64_t number, NumberOr(AfterWord(rest), 0, "number"));
    if (what == "steps")
      budgets.steps = number;
    else if (what == "bytes")
      budgets.bytes = number;
    else if (what == "depth" && number <= UINT32_MAX)
      budgets.depth = static_cast<uint32_t>(number);
    // Bounded, so that nanoseconds fit.
    else if (what == "ms" && number < 1'000'000'000)
      budgets.time_ns = static_cast<int64_t>(number) * 1'000'000;
    else
      return Mistake(StrCat("there is no budget '", rest, "': there are steps, bytes, depth, ms"));
    debugger_.set_budgets(budgets);
  }
  return StrCat("steps ", budgets.steps, ", bytes ", budgets.bytes, ", depth ", budgets.depth,
                ", ms ", budgets.time_ns / 1'000'000, "\n");
}

// --- breakpoints

Result<std::string> DebugConsole::Break(std::string_view rest) {
  TERN_TRY_ASSIGN(const uint32_t id, debugger_.AddBreakpoint(rest));
  return StrCat("breakpoint ", id, ": ",
                BreakpointText(debugger_.breakpoints().back(), debugger_.executable()), "\n");
}

Result<std::string> DebugConsole::Breakpoints(std::string_view) {
  if (debugger_.breakpoints().empty()) return std::string("there are none\n");
  std::string text;
  for (const Breakpoint& breakpoint : debugger_.breakpoints()) {
    StrAppend(&text, breakpoint.id, "  ", BreakpointText(breakpoint, debugger_.executable()),
              breakpoint.enabled ? "" : "  (off)", "  met ", breakpoint.hits);
    if (breakpoint.ignore > 0) StrAppend(&text, ", ignored ", breakpoint.ignore, " times more");
    if (breakpoint.failures > 0)
      StrAppend(&text, ", failed ", breakpoint.failures, ": ", breakpoint.failure);
    text += "\n";
  }
  return text;
}

Result<std::string> DebugConsole::Delete(std::string_view rest) {
  // Ids are not dense, so the first is taken until none is left.
  if (rest == "all") {
    while (!debugger_.breakpoints().empty())
      TERN_TRY(debugger_.RemoveBreakpoint(debugger_.breakpoints().front().id));
    return std::string();
  }
  if (rest.empty()) return Mistake("delete wants the number of a breakpoint, or all");
  TERN_TRY_ASSIGN(const uint64_t id, NumberOr(rest, 0, "number of a breakpoint"));
  // A number too large for an id becomes one that no breakpoint has.
  TERN_TRY(debugger_.RemoveBreakpoint(static_cast<uint32_t>(std::min<uint64_t>(id, UINT32_MAX))));
  return std::string();
}

Result<std::string> DebugConsole::Switch(std::string_view rest, bool on) {
  TERN_TRY_ASSIGN(const uint64_t id, NumberOr(rest, 0, "number of a breakpoint"));
  TERN_TRY(
      debugger_.EnableBreakpoint(static_cast<uint32_t>(std::min<uint64_t>(id, UINT32_MAX)), on));
  return std::string();
}

Result<std::string> DebugConsole::Ignore(std::string_view rest) {
  TERN_TRY_ASSIGN(const uint64_t id, NumberOr(FirstWord(rest), 0, "number of a breakpoint"));
  TERN_TRY_ASSIGN(const uint64_t times, NumberOr(AfterWord(rest), 1, "number of times"));
  TERN_TRY(
      debugger_.IgnoreBreakpoint(static_cast<uint32_t>(std::min<uint64_t>(id, UINT32_MAX)), times));
  return std::string();
}

// --- looking

Result<std::string> DebugConsole::Frames(std::string_view) {
  if (debugger_.depth() == 0) return std::string("there is no frame: the run has ended\n");
  std::string text;
  const size_t depth = debugger_.depth();
  // A deep recursion shows its two ends.
  for (size_t i = 0; i < depth; ++i) {
    if (depth > 2 * kFramesAtEnds && i == kFramesAtEnds) {
      StrAppend(&text, "  … ", depth - 2 * kFramesAtEnds, " more\n");
      // Skips the middle; i is then the first frame of the outer end.
      i = depth - kFramesAtEnds;
    }
    StrAppend(&text, i == frame_ ? "* " : "  ", i, "  ", FrameLine(i), "\n");
  }
  return text;
}

Result<std::string> DebugConsole::Frame(std::string_view rest) {
  TERN_TRY_ASSIGN(const uint64_t frame, NumberOr(rest, 0, "number of a frame"));
  if (frame >= debugger_.depth())
    return Mistake(StrCat("there is no frame ", frame, ": there are ", debugger_.depth()));
  frame_ = static_cast<size_t>(frame);
  return StrCat("frame ", frame_, "  ", FrameLine(frame_), "\n");
}

Result<std::string> DebugConsole::Registers(std::string_view) {
  if (debugger_.depth() == 0) return Mistake("there is no frame: the run has ended");
  const DebugFrame view = debugger_.frame(frame_);
  const FunctionInfo& info = debugger_.executable().functions()[view.function];
  std::string text;
  for (uint32_t reg = 0; reg < view.register_count; ++reg) {
    // The checks of Register cannot fail here, but its contents may have to be made from the trace.
    TERN_TRY_ASSIGN(const Any value, debugger_.Register(frame_, reg));
    const std::string_view name = info.RegisterName(reg);
    StrAppend(&text, debugger_.RegisterChanged(frame_, reg) ? "* " : "  ",
              AlignLeft(StrCat("%", reg, name.empty() ? "" : " ", name), 8), " ", PrintValue(value),
              "\n");
  }
  return text;
}

// More than elsewhere, since the user asked for this one value.
Result<std::string> DebugConsole::Print(std::string_view rest) {
  TERN_TRY_ASSIGN(const Any value, debugger_.Evaluate(rest, frame_));
  return StrCat(PrintValue(value, {.max_elements = 64, .max_depth = 8}), "\n");
}

Result<std::string> DebugConsole::History(std::string_view rest) {
  TERN_TRY_ASSIGN(const uint32_t reg, debugger_.FindRegister(frame_, rest));
  std::string text;
  for (const DebugVersion& version : debugger_.History(frame_, reg, kHistory)) {
    StrAppend(&text, "step ", version.step, "  ", PlaceText(version.pc, debugger_.executable()),
              "  %", reg, " = ", PrintValue(version.value), "\n");
  }
  return text.empty() ? StrCat("%", reg, " was not written in this frame\n") : text;
}

Result<std::string> DebugConsole::List(std::string_view rest) {
  const Executable& executable = debugger_.executable();
  if (rest.empty() && debugger_.depth() == 0) return Mistake("the run has ended: list a place");
  uint32_t pc = rest.empty() ? debugger_.frame(frame_).pc : 0;
  // A place is an absolute instruction, without one the next is meant.
  if (!rest.empty()) {
    TERN_TRY_ASSIGN(pc, ParsePlace(rest, executable));
  }
  const FunctionInfo& info = executable.FunctionOf(pc);
  const size_t first = info.first_instruction, end = first + info.instruction_count;
  // A subtraction that cannot go below the function's begin.
  const size_t from = pc - first > kListAround ? pc - kListAround : first;
  std::string text;
  for (size_t at = from; at < std::min<size_t>(end, pc + kListAround + 1); ++at) {
    StrAppend(&text, at == pc ? "> " : "  ", PlaceText(static_cast<uint32_t>(at), executable), "  ",
              CodeText(executable, static_cast<uint32_t>(at)), "\n");
  }
  return text;
}

// Numbers are given anew with each listing, in the order of finding.
Result<std::string> DebugConsole::Heap(std::string_view rest) {
  const HeapListing heap = ListHeap(debugger_);
  TERN_TRY_ASSIGN(const uint64_t wanted, NumberOr(rest, 0, "number of an object"));
  std::string text;
  if (wanted == 0) {
    for (const HeapObject& object : heap.objects) {
      StrAppend(&text, object.number, "  ", PrintValue(object.value, {.max_elements = 3}), "  ",
                FormatBytes(object.bytes), "  held by ", object.holders.size(), "\n");
    }
    return StrCat(text, heap.objects.size(), " objects, ", FormatBytes(heap.bytes), "\n");
  }
  if (wanted > heap.objects.size())
    return Mistake(StrCat("there is no object ", wanted, ": there are ", heap.objects.size()));
  const HeapObject& object = heap.objects[static_cast<size_t>(wanted - 1)];
  text = StrCat(PrintValue(object.value), "\n");
  for (const HeapHolder& holder : object.holders) StrAppend(&text, "  ", holder.text, "\n");
  // What the trace and the host hold is told apart, so that a leak is not seen where there is none.
  if (object.by_trace > 0) StrAppend(&text, "  the debugger's record, ", object.by_trace, "\n");
  if (object.elsewhere > 0) StrAppend(&text, "  the host, ", object.elsewhere, "\n");
  return text;
}

Result<std::string> DebugConsole::Trace(std::string_view rest) {
  TERN_TRY_ASSIGN(const uint64_t count, NumberOr(rest, kTraceSteps, "number of steps"));
  const vm::Trace& trace = debugger_.trace();
  const uint64_t end = debugger_.step();
  std::string text;
  // At most as many steps as are recorded.
  for (uint64_t step = end - std::min(count, end - trace.first_step()); step < end; ++step) {
    StrAppend(&text, step, "  ", PlaceText(trace.pc(step), debugger_.executable()), "  ",
              CodeText(debugger_.executable(), trace.pc(step)));
    for (const TraceEvent& event : trace.events(step)) {
      // Releases are no news; every kill would show up.
      if (event.kind() != TraceEventKind::kWrite || event.after == kNoneValue) continue;
      StrAppend(&text, "  %", event.target, " = ",
                PrintValue(trace.Materialize(event.after, step + 1), {.max_elements = 4}));
    }
    text += "\n";
  }
  return text;
}

Result<std::string> DebugConsole::PrintResult(std::string_view) {
  TERN_TRY_ASSIGN(const Any value, debugger_.TakeResult());
  return StrCat(PrintValue(value), "\n");
}

// --- help

Result<std::string> DebugConsole::Help(std::string_view rest) {
  std::string text;
  if (!rest.empty()) {
    TERN_TRY_ASSIGN(const Command* command, FindCommand(rest));
    text = StrCat(command->name, command->arguments.empty() ? "" : " ", command->arguments, "\n  ",
                  command->phrase, "\n");
    if (!command->alias.empty()) StrAppend(&text, "  short: ", command->alias, "\n");
    return text;
  }
  for (const Command& command : Commands()) {
    std::string head(command.name);
    if (!command.arguments.empty()) StrAppend(&head, " ", command.arguments);
    StrAppend(&text, AlignLeft(std::string(command.alias), 3), AlignLeft(std::move(head), 28), " ",
              command.phrase, "\n");
  }
  return text;
}

// For front ends with completion.
Result<std::string> DebugConsole::Complete(std::string_view rest) {
  std::string text;
  for (const Command& command : Commands()) {
    if (command.name.starts_with(rest)) StrAppend(&text, command.name, "\n");
  }
  return text;
}

Result<std::string> DebugConsole::Quit(std::string_view) {
  done_ = true;
  return std::string();
}

}  // namespace tern::vm
