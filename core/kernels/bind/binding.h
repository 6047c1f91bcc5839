// SPDX-License-Identifier: Apache-2.0
// A row of bindings.def as a value, and operators made of a table of such rows.
#ifndef TERN_CORE_KERNELS_BIND_BINDING_H_
#define TERN_CORE_KERNELS_BIND_BINDING_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/places.h"
#include "core/object/registry.h"

namespace tern::kernels::bind {

// Which floats a function does not compute with itself.
enum class Widening : uint8_t { kNone, k16Bits, kAllFloats };

// The parsed attributes of an instance, whatever their type.
using ParsedAttrs = std::shared_ptr<const void>;

struct Binding {
  std::string_view op;
  Result<ParsedAttrs> (*parse)(const Attrs& attrs, std::string_view op);
  Runner run;
  Widening widening;
};

template <class AttrsType>
Result<ParsedAttrs> Parse(const Attrs& attrs, std::string_view op) {
  TERN_TRY_ASSIGN(AttrsType parsed, AttrsType::From(attrs, op));
  return ParsedAttrs(std::make_shared<const AttrsType>(std::move(parsed)));
}

template <class AttrsType, Result<Any> (*function)(const AttrsType&, Call&)>
Result<Any> Run(const void* attrs, Call& call) {
  return function(*static_cast<const AttrsType*>(attrs), call);
}

// What TERN_BIND and its kin are while a table is expanded.
#define TERN_BINDING(name, AttrsType, Function, widening) \
  {#name, &Parse<ops::AttrsType>, &Run<ops::AttrsType, &Function>, Widening::widening},

// Null if the table has no row of that name. In order through some hundred rows: it is asked when a
// program is compiled or linked, never in a run.
const Binding* FindBinding(std::span<const Binding> table, std::string_view op);

// An instance. full_name: "softmax{axis=1}", of which attrs is what stands in the braces.
Result<FunctionPtr> MakeBound(std::span<const Binding> table, std::string_view full_name,
                              const Attrs& attrs);

// `make` calls MakeBound with the table.
Status RegisterBindings(std::span<const Binding> table, FunctionFactory make, Registry* registry);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_BINDING_H_
