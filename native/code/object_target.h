// SPDX-License-Identifier: Apache-2.0
// ObjectTarget: the processors that objects of an executable can be for, by the names of
// native/jit/code_target.h, and what a processor must have to run them.
#ifndef TERN_NATIVE_CODE_OBJECT_TARGET_H_
#define TERN_NATIVE_CODE_OBJECT_TARGET_H_

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "native/code/elf_object.h"

namespace tern::native {

struct ObjectTarget {
  std::string_view name;  // "aarch64-sve"
  ElfMachine machine{};
  std::span<const std::string_view> needs;  // "sve": names of processor features
};

// In order of preference where a processor can run several.
std::span<const ObjectTarget> AllObjectTargets();
// Null if there is none.
const ObjectTarget* FindObjectTarget(std::string_view name);

// How the kernels of an executable call an object: "elf-aarch64-sve".
inline constexpr std::string_view kObjectFormatPrefix = "elf-";
std::string ObjectFormat(const ObjectTarget& target);
// Null for formats that are none.
const ObjectTarget* TargetOfFormat(std::string_view format);

// What this processor has of what targets ask for.
struct Processor {
  ElfMachine machine{};
  std::vector<std::string_view> features;
};
Processor DetectProcessor();

// Unsupported, with what is missing (E0807).
Status CheckProcessor(const ObjectTarget& target, const Processor& processor);
// The best target that the processor can run; null if there is none.
const ObjectTarget* BestTarget(const Processor& processor);

}  // namespace tern::native

#endif  // TERN_NATIVE_CODE_OBJECT_TARGET_H_
