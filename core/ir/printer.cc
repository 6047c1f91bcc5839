// SPDX-License-Identifier: Apache-2.0
#include "core/ir/printer.h"

#include <unordered_map>
#include <unordered_set>

#include "core/base/strings.h"

namespace tern::ir {

namespace {

constexpr int64_t kMostInline = 8;

std::string ElementText(const Tensor& tensor, int64_t i) {
  const DType dtype = tensor.dtype();
  const void* data = tensor.data();
  if (dtype == kF32) return FormatFloat(static_cast<const float*>(data)[i]);
  if (dtype == kF64) return FormatDouble(static_cast<const double*>(data)[i]);
  if (dtype == kI64) return StrCat(static_cast<const int64_t*>(data)[i]);
  if (dtype == kI32) return StrCat(static_cast<const int32_t*>(data)[i]);
  if (dtype == kI8) return StrCat(int{static_cast<const int8_t*>(data)[i]});
  if (dtype == kU8) return StrCat(int{static_cast<const uint8_t*>(data)[i]});
  return static_cast<const bool*>(data)[i] ? "true" : "false";
}

bool PrintsInline(const Constant& constant) {
  const Tensor* tensor = constant.tensor();
  if (tensor == nullptr) return true;
  const DType dtype = tensor->dtype();
  const bool plain = dtype == kF32 || dtype == kF64 || dtype == kI64 || dtype == kI32 ||
                     dtype == kI8 || dtype == kU8 || dtype.is_bool();
  return plain && tensor->is_contiguous() && tensor->rank() <= 1 &&
         tensor->element_count() <= kMostInline;
}

std::string InlineText(const Constant& constant) {
  if (constant.is_none()) return "none";
  const Tensor* tensor = constant.tensor();
  if (tensor == nullptr) return StrCat("<", constant.value().type_name(), ">");
  std::string text = tensor->dtype().ToString() + (tensor->rank() == 1 ? " [" : " ");
  for (int64_t i = 0; i < tensor->element_count(); ++i)
    StrAppend(&text, i == 0 ? "" : ", ", ElementText(*tensor, i));
  return tensor->rank() == 1 ? text + "]" : text;
}

// A name of letters, digits, '_', '.' and '/' that no other has.
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

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  std::string Run(const Module& module) {
    for (const Module::Item& item : module.items()) PrintFunction(item.name, *item.function);
    return constants_.empty() ? text_ : StrCat(constants_, "\n", text_);
  }

 private:
  std::string Name(const Expr& expr) {
    if (const Global* global = expr->As<Global>()) return global->name();
    if (const Constant* constant = expr->As<Constant>()) return NameConstant(*constant);
    const auto found = names_.find(expr.get());
    return found == names_.end() ? StrCat("<unbound ", NodeKindName(expr->kind()), ">")
                                 : found->second;
  }

  std::string NameConstant(const Constant& constant) {
    if (PrintsInline(constant)) return InlineText(constant);
    std::string& name = names_[&constant];
    if (name.empty()) {
      name = "@" + constant_names_.Unique(constant.name(), "c");
      StrAppend(&constants_, "const ", name, ": ", constant.type().ToText(), "\n");
    }
    return name;
  }

  std::string List(std::span<const Expr> exprs) {
    std::string text = "(";
    for (size_t i = 0; i < exprs.size(); ++i)
      StrAppend(&text, i == 0 ? "" : ", ", ExprText(exprs[i]));
    return text + ")";
  }

  std::string ExprText(const Expr& expr) {
    if (const Call* call = expr->As<Call>()) {
      std::string text = StrCat(call->op().name, List(call->args()));
      if (!call->attrs().empty()) StrAppend(&text, " {", call->attrs().ToText(), "}");
      return text;
    }
    if (const Invoke* invoke = expr->As<Invoke>())
      return Name(invoke->callee()) + List(invoke->args());
    if (const Tuple* tuple = expr->As<Tuple>()) return List(tuple->fields());
    if (const GetItem* item = expr->As<GetItem>())
      return StrCat(ExprText(item->tuple()), ".", item->index());
    return Name(expr);
  }

  void PrintFunction(std::string_view name, const Function& function) {
    Names locals;
    StrAppend(&text_, "fn ", name, "(");
    bool first = true;
    for (const VarPtr& parameter : function.parameters()) {
      names_[parameter.get()] = "%" + locals.Unique(parameter->name(), "p");
      StrAppend(&text_, first ? "" : ", ", names_[parameter.get()], ": ",
                parameter->type().ToText());
      first = false;
    }
    // Bound variables are numbered: names of large models are long and say little.
    int next = 0;
    for (const Binding& binding : function.bindings())
      names_[binding.var.get()] = StrCat("%", next++);
    StrAppend(&text_, ") -> ", TypeOf(function.result()).ToText(), " {\n");
    for (const Binding& binding : function.bindings()) PrintBinding(binding);
    StrAppend(&text_, "  return ", ExprText(function.result()));
    PrintOutputNames(function);
    text_ += "\n}\n";
  }

  void PrintBinding(const Binding& binding) {
    StrAppend(&text_, "  let ", Name(binding.var), " = ", ExprText(binding.value), ": ",
              binding.var->type().ToText());
    if (options_.origins && !binding.var->origin().empty())
      StrAppend(&text_, "  // ", binding.var->origin());
    text_ += '\n';
  }

  void PrintOutputNames(const Function& function) {
    bool first = true;
    for (const std::string& name : function.output_names()) {
      StrAppend(&text_, first ? " as " : ", ", "\"", name, "\"");
      first = false;
    }
  }

  PrintOptions options_;
  std::string constants_, text_;
  Names constant_names_;
  std::unordered_map<const Node*, std::string> names_;
};

}  // namespace

std::string ToText(const Module& module, const PrintOptions& options) {
  return Printer(options).Run(module);
}

}  // namespace tern::ir
