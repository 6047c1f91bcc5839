// SPDX-License-Identifier: Apache-2.0
// WriteElfLibrary: a shared library that the system's loader opens, of an image and names for it.
// The image is at home at any multiple of a page, so nothing is relocated when it is loaded, and
// processes share its pages.
#ifndef TERN_NATIVE_CODE_ELF_LIBRARY_H_
#define TERN_NATIVE_CODE_ELF_LIBRARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "native/code/elf_object.h"
#include "native/code/link_object.h"

namespace tern::native {

struct ElfLibrarySymbol {
  std::string name;
  bool is_function = false;
  uint64_t offset = 0;  // of functions in the image, of others in `data`
};

struct ElfLibrary {
  ElfMachine machine{};
  ObjectImage image;
  std::string data;                       // read-only
  std::vector<ElfLibrarySymbol> symbols;  // what it exports
};

// The bytes of the file, the same ones for the same library. Pure.
std::string WriteElfLibrary(const ElfLibrary& library);

}  // namespace tern::native

#endif  // TERN_NATIVE_CODE_ELF_LIBRARY_H_
