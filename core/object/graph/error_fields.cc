// SPDX-License-Identifier: Apache-2.0
// The fields of Error, by which errors are compared, hashed, shown and serialized. The code works
// on Sequence and Adt directly, because the typed views of containers are templates whose code
// every module would carry.
#include "core/object/graph/error_fields.h"

#include <iterator>
#include <utility>

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/sequence.h"
#include "core/object/error.h"
#include "core/object/strings/string.h"

namespace tern::internal {
namespace {

const Error& ErrorOf(const Object& object) { return static_cast<const Error&>(object); }

// Frozen: fields are values, so their sequences belong to arrays (sequence.h).
SequencePtr MakeArray() {
  SequencePtr array = Sequence::Make();
  array->set_frozen(true);
  return array;
}

Any NotesOf(const Object& object) {
  const SequencePtr notes = MakeArray();
  for (const std::string& note : ErrorOf(object).notes()) notes->PushText(note);
  return Any(notes.get());
}

Any CauseOf(const Object& object) { return Any(const_cast<Error*>(ErrorOf(object).cause())); }

Any FramesOf(const Object& object) {
  const SequencePtr frames = MakeArray();
  for (const ErrorFrame& frame : ErrorOf(object).frames())
    frames->PushBack(
        AnyView(Adt::Tuple({AnyView(String(frame.function)), AnyView(frame.pc)})));
  return Any(frames.get());
}

// The status code of this name; 0 if there is none. The names are few and this is the path of a
// file that holds errors, so the codes are tried in turn.
int32_t ParseKind(std::string_view name) {
  auto code = static_cast<int32_t>(StatusCode::kInternal);
  while (code > 0 && StatusCodeName(static_cast<StatusCode>(code)) != name) --code;
  return code;
}

// Reads values that a file or a caller gave. Sticky: the first value of the wrong kind is kept, and
// reading goes on with empty values, as CONTRIBUTING.md asks of dense readers.
struct FieldReader {
  // Short text lies in the value itself, which must live as long.
  std::string_view Text(const AnyBase& value) {
    const std::optional<std::string_view> text = AnyToText(value.c_any());
    if (!text.has_value()) Expect("string", value);
    return text.value_or(std::string_view());
  }
  template <typename T>
  const T* Object(const AnyBase& value) {
    const T* object = value.TryCast<T>();
    if (object == nullptr) Expect(AnyBase::TypeKeyOf<T>(), value);
    return object;
  }
  void Expect(std::string_view kind, const AnyBase& value) {
    if (status.ok()) status = CastError(kind, value.c_any());
  }

  Status status;
};

Status AddFrames(const Sequence& frames, Error* error) {
  for (const AnyView item : frames) {
    FieldReader in;
    const Adt* frame = in.Object<Adt>(item);
    if (frame == nullptr) return std::move(in.status);
    // What came from a file is corrupt if it has not the form that FramesOf writes.
    if (frame->size() != 2 || frame->fields()[1].type_code() != TERN_TYPE_INT)
      return Corrupt("a frame of an error is not (function, pc)");
    const std::string_view function = in.Text(frame->fields()[0]);
    TERN_TRY(std::move(in.status));
    error->AddFrame({std::string(function), frame->fields()[1].c_any().v.i});
  }
  return OkStatus();
}

// The values are those of kFields, in order.
Result<ObjectPtr<Object>> MakeError(std::span<const Any> values) {
  FieldReader in;
  const std::string_view kind = in.Text(values[0]), message = in.Text(values[1]);
  const std::string_view error_code = in.Text(values[2]);
  const Sequence* notes = in.Object<Sequence>(values[3]);
  const Error* cause = values[4].is_none() ? nullptr : in.Object<Error>(values[4]);
  const Sequence* frames = in.Object<Sequence>(values[5]);
  // One check for all six; nothing was used before it.
  TERN_TRY(std::move(in.status));
  const int32_t code = ParseKind(kind);
  if (code == 0) return Corrupt("an error of the unknown kind '", kind, "'");
  Status status(static_cast<StatusCode>(code), message);
  status.SetErrorCode(error_code);
  for (const AnyView note : *notes) status.AddNote(in.Text(note));
  // Notes are checked by the same reader after the loop: a wrong one was read as empty text.
  TERN_TRY(std::move(in.status));
  ObjectPtr<Error> error =
      Error::Make(std::move(status), ObjectPtr<Error>(const_cast<Error*>(cause)));
  TERN_TRY(AddFrames(*frames, error.get()));
  return ObjectPtr<Object>(std::move(error));
}

// The order is that of MakeError's values and of serialized files, so a new field goes to the end.
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
