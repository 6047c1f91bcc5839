// SPDX-License-Identifier: Apache-2.0
// The C++17 header for programs that use exceptions.
#define TERN_EXCEPTIONS 1
#include <gtest/gtest.h>

#include <string>
#include <tern/tern.hpp>

namespace throwing_test {
namespace {

TEST(TernHppThrowing, AValueThatIsNotThereIsAnException) {
  const tern::Runtime runtime = tern::Runtime::Create().value();
  try {
    runtime.LoadFile("/no/such/file.tern").value();
    FAIL() << "nothing was thrown";
  } catch (const tern::Exception& error) {
    EXPECT_EQ(error.code(), "E0101");
    EXPECT_NE(std::string(error.what()).find("/no/such/file.tern"), std::string::npos);
  }
  EXPECT_THROW(static_cast<void>(tern::Value(1).AsText().value()), tern::Exception);
}

TEST(TernHppThrowing, AValueThatIsThereIsNone) { EXPECT_EQ(tern::Value(1).AsInt().value(), 1); }

}  // namespace
}  // namespace throwing_test
