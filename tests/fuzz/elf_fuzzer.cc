// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes linked as an object of either machine. What is linked is not run. Seeds:
// objects of loop kernels for x86-64 and AArch64.
#include <cstddef>
#include <cstdint>

#include "core/base/bytes.h"
#include "native/code/link_object.h"

namespace {

void Link(std::string_view object, tern::native::ElfMachine machine) {
  const tern::Result<tern::native::ObjectImage> image = tern::native::LinkObject(object, machine);
  if (!image.ok()) {
    if (image.status().error_code() != "E0805") __builtin_trap();
    return;
  }
  if (image->code_bytes == 0 || image->code_bytes > image->bytes.size()) __builtin_trap();
  for (const tern::native::ImageFunction& function : image->functions) {
    if (function.offset >= image->code_bytes) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view object = tern::AsText({data, size});
  Link(object, tern::native::ElfMachine::kX86_64);
  Link(object, tern::native::ElfMachine::kAArch64);
  return 0;
}
