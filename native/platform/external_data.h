// SPDX-License-Identifier: Apache-2.0
// Tensor data that a model keeps in files of its own folder, mapped for as long as the compilation
// runs. Links that lead out of the folder are not followed, because a model is not trusted.
#ifndef TERN_NATIVE_PLATFORM_EXTERNAL_DATA_H_
#define TERN_NATIVE_PLATFORM_EXTERNAL_DATA_H_

#include <cstdint>
#include <map>
#include <string>

#include "native/platform/mapped_file.h"

namespace tern::native {

class ExternalData {
 public:
  // The folder is that of the model's file.
  explicit ExternalData(const std::string& model_path);

  // A tern_external_data whose context is an ExternalData.
  static int32_t Read(void* context, const char* location, uint64_t offset, uint64_t* size,
                      const void** data);

  // As MappedFile::DropPages, of whichever file has them.
  void DropPages(const void* data, size_t bytes) const;

 private:
  std::string Resolve(const std::string& location, bool* outside) const;
  int32_t Find(const std::string& location, uint64_t offset, uint64_t* size, const void** data);

  std::string folder_;
  std::map<std::string, MappedFile> files_;
};

}  // namespace tern::native

#endif  // TERN_NATIVE_PLATFORM_EXTERNAL_DATA_H_
