// SPDX-License-Identifier: Apache-2.0
// Values as short text, for listings and messages, and as JSON, for the playground.
#ifndef TERN_CORE_OBJECT_GRAPH_PRINT_H_
#define TERN_CORE_OBJECT_GRAPH_PRINT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/object/any.h"
#include "core/object/tensor.h"

namespace tern {

// Names of constructors. Values do not hold them; somebody who knows the values' types does. Types
// are numbers that the implementer chooses; 0 is a type of which nothing is known.
class ValueNames {
 public:
  virtual ~ValueNames() = default;
  // Empty where the type has no constructors.
  virtual std::string_view Constructor(uint32_t type, int32_t tag) const = 0;
  // The type of a field, an item, or of a map's keys (0) and values (1).
  virtual uint32_t Part(uint32_t type, int32_t tag, size_t index) const = 0;
};

struct PrintOptions {
  int max_elements = 8;  // of a tensor, list or shape; the rest is "…"
  int max_depth = 4;     // of nested containers
  const ValueNames* names = nullptr;
  uint32_t type = 0;           // of the value
  int64_t* omitted = nullptr;  // is raised by the number of elements that were left out
};

// `3`, `"text"`, `f32[2, 3] [1, 2, 3, …]`, `(1, 2)`, `list[1, …]`, `map{"a": 1}`, `none`,
// `closure(#3, 2 free)`.
std::string PrintValue(const AnyView& value, const PrintOptions& options = {});

// {"kind":"tensor","dtype":"f32","shape":[2,3],"min":…,"mean":…,"max":…,"elements":[…]} and alike
// for other kinds. NaN and infinities are counted ("nan", "inf") and left out of min, mean and max.
void WriteValueJson(const AnyView& value, JsonWriter* json, const PrintOptions& options = {});
std::string ValueJson(const AnyView& value, const PrintOptions& options = {});

// One element by flat index (row-major, whatever the strides): as a double (complex and strings:
// 0).
double TensorElement(const Tensor& tensor, int64_t index);
// One element as an int, exact for every integer; floats are cut off, and what an int64_t does not
// hold becomes the nearest that it does (NaN: 0), since a cast in C would be undefined.
int64_t TensorInt(const Tensor& tensor, int64_t index);
// One element as the printers above write it.
std::string TensorElementText(const Tensor& tensor, int64_t index);

struct TensorStatistics {
  double min = 0, max = 0, mean = 0;  // of the finite elements; 0 where there are none
  int64_t finite = 0, nan = 0, inf = 0;
};
TensorStatistics ComputeStatistics(const Tensor& tensor);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_GRAPH_PRINT_H_
