// SPDX-License-Identifier: Apache-2.0
// The table of primitives.def: what the language calls beside operators and functions. Inference
// chooses a row by types, lowering calls its `runtime`, the editor shows its phrase. The table is
// made once and never changes, so every thread may read it.
#ifndef TERN_CORE_LANG_PRIMITIVES_H_
#define TERN_CORE_LANG_PRIMITIVES_H_

#include <span>
#include <string_view>
#include <vector>

#include "core/types/type.h"

namespace tern::lang {

struct Primitive {
  std::string_view name;
  std::string_view type_text;
  std::string_view runtime;  // "tern.list.get", or "=to_int" for an instruction
  std::string_view phrase;
  types::Type type;  // its variables are polymorphic; "?" stands for a tensor of any shape

  // Safe only where a list is known to have one holder.
  bool is_private() const { return name.starts_with("prelude_"); }
  bool is_scalar() const { return runtime.front() == '='; }
};

std::span<const Primitive> AllPrimitives();
// Those of this name, in the order of the table.
std::vector<const Primitive*> FindPrimitives(std::string_view name);
// The one that takes a first argument of this type; null if none does. The type's head decides.
const Primitive* ChoosePrimitive(std::string_view name, const types::Type& first);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_PRIMITIVES_H_
