// SPDX-License-Identifier: Apache-2.0
// Walks the graph once: initializers, inputs, nodes in order, outputs. A value that could not be
// made is an unknown one, about which nothing more is said.
#include "core/onnx/importer.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "core/object/memory_account.h"
#include "core/onnx/import_state.h"
#include "core/onnx/node_order.h"
#include "core/onnx/read_model.h"

namespace tern::onnx {

// 0 stands for a domain that the model does not import. Of two entries for one domain the last
// counts.
int64_t Scope::OpsetOf(std::string_view domain) const {
  int64_t version = 0;
  for (const OpsetImport& import : imports) {
    if (PlainDomain(import.domain) == domain) version = import.version;
  }
  return version;
}

// Functions may not call themselves, also not through others, so that inlining ends.
bool Scope::IsInside(const Function& wanted) const {
  return function == &wanted || (outer != nullptr && outer->IsInside(wanted));
}

// A subgraph sees the values around it, the body of a function only its own.
const Value* Scope::Find(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
    const auto found = scope->values.find(name);
    if (found != scope->values.end()) return &found->second;
    if (!scope->sees_outer) return nullptr;
  }
  return nullptr;
}

int Scope::depth() const { return outer == nullptr ? 0 : outer->depth() + 1; }

namespace {

// Functions that call functions twice grow without bound, and so do loops in loops whose types are
// found by converting them again: a real model stays far below.
constexpr int kMaxConvertedNodes = 200000;
// Suggestions look at every name; hostile files could ask for many.
constexpr int kMaxSuggestions = 20;
constexpr size_t kLongestSuggestion = 64;

// What the executable's metadata says of itself. A model's own entry of such a name must not speak
// for the compiler: "math" tells how sums are rounded, "types" what was proved.
bool IsOwnKey(std::string_view key) {
  constexpr std::string_view kKeys[] = {"producer", "graph", "ir_version", "doc",
                                        "macs",     "math",  "places",     "types"};
  constexpr std::string_view kPrefixes[] = {"opset.", "doc.", "metadata.", "type ", "result "};
  const auto begins = [key](std::string_view prefix) { return key.starts_with(prefix); };
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys) ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes), begins);
}

}  // namespace

// Names of nodes are optional in the standard. An output's name is unique, since every value is
// made once.
std::string_view OriginOf(const Node& node) {
  if (!node.name.empty()) return node.name;
  return node.outputs.empty() || node.outputs[0].empty() ? node.op_type : node.outputs[0];
}

// ---- nodes

// Which node makes a value; a value that is made twice is reported.
std::unordered_map<std::string_view, size_t> Importer::FindProducers(const Scope& scope) {
  std::unordered_map<std::string_view, size_t> producers;
  for (size_t i = 0; i < scope.nodes.size(); ++i) {
    // An empty name is an output that is not wanted: any number of nodes may leave out one.
    for (const std::string_view output : scope.nodes[i].outputs) {
      if (output.empty()) continue;
      const bool is_new = producers.emplace(output, i).second;
      if (is_new && !scope.values.contains(output)) continue;
      Error("E0405", StrCat("value '", output, "' is made a second time by node ",
                            NodeLabel(scope.nodes[i])))
          .InNode(OriginOf(scope.nodes[i]));
    }
  }
  return producers;
}

void Importer::ReportCycle(const Scope& scope, const std::vector<size_t>& cycle) {
  // A circle may have as many nodes as the model.
  constexpr size_t kMost = 8;
  std::string text = "nodes depend on each other in a circle: ";
  for (size_t i = 0; i < cycle.size() && i < kMost; ++i) {
    StrAppend(&text, i == 0 ? "" : " -> ", NodeLabel(scope.nodes[cycle[i]]));
  }
  if (cycle.size() > kMost) StrAppend(&text, " -> … (", cycle.size(), " nodes)");
  Error("E0405", text).InNode(OriginOf(scope.nodes[cycle[0]]));
}

void Importer::ReportTooMany() {
  if (is_too_large_) return;
  is_too_large_ = true;
  Error("E0404",
        StrCat("the model has more than ", kMaxConvertedNodes, " nodes, functions inlined"));
}

// Run gives the same as its status; here it says that values are missing.
void Importer::ReportMemory() {
  if (is_too_large_) return;
  is_too_large_ = true;
  Error("E0302", CheckMemory().message());
}

void Importer::ConvertNodes(Scope* scope, const Names& outputs) {
  // Not even their order is looked for where they are too many.
  if (scope->nodes.size() > static_cast<size_t>(kMaxConvertedNodes)) return ReportTooMany();
  const std::unordered_map<std::string_view, size_t> producers = FindProducers(*scope);
  const NodeOrder order = OrderNodes(scope->nodes, producers);
  if (!order.cycle.empty()) return ReportCycle(*scope, order.cycle);
  ConvertFrom(scope, order.order, outputs);
}

void Importer::ConvertFrom(Scope* scope, std::span<const size_t> order, const Names& outputs) {
  for (size_t i = 0; i < order.size(); ++i) {
    // The outermost nodes alone are counted as progress: a subgraph is part of one of them, and
    // behind a split they come twice.
    if (scope->outer == nullptr && splits_ == 0)
      options_.progress.Report("import",
                               static_cast<double>(i) / static_cast<double>(order.size()));
    if (++converted_ > kMaxConvertedNodes) return ReportTooMany();
    if (IsMemoryOver()) return ReportMemory();
    const std::optional<NodeContext::Split> split = ConvertNode(scope, scope->nodes[order[i]]);
    if (split.has_value()) return SplitAt(scope, order.subspan(i), outputs, *split);
  }
}

void Importer::ReportMissing(const Scope& scope, const Node& node, std::string_view name) {
  text::Diagnostic& error = Error("E0405", StrCat("node ", NodeLabel(node), " (", node.op_type,
                                                  ") takes '", name, "', which nothing makes"));
  error.InNode(StrCat(scope.prefix, OriginOf(node)));
  if (++suggestions_ > kMaxSuggestions || name.size() > kLongestSuggestion) return;
  std::vector<std::string_view> names;
  for (const Scope* from = &scope; from != nullptr;
       from = from->sees_outer ? from->outer : nullptr) {
    for (const auto& [known, value] : from->values) {
      if (known.size() < 2 * kLongestSuggestion) names.push_back(known);
    }
  }
  const std::string_view near = DidYouMean(name, names);
  if (!near.empty()) error.Help(StrCat("did you mean '", near, "'?"));
}

// False where an input is missing or unknown; the former is reported here, the latter was before.
bool Importer::TakeInputs(Scope* scope, const Node& node, std::vector<Value>* inputs) {
  bool good = true;
  for (const std::string_view name : node.inputs) {
    // An input that is left out stands as an empty name where others follow.
    if (name.empty()) {
      inputs->push_back(nullptr);
      continue;
    }
    const Value* found = scope->Find(name);
    if (found == nullptr) ReportMissing(*scope, node, name);
    const bool usable = found != nullptr && !IsUnknown(*found);
    inputs->push_back(usable ? *found : nullptr);
    good &= usable;
  }
  // Left out at the end or not written at all: converters see one form.
  while (good && !inputs->empty() && inputs->back() == nullptr) inputs->pop_back();
  return good;
}

bool Importer::CheckCounts(const Scope& scope, const Node& node, const OperatorInfo& info) {
  const auto fails = [&](std::string_view what, size_t actual, int low, int high) {
    if (actual >= static_cast<size_t>(low) && actual <= static_cast<size_t>(high)) return false;
    const std::string range = low == high     ? StrCat(low)
                              : high == kMany ? StrCat("at least ", low)
                                              : StrCat(low, " to ", high);
    Error("E0403", StrCat(node.op_type, ": it has ", actual, " ", what, ", expected ", range))
        .InNode(StrCat(scope.prefix, OriginOf(node)));
    return true;
  };
  // Empty names at the end are places that the node does not use, so they do not count.
  size_t inputs = node.inputs.size(), outputs = node.outputs.size();
  while (inputs > 0 && node.inputs[inputs - 1].empty()) --inputs;
  while (outputs > 0 && node.outputs[outputs - 1].empty()) --outputs;
  for (size_t i = 0; i < std::min(inputs, static_cast<size_t>(info.min_inputs)); ++i) {
    if (node.inputs[i].empty()) {
      Error("E0403", StrCat(node.op_type, ": input ", i, " is left out, but it is not optional"))
          .InNode(StrCat(scope.prefix, OriginOf(node)));
      return false;
    }
  }
  return !fails("inputs", inputs, info.min_inputs, info.max_inputs) &&
         !fails("outputs", outputs, 0, info.max_outputs);
}

void Importer::ReportContext(const Scope& scope, const Node& node, const NodeContext& context) {
  const std::string label = StrCat(scope.prefix, OriginOf(node));
  if (context.is_told()) return;
  if (!context.ok()) {
    Error(context.unsupported() ? "E0404" : "E0403", StrCat(node.op_type, ": ", context.error()))
        .InNode(label);
    ReportInSubgraphsOf(scope, node);
    return;
  }
  for (const std::string_view attribute : context.UnknownAttributes()) {
    // Once for each operator and attribute, because exporters write the same one on hundreds of
    // nodes.
    if (!warned_.insert(StrCat(node.op_type, ".", attribute)).second) continue;
    diagnostics_
        ->Warning("E0403",
                  StrCat(node.op_type, ": attribute '", attribute, "' is not known and ignored"))
        .InFile(options_.file)
        .InNode(label);
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty() || context.outputs()[i] != nullptr) continue;
    Error("E0404",
          StrCat(node.op_type, ": output ", i, " ('", node.outputs[i], "') is not supported"))
        .InNode(label);
  }
}

void Importer::SetOutputs(Scope* scope, const Node& node, const std::vector<Value>& values) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    const bool made = i < values.size() && values[i] != nullptr;
    // What could not be made is defined all the same: nodes that take it would otherwise report a
    // name that nothing makes.
    scope->values.emplace(node.outputs[i], made ? values[i] : poison_);
    if (made && scope->outer == nullptr && options_.value_types != nullptr)
      options_.value_types->emplace(node.outputs[i], ir::TypeOf(values[i]));
  }
}

std::optional<NodeContext::Split> Importer::ConvertNode(Scope* scope, const Node& node) {
  std::vector<Value> inputs;
  const bool usable = TakeInputs(scope, node, &inputs);
  // A function of the model comes before an operator of its name: that is how a file brings its own
  // definition along.
  if (const Function* function = FindFunction(node)) {
    if (usable)
      InlineFunction(scope, node, *function, std::move(inputs));
    else
      SetOutputs(scope, node, {});
    return std::nullopt;
  }
  const std::string_view domain = PlainDomain(node.domain);
  const OperatorInfo* newer = nullptr;
  const OperatorInfo* info = FindOperator(domain, node.op_type, scope->OpsetOf(domain), &newer);
  if (info == nullptr) {
    ReportUnsupported(*scope, node);
    SetOutputs(scope, node, {});
    return std::nullopt;
  }
  // Counts are checked where inputs are missing as well, so that one run lists as many mistakes as
  // possible.
  if (!CheckCounts(*scope, node, *info) || !usable) {
    ReportInSubgraphsOf(*scope, node);
    SetOutputs(scope, node, {});
    return std::nullopt;
  }
  builder_.SetOrigin(StrCat(scope->prefix, OriginOf(node)));
  if (!node.outputs.empty()) builder_.SetName(node.outputs[0]);
  const size_t errors = diagnostics_->error_count();
  NodeSubgraphs subgraphs(this, *scope, node);
  NodeContext context({.node = &node,
                       .info = info,
                       .opset = scope->OpsetOf(domain),
                       .inputs = std::move(inputs),
                       .function = scope->function == nullptr ? nullptr : &scope->attributes,
                       .tensors = &options_.tensors,
                       .builder = &builder_,
                       .subgraphs = &subgraphs});
  info->convert(context);
  // The reason is kept for JoinWays, which tells it where the results of the two ways do not fit
  // either.
  if (context.split().has_value() && splits_ < kMaxSplits) {
    split_reason_ = context.error();
    return context.split();
  }
  // Where the builder found fault, what the converter saw after that tells nothing new.
  if (diagnostics_->error_count() == errors) ReportContext(*scope, node, context);
  SetOutputs(scope, node, context.ok() ? context.outputs() : std::vector<Value>());
  return std::nullopt;
}

// ---- functions

const Function* Importer::FindFunction(const Node& node) const {
  if (functions_.empty()) return nullptr;
  const auto found = functions_.find(FunctionKey(node.domain, node.op_type, node.overload));
  return found == functions_.end() ? nullptr : found->second;
}

void Importer::InlineFunction(Scope* scope, const Node& node, const Function& function,
                              std::vector<Value> inputs) {
  const std::string label = StrCat(scope->prefix, OriginOf(node));
  if (scope->IsInside(function) || scope->depth() >= kMaxDepth) {
    Error("E0405",
          StrCat("function '", function.name, "' calls itself, or functions are nested too deeply"))
        .InNode(label);
    return SetOutputs(scope, node, {});
  }
  if (inputs.size() > function.inputs.size() || node.outputs.size() > function.outputs.size()) {
    Error("E0403", StrCat(node.op_type, ": it has ", inputs.size(), " inputs and ",
                          node.outputs.size(), " outputs, but the function has ",
                          function.inputs.size(), " and ", function.outputs.size()))
        .InNode(label);
    return SetOutputs(scope, node, {});
  }
  Scope inner;
  inner.nodes = function.nodes;
  // A function says which opsets its nodes are of. Files that leave it out mean those of the
  // caller.
  inner.imports = function.opset_imports.empty() ? scope->imports : function.opset_imports;
  inner.function = &function;
  inner.outer = scope;
  // Attributes of the call come first, then the function's defaults; references in the call are
  // resolved in the scope around it.
  inner.attributes = {node.attributes, function.default_attributes,
                      scope->function == nullptr ? nullptr : &scope->attributes};
  inner.prefix = StrCat(scope->prefix, node.name.empty() ? node.op_type : node.name, "/");
  // Inputs of a function that the call leaves out are missing ones for its nodes, too.
  inputs.resize(function.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    Define(&inner, function.inputs[i], inputs[i],
           StrCat("input of function '", function.name, "'"));
  }
  ConvertNodes(&inner, function.outputs);
  std::vector<Value> outputs;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const auto found = inner.values.find(function.outputs[i]);
    if (found == inner.values.end() && diagnostics_->ok()) {
      Error("E0405", StrCat("function '", function.name, "' does not make its output '",
                            function.outputs[i], "'"));
    }
    outputs.push_back(found == inner.values.end() ? nullptr : found->second);
  }
  SetOutputs(scope, node, outputs);
}

// ---- what is not supported

void Importer::ReportUnsupported(const Scope& scope, const Node& node) {
  // A node may be converted several times: a function by each call, a body in each round over its
  // types.
  if (!reported_.insert(&node).second) return;
  const std::string_view domain = PlainDomain(node.domain);
  const int64_t opset = scope.OpsetOf(domain);
  const OperatorInfo* newer = nullptr;
  FindOperator(domain, node.op_type, opset, &newer);
  text::Diagnostic& error =
      Error("E0402", StrCat("operator ", node.op_type, " (domain ", ShownDomain(domain), ", opset ",
                            opset, ") is not supported"));
  error.InNode(StrCat(scope.prefix, OriginOf(node)));
  if (opset == 0) {
    error.Note(StrCat("the model imports no version of the domain ", ShownDomain(domain)));
  } else if (newer != nullptr) {
    error.Note(StrCat(node.op_type, " is supported from opset ", newer->since, " on"))
        .Help("convert the model to a newer opset, or export it again");
  }
  ReportInSubgraphsOf(scope, node);
}

void Importer::ReportInSubgraphsOf(const Scope& scope, const Node& node) {
  for (const Attribute& attribute : node.attributes) {
    if (attribute.graph != nullptr) ReportInSubgraphs(scope, *attribute.graph);
    for (const Graph& graph : attribute.graphs) ReportInSubgraphs(scope, graph);
  }
}

// The nodes inside a node that cannot be converted are named as well, so that the list is complete.
void Importer::ReportInSubgraphs(const Scope& scope, const Graph& graph) {
  for (const Node& node : graph.nodes) {
    const std::string_view domain = PlainDomain(node.domain);
    const OperatorInfo* newer = nullptr;
    if (FindFunction(node) != nullptr) continue;
    if (FindOperator(domain, node.op_type, scope.OpsetOf(domain), &newer) == nullptr)
      ReportUnsupported(scope, node);
    else
      ReportInSubgraphsOf(scope, node);
  }
}

void Importer::CheckVersions() {
  for (const OpsetImport& import : model_.opset_imports) {
    if (!PlainDomain(import.domain).empty() || import.version <= kNewestOpset) continue;
    diagnostics_
        ->Warning("E0402",
                  StrCat("the model is of opset ", import.version, "; it is read as if it were of ",
                         kNewestOpset, ", the newest known"))
        .InFile(options_.file);
  }
}

// ---- outputs

// What the file says about an output is not needed, but a difference tells of a mistake in one of
// the two.
void Importer::CompareOutput(const ValueInfo& info, const Value& value) {
  const types::TensorType* type = ir::TensorTypeOf(value);
  if (type == nullptr || info.type.kind != Type::Kind::kTensor) return;
  const Result<DType> declared = MakeDType(info.type.elem_type);
  // A shape without dimensions is not compared: it may be meant for a scalar, or for a rank that is
  // not known.
  const bool ranks_differ = info.type.shape != nullptr && !info.type.shape->dims.empty() &&
                            info.type.shape->dims.size() != static_cast<size_t>(type->rank());
  if (declared.ok() && *declared == type->dtype && !ranks_differ) return;
  diagnostics_
      ->Warning(
          "E0405",
          StrCat(
              "output '", info.name, "' is declared as ", DataTypeName(info.type.elem_type),
              info.type.shape == nullptr ? "" : StrCat(" of rank ", info.type.shape->dims.size()),
              ", but is ", type->ToText()))
      .InFile(options_.file);
}

void Importer::AddOutputs(const Scope& scope) {
  std::unordered_set<std::string_view> names;
  for (const ValueInfo& info : model_.graph.outputs) {
    const auto found = scope.values.find(info.name);
    if (!names.insert(info.name).second) {
      Error("E0405", StrCat("output '", info.name, "' is listed twice"));
    } else if (found == scope.values.end()) {
      Error("E0405", StrCat("output '", info.name, "' is made by no node"));
    } else {
      CompareOutput(info, found->second);
      results_.push_back(found->second);
      output_names_.emplace_back(info.name);
    }
  }
  if (model_.graph.outputs.empty()) Error("E0405", "the graph has no outputs");
}

void Importer::SetMetadata(ir::Module* module) {
  for (const StringPair& entry : model_.metadata) {
    const bool taken = IsOwnKey(entry.key);
    module->SetMetadata(taken ? StrCat("metadata.", entry.key) : std::string(entry.key),
                        entry.value);
  }
  const std::string producer = StrCat(
      model_.producer_name, model_.producer_version.empty() ? "" : " ", model_.producer_version);
  if (!producer.empty()) module->SetMetadata("producer", producer);
  if (!model_.graph.name.empty()) module->SetMetadata("graph", model_.graph.name);
  module->SetMetadata("ir_version", StrCat(model_.ir_version));
  for (const OpsetImport& import : model_.opset_imports) {
    module->SetMetadata(StrCat("opset.", ShownDomain(PlainDomain(import.domain))),
                        StrCat(import.version));
  }
  SetDocs(module);
}

void Importer::SetDocs(ir::Module* module) {
  if (!model_.doc_string.empty()) module->SetMetadata("doc", model_.doc_string);
  if (!model_.graph.doc_string.empty()) module->SetMetadata("doc.graph", model_.graph.doc_string);
  for (const std::vector<ValueInfo>* values : {&model_.graph.inputs, &model_.graph.outputs}) {
    for (const ValueInfo& value : *values) {
      if (value.doc_string.empty()) continue;
      const bool is_input = values == &model_.graph.inputs;
      module->SetMetadata(StrCat(is_input ? "doc.input." : "doc.output.", value.name),
                          value.doc_string);
    }
  }
}

Result<ir::Module> Importer::Run() {
  CheckVersions();
  for (const Function& function : model_.functions) {
    functions_.emplace(FunctionKey(function.domain, function.name, function.overload), &function);
  }
  Scope scope;
  scope.nodes = model_.graph.nodes;
  scope.imports = model_.opset_imports;
  AddInitializers(&scope, model_.graph);
  AddInputs(&scope);
  ConvertNodes(&scope, OutputNames(model_.graph));
  const bool complete = diagnostics_->ok();
  // After an error in the nodes a missing output is no news.
  if (complete) AddOutputs(scope);
  TERN_TRY(CheckMemory());
  if (!diagnostics_->ok()) {
    // The first error decides what kind of failure it is, because those behind it may be its
    // consequences.
    const bool unsupported =
        diagnostics_->items()[0].code == "E0402" || diagnostics_->items()[0].code == "E0404";
    return diagnostics_->ToStatus(unsupported ? StatusCode::kUnsupported
                                              : StatusCode::kInvalidArgument);
  }
  Value result = results_.size() == 1 ? results_[0] : ir::MakeTuple(results_);
  ir::Module module;
  module.Set("main", builder_.Finish(std::move(result), std::move(output_names_)));
  SetMetadata(&module);
  return module;
}

Result<ir::Module> ImportModel(const Model& model, const ImportOptions& options,
                               text::Diagnostics* diagnostics) {
  return Importer(model, options, diagnostics).Run();
}

Result<ir::Module> ImportModel(ByteSpan bytes, const ImportOptions& options,
                               text::Diagnostics* diagnostics) {
  Model model;
  Status status = ReadModel(bytes, &model);
  if (status.ok()) return ImportModel(model, options, diagnostics);
  // No memory is no fault of the file, so that it is no damaged model.
  if (status.code() == StatusCode::kOutOfMemory) return status;
  text::Diagnostic& error = diagnostics->Error("E0401", status.message());
  error.InFile(options.file);
  for (const std::string& note : status.notes()) error.Note(note);
  return diagnostics->ToStatus(StatusCode::kCorrupt);
}

}  // namespace tern::onnx
