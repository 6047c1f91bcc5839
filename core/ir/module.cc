// SPDX-License-Identifier: Apache-2.0
#include "core/ir/module.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/base/strings.h"

namespace tern::ir {

size_t Module::SlotOf(std::string_view name) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = HashText(name) & mask;
  while (slots_[slot] != 0 && items_[slots_[slot] - 1].name != name) slot = (slot + 1) & mask;
  return slot;
}

const Module::Item* Module::FindItem(std::string_view name) const {
  if (slots_.empty()) return nullptr;
  const uint32_t place = slots_[SlotOf(name)];
  return place == 0 ? nullptr : &items_[place - 1];
}

Module::Item* Module::ItemOf(std::string_view name) { return const_cast<Item*>(FindItem(name)); }

// slots: a power of two.
void Module::Index(size_t slots) {
  slots_.assign(slots, 0);
  for (size_t i = 0; i < items_.size(); ++i)
    slots_[SlotOf(items_[i].name)] = static_cast<uint32_t>(i + 1);
}

// Order is kept where a function is replaced, because callers come after what they call.
void Module::Set(std::string_view name, FunctionPtr function) {
  if (Item* item = ItemOf(name)) {
    item->function = std::move(function);
    return;
  }
  constexpr size_t kFewest = 16;
  items_.push_back({.name = std::string(name), .function = std::move(function)});
  if (2 * items_.size() > slots_.size())
    Index(std::max(kFewest, 2 * slots_.size()));
  else
    slots_[SlotOf(name)] = static_cast<uint32_t>(items_.size());
}

void Module::SetPrivate(std::string_view name, bool is_private) {
  if (Item* item = ItemOf(name)) item->is_private = is_private;
}

void Module::SetPrimitive(std::string_view name, bool is_primitive) {
  if (Item* item = ItemOf(name)) item->is_primitive = is_primitive;
}

void Module::SetKernel(std::string_view name, loop::te::DefinitionPtr kernel) {
  Item* item = ItemOf(name);
  if (item == nullptr) return;
  // A function with a loop program is a kernel, and so a primitive to passes; taking the program
  // away leaves it one.
  item->is_primitive = item->is_primitive || kernel != nullptr;
  item->kernel = std::move(kernel);
}

void Module::KeepOnly(const std::unordered_set<std::string>& names) {
  const auto is_other = [&names](const Item& item) { return !names.contains(item.name); };
  if (std::erase_if(items_, is_other) != 0) Index(slots_.size());
}

FunctionPtr Module::Find(std::string_view name) const {
  const Item* item = FindItem(name);
  return item == nullptr ? nullptr : item->function;
}

// The numbers behind a hint have no gaps as a rule, and where they have one, any free number does:
// so the first free one is looked for in steps that double, and then between two of them.
std::string Module::FreshName(std::string_view hint) const {
  if (FindItem(hint) == nullptr) return std::string(hint);
  const auto is_taken = [&](size_t number) {
    return FindItem(StrCat(hint, ".", number)) != nullptr;
  };
  size_t taken = 0, free = 1;  // the hint itself counts as number 0
  for (; is_taken(free); free *= 2) taken = free;
  while (free - taken > 1) {
    const size_t middle = taken + (free - taken) / 2;
    (is_taken(middle) ? taken : free) = middle;
  }
  return StrCat(hint, ".", free);
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
