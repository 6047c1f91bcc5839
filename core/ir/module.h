// SPDX-License-Identifier: Apache-2.0
// A module: functions by name, in order. A value: copies share the immutable nodes.
#ifndef TERN_CORE_IR_MODULE_H_
#define TERN_CORE_IR_MODULE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/expr.h"

namespace tern::ir {

class Module {
 public:
  struct Item {
    std::string name;
    FunctionPtr function;
  };

  // Replaces a function of the same name in place.
  void Set(std::string_view name, FunctionPtr function);
  FunctionPtr Find(std::string_view name) const;  // null if there is none
  std::span<const Item> items() const { return items_; }

  // Key and value pairs about the source: "producer", "opset", …; kept in the executable.
  using Metadata = std::vector<std::pair<std::string, std::string>>;
  const Metadata& metadata() const { return metadata_; }
  void SetMetadata(std::string_view key, std::string_view value);

 private:
  std::vector<Item> items_;
  Metadata metadata_;
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_MODULE_H_
