// SPDX-License-Identifier: Apache-2.0
// Prints the results of a run, writes them to files and compares them with files, as `tern run` is
// told by its options. PlanOutputs comes before the run, the others after it.
#ifndef TERN_NATIVE_CLI_OUTPUTS_H_
#define TERN_NATIVE_CLI_OUTPUTS_H_

#include <string>
#include <vector>

#include "native/cli/command.h"

namespace tern::cli {

struct OutputOptions {
  std::vector<std::string> outputs;   // --output NAME=@FILE
  std::vector<std::string> expected;  // --expect NAME=@FILE
  double rtol = 1e-5;
  double atol = 1e-4;
  int64_t max_elements = -1;  // 0: all; -1: all in JSON, a few in text
};
void AddOutputOptions(CLI::App* app, OutputOptions* options);

// What the options ask for, with the files of --expect read, so that mistakes in them are found
// before the run.
struct OutputPlan {
  struct Target {
    std::string name, path;
    std::vector<NamedArray> expected;  // of --expect
  };
  std::vector<Target> outputs, expected;
};
Result<OutputPlan> PlanOutputs(const OutputOptions& options, const FunctionInfo& function);

// The results one by one if the function declares several, otherwise the one value.
Result<std::vector<Value>> UnpackResults(Value result, const FunctionInfo& function);

// What a function returned, and what knows the names of its constructors.
struct Results {
  const Program& program;
  const FunctionInfo& function;
  const std::vector<Value>& values;
};
Status PrintOutputs(const OutputOptions& options, const GlobalOptions& globals,
                    const Results& results);
// Writes the files and does the comparisons of the plan.
Status CarryOut(const OutputPlan& plan, const OutputOptions& options, const Results& results);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_OUTPUTS_H_
