// SPDX-License-Identifier: Apache-2.0
// Elements in raw form, in one of the typed lists, or in another file.
#include "core/onnx/tensor_data.h"

#include <algorithm>
#include <cstring>

#include "core/object/small_numbers.h"

namespace tern::onnx {
namespace {

// Sparse tensors write out their zeros: a file of a few bytes must not ask for the whole memory.
constexpr int64_t kMaxDenseBytes = int64_t{1} << 30;

// keeper owns the bytes; null where nobody does and they must be copied.
struct Elements {
  ByteSpan bytes;
  ObjectPtr<Object> keeper;
};

Status WrongCount(const Tensor& tensor, int64_t expected, size_t actual, std::string_view unit) {
  return Corrupt("its dimensions ", FormatDims(tensor.dims), " of ", DataTypeName(tensor.data_type),
                 " need ", expected, " ", unit, ", but it holds ", actual);
}

// Elements of a list narrowed by T(value), or widened.
template <typename To, typename From>
Result<TensorPtr> FromList(const Tensor& tensor, DType dtype, const std::vector<From>& list) {
  const std::optional<int64_t> count = ElementCount(tensor.dims);
  if (!count || static_cast<uint64_t>(*count) != list.size())
    return WrongCount(tensor, count.value_or(-1), list.size(), "elements");
  std::vector<To> values(list.size());
  for (size_t i = 0; i < list.size(); ++i) values[i] = static_cast<To>(list[i]);
  const ByteSpan bytes(reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(To));
  return tern::Tensor::FromBytes(dtype, tensor.dims, bytes);
}

// A bool of ours is 0 or 1; a list may hold any number.
Result<TensorPtr> FromBoolList(const Tensor& tensor, const std::vector<int32_t>& list) {
  std::vector<int32_t> bits(list);
  for (int32_t& bit : bits) bit = bit != 0;
  return FromList<uint8_t>(tensor, kBool, bits);
}

// Elements below a byte: an entry is a byte of them, low bits first.
Result<TensorPtr> FromPackedList(const Tensor& tensor, DType dtype) {
  const std::optional<int64_t> count = ElementCount(tensor.dims);
  const size_t size = tensor.int32_data.size();
  if (!count || dtype.bytes_for(*count) != static_cast<int64_t>(size)) {
    return WrongCount(tensor, count.value_or(-1), size * (8 / dtype.bits), "elements");
  }
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(tensor.int32_data[i]);
  return tern::Tensor::FromBytes(dtype, tensor.dims, bytes);
}

// Texts are copied, since they lie in the file one by one with their lengths between them.
Result<TensorPtr> FromStrings(const Tensor& tensor) {
  const std::optional<int64_t> count = ElementCount(tensor.dims);
  if (!count || static_cast<uint64_t>(*count) != tensor.string_data.size()) {
    return WrongCount(tensor, count.value_or(-1), tensor.string_data.size(), "strings");
  }
  return tern::Tensor::FromStrings(tensor.string_data, tensor.dims);
}

bool HasForeignBool(ByteSpan bytes) {
  return std::any_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte > 1; });
}

// A bool of ours is 0 or 1; a file may hold any byte.
Result<TensorPtr> CopyBools(const Tensor& tensor, ByteSpan bytes) {
  std::vector<uint8_t> bits(bytes.begin(), bytes.end());
  for (uint8_t& bit : bits) bit = bit != 0;
  return tern::Tensor::FromBytes(kBool, tensor.dims, bits);
}

// Smaller ones are copied, so that passes need not ask of each.
constexpr size_t kLeastUnaligned = size_t{1} << 16;

// Weights are used where they lie if somebody keeps the file.
Result<TensorPtr> FromRaw(const Tensor& tensor, DType dtype, Elements elements) {
  const ByteSpan bytes = elements.bytes;
  const std::optional<int64_t> count = ElementCount(tensor.dims);
  const std::optional<int64_t> expected = count ? dtype.bytes_for(*count) : std::nullopt;
  if (!expected || static_cast<uint64_t>(*expected) != bytes.size()) {
    return WrongCount(tensor, expected.value_or(-1), bytes.size(), "bytes");
  }
  // Most files have only 0 and 1, and theirs are used in place.
  if (dtype.is_bool() && HasForeignBool(bytes)) return CopyBools(tensor, bytes);
  if (elements.keeper == nullptr) return tern::Tensor::FromBytes(dtype, tensor.dims, bytes);
  TERN_TRY_ASSIGN(TensorPtr window,
                  tern::Tensor::FromUnaligned(bytes.data(), bytes.size(),
                                              std::move(elements.keeper), dtype, tensor.dims));
  return window->is_aligned() || bytes.size() >= kLeastUnaligned ? window : window->Copy();
}

// Words that lie in the file as raw data does. A complex element has two.
template <typename T>
Result<TensorPtr> FromWords(const Tensor& tensor, DType dtype, const WordList<T>& list,
                            const TensorSource& source) {
  const std::optional<int64_t> count = ElementCount(tensor.dims);
  const std::optional<int64_t> expected = count ? dtype.bytes_for(*count) : std::nullopt;
  if (!expected || static_cast<uint64_t>(*expected) != list.bytes().size())
    return WrongCount(tensor, count.value_or(-1), list.size(), "elements");
  if (list.bytes().empty() || !list.is_in_file())
    return tern::Tensor::FromBytes(dtype, tensor.dims, list.bytes());
  return FromRaw(tensor, dtype, {list.bytes(), source.keeper});
}

// Which list holds which type is onnx.proto's: types of up to 32 bits share int32_data, and 16-bit
// floats are there as the integers of their bits.
Result<TensorPtr> FromTypedList(const Tensor& tensor, DType dtype, const TensorSource& source) {
  switch (static_cast<DataType>(tensor.data_type)) {
    case DataType::kFloat: return FromWords(tensor, dtype, tensor.float_data, source);
    case DataType::kComplex64: return FromWords(tensor, dtype, tensor.float_data, source);
    case DataType::kDouble: return FromWords(tensor, dtype, tensor.double_data, source);
    case DataType::kComplex128: return FromWords(tensor, dtype, tensor.double_data, source);
    case DataType::kInt64: return FromList<int64_t>(tensor, dtype, tensor.int64_data);
    case DataType::kUint64: return FromList<uint64_t>(tensor, dtype, tensor.uint64_data);
    case DataType::kUint32: return FromList<uint32_t>(tensor, dtype, tensor.uint64_data);
    case DataType::kInt32: return FromList<int32_t>(tensor, dtype, tensor.int32_data);
    case DataType::kInt16: return FromList<int16_t>(tensor, dtype, tensor.int32_data);
    case DataType::kInt8: return FromList<int8_t>(tensor, dtype, tensor.int32_data);
    case DataType::kUint16:
    case DataType::kFloat16:
    case DataType::kBfloat16: return FromList<uint16_t>(tensor, dtype, tensor.int32_data);
    case DataType::kFloat8E4M3FN:
    case DataType::kFloat8E4M3FNUZ:
    case DataType::kFloat8E5M2:
    case DataType::kFloat8E5M2FNUZ:
    case DataType::kFloat8E8M0:
    case DataType::kUint8: return FromList<uint8_t>(tensor, dtype, tensor.int32_data);
    case DataType::kBool: return FromBoolList(tensor, tensor.int32_data);
    case DataType::kUint4:
    case DataType::kInt4:
    case DataType::kFloat4E2M1:
    case DataType::kUint2:
    case DataType::kInt2: return FromPackedList(tensor, dtype);
    case DataType::kString: return FromStrings(tensor);
    case DataType::kUndefined: break;
  }
  return Unsupported("elements of type ", DataTypeName(tensor.data_type));
}

// An entry of external_data; "" if there is none.
std::string_view FindEntry(const Tensor& tensor, std::string_view key) {
  for (const StringPair& entry : tensor.external_data) {
    if (entry.key == key) return entry.value;
  }
  return "";
}

Result<int64_t> FindNumber(const Tensor& tensor, std::string_view key, int64_t fallback) {
  const std::string_view text = FindEntry(tensor, key);
  if (text.empty()) return fallback;
  const std::optional<int64_t> number = ParseInt64(text);
  if (!number || *number < 0) {
    return Corrupt("external data: ", key, " is '", text, "', which is no size");
  }
  return *number;
}

// The location comes from the file, so it must not lead out of the model's folder.
Result<Elements> ReadExternal(const Tensor& tensor, const TensorSource& source) {
  const std::string_view location = FindEntry(tensor, "location");
  if (location.empty()) return Corrupt("external data without a location");
  if (!IsInsideFolder(location)) {
    return InvalidArgument("external data at '", location,
                           "', which is outside the model's own folder");
  }
  TERN_TRY_ASSIGN(const int64_t offset, FindNumber(tensor, "offset", 0));
  // Without a length the rest of the file is meant.
  TERN_TRY_ASSIGN(const int64_t length, FindNumber(tensor, "length", -1));
  if (source.external == nullptr) {
    return NotFound("its data is in the file '", location, "', and no folder was given to look in");
  }
  Elements elements;
  TERN_TRY_ASSIGN(elements.bytes, source.external->read(source.external->context, location, offset,
                                                        length, &elements.keeper));
  return elements;
}

Status CheckDims(const Tensor& tensor) {
  if (tensor.dims.size() > static_cast<size_t>(kMaxRank)) {
    return Unsupported("a rank of ", tensor.dims.size(), "; at most ", kMaxRank, " is possible");
  }
  for (const int64_t dim : tensor.dims) {
    if (dim < 0) return Corrupt("a negative dimension in ", FormatDims(tensor.dims));
  }
  return OkStatus();
}

// The flat index that row `row` of the indices names, or -1.
int64_t FlatIndex(const tern::Tensor& indices, int64_t row, const std::vector<int64_t>& dims) {
  const std::span<int64_t> values = indices.values<int64_t>();
  const int64_t width = indices.rank() == 2 ? indices.dim(1) : 1;
  // A flat index counts elements in row-major order. Its bounds are checked by who asks for it.
  if (indices.rank() == 1) return values[static_cast<size_t>(row)];
  int64_t flat = 0;
  for (int64_t i = 0; i < width; ++i) {
    const int64_t index = values[static_cast<size_t>(row * width + i)];
    if (index < 0 || index >= dims[static_cast<size_t>(i)]) return -1;
    flat = flat * dims[static_cast<size_t>(i)] + index;
  }
  return flat;
}

// Indices are one number each, into the flat tensor, or one per axis.
Status CheckSparse(const tern::Tensor& values, const tern::Tensor& indices, size_t rank) {
  if (values.rank() != 1 || values.dtype().is_string() || values.dtype().bits < 8) {
    return Corrupt("a sparse tensor's values are ", values.TypeText(),
                   " instead of a list of numbers");
  }
  const bool flat = indices.rank() == 1;
  const bool wide = indices.rank() == 2 && indices.dim(1) == static_cast<int64_t>(rank);
  if (indices.dtype() != kI64 || !(flat || wide) || indices.dim(0) != values.dim(0)) {
    return Corrupt("a sparse tensor's indices ", indices.TypeText(), " do not fit its ",
                   values.dim(0), " values");
  }
  return OkStatus();
}

}  // namespace

bool IsInsideFolder(std::string_view location) {
  if (location.empty() || location.front() == '/') return false;
  // Backslashes and drives lead out on Windows, and a zero would end the name early.
  if (location.find_first_of(std::string_view("\\:\0", 3)) != std::string_view::npos) return false;
  const std::vector<std::string_view> parts = StrSplit(location, '/');
  return std::none_of(parts.begin(), parts.end(),
                      [](std::string_view part) { return part == ".."; });
}

Result<DType> MakeDType(int32_t data_type) {
  switch (static_cast<DataType>(data_type)) {
    case DataType::kFloat: return kF32;
    case DataType::kUint8: return kU8;
    case DataType::kInt8: return kI8;
    case DataType::kUint16: return kU16;
    case DataType::kInt16: return kI16;
    case DataType::kInt32: return kI32;
    case DataType::kInt64: return kI64;
    case DataType::kString: return kString;
    case DataType::kBool: return kBool;
    case DataType::kFloat16: return kF16;
    case DataType::kDouble: return kF64;
    case DataType::kUint32: return kU32;
    case DataType::kUint64: return kU64;
    case DataType::kComplex64: return kC64;
    case DataType::kComplex128: return kC128;
    case DataType::kBfloat16: return kBf16;
    case DataType::kUint4: return kU4;
    case DataType::kInt4: return kI4;
    case DataType::kUint2: return kU2;
    case DataType::kInt2: return kI2;
    case DataType::kFloat8E4M3FN: return kF8E4M3;
    case DataType::kFloat8E4M3FNUZ: return kF8E4M3Fnuz;
    case DataType::kFloat8E5M2: return kF8E5M2;
    case DataType::kFloat8E5M2FNUZ: return kF8E5M2Fnuz;
    case DataType::kFloat8E8M0: return kF8E8M0;
    case DataType::kFloat4E2M1: return kF4E2M1;
    case DataType::kUndefined: break;
  }
  return Corrupt("the element type ", data_type, " is not one of the standard's");
}

Result<TensorPtr> MakeTensor(const Tensor& tensor, const TensorSource& source) {
  TERN_TRY_ASSIGN(TensorPtr made, MakeWeights(tensor, source));
  return made->Contiguous();
}

Result<TensorPtr> MakeWeights(const Tensor& tensor, const TensorSource& source) {
  TERN_TRY_ASSIGN(const DType dtype, MakeDType(tensor.data_type));
  TERN_TRY(CheckDims(tensor));
  if (tensor.is_external) {
    // The standard has no form for texts in another file.
    if (dtype.is_string()) return Corrupt("strings in external data");
    TERN_TRY_ASSIGN(Elements elements, ReadExternal(tensor, source));
    return FromRaw(tensor, dtype, std::move(elements));
  }
  // The standard has strings in their own list only, whatever raw_data holds.
  if (!tensor.has_raw_data || dtype.is_string()) return FromTypedList(tensor, dtype, source);
  return FromRaw(tensor, dtype, {AsBytes(tensor.raw_data), source.keeper});
}

Result<TensorPtr> MakeDenseTensor(const SparseTensor& tensor, const TensorSource& source) {
  TERN_TRY_ASSIGN(const TensorPtr values, MakeTensor(tensor.values, source));
  TERN_TRY_ASSIGN(const TensorPtr indices, MakeTensor(tensor.indices, source));
  TERN_TRY(CheckSparse(*values, *indices, tensor.dims.size()));
  const std::optional<int64_t> count = ElementCount(tensor.dims);
  const std::optional<int64_t> bytes = count ? values->dtype().bytes_for(*count) : std::nullopt;
  if (!bytes || *bytes > kMaxDenseBytes) {
    return Unsupported("a sparse tensor of dimensions ", FormatDims(tensor.dims));
  }
  TERN_TRY_ASSIGN(TensorPtr dense, tern::Tensor::New(values->dtype(), tensor.dims));
  std::memset(dense->data(), 0, static_cast<size_t>(*bytes));
  const auto width = static_cast<size_t>(values->dtype().size());
  for (int64_t row = 0; row < values->dim(0); ++row) {
    const int64_t flat = FlatIndex(*indices, row, tensor.dims);
    if (flat < 0 || flat >= *count)
      return Corrupt("a sparse tensor's index is outside its dimensions");
    std::memcpy(static_cast<uint8_t*>(dense->data()) + static_cast<size_t>(flat) * width,
                static_cast<const uint8_t*>(values->data()) + static_cast<size_t>(row) * width,
                width);
  }
  return dense;
}

}  // namespace tern::onnx
