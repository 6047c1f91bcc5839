// SPDX-License-Identifier: Apache-2.0
// What a compilation tells whoever waits for it: how far it is, and which bytes it has done with;
// and what it may borrow. All may be left empty, and none changes what is made.
#ifndef TERN_CORE_BASE_PROGRESS_H_
#define TERN_CORE_BASE_PROGRESS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tern {

struct Progress {
  void* context = nullptr;
  // `fraction` of the stage is done, from 0 to 1; stages come in order, each begins at 0.
  void (*report)(void* context, std::string_view stage, double fraction) = nullptr;

  void Report(std::string_view stage, double fraction) const {
    if (report != nullptr) report(context, stage, fraction);
  }
};

// A mapped file may give the memory of pages back that have been read, as they can be read again.
struct PageHints {
  void* context = nullptr;
  void (*done)(void* context, const void* data, size_t bytes) = nullptr;

  void Done(const void* data, size_t bytes) const {
    if (done != nullptr) done(context, data, bytes);
  }
};

// Copies of bytes at aligned addresses that need no memory of their own, such as in a mapped file.
struct AlignedCopies {
  void* context = nullptr;
  // Null where there is none to be had; else what lives as long as the original bytes do.
  const void* (*copy)(void* context, const void* data, size_t bytes) = nullptr;

  const void* Copy(const void* data, size_t bytes) const {
    return copy == nullptr ? nullptr : copy(context, data, bytes);
  }
};

}  // namespace tern

#endif  // TERN_CORE_BASE_PROGRESS_H_
