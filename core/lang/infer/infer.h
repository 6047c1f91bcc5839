// SPDX-License-Identifier: Apache-2.0
// Type inference: Hindley and Milner's, with levels for generalization (D. Rémy, 1992), extended by
// dimensions (unify.h) and by names that mean different things for different types.
//
// A function that writes the types of its parameters and result is checked against them, and is
// polymorphic in the type variables and dimensions that they name. Inference finds what is left out
// from the body; a variable that is then still free becomes a type variable of the function.
// Operators, and primitives that share a name, are chosen by the types of their arguments. Where
// these are not known yet, the choice waits in a list (Context::pending) until they are.
#ifndef TERN_CORE_LANG_INFER_INFER_H_
#define TERN_CORE_LANG_INFER_INFER_H_

#include "core/lang/program.h"

namespace tern::lang {

// Fills the fields of this file's tree that are marked "by inference". Those of the prelude must be
// filled already, unless `file` is the prelude. Errors go to `diagnostics`; the fields then hold
// what is known.
void InferTypes(Program* program, File* file, text::Diagnostics* diagnostics);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_INFER_INFER_H_
