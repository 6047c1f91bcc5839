// SPDX-License-Identifier: Apache-2.0
// Storage, Tensor and DLPack: making, windows, ownership, and every refusal.
#include "core/object/tensor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <vector>

#include "core/object/graph/print.h"
#include "core/object/set_element.h"
#include "core/object/small_numbers.h"
#include "tests/unit/object/counting.h"

namespace tern::tensor_test {
namespace {

using TensorTest = CountedTest;
using TensorTestBad = CountedTest;
using DLPackTest = CountedTest;
using DLPackTestBad = CountedTest;

bool IsAligned(const void* p, size_t alignment) {
  return reinterpret_cast<uintptr_t>(p) % alignment == 0;
}

std::vector<float> Floats(const Tensor& tensor) {
  const TensorPtr flat = tensor.Contiguous().value();
  const auto values = flat->values<float>();
  return {values.begin(), values.end()};
}

TensorPtr Iota(std::initializer_list<int64_t> dims) {
  TensorPtr tensor = Tensor::New(kF32, dims).value();
  float next = 0;
  for (float& value : tensor->values<float>()) value = next++;
  return tensor;
}

TEST_F(TensorTest, NewIsAlignedAndContiguous) {
  const TensorPtr tensor = Tensor::New(kF32, {2, 3, 4}).value();
  EXPECT_TRUE(IsAligned(tensor->data(), kTensorAlignment));
  EXPECT_EQ(tensor->rank(), 3);
  EXPECT_EQ(tensor->element_count(), 24);
  EXPECT_EQ(tensor->byte_size(), 96u);
  EXPECT_EQ(tensor->strides()[0], 12);
  EXPECT_EQ(tensor->strides()[2], 1);
  EXPECT_TRUE(tensor->is_contiguous());
  EXPECT_FALSE(tensor->is_read_only());
  EXPECT_EQ(tensor->TypeText(), "f32[2, 3, 4]");
}

TEST_F(TensorTest, ScalarsAndEmptyTensors) {
  const TensorPtr scalar = Tensor::Scalar<int64_t>(42);
  EXPECT_EQ(scalar->rank(), 0);
  EXPECT_EQ(scalar->element_count(), 1);
  EXPECT_EQ(*scalar->data_as<int64_t>(), 42);
  EXPECT_TRUE(scalar->is_contiguous());
  const TensorPtr empty = Tensor::New(kF32, {3, 0, INT64_MAX}).value();
  EXPECT_EQ(empty->element_count(), 0);
  EXPECT_TRUE(empty->is_contiguous());
  EXPECT_EQ(empty->Copy().value()->element_count(), 0);
}

TEST_F(TensorTest, FourBitElementsArePacked) {
  const TensorPtr tensor = Tensor::New(kI4, {3}).value();
  EXPECT_EQ(tensor->byte_size(), 2u);
}

TEST_F(TensorTestBad, ImpossibleShapes) {
  EXPECT_EQ(Tensor::New(kF32, {2, -1}).status().message(),
            "a tensor f32[2, -1] cannot be: axis 1 is -1");
  EXPECT_EQ(Tensor::New(kF32, {INT64_MAX, 2}).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(Tensor::New(kF64, {int64_t{1} << 61}).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(Tensor::New(DType(9, 9), {1}).status().code(), StatusCode::kTypeError);
  EXPECT_FALSE(Tensor::New(nullptr, kF32, std::vector<int64_t>(kMaxRank + 1, 1)).ok());
}

TEST_F(TensorTestBad, OutOfMemoryIsAStatus) {
  CountingPlatform platform;
  const auto allocator = MakePooledAllocator(platform.get());
  platform.fail = true;
  const Status status = Tensor::New(allocator.get(), kF32, std::vector<int64_t>{1000}).status();
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  EXPECT_EQ(
      status.ToString(),
      "out of memory: no memory for 3.9 KiB (0 B are in use)\n  note: for a tensor f32[1000]");
  platform.fail = false;
  allocator->set_limit(1000);
  EXPECT_FALSE(Tensor::New(allocator.get(), kF32, std::vector<int64_t>{1000}).ok());
  EXPECT_TRUE(Tensor::New(allocator.get(), kF32, std::vector<int64_t>{10}).ok());
}

TEST_F(TensorTest, MemoryGoesBackToItsAllocator) {
  CountingPlatform platform;
  TensorPtr survivor;
  {
    const auto allocator = MakeNaiveAllocator(platform.get());
    survivor = Tensor::New(allocator.get(), kF32, std::vector<int64_t>{100}).value();
    EXPECT_EQ(allocator->stats().live_blocks, 2);
  }
  // The allocator lives as long as its memory does.
  survivor->values<float>()[99] = 1;
  EXPECT_GT(platform.bytes, 400);
  survivor = nullptr;
  EXPECT_EQ(platform.blocks, 0);
  EXPECT_EQ(platform.bytes, 0);
}

TEST_F(TensorTest, FromValuesCopies) {
  const TensorPtr tensor = Tensor::FromValues<int32_t>({1, -2, 3, 4}, {2, 2}).value();
  EXPECT_EQ(tensor->dtype(), kI32);
  EXPECT_EQ(tensor->values<int32_t>()[1], -2);
}

TEST_F(TensorTestBad, FromValuesNeedsAsMany) {
  EXPECT_EQ(Tensor::FromValues<float>({1, 2, 3}, {2, 2}).status().message(),
            "a tensor f32[2, 2] takes 16 bytes, got 12");
  EXPECT_FALSE(Tensor::FromBytes(kString, {}, {}).ok());
}

TEST_F(TensorTest, FromMemoryKeepsItsKeeper) {
  alignas(64) static const float kWeights[4] = {1, 2, 3, 4};
  const StoragePtr keeper = Storage::New(nullptr, 1).value();
  {
    const int64_t dims[] = {2, 2};
    const TensorPtr tensor =
        Tensor::FromMemory(kWeights, sizeof kWeights, keeper, kF32, dims).value();
    EXPECT_EQ(tensor->data(), kWeights);
    EXPECT_TRUE(tensor->is_read_only());
    EXPECT_EQ(keeper->ref_count(), 2);
    const TensorPtr view = tensor->Slice(0, 1, 2).value();
    EXPECT_EQ(keeper->ref_count(), 3);
    EXPECT_TRUE(view->is_read_only());
  }
  EXPECT_EQ(keeper->ref_count(), 1);
}

TEST_F(TensorTest, FromUnalignedTakesAnyAddress) {
  alignas(8) uint8_t bytes[20] = {};
  const float numbers[4] = {1, 2, 3, 4};
  std::memcpy(bytes + 1, numbers, sizeof numbers);
  const int64_t dims[] = {2, 2};
  const TensorPtr odd = Tensor::FromUnaligned(bytes + 1, 16, nullptr, kF32, dims).value();
  EXPECT_FALSE(odd->is_aligned());
  EXPECT_TRUE(odd->is_read_only());
  EXPECT_TRUE(odd->is_contiguous());
  const TensorPtr aligned = odd->Contiguous().value();
  EXPECT_TRUE(aligned->is_aligned());
  EXPECT_EQ(aligned->values<float>()[3], 4);
  // A column, whose elements lie apart.
  const TensorPtr column = odd->Slice(1, 1, 2).value();
  EXPECT_FALSE(column->is_aligned());
  EXPECT_EQ(column->Contiguous().value()->values<float>()[1], 4);
  const TensorPtr even = Tensor::FromUnaligned(bytes, 16, nullptr, kF32, dims).value();
  EXPECT_TRUE(even->is_aligned());
  EXPECT_EQ(even->Contiguous().value()->data(), bytes);
  EXPECT_TRUE(Tensor::FromUnaligned(bytes + 1, 16, nullptr, kU8, dims).value()->is_aligned());
}

TEST_F(TensorTestBad, FromUnalignedChecksSize) {
  const uint8_t bytes[16] = {};
  const int64_t dims[] = {4};
  EXPECT_EQ(Tensor::FromUnaligned(bytes + 1, 15, nullptr, kF32, dims).status().message(),
            "a tensor f32[4] takes 16 bytes, 15 are there");
  EXPECT_FALSE(Tensor::FromUnaligned(bytes, 16, nullptr, kString, {}).ok());
}

TEST_F(TensorTestBad, FromMemoryChecksSizeAndAlignment) {
  alignas(8) const uint8_t bytes[16] = {};
  const int64_t dims[] = {4};
  EXPECT_EQ(Tensor::FromMemory(bytes, 15, nullptr, kF32, dims).status().message(),
            "a tensor f32[4] takes 16 bytes, 15 are there");
  const int64_t three[] = {3};
  EXPECT_EQ(Tensor::FromMemory(bytes + 1, 15, nullptr, kF32, three).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(Tensor::FromMemory(bytes + 1, 15, nullptr, kU8, three).ok());
}

TEST_F(TensorTest, WindowsOnOneStorage) {
  const StoragePtr storage = Storage::New(nullptr, 256).value();
  const int64_t dims[] = {8};
  const TensorPtr a = Tensor::FromStorage(storage, 0, kF32, dims).value();
  const TensorPtr b = Tensor::FromStorage(storage, 64, kF32, dims).value();
  EXPECT_EQ(static_cast<uint8_t*>(b->data()) - static_cast<uint8_t*>(a->data()), 64);
  EXPECT_EQ(storage->ref_count(), 3);
}

TEST_F(TensorTestBad, WindowsPastTheEnd) {
  const StoragePtr storage = Storage::New(nullptr, 64).value();
  const int64_t dims[] = {8};
  EXPECT_EQ(Tensor::FromStorage(storage, 36, kF32, dims).status().message(),
            "a tensor f32[8] takes 32 bytes from offset 36, the storage has 64");
  EXPECT_FALSE(Tensor::FromStorage(storage, SIZE_MAX, kF32, dims).ok());
  EXPECT_FALSE(Tensor::FromStorage(storage, 2, kF32, dims).ok());  // misaligned
}

TEST_F(TensorTest, StorageHonoursAlignmentAndReleasesOnce) {
  for (const size_t alignment : std::initializer_list<size_t>{1, 16, 64, 128, 4096}) {
    EXPECT_TRUE(IsAligned(Storage::New(nullptr, 100, alignment).value()->data(), alignment));
  }
  EXPECT_FALSE(Storage::New(nullptr, 8, 3).ok());
  EXPECT_FALSE(Storage::New(nullptr, 8, 8192).ok());
  int released = 0;
  uint8_t bytes[4];
  {
    const auto count = [](void* context, void*, size_t) { ++*static_cast<int*>(context); };
    const StoragePtr wrapped = Storage::Wrap(bytes, sizeof bytes, count, &released);
    const int64_t dims[] = {4};
    const TensorPtr tensor = Tensor::FromStorage(wrapped, 0, kU8, dims).value();
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST_F(TensorTest, ReshapeSharesMemory) {
  const TensorPtr tensor = Iota({2, 6});
  const int64_t dims[] = {3, 4};
  const TensorPtr view = tensor->Reshape(dims).value();
  EXPECT_EQ(view->data(), tensor->data());
  EXPECT_EQ(view->dim(1), 4);
}

TEST_F(TensorTestBad, ReshapeToAnotherCount) {
  const TensorPtr tensor = Iota({2, 6});
  const int64_t dims[] = {5};
  EXPECT_EQ(tensor->Reshape(dims).status().message(),
            "a tensor f32[2, 6] of 12 elements cannot have the shape [5] of 5");
  const int64_t negative[] = {-12};
  EXPECT_FALSE(tensor->Reshape(negative).ok());
  const int64_t twelve[] = {12};
  EXPECT_FALSE(tensor->Slice(1, 0, 6, 2).value()->Reshape(twelve).ok());
}

TEST_F(TensorTest, SlicesAndSteps) {
  const TensorPtr tensor = Iota({3, 4});
  EXPECT_EQ(Floats(*tensor->Slice(0, 1, 3).value()),
            (std::vector<float>{4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(Floats(*tensor->Slice(1, 1, 4, 2).value()), (std::vector<float>{1, 3, 5, 7, 9, 11}));
  const TensorPtr nested = tensor->Slice(0, 2, 3).value()->Slice(1, 3, 4).value();
  EXPECT_EQ(Floats(*nested), (std::vector<float>{11}));
  EXPECT_EQ(tensor->Slice(1, 4, 4).value()->element_count(), 0);
  EXPECT_TRUE(tensor->Slice(0, 1, 3).value()->is_contiguous());
  EXPECT_FALSE(tensor->Slice(1, 0, 2).value()->is_contiguous());
}

TEST_F(TensorTestBad, SlicesOutside) {
  const TensorPtr tensor = Iota({3, 4});
  EXPECT_EQ(tensor->Slice(0, 1, 4).status().message(), "slice [1:4:1] of axis 0 of f32[3, 4]");
  EXPECT_FALSE(tensor->Slice(2, 0, 1).ok());
  EXPECT_FALSE(tensor->Slice(-1, 0, 1).ok());
  EXPECT_FALSE(tensor->Slice(0, -1, 1).ok());
  EXPECT_FALSE(tensor->Slice(0, 2, 1).ok());
  EXPECT_FALSE(tensor->Slice(0, 0, 3, 0).ok());
  EXPECT_FALSE(Tensor::New(kI4, {4}).value()->Slice(0, 1, 2).ok());
}

TEST_F(TensorTest, TransposedAndReversedViews) {
  const TensorPtr tensor = Iota({2, 3});
  const int64_t dims[] = {3, 2}, transposed[] = {1, 3};
  EXPECT_EQ(Floats(*tensor->View(dims, transposed, 0).value()),
            (std::vector<float>{0, 3, 1, 4, 2, 5}));
  const int64_t six[] = {6}, backwards[] = {-1};
  EXPECT_EQ(Floats(*tensor->View(six, backwards, 5).value()),
            (std::vector<float>{5, 4, 3, 2, 1, 0}));
  const int64_t repeat[] = {0};
  EXPECT_EQ(Floats(*tensor->View(six, repeat, 2).value()), (std::vector<float>(6, 2)));
}

TEST_F(TensorTestBad, ViewsThatLeaveTheTensor) {
  const TensorPtr tensor = Iota({2, 3});
  const int64_t seven[] = {7}, six[] = {6}, one[] = {1}, minus[] = {-1}, huge[] = {INT64_MAX};
  EXPECT_FALSE(tensor->View(seven, one, 0).ok());
  EXPECT_FALSE(tensor->View(six, one, 1).ok());
  EXPECT_FALSE(tensor->View(six, minus, 4).ok());
  EXPECT_FALSE(tensor->View(six, huge, 0).ok());
  EXPECT_FALSE(tensor->View(one, one, INT64_MAX).ok());
  EXPECT_FALSE(tensor->View(six, {}, 0).ok());
}

TEST_F(TensorTest, ViewsKeepMemoryAlive) {
  TensorPtr view;
  {
    const TensorPtr tensor = Iota({4});
    view = tensor->Slice(0, 3, 4).value();
  }
  EXPECT_EQ(Floats(*view), (std::vector<float>{3}));
}

TEST_F(TensorTest, ContiguousIsTheSameWhereItCan) {
  const TensorPtr tensor = Iota({2, 2});
  EXPECT_EQ(tensor->Contiguous().value(), tensor);
  EXPECT_NE(tensor->Copy().value()->data(), tensor->data());
}

// Also with last axes of one element, before which the elements of a row lie apart.
TEST_F(TensorTest, CopiesElementsOfEverySizeInOrder) {
  const std::vector<int64_t> shapes[] = {{3, 2}, {3, 2, 1, 1}};
  const std::vector<int64_t> strides = {1, 3, 1, 1};
  for (const DType dtype : {kU8, kU16, kF32, kI64}) {
    const TensorPtr tensor = Tensor::New(dtype, {2, 3}).value();
    auto* bytes = static_cast<uint8_t*>(tensor->data());
    for (size_t i = 0; i < tensor->byte_size(); ++i) bytes[i] = static_cast<uint8_t>(i);
    const auto size = static_cast<size_t>(dtype.size());
    for (const std::vector<int64_t>& dims : shapes) {
      const TensorPtr turned = tensor->View(dims, std::span(strides).first(dims.size()), 0).value();
      const TensorPtr copy = turned->Copy().value();
      const auto* copied = static_cast<const uint8_t*>(copy->data());
      for (size_t i = 0; i < 6; ++i)
        EXPECT_EQ(std::memcmp(copied + i * size, bytes + (i % 2 * 3 + i / 2) * size, size), 0)
            << copy->TypeText() << ", element " << i;
    }
  }
}

TEST_F(TensorTest, ElementsOfEveryTypeTakeNumbers) {
  for (const DType dtype : {kF64, kF32, kF16, kBf16, kF8E4M3, kF8E5M2, kF4E2M1, kI64, kI32, kI16,
                            kI8, kI4, kU64, kU32, kU16, kU8, kU4, kU2}) {
    const TensorPtr tensor = Tensor::New(dtype, {3}).value();
    for (int64_t i = 0; i < 3; ++i)
      EXPECT_TRUE(SetElement(*tensor, i, {static_cast<double>(i + 1), i + 1}));
    for (int64_t i = 0; i < 3; ++i)
      EXPECT_EQ(TensorElement(*tensor, i), static_cast<double>(i + 1)) << dtype.ToString();
  }
  const TensorPtr truth = Tensor::New(kBool, {1}).value();
  EXPECT_TRUE(SetElement(*truth, 0, {0.5, 0}));
  EXPECT_EQ(TensorElementText(*truth, 0), "true");
}

TEST_F(TensorTestBad, WhatHasNoNumbersTakesNone) {
  for (const DType dtype : {kString, kC64, kC128, DType(TERN_DTYPE_FLOAT, 32, 4)})
    EXPECT_FALSE(SetElement(*Tensor::New(dtype, {1}).value(), 0, {1, 1})) << dtype.ToString();
}

TEST_F(TensorTest, Strings) {
  const std::string_view values[] = {"a", "", "a longer text", "zz"};
  const int64_t dims[] = {2, 2};
  const TensorPtr tensor = Tensor::FromStrings(values, dims).value();
  EXPECT_EQ(tensor->TypeText(), "string[2, 2]");
  EXPECT_EQ(tensor->string_at(2), "a longer text");
  tensor->set_string(0, "another long text");
  const TensorPtr copy = tensor->Slice(1, 0, 1).value()->Copy().value();
  tensor->set_string(2, "changed");
  EXPECT_EQ(copy->string_at(0), "another long text");
  EXPECT_EQ(copy->string_at(1), "a longer text");
  EXPECT_EQ(Tensor::New(kString, {3}).value()->string_at(2), "");
}

TEST_F(TensorTestBad, StringsNeedAsManyAndNoBytes) {
  const std::string_view values[] = {"a"};
  const int64_t dims[] = {2};
  EXPECT_EQ(Tensor::FromStrings(values, dims).status().message(),
            "a tensor string[2] takes 2 strings, got 1");
  const StoragePtr storage = Storage::New(nullptr, 64).value();
  EXPECT_FALSE(Tensor::FromStorage(storage, 0, kString, dims).ok());
}

// --- DLPack

// A foreign tensor that counts the calls of its deleter.
struct Foreign {
  Foreign() {
    managed.version = {1, 1};
    managed.manager_ctx = this;
    managed.deleter = [](TernDLManagedTensorVersioned* self) {
      ++static_cast<Foreign*>(self->manager_ctx)->deleted;
    };
    managed.dl_tensor = {data, {TERN_DEVICE_CPU, 0}, 2, kF32, shape, nullptr, 0};
  }
  alignas(64) float data[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 3};
  int64_t strides[2] = {1, 2};
  int deleted = 0;
  TernDLManagedTensorVersioned managed = {};
};

// F04: nothing is copied, the deleter is called once, and what may only be read stays so.
TEST_F(DLPackTest, ImportIsZeroCopyAndDeletesOnce) {
  Foreign foreign;
  {
    TensorPtr tensor = Tensor::FromDLPack(&foreign.managed).value();
    EXPECT_EQ(tensor->data(), foreign.data);
    EXPECT_EQ(tensor->TypeText(), "f32[2, 3]");
    const TensorPtr view = tensor->Slice(0, 1, 2).value();
    tensor = nullptr;
    EXPECT_EQ(foreign.deleted, 0) << "a view keeps it";
    EXPECT_EQ(Floats(*view), (std::vector<float>{3, 4, 5}));
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST_F(DLPackTest, ImportHonoursStridesOffsetAndReadOnly) {
  Foreign foreign;
  foreign.managed.dl_tensor.strides = foreign.strides;
  foreign.managed.dl_tensor.byte_offset = 4;
  foreign.shape[1] = 2;
  foreign.managed.flags = TERN_DLPACK_READ_ONLY;
  const TensorPtr tensor = Tensor::FromDLPack(&foreign.managed).value();
  EXPECT_EQ(tensor->data(), foreign.data + 1);
  EXPECT_EQ(Floats(*tensor), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_TRUE(tensor->is_read_only());
  EXPECT_TRUE(tensor->Slice(0, 0, 1).value()->is_read_only());
  EXPECT_FALSE(tensor->Copy().value()->is_read_only());
}

TEST_F(DLPackTest, ExportSharesAndReturnsTheReference) {
  const TensorPtr tensor = Iota({2, 3});
  TernDLManagedTensorVersioned* managed = tensor->ToDLPack().value();
  EXPECT_EQ(tensor->ref_count(), 2);
  EXPECT_EQ(managed->dl_tensor.data, tensor->data());
  EXPECT_EQ(managed->dl_tensor.shape[1], 3);
  EXPECT_EQ(managed->version.major, 1u);
  managed->deleter(managed);
  EXPECT_EQ(tensor->ref_count(), 1);
}

TEST_F(DLPackTest, ThereAndBackAgain) {
  TensorPtr back;
  {
    const TensorPtr tensor = Iota({4});
    tensor->set_read_only();
    back = Tensor::FromDLPack(tensor->ToDLPack().value()).value();
    EXPECT_EQ(back->data(), tensor->data());
  }
  EXPECT_EQ(Floats(*back), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_TRUE(back->is_read_only());
}

TEST_F(DLPackTest, D16NarrowTypesAreData) {
  // Codes as they lie in memory; printed as the numbers they mean.
  const uint8_t f8[] = {0x38, 0xC0, 0x7E}, e5m2[] = {0x3C, 0x7C}, nibbles[] = {0xF1, 0x07};
  const uint16_t f16[] = {0x3C00, 0xC000}, bf16[] = {0x3F80, 0x4000};
  const auto text = [](DType dtype, Dims dims, const auto& bytes) {
    const TensorPtr tensor =
        Tensor::FromBytes(dtype, dims, {reinterpret_cast<const uint8_t*>(bytes), sizeof bytes})
            .value();
    const TensorPtr back = Tensor::FromDLPack(tensor->ToDLPack().value()).value();
    EXPECT_EQ(back->data(), tensor->data());
    EXPECT_EQ(back->dtype(), dtype);
    return PrintValue(back);
  };
  const int64_t two[] = {2}, three[] = {3};
  EXPECT_EQ(text(kF8E4M3, three, f8), "f8e4m3[3] [1, -2, 448]");
  EXPECT_EQ(text(kF8E5M2, two, e5m2), "f8e5m2[2] [1, inf]");
  EXPECT_EQ(text(kI4, three, nibbles), "i4[3] [1, -1, 7]");
  EXPECT_EQ(text(kU4, three, nibbles), "u4[3] [1, 15, 7]");
  EXPECT_EQ(text(kF16, two, f16), "f16[2] [1, -2]");
  EXPECT_EQ(text(kBf16, two, bf16), "bf16[2] [1, 2]");
}

TEST_F(DLPackTestBad, RefusedImportsStayTheCallers) {
  const auto refuse = [](void (*spoil)(Foreign*)) {
    Foreign foreign;
    spoil(&foreign);
    const Status status = Tensor::FromDLPack(&foreign.managed).status();
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(foreign.deleted, 0);
    return std::string(status.message());
  };
  EXPECT_EQ(refuse([](Foreign* f) { f->managed.version.major = 2; }),
            "DLPack version 2.1: expected 1.x");
  EXPECT_EQ(refuse([](Foreign* f) { f->managed.dl_tensor.device.device_type = 2; }),
            "a DLPack tensor on device type 2: expected 1 (CPU)");
  refuse([](Foreign* f) { f->managed.dl_tensor.ndim = -1; });
  refuse([](Foreign* f) { f->managed.dl_tensor.ndim = 1000; });
  refuse([](Foreign* f) { f->managed.dl_tensor.shape = nullptr; });
  refuse([](Foreign* f) { f->managed.dl_tensor.data = nullptr; });
  refuse([](Foreign* f) { f->managed.dl_tensor.byte_offset = 1; });
  refuse([](Foreign* f) { f->managed.dl_tensor.dtype.bits = 7; });
  refuse([](Foreign* f) { f->managed.dl_tensor.dtype = kString; });
  refuse([](Foreign* f) { f->shape[0] = -2; });
  refuse([](Foreign* f) { f->shape[0] = INT64_MAX; });
  refuse([](Foreign* f) {
    f->strides[0] = INT64_MAX;
    f->shape[0] = 3;
    f->managed.dl_tensor.strides = f->strides;
  });
  EXPECT_FALSE(Tensor::FromDLPack(nullptr).ok());
  EXPECT_FALSE(Tensor::New(kString, {1}).value()->ToDLPack().ok());
}

}  // namespace
}  // namespace tern::tensor_test
