// SPDX-License-Identifier: Apache-2.0
// Attribute structs list their fields once, in Fields(visitor, self); AttrIn fills them from text
// and AttrOut writes those that differ from their defaults, in the same order: the canonical text
// of an op instance.
//
//   struct LrnAttrs {
//     int64_t axis = 1;
//     template <class V, class S> static void Fields(V& v, S& s) { v.Int("axis", s.axis, 1); }
//     TERN_OPS_ATTRS(LrnAttrs)
//   };
#ifndef TERN_CORE_OPS_ATTR_FIELDS_H_
#define TERN_CORE_OPS_ATTR_FIELDS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/object/attrs.h"
#include "core/object/dtype.h"

namespace tern::ops {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

// The most of a stride, a pad, a count of groups, …: products of two of them fit into 64 bits, and
// nothing that a memory holds is larger along one axis.
inline constexpr int64_t kMostExtent = INT32_MAX;

// values[i], or `fallback` where the list is empty: an empty list means "the default for every
// axis".
inline int64_t IntAt(const Ints& values, int i, int64_t fallback) {
  return values.empty() ? fallback : values[static_cast<size_t>(i)];
}

// A value of u8 (or i8).
bool IsZeroPoint(DType dtype, int64_t zero);

// Reads fields; keeps the first error; reports keys that nobody asked for.
class AttrIn {
 public:
  AttrIn(std::string_view op, const Attrs& attrs) : reader_(op, attrs) {}

  void Int(std::string_view key, int64_t& field, int64_t fallback) {
    field = reader_.Int(key, fallback);
  }
  void Bool(std::string_view key, bool& field, bool fallback) {
    field = reader_.Bool(key, fallback);
  }
  void Float(std::string_view key, float& field, float fallback) {
    field = static_cast<float>(reader_.Float(key, fallback));
  }
  void IntList(std::string_view key, Ints& field) { field = reader_.Ints(key, {}); }
  void FloatList(std::string_view key, Floats& field) { field = reader_.Floats(key, {}); }
  void Text(std::string_view key, std::string& field) { field = reader_.String(key, ""); }
  void Type(std::string_view key, DType& field, DType fallback);
  template <class E>
  void Enum(std::string_view key, E& field, E fallback) {
    field = static_cast<E>(reader_.Choice(key, EnumNames(fallback), static_cast<int>(fallback)));
  }
  // For checks of values: keeps the first error, "conv2d: attribute 'strides': message".
  void Fail(std::string_view key, std::string_view message) { reader_.Fail(key, message); }
  // Every value >= least; an empty list is fine.
  void CheckAtLeast(std::string_view key, const Ints& values, int64_t least);
  void CheckAtLeast(std::string_view key, int64_t value, int64_t least);
  // Every value from least to kMostExtent: what extents are computed with.
  void CheckExtent(std::string_view key, const Ints& values, int64_t least);
  void CheckExtent(std::string_view key, int64_t value, int64_t least);
  // Of a result of 8 bits: the attributes `to` and `zero`.
  void CheckQuantized(DType to, int64_t zero);
  Status Finish() { return reader_.Finish(); }

 private:
  AttrReader reader_;
};

class AttrOut {
 public:
  explicit AttrOut(Attrs* attrs) : attrs_(attrs) {}

  void Int(std::string_view key, int64_t field, int64_t fallback);
  void Bool(std::string_view key, bool field, bool fallback) {
    Int(key, field ? 1 : 0, fallback ? 1 : 0);
  }
  void Float(std::string_view key, float field, float fallback);
  void IntList(std::string_view key, const Ints& field);
  void FloatList(std::string_view key, const Floats& field);
  void Text(std::string_view key, const std::string& field);
  void Type(std::string_view key, DType field, DType fallback);
  template <class E>
  void Enum(std::string_view key, E field, E fallback) {
    if (field != fallback) SetText(key, EnumNames(field)[static_cast<size_t>(field)]);
  }

 private:
  void SetText(std::string_view key, std::string_view text);

  Attrs* attrs_;
};

}  // namespace tern::ops

// Declares `static Result<T> From(const Attrs&, op)` (wrong types, values and unknown keys are
// errors that name op and key) and `Attrs ToAttrs() const`; TERN_OPS_DEFINE_ATTRS in the family's
// .cc file defines them.
#define TERN_OPS_ATTRS(Type)                                                                 \
  static ::tern::Result<Type> From(const ::tern::Attrs& attrs, std::string_view op = #Type); \
  ::tern::Attrs ToAttrs() const;

#define TERN_OPS_DEFINE_ATTRS(Type)                                  \
  Result<Type> Type::From(const Attrs& attrs, std::string_view op) { \
    Type result;                                                     \
    AttrIn in(op, attrs);                                            \
    Fields(in, result);                                              \
    CheckAttrs(in, result);                                          \
    TERN_TRY(in.Finish());                                           \
    return result;                                                   \
  }                                                                  \
  Attrs Type::ToAttrs() const {                                      \
    Attrs attrs;                                                     \
    AttrOut out(&attrs);                                             \
    Fields(out, *this);                                              \
    return attrs;                                                    \
  }

#endif  // TERN_CORE_OPS_ATTR_FIELDS_H_
