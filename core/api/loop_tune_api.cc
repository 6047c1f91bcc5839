// SPDX-License-Identifier: Apache-2.0
// The search for schedules, measured where this code does not run.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/api/handles.h"
#include "core/api/loop_api.h"
#include "core/api/loop_request.h"
#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/loop/emit/wasm_module.h"
#include "core/loop/text/parser.h"
#include "core/loop/text/printer.h"
#include "core/loop/tune/reference_run.h"
#include "core/loop/tune/sizes.h"
#include "core/loop/tune/tuner.h"

// Must stay where it is made: the search points into the file, the run into the search.
struct tern_loop_tuner {
  tern::loop::SourceFile file;
  std::optional<tern::loop::tune::Tuner> search;
  std::optional<tern::loop::tune::ReferenceRun> run;
  std::vector<int64_t> sizes;
  size_t told = 0;  // of the search's entries
};

namespace tern::api {
namespace {

using loop::tune::LogEntry;
using loop::tune::Trial;
using loop::tune::Tuner;

// Errors (E0003): too few trials, or a gain that is no fraction.
Result<loop::tune::TuneOptions> OptionsOf(const tern_loop_tune_request& request) {
  loop::tune::TuneOptions options;
  options.function = TextOr(request.function, "");
  // The caller is a page, which measures WebAssembly.
  options.target = loop::FindTarget("wasm32");
  options.seed = request.seed;
  options.trials = request.trials;
  options.min_gain = request.min_gain;
  if (options.trials < Tuner::kMinTrials)
    return InvalidArgument("a search of ", options.trials, " schedules: expected ",
                           Tuner::kMinTrials, " or more")
        .SetErrorCode("E0003");
  // Written so that NaN is refused too.
  if (!(options.min_gain >= 0 && options.min_gain < 1))
    return InvalidArgument("a gain of ", options.min_gain, ": expected from 0 to less than 1")
        .SetErrorCode("E0003");
  return options;
}

// A search without a log gives an empty text, which has no entries.
Status ReadLog(std::string_view log, Tuner* search) {
  const auto sources = std::make_shared<text::SourceMap>();
  text::Diagnostics diagnostics(sources);
  search->Resume(loop::tune::ReadLog("tuning log", log, sources.get(), &diagnostics));
  return diagnostics.ok() ? OkStatus() : diagnostics.ToStatus();
}

// Parses, chooses sizes, reads the log and makes a run ready, in this order.
Result<std::unique_ptr<tern_loop_tuner>> Create(std::string_view text,
                                                const tern_loop_tune_request& request) {
  auto tuner = std::make_unique<tern_loop_tuner>();
  const std::string_view name = TextOr(request.source_name, "program.tloop");
  TERN_TRY_ASSIGN(tuner->file, loop::ParseLoops(name, text));
  TERN_TRY_ASSIGN(const loop::tune::TuneOptions options, OptionsOf(request));
  TERN_TRY_ASSIGN(Tuner search, Tuner::Make(tuner->file, options));
  // Only now at its place: what the search points to must not move any more.
  tuner->search.emplace(std::move(search));
  const loop::LoopFunction& as_written = tuner->search->as_written().lowered;
  TERN_TRY_ASSIGN(const auto named, ReadSizes(TextOr(request.sizes, "")));
  TERN_TRY_ASSIGN(tuner->sizes, loop::tune::ChooseSizes(as_written, named));
  // Ahead of the log, because entries of other sizes are skipped.
  tuner->search->MeasureAt(tuner->sizes);
  TERN_TRY(ReadLog(TextOr(request.log, ""), &*tuner->search));
  const int64_t steps = request.max_steps > 0 ? request.max_steps : kDefaultLoopSteps;
  // Runs the program as written once, which shows that emitted code stays inside its buffers.
  TERN_TRY_ASSIGN(auto run, loop::tune::ReferenceRun::Make(as_written, tuner->sizes, steps));
  tuner->run.emplace(std::move(run));
  return tuner;
}

// A NULL handle is an error of the caller.
Status CheckHandle(const tern_loop_tuner* tuner) {
  return tuner == nullptr ? InvalidArgument("the tuner is NULL") : OkStatus();
}

// What a page needs to call the emitted functions: names, sizes, slots and buffers.
Result<std::string> Describe(tern_loop_tuner* tuner) {
  TERN_TRY(CheckHandle(tuner));
  const loop::LoopFunction& function = tuner->search->as_written().lowered;
  JsonWriter json;
  json.BeginObject().Field("function", tuner->search->as_written().lowered.name).Key("sizes");
  json.BeginObject();
  for (size_t i = 0; i < tuner->sizes.size(); ++i)
    json.Field(function.sizes[i]->name, tuner->sizes[i]);
  json.EndObject().Key("slots").BeginArray();
  const loop::RunArguments arguments = tuner->run->arguments();
  // As text: JSON numbers of JavaScript lose bits of int64.
  for (const int64_t size : arguments.sizes) json.String(StrCat(size));
  for (const uint64_t bits : arguments.scalars) json.String(StrCat(bits));
  json.EndArray().Key("buffers").BeginArray();
  for (size_t i = 0; i < tuner->run->buffer_count(); ++i) {
    json.BeginObject().Field("name", tuner->run->buffer(i).name);
    json.Field("result", tuner->run->is_result(i)).EndObject();
  }
  return json.EndArray().EndObject().Take();
}

// The next candidate, and the entries that are new since the last call.
Result<std::string> Next(tern_loop_tuner* tuner) {
  TERN_TRY(CheckHandle(tuner));
  Tuner& search = *tuner->search;
  const Trial* trial = search.Next();
  JsonWriter json;
  json.BeginObject().Field("done", trial == nullptr);
  json.Field("choice", trial == nullptr ? std::string_view() : trial->choice);
  json.Field("baseline", trial != nullptr && search.space().IsBaseline(trial->point));
  json.Key("entries").BeginArray();
  // Entries are told once; `told` remembers which.
  for (; tuner->told < search.entries().size(); ++tuner->told) {
    const LogEntry& entry = search.entries()[tuner->told];
    json.BeginObject().Field("line", loop::tune::ToLine(entry)).Field("known", entry.is_known);
    json.EndObject();
  }
  return json.EndArray().EndObject().Take();
}

Status CheckPending(tern_loop_tuner* tuner) {
  TERN_TRY(CheckHandle(tuner));
  if (tuner->search->Next() != nullptr) return OkStatus();
  return InvalidArgument("the search is at its end: there is no candidate");
}

Result<Trial> TrialOf(tern_loop_tuner* tuner, int32_t which) {
  TERN_TRY(CheckHandle(tuner));
  if (which == TERN_TUNE_AS_WRITTEN) return tuner->search->as_written();
  if (which == TERN_TUNE_BEST) return tuner->search->BestTrial();
  if (which != TERN_TUNE_CANDIDATE)
    return InvalidArgument("which is ", which, ", expected 0, 1 or 2");
  TERN_TRY(CheckPending(tuner));
  // A copy, because the tuner's own goes away with the next report.
  return *tuner->search->Next();
}

Result<loop::WasmModule> Emit(tern_loop_tuner* tuner, int32_t which, bool relaxed) {
  TERN_TRY_ASSIGN(Trial trial, TrialOf(tuner, which));
  loop::Program program;
  // Lowered before: a candidate is what its schedule made of the program.
  program.functions.push_back(std::move(trial.lowered));
  return loop::EmitWasm(program, {.relaxed_simd = relaxed});
}

Status Check(tern_loop_tuner* tuner, uint32_t index, const void* data, size_t bytes) {
  TERN_TRY(CheckHandle(tuner));
  if (index >= tuner->run->buffer_count())
    return OutOfRange("buffer ", index, " of ", tuner->run->buffer_count());
  if (data == nullptr && bytes > 0) return InvalidArgument("the buffer is NULL, of ", bytes);
  return tuner->run->Compare(index, {static_cast<const uint8_t*>(data), bytes});
}

Result<std::string> ResultOf(tern_loop_tuner* tuner, int32_t which) {
  TERN_TRY_ASSIGN(const Trial trial, TrialOf(tuner, which));
  const Tuner& search = *tuner->search;
  JsonWriter json;
  return json.BeginObject()
      .Field("text", loop::ToText(trial.file))
      .Field("choice", trial.choice)
      .Field("schedule", trial.schedule)
      .Field("ratio", which == TERN_TUNE_BEST ? search.best().ratio : 1.0)
      .Field("measured", static_cast<int64_t>(search.entries().size()))
      .Field("resumed", static_cast<int64_t>(search.resumed()))
      .EndObject()
      .Take();
}

}  // namespace
}  // namespace tern::api

using namespace tern::api;  // NOLINT: the functions below give those above to C

tern_status* tern_loop_tuner_create(const char* text, size_t size,
                                    const tern_loop_tune_request* request,
                                    tern_loop_tuner** tuner) {
  TERN_CHECK_OPTIONS(tern_loop_tune_request, request);
  if (text == nullptr && size > 0)
    return ToHandle(tern::InvalidArgument("the program's text is NULL, of ", size, " bytes"));
  auto made = Create({text, size}, ReadOptions(request));
  if (!made.ok()) return ToHandle(std::move(made).status());
  *tuner = made->release();
  return nullptr;
}

void tern_loop_tuner_free(tern_loop_tuner* tuner) { delete tuner; }

tern_status* tern_loop_tuner_describe(tern_loop_tuner* tuner, tern_buffer** json) {
  return Give(Describe(tuner), json);
}

const void* tern_loop_tuner_buffer(tern_loop_tuner* tuner, uint32_t index, size_t* bytes) {
  if (tuner == nullptr || index >= tuner->run->buffer_count()) return nullptr;
  // As it was before the run, so that the page's code begins with the same numbers.
  const auto before = tuner->run->before(index);
  *bytes = before.size();
  return before.data();
}

tern_status* tern_loop_tuner_next(tern_loop_tuner* tuner, tern_buffer** json) {
  return Give(Next(tuner), json);
}

tern_status* tern_loop_tuner_emit_wasm(tern_loop_tuner* tuner, int32_t which, int32_t relaxed_simd,
                                       tern_buffer** module, uint32_t* scratch_bytes) {
  auto made = Emit(tuner, which, relaxed_simd != 0);
  if (!made.ok()) return ToHandle(std::move(made).status());
  *module = NewBuffer(std::move(made->bytes));
  *scratch_bytes = made->scratch_bytes;
  return nullptr;
}

tern_status* tern_loop_tuner_check(tern_loop_tuner* tuner, uint32_t index, const void* data,
                                   size_t bytes) {
  return ToHandle(Check(tuner, index, data, bytes));
}

tern_status* tern_loop_tuner_report(tern_loop_tuner* tuner, double cost, double default_cost,
                                    const char* unit) {
  tern::Status pending = CheckPending(tuner);
  if (!pending.ok()) return ToHandle(std::move(pending));
  tuner->search->Report({cost, default_cost, std::string(TextOr(unit, "ns"))});
  return nullptr;
}

tern_status* tern_loop_tuner_fail(tern_loop_tuner* tuner, const char* why) {
  tern::Status pending = CheckPending(tuner);
  if (!pending.ok()) return ToHandle(std::move(pending));
  tuner->search->ReportError(TextOr(why, ""));
  return nullptr;
}

tern_status* tern_loop_tuner_result(tern_loop_tuner* tuner, int32_t which, tern_buffer** json) {
  return Give(ResultOf(tuner, which), json);
}
