// SPDX-License-Identifier: Apache-2.0
// Nodes of the functional IR: immutable, counted, made only by the Make… functions, which check.
//
// A Let is a block: a list of bindings and a result. What nested lets would say, it says without
// nesting, so a function of 10^5 operators is one list that passes walk in a loop. In A-normal form
// (what the builder makes and all passes here expect; see verifier.h) arguments are atoms:
// variables and constants. A variable carries what inference knows of it: its type, and for
// small integer tensors the elements as symbolic dimensions. Its origin says what it came from in
// the source (the name of an ONNX node, or "file:line:column").
//
// Branches and lambdas are blocks inside a binding's value (control.h). A block sees the variables
// of the blocks around it. A Function that is bound in a block is a lambda: it captures what it
// mentions of the blocks around it.
#ifndef TERN_CORE_IR_EXPR_H_
#define TERN_CORE_IR_EXPR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/object/any.h"
#include "core/object/attrs.h"
#include "core/object/counted_node.h"
#include "core/object/object.h"
#include "core/object/tensor.h"
#include "core/ops/ops.h"
#include "core/types/type.h"

namespace tern::ir {

enum class NodeKind : int32_t {
#define TERN_IR_NODE(Kind, phrase) k##Kind,
#include "core/ir/nodes.def"
#undef TERN_IR_NODE
};
std::string_view NodeKindName(NodeKind kind);

class Node : public CountedNode {
 public:
  NodeKind kind() const { return kind_; }
  template <class T>
  const T* As() const {
    return kind_ == T::kKind ? static_cast<const T*>(this) : nullptr;
  }

 protected:
  explicit Node(NodeKind kind) : kind_(kind) {}
  ~Node() override;

 private:
  NodeKind kind_;
};

using Expr = ObjectPtr<const Node>;

class Var : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kVar;
  const std::string& name() const { return name_; }  // a hint, not unique
  const std::string& origin() const { return origin_; }
  const types::Type& type() const { return type_; }
  // Elements of an integer tensor of rank 0 or 1 where they are known; null where not.
  const ops::Values* value() const { return value_.get(); }
  const std::shared_ptr<const ops::Values>& shared_value() const { return value_; }

 private:
  friend ObjectPtr<const Var> MakeVar(std::string name, types::Type type, std::string origin,
                                      std::shared_ptr<const ops::Values> value);
  Var() : Node(kKind) {}

  std::string name_, origin_;
  types::Type type_;
  std::shared_ptr<const ops::Values> value_;
};
using VarPtr = ObjectPtr<const Var>;
// A data type is declared once in the module and shared by the nodes that speak of it.
using DataTypePtr = std::shared_ptr<const types::DataType>;

class Constant : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kConstant;
  // A tensor as tensor() has it.
  const Any& value() const;
  bool is_none() const { return value_.is_none(); }
  // Null where it is not a tensor, and where there is no memory for an aligned copy of one.
  const Tensor* tensor() const;
  // The tensor where a model has it, which may be no address for its type: for what looks at its
  // type and shape, or copies elements. Null where it is none.
  const Tensor* window() const { return value_.TryCast<Tensor>(); }
  // Makes the copy, if it takes one, in memory that `copies` lends and `keeper` keeps.
  void AlignIn(const AlignedCopies& copies, ObjectPtr<Object> keeper) const;
  const std::string& name() const { return name_; }  // a hint: the initializer's name
  const types::Type& type() const { return type_; }
  const ops::Values* known_value() const { return known_.get(); }

 private:
  friend Expr MakeConstant(Any value, std::string name);
  Constant() : Node(kKind) {}
  // Most weights are packed from where they lie, so that only what else reads them makes copies.
  void Align() const;
  bool NeedsAligning() const;

  Any value_;
  mutable Any aligned_;  // none where value_ itself is, or nobody asked
  std::string name_;
  types::Type type_;
  std::unique_ptr<const ops::Values> known_;
};

class Global : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kGlobal;
  const std::string& name() const { return name_; }

 private:
  friend Expr MakeGlobal(std::string name);
  Global() : Node(kKind) {}
  std::string name_;
};

class Tuple : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kTuple;
  std::span<const Expr> fields() const { return fields_; }

 private:
  friend Expr MakeTuple(std::vector<Expr> fields);
  Tuple() : Node(kKind) {}
  std::vector<Expr> fields_;
};

class GetItem : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kGetItem;
  const Expr& tuple() const { return tuple_; }
  int index() const { return index_; }

 private:
  friend Expr MakeGetItem(Expr tuple, int index);
  GetItem() : Node(kKind) {}
  Expr tuple_;
  int index_ = 0;
};

class Call : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kCall;
  const ops::OpInfo& op() const { return *op_; }
  bool Is(ops::Op op) const { return op_->op == op; }
  const Attrs& attrs() const { return attrs_; }
  std::span<const Expr> args() const { return args_; }
  // Null where the argument is missing or none.
  const Node* arg(size_t index) const;

 private:
  friend Expr MakeCall(const ops::OpInfo& op, std::vector<Expr> args, Attrs attrs);
  Call() : Node(kKind) {}
  const ops::OpInfo* op_ = nullptr;
  std::vector<Expr> args_;
  Attrs attrs_;
};

// callee: a Global, a variable that holds a closure, or a Primitive (control.h).
class Invoke : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kInvoke;
  const Expr& callee() const { return callee_; }
  std::span<const Expr> args() const { return args_; }
  // In place of this frame (set by mark_tail_calls): the last binding of a block whose result it
  // is, and so on outwards.
  bool is_tail() const { return tail_; }

 private:
  friend Expr MakeInvoke(Expr callee, std::vector<Expr> args, bool tail);
  Invoke() : Node(kKind) {}
  Expr callee_;
  std::vector<Expr> args_;
  bool tail_ = false;
};

// recursive: a lambda of a `let rec` group. Neighbouring bindings that have the flag are one group,
// whose lambdas may mention each other's variables and their own.
struct Binding {
  VarPtr var;
  Expr value;
  bool recursive = false;
};

class Let : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kLet;
  std::span<const Binding> bindings() const { return bindings_; }
  const Expr& result() const { return result_; }

 private:
  friend Expr MakeLet(std::vector<Binding> bindings, Expr result);
  Let() : Node(kKind) {}
  std::vector<Binding> bindings_;
  Expr result_;
};

using LetPtr = ObjectPtr<const Let>;

// output_names: one per result of a tuple, or one; may be empty.
class Function : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kFunction;
  std::span<const VarPtr> parameters() const { return parameters_; }
  const Expr& body() const { return body_; }
  std::span<const std::string> output_names() const { return output_names_; }
  // The body's bindings; empty where the body is not a Let.
  std::span<const Binding> bindings() const;
  const Expr& result() const;

 private:
  friend ObjectPtr<const Function> MakeFunction(std::vector<VarPtr> parameters, Expr body,
                                                std::vector<std::string> output_names);
  Function() : Node(kKind) {}
  std::vector<VarPtr> parameters_;
  Expr body_;
  std::vector<std::string> output_names_;
};
using FunctionPtr = ObjectPtr<const Function>;

VarPtr MakeVar(std::string name, types::Type type, std::string origin = {},
               std::shared_ptr<const ops::Values> value = nullptr);
Expr MakeConstant(Any value, std::string name = {});
Expr MakeNone();  // a missing optional argument
Expr MakeGlobal(std::string name);
Expr MakeTuple(std::vector<Expr> fields);
Expr MakeGetItem(Expr tuple, int index);
// Trailing none arguments are dropped.
Expr MakeCall(const ops::OpInfo& op, std::vector<Expr> args, Attrs attrs);
Expr MakeInvoke(Expr callee, std::vector<Expr> args, bool tail = false);
Expr MakeLet(std::vector<Binding> bindings, Expr result);
FunctionPtr MakeFunction(std::vector<VarPtr> parameters, Expr body,
                         std::vector<std::string> output_names);

// The expression as a block: itself if it is a Let, else a Let without bindings.
LetPtr ToBlock(Expr expr);

// i64 tensors made of numbers: rank 1, or rank 0.
Expr MakeInts(std::span<const int64_t> values);
Expr MakeInt(int64_t value);
Expr MakeFloat(float value);

// Of an atom: variable, constant, tuple of atoms; of a block its result's; of a function its
// parameters' and its body's; unknown for anything else.
types::Type TypeOf(const Expr& expr);
// The tensor type, or null where it is not known to be a tensor.
const types::TensorType* TensorTypeOf(const Expr& expr);
// The known elements of a small integer tensor, or null.
const ops::Values* ValuesOf(const Expr& expr);
// The elements where all of them are numbers.
bool ConstantInts(const Expr& expr, std::vector<int64_t>* values);
// The tensor of a constant, or null, as Constant has it.
const Tensor* ConstantTensor(const Expr& expr);
const Tensor* ConstantWindow(const Expr& expr);
bool IsNone(const Expr& expr);
bool IsAtom(const Expr& expr);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_EXPR_H_
