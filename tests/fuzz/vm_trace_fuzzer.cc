// SPDX-License-Identifier: Apache-2.0
// A .terntrace file: refused with a message, or every look at it is safe.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/vm/debug/trace_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tern;
  const Result<vm::SavedTrace> trace = vm::SavedTrace::Read({data, size});
  if (!trace.ok()) {
    TERN_CHECK(!trace.status().message().empty());
    return 0;
  }
  TERN_CHECK(!trace->SummaryText().empty());
  const uint64_t middle = trace->first_step() + (trace->end_step() - trace->first_step()) / 2;
  for (const uint64_t step : {trace->first_step(), middle, trace->end_step()})
    TERN_CHECK(trace->StateText(step).ok(), "every state of a trace that was read can be shown");
  trace->ListText(middle, middle + 100);
  return 0;
}
