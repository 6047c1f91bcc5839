// SPDX-License-Identifier: Apache-2.0
#include "core/loop/te/te.h"

namespace tern::loop::te {
namespace {

constexpr PrimitiveInfo kPrimitives[] = {
#define TERN_LOOP_PRIMITIVE(Name, text, usage, phrase) {Primitive::k##Name, text, usage, phrase},
#include "core/loop/te/primitives.def"
#undef TERN_LOOP_PRIMITIVE
};

}  // namespace

std::span<const PrimitiveInfo> AllPrimitives() { return kPrimitives; }
const PrimitiveInfo& InfoOf(Primitive primitive) {
  return kPrimitives[static_cast<size_t>(primitive)];
}

const Compute* Definition::Find(std::string_view tensor) const {
  for (const Compute& compute : computes) {
    if (compute.tensor->name == tensor) return &compute;
  }
  return nullptr;
}

}  // namespace tern::loop::te
