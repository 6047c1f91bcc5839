// SPDX-License-Identifier: Apache-2.0
// The middle of the parser of module text (parser.h): what stands inside a function. Values are
// bound as they are read, by the builder, which infers their types.
#ifndef TERN_CORE_IR_TEXT_VALUE_PARSER_H_
#define TERN_CORE_IR_TEXT_VALUE_PARSER_H_

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/builder.h"
#include "core/ir/text/literal_parser.h"

namespace tern::ir {

class ValueParser : public LiteralParser {
 public:
  using LiteralParser::LiteralParser;

 protected:
  // "(%x: f32[n], %n: int)"; add(parameter) for each.
  template <class F>
  void ParseParameters(const F& add) {
    in_.Expect("(");
    if (in_.Accept(')')) return;
    do {
      const size_t begin = Begin() + 1;
      std::string name;
      const VarPtr parameter = ParseVariable(&name);
      add(parameter);
      Define(begin, name, parameter);
    } while (in_.Accept(','));
    in_.Expect(")");
  }
  // Written types must be what is inferred, so that a listing cannot lie.
  void CheckDeclared(size_t begin, const types::Type& declared, const types::Type& inferred);
  void ParseBindings();
  Expr ResultValue();

  Module module_;
  std::optional<Builder> builder_;                        // of the function that is being read
  std::unordered_map<std::string, types::Type> headers_;  // of functions
  std::unordered_map<std::string, Expr> locals_;
  std::unordered_map<std::string, VarPtr> recursive_;  // announced, not yet bound

 private:
  // A value as it was read: bound already, or a node with as much of its type as could be told.
  struct Value {
    Expr expr;
    types::Type type;
    bool bound = false;
  };
  static Value Bound(Expr expr) { return {std::move(expr), {}, true}; }
  static Value Raw(Expr expr, types::Type type = {}) { return {std::move(expr), std::move(type)}; }

  // --- names and blocks
  VarPtr ParseVariable(std::string* name);
  void Define(size_t begin, const std::string& name, Expr value);
  template <class F>
  auto InScope(const F& body);
  void ParseGroup();
  void ParseBinding();
  Expr BindValue(size_t begin, const Value& value, const types::Type& declared);
  void BindRecursive(size_t begin, const VarPtr& var);
  LetPtr ParseBlock();
  Expr ParseBody();

  // --- values
  Value ParseValue();
  Value BindTuple(std::vector<Expr> fields);
  Value ParseCall();
  Value UnknownCallee(size_t begin, const std::string& word);
  Value ParseScalar(size_t begin, const std::string& name);
  Value InvokeGlobal(size_t begin, const std::string& name);
  Value Invoked(Expr callee, const types::Type& type, std::vector<Expr> args);
  Value ParseGlobal();
  Value ParseItem();
  Value ParseVariableCall();

  // --- control
  Value ParseIf();
  DataTypePtr ParseTypeName();
  int ParseConstructor(const types::DataType& type);
  Value ParseSwitch();
  SwitchCase ParseCase(const types::DataType& type, const types::Type& subject);
  void ParseField(const std::vector<types::Type>& declared, SwitchCase* option);
  Value ParseLambda();
  Value ParseConstruct();
  Value ParseClosure();
  Value ParsePrimitive() { return InvokePrimitive(false); }
  Value ParseEffect() { return InvokePrimitive(true); }
  Value InvokePrimitive(bool has_effect);
  Value ParseFatal() { return Raw(MakeFatal(Quoted())); }
  Value ParseTail();
  Value ParseDeviceCopy();

  // --- operands
  std::vector<Expr> Arguments();
  Expr Operand();
  Expr NestedValue();
  Expr Atom();
  Attrs ParseAttrs();

  std::vector<std::string> scope_;  // names of locals_ in order
  int depth_ = 0;
  bool tail_ = false;
  bool has_nested_ = false;  // some value is in place, so that types are not known yet
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_TEXT_VALUE_PARSER_H_
