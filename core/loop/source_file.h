// SPDX-License-Identifier: Apache-2.0
// What a .tloop file holds: tensor expressions with schedules (`te`) and loop functions (`primfn`),
// each list in the order of the text.
#ifndef TERN_CORE_LOOP_SOURCE_FILE_H_
#define TERN_CORE_LOOP_SOURCE_FILE_H_

#include <memory>
#include <vector>

#include "core/loop/stmt.h"
#include "core/loop/te/te.h"

namespace tern::loop {

struct SourceFile {
  std::vector<te::Definition> definitions;
  Program program;
  std::shared_ptr<const text::SourceMap> sources;  // what the spans point into
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_SOURCE_FILE_H_
