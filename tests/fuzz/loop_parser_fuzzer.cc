// SPDX-License-Identifier: Apache-2.0
// Loop text: refused with a message, or a program that prints, parses again as the same and lowers,
// or is refused with a message.
#include <cstddef>
#include <cstdint>

#include "core/base/bytes.h"
#include "core/base/check.h"
#include "core/loop/parser.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/printer.h"

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
  for (loop::Strategy strategy : {loop::Strategy::kFixed, loop::Strategy::kPredicated}) {
    loop::LoweringOptions options;
    options.strategy = strategy;
    const Result<loop::Program> program = loop::LowerFile(*file, options);
    if (!program.ok()) TERN_CHECK(!text::RenderText(program.status()).empty());
  }
  return 0;
}
