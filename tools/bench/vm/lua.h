// SPDX-License-Identifier: Apache-2.0
// Lua 5.4 as the rival: a chunk that defines the global function `run`, called with a number.
#ifndef TERN_TOOLS_BENCH_VM_LUA_H_
#define TERN_TOOLS_BENCH_VM_LUA_H_

#include <cstdint>
#include <memory>

namespace tern::bench {

class Lua {
 public:
  // Null where Lua is not linked.
  static std::unique_ptr<Lua> Load(const char* chunk);
  virtual ~Lua() = default;
  // run(n), a number; ends the program where Lua reports an error.
  virtual double Run(int64_t n) = 0;
};

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_VM_LUA_H_
