// SPDX-License-Identifier: Apache-2.0
// Programs of the language: refused with messages, or formatted twice alike, answered about, and
// lowered to a module that verifies.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/check.h"
#include "core/ir/verifier.h"
#include "core/lang/editor/editor.h"
#include "core/lang/editor/format.h"
#include "core/lang/lower/lower.h"
#include "core/lang/program.h"
#include "core/text/diagnostics.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tern;
  if (size > 8192) return 0;
  static const lang::PreludePtr* const prelude = new lang::PreludePtr(lang::LoadPrelude());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto offset = static_cast<uint32_t>(size == 0 ? 0 : data[0] * size / 256);
  // Each of them checks the whole text first, so that one for each input is enough.
  static constexpr const char* kQuestions[] = {"tokens", "hover", "complete"};
  const char* const question = kQuestions[size == 0 ? 0 : data[size - 1] % 3];
  TERN_CHECK(lang::AnswerQuestion(question, text, offset, *prelude).ok());
  const Result<std::string> once = lang::FormatText("fuzz.tn", text);
  if (once.ok()) {
    const Result<std::string> twice = lang::FormatText("fuzz.tn", *once);
    TERN_CHECK(twice.ok() && *twice == *once, "formatting twice changes nothing");
  }
  lang::CheckedProgram checked = lang::Check("fuzz.tn", text, *prelude);
  if (!checked.diagnostics.ok()) {
    TERN_CHECK(!text::RenderText(checked.diagnostics).empty());
    return 0;
  }
  const ir::Module module = lang::Lower(*checked.program, &checked.diagnostics);
  if (checked.diagnostics.ok()) {
    const Status status = ir::Verify(module);
    TERN_CHECK(status.ok(), "what is lowered verifies");
  }
  return 0;
}
