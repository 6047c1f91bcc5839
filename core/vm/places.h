// SPDX-License-Identifier: Apache-2.0
// The places that the compiler has given to the results of calls in the arenas of their functions
// (arena.h, and plan_memory.h of core/ir/passes). They travel as a text in the metadata of an
// executable, so that a file without them is a whole program, and an older runtime runs one that
// has them:
//
//   places   = function { "; " function }
//   function = number ":" bytes { " " call }    number of the function, size of the part of its
//                                               arena that is laid out already
//   call     = instruction ":" ( fixed | sized )     instruction from the function's first
//   fixed    = offset "+" bytes
//   sized    = "(" dimension ")@" first "-" last     bytes, and when it is alive
//
// e.g. "0:6022144 12:0+401408 13:401408+64" or "0:0 3:(256*n)@4-5 4:(64*n)@5-9". Functions and
// instructions ascend; an instruction that stands twice has several results. Offsets and bytes of
// the fixed are multiples of 64. The sized are laid out behind them where a run begins with the
// function, and the symbols of its parameters are known; `first` and `last` are points in time of
// any scale. A place may be used or not: nothing unsafe follows from a wrong one.
#ifndef TERN_CORE_VM_PLACES_H_
#define TERN_CORE_VM_PLACES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/object/arena.h"
#include "core/vm/executable.h"

namespace tern::vm {

inline constexpr std::string_view kPlacesKey = "places";  // of the metadata

struct FunctionPlaces {
  struct Call {
    uint32_t instruction = 0;
    uint32_t first = 0, last = 0;  // of what is sized
    Place place;                   // fixed, if it has bytes
    std::string_view size;         // else an expression (dim_grammar.h), of the text
  };
  uint32_t function = 0;
  uint64_t arena_bytes = 0;
  std::vector<Call> calls;
};

// A function with more sized places has none: laying them out takes the square of it.
inline constexpr size_t kMostSizedPlaces = 5000;
// No place or arena has more, so that sums of them stay numbers.
inline constexpr uint64_t kMostPlacedBytes = uint64_t{1} << 48;

// Those of an executable, none where it has none; they refer to its metadata. Errors say where in
// the text.
Status ReadPlaces(const ExecutableParts& parts, std::vector<FunctionPlaces>* places);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_PLACES_H_
