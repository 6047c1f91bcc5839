// SPDX-License-Identifier: Apache-2.0
// The examples of docs/objects.md: run here, and checked to stand there as they are here.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "core/base/strings.h"
#include "core/object/any_pad.h"
#include "core/object/boxed.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/array.h"
#include "core/object/containers/list.h"
#include "core/object/containers/map.h"
#include "core/object/containers/sequence.h"
#include "core/object/error.h"
#include "core/object/function.h"
#include "core/object/graph/print.h"
#include "core/object/graph/reflection.h"
#include "core/object/graph/serialize_binary.h"
#include "core/object/graph/serialize_json.h"
#include "core/object/graph/structural_equal.h"
#include "core/object/graph/structural_hash.h"
#include "core/object/registry.h"
#include "core/object/rfc97/rvalue.h"
#include "core/object/rfc97/weak.h"
#include "core/object/shape.h"
#include "core/object/strings/unicode_split.h"
#include "tests/unit/object/counting.h"
#include "tests/unit/object/sketch_types.h"

namespace tern::objects_doc_test {
namespace {

using ObjectsDoc = CountedTest;

TEST_F(ObjectsDoc, Values) {
  // [doc:values-begin]
  const Any number(3), text("seven b"), longer("eight by");
  EXPECT_EQ(sizeof(Any), 16u);
  EXPECT_FALSE(number.is_object() || text.is_object());
  EXPECT_TRUE(longer.is_object());
  EXPECT_EQ(*number.TryCast<double>(), 3.0);          // an int will do for a float
  EXPECT_FALSE(text.TryCast<int64_t>().has_value());  // text is never a number
  EXPECT_EQ(number.As<String>().status().message(), "expected string, got int 3");
  // [doc:values-end]
}

TEST_F(ObjectsDoc, Text) {
  // [doc:text-begin]
  String word(" Añejo 😀 ");
  EXPECT_EQ(word.Strip().Upper(), "AÑEJO 😀");
  EXPECT_EQ(word.size(), 13u);  // bytes
  EXPECT_EQ(word.CountCodePoints(), 9u);
  const UCS4String wide = word.ToUCS4().value();
  EXPECT_EQ(wide[2].ToUtf8().value(), "ñ");
  EXPECT_EQ(String("\xff").ToUCS4().status().message(),
            "invalid UTF-8: byte 0xff at offset 0 of 1");
  const std::vector<String> parts = String("a,b,,c").Split(",");
  EXPECT_EQ(String("-").Join(parts), "a-b--c");

  String large(std::string(1000, 'x'));
  const char* data = large.data();
  const Any moved(std::move(large));
  EXPECT_EQ(moved.TryCast<std::string_view>()->data(), data);  // not copied
  // [doc:text-end]
}

TEST_F(ObjectsDoc, Split) {
  // [doc:split-begin]
  const UCS4String word = UCS4String::FromUtf8("añ你😀").value();
  const List<UCS4String> typed = UnicodeSplit(word);
  EXPECT_EQ(typed.size(), 4u);
  const Any untyped = UnicodeSplitAny(Any(word)).value();
  EXPECT_TRUE(StructuralEqual(typed, untyped));
  // [doc:split-end]
}

TEST_F(ObjectsDoc, Containers) {
  // [doc:containers-begin]
  List<> mixed({1, "two", 3.5});
  mixed.PushBack(Any(mixed[0]));
  EXPECT_EQ(PrintValue(mixed), R"(list[1, "two", 3.5, 1])");
  Map<String, int64_t> counts;
  counts.Set("a", 1);
  const Map<String, int64_t> before = counts;
  counts.Set("a", 2);  // copies, since `before` holds it too
  EXPECT_EQ(before["a"], 1);
  EXPECT_EQ(counts["a"], 2);
  // [doc:containers-end]
}

TEST_F(ObjectsDoc, Fields) {
  // [doc:fields-begin]
  RegisterSketchTypes();  // tests/unit/object/sketch_types.h
  const ObjectPtr<Circle> circle = MakeObject<Circle>("a", 1.5, Any());
  EXPECT_EQ(PrintValue(circle), R"(sketch.Circle(label="a", radius=1.5, inside=none))");
  EXPECT_EQ(*GetField(*circle, "radius").value().As<double>(), 1.5);
  for (const FieldInfo& field : FieldsOf(TypeCodeOf<Circle>()))
    EXPECT_FALSE(field.name.empty() || field.type.empty() || field.doc.empty());
  // [doc:fields-end]
}

TEST_F(ObjectsDoc, Equality) {
  // [doc:equality-begin]
  const auto adt = [](int last) {
    const List<> items({0, 1, 2, last});
    const AnyView fields[] = {AnyView(1), AnyView(items)};
    return Any(Adt::Make(3, fields));
  };
  EXPECT_TRUE(StructuralEqual(adt(3), adt(3)));
  EXPECT_EQ(StructuralHash(adt(3)).value(), StructuralHash(adt(3)).value());
  const std::optional<Difference> difference = FirstDifference(adt(3), adt(4));
  EXPECT_EQ(difference->path, ".fields[1][3]");
  EXPECT_EQ(difference->what, "int 3 against int 4");
  // [doc:equality-end]
}

TEST_F(ObjectsDoc, Serialization) {
  // [doc:serialization-begin]
  const List<> shared({1, 2});
  const Any graph(List<>({Any(shared), Any(shared), Any(2.5)}));
  const std::vector<uint8_t> bytes = SerializeBinary(graph).value();
  const Any back = DeserializeBinary(bytes).value();
  EXPECT_TRUE(StructuralEqual(graph, back, {.compare_sharing = true}));
  EXPECT_EQ(SerializeJson(graph).value(),
            R"({"tern":"object graph","version":1,"nodes":[{"kind":"list","values":[1,2]},)"
            R"({"kind":"list","values":[{"ref":0},{"ref":0},{"float":2.5}]}],"value":{"ref":1}})");

  List<> ring({1});
  ring.PushBack(Any(ring));
  EXPECT_EQ(SerializeBinary(ring).status().message(),
            "cannot be serialized: [1] is an object that contains itself (a cycle)");
  ring.Clear();
  // [doc:serialization-end]
}

TEST_F(ObjectsDoc, Pads) {
  // [doc:pads-begin]
  const auto repeat = Function::FromTyped(
      "repeat", [](std::string_view text, int64_t n) { return std::string(size_t(n), text[0]); });
  AnyPad<1> pad;  // room for 15 bytes, which it tells the callee
  const int64_t objects = LiveObjectCount();
  EXPECT_TRUE(repeat->InvokeInto(&pad, {"x", 15}).ok());
  EXPECT_EQ(*pad.TryCast<std::string_view>(), "xxxxxxxxxxxxxxx");
  EXPECT_EQ(LiveObjectCount(), objects);  // nothing was made
  EXPECT_TRUE(pad.Narrow().is_object());  // in 16 bytes, it is a string object
  EXPECT_TRUE(repeat->Invoke({"x", 15})->is_object());
  // [doc:pads-end]
}

TEST_F(ObjectsDoc, Boxes) {
  // [doc:boxes-begin]
  const ObjectPtr<Object> box = ToObject(3);  // for code that works on objects alone
  EXPECT_EQ(box->type_key(), "boxed int");
  EXPECT_EQ(Any(box).type_code(), TERN_TYPE_INT);  // nobody else ever meets it
  const auto next = Function::FromTyped("next", [](int64_t x) { return x + 1; });
  EXPECT_EQ(*next->CallAs<int64_t>(box), 4);
  const auto kind = Function::FromTyped(
      "kind", [](ObjectPtr<Object> object) { return std::string(object->type_key()); });
  EXPECT_EQ(*kind->CallAs<std::string>(2.5), "boxed float");
  // [doc:boxes-end]
}

TEST_F(ObjectsDoc, Moved) {
  // [doc:moved-begin]
  const auto append = Function::FromTyped("append", [](SequencePtr list, int64_t item) {
    list = Unshare(std::move(list), [](const Sequence& shared) { return shared.Copy(); });
    list->PushInt(item);
    return list;
  });
  Any list(Sequence::Make({1, 2}));
  const Object* address = list.object();
  list = *append->Invoke({Moved(&list), 3});  // nobody else holds it: changed in place
  EXPECT_EQ(list.object(), address);
  const Any kept = list;
  list = *append->Invoke({Moved(&list), 4});  // `kept` does: a copy is changed
  EXPECT_EQ(PrintValue(kept), "list[1, 2, 3]");
  EXPECT_EQ(PrintValue(list), "list[1, 2, 3, 4]");
  Any gone(Sequence::Make());
  const AnyView offered = Moved(&gone);
  EXPECT_TRUE(append->Invoke({offered, 1}).ok());
  EXPECT_EQ(append->Invoke({offered, 1}).status().message(),
            "append: argument 0: expected list, got a moved value that was taken before");
  // [doc:moved-end]
}

TEST_F(ObjectsDoc, Weak) {
  // [doc:weak-begin]
  ObjectPtr<Shape> shape = Shape::Make({2, 3});
  const WeakPtr<Shape> weak(shape);
  EXPECT_EQ(weak.Lock(), shape);  // a reference of its own, or null
  EXPECT_EQ(shape->ref_count(), 1);
  shape = nullptr;
  EXPECT_TRUE(weak.expired());
  // [doc:weak-end]
}

TEST_F(ObjectsDoc, Calls) {
  // [doc:calls-begin]
  const auto scale = Function::FromTyped(
      "scale", [](const Array<double>& values, double by) -> Result<Array<double>> {
        if (by == 0) return InvalidArgument("scale: by zero");
        Array<double> scaled;
        for (const double value : values) scaled.PushBack(value * by);
        return scaled;
      });
  EXPECT_EQ(scale->signature(), "(array<float>, float) -> array<float>");
  EXPECT_EQ(PrintValue(*scale->CallAs(List<>({1, 2.5}), 2)), "list[2, 5]");
  EXPECT_EQ(PrintValue(*scale->CallAs(Adt::Tuple({1, 2}), 10)), "list[10, 20]");
  EXPECT_EQ(scale->CallAs(List<>({1, "x"}), 2).status().message(),
            "scale: argument 0: expected array<float>: item 1: expected float, got string \"x\"");
  EXPECT_EQ(scale->CallAs(List<>()).status().message(),
            "scale: expected 2 arguments, got 1; its signature is "
            "(array<float>, float) -> array<float>");
  EXPECT_EQ(scale->CallAs(List<>(), 0).status().message(), "scale: by zero");

  EXPECT_TRUE(Registry::Global().Register(scale).ok());  // now C, JavaScript and bytecode find it
  EXPECT_EQ(Registry::Global().Find("scale").value(), scale);
  Registry::Global().Remove("scale");
  // [doc:calls-end]
}

TEST_F(ObjectsDoc, Errors) {
  // [doc:errors-begin]
  const ObjectPtr<Error> error = Error::Make(Failed("the model cannot be loaded"),
                                             /*cause=*/Error::Make(NotFound("no file 'a.bin'")));
  error->AddFrame({.function = "main", .pc = 12});
  EXPECT_EQ(error->ToStatus().ToString(),
            "failed: the model cannot be loaded\n"
            "  note: in main at pc 12\n"
            "  note: caused by: not found: no file 'a.bin'");
  EXPECT_EQ(*GetField(*error, "kind").value().As<std::string>(), "failed");
  // [doc:errors-end]
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What stands between the marks of an example, without so much of indentation.
std::string Example(const std::string& source, const std::string& name, size_t indentation) {
  const size_t begin = source.find('\n', source.find(StrCat("[doc:", name, "-begin]"))) + 1;
  const size_t end = source.rfind('\n', source.find(StrCat("[doc:", name, "-end]"))) + 1;
  std::string example;
  std::istringstream lines(source.substr(begin, end - begin));
  for (std::string line; std::getline(lines, line);)
    StrAppend(&example, std::string_view(line).substr(std::min(line.size(), indentation)), "\n");
  return example;
}

TEST_F(ObjectsDoc, ExamplesStandInTheDocumentAsTheyAreHere) {
  const std::string source = ReadText(TERN_SOURCE_DIR "/tests/unit/object/objects_doc_test.cc");
  const std::string page = ReadText(TERN_SOURCE_DIR "/docs/objects.md");
  int examples = 0;
  for (const std::string name :
       {"values", "pads", "boxes", "moved", "text", "split", "containers", "fields", "weak",
        "calls", "errors", "equality", "serialization"}) {
    EXPECT_NE(
        page.find(StrCat("<!-- [doc:", name, "] -->\n```cpp\n", Example(source, name, 2), "```")),
        std::string::npos)
        << "docs/objects.md has another example " << name << " than this file";
    ++examples;
  }
  const std::string program = ReadText(TERN_SOURCE_DIR "/tests/abi/objects_program.c");
  EXPECT_NE(page.find(StrCat("<!-- [doc:c] -->\n```c\n", Example(program, "c", 0), "```")),
            std::string::npos)
      << "docs/objects.md has another example than objects_program.c";
  size_t blocks = 0;
  for (size_t at = page.find("```cpp"); at != std::string::npos; at = page.find("```cpp", at + 1))
    ++blocks;
  EXPECT_EQ(blocks, static_cast<size_t>(examples)) << "an example of the page is not run here";
}

}  // namespace
}  // namespace tern::objects_doc_test
