// SPDX-License-Identifier: Apache-2.0
// Which types one comparison of codes decides. A type has a code only if every value of the code is
// of the type and no other value is passed for it.
#include "core/vm/type_codes.h"

#include <algorithm>

#include "core/abi/abi.h"

namespace tern::vm {

int32_t TypeCodeOf(const TypeInfo& type) {
  switch (type.kind) {
    case TypeInfo::Kind::kAny: return kAnyCode;
    case TypeInfo::Kind::kInt: return TERN_TYPE_INT;
    case TypeInfo::Kind::kFloat: return TERN_TYPE_FLOAT;
    case TypeInfo::Kind::kBool: return TERN_TYPE_BOOL;
    case TypeInfo::Kind::kClosure: return TERN_TYPE_CLOSURE;
    // Any tensor at all has one code; data type and rank are not in it.
    case TypeInfo::Kind::kTensor:
      return type.has_dtype || type.has_rank ? kNoCode : TERN_TYPE_TENSOR;
    case TypeInfo::Kind::kString:  // short and long texts have codes of their own
    case TypeInfo::Kind::kDType:
    case TypeInfo::Kind::kShape:
    case TypeInfo::Kind::kList:
    case TypeInfo::Kind::kTuple: break;
  }
  return kNoCode;
}

int32_t ResultCodeOf(const Signature& signature) {
  return signature.has_result() ? TypeCodeOf(signature.result()) : kAnyCode;
}

bool HasTypeCodes(const Signature& signature) {
  return std::ranges::none_of(signature.parameters(), [](const ParameterInfo& parameter) {
    return TypeCodeOf(parameter.type) == kNoCode;
  });
}

}  // namespace tern::vm
