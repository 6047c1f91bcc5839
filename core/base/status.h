// SPDX-License-Identifier: Apache-2.0
// Status: success, or an error with code, message and notes. One pointer wide, null = ok,
// move-only.
//
// For what users and environments get wrong. Messages say what, where, expected against actual, and
// what to do. Callers on the way up add notes ("while loading 'x.tern'"). An error may carry an
// error code such as "E0203" (text/codes.def) and a payload: the full Diagnostics of
// text/diagnostics.h. Broken invariants of our own are TERN_CHECKs instead (check.h).
#ifndef TERN_CORE_BASE_STATUS_H_
#define TERN_CORE_BASE_STATUS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/strings.h"

namespace tern {

class JsonWriter;

// Numbers are part of the C API: never renumber.
enum class StatusCode : int32_t {
  kOk = 0,
  kInvalidArgument = 1,  // a value, shape or option that cannot be
  kTypeError = 2,        // a value of the wrong kind or dtype
  kOutOfRange = 3,       // an index, an overflow
  kNotFound = 4,         // a name or file that is not there
  kAlreadyExists = 5,    // a second definition
  kUnsupported = 6,      // understood, but not something this build can do
  kCorrupt = 7,          // bytes that are not what they claim to be
  kOutOfMemory = 8,
  kIo = 9,
  kStopped = 10,   // a limit or a cancel ended the run
  kFailed = 11,    // the program itself said so (Fatal), or a check at run time failed
  kInternal = 12,  // ours; please report
};

// "invalid argument", "type error", …
std::string_view StatusCodeName(StatusCode code);

// Structured data behind a Status. `kind` tells users which subclass it is (there is no RTTI): the
// address of a constant that the subclass owns.
class StatusPayload {
 public:
  virtual ~StatusPayload() = default;
  virtual const void* kind() const = 0;
  virtual std::unique_ptr<StatusPayload> Clone() const = 0;
  virtual void WriteJson(JsonWriter* json) const = 0;
};

class [[nodiscard]] Status {
 public:
  Status() = default;  // ok
  // code must not be kOk.
  Status(StatusCode code, std::string_view message);
  Status(Status&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  Status& operator=(Status&& other) noexcept;
  // Inline where code is compiled for size too: most are known to be ok where they end, and then
  // there is nothing left of it.
  [[gnu::always_inline]] ~Status() {
    if (rep_ != nullptr) [[unlikely]]
      Delete(rep_);
  }

  bool ok() const { return rep_ == nullptr; }
  StatusCode code() const { return ok() ? StatusCode::kOk : rep_->code; }
  std::string_view message() const { return ok() ? std::string_view() : rep_->message; }
  std::span<const std::string> notes() const;
  std::string_view error_code() const { return ok() ? std::string_view() : rep_->error_code; }
  const StatusPayload* payload() const { return ok() ? nullptr : rep_->payload.get(); }

  // All of these do nothing to an ok status, so they can be chained on a call's result.
  Status& AddNote(std::string_view note) &;
  Status&& AddNote(std::string_view note) && { return std::move(AddNote(note)); }
  Status& SetErrorCode(std::string_view error_code) &;
  Status&& SetErrorCode(std::string_view error_code) && {
    return std::move(SetErrorCode(error_code));
  }
  Status& SetPayload(std::unique_ptr<StatusPayload> payload) &;
  Status&& SetPayload(std::unique_ptr<StatusPayload> p) && {
    return std::move(SetPayload(std::move(p)));
  }

  Status Clone() const;
  // "type error: message" and a line "  note: …" for each note; "ok".
  std::string ToString() const;
  // {"status":"type error","code":"E0203","message":…,"notes":[…],"diagnostics":…}
  void WriteJson(JsonWriter* json) const;
  // For the rare place that has nobody to tell.
  void IgnoreError() const {}

 private:
  struct Rep {
    StatusCode code = StatusCode::kInternal;
    std::string message;
    std::string error_code;
    std::unique_ptr<StatusPayload> payload;
    std::vector<std::string> notes;
  };
  // Out of line, so that a success costs its callers one test.
  static void Delete(Rep* rep);

  Rep* rep_ = nullptr;
};

inline Status OkStatus() { return Status(); }

// InvalidArgument("axis ", axis, " of a tensor of rank ", rank) and so on: StrCat into a Status.
#define TERN_STATUS_MAKER(Name, kCode)                  \
  template <typename... T>                              \
  Status Name(const T&... parts) {                      \
    return Status(StatusCode::kCode, StrCat(parts...)); \
  }
TERN_STATUS_MAKER(InvalidArgument, kInvalidArgument)
TERN_STATUS_MAKER(TypeError, kTypeError)
TERN_STATUS_MAKER(OutOfRange, kOutOfRange)
TERN_STATUS_MAKER(NotFound, kNotFound)
TERN_STATUS_MAKER(AlreadyExists, kAlreadyExists)
TERN_STATUS_MAKER(Unsupported, kUnsupported)
TERN_STATUS_MAKER(Corrupt, kCorrupt)
TERN_STATUS_MAKER(OutOfMemory, kOutOfMemory)
TERN_STATUS_MAKER(IoError, kIo)
TERN_STATUS_MAKER(Stopped, kStopped)
TERN_STATUS_MAKER(Failed, kFailed)
#undef TERN_STATUS_MAKER

}  // namespace tern

#endif  // TERN_CORE_BASE_STATUS_H_
