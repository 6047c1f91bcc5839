// SPDX-License-Identifier: Apache-2.0
// Breakpoints and places from text and to text. The grammar is at the head of the header.
#include "core/vm/debug/debugger_breakpoint.h"

#include "core/base/strings.h"

namespace tern::vm {
namespace {

Status BadPlace(std::string_view text) {
  return InvalidArgument("'", text, "' is no place: expected @FUNCTION, @FUNCTION:INSTRUCTION or ",
                         "the number of an instruction")
      .SetErrorCode("E0304");
}

// A text cut at the word `if`: the first one ends the place, and what follows is the condition.
struct SplitText {
  std::string_view head;
  std::optional<std::string_view> condition;
};
SplitText SplitCondition(std::string_view text) {
  text = StrTrim(text);
  if (text == "if" || text.starts_with("if ")) return {{}, StrTrim(text.substr(2))};
  const size_t at = text.find(" if ");
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {StrTrim(text.substr(0, at)), StrTrim(text.substr(at + 4))};
}

// A number of bytes, with or without a unit: "65536", "64 KiB", "1 MiB".
Result<uint64_t> ParseByteCount(std::string_view text) {
  text = StrTrim(text);
  uint64_t unit = 1;
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB"};
  // From the largest unit down, as all of them end in B.
  for (int power = 3; power >= 0; --power) {
    if (!text.ends_with(kUnits[power])) continue;
    text = StrTrim(text.substr(0, text.size() - kUnits[power].size()));
    unit = uint64_t{1} << (10 * power);
    break;
  }
  const std::optional<uint64_t> count = ParseUint64(text);
  // By division, since the product may overflow.
  if (count.has_value() && *count <= UINT64_MAX / unit) return *count * unit;
  return InvalidArgument("'", text, "' is no number of bytes: expected one such as 4096 or 64 KiB")
      .SetErrorCode("E0304");
}

}  // namespace

Result<uint32_t> ParsePlace(std::string_view text, const Executable& executable) {
  text = StrTrim(text);
  if (!text.starts_with('@')) {
    const std::optional<uint64_t> pc = ParseUint64(text);
    if (!pc.has_value()) return BadPlace(text);
    if (*pc < executable.instruction_count()) return static_cast<uint32_t>(*pc);
    return OutOfRange("there is no instruction ", *pc, ": the program has ",
                      executable.instruction_count())
        .SetErrorCode("E0304");
  }
  // From the end: names of functions may have colons.
  const size_t colon = text.rfind(':');
  const bool has_offset = colon != std::string_view::npos;
  TERN_TRY_ASSIGN(const uint32_t index, executable.FunctionIndex(text.substr(
                                            1, has_offset ? colon - 1 : std::string_view::npos)));
  const FunctionInfo& info = executable.functions()[index];
  // A function alone is its first instruction.
  if (!has_offset) return info.first_instruction;
  const std::optional<uint64_t> offset = ParseUint64(text.substr(colon + 1));
  if (!offset.has_value()) return BadPlace(text);
  if (*offset < info.instruction_count)
    return info.first_instruction + static_cast<uint32_t>(*offset);
  return OutOfRange("there is no instruction ", *offset, " in @", info.name, ", which has ",
                    info.instruction_count)
      .SetErrorCode("E0304");
}

std::string PlaceText(uint32_t pc, const Executable& executable) {
  const FunctionInfo& info = executable.FunctionOf(pc);
  return StrCat("@", info.name, ":", pc - info.first_instruction);
}

Result<Breakpoint> ParseBreakpoint(std::string_view text, const Executable& executable) {
  const SplitText split = SplitCondition(text);
  Breakpoint breakpoint;
  if (split.condition.has_value()) {
    TERN_TRY_ASSIGN(Condition condition, Condition::Parse(*split.condition));
    breakpoint.condition = std::move(condition);
  }
  // Without a place a condition is a breakpoint of its own, tested everywhere.
  if (split.head.empty()) {
    breakpoint.kind = BreakpointKind::kCondition;
    if (breakpoint.condition.has_value()) return breakpoint;
    return InvalidArgument("a breakpoint needs a place, 'nan', 'alloc BYTES' or 'if EXPRESSION'")
        .SetErrorCode("E0304");
  }
  if (split.head == "nan") {
    breakpoint.kind = BreakpointKind::kNotFinite;
    return breakpoint;
  }
  if (split.head == "alloc" || split.head.starts_with("alloc ")) {
    breakpoint.kind = BreakpointKind::kAllocation;
    TERN_TRY_ASSIGN(breakpoint.bytes, ParseByteCount(split.head.substr(5)));
    return breakpoint;
  }
  // A place in either form; @f without an instruction means each frame of f, not only its first
  // instruction.
  TERN_TRY_ASSIGN(breakpoint.pc, ParsePlace(split.head, executable));
  if (split.head.starts_with('@') && split.head.rfind(':') == std::string_view::npos) {
    breakpoint.kind = BreakpointKind::kFunction;
    TERN_TRY_ASSIGN(breakpoint.function, executable.FunctionIndex(split.head.substr(1)));
  }
  return breakpoint;
}

// What ParseBreakpoint reads back.
std::string BreakpointText(const Breakpoint& breakpoint, const Executable& executable) {
  std::string text;
  switch (breakpoint.kind) {
    case BreakpointKind::kInstruction: text = PlaceText(breakpoint.pc, executable); break;
    case BreakpointKind::kFunction:
      text = StrCat("@", executable.functions()[breakpoint.function].name);
      break;
    case BreakpointKind::kNotFinite: text = "nan"; break;
    case BreakpointKind::kAllocation: text = StrCat("alloc ", FormatBytes(breakpoint.bytes)); break;
    case BreakpointKind::kCondition: break;
  }
  if (breakpoint.condition.has_value())
    StrAppend(&text, text.empty() ? "if " : " if ", breakpoint.condition->text());
  return text;
}

}  // namespace tern::vm
