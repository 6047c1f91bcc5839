// SPDX-License-Identifier: Apache-2.0
// StatefulVm: inputs set once, runs without arguments, outputs fetched afterwards; for callers that
// drive a machine from far away, and for measuring.
//
// Inputs and outputs are kept per function. A function whose inputs are set is run by
// InvokeStateful; calling it with arguments as well is refused, since the caller then has two ideas
// of what its inputs are (ClearInput ends that). Belongs to one thread at a time, like its machine,
// which must outlive it. Whatever fails leaves everything usable.
#ifndef TERN_CORE_VM_STATEFUL_H_
#define TERN_CORE_VM_STATEFUL_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/vm/vm.h"

namespace tern::vm {

// Nanoseconds per call, one entry per repetition.
struct Timing {
  std::vector<double> repeats;
  double mean = 0, median = 0, best = 0;
};

class StatefulVm {
 public:
  explicit StatefulVm(VirtualMachine* machine) : vm_(*machine) {}

  VirtualMachine& machine() { return vm_; }

  // Checks the arguments against the function's signature and keeps them.
  Status SetInput(std::string_view function, AnyArgs args);
  void ClearInput(std::string_view function);
  // Runs it with its inputs and keeps what it returns.
  Status InvokeStateful(std::string_view function);
  // What it returned last. `path` goes into tuples: {1, 0} is field 0 of field 1.
  Result<Any> GetOutput(std::string_view function, std::span<const int64_t> path = {}) const;
  // Fields of the tuple there, -1 where it is no tuple.
  Result<int64_t> OutputArity(std::string_view function, std::span<const int64_t> path = {}) const;

  // Keeps a function with its arguments under a name that Call knows. The name must be free.
  Status SaveFunction(std::string_view function, std::string_view saved_name, AnyArgs args);
  // An error where the inputs of the function are set: it cannot be called with others.
  Status CheckStateless(std::string_view function) const;
  // A function of the executable, or a saved one (then without arguments).
  Result<Any> Call(std::string_view function, AnyArgs args = {});

  Result<int64_t> FunctionArity(std::string_view function) const;
  // Empty for a parameter without a name.
  Result<std::string> ParameterName(std::string_view function, int64_t index) const;

  // Calls it number * repeat times, after one call that is not counted; `clock` in nanoseconds.
  // A saved function, or one whose inputs are set, takes no arguments here.
  Result<Timing> TimeEvaluator(std::string_view function, AnyArgs args, int64_t number,
                               int64_t repeat, const TernPlatform& clock);

 private:
  struct Entry {
    std::string name;       // of the function, or that it was saved under
    uint32_t function = 0;  // in the executable
    bool is_saved = false;
    bool has_input = false;
    bool has_output = false;
    std::vector<Any> input;
    Any output;
  };

  const Entry* Find(std::string_view name) const;
  Entry* Find(std::string_view name) {
    return const_cast<Entry*>(static_cast<const StatefulVm*>(this)->Find(name));
  }
  Result<Entry*> Make(std::string_view name);
  Result<Any> Run(const Entry& entry);
  // The function that a name stands for, saved or not.
  Result<uint32_t> FunctionOf(std::string_view name) const;

  VirtualMachine& vm_;
  std::vector<Entry> entries_;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_STATEFUL_H_
