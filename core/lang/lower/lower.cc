// SPDX-License-Identifier: Apache-2.0
// The module and its functions. Functions are lowered on demand: the program's own are asked for
// first, those of the prelude when something mentions them, so that unused ones cost nothing.
#include "core/lang/lower/lower.h"

#include "core/base/strings.h"
#include "core/lang/infer/unify.h"
#include "core/lang/lower/lower_state.h"
#include "core/object/memory_account.h"

namespace tern::lang {

using types::Type;

namespace {

// Primitives that do more than give a value, or give a new object each time. Passes may drop or
// merge the calls of all others. prelude_push changes its list in place, which is why it and the
// making of the list are here.
constexpr std::string_view kEffects[] = {"tern.print", "tern.fail", "tern.assert", "tern.list.new",
                                         "tern.list.push"};

bool HasEffect(std::string_view primitive) {
  for (std::string_view effect : kEffects) {
    if (effect == primitive) return true;
  }
  return false;
}

}  // namespace

// The global name of a function, which is then lowered too.
std::string ModuleState::NameOf(const Function& function) {
  if (asked.insert(&function).second) queue.push_back(&function);
  // A program may declare a function of the prelude's name; both can be in one module.
  const bool hidden = function.in_prelude && program->names.functions.contains(function.name.text);
  return hidden ? StrCat("prelude_", function.name.text) : function.name.text;
}

// One object per data type; the module lists it once.
ir::DataTypePtr ModuleState::DataOf(const DataDecl& decl) {
  ir::DataTypePtr& type = data[&decl];
  if (type == nullptr) {
    type = std::make_shared<const types::DataType>(decl.type);
    module.AddDataType(type);
  }
  return type;
}

// The origin of the bindings that follow, until the next call.
void FunctionLowering::At(const Span& span) {
  origin_ = module_->places.Describe(span);
  builder_.SetOrigin(origin_);
}

// Types are final here, so no context is needed.
OpCallReader FunctionLowering::Reader() const {
  return OpCallReader([](const void*, const Expr& expr) { return expr.type; }, nullptr);
}

// Extents that only a run knows lose inference's names for them ("_3"); the IR makes its own.
ir::Expr FunctionLowering::Bind(ir::Expr value, const Type& type) {
  return builder_.BindAs(std::move(value), Unifier::Widen(type));
}

ir::Expr FunctionLowering::Invoke(std::string_view primitive, std::vector<ir::Expr> args,
                                  const Type& type) {
  const ir::Expr callee = ir::MakePrimitive(std::string(primitive), HasEffect(primitive));
  return Bind(ir::MakeInvoke(callee, std::move(args)), type);
}

ir::Expr FunctionLowering::Unit() { return Bind(ir::MakeTuple({}), Type::Tuple({})); }

ir::VarPtr FunctionLowering::NewVar(const std::string& name, const Type& type) {
  return ir::MakeVar(name, Unifier::Widen(type), origin_);
}

// Parameters that are patterns get a name of their own and are taken apart at the beginning of the
// body.
ir::FunctionPtr FunctionLowering::Run(const Function& function) {
  At(function.name.span);
  std::vector<std::pair<const Pattern*, ir::Expr>> patterns;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const Pattern& pattern = *function.params[i].pattern;
    const std::string name = pattern.local != nullptr ? pattern.name.text : StrCat("p", i);
    const Type type = Unifier::Widen(function.type.parameters()[i]);
    patterns.emplace_back(&pattern, builder_.AddParameter(name, type));
  }
  if (function.kernel != nullptr) return LowerKernel(function);
  for (const auto& [pattern, value] : patterns) BindPattern(*pattern, value);
  const ir::Expr result = Lower(*function.body);
  return builder_.Finish(result, {});
}

// A kernel has no operators that could stand for it. Backends that run loops replace the call of
// it, so this body runs only where none of them is there, and says so.
ir::FunctionPtr FunctionLowering::LowerKernel(const Function& function) {
  const ir::Expr stop = ir::MakeFatal(
      StrCat("the loop kernel '", function.name.text,
             "' has to be compiled, emitted or interpreted; this runtime does none of these"));
  std::vector<std::string> names;
  for (const Name& name : function.kernel->results) names.push_back(name.text);
  return builder_.Finish(Bind(stop, function.type.result()), std::move(names));
}

ir::Module Lower(const Program& program, text::Diagnostics* diagnostics) {
  ModuleState state{.program = &program,
                    .diagnostics = diagnostics,
                    .module = {},
                    .data = {},
                    .asked = {},
                    .queue = {},
                    .places = text::Locator(*program.sources)};
  for (const Item& item : program.file->items) {
    // Constants are lowered where something mentions them.
    if (item.callable() != nullptr && !item.callable()->is_constant) state.NameOf(*item.callable());
    if (item.data != nullptr) state.DataOf(*item.data);
  }
  // The queue grows while it is read, because lowering a function asks for others.
  for (size_t i = 0; i < state.queue.size(); ++i) {
    if (IsMemoryOver()) break;  // which the caller looks for, too
    const Function& function = *state.queue[i];
    const std::string name = state.NameOf(function);
    state.module.Set(name, FunctionLowering(&state).Run(function));
    if (function.in_prelude || function.is_constant || function.kernel != nullptr)
      state.module.SetPrivate(name, true);
    if (function.kernel != nullptr) state.module.SetKernel(name, function.kernel->definition);
  }
  return std::move(state.module);
}

}  // namespace tern::lang
