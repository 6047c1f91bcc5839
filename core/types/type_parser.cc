// SPDX-License-Identifier: Apache-2.0
// Type::Parse and DataType::Parse: the text forms of type.h.
#include "core/base/strings.h"
#include "core/types/type.h"

namespace tern::types {

namespace {

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class TypeParser {
 public:
  explicit TypeParser(std::string_view text) : text_(text) {}

  Result<Type> Run() {
    Type type = ParseType(0);
    if (status_.ok() && !StrTrim(text_.substr(at_)).empty()) Fail("the end");
    if (!status_.ok()) return std::move(status_);
    return type;
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
    if (status_.ok() && !StrTrim(text_.substr(at_)).empty()) Fail("the end");
    if (!status_.ok()) return std::move(status_);
    return data;
  }

 private:
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
      if (Accept("(")) {
        --at_;
        constructor.fields = ParseList(0);
      }
      data->constructors.push_back(std::move(constructor));
    } while (status_.ok() && Accept(","));
    if (!Accept("}")) Fail("',' or '}'");
  }

  Type Fail(std::string_view expected) {
    if (status_.ok())
      status_ = InvalidArgument("type '", text_, "': expected ", expected, " at offset ", at_);
    at_ = text_.size();
    return Type();
  }
  bool Accept(std::string_view token) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  Type ParseType(int depth) {
    if (depth > 32) return Fail("fewer nested types");
    if (Accept("?")) return Type();
    if (Accept("none")) return Type::None();
    if (Accept("fn")) {
      std::vector<Type> parameters = ParseList(depth);
      if (!Accept("->")) return Fail("'->'");
      return Type::Function(std::move(parameters), ParseType(depth + 1));
    }
    if (Accept("(")) {
      --at_;
      return Type::Tuple(ParseList(depth));
    }
    if (Accept("'")) return ParseVariable();
    return ParseNamed(depth);
  }

  // An identifier; empty (and an error) where there is none.
  std::string_view ParseName(std::string_view expected) {
    Accept("");
    size_t end = at_;
    while (end < text_.size() && IsNameByte(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) {
      Fail(expected);
      return {};
    }
    at_ = end;
    return name;
  }

  Type ParseVariable() {
    const std::string_view name = ParseName("the name of a type variable");
    return name.empty() ? Type() : Type::Variable(name);
  }

  // A scalar, a list, a map, a data type; else a tensor.
  Type ParseNamed(int depth) {
    Accept("");
    const size_t begin = at_;
    const std::string_view name = ParseName("a type such as f32[n] or int");
    if (name.empty()) return Type();
    if (name[0] >= 'A' && name[0] <= 'Z') return ParseApplied(name, depth);
    if (!Accept("[")) {
      if (name == "int") return Type::Int();
      if (name == "float") return Type::Float();
      if (name == "bool") return Type::Bool();
      if (name == "string") return Type::String();
    }
    at_ = begin;
    return ParseTensor();
  }

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

  Type ParseTensor() {
    const size_t open = text_.find('[', at_);
    if (open == std::string_view::npos) return Fail("an element type and '['");
    Result<DType> dtype = DType::Parse(StrTrim(text_.substr(at_, open - at_)));
    if (!dtype.ok()) return Fail("an element type such as f32");
    const size_t close = text_.find(']', open);
    if (close == std::string_view::npos) return Fail("']'");
    std::vector<Dim> dims;
    const std::string_view inside = StrTrim(text_.substr(open + 1, close - open - 1));
    if (!inside.empty() && !ParseDims(inside, &dims)) return Type();
    at_ = close + 1;
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

  std::string_view text_;
  size_t at_ = 0;
  Status status_;
};

}  // namespace

Result<Type> Type::Parse(std::string_view text) { return TypeParser(text).Run(); }
Result<DataType> DataType::Parse(std::string_view text) { return TypeParser(text).RunData(); }

}  // namespace tern::types
