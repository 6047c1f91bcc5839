// SPDX-License-Identifier: Apache-2.0
// Between an executable and its tree. What a message does not give is 0 or empty, as in Protobuf.
#include <bit>
#include <memory>
#include <optional>

#include "core/base/strings.h"
#include "core/base/utf8.h"
#include "native/proto/tree.h"

namespace tern::proto {
namespace {

using vm::Constant;
using vm::ConstantKind;

// --- from an executable

class TreeMaker {
 public:
  Tree Make(const vm::Executable& executable) {
    for (const vm::FunctionInfo& function : executable.functions())
      AddFunction(executable, function);
    for (const Constant& constant : executable.constants())
      AddConstant(constant, Add(&tree_.root, "constant"));
    for (const std::string& name : executable.primitives()) Text(&tree_.root, "primitive", name);
    for (const vm::KernelInfo& kernel : executable.kernels()) {
      Node* node = Add(&tree_.root, "kernel");
      Text(node, "name", kernel.name);
      Text(node, "format", kernel.format);
      Text(node, "content", kernel.bytes);
    }
    for (const auto& [key, value] : executable.metadata()) {
      Node* node = Add(&tree_.root, "metadata");
      Text(node, "key", key);
      Text(node, "value", value);
    }
    for (const vm::DebugEntry& entry : executable.debug()) {
      Node* node = Add(&tree_.root, "debug");
      Number(node, "instruction", entry.instruction);
      Text(node, "text", entry.text());
      Number(node, "line", entry.line);
      Number(node, "column", entry.column);
    }
    return std::move(tree_);
  }

 private:
  // The root has no field that holds it.
  static const MessageSpec& MessageOf(const Node* node) {
    return node->field == nullptr ? kProgramMessage : *node->field->message;
  }
  // Good until the next one is added to the same parent.
  static Node* Add(Node* parent, std::string_view name) {
    Node child;
    child.field = MessageOf(parent).Find(name);
    return &parent->children.emplace_back(std::move(child));
  }
  // As Protobuf does, what is 0 or empty is left out where it says nothing by being there.
  static bool IsNeeded(const Node* parent, std::string_view name, bool is_empty) {
    const MessageSpec& message = MessageOf(parent);
    return !is_empty || message.is_choice || message.Find(name)->repeated;
  }
  static void Number(Node* parent, std::string_view name, uint64_t number) {
    if (IsNeeded(parent, name, number == 0)) Add(parent, name)->numbers = {number};
  }
  static void Text(Node* parent, std::string_view name, std::string_view text) {
    if (IsNeeded(parent, name, text.empty())) Add(parent, name)->bytes = text;
  }

  void AddFunction(const vm::Executable& executable, const vm::FunctionInfo& function) {
    Node* node = Add(&tree_.root, "function");
    Text(node, "name", function.name);
    // Made here, so the tree keeps it; other texts are the executable's own.
    Text(node, "signature", tree_.Keep(function.signature.ToText()));
    Number(node, "registers", function.register_count);
    for (const auto& [index, name] : function.register_names) {
      Node* named = Add(node, "register_name");
      Number(named, "register", index);
      Text(named, "name", name);
    }
    // As the words of the format (docs/format.md), which the reader verifies like those of a file.
    for (uint32_t i = 0; i < function.instruction_count; ++i) {
      const auto words = executable.InstructionWords(function.first_instruction + i);
      Add(Add(node, "instruction"), "word")->numbers.assign(words.begin(), words.end());
    }
  }

  static void Dims(Node* node, std::span<const int64_t> dims) {
    if (dims.empty()) return;
    Node* list = Add(node, "dim");
    for (const int64_t dim : dims) list->numbers.push_back(static_cast<uint64_t>(dim));
  }

  void AddConstant(const Constant& constant, Node* node) {
    switch (constant.kind) {
      // A message without fields: that it is there is all that it says.
      case ConstantKind::kNone: Add(node, "none"); return;
      case ConstantKind::kInt:
        return Number(node, "int", static_cast<uint64_t>(*constant.value.TryCast<int64_t>()));
      case ConstantKind::kFloat:
        // Its bits, because the text form would lose which NaN it is.
        return Number(node, "float_bits",
                      std::bit_cast<uint64_t>(*constant.value.TryCast<double>()));
      case ConstantKind::kBool: return Number(node, "bool", *constant.value.TryCast<bool>());
      case ConstantKind::kString:
        return Text(node, "string",
                    tree_.Keep(std::string(*constant.value.TryCast<std::string_view>())));
      case ConstantKind::kDType:
        return Text(node, "data_type", tree_.Keep(constant.value.TryCast<DType>()->ToString()));
      case ConstantKind::kShape:
        return Dims(Add(node, "shape"), constant.value.TryCast<Shape>()->dims());
      case ConstantKind::kTensor: return AddTensor(constant, Add(node, "tensor"));
      case ConstantKind::kSplat: {
        const Tensor& element = *constant.value.TryCast<Tensor>();
        Node* splat = Add(node, "splat");
        Text(splat, "data_type", tree_.Keep(element.dtype().ToString()));
        Dims(splat, constant.dims);
        return Text(splat, "element", AsText(element.bytes()));
      }
      case ConstantKind::kTuple: {
        Node* tuple = Add(node, "tuple");
        if (constant.elements.empty()) return;
        Node* list = Add(tuple, "constant");
        list->numbers.assign(constant.elements.begin(), constant.elements.end());
        return;
      }
    }
  }

  void AddTensor(const Constant& constant, Node* node) {
    const Tensor& tensor = *constant.value.TryCast<Tensor>();
    Text(node, "data_type", tree_.Keep(tensor.dtype().ToString()));
    Dims(node, tensor.dims());
    // In the byte order of the format, little end first.
    if (!tensor.dtype().is_string()) return Text(node, "data", AsText(tensor.bytes()));
    for (int64_t i = 0; i < tensor.element_count(); ++i)
      Text(node, "string", tree_.Keep(std::string(tensor.string_at(i))));
  }

  Tree tree_;
};

// --- to an executable

class ProgramMaker {
 public:
  explicit ProgramMaker(const Tree& tree) : tree_(tree) {}

  Result<vm::ExecutablePtr> Make() {
    // First of all, since errors below print texts.
    TERN_TRY(CheckTexts(tree_.root, kProgramMessage));
    for (const Node& node : tree_.root.children) {
      const std::string_view name = node.field->name;
      if (name == "function") TERN_TRY(AddFunction(node));
      if (name == "constant") TERN_TRY(AddConstant(node));
      if (name == "primitive") parts_.primitives.emplace_back(node.bytes);
      if (name == "kernel")
        parts_.kernels.push_back({std::string(Text(node, "name")),
                                  std::string(Text(node, "format")),
                                  std::string(Text(node, "content"))});
      if (name == "metadata") parts_.metadata.emplace_back(Text(node, "key"), Text(node, "value"));
      if (name == "debug") AddDebug(node);
    }
    // Verifies everything, as for a file: nothing that was read here is trusted.
    return vm::Executable::Make(std::move(parts_));
  }

 private:
  static const Node* Find(const Node& node, std::string_view name) {
    for (const Node& child : node.children)
      if (child.field->name == name) return &child;
    return nullptr;
  }
  static std::string_view Text(const Node& node, std::string_view name) {
    const Node* found = Find(node, name);
    return found == nullptr ? std::string_view() : found->bytes;
  }
  static uint32_t Number(const Node& node, std::string_view name) {
    const Node* found = Find(node, name);
    return found == nullptr || found->numbers.empty() ? 0
                                                      : static_cast<uint32_t>(found->numbers[0]);
  }
  static std::vector<int64_t> Dims(const Node& node) {
    std::vector<int64_t> dims;
    for (const Node& child : node.children)
      if (child.field->name == "dim")
        for (const uint64_t dim : child.numbers) dims.push_back(static_cast<int64_t>(dim));
    return dims;
  }

  // A file holds no text that is not UTF-8; bytes may be anything.
  Status CheckTexts(const Node& node, const MessageSpec& message) const {
    for (const Node& child : node.children) {
      const FieldSpec& field = *child.field;
      if (field.kind == FieldKind::kMessage) TERN_TRY(CheckTexts(child, *field.message));
      if (field.kind == FieldKind::kString && !IsValidUtf8(child.bytes))
        return Corrupt(tree_.Where(message, field.name, child.offset),
                       ": text that is not valid UTF-8")
            .SetErrorCode("E0105");
    }
    return OkStatus();
  }

  // What is wrong with a field of a message, or, without it, with the message.
  Status Wrong(const Node& message, std::string_view field, std::string_view what) const {
    const Node* node = field.empty() ? nullptr : Find(message, field);
    return Corrupt(tree_.Where(*message.field->message, field,
                               node == nullptr ? message.offset : node->offset),
                   ": ", what)
        .SetErrorCode("E0105");
  }

  Status AddFunction(const Node& node) {
    vm::FunctionInfo function;
    function.name = std::string(Text(node, "name"));
    const std::string_view text = Text(node, "signature");
    Result<vm::Signature> signature = vm::Signature::Parse(text);
    if (!signature.ok()) return Wrong(node, "signature", signature.status().message());
    function.signature = std::move(signature).value();
    function.first_instruction = static_cast<uint32_t>(parts_.instr_offset.size());
    function.register_count = Number(node, "registers");
    for (const Node& child : node.children) {
      if (child.field->name == "register_name")
        function.register_names.emplace_back(Number(child, "register"), Text(child, "name"));
      if (child.field->name == "instruction") TERN_TRY(AddInstruction(child));
    }
    function.instruction_count =
        static_cast<uint32_t>(parts_.instr_offset.size()) - function.first_instruction;
    parts_.functions.push_back(std::move(function));
    return OkStatus();
  }

  Status AddInstruction(const Node& node) {
    const size_t begin = parts_.instr_data.size();
    for (const Node& words : node.children)
      parts_.instr_data.insert(parts_.instr_data.end(), words.numbers.begin(), words.numbers.end());
    if (parts_.instr_data.size() == begin) return Wrong(node, "word", "an instruction has words");
    // Instructions are counted with int32, and their offsets have 32 bits.
    if (parts_.instr_data.size() > INT32_MAX) return Wrong(node, "word", "too many instructions");
    parts_.instr_offset.push_back(static_cast<uint32_t>(begin));
    return OkStatus();
  }

  void AddDebug(const Node& node) {
    vm::DebugEntry entry;
    entry.instruction = Number(node, "instruction");
    entry.line = Number(node, "line");
    entry.column = Number(node, "column");
    const std::string_view text = Text(node, "text");
    // Entries with the same text stand together mostly, and share it.
    if (shared_text_ == nullptr || *shared_text_ != text)
      shared_text_ = std::make_shared<const std::string>(text);
    entry.shared_text = shared_text_;
    parts_.debug.push_back(std::move(entry));
  }

  Status AddConstant(const Node& node) {
    // A constant is a choice of one.
    if (node.children.size() != 1)
      return Wrong(node, "", StrCat("expected one value, got ", node.children.size()));
    const Node& value = node.children[0];
    const std::string_view name = value.field->name;
    Constant constant;
    if (name == "int") constant = Plain(ConstantKind::kInt, static_cast<int64_t>(Only(value)));
    if (name == "bool") constant = Plain(ConstantKind::kBool, Only(value) != 0);
    if (name == "float_bits")
      constant = Plain(ConstantKind::kFloat, std::bit_cast<double>(Only(value)));
    if (name == "string") constant = Plain(ConstantKind::kString, value.bytes);
    if (name == "shape") {
      constant.kind = ConstantKind::kShape;
      constant.value = Any(Shape::Make(Dims(value)));
    }
    if (name == "data_type") {
      const Result<DType> dtype = DType::Parse(value.bytes);
      if (!dtype.ok()) return Wrong(node, name, dtype.status().message());
      constant = Plain(ConstantKind::kDType, *dtype);
    }
    if (name == "tensor") TERN_TRY(ReadTensor(value, &constant));
    if (name == "splat") TERN_TRY(ReadSplat(value, &constant));
    if (name == "tuple") {
      constant.kind = ConstantKind::kTuple;
      for (const Node& list : value.children)
        for (const uint64_t element : list.numbers)
          constant.elements.push_back(static_cast<uint32_t>(element));
    }
    parts_.constants.push_back(std::move(constant));
    return OkStatus();
  }

  static uint64_t Only(const Node& node) { return node.numbers.empty() ? 0 : node.numbers[0]; }

  template <typename T>
  static Constant Plain(ConstantKind kind, T value) {
    Constant constant;
    constant.kind = kind;
    constant.value = Any(value);
    return constant;
  }

  Status ReadTensor(const Node& node, Constant* constant) const {
    const Result<DType> dtype = DType::Parse(Text(node, "data_type"));
    if (!dtype.ok()) return Wrong(node, "data_type", dtype.status().message());
    std::vector<std::string_view> strings;
    for (const Node& child : node.children)
      if (child.field->name == "string") strings.push_back(child.bytes);
    const bool is_string = dtype->is_string();
    // A field that would be passed over in silence is a mistake.
    if (is_string ? Find(node, "data") != nullptr : !strings.empty())
      return Wrong(node, is_string ? "data" : "string",
                   StrCat("a tensor of ", dtype->ToString(), " has no such field"));
    const std::vector<int64_t> dims = Dims(node);
    // Before memory is taken: dimensions alone may ask for any amount of it.
    const std::optional<int64_t> count = ElementCount(dims);
    if (is_string && (!count || static_cast<uint64_t>(*count) != strings.size()))
      return Wrong(
          node, "string",
          StrCat("a tensor of string", FormatDims(dims), " has ", strings.size(), " texts"));
    return Keep(node, is_string ? "string" : "data",
                is_string ? Tensor::FromStrings(strings, dims)
                          : Tensor::FromBytes(*dtype, dims, AsBytes(Text(node, "data"))),
                constant);
  }

  // Constants are shared by all machines of the program, so nobody may write to them.
  Status Keep(const Node& node, std::string_view field, Result<TensorPtr> tensor,
              Constant* constant) const {
    if (!tensor.ok()) return Wrong(node, field, tensor.status().message());
    (*tensor)->set_read_only();
    constant->kind = ConstantKind::kTensor;
    constant->value = Any(std::move(tensor).value());
    return OkStatus();
  }

  Status ReadSplat(const Node& node, Constant* constant) const {
    const Result<DType> dtype = DType::Parse(Text(node, "data_type"));
    if (!dtype.ok()) return Wrong(node, "data_type", dtype.status().message());
    // A splat is copied as bytes when it is made.
    if (dtype->is_string() || dtype->bits % 8 != 0)
      return Wrong(node, "data_type", StrCat("there is no splat of ", dtype->ToString()));
    Result<TensorPtr> element =
        Tensor::FromBytes(*dtype, std::vector<int64_t>(), AsBytes(Text(node, "element")));
    if (!element.ok()) return Wrong(node, "element", element.status().message());
    Result<Constant> splat = Constant::Splat(std::move(element).value(), Dims(node));
    if (!splat.ok()) return Wrong(node, "dim", splat.status().message());
    *constant = std::move(splat).value();
    return OkStatus();
  }

  const Tree& tree_;
  vm::ExecutableParts parts_;
  std::shared_ptr<const std::string> shared_text_;
};

}  // namespace

Tree TreeOf(const vm::Executable& executable) { return TreeMaker().Make(executable); }

Result<vm::ExecutablePtr> ExecutableOf(const Tree& tree) { return ProgramMaker(tree).Make(); }

}  // namespace tern::proto
