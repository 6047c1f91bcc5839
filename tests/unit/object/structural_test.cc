// SPDX-License-Identifier: Apache-2.0
// Reflection, structural equality and structural hash.
#include "core/object/graph/structural_equal.h"

#include <cmath>
#include <limits>

#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/list.h"
#include "core/object/containers/map.h"
#include "core/object/function.h"
#include "core/object/graph/print.h"
#include "core/object/graph/reflection.h"
#include "core/object/graph/structural_hash.h"
#include "core/object/rfc97/dict.h"
#include "core/object/shape.h"
#include "core/object/strings/bytes.h"
#include "core/object/strings/string.h"
#include "core/object/strings/ucs4_string.h"
#include "core/object/tensor.h"
#include "tests/support/rounds.h"
#include "tests/unit/object/counting.h"
#include "tests/unit/object/sketch_types.h"

namespace tern::structural_test {
namespace {

using ReflectionTest = CountedTest;
using StructuralTest = CountedTest;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_F(ReflectionTest, D34FieldsAreDeclaredOnceAndInherited) {
  RegisterSketchTypes();
  EXPECT_FALSE(RegisterSketchTypesAgain()) << "once is once";
  const std::vector<FieldInfo> fields = FieldsOf(TypeCodeOf<Circle>());
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[0].name, "label");
  EXPECT_EQ(fields[0].type, "string");
  EXPECT_EQ(fields[0].doc, "what to write beside it");
  EXPECT_EQ(fields[1].name, "radius");
  EXPECT_EQ(fields[1].type, "float");
  EXPECT_EQ(fields[2].name, "inside") << "a method as a getter";
  const ObjectPtr<Circle> circle = MakeObject<Circle>("a circle", 1.5, Any(7));
  EXPECT_EQ(*GetField(*circle, "radius").value().As<double>(), 1.5);
  EXPECT_EQ(*GetField(*circle, "label").value().As<String>(), "a circle");
  EXPECT_EQ(PrintValue(circle), R"(sketch.Circle(label="a circle", radius=1.5, inside=7))");
  const std::string json = ValueJson(circle);
  EXPECT_NE(json.find(R"({"name":"radius","type":"float","doc":"in metres","value":)"),
            std::string::npos)
      << json;
}

TEST_F(ReflectionTest, D34MakesObjectsFromFields) {
  RegisterSketchTypes();
  const Any values[] = {Any("x"), Any(2), Any()};
  const ObjectPtr<Object> made = MakeFromFields(TypeCodeOf<Circle>(), values).value();
  EXPECT_EQ(static_cast<Circle*>(made.get())->radius, 2.0) << "an int will do for a float";
  const Any wrong[] = {Any("x"), Any("y"), Any()};
  const Status status = MakeFromFields(TypeCodeOf<Circle>(), wrong).status().Clone();
  EXPECT_EQ(status.message(), "expected float, got string \"y\"");
  EXPECT_EQ(status.notes()[0], "field 1");
  EXPECT_EQ(MakeFromFields(TypeCodeOf<Circle>(), std::span(values).first(2)).status().message(),
            "type 'sketch.Circle' is made from 3 fields, got 2");
  EXPECT_EQ(MakeFromFields(TypeCodeOf<Drawing>(), std::span(values).first(1)).status().message(),
            "objects of type 'sketch.Drawing' cannot be made from their fields");
}

TEST_F(ReflectionTest, D34NamesWhatIsNotThere) {
  RegisterSketchTypes();
  const ObjectPtr<Circle> circle = MakeObject<Circle>("", 1.0, Any());
  EXPECT_EQ(GetField(*circle, "radios").status().message(),
            "type 'sketch.Circle' has no field 'radios'; did you mean 'radius'?");
  const ShapePtr shape = Shape::Make({1});
  EXPECT_EQ(GetField(*shape, "x").status().message(), "type 'shape' has no registered fields");
  EXPECT_TRUE(FieldsOf(-1000).empty());
  EXPECT_TRUE(FieldsOf(100000000).empty());
}

void ExpectEqual(const AnyView& a, const AnyView& b) {
  const std::optional<Difference> difference = FirstDifference(a, b);
  EXPECT_FALSE(difference.has_value()) << difference->path << ": " << difference->what;
  EXPECT_FALSE(FirstDifference(b, a).has_value()) << "the other way round";
  EXPECT_EQ(StructuralHash(a).value(), StructuralHash(b).value());
}
void ExpectDifferent(const AnyView& a, const AnyView& b, std::string_view path,
                     std::string_view what) {
  const std::optional<Difference> difference = FirstDifference(a, b);
  ASSERT_TRUE(difference.has_value()) << PrintValue(a);
  EXPECT_EQ(difference->path, path);
  EXPECT_EQ(difference->what, what);
  EXPECT_TRUE(FirstDifference(b, a).has_value()) << "the other way round";
}

TEST_F(StructuralTest, D34LeavesByKindAndContent) {
  ExpectEqual(nullptr, nullptr);
  ExpectEqual(3, 3);
  ExpectEqual("raw text of a good length", String("raw text of a good length"));
  ExpectEqual("abc", Any("abc"));
  String grown("abc");
  grown.Reserve(100);
  ExpectEqual(Any(grown), "abc");
  ExpectEqual(kF32, kF32);
  ExpectEqual(Any(UCS4String(U"ab")), Any(UCS4String(U"ab")));
  ExpectEqual(Bytes::Make("ab"), Bytes::Make("ab"));
  ExpectEqual(Shape::Make({1, 2}), Shape::Make({1, 2}));
  ExpectDifferent(3, 4, "", "int 3 against int 4");
  ExpectDifferent(1, true, "", "int 1 against bool true");
  ExpectDifferent(1, 1.0, "", "int 1 against float 1");
  ExpectDifferent("a", "b", "", "string \"a\" against string \"b\"");
  ExpectDifferent("ab", Any(UCS4String(U"ab")), "", "string \"ab\" against ucs4 string u\"ab\"");
  ExpectDifferent(Bytes::Make("ab"), "ab", "", "bytes b\"ab\" against string \"ab\"");
  ExpectDifferent(Shape::Make({1, 2}), Shape::Make({1, 3}), "",
                  "shape [1, 2] against shape [1, 3]");
  ExpectDifferent(nullptr, 0, "", "none none against int 0");
}

TEST_F(StructuralTest, D34NansAreEqualAndSoAreBothZeros) {
  ExpectEqual(kNan, kNan);
  ExpectEqual(kNan, -std::nan("7"));
  ExpectEqual(0.0, -0.0);
  ExpectDifferent(kNan, 1.0, "", "float nan against float 1");
  const auto tensor = [](float a, float b) {
    return Tensor::FromValues<float>({a, b}, {2}).value();
  };
  ExpectEqual(tensor(NAN, 0.0f), tensor(-NAN, -0.0f));
  const auto half = [](uint16_t bits) {
    return Tensor::FromBytes(kF16, Shape::Make({1})->dims(),
                             {reinterpret_cast<const uint8_t*>(&bits), 2})
        .value();
  };
  ExpectEqual(half(0x7E00), half(0xFE01));
  ExpectEqual(half(0x8000), half(0));
  ExpectDifferent(half(0x7C00), half(0x7E00), "",
                  "tensor f16[1] [inf] against tensor f16[1] [nan]");
}

TEST_F(StructuralTest, D34TensorsByDtypeShapeAndElements) {
  const TensorPtr a = Tensor::FromValues<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3}).value();
  const TensorPtr b =
      Tensor::FromValues<int32_t>({1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9}, {2, 6}).value();
  ExpectEqual(a, b->Slice(1, 0, 6, 2).value());
  ExpectDifferent(
      a, a->Reshape(Shape::Make({3, 2})->dims()).value(), "",
      "tensor i32[2, 3] [1, 2, 3, 4, 5, 6] against tensor i32[3, 2] [1, 2, 3, 4, 5, 6]");
  const TensorPtr c = Tensor::FromValues<int64_t>({1}, {1}).value();
  ExpectDifferent(c, Tensor::FromValues<int64_t>({2}, {1}).value(), "",
                  "tensor i64[1] [1] against tensor i64[1] [2]");
  const std::string_view words[] = {"a", "longer than seven"};
  const TensorPtr text = Tensor::FromStrings(words, Shape::Make({2})->dims()).value();
  ExpectEqual(text, Tensor::FromStrings(words, Shape::Make({2})->dims()).value());
  const uint8_t nibbles[] = {0x21, 0x03}, same[] = {0x21, 0xF3};  // the last half is padding
  const ShapePtr three = Shape::Make({3});
  ExpectEqual(Tensor::FromBytes(kU4, three->dims(), nibbles).value(),
              Tensor::FromBytes(kU4, three->dims(), same).value());
}

TEST_F(StructuralTest, D34TheFirstDifferenceIsAPath) {
  const auto adt = [](int last) {
    return Adt::Make(3, {{AnyView(1), AnyView(List<>({0, 1, 2, last}))}});
  };
  ExpectEqual(adt(3), adt(3));
  ExpectDifferent(adt(3), adt(4), ".fields[1][3]", "int 3 against int 4");
  ExpectDifferent(List<>({1, 2}), List<>({1}), "", "size 2 against 1");
  ExpectDifferent(List<>({Any(Adt::Tuple({5}))}), List<>({Any(Adt::Tuple({6}))}), "[0][0]",
                  "int 5 against int 6");
  ExpectDifferent(Adt::Make(1, AnyArgs()), Adt::Make(2, AnyArgs()), "", "tag 1 against 2");
  const AnyView one[] = {1}, two[] = {2};
  ExpectDifferent(Closure::Make(4, one), Closure::Make(4, two), ".free[0]", "int 1 against int 2");
  ExpectDifferent(Closure::Make(4, one), Closure::Make(5, one), "", "function #4 against #5");
  RegisterSketchTypes();
  ExpectEqual(MakeObject<Circle>("a", 1.0, Any(List<>({1}))),
              MakeObject<Circle>("a", 1.0, Any(List<>({1}))));
  ExpectDifferent(List<>({Any(MakeObject<Circle>("a", 1.0, Any()))}),
                  List<>({Any(MakeObject<Circle>("a", 2.0, Any()))}), "[0].radius",
                  "float 1 against float 2");
}

TEST_F(StructuralTest, D34MapsInWhateverOrder) {
  const Map<> a{{"x", 1}, {2, "two"}, {1.5, true}};
  const Map<> b{{1.5, true}, {2, "two"}, {"x", 1}};
  ExpectEqual(a, b);
  ExpectEqual(a, Dict<>({{2, "two"}, {"x", 1}, {1.5, true}}));
  ExpectDifferent(Map<>{{"x", 1}}, Map<>{{"x", 2}}, "[\"x\"]", "int 1 against int 2");
  ExpectDifferent(Map<>{{"x", 1}}, Map<>{{"y", 1}}, "[\"x\"]", "only the first map has this key");
  ExpectDifferent(Map<>{{"x", 1}}, Map<>{}, "", "size 1 against 0");
  // Keys that tables tell apart by identity go in their order.
  const auto keyed = [](int key) { return Map<>{{Any(List<>({key})), 1}, {"x", 2}}; };
  ExpectEqual(keyed(1), keyed(1));
  ExpectDifferent(keyed(1), keyed(2), ".keys[0][0]", "int 1 against int 2");
}

TEST_F(StructuralTest, D34FunctionsByIdentity) {
  const FunctionPtr f = Function::FromTyped("f", [](int64_t x) { return x; });
  const FunctionPtr g = Function::FromTyped("f", [](int64_t x) { return x; });
  ExpectEqual(f, f);
  ExpectDifferent(f, g, "", "function function f against function function f");
}

TEST_F(StructuralTest, D34ADagIsTheTreeItUnfoldsToUnlessAskedOtherwise) {
  const List<> shared({1, 2});
  const Any dag = Any(List<>({Any(shared), Any(shared)}));
  const Any tree = Any(List<>({Any(List<>({1, 2})), Any(List<>({1, 2}))}));
  ExpectEqual(dag, tree);
  EXPECT_TRUE(StructuralEqual(dag, dag, {.compare_sharing = true}));
  const std::optional<Difference> difference =
      FirstDifference(dag, tree, {.compare_sharing = true});
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->path, "[1]");
  EXPECT_EQ(difference->what, "shared with another part on one side only");
  EXPECT_FALSE(StructuralEqual(tree, dag, {.compare_sharing = true}));
}

TEST_F(StructuralTest, D34SharingCostsNoTime) {
  const auto ladder = [] {  // unfolds to 2^60 leaves
    Any rung = Any(List<>({1}));
    for (int i = 0; i < 60; ++i) rung = Any(List<>({rung, rung}));
    return rung;
  };
  ExpectEqual(ladder(), ladder());
}

TEST_F(StructuralTest, D34DeepGraphsNeedNoStack) {
  constexpr int kDepth = support::Rounds(200000);
  const auto deep = [](int last) {
    std::vector<Any> nodes = {Any(List<>({last}))};
    for (int i = 0; i < kDepth; ++i) nodes.push_back(Any(List<>({nodes.back()})));
    return nodes;
  };
  // Taken apart from the outside in, so that no destructor recurses.
  const auto destroy = [](std::vector<Any>* nodes) {
    while (!nodes->empty()) nodes->pop_back();
  };
  std::vector<Any> a = deep(1), b = deep(1), c = deep(2);
  ExpectEqual(a.back(), b.back());
  EXPECT_EQ(FirstDifference(a.back(), c.back())->path.size(), 3u * (kDepth + 1));
  destroy(&a);
  destroy(&b);
  destroy(&c);
}

TEST_F(StructuralTest, D34CyclesAreComparedButNotHashed) {
  const auto ring = [](int value) {
    List<> list({value});
    list.PushBack(Any(list));
    return list;
  };
  List<> a = ring(1), b = ring(1), c = ring(2);
  EXPECT_TRUE(StructuralEqual(a, b));
  EXPECT_EQ(FirstDifference(a, c)->path, "[0]");
  EXPECT_EQ(StructuralHash(a).status().message(),
            "a cycle cannot be hashed: [1] is an object that contains itself");
  for (List<>* list : {&a, &b, &c}) list->Clear();
}

TEST_F(StructuralTest, D34HashesTellApart) {
  std::vector<Any> values = {Any(),
                             Any(0),
                             Any(false),
                             Any(0.0),
                             Any(""),
                             Any("a"),
                             Any(kF32),
                             Any(UCS4String(U"a")),
                             Any(List<>()),
                             Any(List<>({0})),
                             Any(List<>({0, 0})),
                             Any(Map<>()),
                             Any(Map<>{{"a", 1}}),
                             Any(Map<>{{"a", 2}}),
                             Any(Map<>{{"b", 1}}),
                             Any(Adt::Tuple({})),
                             Any(Adt::Make(1, AnyArgs())),
                             Any(Adt::Tuple({0})),
                             Any(Shape::Make({1})),
                             Any(Shape::Make({1, 1})),
                             Any(Bytes::Make("a"))};
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(StructuralHash(values[i]).value(), StructuralHash(values[j]).value())
          << i << " and " << j;
  }
}

}  // namespace
}  // namespace tern::structural_test
