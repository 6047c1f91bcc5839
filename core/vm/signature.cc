// SPDX-License-Identifier: Apache-2.0
// Parsing and printing of signatures. Checking arguments against one is in check_arguments.cc. The
// canonical text is made from what was parsed, so that equal signatures have equal texts.
#include "core/vm/signature.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/base/strings.h"

namespace tern::vm {
namespace {

// Texts come from files; deeper types would need stack for each level.
constexpr int kMaxTypeDepth = 16;

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNameChar(char c) { return IsNameStart(c) || (c >= '0' && c <= '9') || c == '.'; }

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
  return !text.empty() && IsNameStart(text[0]) && std::all_of(text.begin(), text.end(), IsNameChar);
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

// Recursive descent over one line of text. Sticky: the first error is kept, and Fail moves to the
// end, so that loops stop.
class SignatureParser {
 public:
  explicit SignatureParser(std::string_view text) : text_(text) {}

  Result<Signature> Run() {
    Expect('(');
    while (ok() && !Accept(')')) {
      // A comma is wanted before each parameter but the first; "(a,)" is thus refused.
      if (!out_.parameters_.empty()) Expect(',');
      ParseParameter();
    }
    if (ok() && Accept('-')) {
      ExpectHere('>');
      out_.has_result_ = true;
      out_.result_ = ParseNamedType(0);
    }
    SkipSpace();
    // A second signature behind the first, or garbage.
    if (ok() && at_ != text_.size()) Fail("text after the signature");
    if (!ok()) return std::move(status_);
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
  bool ok() const { return status_.ok(); }
  char At() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void SkipSpace() {
    while (At() == ' ') ++at_;
  }
  bool Accept(char c) {
    SkipSpace();
    if (At() != c) return false;
    ++at_;
    return true;
  }
  void Expect(char c) {
    if (ok() && !Accept(c)) Fail(StrCat("expected '", c, "'"));
  }
  // As Expect, without skipping spaces: "- >" is no arrow.
  void ExpectHere(char c) {
    if (At() == c)
      ++at_;
    else
      Fail(StrCat("expected '", c, "'"));
  }
  void Fail(std::string_view message) {
    if (!ok()) return;
    status_ =
        InvalidArgument("signature ", JsonQuote(text_), ", character ", at_ + 1, ": ", message);
    at_ = text_.size();
  }

  std::string_view Word() {
    SkipSpace();
    const size_t begin = at_;
    while (IsNameChar(At())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string ParseQuoted() {
    std::string out;
    ++at_;
    while (at_ < text_.size() && At() != '"') {
      // A control character would be printed as an escape, and only two escapes are read.
      if (static_cast<unsigned char>(At()) < ' ') return Fail("a control character in a name"), out;
      if (At() == '\\') {
        ++at_;
        if (At() != '"' && At() != '\\')
          return Fail("only \\\" and \\\\ are escapes in a name"), out;
      }
      out.push_back(text_[at_++]);
    }
    ExpectHere('"');
    if (out.empty()) Fail("a quoted name is empty");
    return out;
  }

  void ParseParameter() {
    SkipSpace();
    ParameterInfo parameter;
    if (Accept('%')) {
      // The number must be the parameter's own: it is there for readers, not to reorder.
      if (Word() != StrCat(out_.parameters_.size())) {
        Fail(StrCat("parameter ", out_.parameters_.size(), " without a name is written %",
                    out_.parameters_.size()));
      }
    } else if (At() == '"') {
      parameter.name = ParseQuoted();
    } else {
      parameter.name = std::string(Word());
      if (!IsPlainName(parameter.name)) Fail("expected a parameter's name");
    }
    for (const ParameterInfo& other : out_.parameters_) {
      if (!parameter.name.empty() && other.name == parameter.name)
        Fail(StrCat("two parameters '", other.name, "'"));
      if (out_.parameters_.size() > 256) break;  // keeps hostile signatures linear
    }
    if (Accept(':')) parameter.type = ParseType(0);
    out_.parameters_.push_back(std::move(parameter));
  }

  // `name: type`, or a type alone. A word may be either, so the parser goes back if no colon
  // follows.
  TypeInfo ParseNamedType(int depth) {
    SkipSpace();
    const size_t begin = at_;
    std::string name = At() == '"' ? ParseQuoted() : std::string(Word());
    if (!ok() || !Accept(':')) {
      at_ = ok() ? begin : at_;
      name.clear();
    }
    TypeInfo type = ParseType(depth);
    type.name = std::move(name);
    return type;
  }

  TypeInfo ParseType(int depth) {
    TypeInfo type;
    if (depth > kMaxTypeDepth) Fail("types are nested too deep");
    if (!ok()) return type;
    if (Accept('(')) {
      type.kind = TypeInfo::Kind::kTuple;
      while (ok() && !Accept(')')) {
        if (!type.elements.empty()) Expect(',');
        type.elements.push_back(ParseNamedType(depth + 1));
      }
      return type;
    }
    const std::string_view word = Word();
    // A word right before a bracket is a data type, everything else a kind.
    if (At() == '[') {
      ParseTensor(word, &type);
      return type;
    }
    for (const NamedKind& named : kKinds) {
      if (named.name != word) continue;
      type.kind = named.kind;
      return type;
    }
    Fail(StrCat("unknown type '", word, "'; a tensor is written f32[2, n]"));
    return type;
  }

  void ParseTensor(std::string_view word, TypeInfo* type) {
    Result<DType> dtype = DType::Parse(word);
    if (!dtype.ok()) return Fail(StrCat("unknown data type '", word, "'"));
    type->kind = TypeInfo::Kind::kTensor;
    type->dtype = *dtype;
    type->has_dtype = true;
    Expect('[');
    // f32[*]: any rank.
    if (Accept('*')) return Expect(']');
    type->has_rank = true;
    while (ok() && !Accept(']')) {
      if (!type->dims.empty()) Expect(',');
      ParseDimension(type);
    }
  }

  // Reads a dimension's text up to the comma or bracket that ends it; commas inside of min(a, b) do
  // not.
  void ParseDimension(TypeInfo* type) {
    SkipSpace();
    const size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (depth == 0 && (c == ',' || c == ']')) break;
      // Other characters are refused: printing and parsing again would not keep them, or a line's
      // end or a comment begins there.
      if (!IsNameChar(c) && std::string_view(" +-*/%(),?").find(c) == std::string_view::npos)
        return Fail(StrCat("unexpected character ", JsonQuote(std::string_view(&c, 1)),
                           " inside a dimension"));
      if (c == '(') ++depth;
      if (c == ')') --depth;
    }
    Dimension dim;
    dim.text = std::string(StrTrim(text_.substr(begin, at_ - begin)));
    if (dim.text.empty()) return Fail("a dimension is missing");
    Classify(&dim);
    type->dims.push_back(std::move(dim));
  }

  // What the text is decides how it is checked: a number, `?`, a name alone, or an expression.
  void Classify(Dimension* dim) {
    if (dim->text == "?") return;
    if (const auto extent = ParseInt64(dim->text); extent.has_value()) {
      if (*extent < 0) return Fail(StrCat("a dimension of ", *extent));
      dim->kind = Dimension::Kind::kExtent;
      dim->value = *extent;
      // "007" becomes "7": the text is canonical.
      dim->text = StrCat(*extent);
      return;
    }
    if (!IsPlainName(dim->text)) {
      dim->kind = Dimension::Kind::kExpression;
      return;
    }
    // A symbol gets its number where it is first seen; equal names are one symbol.
    dim->kind = Dimension::Kind::kSymbol;
    const auto found = std::find(out_.symbols_.begin(), out_.symbols_.end(), dim->text);
    dim->value = found - out_.symbols_.begin();
    if (found == out_.symbols_.end()) out_.symbols_.push_back(dim->text);
    // Bounds the linear search above.
    if (out_.symbols_.size() > 4096) Fail("more than 4096 symbols");
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

  std::string_view text_;
  size_t at_ = 0;
  Status status_;
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
