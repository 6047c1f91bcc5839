// SPDX-License-Identifier: Apache-2.0
// bench_vm [--json FILE] [--filter TEXT] [--quick]
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/object/registry.h"
#include "core/text/diagnostics.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/assembler.h"
#include "core/vm/vm.h"
#include "tools/bench/support/rows.h"
#include "tools/bench/vm/lua.h"
#include "tools/bench/vm/programs.h"

namespace tern::bench {
namespace {

template <typename T>
T Must(Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::fputs(text::RenderText(result.status()).c_str(), stderr);
  std::exit(1);
}

vm::ExecutablePtr Assembled() { return Must(vm::Assemble(kAssembly, "bench.tasm")); }

std::unique_ptr<vm::VirtualMachine> Machine() {
  Registry registry;
  const std::vector<FunctionPtr> functions = {
      Function::FromPacked("bench.noop", [](AnyArgs) -> Result<Any> { return Any(); })};
  vm::LinkOptions options;
  options.registry = &registry;
  options.functions = functions;
  return Must(vm::VirtualMachine::Create(Must(vm::Program::Link(Assembled(), options))));
}

void ProgramRow(Bench* bench, vm::VirtualMachine* machine, const Program& program) {
  const uint32_t function = Must(machine->executable().FunctionIndex(program.function));
  // Counted by reference, which is what its rows measure beside those with an int.
  const TensorPtr tensor = Must(Tensor::FromValues<float>({1}, {1}));
  std::vector<AnyView> args = {AnyView(program.n)};
  if (program.second == Argument::kInt) args.emplace_back(1);
  if (program.second == Argument::kTensor) args.emplace_back(tensor);
  const Loop ours = [&](int64_t n) {
    if (program.n == 0) {
      args[0] = AnyView(n);
      Must(machine->Call(function, args));
      return;
    }
    while (n-- > 0) Must(machine->Call(function, args));
  };
  // Null where Lua is not linked: the row is then without a rival.
  const std::unique_ptr<Lua> lua = program.lua != nullptr ? Lua::Load(program.lua) : nullptr;
  Loop rival;
  if (lua != nullptr) {
    rival = [&](int64_t n) {
      if (program.n == 0) {
        lua->Run(n);
        return;
      }
      while (n-- > 0) lua->Run(program.n);
    };
  }
  bench->Compare({.name = program.name,
                  .rival_name = lua != nullptr ? program.lua_what : "",
                  .target = program.target,
                  .target_ratio = lua != nullptr ? program.target_ratio : std::nullopt,
                  .items_per_iteration =
                      program.unit == std::string_view("ns") ? program.items : 1.0 / program.items,
                  .unit = program.unit},
                 ours, rival);
}

void EntryRows(Bench* bench, vm::VirtualMachine* machine) {
  const uint32_t function = Must(machine->executable().FunctionIndex("same"));
  const AnyView args[] = {AnyView(5)};
  const std::unique_ptr<Lua> lua = Lua::Load("function run(n) return n end");
  Loop rival;
  if (lua != nullptr)
    rival = [&](int64_t n) {
      while (n-- > 0) lua->Run(5);
    };
  bench->Compare(
      {.name = "host enters a function and returns",
       .rival_name = lua != nullptr ? "Lua 5.4, lua_pcall" : "",
       .target = 30},
      [&](int64_t n) {
        while (n-- > 0) Keep(machine->Call(function, args).ok());
      },
      rival);
  bench->Compare({.name = "the same, by name"}, [&](int64_t n) {
    while (n-- > 0) Keep(machine->Call("same", args).ok());
  });
}

// A long function, as compilers make them: calls with registers and small numbers.
std::string LongFunction(int calls) {
  std::string text = ".func @main(x)\n  move  %0 dst: %1\n";
  for (int i = 0; i < calls; ++i)
    text += "  call  vm.builtin.move in: %" + std::to_string(i % 8 + 1) + " dst: %" +
            std::to_string((i + 1) % 8 + 1) + "\n";
  return text + "  ret   ret %1\n";
}

void FileRows(Bench* bench) {
  const vm::ExecutablePtr executable = Must(vm::Assemble(LongFunction(8000), "long.tasm"));
  const std::vector<uint8_t> bytes = vm::SaveExecutable(*executable);
  const auto count = static_cast<double>(executable->instruction_count());
  bench->Figure({.name = "file bytes per instruction", .target = 16, .unit = "bytes"},
                static_cast<double>(bytes.size()) / count);
  bench->Compare(
      {.name = "load and verify, per instruction", .target = 10, .items_per_iteration = count},
      [&](int64_t n) {
        while (n-- > 0) Keep(Must(vm::ReadExecutable(bytes, nullptr)).get() != nullptr);
      });
}

}  // namespace
}  // namespace tern::bench

int main(int argc, char** argv) {
  using namespace tern::bench;  // NOLINT: a program's main
  Bench bench("vm", argc, argv);
  const auto machine = Machine();
  for (const Program& program : Programs()) ProgramRow(&bench, machine.get(), program);
  EntryRows(&bench, machine.get());
  FileRows(&bench);
  return bench.Finish();
}
