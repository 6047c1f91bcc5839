// SPDX-License-Identifier: Apache-2.0
// hooks_cost plain|detached|attached ITERATIONS: a counting loop of three instructions an
// iteration, on a machine that never had hooks, one whose hooks were taken away, and one with
// hooks. Prints the instructions of the machine that it ran; tools/bench/vm/hooks_cost.sh counts
// the processor's.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/vm/hooks.h"
#include "core/vm/text/assembler.h"
#include "core/vm/vm.h"

namespace tern::vm {
namespace {

constexpr std::string_view kLoop = R"(
.func @main(n: int)
again:
  sub   %0, 1 dst: %0
  gt    %0, 0 dst: %1
  if    %1 true: again false: done
done:
  ret   ret %0
)";

class CountingHooks final : public Hooks {
 public:
  uint32_t wants() const override { return kHookAll; }
  HookAction BeforeInstruction(const VirtualMachine&, uint32_t) override {
    ++instructions;
    return {};
  }
  uint64_t instructions = 0;
};

int Run(std::string_view how, int64_t iterations) {
  Result<ExecutablePtr> executable = Assemble(kLoop, "loop.tasm");
  if (!executable.ok()) return 1;
  Result<ProgramPtr> program = Program::Link(*std::move(executable));
  if (!program.ok()) return 1;
  auto vm = VirtualMachine::Create(*std::move(program));
  if (!vm.ok()) return 1;
  CountingHooks hooks;
  if (how != "plain") (*vm)->SetHooks(&hooks);
  if (!(*vm)->Call("main", {AnyView(2)}).ok()) return 1;
  if (how == "detached") (*vm)->SetHooks(nullptr);
  if (!(*vm)->Call("main", {AnyView(iterations)}).ok()) return 1;
  std::printf("%llu\n", static_cast<unsigned long long>((*vm)->steps()));
  (*vm)->SetHooks(nullptr);
  return 0;
}

}  // namespace
}  // namespace tern::vm

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return tern::vm::Run(argv[1], std::atoll(argv[2]));
}
