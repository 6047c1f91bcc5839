// SPDX-License-Identifier: Apache-2.0
// Reflection: the fields of a registered type, declared once: name, type, doc and getter.
//
//   class Circle : public Object {
//    public:
//     static constexpr std::string_view kTypeKey = "sketch.Circle";
//     using Parent = Object;
//     Circle(double radius, String label);
//     double radius;
//     String label;
//   };
//   Reflect<Circle>()
//       .Field<&Circle::radius>("radius", "in metres")
//       .Field<&Circle::label>("label", "what to write beside it")
//       .MadeFrom<double, String>()
//       .Register();
//
// Printing, structural equality and hash, serialization and front ends all read fields through
// this. A type has its parent's fields before its own. Registration is safe from several threads;
// what is registered stays for ever. Getters must be safe to call on an object that others read.
#ifndef TERN_CORE_OBJECT_GRAPH_REFLECTION_H_
#define TERN_CORE_OBJECT_GRAPH_REFLECTION_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/object/any.h"
#include "core/object/type_table.h"

namespace tern {

struct FieldInfo {
  std::string_view name;
  std::string_view type;  // as messages name it: "float", "string", a type key
  std::string_view doc;
  Any (*get)(const Object& object);
};

// What a type of its own adds; kept by the type table.
struct TypeReflection {
  std::vector<FieldInfo> fields;
  // A new object from the values of all fields, the parent's first; null: no such way.
  Result<ObjectPtr<Object>> (*make)(std::span<const Any> values) = nullptr;
};

// The fields of the type, those of its ancestors first; empty for types without.
std::vector<FieldInfo> FieldsOf(TernTypeCode code);
// Whether the type itself was given fields (perhaps none).
bool IsReflected(TernTypeCode code);
// Errors: not a reflected type, no such field (with a suggestion).
Result<Any> GetField(const Object& object, std::string_view name);
// A new object of the type. Errors: no way to make one, wrong number of values, what the type says.
Result<ObjectPtr<Object>> MakeFromFields(TernTypeCode code, std::span<const Any> values);

namespace internal {
// False where the type had fields before.
bool RegisterReflection(TernTypeCode code, TypeReflection reflection);
Status WrongFieldCount(std::string_view key, size_t expected, size_t got);

template <typename T, typename... A, size_t... I>
Result<ObjectPtr<Object>> MakeReflected(std::span<const Any> values, std::index_sequence<I...>) {
  if (values.size() != sizeof...(A))
    return WrongFieldCount(TypeKey(TypeCodeOf<T>()), sizeof...(A), values.size());
  Status failed;
  const auto take = [&failed]<typename V>(Result<V> value, size_t index) {
    if (!value.ok() && failed.ok())
      failed = std::move(value.status().Clone().AddNote(StrCat("field ", index)));
    return value.ok() ? std::optional<V>(std::move(value).value()) : std::optional<V>();
  };
  std::tuple<std::optional<A>...> taken{take(values[I].template As<A>(), I)...};
  if (!failed.ok()) return failed;
  return ObjectPtr<Object>(MakeObject<T>(*std::move(std::get<I>(taken))...));
}
}  // namespace internal

template <typename T>
class Reflect {
 public:
  // kGet: a data member, or a const method without parameters.
  template <auto kGet>
  Reflect&& Field(std::string_view name, std::string_view doc) && {
    using Value = std::remove_cvref_t<decltype(Read<kGet>(std::declval<const T&>()))>;
    reflection_.fields.push_back({name, AnyTraits<Value>::Name(), doc, [](const Object& object) {
                                    return Any(Value(Read<kGet>(static_cast<const T&>(object))));
                                  }});
    return std::move(*this);
  }
  // Objects are made by the constructor that takes these, one per field.
  template <typename... A>
  Reflect&& MadeFrom() && {
    reflection_.make = [](std::span<const Any> values) {
      return internal::MakeReflected<T, A...>(values, std::index_sequence_for<A...>());
    };
    return std::move(*this);
  }
  // The texts given must live for ever. False where the type had fields before: then nothing
  // changes.
  bool Register() && {
    return internal::RegisterReflection(TypeCodeOf<T>(), std::move(reflection_));
  }

 private:
  template <auto kGet>
  static decltype(auto) Read(const T& object) {
    if constexpr (std::is_member_object_pointer_v<decltype(kGet)>)
      return (object.*kGet);
    else
      return (object.*kGet)();
  }

  TypeReflection reflection_;
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_GRAPH_REFLECTION_H_
