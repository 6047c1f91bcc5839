// SPDX-License-Identifier: Apache-2.0
// Types as the language writes them: type variables without the IR's "'", what is not known yet as
// "_" (a type) or "?" (an extent).
#ifndef TERN_CORE_LANG_TYPE_TEXT_H_
#define TERN_CORE_LANG_TYPE_TEXT_H_

#include <string>

#include "core/types/type.h"

namespace tern::lang {

// Variables of inference are named "$12", its dimensions "_v12" (unify.h).
std::string TypeText(const types::Type& type);
std::string ExtentText(const types::Dim& dim);
// The same, with the name of a dimension that inference has not solved yet: "n".
std::string ExtentName(const types::Dim& dim);

// "an int", "a tensor f32[n]", "a function", … for messages that name a kind.
std::string KindText(const types::Type& type);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_TYPE_TEXT_H_
