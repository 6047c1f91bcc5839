// SPDX-License-Identifier: Apache-2.0
// What kind of program a file is: the ending of its name tells, but of executables, which have a
// mark, and of what has no name.
#ifndef TERN_NATIVE_PLATFORM_PROGRAM_KIND_H_
#define TERN_NATIVE_PLATFORM_PROGRAM_KIND_H_

#include <string_view>

namespace tern::native {

enum class ProgramKind { kExecutable, kAssembly, kSource, kLoops, kOnnx };

ProgramKind KindOfContents(std::string_view bytes);
ProgramKind KindOfName(std::string_view path);
// By the mark of an executable, else by the name.
ProgramKind KindOfFile(std::string_view path, std::string_view bytes);

}  // namespace tern::native

#endif  // TERN_NATIVE_PLATFORM_PROGRAM_KIND_H_
