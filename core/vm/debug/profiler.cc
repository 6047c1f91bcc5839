// SPDX-License-Identifier: Apache-2.0
// Measuring; the exports are in profiler_export.cc. Time is taken around each instruction and each
// call of a primitive; calls of functions show up as spans, and their own time is what is left.
#include "core/vm/debug/profiler.h"

#include <algorithm>
#include <functional>

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/tensor.h"

namespace tern::vm {
namespace {

// Texts of all arguments: tensors by type and shape, others by kind.
std::string ShapesOf(AnyArgs args) {
  std::string text;
  for (const AnyView& arg : args) {
    const Tensor* tensor = arg.TryCast<Tensor>();
    StrAppend(&text, text.empty() ? "" : ", ",
              tensor != nullptr ? tensor->TypeText() : std::string(arg.type_name()));
  }
  return text;
}

// Whether the result is an argument, or another look at its memory.
bool IsView(AnyArgs args, const AnyView& result) {
  const Tensor* made = result.TryCast<Tensor>();
  if (made == nullptr) return false;
  const auto* const begin = static_cast<const uint8_t*>(made->data());
  for (const AnyView& arg : args) {
    const Tensor* tensor = arg.TryCast<Tensor>();
    if (tensor == nullptr) continue;
    const auto* const at = static_cast<const uint8_t*>(tensor->data());
    if (std::greater_equal<>()(begin, at) && std::less<>()(begin, at + tensor->byte_size()))
      return true;
  }
  return false;
}

// Of a tensor, or of those in a tuple.
uint64_t BytesOf(const AnyView& value) {
  if (const Tensor* tensor = value.TryCast<Tensor>(); tensor != nullptr) return tensor->byte_size();
  uint64_t bytes = 0;
  if (const Adt* tuple = value.TryCast<Adt>(); tuple != nullptr) {
    for (const Any& field : tuple->fields()) {
      const Tensor* tensor = field.TryCast<Tensor>();
      if (tensor != nullptr) bytes += tensor->byte_size();
    }
  }
  return bytes;
}

}  // namespace

Profiler::Profiler(const TernPlatform* platform, const ProfilerOptions& options)
    : platform_(platform), options_(options) {}

int64_t Profiler::Now() const {
  if (platform_ == nullptr || platform_->clock_ns == nullptr) return 0;
  return platform_->clock_ns(platform_->context);
}

uint32_t Profiler::NameOf(std::string text, bool is_function) {
  const auto [at, is_new] =
      // Functions and primitives may share a name; the key tells them apart.
      name_ids_.try_emplace(is_function ? "@" + text : text, static_cast<uint32_t>(names_.size()));
  if (is_new) names_.push_back({std::move(text), is_function});
  return at->second;
}

// A span that has no room in the time line is still on the stack of open ones, so that ends match
// begins.
void Profiler::Open(uint32_t name, int64_t now) {
  const bool has_mark = marks_.size() < 2 * options_.max_spans;
  open_.push_back(has_mark ? 1 : 0);
  open_names_.push_back(name);
  if (has_mark)
    marks_.push_back({name, true, now - origin_ns_});
  else
    ++dropped_spans_;
}

// A mark is written only for spans that have an opening one.
void Profiler::Close(int64_t now) {
  if (open_.empty()) return;
  if (open_.back() != 0) marks_.push_back({open_names_.back(), false, now - origin_ns_});
  open_.pop_back();
  open_names_.pop_back();
}

void Profiler::Start(const VirtualMachine& vm) {
  executable_ = vm.program().shared_executable();
  instructions_.resize(executable_->instruction_count());
  started_ns_ = Now();
  if (!has_origin_) origin_ns_ = started_ns_;
  has_origin_ = true;
  // The run may have been begun already; its frames are open spans.
  for (size_t i = 0; i < vm.depth(); ++i)
    Open(NameOf(executable_->functions()[vm.frame(i).function].name, true), started_ns_);
}

// A run that failed leaves spans open.
void Profiler::Finish() {
  const int64_t now = Now();
  while (!open_.empty()) Close(now);
  total_ns_ += now - started_ns_;
}

HookAction Profiler::BeforeInstruction(const VirtualMachine&, uint32_t) {
  __atomic_store_n(&allocated_, 0, __ATOMIC_RELAXED);
  before_ns_ = Now();
  return HookAction::Continue();
}

HookAction Profiler::AfterInstruction(const VirtualMachine&, uint32_t pc) {
  InstructionProfile& profile = instructions_[pc];
  ++profile.count;
  // Of a call of a function only the call itself: its instructions are measured on their own.
  profile.total_ns += Now() - before_ns_;
  profile.work.allocated += __atomic_load_n(&allocated_, __ATOMIC_RELAXED);
  return HookAction::Continue();
}

void Profiler::OnFramePush(const VirtualMachine&, const FrameEvent& event) {
  Open(NameOf(executable_->functions()[event.function].name, true), Now());
}

void Profiler::OnFramePop(const VirtualMachine&, const FrameEvent&) { Close(Now()); }

CallAction Profiler::BeforeCall(const VirtualMachine& vm, const CallEvent& call, Any*) {
  InstructionProfile& profile = instructions_[call.pc];
  if (profile.callee.empty()) profile.callee = call.function.name();
  // Compared by text with the first call of this instruction.
  std::string shapes = ShapesOf(call.args);
  if (profile.count == 0)
    profile.shapes = std::move(shapes);
  else
    profile.shapes_vary |= shapes != profile.shapes;
  work_left_ = vm.context().work_left();
  before_ns_ = Now();  // from here on, so that this hook's own work is not counted
  Open(NameOf(std::string(call.function.name()), false), before_ns_);
  return CallAction::kRun;
}

void Profiler::AfterCall(const VirtualMachine& vm, const CallEvent& call, const Status& status,
                         const AnyView& result) {
  Close(Now());
  if (!status.ok() || IsView(call.args, result)) return;
  uint64_t bytes = BytesOf(result);
  for (const AnyView& arg : call.args) bytes += BytesOf(arg);
  const auto operations = static_cast<uint64_t>(work_left_ - vm.context().work_left());
  instructions_[call.pc].work.Add({operations, bytes, 0});
}

void Profiler::OnAllocation(const VirtualMachine&, const AllocationEvent& event) {
  if (!event.is_free) __atomic_fetch_add(&allocated_, uint64_t{event.bytes}, __ATOMIC_RELAXED);
}

std::vector<OperatorProfile> Profiler::Operators() const {
  std::vector<OperatorProfile> rows;
  std::unordered_map<std::string, size_t> index;
  // By name and first shapes, so that equal layers of a model are one row.
  for (uint32_t pc = 0; pc < instructions_.size(); ++pc) {
    const InstructionProfile& profile = instructions_[pc];
    if (profile.count == 0) continue;
    Result<Instruction> decoded = executable_->GetInstruction(pc);
    if (!decoded.ok()) continue;
    // A function that a kernel replaces is called like an operator, and has its name.
    std::string name = profile.callee.empty() ? std::string(decoded->info->mnemonic)
                                              : profile.callee;
    for (size_t i = 0; i < decoded->operands.size(); ++i) {
      const Operand& operand = decoded->operands[i];
      if (!operand.is_primitive()) continue;
      name = executable_->primitives()[static_cast<size_t>(operand.function_index())];
      break;
    }
    const auto [at, is_new] = index.try_emplace(StrCat(name, "\n", profile.shapes), rows.size());
    if (is_new) rows.push_back({name, profile.shapes, false, 0, 0, {}});
    OperatorProfile& row = rows[at->second];
    row.shapes_vary |= profile.shapes_vary;
    row.count += profile.count;
    row.total_ns += profile.total_ns;
    row.work.Add(profile.work);
  }
  // A total order, so that output does not depend on the hash table.
  std::sort(rows.begin(), rows.end(), [](const OperatorProfile& a, const OperatorProfile& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    if (a.count != b.count) return a.count > b.count;
    return a.name != b.name ? a.name < b.name : a.shapes < b.shapes;
  });
  return rows;
}

}  // namespace tern::vm
