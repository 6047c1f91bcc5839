// SPDX-License-Identifier: Apache-2.0
// Functions: typed and packed, what they accept, and the exact words of what they refuse.
#include "core/object/function.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/object/run_context.h"
#include "core/object/strings/string.h"
#include "tests/unit/object/counting.h"

namespace tern::function_test {
namespace {

using FunctionTest = CountedTest;
using FunctionTestBad = CountedTest;

FunctionPtr MakeAdd() {
  return Function::FromTyped("add", [](int64_t a, int64_t b) { return a + b; });
}

TEST_F(FunctionTest, TypedCall) {
  const FunctionPtr add = MakeAdd();
  EXPECT_EQ(*add->Invoke({1, 2})->As<int64_t>(), 3);
  EXPECT_EQ(add->name(), "add");
  EXPECT_EQ(add->signature(), "(int, int) -> int");
  EXPECT_FALSE(add->needs_context());
}

TEST_F(FunctionTest, ArgumentsConvert) {
  EXPECT_EQ(*MakeAdd()->Invoke({true, 2})->As<int64_t>(), 3);
  const auto half = Function::FromTyped("half", [](double x) { return x / 2; });
  EXPECT_EQ(*half->Invoke({3})->As<double>(), 1.5);
  EXPECT_EQ(half->signature(), "(float) -> float");
}

TEST_F(FunctionTestBad, ErrorsNameFunctionIndexAndKinds) {
  EXPECT_EQ(MakeAdd()->Invoke({1, "two"}).status().message(),
            "add: argument 1: expected int, got string \"two\"");
  EXPECT_EQ(MakeAdd()->Invoke({1.5, "two"}).status().message(),
            "add: argument 0: expected int, got float 1.5");
  EXPECT_EQ(MakeAdd()->Invoke({1, nullptr}).status().code(), StatusCode::kTypeError);
}

TEST_F(FunctionTestBad, WrongCount) {
  EXPECT_EQ(MakeAdd()->Invoke({1}).status().message(),
            "add: expected 2 arguments, got 1; its signature is (int, int) -> int");
  EXPECT_EQ(MakeAdd()->Invoke({1, 2, 3}).status().code(), StatusCode::kInvalidArgument);
  const auto one = Function::FromTyped("one", [](int64_t a) { return a; });
  EXPECT_EQ(one->Invoke({}).status().message(),
            "one: expected 1 argument, got 0; its signature is (int) -> int");
}

TEST_F(FunctionTest, EveryKindOfParameterAndResult) {
  const auto text = Function::FromTyped("text", [](std::string_view a, const std::string& b,
                                                   String c) { return StrCat(a, b, c.view()); });
  EXPECT_EQ(text->signature(), "(string, string, string) -> string");
  EXPECT_EQ(*text->Invoke({"ab", String("cd"), Any("a long enough text")})->As<std::string>(),
            "abcda long enough text");

  const auto tensor = Function::FromTyped("rank", [](const Tensor& t) { return t.rank(); });
  EXPECT_EQ(tensor->signature(), "(tensor) -> i32");
  EXPECT_EQ(*tensor->Invoke({Tensor::Scalar(1.0f)})->As<int64_t>(), 0);

  const auto same = Function::FromTyped("same", [](TensorPtr t) { return t; });
  const TensorPtr one = Tensor::Scalar(1.0f);
  EXPECT_EQ(same->Invoke({one})->TryCast<Tensor>(), one.get());
  EXPECT_EQ(one->ref_count(), 1);

  const auto anything =
      Function::FromTyped("kind", [](AnyView v) { return std::string(v.type_name()); });
  EXPECT_EQ(*anything->Invoke({kF32})->As<std::string>(), "dtype");

  int calls = 0;
  const auto nothing = Function::FromTyped("nothing", [&calls]() { ++calls; });
  EXPECT_TRUE(nothing->Invoke({})->is_none());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(nothing->signature(), "() -> none");
}

TEST_F(FunctionTest, StatusAndResultAsResult) {
  const auto check = Function::FromTyped("check", [](bool good) -> Status {
    if (good) return OkStatus();
    return Failed("not good").AddNote("try again").SetErrorCode("E0301");
  });
  EXPECT_TRUE(check->Invoke({true}).ok());
  const Result<Any> bad = check->Invoke({false});
  EXPECT_EQ(bad.status().message(), "not good");
  EXPECT_EQ(bad.status().notes()[0], "try again");
  EXPECT_EQ(bad.status().error_code(), "E0301");

  const auto make = Function::FromTyped(
      "make", [](DType dtype, int64_t n) -> Result<TensorPtr> { return Tensor::New(dtype, {n}); });
  EXPECT_EQ(make->Invoke({kI8, 3})->TryCast<Tensor>()->TypeText(), "i8[3]");
  EXPECT_EQ(make->Invoke({kI8, -3}).status().message(), "a tensor i8[-3] cannot be: axis 0 is -3");
  EXPECT_EQ(make->signature(), "(dtype, int) -> tensor");
}

TEST_F(FunctionTest, SmallTextIsReturnedWithoutBoxing) {
  const auto name = Function::FromTyped("name", [] { return std::string_view("seven77"); });
  const int64_t before = live();
  const Any result = *name->Invoke({});
  EXPECT_EQ(live(), before);
  EXPECT_EQ(*result.TryCast<std::string_view>(), "seven77");
}

TEST_F(FunctionTest, PackedTakesAnyCount) {
  const auto count = Function::FromPacked(
      "count", [](AnyArgs args) -> Result<Any> { return Any(args.size()); }, "(...) -> int");
  EXPECT_EQ(*count->Invoke({1, "a", nullptr})->As<int64_t>(), 3);
  EXPECT_EQ(count->signature(), "(...) -> int");
}

TEST_F(FunctionTest, ContextComesFirstAndIsNotCounted) {
  const auto zeros = Function::FromTyped(
      "new", [](RunContext& context, int64_t n) { return context.NewTensor(kF32, {n}); });
  EXPECT_TRUE(zeros->needs_context());
  EXPECT_EQ(zeros->signature(), "(int) -> tensor");
  RunContext context;
  EXPECT_EQ(zeros->Invoke({4}, &context)->TryCast<Tensor>()->dim(0), 4);
  EXPECT_EQ(zeros->Invoke({"x"}, &context).status().message(),
            "new: argument 0: expected int, got string \"x\"");
  EXPECT_EQ(zeros->Invoke({}, &context).status().message(),
            "new: expected 1 argument, got 0; its signature is (int) -> tensor");

  const auto packed =
      Function::FromPacked("packed", [](RunContext& c, AnyArgs args) -> Result<Any> {
        return Any(static_cast<int64_t>(args.size()) + (c.allocator() != nullptr ? 100 : 0));
      });
  EXPECT_TRUE(packed->needs_context());
  EXPECT_EQ(*packed->Invoke({1, 2}, &context)->As<int64_t>(), 102);
  const std::vector<AnyView> many(50);
  EXPECT_EQ(*packed->Invoke(many, &context)->As<int64_t>(), 150);
}

TEST_F(FunctionTestBad, MissingContext) {
  const auto needs = Function::FromTyped("needs", [](RunContext&) { return 1; });
  const char* const expected = "needs: needs a run context, which the caller did not give";
  EXPECT_EQ(needs->Invoke({}).status().message(), expected);
  EXPECT_EQ(needs->InvokeRaw({}).status().message(), expected);
  const AnyView wrong[] = {AnyView(5)};
  EXPECT_EQ(needs->InvokeRaw(wrong).status().message(), expected);
}

TEST_F(FunctionTest, CapturesDieWithTheFunction) {
  auto captured = std::make_shared<int>(5);
  {
    const auto f = Function::FromTyped("f", [captured] { return *captured; });
    EXPECT_EQ(captured.use_count(), 2);
    EXPECT_EQ(*f->Invoke({})->As<int64_t>(), 5);
  }
  EXPECT_EQ(captured.use_count(), 1);
}

TEST_F(FunctionTest, FromCReleasesItsDataOnce) {
  int released = 0;
  {
    const auto call = [](void* self, const TernAny*, int32_t, TernAny* result) -> int32_t {
      auto* data = static_cast<Function*>(self)->data();
      *result = Any(data).Release();
      return 0;
    };
    const auto f =
        Function::FromC("c", call, &released, [](void* data) { ++*static_cast<int*>(data); });
    EXPECT_EQ(f->Invoke({})->TryCast<void*>(), &released);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST_F(FunctionTest, FunctionsAreValues) {
  const auto apply = Function::FromTyped("apply", [](Function* f, AnyView x) {
    return f->Invoke({x, x});
  });
  EXPECT_EQ(apply->signature(), "(function, anything) -> anything");
  EXPECT_EQ(*apply->Invoke({MakeAdd(), 4})->As<int64_t>(), 8);
  EXPECT_EQ(apply->Invoke({MakeAdd(), "s"}).status().message(),
            "add: argument 0: expected int, got string \"s\"");
}

}  // namespace
}  // namespace tern::function_test
