// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/to_a_normal_form.h"

#include "core/base/strings.h"
#include "core/ir/builder.h"
#include "core/ir/infer.h"
#include "core/ir/node_map.h"
#include "core/ir/verifier.h"

namespace tern::ir {

namespace {

// Binds every nested value to a variable (Flanagan et al., "The Essence of Compiling with
// Continuations", 1993), in the order of evaluation, arguments from left to right. Types are
// inferred on the way, or taken from declared variables.
class Normalizer {
 public:
  Normalizer(const Module& module, text::Diagnostics* diagnostics)
      : module_(module), diagnostics_(*diagnostics), builder_(diagnostics) {}

  // Parameters and their order stay; only the body is made anew.
  FunctionPtr Run(const FunctionPtr& function) {
    for (const VarPtr& parameter : function->parameters()) builder_.AddParameter(parameter);
    Expr result = Body(function->body());
    return builder_.Finish(std::move(result),
                           {function->output_names().begin(), function->output_names().end()});
  }

 private:
  // Puts the bindings of a block into the one that is open. Its result is an atom or a tuple of
  // atoms.
  Expr Body(const Expr& body) {
    const Let* let = body->As<Let>();
    if (let == nullptr) return ResultOf(body);
    for (const Binding& binding : let->bindings()) {
      if (binding.recursive) {
        builder_.Adopt({binding.var, Lambda(*binding.value->As<Function>()), true});
        continue;
      }
      builder_.SetOrigin(binding.var->origin());
      map_[binding.var.get()] = Normalize(binding.value, binding.var.get());
    }
    return ResultOf(let->result());
  }

  // The result of a block or function: an atom, or a tuple of atoms.
  Expr ResultOf(const Expr& result) {
    if (const Tuple* tuple = result->As<Tuple>()) return MakeTuple(Atoms(tuple->fields()));
    return Atom(result);
  }

  // A block of its own, such as of a branch: it runs only if the branch is taken.
  LetPtr Block(const Expr& block) {
    const std::string origin = builder_.origin();
    builder_.BeginBlock();
    LetPtr made = builder_.EndBlock(Body(block));
    builder_.SetOrigin(origin);
    return made;
  }

  // The value as an atom, bound first if it is not one.
  Expr Atom(const Expr& value) {
    // A shared node is bound once.
    if (const Expr* found = map_.Find(value.get())) return *found;
    return IsAtom(value) ? value : Normalize(value, nullptr);
  }

  std::vector<Expr> Atoms(std::span<const Expr> values) {
    std::vector<Expr> atoms;
    for (const Expr& value : values) atoms.push_back(Atom(value));
    return atoms;
  }

  // Binds a node. A declared type of the variable counts more than what was inferred.
  Expr Bind(Expr node, types::Type type, const Var* var) {
    if (var != nullptr && var->type().known()) {
      if (!AreCompatible(var->type(), type)) {
        diagnostics_
            .Error("E0310",
                   StrCat("declared as ", var->type().ToText(), ", but it is ", type.ToText()))
            .InNode(builder_.origin());
      }
      type = var->type();
    }
    if (!type.known()) {
      diagnostics_
          .Error("E0310",
                 StrCat("the type of this ", NodeKindName(node->kind()), " cannot be told"))
          .InNode(builder_.origin());
    }
    if (var != nullptr) builder_.SetName(var->name());
    return builder_.BindAs(std::move(node), type);
  }

  // var: the variable that the value was bound to, or null where it stood in place.
  Expr Normalize(const Expr& value, const Var* var) {
    switch (value->kind()) {
      case NodeKind::kVar:
      case NodeKind::kConstant:
      case NodeKind::kGlobal: return Atom(value);
      // A nested block is spliced: it runs exactly where it stands.
      case NodeKind::kLet: return Body(value);
      case NodeKind::kTuple: {
        std::vector<Expr> fields = Atoms(value->As<Tuple>()->fields());
        return Named(var).Bind(MakeTuple(std::move(fields)));
      }
      case NodeKind::kGetItem: return Item(*value->As<GetItem>(), var);
      case NodeKind::kCall: {
        const Call& call = *value->As<Call>();
        std::vector<Expr> args = Atoms(call.args());
        return Named(var).Emit(call.op(), std::move(args), call.attrs());
      }
      case NodeKind::kScalar: {
        std::vector<Expr> args = Atoms(value->As<Scalar>()->args());
        return Named(var).EmitScalar(value->As<Scalar>()->op(), std::move(args));
      }
      case NodeKind::kInvoke: return Invocation(*value->As<Invoke>(), var);
      case NodeKind::kIf: return Choice(*value->As<If>(), var);
      case NodeKind::kSwitch: return Cases(*value->As<Switch>(), var);
      case NodeKind::kConstruct: return Construction(*value->As<Construct>(), var);
      case NodeKind::kMakeClosure: return Closure(*value->As<MakeClosure>(), var);
      case NodeKind::kFunction: return Named(var).Bind(Lambda(*value->As<Function>()));
      case NodeKind::kDeviceCopy: {
        const Expr source = Atom(value->As<DeviceCopy>()->source());
        return Bind(MakeDeviceCopy(source, value->As<DeviceCopy>()->device()), TypeOf(source), var);
      }
      case NodeKind::kFatal:
      case NodeKind::kPrimitive: break;
    }
    return Bind(value, {}, var);
  }

  // The builder, told the name of the variable that is bound next.
  Builder& Named(const Var* var) {
    if (var != nullptr) builder_.SetName(var->name());
    return builder_;
  }

  Expr Item(const GetItem& item, const Var* var) {
    const Expr tuple = Atom(item.tuple());
    if (TypeOf(tuple).is_tuple()) return Named(var).Field(tuple, item.index());
    return Bind(MakeGetItem(tuple, item.index()), {}, var);
  }

  // The callee is evaluated before the arguments.
  Expr Invocation(const Invoke& invoke, const Var* var) {
    Expr callee = invoke.callee();
    types::Type type;
    if (const Global* global = callee->As<Global>()) {
      if (const FunctionPtr function = module_.Find(global->name())) type = TypeOf(function);
    } else if (callee->As<Primitive>() == nullptr) {
      callee = Atom(callee);
      type = TypeOf(callee);
    }
    std::vector<Expr> args = Atoms(invoke.args());
    const bool declared = var != nullptr && var->type().known();
    // A function that was normalized before has a result type; a declared one may be more exact.
    if (type.is_function() && type.result().known() && !declared)
      return Named(var).EmitInvoke(std::move(callee), type, std::move(args));
    return Bind(MakeInvoke(std::move(callee), std::move(args), invoke.is_tail()), {}, var);
  }

  Expr Choice(const If& node, const Var* var) {
    const Expr condition = Atom(node.condition());
    const LetPtr then_block = Block(node.then_block());
    const LetPtr else_block = Block(node.else_block());
    types::Type type = builder_.Join(TypeOf(then_block), TypeOf(else_block));
    if (!type.known()) {
      diagnostics_
          .Error("E0310", StrCat("one branch gives ", TypeOf(then_block).ToText(), ", the other ",
                                 TypeOf(else_block).ToText()))
          .InNode(builder_.origin());
    }
    return Bind(MakeIf(condition, then_block, else_block), std::move(type), var);
  }

  // The type of a switch is what the types of all its blocks have in common.
  Expr Cases(const Switch& node, const Var* var) {
    const Expr subject = Atom(node.subject());
    std::vector<SwitchCase> cases(node.cases().begin(), node.cases().end());
    types::Type type;
    bool first = true;
    const auto block = [&](const LetPtr& old) {
      LetPtr made = Block(old);
      type = first ? TypeOf(made) : builder_.Join(type, TypeOf(made));
      first = false;
      return made;
    };
    for (SwitchCase& option : cases) option.block = block(option.block);
    LetPtr otherwise = node.default_block();
    if (otherwise) otherwise = block(otherwise);
    return Bind(MakeSwitch(node.data_type(), subject, std::move(cases), otherwise), type, var);
  }

  Expr Construction(const Construct& node, const Var* var) {
    std::vector<Expr> fields = Atoms(node.fields());
    Result<types::Type> type = InferConstruct(*node.data_type(), node.constructor(), fields);
    if (!type.ok())
      diagnostics_.Error("E0310", std::string(type.status().message())).InNode(builder_.origin());
    return Bind(MakeConstruct(node.data_type(), node.constructor(), std::move(fields)),
                type.ok() ? *type : types::Type::None(), var);
  }

  Expr Closure(const MakeClosure& node, const Var* var) {
    std::vector<Expr> captured = Atoms(node.captured());
    types::Type type;
    const FunctionPtr function = module_.Find(node.function()->As<Global>()->name());
    if (function && function->parameters().size() >= captured.size()) {
      const types::Type all = TypeOf(function);
      // A closure takes the parameters that are left, so the captured ones are the last.
      std::vector<types::Type> parameters(all.parameters().begin(), all.parameters().end());
      parameters.resize(parameters.size() - captured.size());
      type = types::Type::Function(std::move(parameters), all.result());
    }
    return Bind(MakeMakeClosure(node.function(), std::move(captured)), std::move(type), var);
  }

  FunctionPtr Lambda(const Function& lambda) {
    const std::string origin = builder_.origin();
    builder_.BeginLambda({lambda.parameters().begin(), lambda.parameters().end()});
    FunctionPtr made = builder_.EndLambda(Body(lambda.body()));
    builder_.SetOrigin(origin);
    return made;
  }

  const Module& module_;
  text::Diagnostics& diagnostics_;
  Builder builder_;
  NodeMap<Expr> map_;  // by variable
};

}  // namespace

Module ToANormalForm(const Module& module, const PassContext& context) {
  if (IsANormalForm(module)) return module;
  // Functions see the ones before them as they are now, with the types of their results.
  Module result = module;
  for (const Module::Item& item : module.items()) {
    Module one;
    one.Set(item.name, item.function);
    if (!IsANormalForm(one))
      result.Set(item.name, Normalizer(result, context.diagnostics).Run(item.function));
  }
  return result;
}

}  // namespace tern::ir
