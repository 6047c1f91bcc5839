// SPDX-License-Identifier: Apache-2.0
// Entries by name; each call checks what it needs and says what is missing. An entry is made when a
// function's inputs are first set, or under a new name when one is saved.
#include "core/vm/stateful.h"

#include <algorithm>
#include <utility>

#include "core/base/sort.h"
#include "core/base/strings.h"
#include "core/object/containers/adt.h"

namespace tern::vm {
namespace {

// Bounds number * repeat, so that a mistyped count does not run for days.
constexpr int64_t kMaxCalls = 1'000'000'000;

std::vector<AnyView> ViewsOf(const std::vector<Any>& values) {
  return std::vector<AnyView>(values.begin(), values.end());
}

}  // namespace

// Linear: a caller drives a handful of functions.
const StatefulVm::Entry* StatefulVm::Find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

// The pointer is valid until the next entry is made.
Result<StatefulVm::Entry*> StatefulVm::Make(std::string_view name) {
  if (Entry* entry = Find(name); entry != nullptr) return entry;
  TERN_TRY_ASSIGN(const uint32_t function, vm_.executable().FunctionIndex(name));
  Entry entry;
  entry.name = std::string(name);
  entry.function = function;
  entries_.push_back(std::move(entry));
  return &entries_.back();
}

Result<uint32_t> StatefulVm::FunctionOf(std::string_view name) const {
  if (const Entry* entry = Find(name); entry != nullptr) return entry->function;
  return vm_.executable().FunctionIndex(name);
}

Status StatefulVm::SetInput(std::string_view function, AnyArgs args) {
  TERN_TRY_ASSIGN(Entry* const entry, Make(function));
  if (entry->is_saved)
    return InvalidArgument("@", function, " is a saved function: its arguments were saved with it");
  const FunctionInfo& info = vm_.executable().functions()[entry->function];
  // Checked now, so that the error comes where the wrong input is, not at the run.
  TERN_TRY(info.signature.CheckArguments(info.name, args));
  entry->input.clear();
  for (const AnyView& arg : args) entry->input.emplace_back(arg);
  entry->has_input = true;
  return OkStatus();
}

// Clearing what was never set is fine; a saved function's arguments belong to it.
void StatefulVm::ClearInput(std::string_view function) {
  Entry* const entry = Find(function);
  if (entry == nullptr || entry->is_saved) return;
  entry->input.clear();
  entry->has_input = false;
}

Result<Any> StatefulVm::Run(const Entry& entry) {
  const std::vector<AnyView> args = ViewsOf(entry.input);
  return vm_.Call(entry.function, args);
}

Status StatefulVm::InvokeStateful(std::string_view function) {
  TERN_TRY_ASSIGN(Entry* const entry, Make(function));
  if (!entry->has_input) {
    return InvalidArgument("the inputs of @", function, " are not set: call set_input first");
  }
  // The old output is dropped first: a failed run must not leave the result of an earlier one.
  entry->has_output = false;
  entry->output.Reset();
  TERN_TRY_ASSIGN(entry->output, Run(*entry));
  entry->has_output = true;
  return OkStatus();
}

Result<Any> StatefulVm::GetOutput(std::string_view function, std::span<const int64_t> path) const {
  // An unknown name is told apart from a function without an output.
  TERN_TRY(FunctionOf(function));
  const Entry* const entry = Find(function);
  if (entry == nullptr || !entry->has_output) {
    return InvalidArgument("@", function, " has no output yet: call invoke_stateful first");
  }
  // Outputs are shared, so a step down the tuple copies a reference.
  Any value = entry->output;
  for (int64_t index : path) {
    const Adt* const tuple = value.TryCast<Adt>();
    if (tuple == nullptr) {
      return TypeError("the output of @", function, " has no field ", index,
                       ": it is no tuple but ", value.type_name());
    }
    TERN_TRY_ASSIGN(Any field, tuple->Field(index));
    value = std::move(field);
  }
  return value;
}

Result<int64_t> StatefulVm::OutputArity(std::string_view function,
                                        std::span<const int64_t> path) const {
  TERN_TRY_ASSIGN(const Any value, GetOutput(function, path));
  const Adt* const tuple = value.TryCast<Adt>();
  return tuple != nullptr ? static_cast<int64_t>(tuple->size()) : int64_t{-1};
}

Status StatefulVm::SaveFunction(std::string_view function, std::string_view saved_name,
                                AnyArgs args) {
  TERN_TRY_ASSIGN(const uint32_t index, vm_.executable().FunctionIndex(function));
  if (saved_name.empty()) return InvalidArgument("a saved function needs a name");
  // A saved name must not hide a function, or calls would mean something else after it.
  if (Find(saved_name) != nullptr || vm_.executable().FindFunction(saved_name) != nullptr) {
    return Status(StatusCode::kAlreadyExists,
                  StrCat("there is a function @", saved_name, " already"));
  }
  const FunctionInfo& info = vm_.executable().functions()[index];
  TERN_TRY(info.signature.CheckArguments(info.name, args));
  Entry entry;
  entry.name = std::string(saved_name);
  entry.function = index;
  entry.is_saved = true;
  entry.has_input = true;
  for (const AnyView& arg : args) entry.input.emplace_back(arg);
  entries_.push_back(std::move(entry));
  return OkStatus();
}

// A function with inputs of its own is refused other arguments: the caller would have two ideas of
// what it runs on (stateful.h).
Status StatefulVm::CheckStateless(std::string_view function) const {
  const Entry* const entry = Find(function);
  if (entry == nullptr || entry->is_saved || !entry->has_input) return OkStatus();
  return InvalidArgument("the inputs of @", function,
                         " were set: run it with invoke_stateful, or clear its inputs");
}

Result<Any> StatefulVm::Call(std::string_view function, AnyArgs args) {
  const Entry* const entry = Find(function);
  if (entry != nullptr && entry->is_saved) {
    if (args.empty()) return Run(*entry);
    return InvalidArgument("@", function, " is a saved function and takes no arguments, got ",
                           args.size());
  }
  TERN_TRY(CheckStateless(function));
  return vm_.Call(function, args);
}

Result<int64_t> StatefulVm::FunctionArity(std::string_view function) const {
  TERN_TRY_ASSIGN(const uint32_t index, FunctionOf(function));
  const Entry* const entry = Find(function);
  // Its arguments were saved, so a caller passes none.
  if (entry != nullptr && entry->is_saved) return int64_t{0};
  return int64_t{vm_.executable().functions()[index].arity()};
}

Result<std::string> StatefulVm::ParameterName(std::string_view function, int64_t index) const {
  TERN_TRY_ASSIGN(const int64_t arity, FunctionArity(function));
  if (index < 0 || index >= arity)
    return OutOfRange("parameter ", index, " of @", function, ", which takes ", arity);
  TERN_TRY_ASSIGN(const uint32_t at, FunctionOf(function));
  const Signature& signature = vm_.executable().functions()[at].signature;
  return signature.parameters()[static_cast<size_t>(index)].name;
}

Result<Timing> StatefulVm::TimeEvaluator(std::string_view function, AnyArgs args, int64_t number,
                                         int64_t repeat, const TernPlatform& clock) {
  if (clock.clock_ns == nullptr) return InvalidArgument("timing needs a platform with a clock");
  if (number < 1 || repeat < 1 || number > kMaxCalls / repeat) {
    return OutOfRange(number, " calls repeated ", repeat, " times; 1 to ", kMaxCalls,
                      " in all are possible");
  }
  TERN_TRY_ASSIGN(const uint32_t index, FunctionOf(function));
  const Entry* const entry = Find(function);
  std::vector<AnyView> set;
  // Set or saved inputs are what is measured.
  if (entry != nullptr && entry->has_input) {
    if (!args.empty())
      return InvalidArgument("the inputs of @", function, " were set: it takes no arguments here");
    set = ViewsOf(entry->input);
    args = set;
  }
  // The first call is not counted: it loads constants on demand and fills caches.
  TERN_TRY(vm_.Call(index, args));
  Timing timing;
  for (int64_t r = 0; r < repeat; ++r) {
    // The clock is read once per repetition, so that its cost is spread over `number` calls.
    const int64_t begin = clock.clock_ns(clock.context);
    for (int64_t i = 0; i < number; ++i) TERN_TRY(vm_.Call(index, args));
    const int64_t end = clock.clock_ns(clock.context);
    timing.repeats.push_back(static_cast<double>(end - begin) / static_cast<double>(number));
  }
  std::vector<double> sorted = timing.repeats;
  Sort(&sorted);
  // Divided first: a sum of many long times loses nothing that matters, but is bounded.
  for (double value : sorted) timing.mean += value / static_cast<double>(repeat);
  // Of an even number the mean of the two in the middle; of an odd one both are the same.
  timing.median = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  timing.best = sorted.front();
  return timing;
}

}  // namespace tern::vm
