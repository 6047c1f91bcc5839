// SPDX-License-Identifier: Apache-2.0
// Signature: names and types of a function's parameters and its result, with symbolic dimensions.
//
//   (x: f32[n, 128], w: f32[128, 10]) -> f32[n, 10]
//   (image: f32[1, 3, h, w]) -> (scores: f32[1, n, 2], boxes: f32[1, n, 4])
//
// A parameter is `name: type`, a name alone (any type) or `%i` (no name, parameter i); a name that
// is no identifier is quoted. The result and the elements of a tuple may have names as well. Types:
// f32[…] and so on; f32[*] of any rank; tensor, int, float, bool, string, dtype, shape, list,
// closure, any; (a, b) a tuple. Dimensions are written as core/types/dim_grammar.h says: an extent,
// `?` (anything), a symbol, which must have one extent wherever it stands, or an expression, which
// is checked once its symbols are known.
//
// This is what the machine can tell of a value at a call, in a form that calls check quickly and
// that needs no compiler. What a compiler knows of a type is more (core/types/type.h);
// core/ir/codegen/signature_text.h says which part of it a signature keeps.
#ifndef TERN_CORE_VM_SIGNATURE_H_
#define TERN_CORE_VM_SIGNATURE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/object/function.h"

namespace tern::vm {

struct Dimension {
  enum class Kind : uint8_t { kExtent, kAny, kSymbol, kExpression };
  Kind kind = Kind::kAny;
  int64_t value = 0;  // the extent, or the symbol's index in Signature::symbols
  std::string text;   // as written
};

struct TypeInfo {
  enum class Kind : uint8_t {
    kAny,
    kTensor,
    kInt,
    kFloat,
    kBool,
    kString,
    kDType,
    kShape,
    kList,
    kClosure,
    kTuple
  };
  Kind kind = Kind::kAny;
  bool has_dtype = false;  // of tensors
  bool has_rank = false;
  DType dtype;
  std::vector<Dimension> dims;
  std::vector<TypeInfo> elements;  // of tuples
  std::string name;                // of a result or an element of one; empty: none
  // With the name in front, where there is one.
  std::string NamedText() const;

  std::string ToText() const;
};

struct ParameterInfo {
  std::string name;  // empty: none
  TypeInfo type;
};

class Signature {
 public:
  Signature() = default;
  // The error says at which character.
  static Result<Signature> Parse(std::string_view text);
  // "(%0, %1)".
  static Signature OfArity(uint32_t arity);

  std::span<const ParameterInfo> parameters() const { return parameters_; }
  const TypeInfo& result() const { return result_; }
  bool has_result() const { return has_result_; }
  std::span<const std::string> symbols() const { return symbols_; }
  // Canonical: Parse(ToText()) is the same signature.
  const std::string& ToText() const { return text_; }
  // "`x`", or "%0" where it has no name.
  std::string ParameterText(size_t index) const;

  // Count, kinds, data types, ranks and extents of the arguments; `function` is named in the
  // errors.
  Status CheckArguments(std::string_view function, AnyArgs args) const;
  // Of each symbol, kUnknownExtent (dimension.h) where it is no extent of a parameter. For
  // arguments that CheckArguments has seen.
  std::vector<int64_t> SymbolExtents(AnyArgs args) const;
  // What the function gave back. Symbols are those of `args`, which it was called with; without
  // them (empty), extents that depend on symbols are not looked at.
  Status CheckResult(std::string_view function, const AnyView& result, AnyArgs args) const;
  // Whether there is anything to check.
  bool has_types() const { return checks_types_ || has_result_; }

 private:
  friend class SignatureParser;

  std::vector<ParameterInfo> parameters_;
  TypeInfo result_;
  bool has_result_ = false;
  bool checks_types_ = false;  // some parameter has a type
  std::vector<std::string> symbols_;
  std::string text_;
};

// `text` if it is an identifier (letters, digits, '_', '.', not beginning with a digit or '.'),
// else quoted.
std::string QuoteName(std::string_view text);
bool IsPlainName(std::string_view text);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_SIGNATURE_H_
