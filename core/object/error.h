// SPDX-License-Identifier: Apache-2.0
// Error: a Status as an object, so that it can be the result of a packed call, with its cause and
// the frames it passed.
//
// It has a kind ("type error"), a message, notes, perhaps another Error that caused it, and frames,
// innermost first. Classes of S4 may derive from it. Frames and notes are added by its only owner;
// once shared it is immutable and may be read from several threads.
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
  static ObjectPtr<Error> Make(Status status, ObjectPtr<Error> cause = nullptr);

  const Status& status() const { return status_; }
  std::string_view kind() const { return StatusCodeName(status_.code()); }
  std::string_view message() const { return status_.message(); }
  std::span<const std::string> notes() const { return status_.notes(); }
  std::span<const ErrorFrame> frames() const { return frames_; }
  // Null where there is none.
  const Error* cause() const { return cause_.get(); }
  // Innermost first.
  void AddFrame(ErrorFrame frame) { frames_.push_back(std::move(frame)); }

  // The status, with a note per frame and per cause.
  Status ToStatus() const;
  // The same of an error that its caller owns: moved out where nobody else looks at it.
  static Status TakeStatus(ObjectPtr<Error> error);

 protected:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  explicit Error(Status status, ObjectPtr<Error> cause = nullptr)
      : Object(kTypeCode, nullptr), status_(std::move(status)), cause_(std::move(cause)) {}
  ~Error() = default;

 private:
  // Adds what surrounds the status.
  void AddNotes(Status* status) const;

  Status status_;
  ObjectPtr<Error> cause_;
  std::vector<ErrorFrame> frames_;
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_ERROR_H_
