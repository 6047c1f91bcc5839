// SPDX-License-Identifier: Apache-2.0
// Executables for tests of hostile input: sample programs, and files sealed again after they were
// changed.
#ifndef TERN_TESTS_SUPPORT_VM_FILE_H_
#define TERN_TESTS_SUPPORT_VM_FILE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/object/registry.h"

namespace tern::support {

// Assembly text of programs that between them use every instruction, every kind of constant and
// every section.
std::span<const std::string_view> SamplePrograms();

// The primitives that the samples import.
std::vector<FunctionPtr> SampleFunctions();

// Makes the checksums of a .tern file right again, so that what was changed in it gets past them.
// Does nothing to bytes that have no readable section table.
void Reseal(std::vector<uint8_t>* file);

// Reads the bytes and, if they load, prints, parses again, links and runs them within small limits.
// Ends the process only if something is wrong with us, such as text that does not give the same
// executable. Primitives come from the registry, null: only those of the samples. Returns how far
// it got: 0 refused by the reader, 1 by the linker, 2 ran.
int Exercise(ByteSpan bytes, Registry* registry = nullptr);

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_VM_FILE_H_
