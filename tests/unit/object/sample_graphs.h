// SPDX-License-Identifier: Apache-2.0
// Graphs of every kind of value, for tests of what walks them, and as seeds of the fuzzer.
#ifndef TERN_TESTS_UNIT_OBJECT_SAMPLE_GRAPHS_H_
#define TERN_TESTS_UNIT_OBJECT_SAMPLE_GRAPHS_H_

#include <vector>

#include "core/object/any.h"

namespace tern {

// Needs RegisterSketchTypes().
std::vector<Any> SampleGraphs();

}  // namespace tern

#endif  // TERN_TESTS_UNIT_OBJECT_SAMPLE_GRAPHS_H_
