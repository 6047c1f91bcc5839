// SPDX-License-Identifier: Apache-2.0
// NodeContext: one ONNX node while it is converted; all that a converter sees.
//
// A converter reads inputs and attributes, calls operators of core/ops, sets the outputs. It is
// sticky: after the first Fail all calls do nothing and give null values, and the importer reports
// that failure with the node's name. (What the operators' own type rules find wrong, the
// ir::Builder reports.) Attributes that no converter asked for are reported as warnings.
#ifndef TERN_CORE_ONNX_NODE_CONTEXT_H_
#define TERN_CORE_ONNX_NODE_CONTEXT_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/builder.h"
#include "core/object/attrs.h"
#include "core/object/tensor.h"
#include "core/onnx/model.h"
#include "core/onnx/tensor_data.h"

namespace tern::onnx {

struct OperatorInfo;

using Value = ir::Expr;  // an atom; null where an input is left out
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

// The attributes of the function whose body the node is part of, for references to them.
struct FunctionAttributes {
  std::span<const Attribute> given;
  std::span<const Attribute> defaults;
  const FunctionAttributes* outer = nullptr;  // what `given` refers to in turn
};

// The graphs that a node holds; the importer converts them.
class Subgraphs {
 public:
  // Adds the graph's nodes to the block that is open in the builder. inputs stand for the graph's
  // inputs, *outputs are what its outputs are then. False: something is wrong and has been told.
  virtual bool Inline(const Graph& graph, const std::vector<Value>& inputs,
                      std::vector<Value>* outputs) = 0;
  // The value `name` of the graph that the node is in, computed again as if names[i] were
  // values[i]. False: something is wrong and has been told.
  virtual bool Recompute(std::string_view name, const std::vector<std::string_view>& names,
                         const std::vector<Value>& values, Value* result) = 0;
  // How many graphs and functions are around the node.
  virtual int depth() const = 0;

 protected:
  ~Subgraphs() = default;
};

class NodeContext {
 public:
  struct Setup {
    const Node* node;
    const OperatorInfo* info;
    int64_t opset;
    std::vector<Value> inputs;                     // as many as the node names, null where left out
    const FunctionAttributes* function = nullptr;  // null: not in a function
    const TensorSource* tensors;
    ir::Builder* builder;
    Subgraphs* subgraphs = nullptr;
  };
  explicit NodeContext(Setup setup);

  const Node& node() const { return *setup_.node; }
  std::string_view detail() const;
  int64_t opset() const { return setup_.opset; }

  // ---- inputs: null values where left out
  int input_count() const { return static_cast<int>(setup_.inputs.size()); }
  bool HasInput(int index) const { return Input(index) != nullptr; }
  Value Input(int index) const;
  const std::vector<Value>& inputs() const { return setup_.inputs; }

  // ---- what is known of a value
  // -1 after a failure.
  int RankOf(const Value& value) const;
  DType DTypeOf(const Value& value) const;
  // The extent, or -1 where only a run tells.
  int64_t DimOf(const Value& value, int axis) const;
  // The constant, or null.
  const tern::Tensor* Known(const Value& value) const;
  // The elements of an integer tensor of rank 0 or 1.
  std::optional<Ints> KnownInts(const Value& value) const;
  std::optional<double> KnownNumber(const Value& value) const;
  // The ints of an input that must be known; fails, naming it, if they are not. {} for one left
  // out.
  Ints RequireInts(int index, std::string_view what);
  int64_t RequireInt(int index, std::string_view what);

  // ---- attributes
  bool Has(std::string_view name) { return Find(name) != nullptr; }
  int64_t Int(std::string_view name, int64_t fallback);
  bool Bool(std::string_view name, bool fallback) { return Int(name, fallback ? 1 : 0) != 0; }
  float Float(std::string_view name, float fallback);
  std::string_view Text(std::string_view name, std::string_view fallback);
  Ints IntList(std::string_view name, Ints fallback = {});
  Floats FloatList(std::string_view name, Floats fallback = {});
  std::vector<std::string_view> TextList(std::string_view name);
  // Null if absent.
  TensorPtr TensorValue(std::string_view name);
  // The same as what is only to be a constant of the program (MakeWeights).
  TensorPtr WeightsValue(std::string_view name);
  // The index of the text among `names`; fails if it is none of them.
  int Choice(std::string_view name, std::initializer_list<std::string_view> names, int fallback);
  // Fails if absent.
  int64_t RequiredInt(std::string_view name);
  // An int64 that must be >= least.
  int64_t IntAtLeast(std::string_view name, int64_t fallback, int64_t least);
  // The attribute itself, marked as known; null if absent.
  const Attribute* Find(std::string_view name);
  // Names of attributes that nobody asked for.
  std::vector<std::string_view> UnknownAttributes() const;
  const TensorSource& tensors() const { return *setup_.tensors; }

  // ---- making operator calls
  Value Call(std::string_view op, std::vector<Value> args, const Attrs& attrs = {});
  // An operator with several results.
  std::vector<Value> CallMany(std::string_view op, std::vector<Value> args, const Attrs& attrs,
                              int count);
  Value Constant(TensorPtr tensor);
  Value ConstantInts(const Ints& values);
  // A scalar of the given element type; whole numbers only where that is an integer type.
  Value Scalar(DType dtype, double value);
  // i64 of an integer tensor.
  Value ToI64(const Value& value);

  // What has no operator: branches, loops, lists.
  ir::Builder& builder() { return *setup_.builder; }
  // A call of a function of the registry. type: what it gives, which only the caller knows.
  Value Invoke(std::string_view function, std::vector<Value> args, const types::Type& type,
               bool has_effect = false);

  // ---- subgraphs
  // Fails if the attribute is absent or no graph; null then.
  const Graph* Subgraph(std::string_view name);
  // Subgraphs::Inline; after false the context has failed, and nothing more is said about it. What
  // is wrong in a second subgraph is told after that, too.
  bool Inline(const Graph& graph, const std::vector<Value>& inputs, std::vector<Value>* outputs);

  // Subgraphs::Recompute; null after a failure.
  Value Recompute(std::string_view name, const std::vector<std::string_view>& names,
                  const std::vector<Value>& values);

  int depth() const { return setup_.subgraphs->depth(); }

  // One of two graphs follows, by a condition, and what they give has types of different rank. The
  // importer then converts the nodes behind this one twice, once behind each.
  struct Split {
    Value condition;
    const Graph* graphs[2] = {nullptr, nullptr};  // where it holds, where not
  };
  // why: the error where there are too many of these.
  void RequestSplit(Split split, std::string_view why);
  const std::optional<Split>& split() const { return split_; }

  // ---- outputs
  bool WantsOutput(int index) const;
  void SetOutput(int index, Value value);
  const std::vector<Value>& outputs() const { return outputs_; }

  // ---- failure
  bool ok() const { return error_.empty(); }
  template <typename... T>
  void Fail(const T&... parts) {
    if (ok()) error_ = StrCat(parts...);
  }
  const std::string& error() const { return error_; }
  // Fails as something that the standard allows but Tern does not do.
  template <typename... T>
  void Unsupported(const T&... parts) {
    if (!ok()) return;
    error_ = StrCat(parts...);
    unsupported_ = true;
  }
  bool unsupported() const { return unsupported_; }
  // It failed for what has been told already.
  bool is_told() const { return told_; }

 private:
  const Attribute* Resolve(const Attribute& attribute);
  const Attribute* FindTyped(std::string_view name, AttributeType type);
  using TensorMaker = Result<TensorPtr>(const Tensor& tensor, const TensorSource& source);
  TensorPtr MadeBy(TensorMaker* make, std::string_view name);

  Setup setup_;
  std::vector<Value> outputs_;
  std::vector<std::string_view> known_;
  std::string error_;
  bool unsupported_ = false;
  bool told_ = false;
  std::optional<Split> split_;
};

using Converter = void (*)(NodeContext& node);

// One line of operators.def.
struct OperatorInfo {
  std::string_view domain;
  std::string_view name;
  int64_t since;
  int min_inputs, max_inputs, max_outputs;
  Converter convert;
  std::string_view detail;
};

inline constexpr int kMany = INT32_MAX;
// The newest version that is not above opset; null if there is none. *newer is then set to the line
// of that name with the next version, or null.
const OperatorInfo* FindOperator(std::string_view domain, std::string_view name, int64_t opset,
                                 const OperatorInfo** newer);
std::span<const OperatorInfo> AllOperators();

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_NODE_CONTEXT_H_
