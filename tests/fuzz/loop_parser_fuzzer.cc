// SPDX-License-Identifier: Apache-2.0
// Loop text, mutated word by word as often as byte by byte: refused with a message, or a program
// that prints, parses again as the same and lowers, or is refused with a message.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/text/parser.h"
#include "core/loop/text/printer.h"
#include "tests/support/loop_tokens.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text =
      tern::support::MutateLoopText({reinterpret_cast<const char*>(data), size}, seed);
  const size_t kept = std::min(text.size(), max_size);
  memcpy(data, text.data(), kept);
  return kept;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tern;
  const Result<loop::SourceFile> file =
      loop::ParseLoops("fuzz.tloop", AsText(ByteSpan(data, size)));
  if (!file.ok()) {
    TERN_CHECK(!text::RenderText(file.status()).empty());
    return 0;
  }
  const std::string text = loop::ToText(*file);
  const Result<loop::SourceFile> again = loop::ParseLoops("again.tloop", text);
  TERN_CHECK(again.ok() && loop::ToText(*again) == text, "printing and parsing lose nothing");
  for (loop::Strategy strategy :
       {loop::Strategy::kScalar, loop::Strategy::kFixed, loop::Strategy::kFixedPredicated,
        loop::Strategy::kCleanup, loop::Strategy::kPredicated}) {
    loop::LoweringOptions options;
    options.strategy = strategy;
    const Result<loop::Program> program = loop::LowerFile(*file, options);
    if (!program.ok()) TERN_CHECK(!text::RenderText(program.status()).empty());
  }
  return 0;
}
