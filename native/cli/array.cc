// SPDX-License-Identifier: Apache-2.0
// Arrays, their .npy form, and the copies into and out of tensors. The format is that of NumPy's
// NEP 1: magic bytes, a version, the length of a header, the header as text of a Python dict, and
// the data.
#include "native/cli/array.h"

#include <string.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "core/base/half.h"
#include "core/base/strings.h"
#include "native/cli/report.h"
#include "native/platform/memory_limit.h"

namespace tern::cli {
namespace {

template <typename T>
T Load(const Array& array, size_t i) {
  T value;
  memcpy(&value, array.bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void Store(Array* array, size_t i, T value) {
  memcpy(array->bytes.data() + i * sizeof(T), &value, sizeof(T));
}

// C leaves the conversion of a double outside of the type's range undefined, so the ends are taken
// here.
template <typename T>
void StoreInteger(Array* array, size_t i, double value) {
  const double low = static_cast<double>(std::numeric_limits<T>::min());
  const double high = static_cast<double>(std::numeric_limits<T>::max());
  // NaN has no place in integers.
  if (std::isnan(value)) value = 0;
  if (value <= low) return Store(array, i, std::numeric_limits<T>::min());
  if (value >= high) return Store(array, i, std::numeric_limits<T>::max());
  Store(array, i, static_cast<T>(value));
}

// Of floats that are kept as bits.
template <float (*kWiden)(uint16_t)>
double LoadHalf(const Array& array, size_t i) {
  return static_cast<double>(kWiden(Load<uint16_t>(array, i)));
}
template <uint16_t (*kNarrow)(float)>
void StoreHalf(Array* array, size_t i, double value) {
  Store(array, i, kNarrow(static_cast<float>(value)));
}

template <typename T>
double LoadNumber(const Array& array, size_t i) {
  return static_cast<double>(Load<T>(array, i));
}
template <typename T>
void StoreFloat(Array* array, size_t i, double value) {
  Store(array, i, static_cast<T>(value));
}
void StoreBool(Array* array, size_t i, double value) { Store<uint8_t>(array, i, value != 0); }

// Element types that the command line knows; strings and tensors of other types only pass through.
struct DtypeRow {
  std::string_view name;
  std::string_view npy;  // NumPy's descr; empty where NumPy has none
  size_t size;
  double (*load)(const Array& array, size_t i);
  ElementStore store;
};

template <typename T>
constexpr DtypeRow IntegerRow(std::string_view name, std::string_view npy) {
  return {name, npy, sizeof(T), &LoadNumber<T>, &StoreInteger<T>};
}

template <typename T>
constexpr DtypeRow FloatRow(std::string_view name, std::string_view npy) {
  return {name, npy, sizeof(T), &LoadNumber<T>, &StoreFloat<T>};
}

constexpr DtypeRow kDtypes[] = {
    FloatRow<float>("f32", "<f4"),
    FloatRow<double>("f64", "<f8"),
    {"f16", "<f2", 2, &LoadHalf<F16ToF32>, &StoreHalf<F32ToF16>},
    {"bf16", "", 2, &LoadHalf<Bf16ToF32>, &StoreHalf<F32ToBf16>},
    IntegerRow<int8_t>("i8", "|i1"),
    IntegerRow<int16_t>("i16", "<i2"),
    IntegerRow<int32_t>("i32", "<i4"),
    IntegerRow<int64_t>("i64", "<i8"),
    IntegerRow<uint8_t>("u8", "|u1"),
    IntegerRow<uint16_t>("u16", "<u2"),
    IntegerRow<uint32_t>("u32", "<u4"),
    IntegerRow<uint64_t>("u64", "<u8"),
    {"bool", "|b1", 1, &LoadNumber<uint8_t>, &StoreBool},
};

const DtypeRow* FindDtype(std::string_view name) {
  const auto* row = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                 [&](const DtypeRow& r) { return r.name == name; });
  return row == std::end(kDtypes) ? nullptr : row;
}

// Of a type that the command line knows.
const DtypeRow& RowOf(std::string_view name) {
  const DtypeRow* row = FindDtype(name);
  TERN_CHECK(row != nullptr, "elements have a type of the table");
  return *row;
}

constexpr std::string_view kNpyMagic = "\x93NUMPY";

// The text between `key` and the end of its value in the header's Python dict. NumPy writes one
// line of literals; so the first ')' or ',' ends a value, and no parser of Python is needed.
std::string_view DictValue(std::string_view header, std::string_view key) {
  const size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size());
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return {};
  rest = rest.substr(colon + 1);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  const char closing = rest.starts_with('(') ? ')' : ',';
  const size_t end = rest.find(closing);
  if (end == std::string_view::npos) return StrTrim(rest);
  return StrTrim(rest.substr(0, closing == ')' ? end + 1 : end));
}

Status NpyError(const std::string& name, std::string_view what) {
  return Corrupt("'", name, "' is not a readable .npy file: ", what).SetErrorCode("E0502");
}

Result<std::vector<int64_t>> ParseShape(std::string_view text, const std::string& name) {
  std::vector<int64_t> shape;
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') {
    return NpyError(name, "its header has no shape");
  }
  for (std::string_view part : StrSplit(text.substr(1, text.size() - 2), ',')) {
    part = StrTrim(part);
    if (part.empty()) continue;
    const std::optional<int64_t> extent = ParseInt64(part);
    if (!extent || *extent < 0) return NpyError(name, StrCat("bad extent '", part, "'"));
    shape.push_back(*extent);
  }
  return shape;
}

Result<std::string> ParseDescr(std::string_view text, const std::string& name) {
  // Cuts off the quotes; what is left is a byte order and a type.
  text = text.size() > 3 ? text.substr(1, text.size() - 2) : std::string_view();
  for (const DtypeRow& row : kDtypes) {
    if (!text.empty() && !row.npy.empty() && row.npy.substr(1) == text.substr(1) &&
        // '<', '|' and '=' all mean this machine's order here, because Tern runs on little-endian
        // machines only; '>' would need swapping.
        text.front() != '>') {
      return std::string(row.name);
    }
  }
  return NpyError(name, StrCat("element type '", text, "' is not one that Tern reads"));
}

// The two parts of a file: header text and where the data begins.
struct NpyHeader {
  std::string_view text;
  size_t data_offset;
};

// Version 1 has a length of two bytes, versions 2 and 3 of four. A length is compared with what is
// left, never added first, so it cannot overflow.
Result<NpyHeader> SplitNpy(std::span<const uint8_t> file, const std::string& name) {
  const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
  if (!all.starts_with(kNpyMagic) || file.size() < 12) {
    return NpyError(name, "it does not start with NumPy's magic bytes");
  }
  const bool wide = file[6] >= 2;
  const size_t prefix = wide ? 12 : 10;
  size_t length = file[8] | static_cast<size_t>(file[9]) << 8;
  if (wide) length |= static_cast<size_t>(file[10]) << 16 | static_cast<size_t>(file[11]) << 24;
  if (length > file.size() - prefix) return NpyError(name, "its header is cut off");
  return NpyHeader{all.substr(prefix, length), prefix + length};
}

}  // namespace

size_t ElementSize(std::string_view dtype) {
  const DtypeRow* row = FindDtype(dtype);
  return row == nullptr ? 0 : row->size;
}

std::vector<std::string_view> ElementTypes() {
  std::vector<std::string_view> names;
  for (const DtypeRow& row : kDtypes) names.push_back(row.name);
  return names;
}

Result<size_t> ArrayBytes(std::string_view dtype, std::span<const int64_t> shape) {
  // 1 TiB: no product of extents overflows 64 bits below it, and no machine that this is for has
  // more.
  constexpr size_t kLimit = size_t{1} << 40;
  size_t bytes = ElementSize(dtype);
  for (const int64_t extent : shape) {
    if (extent < 0) return UsageError("E0004", StrCat("extent ", extent, " is negative"));
    if (extent != 0 && bytes > kLimit / static_cast<size_t>(extent)) {
      return UsageError("E0004", StrCat(TypeText(dtype, shape), " is too large"));
    }
    bytes *= static_cast<size_t>(extent);
  }
  return bytes;
}

// Checks before it allocates: systems that overcommit memory give what they do not have, and end
// the process when it is written.
Status AllocateArray(Array* array, MemoryBudget* budget) {
  TERN_TRY_ASSIGN(const size_t bytes, ArrayBytes(array->dtype, array->shape));
  const auto refuse = [&](std::string_view why) {
    return OutOfMemory(TypeText(array->dtype, array->shape), " takes ", FormatBytes(bytes), why)
        .SetErrorCode("E0302");
  };
  if (budget != nullptr && budget->limit != 0 && bytes > budget->limit - budget->used) {
    const std::string others =
        budget->used == 0 ? "" : StrCat(", of which other inputs take ", FormatBytes(budget->used));
    return refuse(StrCat("; --max-memory is ", FormatBytes(budget->limit), others));
  }
  const uint64_t obtainable = native::ObtainableBytes();
  const uint64_t used = kInputCopies * (budget != nullptr ? budget->used : 0);
  if (kInputCopies * bytes > obtainable - std::min(used, obtainable)) {
    return refuse(StrCat(
        ", twice, as it is read and as a tensor; this process may have ", FormatBytes(obtainable),
        used == 0 ? "" : StrCat(", of which other inputs take ", FormatBytes(used))));
  }
  // The vector throws where the system gives nothing; the rest of Tern does not know exceptions.
  try {
    array->bytes.assign(bytes, 0);
  } catch (const std::bad_alloc&) {
    return refuse(", which the system does not give");
  }
  if (budget != nullptr) budget->used += bytes;
  return Status();
}

Result<Array> ParseNpy(std::span<const uint8_t> file, const std::string& name,
                       MemoryBudget* budget) {
  TERN_TRY_ASSIGN(const NpyHeader header, SplitNpy(file, name));
  Array array;
  TERN_TRY_ASSIGN(array.dtype, ParseDescr(DictValue(header.text, "'descr'"), name));
  TERN_TRY_ASSIGN(array.shape, ParseShape(DictValue(header.text, "'shape'"), name));
  // With at most one axis both orders are the same.
  if (DictValue(header.text, "'fortran_order'") != "False" && array.shape.size() > 1) {
    return NpyError(name, "it is in Fortran order; save numpy.ascontiguousarray(x) instead");
  }
  TERN_TRY_ASSIGN(const size_t bytes, ArrayBytes(array.dtype, array.shape));
  const std::span<const uint8_t> data = file.subspan(header.data_offset);
  // Must be equal, not only enough: bytes left over mean that the shape is not the file's.
  if (data.size() != bytes) {
    return NpyError(name, StrCat(TypeText(array.dtype, array.shape), " takes ", bytes,
                                 " bytes, the file has ", data.size()));
  }
  TERN_TRY(AllocateArray(&array, budget));
  std::copy(data.begin(), data.end(), array.bytes.begin());
  return array;
}

std::vector<uint8_t> FormatNpy(const Array& array) {
  const DtypeRow* row = FindDtype(array.dtype);
  // bf16 has no type in NumPy; its bits are written as u16, so that nothing is lost.
  const std::string_view descr = row == nullptr || row->npy.empty() ? "<u2" : row->npy;
  std::string dims;
  for (const int64_t extent : array.shape) StrAppend(&dims, extent, ",");
  std::string header =
      StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", dims, "), }");
  // NumPy pads the header so that the data begins at a multiple of 64 bytes, and ends it with a
  // line end.
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string out = StrCat(kNpyMagic, '\x01');
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  std::vector<uint8_t> bytes(out.begin(), out.end());
  bytes.insert(bytes.end(), array.bytes.begin(), array.bytes.end());
  return bytes;
}

// The library owns the tensor's memory; the array is copied into it.
Result<Value> ToTensor(tern_runtime* runtime, const Array& array) {
  Value value;
  TERN_TRY(FromApi(tern_tensor_new(runtime, array.dtype.c_str(),
                                   static_cast<int32_t>(array.shape.size()), array.shape.data(),
                                   value.out())));
  void* data = nullptr;
  size_t bytes = 0;
  TERN_TRY(FromApi(tern_tensor_view(&value.get(), &data, &bytes, nullptr, nullptr, nullptr)));
  // A CHECK, because both sizes come from this process.
  TERN_CHECK(bytes == array.bytes.size(), "a new tensor has the bytes of its shape");
  if (bytes > 0) memcpy(data, array.bytes.data(), bytes);
  return value;
}

Result<Array> FromTensor(const TernAny& tensor) {
  void* data = nullptr;
  size_t bytes = 0;
  int32_t rank = 0;
  const int64_t* shape = nullptr;
  const char* dtype = nullptr;
  TERN_TRY(FromApi(tern_tensor_view(&tensor, &data, &bytes, &rank, &shape, &dtype)));
  Array array;
  array.dtype = dtype;
  array.shape.assign(shape, shape + rank);
  const auto* first = static_cast<const uint8_t*>(data);
  if (bytes > 0) array.bytes.assign(first, first + bytes);
  return array;
}

double ElementAsDouble(const Array& array, size_t i) { return RowOf(array.dtype).load(array, i); }

ElementStore StoreOf(std::string_view dtype) { return RowOf(dtype).store; }

void SetElement(Array* array, size_t i, double value) { StoreOf(array->dtype)(array, i, value); }

std::string TypeText(std::string_view dtype, std::span<const int64_t> shape) {
  return StrCat(dtype, FormatDims(shape));
}

}  // namespace tern::cli
