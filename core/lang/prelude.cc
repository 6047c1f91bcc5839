// SPDX-License-Identifier: Apache-2.0
// What is written in the language itself. Only the functions that a program uses are compiled.
#include "core/lang/program.h"

namespace tern::lang {

std::string_view PreludeText() {
  static constexpr std::string_view kText =
#include "core/lang/prelude.tn"
      ;
  return kText;
}

}  // namespace tern::lang
