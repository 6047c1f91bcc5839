// SPDX-License-Identifier: Apache-2.0
// The relocations of objects that are made of loop kernels: all are relative to where they stand,
// or to the 4 KiB page of what they name, so that they can be applied before it is known where the
// code will lie, as long as that is at a multiple of 4 KiB.
#ifndef TERN_NATIVE_CODE_RELOCATION_H_
#define TERN_NATIVE_CODE_RELOCATION_H_

#include <cstdint>
#include <span>

#include "core/base/result.h"
#include "native/code/elf_object.h"

namespace tern::native {

struct RelocationSite {
  ElfMachine machine{};
  uint32_t type = 0;
  uint64_t place = 0;  // where the bytes to change begin, from the start of the image
  int64_t target = 0;  // what they shall mean: symbol plus addend, from there too
};

// Changes the bytes at the site; `image` is all there is. Errors are E0805: a kind that is not
// known, a place outside of the image, a distance that does not fit.
Status ApplyRelocation(const RelocationSite& site, std::span<uint8_t> image);

}  // namespace tern::native

#endif  // TERN_NATIVE_CODE_RELOCATION_H_
