// SPDX-License-Identifier: Apache-2.0
#include "core/ir/module.h"

#include <algorithm>

#include "core/base/strings.h"

namespace tern::ir {

// Order is kept where a function is replaced, because callers come after what they call.
void Module::Set(std::string_view name, FunctionPtr function) {
  for (Item& item : items_) {
    if (item.name == name) {
      item.function = std::move(function);
      return;
    }
  }
  items_.push_back({.name = std::string(name), .function = std::move(function)});
}

void Module::SetPrivate(std::string_view name, bool is_private) {
  for (Item& item : items_) {
    if (item.name == name) item.is_private = is_private;
  }
}

void Module::SetPrimitive(std::string_view name, bool is_primitive) {
  for (Item& item : items_) {
    if (item.name == name) item.is_primitive = is_primitive;
  }
}

void Module::SetKernel(std::string_view name, loop::te::DefinitionPtr kernel) {
  for (Item& item : items_) {
    if (item.name != name) continue;
    // A function with a loop program is a kernel, and so a primitive to passes; taking the program
    // away leaves it one.
    item.is_primitive = item.is_primitive || kernel != nullptr;
    item.kernel = std::move(kernel);
  }
}

void Module::Remove(std::string_view name) {
  std::erase_if(items_, [name](const Item& item) { return item.name == name; });
}

FunctionPtr Module::Find(std::string_view name) const {
  for (const Item& item : items_) {
    if (item.name == name) return item.function;
  }
  return nullptr;
}

// With a number behind the hint; names of functions are found by a linear search, modules being
// small.
std::string Module::FreshName(std::string_view hint) const {
  std::string name(hint);
  for (int i = 1; Find(name) != nullptr; ++i) name = StrCat(hint, ".", i);
  return name;
}

void Module::AddDataType(DataTypePtr data_type) {
  for (DataTypePtr& known : data_types_) {
    if (known->name == data_type->name) {
      known = std::move(data_type);
      return;
    }
  }
  data_types_.push_back(std::move(data_type));
}

DataTypePtr Module::FindDataType(std::string_view name) const {
  for (const DataTypePtr& known : data_types_) {
    if (known->name == name) return known;
  }
  return nullptr;
}

void Module::SetMetadata(std::string_view key, std::string_view value) {
  for (auto& entry : metadata_) {
    if (entry.first == key) {
      entry.second = value;
      return;
    }
  }
  metadata_.emplace_back(key, value);
}

}  // namespace tern::ir
