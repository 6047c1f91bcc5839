// SPDX-License-Identifier: Apache-2.0
// Error: a Status as an object, so that it can be the result of a packed call, with the frames it
// passed.
#ifndef TERN_CORE_OBJECT_ERROR_H_
#define TERN_CORE_OBJECT_ERROR_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/object/any.h"

namespace tern {

struct ErrorFrame {
  std::string function;
  int64_t pc = -1;  // -1: not in bytecode
};

class Error : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_ERROR;
  // status must not be ok.
  static ObjectPtr<Error> Make(Status status);

  const Status& status() const { return status_; }
  std::string_view kind() const { return StatusCodeName(status_.code()); }
  std::string_view message() const { return status_.message(); }
  std::span<const std::string> notes() const { return status_.notes(); }
  std::span<const ErrorFrame> frames() const { return frames_; }
  // Innermost first.
  void AddFrame(ErrorFrame frame) { frames_.push_back(std::move(frame)); }

  // The status, with a note per frame.
  Status ToStatus() const;

 private:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  explicit Error(Status status) : Object(kTypeCode, nullptr), status_(std::move(status)) {}
  ~Error() = default;

  Status status_;
  std::vector<ErrorFrame> frames_;
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_ERROR_H_
