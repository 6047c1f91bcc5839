// SPDX-License-Identifier: Apache-2.0
#include "core/loop/report/report_parts.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/base/unknown_name.h"
#include "core/loop/text/parser.h"

namespace tern::loop {
namespace {

// The names of the function's size parameters, in order.
std::vector<std::string_view> SizeNames(const LoopFunction& function) {
  std::vector<std::string_view> names;
  for (const VarPtr& size : function.sizes) names.push_back(size->name);
  return names;
}

}  // namespace

Result<SourceFile> ParseReported(const LoweringRequest& request) {
  TERN_TRY_ASSIGN(SourceFile file, ParseLoops(request.file_name, request.text));
  if (file.definitions.empty() && file.program.functions.empty())
    return NotFound("'", request.file_name, "' has no function")
        .AddNote("help: begin one with te NAME(…) or primfn NAME(…); docs/loop-ir.md shows both")
        .SetErrorCode("E0206");
  return file;
}

Result<std::vector<Strategy>> ParseStrategies(std::string_view text) {
  std::vector<Strategy> strategies;
  for (std::string_view name : StrSplit(text, ',')) {
    TERN_TRY_ASSIGN(const Strategy strategy, NamedStrategy(StrTrim(name)));
    strategies.push_back(strategy);
  }
  return strategies;
}

Result<RunSizes> ChooseRunSizes(const LoopFunction& function,
                                std::span<const NamedSize> given_sizes, int64_t n) {
  RunSizes sizes;
  const std::vector<std::string_view> names = SizeNames(function);
  // A name that is no size is most likely misspelt, so it is an error, even if n is given.
  for (const auto& [name, value] : given_sizes) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      return NotFound("'", function.name, "' has no size '", name, "'; it has ",
                      names.empty() ? "none" : StrJoin(names, ", "))
          .SetErrorCode("E0005");
    if (value < 0) return InvalidArgument("the size '", name, "' is ", value).SetErrorCode("E0005");
  }
  // Named sizes win over n.
  for (const VarPtr& size : function.sizes) {
    int64_t value = n;
    for (const auto& [name, given] : given_sizes) {
      if (name == size->name) value = given;
    }
    if (value < 0)
      return InvalidArgument("the size '", size->name, "' of '", function.name, "' has no value")
          .AddNote(StrCat("help: give one to every size by --n, or to this one by --dim ",
                          size->name, "=18"))
          .SetErrorCode("E0005");
    sizes.values.push_back(value);
  }
  // Of a program without sizes, the first constant extent is reported as n.
  sizes.n = sizes.values.empty() ? -1 : sizes.values[0];
  if (sizes.n >= 0) return sizes;
  for (const BufferPtr& buffer : function.buffers) {
    const IntImm* extent = buffer->shape.empty() ? nullptr : AsInt(buffer->shape[0]);
    if (extent != nullptr && sizes.n < 0) sizes.n = extent->value;
  }
  return sizes;
}

Result<const LoopFunction*> ChooseFunction(const Program& program, std::string_view name) {
  // Without a name the first function is meant; ParseReported makes sure that there is one.
  if (name.empty()) return &program.functions[0];
  if (const LoopFunction* function = program.Find(name)) return function;
  std::vector<std::string_view> names;
  for (const LoopFunction& function : program.functions) names.push_back(function.name);
  return UnknownName("function", name, names).SetErrorCode("E0206").Clone();
}

void WriteCounters(const Counters& c, JsonWriter* json) {
  json->Field("vector_iterations", c.vector_iterations)
      .Field("scalar_iterations", c.scalar_iterations)
      .Field("last_active", c.last_active)
      .Field("utilisation", c.utilisation());
  json->Key("instructions").BeginObject();
  // Always all classes, so that readers of the JSON need not ask which there are.
  for (InstructionClass each :
       {InstructionClass::kLoad, InstructionClass::kStore, InstructionClass::kArith,
        InstructionClass::kPredicate, InstructionClass::kControl})
    json->Field(InstructionClassName(each), c.Of(each));
  json->EndObject().Field("bytes_loaded", c.bytes_loaded).Field("bytes_stored", c.bytes_stored);
}

}  // namespace tern::loop
