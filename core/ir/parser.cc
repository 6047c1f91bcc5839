// SPDX-License-Identifier: Apache-2.0
#include "core/ir/parser.h"

#include <memory>
#include <optional>
#include <unordered_map>

#include "core/base/hash.h"
#include "core/base/strings.h"
#include "core/ir/builder.h"
#include "core/ir/infer.h"
#include "core/ir/splat.h"

namespace tern::ir {

namespace {

constexpr std::string_view kCode = "E0503";
constexpr int64_t kMostElements = int64_t{1} << 26;

bool IsWord(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '.' || c == '/';
}

// A number as it was written: 2^63 - 1 is no double.
struct Number {
  double value = 0;
  int64_t integer = 0;
};

// Writes a number as element i of a new tensor.
void SetElement(const Tensor& tensor, int64_t i, const Number& number) {
  const double value = number.value;
  const DType dtype = tensor.dtype();
  void* data = tensor.data();
  if (dtype == kF32)
    static_cast<float*>(data)[i] = static_cast<float>(value);
  else if (dtype == kF64)
    static_cast<double*>(data)[i] = value;
  else if (dtype == kI64)
    static_cast<int64_t*>(data)[i] = number.integer;
  else if (dtype == kI32)
    static_cast<int32_t*>(data)[i] = static_cast<int32_t>(number.integer);
  else if (dtype == kI8)
    static_cast<int8_t*>(data)[i] = static_cast<int8_t>(number.integer);
  else if (dtype == kU8)
    static_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(number.integer);
  else
    static_cast<bool*>(data)[i] = value != 0;
}

bool HasElements(DType dtype) {
  return dtype == kF32 || dtype == kF64 || dtype == kI64 || dtype == kI32 || dtype == kI8 ||
         dtype == kU8 || dtype == kBool;
}

class Parser {
 public:
  Parser(std::string_view file_name, std::string_view text)
      : sources_(std::make_shared<text::SourceMap>()),
        file_(sources_->AddFile(file_name, text)),
        text_(text),
        diagnostics_(sources_) {}

  Result<Module> Run() {
    while (ok_ && !AtEnd()) {
      if (AcceptWord("const"))
        ParseConstant();
      else if (AcceptWord("fn"))
        ParseFunction();
      else
        Fail("'const' or 'fn'");
    }
    if (!diagnostics_.ok()) return diagnostics_.ToStatus();
    return std::move(module_);
  }

 private:
  // --- characters
  // --------------------------------------------------------------------------------------

  void Skip() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("//") || rest.starts_with(";;")) {
        const size_t end = rest.find('\n');
        at_ = end == std::string_view::npos ? text_.size() : at_ + end;
      } else if (rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t' || rest[0] == '\r') {
        ++at_;
      } else {
        break;
      }
    }
  }
  bool AtEnd() { return Skip(), at_ >= text_.size(); }
  char Peek() { return AtEnd() ? '\0' : text_[at_]; }
  bool Accept(std::string_view token) {
    Skip();
    if (!ok_ || !text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string_view PeekWord() {
    Skip();
    size_t end = at_;
    while (end < text_.size() && IsWord(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool AcceptWord(std::string_view word) {
    if (!ok_ || PeekWord() != word) return false;
    at_ += word.size();
    return true;
  }
  std::string_view Word(std::string_view expected) {
    const std::string_view word = PeekWord();
    if (word.empty()) Fail(expected);
    at_ += ok_ ? word.size() : 0;
    return ok_ ? word : std::string_view();
  }
  void Expect(std::string_view token) {
    if (!Accept(token)) Fail(StrCat("'", token, "'"));
  }
  text::Span Here(size_t begin) const {
    return {file_, static_cast<uint32_t>(begin),
            static_cast<uint32_t>(at_ > begin ? at_ : begin + 1)};
  }

  // The first syntax error ends the parse: everything after it would be a guess.
  void Fail(std::string_view expected) {
    if (!ok_) return;
    ok_ = false;
    const std::string_view word = PeekWord();
    const std::string got = at_ >= text_.size()
                                ? "the end"
                                : StrCat("'", word.empty() ? text_.substr(at_, 1) : word, "'");
    diagnostics_.Error(kCode, StrCat("expected ", expected, ", got ", got))
        .At({file_, static_cast<uint32_t>(at_),
             static_cast<uint32_t>(at_ + (word.empty() ? 1 : word.size()))});
    at_ = text_.size();
  }
  // What is wrong but can be read on.
  void Complain(size_t begin, std::string_view message) {
    if (ok_) diagnostics_.Error(kCode, message).At(Here(begin));
  }

  // --- types, numbers, constants
  // -----------------------------------------------------------------------

  // Up to the end of the line, or to a delimiter outside brackets.
  types::Type ParseType() {
    Skip();
    const size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '(' || c == '[')
        ++depth;
      else if ((c == ')' || c == ']') && depth-- == 0)
        break;
      else if (c == '\n' || (depth == 0 && (c == ',' || c == '{' || c == '=')))
        break;
      else if (text_.substr(at_).starts_with("//"))
        break;
    }
    Result<types::Type> type = types::Type::Parse(StrTrim(text_.substr(begin, at_ - begin)));
    if (type.ok()) return *std::move(type);
    Complain(begin, type.status().message());
    return types::Type();
  }

  Number ParseNumber() {
    Skip();
    const size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    while (at_ < text_.size() && (IsWord(text_[at_]) || ((text_[at_] == '-' || text_[at_] == '+') &&
                                                         text_[at_ - 1] == 'e'))) {
      ++at_;
    }
    const std::string_view text = text_.substr(begin, at_ - begin);
    if (text == "true") return {1, 1};
    if (text == "false") return {0, 0};
    const std::optional<double> value = ParseDouble(text);
    if (!value.has_value()) {
      at_ = begin;
      Fail("a number");
    }
    const std::optional<int64_t> integer = ParseInt64(text);
    const double number = value.value_or(0);
    const bool fits = number > -9e18 && number < 9e18;
    return {number, integer.value_or(fits ? static_cast<int64_t>(number) : 0)};
  }

  std::vector<Number> Numbers() {
    std::vector<Number> numbers;
    Expect("[");
    if (Accept("]")) return numbers;
    do {
      numbers.push_back(ParseNumber());
    } while (Accept(","));
    Expect("]");
    return numbers;
  }

  // "f32 0.5", "i64 [1, 2]".
  Expr Literal(DType dtype) {
    const bool list = Peek() == '[';
    const std::vector<Number> numbers = list ? Numbers() : std::vector<Number>{ParseNumber()};
    const int64_t count = static_cast<int64_t>(numbers.size());
    TensorPtr tensor = Tensor::New(dtype, list ? tern::Dims(&count, 1) : tern::Dims()).value();
    for (int64_t i = 0; i < count; ++i) SetElement(*tensor, i, numbers[static_cast<size_t>(i)]);
    return MakeConstant(Any(std::move(tensor)));
  }

  void ParseConstant() {
    Expect("@");
    const size_t begin = at_;
    const std::string name(Word("a name"));
    Expect(":");
    const types::Type type = ParseType();
    std::vector<int64_t> dims;
    bool fits = type.is_tensor() && type.tensor().IsStatic() && HasElements(type.tensor().dtype);
    int64_t count = 1;
    for (size_t i = 0; fits && i < type.tensor().dims.size(); ++i) {
      dims.push_back(type.tensor().dims[i].constant());
      fits = dims.back() >= 0 && !__builtin_mul_overflow(count, dims.back(), &count) &&
             count <= kMostElements;
    }
    if (!fits) {
      if (type.known())
        Complain(begin,
                 StrCat("@", name, " is ", type.ToText(), "; a constant has numbers and a shape"));
      dims.clear();
      count = 1;
    }
    TensorPtr tensor = Tensor::New(fits ? type.tensor().dtype : kF32, dims).value();
    Fill(begin, name, count, &tensor);
    if (!constants_.emplace(name, MakeConstant(Any(std::move(tensor)), name)).second) {
      Complain(begin, StrCat("@", name, " is defined twice"));
    }
  }

  void Fill(size_t begin, std::string_view name, int64_t count, TensorPtr* tensor) {
    if (!Accept("=")) {
      uint32_t state = static_cast<uint32_t>(HashText(name));
      for (int64_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        SetElement(**tensor, i,
                   {static_cast<double>(state >> 8) / 8388608.0 - 1.0, (state >> 8) % 3});
      }
      return;
    }
    if (Peek() != '[') {
      const Number number = ParseNumber();
      if (count > 0) SetElement(**tensor, 0, number);
      if (count > 1)
        *tensor = MakeSplat(**tensor, {(*tensor)->dims().data(), (*tensor)->dims().size()}).value();
      return;
    }
    const std::vector<Number> numbers = Numbers();
    if (static_cast<int64_t>(numbers.size()) != count) {
      Complain(begin,
               StrCat("@", name, " has ", count, " elements, ", numbers.size(), " are given"));
      return;
    }
    for (int64_t i = 0; i < count; ++i) SetElement(**tensor, i, numbers[static_cast<size_t>(i)]);
  }

  // --- functions
  // ---------------------------------------------------------------------------------------

  void ParseFunction() {
    Skip();
    const size_t begin = at_;
    const std::string name(Word("a function name"));
    if (module_.Find(name) != nullptr)
      Complain(begin, StrCat("function ", name, " is defined twice"));
    builder_.emplace(&diagnostics_);
    locals_.clear();
    Expect("(");
    if (!Accept(")")) {
      do ParseParameter();
      while (Accept(","));
      Expect(")");
    }
    types::Type result;
    if (Accept("->")) result = ParseType();
    Expect("{");
    while (ok_ && AcceptWord("let")) ParseBinding();
    Expect("return");
    Skip();
    const size_t at_result = at_;
    const Expr value = Peek() == '(' ? MakeTuple(Arguments()) : Atom();
    std::vector<std::string> names = OutputNames();
    Expect("}");
    if (!ok_) return;
    CheckDeclared(at_result, result, TypeOf(value));
    module_.Set(name, builder_->Finish(value, std::move(names)));
  }

  void ParseParameter() {
    Expect("%");
    const size_t begin = at_;
    const std::string name(Word("a parameter name"));
    Expect(":");
    Define(begin, name, builder_->AddParameter(name, ParseType()));
  }

  void Define(size_t begin, const std::string& name, Expr value) {
    if (!locals_.emplace(name, std::move(value)).second)
      Complain(begin, StrCat("%", name, " is defined twice"));
  }

  void CheckDeclared(size_t begin, const types::Type& declared, const types::Type& inferred) {
    if (!declared.known() || !inferred.known() || declared == inferred) return;
    Complain(begin, StrCat("declared as ", declared.ToText(), ", but it is ", inferred.ToText()));
  }

  void ParseBinding() {
    Expect("%");
    const size_t begin = at_;
    const std::string name(Word("a variable name"));
    Expect("=");
    builder_->SetOrigin(StrCat("%", name));
    const Expr value = ParseValue();
    if (!ok_) return;
    if (Accept(":")) CheckDeclared(begin, ParseType(), TypeOf(value));
    Define(begin, name, value);
  }

  Expr ParseValue() {
    const char c = Peek();
    if (c == '(') return builder_->Bind(MakeTuple(Arguments()));
    if (c == '%' || c == '@') return ParseItem();
    Skip();
    const size_t begin = at_;
    const std::string_view word = PeekWord();
    if (word.empty() || DType::Parse(word).ok() || word == "none") return Atom();
    at_ += word.size();
    const std::vector<Expr> args = Arguments();
    const Attrs attrs = ParseAttrs();
    if (const FunctionPtr callee = module_.Find(word)) {
      return builder_->BindAs(MakeInvoke(MakeGlobal(std::string(word)), args),
                              InferInvoke(*callee, args));
    }
    const ops::OpInfo* op = ops::FindOp(word);
    if (op != nullptr && ok_) return builder_->Emit(*op, args, attrs);
    std::vector<std::string_view> names;
    for (const ops::OpInfo& info : ops::AllOps()) names.push_back(info.name);
    const std::string_view near = DidYouMean(word, names);
    if (ok_) {
      at_ = begin + word.size();
      Complain(begin, StrCat("there is no operator or function '", word, "'",
                             near.empty() ? "" : StrCat("; did you mean '", near, "'?")));
      ok_ = false;
    }
    return MakeNone();
  }

  // %t.1, or an atom alone. Names hold dots, so the index is what follows the last one.
  Expr ParseItem() {
    if (Peek() == '@') return Atom();
    const std::string_view word =
        text_.substr(at_ + 1, text_.find_first_of(" \n,:)", at_) - at_ - 1);
    const size_t dot = word.rfind('.');
    if (locals_.contains(std::string(word)) || dot == std::string_view::npos) return Atom();
    const auto found = locals_.find(std::string(word.substr(0, dot)));
    const std::optional<int64_t> index = ParseInt64(word.substr(dot + 1));
    if (found == locals_.end() || !index.has_value() || *index < 0) return Atom();
    const size_t begin = at_;
    at_ += 1 + word.size();
    const types::Type type = TypeOf(found->second);
    const bool in_range = type.is_tuple() && *index < static_cast<int64_t>(type.elements().size());
    if (type.known() && !in_range) {
      Complain(begin, StrCat("%", word.substr(0, dot), " is ", type.ToText(),
                             ", which has no field ", *index));
      return MakeNone();
    }
    return builder_->Field(found->second, static_cast<int>(*index));
  }

  std::vector<Expr> Arguments() {
    std::vector<Expr> args;
    Expect("(");
    if (Accept(")")) return args;
    do {
      args.push_back(Atom());
    } while (Accept(","));
    Expect(")");
    return args;
  }

  Expr Atom() {
    const bool local = Peek() == '%', constant = Peek() == '@';
    const size_t begin = at_;
    if (local || constant) {
      ++at_;
      const std::string name(Word("a name"));
      const auto& table = local ? locals_ : constants_;
      const auto found = table.find(name);
      if (found != table.end()) return found->second;
      Complain(begin, StrCat(local ? "%" : "@", name, " is not defined"));
      return builder_->BindAs(MakeNone(), types::Type());
    }
    if (AcceptWord("none")) return MakeNone();
    Result<DType> dtype = DType::Parse(PeekWord());
    if (!dtype.ok() || !HasElements(*dtype)) {
      Fail("a variable, a constant or a literal such as f32 0.5");
      return MakeNone();
    }
    at_ += PeekWord().size();
    return Literal(*dtype);
  }

  Attrs ParseAttrs() {
    if (!Accept("{")) return Attrs();
    const size_t begin = at_;
    const size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) {
      Fail("'}'");
      return Attrs();
    }
    at_ = end;
    Result<Attrs> attrs = Attrs::Parse(StrTrim(text_.substr(begin, end - begin)));
    if (!attrs.ok()) Complain(begin, attrs.status().message());
    ++at_;
    return attrs.ok() ? *std::move(attrs) : Attrs();
  }

  std::vector<std::string> OutputNames() {
    std::vector<std::string> names;
    if (!AcceptWord("as")) return names;
    do {
      Expect("\"");
      const size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) {
        Fail("'\"'");
        return names;
      }
      names.emplace_back(text_.substr(at_, end - at_));
      at_ = end + 1;
    } while (Accept(","));
    return names;
  }

  std::shared_ptr<text::SourceMap> sources_;
  int32_t file_;
  std::string_view text_;
  size_t at_ = 0;
  bool ok_ = true;
  text::Diagnostics diagnostics_;
  Module module_;
  std::optional<Builder> builder_;
  std::unordered_map<std::string, Expr> constants_, locals_;
};

}  // namespace

Result<Module> ParseModule(std::string_view file_name, std::string_view text) {
  return Parser(file_name, text).Run();
}

}  // namespace tern::ir
