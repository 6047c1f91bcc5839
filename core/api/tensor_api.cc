// SPDX-License-Identifier: Apache-2.0
// What an inspector asks of a tensor.
#include <string.h>

#include "core/api/handles.h"
#include "core/object/tensor.h"
#include "core/vm/debug/tensor_summary.h"

namespace tern::api {
namespace {

Result<std::string> LayoutOf(const AnyView& value) {
  TERN_TRY_ASSIGN(const Tensor* tensor, value.As<Tensor>());
  return vm::TensorLayoutJson(*tensor);
}

Result<std::string> StatisticsOf(const AnyView& value, const vm::StatisticsOptions& options) {
  TERN_TRY_ASSIGN(const Tensor* tensor, value.As<Tensor>());
  return vm::TensorStatisticsJson(*tensor, options);
}

Result<std::string> ComparisonOf(const AnyView& a, const AnyView& b, double atol, double rtol) {
  TERN_TRY_ASSIGN(const Tensor* left, a.As<Tensor>());
  TERN_TRY_ASSIGN(const Tensor* right, b.As<Tensor>());
  return vm::CompareTensorsJson(*left, *right, atol, rtol);
}

// A copy, so that a large tensor can end although a part of it is looked at. starts and counts have
// the tensor's rank, which the caller was told.
Result<Any> WindowOf(const AnyView& value, const int64_t* starts, const int64_t* counts) {
  TERN_TRY_ASSIGN(const Tensor* tensor, value.As<Tensor>());
  const auto rank = static_cast<size_t>(tensor->rank());
  TERN_TRY_ASSIGN(TensorPtr copy, vm::CopyWindow(*tensor, {starts, rank}, {counts, rank}));
  return Any(std::move(copy));
}

// Two int32, then the planes.
std::vector<uint8_t> PictureBytes(const vm::TensorPicture& picture) {
  // Four planes of f32: one copy takes them through the boundary, whatever language is behind it.
  std::vector<uint8_t> bytes(8 + 16 * picture.mean.size());
  uint8_t* at = bytes.data();
  // Copied and not cast: nothing says that the bytes are aligned.
  memcpy(at, &picture.rows, 4);
  memcpy(at + 4, &picture.columns, 4);
  at += 8;
  for (const std::vector<float>* plane :
       {&picture.mean, &picture.low, &picture.high, &picture.bad}) {
    if (!plane->empty()) memcpy(at, plane->data(), 4 * plane->size());
    at += 4 * plane->size();
  }
  return bytes;
}

Result<std::vector<uint8_t>> PictureOf(const AnyView& value, const int32_t* axes,
                                       const int64_t* index, const int32_t* most) {
  TERN_TRY_ASSIGN(const Tensor* tensor, value.As<Tensor>());
  const auto rank = static_cast<size_t>(tensor->rank());
  TERN_TRY_ASSIGN(const vm::TensorPicture picture,
                  vm::MakeTensorPicture(*tensor, {.row_axis = axes[0],
                                                  .column_axis = axes[1],
                                                  .index = {index, rank},
                                                  .max_rows = most[0],
                                                  .max_columns = most[1]}));
  return PictureBytes(picture);
}

}  // namespace
}  // namespace tern::api

using namespace tern::api;  // NOLINT: the functions below give those above to C

tern_status* tern_tensor_layout(const TernAny* tensor, tern_buffer** json) {
  return Give(LayoutOf(View(tensor)), json);
}

tern_status* tern_tensor_hash(const TernAny* tensor, uint64_t* hash) {
  const tern::Result<tern::Tensor*> it = View(tensor).As<tern::Tensor>();
  if (!it.ok()) return ToHandle(it.status().Clone());
  *hash = tern::vm::TensorHash(**it);
  return nullptr;
}

tern_status* tern_tensor_statistics(const TernAny* tensor, int32_t bins, double low, double high,
                                    tern_buffer** json) {
  return Give(StatisticsOf(View(tensor), {.bins = bins, .low = low, .high = high}), json);
}

tern_status* tern_tensor_picture(const TernAny* tensor, const int32_t* axes, const int64_t* index,
                                 const int32_t* most, tern_buffer** picture) {
  tern::Result<std::vector<uint8_t>> made = PictureOf(View(tensor), axes, index, most);
  if (!made.ok()) return ToHandle(std::move(made).status());
  *picture = NewBuffer(*std::move(made));
  return nullptr;
}

tern_status* tern_tensor_window(const TernAny* tensor, const int64_t* starts, const int64_t* counts,
                                TernAny* copy) {
  return Give(WindowOf(View(tensor), starts, counts), copy);
}

tern_status* tern_tensor_compare(const TernAny* a, const TernAny* b, double atol, double rtol,
                                 tern_buffer** json) {
  return Give(ComparisonOf(View(a), View(b), atol, rtol), json);
}
