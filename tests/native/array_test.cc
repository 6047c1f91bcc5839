// SPDX-License-Identifier: Apache-2.0
#include "native/cli/array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tern::cli::array_test {
namespace {

Array MakeArray(std::string dtype, std::vector<int64_t> shape,
                std::initializer_list<double> values) {
  Array array{std::move(dtype), std::move(shape), {}};
  array.bytes.resize(*ArrayBytes(array.dtype, array.shape));
  size_t i = 0;
  for (const double value : values) SetElement(&array, i++, value);
  return array;
}

TEST(Npy, RoundTripsEveryDtype) {
  for (const char* dtype :
       {"f32", "f64", "f16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool"}) {
    const Array array = MakeArray(dtype, {2, 3}, {0, 1, 1, 0, 1, 0});
    const std::vector<uint8_t> bytes = FormatNpy(array);
    EXPECT_EQ(bytes.size() % 64, array.bytes.size() % 64) << "the header is padded to 64 bytes";
    const Result<Array> back = ParseNpy(bytes, "x.npy");
    ASSERT_TRUE(back.ok()) << dtype << ": " << back.status().message();
    EXPECT_EQ(back.value().dtype, dtype);
    EXPECT_EQ(back.value().shape, array.shape);
    EXPECT_EQ(back.value().bytes, array.bytes);
  }
}

TEST(Npy, ScalarsAndEmptyArrays) {
  const Array scalar = MakeArray("f32", {}, {2.5});
  const Result<Array> back = ParseNpy(FormatNpy(scalar), "x");
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(back.value().shape.empty());
  EXPECT_EQ(ElementAsDouble(back.value(), 0), 2.5);
  const Result<Array> empty = ParseNpy(FormatNpy(MakeArray("i64", {0, 4}, {})), "x");
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty.value().shape, (std::vector<int64_t>{0, 4}));
}

void ExpectRefused(std::vector<uint8_t> bytes, std::string_view part) {
  const Result<Array> array = ParseNpy(bytes, "bad.npy");
  ASSERT_FALSE(array.ok());
  EXPECT_NE(array.status().message().find(part), std::string_view::npos)
      << array.status().message();
  EXPECT_NE(array.status().message().find("bad.npy"), std::string_view::npos);
}

TEST(Npy, RefusesWhatIsNoNpy) {
  ExpectRefused({}, "magic");
  ExpectRefused({'P', 'K', 3, 4, 0, 0, 0, 0, 0, 0, 0, 0}, "magic");
}

TEST(Npy, RefusesEveryTruncation) {
  const std::vector<uint8_t> whole = FormatNpy(MakeArray("f32", {2}, {1, 2}));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ParseNpy(std::span(whole).first(size), "cut").ok()) << size;
  }
}

std::vector<uint8_t> WithHeader(const std::string& header) {
  std::string file = std::string("\x93NUMPY\x01\0", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  file += header;
  return {file.begin(), file.end()};
}

TEST(Npy, RefusesBadHeaders) {
  ExpectRefused(WithHeader("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}"), "'<c8'");
  ExpectRefused(WithHeader("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}"), "'>f4'");
  ExpectRefused(WithHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"), "'-1'");
  ExpectRefused(WithHeader("{'descr': '<f4', 'fortran_order': True, 'shape': (0, 2)}"), "Fortran");
  ExpectRefused(WithHeader("{'descr': '<f4', 'fortran_order': False}"), "shape");
  ExpectRefused(WithHeader("{'descr': '', 'shape': (1,)}"), "type");
  ExpectRefused(WithHeader("nothing"), "type");
}

TEST(Array, HugeExtentsAreAnError) {
  const std::vector<int64_t> shape = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_FALSE(ArrayBytes("f32", shape).ok());
}

TEST(Array, IntegersSaturate) {
  Array array = MakeArray("i8", {4}, {1000, -1000, std::nan(""), 3.7});
  EXPECT_EQ(ElementAsDouble(array, 0), 127);
  EXPECT_EQ(ElementAsDouble(array, 1), -128);
  EXPECT_EQ(ElementAsDouble(array, 2), 0);
  EXPECT_EQ(ElementAsDouble(array, 3), 3);
}

}  // namespace
}  // namespace tern::cli::array_test
