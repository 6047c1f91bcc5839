// SPDX-License-Identifier: Apache-2.0
// A module: functions by name, in order, and the data types that they speak of. A value: copies
// share the immutable nodes.
#ifndef TERN_CORE_IR_MODULE_H_
#define TERN_CORE_IR_MODULE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/expr.h"
#include "core/loop/te/te.h"

namespace tern::ir {

class Module {
 public:
  struct Item {
    std::string name;
    FunctionPtr function;
    // Not called from outside: it may be removed, inlined, or get other parameters.
    bool is_private = false;
    // One kernel's worth of operators (fuse_ops): not inlined, not looked into.
    bool is_primitive = false;
    // The same as a loop program of this function's name, its inputs and results in the order of
    // the function's. Null: none. The body is what runs where nothing takes the program: operators,
    // or a Fatal where none say it.
    loop::te::DefinitionPtr kernel = nullptr;
  };

  // Replaces a function of the same name in place; it keeps its marks.
  void Set(std::string_view name, FunctionPtr function);
  void SetPrivate(std::string_view name, bool is_private);
  void SetPrimitive(std::string_view name, bool is_primitive);
  // A loop program makes the function primitive: passes leave it as it is, so that both say the
  // same.
  void SetKernel(std::string_view name, loop::te::DefinitionPtr kernel);
  // Removes the functions of other names.
  void KeepOnly(const std::unordered_set<std::string>& names);
  FunctionPtr Find(std::string_view name) const;      // null if there is none
  const Item* FindItem(std::string_view name) const;  // until the next change; null: none
  std::span<const Item> items() const { return items_; }
  // `hint`, or with a number behind it where a function has that name.
  std::string FreshName(std::string_view hint) const;

  // Replaces a type of the same name.
  void AddDataType(DataTypePtr data_type);
  DataTypePtr FindDataType(std::string_view name) const;  // null if there is none
  std::span<const DataTypePtr> data_types() const { return data_types_; }

  // Key and value pairs about the source: "producer", "opset", …; kept in the executable.
  using Metadata = std::vector<std::pair<std::string, std::string>>;
  const Metadata& metadata() const { return metadata_; }
  void SetMetadata(std::string_view key, std::string_view value);

 private:
  // Where the name's place in `slots_` is, or where it would be.
  size_t SlotOf(std::string_view name) const;
  Item* ItemOf(std::string_view name);
  void Index(size_t slots);

  std::vector<Item> items_;
  // Places in items_ by name, plus 1; 0 is free. Linear probing, at least half of it free. Passes
  // copy modules, and this is copied as one block.
  std::vector<uint32_t> slots_;
  std::vector<DataTypePtr> data_types_;
  Metadata metadata_;
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_MODULE_H_
