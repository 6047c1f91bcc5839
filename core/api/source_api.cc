// SPDX-License-Identifier: Apache-2.0
// Programs as text: compile, check, format, and what an editor asks. Apart from program_api.cc, so
// that a module which exports none of these does not carry the language.
#include <algorithm>
#include <utility>

#include "core/api/compilation.h"
#include "core/api/handles.h"
#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/driver/compile_module.h"
#include "core/driver/compile_source.h"
#include "core/driver/result_types.h"
#include "core/lang/editor/editor.h"
#include "core/lang/editor/fix.h"
#include "core/lang/editor/format.h"
#include "core/lang/lower/lower.h"
#include "core/lang/program.h"

namespace tern::api {
namespace {

// NULL stands for a text only where it has no bytes.
Result<std::string_view> Text(const char* text, size_t size) {
  if (text == nullptr && size > 0)
    return InvalidArgument("the program's text is NULL, of ", size, " bytes");
  if (size > UINT32_MAX)
    return InvalidArgument("a program of ", size, " bytes: positions in it have 32 bits");
  return std::string_view(text, size);
}

Result<driver::CompileResult> CompileSource(const tern_runtime* runtime, const char* bytes,
                                            size_t size, const tern_compile_options& options) {
  TERN_TRY_ASSIGN(const std::string_view text, Text(bytes, size));
  return driver::CompileSource(text, CompileOptionsOf(runtime, options, "program.tn"));
}

Result<std::string> CheckSource(const tern_runtime* runtime, const char* bytes, size_t size,
                                std::string_view name, std::string_view format) {
  TERN_TRY_ASSIGN(const std::string_view text, Text(bytes, size));
  // Ahead of the account, because it is the same for every program.
  lang::PreludePtr prelude = lang::LoadPrelude();
  driver::CompileMemory memory(CompileBytes(runtime, 0));
  // What checking allocates is counted, so that a text made to be costly ends with an error.
  const MemoryAccount::Scope counts(&memory.account());
  TERN_TRY(lang::CheckRoomFor(text));
  lang::CheckedProgram checked = lang::Check(name, text, std::move(prelude));
  TERN_TRY(CheckMemory());
  // Lowering finds mistakes that checking does not, such as types without a form at run time.
  if (checked.diagnostics.ok()) lang::Lower(*checked.program, &checked.diagnostics);
  TERN_TRY(CheckMemory());
  if (format == "text") return text::RenderText(checked.diagnostics);
  if (format != "json") return InvalidArgument("format '", format, "': expected text or json");
  JsonWriter json;
  text::WriteJson(checked.diagnostics, &json);
  return json.Take();
}

Result<std::string> FormatSource(const char* bytes, size_t size, std::string_view name) {
  TERN_TRY_ASSIGN(const std::string_view text, Text(bytes, size));
  return lang::FormatText(name, text);
}

Result<std::string> QuerySource(const char* bytes, size_t size, std::string_view question,
                                size_t offset) {
  TERN_TRY_ASSIGN(const std::string_view text, Text(bytes, size));
  // An offset behind the end asks about the end.
  return lang::AnswerQuestion(question, text, static_cast<uint32_t>(std::min(offset, size)));
}

}  // namespace
}  // namespace tern::api

using tern::api::NewBuffer;
using tern::api::TextOr;

tern_status* tern_program_print(tern_program* program, const char* function, int32_t field,
                                const TernAny* value, const char* format,
                                const tern_print_options* options, uint64_t* omitted,
                                tern_buffer** out) {
  // Types say which constructor a tag was; values alone know numbers only.
  const tern::driver::ResultTypes types(program->program->executable(), function);
  tern::PrintOptions names;
  names.names = &types;
  names.type = types.TypeOf(field);
  return tern::api::Print(value, format, options, names, omitted, out);
}

tern_status* tern_compile_source(tern_runtime* runtime, const char* text, size_t size,
                                 const tern_compile_options* options, tern_buffer** executable,
                                 tern_buffer** stages) {
  TERN_CHECK_OPTIONS(tern_compile_options, options);
  return tern::api::Give(
      tern::api::CompileSource(runtime, text, size, tern::api::ReadOptions(options)), executable,
      stages);
}

tern_status* tern_check_source(tern_runtime* runtime, const char* text, size_t size,
                               const char* source_name, const char* format, tern_buffer** out) {
  return tern::api::Give(
      tern::api::CheckSource(runtime, text, size, TextOr(source_name, "program.tn"),
                             TextOr(format, "json")),
      out);
}

tern_status* tern_fix_source(tern_runtime*, const char* text, size_t size, const char* source_name,
                             tern_buffer** fixed, tern_buffer** report) {
  const auto result = tern::lang::FixSource(TextOr(source_name, "program.tn"), {text, size});
  *fixed = NewBuffer(result.text);
  // The report is for people: one line for each fix.
  if (report == nullptr) return nullptr;
  std::string lines;
  for (const std::string& line : result.applied) tern::StrAppend(&lines, line, "\n");
  *report = NewBuffer(lines);
  return nullptr;
}

tern_status* tern_format_source(tern_runtime*, const char* text, size_t size,
                                const char* source_name, tern_buffer** out) {
  return tern::api::Give(tern::api::FormatSource(text, size, TextOr(source_name, "program.tn")),
                         out);
}

tern_status* tern_query_source(tern_runtime*, const char* text, size_t size, const char* question,
                               size_t offset, tern_buffer** json) {
  return tern::api::Give(tern::api::QuerySource(text, size, TextOr(question, ""), offset), json);
}
