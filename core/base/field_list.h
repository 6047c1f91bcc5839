// SPDX-License-Identifier: Apache-2.0
// FieldList: what the nodes of an IR say of themselves, so that walks over them are written once
// (core/loop/fields.h, core/ir/fields.h).
//
// A list names the function that makes the node and, in the order of its parameters, what gives the
// arguments back: members, accessors, or functions of the node. So a list that lacks a field does
// not compile where a node is made again.
#ifndef TERN_CORE_BASE_FIELD_LIST_H_
#define TERN_CORE_BASE_FIELD_LIST_H_

#include <tuple>
#include <type_traits>

namespace tern {

template <auto kMake, auto... kFields>
struct FieldList {
  // visit(field) for each field, in order.
  template <class T, class F>
  static void ForEach([[maybe_unused]] const T& node, [[maybe_unused]] F&& visit) {
    (..., visit(Get<kFields>(node)));
  }
  // Whether same(field of a, field of b) holds for all; stops at the first for which it does not.
  template <class T, class F>
  static bool All([[maybe_unused]] const T& a, [[maybe_unused]] const T& b,
                  [[maybe_unused]] F&& same) {
    return (... && same(Get<kFields>(a), Get<kFields>(b)));
  }
  // map(field) for each field, in order, as a tuple that Make takes.
  template <class T, class F>
  static auto Map([[maybe_unused]] const T& node, [[maybe_unused]] F&& map) {
    // Braces evaluate from left to right; the order of a call's arguments is open.
    return std::tuple<decltype(map(Get<kFields>(node)))...>{map(Get<kFields>(node))...};
  }
  template <class... Field>
  static auto Make(std::tuple<Field...> fields) {
    return std::apply(kMake, std::move(fields));
  }

 private:
  template <auto kField, class T>
  static decltype(auto) Get(const T& node) {
    if constexpr (std::is_member_function_pointer_v<decltype(kField)>)
      return (node.*kField)();
    else if constexpr (std::is_member_object_pointer_v<decltype(kField)>)
      return (node.*kField);
    else
      return kField(node);
  }
};

}  // namespace tern

#endif  // TERN_CORE_BASE_FIELD_LIST_H_
