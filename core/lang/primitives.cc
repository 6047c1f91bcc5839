// SPDX-License-Identifier: Apache-2.0
// Parses the types of primitives.def once; a type that does not parse is a mistake in the table.
#include "core/lang/primitives.h"

#include "core/base/check.h"

namespace tern::lang {
namespace {

using types::Type;
using types::TypeKind;

struct PrimitiveRow {
  std::string_view name, type, runtime, phrase;
};
constexpr PrimitiveRow kRows[] = {
#define TERN_PRIMITIVE(name, type, runtime, phrase) {#name, type, runtime, phrase},
#include "core/lang/primitives.def"
#undef TERN_PRIMITIVE
};

std::vector<Primitive> MakeTable() {
  std::vector<Primitive> table;
  for (const PrimitiveRow& row : kRows) {
    Result<Type> type = Type::Parse(row.type);
    TERN_CHECK(type.ok(), "a type in primitives.def");
    table.push_back({row.name, row.type, row.runtime, row.phrase, *std::move(type)});
  }
  return table;
}

// Whether a parameter takes a first argument of this type, judged by the outermost part only: names
// are never overloaded on anything deeper. "?" takes tensors, and lists because of `stack`. An
// argument whose type is not known because of an error fits everywhere, so that no second error
// follows.
bool Takes(const Type& parameter, const Type& first) {
  if (parameter.kind() == TypeKind::kVariable || !first.known()) return true;
  if (!parameter.known()) return first.is_tensor() || first.kind() == TypeKind::kList;
  return parameter.kind() == first.kind();
}

}  // namespace

// Never freed, so that no destructor runs at exit while another thread reads it.
std::span<const Primitive> AllPrimitives() {
  static const std::vector<Primitive>* table = new std::vector<Primitive>(MakeTable());
  return *table;
}

std::vector<const Primitive*> FindPrimitives(std::string_view name) {
  std::vector<const Primitive*> found;
  for (const Primitive& primitive : AllPrimitives()) {
    if (primitive.name == name) found.push_back(&primitive);
  }
  return found;
}

const Primitive* ChoosePrimitive(std::string_view name, const Type& first) {
  for (const Primitive* primitive : FindPrimitives(name)) {
    if (Takes(primitive->type.parameters()[0], first)) return primitive;
  }
  return nullptr;
}

}  // namespace tern::lang
