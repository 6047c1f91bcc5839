// SPDX-License-Identifier: Apache-2.0
// tern check --against: a model against folders of the standard's test data.
#ifndef TERN_NATIVE_CLI_CHECK_MODEL_H_
#define TERN_NATIVE_CLI_CHECK_MODEL_H_

#include <string>

#include "core/base/result.h"
#include "native/cli/command.h"
#include "native/cli/limits.h"

namespace tern::cli {

struct AgainstOptions {
  std::string folder;  // that holds test_data_set_N, or input_N.pb and output_N.pb themselves
  double rtol = 1e-3;
  double atol = 1e-7;
  RunLimits limits;
};

// Prints a line for each set; M0101 where an output differs.
Status CheckAgainst(const Engine& engine, const std::string& model, const AgainstOptions& options,
                    const GlobalOptions& globals);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_CHECK_MODEL_H_
