// SPDX-License-Identifier: Apache-2.0
// Status: an error's text, notes and payload. Everything lies behind one pointer that is null for
// success, so that passing a success on costs one test.
#include "core/base/status.h"

#include "core/base/check.h"
#include "core/base/json.h"

namespace tern {

std::string_view StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return "ok";
    case StatusCode::kInvalidArgument: return "invalid argument";
    case StatusCode::kTypeError: return "type error";
    case StatusCode::kOutOfRange: return "out of range";
    case StatusCode::kNotFound: return "not found";
    case StatusCode::kAlreadyExists: return "already exists";
    case StatusCode::kUnsupported: return "unsupported";
    case StatusCode::kCorrupt: return "corrupt";
    case StatusCode::kOutOfMemory: return "out of memory";
    case StatusCode::kIo: return "input/output error";
    case StatusCode::kStopped: return "stopped";
    case StatusCode::kFailed: return "failed";
    case StatusCode::kInternal: return "internal error";
  }
  return "unknown error";
}

// An ok status is made by the default constructor only.
Status::Status(StatusCode code, std::string_view message) : rep_(new Rep) {
  TERN_CHECK(code != StatusCode::kOk, "an error needs a code");
  rep_->code = code;
  rep_->message = message;
}

Status& Status::operator=(Status&& other) noexcept {
  Status taken(std::move(other));  // so that self-assignment is harmless
  std::swap(rep_, taken.rep_);
  return *this;
}

void Status::Delete(Rep* rep) { delete rep; }

std::span<const std::string> Status::notes() const {
  if (ok()) return {};
  return rep_->notes;
}

Status& Status::AddNote(std::string_view note) & {
  if (!ok()) rep_->notes.emplace_back(note);
  return *this;
}

Status& Status::SetErrorCode(std::string_view error_code) & {
  if (!ok()) rep_->error_code = error_code;
  return *this;
}

Status& Status::SetPayload(std::unique_ptr<StatusPayload> payload) & {
  if (!ok()) rep_->payload = std::move(payload);
  return *this;
}

// Explicit, because statuses are move-only: a copy takes texts and a payload along.
Status Status::Clone() const {
  if (ok()) return {};
  Status copy(rep_->code, rep_->message);
  copy.rep_->error_code = rep_->error_code;
  copy.rep_->notes = rep_->notes;
  if (rep_->payload != nullptr) copy.rep_->payload = rep_->payload->Clone();
  return copy;
}

std::string Status::ToString() const {
  if (ok()) return "ok";
  std::string out = StrCat(StatusCodeName(code()), ": ", message());
  for (const std::string& note : notes()) StrAppend(&out, "\n  note: ", note);
  return out;
}

// Members that an error does not have are left out, so readers need not tell null from empty.
void Status::WriteJson(JsonWriter* json) const {
  json->BeginObject().Field("status", StatusCodeName(code()));
  if (!ok()) {
    if (!error_code().empty()) json->Field("code", error_code());
    json->Field("message", message());
    json->Key("notes").BeginArray();
    for (const std::string& note : notes()) json->String(note);
    json->EndArray();
    if (payload() != nullptr) {
      json->Key("diagnostics");
      payload()->WriteJson(json);
    }
  }
  json->EndObject();
}

}  // namespace tern
