// SPDX-License-Identifier: Apache-2.0
// Parsing and evaluating expressions over registers. An expression is parsed once into nodes and
// evaluated at every instruction that a breakpoint asks about, so names of functions and operators
// are checked when it is parsed.
#include "core/vm/debug/debugger_condition.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/sequence.h"
#include "core/object/device.h"
#include "core/object/graph/print.h"
#include "core/object/shape.h"
#include "core/object/strings/string.h"
#include "core/object/tensor.h"
#include "core/text/precedence.h"
#include "core/text/scanner.h"
#include "core/vm/debug/trace.h"
#include "core/vm/scalar.h"

namespace tern::vm {
namespace {

// Parsing recurses, and text comes from a console or a page.
constexpr int kMaxNesting = 64;
// Of an expression: it is evaluated by recursion, and 1 + 1 + … nests to the left without brackets.
constexpr size_t kMaxNodes = 256;
// The last but two take any value; the others tensors.
constexpr std::string_view kFunctions[] = {"rank", "shape", "dtype", "size", "bytes", "min", "max",
                                           "mean", "nan",   "inf",   "abs",  "type",  "refs"};
constexpr std::string_view kNames[] = {"step", "pc", "depth", "hits", "function"};

// Dots belong to numbers and to names of registers.
constexpr std::string_view kLongOperators[] = {"||", "&&", "==", "!=", "<=", ">="};
constexpr text::TextForm kForm{.word_marks = ".", .operators = kLongOperators, .marks = "<>+-*/%"};

// How tightly the binary operator binds; 0 for none.
constexpr int kComparison = 3;
int PrecedenceOf(std::string_view op) {
  if (op.empty()) return 0;
  switch (op[0]) {
    case '|': return 1;
    case '&': return 2;
    case '+':
    case '-': return 4;
    case '*':
    case '/':
    case '%': return 5;
    default: return kComparison;
  }
}

// The number that a value is: itself, or the element of a tensor that has one. Other values stay as
// they are, also a tensor on a device, which cannot be read here.
Any Simplify(const Any& value) {
  const Tensor* tensor = value.TryCast<Tensor>();
  if (tensor == nullptr || tensor->element_count() != 1 || tensor->dtype().is_string() ||
      !tensor->on_host())
    return value;
  if (tensor->dtype().is_bool()) return Any(TensorElement(*tensor, 0) != 0);
  Any number;
  const Opcode to = tensor->dtype().is_int() ? Opcode::kToInt : Opcode::kToFloat;
  return ScalarOperation(to, value, AnyView(), &number).ok() ? number : value;
}

Result<double> NumberOf(const Any& value, std::string_view where) {
  const Any simple = Simplify(value);
  const auto number = simple.TryCast<double>();
  if (number.has_value()) return *number;
  return TypeError("'", where, "' wants numbers, got ", PrintValue(value));
}

// Texts with texts, none only for equality, ints exactly, shapes and dtypes by their text,
// everything else as floats. `order` is the sign of left minus right.
Result<Any> Compare(std::string_view op, const Any& left, const Any& right) {
  const Any a = Simplify(left), b = Simplify(right);
  const auto x = a.TryCast<std::string_view>(), y = b.TryCast<std::string_view>();
  int order = 0;
  if (x.has_value() && y.has_value()) {
    order = x->compare(*y) < 0 ? -1 : *x == *y ? 0 : 1;
  } else if (a.is_none() || b.is_none()) {
    if (op != "==" && op != "!=") return TypeError("none has no order");
    order = a.is_none() == b.is_none() ? 0 : 1;
    // As floats, large ints would be rounded before they are compared.
  } else if (a.type_code() == TERN_TYPE_INT && b.type_code() == TERN_TYPE_INT) {
    const int64_t i = *a.TryCast<int64_t>(), j = *b.TryCast<int64_t>();
    order = i < j ? -1 : i == j ? 0 : 1;
  } else if (a.Is<Shape>() || a.Is<DType>()) {
    if (op != "==" && op != "!=") return TypeError("'", op, "' wants numbers or texts");
    order = PrintValue(a) == PrintValue(b) ? 0 : 1;
  } else {
    TERN_TRY_ASSIGN(const double i, NumberOf(a, op));
    TERN_TRY_ASSIGN(const double j, NumberOf(b, op));
    // NaN is unequal to everything, itself included.
    if (std::isnan(i) || std::isnan(j)) return Any(op == "!=");
    order = i < j ? -1 : i == j ? 0 : 1;
  }
  const bool less = op[0] == '<', equal_too = op.size() == 2;
  if (op == "==") return Any(order == 0);
  if (op == "!=") return Any(order != 0);
  return Any((less ? order < 0 : order > 0) || (equal_too && order == 0));
}

// Ints and floats mix here, unlike in bytecode: a person types 1 and means 1.0.
Result<Any> Arithmetic(std::string_view op, const Any& left, const Any& right) {
  Any a = Simplify(left), b = Simplify(right);
  if (a.type_code() == TERN_TYPE_INT && b.type_code() == TERN_TYPE_FLOAT)
    a = Any(*a.TryCast<double>());
  if (b.type_code() == TERN_TYPE_INT && a.type_code() == TERN_TYPE_FLOAT)
    b = Any(*b.TryCast<double>());
  const Opcode opcode = op == "+"   ? Opcode::kAdd
                        : op == "-" ? Opcode::kSub
                        : op == "*" ? Opcode::kMul
                        : op == "/" ? Opcode::kDiv
                                    : Opcode::kMod;
  // The machine's own rules for the rest: wrapping, division by zero.
  Any result;
  TERN_TRY(ScalarOperation(opcode, a, b, &result));
  return result;
}

Result<bool> TruthOf(const Any& value) {
  bool truth = false;
  TERN_TRY(Truth(value, &truth));
  return truth;
}

// What size(…) counts: elements, extents, fields, items or bytes of text; any other value is 1.
int64_t SizeOf(const Any& value) {
  if (const Tensor* tensor = value.TryCast<Tensor>(); tensor != nullptr)
    return tensor->element_count();
  if (const Shape* shape = value.TryCast<Shape>(); shape != nullptr)
    return static_cast<int64_t>(shape->dims().size());
  if (const Adt* adt = value.TryCast<Adt>(); adt != nullptr)
    return static_cast<int64_t>(adt->size());
  if (const Sequence* list = value.TryCast<Sequence>(); list != nullptr)
    return static_cast<int64_t>(list->size());
  if (const auto text = value.TryCast<std::string_view>(); text.has_value())
    return static_cast<int64_t>(text->size());
  return 1;
}

// Functions that take a tensor only. Statistics read all elements, which may take long for large
// tensors.
Result<Any> OfTensor(std::string_view function, const Any& value) {
  const Tensor* tensor = value.TryCast<Tensor>();
  if (tensor == nullptr) return TypeError(function, "(…) wants a tensor, got ", PrintValue(value));
  if (function == "rank") return Any(tensor->rank());
  if (function == "shape") return Any(Shape::Make(tensor->dims()));
  if (function == "dtype") return Any(tensor->dtype().ToString());
  TERN_TRY(CheckOnHost(*tensor, StrCat("the argument of ", function, "(…)")));
  const TensorStatistics statistics = ComputeStatistics(*tensor);
  if (function == "min") return Any(statistics.min);
  if (function == "max") return Any(statistics.max);
  if (function == "mean") return Any(statistics.mean);
  if (function == "nan") return Any(statistics.nan);
  return Any(statistics.inf);
}

Result<Any> CallFunction(std::string_view function, const Any& value) {
  if (function == "size") return Any(SizeOf(value));
  if (function == "type") return Any(value.type_name());
  if (function == "bytes") return Any(static_cast<int64_t>(ObjectBytes(value)));
  // The reference that `value` itself is does not count: it was made for this call.
  if (function == "refs")
    return Any(value.is_object() ? int64_t{value.object()->ref_count()} - 1 : int64_t{0});
  if (function == "abs") {
    TERN_TRY_ASSIGN(const double number, NumberOf(value, "abs"));
    const Any simple = Simplify(value);
    if (simple.type_code() == TERN_TYPE_INT) {
      const int64_t whole = *simple.TryCast<int64_t>();
      // The smallest int stays as it is, as tern.scalar.abs does it.
      return Any(whole < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(whole)) : whole);
    }
    return Any(std::fabs(number));
  }
  return OfTensor(function, value);
}

}  // namespace

// --- parsing

// After a mistake parsing goes on with empty literals until the recursion has unwound.
class ConditionParser {
 public:
  explicit ConditionParser(std::string_view text) : in_(text, kForm) {
    condition_.text_ = StrTrim(text);
  }

  Result<Condition> Parse() {
    Expression();
    if (!in_.AtEnd()) in_.Fail("an operator or the end");
    if (in_.ok()) return std::move(condition_);
    const size_t at = in_.mistake().begin;
    Status status = InvalidArgument("expression, column ", at + 1, ": ", in_.mistake().message)
                        .SetErrorCode("E0304");
    // Two notes show the text and a mark under the column.
    status.AddNote(StrCat("  ", in_.text()));
    status.AddNote(StrCat("  ", std::string(at, ' '), "^"));
    return status;
  }

  // --- what text::ParseOperators asks for

  struct Chain {
    std::string_view op;
  };
  int PeekPrecedence() { return PrecedenceOf(in_.PeekOperator()); }
  bool TakeOperator(Chain* chain) {
    const std::string_view op = in_.PeekOperator();
    const bool compares = PrecedenceOf(op) == kComparison;
    if (compares && PrecedenceOf(chain->op) == kComparison)
      return in_.Fail("one comparison at a time, as in a < b && b < c"), false;
    chain->op = in_.Take(op);
    return true;
  }
  uint32_t ParseOperand() { return Unary(); }
  uint32_t Join(Chain* chain, uint32_t left, uint32_t right) {
    return Add(Kind::kBinary, chain->op, {left, right});
  }

 private:
  using Kind = Condition::Kind;

  uint32_t Fail(std::string_view expected) { return in_.Fail(expected), Literal(Any()); }

  // Children are added before their parent, so the last node is the root.
  uint32_t Add(Kind kind, std::string_view text, std::vector<uint32_t> children = {}) {
    if (condition_.nodes_.size() == kMaxNodes) in_.Fail("a shorter expression");
    condition_.nodes_.push_back({kind, Any(), std::string(text), 0, std::move(children)});
    return static_cast<uint32_t>(condition_.nodes_.size() - 1);
  }
  uint32_t Literal(Any value) {
    const uint32_t node = Add(Kind::kLiteral, "");
    condition_.nodes_[node].value = std::move(value);
    return node;
  }

  uint32_t Expression() { return text::ParseOperators(*this); }

  uint32_t Unary() {
    // Every recursion passes here, so counting here bounds all of it.
    if (++nesting_ > kMaxNesting) in_.Fail("less nesting");
    uint32_t node = 0;
    if (!in_.ok())
      node = Literal(Any());
    else if (in_.Accept('-'))
      node = Add(Kind::kUnary, "-", {Unary()});
    else if (in_.PeekOperator() != "!=" && in_.Accept('!'))
      node = Add(Kind::kUnary, "!", {Unary()});
    else
      node = Indexed(Primary());
    --nesting_;
    return node;
  }

  // a[1][2] indexes twice; a[1, 2] indexes a tensor once by two axes.
  uint32_t Indexed(uint32_t node) {
    while (in_.Accept('[')) {
      std::vector<uint32_t> children = {node};
      do children.push_back(Expression());
      while (in_.Accept(','));
      if (!in_.Accept(']')) in_.Fail("',' or ']'");
      node = Add(Kind::kIndex, "", std::move(children));
    }
    return node;
  }

  uint32_t Primary() {
    const char c = in_.Peek();
    if (in_.Accept('(')) {
      const uint32_t inside = Expression();
      in_.Expect(")");
      return inside;
    }
    if (c == '%') return Register();
    if (c == '"') return Text();
    if (IsDigit(c)) return Number();
    if (IsNameStart(c)) return Name();
    return Fail("a register, a number, a name or '('");
  }

  uint32_t Register() {
    in_.Accept('%');
    if (!in_.IsWordChar(in_.Here())) return Fail("the number or name of a register");
    // A number is a register's index, anything else a name, which is looked up when the expression
    // is evaluated: frames of one function differ from another's.
    const std::string_view word = in_.PeekWord();
    const std::optional<int64_t> number = ParseInt64(word);
    if (number.has_value() && *number > INT32_MAX) return Fail("a smaller number of a register");
    in_.Take(word);
    if (!number.has_value()) return Add(Kind::kNamed, word);
    const uint32_t node = Add(Kind::kRegister, word);
    condition_.nodes_[node].index = static_cast<uint32_t>(*number);
    return node;
  }

  // No escapes: texts in conditions are names and short messages.
  uint32_t Text() {
    const size_t begin = in_.at() + 1;
    const size_t end = in_.text().find('"', begin);
    if (end == std::string_view::npos) return Fail("a text that ends with '\"'");
    in_.MoveTo(end + 1);
    return Literal(Any(String(in_.text().substr(begin, end - begin))));
  }

  uint32_t Number() {
    const std::string_view text = in_.PeekNumber();
    const auto whole = ParseInt64(text);
    const auto number = ParseDouble(text);
    if (!whole.has_value() && !number.has_value()) return Fail("a number");
    in_.Take(text);
    return Literal(whole.has_value() ? Any(*whole) : Any(*number));
  }

  // Words are literals, functions before a parenthesis, or one of the few names. Anything else is a
  // mistake now and not at the breakpoint.
  uint32_t Name() {
    const size_t begin = in_.at();
    const std::string_view word = in_.TakeWord();
    if (word == "true" || word == "false") return Literal(Any(word == "true"));
    if (word == "none") return Literal(Any());
    const bool call = in_.Accept('(');
    if (call && IsOne(word, kFunctions)) {
      const uint32_t inside = Expression();
      in_.Expect(")");
      return Add(Kind::kCall, word, {inside});
    }
    if (!call && IsOne(word, kNames)) return Add(Kind::kName, word);
    in_.MoveTo(begin);
    return Fail(call ? StrCat("a function such as ", StrJoin(kFunctions, ", "))
                     : StrCat("a register, a literal or one of ", StrJoin(kNames, ", ")));
  }
  static bool IsOne(std::string_view word, std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), word) != names.end();
  }

  text::Scanner in_;
  int nesting_ = 0;
  Condition condition_;
};

Result<Condition> Condition::Parse(std::string_view text) { return ConditionParser(text).Parse(); }

// --- evaluating

// && and || do not evaluate their right side if the left one decides, so that a test can guard what
// follows.
Result<Any> Condition::EvaluateBinary(const Node& node, const ConditionScope& scope) const {
  TERN_TRY_ASSIGN(const Any left, EvaluateNode(node.children[0], scope));
  if (node.text == "&&" || node.text == "||") {
    TERN_TRY_ASSIGN(const bool truth, TruthOf(left));
    if (truth == (node.text == "||")) return Any(truth);
    TERN_TRY_ASSIGN(const Any right, EvaluateNode(node.children[1], scope));
    TERN_TRY_ASSIGN(const bool other, TruthOf(right));
    return Any(other);
  }
  TERN_TRY_ASSIGN(const Any right, EvaluateNode(node.children[1], scope));
  const bool is_comparison = std::string_view("=!<>").find(node.text[0]) != std::string_view::npos;
  return is_comparison ? Compare(node.text, left, right) : Arithmetic(node.text, left, right);
}

Result<Any> Condition::EvaluateIndex(const Node& node, const ConditionScope& scope) const {
  TERN_TRY_ASSIGN(const Any value, EvaluateNode(node.children[0], scope));
  std::vector<int64_t> index;
  for (size_t i = 1; i < node.children.size(); ++i) {
    TERN_TRY_ASSIGN(const Any at, EvaluateNode(node.children[i], scope));
    TERN_TRY_ASSIGN(const int64_t number, Simplify(at).As<int64_t>());
    index.push_back(number);
  }
  const Tensor* tensor = value.TryCast<Tensor>();
  // Tuples, lists and shapes have one index.
  if (tensor == nullptr) {
    if (index.size() != 1) return TypeError("only tensors have more than one index");
    if (const Adt* adt = value.TryCast<Adt>(); adt != nullptr) return adt->Field(index[0]);
    if (const Sequence* list = value.TryCast<Sequence>(); list != nullptr)
      return list->At(index[0]);
    const Shape* shape = value.TryCast<Shape>();
    if (shape == nullptr) return TypeError("there is nothing to index in ", PrintValue(value));
    if (index[0] < 0 || index[0] >= SizeOf(value))
      return OutOfRange("axis ", index[0], " of ", PrintValue(value));
    return Any(shape->dims()[static_cast<size_t>(index[0])]);
  }
  TERN_TRY(CheckOnHost(*tensor, "what is indexed"));
  if (index.size() != tensor->dims().size())
    return InvalidArgument(index.size(), " indices of a ", tensor->TypeText());
  int64_t flat = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    const int64_t extent = tensor->dims()[axis];
    if (index[axis] < 0 || index[axis] >= extent)
      return OutOfRange("index ", index[axis], " of axis ", axis, " of a ", tensor->TypeText());
    // Row-major, which is how TensorElement counts whatever the strides are.
    flat = flat * extent + index[axis];
  }
  if (tensor->dtype().is_int()) return Any(TensorInt(*tensor, flat));
  return Any(TensorElement(*tensor, flat));
}

Result<Any> Condition::EvaluateNode(uint32_t at, const ConditionScope& scope) const {
  const Node& node = nodes_[at];
  switch (node.kind) {
    case Kind::kLiteral: return Any(node.value);
    case Kind::kRegister: return scope.Register(node.index);
    case Kind::kNamed: return scope.NamedRegister(node.text);
    case Kind::kName: return scope.Name(node.text);
    case Kind::kIndex: return EvaluateIndex(node, scope);
    case Kind::kBinary: return EvaluateBinary(node, scope);
    case Kind::kCall:
    case Kind::kUnary: break;
  }
  // Both have one operand.
  TERN_TRY_ASSIGN(const Any inside, EvaluateNode(node.children[0], scope));
  if (node.kind == Kind::kCall) return CallFunction(node.text, inside);
  // 0 - x, so that negation has the rules of subtraction.
  if (node.text == "-") return Arithmetic("-", Any(int64_t{0}), inside);
  TERN_TRY_ASSIGN(const bool truth, TruthOf(inside));
  return Any(!truth);
}

Result<Any> Condition::Evaluate(const ConditionScope& scope) const {
  return EvaluateNode(static_cast<uint32_t>(nodes_.size() - 1), scope);
}

Result<bool> Condition::IsTrue(const ConditionScope& scope) const {
  TERN_TRY_ASSIGN(const Any value, Evaluate(scope));
  return TruthOf(value);
}

}  // namespace tern::vm
