// SPDX-License-Identifier: Apache-2.0
// A lowered program as native code, for fuzzers that compare it with the interpreter.
#ifndef TERN_TESTS_FUZZ_RUN_COMPILED_H_
#define TERN_TESTS_FUZZ_RUN_COMPILED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/loop/emit/llvm_text.h"
#include "core/loop/run/workspace.h"
#include "native/jit/llvm_compiler.h"

namespace tern {

// Runs the first function; what cannot be compiled ends the process.
inline void RunCompiled(const loop::Program& program, const loop::RunArguments& arguments) {
  const Result<std::string> ir = loop::LlvmText(program, loop::LlvmFlavor::kFixed);
  TERN_CHECK(ir.ok(), "a lowered program has a text");
  const auto code = native::NativeCode::FromIr(*ir);
  TERN_CHECK(code.ok(), "LLVM takes the text");
  const Result<void*> address = (*code)->Find(program.functions[0].name);
  TERN_CHECK(address.ok(), "the code has the function");
  std::vector<void*> buffers;
  for (const loop::BufferArgument& buffer : arguments.buffers) buffers.push_back(buffer.data);
  std::vector<int64_t> slots(arguments.sizes.begin(), arguments.sizes.end());
  for (const uint64_t scalar : arguments.scalars) slots.push_back(static_cast<int64_t>(scalar));
  const auto entry = reinterpret_cast<native::LoopCode>(*address);
  TERN_CHECK(native::CallLoopCode(entry, buffers.data(), slots.data()) == 0);
}

}  // namespace tern

#endif  // TERN_TESTS_FUZZ_RUN_COMPILED_H_
