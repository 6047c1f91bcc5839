// SPDX-License-Identifier: Apache-2.0
// Result and the TERN_TRY macros.
#include "core/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tern::result_test {
namespace {

struct NoDefault {
  explicit NoDefault(int v) : value(v) {}
  int value;
};

Result<int> Half(int value) {
  if (value % 2 != 0) return InvalidArgument(value, " is odd");
  return value / 2;
}

Result<std::string> Quarter(int value) {
  TERN_TRY_ASSIGN(const int half, Half(value));
  TERN_TRY_ASSIGN(const int quarter, Half(half));
  return std::to_string(quarter);
}

Status Check(int value) {
  TERN_TRY(Half(value));
  TERN_TRY(OkStatus());
  return OkStatus();
}

TEST(Result, HoldsAValue) {
  Result<int> result = Half(8);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result, 4);
  EXPECT_TRUE(result.status().ok());
}

TEST(Result, HoldsAnError) {
  const Result<int> result = Half(7);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(), "7 is odd");
}

TEST(Result, MacrosPassErrorsUp) {
  EXPECT_EQ(*Quarter(12), "3");
  EXPECT_EQ(Quarter(3).status().message(), "3 is odd");
  EXPECT_EQ(Quarter(6).status().message(), "3 is odd");
  EXPECT_TRUE(Check(2).ok());
  EXPECT_EQ(Check(5).message(), "5 is odd");
}

TEST(Result, MoveOnlyAndNotDefaultConstructible) {
  Result<std::unique_ptr<int>> pointer = std::make_unique<int>(5);
  std::unique_ptr<int> taken = *std::move(pointer);
  EXPECT_EQ(*taken, 5);
  Result<NoDefault> value = NoDefault(3);
  EXPECT_EQ(value->value, 3);
}

TEST(Result, DestroysItsValueOnce) {
  auto shared = std::make_shared<int>(1);
  {
    Result<std::shared_ptr<int>> a = shared;
    Result<std::shared_ptr<int>> b = std::move(a);
    b = Result<std::shared_ptr<int>>(IoError("x"));
    EXPECT_FALSE(b.ok());
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Result, TakenErrorNeverLooksLikeAValue) {
  Result<std::string> result = Corrupt("bytes");
  const Status status = std::move(result).status();
  EXPECT_EQ(status.message(), "bytes");
  EXPECT_FALSE(result.ok());  // NOLINT: the point
}

#if GTEST_HAS_DEATH_TEST
TEST(ResultDeathTest, ValueOfAnErrorAborts) {
  EXPECT_DEATH({ Half(1).value(); }, "the value of a Result that holds an error");
  EXPECT_DEATH({ Result<int> bad{OkStatus()}; }, "made from an ok Status");
}
#endif

}  // namespace
}  // namespace tern::result_test
