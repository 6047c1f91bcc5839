// SPDX-License-Identifier: Apache-2.0
// The programs, as assembly text and as Lua.
#include "tools/bench/vm/programs.h"

namespace tern::bench {

const char* const kAssembly = R"(
.func @fib(n: int) -> int
  lt    %0, 2 dst: %1
  if    %1 true: base false: more
base:
  ret   ret %0
more:
  sub   %0, 1 dst: %2
  invoke @fib in: %2 dst: %3
  sub   %0, 2 dst: %2
  invoke @fib in: %2 dst: %4
  add   %3, %4 dst: %3
  ret   ret %3

.func @count(n: int) -> int
  load_const int 0 dst: %1
again:
  lt    %1, %0 dst: %2
  if    %2 true: +1 false: done
  add   %1, 1 dst: %1
  goto  again
done:
  ret   ret %1

.func @straight(n: int) -> int
  load_const int 0 dst: %1
  load_const int 3 dst: %4
again:
  add   %1, %4 dst: %2
  sub   %2, %0 dst: %3
  add   %3, %1 dst: %3
  mul   %3, 3 dst: %3
  add   %2, %3 dst: %2
  sub   %2, 7 dst: %4
  add   %1, 1 dst: %1
  lt    %1, %0 dst: %5
  if    %5 true: again false: done
done:
  ret   ret %4

.func @sieve(n: int) -> int
  add   %0, 1 dst: %1
  call  vm.builtin.alloc_shape_heap in: %1 dst: %2
  load_const int 0 dst: %3
  load_const int 2 dst: %4
outer:
  le    %4, %0 dst: %5
  if    %5 true: +1 false: done
  call  vm.builtin.load_dim in: %2, %4 dst: %6
  if_equal %6, 0 true: prime false: next
prime:
  add   %3, 1 dst: %3
  mul   %4, %4 dst: %7
inner:
  le    %7, %0 dst: %5
  if    %5 true: +1 false: next
  call  vm.builtin.store_dim in: %2, %7, 1 dst: void
  add   %7, %4 dst: %7
  goto  inner
next:
  add   %4, 1 dst: %4
  goto  outer
done:
  ret   ret %3

.func @same(x)
  ret   ret 1
.func @calls(n: int, x) -> int
  load_const int 0 dst: %2
again:
  invoke @same in: %1 dst: %3
  invoke @same in: %1 dst: %3
  invoke @same in: %1 dst: %3
  invoke @same in: %1 dst: %3
  add   %2, 1 dst: %2
  lt    %2, %0 dst: %3
  if    %3 true: again false: done
done:
  ret   ret %2

.func @noop(n: int) -> int
  load_const int 0 dst: %1
again:
  call  bench.noop in: dst: %2
  call  bench.noop in: dst: %2
  call  bench.noop in: dst: %2
  call  bench.noop in: dst: %2
  add   %1, 1 dst: %1
  lt    %1, %0 dst: %2
  if    %2 true: again false: done
done:
  ret   ret %1

.func @noop3(n: int, x: tensor) -> int
  load_const int 0 dst: %2
again:
  call  bench.noop in: %1, %1, %1 dst: %3
  call  bench.noop in: %1, %1, %1 dst: %3
  call  bench.noop in: %1, %1, %1 dst: %3
  call  bench.noop in: %1, %1, %1 dst: %3
  add   %2, 1 dst: %2
  lt    %2, %0 dst: %3
  if    %3 true: again false: done
done:
  ret   ret %2
)";

namespace {

// The same algorithms with the same number of steps, in what is natural to Lua.
constexpr const char* kLuaFib = R"(
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
run = fib)";
constexpr const char* kLuaCount = R"(
function run(n) local i = 0 while i < n do i = i + 1 end return i end)";
constexpr const char* kLuaStraight = R"(
function run(n)
  local i, d = 0, 3
  repeat
    local a = i + d
    local b = a - n
    b = b + i
    b = b * 3
    a = a + b
    d = a - 7
    i = i + 1
  until not (i < n)
  return d
end)";
constexpr const char* kLuaSieve = R"(
function run(n)
  local t, count = table.pack(), 0
  for i = 1, n + 1 do t[i] = 0 end
  local i = 2
  while i <= n do
    if t[i] == 0 then
      count = count + 1
      local j = i * i
      while j <= n do t[j] = 1 j = j + i end
    end
    i = i + 1
  end
  return count
end)";
constexpr const char* kLuaCalls = R"(
local function same(x) return 1 end
function run(n)
  local i, y = 0
  repeat
    y = same(i) y = same(i) y = same(i) y = same(i)
    i = i + 1
  until not (i < n)
  return i
end)";

// n is 0 where the loop itself is counted; items are the pieces of work in one turn.
constexpr Program kPrograms[] = {
    {.name = "fib(30)",
     .function = "fib",
     .n = 30,
     .items = 1e-6,
     .unit = "ms",
     .target_ratio = 1.0,
     .lua = kLuaFib,
     .lua_what = "Lua 5.4"},
    {.name = "counting loop, iteration",
     .function = "count",
     .target = 4,
     .lua = kLuaCount,
     .lua_what = "Lua 5.4"},
    {.name = "simple instruction",
     .function = "straight",
     .items = 9,
     .target = 1.3,
     .lua = kLuaStraight,
     .lua_what = "Lua 5.4"},
    {.name = "sieve to 10000",
     .function = "sieve",
     .n = 10'000,
     .items = 1e-3,
     .unit = "us",
     .lua = kLuaSieve,
     .lua_what = "Lua 5.4"},
    {.name = "function call, int",
     .function = "calls",
     .second = Argument::kInt,
     .items = 4,
     .target = 10,
     .lua = kLuaCalls,
     .lua_what = "Lua 5.4"},
    {.name = "function call, tensor",
     .function = "calls",
     .second = Argument::kTensor,
     .items = 4,
     .target = 15},
    {.name = "no-op packed call", .function = "noop", .items = 4, .target = 8},
    {.name = "no-op packed call, 3 tensors",
     .function = "noop3",
     .second = Argument::kTensor,
     .items = 4,
     .target = 10},
};

}  // namespace

std::span<const Program> Programs() { return kPrograms; }

}  // namespace tern::bench
