// SPDX-License-Identifier: Apache-2.0
// The error of a name that is in no table.
#ifndef TERN_CORE_BASE_UNKNOWN_NAME_H_
#define TERN_CORE_BASE_UNKNOWN_NAME_H_

#include <span>
#include <string_view>

#include "core/base/status.h"

namespace tern {

// "there is no <kind> '<name>'; there are …", and which of them may have been meant.
Status UnknownName(std::string_view kind, std::string_view name,
                   std::span<const std::string_view> known);

}  // namespace tern

#endif  // TERN_CORE_BASE_UNKNOWN_NAME_H_
