// SPDX-License-Identifier: Apache-2.0
// Signature::CheckArguments: what a caller passes against what the function declares.
//
// Extents and symbols are checked in the order of the parameters, so that a message can say where a
// symbol got its value; expressions follow once all symbols are known.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/object/adt.h"
#include "core/object/closure.h"
#include "core/object/sequence.h"
#include "core/object/tensor.h"
#include "core/text/diagnostics.h"
#include "core/vm/signature.h"

namespace tern::vm {
namespace {

using text::Diagnostic;
using text::Diagnostics;

// Where a symbol got its extent.
struct Binding {
  int64_t extent = -1;
  size_t parameter = 0;
  size_t axis = 0;
};

// Evaluates dimension expressions; nothing where the text is none it knows or a symbol is unbound.
class DimensionEvaluator {
 public:
  DimensionEvaluator(std::string_view text, std::span<const std::string> symbols,
                     std::span<const Binding> bindings)
      : text_(text), symbols_(symbols), bindings_(bindings) {}

  std::optional<int64_t> Run() {
    const int64_t value = Sum(0);
    SkipSpace();
    if (!ok_ || at_ != text_.size()) return std::nullopt;
    return value;
  }

 private:
  static constexpr int kMaxDepth = 32;

  void SkipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char Peek() {
    SkipSpace();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Accept(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  int64_t Fail() {
    ok_ = false;
    at_ = text_.size();
    return 0;
  }
  int64_t Apply(char op, int64_t a, int64_t b) {
    int64_t out = 0;
    switch (op) {
      case '+': return __builtin_add_overflow(a, b, &out) ? Fail() : out;
      case '-': return __builtin_sub_overflow(a, b, &out) ? Fail() : out;
      case '*': return __builtin_mul_overflow(a, b, &out) ? Fail() : out;
      default: break;
    }
    if (b <= 0) return Fail();
    const int64_t quotient = a / b - (a % b < 0 ? 1 : 0);
    return op == '/' ? quotient : a - quotient * b;
  }
  int64_t Sum(int depth) {
    int64_t value = Product(depth);
    for (char op = Peek(); ok_ && (op == '+' || op == '-'); op = Peek()) {
      ++at_;
      value = Apply(op, value, Product(depth));
    }
    return value;
  }
  int64_t Product(int depth) {
    int64_t value = Factor(depth);
    for (char op = Peek(); ok_ && (op == '*' || op == '/' || op == '%'); op = Peek()) {
      ++at_;
      value = Apply(op, value, Factor(depth));
    }
    return value;
  }
  int64_t Factor(int depth) {
    if (depth > kMaxDepth) return Fail();
    if (Accept('-')) return Apply('-', 0, Factor(depth + 1));
    if (Accept('(')) {
      const int64_t value = Sum(depth + 1);
      return Accept(')') ? value : Fail();
    }
    SkipSpace();
    const size_t begin = at_;
    while (at_ < text_.size() && (IsPlainName(StrCat("_", text_[at_])))) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (const auto number = ParseInt64(word); number.has_value()) return *number;
    if ((word == "min" || word == "max") && Accept('(')) return Pair(word == "min", depth);
    const auto found = std::find(symbols_.begin(), symbols_.end(), word);
    if (found == symbols_.end()) return Fail();
    const Binding& binding = bindings_[static_cast<size_t>(found - symbols_.begin())];
    return binding.extent < 0 ? Fail() : binding.extent;
  }
  int64_t Pair(bool smaller, int depth) {
    const int64_t a = Sum(depth + 1);
    if (!Accept(',')) return Fail();
    const int64_t b = Sum(depth + 1);
    if (!Accept(')')) return Fail();
    return smaller ? std::min(a, b) : std::max(a, b);
  }

  std::string_view text_;
  std::span<const std::string> symbols_;
  std::span<const Binding> bindings_;
  size_t at_ = 0;
  bool ok_ = true;
};

bool IsScalarKind(TypeInfo::Kind kind, const AnyView& value) {
  switch (kind) {
    case TypeInfo::Kind::kAny: return true;
    case TypeInfo::Kind::kTensor: return value.Is<Tensor>();
    case TypeInfo::Kind::kInt: return value.type_code() != TERN_TYPE_BOOL && value.Is<int64_t>();
    case TypeInfo::Kind::kFloat: return value.type_code() != TERN_TYPE_BOOL && value.Is<double>();
    case TypeInfo::Kind::kBool: return value.Is<bool>();
    case TypeInfo::Kind::kString: return value.Is<std::string_view>();
    case TypeInfo::Kind::kDType: return value.Is<DType>();
    case TypeInfo::Kind::kShape: return value.Is<Shape>();
    case TypeInfo::Kind::kList: return value.Is<Sequence>();
    case TypeInfo::Kind::kClosure: return value.Is<Closure>();
    case TypeInfo::Kind::kTuple: return value.Is<Adt>();
  }
  return false;
}

std::string GotText(const AnyView& value) {
  const Tensor* tensor = value.TryCast<Tensor>();
  return tensor != nullptr ? tensor->TypeText() : std::string(value.type_name());
}

// One parameter after another; stops at the first that is wrong.
class ArgumentChecker {
 public:
  ArgumentChecker(const Signature& signature, std::string_view function, AnyArgs args)
      : signature_(signature),
        function_(function),
        args_(args),
        bindings_(signature.symbols().size()) {}

  Status Run() {
    for (size_t i = 0; i < args_.size(); ++i) {
      if (!CheckType(i, signature_.parameters()[i].type, args_[i]))
        return diagnostics_.ToStatus(code_);
    }
    for (size_t i = 0; i < args_.size(); ++i) {
      const TypeInfo& type = signature_.parameters()[i].type;
      if (type.kind == TypeInfo::Kind::kTensor && !CheckExpressions(i, type))
        return diagnostics_.ToStatus(code_);
    }
    return OkStatus();
  }

 private:
  Diagnostic& Add(std::string_view code, size_t parameter, std::string_view what) {
    const TypeInfo& type = signature_.parameters()[parameter].type;
    Diagnostic& d = diagnostics_.Error(
        code, StrCat(what, " for parameter ", signature_.ParameterText(parameter), " of @",
                     function_, ": expected ", type.ToText(), ", got ", GotText(args_[parameter])));
    d.function = std::string(function_);
    d.Context("declared", type.ToText());
    return d.Context("got", GotText(args_[parameter]));
  }

  bool CheckType(size_t parameter, const TypeInfo& type, const AnyView& value) {
    if (!IsScalarKind(type.kind, value)) {
      code_ = StatusCode::kTypeError;
      Add("E0205", parameter, "type mismatch");
      return false;
    }
    if (type.kind == TypeInfo::Kind::kTensor)
      return CheckTensor(parameter, type, *value.TryCast<Tensor>());
    if (type.kind == TypeInfo::Kind::kTuple)
      return CheckTuple(parameter, type, *value.TryCast<Adt>());
    return true;
  }

  bool CheckTuple(size_t parameter, const TypeInfo& type, const Adt& value) {
    if (value.size() != type.elements.size()) {
      code_ = StatusCode::kTypeError;
      Add("E0205", parameter, "type mismatch")
          .Note(StrCat("the tuple has ", value.size(), " fields, expected ", type.elements.size()));
      return false;
    }
    for (size_t i = 0; i < value.size(); ++i) {
      if (!CheckType(parameter, type.elements[i], value[i])) return false;
    }
    return true;
  }

  bool CheckTensor(size_t parameter, const TypeInfo& type, const Tensor& tensor) {
    if (type.has_dtype && tensor.dtype() != type.dtype) {
      code_ = StatusCode::kTypeError;
      Add("E0204", parameter, "data type mismatch")
          .Context("data type",
                   StrCat("expected ", type.dtype.ToString(), ", got ", tensor.dtype().ToString()));
      return false;
    }
    if (!type.has_rank) return true;
    if (type.dims.size() != tensor.dims().size()) {
      Add("E0203", parameter, "shape mismatch")
          .Context("rank", StrCat("expected ", type.dims.size(), ", got ", tensor.rank()));
      return false;
    }
    for (size_t axis = 0; axis < type.dims.size(); ++axis) {
      if (!CheckAxis(parameter, axis, type.dims[axis], tensor.dims()[axis])) return false;
    }
    return true;
  }

  bool CheckAxis(size_t parameter, size_t axis, const Dimension& dim, int64_t extent) {
    if (dim.kind == Dimension::Kind::kExtent && dim.value != extent) {
      AddAxis(parameter, axis, dim.value, extent, "");
      return false;
    }
    if (dim.kind != Dimension::Kind::kSymbol) return true;
    Binding& binding = bindings_[static_cast<size_t>(dim.value)];
    if (binding.extent < 0) {
      binding = {extent, parameter, axis};
    } else if (binding.extent != extent) {
      AddAxis(parameter, axis, binding.extent, extent, dim.text);
      return false;
    }
    return true;
  }

  void AddAxis(size_t parameter, size_t axis, int64_t expected, int64_t got, std::string_view why) {
    Diagnostic& d = Add("E0203", parameter, "shape mismatch");
    d.message += StrCat(" (axis ", axis, ": expected ", expected, ", got ", got);
    d.Context(StrCat("axis ", axis), StrCat("expected ", expected, ", got ", got));
    for (size_t i = 0; i < bindings_.size(); ++i) {
      const Binding& binding = bindings_[i];
      if (binding.extent < 0) continue;
      const std::string note =
          StrCat(signature_.symbols()[i], " was bound to ", binding.extent, " by axis ",
                 binding.axis, " of ", signature_.ParameterText(binding.parameter));
      if (signature_.symbols()[i] == why) d.message += StrCat("; ", note);
      d.Note(note);
    }
    d.message += ")";
  }

  bool CheckExpressions(size_t parameter, const TypeInfo& type) {
    const Tensor* tensor = args_[parameter].TryCast<Tensor>();
    for (size_t axis = 0; axis < type.dims.size(); ++axis) {
      const Dimension& dim = type.dims[axis];
      if (dim.kind != Dimension::Kind::kExpression) continue;
      const auto expected = DimensionEvaluator(dim.text, signature_.symbols(), bindings_).Run();
      if (!expected.has_value() || *expected == tensor->dims()[axis]) continue;
      AddAxis(parameter, axis, *expected, tensor->dims()[axis], "");
      return false;
    }
    return true;
  }

  const Signature& signature_;
  std::string_view function_;
  AnyArgs args_;
  std::vector<Binding> bindings_;
  Diagnostics diagnostics_;
  StatusCode code_ = StatusCode::kInvalidArgument;
};

// Whether all arguments are right. False also where this short way cannot tell.
class QuickCheck {
 public:
  bool Accepts(const TypeInfo& type, const AnyView& value) {
    switch (type.kind) {
      case TypeInfo::Kind::kAny: return true;
      case TypeInfo::Kind::kInt: return value.type_code() == TERN_TYPE_INT;
      case TypeInfo::Kind::kFloat: return value.type_code() == TERN_TYPE_FLOAT;
      case TypeInfo::Kind::kBool: return value.type_code() == TERN_TYPE_BOOL;
      case TypeInfo::Kind::kTensor:
        return value.type_code() == TERN_TYPE_TENSOR &&
               AcceptsTensor(type, *value.TryCast<Tensor>());
      default: return false;
    }
  }

 private:
  static constexpr size_t kSymbols = 8;

  bool AcceptsTensor(const TypeInfo& type, const Tensor& tensor) {
    if (type.has_dtype && tensor.dtype() != type.dtype) return false;
    if (!type.has_rank) return true;
    if (type.dims.size() != tensor.dims().size()) return false;
    for (size_t axis = 0; axis < type.dims.size(); ++axis) {
      if (!AcceptsExtent(type.dims[axis], tensor.dims()[axis])) return false;
    }
    return true;
  }
  bool AcceptsExtent(const Dimension& dim, int64_t extent) {
    if (dim.kind == Dimension::Kind::kAny) return true;
    if (dim.kind == Dimension::Kind::kExtent) return dim.value == extent;
    const auto symbol = static_cast<size_t>(dim.value);
    if (dim.kind != Dimension::Kind::kSymbol || symbol >= kSymbols) return false;
    if ((bound_ >> symbol & 1) != 0) return extents_[symbol] == extent;
    bound_ |= 1u << symbol;
    extents_[symbol] = extent;
    return true;
  }

  uint32_t bound_ = 0;
  int64_t extents_[kSymbols];  // of the symbols in bound_
};

Status CountError(const Signature& signature, std::string_view function, size_t got) {
  const size_t expected = signature.parameters().size();
  Diagnostics diagnostics;
  Diagnostic& d =
      diagnostics.Error("E0207", StrCat("@", function, " takes ", expected,
                                        expected == 1 ? " input, got " : " inputs, got ", got));
  d.function = std::string(function);
  d.Context("declared", StrCat("@", function, signature.ToText()));
  for (size_t i = got; i < expected && i < got + 8; ++i) {
    d.Note(StrCat("input ", signature.ParameterText(i), " was not given"));
  }
  return diagnostics.ToStatus();
}

}  // namespace

Status Signature::CheckArguments(std::string_view function, AnyArgs args) const {
  if (args.size() != parameters_.size()) return CountError(*this, function, args.size());
  if (!checks_types_) return OkStatus();
  QuickCheck quick;
  size_t accepted = 0;
  while (accepted < args.size() && quick.Accepts(parameters_[accepted].type, args[accepted]))
    ++accepted;
  if (accepted == args.size()) return OkStatus();
  return ArgumentChecker(*this, function, args).Run();
}

}  // namespace tern::vm
