// SPDX-License-Identifier: Apache-2.0
#include "native/platform/external_data.h"

#include <stdlib.h>

#include <memory>
#include <string_view>
#include <utility>

#include "core/api/c_api.h"
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
  return static_cast<ExternalData*>(context)->Find(location, offset, size, data);
}

// The real path of a file inside of the model's folder; empty where there is none. *outside: a link
// leads out.
std::string ExternalData::Resolve(const std::string& location, bool* outside) const {
  const std::unique_ptr<char, decltype(&free)> folder(realpath(folder_.c_str(), nullptr), &free);
  // Existing files only: realpath resolves links, so that ".." and links cannot hide.
  const std::unique_ptr<char, decltype(&free)> file(
      realpath(StrCat(folder_, "/", location).c_str(), nullptr), &free);
  if (folder == nullptr || file == nullptr) return {};
  const std::string root = folder.get();
  const std::string inside = root == "/" ? root : StrCat(root, "/");
  *outside = !std::string_view(file.get()).starts_with(inside);
  return *outside ? std::string() : file.get();
}

int32_t ExternalData::Find(const std::string& location, uint64_t offset, uint64_t* size,
                           const void** data) {
  constexpr int32_t kMissing = 1;
  auto found = files_.find(location);
  // Mapped once per file, because a model has many tensors in one.
  if (found == files_.end()) {
    bool outside = false;
    const std::string path = Resolve(location, &outside);
    if (path.empty()) return outside ? TERN_EXTERNAL_OUTSIDE : kMissing;
    Result<MappedFile> file = MappedFile::Open(path);
    if (!file.ok()) return kMissing;
    found = files_.emplace(location, std::move(*file)).first;
  }
  const std::span<const uint8_t> bytes = found->second.bytes();
  if (offset > bytes.size()) return TERN_EXTERNAL_TOO_SHORT;
  if (*size == UINT64_MAX) *size = bytes.size() - offset;
  if (*size > bytes.size() - offset) return TERN_EXTERNAL_TOO_SHORT;
  *data = bytes.data() + offset;
  return 0;
}

void ExternalData::DropPages(const void* data, size_t bytes) const {
  for (const auto& [location, file] : files_) file.DropPages(data, bytes);
}

}  // namespace tern::native
