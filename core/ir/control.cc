// SPDX-License-Identifier: Apache-2.0
#include "core/ir/control.h"

#include "core/base/check.h"
#include "core/base/strings.h"

namespace tern::ir {

namespace {

// In the order of scalars.def, which is that of ScalarOp.
constexpr ScalarInfo kScalars[] = {
#define TERN_IR_SCALAR(Symbol, name, arity, Rule) \
  {ScalarOp::k##Symbol, #name, arity, ScalarRule::k##Rule},
#include "core/ir/scalars.def"
#undef TERN_IR_SCALAR
};

// What an argument may be, for messages.
std::string_view Expected(ScalarRule rule) {
  switch (rule) {
    case ScalarRule::kSame:
    case ScalarRule::kOrder: return "int or float";
    case ScalarRule::kBits: return "int or bool";
    case ScalarRule::kEqual: return "int, float or bool";
    case ScalarRule::kInt:
    case ScalarRule::kFloat:
    case ScalarRule::kBool: return "int, float, bool or a tensor of one element";
  }
  return "";
}

// Types that are not known yet are accepted: the machine checks values.
bool Accepts(ScalarRule rule, const types::Type& type) {
  using types::TypeKind;
  switch (type.kind()) {
    case TypeKind::kUnknown:
    case TypeKind::kVariable:
    case TypeKind::kInt: return true;
    case TypeKind::kFloat: return rule != ScalarRule::kBits;
    case TypeKind::kBool: return rule != ScalarRule::kSame && rule != ScalarRule::kOrder;
    case TypeKind::kTensor:
      return rule == ScalarRule::kInt || rule == ScalarRule::kFloat || rule == ScalarRule::kBool;
    case TypeKind::kNone:
    case TypeKind::kTuple:
    case TypeKind::kFunction:
    case TypeKind::kString:
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kData: break;
  }
  return false;
}

// Whether the type tells nothing: unknown, or a type variable.
bool IsOpen(const types::Type& type) {
  return !type.known() || type.kind() == types::TypeKind::kVariable;
}

}  // namespace

std::span<const ScalarInfo> AllScalars() { return kScalars; }

const ScalarInfo& InfoOf(ScalarOp op) { return kScalars[static_cast<size_t>(op)]; }

const ScalarInfo* FindScalar(std::string_view name) {
  for (const ScalarInfo& info : kScalars) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

// The Make functions do not check types; the builder and the verifier do.
Expr MakeIf(Expr condition, Expr then_block, Expr else_block) {
  TERN_CHECK(condition && then_block && else_block);
  // Blocks are kept as blocks even if they are single atoms, so that passes see one form.
  auto* node = new If();
  node->condition_ = std::move(condition);
  // An atom becomes a block of no bindings.
  node->then_ = ToBlock(std::move(then_block));
  node->else_ = ToBlock(std::move(else_block));
  return Expr(node);
}

Expr MakeSwitch(DataTypePtr data_type, Expr subject, std::vector<SwitchCase> cases,
                Expr default_block) {
  TERN_CHECK(data_type != nullptr && subject);
  auto* node = new Switch();
  node->data_type_ = std::move(data_type);
  node->subject_ = std::move(subject);
  node->cases_ = std::move(cases);
  // Null where all constructors have a case.
  if (default_block) node->default_ = ToBlock(std::move(default_block));
  return Expr(node);
}

Expr MakeConstruct(DataTypePtr data_type, int constructor, std::vector<Expr> fields) {
  TERN_CHECK(data_type != nullptr && constructor >= 0 &&
             static_cast<size_t>(constructor) < data_type->constructors.size());
  auto* node = new Construct();
  node->data_type_ = std::move(data_type);
  node->constructor_ = constructor;
  node->fields_ = std::move(fields);
  return Expr(node);
}

Expr MakeMakeClosure(Expr function, std::vector<Expr> captured) {
  // Of functions of the module alone: lambdas are lifted before.
  TERN_CHECK(function && function->As<Global>() != nullptr);
  auto* node = new MakeClosure();
  node->function_ = std::move(function);
  node->captured_ = std::move(captured);
  return Expr(node);
}

Expr MakePrimitive(std::string name, bool has_effect) {
  auto* node = new Primitive();
  node->name_ = std::move(name);
  node->has_effect_ = has_effect;
  return Expr(node);
}

Expr MakeScalar(ScalarOp op, std::vector<Expr> args) {
  auto* node = new Scalar();
  node->info_ = &InfoOf(op);
  TERN_CHECK(args.size() == static_cast<size_t>(node->info_->arity));
  node->args_ = std::move(args);
  return Expr(node);
}

Expr MakeFatal(std::string message) {
  auto* node = new Fatal();
  node->message_ = std::move(message);
  return Expr(node);
}

Expr MakeDeviceCopy(Expr source, int device) {
  TERN_CHECK(source && device >= 0);
  auto* node = new DeviceCopy();
  node->source_ = std::move(source);
  node->device_ = device;
  return Expr(node);
}

// The type of the result, or an error that names the argument.
Result<types::Type> InferScalar(ScalarOp op, std::span<const types::Type> args) {
  const ScalarInfo& info = InfoOf(op);
  if (args.size() != static_cast<size_t>(info.arity)) {
    return InvalidArgument(info.name, " takes ", info.arity,
                           info.arity == 1 ? " argument, " : " arguments, ", args.size(),
                           args.size() == 1 ? " is given" : " are given");
  }
  types::Type common;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!Accepts(info.rule, args[i])) {
      return TypeError("argument ", i, " of ", info.name, " is ", args[i].ToText(), ", expected ",
                       Expected(info.rule));
    }
    if (IsOpen(args[i])) continue;
    // Both operands of one type: the language converts explicitly.
    if (!IsOpen(common) && !(common == args[i])) {
      return TypeError("arguments of ", info.name, " are ", common.ToText(), " and ",
                       args[i].ToText(), ", expected two of one type");
    }
    common = args[i];
  }
  switch (info.rule) {
    case ScalarRule::kSame:
    case ScalarRule::kBits: return common.known() ? common : args[0];
    case ScalarRule::kInt: return types::Type::Int();
    case ScalarRule::kFloat: return types::Type::Float();
    case ScalarRule::kOrder:
    case ScalarRule::kEqual:
    case ScalarRule::kBool: return types::Type::Bool();
  }
  return types::Type();
}

}  // namespace tern::ir
