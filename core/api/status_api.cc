// SPDX-License-Identifier: Apache-2.0
// Statuses, buffers, the version and the explanation of error codes.
#include "core/api/handles.h"
#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/text/diagnostics.h"

namespace tern::api {

// Null means ok to C, so that a call without an error allocates nothing.
tern_status* ToHandle(Status status) {
  if (status.ok()) return nullptr;
  return new tern_status{std::move(status), {}, {}, {}, {}};
}

tern_buffer* NewBuffer(std::string_view text) {
  auto* buffer = new tern_buffer;
  buffer->bytes.reserve(text.size() + 1);
  buffer->bytes.assign(text.begin(), text.end());
  // C reads the text as zero-terminated, but the size does not count the zero.
  buffer->bytes.push_back(0);
  buffer->bytes.pop_back();  // the zero stays behind the end
  return buffer;
}

tern_buffer* NewBuffer(std::vector<uint8_t> bytes) { return new tern_buffer{std::move(bytes)}; }

namespace {

// The code of the first finding, for a status that has none itself.
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

// "1.2" of 1 << 16 | 2.
std::string AbiText(uint32_t abi) { return StrCat(abi >> 16, ".", abi & 0xffff); }

std::string VersionText(uint32_t version) {
  return StrCat(version >> 16, ".", version >> 8 & 0xff, ".", version & 0xff);
}

// The program's header must have the library's major numbers and must not be newer: then all that
// it uses exists and lies where it thinks.
Status CheckAbi(uint32_t header_version, uint32_t header_abi) {
  const uint32_t version = tern_version(), abi = tern_abi_version();
  const bool same_majors = header_abi >> 16 == abi >> 16 && header_version >> 16 == version >> 16;
  const bool newer_header =
      header_abi > abi || (header_version >> 8 & 0xffff) > (version >> 8 & 0xffff);
  if (same_majors && !newer_header) return OkStatus();
  Status status = InvalidArgument("the program was compiled against the header of Tern ",
                                  VersionText(header_version), " (layouts ", AbiText(header_abi),
                                  "), but the library that is loaded is ", VersionText(version),
                                  " (layouts ", AbiText(abi), ")");
  status.SetErrorCode("E0704").AddNote(
      same_majors ? "help: install a library that is at least as new as the header, or compile the "
                    "program against the library's own header"
                  : "help: compile the program against the library's own header: another major "
                    "version means other layouts");
  return status;
}

// Larger than any struct of options will be: what stands there was never set.
constexpr size_t kLargestStruct = 4096;

// Fields that this library does not know are harmless where the caller left them at 0.
bool IsZero(const unsigned char* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    if (bytes[i] != 0) return false;
  }
  return true;
}

}  // namespace

tern_status* CheckStruct(const void* options, size_t known, std::string_view name) {
  if (options == nullptr) return nullptr;
  size_t size = 0;
  __builtin_memcpy(&size, options, sizeof size);
  const bool possible = size >= sizeof size && size <= kLargestStruct;
  if (possible && size <= known) return nullptr;
  if (possible && IsZero(static_cast<const unsigned char*>(options) + known, size - known))
    return nullptr;
  Status status =
      possible
          ? InvalidArgument("struct_size of ", name, " is ", size, ", of which this library knows ",
                            known, " bytes; a field behind them is not 0")
          : InvalidArgument("struct_size of ", name, " is ", size, ", expected sizeof(", name,
                            "), which is ", known, " in this library");
  status.SetErrorCode("E0703").AddNote(
      possible ? "help: install a library that is at least as new as the header, or leave the "
                 "fields at 0 that this one does not know"
               : StrCat("help: set the struct to zeros and its struct_size to sizeof(", name,
                        ") before the call, or pass NULL for the defaults"));
  return ToHandle(std::move(status));
}

}  // namespace tern::api

using tern::api::CodeOf;
using tern::api::JsonOf;
using tern::api::ToHandle;

tern_status* tern_abi_check(uint32_t header_version, uint32_t header_abi) {
  return ToHandle(tern::api::CheckAbi(header_version, header_abi));
}

uint32_t tern_abi_version(void) { return uint32_t{TERN_ABI_MAJOR} << 16 | TERN_ABI_MINOR; }

uint32_t tern_version(void) {
  return TERN_VERSION_MAJOR << 16 | TERN_VERSION_MINOR << 8 | TERN_VERSION_PATCH;
}

int32_t tern_status_kind(const tern_status* status) {
  return status == nullptr ? 0 : static_cast<int32_t>(status->status.code());
}

const char* tern_status_code(const tern_status* status) {
  // Texts are made when they are first asked for, and kept, because C gets pointers.
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
