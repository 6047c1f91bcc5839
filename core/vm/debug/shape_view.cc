// SPDX-License-Identifier: Apache-2.0
// The function's calls of shape builtins are read from its code; what they met is looked up in the
// states in which they were executed last.
#include "core/vm/debug/shape_view.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/object/graph/print.h"
#include "core/object/shape.h"
#include "core/vm/builtins/builtins.h"

namespace tern::vm {
namespace {

constexpr size_t kValues = 2;  // operands of a call that come before its arguments
constexpr std::string_view kPrefix = "vm.builtin.";

// A call of a shape builtin.
struct ShapeCall {
  uint32_t pc = 0;
  std::string_view builtin;  // "match_shape"
  std::vector<Operand> args;
  std::optional<uint32_t> dst;
};

class ShapeReader {
 public:
  ShapeReader(const Debugger& debugger, size_t frame)
      : debugger_(debugger),
        executable_(debugger.executable()),
        trace_(debugger.trace()),
        frame_(frame),
        depth_(debugger.depth() - 1 - frame) {}

  ShapeView Run() {
    FindCalls();
    FindHeap();
    if (!view_.reg.has_value()) return std::move(view_);
    FindExecutions();
    ReadSlots();
    for (const ShapeCall& call : calls_) AddRules(call);
    return std::move(view_);
  }

 private:
  void FindCalls() {
    const FunctionInfo& function = executable_.functions()[debugger_.frame(frame_).function];
    for (uint32_t i = 0; i < function.instruction_count; ++i) {
      const uint32_t pc = function.first_instruction + i;
      const Result<Instruction> it = executable_.GetInstruction(pc);
      if (!it.ok() || it->info->opcode != Opcode::kCall || !it->operands[1].is_primitive())
        continue;
      std::string_view name =
          executable_.primitives()[static_cast<size_t>(it->operands[1].function_index())];
      if (!name.starts_with(kPrefix)) continue;
      name.remove_prefix(kPrefix.size());
      if (name != "alloc_shape_heap" && HeapArgument(name) == SIZE_MAX) continue;
      ShapeCall& call = calls_.emplace_back();
      call.pc = pc;
      call.builtin = name;
      call.args.assign(it->operands.begin() + kValues, it->operands.end());
      if (it->operands[0].is_register()) call.dst = static_cast<uint32_t>(it->operands[0].value);
    }
  }

  // Which argument the heap is.
  static size_t HeapArgument(std::string_view builtin) {
    if (builtin == "match_shape" || builtin == "store_shape") return 1;
    if (builtin == "load_shape" || builtin == "load_dim" || builtin == "store_dim") return 0;
    return SIZE_MAX;
  }

  void FindHeap() {
    for (const ShapeCall& call : calls_) {
      if (view_.reg.has_value()) return;
      if (call.builtin == "alloc_shape_heap") {
        view_.reg = call.dst;
        continue;
      }
      const size_t at = HeapArgument(call.builtin);
      if (at < call.args.size() && call.args[at].is_register())
        view_.reg = static_cast<uint32_t>(call.args[at].value);
    }
  }

  // The last step before the one that is looked at that executed each instruction in this frame.
  void FindExecutions() {
    executed_.assign(executable_.instruction_count(), kNever);
    TraceCursor cursor(&trace_);
    cursor.Seek(trace_.first_step());
    size_t depth = cursor.depth();
    trace_.ForEachStep([&](const TraceStep& step) {
      if (step.step >= debugger_.step()) return;
      if (depth == depth_ + 1) executed_[step.pc] = step.step;
      for (const TraceEvent& event : step.events) {
        if (event.kind() == TraceEventKind::kPop) --depth;
        if (event.kind() != TraceEventKind::kPush) continue;
        // Another frame in the same place begins anew.
        if (depth == depth_) std::fill(executed_.begin(), executed_.end(), kNever);
        ++depth;
      }
    });
    const bool has_failed = debugger_.machine().state() == VirtualMachine::State::kFailed;
    if (has_failed && !debugger_.in_past() && frame_ == 0) failed_ = debugger_.frame(0).pc;
  }

  // The value of an operand in a state; none where it is not there.
  Any ValueIn(const Operand& operand, uint64_t step) const {
    if (operand.is_immediate()) return Any(operand.value);
    if (operand.is_constant()) {
      Result<Any> constant = executable_.ConstantValue(static_cast<uint32_t>(operand.value));
      return constant.ok() ? *std::move(constant) : Any();
    }
    if (!operand.is_register()) return Any();
    if (step == debugger_.step()) {
      Result<Any> value = debugger_.Register(frame_, static_cast<uint32_t>(operand.value));
      return value.ok() ? *std::move(value) : Any();
    }
    TraceCursor cursor(&trace_);
    cursor.Seek(step);
    const std::span<const ValueId> registers = cursor.state().registers(depth_);
    return trace_.Materialize(registers[static_cast<size_t>(operand.value)], step);
  }

  // Where a number of the code is written as such.
  std::optional<int64_t> NumberOf(const Operand& operand) const {
    const Any value = operand.is_register() ? Any() : ValueIn(operand, debugger_.step());
    return value.type_code() == TERN_TYPE_INT ? value.TryCast<int64_t>() : std::nullopt;
  }

  std::vector<int64_t> HeapIn(uint64_t step) const {
    const Any heap = ValueIn(Operand::Register(*view_.reg), step);
    const Tensor* tensor = heap.TryCast<Tensor>();
    if (tensor == nullptr || tensor->dtype() != kI64 || !tensor->is_contiguous() ||
        !tensor->on_host())
      return {};
    const std::span<const int64_t> values = tensor->values<const int64_t>();
    return {values.begin(), values.end()};
  }

  ShapeSlot* SlotAt(std::optional<int64_t> index) {
    if (!index.has_value() || *index < 0 || *index >= static_cast<int64_t>(view_.slots.size()))
      return nullptr;
    return &view_.slots[static_cast<size_t>(*index)];
  }

  void ReadSlots() {
    for (const int64_t value : HeapIn(debugger_.step())) {
      ShapeSlot& slot = view_.slots.emplace_back();
      slot.value = value;
    }
    for (const ShapeCall& call : calls_) {
      ForEachSlot(call, [&](int64_t index, bool is_written, std::string_view symbol) {
        ShapeSlot* slot = SlotAt(index);
        if (slot == nullptr) return;
        if (slot->symbol.empty()) slot->symbol = std::string(symbol);
        if (!is_written) {
          if (slot->readers.empty() || slot->readers.back() != call.pc)
            slot->readers.push_back(call.pc);
        } else if (executed_[call.pc] != kNever &&
                   (!slot->step.has_value() || *slot->step < executed_[call.pc])) {
          slot->step = executed_[call.pc];
          slot->pc = call.pc;
        }
      });
    }
  }

  std::string NameOf(const ShapeCall& call) const {
    const Any name = call.args.size() > 2 ? ValueIn(call.args[2], debugger_.step()) : Any();
    const std::optional<std::string_view> text = name.TryCast<std::string_view>();
    return text.has_value() ? std::string(*text) : std::string();
  }

  // visit(slot, whether it is written, symbol) for each slot that a call names by a number.
  template <typename F>
  void ForEachSlot(const ShapeCall& call, F visit) const {
    if (call.builtin == "match_shape") {
      const std::string name = NameOf(call);
      for (size_t at = 3; at + 1 < call.args.size(); at += 2) {
        const int64_t code = NumberOf(call.args[at]).value_or(kMatchIgnore);
        const std::optional<int64_t> slot = NumberOf(call.args[at + 1]);
        if (slot.has_value() && (code == kMatchStore || code == kMatchEqualHeap))
          visit(*slot, code == kMatchStore, MatchSymbol(name, (at - 3) / 2));
      }
      return;
    }
    const size_t heap = HeapArgument(call.builtin);
    if (heap == SIZE_MAX) return;
    const bool is_one = call.builtin == "store_dim" || call.builtin == "load_dim";
    const size_t end = is_one ? std::min(heap + 2, call.args.size()) : call.args.size();
    for (size_t at = heap + 1; at < end; ++at) {
      if (const std::optional<int64_t> slot = NumberOf(call.args[at]); slot.has_value())
        visit(*slot, call.builtin.starts_with("store"), std::string_view());
    }
  }

  // --- rules

  bool IsKnown(const ShapeCall& call) const {
    return executed_[call.pc] != kNever || failed_ == call.pc;
  }
  uint64_t StateOf(const ShapeCall& call) const {
    return failed_ == call.pc ? debugger_.step() : executed_[call.pc];
  }

  void AddRules(const ShapeCall& call) {
    if (call.builtin == "match_shape") {
      AddMatch(call);
    } else if (call.builtin != "alloc_shape_heap") {
      AddAccess(call);
    }
  }

  // "n in slot 0" or "slot 0".
  std::string SlotText(int64_t index) {
    const ShapeSlot* slot = SlotAt(index);
    const bool has_symbol = slot != nullptr && !slot->symbol.empty();
    return has_symbol ? StrCat(slot->symbol, " in slot ", index) : StrCat("slot ", index);
  }

  static std::vector<int64_t> DimsOf(const Any& value) {
    if (const Tensor* tensor = value.TryCast<Tensor>(); tensor != nullptr)
      return {tensor->dims().begin(), tensor->dims().end()};
    if (const Shape* shape = value.TryCast<Shape>(); shape != nullptr)
      return {shape->dims().begin(), shape->dims().end()};
    return {};
  }

  void AddMatch(const ShapeCall& call) {
    std::string argument(MatchArgument(NameOf(call)));
    if (argument.empty() && !call.args.empty() && call.args[0].is_register())
      argument = StrCat("%", call.args[0].value);
    const bool is_known = IsKnown(call);
    const std::vector<int64_t> dims =
        is_known ? DimsOf(ValueIn(call.args[0], StateOf(call))) : std::vector<int64_t>();
    // Entries as the axes before have left them.
    std::vector<int64_t> heap = is_known ? HeapIn(StateOf(call)) : std::vector<int64_t>();
    for (size_t at = 3; at + 1 < call.args.size(); at += 2) {
      const size_t axis = (at - 3) / 2;
      ShapeRule rule = MatchRule(call, at, &heap, axis < dims.size() ? &dims[axis] : nullptr);
      rule.sentence = StrCat("axis ", axis, " of ", argument, rule.sentence);
      const bool fails = rule.state == ShapeRuleState::kFails;
      view_.rules.push_back(std::move(rule));
      if (fails) break;  // the axes behind were not come to
    }
  }

  // extent: null where the match was not executed yet.
  ShapeRule MatchRule(const ShapeCall& call, size_t at, std::vector<int64_t>* heap,
                      const int64_t* extent) {
    const int64_t code = NumberOf(call.args[at]).value_or(kMatchIgnore);
    const int64_t value = NumberOf(call.args[at + 1]).value_or(0);
    ShapeRule rule{call.pc, "ignore", std::nullopt, ShapeRuleState::kPending, {}};
    if (code == kMatchStore || code == kMatchEqualHeap) rule.slot = static_cast<uint32_t>(value);
    const std::string is = extent != nullptr ? StrCat(" = ", *extent) : std::string();
    if (code == kMatchStore) {
      rule.code = "store";
      rule.sentence = StrCat(is, extent != nullptr ? " was stored as " : " will be stored as ",
                             SlotText(value));
      if (extent != nullptr && value >= 0 && value < static_cast<int64_t>(heap->size()))
        (*heap)[static_cast<size_t>(value)] = *extent;
    } else if (code == kMatchEqualHeap || code == kMatchEqualValue) {
      Compare(code == kMatchEqualHeap, value, *heap, extent, &rule);
      return rule;
    } else {
      rule.sentence = StrCat(is, " is not checked");
    }
    if (extent != nullptr) rule.state = ShapeRuleState::kHolds;
    return rule;
  }

  void Compare(bool by_slot, int64_t value, const std::vector<int64_t>& heap, const int64_t* extent,
               ShapeRule* rule) {
    rule->code = by_slot ? "equal-heap" : "equal-value";
    const bool is_in = value >= 0 && value < static_cast<int64_t>(heap.size());
    const std::string name = by_slot ? SlotText(value) : StrCat(value);
    if (extent == nullptr || (by_slot && !is_in)) {
      rule->sentence = StrCat(" must be ", name);
      return;
    }
    const int64_t expected = by_slot ? heap[static_cast<size_t>(value)] : value;
    const bool holds = *extent == expected;
    rule->state = holds ? ShapeRuleState::kHolds : ShapeRuleState::kFails;
    rule->sentence = StrCat(" = ", *extent);
    if (holds)
      StrAppend(&rule->sentence, by_slot ? StrCat(" equals ", name) : std::string(" as required"));
    else
      StrAppend(&rule->sentence, ", but ", by_slot ? StrCat(name, " is ") : std::string(), expected,
                by_slot ? "" : " is required");
  }

  // "loads n in slot 0 = 32", "makes the shape (slot 2, slot 3) = [17, 33]".
  void AddAccess(const ShapeCall& call) {
    ShapeRule rule{call.pc, "load", std::nullopt, ShapeRuleState::kPending, {}};
    const bool is_store = call.builtin.starts_with("store");
    if (is_store) rule.code = "store-shape";
    const bool is_known = executed_[call.pc] != kNever;
    const std::vector<int64_t> heap =
        is_known ? HeapIn(StateOf(call) + (is_store ? 1 : 0)) : std::vector<int64_t>();
    std::string slots, values;
    ForEachSlot(call, [&](int64_t index, bool, std::string_view) {
      if (!rule.slot.has_value()) rule.slot = static_cast<uint32_t>(index);
      StrAppend(&slots, slots.empty() ? "" : ", ", SlotText(index));
      if (index >= 0 && index < static_cast<int64_t>(heap.size()))
        StrAppend(&values, values.empty() ? "" : ", ", heap[static_cast<size_t>(index)]);
    });
    if (slots.empty()) slots = "a computed slot";
    const bool is_shape = call.builtin.ends_with("_shape");
    rule.sentence = StrCat(is_store   ? "stores into "
                           : is_shape ? "makes a shape of "
                                      : "loads ",
                           slots);
    if (!values.empty())
      StrAppend(&rule.sentence, ": ", is_shape ? StrCat("[", values, "]") : values);
    if (is_known) rule.state = ShapeRuleState::kHolds;
    view_.rules.push_back(std::move(rule));
  }

  static constexpr uint64_t kNever = UINT64_MAX;
  const Debugger& debugger_;
  const Executable& executable_;
  const Trace& trace_;
  size_t frame_;  // from the innermost
  size_t depth_;  // the same from the outermost
  std::vector<ShapeCall> calls_;
  std::vector<uint64_t> executed_;  // by instruction: the last step, or kNever
  std::optional<uint32_t> failed_;  // the instruction that ended the run
  ShapeView view_;
};

}  // namespace

ShapeView ViewShapeHeap(const Debugger& debugger, size_t frame) {
  return ShapeReader(debugger, frame).Run();
}

}  // namespace tern::vm
