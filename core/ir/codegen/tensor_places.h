// SPDX-License-Identifier: Apache-2.0
// From the plan of a function's memory to the places of its instructions' results.
#ifndef TERN_CORE_IR_CODEGEN_TENSOR_PLACES_H_
#define TERN_CORE_IR_CODEGEN_TENSOR_PLACES_H_

#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/ir/module.h"

namespace tern::ir {

// By variable: the instruction that makes it, from the function's first.
using CallInstructions = std::unordered_map<const Var*, uint32_t>;

// Adds the places of the module's function of that index, as vm/places.h has them, unless it has so
// little to place that the lists of small blocks serve as well, or so much that planning would take
// too long.
void AddTensorPlaces(const Module& module, uint32_t index, const CallInstructions& calls,
                     std::string* text);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_CODEGEN_TENSOR_PLACES_H_
