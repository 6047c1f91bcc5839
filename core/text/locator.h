// SPDX-License-Identifier: Apache-2.0
// Places of a whole program, found one after the other: SourceMap counts the columns of each from
// the start of its line, so that a program of one long line would be counted again for every node.
// A Locator counts from the last place that it found, which is near.
#ifndef TERN_CORE_TEXT_LOCATOR_H_
#define TERN_CORE_TEXT_LOCATOR_H_

#include <cstddef>
#include <string>
#include <vector>

#include "core/text/source.h"

namespace tern::text {

class Locator {
 public:
  explicit Locator(const SourceMap& sources) : sources_(sources) {}

  // As SourceMap says them.
  Position Locate(int32_t file, uint32_t offset);
  std::string Describe(const Span& span);

  // Bytes that were looked at, of whatever text.
  size_t work() const { return work_; }

 private:
  struct Last {
    uint32_t offset = 0;
    Position position{1, 1};
  };

  const SourceMap& sources_;
  std::vector<Last> last_;  // by file
  size_t work_ = 0;
};

}  // namespace tern::text

#endif  // TERN_CORE_TEXT_LOCATOR_H_
