// SPDX-License-Identifier: Apache-2.0
// Checks of patterns that types do not cover: every value of a match must have a case, every case a
// value, and the patterns of let, parameters and `for` must match whatever comes. It runs after
// inference, because it needs the constructors that patterns name.
#ifndef TERN_CORE_LANG_INFER_EXHAUSTIVE_H_
#define TERN_CORE_LANG_INFER_EXHAUSTIVE_H_

#include "core/lang/parse/ast.h"

namespace tern::lang {

// Reports on the functions of the file that were inferred without errors.
void CheckMatches(const File& file, text::Diagnostics* diagnostics);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_INFER_EXHAUSTIVE_H_
