// SPDX-License-Identifier: Apache-2.0
// Signature::CheckArguments: what a caller passes against what the function declares.
//
// There are two implementations. QuickCheck says yes for right arguments of common kinds and
// allocates nothing. ArgumentChecker runs where it says no, and finds the message. It checks
// extents and symbols in the order of the parameters, so that a message can say where a symbol got
// its value; expressions follow once all symbols are known.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/sequence.h"
#include "core/object/tensor.h"
#include "core/text/diagnostics.h"
#include "core/vm/dimension.h"
#include "core/vm/signature.h"

namespace tern::vm {
namespace {

using text::Diagnostic;
using text::Diagnostics;

// Where a symbol got its extent: for the note "n was bound to 4 by axis 0 of x".
struct Binding {
  size_t parameter = 0;
  size_t axis = 0;
};

// Whether the value has the kind, extents and element types aside. Bools are no numbers here,
// although an Any converts them: a signature that says int means one.
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

// A tensor by its type; any other value by its kind, since its content does not matter here.
std::string GotText(const AnyView& value) {
  const Tensor* tensor = value.TryCast<Tensor>();
  return tensor != nullptr ? tensor->TypeText() : std::string(value.type_name());
}

// Checks one parameter after another and stops at the first that is wrong: later ones may depend on
// its symbols.
class ArgumentChecker {
 public:
  ArgumentChecker(const Signature& signature, std::string_view function, AnyArgs args)
      : signature_(signature),
        function_(function),
        args_(args),
        extents_(signature.symbols().size(), kUnknownExtent),
        bindings_(signature.symbols().size()) {}

  Status Run() {
    // First all kinds and symbols, then expressions such as n + 1, which may use symbols of a later
    // parameter.
    for (size_t i = 0; i < args_.size(); ++i) {
      if (!CheckType(i, signature_.parameters()[i].type, args_[i]))
        return diagnostics_.ToStatus(code_);
    }
    for (size_t i = 0; i < args_.size(); ++i) {
      if (!CheckExpressions(i, signature_.parameters()[i].type, args_[i]))
        return diagnostics_.ToStatus(code_);
    }
    return OkStatus();
  }

 private:
  // All messages have one form, which tools read by the contexts "declared" and "got".
  Diagnostic& Add(std::string_view code, size_t parameter, std::string_view what) {
    const TypeInfo& type = signature_.parameters()[parameter].type;
    Diagnostic& d = diagnostics_.Error(
        code, StrCat(what, " for parameter ", signature_.ParameterText(parameter), " of @",
                     function_, ": expected ", type.ToText(), ", got ", GotText(args_[parameter])));
    d.function = std::string(function_);
    d.Context("declared", type.ToText());
    return d.Context("got", GotText(args_[parameter]));
  }

  // code_ is the status's code; the diagnostic has its own, finer one. Both are documented in
  // docs/errors.md.
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
      // Errors inside a tuple name the parameter, the outermost thing that the caller knows.
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
    // A type without a rank accepts every shape.
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

  // An extent must be equal; the first use of a symbol binds it, later ones must agree; the rest is
  // either free or checked by CheckExpressions.
  bool CheckAxis(size_t parameter, size_t axis, const Dimension& dim, int64_t extent) {
    if (dim.kind == Dimension::Kind::kExtent && dim.value != extent) {
      AddAxis(parameter, axis, dim.value, extent, "");
      return false;
    }
    if (dim.kind != Dimension::Kind::kSymbol) return true;
    const auto symbol = static_cast<size_t>(dim.value);
    // Never an extent: those are at least 0.
    if (extents_[symbol] == kUnknownExtent) {
      extents_[symbol] = extent;
      bindings_[symbol] = {parameter, axis};
    } else if (extents_[symbol] != extent) {
      AddAxis(parameter, axis, extents_[symbol], extent, dim.text);
      return false;
    }
    return true;
  }

  // `why` is the symbol that disagrees: its binding is the reason and goes into the message. The
  // other bindings are notes.
  void AddAxis(size_t parameter, size_t axis, int64_t expected, int64_t got, std::string_view why) {
    Diagnostic& d = Add("E0203", parameter, "shape mismatch");
    d.message += StrCat(" (axis ", axis, ": expected ", expected, ", got ", got);
    d.Context(StrCat("axis ", axis), StrCat("expected ", expected, ", got ", got));
    for (size_t i = 0; i < bindings_.size(); ++i) {
      const Binding& binding = bindings_[i];
      if (extents_[i] == kUnknownExtent) continue;
      const std::string note =
          StrCat(signature_.symbols()[i], " was bound to ", extents_[i], " by axis ", binding.axis,
                 " of ", signature_.ParameterText(binding.parameter));
      if (signature_.symbols()[i] == why) d.message += StrCat("; ", note);
      d.Note(note);
    }
    d.message += ")";
  }

  // Of a value that has the type otherwise, and of what is in it.
  bool CheckExpressions(size_t parameter, const TypeInfo& type, const AnyView& value) {
    if (type.kind == TypeInfo::Kind::kTuple) {
      const Adt& tuple = *value.TryCast<Adt>();
      for (size_t i = 0; i < tuple.size(); ++i) {
        if (!CheckExpressions(parameter, type.elements[i], tuple[i])) return false;
      }
      return true;
    }
    const Tensor* tensor = value.TryCast<Tensor>();
    if (type.kind != TypeInfo::Kind::kTensor) return true;
    for (size_t axis = 0; axis < type.dims.size(); ++axis) {
      const Dimension& dim = type.dims[axis];
      if (dim.kind != Dimension::Kind::kExpression) continue;
      // Nothing where the expression cannot be computed (an unbound symbol): then it is not
      // checked.
      const auto expected = EvaluateDimension(dim.text, signature_.symbols(), extents_);
      if (!expected.has_value() || *expected == tensor->dims()[axis]) continue;
      AddAxis(parameter, axis, *expected, tensor->dims()[axis], "");
      return false;
    }
    return true;
  }

  const Signature& signature_;
  std::string_view function_;
  AnyArgs args_;
  std::vector<int64_t> extents_;  // by symbol
  std::vector<Binding> bindings_;
  Diagnostics diagnostics_;
  // Wrong shapes are invalid arguments, wrong kinds are type errors.
  StatusCode code_ = StatusCode::kInvalidArgument;
};

// Tensors bind symbols, also those in tuples.
void BindSymbols(const TypeInfo& type, const AnyView& value, std::vector<int64_t>* extents) {
  if (const Adt* tuple = value.TryCast<Adt>(); tuple != nullptr) {
    for (size_t i = 0; i < std::min<size_t>(tuple->size(), type.elements.size()); ++i)
      BindSymbols(type.elements[i], (*tuple)[i], extents);
    return;
  }
  const Tensor* tensor = value.TryCast<Tensor>();
  if (tensor == nullptr || type.dims.size() != tensor->dims().size()) return;
  for (size_t axis = 0; axis < type.dims.size(); ++axis) {
    const Dimension& dim = type.dims[axis];
    if (dim.kind == Dimension::Kind::kSymbol)
      (*extents)[static_cast<size_t>(dim.value)] = tensor->dims()[axis];
  }
}

// Whether all arguments are right, without allocating: it runs at each call of a checked function.
// False also where this short way cannot tell (tuples, expressions, many symbols).
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
      case TypeInfo::Kind::kString:
      case TypeInfo::Kind::kDType:
      case TypeInfo::Kind::kShape:
      case TypeInfo::Kind::kList:
      case TypeInfo::Kind::kClosure:
      case TypeInfo::Kind::kTuple: break;
    }
    return false;
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
    // Symbols are numbered by their first use, so nearly all signatures fit kSymbols.
    const auto symbol = static_cast<size_t>(dim.value);
    if (dim.kind != Dimension::Kind::kSymbol || symbol >= kSymbols) return false;
    // One bit per symbol says that it is bound; the array is not initialised.
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
  // A few names help; a call with one argument of fifty needs no list.
  for (size_t i = got; i < expected && i < got + 8; ++i) {
    d.Note(StrCat("input ", signature.ParameterText(i), " was not given"));
  }
  return diagnostics.ToStatus();
}

// Checks one value after another against the declared result; stops at the first that is wrong.
// Symbols have the extents that the arguments gave them.
class ResultChecker {
 public:
  // Arguments were checked at the call, so binding cannot fail here.
  ResultChecker(const Signature& signature, std::string_view function, AnyArgs args)
      : signature_(signature), function_(function), extents_(signature.SymbolExtents(args)) {}

  Status Check(const TypeInfo& type, const AnyView& value) const {
    if (!IsScalarKind(type.kind, value)) return Mismatch("E0205", "type mismatch", type, value);
    if (type.kind == TypeInfo::Kind::kTensor)
      return CheckTensor(type, *value.TryCast<Tensor>(), value);
    if (type.kind != TypeInfo::Kind::kTuple) return OkStatus();
    const Adt& tuple = *value.TryCast<Adt>();
    if (tuple.size() != type.elements.size())
      return Mismatch("E0205", "type mismatch", type, value);
    for (size_t i = 0; i < tuple.size(); ++i) TERN_TRY(Check(type.elements[i], tuple[i]));
    return OkStatus();
  }

 private:
  // What a result's dimension must be, if it can be known.
  std::optional<int64_t> ExtentOf(const Dimension& dim) const {
    switch (dim.kind) {
      case Dimension::Kind::kAny: return std::nullopt;
      case Dimension::Kind::kExtent: return dim.value;
      case Dimension::Kind::kExpression:
        return EvaluateDimension(dim.text, signature_.symbols(), extents_);
      case Dimension::Kind::kSymbol: break;
    }
    const int64_t extent = extents_[static_cast<size_t>(dim.value)];
    return extent == kUnknownExtent ? std::nullopt : std::optional(extent);
  }

  Status CheckTensor(const TypeInfo& type, const Tensor& tensor, const AnyView& value) const {
    if (type.has_dtype && tensor.dtype() != type.dtype)
      return Mismatch("E0204", "data type mismatch", type, value);
    if (!type.has_rank) return OkStatus();
    if (type.dims.size() != tensor.dims().size())
      return Mismatch("E0203", "shape mismatch", type, value);
    for (size_t axis = 0; axis < type.dims.size(); ++axis) {
      // No expected extent: any will do.
      const std::optional<int64_t> expected = ExtentOf(type.dims[axis]);
      const int64_t extent = tensor.dims()[axis];
      if (!expected.has_value() || *expected == extent) continue;
      return Mismatch("E0203", "shape mismatch", type, value,
                      StrCat(" (axis ", axis, ": expected ", *expected, ", got ", extent, ")"));
    }
    return OkStatus();
  }

  Status Mismatch(std::string_view code, std::string_view what, const TypeInfo& type,
                  const AnyView& value, std::string_view more = "") const {
    Diagnostics diagnostics;
    Diagnostic& d =
        diagnostics.Error(code, StrCat(what, " for the result of @", function_, ": expected ",
                                       type.ToText(), ", got ", GotText(value), more));
    d.Context("declared", type.ToText());
    d.Context("got", GotText(value));
    // As for arguments: shapes and kinds have different status codes.
    return diagnostics.ToStatus(code == "E0203" ? StatusCode::kInvalidArgument
                                                : StatusCode::kTypeError);
  }

  const Signature& signature_;
  std::string_view function_;
  std::vector<int64_t> extents_;  // by symbol; one that stays unknown is not compared
};

}  // namespace

Status Signature::CheckResult(std::string_view function, const AnyView& result,
                              AnyArgs args) const {
  // Functions of older files declare no result.
  if (!has_result_) return OkStatus();
  return ResultChecker(*this, function, args).Check(result_, result);
}

Status Signature::CheckArguments(std::string_view function, AnyArgs args) const {
  if (args.size() != parameters_.size()) return CountError(*this, function, args.size());
  // A signature of `any` alone has nothing to check.
  if (!checks_types_) return OkStatus();
  QuickCheck quick;
  size_t accepted = 0;
  // Arguments that the quick check accepts are right. It keeps its symbols from one to the next, so
  // it must see them in order.
  while (accepted < args.size() && quick.Accepts(parameters_[accepted].type, args[accepted]))
    ++accepted;
  if (accepted == args.size()) return OkStatus();
  return ArgumentChecker(*this, function, args).Run();
}

std::vector<int64_t> Signature::SymbolExtents(AnyArgs args) const {
  std::vector<int64_t> extents(symbols_.size(), kUnknownExtent);
  for (size_t i = 0; i < std::min(args.size(), parameters_.size()); ++i)
    BindSymbols(parameters_[i].type, args[i], &extents);
  return extents;
}

}  // namespace tern::vm
