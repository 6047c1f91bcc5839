// SPDX-License-Identifier: Apache-2.0
// Errors as objects, and their way back to statuses.
#include "core/object/error.h"

namespace tern {

// Success has no object: a call that succeeds returns its value.
ObjectPtr<Error> Error::Make(Status status, ObjectPtr<Error> cause) {
  TERN_CHECK(!status.ok(), "an Error made from success");
  return MakeObject<Error>(std::move(status), std::move(cause));
}

// Where the error was made comes first, then what surrounded it, as a reader wants to see the
// innermost place on top. Only the kind and message of causes are shown; their frames are still in
// the object.
void Error::AddNotes(Status* status) const {
  for (const ErrorFrame& frame : frames_) {
    status->AddNote(frame.pc < 0 ? StrCat("in ", frame.function)
                                 : StrCat("in ", frame.function, " at pc ", frame.pc));
  }
  for (const Error* cause = this->cause(); cause != nullptr; cause = cause->cause())
    status->AddNote(StrCat("caused by: ", cause->kind(), ": ", cause->message()));
}

Status Error::ToStatus() const {
  // Others may read the object, so its status is copied with all notes.
  Status status = status_.Clone();
  AddNotes(&status);
  return status;
}

Status Error::TakeStatus(ObjectPtr<Error> error) {
  // The only owner may take the strings, which saves copying notes on the way up through many
  // calls.
  if (!error->unique()) return error->ToStatus();
  Status status = std::move(error->status_);
  error->AddNotes(&status);
  return status;
}

}  // namespace tern
