// SPDX-License-Identifier: Apache-2.0
// Lua through its C interface.
#include "tools/bench/vm/lua.h"

#ifdef TERN_HAS_LUA
#include <cstdio>
#include <cstdlib>
#include <lua.hpp>
#endif

namespace tern::bench {

#ifdef TERN_HAS_LUA
namespace {

class RealLua final : public Lua {
 public:
  explicit RealLua(const char* chunk) : state_(luaL_newstate()) {
    luaL_openlibs(state_);
    if (luaL_dostring(state_, chunk) != LUA_OK) Fail();
  }
  ~RealLua() override { lua_close(state_); }
  double Run(int64_t n) override {
    lua_getglobal(state_, "run");
    lua_pushinteger(state_, static_cast<lua_Integer>(n));
    if (lua_pcall(state_, 1, 1, 0) != LUA_OK) Fail();
    const double result = lua_tonumber(state_, -1);
    lua_pop(state_, 1);
    return result;
  }

 private:
  [[noreturn]] void Fail() {
    std::fprintf(stderr, "bench_vm: Lua: %s\n", lua_tostring(state_, -1));
    std::exit(1);
  }
  lua_State* state_;
};

}  // namespace

std::unique_ptr<Lua> Lua::Load(const char* chunk) { return std::make_unique<RealLua>(chunk); }
#else
std::unique_ptr<Lua> Lua::Load(const char*) { return nullptr; }
#endif

}  // namespace tern::bench
