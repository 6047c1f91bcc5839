// SPDX-License-Identifier: Apache-2.0
// Applies the fixes that diagnostics of a program carry, except those that leave something to
// write. `tern check --fix` reaches it through core/api/source_api.cc.
#ifndef TERN_CORE_LANG_EDITOR_FIX_H_
#define TERN_CORE_LANG_EDITOR_FIX_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/text/diagnostics.h"

namespace tern::lang {

struct FixedSource {
  std::string text;                  // as it was where nothing could be fixed
  std::vector<std::string> applied;  // "program.tn:3:5: add ';'", in order; places before the fix
  text::Diagnostics left;            // of the fixed text
};

// Gives the text with the fewest errors that fixes lead to; the text itself where they lead to none
// that is better.
FixedSource FixSource(std::string_view file_name, std::string_view text);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_EDITOR_FIX_H_
