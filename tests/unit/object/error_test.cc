// SPDX-License-Identifier: Apache-2.0
// Errors as objects: kind, message, notes, cause and frames.
#include "core/object/error.h"

#include <gtest/gtest.h>

#include "core/object/function.h"
#include "core/object/type_table.h"
#include "tests/unit/object/counting.h"

namespace tern::error_test {
namespace {

using ErrorTest = CountedTest;
using ErrorTestBad = CountedTest;

TEST_F(ErrorTest, HasKindMessageCauseAndFrames) {
  const ObjectPtr<Error> cause = Error::Make(NotFound("no file 'a.bin'"));
  const ObjectPtr<Error> error =
      Error::Make(Failed("the model cannot be loaded").AddNote("check the path"), cause);
  error->AddFrame({"load"});
  error->AddFrame({.function = "main", .pc = 12});
  EXPECT_EQ(error->kind(), "failed");
  EXPECT_EQ(error->message(), "the model cannot be loaded");
  EXPECT_EQ(error->cause(), cause.get());
  EXPECT_EQ(cause->cause(), nullptr);
  ASSERT_EQ(error->frames().size(), 2u);
  EXPECT_EQ(error->frames()[1].pc, 12);
  EXPECT_EQ(error->ToStatus().ToString(),
            "failed: the model cannot be loaded\n"
            "  note: check the path\n"
            "  note: in load\n"
            "  note: in main at pc 12\n"
            "  note: caused by: not found: no file 'a.bin'");
}

TEST_F(ErrorTest, TakingTheStatusLeavesSharedErrorsWhole) {
  const ObjectPtr<Error> error = Error::Make(Failed("shared"));
  EXPECT_EQ(Error::TakeStatus(error).message(), "shared");
  EXPECT_EQ(error->message(), "shared");
  EXPECT_EQ(Error::TakeStatus(Error::Make(Failed("alone"))).message(), "alone");
}

class ParseError : public Error {
 public:
  static constexpr std::string_view kTypeKey = "error_test.ParseError";
  using Parent = Error;
  ParseError(std::string_view what, int64_t line) : Error(Failed(what)), line(line) {}
  int64_t line;
};

TEST_F(ErrorTest, ErrorsOfOnesOwnAreErrors) {
  const ObjectPtr<ParseError> error = MakeObject<ParseError>("a comma is missing", 7);
  const Any any(error);
  EXPECT_EQ(any.TryCast<Error>()->message(), "a comma is missing");
  EXPECT_EQ(any.TryCast<ParseError>()->line, 7);
  EXPECT_EQ(any.type_name(), "error_test.ParseError");
  // As the result of a call that fails.
  const auto call = [](void*, const TernAny*, int32_t, TernAny* result) -> int32_t {
    *result = Any(MakeObject<ParseError>("a comma is missing", 7)).Release();
    return 3;
  };
  const FunctionPtr parse = Function::FromC("parse", call, nullptr, nullptr);
  EXPECT_EQ(parse->Invoke({}).status().message(), "a comma is missing");
  EXPECT_EQ(Any(Error::Make(Failed("x"))).TryCast<ParseError>(), nullptr);
}

TEST_F(ErrorTestBad, AFailureWithoutAnErrorObjectStillSaysWho) {
  const auto call = [](void*, const TernAny*, int32_t, TernAny* result) -> int32_t {
    *result = Any("not an error").Release();
    return 7;
  };
  const FunctionPtr odd = Function::FromC("odd", call, nullptr, nullptr);
  EXPECT_EQ(odd->Invoke({}).status().message(), "odd: failed with code 7");
}

}  // namespace
}  // namespace tern::error_test
