// SPDX-License-Identifier: Apache-2.0
// What a debugger is asked (frames, registers, expressions), and whether a breakpoint is met.
// Everything here works on the state that is looked at: the machine's, or one of the trace
// (in_past_).
#include <cmath>

#include "core/base/strings.h"
#include "core/object/graph/print.h"
#include "core/vm/debug/debugger.h"

namespace tern::vm {
namespace {

// Whether the value has NaNs or infinities, and how many. Reads all elements, so a `nan` breakpoint
// makes runs of large models slow.
bool HasNotFinite(const Any& value, int64_t* nan, int64_t* inf) {
  *nan = *inf = 0;
  if (const Tensor* tensor = value.TryCast<Tensor>(); tensor != nullptr) {
    if (!tensor->dtype().is_float()) return false;
    const TensorStatistics statistics = ComputeStatistics(*tensor);
    *nan = statistics.nan;
    *inf = statistics.inf;
  } else if (value.type_code() == TERN_TYPE_FLOAT) {
    const double number = *value.TryCast<double>();
    *nan = std::isnan(number) ? 1 : 0;
    *inf = std::isinf(number) ? 1 : 0;
  }
  return *nan + *inf > 0;
}

// Whether an instruction computes a value, rather than passing on one that another has computed: a
// NaN is reported where it arises, not wherever it is moved.
bool Computes(Handler handler) {
  return handler == Handler::kCall || handler == Handler::kInvokePacked || handler >= Handler::kAdd;
}

}  // namespace

// A frame with its names, for expressions. Made for one evaluation.
class Debugger::Scope final : public ConditionScope {
 public:
  Scope(const Debugger* debugger, size_t frame, uint64_t hits)
      : debugger_(*debugger), frame_(frame), hits_(hits) {}

  Result<Any> Register(uint32_t index) const override { return debugger_.Register(frame_, index); }
  Result<Any> NamedRegister(std::string_view name) const override {
    TERN_TRY_ASSIGN(const uint32_t index, debugger_.FindRegister(frame_, name));
    return debugger_.Register(frame_, index);
  }
  Result<Any> Name(std::string_view name) const override {
    if (name == "step") return Any(debugger_.step());
    if (name == "depth") return Any(debugger_.depth());
    if (name == "hits") return Any(hits_);
    // Steps and depth exist without a frame; the others do not.
    TERN_TRY(debugger_.CheckFrame(frame_));
    const DebugFrame frame = debugger_.frame(frame_);
    if (name == "pc") return Any(frame.pc);
    return Any(debugger_.executable().functions()[frame.function].name);
  }

 private:
  const Debugger& debugger_;
  size_t frame_;
  uint64_t hits_;
};

// --- the state

Status Debugger::CheckFrame(size_t frame) const {
  if (frame < depth()) return OkStatus();
  if (depth() == 0) return OutOfRange("there is no frame: the run has ended").SetErrorCode("E0304");
  return OutOfRange("there is no frame ", frame, ": there are ", depth(),
                    ", and 0 is the innermost")
      .SetErrorCode("E0304");
}

// Frames are numbered from the innermost by users, from the outermost by the machine and the trace.
DebugFrame Debugger::frame(size_t from_innermost) const {
  const size_t index = FromOutermost(from_innermost);
  if (!in_past_) {
    const FrameView view = vm_->frame(index);
    return {view.function, view.pc, static_cast<uint32_t>(view.registers.size())};
  }
  const TraceFrame& frame = cursor_.state().frames[index];
  return {frame.function, frame.pc, static_cast<uint32_t>(cursor_.state().register_count(index))};
}

// The very object, as it is now.
Result<Any> Debugger::RawRegister(size_t frame, uint32_t reg) const {
  TERN_TRY(CheckFrame(frame));
  const size_t index = FromOutermost(frame);
  const uint32_t count = this->frame(frame).register_count;
  if (reg >= count) {
    return OutOfRange("there is no register %", reg, ": the frame has ", count)
        .SetErrorCode("E0304");
  }
  if (!in_past_) return Any(vm_->frame(index).registers[reg]);
  return Any(trace().value(cursor_.state().registers(index)[reg]));
}

// As it was: contents that were written in place since are put back into a copy.
Result<Any> Debugger::Register(size_t frame, uint32_t reg) const {
  TERN_TRY_ASSIGN(Any value, RawRegister(frame, reg));
  return in_past_ ? trace().contents().Materialize(value, cursor_.step()) : std::move(value);
}

Result<uint32_t> Debugger::FindRegister(size_t frame, std::string_view name) const {
  TERN_TRY(CheckFrame(frame));
  if (name.starts_with('%')) name.remove_prefix(1);
  const DebugFrame view = this->frame(frame);
  const FunctionInfo& info = executable().functions()[view.function];
  // A number first, since parameters without a name are known by it.
  const std::optional<uint64_t> number = ParseUint64(name);
  if (number.has_value() && *number < view.register_count) return static_cast<uint32_t>(*number);
  std::vector<std::string_view> names;
  for (uint32_t reg = 0; reg < view.register_count; ++reg) {
    if (info.RegisterName(reg) == name) return reg;
    if (!info.RegisterName(reg).empty()) names.push_back(info.RegisterName(reg));
  }
  Status status = NotFound("there is no register %", name, " in @", info.name);
  status.AddNote(StrCat("it has %0 to %", view.register_count - 1, names.empty() ? "" : ", named ",
                        StrJoin(names, ", ")));
  return std::move(status.SetErrorCode("E0304"));
}

// Read off the trace, which knows what the step before wrote.
bool Debugger::RegisterChanged(size_t frame, uint32_t reg) const {
  if (frame >= depth() || step() <= trace().first_step()) return false;
  const size_t index = FromOutermost(frame);
  for (const TraceEvent& event : trace().events(step() - 1)) {
    if (event.kind() == TraceEventKind::kWrite && event.frame() == index && event.target == reg)
      return true;
  }
  return false;
}

Result<Any> Debugger::Evaluate(std::string_view expression, size_t frame) const {
  TERN_TRY_ASSIGN(const Condition condition, Condition::Parse(expression));
  return condition.Evaluate(Scope(this, frame, 0));
}

std::vector<DebugVersion> Debugger::History(size_t frame, uint32_t reg, size_t limit) const {
  std::vector<DebugVersion> versions;
  if (frame >= depth()) return versions;
  const size_t index = FromOutermost(frame);
  // Backwards through the log until the frame's own beginning, the limit, or the oldest step.
  for (uint64_t at = step(); at-- > trace().first_step();) {
    const std::span<const TraceEvent> events = trace().events(at);
    for (size_t i = events.size(); i-- > 0;) {
      const TraceEvent& event = events[i];
      if (event.frame() != index) continue;
      if (event.kind() == TraceEventKind::kPush) return versions;  // the frame's beginning
      if (event.kind() != TraceEventKind::kWrite || event.target != reg) continue;
      if (versions.size() == limit) return versions;
      versions.push_back({at, trace().pc(at), trace().Materialize(event.after, at + 1)});
    }
  }
  return versions;
}

namespace {

// The error code of a run without a debugger that ends at the same limit.
std::string_view CodeOf(DebugStop reason) {
  switch (reason) {
    case DebugStop::kStepLimit: return "S0301";
    case DebugStop::kTimeLimit: return "S0303";
    case DebugStop::kMemoryLimit: return "E0302";
    case DebugStop::kDepthLimit: return "E0303";
    case DebugStop::kBegun:
    case DebugStop::kReturned:
    case DebugStop::kStep:
    case DebugStop::kBreakpoint:
    case DebugStop::kTarget:
    case DebugStop::kSlice:
    case DebugStop::kStart:
    case DebugStop::kCancelled:
    case DebugStop::kTrap: break;
  }
  return "S0302";
}

}  // namespace

// Const, although it gives the result: the debugger keeps it for further looks.
Result<Any> Debugger::TakeResult() const {
  if (!begun_) return InvalidArgument("no run was begun").SetErrorCode("E0304");
  switch (vm_->state()) {
    case VirtualMachine::State::kReturned: return Any(vm_->result());
    case VirtualMachine::State::kFailed: return error().Clone();
    case VirtualMachine::State::kIdle:
    case VirtualMachine::State::kPaused: break;
  }
  return Stopped("the run has not returned: ", stop_.name, ", ", stop_.text)
      .SetErrorCode(CodeOf(stop_.reason));
}

// --- breakpoints

// A condition that cannot be evaluated (a register holds something else here) counts as false and
// is noted, so that it does not stop the run at every step.
bool Debugger::ConditionHolds(Breakpoint* breakpoint) const {
  if (!breakpoint->condition.has_value()) return true;
  const Result<bool> truth = breakpoint->condition->IsTrue(Scope(this, 0, breakpoint->hits));
  if (truth.ok()) return *truth;
  ++breakpoint->failures;
  breakpoint->failure = std::string(truth.status().message());
  return false;
}

// Whether the step before computed a NaN or an infinity, and where it is. Registers that it wrote
// are looked at, and outputs of invoke_packed, which no register write shows.
bool Debugger::ComputedNotFinite(std::string* what) const {
  if (step() <= trace().first_step() || depth() == 0) return false;
  const uint32_t pc = trace().pc(step() - 1);
  const DecodedOp& op = vm_->program().plain_code()[pc];
  if (!Computes(op.handler)) return false;
  std::vector<uint32_t> written;
  for (const TraceEvent& event : trace().events(step() - 1)) {
    if (event.kind() == TraceEventKind::kWrite && event.frame() == depth() - 1)
      written.push_back(event.target);
  }
  const Result<Instruction> instruction = executable().GetInstruction(pc);
  if (instruction.ok() && instruction->info->opcode == Opcode::kInvokePacked) {
    const std::vector<Operand>& operands = instruction->operands;
    const auto outputs = static_cast<size_t>(operands[2].value);
    for (size_t i = operands.size() - outputs; i < operands.size(); ++i) {
      if (operands[i].kind == OperandKind::kRegister)
        written.push_back(static_cast<uint32_t>(operands[i].value));
    }
  }
  for (uint32_t reg : written) {
    int64_t nan = 0, inf = 0;
    const Result<Any> value = Register(0, reg);
    if (!value.ok() || !HasNotFinite(*value, &nan, &inf)) continue;
    *what = StrCat(PlaceText(pc, executable()), " computed ", nan, " NaN and ", inf,
                   " infinite in %", reg);
    return true;
  }
  return false;
}

// Whether the place fits, without the condition.
bool Debugger::Meets(const Breakpoint& breakpoint) const {
  if (depth() == 0) return false;
  const bool has_before = step() > trace().first_step();
  switch (breakpoint.kind) {
    case BreakpointKind::kInstruction: return frame(0).pc == breakpoint.pc;
    // A jump back to the function's first instruction is no call: the step before must have pushed
    // a frame.
    case BreakpointKind::kFunction: {
      if (frame(0).pc != breakpoint.pc) return false;
      // The run's own first frame was pushed by nobody.
      if (!has_before) return step() == 0;
      for (const TraceEvent& event : trace().events(step() - 1)) {
        if (event.kind() == TraceEventKind::kPush) return true;
      }
      return false;
    }
    case BreakpointKind::kNotFinite: {
      std::string what;
      return ComputedNotFinite(&what);
    }
    // Recorded with the step that allocated.
    case BreakpointKind::kAllocation: {
      if (!has_before) return false;
      const TraceAllocation allocation = trace().allocation(step() - 1);
      return allocation.count > 0 && allocation.largest >= breakpoint.bytes;
    }
    case BreakpointKind::kCondition: return true;
  }
  return false;
}

void Debugger::StopAt(const Breakpoint& breakpoint) {
  std::string text = BreakpointText(breakpoint, executable());
  std::string what;
  if (breakpoint.kind == BreakpointKind::kNotFinite && ComputedNotFinite(&what))
    StrAppend(&text, ": ", what);
  if (breakpoint.kind == BreakpointKind::kAllocation)
    StrAppend(&text, ": ", PlaceText(trace().pc(step() - 1), executable()), " allocated ",
              FormatBytes(trace().allocation(step() - 1).largest));
  SetStop(DebugStop::kBreakpoint, std::move(text), breakpoint.id);
}

// Going forward, a place counts when it is come to. Going backward nothing is counted or ignored; a
// condition is met where it was no longer true one step further back, so the walk has then gone one
// step too far.
bool Debugger::MeetsBreakpoint(bool forward) {
  if (goal_.command == DebugCommand::kSeek) return false;  // the same in the past and ahead
  // The common case: one look into a table by instruction.
  if (!has_global_ && (depth() == 0 || break_at_.empty() || break_at_[frame(0).pc] == 0))
    return false;
  Breakpoint* met = nullptr;
  // All breakpoints are tested, since each counts its own hits.
  bool one_too_far = false;
  for (Breakpoint& breakpoint : breakpoints_) {
    if (!breakpoint.enabled || !Meets(breakpoint)) continue;
    const bool holds = ConditionHolds(&breakpoint);
    bool is_met = holds;
    if (breakpoint.kind == BreakpointKind::kCondition) {
      // A condition alone is an edge, not a level: it is met when it becomes true.
      is_met = forward ? holds && !breakpoint.was_true : !holds && breakpoint.was_true;
      breakpoint.was_true = holds;
      one_too_far |= is_met && !forward;
    }
    if (!is_met) continue;
    if (forward) ++breakpoint.hits;
    if (forward && breakpoint.ignore > 0)
      --breakpoint.ignore;
    else if (met == nullptr)
      met = &breakpoint;
  }
  if (met == nullptr) return false;
  if (one_too_far && met->kind == BreakpointKind::kCondition) LookAt(step() + 1);
  StopAt(*met);
  return true;
}

// Without a present value, a condition that is true already would be met at the next step.
void Debugger::PrimeConditions() {
  for (Breakpoint& breakpoint : breakpoints_) {
    if (breakpoint.kind == BreakpointKind::kCondition && breakpoint.enabled)
      breakpoint.was_true = depth() > 0 && ConditionHolds(&breakpoint);
  }
}

// Rebuilt at each change: changes are rare, and this table is read at every instruction.
void Debugger::IndexBreakpoints() {
  break_at_.assign(executable().instruction_count(), 0);
  has_global_ = has_breakpoints_ = false;
  for (const Breakpoint& breakpoint : breakpoints_) {
    if (!breakpoint.enabled) continue;
    has_breakpoints_ = true;
    if (breakpoint.kind == BreakpointKind::kInstruction ||
        breakpoint.kind == BreakpointKind::kFunction)
      break_at_[breakpoint.pc] = 1;
    else
      has_global_ = true;
  }
}

Breakpoint* Debugger::FindBreakpoint(uint32_t id) {
  for (Breakpoint& breakpoint : breakpoints_) {
    if (breakpoint.id == id) return &breakpoint;
  }
  return nullptr;
}

Status Debugger::NoBreakpoint(uint32_t id) const {
  std::vector<std::string> ids;
  for (const Breakpoint& breakpoint : breakpoints_) ids.push_back(StrCat(breakpoint.id));
  return NotFound("there is no breakpoint ", id, ids.empty() ? "" : ": there are ",
                  StrJoin(ids, ", "))
      .SetErrorCode("E0304");
}

Result<uint32_t> Debugger::AddBreakpoint(std::string_view text) {
  TERN_TRY_ASSIGN(Breakpoint breakpoint, ParseBreakpoint(text, executable()));
  // Ids are never used again, so a script cannot hit another breakpoint.
  breakpoint.id = next_breakpoint_++;
  breakpoints_.push_back(std::move(breakpoint));
  IndexBreakpoints();
  return breakpoints_.back().id;
}

Status Debugger::RemoveBreakpoint(uint32_t id) {
  if (FindBreakpoint(id) == nullptr) return NoBreakpoint(id);
  std::erase_if(breakpoints_, [&](const Breakpoint& b) { return b.id == id; });
  IndexBreakpoints();
  return OkStatus();
}

Status Debugger::EnableBreakpoint(uint32_t id, bool on) {
  Breakpoint* breakpoint = FindBreakpoint(id);
  if (breakpoint == nullptr) return NoBreakpoint(id);
  breakpoint->enabled = on;
  IndexBreakpoints();
  return OkStatus();
}

Status Debugger::IgnoreBreakpoint(uint32_t id, uint64_t times) {
  Breakpoint* breakpoint = FindBreakpoint(id);
  if (breakpoint == nullptr) return NoBreakpoint(id);
  breakpoint->ignore = times;
  return OkStatus();
}

}  // namespace tern::vm
