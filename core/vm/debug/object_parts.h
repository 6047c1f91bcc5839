// SPDX-License-Identifier: Apache-2.0
// What an object refers to, one level down.
#ifndef TERN_CORE_VM_DEBUG_OBJECT_PARTS_H_
#define TERN_CORE_VM_DEBUG_OBJECT_PARTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/object/any.h"

namespace tern::vm {

struct ObjectParts {
  std::string_view what;   // a part is called so: "field", "item", "captured value"; empty of maps
  std::vector<Any> parts;  // none of what is not a tuple, a list, a map or a closure

  // Of a part by its index: "item 2". The parts of a map are keys and values in turn.
  std::string NameOf(size_t index) const;
};
ObjectParts PartsOf(const Any& value);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_OBJECT_PARTS_H_
