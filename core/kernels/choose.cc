// SPDX-License-Identifier: Apache-2.0
// The compiled tables in order of preference with what each needs. CMake defines TERN_TARGET_<NAME>
// for every vector target that is compiled in; a WebAssembly module has exactly one, chosen when it
// is loaded, and not the plain loops, which nobody could choose there.

#include "core/kernels/choose.h"

#include <string.h>

namespace tern::kernels {

#define TERN_DECLARE_TARGET(target) \
  namespace target {                \
  extern const KernelTable kTable;  \
  }
TERN_DECLARE_TARGET(avx512)
TERN_DECLARE_TARGET(avx2)
TERN_DECLARE_TARGET(sse4)
TERN_DECLARE_TARGET(sve)
TERN_DECLARE_TARGET(neon)
TERN_DECLARE_TARGET(wasm)
TERN_DECLARE_TARGET(reference)
#undef TERN_DECLARE_TARGET

namespace {

struct Candidate {
  const KernelTable* table;
  uint32_t needs;            // bits of CpuFeature
  int32_t wanted_sve_bytes;  // shorter vectors prefer a later candidate
};

// The first candidate that the processor can run is taken, so the order is the preference.
// At 128 bits SVE has no more lanes than NEON and lacks its paired loads, so NEON goes first there.
const Candidate kCandidates[] = {
#ifdef TERN_TARGET_AVX512
    {&avx512::kTable, kCpuAvx512, 0},
#endif
#ifdef TERN_TARGET_AVX2
    {&avx2::kTable, kCpuAvx2, 0},
#endif
#ifdef TERN_TARGET_SSE4
    {&sse4::kTable, kCpuSse4, 0},
#endif
#ifdef TERN_TARGET_SVE
    {&sve::kTable, kCpuSve, 32},
#endif
#ifdef TERN_TARGET_NEON
    {&neon::kTable, kCpuNeon, 0},
#endif
#ifdef TERN_TARGET_WASM
    {&wasm::kTable, 0, 0},
#else
    {&reference::kTable, 0, 0},
#endif
};

constexpr int kCandidateCount = static_cast<int>(sizeof(kCandidates) / sizeof(kCandidates[0]));

bool Has(const Candidate& candidate, const CpuFeatures& features) {
  return (features.bits & candidate.needs) == candidate.needs;
}

}  // namespace

const KernelTable* CompiledTable(int index) {
  return index >= 0 && index < kCandidateCount ? kCandidates[index].table : nullptr;
}

bool CanRun(const KernelTable& table, const CpuFeatures& features) {
  for (const Candidate& candidate : kCandidates) {
    if (candidate.table == &table) return Has(candidate, features);
  }
  return false;
}

const KernelTable& ChooseTable(const CpuFeatures& features) {
  for (const Candidate& candidate : kCandidates) {
    if (Has(candidate, features) && features.sve_bytes >= candidate.wanted_sve_bytes) {
      return *candidate.table;
    }
  }
  return *kCandidates[kCandidateCount - 1].table;
}

const KernelTable& ReferenceTable() { return reference::kTable; }

// By name a table is chosen even if another would be preferred, but never one that the processor
// lacks.
const KernelTable* FindTable(const char* name, const CpuFeatures& features) {
  for (const Candidate& candidate : kCandidates) {
    if (strcmp(candidate.table->name, name) == 0 && Has(candidate, features))
      return candidate.table;
  }
  return nullptr;
}

}  // namespace tern::kernels
