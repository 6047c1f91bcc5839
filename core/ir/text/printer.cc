// SPDX-License-Identifier: Apache-2.0
#include "core/ir/text/printer.h"

#include <unordered_map>
#include <unordered_set>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/ir/control.h"
#include "core/loop/text/printer.h"
#include "core/object/graph/print.h"
#include "core/object/small_numbers.h"
#include "core/ops/ops.h"

namespace tern::ir {

namespace {

// Larger constants are declared by name ahead of the functions.
constexpr int64_t kMostInline = 8;
constexpr size_t kMostInlineText = 200;  // bytes of all texts

// A model's vocabulary may be one text.
bool HasShortTexts(const Tensor& tensor) {
  size_t size = 0;
  for (int64_t i = 0; i < tensor.element_count(); ++i) size += tensor.string_at(i).size();
  return size <= kMostInlineText;
}

// Only what the parser reads back: complex numbers and vectors have no literals.
bool PrintsInline(const Constant& constant) {
  const Tensor* tensor = constant.window();
  if (tensor == nullptr) return true;
  const DType dtype = tensor->dtype();
  const bool plain = dtype.is_float() || dtype.is_int() || dtype.is_bool() || dtype.is_string() ||
                     IsSmallNumber(dtype);
  return plain && dtype.lanes == 1 && tensor->is_contiguous() && tensor->rank() <= 1 &&
         tensor->element_count() <= kMostInline && (!dtype.is_string() || HasShortTexts(*tensor));
}

// A float always shows that it is one: "2.0", "float inf".
std::string FloatText(double value) {
  const std::string text = FormatDouble(value);
  if (text.find_first_of("in") != std::string::npos) return "float " + text;
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string ScalarText(const Any& value) {
  switch (value.type_code()) {
    case TERN_TYPE_NONE: return "none";
    case TERN_TYPE_INT: return StrCat(*value.TryCast<int64_t>());
    case TERN_TYPE_FLOAT: return FloatText(*value.TryCast<double>());
    case TERN_TYPE_BOOL: return *value.TryCast<bool>() ? "true" : "false";
    default: break;
  }
  if (const auto text = value.TryCast<std::string_view>()) return JsonQuote(*text);
  return StrCat("<", value.type_name(), ">");
}

// A tensor of rank 1 has brackets, so that it is not read as a scalar.
std::string InlineText(const Constant& constant) {
  const Tensor* tensor = constant.tensor();
  if (tensor == nullptr) return ScalarText(constant.value());
  std::string text = tensor->dtype().ToString() + (tensor->rank() == 1 ? " [" : " ");
  for (int64_t i = 0; i < tensor->element_count(); ++i)
    StrAppend(&text, i == 0 ? "" : ", ", TensorElementText(*tensor, i));
  return tensor->rank() == 1 ? text + "]" : text;
}

// Gives names of letters, digits, '_', '.' and '/' that are used once. Hints of models hold
// anything else.
class Names {
 public:
  std::string Unique(std::string_view hint, std::string_view fallback) {
    std::string name;
    for (char c : hint) name += IsNameChar(c) ? c : '_';
    if (name.empty()) name = StrCat(fallback, next_++);
    while (!used_.insert(name).second) name = StrCat(name, "_", next_++);
    return name;
  }

 private:
  static bool IsNameChar(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '/';
  }
  std::unordered_set<std::string> used_;
  int next_ = 0;
};

// Prints a module in the notation that the parser reads.
class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  std::string Run(const Module& module) {
    for (const DataTypePtr& type : module.data_types())
      StrAppend(&declarations_, type->ToText(), "\n");
    for (const Module::Item& item : module.items()) {
      if (item.is_private) text_ += "private ";
      if (item.is_primitive) text_ += "primitive ";
      PrintFunction(item);
    }
    // Constants are met while functions are printed, but must be read first.
    return declarations_.empty() ? text_ : StrCat(declarations_, "\n", text_);
  }

 private:
  // --- atoms and lists

  std::string Name(const Expr& expr) {
    if (const Global* global = expr->As<Global>()) return "@" + global->name();
    if (const Constant* constant = expr->As<Constant>()) return NameConstant(*constant);
    const auto found = names_.find(expr.get());
    // A broken module is printed too: dumps are for finding such bugs.
    return found == names_.end() ? StrCat("<unbound ", NodeKindName(expr->kind()), ">")
                                 : found->second;
  }

  // A constant has one name in all functions; its elements are not printed.
  std::string NameConstant(const Constant& constant) {
    if (PrintsInline(constant)) return InlineText(constant);
    std::string& name = names_[&constant];
    if (name.empty()) {
      name = "@" + constant_names_.Unique(constant.name(), "c");
      StrAppend(&declarations_, "const ", name, ": ", constant.type().ToText(), "\n");
    }
    return name;
  }

  std::string List(std::span<const Expr> exprs) {
    std::string text = "(";
    for (size_t i = 0; i < exprs.size(); ++i)
      StrAppend(&text, i == 0 ? "" : ", ", ExprText(exprs[i]));
    return text + ")";
  }

  std::string Variable(const VarPtr& var) {
    return var == nullptr ? "_" : StrCat(Name(var), ": ", var->type().ToText());
  }

  // Names the parameters, so it must run before the body is printed.
  std::string Parameters(std::span<const VarPtr> parameters) {
    std::string text = "(";
    for (const VarPtr& parameter : parameters) {
      names_[parameter.get()] = "%" + locals_.Unique(parameter->name(), "p");
      StrAppend(&text, text.size() == 1 ? "" : ", ", Variable(parameter));
    }
    return text + ")";
  }

  // --- values

  std::string ExprText(const Expr& expr) {
    switch (expr->kind()) {
      case NodeKind::kCall: return CallText(*expr->As<Call>());
      case NodeKind::kInvoke: return InvokeText(*expr->As<Invoke>());
      case NodeKind::kTuple: return List(expr->As<Tuple>()->fields());
      case NodeKind::kGetItem:
        return StrCat(ExprText(expr->As<GetItem>()->tuple()), ".", expr->As<GetItem>()->index());
      case NodeKind::kIf: return IfText(*expr->As<If>());
      case NodeKind::kSwitch: return SwitchText(*expr->As<Switch>());
      case NodeKind::kFunction: return LambdaText(*expr->As<Function>());
      case NodeKind::kScalar:
        return StrCat(expr->As<Scalar>()->info().name, ".scalar", List(expr->As<Scalar>()->args()));
      case NodeKind::kConstruct: return ConstructText(*expr->As<Construct>());
      case NodeKind::kMakeClosure:
        return StrCat("closure ", Name(expr->As<MakeClosure>()->function()),
                      List(expr->As<MakeClosure>()->captured()));
      case NodeKind::kPrimitive: return PrimitiveText(*expr->As<Primitive>());
      case NodeKind::kFatal: return StrCat("fatal ", JsonQuote(expr->As<Fatal>()->message()));
      case NodeKind::kDeviceCopy:
        return StrCat("device_copy ", ExprText(expr->As<DeviceCopy>()->source()), " to ",
                      expr->As<DeviceCopy>()->device());
      case NodeKind::kLet: return BlockText(*expr->As<Let>());
      case NodeKind::kVar:
      case NodeKind::kConstant:
      case NodeKind::kGlobal: break;
    }
    return Name(expr);
  }

  std::string CallText(const Call& call) {
    std::string text = StrCat(call.op().name, List(call.args()));
    if (!call.attrs().empty()) StrAppend(&text, " {", call.attrs().ToText(), "}");
    return text;
  }

  static std::string PrimitiveText(const Primitive& primitive) {
    return StrCat(primitive.has_effect() ? "effect " : "primitive ", JsonQuote(primitive.name()));
  }

  std::string InvokeText(const Invoke& invoke) {
    // A function that is called like an operator keeps its sigil, so that the parser does not take
    // it for one.
    const Global* global = invoke.callee()->As<Global>();
    const bool bare = global != nullptr && ops::FindOp(global->name()) == nullptr;
    return StrCat(invoke.is_tail() ? "tail " : "",
                  bare ? global->name() : ExprText(invoke.callee()), List(invoke.args()));
  }

  std::string ConstructText(const Construct& node) {
    const auto& constructor =
        node.data_type()->constructors[static_cast<size_t>(node.constructor())];
    return StrCat("construct ", node.data_type()->name, ".", constructor.name, List(node.fields()));
  }

  std::string IfText(const If& node) {
    std::string text = StrCat("if ", Name(node.condition()), " ", BlockText(*node.then_block()));
    return StrCat(text, " else ", BlockText(*node.else_block()));
  }

  std::string SwitchText(const Switch& node) {
    std::string text = StrCat("switch ", node.data_type()->name, " ", Name(node.subject()), " {\n");
    depth_ += 1;
    for (const SwitchCase& option : node.cases()) {
      const auto index = static_cast<size_t>(option.constructor);
      StrAppend(&text, Indent(), node.data_type()->constructors[index].name,
                CaseFields(option.fields), " => ");
      StrAppend(&text, BlockText(*option.block), "\n");
    }
    if (node.default_block())
      StrAppend(&text, Indent(), "else => ", BlockText(*node.default_block()), "\n");
    depth_ -= 1;
    return StrCat(text, Indent(), "}");
  }

  // Fields that the case does not read are "_".
  std::string CaseFields(std::span<const VarPtr> fields) {
    if (fields.empty()) return "";
    std::string text = "(";
    for (const VarPtr& field : fields) {
      if (field != nullptr) names_[field.get()] = "%" + locals_.Unique(field->name(), "p");
      StrAppend(&text, text.size() == 1 ? "" : ", ", Variable(field));
    }
    return text + ")";
  }

  // A body that is an atom is printed as a block, which is the only form that the parser reads.
  std::string LambdaText(const Function& lambda) {
    std::string text = "lambda" + Parameters(lambda.parameters());
    return StrCat(text, " ", BlockText(*ToBlock(lambda.body())));
  }

  // --- blocks

  std::string Indent() const { return std::string(static_cast<size_t>(depth_) * 2, ' '); }

  std::string BlockText(const Let& block) {
    std::string text = "{\n";
    depth_ += 1;
    text += Bindings(block.bindings());
    StrAppend(&text, Indent(), "result ", ExprText(block.result()), "\n");
    depth_ -= 1;
    return StrCat(text, Indent(), "}");
  }

  // A group is announced ahead of its first lambda.
  std::string Bindings(std::span<const Binding> bindings) {
    std::string text;
    bool in_group = false;
    for (size_t i = 0; i < bindings.size(); ++i) {
      if (bindings[i].recursive && !in_group) text += GroupText(bindings.subspan(i));
      in_group = bindings[i].recursive;
      text += BindingText(bindings[i]);
    }
    return text;
  }

  // Bound variables are numbered, because the names of large models are long and say little.
  void Number(const VarPtr& var) { names_[var.get()] = "%" + locals_.Unique(StrCat(next_++), "p"); }

  // "rec %3: fn(int) -> int, %4: …" before the lambdas that may mention these names.
  std::string GroupText(std::span<const Binding> bindings) {
    std::string text = Indent() + "rec ";
    for (size_t i = 0; i < bindings.size() && bindings[i].recursive; ++i) {
      Number(bindings[i].var);
      StrAppend(&text, i == 0 ? "" : ", ", Variable(bindings[i].var));
    }
    return text + "\n";
  }

  std::string BindingText(const Binding& binding) {
    if (!binding.recursive) Number(binding.var);
    // Bindings within its value follow in the text too.
    if (options_.lines != nullptr) options_.lines->push_back({0, binding.var->origin()});
    std::string text = StrCat(Indent(), "let ", Name(binding.var), " = ");
    StrAppend(&text, ExprText(binding.value), ": ", binding.var->type().ToText());
    if (options_.origins && !binding.var->origin().empty())
      StrAppend(&text, "  // ", binding.var->origin());
    return StrCat(text, NotesText(binding.var), "\n");
  }

  // Notes of passes, such as of liveness, as a comment at the end of the line.
  std::string NotesText(const VarPtr& var) {
    if (options_.notes == nullptr) return "";
    const auto found = options_.notes->find(var.get());
    if (found == options_.notes->end()) return "";
    std::string text;
    for (const PrintNote& note : found->second) {
      StrAppend(&text, text.empty() ? "  // " : "; ", note.label);
      for (const Var* named : note.vars) StrAppend(&text, " ", names_[named]);
    }
    return text;
  }

  void PrintFunction(const Module::Item& item) {
    const Function& function = *item.function;
    // Names are unique per function only.
    locals_ = Names();
    next_ = 0;
    depth_ = 1;
    StrAppend(&text_, "fn ", item.name, Parameters(function.parameters()), " -> ",
              TypeOf(function.result()).ToText(), " {\n");
    if (item.kernel != nullptr) PrintKernel(*item.kernel);
    text_ += Bindings(function.bindings());
    StrAppend(&text_, "  return ", ExprText(function.result()));
    PrintOutputNames(function);
    text_ += "\n}\n";
  }

  // In the form of core/loop, moved in.
  void PrintKernel(const loop::te::Definition& kernel) {
    const std::string text = loop::ToText(kernel);
    for (std::string_view line : StrSplit(std::string_view(text).substr(0, text.size() - 1), '\n'))
      StrAppend(&text_, "  ", line, "\n");
  }

  void PrintOutputNames(const Function& function) {
    bool first = true;
    for (const std::string& name : function.output_names()) {
      StrAppend(&text_, first ? " as " : ", ", JsonQuote(name));
      first = false;
    }
  }

  PrintOptions options_;
  std::string declarations_, text_;
  Names constant_names_, locals_;
  std::unordered_map<const Node*, std::string> names_;
  int next_ = 0, depth_ = 0;
};

// Gives each binding the line that it begins: these are the lines that begin with "let", in the
// order of the bindings. Where a model's names made other lines, nothing is told.
void PlaceLines(std::string_view text, std::vector<LineOrigin>* lines) {
  size_t line = 0, next = 0;
  for (const std::string_view each : StrSplit(text, '\n')) {
    ++line;
    const size_t begin = each.find_first_not_of(' ');
    if (begin == std::string_view::npos || !each.substr(begin).starts_with("let ")) continue;
    if (next < lines->size()) (*lines)[next].line = line;
    ++next;
  }
  const bool fits = next == lines->size();
  std::erase_if(*lines, [&](const LineOrigin& each) { return !fits || each.origin.empty(); });
}

}  // namespace

std::string ToText(const Module& module, const PrintOptions& options) {
  if (options.lines != nullptr) options.lines->clear();
  std::string text = Printer(options).Run(module);
  if (options.lines != nullptr) PlaceLines(text, options.lines);
  return text;
}

}  // namespace tern::ir
