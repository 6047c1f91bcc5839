// SPDX-License-Identifier: Apache-2.0
// The rows of bindings.def as two tables, and what is registered of them.

#include "core/kernels/bind/bind.h"
#include "core/kernels/bind/binding.h"
#include "core/kernels/bind/lists.h"
#include "core/kernels/bind/maps.h"

namespace tern::kernels {
namespace bind {
namespace {

#define TERN_BIND(name, AttrsType, Function) TERN_BINDING(name, AttrsType, Function, kNone)
#define TERN_BIND_16(name, AttrsType, Function) TERN_BINDING(name, AttrsType, Function, k16Bits)
#define TERN_BIND_F32(name, AttrsType, Function) TERN_BINDING(name, AttrsType, Function, kAllFloats)

constexpr Binding kCommon[] = {
#include "core/kernels/bind/common_bindings.def"
};

constexpr Binding kFurther[] = {
#include "core/kernels/bind/further_bindings.def"
};

#undef TERN_BIND
#undef TERN_BIND_16
#undef TERN_BIND_F32

Result<FunctionPtr> MakeCommon(std::string_view full_name, const Attrs& attrs) {
  return MakeBound(kCommon, full_name, attrs);
}

Result<FunctionPtr> MakeFurther(std::string_view full_name, const Attrs& attrs) {
  return MakeBound(kFurther, full_name, attrs);
}

}  // namespace
}  // namespace bind

Status RegisterCommonOperators(Registry* registry) {
  return bind::RegisterBindings(bind::kCommon, &bind::MakeCommon, registry);
}

Status RegisterFurtherOperators(Registry* registry) {
  TERN_TRY(bind::RegisterBindings(bind::kFurther, &bind::MakeFurther, registry));
  TERN_TRY(RegisterListFunctions(registry));
  return RegisterMapFunctions(registry);
}

Status RegisterOperators(Registry* registry) {
  TERN_TRY(RegisterCommonOperators(registry));
  return RegisterFurtherOperators(registry);
}

bool HasOperator(std::string_view op) {
  return bind::FindBinding(bind::kCommon, op) != nullptr ||
         bind::FindBinding(bind::kFurther, op) != nullptr;
}

Result<FunctionPtr> MakeOperator(std::string_view name) {
  TERN_TRY_ASSIGN(PrimitiveName parsed, ParsePrimitiveName(name));
  const bool is_common = bind::FindBinding(bind::kCommon, parsed.op) != nullptr;
  return is_common ? bind::MakeCommon(name, parsed.attrs) : bind::MakeFurther(name, parsed.attrs);
}

}  // namespace tern::kernels
