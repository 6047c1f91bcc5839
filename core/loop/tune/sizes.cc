// SPDX-License-Identifier: Apache-2.0
#include "core/loop/tune/sizes.h"

#include <algorithm>

#include "core/base/strings.h"

namespace tern::loop::tune {
namespace {

// Together a few thousand elements, which fit the caches near a processor with three sizes too.
int64_t UsualSize(size_t count) { return count <= 1 ? 4096 : count == 2 ? 64 : 16; }

}  // namespace

Result<std::vector<int64_t>> ChooseSizes(const LoopFunction& function,
                                         std::span<const NamedSize> given, int64_t n) {
  const size_t count = function.sizes.size();
  // What is given by name goes before n, which is for all others.
  std::vector<int64_t> sizes(count, n >= 0 ? n : UsualSize(count));
  for (const auto& [name, value] : given) {
    const auto is_it = [&](const VarPtr& size) { return size->name == name; };
    const auto found = std::find_if(function.sizes.begin(), function.sizes.end(), is_it);
    if (found == function.sizes.end())
      return InvalidArgument("'", function.name, "' has no size '", name, "'")
          .SetErrorCode("E0005");
    if (value < 0)
      return InvalidArgument("the size '", name, "' of '", function.name, "' is ", value,
                             ", expected 0 or more")
          .SetErrorCode("E0005");
    sizes[static_cast<size_t>(found - function.sizes.begin())] = value;
  }
  return sizes;
}

}  // namespace tern::loop::tune
