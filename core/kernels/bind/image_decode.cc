// SPDX-License-Identifier: Apache-2.0
// image_decode: the pixels of an image file that is a tensor of bytes.
#include <cstring>
#include <utility>
#include <vector>

#include "core/images/image.h"
#include "core/kernels/bind/bindings.h"

namespace tern::kernels::bind {
namespace {

// Counted and limited as every tensor of the run is.
class TensorMemory final : public images::Memory {
 public:
  explicit TensorMemory(Call& call) : call_(call) {}

  Result<uint8_t*> New(int64_t size) override {
    TERN_TRY_ASSIGN(TensorPtr tensor, call_.New(kU8, Extents{size}));
    auto* bytes = tensor->data_as<uint8_t>();
    if (size > 0) std::memset(bytes, 0, static_cast<size_t>(size));
    held_.push_back(std::move(tensor));
    return bytes;
  }

 private:
  Call& call_;
  std::vector<TensorPtr> held_;
};

// As Pillow makes grey of colours: by ITU-R 601-2, rounded.
uint8_t GreyOf(const uint8_t* rgb) {
  return static_cast<uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
}

}  // namespace

Result<Any> ImageDecode(const ops::ImageDecodeAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0, kU8);
  TERN_TRY(call.TakeStatus());
  if (x->rank() != 1) return WrongTensor(call, 0, *x, "bytes u8[n]");
  const images::Bytes bytes = x->values<uint8_t>();
  TERN_TRY_ASSIGN(const images::Extent extent, images::ReadExtent(bytes));
  const int64_t pixels = extent.height * extent.width;
  TERN_TRY(call.Charge(ops::MulDim(pixels, 8)));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kU8, Extents{extent.height, extent.width, 3}));
  auto* rgb = y->data_as<uint8_t>();
  TensorMemory memory(call);
  TERN_TRY(images::Decode(bytes, &memory, rgb));
  if (attrs.pixels == ops::PixelFormat::kBgr) {
    for (int64_t i = 0; i < pixels; ++i) std::swap(rgb[i * 3], rgb[i * 3 + 2]);
  }
  if (attrs.pixels != ops::PixelFormat::kGrey) return Any(std::move(y));
  TERN_TRY_ASSIGN(TensorPtr grey, call.New(kU8, Extents{extent.height, extent.width, 1}));
  for (int64_t i = 0; i < pixels; ++i) grey->data_as<uint8_t>()[i] = GreyOf(rgb + i * 3);
  return Any(std::move(grey));
}

}  // namespace tern::kernels::bind
