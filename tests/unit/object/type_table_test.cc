// SPDX-License-Identifier: Apache-2.0
// Sections, type keys, ancestors, and registration beside look-up.
#include "core/object/type_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "core/object/error.h"
#include "core/object/shape.h"
#include "tests/unit/object/counting.h"

namespace tern::type_table_test {
namespace {

TEST(TypeTable, D13SectionsAreToldByBounds) {
  const struct {
    TernTypeCode code;
    Section section;
  } kBoundaries[] = {
      {INT32_MIN, Section::kValues},
      {TERN_TYPE_S0_LAST, Section::kValues},
      {TERN_TYPE_INT, Section::kValues},
      {TERN_TYPE_NONE, Section::kValues},
      {TERN_TYPE_S1_FIRST, Section::kRuntime},
      {TERN_TYPE_TENSOR, Section::kRuntime},
      {TERN_TYPE_S2_FIRST - 1, Section::kRuntime},
      {TERN_TYPE_S2_FIRST, Section::kBoxed},
      {TERN_TYPE_S3_FIRST - 1, Section::kBoxed},
      {TERN_TYPE_S3_FIRST, Section::kStatic},
      {TERN_TYPE_S4_FIRST - 1, Section::kStatic},
      {TERN_TYPE_S4_FIRST, Section::kDynamic},
      {INT32_MAX, Section::kDynamic},
  };
  for (const auto& [code, section] : kBoundaries) EXPECT_EQ(SectionOf(code), section) << code;
  static_assert(SectionOf(TERN_TYPE_MODULE) == Section::kRuntime);
}

TEST(TypeTable, D14ValuesAreNegativeAndObjectsPositive){
#define TERN_TYPE(NAME, KEY, PHRASE)                                                   \
  {                                                                                    \
    const bool value = SectionOf(TERN_TYPE_##NAME) == Section::kValues;                \
    EXPECT_EQ(value, TERN_TYPE_##NAME <= 0) << #NAME;                                  \
    EXPECT_TRUE(TERN_TYPE_##NAME != 0 || TERN_TYPE_##NAME == TERN_TYPE_NONE) << #NAME; \
    const TypeEntry* entry = FindType(TERN_TYPE_##NAME);                               \
    ASSERT_NE(entry, nullptr) << #NAME;                                                \
    EXPECT_EQ(entry->code, TERN_TYPE_##NAME);                                          \
    EXPECT_EQ(entry->key, KEY);                                                        \
    EXPECT_EQ(entry->depth, value ? 0 : 1);                                            \
  }
#include "core/object/types.def"
#undef TERN_TYPE
}

TEST(TypeTable, D13NewCodesLeaveOldNumbersAlone) {
  // Numbers are for ever: those that files and callers know.
  EXPECT_EQ(TERN_TYPE_INT, -1);
  EXPECT_EQ(TERN_TYPE_DL_TENSOR, -12);
  EXPECT_EQ(TERN_TYPE_TENSOR, 3);
  EXPECT_EQ(TERN_TYPE_BOX_INT, 16);
  EXPECT_EQ(TERN_TYPE_STRING, 32);
  EXPECT_EQ(TERN_TYPE_ERROR, 41);
  EXPECT_EQ(TERN_TYPE_S4_FIRST, 128);
  // Each section has room at its open end.
  EXPECT_EQ(FindType(TERN_TYPE_S0_LAST - 1), nullptr);
  EXPECT_EQ(FindType(TERN_TYPE_S2_FIRST - 1), nullptr);
  EXPECT_EQ(FindType(TERN_TYPE_S3_FIRST - 1), nullptr);
  EXPECT_EQ(FindType(TERN_TYPE_S4_FIRST - 1), nullptr);
  EXPECT_EQ(FindType(INT32_MAX), nullptr);
  EXPECT_EQ(FindType(INT32_MIN), nullptr);
  EXPECT_EQ(TypeKey(INT32_MAX), "unknown type");
}

TEST(TypeTable, D35TenThousandTypesHaveTheirAncestors) {
  constexpr size_t kTypes = 10000, kChain = 100;
  std::vector<TernTypeCode> codes;
  const int32_t before = DynamicTypeCount();
  for (size_t i = 0; i < kTypes; ++i) {
    const std::string key = StrCat("many.T", i);
    const std::string parent = i % kChain == 0 ? "" : StrCat("many.T", i - 1);
    const Result<TernTypeCode> code = RegisterType({.key = key, .parent = parent});
    ASSERT_TRUE(code.ok()) << code.status().ToString();
    codes.push_back(*code);
  }
  EXPECT_EQ(DynamicTypeCount(), before + int32_t{kTypes});
  for (size_t i = 0; i < kTypes; i += 37) {
    EXPECT_EQ(TypeKey(codes[i]), StrCat("many.T", i));
    EXPECT_EQ((*FindType(StrCat("many.T", i)))->code, codes[i]);
    EXPECT_EQ(FindType(codes[i])->depth, static_cast<int32_t>(i % kChain + 1));
    for (size_t j = 0; j < kTypes; j += 13) {
      const bool expected = i / kChain == j / kChain && j <= i;
      EXPECT_EQ(IsA(codes[i], codes[j]), expected) << i << " " << j;
    }
  }
  EXPECT_FALSE(IsA(codes[0], TERN_TYPE_ERROR));
  EXPECT_FALSE(IsA(TERN_TYPE_ERROR, codes[0]));
  // An entry of the first hundred and one of the last keep their place.
  EXPECT_EQ(FindType(codes[1])->ancestors[0], codes[0]);
}

class Drawing : public Object {
 public:
  static constexpr std::string_view kTypeKey = "type_table_test.Drawing";
  using Parent = Object;
  explicit Drawing(int size = 0) : Object(0, nullptr), size_(size) {}
  int size_;
};
class Circle : public Drawing {
 public:
  static constexpr std::string_view kTypeKey = "type_table_test.Circle";
  using Parent = Drawing;
  Circle() : Drawing(3) {}
};
class Square : public Drawing {
 public:
  static constexpr std::string_view kTypeKey = "type_table_test.Square";
  using Parent = Drawing;
};

using TypeTableObjects = CountedTest;

TEST_F(TypeTableObjects, D35ClassesRegisterThemselves) {
  const ObjectPtr<Circle> circle = MakeObject<Circle>();
  EXPECT_EQ(SectionOf(circle->type_code()), Section::kDynamic);
  EXPECT_EQ(circle->type_key(), "type_table_test.Circle");
  EXPECT_EQ((*FindType("type_table_test.Circle"))->parent, TypeCodeOf<Drawing>());
  Object* object = circle.get();
  EXPECT_TRUE(object->IsInstance<Circle>());
  EXPECT_TRUE(object->IsInstance<Drawing>());
  EXPECT_TRUE(object->IsInstance<Object>());
  EXPECT_FALSE(object->IsInstance<Square>());
  EXPECT_FALSE(object->IsInstance<Error>());
  const Any any(circle);
  EXPECT_EQ(any.TryCast<Drawing>()->size_, 3);
  EXPECT_EQ(any.As<Square>().status().message(),
            "expected type_table_test.Square, got type_table_test.Circle");
}

TEST_F(TypeTableObjects, D15AnAnyStoresTheObjectsOwnCode) {
  const ObjectPtr<Circle> circle = MakeObject<Circle>();
  EXPECT_EQ(Any(circle).type_code(), circle->type_code());  // S4
  const ShapePtr shape = Shape::Make({1});
  EXPECT_EQ(Any(shape).type_code(), TERN_TYPE_SHAPE);  // S3
  EXPECT_EQ(AnyView(shape).type_code(), shape->type_code());
}

TEST_F(TypeTableObjects, D02TheFirstEightBytesTellAnyFromObject) {
  const ShapePtr shape = Shape::Make({1, 2});
  const Any holding(shape), number(5), text("abcdefg"), none;
  EXPECT_EQ(Check(shape.get()), HeaderKind::kObject);
  EXPECT_EQ(Check(&holding), HeaderKind::kAnyWithObject);
  for (const Any* any : {&number, &text, &none}) EXPECT_EQ(Check(any), HeaderKind::kValue);
  TernAny empty_pad = {};
  empty_pad.small_len = 16;  // says how much it can take
  EXPECT_EQ(Check(&empty_pad), HeaderKind::kValue);
  static_assert(offsetof(TernAny, type_code) == offsetof(TernObject, type_code));
  static_assert(offsetof(TernAny, small_len) == offsetof(TernObject, ref_count));
  // However many references there are, their number is not zero.
  const std::vector<Any> many(100, Any(shape));
  EXPECT_EQ(Check(shape.get()), HeaderKind::kObject);
  EXPECT_EQ(Check(MakeObject<Circle>().get()), HeaderKind::kObject);
}

TEST(TypeTable, RegisteringTwiceGivesTheSameCode) {
  const TernTypeCode first =
      *RegisterType({.key = "twice.A", .parent = "error", .doc = "an error of a kind"});
  EXPECT_EQ(*RegisterType({.key = "twice.A", .parent = "error"}), first);
  EXPECT_EQ((*FindType("twice.A"))->doc, "an error of a kind");
  EXPECT_TRUE(IsA(first, TERN_TYPE_ERROR));
  EXPECT_FALSE(IsA(first, TERN_TYPE_MODULE));
}

TEST(TypeTable, KeysSharedByValuesAndObjectsFindTheObject) {
  EXPECT_EQ((*FindType("string"))->code, TERN_TYPE_STRING);
  EXPECT_EQ((*FindType("int"))->code, TERN_TYPE_INT);
}

TEST(TypeTable, ReflectionIsGivenOnce) {
  const TernTypeCode code = *RegisterType({.key = "reflected.A"});
  const auto* one = reinterpret_cast<const TypeReflection*>(&code);
  EXPECT_EQ(FindType(code)->reflection(), nullptr);
  EXPECT_TRUE(SetReflection(code, one));
  EXPECT_FALSE(SetReflection(code, one));
  EXPECT_EQ(FindType(code)->reflection(), one);
  EXPECT_FALSE(SetReflection(INT32_MAX, one));
}

TEST(TypeTableBad, D35UnknownKeysAreNamed) {
  const Status status = FindType("tensr").status().Clone();
  EXPECT_EQ(status.ToString(),
            "not found: no type 'tensr' is registered\n  note: did you mean 'tensor'?");
  const Status parent = RegisterType({.key = "bad.A", .parent = "nobody"}).status().Clone();
  EXPECT_EQ(parent.ToString(),
            "not found: no type 'nobody' is registered\n"
            "  note: it was to be the parent of 'bad.A'");
}

TEST(TypeTableBad, KeysThatCannotBe) {
  for (const std::string& key : {std::string(), std::string("a b"), std::string("a\n"),
                                 std::string(256, 'x'), std::string("a\0b", 3)}) {
    EXPECT_EQ(RegisterType({.key = key}).status().code(), StatusCode::kInvalidArgument) << key;
  }
}

TEST(TypeTableBad, KeysThatAreTaken) {
  EXPECT_EQ(RegisterType({.key = "tensor"}).status().message(),
            "a type 'tensor' is registered already, with the parent Object");
  EXPECT_EQ(RegisterType({.key = "Object"}).status().code(), StatusCode::kAlreadyExists);
  ASSERT_TRUE(RegisterType({.key = "taken.A", .parent = "error"}).ok());
  EXPECT_EQ(RegisterType({.key = "taken.A", .parent = "module"}).status().message(),
            "a type 'taken.A' is registered already, with the parent error");
}

TEST(TypeTableBad, SealedTypesHaveNoChildren) {
  for (const char* parent : {"int", "string", "tensor", "boxed int", "shape", "function"}) {
    EXPECT_EQ(RegisterType({.key = "bad.child", .parent = parent}).status().message(),
              StrCat("type 'bad.child': its parent '", parent, "' cannot have children"));
  }
}

TEST(TypeTable, D35RegistrationBesideLookUp) {
#ifndef TERN_SINGLE_THREADED
  constexpr int kThreads = 4, kTypes = 400;
  std::vector<std::thread> threads;
  std::vector<TernTypeCode> got[kThreads];
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t, &got] {
      for (int i = 0; i < kTypes; ++i) {  // all register the same types, half of them children
        const std::string parent = i % 2 == 0 ? "" : StrCat("race.T", i - 1);
        const TernTypeCode code = *RegisterType({.key = StrCat("race.T", i), .parent = parent});
        got[t].push_back(code);
        if (i % 2 == 1 && !IsA(code, got[t][static_cast<size_t>(i) - 1])) std::abort();
        if (TypeKey(code) != StrCat("race.T", i)) std::abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 1; t < kThreads; ++t) EXPECT_EQ(got[t], got[0]);
#endif
}

}  // namespace
}  // namespace tern::type_table_test
