// SPDX-License-Identifier: Apache-2.0
// Assembly text: refused with a message, or an executable that prints, parses and runs like any
// other.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/text/diagnostics.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/assembler.h"
#include "core/vm/text/disassembler.h"
#include "tests/support/vm_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tern;
  const Result<vm::ExecutablePtr> executable =
      vm::Assemble(AsText(ByteSpan(data, size)), "fuzz.tasm");
  if (!executable.ok()) {
    TERN_CHECK(!text::RenderText(executable.status()).empty());
    return 0;
  }
  const std::vector<uint8_t> bytes = vm::SaveExecutable(**executable);
  const Result<vm::ExecutablePtr> again = vm::Assemble(vm::Disassemble(**executable), "again.tasm");
  TERN_CHECK(again.ok() && vm::SaveExecutable(**again) == bytes,
             "printing and parsing lose nothing");
  support::Exercise(bytes);
  return 0;
}
