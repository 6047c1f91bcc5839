// SPDX-License-Identifier: Apache-2.0
// Numbers put into tensors of any element type, for what makes small tensors of numbers that were
// written somewhere: literals, attributes of models. Kernels have ways of their own.
#ifndef TERN_CORE_OBJECT_SET_ELEMENT_H_
#define TERN_CORE_OBJECT_SET_ELEMENT_H_

#include <cstdint>

#include "core/object/tensor.h"

namespace tern {

// A number as an integer and as a float: 2^63 - 1 is no double. Of what is above int64's range,
// integer has the bits.
struct ElementNumber {
  double value = 0;
  int64_t integer = 0;
};

// Writes element `index` of a contiguous tensor: floats of any width take the value, to nearest
// (those of 8 bits and less saturate), integers the low bits of the integer, bools whether the
// value is not 0. False for texts, complex numbers and vectors.
bool SetElement(const Tensor& tensor, int64_t index, const ElementNumber& number);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_SET_ELEMENT_H_
