// SPDX-License-Identifier: Apache-2.0
// MakeTensor: a Tensor of the file → a Tensor of ours; a window on the file's bytes where that is
// possible.
//
// Everything in a file may be a lie: dimensions are checked against the bytes that are really there
// before anything is allocated.
#ifndef TERN_CORE_ONNX_TENSOR_DATA_H_
#define TERN_CORE_ONNX_TENSOR_DATA_H_

#include <cstdint>
#include <string_view>

#include "core/base/result.h"
#include "core/object/tensor.h"
#include "core/onnx/model.h"

namespace tern::onnx {

// Reads pieces of other files of the model's folder, for weights that are not in the .onnx file
// itself. The importer has made sure that `location` is a relative path without "..", "\\" or ':';
// the reader makes sure that no link leads out of the folder.
struct ExternalData {
  void* context = nullptr;
  // `length` bytes from `offset` on (length < 0: all the rest), and in *keeper what keeps them
  // alive.
  Result<ByteSpan> (*read)(void* context, std::string_view location, int64_t offset, int64_t length,
                           ObjectPtr<Object>* keeper) = nullptr;
};

struct TensorSource {
  // Keeps the file's bytes alive. Null: nobody does, so tensors are copies.
  ObjectPtr<Object> keeper;
  // Null: external data is an error.
  const ExternalData* external = nullptr;
};

// The element type, or an error that names what the standard calls it.
Result<DType> MakeDType(int32_t data_type);

// Errors: unknown element type, negative dimensions, more or fewer elements than the dimensions
// say.
Result<TensorPtr> MakeTensor(const Tensor& tensor, const TensorSource& source);

// The same for what a program is only to have as a constant: large ones that the file does not
// align stay where they are (Tensor::FromUnaligned).
Result<TensorPtr> MakeWeights(const Tensor& tensor, const TensorSource& source);

// A sparse tensor with its zeros written out.
Result<TensorPtr> MakeDenseTensor(const SparseTensor& tensor, const TensorSource& source);

// A relative path that stays inside its folder.
bool IsInsideFolder(std::string_view location);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_TENSOR_DATA_H_
