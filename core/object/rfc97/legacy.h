// SPDX-License-Identifier: Apache-2.0
// The older packed convention of four arrays (values, type codes, result, result's type code), both
// ways: a function compiled to it is called like any other, and any function by a caller that knows
// nothing else.
//
// What changes on the way: a bool is an int; text of a small string travels as a string object,
// because there is no room for its length; zero-terminated text stays a pointer; a tensor argument
// is its DLTensor, borrowed; a moved reference is a pointer to the object's pointer, which the
// callee sets to null when it takes it. Results are owned: objects come with a reference. A call
// that fails may return an Error object as its result.
#ifndef TERN_CORE_OBJECT_RFC97_LEGACY_H_
#define TERN_CORE_OBJECT_RFC97_LEGACY_H_

#include <cstdint>
#include <string_view>

#include "core/object/function.h"

namespace tern {

// A function of the legacy convention. resource is handed to every call; release, if any, is called
// with it when the function ends.
FunctionPtr FromLegacy(std::string_view name, TernLegacyCall call, void* resource,
                       void (*release)(void*) = nullptr, std::string_view signature = {});

// Calls `function` for a legacy caller. 0, or the error's code with the Error in the result.
int32_t CallAsLegacy(Function* function, const TernLegacyValue* values, const int32_t* type_codes,
                     int32_t num_args, TernLegacyValue* result, int32_t* result_code);
// The same failure without a call. Returns its code.
int32_t ReturnLegacyError(Status status, TernLegacyValue* result, int32_t* result_code);

// Names that sources written for the older interface use.
using TVMArgValue = AnyView;
using TVMRetValue = Any;
class TVMArgs {
 public:
  TVMArgs(const AnyView* values, int32_t num_args) : num_args(num_args), values(values) {}
  int32_t size() const { return num_args; }
  TVMArgValue operator[](int32_t index) const { return values[index]; }

  const int32_t num_args;
  const AnyView* const values;
};
// The old call; an error leaves *result none.
Status CallPacked(Function* function, TVMArgs args, TVMRetValue* result);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_RFC97_LEGACY_H_
