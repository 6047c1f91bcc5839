// SPDX-License-Identifier: Apache-2.0
// Texts moved by the functions that move numbers: in place of each text its place among all of
// them is given, and behind the function the texts are picked by what came of the places.
#ifndef TERN_CORE_KERNELS_BIND_PLACES_H_
#define TERN_CORE_KERNELS_BIND_PLACES_H_

#include "core/kernels/bind/call.h"

namespace tern::kernels::bind {

// Runs an operator with its attributes as bindings.def knows them.
using Runner = Result<Any> (*)(const void* attrs, Call& call);

// Whether the operator only moves elements and one of the arguments holds texts.
bool IsMoveOfTexts(const ops::OpInfo& info, AnyArgs args);
Result<Any> RunOnPlaces(const ops::OpInfo& info, Runner run, const void* attrs, RunContext& context,
                        AnyArgs args);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_PLACES_H_
