// SPDX-License-Identifier: Apache-2.0
// Type::Read and DataType::Read: the text forms of type.h. Dimensions are another grammar, which
// Dim::Read knows.
#include "core/base/strings.h"
#include "core/text/scanner.h"
#include "core/types/type.h"

namespace tern::types {

namespace {

// Of a file, so that declarations may have lines and comments.
constexpr text::TextForm kTypeForm{text::kFileSpaces, text::kFileComments};

class TypeParser {
 public:
  explicit TypeParser(const text::Scanner& in) : in_(in.text(), kTypeForm, in.at()) {}
  const text::Scanner& scanner() const { return in_; }

  // depth bounds the recursion, since types come from files.
  Type ParseType(int depth) {
    if (depth > 32) return Fail("fewer nested types");
    if (in_.Accept('?')) return Type();
    if (in_.Peek() == '(') return Type::Tuple(ParseList(depth));
    if (in_.Peek() == '\'') return Type::Variable(ParseVariable());
    return ParseNamed(depth);
  }

  DataType ParseData() {
    DataType data;
    if (in_.PeekWord() != "type") in_.Fail("'type'");
    in_.TakeWord();
    data.name = ParseTypeName();
    if (in_.Accept('[')) {
      do {
        data.parameters.emplace_back(ParseVariable());
      } while (in_.Accept(','));
      ExpectEnd("]");
    }
    in_.Expect("{");
    if (in_.Accept('}')) return data;
    do {
      DataType::Constructor constructor;
      constructor.name = ParseTypeName();
      if (in_.Peek() == '(') constructor.fields = ParseList(0);
      data.constructors.push_back(std::move(constructor));
    } while (in_.Accept(','));
    ExpectEnd("}");
    return data;
  }

 private:
  static bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }

  Type Fail(std::string_view expected) { return in_.Fail(expected), Type(); }
  void ExpectEnd(std::string_view close) {
    if (!in_.Accept(close)) in_.Fail(StrCat("',' or '", close, "'"));
  }

  // Empty, and a mistake, where there is none.
  std::string_view ParseTypeName() {
    if (!IsCapital(in_.Peek())) in_.Fail("a name that begins with a capital letter");
    return in_.TakeWord();
  }
  std::string_view ParseVariable() {
    if (!in_.Accept('\'')) in_.Fail("a type variable such as 'a");
    if (!IsNameStart(in_.Here())) in_.Fail("the name of a type variable");
    return in_.TakeWord();
  }

  // Words are read whole before they are compared: "nonet" is not none and a 't'.
  Type ParseNamed(int depth) {
    if (IsCapital(in_.Peek())) return ParseApplied(depth);
    const std::string_view name = in_.PeekWord();
    const size_t begin = in_.at();
    const Result<DType> dtype = DType::Parse(name);
    in_.Take(name);
    if (name == "none") return Type::None();
    if (name == "fn") {
      std::vector<Type> parameters = ParseList(depth);
      in_.Expect("->");
      return Type::Function(std::move(parameters), ParseType(depth + 1));
    }
    // "bool" is a word of two meanings: a shape behind it makes it an element type.
    const bool has_shape = in_.Peek() == '[';
    if (has_shape && dtype.ok()) return ParseTensor(*dtype);
    if (!has_shape && name == "int") return Type::Int();
    if (!has_shape && name == "float") return Type::Float();
    if (!has_shape && name == "bool") return Type::Bool();
    if (!has_shape && name == "string") return Type::String();
    if (dtype.ok()) return Fail("'[' and the shape of a tensor");
    // Back to the word, so that the mistake is at it and not behind.
    in_.MoveTo(begin);
    return Fail(has_shape ? "an element type such as f32" : "a type such as f32[n] or int");
  }

  // List and Map are the only names with a meaning of their own; all others are data types, whose
  // number of arguments is checked where they are declared.
  Type ParseApplied(int depth) {
    const size_t begin = in_.at();
    const std::string_view name = ParseTypeName();
    std::vector<Type> arguments;
    if (in_.Accept('[')) {
      do {
        arguments.push_back(ParseType(depth + 1));
      } while (in_.Accept(','));
      ExpectEnd("]");
    }
    if (name != "List" && name != "Map") return Type::Data(name, std::move(arguments));
    if (arguments.size() != (name == "List" ? 1u : 2u)) {
      const std::string_view wanted =
          name == "List" ? "one type in List[…]" : "two types in Map[…]";
      in_.FailSince(begin, StrCat("expected ", wanted, ", got ", arguments.size()));
      return Type();
    }
    if (name == "List") return Type::List(std::move(arguments[0]));
    return Type::Map(std::move(arguments[0]), std::move(arguments[1]));
  }

  std::vector<Type> ParseList(int depth) {
    std::vector<Type> list;
    in_.Expect("(");
    if (in_.Accept(')')) return list;
    do {
      list.push_back(ParseType(depth + 1));
    } while (in_.Accept(','));
    ExpectEnd(")");
    return list;
  }

  Type ParseTensor(DType dtype) {
    std::vector<Dim> dims;
    in_.Expect("[");
    if (in_.Accept(']')) return Type::Tensor(dtype, std::move(dims));
    do {
      in_.Skip();  // a dimension has no comments
      dims.push_back(Dim::Read(&in_));
    } while (in_.Accept(','));
    ExpectEnd("]");
    return Type::Tensor(dtype, std::move(dims));
  }

  text::Scanner in_;
};

// The whole text, or what is wrong with it and where.
template <class T>
Result<T> ParseWhole(std::string_view text, T (*read)(text::Scanner*)) {
  text::Scanner in(text, kTypeForm);
  T made = read(&in);
  if (!in.AtEnd()) in.Fail("the end");
  if (in.ok()) return made;
  return InvalidArgument("type '", text, "': ", in.mistake().message, " at offset ",
                         in.mistake().begin);
}

}  // namespace

Type Type::Read(text::Scanner* in) {
  TypeParser parser(*in);
  Type type = parser.ParseType(0);
  in->GoOn(parser.scanner());
  return type;
}

DataType DataType::Read(text::Scanner* in) {
  TypeParser parser(*in);
  DataType data = parser.ParseData();
  in->GoOn(parser.scanner());
  return data;
}

Result<Type> Type::Parse(std::string_view text) { return ParseWhole<Type>(text, &Type::Read); }
Result<DataType> DataType::Parse(std::string_view text) {
  return ParseWhole<DataType>(text, &DataType::Read);
}

}  // namespace tern::types
