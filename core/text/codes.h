// SPDX-License-Identifier: Apache-2.0
// Which error codes there are, apart from their explanations (diagnostics.h): what only asks for
// codes need not link those.
#ifndef TERN_CORE_TEXT_CODES_H_
#define TERN_CORE_TEXT_CODES_H_

#include <string_view>

namespace tern::text {

// Whether codes.def has a line for the code, in any case.
bool IsCode(std::string_view code);

// Whether `code` is `known`, which has capital letters, in any case.
bool SameCode(std::string_view known, std::string_view code);

}  // namespace tern::text

#endif  // TERN_CORE_TEXT_CODES_H_
