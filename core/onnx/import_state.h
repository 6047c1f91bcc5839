// SPDX-License-Identifier: Apache-2.0
// Importer: the walk over a model, in three sources. importer.cc has the nodes, functions and
// outputs; graph_values.cc the initializers and inputs; subgraphs.cc the graphs that nodes hold.
#ifndef TERN_CORE_ONNX_IMPORT_STATE_H_
#define TERN_CORE_ONNX_IMPORT_STATE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/builder.h"
#include "core/onnx/graph_scope.h"
#include "core/onnx/importer.h"
#include "core/onnx/model.h"
#include "core/text/diagnostics.h"

namespace tern::onnx {

inline constexpr int kMaxDepth = 64;  // of functions and subgraphs in each other
inline constexpr int kMaxSplits = 8;  // in each other: what is behind them is converted twice

// What diagnostics and calls say a node is: its name, or that of its first output.
std::string_view OriginOf(const Node& node);
inline bool IsUnknown(const Value& value) { return value != nullptr && !ir::TypeOf(value).known(); }
std::vector<std::string_view> OutputNames(const Graph& graph);

class Importer {
 public:
  Importer(const Model& model, const ImportOptions& options, text::Diagnostics* diagnostics)
      : model_(model), options_(options), diagnostics_(diagnostics), builder_(diagnostics) {
    poison_ = ir::MakeVar("unknown", types::Type());
  }

  Result<ir::Module> Run();

 private:
  struct SymbolTable {
    std::unordered_map<std::string, std::string> by_text;
    std::unordered_set<std::string> taken;
  };

  text::Diagnostic& Error(std::string_view code, std::string_view message) {
    return diagnostics_->Error(code, message).InFile(options_.file);
  }

  void CheckVersions();

  void AddInitializers(Scope* scope, const Graph& graph);
  void AddInitializer(Scope* scope, std::string_view name, Result<TensorPtr> tensor);
  void AddInputs(Scope* scope);
  void AddInput(Scope* scope, const ValueInfo& info);
  types::Type TypeFor(const Type& type, const std::string& name);
  types::Type TensorTypeFor(const Type& type, const std::string& name);
  types::Type MapTypeFor(const Type& type, const std::string& name);
  types::Dim MakeDim(const Type& type, const std::string& name, size_t axis);
  std::string SymbolFor(const std::string& text);
  void Define(Scope* scope, std::string_view name, Value value, std::string_view what);

  using Names = std::vector<std::string_view>;
  // outputs: the values that are wanted of the nodes.
  void ConvertNodes(Scope* scope, const Names& outputs);
  void ReportTooMany();
  void ReportMemory();
  void ConvertFrom(Scope* scope, std::span<const size_t> order, const Names& outputs);
  std::unordered_map<std::string_view, size_t> FindProducers(const Scope& scope);
  void ReportCycle(const Scope& scope, const std::vector<size_t>& cycle);
  // What the nodes behind it must be converted twice for, if anything.
  std::optional<NodeContext::Split> ConvertNode(Scope* scope, const Node& node);
  bool TakeInputs(Scope* scope, const Node& node, std::vector<Value>* inputs);
  void ReportMissing(const Scope& scope, const Node& node, std::string_view name);
  bool CheckCounts(const Scope& scope, const Node& node, const OperatorInfo& info);
  void ReportContext(const Scope& scope, const Node& node, const NodeContext& context);
  void SetOutputs(Scope* scope, const Node& node, const std::vector<Value>& values);

  const Function* FindFunction(const Node& node) const;
  void InlineFunction(Scope* scope, const Node& node, const Function& function,
                      std::vector<Value> inputs);

  class NodeSubgraphs final : public Subgraphs {
   public:
    NodeSubgraphs(Importer* importer, const Scope& scope, const Node& node)
        : importer_(*importer), scope_(scope), node_(node) {}
    bool Inline(const Graph& graph, const std::vector<Value>& inputs,
                std::vector<Value>* outputs) override {
      return importer_.InlineGraph(scope_, node_, graph, inputs, outputs);
    }
    bool Recompute(std::string_view name, const Names& names, const std::vector<Value>& values,
                   Value* result) override {
      return importer_.Recompute(scope_, node_, name, names, values, result);
    }
    int depth() const override { return scope_.depth(); }

   private:
    Importer& importer_;
    const Scope& scope_;
    const Node& node_;
  };
  bool InlineGraph(const Scope& scope, const Node& node, const Graph& graph,
                   const std::vector<Value>& inputs, std::vector<Value>* outputs);
  bool Recompute(const Scope& scope, const Node& node, std::string_view name, const Names& names,
                 const std::vector<Value>& values, Value* result);
  bool DefineInputs(Scope* inner, const Node& node, const Graph& graph,
                    const std::vector<Value>& inputs);
  bool TakeOutputs(const Scope& inner, const Graph& graph, std::vector<Value>* outputs);

  // One of two ways to go on behind a node.
  struct Way {
    ir::LetPtr block;
    std::vector<Value> outputs;  // empty: it leads to an error
    text::Diagnostics diagnostics;
    std::string error;
  };
  void SplitAt(Scope* scope, std::span<const size_t> order, const Names& outputs,
               const NodeContext::Split& split);
  Way ConvertWay(const Scope& scope, std::span<const size_t> order, const Names& outputs,
                 const Graph& graph);
  ir::LetPtr FailingBlock(const Node& node, const Way& way, int which, const types::Type& type);
  void JoinWays(Scope* scope, const Node& node, const Names& outputs, const Value& condition,
                Way* ways);

  void ReportUnsupported(const Scope& scope, const Node& node);
  void ReportInSubgraphs(const Scope& scope, const Graph& graph);
  void ReportInSubgraphsOf(const Scope& scope, const Node& node);

  void AddOutputs(const Scope& scope);
  void CompareOutput(const ValueInfo& info, const Value& value);
  void SetMetadata(ir::Module* module);
  void SetDocs(ir::Module* module);

  const Model& model_;
  const ImportOptions& options_;
  text::Diagnostics* diagnostics_;
  ir::Builder builder_;
  Value poison_;
  SymbolTable symbols_;
  std::unordered_map<std::string, const Function*> functions_;
  std::unordered_set<const Node*> reported_;  // unsupported nodes, once each
  std::unordered_set<std::string> warned_;    // "Op.attribute"
  std::vector<Value> results_;
  std::vector<std::string> output_names_;
  int converted_ = 0;
  bool is_too_large_ = false;
  int splits_ = 0;  // how many are open
  std::string split_reason_;
  int suggestions_ = 0;
};

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_IMPORT_STATE_H_
