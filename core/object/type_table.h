// SPDX-License-Identifier: Apache-2.0
// The type table: sections of type codes, and the types registered at run time under a key.
//
// SectionOf tells by bounds which section a code lies in. A type of S4 has a key and one parent: a
// type of S4, an open type of the sections before (IsSealed tells which are not), or Object itself.
// Each keeps its whole line of ancestors, indexed by depth, so that IsA is two look-ups and one
// comparison however many types there are and however deep they lie.
//
// Thread-safe: entries never move or change once they can be found; look-up by code takes no lock.
// Types are never unregistered.
#ifndef TERN_CORE_OBJECT_TYPE_TABLE_H_
#define TERN_CORE_OBJECT_TYPE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/abi/abi.h"
#include "core/base/result.h"
#include "core/object/object.h"

namespace tern {

enum class Section : uint8_t {
  kValues,   // S0: held in the Any itself
  kRuntime,  // S1: objects the smallest runtime knows
  kBoxed,    // S2: values as objects
  kStatic,   // S3: objects of the library
  kDynamic,  // S4: registered at run time
};

constexpr Section SectionOf(TernTypeCode code) {
  if (code < TERN_TYPE_S1_FIRST) return Section::kValues;
  if (code < TERN_TYPE_S2_FIRST) return Section::kRuntime;
  if (code < TERN_TYPE_S3_FIRST) return Section::kBoxed;
  return code < TERN_TYPE_S4_FIRST ? Section::kStatic : Section::kDynamic;
}

// What reflection knows of a type's fields; the table only keeps the pointer.
struct TypeReflection;

struct TypeEntry {
  TernTypeCode code = 0;
  TernTypeCode parent = 0;  // 0: Object itself
  int32_t depth = 1;        // children of Object have 1; values (S0) have 0
  std::string_view key;
  std::string_view doc;
  // ancestors[d - 1] is the ancestor at depth d, and the type itself at d == depth; null for types
  // before S4, which have none but themselves.
  const TernTypeCode* ancestors = nullptr;

  // Null until SetReflection. Safe beside it.
  const TypeReflection* reflection() const {
    return __atomic_load_n(&reflection_, __ATOMIC_ACQUIRE);
  }
  mutable const TypeReflection* reflection_ = nullptr;  // use the function
};

struct TypeSpec {
  std::string_view key;          // 1 … 255 printable characters without spaces; copied
  std::string_view parent = {};  // its key; empty: Object
  std::string_view doc = {};     // one phrase; copied
};

// A new code, or the one it got before where key and parent are the same. Errors: a bad key, a key
// taken with another parent or by a type before S4, an unknown or sealed parent.
Result<TernTypeCode> RegisterType(const TypeSpec& spec);

// By key; where a value and an object share it ("string") the object. The error suggests a name.
Result<const TypeEntry*> FindType(std::string_view key);
// By code, or null.
const TypeEntry* FindType(TernTypeCode code);

// The number of types registered at run time: their codes are S4_FIRST … S4_FIRST + count - 1.
int32_t DynamicTypeCount();

// Gives a type its fields, once: false if it had some. `reflection` lives for ever.
bool SetReflection(TernTypeCode code, const TypeReflection* reflection);

// The code of class T, registered now if it is one of S4 and new.
template <typename T>
TernTypeCode TypeCodeOf() {
  return internal::ClassCode<T>();
}

}  // namespace tern

#endif  // TERN_CORE_OBJECT_TYPE_TABLE_H_
