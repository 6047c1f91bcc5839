// SPDX-License-Identifier: Apache-2.0
// Whole graphs of values as JSON that reads back to an equal graph; serialize_graph.h says what is
// in it and what is refused. (print.h has JSON for looking at, which does not read back.)
//
//   {"tern":"object graph","version":1,
//    "nodes":[{"kind":"list","values":[1,{"float":2.5},"text",null,true]},
//             {"kind":"adt","tag":3,"values":[{"ref":0},{"ref":0}]}],
//    "value":{"ref":1}}
//
// Numbers are ints; {"float":…} holds a number or "nan", "inf", "-inf"; {"ucs4":…},
// {"dtype":"f32"}, {"device":[1,0]} the others. The bytes of tensors are base64, little-endian.
// Text must be UTF-8.
#ifndef TERN_CORE_OBJECT_GRAPH_SERIALIZE_JSON_H_
#define TERN_CORE_OBJECT_GRAPH_SERIALIZE_JSON_H_

#include <string>
#include <string_view>

#include "core/object/any.h"

namespace tern {

// Errors name the path of what cannot be written. indent as in JsonWriter.
Result<std::string> SerializeJson(const AnyView& value, int indent = 0);
// Text from anywhere may be read: every mistake is an error that says where.
Result<Any> DeserializeJson(std::string_view json);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_GRAPH_SERIALIZE_JSON_H_
