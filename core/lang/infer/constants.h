// SPDX-License-Identifier: Apache-2.0
// Constants (`let` outside of functions) may not need their own values. Inference must have run on
// the file, because names have their meaning from it.
#ifndef TERN_CORE_LANG_INFER_CONSTANTS_H_
#define TERN_CORE_LANG_INFER_CONSTANTS_H_

#include "core/lang/parse/ast.h"

namespace tern::lang {

// Reports each constant that needs itself, directly or through constants and functions.
void CheckConstants(const File& file, text::Diagnostics* diagnostics);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_INFER_CONSTANTS_H_
