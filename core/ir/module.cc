// SPDX-License-Identifier: Apache-2.0
#include "core/ir/module.h"

namespace tern::ir {

void Module::Set(std::string_view name, FunctionPtr function) {
  for (Item& item : items_) {
    if (item.name == name) {
      item.function = std::move(function);
      return;
    }
  }
  items_.push_back({std::string(name), std::move(function)});
}

FunctionPtr Module::Find(std::string_view name) const {
  for (const Item& item : items_) {
    if (item.name == name) return item.function;
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
