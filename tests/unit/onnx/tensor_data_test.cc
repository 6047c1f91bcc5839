// SPDX-License-Identifier: Apache-2.0
// MakeTensor: every way a file may hold elements, and every way it may lie about them.
#include "core/onnx/tensor_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "core/object/graph/print.h"
#include "tests/support/onnx_writer.h"

namespace tern::onnx::tensor_data_test {
namespace {

Tensor Raw(int32_t data_type, std::vector<int64_t> dims, std::string_view raw) {
  Tensor tensor;
  tensor.data_type = data_type;
  tensor.dims = std::move(dims);
  tensor.raw_data = raw;
  tensor.has_raw_data = true;
  return tensor;
}

std::string ErrorOf(const Tensor& tensor, const TensorSource& source = {}) {
  Result<TensorPtr> result = MakeTensor(tensor, source);
  return result.ok() ? "" : std::string(result.status().message());
}

TEST(TensorDataTest, CopiesRawDataThatNobodyKeeps) {
  const std::vector<float> values = {1, 2, 3, 4};
  const std::string raw = test::RawBytes(values);
  const TensorPtr tensor = MakeTensor(Raw(1, {2, 2}, raw), {}).value();
  EXPECT_EQ(tensor->TypeText(), "f32[2, 2]");
  EXPECT_NE(static_cast<const void*>(tensor->data()), raw.data());
  EXPECT_EQ(tensor->values<float>()[3], 4);
}

TEST(TensorDataTest, LooksAtRawDataThatIsKept) {
  const TensorPtr bytes = tern::Tensor::FromValues<float>({5, 6}, {2}).value();
  const std::string_view raw(static_cast<const char*>(bytes->data()), 8);
  const TensorPtr tensor = MakeTensor(Raw(1, {2}, raw), {.keeper = bytes}).value();
  EXPECT_EQ(tensor->data(), bytes->data());
  EXPECT_TRUE(tensor->is_read_only());
}

TEST(TensorDataTest, CopiesKeptDataThatIsMisaligned) {
  const TensorPtr bytes =
      tern::Tensor::FromValues<uint8_t>({0, 0, 0, 128, 63, 0, 0, 0}, {8}).value();
  const std::string_view raw(static_cast<const char*>(bytes->data()) + 1, 4);
  const TensorPtr tensor = MakeTensor(Raw(1, {1}, raw), {.keeper = bytes}).value();
  EXPECT_EQ(tensor->values<float>()[0], 1.0f);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 4, 0u);
}

TEST(TensorDataTest, LeavesLargeWeightsWhereTheyAre) {
  constexpr int64_t kCount = 16384;
  for (const int64_t count : {kCount, kCount - 1}) {
    const auto size = static_cast<size_t>(count) * sizeof(float);
    const TensorPtr bytes = tern::Tensor::New(kU8, {count * 4 + 1}).value();
    std::fill_n(static_cast<uint8_t*>(bytes->data()), size + 1, uint8_t{0x3F});
    const std::string_view raw(static_cast<const char*>(bytes->data()) + 1, size);
    const TensorPtr weights = MakeWeights(Raw(1, {count}, raw), {.keeper = bytes}).value();
    EXPECT_EQ(weights->is_aligned(), count < kCount);
    EXPECT_EQ(weights->data() == raw.data(), count == kCount);
    const TensorPtr tensor = MakeTensor(Raw(1, {count}, raw), {.keeper = bytes}).value();
    EXPECT_TRUE(tensor->is_aligned());
    EXPECT_EQ(std::memcmp(tensor->data(), raw.data(), size), 0);
    // Nobody keeps the bytes.
    EXPECT_TRUE(MakeWeights(Raw(1, {count}, raw), {}).value()->is_aligned());
  }
}

// Weights of some exporters are lists of floats: used in place, too, if somebody keeps them.
TEST(TensorDataTest, LooksAtPackedListsThatAreKept) {
  const TensorPtr kept = tern::Tensor::FromValues<float>({5, 6, 7}, {3}).value();
  const auto packed = [&](size_t offset, std::vector<int64_t> dims) {
    Tensor tensor;
    tensor.data_type = 1;
    tensor.dims = std::move(dims);
    tensor.float_data.AppendBlock({static_cast<const uint8_t*>(kept->data()) + offset, 8});
    return tensor;
  };
  const TensorPtr in_place = MakeTensor(packed(4, {2}), {.keeper = kept}).value();
  EXPECT_EQ(in_place->values<float>()[1], 7);
  EXPECT_EQ(in_place->data(), static_cast<const uint8_t*>(kept->data()) + 4);
  EXPECT_NE(MakeTensor(packed(4, {2}), {}).value()->data(), in_place->data());
  const TensorPtr misaligned = MakeTensor(packed(2, {2}), {.keeper = kept}).value();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(misaligned->data()) % 4, 0u);
  EXPECT_THAT(ErrorOf(packed(0, {3}), {.keeper = kept}),
              testing::HasSubstr("need 3 elements, but it holds 2"));
  Tensor empty;
  empty.data_type = 1;
  empty.dims = {0};
  EXPECT_EQ(MakeTensor(empty, {.keeper = kept}).value()->element_count(), 0);
}

TEST(TensorDataTest, ReadsTypedLists) {
  Tensor floats;
  floats.data_type = 1;
  floats.dims = {2};
  floats.float_data.Append(0.5f);
  floats.float_data.Append(-1);
  EXPECT_EQ(MakeTensor(floats, {}).value()->values<float>()[1], -1);
  Tensor halves;
  halves.data_type = 10;
  halves.dims = {1};
  halves.int32_data = {0x3C00};
  EXPECT_EQ(*static_cast<const uint16_t*>(MakeTensor(halves, {}).value()->data()), 0x3C00);
  Tensor bools;
  bools.data_type = 9;
  bools.dims = {3};
  bools.int32_data = {0, 7, 1};
  EXPECT_EQ(MakeTensor(bools, {}).value()->bytes()[1], 1);
  Tensor words;
  words.data_type = 8;
  words.dims = {2};
  words.string_data = {"a", "bc"};
  EXPECT_EQ(MakeTensor(words, {}).value()->string_at(1), "bc");
}

TEST(TensorDataTest, MakesBoolsOfRawBytesZeroOrOne) {
  const TensorPtr tensor = MakeTensor(Raw(9, {3}, std::string_view("\x00\xFF\x01", 3)), {}).value();
  EXPECT_EQ(tensor->bytes()[1], 1);
}

TEST(TensorDataTest, WritesOutSparseTensors) {
  SparseTensor sparse;
  const std::string values = test::RawBytes(std::vector<float>{7, 8});
  const std::string places = test::RawBytes(std::vector<int64_t>{0, 1, 1, 0});
  sparse.values = Raw(1, {2}, values);
  sparse.indices = Raw(7, {2, 2}, places);
  sparse.dims = {2, 2};
  const TensorPtr dense = MakeDenseTensor(sparse, {}).value();
  EXPECT_EQ(dense->values<float>()[1], 7);
  EXPECT_EQ(dense->values<float>()[2], 8);
  EXPECT_EQ(dense->values<float>()[3], 0);
}

TEST(TensorDataTest, RefusesSparseIndicesOutside) {
  SparseTensor sparse;
  const std::string values = test::RawBytes(std::vector<float>{7});
  const std::string places = test::RawBytes(std::vector<int64_t>{4});
  sparse.values = Raw(1, {1}, values);
  sparse.indices = Raw(7, {1}, places);
  sparse.dims = {2, 2};
  EXPECT_FALSE(MakeDenseTensor(sparse, {}).ok());
  sparse.dims = {int64_t{1} << 40, int64_t{1} << 20};
  EXPECT_FALSE(MakeDenseTensor(sparse, {}).ok());
}

TEST(TensorDataTest, RefusesLengthsThatDoNotFit) {
  EXPECT_NE(ErrorOf(Raw(1, {2, 2}, "12345678")).find("need 16 bytes, but it holds 8"),
            std::string::npos);
  EXPECT_NE(ErrorOf(Raw(1, {2}, "1234567890")), "");
  EXPECT_NE(ErrorOf(Raw(1, {int64_t{1} << 62, 8}, "1234")), "");
  EXPECT_NE(ErrorOf(Raw(1, {int64_t{1} << 40}, "1234")), "");
  Tensor list;
  list.data_type = 7;
  list.dims = {3};
  list.int64_data = {1};
  EXPECT_NE(ErrorOf(list).find("need 3 elements, but it holds 1"), std::string::npos);
}

TEST(TensorDataTest, SmallNumbersByteByByteOrPacked) {
  const auto text = [](const Tensor& tensor) {
    const Result<TensorPtr> made = MakeTensor(tensor, {});
    return made.ok() ? PrintValue(Any(*made)) : std::string(made.status().message());
  };
  Tensor tensor;
  tensor.dims = {3};
  tensor.data_type = 23;
  tensor.int32_data = {0x21, 0x0F};
  EXPECT_EQ(text(tensor), "f4e2m1[3] [0.5, 1, -6]");
  tensor.data_type = 26;
  tensor.int32_data = {0x39};
  EXPECT_EQ(text(tensor), "i2[3] [1, -2, -1]");
  tensor.data_type = 18;
  tensor.int32_data = {0x40, 0x80, 0xFF};
  EXPECT_EQ(text(tensor), "f8e4m3fnuz[3] [1, nan, -240]");
  tensor.data_type = 23;
  EXPECT_THAT(text(tensor), ::testing::HasSubstr("need 3 elements, but it holds 6"));
}

TEST(TensorDataTest, RefusesNegativeDimensionsAndUnknownTypes) {
  EXPECT_NE(ErrorOf(Raw(1, {-1}, "")).find("negative"), std::string::npos);
  EXPECT_NE(ErrorOf(Raw(99, {1}, "1234")).find("99"), std::string::npos);
  EXPECT_NE(ErrorOf(Raw(17, {2}, "1")).find("float8e4m3fn need 2 bytes"), std::string::npos);
  EXPECT_NE(ErrorOf(Raw(1, std::vector<int64_t>(100, 1), "1234")).find("rank"), std::string::npos);
}

// ---- external data

struct Folder {
  std::string location;
  int64_t offset = 0, length = 0;
  std::string bytes;

  ExternalData Reader() {
    return {this,
            [](void* context, std::string_view location, int64_t offset, int64_t length,
               ObjectPtr<Object>*) -> Result<ByteSpan> {
              Folder* folder = static_cast<Folder*>(context);
              folder->location = location;
              folder->offset = offset;
              folder->length = length;
              return AsBytes(folder->bytes);
            }};
  }
};

Tensor External(std::string_view location) {
  Tensor tensor;
  tensor.data_type = 1;
  tensor.dims = {2};
  tensor.is_external = true;
  tensor.external_data = {{"location", location}, {"offset", "64"}, {"length", "8"}};
  return tensor;
}

TEST(TensorDataTest, ReadsExternalData) {
  Folder folder;
  folder.bytes = test::RawBytes(std::vector<float>{1, 2});
  const ExternalData reader = folder.Reader();
  const TensorPtr tensor =
      MakeTensor(External("weights/part.bin"), {.keeper = nullptr, .external = &reader}).value();
  EXPECT_EQ(tensor->values<float>()[1], 2);
  EXPECT_EQ(folder.location, "weights/part.bin");
  EXPECT_EQ(folder.offset, 64);
  EXPECT_EQ(folder.length, 8);
}

TEST(TensorDataTest, RefusesExternalDataOutsideTheFolder) {
  Folder folder;
  const ExternalData reader = folder.Reader();
  for (const std::string_view location :
       {"/etc/passwd", "../secret", "a/../../b", "C:\\x", "a\\b", ".."}) {
    EXPECT_NE(ErrorOf(External(location), {.keeper = nullptr, .external = &reader}).find("outside"),
              std::string::npos)
        << location;
    EXPECT_EQ(folder.location, "") << location;
  }
}

TEST(TensorDataTest, RefusesExternalDataWithoutFolderOrSense) {
  EXPECT_NE(ErrorOf(External("w.bin")).find("w.bin"), std::string::npos);
  Folder folder;
  const ExternalData reader = folder.Reader();
  Tensor tensor = External("w.bin");
  tensor.external_data[1].value = "-5";
  EXPECT_NE(ErrorOf(tensor, {.keeper = nullptr, .external = &reader}).find("offset"),
            std::string::npos);
  tensor.external_data.clear();
  EXPECT_NE(ErrorOf(tensor, {.keeper = nullptr, .external = &reader}).find("location"),
            std::string::npos);
  folder.bytes = "123";
  EXPECT_NE(ErrorOf(External("w.bin"), {.keeper = nullptr, .external = &reader}).find("holds 3"),
            std::string::npos);
}

}  // namespace
}  // namespace tern::onnx::tensor_data_test
