// SPDX-License-Identifier: Apache-2.0
// tern diff: two programs, two runs of programs on the same inputs, two records of runs, two
// profiles, or two files of arrays. The kind of the files decides; the exit code says whether they
// are the same.
#include <algorithm>
#include <map>

#include "core/base/strings.h"
#include "core/vm/debug/trace_diff.h"
#include "native/cli/api_json.h"
#include "native/cli/array_diff.h"
#include "native/cli/call.h"
#include "native/cli/executable_bytes.h"
#include "native/cli/limits.h"
#include "native/cli/npz.h"
#include "native/cli/outputs.h"
#include "native/cli/program_diff.h"
#include "native/cli/program_file.h"
#include "native/cli/recorded_run.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct DiffOptions {
  std::string a, b;
  bool run = false;
  InputOptions input;
  KernelChoice kernels;
  DiffTolerance tolerance;
  RunLimits limits;

  bool runs() const { return run || !input.inputs.empty() || input.fill_missing; }
};

// What a comparison found, in both forms of output.
struct DiffFindings {
  bool equal = true;
  Status limit;         // of two runs: the one that ended both, so that nothing can be said of them
  std::string text;     // for people, what differs; of equal files what was compared
  std::string members;  // JSON: an object
};

enum class FileKind { kProgram, kTrace, kProfile, kArrays };
constexpr const char* kFileKinds[] = {"program", "trace", "profile", "arrays"};

Result<FileKind> KindOf(const std::string& path) {
  // Arrays are known by their names, the rest by what is in the file: programs come in many endings
  // and on standard input.
  if (path.ends_with(".npy") || path.ends_with(".npz")) return FileKind::kArrays;
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(path));
  if (vm::SavedTrace::HasMark(file.file->bytes())) return FileKind::kTrace;
  // Profiles are the only JSON among them.
  return file.text().starts_with("{") ? FileKind::kProfile : FileKind::kProgram;
}

// --- programs

Result<DiffFindings> DiffPrograms(const DiffOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.limits.max_bytes));
  TERN_TRY_ASSIGN(const ExecutableBytes a, ReadExecutable(engine, options.a));
  TERN_TRY_ASSIGN(const ExecutableBytes b, ReadExecutable(engine, options.b));
  TERN_TRY_ASSIGN(const std::vector<ProgramChange> changes,
                  ComparePrograms(AsBytes(a.text()), AsBytes(b.text()), options.tolerance));
  DiffFindings found;
  found.equal = changes.empty();
  // Says what was compared, so that nobody takes it for more.
  found.text = changes.empty() ? "functions, constants, kernels and metadata are the same\n"
                               : ChangesText(changes);
  JsonWriter json;
  json.BeginObject().Key("changes");
  WriteChanges(changes, &json);
  found.members = json.EndObject().Take();
  return found;
}

// --- records

Result<DiffFindings> DiffTraces(const DiffOptions& options) {
  TERN_TRY_ASSIGN(const vm::SavedTrace a, ReadTrace(options.a));
  TERN_TRY_ASSIGN(const vm::SavedTrace b, ReadTrace(options.b));
  const std::optional<vm::Divergence> divergence = vm::FindDivergence(a, b);
  DiffFindings found;
  found.equal = !divergence.has_value();
  found.text = divergence ? vm::DivergenceText(*divergence, options.a, options.b)
                          : StrCat(vm::CommonSteps(a, b), " steps are the same\n");
  JsonWriter json;
  json.BeginObject().Field("steps", vm::CommonSteps(a, b)).Key("divergence");
  if (divergence) {
    vm::BeginDivergence(*divergence, &json);
    json.EndObject();
  } else {
    json.Null();
  }
  found.members = json.EndObject().Take();
  return found;
}

// --- runs

// One of the two programs that are run.
// Both are prepared before either runs: a mistake in the second must not come after minutes of the
// first.
struct Side {
  Program program;
  FunctionInfo function;
  std::vector<Value> arguments;
  uint64_t bytes_left = 0;  // of --max-memory, behind the inputs
};

Result<Side> Prepare(const Engine& engine, const DiffOptions& options, const std::string& path) {
  Side side;
  TERN_TRY_ASSIGN(side.program, LoadProgram(engine, path, options.kernels));
  TERN_TRY_ASSIGN(side.function, FindFunction(side.program, options.input.function));
  InputOptions input = options.input;
  // Made inputs have the same seed on both sides, so they are the same.
  input.fill_missing = options.run || input.fill_missing;
  // Inputs count towards the limit of the run that takes them, on each side alone.
  MemoryBudget budget = {.limit = options.limits.max_bytes};
  TERN_TRY_ASSIGN(const std::vector<NamedArray> arrays, BindInputs(input, side.function, &budget));
  side.bytes_left = BytesLeft(budget);
  TERN_TRY_ASSIGN(side.arguments, ToTensors(engine, arrays));
  return side;
}

// What a value that both runs have at one place differs in, where both are tensors.
struct TensorDifference {
  Array a;
  ArrayDifference difference;
};

std::optional<TensorDifference> CompareValues(const TernAny& a, const TernAny& b,
                                              const DiffTolerance& tolerance) {
  // Other values are compared whole, by tern_any_equal.
  if (std::string_view(tern_any_type_name(&a)) != "tensor" ||
      std::string_view(tern_any_type_name(&b)) != "tensor")
    return std::nullopt;
  Result<Array> array_a = FromTensor(a);
  const Result<Array> array_b = FromTensor(b);
  if (!array_a.ok() || !array_b.ok() || ElementSize(array_a->dtype) == 0 ||
      ElementSize(array_b->dtype) == 0)
    return std::nullopt;
  TensorDifference found;
  found.difference = CompareArrays(*array_a, *array_b, tolerance);
  found.a = *std::move(array_a);
  return found;
}

// The register's value behind the step, in a run that can be gone back in.
Result<Value> RegisterAt(const RecordedRun& run, const vm::Divergence& at) {
  const bool is_start = at.kind == vm::Divergence::Kind::kStart;
  // Behind the step that wrote it; at the start nothing has run yet.
  const uint64_t step = at.step + (is_start ? 0 : 1);
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_debugger_run(run.debugger.get(), TERN_DEBUG_SEEK, step, 0, &raw)));
  const Buffer stop(raw);
  TERN_TRY_ASSIGN(const vm::TraceState state, run.trace.StateAt(step));
  // A step that returned has no frame to look into.
  if (at.frame >= state.frames.size()) return NotFound("the frame has ended");
  Value value;
  // The debugger counts frames from the innermost, the record from the outermost.
  const auto frame = static_cast<uint32_t>(state.frames.size() - 1 - at.frame);
  TERN_TRY(FromApi(tern_debugger_register(run.debugger.get(), frame, at.reg, value.out())));
  return value;
}

class RunDiff {
 public:
  RunDiff(const DiffOptions& options, const Side& a, const Side& b)
      : options_(options), side_a_(a), side_b_(b) {}

  Result<DiffFindings> Run() {
    // Recorded, because which step differs first is known only when both have ended.
    TERN_TRY_ASSIGN(const RecordedRun a, Record(side_a_));
    TERN_TRY_ASSIGN(const RecordedRun b, Record(side_b_));
    TERN_TRY(CompareOutputs(a, b));
    JsonWriter json;
    json.BeginObject().Key("outputs").Raw(outputs_.EndArray().text()).Key("divergence");
    // A step whose tensors agree within the tolerances is passed over, and the search goes on.
    Tolerant filter(*this, a, b);
    const std::optional<vm::Divergence> divergence = vm::FindDivergence(a.trace, b.trace, &filter);
    if (divergence) {
      AppendDivergence(*divergence);
      vm::BeginDivergence(*divergence, &json);
      if (tensor_) {
        json.Key("tensor").BeginObject();
        WriteDifference(tensor_->difference, tensor_->a, &json);
        json.EndObject();
      }
      json.EndObject();
    } else {
      json.Null();
      if (found_.equal)
        StrAppend(&found_.text, has_outputs_ ? "outputs and " : "",
                  vm::CommonSteps(a.trace, b.trace), " steps are the same\n");
    }
    if (!found_.limit.ok()) json.Field("limit", found_.limit.error_code());
    found_.members = json.EndObject().Take();
    return std::move(found_);
  }

 private:
  Result<RecordedRun> Record(const Side& side) const {
    return RecordRun(side.program, side.function.name, Borrow(side.arguments),
                     options_.limits.ForDebugger(side.bytes_left));
  }

  Status CompareOutputs(const RecordedRun& a, const RecordedRun& b) {
    outputs_.BeginArray();
    Value result_a, result_b;
    const Status failed_a = FromApi(tern_debugger_result(a.debugger.get(), result_a.out()));
    const Status failed_b = FromApi(tern_debugger_result(b.debugger.get(), result_b.out()));
    if (!failed_a.ok() || !failed_b.ok()) {
      // Where both end by a limit, nothing was compared: that is neither equal nor different.
      if (IsLimit(failed_a) && IsLimit(failed_b)) {
        found_.limit = failed_a.Clone();
        has_outputs_ = false;
        return OkStatus();
      }
      // Two runs that fail alike are the same; one that fails alone is not.
      if (failed_a.error_code() == failed_b.error_code() &&
          failed_a.message() == failed_b.message()) {
        StrAppend(&found_.text, "both ", EndText(failed_a), "\n");
        has_outputs_ = false;
        return OkStatus();
      }
      found_.equal = false;
      StrAppend(&found_.text, "a ", EndText(failed_a), "\nb ", EndText(failed_b), "\n");
      return OkStatus();
    }
    TERN_TRY_ASSIGN(const std::vector<Value> values_a,
                    UnpackResults(std::move(result_a), side_a_.function));
    TERN_TRY_ASSIGN(const std::vector<Value> values_b,
                    UnpackResults(std::move(result_b), side_b_.function));
    if (values_a.size() != values_b.size()) {
      found_.equal = false;
      // Outputs that only one side has are told once, here; those that both have are compared all
      // the same.
      StrAppend(&found_.text, values_a.size(), " outputs against ", values_b.size(), "\n");
    }
    for (size_t i = 0; i < std::min(values_a.size(), values_b.size()); ++i)
      TERN_TRY(CompareOutput(i, values_a[i].get(), values_b[i].get()));
    return OkStatus();
  }

  static std::string EndText(const Status& status) {
    return status.ok() ? "returned" : StrCat("ended: ", status.message());
  }

  Status CompareOutput(size_t i, const TernAny& a, const TernAny& b) {
    const auto& results = side_a_.function.results;
    const std::string name =
        i < results.size() && !results[i].name.empty() ? results[i].name : StrCat("output", i);
    outputs_.BeginObject().Field("name", name);
    // Also of equal tensors the largest difference is told.
    if (const auto tensor = CompareValues(a, b, options_.tolerance)) {
      outputs_.Field("equal", tensor->difference.equal());
      WriteDifference(tensor->difference, tensor->a, &outputs_);
      if (!tensor->difference.equal())
        Different(name, DifferenceText(tensor->difference, tensor->a));
    } else {
      int32_t equal = 0;
      tern_buffer* raw = nullptr;
      TERN_TRY(FromApi(tern_any_equal(&a, &b, &equal, &raw)));
      const Buffer difference(raw);
      outputs_.Field("equal", equal != 0);
      if (equal == 0) {
        outputs_.Field("difference", Text(difference));
        Different(name, Text(difference));
      }
    }
    outputs_.EndObject();
    return OkStatus();
  }

  void Different(std::string_view name, std::string_view how) {
    found_.equal = false;
    StrAppend(&found_.text, name, ": ", how, "\n");
  }

  // Asked at each step that differs. The answer needs the values themselves, for which both
  // debuggers go back to the step.
  class Tolerant final : public vm::DivergenceFilter {
   public:
    Tolerant(RunDiff& diff, const RecordedRun& a, const RecordedRun& b)
        : diff_(diff), a_(a), b_(b) {}
    bool Accept(const vm::Divergence& at) override { return diff_.IsAccepted(a_, b_, at); }

   private:
    RunDiff& diff_;
    const RecordedRun& a_;
    const RecordedRun& b_;
  };

  // Within the tolerances; remembers the last that was not.
  bool IsAccepted(const RecordedRun& a, const RecordedRun& b, const vm::Divergence& at) {
    const Result<Value> value_a = RegisterAt(a, at), value_b = RegisterAt(b, at);
    tensor_.reset();
    if (!value_a.ok() || !value_b.ok()) return false;
    tensor_ = CompareValues(value_a->get(), value_b->get(), options_.tolerance);
    return tensor_ && tensor_->difference.equal();
  }

  // Programs that are built differently go different ways, which is no fault while outputs agree.
  void AppendDivergence(const vm::Divergence& divergence) {
    const bool agree = found_.equal && has_outputs_;
    StrAppend(&found_.text, agree ? "outputs are the same; first difference inside: " : "",
              vm::DivergenceText(divergence, "a", "b"));
    if (tensor_ && !tensor_->difference.equal())
      StrAppend(&found_.text, "  ", DifferenceText(tensor_->difference, tensor_->a), "\n");
  }

  const DiffOptions& options_;
  const Side& side_a_;
  const Side& side_b_;
  DiffFindings found_;
  bool has_outputs_ = true;  // false: both runs failed alike
  JsonWriter outputs_;
  std::optional<TensorDifference> tensor_;
};

Result<DiffFindings> DiffRuns(const DiffOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.limits.max_bytes));
  TERN_TRY_ASSIGN(const Side a, Prepare(engine, options, options.a));
  TERN_TRY_ASSIGN(const Side b, Prepare(engine, options, options.b));
  return RunDiff(options, a, b).Run();
}

// --- arrays

Result<std::vector<NamedArray>> ReadArrays(const std::string& path) {
  std::vector<NamedArray> arrays;
  if (path.ends_with(".npz")) {
    TERN_TRY(ReadNpz(path, nullptr, &arrays));
    return arrays;
  }
  TERN_TRY_ASSIGN(const native::MappedFile file, OpenData(path));
  NamedArray array;
  TERN_TRY_ASSIGN(array.array, ParseNpy(file.bytes(), path));
  arrays.push_back(std::move(array));
  return arrays;
}

Result<DiffFindings> DiffArrays(const DiffOptions& options) {
  TERN_TRY_ASSIGN(const std::vector<NamedArray> a, ReadArrays(options.a));
  TERN_TRY_ASSIGN(const std::vector<NamedArray> b, ReadArrays(options.b));
  // By name and not by place: bundles of the same arrays may list them in another order.
  std::map<std::string, std::pair<const Array*, const Array*>> names;
  for (const NamedArray& array : a) names[array.name].first = &array.array;
  for (const NamedArray& array : b) names[array.name].second = &array.array;
  DiffFindings found;
  JsonWriter json;
  json.BeginObject().Key("arrays").BeginArray();
  for (const auto& [name, pair] : names) {
    json.BeginObject().Field("name", name);
    const std::string shown = name.empty() ? "" : StrCat(name, ": ");
    if (pair.first == nullptr || pair.second == nullptr) {
      found.equal = false;
      const char* const only = pair.first != nullptr ? "a" : "b";
      json.Field("equal", false).Field("only", only);
      StrAppend(&found.text, shown, "only in ", only, "\n");
    } else {
      const ArrayDifference difference =
          CompareArrays(*pair.first, *pair.second, options.tolerance);
      json.Field("equal", difference.equal());
      WriteDifference(difference, *pair.first, &json);
      if (!difference.equal()) {
        found.equal = false;
        StrAppend(&found.text, shown, DifferenceText(difference, *pair.first), "\n");
      }
    }
    json.EndObject();
  }
  json.EndArray();
  found.members = json.EndObject().Take();
  if (found.equal)
    found.text =
        StrCat(names.size(), names.size() == 1 ? " array is" : " arrays are", " the same\n");
  return found;
}

// --- profiles

struct OperatorTime {
  uint64_t count = 0;
  double ns = 0;
};
using OperatorTimes = std::map<std::string, OperatorTime>;

Status NotAProfile(const std::string& path, std::string_view why) {
  return Corrupt("'", path, "' is no profile: ", why)
      .SetErrorCode("E0502")
      .AddNote("help: tern profile FILE --format json writes one")
      .Clone();
}

Result<OperatorTimes> ReadProfile(const std::string& path) {
  TERN_TRY_ASSIGN(const native::MappedFile file, OpenData(path));
  const Result<JsonValue> json = ParseJson(AsText(file.bytes()));
  if (!json.ok()) return NotAProfile(path, json.status().message());
  const JsonValue* const operators = json->Find("operators");
  if (operators == nullptr || !operators->is(JsonValue::Kind::kArray))
    return NotAProfile(path, "it has no list 'operators'");
  OperatorTimes times;
  for (const JsonValue& each : operators->items) {
    const JsonValue *name = each.Find("name"), *count = each.Find("count"),
                    *ns = each.Find("totalNs");
    if (name == nullptr || count == nullptr || ns == nullptr)
      return NotAProfile(path, "an operator lacks 'name', 'count' or 'totalNs'");
    // An operator may be listed more than once; its times are added.
    OperatorTime& time = times[name->text];
    time.count += ParseUint64(count->text).value_or(0);
    time.ns += ParseDouble(ns->text).value_or(0);
  }
  return times;
}

// Times are never the same; profiles differ where they have other operators or counts.
Result<DiffFindings> DiffProfiles(const DiffOptions& options) {
  TERN_TRY_ASSIGN(const OperatorTimes a, ReadProfile(options.a));
  TERN_TRY_ASSIGN(const OperatorTimes b, ReadProfile(options.b));
  OperatorTimes both = a;
  both.insert(b.begin(), b.end());
  std::vector<std::string> names;
  for (const auto& [name, time] : both) names.push_back(name);
  const auto of = [](const OperatorTimes& times, const std::string& name) {
    const auto at = times.find(name);
    return at == times.end() ? OperatorTime() : at->second;
  };
  const auto change = [&](const std::string& name) { return of(b, name).ns - of(a, name).ns; };
  std::sort(names.begin(), names.end(), [&](const std::string& x, const std::string& y) {
    // The largest change of time first, whichever way it went; names decide among equal ones.
    return std::pair(-std::abs(change(x)), x) < std::pair(-std::abs(change(y)), y);
  });
  DiffFindings found;
  JsonWriter json;
  json.BeginObject().Key("operators").BeginArray();
  for (const std::string& name : names) {
    const OperatorTime x = of(a, name), y = of(b, name);
    found.equal = found.equal && x.count == y.count;
    json.BeginObject().Field("name", name).Field("a_count", x.count).Field("b_count", y.count);
    json.Field("a_ns", x.ns).Field("b_ns", y.ns).EndObject();
    StrAppend(&found.text, name, ": ", x.count, " calls, ", FormatDoubleDigits(x.ns / 1e3, 4),
              " us against ", y.count, " calls, ", FormatDoubleDigits(y.ns / 1e3, 4), " us");
    if (x.ns > 0) StrAppend(&found.text, " (x ", FormatDoubleDigits(y.ns / x.ns, 3), ")");
    found.text += "\n";
  }
  json.EndArray();
  found.members = json.EndObject().Take();
  return found;
}

// --- the verb

Result<DiffFindings> Compare(FileKind kind, const DiffOptions& options,
                             const GlobalOptions& globals) {
  switch (kind) {
    case FileKind::kTrace: return DiffTraces(options);
    case FileKind::kProfile: return DiffProfiles(options);
    case FileKind::kArrays: return DiffArrays(options);
    case FileKind::kProgram: break;
  }
  return options.runs() ? DiffRuns(options, globals) : DiffPrograms(options, globals);
}

void PrintFindings(const DiffFindings& found, const char* kind, const DiffOptions& options,
                   const GlobalOptions& globals) {
  const bool same = found.equal && found.limit.ok();
  // With -q the exit code tells that two files are the same. What differs is printed all the same.
  if (globals.quiet && same) return;
  if (!globals.json()) return Print(found.text);
  JsonWriter json = BeginAnswer();
  json.Field("kind", kind).Field("a", options.a).Field("b", options.b);
  json.Field("equal", same);
  const JsonValue members = ParseAnswer(found.members);
  for (size_t i = 0; i < members.items.size(); ++i) {
    json.Key(members.names[i]);
    WriteJson(members.items[i], &json);
  }
  json.EndObject();
  Print(StrCat(json.text(), "\n"));
}

Status Diff(const DiffOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const FileKind kind, KindOf(options.a));
  TERN_TRY_ASSIGN(const FileKind other, KindOf(options.b));
  const char* const name = kFileKinds[static_cast<size_t>(kind)];
  if (kind != other)
    return UsageError(
        "E0003", StrCat("'", options.a, "' and '", options.b, "' are files of two kinds: ", name,
                        " and ", kFileKinds[static_cast<size_t>(other)]));
  if (options.runs() && kind != FileKind::kProgram)
    return UsageError("E0003", StrCat("--run and --input are for programs, and '", options.a,
                                      "' is of the kind ", name));
  TERN_TRY_ASSIGN(const DiffFindings found, Compare(kind, options, globals));
  PrintFindings(found, options.runs() ? "run" : name, options, globals);
  // Neither 0 nor the code of a difference: a script must not take a limit for an answer.
  if (!found.limit.ok())
    return NothingCompared("both runs ended before there were outputs to compare", found.limit);
  if (found.equal) return Status();
  return Failed("'", options.a, "' and '", options.b, "' differ").SetErrorCode("M0103");
}

}  // namespace

CommandAction SetupDiff(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<DiffOptions>();
  app->add_option("a", options->a,
                  "a program of any kind, a .terntrace, the JSON of `tern profile`, .npy or .npz")
      ->required();
  app->add_option("b", options->b, "another of the same kind")->required();
  app->add_flag("--run", options->run,
                "run both programs on the same inputs, random ones where none are given");
  AddInputOptions(app, &options->input);
  AddKernelOptions(app, &options->kernels);
  AddAmount(app, "--rtol", &options->tolerance.rtol, "relative tolerance of elements (default 0)");
  AddAmount(app, "--atol", &options->tolerance.atol, "absolute tolerance of elements (default 0)");
  AddCount(app, "--max-ulp", &options->tolerance.max_ulp,
           "floats so many steps apart are the same (default 0)");
  AddRunLimits(app, &options->limits);
  return [options, globals] { return Diff(*options, *globals); };
}

}  // namespace tern::cli
