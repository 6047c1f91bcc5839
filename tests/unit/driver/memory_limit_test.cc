// SPDX-License-Identifier: Apache-2.0
// Memory that a program takes is charged, whatever it consists of: each charge that fails ends the
// run with E0302, leaks nothing and leaves the machine usable.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "core/driver/compile_source.h"
#include "core/kernels/bind/bind.h"
#include "core/object/graph/print.h"
#include "core/text/diagnostics.h"
#include "core/vm/vm.h"
#include "tests/support/rounds.h"

namespace tern::driver::memory_limit_test {
namespace {

struct Sample {
  const char* name;
  const char* text;  // main(n: int)
  int64_t few, many;
};

// What grows: a kind of container or value each.
constexpr Sample kSamples[] = {
    {"lists",
     "fn grow(l: List[int], n: int) -> List[int] { if n == 0 { l } else { grow(append(l, n), n - "
     "1) "
     "} }\n"
     "fn main(n: int) -> int { let l = grow([], n); length(reverse(l) + sort(l)) }\n",
     300, 3'000'000},
    {"ranges", "fn main(n: int) -> int { length(range(0, n) + range(0, n)) }\n", 300, 200'000'000},
    {"strings",
     "fn twice(s: string, n: int) -> string { if n == 0 { s } else { twice(s + s, n - 1) } }\n"
     "fn main(n: int) -> int { length(replace(twice(\"abcdefgh\", n), \"a\", \"xyz\")) }\n",
     8, 24},
    {"characters", "fn main(n: int) -> int { length(join(chars(repeat(\"text\", n)), \"-\")) }\n",
     300, 10'000'000},
    {"maps",
     "fn fill(m: Map[int, float], n: int) -> Map[int, float] {\n"
     "  if n == 0 { m } else { fill(set(m, n, float(n) + 0.1), n - 1) }\n"
     "}\n"
     "fn main(n: int) -> int { let m = fill({0: 0.5}, n); length(keys(m)) + length(values(m)) }\n",
     300, 3'000'000},
    {"constructors",
     "type Tree { Leaf, Node(Tree, Tree) }\n"
     "fn build(n: int) -> Tree { if n == 0 { Leaf } else { Node(build(n - 1), build(n - 1)) } }\n"
     "fn size(t: Tree) -> int { match t { Leaf => 1, Node(a, b) => size(a) + size(b) } }\n"
     "fn main(n: int) -> int { size(build(n)) }\n",
     12, 40},
    {"closures",
     "fn wrap(f: fn(int) -> int, n: int) -> fn(int) -> int {\n"
     "  if n == 0 { f } else { wrap(|x| f(x) + n, n - 1) }\n"
     "}\n"
     "fn main(n: int) -> int { wrap(|x| x, n)(1) }\n",
     3000, 3'000'000},
    {"frames", "fn main(n: int) -> int { if n == 0 { 0 } else { 1 + main(n - 1) } }\n", 3000,
     3'000'000},
    {"tensors",
     "fn grow(x: f32[?], n: int) -> f32[?] {\n"
     "  if n == 0 { x } else { grow(concat(x, x, axis = 0), n - 1) }\n"
     "}\n"
     "fn main(n: int) -> f32[?] { slice(grow(f32([1, 2]), n), [0], [1]) }\n",
     8, 30},
};

// Fails the allocation of a number, from 1.
class FailingPlatform {
 public:
  FailingPlatform() {
    platform_.struct_size = sizeof(platform_);
    platform_.context = this;
    platform_.allocate = [](void* context, size_t bytes, size_t alignment) -> void* {
      auto* self = static_cast<FailingPlatform*>(context);
      if (++self->asked == self->fail_at) return nullptr;
      return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    };
    platform_.free = [](void*, void* pointer, size_t, size_t) { std::free(pointer); };
  }
  const TernPlatform* get() const { return &platform_; }

  int64_t asked = 0, fail_at = 0;

 private:
  TernPlatform platform_{};
};

class MemoryLimit : public testing::TestWithParam<Sample> {
 protected:
  void SetUp() override {
    const Result<CompileResult> compiled = CompileSource(GetParam().text, {});
    ASSERT_TRUE(compiled.ok()) << text::RenderText(compiled.status());
    static_cast<void>(kernels::RegisterOperators(&Registry::Global()));
    const Result<vm::ProgramPtr> program = vm::Program::Link(compiled->executable);
    ASSERT_TRUE(program.ok()) << text::RenderText(program.status());
    program_ = *program;
  }
  // Depth is no limit here, memory is.
  std::unique_ptr<vm::VirtualMachine> Make(uint64_t limit) {
    vm::VmOptions options;
    options.platform = platform_.get();
    options.max_bytes = limit;
    options.max_depth = 1u << 30;
    options.max_registers = 1u << 30;
    return std::move(vm::VirtualMachine::Create(program_, options)).value();
  }
  // The result as text, or its code.
  static std::string Run(vm::VirtualMachine* vm, int64_t n) {
    const Result<Any> result = vm->Call("main", {n});
    return result.ok() ? PrintValue(*result) : std::string(result.status().error_code());
  }

  FailingPlatform platform_;
  vm::ProgramPtr program_;
};

TEST_P(MemoryLimit, BoundsARun) {
  const auto machine = Make(uint64_t{4} << 20);
  const std::string before = Run(machine.get(), GetParam().few);
  EXPECT_EQ(Run(machine.get(), GetParam().many), "E0302");
  EXPECT_EQ(machine->stop_reason(), vm::StopReason::kByteLimit);
  EXPECT_LT(machine->account().held(), int64_t{16} << 20);
  EXPECT_EQ(Run(machine.get(), GetParam().few), before) << "usable afterwards";
}

// Beside a limit that is never reached, the n-th charge fails: memory of objects, or a question for
// room.
TEST_P(MemoryLimit, EveryChargeMayFail) {
  constexpr uint64_t kPlenty = uint64_t{1} << 40;
  const int64_t few = GetParam().few;
  const auto counting = Make(kPlenty);
  counting->account().FailAt(0);
  const std::string expected = Run(counting.get(), few);
  ASSERT_EQ(expected.find("E0"), std::string::npos) << expected;
  const int64_t charges = counting->account().charges();
  const int64_t live = LiveObjectCount();
  const int64_t step = std::max<int64_t>(charges / support::Rounds(400), 1);
  for (int64_t n = 1; n <= charges; n += n < 16 ? 1 : step) {
    const auto machine = Make(kPlenty);
    machine->account().FailAt(n);
    const std::string got = Run(machine.get(), few);
    // Blocks of runs before are kept, so some charges are made only once.
    EXPECT_EQ(got, machine->account().charges() < n ? expected : "E0302") << "charge " << n;
    machine->account().FailAt(0);
    EXPECT_EQ(Run(machine.get(), few), expected) << "after charge " << n;
    machine->Reset();
    EXPECT_EQ(LiveObjectCount(), live) << "after charge " << n;
  }
}

TEST_P(MemoryLimit, EveryAllocationOfThePlatformMayFail) {
  const int64_t few = GetParam().few;
  const std::string expected = Run(Make(0).get(), few);
  const int64_t allocations = platform_.asked;
  const int64_t live = LiveObjectCount();
  for (int64_t n = 1; n <= allocations; ++n) {
    const auto machine = Make(0);
    platform_.asked = 0;
    platform_.fail_at = n;
    const std::string got = Run(machine.get(), few);
    // The pool gives its free blocks back and asks again, which may do.
    EXPECT_TRUE(got == "E0302" || got == expected) << got << " at allocation " << n;
    platform_.fail_at = 0;
    EXPECT_EQ(Run(machine.get(), few), expected) << "after allocation " << n;
    machine->Reset();
    EXPECT_EQ(LiveObjectCount(), live) << "after allocation " << n;
  }
}

void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.name; }

INSTANTIATE_TEST_SUITE_P(All, MemoryLimit, testing::ValuesIn(kSamples),
                         [](const auto& sample) { return std::string(sample.param.name); });

}  // namespace
}  // namespace tern::driver::memory_limit_test
