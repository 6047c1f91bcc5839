// SPDX-License-Identifier: Apache-2.0
// Type::Parse and DataType::Parse: the text forms of type.h. The first error is kept and moves the
// scanner to the end. Dimensions are another grammar, which Dim::Parse reads from the text between
// the brackets.
#include "core/base/strings.h"
#include "core/text/scanner.h"
#include "core/types/type.h"

namespace tern::types {

namespace {

class TypeParser {
 public:
  explicit TypeParser(std::string_view text) : in_(text, {}) {}

  Result<Type> Run() {
    Type type = ParseType(0);
    return Finished(std::move(type));
  }

  Result<DataType> RunData() {
    DataType data;
    if (!Accept("type ")) Fail("'type'");
    data.name = ParseTypeName();
    if (Accept("[")) {
      do {
        if (!Accept("'")) Fail("a type variable such as 'a");
        data.parameters.emplace_back(ParseName("the name of a type variable"));
      } while (status_.ok() && Accept(","));
      if (!Accept("]")) Fail("',' or ']'");
    }
    if (!Accept("{")) Fail("'{'");
    if (!Accept("}")) ParseConstructors(&data);
    return Finished(std::move(data));
  }

 private:
  // Line breaks may follow, as StrTrim takes them for spaces.
  template <class T>
  Result<T> Finished(T made) {
    if (status_.ok() && !StrTrim(in_.text().substr(in_.at())).empty()) Fail("the end");
    if (!status_.ok()) return std::move(status_);
    return made;
  }

  std::string_view ParseTypeName() {
    const std::string_view name = ParseName("a name that begins with a capital letter");
    if (!name.empty() && (name[0] < 'A' || name[0] > 'Z'))
      Fail("a name that begins with a capital letter");
    return name;
  }

  void ParseConstructors(DataType* data) {
    do {
      DataType::Constructor constructor;
      constructor.name = ParseTypeName();
      if (in_.Peek() == '(') constructor.fields = ParseList(0);
      data->constructors.push_back(std::move(constructor));
    } while (status_.ok() && Accept(","));
    if (!Accept("}")) Fail("',' or '}'");
  }

  Type Fail(std::string_view expected) {
    if (status_.ok()) {
      status_ =
          InvalidArgument("type '", in_.text(), "': expected ", expected, " at offset ", in_.at());
    }
    in_.MoveToEnd();
    return Type();
  }
  bool Accept(std::string_view token) { return in_.Accept(token); }

  // depth bounds the recursion, since types come from files.
  Type ParseType(int depth) {
    if (depth > 32) return Fail("fewer nested types");
    if (Accept("?")) return Type();
    if (Accept("none")) return Type::None();
    if (Accept("fn")) {
      std::vector<Type> parameters = ParseList(depth);
      if (!Accept("->")) return Fail("'->'");
      return Type::Function(std::move(parameters), ParseType(depth + 1));
    }
    if (in_.Peek() == '(') return Type::Tuple(ParseList(depth));
    if (Accept("'")) return ParseVariable();
    return ParseNamed(depth);
  }

  // An identifier; empty (and an error) where there is none.
  std::string_view ParseName(std::string_view expected) {
    const std::string_view name = in_.PeekWord();
    if (name.empty() || IsDigit(name[0])) {
      Fail(expected);
      return {};
    }
    return in_.TakeWord();
  }

  Type ParseVariable() {
    const std::string_view name = ParseName("the name of a type variable");
    return name.empty() ? Type() : Type::Variable(name);
  }

  // A scalar, a list, a map, a data type; else a tensor.
  Type ParseNamed(int depth) {
    in_.Skip();
    const size_t begin = in_.at();
    const std::string_view name = ParseName("a type such as f32[n] or int");
    if (name.empty()) return Type();
    if (name[0] >= 'A' && name[0] <= 'Z') return ParseApplied(name, depth);
    if (!Accept("[")) {
      if (name == "int") return Type::Int();
      if (name == "float") return Type::Float();
      if (name == "bool") return Type::Bool();
      if (name == "string") return Type::String();
    }
    in_.MoveTo(begin);
    return ParseTensor();
  }

  // List and Map are the only names with a meaning of their own; all others are data types, whose
  // number of arguments is checked where they are declared.
  Type ParseApplied(std::string_view name, int depth) {
    std::vector<Type> arguments;
    if (Accept("[")) {
      do {
        arguments.push_back(ParseType(depth + 1));
      } while (status_.ok() && Accept(","));
      if (!Accept("]")) return Fail("',' or ']'");
    }
    if (name != "List" && name != "Map") return Type::Data(name, std::move(arguments));
    if (arguments.size() != (name == "List" ? 1u : 2u))
      return Fail(name == "List" ? "one type in List[…]" : "two types in Map[…]");
    if (name == "List") return Type::List(std::move(arguments[0]));
    return Type::Map(std::move(arguments[0]), std::move(arguments[1]));
  }

  std::vector<Type> ParseList(int depth) {
    std::vector<Type> list;
    if (!Accept("(")) Fail("'('");
    if (Accept(")")) return list;
    do {
      list.push_back(ParseType(depth + 1));
    } while (status_.ok() && Accept(","));
    if (!Accept(")")) Fail("',' or ')'");
    return list;
  }

  // The position is before the element type. It is read up to the bracket, because names of element
  // types may have more than letters and digits.
  Type ParseTensor() {
    const std::string_view text = in_.text();
    const size_t open = text.find('[', in_.at());
    if (open == std::string_view::npos) return Fail("an element type and '['");
    Result<DType> dtype = DType::Parse(StrTrim(text.substr(in_.at(), open - in_.at())));
    if (!dtype.ok()) return Fail("an element type such as f32");
    const size_t close = text.find(']', open);
    if (close == std::string_view::npos) return Fail("']'");
    std::vector<Dim> dims;
    const std::string_view inside = StrTrim(text.substr(open + 1, close - open - 1));
    if (!inside.empty() && !ParseDims(inside, &dims)) return Type();
    in_.MoveTo(close + 1);
    return Type::Tensor(*dtype, std::move(dims));
  }

  // Commas inside parentheses belong to a dimension.
  bool ParseDims(std::string_view text, std::vector<Dim>* dims) {
    int depth = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : ',';
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c != ',' || (depth > 0 && i < text.size())) continue;
      Result<Dim> dim = Dim::Parse(text.substr(begin, i - begin));
      if (!dim.ok()) {
        status_ = std::move(dim).status();
        return false;
      }
      dims->push_back(*std::move(dim));
      begin = i + 1;
    }
    return true;
  }

  text::Scanner in_;
  Status status_;
};

}  // namespace

Result<Type> Type::Parse(std::string_view text) { return TypeParser(text).Run(); }
Result<DataType> DataType::Parse(std::string_view text) { return TypeParser(text).RunData(); }

}  // namespace tern::types
