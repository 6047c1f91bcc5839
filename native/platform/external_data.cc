// SPDX-License-Identifier: Apache-2.0
#include "native/platform/external_data.h"

#include <stdlib.h>

#include <memory>
#include <string_view>
#include <utility>

#include "core/base/strings.h"

namespace tern::native {
namespace {

// A path without a slash is in the current folder.
std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

ExternalData::ExternalData(const std::string& model_path) : folder_(FolderOf(model_path)) {}

int32_t ExternalData::Read(void* context, const char* location, uint64_t offset, uint64_t* size,
                           const void** data) {
  return static_cast<ExternalData*>(context)->Find(location, offset, size, data) ? 0 : 1;
}

// The real path of a file inside of the model's folder; empty where there is none or where a link
// leads out. A model is somebody else's file and must not read others of this machine.
std::string ExternalData::Resolve(const std::string& location) const {
  const std::unique_ptr<char, decltype(&free)> folder(realpath(folder_.c_str(), nullptr), &free);
  // Existing files only: realpath resolves links, so that ".." and links cannot hide.
  const std::unique_ptr<char, decltype(&free)> file(
      realpath(StrCat(folder_, "/", location).c_str(), nullptr), &free);
  if (folder == nullptr || file == nullptr) return {};
  const std::string inside = StrCat(folder.get(), "/");
  return std::string_view(file.get()).starts_with(inside) ? file.get() : std::string();
}

bool ExternalData::Find(const std::string& location, uint64_t offset, uint64_t* size,
                        const void** data) {
  auto found = files_.find(location);
  // Mapped once per file, because a model has many tensors in one.
  if (found == files_.end()) {
    Result<MappedFile> file = MappedFile::Open(Resolve(location));
    if (!file.ok()) return false;
    found = files_.emplace(location, std::move(*file)).first;
  }
  const std::span<const uint8_t> bytes = found->second.bytes();
  if (offset > bytes.size()) return false;
  if (*size == UINT64_MAX) *size = bytes.size() - offset;
  // A subtraction, which cannot overflow: offset was checked.
  if (*size > bytes.size() - offset) return false;
  *data = bytes.data() + offset;
  return true;
}

}  // namespace tern::native
