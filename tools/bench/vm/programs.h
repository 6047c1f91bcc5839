// SPDX-License-Identifier: Apache-2.0
// What is measured: the same program for our machine and for Lua.
#ifndef TERN_TOOLS_BENCH_VM_PROGRAMS_H_
#define TERN_TOOLS_BENCH_VM_PROGRAMS_H_

#include <optional>
#include <span>
#include <string_view>

namespace tern::bench {

enum class Argument { kNone, kInt, kTensor };

struct Program {
  const char* name;
  const char* function;  // of kAssembly; its first parameter is n
  Argument second = Argument::kNone;
  int64_t n = 0;     // per call; 0: the number of iterations itself
  double items = 1;  // of the unit, per iteration of n (or per call, with n)
  const char* unit = "ns";
  std::optional<double> target = {};
  std::optional<double> target_ratio = {};
  const char* lua = nullptr;       // null: no counterpart
  const char* lua_what = nullptr;  // what the rival is
};

extern const char* const kAssembly;
std::span<const Program> Programs();

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_VM_PROGRAMS_H_
