// SPDX-License-Identifier: Apache-2.0
// Equality and hash of constants by content. Bits decide, not values, so that sharing a constant
// never changes a program.
#include "core/vm/file/constant_pool.h"

#include <algorithm>
#include <cstring>

#include "core/base/hash.h"

namespace tern::vm {
namespace {

bool SameTensor(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() ||
      !std::equal(a.dims().begin(), a.dims().end(), b.dims().begin(), b.dims().end())) {
    return false;
  }
  if (!a.dtype().is_string())
    // Constants are contiguous (Constant::From), so bytes can be compared.
    return a.data() == b.data() ||
           std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin());
  for (int64_t i = 0; i < a.element_count(); ++i) {
    if (a.string_at(i) != b.string_at(i)) return false;
  }
  return true;
}

uint64_t HashDims(Dims dims) {
  uint64_t hash = dims.size();
  for (int64_t dim : dims) hash = HashCombine(hash, static_cast<uint64_t>(dim));
  return hash;
}

// Of large data a sample: constants that agree in it are compared as a whole, and all others need
// not be read, which for the weights of a large model takes longer than the rest of compiling.
uint64_t HashData(ByteSpan bytes) {
  constexpr size_t kPiece = 256, kPieces = 16;
  if (bytes.size() <= kPiece * kPieces) return HashBytes(bytes);
  const size_t stride = (bytes.size() - kPiece) / (kPieces - 1);
  uint64_t hash = bytes.size();
  for (size_t i = 0; i < kPieces; ++i)
    hash = HashCombine(hash, HashBytes(bytes.subspan(i * stride, kPiece)));
  return hash;
}

uint64_t HashTensor(const Tensor& tensor) {
  uint64_t hash = HashCombine(HashDims(tensor.dims()), tensor.dtype().ToWord());
  if (!tensor.dtype().is_string()) return HashCombine(hash, HashData(tensor.bytes()));
  for (int64_t i = 0; i < tensor.element_count(); ++i)
    hash = HashCombine(hash, HashText(tensor.string_at(i)));
  return hash;
}

}  // namespace

bool SameConstant(const Constant& a, const Constant& b) {
  // Dims are those of a splat, elements those of a tuple; other kinds have none.
  if (a.kind != b.kind || a.dims != b.dims || a.elements != b.elements) return false;
  switch (a.kind) {
    case ConstantKind::kTensor:
    case ConstantKind::kSplat:
      return SameTensor(*a.value.TryCast<Tensor>(), *b.value.TryCast<Tensor>());
    case ConstantKind::kString:
      return *a.value.TryCast<std::string_view>() == *b.value.TryCast<std::string_view>();
    case ConstantKind::kShape: {
      const Dims x = a.value.TryCast<Shape>()->dims();
      const Dims y = b.value.TryCast<Shape>()->dims();
      return std::equal(x.begin(), x.end(), y.begin(), y.end());
    }
    case ConstantKind::kNone:
    // Elements were compared above. They are indices of constants that are themselves unique.
    case ConstantKind::kTuple: return true;
    case ConstantKind::kInt:
    case ConstantKind::kFloat:
    case ConstantKind::kBool:
    case ConstantKind::kDType: break;
  }
  // Plain values: code and payload, with zero padding (any.h).
  return std::memcmp(&a.value.c_any(), &b.value.c_any(), sizeof(TernAny)) == 0;
}

uint64_t HashConstant(const Constant& constant) {
  uint64_t hash = HashCombine(static_cast<uint64_t>(constant.kind), HashDims(constant.dims));
  for (uint32_t element : constant.elements) hash = HashCombine(hash, element);
  if (const Tensor* tensor = constant.value.TryCast<Tensor>(); tensor != nullptr) {
    return HashCombine(hash, HashTensor(*tensor));
  }
  if (const Shape* shape = constant.value.TryCast<Shape>(); shape != nullptr) {
    return HashCombine(hash, HashDims(shape->dims()));
  }
  if (const auto text = constant.value.TryCast<std::string_view>(); text.has_value()) {
    return HashCombine(hash, HashText(*text));
  }
  // What is left are plain values: the payload is the second word.
  uint64_t payload;
  std::memcpy(&payload, reinterpret_cast<const char*>(&constant.value.c_any()) + 8,
              sizeof(payload));
  return HashCombine(hash, payload);
}

}  // namespace tern::vm
