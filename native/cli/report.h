// SPDX-License-Identifier: Apache-2.0
// How the command line says that something went wrong: a Status, from the C API or of its own, to
// text or JSON on standard error and to the exit code that docs/errors.md promises.
#ifndef TERN_NATIVE_CLI_REPORT_H_
#define TERN_NATIVE_CLI_REPORT_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/api/c_api.h"
#include "core/base/status.h"

namespace tern::cli {

struct GlobalOptions;

enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,    // the program or its verification failed
  kExitUsage = 2,     // the command line itself is wrong (E00.., E0201, E0202, E0206)
  kExitMismatch = 3,  // a comparison did not hold (codes M..)
  kExitBudget = 4,    // a limit ended the run (codes S.., E0302, E0303)
  kExitIo = 5,        // a file could not be read or written (E0101, E0102, E0502)
  kExitInternal = 70  // our bug
};

// Takes over `status`; its rendered text and JSON stay with the result. NULL gives ok.
Status FromApi(tern_status* status);

// An error of the command line: a code of kExitUsage.
Status UsageError(std::string_view code, std::string_view message);

// From now on the process ends with kExitInternal where a check fails, and reports that like any
// error, with the command that shows it. `globals` lives until then.
void ReportBugs(const std::vector<std::string>& words, const GlobalOptions* globals);

// What the process ends with for a status.
int ExitCodeOf(const Status& status);

// Prints the error (nothing for ok) and returns the exit code.
int Report(const Status& status, const GlobalOptions& globals);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_REPORT_H_
