// SPDX-License-Identifier: Apache-2.0
// Errors as objects, and back to statuses.
#include "core/object/error.h"

namespace tern {

ObjectPtr<Error> Error::Make(Status status, ObjectPtr<Error> cause) {
  TERN_CHECK(!status.ok(), "an Error made from success");
  return MakeObject<Error>(std::move(status), std::move(cause));
}

void Error::AddNotes(Status* status) const {
  for (const ErrorFrame& frame : frames_) {
    status->AddNote(frame.pc < 0 ? StrCat("in ", frame.function)
                                 : StrCat("in ", frame.function, " at pc ", frame.pc));
  }
  for (const Error* cause = this->cause(); cause != nullptr; cause = cause->cause())
    status->AddNote(StrCat("caused by: ", cause->kind(), ": ", cause->message()));
}

Status Error::ToStatus() const {
  Status status = status_.Clone();
  AddNotes(&status);
  return status;
}

Status Error::TakeStatus(ObjectPtr<Error> error) {
  if (!error->unique()) return error->ToStatus();
  Status status = std::move(error->status_);
  error->AddNotes(&status);
  return status;
}

}  // namespace tern
