// SPDX-License-Identifier: Apache-2.0
// Callees that throw: nothing but an error crosses the call.
#include "native/cpp/catching.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "core/object/function.h"

namespace tern::native::catching_test {
namespace {

TEST(Catching, D29AnExceptionNeverCrossesACall) {
  const auto parse = Function::FromTyped("parse", Catching([](std::string_view text) {
                                           return int64_t{std::stoi(std::string(text))};
                                         }));
  EXPECT_EQ(*parse->Invoke({"12"})->As<int64_t>(), 12);
  EXPECT_EQ(parse->signature(), "(string) -> int");
  const Result<Any> bad = parse->Invoke({"twelve"});
  EXPECT_EQ(bad.status().message(), "an exception in the callee: stoi");
  EXPECT_EQ(bad.status().code(), StatusCode::kFailed);
  // Through the C convention as well.
  const AnyView arg("twelve");
  TernAny result = {};
  EXPECT_NE(parse->Call(&arg.c_any(), 1, &result), 0);
  EXPECT_TRUE(Any::Adopt(result).Is<Error>());
}

TEST(Catching, EveryKindOfResult) {
  int calls = 0;
  const auto nothing = Function::FromTyped("nothing", Catching([&calls](bool fail) {
                                             ++calls;
                                             if (fail) throw std::bad_alloc();
                                           }));
  EXPECT_TRUE(nothing->Invoke({false})->is_none());
  EXPECT_EQ(nothing->Invoke({true}).status().code(), StatusCode::kOutOfMemory);
  EXPECT_EQ(calls, 2);
  const auto status = Function::FromTyped("status", Catching([](int64_t n) -> Status {
                                            if (n == 0) throw 5;  // not an exception class
                                            return n < 0 ? Failed("below zero") : OkStatus();
                                          }));
  EXPECT_TRUE(status->Invoke({1}).ok());
  EXPECT_EQ(status->Invoke({-1}).status().message(), "below zero");
  EXPECT_EQ(status->Invoke({0}).status().message(), "an unknown exception in the callee");
  EXPECT_EQ(status->Invoke({"x"}).status().message(),
            "status: argument 0: expected int, got string \"x\"");
}

}  // namespace
}  // namespace tern::native::catching_test
