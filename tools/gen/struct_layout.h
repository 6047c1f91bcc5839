// SPDX-License-Identifier: Apache-2.0
// Where the fields of the C structs of our headers are, for a processor with pointers of a given
// size: read from the headers' text, so that code of other languages is written from one source.
#ifndef TERN_TOOLS_GEN_STRUCT_LAYOUT_H_
#define TERN_TOOLS_GEN_STRUCT_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tern::gen {

struct FieldLayout {
  std::string name;
  size_t offset = 0;
  // "i8" to "u64", "f32", "f64" or "pointer"; of an array, its element. Members of a union are
  // fields of the struct around it, all at one offset. Fields that are structs are left out: no
  // caller of the package writes one.
  std::string type;
};

struct StructLayout {
  std::string name;
  size_t size = 0;
  size_t alignment = 1;
  std::vector<FieldLayout> fields;
};

// Every `typedef struct NAME { … } NAME;` of the headers' texts, in order. A struct may use those
// before it, of earlier headers too. An error names the struct, and the field that is not
// understood: a bit-field, an array whose length is no number, or a type that is not known.
Result<std::vector<StructLayout>> StructLayouts(const std::vector<std::string_view>& headers,
                                                size_t pointer_bytes);

}  // namespace tern::gen

#endif  // TERN_TOOLS_GEN_STRUCT_LAYOUT_H_
