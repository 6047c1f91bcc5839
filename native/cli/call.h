// SPDX-License-Identifier: Apache-2.0
// What the commands that run something (run, bench, debug, profile) share: the options that choose
// a function and its inputs, and the binding of one to the other.
#ifndef TERN_NATIVE_CLI_CALL_H_
#define TERN_NATIVE_CLI_CALL_H_

#include <string>
#include <vector>

#include "native/cli/command.h"

namespace tern::cli {

struct InputOptions {
  std::string function = "main";
  std::vector<std::string> inputs;
  std::vector<std::string> dims;
  // Inputs that were not given are random numbers of the declared type.
  bool fill_missing = false;
};

void AddInputOptions(CLI::App* app, InputOptions* options);

// The function, or a usage error that lists those there are.
Result<FunctionInfo> FindFunction(const Program& program, const std::string& name);

// Reads the inputs and puts each in the place of its parameter. Each parameter and dimension is
// given once, and what --dim says is true of the inputs.
Result<std::vector<NamedArray>> BindInputs(const InputOptions& options,
                                           const FunctionInfo& function,
                                           MemoryBudget* budget = nullptr);

// What the inputs leave of a limit, at least 1; 0, which means no limit, only if there is none.
uint64_t BytesLeft(const MemoryBudget& budget);

// The arrays as values of the library, and those as arguments, which borrow: the values must
// outlive the call.
Result<std::vector<Value>> ToTensors(const Engine& engine, const std::vector<NamedArray>& inputs);
std::vector<TernAny> Borrow(const std::vector<Value>& values);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_CALL_H_
