// SPDX-License-Identifier: Apache-2.0
// Tensor expressions: what to compute, apart from how. A Definition lists tensors by formula; its
// schedule says how the loops are to be arranged (schedule.h applies it, lower.h makes loops).
//
// A tensor's value is an expression over its axes, with loads of other tensors by as many indices
// as they have dimensions; a Reduction may stand at its top. Definitions are written in text (the
// `te` form of .tloop files) or with te/builder.h.
#ifndef TERN_CORE_LOOP_TE_TE_H_
#define TERN_CORE_LOOP_TE_TE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/loop/stmt.h"

namespace tern::loop::te {

// One formula: tensor[axes...] = value, for every axis from 0 to the tensor's extent.
struct Compute {
  BufferPtr tensor;  // kOut for a result, kWorkspace for what lies between
  std::vector<VarPtr> axes;
  Expr value;
  text::Span span;
};

enum class Primitive : int8_t {
#define TERN_LOOP_PRIMITIVE(Name, text, usage, phrase) k##Name,
#include "core/loop/te/primitives.def"
#undef TERN_LOOP_PRIMITIVE
};
struct PrimitiveInfo {
  Primitive primitive;
  std::string_view text;
  std::string_view usage;
  std::string_view phrase;
};
std::span<const PrimitiveInfo> AllPrimitives();
const PrimitiveInfo& InfoOf(Primitive primitive);

// One line of a schedule. Axes are named as the program names them, or as earlier lines made them:
// i.outer, i.inner, i.j.fused.
struct Directive {
  Primitive primitive = Primitive::kSplit;
  std::string tensor;
  std::vector<std::string> names;  // axes; of compute_at the consumer and its axis
  std::vector<Lanes> factors;      // split, tile; of vectorize the lanes, where given
  bool scalable = false;           // vectorize, also what follows
  LoopTail tail = LoopTail::kOfKind;
  int32_t interleave = 0;
  text::Span span;
};

struct Definition {
  std::string name;
  std::vector<BufferPtr> inputs, outputs;
  std::vector<VarPtr> sizes, scalars;
  bool relaxed = false;
  std::vector<Compute> computes;  // each after those it reads
  std::vector<Directive> schedule;
  text::Span span;

  const Compute* Find(std::string_view tensor) const;  // null if there is none
};
// What several hold and nobody changes.
using DefinitionPtr = std::shared_ptr<const Definition>;

// Whether two definitions say the same in the same words: all but their own names and places.
bool SameDefinition(const Definition& a, const Definition& b);

}  // namespace tern::loop::te

#endif  // TERN_CORE_LOOP_TE_TE_H_
