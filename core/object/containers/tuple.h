// SPDX-License-Identifier: Apache-2.0
// Tuple<T…>: an Adt with tag 0 (adt.h) whose fields have known types: Tuple<int64_t, String>.
// Immutable, shared by reference. Untyped tuples are Adt::Tuple({…}).
#ifndef TERN_CORE_OBJECT_CONTAINERS_TUPLE_H_
#define TERN_CORE_OBJECT_CONTAINERS_TUPLE_H_

#include <string>
#include <tuple>
#include <utility>

#include "core/object/containers/adt.h"
#include "core/object/containers/sequence_view.h"

namespace tern {

template <typename... T>
class Tuple {
  static_assert(((!std::same_as<T, std::string_view> && !std::same_as<T, AnyView>) && ...),
                "a container owns its items: use String, or Any");

 public:
  template <size_t I>
  using Field = std::tuple_element_t<I, std::tuple<T...>>;

  template <typename... U>
    requires(sizeof...(U) == sizeof...(T) && sizeof...(U) > 0 && (InsertableAs<U, T> && ...))
  Tuple(U&&... fields) {  // NOLINT: implicit by design
    const Any owned[] = {internal::ToItem<T>(std::forward<U>(fields))...};
    AnyView views[sizeof...(T)];
    for (size_t i = 0; i < sizeof...(T); ++i) views[i] = AnyView(owned[i]);
    object_ = Adt::Tuple(std::span<const AnyView>(views));
  }
  // The fields must be of T…; As<Tuple<T…>>() checks.
  explicit Tuple(ObjectPtr<Adt> object) : object_(std::move(object)) {}

  static constexpr size_t size() { return sizeof...(T); }
  // An AnyView, where the field is Any, lives as long as the tuple.
  template <size_t I>
  internal::ReadOf<Field<I>> Get() const {
    if constexpr (Untyped<Field<I>>)
      return AnyView((*object_)[I]);
    else
      return internal::ReadAs<Field<I>>((*object_)[I].c_any());
  }
  const ObjectPtr<Adt>& object() const { return object_; }
  // Gives the reference away; the tuple may only be assigned to or destroyed then.
  ObjectPtr<Adt> TakeObject() { return std::move(object_); }

 private:
  ObjectPtr<Adt> object_;
};

namespace internal {
Status NotATuple(std::string_view expected, size_t size, const TernAny& any);
}  // namespace internal

template <typename... T>
struct AnyTraits<Tuple<T...>> {
  static std::string NameText() {
    std::string text = "tuple<";
    size_t i = 0;
    ((text += StrCat(i++ > 0 ? ", " : "", internal::NameOf<T>())), ...);
    return text + ">";
  }
  inline static const std::string kNameText = NameText();
  static std::string_view Name() { return kNameText; }
  static TernAny View(const Tuple<T...>& tuple) {
    return internal::MakeObjectAny(tuple.object().get());
  }
  static TernAny Own(Tuple<T...> tuple) {
    return internal::MakeObjectAny(tuple.TakeObject().Release());
  }
  static Status Mismatch(const TernAny& any) {
    TERN_TRY(internal::NotATuple(Name(), sizeof...(T), any));
    return Fields(*AnyView(any).TryCast<Adt>(), std::index_sequence_for<T...>());
  }
  static std::optional<Tuple<T...>> TryCast(const TernAny& any) {
    if (!Mismatch(any).ok()) return std::nullopt;
    return Trusted(any);
  }
  static Tuple<T...> Trusted(const TernAny& any) {
    return Tuple<T...>(ObjectPtr<Adt>(AnyView(any).TryCast<Adt>()));
  }

 private:
  template <size_t... I>
  static Status Fields(const Adt& adt, std::index_sequence<I...>) {
    Status failed;
    const auto check = [&failed](size_t index, Status status) {
      if (!status.ok())
        failed = internal::AtItem(Name(), StrCat("field ", index), std::move(status));
      return failed.ok();
    };
    static_cast<void>((check(I, internal::Mismatch<T>(adt[I].c_any())) && ...));
    return failed;
  }
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_CONTAINERS_TUPLE_H_
