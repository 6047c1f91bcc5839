// SPDX-License-Identifier: Apache-2.0
// A dense array that the command line owns: what .npy files hold and what the input grammar makes.
// input_spec.h and npz.h read arrays, elements.h fills them, outputs.h writes and compares them.
// Memory is charged to a budget before it is allocated, because an input decides its size.
#ifndef TERN_NATIVE_CLI_ARRAY_H_
#define TERN_NATIVE_CLI_ARRAY_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "native/cli/handles.h"

namespace tern::cli {

struct Array {
  std::string dtype;  // "f32", "i64", ... as in docs/abi.md
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;  // row-major, little-endian
  // No tensor but an int, float, bool or string (dtype says which); the bytes are its text.
  bool is_scalar = false;
};

// How often an input is in memory while a program runs: as it was read, and as a tensor.
inline constexpr uint64_t kInputCopies = 2;

// What the inputs of a run may take together: --max-memory.
struct MemoryBudget {
  uint64_t limit = 0;  // bytes; 0: none
  uint64_t used = 0;
};

// The bytes of one element; 0 for a name that is none of the plain number types.
size_t ElementSize(std::string_view dtype);

std::vector<std::string_view> ElementTypes();  // the names that it knows

// The bytes of an array of this shape; an error for a negative extent or more than 2^40 bytes.
Result<size_t> ArrayBytes(std::string_view dtype, std::span<const int64_t> shape);

// The bytes of the array's dtype and shape, all zero. E0302 where the budget or this process has
// less memory. budget may be null.
Status AllocateArray(Array* array, MemoryBudget* budget);

// NumPy's format versions 1 to 3, little-endian, C order (numpy.lib.format).
Result<Array> ParseNpy(std::span<const uint8_t> file, const std::string& name,
                       MemoryBudget* budget = nullptr);
std::vector<uint8_t> FormatNpy(const Array& array);

// Copies in and out of a tensor of the library.
Result<Value> ToTensor(tern_runtime* runtime, const Array& array);
Result<Array> FromTensor(const TernAny& tensor);

// Element i as a double (integers beyond 2^53 lose bits), of an array whose type ElementTypes has.
double ElementAsDouble(const Array& array, size_t i);
// Writes `value`, converted as a C cast would within range; saturates at the ends of integer types.
void SetElement(Array* array, size_t i, double value);
// What SetElement does for arrays of a type, to be looked up once for many elements.
using ElementStore = void (*)(Array* array, size_t i, double value);
ElementStore StoreOf(std::string_view dtype);

// "f32[2, 3]"
std::string TypeText(std::string_view dtype, std::span<const int64_t> shape);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_ARRAY_H_
