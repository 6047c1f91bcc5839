// SPDX-License-Identifier: Apache-2.0
// Calls of primitives made up from choices: any operator or builtin, attributes and shapes at their
// edges, arguments that mostly fit and sometimes are of the wrong number, kind, rank or type.
#ifndef TERN_TESTS_SUPPORT_RANDOM_CALL_H_
#define TERN_TESTS_SUPPORT_RANDOM_CALL_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/object/any.h"

namespace tern::support {

struct RandomCall {
  std::string name;  // with attributes
  std::vector<Any> args;

  // "conv2d{groups=2} f32[1, 2] none".
  std::string ToText() const;
};

// One of the operators that core/kernels/bind runs, number `op` modulo their count.
RandomCall MakeOperatorCall(size_t op, std::span<const uint8_t> choices);
size_t OperatorCount();
// One of the functions of core/vm/builtins/builtins.h, number `builtin` modulo their count.
RandomCall MakeBuiltinCall(size_t builtin, std::span<const uint8_t> choices);
size_t BuiltinCount();

struct CallOutcome {
  bool made = false;  // the attributes were accepted
  bool ran = false;   // to a result
};
enum class CallKernels { kFastest, kPlain };
// Runs it with limits of memory and work and reads every byte of the result.
CallOutcome RunCall(const RandomCall& call, CallKernels kernels);

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_RANDOM_CALL_H_
