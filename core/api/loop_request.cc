// SPDX-License-Identifier: Apache-2.0
#include "core/api/loop_request.h"

#include <optional>

#include "core/base/strings.h"

namespace tern::api {

Result<std::vector<std::pair<std::string, int64_t>>> ReadSizes(std::string_view text) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  // StrSplit of an empty text gives one empty part.
  if (text.empty()) return sizes;
  for (std::string_view part : StrSplit(text, ',')) {
    const size_t equals = part.find('=');
    std::optional<int64_t> value;
    if (equals != std::string_view::npos) value = ParseInt64(StrTrim(part.substr(equals + 1)));
    if (!value.has_value() || *value < 0)
      return InvalidArgument("sizes are NAME=SIZE, as in n=18,m=4; got '", part, "'")
          .SetErrorCode("E0005");
    sizes.emplace_back(StrTrim(part.substr(0, equals)), *value);
  }
  return sizes;
}

}  // namespace tern::api
