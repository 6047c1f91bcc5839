// SPDX-License-Identifier: Apache-2.0
// Attributes with references resolved and types checked; calls that stop after the first failure.
#include "core/onnx/node_context.h"

#include <algorithm>
#include <cmath>

#include "core/base/half.h"
#include "core/object/set_element.h"
#include "core/object/small_numbers.h"

namespace tern::onnx {
namespace {

const Attribute* FindByName(std::span<const Attribute> attributes, std::string_view name) {
  // The last one of a name counts, as it would in a map.
  for (size_t i = attributes.size(); i > 0; --i) {
    if (attributes[i - 1].name == name) return &attributes[i - 1];
  }
  return nullptr;
}

// Files of IR version 1 leave the type out; the field that is filled tells it.
bool TypeFits(const Attribute& attribute, AttributeType type) {
  return attribute.type == type || attribute.type == AttributeType::kUndefined;
}

template <typename T>
double AsNumber(const tern::Tensor& tensor) {
  return static_cast<double>(*tensor.data_as<const T>());
}

std::optional<double> FirstNumber(const tern::Tensor& tensor) {
  if (tensor.element_count() != 1) return std::nullopt;
  const DType dtype = tensor.dtype();
  // Integers beyond 2^53 are rounded: what asks for a number wants one of few digits, such as an
  // axis, a limit or a factor.
  if (dtype == kF32) return AsNumber<float>(tensor);
  if (dtype == kF64) return AsNumber<double>(tensor);
  if (dtype == kI64) return AsNumber<int64_t>(tensor);
  if (dtype == kI32) return AsNumber<int32_t>(tensor);
  if (dtype == kI16) return AsNumber<int16_t>(tensor);
  if (dtype == kI8) return AsNumber<int8_t>(tensor);
  if (dtype == kU64) return AsNumber<uint64_t>(tensor);
  if (dtype == kU32) return AsNumber<uint32_t>(tensor);
  if (dtype == kU16) return AsNumber<uint16_t>(tensor);
  if (dtype == kU8 || dtype == kBool) return static_cast<double>(tensor.bytes()[0]);
  if (dtype == kF16) return F16ToF32(*static_cast<const uint16_t*>(tensor.data()));
  if (dtype == kBf16) return Bf16ToF32(*static_cast<const uint16_t*>(tensor.data()));
  if (IsSmallNumber(dtype)) return SmallToF32(dtype, SmallBits(dtype, tensor.data(), 0));
  return std::nullopt;
}

// Null for texts, complex numbers and what is no type.
TensorPtr ScalarTensor(DType dtype, double value) {
  // Casts of what is out of range, infinities too, would be undefined.
  constexpr double kBeyond = 9223372036854775808.0;
  int64_t integer = 0;
  if (value >= -kBeyond && value < kBeyond)
    integer = static_cast<int64_t>(value);
  else if (value >= kBeyond && value < 2 * kBeyond)
    integer = static_cast<int64_t>(static_cast<uint64_t>(value));
  Result<TensorPtr> tensor = tern::Tensor::New(dtype, {});
  if (!tensor.ok()) return nullptr;
  if (dtype.bits < 8) *static_cast<uint8_t*>((*tensor)->data()) = 0;
  return SetElement(**tensor, 0, {value, integer}) ? *std::move(tensor) : nullptr;
}

}  // namespace

NodeContext::NodeContext(Setup setup) : setup_(std::move(setup)) {
  // A converter may set fewer, but none that the node does not have.
  outputs_.resize(setup_.node->outputs.size());
}

std::string_view NodeContext::detail() const { return setup_.info->detail; }

// ---- inputs

Value NodeContext::Input(int index) const {
  return index < input_count() ? setup_.inputs[static_cast<size_t>(index)] : nullptr;
}

int NodeContext::RankOf(const Value& value) const {
  const types::TensorType* type = value == nullptr ? nullptr : ir::TensorTypeOf(value);
  return type == nullptr ? -1 : type->rank();
}

DType NodeContext::DTypeOf(const Value& value) const {
  const types::TensorType* type = value == nullptr ? nullptr : ir::TensorTypeOf(value);
  return type == nullptr ? DType(0, 0, 0) : type->dtype;
}

int64_t NodeContext::DimOf(const Value& value, int axis) const {
  const types::TensorType* type = value == nullptr ? nullptr : ir::TensorTypeOf(value);
  if (type == nullptr || axis >= type->rank()) return -1;
  const types::Dim& dim = type->dims[static_cast<size_t>(axis)];
  return dim.is_constant() ? dim.constant() : -1;
}

const tern::Tensor* NodeContext::Known(const Value& value) const {
  return value == nullptr ? nullptr : ir::ConstantTensor(value);
}

std::optional<Ints> NodeContext::KnownInts(const Value& value) const {
  Ints values;
  if (value == nullptr || !ir::ConstantInts(value, &values)) return std::nullopt;
  return values;
}

std::optional<double> NodeContext::KnownNumber(const Value& value) const {
  const tern::Tensor* tensor = Known(value);
  return tensor == nullptr ? std::nullopt : FirstNumber(*tensor);
}

Ints NodeContext::RequireInts(int index, std::string_view what) {
  if (!ok() || !HasInput(index)) return {};
  std::optional<Ints> values = KnownInts(Input(index));
  if (!values) {
    Unsupported("its ", what, " (input ", index,
                ") are computed while the model runs; only constants are possible");
    return {};
  }
  return *std::move(values);
}

int64_t NodeContext::RequireInt(int index, std::string_view what) {
  const Ints values = RequireInts(index, what);
  if (ok() && values.size() != 1)
    Fail("its ", what, " (input ", index, ") has ", values.size(), " values, expected 1");
  return ok() ? values[0] : 0;
}

// ---- attributes

// Follows references to the attributes of functions, from the inner to the outer. Null: left out by
// the caller.
const Attribute* NodeContext::Resolve(const Attribute& attribute) {
  const Attribute* current = &attribute;
  const FunctionAttributes* function = setup_.function;
  // A function's node names an attribute of the call. What the call gives may itself be a name, of
  // the function around it.
  while (current != nullptr && !current->reference.empty() && function != nullptr) {
    const Attribute* given = FindByName(function->given, current->reference);
    // Left out by the call: the default of the function, if it has one.
    if (given == nullptr) return FindByName(function->defaults, current->reference);
    current = given;
    function = function->outer;
  }
  return current;
}

const Attribute* NodeContext::Find(std::string_view name) {
  const Attribute* attribute = FindByName(setup_.node->attributes, name);
  if (attribute == nullptr) return nullptr;
  // The name that the file has: the caller's may be gone when unknown ones are looked for.
  known_.push_back(attribute->name);
  return Resolve(*attribute);
}

const Attribute* NodeContext::FindTyped(std::string_view name, AttributeType type) {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) return nullptr;
  if (!TypeFits(*attribute, type)) {
    Fail("attribute '", name, "' is ", AttributeTypeName(attribute->type), ", expected ",
         AttributeTypeName(type));
    return nullptr;
  }
  return attribute;
}

int64_t NodeContext::Int(std::string_view name, int64_t fallback) {
  // Of the wrong type counts as left out, beside the error that FindTyped has noted.
  const Attribute* attribute = FindTyped(name, AttributeType::kInt);
  return attribute == nullptr ? fallback : attribute->i;
}

float NodeContext::Float(std::string_view name, float fallback) {
  const Attribute* attribute = FindTyped(name, AttributeType::kFloat);
  return attribute == nullptr ? fallback : attribute->f;
}

std::string_view NodeContext::Text(std::string_view name, std::string_view fallback) {
  const Attribute* attribute = FindTyped(name, AttributeType::kString);
  return attribute == nullptr ? fallback : attribute->s;
}

Ints NodeContext::IntList(std::string_view name, Ints fallback) {
  const Attribute* attribute = FindTyped(name, AttributeType::kInts);
  return attribute == nullptr ? fallback : attribute->ints;
}

Floats NodeContext::FloatList(std::string_view name, Floats fallback) {
  const Attribute* attribute = FindTyped(name, AttributeType::kFloats);
  return attribute == nullptr ? fallback : attribute->floats;
}

std::vector<std::string_view> NodeContext::TextList(std::string_view name) {
  const Attribute* attribute = FindTyped(name, AttributeType::kStrings);
  return attribute == nullptr ? std::vector<std::string_view>() : attribute->strings;
}

TensorPtr NodeContext::TensorValue(std::string_view name) { return MadeBy(&MakeTensor, name); }

TensorPtr NodeContext::WeightsValue(std::string_view name) { return MadeBy(&MakeWeights, name); }

TensorPtr NodeContext::MadeBy(TensorMaker* make, std::string_view name) {
  const Attribute* attribute = FindTyped(name, AttributeType::kTensor);
  if (attribute == nullptr) return nullptr;
  if (attribute->tensor == nullptr) {
    Fail("attribute '", name, "' is said to be a tensor, but holds none");
    return nullptr;
  }
  Result<TensorPtr> tensor = make(*attribute->tensor, *setup_.tensors);
  if (tensor.ok()) return *std::move(tensor);
  Fail("attribute '", name, "': ", tensor.status().message());
  return nullptr;
}

int NodeContext::Choice(std::string_view name, std::initializer_list<std::string_view> names,
                        int fallback) {
  const Attribute* attribute = FindTyped(name, AttributeType::kString);
  if (attribute == nullptr) return fallback;
  const auto found = std::find(names.begin(), names.end(), attribute->s);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  const std::string known = StrJoin(std::span(names.begin(), names.size()), ", ");
  Fail("attribute '", name, "' is '", attribute->s, "'; known are ", known);
  return fallback;
}

int64_t NodeContext::RequiredInt(std::string_view name) {
  if (ok() && !Has(name)) Fail("attribute '", name, "' is missing");
  return Int(name, 0);
}

int64_t NodeContext::IntAtLeast(std::string_view name, int64_t fallback, int64_t least) {
  const int64_t value = Int(name, fallback);
  // The least one then stands for it, so that what is computed with it until the node ends is
  // sound.
  if (value < least) Fail("attribute '", name, "' is ", value, ", expected at least ", least);
  return value < least ? least : value;
}

std::vector<std::string_view> NodeContext::UnknownAttributes() const {
  std::vector<std::string_view> unknown;
  for (const Attribute& attribute : setup_.node->attributes) {
    const bool known = std::find(known_.begin(), known_.end(), attribute.name) != known_.end();
    // Nobody asked for it, so the result may not be what its author meant.
    if (!known) unknown.push_back(attribute.name);
  }
  return unknown;
}

// ---- calls

Value NodeContext::Call(std::string_view op, std::vector<Value> args, const Attrs& attrs) {
  if (!ok()) return nullptr;
  // Arguments that are left out at the end are not there; in between they are none.
  while (!args.empty() && args.back() == nullptr) args.pop_back();
  for (Value& arg : args) {
    if (arg == nullptr) arg = ir::MakeNone();
  }
  return setup_.builder->Emit(op, std::move(args), attrs);
}

std::vector<Value> NodeContext::CallMany(std::string_view op, std::vector<Value> args,
                                         const Attrs& attrs, int count) {
  std::vector<Value> parts(static_cast<size_t>(count));
  const Value tuple = Call(op, std::move(args), attrs);
  if (count == 1) return {tuple};  // one result is no tuple
  for (int i = 0; i < count && ok(); ++i)
    parts[static_cast<size_t>(i)] = setup_.builder->Field(tuple, i);
  return parts;
}

Value NodeContext::Constant(TensorPtr tensor) {
  if (!ok() || tensor == nullptr) return nullptr;
  return ir::MakeConstant(Any(std::move(tensor)));
}

Value NodeContext::ConstantInts(const Ints& values) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  return Constant(tern::Tensor::FromValues(std::span<const int64_t>(values), dims).value());
}

Value NodeContext::Scalar(DType dtype, double value) {
  if (!ok()) return nullptr;
  TensorPtr tensor = ScalarTensor(dtype, value);
  if (tensor == nullptr) Unsupported("elements of type ", dtype.ToString());
  return Constant(std::move(tensor));
}

Value NodeContext::ToI64(const Value& value) {
  if (!ok() || value == nullptr || DTypeOf(value) == kI64) return value;
  Attrs attrs;
  attrs.SetString("to", "i64");
  return Call("cast", {value}, attrs);
}

Value NodeContext::Invoke(std::string_view function, std::vector<Value> args,
                          const types::Type& type, bool has_effect) {
  if (!ok()) return nullptr;
  // A builtin of the machine and no operator: its type is what the caller says.
  ir::Expr primitive = ir::MakePrimitive(std::string(function), has_effect);
  return builder().BindAs(ir::MakeInvoke(std::move(primitive), std::move(args)), type);
}

// ---- subgraphs

const Graph* NodeContext::Subgraph(std::string_view name) {
  if (!ok()) return nullptr;
  const Attribute* attribute = FindTyped(name, AttributeType::kGraph);
  if (attribute != nullptr && attribute->graph != nullptr) return attribute->graph.get();
  Fail("attribute '", name, "' is missing, expected a graph");
  return nullptr;
}

bool NodeContext::Inline(const Graph& graph, const std::vector<Value>& inputs,
                         std::vector<Value>* outputs) {
  if (!ok() && !told_) return false;
  if (setup_.subgraphs->Inline(graph, inputs, outputs)) return true;
  // Ends this node, too, without telling its reader the same once more.
  Fail("what is wrong with a subgraph has been told");
  told_ = true;
  return false;
}

Value NodeContext::Recompute(std::string_view name, const std::vector<std::string_view>& names,
                             const std::vector<Value>& values) {
  Value result;
  if (!ok() || setup_.subgraphs->Recompute(name, names, values, &result)) return result;
  Fail("what is wrong between the values has been told");
  told_ = true;
  return nullptr;
}

void NodeContext::RequestSplit(Split split, std::string_view why) {
  if (!ok()) return;
  // What is told where the split does not help either.
  Unsupported(why);
  split_ = std::move(split);
}

// ---- outputs

bool NodeContext::WantsOutput(int index) const {
  const auto& names = setup_.node->outputs;
  return static_cast<size_t>(index) < names.size() && !names[static_cast<size_t>(index)].empty();
}

void NodeContext::SetOutput(int index, Value value) {
  if (static_cast<size_t>(index) < outputs_.size())
    outputs_[static_cast<size_t>(index)] = std::move(value);
}

}  // namespace tern::onnx
