// SPDX-License-Identifier: Apache-2.0
// Lowered loop functions made by hand, each with one property that emitters must get right.
#ifndef TERN_TESTS_LOOPS_SAMPLES_H_
#define TERN_TESTS_LOOPS_SAMPLES_H_

#include <string>

#include "core/loop/stmt.h"

namespace tern::loop {

// C[i] = A[i] + B[i], one predicated loop with steps of `lanes`: the founding document's example.
Program PredicatedAdd(DType dtype, Lanes lanes);

// The same without vectors.
Program ScalarAdd(DType dtype);

// C[i] = op(A[i], B[i]) for every operator of binary_ops.def that takes the type, D[i] = f(A[i])
// for every lowered intrinsic, one function each, named by the operator ("Add", "abs"). C has the
// type of the result.
Program AllOperators(DType dtype, Lanes lanes);

// Adds functions, their names lengthened, to a program.
void Append(Program* all, Program part, const std::string& suffix);

// C[i] = cast(A[i]) from one type to another.
Program Casts(DType from, DType to, Lanes lanes);

// C[0] = a fold over the lanes of A[0 … lanes), with identity in the lanes past n.
Program Reduce(BinaryOp op, DType dtype, Lanes lanes);

// C[i] = A[I[i]] and C[I[i]] = A[i], I int32; named "gather" and "scatter".
Program Indexed(DType dtype, Lanes lanes);

}  // namespace tern::loop

#endif  // TERN_TESTS_LOOPS_SAMPLES_H_
