// SPDX-License-Identifier: Apache-2.0
// What an object refers to, one level down.
#ifndef TERN_CORE_VM_DEBUG_OBJECT_PARTS_H_
#define TERN_CORE_VM_DEBUG_OBJECT_PARTS_H_

#include <string_view>
#include <vector>

#include "core/object/any.h"

namespace tern::vm {

struct ObjectParts {
  std::string_view what;   // what a part is called: "field", "item", "captured value"
  std::vector<Any> parts;  // none of what is not a tuple, a list or a closure
};
ObjectParts PartsOf(const Any& value);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_OBJECT_PARTS_H_
