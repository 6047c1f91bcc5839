// SPDX-License-Identifier: Apache-2.0
// The syntax tree: what the parser makes of a file, with the place of everything.
//
// The parser fills in what the text says. Inference (infer.h) adds types and the meaning of names,
// in the fields marked "by inference". Nodes of one family share a struct; the comment beside a
// kind lists the fields that it uses. A node that could not be read is a kError, about which
// inference reports nothing, because the parser has. A File owns its whole tree, and must outlive
// whatever points into it.
#ifndef TERN_CORE_LANG_PARSE_AST_H_
#define TERN_CORE_LANG_PARSE_AST_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/lang/parse/token.h"
#include "core/loop/te/te.h"
#include "core/object/counted_node.h"
#include "core/object/dtype.h"
#include "core/ops/ops.h"
#include "core/text/source.h"
#include "core/types/type.h"

namespace tern::lang {

using text::Span;

struct Expr;
struct Function;
struct DataDecl;
struct KernelDecl;
struct Primitive;
using ExprPtr = std::unique_ptr<Expr>;

struct Name {
  std::string text;
  Span span;
};

// --- types

enum class TypeExprKind : uint8_t {
  kError,
  kName,      // name: a scalar, or a type variable
  kApplied,   // name, args: List[a], Tree[int], Tree
  kTensor,    // name: the element type; dims
  kTuple,     // args
  kFunction,  // args, result
};

struct TypeExpr : ChargedNode {
  TypeExprKind kind = TypeExprKind::kError;
  Span span;
  Name name;
  std::vector<std::unique_ptr<TypeExpr>> args;
  std::unique_ptr<TypeExpr> result;
  std::vector<ExprPtr> dims;  // arithmetic over ints, names and kAnyDim
};
using TypeExprPtr = std::unique_ptr<TypeExpr>;

// --- names that values have

// One binding of a name: a parameter, a let, a pattern, a loop variable, a local function.
struct Local {
  Name name;
  types::Type type = {};             // by inference
  const Expr* defined_by = nullptr;  // of a let of one name: its value
  Function* function = nullptr;      // of a local function
  // Of a local function: what its type is polymorphic in.
  std::vector<std::string> type_variables = {}, dim_variables = {};
  int uses = 0;
};

// --- patterns

enum class PatternKind : uint8_t {
  kError,
  kWildcard,
  kBind,         // local
  kLiteral,      // literal
  kTuple,        // args
  kConstructor,  // name, args, fields; with has_rest the fields that are not named match anything
  kList,         // args; with has_rest the last is for the items behind the others
  kOr,           // args: alternatives, each with the same names, which share their locals
};

struct Pattern : ChargedNode {
  PatternKind kind = PatternKind::kError;
  Span span;
  Name name;
  ExprPtr literal;  // kInt, kString, kBool
  std::vector<std::unique_ptr<Pattern>> args;
  // Of a constructor, by the parser: the names that args are given by, empty for those in order.
  std::vector<Name> fields;
  bool has_parentheses = false;  // Cons(…) rather than Nil
  bool has_rest = false;
  size_t item_count() const { return args.size() - (has_rest ? 1 : 0); }  // of a list

  Local* local = nullptr;
  types::Type type;                // by inference
  const DataDecl* data = nullptr;  // by inference
  int tag = -1;
};
using PatternPtr = std::unique_ptr<Pattern>;

// --- expressions

enum class ExprKind : uint8_t {
  kError,
  kInt,     // text
  kFloat,   // text
  kString,  // text: the token
  kBool,    // text
  kName,    // text; also constructors
  kTuple,   // children; none: the unit value
  kList,    // children
  kMap,     // children: key, value, key, value, …
  kUnary,   // text: operator; children: operand
  kBinary,  // text: operator (also ".."); children: both
  kCall,    // children: callee, arguments; attributes
  kField,   // text: its number or name; children: tuple, or value of a constructor
  kIndex,   // children: container, items
  kPart,    // an item of kIndex that lacks an end; children: begin or null, end or null
  kIf,      // children: condition, then, else or null
  kMatch,   // children: subject; arms
  kBlock,   // statements; children: result or null
  kLambda,  // params; type: of the result; children: body
  kLoop,    // params with their first values; children: condition, next
  kFor,     // pattern, params; children: the list or range, next
  kAnyDim,  // ?
};

struct Param {
  PatternPtr pattern;  // kBind everywhere but in lambdas
  TypeExprPtr type;    // may be null
  ExprPtr first;       // of loops
};

// `name = value` in a call. `..value` has the name "..": what a record is like where nothing else
// is said.
struct Attribute {
  Name name;
  ExprPtr value;
};

struct Arm {
  PatternPtr pattern;
  ExprPtr guard;  // may be null
  ExprPtr body;
  Span span;
};

enum class StatementKind : uint8_t { kLet, kFunction, kExpression };

struct Statement {
  StatementKind kind = StatementKind::kExpression;
  Span span;
  PatternPtr pattern;  // kLet
  TypeExprPtr type;    // kLet, may be null
  ExprPtr value;       // kLet, kExpression
  std::unique_ptr<Function> function;
  bool has_semicolon = true;
};

// What a name or the callee of a call is; by inference.
enum class TargetKind : uint8_t {
  kNone,
  kLocal,
  kFunction,  // of the program or the prelude
  kConstructor,
  kPrimitive,
  kOperator,   // of ops.def
  kConvert,    // f32(…): to a tensor of that element type
  kDimension,  // a dimension of the function's type, as an int
};

struct Target {
  TargetKind kind = TargetKind::kNone;
  Local* local = nullptr;
  const Function* function = nullptr;
  const DataDecl* data = nullptr;
  int tag = -1;
  const Primitive* primitive = nullptr;
  const ops::OpInfo* op = nullptr;
  DType dtype = {};
};

struct Expr : ChargedNode {
  ExprKind kind = ExprKind::kError;
  Span span;
  std::string text;
  Span mark;  // of the operator, the field, the closing bracket
  std::vector<ExprPtr> children;
  std::vector<Attribute> attributes;
  std::vector<Arm> arms;
  std::vector<Statement> statements;
  std::vector<Param> params;
  TypeExprPtr type_expr;
  PatternPtr pattern;

  // By inference.
  types::Type type;
  Target target;
  // The type whose shape this tensor has to be compared with when the program runs, because only
  // the run knows its extents; unknown where nothing is left to compare.
  types::Type checked_as;
  Local* result_local = nullptr;  // of loops: see lower.h
};

// --- declarations

struct Function {
  Name name;
  Span span;
  std::vector<Name> generics;
  bool has_generics = false;
  std::vector<Param> params;
  TypeExprPtr result;  // may be null
  ExprPtr body;        // kBlock; null for a kernel
  // let name: type = body; outside of functions. It has no parameters, and its name is the value.
  bool is_constant = false;
  const KernelDecl* kernel = nullptr;

  // By inference: the type, and what it is polymorphic in.
  types::Type type;
  std::vector<std::string> type_variables, dim_variables;
  Local* local = nullptr;  // of a local function
  bool in_prelude = false;
  bool has_errors = false;  // of a function that is not local: inference had something to say
};

struct ConstructorDecl {
  Name name;
  Span span;
  std::vector<TypeExprPtr> fields;
  std::vector<Name> field_names;  // as many as fields, or none
  bool has_parentheses = false;
};

struct DataDecl {
  Name name;
  Span span;
  std::vector<Name> generics;
  std::vector<ConstructorDecl> constructors;

  types::DataType type;  // by inference
};

// An operator defined by a loop program. What its head says is a function like others; what stands
// between the braces is the body of a `te` definition (docs/loop-ir.md), read by kernel.h.
struct KernelDecl {
  Span span;
  std::unique_ptr<Function> function;
  std::vector<Name> results;  // as many as the function's result type has parts
  bool relaxed = false;
  Span body;                // between the braces
  std::vector<Name> words;  // the names in the body

  loop::te::DefinitionPtr definition;  // by ReadKernels; null where it has a mistake
};

// One of them is set.
struct Item {
  std::unique_ptr<Function> function;  // or constant
  std::unique_ptr<DataDecl> data;
  std::unique_ptr<KernelDecl> kernel;

  // What can be called: the function, or the kernel's. Null for a data type.
  Function* callable() const { return kernel != nullptr ? kernel->function.get() : function.get(); }
  Span span() const {
    return function != nullptr ? function->span : data != nullptr ? data->span : kernel->span;
  }
};

struct File {
  int32_t file = -1;
  std::vector<Item> items;
  std::vector<Comment> comments;
  std::deque<Local> locals;  // stable addresses
};

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_PARSE_AST_H_
