// SPDX-License-Identifier: Apache-2.0
// Parsing and printing of signatures. Checking arguments against one is in check_arguments.cc. The
// canonical text is made from what was parsed, so that equal signatures have equal texts.
#include "core/vm/signature.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/text/scanner.h"
#include "core/vm/dimension.h"

namespace tern::vm {
namespace {

// Texts come from files; deeper types would need stack for each level.
constexpr int kMaxTypeDepth = 16;

constexpr text::TextForm kForm{.word_marks = "."};

struct NamedKind {
  std::string_view name;
  TypeInfo::Kind kind;
};
constexpr NamedKind kKinds[] = {
    {"any", TypeInfo::Kind::kAny},     {"tensor", TypeInfo::Kind::kTensor},
    {"int", TypeInfo::Kind::kInt},     {"float", TypeInfo::Kind::kFloat},
    {"bool", TypeInfo::Kind::kBool},   {"string", TypeInfo::Kind::kString},
    {"dtype", TypeInfo::Kind::kDType}, {"shape", TypeInfo::Kind::kShape},
    {"list", TypeInfo::Kind::kList},   {"closure", TypeInfo::Kind::kClosure},
};

void AppendDims(const TypeInfo& type, std::string* out) {
  out->push_back('[');
  if (!type.has_rank) out->push_back('*');
  for (size_t i = 0; i < type.dims.size(); ++i)
    // Dimensions are printed as written: an expression is kept as text until it is evaluated.
    StrAppend(out, i == 0 ? "" : ", ", type.dims[i].text);
  out->push_back(']');
}

}  // namespace

bool IsPlainName(std::string_view text) {
  return !text.empty() && IsNameStart(text[0]) && text::Scanner(text, kForm).TakeWord() == text;
}

std::string QuoteName(std::string_view text) {
  return IsPlainName(text) ? std::string(text) : JsonQuote(text);
}

std::string TypeInfo::NamedText() const {
  return name.empty() ? ToText() : StrCat(QuoteName(name), ": ", ToText());
}

std::string TypeInfo::ToText() const {
  if (kind == Kind::kTuple) {
    std::string out = "(";
    for (size_t i = 0; i < elements.size(); ++i) {
      StrAppend(&out, i == 0 ? "" : ", ", elements[i].NamedText());
    }
    return out + ")";
  }
  if (kind == Kind::kTensor && has_dtype) {
    std::string out = dtype.ToString();
    AppendDims(*this, &out);
    return out;
  }
  for (const NamedKind& named : kKinds) {
    if (named.kind == kind) return std::string(named.name);
  }
  return "any";
}

// Recursive descent over one line of text.
class SignatureParser {
 public:
  explicit SignatureParser(std::string_view text) : in_(text, kForm) {}

  Result<Signature> Run() {
    in_.Expect("(");
    while (in_.ok() && !in_.Accept(')')) {
      // A comma is wanted before each parameter but the first; "(a,)" is thus refused.
      if (!out_.parameters_.empty()) in_.Expect(",");
      ParseParameter();
    }
    if (in_.Accept("->")) {
      out_.has_result_ = true;
      out_.result_ = ParseNamedType(0);
    }
    if (!in_.AtEnd()) in_.Fail("the end of the signature");
    if (!in_.ok())
      return InvalidArgument("signature ", JsonQuote(in_.text()), ", character ",
                             in_.mistake().begin + 1, ": ", in_.mistake().message);
    Finish();
    return std::move(out_);
  }

  // For signatures made by code.
  static Signature Finished(Signature signature) {
    SignatureParser parser("");
    parser.out_ = std::move(signature);
    parser.Finish();
    return std::move(parser.out_);
  }
  static void AddParameter(Signature* signature) { signature->parameters_.emplace_back(); }

 private:
  // Only two escapes are read: a control character would be printed as another one.
  std::string ParseQuoted() {
    std::string out;
    for (in_.Accept('"'); !in_.AcceptHere('"');) {
      if (static_cast<unsigned char>(in_.Here()) < ' ') {
        in_.Fail("'\"' and no control character in a name");
        return out;
      }
      if (in_.AcceptHere('\\') && in_.Here() != '"' && in_.Here() != '\\') {
        in_.Fail("one of the escapes \\\" and \\\\ in a name");
        return out;
      }
      out.push_back(in_.Here());
      in_.MoveTo(in_.at() + 1);
    }
    if (out.empty()) in_.FailHere("a quoted name is empty");
    return out;
  }

  void ParseParameter() {
    ParameterInfo parameter;
    in_.Skip();
    const size_t begin = in_.at();
    if (in_.Accept('%')) {
      // The number must be the parameter's own: it is there for readers, not to reorder.
      if (in_.TakeWord() != StrCat(out_.parameters_.size())) {
        in_.FailSince(begin, StrCat("parameter ", out_.parameters_.size(),
                                    " without a name is written %", out_.parameters_.size()));
      }
    } else if (in_.Here() == '"') {
      parameter.name = ParseQuoted();
    } else {
      if (!IsPlainName(in_.PeekWord())) in_.Fail("a parameter's name");
      parameter.name = std::string(in_.TakeWord());
    }
    for (const ParameterInfo& other : out_.parameters_) {
      if (!parameter.name.empty() && other.name == parameter.name)
        in_.FailSince(begin, StrCat("two parameters '", other.name, "'"));
      if (out_.parameters_.size() > 256) break;  // keeps hostile signatures linear
    }
    if (in_.Accept(':')) parameter.type = ParseType(0);
    out_.parameters_.push_back(std::move(parameter));
  }

  // `name: type`, or a type alone. A word may be either, so the parser goes back if no colon
  // follows.
  TypeInfo ParseNamedType(int depth) {
    in_.Skip();
    const size_t begin = in_.at();
    std::string name = in_.Peek() == '"' ? ParseQuoted() : std::string(in_.TakeWord());
    if (in_.ok() && !in_.Accept(':')) {
      in_.MoveTo(begin);
      name.clear();
    }
    TypeInfo type = ParseType(depth);
    type.name = std::move(name);
    return type;
  }

  TypeInfo ParseType(int depth) {
    TypeInfo type;
    if (depth > kMaxTypeDepth) in_.Fail("fewer nested types");
    if (in_.Accept('(')) {
      type.kind = TypeInfo::Kind::kTuple;
      while (in_.ok() && !in_.Accept(')')) {
        if (!type.elements.empty()) in_.Expect(",");
        type.elements.push_back(ParseNamedType(depth + 1));
      }
      return type;
    }
    in_.Skip();
    const size_t begin = in_.at();
    const std::string_view word = in_.TakeWord();
    // A word right before a bracket is a data type, everything else a kind.
    if (in_.Here() == '[') {
      ParseTensor(begin, word, &type);
      return type;
    }
    for (const NamedKind& named : kKinds) {
      if (named.name != word) continue;
      type.kind = named.kind;
      return type;
    }
    in_.FailSince(begin, StrCat("unknown type '", word, "'; a tensor is written f32[2, n]"));
    return type;
  }

  void ParseTensor(size_t begin, std::string_view word, TypeInfo* type) {
    Result<DType> dtype = DType::Parse(word);
    if (!dtype.ok()) return in_.FailSince(begin, StrCat("unknown data type '", word, "'"));
    type->kind = TypeInfo::Kind::kTensor;
    type->dtype = *dtype;
    type->has_dtype = true;
    in_.Expect("[");
    // f32[*]: any rank.
    if (in_.Accept('*')) return in_.Expect("]");
    type->has_rank = true;
    while (in_.ok() && !in_.Accept(']')) {
      if (!type->dims.empty() && !in_.Accept(',')) return in_.Fail("',' or ']'");
      ParseDimension(type);
    }
  }

  // A dimension is kept as it is written, and computed at calls.
  void ParseDimension(TypeInfo* type) {
    in_.Skip();
    const size_t begin = in_.at();
    SkipDimension(&in_);
    Dimension dim;
    dim.text = std::string(StrTrim(in_.Since(begin)));
    Classify(begin, &dim);
    type->dims.push_back(std::move(dim));
  }

  // What the text is decides how it is checked: a number, `?`, a name alone, or an expression.
  void Classify(size_t begin, Dimension* dim) {
    if (dim->text == "?") return;
    if (const auto extent = ParseInt64(dim->text); extent.has_value()) {
      if (*extent < 0) in_.FailSince(begin, StrCat("a dimension of ", *extent));
      dim->kind = Dimension::Kind::kExtent;
      dim->value = *extent;
      // "007" becomes "7": the text is canonical.
      dim->text = StrCat(*extent);
    } else if (IsPlainName(dim->text)) {
      dim->kind = Dimension::Kind::kSymbol;
      dim->value = SymbolIndex(begin, dim->text);
    } else {
      dim->kind = Dimension::Kind::kExpression;
    }
  }

  // A symbol gets its number where it is first seen; equal names are one symbol.
  int64_t SymbolIndex(size_t begin, const std::string& name) {
    const auto found = std::find(out_.symbols_.begin(), out_.symbols_.end(), name);
    const int64_t index = found - out_.symbols_.begin();
    if (found == out_.symbols_.end()) out_.symbols_.push_back(name);
    // Bounds the linear search above.
    if (out_.symbols_.size() > 4096) in_.FailSince(begin, "more than 4096 symbols");
    return index;
  }

  // Makes the canonical text, and notes whether there is anything to check.
  void Finish() {
    std::string text = "(";
    for (size_t i = 0; i < out_.parameters_.size(); ++i) {
      const ParameterInfo& parameter = out_.parameters_[i];
      if (i > 0) text += ", ";
      text += parameter.name.empty() ? StrCat("%", i) : QuoteName(parameter.name);
      if (parameter.type.kind == TypeInfo::Kind::kAny) continue;
      StrAppend(&text, ": ", parameter.type.ToText());
      out_.checks_types_ = true;
    }
    text += ")";
    if (out_.has_result_) StrAppend(&text, " -> ", out_.result_.NamedText());
    out_.text_ = std::move(text);
  }

  text::Scanner in_;
  Signature out_;
};

Result<Signature> Signature::Parse(std::string_view text) { return SignatureParser(text).Run(); }

Signature Signature::OfArity(uint32_t arity) {
  Signature signature;
  for (uint32_t i = 0; i < arity; ++i) SignatureParser::AddParameter(&signature);
  return SignatureParser::Finished(std::move(signature));
}

std::string Signature::ParameterText(size_t index) const {
  const std::string& name = parameters_[index].name;
  return name.empty() ? StrCat("%", index) : StrCat("`", name, "`");
}

}  // namespace tern::vm
