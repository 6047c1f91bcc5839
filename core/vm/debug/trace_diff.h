// SPDX-License-Identifier: Apache-2.0
// Where two records of runs first differ. Places are compared by function name and instruction,
// values by their digests, and by their text where a file has none.
#ifndef TERN_CORE_VM_DEBUG_TRACE_DIFF_H_
#define TERN_CORE_VM_DEBUG_TRACE_DIFF_H_

#include <optional>
#include <string>

#include "core/base/json.h"
#include "core/vm/debug/trace_reader.h"

namespace tern::vm {

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
  std::string place_a, place_b;  // "@main:3", empty where the run has ended
  int64_t pc_a = -1, pc_b = -1;  // of the whole code
  // Whether it is one of values: then the frame, 0 the outermost, the register and its name.
  bool of_value = false;
  size_t frame = 0;
  uint32_t reg = 0;
  std::string name;
  std::string a, b;  // what each has there
};

// Told of each value that differs; true goes on as if it were equal.
class DivergenceFilter {
 public:
  virtual ~DivergenceFilter() = default;
  virtual bool Accept(const Divergence& divergence) = 0;
};

// The first difference, or none. Steps that only one of the records still has are left out, where
// both have some.
std::optional<Divergence> FindDivergence(const SavedTrace& a, const SavedTrace& b,
                                         DivergenceFilter* filter = nullptr);

// Steps that both have.
uint64_t CommonSteps(const SavedTrace& a, const SavedTrace& b);

// A few lines for people; the names say what a and b are.
std::string DivergenceText(const Divergence& divergence, std::string_view name_a,
                           std::string_view name_b);
// {"kind", "step", "places", "register", "name", "a", "b"}, left open for further members.
void BeginDivergence(const Divergence& divergence, JsonWriter* json);

// All differences, as if each value that differs had been equal: {"a": {"first", "end"}, "b": the
// same, "common": steps, "divergences": the first `most`, with "pcs", -1 for none, and those of
// values with "frame", 0 the outermost, "more": whether there are others}.
std::string DivergencesJson(const SavedTrace& a, const SavedTrace& b, size_t most);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_TRACE_DIFF_H_
