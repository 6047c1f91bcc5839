// SPDX-License-Identifier: Apache-2.0
// The table of targets, and the features as CPUID and the auxiliary vector tell them.
#include "native/code/object_target.h"

#include <algorithm>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "core/base/strings.h"

namespace tern::native {
namespace {

// A target needs what the compiler may use for it (the features in native/jit/code_target.cc), as
// far as user code can ask for it. Each list begins with what the next smaller target needs.
constexpr std::string_view kX86Needs[] = {
    "ssse3",   "sse4.2",   "popcnt",                                              // x86-64-v2
    "avx2",    "fma",      "bmi",      "bmi2",     "f16c",     "lzcnt", "movbe",  // x86-64-v3
    "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl",                    // x86-64-v4
};
constexpr std::string_view kArmNeeds[] = {
    "asimd", "crc32", "atomics", "asimdrdm", "fphp",    "asimdhp",  // ARMv8.2, 16-bit floats
    "sve",                                                          //
    "sve2",  "jscvt", "fcma",    "lrcpc",    "dotprod", "flagm",   "frint",  // ARMv9
};
constexpr std::span<const std::string_view> kX86(kX86Needs);
constexpr std::span<const std::string_view> kArm(kArmNeeds);

// In order of preference within an architecture: BestTarget and ChooseCode take the first that
// fits.
constexpr ObjectTarget kTargets[] = {
    {"aarch64-sve2", ElfMachine::kAArch64, kArm},
    {"aarch64-sve", ElfMachine::kAArch64, kArm.first(7)},
    {"aarch64-neon", ElfMachine::kAArch64, kArm.first(6)},
    {"x86-64-avx512", ElfMachine::kX86_64, kX86},
    {"x86-64-avx2", ElfMachine::kX86_64, kX86.first(10)},
    {"x86-64", ElfMachine::kX86_64, kX86.first(3)},
    // Carried, so that a file can hold them; there is no loader of such objects yet.
    {"riscv64-v", ElfMachine::kRiscV, {}},
};

#if defined(__x86_64__)

std::vector<std::string_view> DetectFeatures() {
  __builtin_cpu_init();
  std::vector<std::string_view> found;
// __builtin_cpu_supports takes only literals, so a function could not take the name.
#define TERN_FEATURE(name) \
  if (__builtin_cpu_supports(name)) found.push_back(name);
  TERN_FEATURE("ssse3")
  TERN_FEATURE("sse4.2")
  TERN_FEATURE("popcnt")
  TERN_FEATURE("avx2")
  TERN_FEATURE("fma")
  TERN_FEATURE("bmi")
  TERN_FEATURE("bmi2")
  TERN_FEATURE("f16c")
  TERN_FEATURE("lzcnt")
  TERN_FEATURE("movbe")
  TERN_FEATURE("avx512f")
  TERN_FEATURE("avx512bw")
  TERN_FEATURE("avx512cd")
  TERN_FEATURE("avx512dq")
  TERN_FEATURE("avx512vl")
#undef TERN_FEATURE
  return found;
}

#elif defined(__aarch64__) && defined(__linux__)

// Bits of <asm/hwcap.h> of the Linux kernel, written out because older headers lack some.
struct HwcapBit {
  std::string_view name;
  unsigned long word;  // AT_HWCAP or AT_HWCAP2
  int bit;
};
constexpr HwcapBit kHwcapBits[] = {
    {"asimd", AT_HWCAP, 1},    {"crc32", AT_HWCAP, 7},    {"atomics", AT_HWCAP, 8},
    {"fphp", AT_HWCAP, 9},     {"asimdhp", AT_HWCAP, 10}, {"asimdrdm", AT_HWCAP, 12},
    {"jscvt", AT_HWCAP, 13},   {"fcma", AT_HWCAP, 14},    {"lrcpc", AT_HWCAP, 15},
    {"dotprod", AT_HWCAP, 20}, {"sve", AT_HWCAP, 22},     {"flagm", AT_HWCAP, 27},
    {"sve2", AT_HWCAP2, 1},    {"frint", AT_HWCAP2, 8},
};

// Bits of HWCAP tell what the kernel lets programs use, too.
std::vector<std::string_view> DetectFeatures() {
  std::vector<std::string_view> found;
  for (const HwcapBit& bit : kHwcapBits) {
    if ((getauxval(bit.word) >> bit.bit & 1) != 0) found.push_back(bit.name);
  }
  return found;
}

#else

// Elsewhere nothing is known, so only targets without needs fit.
std::vector<std::string_view> DetectFeatures() { return {}; }

#endif

}  // namespace

std::span<const ObjectTarget> AllObjectTargets() { return kTargets; }

const ObjectTarget* FindObjectTarget(std::string_view name) {
  for (const ObjectTarget& target : kTargets) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

std::string ObjectFormat(const ObjectTarget& target) {
  return StrCat(kObjectFormatPrefix, target.name);
}

const ObjectTarget* TargetOfFormat(std::string_view format) {
  if (!format.starts_with(kObjectFormatPrefix)) return nullptr;
  return FindObjectTarget(format.substr(kObjectFormatPrefix.size()));
}

Processor DetectProcessor() { return {HostElfMachine(), DetectFeatures()}; }

Status CheckProcessor(const ObjectTarget& target, const Processor& processor) {
  if (target.machine != processor.machine)
    return Unsupported("it is for ", ElfMachineName(target.machine), ", this processor is ",
                       ElfMachineName(processor.machine))
        .SetErrorCode("E0807");
  std::vector<std::string_view> missing;
  for (const std::string_view need : target.needs) {
    if (std::find(processor.features.begin(), processor.features.end(), need) ==
        processor.features.end())
      missing.push_back(need);
  }
  if (missing.empty()) return OkStatus();
  return Unsupported("it needs ", StrJoin(missing, ", "), ", which this processor does not have")
      .SetErrorCode("E0807");
}

const ObjectTarget* BestTarget(const Processor& processor) {
  for (const ObjectTarget& target : kTargets) {
    if (target.machine != ElfMachine::kRiscV && CheckProcessor(target, processor).ok())
      return &target;
  }
  return nullptr;
}

}  // namespace tern::native
