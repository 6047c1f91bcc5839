// SPDX-License-Identifier: Apache-2.0
// The fields of Error, by which errors are compared, hashed, shown and serialized.
#include "core/object/error_fields.h"

#include <utility>

#include "core/base/strings.h"
#include "core/object/adt.h"
#include "core/object/array.h"
#include "core/object/error.h"
#include "core/object/string.h"

namespace tern::internal {
namespace {

const Error& ErrorOf(const Object& object) { return static_cast<const Error&>(object); }

Any NotesOf(const Object& object) {
  Array<String> notes;
  for (const std::string& note : ErrorOf(object).notes()) notes.PushBack(note);
  return Any(std::move(notes));
}

Any CauseOf(const Object& object) { return Any(const_cast<Error*>(ErrorOf(object).cause())); }

Any FramesOf(const Object& object) {
  Array<> frames;
  for (const ErrorFrame& frame : ErrorOf(object).frames())
    frames.PushBack(Any(Adt::Tuple({AnyView(String(frame.function)), AnyView(frame.pc)})));
  return Any(std::move(frames));
}

Result<StatusCode> ParseKind(std::string_view name) {
  constexpr auto kLast = static_cast<int32_t>(StatusCode::kInternal);
  for (int32_t code = 1; code <= kLast; ++code) {
    if (StatusCodeName(static_cast<StatusCode>(code)) == name) return static_cast<StatusCode>(code);
  }
  return Corrupt("an error of the unknown kind '", name, "'");
}

Status AddFrames(const Array<>& frames, Error* error) {
  for (size_t i = 0; i < frames.size(); ++i) {
    const Adt* frame = frames[i].TryCast<Adt>();
    if (frame == nullptr || !frame->is_tuple() || frame->fields().size() != 2)
      return Corrupt("frame ", i, " of an error: expected (function, pc), got ",
                     frames[i].type_name());
    TERN_TRY_ASSIGN(std::string function, frame->fields()[0].As<std::string>());
    TERN_TRY_ASSIGN(const int64_t pc, frame->fields()[1].As<int64_t>());
    error->AddFrame({std::move(function), pc});
  }
  return OkStatus();
}

// The values are those of kFields, in order.
Result<ObjectPtr<Object>> MakeError(std::span<const Any> values) {
  TERN_TRY_ASSIGN(const std::string kind, values[0].As<std::string>());
  TERN_TRY_ASSIGN(const StatusCode code, ParseKind(kind));
  TERN_TRY_ASSIGN(const std::string message, values[1].As<std::string>());
  Status status(code, message);
  TERN_TRY_ASSIGN(const std::string error_code, values[2].As<std::string>());
  status.SetErrorCode(error_code);
  TERN_TRY_ASSIGN(const Array<String> notes, values[3].As<Array<String>>());
  for (const String& note : notes) status.AddNote(note.view());
  ObjectPtr<Error> cause;
  if (!values[4].is_none()) {
    TERN_TRY_ASSIGN(cause, values[4].As<ObjectPtr<Error>>());
  }
  TERN_TRY_ASSIGN(const Array<> frames, values[5].As<Array<>>());
  ObjectPtr<Error> error = Error::Make(std::move(status), std::move(cause));
  TERN_TRY(AddFrames(frames, error.get()));
  return ObjectPtr<Object>(std::move(error));
}

constexpr FieldInfo kFields[] = {
    {"kind", "string", "what sort of error, such as \"type error\"",
     [](const Object& object) { return Any(ErrorOf(object).kind()); }},
    {"message", "string", "what went wrong",
     [](const Object& object) { return Any(ErrorOf(object).message()); }},
    {"code", "string", "such as \"E0203\", or empty",
     [](const Object& object) { return Any(ErrorOf(object).status().error_code()); }},
    {"notes", "array<string>", "what was added on the way up", &NotesOf},
    {"cause", "error", "the error behind this one, or none", &CauseOf},
    {"frames", "array", "the (function, pc) it passed, innermost first; pc -1: not in bytecode",
     &FramesOf},
};

}  // namespace

TypeReflection ErrorReflection() {
  return {.fields = {std::begin(kFields), std::end(kFields)}, .make = &MakeError};
}

}  // namespace tern::internal
