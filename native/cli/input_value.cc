// SPDX-License-Identifier: Apache-2.0
// Compiles and runs the text of a value. A user may write any expression; a limit of instructions
// keeps one from running for ever.
#include "native/cli/input_value.h"

#include <array>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/text/scanner.h"
#include "native/cli/command.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

constexpr uint64_t kMostInstructions = 10'000'000;
// Values of declared types may lie in each other without end.
constexpr int kDeepest = 1000;

constexpr std::string_view kComments[] = {"//"};
constexpr text::TextForm kForm = {.spaces = text::kFileSpaces, .comments = kComments};

// Brackets must match, because otherwise the text could end the function that it is the body of.
// The compiler finds everything else.
Status CheckBrackets(std::string_view value) {
  text::Scanner in(value, kForm);
  std::string closing;
  while (!in.AtEnd()) {
    if (!in.Take(in.PeekQuoted()).empty()) continue;
    const char c = in.Here();
    in.Take(std::string_view(&c, 1));
    const size_t kind = std::string_view("[({").find(c);
    if (kind != std::string_view::npos) {
      closing += "])}"[kind];
    } else if (c == '"') {
      return InvalidArgument("a text has no '\"' at its end");
    } else if (c == ']' || c == ')' || c == '}') {
      if (closing.empty()) return InvalidArgument("one '", std::string(1, c), "' too many");
      if (closing.back() != c)
        return InvalidArgument("expected '", std::string(1, closing.back()), "', got '",
                               std::string(1, c), "'");
      closing.pop_back();
    }
  }
  if (closing.empty()) return Status();
  return InvalidArgument("it has no '", std::string(1, closing.back()), "' at its end");
}

Status BadValue(std::string_view origin, std::string_view why) {
  return UsageError("E0004", StrCat("cannot read --input '", origin, "': ", why))
      .AddNote(
          "help: values are written as in the language: [1, 2], (1, \"x\"), {\"a\": 1}, Some(3)")
      .Clone();
}

// A function is a number in the program that it belongs to, and would be another one in the program
// that is run.
Status RefuseFunctions(const TernAny& value, int depth) {
  const std::string_view type = tern_any_type_name(&value);
  if (type == "closure") return InvalidArgument("a function cannot be given on the command line");
  if (depth == kDeepest) return InvalidArgument("values nest more than ", kDeepest, " deep");
  Value items;
  if (type == "map") TERN_TRY(FromApi(tern_map_values(&value, items.out())));
  const TernAny& parts = type == "map" ? items.get() : value;
  for (int32_t i = 0; i < tern_tuple_size(&parts); ++i) {
    Value item;
    TERN_TRY(FromApi(tern_tuple_get(&parts, i, item.out())));
    TERN_TRY(RefuseFunctions(item.get(), depth + 1));
  }
  return Status();
}

Result<Value> Evaluate(const Engine& engine, const std::string& program) {
  tern_compile_options compile = {};
  compile.struct_size = sizeof compile;
  compile.source_name = "--input";
  tern_buffer* executable = nullptr;
  TERN_TRY(FromApi(tern_compile_source(engine.runtime.get(), program.data(), program.size(),
                                       &compile, &executable, nullptr)));
  TERN_TRY_ASSIGN(const Program loaded, LoadBuffer(engine, Buffer(executable)));
  tern_vm_options limits = {};
  limits.struct_size = sizeof limits;
  limits.max_instructions = kMostInstructions;
  tern_vm* raw = nullptr;
  TERN_TRY(FromApi(tern_vm_create(loaded.get(), &limits, &raw)));
  const Machine machine(raw);
  Value value;
  TERN_TRY(FromApi(tern_vm_call(raw, "main", nullptr, 0, value.out())));
  TERN_TRY(RefuseFunctions(value.get(), 0));
  return value;
}

}  // namespace

bool TakesLiteral(const ParamInfo& param, std::string_view value) {
  if (param.tensor || value.starts_with('@')) return false;
  if (!param.declared.empty() || param.dtype == "list" || param.dtype.starts_with('(')) return true;
  return param.dtype == "any" && value.find_first_of("[({") == 0;
}

Result<std::string> ProgramOfValue(const ParamInfo& param, std::string_view value,
                                   std::string_view origin) {
  const Status brackets = CheckBrackets(value);
  if (!brackets.ok()) return BadValue(origin, brackets.message());
  if (StrTrim(value).empty()) return BadValue(origin, "there is no value");
  // The value stands on the first line, so that a message that names a line names one of the
  // user's.
  return StrCat("fn main()", param.declared.empty() ? "" : " -> ", param.declared, " { ", value,
                "\n}\n", param.declarations);
}

Result<Value> ValueOf(const Engine& engine, const NamedArray& input) {
  Result<Value> value = Evaluate(engine, input.program);
  // A limit is no mistake in the text.
  if (value.ok() || ExitCodeOf(value.status()) == kExitBudget) return value;
  return BadValue(input.origin, value.status().message());
}

}  // namespace tern::cli
