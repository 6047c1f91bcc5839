// SPDX-License-Identifier: Apache-2.0
// What functions of a program in the language take and return, where values and signatures alone do
// not tell: a value of a declared type has the number of its constructor, not the name, and a
// signature does not say what a list holds.
//
// The compiler keeps the types as metadata of the executable, "type Tree", "result main" and
// "parameter main 0", as types::Type writes them. Metadata of a file is not believed: what cannot
// be read is not known.
#ifndef TERN_CORE_DRIVER_RESULT_TYPES_H_
#define TERN_CORE_DRIVER_RESULT_TYPES_H_

#include <span>
#include <string_view>
#include <vector>

#include "core/ir/module.h"
#include "core/object/graph/print.h"
#include "core/types/type.h"
#include "core/vm/executable.h"

namespace tern::driver {

// Of a function with this result, if a declared type is part of it.
void KeepResultType(std::string_view function, const types::Type& result, ir::Module* module);

// The parameters that have a list, a map or a declared type in them, so that the command line can
// read values of these. Named extents become "?", because a value brings its own.
void KeepParameterTypes(std::string_view function, std::span<const types::Type> parameters,
                        ir::Module* module);

class ResultTypes : public ValueNames {
 public:
  ResultTypes(const vm::Executable& executable, std::string_view function);

  // The result, or with index >= 0 a field of the tuple that it is. 0: nothing is known of it.
  uint32_t TypeOf(int32_t index) const;

  std::string_view Constructor(uint32_t type, int32_t tag) const override;
  uint32_t Part(uint32_t type, int32_t tag, size_t index) const override;

 private:
  const types::DataType* FindData(const types::Type& type, int32_t tag) const;
  uint32_t Number(const types::Type& type) const;

  std::vector<types::DataType> data_;
  mutable std::vector<types::Type> types_;  // by number, from 1 on; the result is the first
};

}  // namespace tern::driver

#endif  // TERN_CORE_DRIVER_RESULT_TYPES_H_
