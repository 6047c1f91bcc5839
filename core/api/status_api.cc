// SPDX-License-Identifier: Apache-2.0
// Statuses, buffers, the version and the explanation of error codes.
#include "core/api/handles.h"
#include "core/base/json.h"
#include "core/text/diagnostics.h"

namespace tern::api {

tern_status* ToHandle(Status status) {
  if (status.ok()) return nullptr;
  return new tern_status{std::move(status), {}, {}, {}, {}};
}

tern_buffer* NewBuffer(std::string_view text) {
  auto* buffer = new tern_buffer;
  buffer->bytes.reserve(text.size() + 1);
  buffer->bytes.assign(text.begin(), text.end());
  buffer->bytes.push_back(0);
  buffer->bytes.pop_back();  // the zero stays behind the end
  return buffer;
}

tern_buffer* NewBuffer(std::vector<uint8_t> bytes) { return new tern_buffer{std::move(bytes)}; }

namespace {

// The code of the first finding, where the status itself has none.
std::string CodeOf(const Status& status) {
  if (!status.error_code().empty()) return std::string(status.error_code());
  const text::Diagnostics diagnostics = text::ToDiagnostics(status);
  return diagnostics.items().empty() ? std::string() : diagnostics.items()[0].code;
}

std::string JsonOf(const tern_status& status) {
  JsonWriter json;
  json.BeginObject()
      .Field("code", CodeOf(status.status))
      .Field("kind", StatusCodeName(status.status.code()))
      .Field("message", status.status.message())
      .Key("diagnostics");
  text::WriteJson(text::ToDiagnostics(status.status), &json);
  json.EndObject();
  return json.Take();
}

}  // namespace
}  // namespace tern::api

using tern::api::CodeOf;
using tern::api::JsonOf;

uint32_t tern_abi_version(void) { return uint32_t{TERN_ABI_MAJOR} << 16 | TERN_ABI_MINOR; }

uint32_t tern_version(void) {
  return TERN_VERSION_MAJOR << 16 | TERN_VERSION_MINOR << 8 | TERN_VERSION_PATCH;
}

int32_t tern_status_kind(const tern_status* status) {
  return status == nullptr ? 0 : static_cast<int32_t>(status->status.code());
}

const char* tern_status_code(const tern_status* status) {
  if (status->code.empty()) status->code = CodeOf(status->status);
  return status->code.c_str();
}

const char* tern_status_message(const tern_status* status) {
  if (status->message.empty()) status->message = std::string(status->status.message());
  return status->message.c_str();
}

const char* tern_status_text(const tern_status* status) {
  if (status->text.empty()) status->text = tern::text::RenderText(status->status);
  return status->text.c_str();
}

const char* tern_status_json(const tern_status* status) {
  if (status->json.empty()) status->json = JsonOf(*status);
  return status->json.c_str();
}

void tern_status_free(tern_status* status) { delete status; }

const void* tern_buffer_data(const tern_buffer* buffer) { return buffer->bytes.data(); }
size_t tern_buffer_size(const tern_buffer* buffer) { return buffer->bytes.size(); }
void tern_buffer_free(tern_buffer* buffer) { delete buffer; }

const char* tern_explain(const char* code) {
  const tern::text::CodeInfo* info = tern::text::FindCode(code);
  return info == nullptr ? nullptr : info->explanation.data();  // the table holds literals
}
