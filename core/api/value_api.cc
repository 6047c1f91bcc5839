// SPDX-License-Identifier: Apache-2.0
// Values: reference counts, printing, tensors and tuples.
#include <string.h>

#include "core/api/handles.h"
#include "core/base/json.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/sequence.h"
#include "core/object/device.h"
#include "core/object/graph/print.h"
#include "core/object/tensor.h"

namespace tern::api {
namespace {

size_t ItemCount(const TernAny* value) {
  if (const Adt* tuple = View(value).TryCast<Adt>()) return tuple->size();
  if (const Sequence* list = View(value).TryCast<Sequence>()) return list->size();
  return 0;
}

// index < ItemCount(value)
AnyView ItemAt(const TernAny* value, size_t index) {
  if (const Adt* tuple = View(value).TryCast<Adt>()) return AnyView((*tuple)[index]);
  return (*View(value).TryCast<Sequence>())[index];
}

// Names of data types as static text.
const char* DTypeName(DType dtype) {
  static constexpr const char* kNames[] = {"f32", "f64", "f16", "bf16", "i8",  "i16",  "i32",
                                           "i64", "u8",  "u16", "u32",  "u64", "bool", "string"};
  // C keeps the pointer, so that a text made here would end too early.
  const std::string name = dtype.ToString();
  for (const char* known : kNames) {
    if (name == known) return known;
  }
  return "other";
}

// Clears a tensor's memory a word at a time: the C library of the small WebAssembly build clears
// byte by byte, which took longer than most operators. The barrier keeps compilers from turning the
// loop into memset.
void Clear(Tensor* tensor) {
  uint8_t* data = static_cast<uint8_t*>(tensor->data());
  const size_t size = tensor->byte_size(), whole = size / 32 * 32;
  constexpr uint64_t kZeros[4] = {};
  for (size_t i = 0; i < whole; i += sizeof kZeros) {
    memcpy(data + i, kZeros, sizeof kZeros);
    asm volatile("" : : : "memory");
  }
  memset(data + whole, 0, size - whole);
}

Result<Any> NewTensor(tern_runtime* runtime, const char* dtype_name, Dims dims) {
  TERN_TRY_ASSIGN(const DType dtype, DType::Parse(dtype_name));
  TERN_TRY_ASSIGN(TensorPtr tensor, Tensor::New(runtime->allocator.get(), dtype, dims));
  // Memory of this process is nobody else's to read; strings begin empty by themselves.
  if (!dtype.is_string() && tensor->byte_size() > 0) Clear(tensor.get());
  return Any(std::move(tensor));
}

Status ViewTensor(const TernAny* value, void** data, size_t* bytes, int32_t* rank,
                  const int64_t** shape, const char** dtype) {
  TERN_TRY_ASSIGN(const Tensor* tensor, View(value).As<Tensor>());
  // C knows shape and bytes only, no strides.
  if (!tensor->is_contiguous()) {
    return InvalidArgument("a view of a ", tensor->TypeText(), " that is not contiguous");
  }
  const bool is_string = tensor->dtype().is_string();
  // Elements of string tensors are objects; shape and type can still be asked for.
  if (is_string && (data != nullptr || bytes != nullptr)) {
    return TypeError("a string tensor has no plain bytes");
  }
  if (data != nullptr) {
    TERN_TRY(CheckOnHost(*tensor, "the tensor whose data is asked for"));
    *data = tensor->data();
  }
  if (bytes != nullptr) *bytes = tensor->byte_size();
  if (rank != nullptr) *rank = tensor->rank();
  if (shape != nullptr) *shape = tensor->dims().data();
  if (dtype != nullptr) *dtype = DTypeName(tensor->dtype());
  return OkStatus();
}

// Printing is recursive, so the depth that a caller may ask for has a limit.
void SetLimits(const tern_print_options& options, PrintOptions* limits) {
  constexpr uint32_t kMostLevels = 4000;
  const uint64_t elements = options.max_elements, depth = options.max_depth;
  limits->max_elements =
      elements == 0 || elements > INT32_MAX ? INT32_MAX : static_cast<int>(elements);
  limits->max_depth = static_cast<int>(depth == 0 || depth > kMostLevels ? kMostLevels : depth);
}

}  // namespace

tern_status* Print(const TernAny* value, std::string_view format, const tern_print_options* options,
                   PrintOptions limits, uint64_t* omitted, tern_buffer** out) {
  TERN_CHECK_OPTIONS(tern_print_options, options);
  int64_t left_out = 0;
  SetLimits(ReadOptions(options), &limits);
  limits.omitted = &left_out;
  if (format != "text" && format != "json")
    return ToHandle(InvalidArgument("format '", format, "': expected text or json"));
  *out = NewBuffer(format == "json" ? ValueJson(View(value), limits)
                                    : PrintValue(View(value), limits));
  if (omitted != nullptr) *omitted = static_cast<uint64_t>(left_out);
  return nullptr;
}

}  // namespace tern::api

using tern::api::NewBuffer;
using tern::api::ToHandle;
using tern::api::View;

void tern_any_retain(const TernAny* value) {
  // The new reference is the caller's.
  [[maybe_unused]] const TernAny owned = tern::Any(View(value)).Release();
}

void tern_any_release(TernAny* value) {
  tern::Any owned = tern::Any::Adopt(*value);
  *value = TernAny{};
}

tern_status* tern_any_text(const TernAny* value, tern_buffer** text) {
  *text = NewBuffer(tern::PrintValue(View(value)));
  return nullptr;
}

tern_status* tern_any_json(const TernAny* value, tern_buffer** json) {
  *json = NewBuffer(tern::ValueJson(View(value)));
  return nullptr;
}

tern_status* tern_any_print(const TernAny* value, const char* format,
                            const tern_print_options* options, uint64_t* omitted,
                            tern_buffer** out) {
  return tern::api::Print(value, format, options, {}, omitted, out);
}

tern_status* tern_tensor_new(tern_runtime* runtime, const char* dtype, int32_t rank,
                             const int64_t* shape, TernAny* tensor) {
  // Before the cast, which would make it the largest number.
  if (rank < 0) return ToHandle(tern::InvalidArgument("rank ", rank, " of a tensor is negative"));
  tern::Result<tern::Any> made =
      tern::api::NewTensor(runtime, dtype, tern::Dims(shape, static_cast<size_t>(rank)));
  if (!made.ok()) return ToHandle(std::move(made).status());
  *tensor = made->Release();
  return nullptr;
}

tern_status* tern_tensor_view(const TernAny* tensor, void** data, size_t* bytes, int32_t* rank,
                              const int64_t** shape, const char** dtype) {
  return ToHandle(tern::api::ViewTensor(tensor, data, bytes, rank, shape, dtype));
}

int32_t tern_tuple_size(const TernAny* value) {
  return static_cast<int32_t>(tern::api::ItemCount(value));
}

tern_status* tern_tuple_get(const TernAny* value, int32_t index, TernAny* item) {
  const size_t count = tern::api::ItemCount(value);
  if (index < 0 || static_cast<size_t>(index) >= count) {
    return ToHandle(tern::OutOfRange("item ", index, " of a value with ", count, " items"));
  }
  *item = tern::Any(tern::api::ItemAt(value, static_cast<size_t>(index))).Release();
  return nullptr;
}
