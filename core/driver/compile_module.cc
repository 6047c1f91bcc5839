// SPDX-License-Identifier: Apache-2.0
// Passes and code generation.
#include "core/driver/compile_module.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/driver/evaluate.h"
#include "core/driver/listings.h"
#include "core/driver/pipeline.h"
#include "core/ir/passes/analyze_liveness.h"
#include "core/ir/passes/plan_memory.h"
#include "core/ir/splat.h"
#include "core/ir/text/printer.h"
#include "core/ir/visitor.h"
#include "core/loop/text/printer.h"
#include "core/ops/dims.h"
#include "core/text/diagnostics.h"
#include "core/vm/text/disassembler.h"

namespace tern::driver {

namespace {

// Stages behind the passes, shown only where they are asked for by name.
constexpr std::string_view kLivenessStage = "liveness";
constexpr std::string_view kMemoryStage = "memory";
constexpr std::string_view kMemoryJsonStage = "memory_json";
constexpr std::string_view kKernelsStage = "kernels";
constexpr std::string_view kRegistersStage = "allocate_registers";
constexpr std::string_view kConstantsStage = "layout_constants";
constexpr std::string_view kCodeStage = "code";

// "simplify" also means its further runs, "simplify-2" and so on.
bool MatchesStage(std::string_view wanted, std::string_view stage) {
  return wanted == "all" || wanted == stage || stage.starts_with(StrCat(wanted, "-"));
}

// The loop programs of the module, as the text of one file.
std::string KernelsText(const ir::Module& module) {
  std::string text;
  for (const ir::Module::Item& item : module.items()) {
    if (item.kernel != nullptr)
      StrAppend(&text, text.empty() ? "" : "\n", loop::ToText(*item.kernel));
  }
  return text;
}

}  // namespace

// Keeps the text of the stages that were asked for.
struct ModuleCompilation::StageSink {
  const std::vector<std::string> wanted;
  const std::optional<ir::Sizes> sizes;
  std::vector<Stage> stages;

  void Add(std::string_view stage, const ir::Module& module) {
    const auto matches = [&](const std::string& name) { return MatchesStage(name, stage); };
    if (std::none_of(wanted.begin(), wanted.end(), matches)) return;
    Stage& made = stages.emplace_back();
    made.name = stage;
    made.text = ir::ToText(module, {.lines = &made.origins});
  }
  bool IsWanted(std::string_view stage) const {
    return std::find(wanted.begin(), wanted.end(), stage) != wanted.end();
  }
  // What analyses say of the module that code is generated from.
  void AddListings(const ir::Module& module) {
    if (IsWanted(kLivenessStage))
      stages.push_back({std::string(kLivenessStage), ir::LivenessText(module), {}});
    if (IsWanted(kKernelsStage))
      stages.push_back({std::string(kKernelsStage), KernelsText(module), {}});
    if (IsWanted(kMemoryStage))
      stages.push_back({std::string(kMemoryStage), ir::MemoryPlanText(module), {}});
    if (!IsWanted(kMemoryJsonStage)) return;
    JsonWriter json;
    ir::WriteMemoryPlanJson(module, sizes ? &*sizes : nullptr, &json);
    stages.push_back({std::string(kMemoryJsonStage), json.Take(), {}});
  }
};

namespace {

Status NoPass(const std::string& message, const std::string& help) {
  text::Diagnostics diagnostics;
  text::Diagnostic& error = diagnostics.Error("E0013", message);
  if (!help.empty()) error.Help(help);
  return diagnostics.ToStatus();
}

// A name of a pass that does not exist is a mistake of the caller and must not be ignored.
Status CheckNames(const std::vector<std::string>& names, std::string_view option,
                  std::string_view first) {
  std::vector<std::string_view> known;
  for (const PipelineStage& stage : PipelineStages()) {
    known.push_back(stage.name);
    known.push_back(stage.pass);
  }
  known.push_back(kMemoryStage);
  if (!first.empty()) {
    known.insert(known.end(), {first, kLivenessStage, kMemoryJsonStage, kKernelsStage,
                               kRegistersStage, kConstantsStage, kCodeStage, "all"});
  }
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string_view near = DidYouMean(name, known);
    return NoPass(StrCat("there is no pass '", name, "' to ", option),
                  near.empty() ? "" : StrCat("did you mean '", near, "'?"));
  }
  return OkStatus();
}

std::vector<std::string> DisabledBy(const CompileOptions& options) {
  std::vector<std::string> disabled = options.disabled_passes;
  if (options.exact_convolutions) disabled.push_back("pack_winograd");
  return disabled;
}

// Nothing would be printed after a pass that does not run, which looks like a program without
// functions. One that runs several times is printed after those runs that are left.
Status CheckRuns(const CompileOptions& options, std::string_view first_stage) {
  const std::vector<std::string> disabled = DisabledBy(options);
  for (const std::string& name : options.print_after) {
    std::string_view before = first_stage;
    bool is_found = false, runs = name == "all";
    for (const PipelineStage& stage : PipelineStages()) {
      const bool is_disabled = IsDisabled(disabled, stage),
                 matches = MatchesStage(name, stage.name);
      runs = runs || (matches && !is_disabled);
      is_found = is_found || matches;
      if (!is_found && !is_disabled) before = stage.name;
    }
    if (runs || !is_found) continue;
    return NoPass(StrCat("the pass '", name, "' to print after is disabled"),
                  StrCat("the program comes to it as it is after '", before, "'"));
  }
  return OkStatus();
}

// The limits, in units of work and in bytes, of what the compiler computes. A file of a few bytes
// can ask for constants of any size; the run computes what is beyond these limits, and has limits
// of its own.
constexpr int64_t kMostFoldingWork = int64_t{1} << 33;
constexpr int64_t kMostMadeBytes = int64_t{1} << 28;
constexpr int64_t kBytesPerByte = 8;  // forms of the same weights that passes make and keep

int64_t MostBytesOfConstants(const ir::Module& module) {
  int64_t bytes = 0;
  for (const ir::Module::Item& item : module.items()) {
    ir::ForEachUse(item.function->bindings(), item.function->result(), [&](const ir::Expr& atom) {
      const Tensor* tensor = ir::ConstantWindow(atom);
      // Splats are stored as one element.
      if (tensor == nullptr || ir::SplatElement(*tensor)) return;
      bytes = ops::AddDim(bytes, tensor->dtype().bytes_for(tensor->element_count()).value_or(0));
    });
  }
  return ops::AddDim(kMostMadeBytes, ops::MulDim(kBytesPerByte, bytes));
}

}  // namespace

// The naive allocator, whose limit is exact; memory of folded constants is kept anyway.
CompileMemory::CompileMemory(uint64_t max_bytes, const TernPlatform* platform)
    : allocator_(MakeNaiveAllocator(platform)), account_(allocator_.get(), "the compiler") {
  if (max_bytes == 0) return;
  // kNoLimit itself would switch the account off.
  constexpr auto kMost = static_cast<uint64_t>(MemoryAccount::kNoLimit - 1);
  account_.set_limit(static_cast<int64_t>(std::min(max_bytes, kMost)));
}

std::string StagesJson(const std::vector<Stage>& stages) {
  JsonWriter json;
  json.BeginArray();
  for (const Stage& stage : stages) {
    json.BeginObject().Field("name", stage.name).Field("text", stage.text);
    json.Key("origins").BeginArray();
    for (const auto& [line, origin] : stage.origins) {
      json.BeginArray().Uint(line);
      json.String(origin);
      json.EndArray();
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
  return json.Take();
}

Status CheckStageNames(const CompileOptions& options, std::string_view first_stage) {
  TERN_TRY(CheckNames(options.disabled_passes, "disable", {}));
  TERN_TRY(CheckNames(options.print_after, "print after", first_stage));
  return CheckRuns(options, first_stage);
}

ModuleCompilation::ModuleCompilation(ir::Module module, const CompileOptions& options,
                                     std::string_view first_stage, CompileMemory* memory)
    : sink_(new StageSink{options.print_after, options.sizes, {}}),
      context_(memory->allocator()),
      code_{.places_tensors = !IsDisabled(options.disabled_passes, {kMemoryStage, kMemoryStage}),
            .aligned = options.aligned,
            .keeper = options.keeper} {
  // Noted in the file, because loops are compiled for relaxed arithmetic when it is loaded.
  if (options.relaxed_math) module.SetMetadata("math", "relaxed");
  sink_->Add(first_stage, module);
  memory->account().set_tensor_limit(MostBytesOfConstants(module));
  context_.set_work_left(kMostFoldingWork, "S0301");
  context_.set_kernels(options.kernels);
  const auto forward = [](void* raw, std::string_view stage, const ir::Module& after) {
    static_cast<StageSink*>(raw)->Add(stage, after);
  };
  passes_.emplace(std::move(module), PipelineOptions{.disabled = DisabledBy(options),
                                                     .evaluator = KernelEvaluator(&context_),
                                                     .allocator = memory->allocator().get(),
                                                     .relaxed_math = options.relaxed_math,
                                                     .sink = forward,
                                                     .sink_context = sink_.get(),
                                                     .progress = options.progress,
                                                     .pages = options.pages});
}

ModuleCompilation::~ModuleCompilation() = default;

Result<CompileResult> ModuleCompilation::Finish() {
  const ir::Module module = passes_->TakeModule();
  sink_->AddListings(module);
  std::vector<ir::RegisterAssignment> assignments;
  TERN_TRY_ASSIGN(vm::ExecutablePtr executable, ir::GenerateCode(module, &assignments, code_));
  TERN_TRY(CheckMemory());
  if (sink_->IsWanted(kRegistersStage))
    sink_->stages.push_back({std::string(kRegistersStage), RegistersText(module, assignments), {}});
  if (sink_->IsWanted(kConstantsStage))
    sink_->stages.push_back({std::string(kConstantsStage), ConstantsText(*executable), {}});
  if (sink_->IsWanted(kCodeStage))
    sink_->stages.push_back({std::string(kCodeStage), vm::Disassemble(*executable), {}});
  return CompileResult{std::move(executable), std::move(sink_->stages)};
}

Result<CompileResult> CompileModule(ir::Module module, const CompileOptions& options,
                                    std::string_view first_stage, CompileMemory* memory) {
  ModuleCompilation compilation(std::move(module), options, first_stage, memory);
  while (compilation.steps_left() > 0) TERN_TRY(compilation.Step());
  return compilation.Finish();
}

}  // namespace tern::driver
