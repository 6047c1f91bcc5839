// SPDX-License-Identifier: Apache-2.0
// Which of the compiled kernel tables to use on this machine. The platform says what the processor
// has (the core asks no operating system); tests and `--target` may name a table instead.

#ifndef TERN_CORE_KERNELS_CHOOSE_H_
#define TERN_CORE_KERNELS_CHOOSE_H_

#include "core/kernels/kernel_table.h"

namespace tern::kernels {

// What a processor can run, as bits. Each bit stands for a whole group of instructions: kCpuAvx2
// includes FMA, F16C, BMI; kCpuAvx512 the groups F, CD, BW, DQ, VL and everything of kCpuAvx2.
enum CpuFeature : uint32_t {
  kCpuSse4 = 1u << 0,
  kCpuAvx2 = 1u << 1,
  kCpuAvx512 = 1u << 2,
  kCpuNeon = 1u << 3,
  kCpuSve = 1u << 4,
};

struct CpuFeatures {
  uint32_t bits = 0;
  int32_t sve_bytes = 0;  // length of an SVE vector, 0 without SVE
};

// Tables that a runtime of this program may use, best first. The last needs nothing: "reference",
// or in WebAssembly the one that there is. Index past the end: null.
const KernelTable* CompiledTable(int index);

// Whether a processor with these features can run the table.
bool CanRun(const KernelTable& table, const CpuFeatures& features);

// The fastest table that the processor can run; never fails, for the last needs nothing.
const KernelTable& ChooseTable(const CpuFeatures& features);

// The table of that name if it is compiled in and the processor can run it, else null.
const KernelTable* FindTable(const char* name, const CpuFeatures& features);

// The plain loops, which say what is right (core/kernels/reference).
const KernelTable& ReferenceTable();

}  // namespace tern::kernels

#endif  // TERN_CORE_KERNELS_CHOOSE_H_
