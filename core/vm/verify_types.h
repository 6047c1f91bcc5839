// SPDX-License-Identifier: Apache-2.0
// The part of the verifier that looks at types: what a register may hold, by all that writes it,
// and whether phi, calls and returns can be right with it. Only what no value could satisfy is
// refused; what is not known here is checked at run time (EntryInfo::checks_types).
//
// A compiler that has proved the types of its code says so in the file's metadata, "types" =
// "proved": then neither is done. Nothing unsafe follows from a false claim, since instructions and
// primitives look at what they are given.
#ifndef TERN_CORE_VM_VERIFY_TYPES_H_
#define TERN_CORE_VM_VERIFY_TYPES_H_

#include <string_view>
#include <utility>

#include "core/vm/executable.h"
#include "core/vm/verify_flow.h"

namespace tern::vm {

inline constexpr std::pair<std::string_view, std::string_view> kTypesProved = {"types", "proved"};
bool TypesAreProved(const ExecutableParts& parts);

// Of a function whose instructions were each found sound.
FlowError VerifyTypes(const ExecutableParts& parts, const FunctionInfo& function);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_VERIFY_TYPES_H_
