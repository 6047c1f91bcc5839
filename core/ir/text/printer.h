// SPDX-License-Identifier: Apache-2.0
// The text form of a module, made to be read and to be parsed back (parser.h):
//
//   const @w: f32[16, 3, 3, 3]
//
//   fn main(%x: f32[n, 3, 224, 224]) -> f32[n, 16, 112, 112] {
//     let %0 = conv2d(%x, @w) {strides=2,2}: f32[n, 16, 111, 111]
//     return %0
//   }
//
// Scalars and short vectors are written in place (f32 0.5, i64 [1, -1]); larger constants are named
// and listed first.
#ifndef TERN_CORE_IR_TEXT_PRINTER_H_
#define TERN_CORE_IR_TEXT_PRINTER_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/module.h"

namespace tern::ir {

// What an analysis has to say about a binding: "dies: %0 %3".
struct PrintNote {
  std::string label;
  std::vector<const Var*> vars;
};
using PrintNotes = std::unordered_map<const Node*, std::vector<PrintNote>>;  // by bound variable

// The line of a binding, counted from 1, and the origin of its variable.
struct LineOrigin {
  size_t line;
  std::string origin;
};

struct PrintOptions {
  bool origins = false;               // "// Conv_12" behind a binding
  const PrintNotes* notes = nullptr;  // the same way
  // Gets one for each binding whose variable has an origin, ascending.
  std::vector<LineOrigin>* lines = nullptr;
};

std::string ToText(const Module& module, const PrintOptions& options = {});

}  // namespace tern::ir

#endif  // TERN_CORE_IR_TEXT_PRINTER_H_
