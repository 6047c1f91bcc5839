// SPDX-License-Identifier: Apache-2.0
// One wording for all tables of names, so that each error lists what exists.
#include "core/base/unknown_name.h"

#include "core/base/strings.h"

namespace tern {

Status UnknownName(std::string_view kind, std::string_view name,
                   std::span<const std::string_view> known) {
  Status status = NotFound("there is no ", kind, " '", name, "'; there are ", StrJoin(known, ", "));
  const std::string_view near = DidYouMean(name, known);
  if (!near.empty()) status.AddNote(StrCat("help: did you mean '", near, "'?"));
  return status;
}

}  // namespace tern
