// SPDX-License-Identifier: Apache-2.0
// What an executable holds, as JSON for programs and as text for people: `tern inspect` and the
// page.
#ifndef TERN_CORE_DRIVER_INSPECT_H_
#define TERN_CORE_DRIVER_INSPECT_H_

#include <string>

#include "core/base/json.h"
#include "core/vm/executable.h"

namespace tern::vm {
class Program;
}

namespace tern::driver {

// The schema is at tern_program_inspect in core/api/c_api.h. program: the executable's, for what
// its kernels run by; may be null.
void WriteExecutableJson(const vm::Executable& executable, const vm::Program* program,
                         JsonWriter* json);

// The same with the instructions as columns, which tern_program_info tells of.
void WriteExecutableInfo(const vm::Executable& executable, const vm::Program* program,
                         JsonWriter* json);

std::string ExecutableText(const vm::Executable& executable, const vm::Program* program);

}  // namespace tern::driver

#endif  // TERN_CORE_DRIVER_INSPECT_H_
