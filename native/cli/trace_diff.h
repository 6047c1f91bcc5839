// SPDX-License-Identifier: Apache-2.0
// Where two records of runs first differ. Places are compared by function name and instruction,
// values by their digests, and by their text where a file has none.
#ifndef TERN_NATIVE_CLI_TRACE_DIFF_H_
#define TERN_NATIVE_CLI_TRACE_DIFF_H_

#include <functional>
#include <optional>
#include <string>

#include "core/base/json.h"
#include "core/vm/debug/trace_reader.h"

namespace tern::cli {

struct Divergence {
  enum class Kind {
    kRange,   // there is no step that both have
    kStart,   // the states in which they begin
    kPlace,   // the runs are at different instructions
    kChange,  // the instruction changed other registers, or entered another function
    kValue,   // a register got another value
    kEnd,     // one of them goes on
  };
  Kind kind = Kind::kPlace;
  uint64_t step = 0;
  std::string place_a, place_b;  // "@main:3"
  // Of a value: the frame, 0 the outermost, the register and its name.
  size_t frame = 0;
  uint32_t reg = 0;
  std::string name;
  std::string a, b;  // what each has there
};

// Told of each value that differs; true goes on as if it were equal.
using AcceptDivergence = std::function<bool(const Divergence&)>;

// The first difference, or none. Steps that only one of the records still has are left out, where
// both have some.
std::optional<Divergence> FindDivergence(const vm::SavedTrace& a, const vm::SavedTrace& b,
                                         const AcceptDivergence& accept = nullptr);

// Steps that both have.
uint64_t CommonSteps(const vm::SavedTrace& a, const vm::SavedTrace& b);

// A few lines for people; the names say what a and b are.
std::string DivergenceText(const Divergence& divergence, std::string_view name_a,
                           std::string_view name_b);
// {"step", "kind", "places", "register", "name", "a", "b"}, left open for further members.
void BeginDivergence(const Divergence& divergence, JsonWriter* json);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_TRACE_DIFF_H_
