// SPDX-License-Identifier: Apache-2.0
// Type inference: Hindley and Milner's, with dimensions, and with names that mean different things
// for different types.
//
// A function that says the types of its parameters and result is checked against them, and is
// polymorphic in the type variables and dimensions it names. What is left out is inferred from the
// body; a name that is then still free becomes a type variable of the function. Operators, and
// primitives that share a name, are chosen by the types of their arguments: where those are not
// known yet, the choice waits until they are.
#ifndef TERN_CORE_LANG_INFER_INFER_H_
#define TERN_CORE_LANG_INFER_INFER_H_

#include "core/lang/program.h"

namespace tern::lang {

// Fills the fields of that file's tree that are marked "by inference"; the prelude's are filled,
// unless it is the prelude.
void InferTypes(Program* program, File* file, text::Diagnostics* diagnostics);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_INFER_INFER_H_
