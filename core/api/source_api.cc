// SPDX-License-Identifier: Apache-2.0
// Programs as text: compile, check, format, and what an editor asks. Apart from program_api.cc, so
// that a module which exports none of these does not carry the language.
#include "core/api/handles.h"
#include "core/base/json.h"
#include "core/driver/compile_source.h"
#include "core/lang/editor.h"
#include "core/lang/format.h"
#include "core/lang/lower.h"
#include "core/lang/program.h"
#include "core/vm/writer.h"

namespace tern::api {
namespace {

struct Compilation {
  tern_buffer* executable;
  std::string stages;
};

Result<Compilation> CompileSource(std::string_view text, const tern_compile_options& options) {
  driver::CompileOptions compile;
  compile.source_name = TextOr(options.source_name, "program.tn");
  compile.disabled_passes = SplitNames(options.disabled_passes);
  compile.print_after = SplitNames(options.print_after);
  TERN_TRY_ASSIGN(const driver::CompileResult result, driver::CompileSource(text, compile));
  return Compilation{NewBuffer(vm::SaveExecutable(*result.executable)),
                     driver::StagesJson(result.stages)};
}

Result<std::string> CheckSource(std::string_view text, std::string_view name,
                                std::string_view format) {
  lang::CheckedProgram checked = lang::Check(name, text);
  if (checked.diagnostics.ok()) lang::Lower(*checked.program, &checked.diagnostics);
  if (format == "text") return text::RenderText(checked.diagnostics);
  if (format != "json") return InvalidArgument("format '", format, "': expected text or json");
  JsonWriter json;
  text::WriteJson(checked.diagnostics, &json);
  return json.Take();
}

}  // namespace
}  // namespace tern::api

using tern::api::NewBuffer;
using tern::api::TextOr;
using tern::api::ToHandle;

tern_status* tern_compile_source(tern_runtime*, const char* text, size_t size,
                                 const tern_compile_options* options, tern_buffer** executable,
                                 tern_buffer** stages) {
  auto compilation = tern::api::CompileSource({text, size}, tern::api::ReadOptions(options));
  if (!compilation.ok()) return ToHandle(std::move(compilation).status());
  *executable = compilation->executable;
  if (stages != nullptr) *stages = NewBuffer(compilation->stages);
  return nullptr;
}

tern_status* tern_check_source(tern_runtime*, const char* text, size_t size,
                               const char* source_name, const char* format, tern_buffer** out) {
  const auto report = tern::api::CheckSource({text, size}, TextOr(source_name, "program.tn"),
                                             TextOr(format, "json"));
  if (!report.ok()) return ToHandle(report.status().Clone());
  *out = NewBuffer(*report);
  return nullptr;
}

tern_status* tern_format_source(tern_runtime*, const char* text, size_t size,
                                const char* source_name, tern_buffer** out) {
  const auto formatted = tern::lang::FormatText(TextOr(source_name, "program.tn"), {text, size});
  if (!formatted.ok()) return ToHandle(formatted.status().Clone());
  *out = NewBuffer(*formatted);
  return nullptr;
}

tern_status* tern_query_source(tern_runtime*, const char* text, size_t size, const char* question,
                               size_t offset, tern_buffer** json) {
  const auto answer =
      tern::lang::AnswerQuestion(TextOr(question, ""), {text, size}, static_cast<uint32_t>(offset));
  if (!answer.ok()) return ToHandle(answer.status().Clone());
  *json = NewBuffer(*answer);
  return nullptr;
}
