// SPDX-License-Identifier: Apache-2.0
// From object files to an image: the bytes as they will lie in memory, code first, then constants,
// with the offsets of the functions. Pure: any machine's objects are linked on any machine, so that
// who makes a file can tell whether it will load.
//
// Objects must be closed: nothing in them names anything outside, nothing in them is written to.
// That the code does what its name says is not known here: running it is trusting its maker.
#ifndef TERN_NATIVE_CODE_LINK_OBJECT_H_
#define TERN_NATIVE_CODE_LINK_OBJECT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "native/code/elf_object.h"

namespace tern::native {

struct ImageFunction {
  std::string name;
  uint64_t offset = 0;
  size_t object = 0;  // which of the objects it comes from
};

struct ObjectImage {
  // Rights are given to multiples of this, which is one of every system's page size.
  static constexpr uint64_t kSegmentBytes = uint64_t{64} << 10;
  // Code relies on where it lies within pages of this size.
  static constexpr uint64_t kPageBytes = 4096;

  std::vector<uint8_t> bytes;
  uint64_t code_bytes = 0;  // code lies before; a multiple of kPageBytes
  // A segment behind the end of code, so that neither shares a segment with the other wherever the
  // image begins, and a file can hold constants right behind code.
  uint64_t constants_begin = 0;
  std::vector<ImageFunction> functions;
  // What the compiler said of itself: section .comment, zeros as line ends.
  std::string comment;

  uint64_t code_segments() const { return RoundUp(code_bytes, kSegmentBytes); }
  // Null if there is none.
  const ImageFunction* Find(std::string_view name) const;
};

// What a kernel's function is called in its object: nothing that compiled code calls by a name of
// its own (memcpy) can be taken for it.
std::string KernelSymbol(std::string_view kernel);
// Its entry for workers, where it has parallel loops (loop::kParallelEntry).
std::string ParallelKernelSymbol(std::string_view kernel);

// What the comment of an object says that was made of a kernel's loop program, with a sum of its
// text: so that an object is not taken for another version's.
std::string KernelStamp(std::string_view loop_text);

// Errors are E0805: damaged, for another machine, or not closed.
Result<ObjectImage> LinkObject(std::string_view object, ElfMachine machine);
// Several in one image; each sees its own functions alone, so that names may stand twice.
Result<ObjectImage> LinkObjects(std::span<const std::string_view> objects, ElfMachine machine);

}  // namespace tern::native

#endif  // TERN_NATIVE_CODE_LINK_OBJECT_H_
