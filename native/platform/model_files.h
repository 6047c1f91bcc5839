// SPDX-License-Identifier: Apache-2.0
// The files that a program made of a model lies in: the model, its external data, and copies of
// what is misaligned in them; with what a compiler may ask of them (core/base/progress.h).
#ifndef TERN_NATIVE_PLATFORM_MODEL_FILES_H_
#define TERN_NATIVE_PLATFORM_MODEL_FILES_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "core/base/progress.h"
#include "native/platform/external_data.h"
#include "native/platform/mapped_file.h"
#include "native/platform/scratch_file.h"

namespace tern::native {

class ModelFiles {
 public:
  ModelFiles(std::shared_ptr<const MappedFile> model, const std::string& path)
      : model_(std::move(model)), external_(path) {}

  std::span<const uint8_t> bytes() const { return model_->bytes(); }
  ExternalData* external() { return &external_; }

  // Both point to this.
  PageHints pages() {
    return {this, [](void* self, const void* data, size_t bytes) {
              static_cast<ModelFiles*>(self)->DropPages(data, bytes);
            }};
  }
  AlignedCopies aligned() {
    return {
        this, [](void* self, const void* data, size_t bytes) {
          auto* files = static_cast<ModelFiles*>(self);
          return files->scratch_.Copy({static_cast<const uint8_t*>(data), bytes}, files->pages());
        }};
  }
  // What ends one that was made by `new`.
  static void Delete(void* self) { delete static_cast<ModelFiles*>(self); }

 private:
  void DropPages(const void* data, size_t bytes) {
    model_->DropPages(data, bytes);
    external_.DropPages(data, bytes);
    scratch_.DropPages(data, bytes);
  }

  std::shared_ptr<const MappedFile> model_;
  ExternalData external_;
  ScratchFile scratch_;
};

}  // namespace tern::native

#endif  // TERN_NATIVE_PLATFORM_MODEL_FILES_H_
