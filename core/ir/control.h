// SPDX-License-Identifier: Apache-2.0
// Nodes that decide, call and capture: If, Switch, Construct, MakeClosure, Primitive, Scalar,
// Fatal, DeviceCopy.
//
// Branches are blocks that see the variables around them; the value of the branch that runs is the
// value of the node. At run time values are untyped: a data type's value is an ADT object whose tag
// is the constructor's index, a tuple is one with tag 0, and only the static type says which of the
// two a value is. So a function over type variables is compiled once.
#ifndef TERN_CORE_IR_CONTROL_H_
#define TERN_CORE_IR_CONTROL_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/expr.h"

namespace tern::ir {

// The condition is a bool, a number, or a one-element tensor of such; all but zero is true.
class If : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kIf;
  const Expr& condition() const { return condition_; }
  const LetPtr& then_block() const { return then_; }
  const LetPtr& else_block() const { return else_; }

 private:
  friend Expr MakeIf(Expr condition, Expr then_block, Expr else_block);
  If() : Node(kKind) {}
  Expr condition_;
  LetPtr then_, else_;
};


struct SwitchCase {
  int constructor = 0;         // its index in the data type, which is the tag
  std::vector<VarPtr> fields;  // bound to the value's fields; null: not used
  LetPtr block;
};

// One level of patterns. Each constructor at most once; without a default every one of them has a
// case.
class Switch : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kSwitch;
  const DataTypePtr& data_type() const { return data_type_; }
  const Expr& subject() const { return subject_; }
  std::span<const SwitchCase> cases() const { return cases_; }
  const LetPtr& default_block() const { return default_; }  // or null

 private:
  friend Expr MakeSwitch(DataTypePtr data_type, Expr subject, std::vector<SwitchCase> cases,
                         Expr default_block);
  Switch() : Node(kKind) {}
  DataTypePtr data_type_;
  Expr subject_;
  std::vector<SwitchCase> cases_;
  LetPtr default_;
};

class Construct : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kConstruct;
  const DataTypePtr& data_type() const { return data_type_; }
  int constructor() const { return constructor_; }
  std::span<const Expr> fields() const { return fields_; }

 private:
  friend Expr MakeConstruct(DataTypePtr data_type, int constructor, std::vector<Expr> fields);
  Construct() : Node(kKind) {}
  DataTypePtr data_type_;
  int constructor_ = 0;
  std::vector<Expr> fields_;
};

// The captured values are the last arguments of the function when the closure is called. What
// lambda_lift leaves of a lambda; a function of the module as a value has no captured ones.
class MakeClosure : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kMakeClosure;
  const Expr& function() const { return function_; }  // a Global
  std::span<const Expr> captured() const { return captured_; }

 private:
  friend Expr MakeMakeClosure(Expr function, std::vector<Expr> captured);
  MakeClosure() : Node(kKind) {}
  Expr function_;
  std::vector<Expr> captured_;
};

// The callee of an Invoke: found by name when the program is linked.
class Primitive : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kPrimitive;
  const std::string& name() const { return name_; }
  // Calling it does more than give a value (it prints, it changes an object): such a call is never
  // removed, merged or moved.
  bool has_effect() const { return has_effect_; }

 private:
  friend Expr MakePrimitive(std::string name, bool has_effect);
  Primitive() : Node(kKind) {}
  std::string name_;
  bool has_effect_ = false;
};

enum class ScalarOp : int32_t {
#define TERN_IR_SCALAR(Symbol, name, arity, Rule) k##Symbol,
#include "core/ir/scalars.def"
#undef TERN_IR_SCALAR
};

enum class ScalarRule : int32_t { kSame, kBits, kOrder, kEqual, kInt, kFloat, kBool };

struct ScalarInfo {
  ScalarOp op;
  std::string_view name;  // "add"; the text form is "add.scalar"
  int arity;
  ScalarRule rule;
};
std::span<const ScalarInfo> AllScalars();
const ScalarInfo& InfoOf(ScalarOp op);
const ScalarInfo* FindScalar(std::string_view name);  // null if there is none

class Scalar : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kScalar;
  const ScalarInfo& info() const { return *info_; }
  ScalarOp op() const { return info_->op; }
  std::span<const Expr> args() const { return args_; }

 private:
  friend Expr MakeScalar(ScalarOp op, std::vector<Expr> args);
  Scalar() : Node(kKind) {}
  const ScalarInfo* info_ = nullptr;
  std::vector<Expr> args_;
};

// Ends the run with E0301 and the message; nothing behind it runs.
class Fatal : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kFatal;
  const std::string& message() const { return message_; }

 private:
  friend Expr MakeFatal(std::string message);
  Fatal() : Node(kKind) {}
  std::string message_;
};

// The tensor on that device; what annotate_devices inserts.
class DeviceCopy : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kDeviceCopy;
  const Expr& source() const { return source_; }
  int device() const { return device_; }

 private:
  friend Expr MakeDeviceCopy(Expr source, int device);
  DeviceCopy() : Node(kKind) {}
  Expr source_;
  int device_ = 0;
};

// Blocks that are no Let become one without bindings.
Expr MakeIf(Expr condition, Expr then_block, Expr else_block);
Expr MakeSwitch(DataTypePtr data_type, Expr subject, std::vector<SwitchCase> cases,
                Expr default_block = nullptr);
Expr MakeConstruct(DataTypePtr data_type, int constructor, std::vector<Expr> fields);
Expr MakeMakeClosure(Expr function, std::vector<Expr> captured);
Expr MakePrimitive(std::string name, bool has_effect = false);
Expr MakeScalar(ScalarOp op, std::vector<Expr> args);
Expr MakeFatal(std::string message);
Expr MakeDeviceCopy(Expr source, int device);

// The type of a scalar operation; an error says which argument is wrong and what is expected.
// Unknown and variable types are taken as they are, so the result may be unknown too.
Result<types::Type> InferScalar(ScalarOp op, std::span<const types::Type> args);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_CONTROL_H_
