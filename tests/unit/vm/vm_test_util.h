// SPDX-License-Identifier: Apache-2.0
// Making executables and machines in tests.
#ifndef TERN_TESTS_UNIT_VM_VM_TEST_UTIL_H_
#define TERN_TESTS_UNIT_VM_VM_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/diagnostics.h"
#include "core/vm/text/assembler.h"
#include "core/vm/vm.h"

namespace tern::vm {

inline ExecutablePtr MustAssemble(std::string_view text) {
  Result<ExecutablePtr> executable = Assemble(text, "test.tasm");
  EXPECT_TRUE(executable.ok()) << text::RenderText(executable.status());
  return executable.ok() ? *executable : nullptr;
}

inline ProgramPtr MustLink(ExecutablePtr executable,
                           const std::vector<FunctionPtr>& functions = {}) {
  Registry registry;
  LinkOptions link;
  link.registry = &registry;
  link.functions = functions;
  Result<ProgramPtr> program = Program::Link(std::move(executable), link);
  EXPECT_TRUE(program.ok()) << text::RenderText(program.status());
  return program.ok() ? *program : nullptr;
}

inline std::unique_ptr<VirtualMachine> MakeVm(std::string_view text,
                                              const std::vector<FunctionPtr>& functions = {},
                                              const VmOptions& options = {}) {
  Result<std::unique_ptr<VirtualMachine>> vm =
      VirtualMachine::Create(MustLink(MustAssemble(text), functions), options);
  EXPECT_TRUE(vm.ok());
  return std::move(vm).value();
}

}  // namespace tern::vm

#endif  // TERN_TESTS_UNIT_VM_VM_TEST_UTIL_H_
